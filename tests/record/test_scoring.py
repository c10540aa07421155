"""Scoring: the definitions on made-up signals, and on runs with and without contact."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from scenes import GOAL, simulation, world

from dynamics import BadInput
from hopfield_nav import load_world, simulate
from hopfield_nav.cli.app import main
from hopfield_nav.experiment import follow
from hopfield_nav.loop import quintic_trajectory
from hopfield_nav.record import SCORE, ContactTruth, contact_delays, map_error, score, score_run
from hopfield_nav.record.contacts import contact_spans, force_norm
from hopfield_nav.record.scoring import alarm_rate, share_interval

TIME = np.arange(0, 10, 0.001)


def _truth(*spans, torque=0.0, force=20.0):
    largest = np.zeros(len(TIME))
    for start, end in spans:
        inside = (start - 1e-9 <= TIME) & (end + 1e-9 >= TIME)
        largest[inside] = force * (TIME[inside] - start + 0.001) / (end - start)
    vectors = np.column_stack([largest, 0 * largest, 0 * largest])
    return ContactTruth(TIME, vectors, largest, np.outer(largest > 0, np.full(6, torque)))


def _score(truth, alarms):
    return score(truth, np.array(alarms), np.zeros((len(TIME), 3)), np.zeros((len(TIME), 6)))


def test_a_delay_runs_from_the_first_force_to_the_first_alarm():
    result = _score(_truth((1.0, 2.0), (4.0, 5.0)), [1.25, 1.5, 4.01])
    np.testing.assert_allclose(result.delays, [0.25, 0.01], atol=1e-9)
    assert result.false_alarms == 0
    assert result.contacts[0].force_at_alarm == pytest.approx(20 * 0.251, abs=0.03)


def test_the_force_at_the_alarm_is_not_the_largest_before_it():
    """A hard hit rings down: an alarm at 5 ms and one at 50 ms have the same peak behind them, not the same force."""
    truth = _truth((1.0, 2.0))
    ringing = np.where(truth.largest > 0, 20.0 * np.exp(-(TIME - 1.0) / 0.02) + 1e-3, 0.0)
    early, late = (
        _score(truth._replace(largest=ringing), [1.0 + delay]) for delay in (0.005, 0.05)
    )
    at_alarm = [found.summary()["force_at_alarm_p50_N"] for found in (early, late)]
    assert at_alarm == pytest.approx([20.0 * np.exp(-0.25), 20.0 * np.exp(-2.5)], abs=2e-3)
    for found in (early, late):
        assert found.summary()["force_before_reaction_max_N"] == pytest.approx(20.0, abs=2e-3)
    over = _score(truth, [2.04]).summary()
    assert (over["force_at_alarm_max_N"], over["force_before_reaction_max_N"]) == (
        0.0,
        pytest.approx(20.0, abs=0.03),
    )
    missed = _score(truth, []).summary()
    assert missed["force_at_alarm_max_N"] is None
    labels = [SCORE[f"force_{name}_max_N"].label for name in ("at_alarm", "before_reaction")]
    assert labels == ["force at the alarm, largest", "peak force up to the alarm, largest"]


def test_only_the_first_alarm_on_a_contact_has_a_delay():
    start = [1.0, 1.0, np.nan, np.nan, 5.0]
    np.testing.assert_array_equal(
        contact_delays([1.1, 1.4, 2.0, 3.0, 5.2], start),
        [1.1 - 1.0, np.nan, np.nan, np.nan, 5.2 - 5.0],
    )


def test_summary_and_score_say_the_same_of_the_same_contacts():
    """One contact may be answered several times: only the first answer is its delay."""
    run = simulate(load_world("over_the_wall", ["time_limit=20", "detection.episodes=false"]))
    found, summary = score_run(run), run.summary
    assert len(run.data.event_time) > len(found.delays) > 1
    assert summary["contact_count"] == len(found.contacts)
    assert summary["repeated_alarm_count"] == found.repeated_alarms > 0
    assert summary["false_alarm_count"] == found.false_alarms
    assert summary["detection_delay_median_s"] == pytest.approx(np.median(found.delays))
    assert summary["detection_delay_max_s"] == pytest.approx(found.delays.max())


@pytest.mark.parametrize("every", [1, 7, 40])
def test_a_sparse_record_scores_the_same_delays(every):
    """Contacts shorter than a row may be lost with it; what was felt and when is not."""
    run = simulate(load_world("u_trap", [f"record.every={every}"]))
    found = score_run(run)
    assert found.false_alarms == run.summary["false_alarm_count"] == 0
    delays = contact_delays(run.data.event_time.values, run.data.touch_time.values)
    assert len(found.delays) > 5
    assert all(np.isclose(delays, delay, rtol=0, atol=1e-12).any() for delay in found.delays)


def test_an_alarm_within_50_ms_of_the_end_still_counts_and_later_is_false():
    assert _score(_truth((1.0, 2.0)), [2.04]).false_alarms == 0
    late = _score(_truth((1.0, 2.0)), [2.06])
    assert late.false_alarms == 1
    assert len(late.missed()) == 1


def test_touches_within_50_ms_are_one_contact():
    assert len(contact_spans(TIME, _truth((1.0, 2.0), (2.04, 3.0)).largest > 0)) == 1
    assert len(contact_spans(TIME, _truth((1.0, 2.0), (2.06, 3.0)).largest > 0)) == 2


def test_a_gap_in_a_record_makes_no_contact_longer():
    """What is one contact follows from the usual time between rows, not from the mean."""
    time = np.concatenate([np.arange(0.0, 0.2, 0.01), np.arange(60.0, 60.2, 0.01)])
    touching = np.isin(np.arange(len(time)), [2, 3, 12, 13])
    assert len(contact_spans(time, touching)) == 2


def test_the_size_of_a_force():
    np.testing.assert_allclose(
        force_norm(np.array([[3.0, 0.0, -4.0], [0.0, 0.0, 0.0]])), [5.0, 0.0]
    )
    assert force_norm(np.array([[1e300, 0.0, 0.0]]))[0] == np.inf


def test_only_contacts_worth_feeling_can_be_missed():
    light = _score(_truth((1.0, 2.0), force=10.0, torque=0.1), [])
    assert len(light.missed(force=30.0, torque=3.0)) == 0
    assert len(light.missed(force=5.0, torque=3.0)) == 1
    assert len(light.missed(force=30.0, torque=0.05)) == 1


def test_a_contact_that_begins_while_the_arm_slides_is_not_scored():
    truth, alarms = _truth((1.0, 1.5), (2.0, 2.2)), np.array([1.1])
    estimates = np.zeros((len(truth.time), 3)), np.zeros((len(truth.time), truth.torque.shape[1]))
    usual = score(truth, alarms, *estimates)
    slid = score(truth, alarms, *estimates, slides=np.array([[1.1, 2.1]]))
    assert (len(usual.contacts), usual.summary()["missed_count"]) == (2, 1)
    assert (len(slid.contacts), slid.summary()["missed_count"]) == (1, 0)
    assert slid.free_time == usual.free_time
    assert slid.false_alarms == 0


def test_the_rate_of_false_alarms_is_on_free_time_alone():
    result = _score(_truth((0.0, 5.0)), [7.0, 8.0])
    assert result.free_time == pytest.approx(4.95, abs=0.01)
    rate, low, high = result.false_alarm_rate()
    assert rate == pytest.approx(2 / 4.95 * 3600, rel=0.01)
    assert low < rate < high


def test_the_row_50_ms_after_a_contact_still_belongs_to_it():
    time = np.array([0.0, 0.05, 0.1])
    truth = ContactTruth(time, np.eye(3), np.array([1.0, 0.0, 0.0]), np.zeros((3, 6)))
    assert score(truth, np.zeros(0), np.zeros((3, 3)), np.zeros((3, 6))).free_time == pytest.approx(
        0.05
    )


@pytest.mark.parametrize(
    ("count", "low", "high"), [(0, 0.0, 3.689), (1, 0.0253, 5.572), (10, 4.795, 18.390)]
)
def test_the_interval_of_a_rate_is_that_of_the_tables(count, low, high):
    """Garwood 1936: exact limits of a Poisson mean, 95 %."""
    np.testing.assert_allclose(alarm_rate(count, 3600.0), (count, low, high), atol=6e-4)


@pytest.mark.parametrize(
    ("count", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611)],
)
def test_the_interval_of_a_share_is_that_of_the_tables(count, n, low, high):
    """Newcombe 1998, table 1, method 3 (Wilson 1927); a share and the other one have the same interval."""
    assert share_interval(count, n) == pytest.approx((low, high), abs=5e-5)
    assert share_interval(n - count, n) == pytest.approx((1 - high, 1 - low), abs=5e-5)


def test_a_share_is_of_a_count_that_there_can_be():
    for n in (1, 2, 7, 200):
        assert share_interval(0, n)[0] == 0.0
        assert share_interval(n, n)[1] == 1.0
    with refused("no share; found .3, 2.*a count from 0 to n"):
        share_interval(3, 2)


def test_errors_of_the_estimate_are_those_in_contact():
    truth = _truth((1.0, 2.0), torque=2.0)
    estimate = truth.force + np.array([3.0, 0.0, 4.0])
    estimate[truth.largest == 0] = 1e6
    found = score(truth, np.zeros(0), estimate, truth.torque + 0.5)
    assert found.force_error == pytest.approx(5.0)
    np.testing.assert_allclose(found.torque_error, 0.5)


def _pushed(sphere):
    """The arm turns joint 1, with or without a sphere in the way of its forearm."""
    text = "contact: {bodies: arm}\ntime_limit: 2\n"
    text += "detection: {estimator: momentum_observer, measure: joint_torque, threshold: 1}\n"
    if sphere:
        text += "obstacles: [{sphere: {center: [-0.45, -0.30, 0.5], radius: 0.1}}]\n"
    start = np.array([0.0, -1.0, 1.0, 0.0, 1.5, 0.0])
    trajectory = quintic_trajectory(np.stack([start, start + np.array([1.0, 0, 0, 0, 0, 0])]), 1.5)
    return follow(world(text), trajectory)


def test_a_followed_trajectory_meets_a_sphere_only_where_there_is_one():
    free, hit = score_run(_pushed(sphere=False)), score_run(_pushed(sphere=True))
    assert free.contacts == ()
    assert free.false_alarms == 0
    assert len(hit.contacts) >= 1
    assert hit.delays[0] < 0.02


def test_following_ends_with_the_trajectory_and_holds_its_reference():
    run = _pushed(sphere=False)
    assert run.outcome == "reached"
    assert run.summary["simulated_time_s"] == pytest.approx(1.5)
    assert np.abs(run.data.q.values - run.data.q_ref.values).max() < 1e-3


def test_a_trajectory_of_another_arm_or_time_is_refused():
    with pytest.raises(BadInput, match="another arm"):
        follow(world(), quintic_trajectory(np.zeros((2, 3)), 1.0))
    with pytest.raises(BadInput, match="time 0"):
        follow(world(), quintic_trajectory(np.zeros((2, 6)), 1.0, start_time=1.0))


def test_saved_runs_side_by_side(tmp_path, capsys):
    for name in ("one", "two"):
        _pushed(sphere=True).save(tmp_path / name)
    assert main(["compare", str(tmp_path / "one"), str(tmp_path / "two")]) == 0
    told = capsys.readouterr().out
    for word in ("one", "two", "delay, 95 %", "false alarms per hour", "momentum_observer"):
        assert word in told
    assert main(["compare", str(tmp_path / "one")]) == 2
    assert main(["compare", str(tmp_path / "one"), str(tmp_path / "none")]) == 2


def test_the_map_error_is_the_distance_of_a_mark_from_the_nearest_surface():
    """A person pushes the arm in the free: what is marked is wrong by the distance to the cylinder."""
    push = "pushes: [{link: 6, point: [0, 0, 0.1], times: [0.5, 0.7], force: [0, 40, 0]}]\ntime_limit: 0.8\n"
    away = "obstacles: [{cylinder: {center: [%s, 5.0], radius: 0.1}}]\n"
    # nothing is marked
    assert map_error(simulation("time_limit: 0.01\n" + away % 5.0).record()) is None
    assert map_error(simulate(world(GOAL + push))) is None  # nothing is there
    run = simulate(world(GOAL + push + away % 5.0))
    cells = np.argwhere(run.felt_after(run.data.sizes["event"]))
    centres = np.array(run.world.map.origin[:2]) + run.world.map.spacing * cells
    assert map_error(run) == pytest.approx(np.mean(np.linalg.norm(centres - 5.0, axis=1) - 0.1))
