"""What an outcome ``no_path`` rests on: facts, or touches that may have been none."""

from __future__ import annotations

import pytest

from hopfield_nav import Simulation, load_world
from hopfield_nav.experiment.arrival import MIN_DOUBTFUL, are_many, why_doubtful

# so all it feels is its model
NO_ROTORS = ["plant.dynamics=ur5_full", "controller.model=ur5_ragazzon2012"]


def ended(world, *changes):
    simulation = Simulation(load_world(world, [*changes, "record.signals=none"]))
    return simulation, simulation.run().summary


@pytest.fixture(scope="module")
def deceived():
    return ended("empty", *NO_ROTORS)


@pytest.fixture(scope="module")
def enclosed():
    return ended("enclosed_goal")


def test_what_was_truly_felt_are_facts(enclosed):
    simulation, summary = enclosed
    assert (summary["outcome"], summary["no_path_grade"]) == ("no_path", "facts")
    assert summary["false_alarm_count"] == 0
    assert "doubtful" not in summary["reason"]
    assert summary["warnings"] == []
    assert simulation.navigator.why_doubtful() == ""


def test_false_alarms_make_no_path_doubtful(deceived):
    _, summary = deceived
    assert (summary["outcome"], summary["no_path_grade"]) == ("no_path", "doubtful")
    count = summary["collision_count"]
    assert f"{count} of {count} collisions were false alarms" in summary["reason"]
    assert any(
        f"{count} of {count} collisions were false alarms" in said for said in summary["warnings"]
    )


@pytest.mark.parametrize(
    "changes", [[], ["trajectory.time_per_cell=0.25"], ["explore.method=follow"]]
)
def test_the_arm_itself_doubts_them(changes):
    """A real arm has no truth to ask."""
    simulation, summary = ended("empty", *NO_ROTORS, *changes)
    assert summary["outcome"] == "no_path"
    as_if_true = [d._replace(false_alarm=False) for d in simulation.detections]
    assert simulation.navigator.why_doubtful()
    assert "where the arm drove freely" in why_doubtful(
        simulation.world, simulation.navigator, as_if_true
    )


def test_one_false_alarm_is_enough(enclosed):
    simulation, _ = enclosed
    first, *others = simulation.detections
    assert why_doubtful(simulation.world, simulation.navigator, [first, *others]) == ""
    told = why_doubtful(
        simulation.world, simulation.navigator, [first._replace(false_alarm=True), *others]
    )
    assert told == f"1 of {len(simulation.detections)} collisions were false alarms"
    passed_by = first._replace(false_alarm=True, passed_by=True)
    assert why_doubtful(simulation.world, simulation.navigator, [passed_by, *others]) == ""


def test_other_outcomes_have_no_grade():
    assert ended("empty")[1]["no_path_grade"] is None


@pytest.mark.parametrize(
    ("part", "count", "many"),
    [
        (MIN_DOUBTFUL, MIN_DOUBTFUL, True),
        (MIN_DOUBTFUL - 1, MIN_DOUBTFUL - 1, False),
        (10, 30, False),
    ],
)
def test_many_are_more_than_chance(part, count, many):
    assert are_many(part, count) == many


def test_cells_that_the_arm_does_not_reach_are_no_facts():
    """On this coarse map nothing is touched: the arm's kinematics alone shut it."""
    _, summary = ended("narrow_gap", "map.spacing=0.06")
    assert (summary["outcome"], summary["no_path_grade"]) == ("no_path", "excluded")
    assert summary["collision_count"] == 0
    assert "out of the arm's reach" in summary["reason"]
    assert summary["no_path_error_bound"] is None


SIGMOID = [
    "detection.mark=actual",
    "planner.network=sum",
    "planner.beta=0.1",
    "planner.activation=sigmoid",
]


def test_a_planner_that_gives_up_is_no_proof():
    _, summary = ended("u_trap", *SIGMOID)
    assert (summary["outcome"], summary["no_path_grade"]) == ("no_path", "planner")
    assert "the planner gave up, though free cells lead to the goal" in summary["reason"]
    assert summary["no_path_error_bound"] is None


def test_marks_are_beliefs_without_a_bound():
    _, summary = ended("enclosed_goal", "detection.mark=actual")
    assert (summary["outcome"], summary["no_path_grade"]) == ("no_path", "doubtful")
    assert "marks are beliefs" in summary["reason"]


def test_a_no_by_facts_is_one_about_the_steps_of_its_map():
    """A gap of 12 mm between two rows of centres: closed on this map, passed at half the spacing."""
    walls = [
        "{box: {center: [0.36, -0.2082, 0], size: [0.01, 0.2, 0.4]}}",
        "{box: {center: [0.36, 0.0038, 0], size: [0.01, 0.2, 0.4]}}",
        "{box: {center: [0.36, 0.2038, 0], size: [0.01, 0.2, 0.4]}}",
    ]
    gap = [
        "goal={position: [0.5972, -0.0921]}",
        f"obstacles=[{', '.join(walls)}]",
        "time_limit=900",
    ]
    _, coarse = ended("empty", *gap)
    assert (coarse["outcome"], coarse["no_path_grade"]) == ("no_path", "facts")
    assert "a narrower gap may be passed with map.spacing: 0.0132" in coarse["reason"]
    half = "map={origin: [0.1501, -0.2499, 0.0], spacing: 0.01315, shape: [40, 40]}"
    assert ended("empty", *gap, half)[1]["outcome"] == "reached"
