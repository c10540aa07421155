"""The lower level ``detection.report``: told and recorded, and the arm goes on; and thresholds by part of a motion."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from matplotlib.figure import Figure
from refusals import refused

from dynamics import BadInput
from hopfield_nav import load_run
from hopfield_nav.experiment import Simulation, follow, simulate
from hopfield_nav.figures.run import draw_force_magnitude
from hopfield_nav.loop import quintic_trajectory
from hopfield_nav.world import load_world

FORCE = {"detection.measure": "force_norm", "detection.threshold": 20.0}
NUDGE = {"link": 6, "times": [0.5, 0.7, 0.9], "force": [[0, 0, 0], [0, 0, 12.0], [0, 0, 0]]}


def nudged(**changes):
    """A world whose arm is pushed by 12 N, and touches nothing."""
    return load_world("empty", {**FORCE, "pushes": [NUDGE], "time_limit": 3, **changes})


@pytest.fixture(scope="module")
def run():
    """A run with a passage, and what ``on_contact`` was given."""
    simulation, given = Simulation(nudged(**{"detection.report": 6.0})), []
    simulation.on_contact = given.append
    return simulation.run(), given


def test_what_passes_the_lower_level_is_told_and_recorded_and_nothing_else_changes(run):
    (passage,), data, level = run[1], run[0].data, run[0].data.level.values
    assert np.isnan(passage.end)
    above = data.time.values[level > 0.3]
    assert passage.begin == data.report_begin.values[0] == above[0]
    assert passage.level == pytest.approx(level[data.time.values == above[0]][0] / 0.3)
    assert data.report_level.values[0] == pytest.approx(level.max() / 0.3)
    fallen = (data.time.values > above[0]) & (level < 0.15)
    assert data.report_end.values[0] == data.time.values[fallen][0]
    assert data.report_alarms.values.tolist() == [0]
    assert run[0].summary["collision_count"] == 0
    other = simulate(nudged()).data
    assert not [name for name in other.variables if name.startswith("report")]
    for name in other.variables:
        np.testing.assert_array_equal(data[name].values, other[name].values)


def test_the_record_is_read_back_and_shown(run, tmp_path):
    saved = run[0].save(tmp_path / "run")
    loaded = load_run(saved)
    np.testing.assert_array_equal(loaded.passages, run[0].passages)
    ax = Figure().add_subplot()
    draw_force_magnitude(ax, loaded)
    assert {line.get_label(): line.get_ydata()[0] for line in ax.lines}["report"] == 6.0
    assert ax.patches[-1].get_label() == "above report"


def test_a_passage_in_which_the_alarm_comes_counts_it():
    world = nudged(**{"detection.threshold": 10.0, "detection.report": 6.0})
    data = simulate(world).data
    assert data.report_alarms.values[0] == len(data.event_time) == 1
    assert data.report_begin.values[0] < data.event_time.values[0]


def test_a_copy_of_a_simulation_notes_the_rest_of_a_passage():
    whole = Simulation(nudged(**{"detection.report": 6.0}))
    whole.step(0.7)
    assert whole.passages
    assert np.isnan(whole.record().data.report_end.values[0])
    copied = copy.deepcopy(whole)
    np.testing.assert_array_equal(copied.run().passages, whole.run().passages)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"detection.report": 20.0}, "detection.report: not below the threshold; found 20.0; allowed: below 20"),
        ({"detection.report": [5.0] * 6}, "detection.report"),
        ({"detection.report": 0.0}, "detection.report"),
        ({"detection.measure": "joint_torque", "detection.threshold": 1.0, "detection.report": [0.5] * 5 + [1.0]},
         "not below the threshold"),
        ({"detection.measure": "joint_torque", "detection.threshold": 1.0, "detection.report": [0.5] * 4},
         "wrong number of values"),
        ({"detection.measure": "tracking", "detection.report": 0.5}, "tracking has no threshold"),
        ({"detection.by_segment": [1.0, 0.2], "detection.report": 5.0}, "not below the threshold"),
        ({"detection.measure": "wrench_norm", "detection.by_segment": [1.0]}, "not in proportion to the threshold"),
        ({"detection.by_segment": [0.0]}, "detection.by_segment"),
    ],
)  # fmt: skip
def test_levels_that_do_not_fit_are_refused(changes, said):
    changes = {**FORCE, **changes}
    if changes["detection.measure"] == "tracking":
        del changes["detection.threshold"]
    with refused(said):
        load_world("empty", changes)


def two_parts():
    """A motion with a rest in its middle."""
    q = np.array(load_world("empty").start.joints)
    points = np.array([q, q + 0.2, q - 0.1])
    return quintic_trajectory(points, 1.0, rest=np.array([True, True]))


def test_every_part_of_a_planned_motion_has_its_share_of_the_threshold():
    noisy = {**FORCE, "sensors.velocity_noise": 0.001}
    plain = follow(load_world("empty", noisy), two_parts()).data
    shared = follow(
        load_world("empty", {**noisy, "detection.by_segment": [0.5, 2.0]}), two_parts()
    ).data
    times = np.array([2.0, 0.5])[(plain.time.values >= 1.0).astype(int)]
    np.testing.assert_allclose(shared.level.values, times * plain.level.values)
    np.testing.assert_array_equal(shared.q.values, plain.q.values)


def test_shares_of_another_motion_are_refused_and_a_search_has_none():
    world = load_world("empty", {**FORCE, "detection.by_segment": [0.5]})
    with pytest.raises(BadInput, match=r"detection\.by_segment.*2, one for each part"):
        follow(world, two_parts())
    searched, plain = simulate(world).data, simulate(load_world("empty", FORCE)).data
    np.testing.assert_array_equal(searched.level.values, plain.level.values)
