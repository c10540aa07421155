"""What recordings of a real UR5 allow: pushes found without any method, and what methods make of them."""

from __future__ import annotations

import numpy as np
import pytest
import recorded_pushes
import recordings_methods as methods
import recordings_study as study

from hopfield_nav.plugin import method_names


@pytest.fixture(autouse=True)
def _data(data_folder, monkeypatch):
    monkeypatch.setenv("HOPFIELD_NAV_DATA", str(data_folder))


def test_ten_pushes_on_joint_1():
    """The strongest of them is where the joint was pushed furthest off its reference."""
    found = recorded_pushes.pushes()
    assert len(found) == 10
    assert {p.joint for p in found} == {1}
    data = recorded_pushes.recording(recorded_pushes.PUSHED)
    error = np.abs(data.q.values - data.q_ref.values).max(axis=1)
    moment = float(data.time[int(np.argmax(error))])
    assert found[0].start < moment < found[0].end + 0.2
    assert max(found, key=lambda p: abs(p.current)) is found[0]


def test_no_push_without_one(monkeypatch):
    """The free run beside itself: the same search finds nothing."""
    recorded_pushes.differences.cache_clear()
    recorded_pushes.pushes.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(recorded_pushes, "PUSHED", recorded_pushes.FREE)
        assert recorded_pushes.pushes() == ()
    recorded_pushes.differences.cache_clear()
    recorded_pushes.pushes.cache_clear()


def test_no_run_is_judged_by_motors_fitted_on_it():
    for run in methods.FREE_RUNS:
        assert run not in methods.others(run)
        assert len(methods.others(run)) == 2
    assert set(methods.others(methods.PUSHED)) == {"no1", "no8"}


def test_the_arms_own_force_estimate_cannot_tell_these_pushes():
    """29 to 54 N with nothing touching, and as much with a push: none is caught without false alarms."""
    for run in methods.FREE_RUNS:
        j = methods.judged(run, methods.OWN, "force")
        assert 29 < np.percentile(j.level, 99) < 54
    low, high, ratio = methods.ratio(methods.OWN, "force")
    assert ratio == pytest.approx(high / low)
    assert ratio < 1.1
    peaks = methods.peaks(methods.OWN, "force")
    assert not (peaks > methods.largest_free(methods.OWN, "force")).any()


def test_the_documents_estimate_is_blind_where_the_servo_holds_its_angle():
    """Integral action leaves no joint error at rest: 66 N push, nothing felt."""
    f = methods.followed("joint_error")
    assert f.sensor.max() > 60
    assert abs(f.gain) < 0.05
    assert f.correlation < 0.5


@pytest.mark.skipif("momentum_observer" not in method_names("estimator"), reason="no such estimator yet")
def test_the_momentum_observer_follows_the_force_sensor_and_the_pushes():
    f = methods.followed("momentum_observer")
    assert f.correlation > 0.85
    assert 0.9 < f.gain < 1.3
    assert methods.ratio("momentum_observer", "torque")[2] > methods.ratio(methods.OWN, "force")[2] + 0.2
    own, felt = (
        methods.free_alarms(name, measure, 0.999 * methods.peaks(name, measure).min())[0]
        for name, measure in ((methods.OWN, "force"), ("momentum_observer", "torque"))
    )
    assert felt < 0.5 * own


def test_alarms_counted():
    """A threshold above everything gives none; one below everything is a single long alarm a run."""
    largest = methods.largest_free(methods.OWN, "force")
    assert methods.free_alarms(methods.OWN, "force", 1.01 * largest)[0] == 0
    alarms, seconds = methods.free_alarms(methods.OWN, "force", 0.0)
    assert alarms == 3
    assert 70 < seconds < 80


def test_tables_and_figures(tmp_path):
    assert study.motor_table().count("\n") == 7
    assert study.push_table().count("rests") == 2
    assert study.ratio_table().count("\n") == 1 + len(study.cases())
    for path in study.draw(tmp_path):
        assert path.stat().st_size > 10_000
