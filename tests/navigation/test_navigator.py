"""Map, paths and trajectories of a run, and the two problems of ragazzon2012 7.3."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from refusals import refused
from scenes import GOAL, simulation, world

from dynamics import forward_kinematics
from hopfield_nav import load_world
from hopfield_nav.experiment import Simulation, simulate
from hopfield_nav.loop import evaluate, quintic_trajectory


def test_the_first_trajectory_goes_through_the_cells_of_its_path():
    sim = simulation(GOAL)
    navigator = sim.navigator
    motion = navigator.motion
    knots = motion.trajectory.knots[1:]
    assert len(knots) == len(motion.cells)
    for cell, time in zip(motion.cells, knots, strict=True):
        pose = forward_kinematics(sim.arm, evaluate(motion.trajectory, time)[0])
        np.testing.assert_allclose(pose[:3, 3], navigator.grid.centre(cell), atol=1e-9)
        np.testing.assert_allclose(pose[:3, :3], [[0, 1, 0], [1, 0, 0], [0, 0, -1]], atol=1e-9)
    assert motion.cells[0].tolist() == [1, 10]  # (2, 11) in the document
    assert motion.cells[-1].tolist() == [17, 6]


def test_a_goal_between_cell_centres_is_reached_exactly():
    sim = simulation("goal: {position: [0.31, 0.004], tolerance: 0.00001}\n")
    run = sim.run()
    assert run.outcome == "reached"
    np.testing.assert_allclose(
        forward_kinematics(sim.arm, sim.state.q)[:2, 3], [0.31, 0.004], atol=1e-5
    )


def test_time_rules():
    motion = simulation(GOAL + "trajectory: {time_per_cell: 0.7}\n").navigator.motion
    np.testing.assert_allclose(np.diff(motion.trajectory.knots), 0.7, rtol=1e-6)
    motion = simulation(GOAL + "trajectory: {time_per_cell: ragazzon2012}\n").navigator.motion
    n = len(motion.cells) + 1
    np.testing.assert_allclose(np.diff(motion.trajectory.knots), np.floor(n / 2 + 0.5) / (n - 1))


def test_a_fast_path_keeps_the_speed_limits_of_the_joints():
    def top(limits):
        sim = simulation(GOAL + "trajectory: {time_per_cell: 0.01}\n")
        navigator = sim.navigator
        slower = sim.arm._replace(speed_limits=np.full(6, limits))
        navigator.means = navigator.means._replace(arm=slower)
        motion = navigator.first_motion(sim.state.q)
        times = np.linspace(0, motion.trajectory.knots[-1], 5000)
        return np.abs([evaluate(motion.trajectory, t)[1] for t in times]).max()

    assert top(np.inf) > 2 * np.pi
    assert top(np.pi) < np.pi * 1.01


def test_known_obstacles_are_on_the_map_from_the_start_and_are_avoided():
    around = "[{cylinder: {center: [0.36, -0.06], radius: 0.05}}]"
    known, unknown = (simulation(GOAL + f"{key}: {around}\n") for key in ("known", "obstacles"))
    assert known.navigator.grid.blocked.any()
    assert not known.navigator.grid.felt.any()
    assert not unknown.navigator.grid.blocked.any()
    first, second = known.run(), unknown.run()
    assert (first.outcome, second.outcome) == ("reached", "reached")
    assert second.summary["contact_count"] > 0
    assert first.summary["contact_count"] == 0
    felt = [run.summary["collision_count"] + run.summary["graze_count"] for run in (first, second)]
    assert felt[0] == 0 < felt[1]
    for cell in first.data.first_path.values:
        assert not known.navigator.grid.blocked[tuple(cell)]


def test_a_known_obstacle_also_pushes():
    inside = world("known: [{cylinder: {center: [0.1764, 0.02], radius: 0.02}}]\ntime_limit: 0.1\n")
    sim = Simulation(inside, trajectory=quintic_trajectory([inside.start.joints], 1.0))
    sim.step(0.01)
    assert sim.state.statistics.peak_force > 100


def test_the_rim_can_be_blocked():
    assert not simulation(GOAL).navigator.grid.blocked.any()
    blocked = simulation(GOAL + "map: {rim: blocked}\n").navigator.grid.blocked
    assert blocked[0].all()
    assert not blocked[1:-1, 1:-1].any()


def test_a_start_that_is_not_over_the_map_is_refused_only_where_a_path_is_wanted():
    far = "start: {joints: [0, -1, 1, 0, 1, 0]}\n"
    with refused(r"start\.joints"):
        simulation(far + GOAL)
    assert simulation(far + "time_limit: 0.01\n").run().outcome == "time_limit"


# --- the two problems of 7.3, with and without what prevents them
# ---------------------------------------


# every new rise above the threshold counts
ALWAYS_ARMED = ["detection.rearm=null", "detection.episodes=false"]


def repeats(run):
    return max(Counter(map(tuple, run.data.event_cell.values.tolist())).values())


def test_repeated_detections_at_one_place_without_rearming():
    """Problem 1: while the arm is still pressed, every fluctuation is a new collision."""
    world = ["time_limit=60", "record.signals=none", *ALWAYS_ARMED]
    again = simulate(load_world("ragazzon2012", world))
    assert again.outcome != "reached"
    assert repeats(again) > 100
    assert simulate(load_world("ragazzon2012")).summary["collision_count"] < 30


def test_the_actual_position_without_rearming_marks_a_heap_of_cells():
    """The author's failed variant: one touch is felt again and again within millimetres."""
    variant = ["detection.mark=actual", "detection.back_off=against_velocity", *ALWAYS_ARMED]
    failed = simulate(load_world("ragazzon2012", variant))
    assert failed.outcome != "reached"
    moved = np.linalg.norm(np.diff(failed.data.event_position.values, axis=0), axis=1)
    assert (moved < 0.005).mean() > 0.5
    rule = ["detection.mark=actual", "detection.back_off=along_force", "detection.rearm=0.5"]
    solved = simulate(load_world("ragazzon2012", rule))
    assert solved.outcome == "reached"
    assert repeats(solved) == 1
    apart = np.linalg.norm(np.diff(solved.data.event_position.values, axis=0), axis=1)
    assert (apart < 0.005).mean() < 0.5


def test_endless_loop_of_the_document_around_an_enclosed_goal():
    """Problem 2: the document's rule returns to a cell that it has marked; the second rule never does."""
    rule = [
        "detection.mark=desired",
        "detection.back_off=against_velocity",
        "time_limit=100",
        "record.signals=none",
    ]
    endless = simulate(load_world("enclosed_goal", rule))
    assert endless.outcome == "time_limit"
    assert repeats(endless) > 50
    ends = simulate(load_world("enclosed_goal", ["detection.mark=actual"]))
    assert ends.outcome == "no_path"
    assert repeats(ends) == 1


@pytest.mark.parametrize("name", ["u_trap", "narrow_gap", "enclosed_goal", "ragazzon2012"])
def test_every_collision_of_the_default_rule_adds_a_cell_and_spares_the_goal(name):
    run = simulate(load_world(name, ["detection.mark=actual", "detection.back_off=along_force"]))
    felt = [int(plan.felt.sum()) for plan in run.plans()]
    assert felt == list(range(len(felt)))
    goal = tuple(run.data.first_path.values[-1])
    assert goal not in set(map(tuple, run.data.event_cell.values.tolist()))
