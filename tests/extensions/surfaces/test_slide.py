"""Whole runs that slide along what they felt: what is claimed is true, the force is kept, slides end."""

from __future__ import annotations

import numpy as np
import pytest
from closed_steps import SLACK, distance_of

from hopfield_nav import load_world
from hopfield_nav.experiment import Simulation, simulate
from hopfield_nav.extensions.surfaces import Follow, SlideAlong
from hopfield_nav.extensions.surfaces.responses.slide import MAX_IDLE, STUCK
from hopfield_nav.extensions.surfaces.slide_phase import APPROACH_TIME, SEARCH_TIME
from hopfield_nav.navigation.planners import FACTS_ALONE
from hopfield_nav.record import load_run
from hopfield_nav.world import parse_world

SLIDE = ["explore=slide"]
FULL = ["plant.dynamics=ur5_full", "controller.model=ur5_full"]
SENSOR = [
    "sensors.wrench={force_noise: 0.5, moment_noise: 0.02}",
    "detection={estimator: wrist_sensor, measure: force_norm, threshold: 15}",
]
REAL = [*FULL, "plant.friction=arm", "plant.presliding=ideal", *SENSOR]
SETTLED = 0.3  # [s] from an alarm until the force is the wanted one
WALL = "format: 1\nexplore: slide\nobstacles: [{box: {center: [0.42, %s, 0], size: [0.04, 0.24, 1]}}]\n"


def run_of(world, *change):
    sim = Simulation(load_world(world, [*SLIDE, *change]))
    return sim, sim.run()


def sliding(run):
    """Rows of a run in which the arm slides and the force has settled."""
    time = run.data.time.values
    return np.any([(time > a + SETTLED) & (time < b) for a, b in run.slides], axis=0)


def touching(text, step=0.05):
    """A simulation at most one step [s] after its first touch."""
    sim = Simulation(parse_world(text))
    while not sim.detections and sim.outcome is None:
        sim.step(step)
    assert sim.detections
    return sim


@pytest.fixture(scope="module")
def slid():
    return run_of("u_trap")


@pytest.mark.parametrize(
    ("world", "change"),
    [
        ("ragazzon2012", ["detection={}"]),
        ("narrow_gap", ["tool.payload.mass=1"]),
        ("u_trap", ["contact.friction=0.2"]),
        ("u_trap", FULL),
        ("u_trap", REAL),
        ("narrow_gap", [*REAL, "controller.model_error={mass_scale: 1.1, friction_scale: 0.8}"]),
        ("narrow_gap", ["controller.period=0.008"]),
        ("over_the_wall", []),
        ("over_the_wall", ["controller.model_error={mass_scale: 1.1}"]),
        ("shelf", REAL),
        ("free_rotation", FULL),
    ],
)
def test_the_goal_is_reached_with_few_touches_and_every_fact_is_true(world, change):
    sim, run = run_of(world, "record.every=5", *change)
    assert run.outcome == "reached", run.summary["reason"]
    assert len(run.slides) >= 1
    assert run.summary["collision_count"] <= 4
    facts = sim.navigator.beliefs.facts
    assert facts
    assert max(distance_of(sim, step) for step in facts) < SLACK


BALL = "obstacles=[{sphere: {center: [0.56, 0.0, 0.0], radius: 0.05}}]"


@pytest.mark.parametrize(
    ("world", "words", "grade"),
    [
        (("enclosed_goal",), FACTS_ALONE, "facts"),
        # the goal is off the centre of its cell, and last legs to it that are touched are no facts
        (("over_the_wall", BALL), "last legs to the goal were touched", "doubtful"),
    ],
    ids=["flat", "in space"],
)
def test_an_enclosed_goal_is_given_up_when_facts_and_last_legs_enclose_it(world, words, grade):
    """Each is slid across or touched; with replanning every single one has to be touched."""
    sim, run = run_of(*world, "record.every=5")
    assert run.outcome == "no_path"
    assert words in run.summary["reason"]
    assert run.summary["no_path_grade"] == grade
    facts = sim.navigator.beliefs.facts
    assert max(distance_of(sim, step) for step in facts) < SLACK
    assert run.summary["collision_count"] < 0.5 * len(facts)


def test_sliding_takes_fewer_touches_and_less_time_than_replanning(slid):
    replanned = simulate(load_world("u_trap", ["record.signals=none"])).summary
    assert slid[1].summary["collision_count"] <= 0.25 * replanned["collision_count"]
    assert slid[1].summary["simulated_time_s"] < 0.9 * replanned["simulated_time_s"]


def test_the_force_is_kept_and_contact_not_lost(slid):
    """10 N over the rough wall of cylinders."""
    force = np.linalg.norm(slid[1].data.force.values[sliding(slid[1])], axis=1)
    assert len(force) > 5_000
    assert np.sqrt(np.mean((force - 10.0) ** 2)) < 3.0
    assert np.mean(force == 0.0) < 1e-3


def test_more_force_where_more_is_wanted():
    explore = "explore={method: slide, force: 20}"
    run = simulate(load_world("u_trap", [explore, "record.every=5"]))
    force = np.linalg.norm(run.data.force.values[sliding(run)], axis=1)
    assert run.outcome == "reached"
    assert np.median(force) == pytest.approx(20.0, abs=1.0)


def test_while_it_slides_the_reference_is_the_arm_and_no_alarm_is_raised(slid):
    run = slid[1]
    data, rows = run.data, sliding(run)
    np.testing.assert_array_equal(data.q_ref.values[rows], data.q_sensed.values[rows])
    assert not data.detected.values[rows].any()
    assert run.summary["silent_contact_count"] == 0


@pytest.mark.parametrize("goal", [6, 9, 12])
def test_the_networks_costs_choose_the_side(goal):
    """Of a wall across x: the arm slides to where the new path leads through it."""
    sim = touching(WALL % 0.0 + f"goal: {{cell: [17, {goal}]}}\n")
    motion, grid = sim.navigator.motion, sim.navigator.grid
    assert motion.slide is not None
    assert motion.slide.normal @ [-1.0, 0.0, 0.0] > 0.99
    through = next(grid.centre(cell) for cell in motion.cells if grid.centre(cell)[0] > 0.42)
    up = through[1] > sim.navigator.response.surface.points[-1][1]
    # up: clockwise
    np.testing.assert_array_equal(motion.slide.axis, [0.0, 0.0, -1.0 if up else 1.0])


def test_the_record_keeps_the_slides(slid, tmp_path):
    run = slid[1]
    read = load_run(run.save(tmp_path / "run"))
    np.testing.assert_array_equal(read.slides, run.slides)
    length = np.diff(run.slides)[:, 0]
    assert run.summary["slide_count"] == len(length) == 2
    assert run.summary["slide_time_s"] == pytest.approx(length.sum())
    before = read.data.drop_vars("event_slid_until")
    read._data = before
    assert read.slides.shape == (0, 2)


def test_where_friction_hides_the_force_the_arm_follows_and_says_so():
    hidden = [*FULL, "plant.friction=arm", "plant.presliding=ideal", "time_limit=0.1"]
    for change, kind in (
        (hidden, Follow),
        ([*hidden, "explore={method: slide, force: 100}"], SlideAlong),
        ([*hidden, *SENSOR], SlideAlong),
    ):
        sim = Simulation(load_world("u_trap", [*SLIDE, *change]))
        assert type(sim.navigator.response) is kind
        assert any("follows what it felt instead" in w for w in sim.warnings) == (kind is Follow)


def _navigator():
    """One that has just begun to slide along a wall across its way to the goal."""
    sim = touching(WALL % -0.05 + "goal: {cell: [17, 6]}\n")
    return sim.navigator


def slide_on(navigator, time, place, normal):
    """The axis to go on about, from a place at which the surface is felt."""
    sliding = navigator.response.slide_on(
        time, place, normal, True, navigator.motion, navigator.map, navigator.means
    )
    navigator.motion = sliding.motion
    return sliding.axis


def test_an_arm_that_does_not_get_on_leaves():
    navigator = _navigator()
    normal, on = np.array([-1.0, 0.0, 0.0]), np.array([0.0, 0.5 * navigator.grid.spacing, 0.0])
    place = navigator.response.surface.points[-1] - on
    speed = navigator.means.world.explore.speed
    longest = STUCK[0] * STUCK[1] * navigator.grid.spacing / speed
    assert slide_on(navigator, 9.0, place, normal) is not None
    assert slide_on(navigator, 9.0 + 0.9 * longest, place, normal) is not None
    assert slide_on(navigator, 9.0 + 1.1 * longest, place, normal) is None


def test_an_arm_that_slides_where_all_is_known_leaves():
    """There and back over the same steps: closed once, they are no news."""
    navigator = _navigator()
    first, normal = navigator.response.surface.points[-1], np.array([-1.0, 0.0, 0.0])
    spacing, moved, axes = navigator.grid.spacing, 0.0, []
    for k in range(200):
        along = 0.6 * spacing * np.sin(0.2 * k)
        place = first + np.array([0.0, along, 0.0])
        axes.append(slide_on(navigator, 0.02 * k, place, normal))
        if axes[-1] is None:
            break
        moved += 0.12 * spacing * abs(np.cos(0.2 * k))
    assert axes[-1] is None
    assert moved < 2.0 * MAX_IDLE * spacing


@pytest.mark.parametrize(
    ("normal", "fact"), [((-1.0, 0.0, 0.0), True), ((-0.3, 0.954, 0.0), False)]
)
def test_a_step_is_a_fact_where_the_surface_stands_across_it(normal, fact):
    navigator = _navigator()
    centre, spacing = navigator.grid.centre((8, 9)), navigator.grid.spacing
    for k in range(-2, 3):
        place = centre + np.array([0.4 * spacing, 0.1 * spacing * k, 0.0])
        slide_on(navigator, 0.02 * k, place, np.array(normal))
    step = next(s for s in navigator.beliefs.doubted() if s.ends == ((8, 9), (9, 9)))
    assert (navigator.beliefs.certainty(step) == 1.0) == fact


@pytest.mark.parametrize(
    ("after", "longest"), [(0.0, APPROACH_TIME), (0.6, SEARCH_TIME)], ids=["at once", "later"]
)
def test_a_surface_that_is_gone_is_searched_for_a_while_and_left(after, longest):
    sim = touching(WALL % -0.05 + "goal: {cell: [17, 6]}\n", 2e-3)
    sim.step(after + 1e-3)
    assert sim.navigator.motion.slide is not None
    gone, before = sim.time, sim.detections[-1]
    far = Simulation(
        parse_world("format: 1\nobstacles: [{cylinder: {center: [4, 4], radius: 0.1}}]\n")
    )
    sim.plant = sim.plant._replace(contact=far.plant.contact)
    while sim.navigator.motion.slide is not None and sim.outcome is None:
        sim.step(0.01)
    assert gone < sim.detections[-1].slid_until <= gone + longest + 0.1
    assert sim.detections[-1].time == before.time
    assert sim.run().outcome == "reached"
    touched = next(iter(before.closed))
    assert (touched in sim.navigator.beliefs.facts) == (after > 0.0)
