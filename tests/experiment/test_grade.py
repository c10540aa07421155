"""What an outcome ``no_path`` rests on: facts, or touches that may have been none."""

from __future__ import annotations

import pytest

from hopfield_nav import Simulation, load_world
from hopfield_nav.experiment.arrival import MIN_DOUBTFUL, are_many, why_doubtful

NO_ROTORS = [
    "plant.dynamics=ur5_full",
    "controller.model=ur5_ragazzon2012",
]  # so all it feels is its model


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
