"""Whole runs on facts and beliefs: what is claimed is true, what was not felt is found out."""

from __future__ import annotations

import itertools
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from closed_steps import SLACK, distance_of
from scenes import GOAL, simulation

from hopfield_nav import load_world
from hopfield_nav.control import Onset
from hopfield_nav.experiment import Simulation, simulate
from hopfield_nav.loop import evaluate
from hopfield_nav.navigation.map.beliefs import Step
from hopfield_nav.navigation.motion.segments import Detection, step_of, touched_segment
from hopfield_nav.navigation.planners import FACTS_ALONE
from hopfield_nav.navigation.responses import cell_to_go_back_to

FEELING = "detection: {estimator: momentum_observer, measure: adaptive_joint_torque, mark: felt}\n"
CROSSWISE = [
    f"{{cylinder: {{center: [0.36, {y:.4f}], radius: 0.02}}}}"
    for y in np.arange(-0.2499, 0.26, 0.0263)
]
WRIST = [
    "sensors.wrench={force_noise: 0.3, force_offset: [2, -3, 5]}",
    "detection={estimator: wrist_sensor, measure: force_norm, threshold: 5}",
]


def wall(*gaps: int) -> str:
    """A wall across the map, of a cylinder a cell, with some left out."""
    return "obstacles: [" + ", ".join(c for k, c in enumerate(CROSSWISE) if k not in gaps) + "]\n"


@pytest.mark.parametrize(
    ("world", "change"),
    [
        ("u_trap", []),
        ("enclosed_goal", []),
        ("enclosed_goal", ["controller.period=0.008"]),
        ("enclosed_goal", ["tool.payload.mass=1"]),
        ("over_the_wall", []),
        ("shelf", []),
        ("u_trap", WRIST),
        ("enclosed_goal", [*WRIST, "controller.period=0.008"]),
    ],
)
def test_every_fact_is_true(world, change):
    """Each step that is said to be closed leads through an obstacle."""
    sim = Simulation(load_world(world, ["record.signals=none", *change]))
    sim.run()
    facts = sim.navigator.beliefs.facts
    assert len(facts) >= 2
    assert max(distance_of(sim, step) for step in facts) < SLACK


def test_an_enclosed_goal_is_given_up_when_facts_alone_enclose_it():
    sim = Simulation(load_world("enclosed_goal", ["record.signals=none"]))
    run = sim.run()
    beliefs, grid = sim.navigator.beliefs, sim.navigator.grid
    assert run.outcome == "no_path"
    assert FACTS_ALONE in run.summary["reason"]
    assert (
        beliefs.likeliest_path(
            grid.blocked, sim.navigator.motion.start, sim.navigator.map.goal_cell
        )
        is None
    )
    facts = len(beliefs.facts)
    assert facts <= run.summary["collision_count"] <= 1.5 * facts
    sim.navigator.beliefs.facts.clear()  # with its cause
    assert (
        beliefs.likeliest_path(
            grid.blocked, sim.navigator.motion.start, sim.navigator.map.goal_cell
        )
        is not None
    )


def test_an_arm_that_gives_up_rests_away_from_what_it_felt():
    """It goes back before it decides."""
    sim = Simulation(load_world("enclosed_goal", ["record.signals=none"]))
    sim.run()
    assert sim.time - sim.state.statistics.last_contact_time > 0.1
    np.testing.assert_allclose(sim.state.qd, 0.0, atol=0.02)


@pytest.mark.parametrize("gap", [3, 8, 13])
def test_a_gap_that_is_believed_to_be_closed_is_found(gap):
    """The only way to the goal leads through a cell that is wrongly believed to be occupied."""
    column = round((0.36 - 0.1501) / 0.0263)
    sim = simulation(GOAL + FEELING + wall(gap) + "record: {signals: none}\n")
    sim.navigator.beliefs.believe_occupied((column, gap), 0.9)
    run = sim.run()
    assert run.outcome == "reached", run.summary["reason"]
    assert (column, gap) in sim.navigator.beliefs.visited
    marked = simulation(
        GOAL + FEELING.replace("felt", "actual") + wall(gap) + "record: {signals: none}\n"
    )
    marked.navigator.grid.mark((column, gap))
    assert marked.run().outcome == "no_path"


def test_the_arm_stops_before_it_drives_where_something_is_believed():
    sim = simulation(GOAL + FEELING)
    navigator = sim.navigator
    here, there = ((int(a), int(b)) for a, b in navigator.motion.cells[5:7])
    places = navigator.motion.places
    paths = navigator.means.paths
    assert not paths.rests(places, navigator.map).any()
    navigator.beliefs.believe_occupied(there, 0.5)
    rests = paths.rests(places, navigator.map)
    at = [tuple(cell) for cell in navigator.motion.cells.tolist()]
    assert rests[at.index(here)]
    assert rests[at.index(there)]
    assert not rests[:4].any()


def test_the_arm_stops_before_a_corner_beside_what_is_believed():
    """The second corner of a stair ends beside the occupied cell; the first does not, nor does a straight way."""
    navigator = simulation(GOAL + FEELING).navigator
    navigator.beliefs.believe_occupied((7, 5), 0.5)
    for cells, rests in (
        ([(4, 4), (5, 4), (5, 5), (6, 5)], [False, True, False]),
        ([(4, 5), (5, 5), (6, 5)], [False] * 2),
    ):
        places = np.column_stack([navigator.grid.centre(np.array(cells)), np.zeros(len(cells))])
        assert navigator.means.paths.rests(places, navigator.map).tolist() == rests


@pytest.mark.parametrize("planner", ["{radius: 2}", "{any_angle: true}"])
def test_longer_moves_stay_away_from_beliefs_and_the_goal_is_reached(planner):
    run = simulation(
        GOAL + FEELING + wall(17) + f"planner: {planner}\nrecord: {{signals: none}}\n"
    ).run()
    assert run.outcome == "reached", run.summary["reason"]
    assert 3 <= run.summary["collision_count"] <= 1.3 * run.summary["contact_count"]


def test_the_navigator_knows_where_it_was_touched_last():
    sim, apart = simulation(GOAL + FEELING + wall(17)), []
    assert sim.navigator.touched is None
    sim.on_touch = lambda touch: apart.append(
        np.linalg.norm(sim.navigator.touched.place - touch.position)
    )
    sim.run()
    assert len(apart) == len(sim.detections) > 2
    assert max(apart) < 2e-3


def test_known_obstacles_are_no_beliefs():
    sim = simulation(GOAL + FEELING + wall(16, 17, 18).replace("obstacles", "known"))
    blocked = sim.navigator.grid.blocked.copy()
    run = sim.run()
    assert (run.outcome, run.summary["collision_count"]) == ("reached", 0)
    assert blocked.any()
    np.testing.assert_array_equal(sim.navigator.grid.blocked, blocked)
    assert not sim.navigator.beliefs.doubted()


def test_the_record_tells_facts_from_beliefs(tmp_path):
    run = simulate(load_world("u_trap"))
    steps, certainty = run.closed_steps()
    assert (np.abs(np.diff(steps, axis=1)).sum(axis=2) == 1).all()
    assert run.summary["closed_step_count"] == (certainty == 1.0).sum() > 0
    growing = run.plans()
    assert len(growing[-1].steps) >= len(growing[1].steps) == 1
    # at the alarm nobody knows yet whether the stop is a true one
    assert 0.0 < growing[1].certainty[0] < 1.0
    run.save(tmp_path / "run")
    from hopfield_nav import load_run

    again = load_run(tmp_path / "run").closed_steps()
    np.testing.assert_array_equal(again[0], steps)
    np.testing.assert_array_equal(again[1], certainty)


def test_where_it_touched_is_known_to_a_millimetre():
    """At the alarm the tool is further; what counts is where the force began."""
    for world, bound in (("ragazzon2012_momentum", 1e-3), ("ragazzon2012_real", 3e-3)):
        sim = Simulation(
            load_world(world, ["detection.mark=felt", "detection.back_off=along_force"])
        )
        found = []
        sim.on_touch = lambda touch, found=found, sim=sim: found.append(sim.navigator.touched.place)
        run = sim.run()
        time, tool = run.data.time.values, run.data.tool_position.values
        true = [
            tool[min(int(np.searchsorted(time, t - 1e-9)), len(time) - 1)]
            for t in run.data.touch_time.values
            if t == t
        ]
        places = [
            place for place, t in zip(found, run.data.touch_time.values, strict=True) if t == t
        ]
        first = [k for k in range(len(true)) if k == 0 or not np.array_equal(true[k], true[k - 1])]
        assert len(first) >= 10
        apart = [np.linalg.norm(places[k] - true[k]) for k in first]
        assert np.median(apart) < bound


def test_steps_along_a_path_are_told_from_other_segments():
    sim = simulation(GOAL + FEELING)
    centre = sim.navigator.grid.centre
    assert step_of(sim.navigator.grid, centre((3, 4)), centre((3, 5))) == Step((3, 4), 1)
    others = [((3, 4), (4, 5)), ((3, 4), (3, 6)), ((3, 4), (3.1, 5)), ((3, 4), (3, 4))]
    assert all(step_of(sim.navigator.grid, centre(a), centre(b)) is None for a, b in others)
    passed = sim.navigator.motion.places[1:]
    sim.run()
    driven = {step_of(sim.navigator.grid, a, b) for a, b in itertools.pairwise(passed)}
    assert driven == sim.navigator.beliefs.free


def test_a_tool_that_went_on_was_not_stopped_where_its_level_began_to_rise():
    """The level of an arm whose friction is not known was up long before; force bars both legs."""
    sim = simulation("goal: {cell: [6, 2]}\n")
    navigator, arm = sim.navigator, sim.arm
    motion = navigator.motion
    legs = np.diff(motion.places, axis=0)
    late = len(legs) - 2
    early = next(k for k in range(1, late - 1) if legs[k] @ legs[late] < 1e-9)
    force = -legs[early] / np.linalg.norm(legs[early]) - legs[late] / np.linalg.norm(legs[late])

    def leg_of(onset):
        half = [
            0.5 * (motion.trajectory.knots[k] + motion.trajectory.knots[k + 1])
            for k in (onset, late)
        ]
        began, now = (evaluate(motion.trajectory, time)[0] for time in half)
        detection = Detection(half[1], now, force, np.zeros(6), Onset(half[0], began), 0.0)
        return touched_segment(navigator.grid, arm, motion, detection)

    found = leg_of(early)
    assert (found.number, found.off < 1e-4) == (late, True)
    assert np.allclose(
        found.place, 0.5 * (motion.places[late] + motion.places[late + 1]), atol=1e-3
    )
    assert leg_of(late).number == late


def test_a_contact_that_began_before_the_motion_was_on_no_segment():
    """As in the wiggle of an arm that learns: the first step was not driven."""
    sim = simulation("goal: {cell: [6, 2]}\n")
    motion = sim.navigator.motion
    late = motion._replace(
        trajectory=motion.trajectory._replace(knots=motion.trajectory.knots + 2.0)
    )
    q, force = motion.trajectory.coefficients[0, 0], -np.diff(motion.places, axis=0)[0]

    def touched(time):
        detection = Detection(time, q, force, np.zeros(6), Onset(time, q), 0.0)
        return touched_segment(sim.navigator.grid, sim.arm, late, detection)

    assert touched(2.01).is_barred(force)
    assert (touched(1.0).number, touched(1.0).step, touched(1.0).is_barred(force)) == (
        0,
        None,
        False,
    )


def test_a_retreat_that_is_touched_at_once_has_not_been_tried():
    """Between two walls alarms come in bursts; those of one moment wear out no way back."""
    sim = simulation("goal: {cell: [6, 2]}\n")
    navigator = sim.navigator
    begin, q = (
        float(navigator.motion.trajectory.knots[0]),
        navigator.motion.trajectory.coefficients[0, 0],
    )
    force = np.array([0.0, -10.0, 0.0])

    def touched(after):
        detection = Detection(begin + after, q, force, np.zeros(6), Onset(begin + after, q), 0.0)
        segment = touched_segment(navigator.grid, sim.arm, navigator.motion, detection)
        assert (segment.number, segment.driven) == (0, pytest.approx(after))
        return cell_to_go_back_to(segment, navigator.motion, navigator.map)

    first = tuple(navigator.motion.cells[0].tolist())
    assert [touched(0.01) for _ in range(5)] == 5 * [first]
    navigator.beliefs.visited.add((5, 5))
    assert [touched(0.2) for _ in range(2)] == [first, (5, 5)]


@pytest.mark.parametrize(("driven", "tried"), [(0.01, set()), (0.2, {(3, 3)})])
def test_a_retreat_that_is_touched_at_once_was_not_tried(driven, tried):
    """Between walls alarms come in bursts; only one that was driven counts as tried in vain."""
    motion = SimpleNamespace(cells=np.array([[3, 3], [3, 4]]), passes_by=False)
    where = SimpleNamespace(tries=Counter())
    segment = SimpleNamespace(number=0, driven=driven)
    assert cell_to_go_back_to(segment, motion, where) == (3, 3)
    assert set(where.tries) == tried
