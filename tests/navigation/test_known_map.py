"""Known obstacles on the map: which cells they block, and that no path over free cells touches them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from inside_solids import contains
from scenes import GOAL, simulation, world

from dynamics import BadInput, forward_kinematics, load_arm
from hopfield_nav import load_world, plan_path
from hopfield_nav.build import solids_of
from hopfield_nav.experiment import simulate
from hopfield_nav.geometry import capsule_distance, pack_primitives
from hopfield_nav.loop import evaluate
from hopfield_nav.navigation import MarkingNavigator
from hopfield_nav.navigation.map import ToolMap
from hopfield_nav.navigation.map.collision_map import SAME, blocked_cells, make_map, only_in_sight
from hopfield_nav.planning import shorten_path
from hopfield_nav.world import pack, parse_world

PLANE = "map: {origin: [0.16, -0.17, 0.0], spacing: 0.03, shape: [13, 12]}\n"
ROOM = "map: {origin: [0.16, -0.17, -0.05], spacing: 0.04, shape: [10, 9, 6]}\n"
# beside the centres of a column
WALL = "{box: {center: [0.368, 0.0, 0.0], size: [0.002, 0.3, 0.4]}}"
THIN = f"known: [{WALL}]\n"
ARM = load_arm("ur5_ragazzon2012")
PROPERTY = settings(
    max_examples=25,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    # a failing example is not made smaller: that takes minutes
    phases=(Phase.explicit, Phase.generate),
)


def place(low, high):
    return st.lists(st.floats(low, high).map(lambda v: round(v, 4)), min_size=3, max_size=3)


SIZE = st.floats(0.002, 0.12).map(lambda v: round(v, 4))
SOLID = st.one_of(
    st.builds(lambda c, r: f"{{sphere: {{center: {c}, radius: {r}}}}}", place(-0.15, 0.55), SIZE),
    st.builds(
        lambda c, s, a: f"{{box: {{center: {c}, size: {s}, rotation: {a}}}}}",
        place(-0.15, 0.55),
        st.lists(SIZE, min_size=3, max_size=3),
        place(-3.0, 3.0),
    ),
    st.builds(
        lambda c, r: f"{{cylinder: {{center: {c[:2]}, radius: {r}}}}}", place(-0.15, 0.55), SIZE
    ),
    st.builds(
        lambda c, r, h: (
            f"{{cylinder: {{center: {c[:2]}, radius: {r}, height: [{c[2] - h}, {c[2]}]}}}}"
        ),
        place(-0.1, 0.5),
        SIZE,
        SIZE,
    ),
    st.builds(lambda z: f"{{floor: {{height: {z}}}}}", st.floats(-0.2, -0.01)),
)
SOLIDS = st.lists(SOLID, min_size=1, max_size=6)


def known_world(grid_text, solids, more=""):
    return world(f"{grid_text}known: [{', '.join(solids)}]\n{more}")


def inside_known(some_world, points):
    """Whether points (k, 3) lie in a known solid, as the world file defines its solids."""
    return np.any([contains(solid, *points.T) for solid in solids_of(some_world.known)], axis=0)


def along(corners, count=120):
    """Points on a chain of straight lines through corners (k, 3)."""
    t = np.linspace(0, 1, count)[:, None]
    return np.vstack([a + t * (b - a) for a, b in itertools.pairwise(corners)] or [corners])


def centres_of(grid, cells):
    return np.array([grid.centre(cell) for cell in cells])


# --- cells
# ------------------------------------------------------------------------------------------------


@PROPERTY
@given(SOLIDS, st.sampled_from([PLANE, ROOM]))
def test_a_cell_is_blocked_when_a_solid_reaches_into_it_and_only_then(solids, text):
    """Against points all over the cells: 25 along each edge in the plane, 9 in space."""
    some_world = known_world(text, solids)
    grid, known = make_map(some_world)
    rank, count = len(grid.shape), 25 if len(grid.shape) == 2 else 9
    line = np.linspace(-0.5, 0.5, count) * grid.spacing
    offsets = np.zeros((count**rank, 3))
    offsets[:, :rank] = np.stack(np.meshgrid(*[line] * rank), axis=-1).reshape(-1, rank)
    centres = centres_of(grid, np.ndindex(grid.shape))
    points = centres[:, None] + offsets
    held = inside_known(some_world, points.reshape(-1, 3)).reshape(len(centres), -1).any(axis=1)
    assert not (held & ~known.blocked.ravel()).any()
    gap = 0.5 * np.sqrt(rank) * grid.spacing / (count - 1) + SAME * grid.spacing
    for cell in np.flatnonzero(known.blocked.ravel() & ~held):  # a solid between the points
        assert least_distance(known.solids, points[cell]) <= gap
    np.testing.assert_array_equal(grid.blocked, known.blocked)


def least_distance(solids, points):
    return capsule_distance(np.column_stack([points, points, np.zeros(len(points))]), solids).min()


def test_without_known_obstacles_nothing_is_blocked():
    assert not make_map(world())[1].blocked.any()
    assert ToolMap(world()).cell_beside(np.array([0.3, 0.0, 0.0]), (3, 4)) == (3, 4)


def test_what_lies_under_the_plane_of_the_map_bars_nothing_there():
    near, through = (f"known: [{{floor: {{height: {z}}}}}]\n" for z in (-0.001, 0.0))
    assert not make_map(world(near))[1].blocked.any()
    assert make_map(world(through))[1].blocked.all()


# --- the thin wall
# ------------------------------------------------------------------------------------------


def test_a_thin_wall_between_cell_centres_is_gone_around():
    """With the centres alone it blocks nothing, and the shortest path leads through it."""
    some_world = world(GOAL + THIN)
    grid, known = make_map(some_world)
    start, goal = (1, 10), (17, 6)
    centres = centres_of(grid, np.ndindex(grid.shape))
    assert not inside_known(some_world, centres).any()
    through = plan_path(np.zeros(grid.shape, bool), start, goal).cells
    assert inside_known(some_world, along(centres_of(grid, through))).any()
    around = plan_path(known.blocked, start, goal).cells
    assert not inside_known(some_world, along(centres_of(grid, around))).any()
    run = simulate(some_world)
    assert (run.outcome, run.summary["contact_count"]) == ("reached", 0)
    assert simulate(world(GOAL + THIN.replace("known", "obstacles"))).summary["collision_count"] > 3


@pytest.mark.parametrize("radius", [2, 3, 5])
def test_longer_steps_do_not_pass_over_a_thin_wall(radius):
    some_world = world(GOAL + THIN + f"planner: {{radius: {radius}}}\n")
    grid, known = make_map(some_world)
    cells_alone = blocked_cells(grid, known.solids)
    ends = (1, 10), (17, 6)
    for blocked, touched in ((cells_alone, True), (known.blocked, False)):
        path = plan_path(blocked, *ends, radius=radius).cells
        assert inside_known(some_world, along(centres_of(grid, path), 600)).any() == touched


# --- laws
# ---------------------------------------------------------------------------------------------------


@PROPERTY
@given(SOLIDS, st.sampled_from([PLANE, ROOM]), st.sampled_from([1, 1.5, 2, 3]), st.randoms())
def test_no_path_over_free_cells_has_a_point_in_a_known_solid(solids, text, radius, dice):
    some_world = known_world(text, solids)
    grid, known = make_map(some_world)
    blocked = blocked_cells(grid, known.solids, radius)
    free = np.argwhere(~blocked)
    assume(len(free) > 1)
    start, goal = (tuple(int(c) for c in free[dice.randrange(len(free))]) for _ in range(2))
    plan = plan_path(blocked, start, goal, radius=radius)
    assume(plan.cells is not None)
    assert not inside_known(some_world, along(centres_of(grid, plan.cells))).any()
    if radius < 2:
        tight = shorten_path(blocked, plan.cells)
        assert not inside_known(some_world, along(centres_of(grid, tight))).any()


@PROPERTY
@given(
    SOLIDS,
    st.sampled_from([PLANE, ROOM]),
    place(0.0, 1.0),
    st.sampled_from(["{}", "{any_angle: true}", "{radius: 1.5}", "{radius: 2}"]),
)
def test_the_first_motion_from_tool_to_goal_has_no_point_in_a_known_solid(
    solids, text, share, planner
):
    """With start and goal anywhere, in blocked cells too; straight lines from waypoint to waypoint."""
    shape = parse_world("format: 1\n" + text).map
    extent = shape.spacing * (np.array(shape.shape) - 1)
    goal = np.array(shape.origin)[: shape.rank] + np.array(share)[: shape.rank] * extent
    ends = f"goal: {{position: {[round(float(v), 4) for v in goal]}}}\nplanner: {planner}\n"
    try:
        some_world = known_world(text, solids, ends)
    except BadInput:
        assume(False)
    q = np.array(some_world.start.joints)
    tool = forward_kinematics(ARM, q)[:3, 3]
    assume(not inside_known(some_world, tool[None])[0])
    motion = MarkingNavigator(some_world, ARM, q).first_motion(q)
    assume(motion.trajectory is not None)
    knots = [evaluate(motion.trajectory, t)[0] for t in motion.trajectory.knots]
    corners = forward_kinematics(ARM, np.array(knots))[:, :3, 3]
    assert not inside_known(some_world, along(corners)).any()
    np.testing.assert_allclose(corners[-1], [*goal, 0.0][:3], atol=1e-4)


# --- start and goal beside a known obstacle
# -----------------------------------------------------------------


@pytest.mark.parametrize("any_angle", ["false", "true"])
def test_a_goal_in_a_blocked_cell_is_reached_from_its_own_side(any_angle):
    """Goal and wall share a cell; the straight path would come through the wall."""
    goal = "goal: {position: [0.3725, -0.0132]}\n"
    text = goal + f"planner: {{any_angle: {any_angle}}}\n"
    sim = simulation(text + THIN)
    assert sim.navigator.grid.blocked[sim.navigator.map.goal_cell]
    run = sim.run()
    assert (run.outcome, run.summary["contact_count"]) == ("reached", 0)
    assert tuple(run.data.first_path.values[-1]) == sim.navigator.map.goal_cell
    assert simulation(text + THIN.replace("known", "obstacles")).run().summary["contact_count"] > 0


def test_a_start_in_a_blocked_cell_goes_away_from_the_wall():
    wall = "known: [{box: {center: [0.183, 0.0131, 0.0], size: [0.002, 0.12, 0.4]}}]\n"
    sim = simulation(GOAL + wall)
    own = sim.navigator.grid.cell_of(forward_kinematics(sim.arm, sim.state.q)[:3, 3])
    assert sim.navigator.grid.blocked[own]
    run = sim.run()
    assert (run.outcome, run.summary["contact_count"]) == ("reached", 0)


@pytest.mark.parametrize(("at", "who"), [([0.4131, -0.0132], "goal"), ([0.1764, 0.0131], "tool")])
def test_known_obstacles_all_around_are_said_to_be(at, who):
    """A narrow shaft of four boards around the goal, or around the tool at the start."""
    x, y = at
    boards = [
        f"{{box: {{center: [{x + dx}, {y + dy}, 0.0], size: [{0.02 if dy else 0.002}, {0.02 if dx else 0.002}, 0.4]}}}}"
        for dx, dy in ((0.01, 0), (-0.01, 0), (0, 0.01), (0, -0.01))
    ]
    sim = simulation(f"goal: {{cell: [10, 9]}}\nknown: [{', '.join(boards)}]\n")
    assert sim.outcome == "no_path"
    assert f"between the {who} and every free cell" in sim.reason
    assert (
        simulation("goal: {cell: [10, 9]}\n" + f"known: [{', '.join(boards[:3])}]\n").outcome
        is None
    )


def test_the_path_back_after_a_collision_leads_to_a_cell_in_sight():
    some_world = world(THIN)
    grid, known = make_map(some_world)
    left, right = ((7, 9), (9, 9))  # before and behind the wall
    both = np.zeros(grid.shape, bool)
    both[left] = both[right] = True
    place = grid.centre(left) + np.array([0.01, 0.0, 0.0])
    assert np.argwhere(only_in_sight(known, grid, both, place)).tolist() == [list(left)]
    inside = np.array([0.368, -0.0132, 0.0])  # touching the wall: no sight at all is no guide
    np.testing.assert_array_equal(only_in_sight(known, grid, both, inside), both)


# --- the main loop: some known, some not
# --------------------------------------------------------------------

KNOWN = "{box: {center: [0.30, 0.02, 0.0], size: [0.02, 0.30, 0.3]}}"
CENTRE, RADIUS = np.array([0.48, -0.08]), 0.07
UNKNOWN = f"{{cylinder: {{center: {CENTRE.tolist()}, radius: {RADIUS}}}}}"


def test_what_is_known_is_spared_and_the_rest_is_found_by_touch():
    mixed = simulate(world(GOAL + f"known: [{KNOWN}]\nobstacles: [{UNKNOWN}]\n"))
    blind = simulate(world(GOAL + f"obstacles: [{KNOWN}, {UNKNOWN}]\n"))
    assert (mixed.outcome, blind.outcome) == ("reached", "reached")
    assert 0 < mixed.summary["collision_count"] < blind.summary["collision_count"]
    for run, spared in ((mixed, True), (blind, False)):
        tool = run.data.tool_position.values
        wall = pack_primitives(
            [pack(parse_world(f"format: 1\nknown: [{KNOWN}]").known[0].solids[0])]
        )
        assert (least_distance(wall, tool) > 0.0) == spared
    at = mixed.data.event_position.values[:, :2]
    assert (np.abs(np.linalg.norm(at - CENTRE, axis=1) - RADIUS) < 0.01).all()


def test_the_shipped_cell_is_run_without_a_touch():
    some_world = load_world("cell")
    run = simulate(some_world)
    assert (run.outcome, run.summary["contact_count"], run.summary["collision_count"]) == (
        "reached",
        0,
        0,
    )
    assert not inside_known(some_world, run.data.tool_position.values).any()
    start, goal = (np.array(p.pose.position) for p in (some_world.plan.start, some_world.plan.goal))
    # straight on it would touch
    assert inside_known(some_world, along(np.array([start, goal]))).any()
    free = simulate(load_world("cell", ["known=[]"]))
    assert free.summary["simulated_time_s"] < run.summary["simulated_time_s"]
