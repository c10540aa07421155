"""Maps in space: the three worlds that come along, and what must hold for every map with levels."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import simulation, world

from dynamics import BadInput, forward_kinematics, jacobian, load_arm
from dynamics.inverse import follow_positions
from hopfield_nav import load_run, load_world
from hopfield_nav.build import build_obstacles
from hopfield_nav.experiment import Simulation, simulate
from hopfield_nav.geometry import capsule_distance
from hopfield_nav.loop import evaluate

WORLDS = ("over_the_wall", "shelf", "free_rotation")
Q0 = np.array([2.5511, -1.1193, 2.5706, 0.1196, 1.5708, -0.5905])
DOWN = "[[0, 1, 0], [1, 0, 0], [0, 0, -1]]"


@pytest.fixture(scope="module")
def runs():
    return {name: simulate(load_world(name)) for name in WORLDS}


def surface_distances(run):
    """Distance [m] of the centre of every marked cell from the nearest true surface."""
    cells = run.data.event_cell.values
    centres = np.array(run.world.map.origin) + run.world.map.spacing * cells
    return np.abs(signed_distances(run.world, centres))


def signed_distances(some_world, points):
    """Signed distance [m] of points (k, 3) from the nearest obstacle."""
    as_capsules = np.hstack([points, points, np.zeros((len(points), 1))])
    return capsule_distance(as_capsules, build_obstacles(some_world)).min(axis=1)


@pytest.mark.parametrize("name", WORLDS)
def test_the_goal_is_reached_by_collisions_that_are_real(runs, name):
    summary = runs[name].summary
    assert summary["outcome"] == "reached"
    assert summary["final_tool_error_m"] < 0.001
    assert summary["collision_count"] >= 3
    assert summary["false_alarm_count"] == 0


@pytest.mark.parametrize("name", WORLDS)
def test_marks_lie_at_true_surfaces(runs, name):
    """In the cell at the surface, or, where the alarm came early, the one before it."""
    distance = surface_distances(runs[name]) / runs[name].world.map.spacing
    assert (distance <= 1.5 + 1e-9).all()
    assert (distance < 1.0).mean() > 0.85


@pytest.mark.parametrize("name", WORLDS)
def test_every_collision_closes_a_step_and_spares_the_goal(runs, name):
    """Or makes a belief a fact, unless it is passed by; nobody believes the goal's cell to be occupied."""
    data = runs[name].data
    certainty = data.event_certainty.values
    assert (np.diff(certainty.sum(axis=1), prepend=0.0)[~runs[name].passed_by] > 0.0).all()
    assert not any(plan.felt[tuple(data.first_path.values[-1])] for plan in runs[name].plans())


@pytest.mark.parametrize("name", WORLDS)
def test_without_obstacles_it_goes_straight(runs, name):
    free = simulate(load_world(name, ["obstacles=[]", "known=[]"]))
    assert (free.outcome, free.summary["contact_count"]) == ("reached", 0)
    assert free.summary["simulated_time_s"] < runs[name].summary["simulated_time_s"]
    path = free.data.first_path.values
    assert len(path) == 1 + np.abs(path[-1] - path[0]).sum()


def test_the_tool_goes_over_the_wall(runs):
    """Behind the wall's face the tool is above its top and within its length: not around an end."""
    run = runs["over_the_wall"]
    tool = run.data.tool_position.values
    boxes = [o.box for o in run.world.obstacles]
    in_wall = np.abs(tool[:, 0] - 0.40) < 0.015
    assert in_wall.any()
    low = min(b.center[1] - b.size[1] / 2 for b in boxes)
    high = max(b.center[1] + b.size[1] / 2 for b in boxes)
    assert (tool[in_wall, 1] > low).all()
    assert (tool[in_wall, 1] < high).all()
    tops = [b.center[2] + b.size[2] / 2 for b in boxes if abs(b.center[1] - 0.08) < b.size[1] / 2]
    assert (tool[in_wall, 2] > min(tops)).all()


def test_a_wall_as_high_as_the_map_is_gone_around():
    high = "obstacles=[{box: {center: [0.40, -0.02, 0.1], size: [0.04, 0.24, 0.6]}}]"
    run = simulate(load_world("over_the_wall", [high]))
    assert run.outcome == "reached"
    tool = run.data.tool_position.values
    in_wall = np.abs(tool[:, 0] - 0.40) < 0.015
    assert (np.abs(tool[in_wall, 1] + 0.02) > 0.12).all()


def test_a_wall_across_the_whole_map_leaves_no_path():
    closed = "obstacles=[{box: {center: [0.40, 0.0, 0.1], size: [0.04, 0.8, 0.6]}}]"
    small = "map={origin: [0.16, -0.04, -0.04], spacing: 0.04, shape: [13, 3, 3]}"
    run = simulate(load_world("over_the_wall", [closed, small]))
    assert run.outcome == "no_path"


def test_whole_arm_contact_and_the_document_s_rule_work_in_space_too():
    arm = simulate(load_world("over_the_wall", ["contact.bodies=arm"]))
    assert arm.outcome == "reached"
    rule = ["detection.mark=desired", "detection.back_off=against_velocity"]
    assert simulate(load_world("over_the_wall", rule)).outcome == "reached"


def test_the_momentum_observer_feels_in_space():
    """Earlier than the joint error, which is what it is for."""
    slow = "detection={estimator: joint_error, measure: force_norm}"
    runs = [simulate(load_world("over_the_wall", o)) for o in ([], [slow])]
    assert [run.outcome for run in runs] == ["reached", "reached"]
    assert runs[0].world.detection.estimator == "momentum_observer"
    early, late = (run.summary["detection_delay_median_s"] for run in runs)
    assert early < 0.2 * late


# --- tool rotation
# ---------------------------------------------------------------------------------------


def test_only_a_free_rotation_reaches_the_goal(runs):
    kept = simulate(
        load_world("free_rotation", [f"trajectory.tool_rotation={DOWN}", "obstacles=[]"])
    )
    assert (kept.outcome, "cannot be reached" in kept.summary["reason"]) == ("no_path", True)
    assert runs["free_rotation"].outcome == "reached"


def test_a_kept_rotation_is_kept_and_a_free_one_is_not():
    for name, kept in (("over_the_wall", True), ("free_rotation", False)):
        sim = Simulation(load_world(name))
        navigator = sim.navigator
        knots = navigator.motion.trajectory.knots[1:]
        q = np.array([evaluate(navigator.motion.trajectory, t)[0] for t in knots])
        poses = forward_kinematics(sim.arm, q)
        wanted = np.array(
            [*(navigator.grid.centre(cell) for cell in navigator.motion.cells), navigator.goal]
        )
        if len(poses) < len(wanted):  # the goal is the centre of its cell
            wanted = np.delete(wanted, -2, axis=0)
        np.testing.assert_allclose(poses[:, :3, 3], wanted, atol=1e-9)
        turned = np.abs(poses[:, :3, :3] - [[0, 1, 0], [1, 0, 0], [0, 0, -1]]).max()
        assert (turned < 1e-9) == kept


def test_free_joints_change_least():
    """The change is in the row space of the Jacobian, and no motion of the null space makes it smaller."""
    arm = load_arm("ur5_ragazzon2012")
    positions = forward_kinematics(arm, Q0)[:3, 3] + np.linspace(0, 1, 9)[1:, None] * [
        0.4,
        0.1,
        0.3,
    ]
    path = follow_positions(arm, positions, Q0)
    assert (path.reason, path.reached) == ("", 8)
    last = Q0
    for q, position in zip(path.q, positions, strict=True):
        np.testing.assert_allclose(forward_kinematics(arm, q)[:3, 3], position, atol=1e-9)
        J = jacobian(arm, q)[:3]
        null = np.eye(6) - np.linalg.pinv(J) @ J
        np.testing.assert_allclose(null @ (q - last), 0.0, atol=1e-7)
        last = q


def test_positions_out_of_reach_and_faulty_ones():
    arm = load_arm("ur5_ragazzon2012")
    near = forward_kinematics(arm, Q0)[:3, 3]
    far = follow_positions(arm, np.array([near, [3.0, 0.0, 0.0]]), Q0)
    assert (far.reached, far.reason) == (1, "out of reach at waypoint 1")
    np.testing.assert_allclose(far.q[0], Q0, atol=1e-9)
    jump = follow_positions(arm, np.array([-near]), Q0)
    assert jump.reason.startswith("branch ends")
    for bad in (np.zeros(3), np.zeros((2, 2)), np.full((1, 3), np.nan)):
        with pytest.raises(BadInput, match="positions"):
            follow_positions(arm, bad, Q0)
    with pytest.raises(BadInput, match="jump"):
        follow_positions(arm, near[None], Q0, jump=0.0)


# --- laws
# -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["u_trap", "narrow_gap", "enclosed_goal"])
def test_one_layer_in_space_is_the_plane(name):
    """The same collisions, paths and motion, to the last bit, with the same order of steps."""
    flat = load_world(name)
    goal = [*flat.goal_position, flat.map.origin[2]]
    layer = ["map.shape=[20, 20, 1]", "planner.ties=[+v, -v, +u, -u, +w, -w]"]
    layer += [f"goal={{position: [{', '.join(map(repr, goal))}]}}"]
    plane, space = simulate(flat), simulate(load_world(name, layer))
    assert space.outcome == plane.outcome
    np.testing.assert_array_equal(space.data.q.values, plane.data.q.values)
    np.testing.assert_array_equal(space.data.event_cell.values[:, :2], plane.data.event_cell.values)
    for cubes, cells in zip(space.plans(), plane.plans(), strict=True):
        np.testing.assert_array_equal(cubes.felt[..., 0], cells.felt)
    assert not space.data.event_cell.values[:, 2].any()


def test_known_obstacles_bar_the_cubes_that_they_reach_into():
    text = (
        "map: {origin: [0.16, -0.28, -0.04], spacing: 0.04, shape: [13, 15, 6]}\n"
        "known: [{sphere: {center: [0.4, 0.0, 0.08], radius: 0.07}},"
        " {box: {center: [0.5, 0.2, 0.0], size: [0.1, 0.05, 0.1], rotation: [0.1, 0.2, 0.3]}},"
        " {cylinder: {center: [0.3, -0.2], radius: 0.05, height: [0.0, 0.1]}}, {floor: {height: -0.03}}]\n"
    )
    sim = simulation(text)
    grid = sim.navigator.grid
    line = grid.spacing * np.linspace(-0.5, 0.5, 21)
    cube = np.stack(np.meshgrid(line, line, line), axis=-1).reshape(-1, 3)
    least = [
        signed_distances(sim.world, grid.centre(cell) + cube).min()
        for cell in np.ndindex(grid.shape)
    ]
    np.testing.assert_array_equal(grid.blocked.ravel(), np.array(least) <= 0.0)
    assert grid.blocked.any(axis=(1, 2)).sum() > 3


def test_a_blocked_rim_closes_all_six_faces():
    text = "map: {origin: [0.13, -0.1, -0.1], spacing: 0.05, shape: [6, 5, 4], rim: blocked}\n"
    blocked = simulation(text).navigator.grid.blocked
    assert not blocked[1:-1, 1:-1, 1:-1].any()
    assert blocked.sum() == 6 * 5 * 4 - 4 * 3 * 2


def test_ties_decide_which_path_is_tried_first():
    room = "map: {origin: [0.16, -0.28, -0.04], spacing: 0.04, shape: [13, 15, 6]}\ngoal: {cell: [6, 9, 4]}\n"
    first = [simulation(room).navigator.motion.cells[:2]]
    ties = "planner: {ties: [+u, -u, +v, -v, +w, -w]}\n"
    first.append(simulation(room + ties).navigator.motion.cells[:2])
    assert [np.flatnonzero(b - a).tolist() for a, b in first] == [[2], [0]]


def test_a_start_below_the_map_is_refused():
    with pytest.raises(BadInput, match=r"start\.joints.*z = "):
        simulation(
            "map: {origin: [0.16, -0.28, 0.3], spacing: 0.04, shape: [13, 15, 6]}\ngoal: {cell: [3, 3, 3]}\n"
        )


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("map: {shape: [20, 20, 5]}\ngoal: {cell: [1, 2]}", ["goal.cell", "3 axes", "a list of 3"]),
        ("goal: {position: [0.3, 0.1, 0.0]}", ["goal.position", "2 axes", "a list of 2"]),
        (
            "map: {shape: [20, 20, 5]}\nplanner: {ties: [+v, -v, +u, -u]}",
            ["planner.ties", "+w, -w"],
        ),
        ("planner: {ties: [+w, -w, +v, -v, +u, -u]}", ["planner.ties", "2 axes"]),
        ("map: {shape: [4096, 4096, 2]}", ["map.shape", "too many cells"]),
        (
            "map: {shape: [20, 20, 3]}\ngoal: {position: [0.3, 0.1, 0.4]}",
            ["outside", "z from 0 to 0.0526 m"],
        ),
        (
            "map: {shape: [20, 20, 9]}\nknown: [{sphere: {center: [0.3, 0, 0.1], radius: 0.05}}]\n"
            "goal: {position: [0.3, 0, 0.12]}",
            ["goal inside known obstacle 0"],
        ),
        (
            "map: {shape: [20, 20, 9]}\ngoal: {position: [0.3, 0, 0.12]}\n"
            "known: [{name: the ball, sphere: {center: [0.3, 0, 0.1], radius: 0.05}}]",
            ["goal inside the ball"],
        ),
        ("trajectory: {tool_rotation: loose}", ["trajectory.tool_rotation", "a list of 3"]),
    ],
)
def test_faults(text, parts):
    with pytest.raises(BadInput) as caught:
        world(text + "\n")
    for part in parts:
        assert part in str(caught.value)


def test_a_run_is_read_back_and_repeated(runs, tmp_path):
    run = runs["free_rotation"]
    run.save(tmp_path / "run")
    back = load_run(tmp_path / "run")
    assert back.world == run.world
    assert back.world.trajectory.any_rotation
    for own, other in zip(run.plans(), back.plans(), strict=True):
        np.testing.assert_array_equal(own.felt, other.felt)
        np.testing.assert_array_equal(own.path, other.path)
    np.testing.assert_array_equal(simulate(back.world).data.q.values, run.data.q.values)
