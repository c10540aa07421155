"""What recordings of a real UR5 allow: pushes found without any method, and what methods make of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import recorded_pushes as found_pushes
import recordings_study as study
from bench_tables import tables
from benches import any_suite

from dynamics import load_arm
from hopfield_nav.cli.app import main
from hopfield_nav.extensions.bench import load_suite
from hopfield_nav.plugin import find_method
from hopfield_nav.sweeps.job import run_job

r = study.r
OWN = r.Judged(r.OWN, find_method("detector", "force_norm"))
OBSERVED = r.Judged(study.OBSERVER, r.TORQUE_NORM)


@pytest.fixture(autouse=True)
def _data(data_folder, monkeypatch):
    monkeypatch.setenv("HOPFIELD_NAV_DATA", str(data_folder))


def ratio(method):
    free, pushed = (np.percentile(method.rows(run)[1], 99) for run in (r.FREE, r.PUSHED))
    return pushed / free


def test_ten_pushes_on_joint_1():
    """The strongest of them is where the joint was pushed furthest off its reference."""
    found = found_pushes.pushes()
    assert [(p.start, p.end) for p in found] == list(r.PUSHES_AT)
    assert {run: found_pushes.strokes(run)[0][0] for run in r.FIRST_MOVING} == r.FIRST_MOVING
    assert len(found) == 10
    assert {p.joint for p in found} == {1}
    data = r.recording(r.PUSHED)
    error = np.abs(data.q.values - data.q_ref.values).max(axis=1)
    moment = float(data.time[int(np.argmax(error))])
    assert found[0].start < moment < found[0].end + 0.2
    assert max(found, key=lambda p: abs(p.current)) is found[0]


def test_no_push_without_one(monkeypatch):
    """The free run beside itself: the same search finds nothing."""
    found_pushes.differences.cache_clear()
    found_pushes.pushes.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(found_pushes, "PUSHED", found_pushes.FREE)
        assert found_pushes.pushes() == ()
    found_pushes.differences.cache_clear()
    found_pushes.pushes.cache_clear()


def test_no_run_is_judged_by_motors_fitted_on_it():
    for run in r.FREE_RUNS:
        assert run not in r.others(run)
        assert len(r.others(run)) == 2
    assert set(r.others(r.PUSHED)) == {"no1", "no8"}


def test_the_arms_own_force_estimate_cannot_tell_these_pushes():
    """29 to 54 N with nothing touching, and as much with a push: none is caught without false alarms."""
    for run in r.FREE_RUNS:
        assert 29 < np.percentile(OWN.rows(run)[1], 99) < 54
    assert ratio(OWN) < 1.1
    assert not (OWN.peaks() > OWN.largest()).any()


def test_the_documents_estimate_is_blind_where_the_servo_holds_its_angle():
    """Integral action leaves no joint error at rest: 66 N push, nothing felt."""
    f = study.s.followed("joint_error")
    assert f.sensor.max() > 60
    assert abs(f.gain) < 0.05
    assert f.correlation < 0.5


def test_the_momentum_observer_follows_the_force_sensor_and_the_pushes():
    f = study.s.followed(study.OBSERVER)
    assert f.correlation > 0.85
    assert 0.9 < f.gain < 1.3
    assert ratio(OBSERVED) > ratio(OWN) + 0.2
    own, felt = (method.alarms(0.999 * method.peaks().min())[0] for method in (OWN, OBSERVED))
    assert felt < 0.5 * own


def test_alarms_counted():
    """A threshold above everything gives none; one below everything is one long alarm a run, or a half."""
    assert OWN.alarms(1.01 * OWN.largest())[0] == 0
    alarms, seconds = OWN.alarms(0.0)
    assert alarms == 3
    # every 8 ms; every other pair is missing in the first
    rows = [len(OWN.rows(run)[0]) for run in r.FREE_RUNS]
    assert seconds == pytest.approx(0.008 * sum(rows), rel=0.02)
    halves = [OWN.alarms(0.0, half) for half in (0, 1)]
    assert [count for count, _ in halves] == [3, 3]
    assert sum(seconds for _, seconds in halves) == pytest.approx(seconds, abs=0.1)
    assert max(OWN.largest(half) for half in (0, 1)) == OWN.largest()


def test_the_norm_of_the_torques_is_a_detector_of_the_suite_s_own():
    found = r.outcome(r.PUSHED, study.OBSERVER)
    np.testing.assert_allclose(found.level, np.linalg.norm(found.tau_external, axis=1), rtol=1e-12)
    assert load_arm("ur5_controller").dh.shape[0] == found.tau_external.shape[1]


def test_rows_of_the_suite_and_their_tables():
    """A row is judged by the half that did not choose; both halves stand in one line."""
    suite = load_suite("recordings")
    asked = ("momentum_observer, torque", "the arm's own, force")
    rows = [
        {**run_job(suite, job.index), "version": ""}
        for job in map(suite.job, range(suite.count))
        if job.values["method"] in asked
    ]
    (first, second) = (row for row in rows if row["method"] == asked[0])
    assert first["threshold"] == pytest.approx(r.SPARE * OBSERVED.largest(0))
    assert first["false_alarm_count"] == OBSERVED.alarms(first["threshold"], 1)[0]
    assert first["found"] == int((OBSERVED.peaks() >= first["threshold"]).sum())
    assert second["threshold"] == pytest.approx(r.SPARE * OBSERVED.largest(1))
    assert 0.0 < first["delay_s"] < 0.4
    found = tables("recordings", rows)
    assert [found[mark].count("\n") for mark in ("ratios", "halves")] == [3, 3]


def test_the_table_of_the_standstill_is_that_of_the_page():
    suite = any_suite("standstill")
    rows = [
        {**run_job(suite, job.index), "version": ""} for job in map(suite.job, range(suite.count))
    ]
    kept = Path(study.__file__).parents[1] / "docs/measured/detectors_on_recordings.standstill.md"
    assert (
        tables("standstill", rows)["standstill"].strip() == kept.read_text(encoding="utf-8").strip()
    )


def test_without_recordings_the_bench_says_where_they_would_be(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["bench", "recordings", "--data", "nowhere", "--out", "out"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "nowhere/ur5_kufieta2014" in line.replace("\\", "/")
    assert "--data FOLDER" in line
    assert not (tmp_path / "out").exists()


def test_tables_and_figures(tmp_path):
    assert study.motor_table().count("\n") == 7
    assert study.push_table().count("rests") == 2
    assert study.rest_table().count("\n") == 3
    for make in study.FIGURES.values():
        make().savefig(tmp_path / "figure.png")
        assert (tmp_path / "figure.png").stat().st_size > 10_000
