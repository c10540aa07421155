"""The suite of detectors, reduced: delays, misses and false alarms on seeds of their own, and its tables."""

from __future__ import annotations

import shutil
from functools import lru_cache

import compare_detectors as study
import numpy as np
import pytest
from scipy import stats

from hopfield_nav.experiment import Simulation
from hopfield_nav.extensions.bench import find_suite, load_suite
from hopfield_nav.extensions.bench.rows import table_text, with_version
from hopfield_nav.extensions.recordings import declared_threshold
from hopfield_nav.plugin import find_method, load_from_file
from hopfield_nav.sweeps.job import run_job

IDEAL_LIGHT, REAL_FULL = "light, ideal", "full, real"
PRINTED, MOMENTUM, ADAPTIVE = (
    "joint error, wrench norm > 12 (5.9)",
    "momentum observer, joint torques",
    "…, adaptive",
)
METHODS = list(load_suite("detectors").suite.methods)


@lru_cache
def _rows(condition, method, family, worlds):
    """Rows of the suite."""
    suite = load_suite("detectors", worlds=worlds, seed=11)
    jobs = [
        job.index
        for job in map(suite.job, range(suite.count))
        if tuple(job.values.values()) == (family, condition, method) and job.repeat < worlds
    ]
    rows = [run_job(suite, index) for index in jobs]
    assert [row["outcome"] for row in rows] == ["reached"] * worlds
    return rows


def _numbers(name, *which):
    return study.numbers(_rows(*which), name)


def test_with_a_right_model_the_momentum_observer_feels_a_push_within_10_ms():
    delays = _numbers("delay_s", IDEAL_LIGHT, MOMENTUM, "tool", 6)
    assert np.quantile(delays, 0.95) < 0.010
    assert _numbers("false_alarm_count", IDEAL_LIGHT, MOMENTUM, "free", 1).sum() == 0
    # the document's, same pushes
    assert np.median(_numbers("delay_s", IDEAL_LIGHT, PRINTED, "tool", 6)) > 0.1


def test_with_a_wrong_model_friction_and_noise_it_takes_less_than_30_ms():
    assert np.quantile(_numbers("delay_s", REAL_FULL, ADAPTIVE, "tool", 6), 0.95) < 0.030
    assert _numbers("missed", REAL_FULL, ADAPTIVE, "tool", 6).sum() == 0
    assert _numbers("false_alarm_count", REAL_FULL, ADAPTIVE, "free", 1).sum() == 0


def test_thresholds_that_were_not_set_for_it_raise_false_alarms_on_an_imperfect_arm():
    assert _numbers("false_alarm_count", REAL_FULL, PRINTED, "free", 1).sum() > 10
    assert _numbers("false_alarm_count", IDEAL_LIGHT, PRINTED, "free", 1).sum() == 0


def test_allowing_for_the_models_error_is_faster_than_large_fixed_thresholds():
    adaptive, fixed = (
        np.median(_numbers("delay_s", REAL_FULL, m, "tool", 6)) for m in (ADAPTIVE, MOMENTUM)
    )
    assert adaptive < fixed


@pytest.mark.parametrize("method", METHODS)
def test_every_method_feels_a_hard_push_with_thresholds_above_free_motion(method):
    """On the ideal light arm no method may miss a push, nor raise an alarm in the motion that chose."""
    assert _numbers("felt", IDEAL_LIGHT, method, "tool", 6).all()
    if method != PRINTED:
        assert _numbers("largest_level", IDEAL_LIGHT, method, "free", 1).max() < 1.25


def test_free_motion_starts_and_stops_and_contacts_begin_in_the_first_tenth():
    suite = load_suite("detectors", worlds=3, seed=14)
    begun = {
        job.values["family"]: suite.start(job)
        for job in map(suite.job, range(suite.count))
        if job.values["condition"] == REAL_FULL and "default" in job.values["method"]
    }
    free = begun["free"].run().data
    still = np.all(free.qd_ref.values == 0.0, axis=1)
    assert np.count_nonzero(np.diff(still.astype(int)) == -1) >= 3  # motions that begin
    assert still.mean() > 0.01  # a pause of 0.3 s, a leg of ten seconds
    early = begun["early"].run().data
    speed, force = (
        np.abs(early.qd_ref.values).max(axis=1),
        np.linalg.norm(early.contact_force.values, axis=1),
    )
    touched = np.argmax(force > 0.0)
    assert force[touched] > 0.0
    assert 0.0 < speed[touched] < 0.25  # [rad/s] a quintic has a quarter of its speed after a tenth


def test_a_method_that_gives_its_thresholds_keeps_them_and_the_models_errors_go_either_way():
    row = _rows(REAL_FULL, "…, adaptive, default thresholds", "tool", 6)[0]
    default = declared_threshold(find_method("detector", "adaptive_joint_torque")).default
    assert row["threshold"] == f"{default:.4g}"
    suite = load_suite("detectors", worlds=1, seed=11)
    names = {"family": "tool", "condition": REAL_FULL, "method": "…, adaptive, default thresholds"}
    job = next(job for job in map(suite.job, range(suite.count)) if job.values == names)
    error = suite.start(job).world.controller.model_error
    assert set(np.round(error.mass_scale, 9)) <= {0.9, 1.1}
    assert set(np.round(error.friction_scale, 9)) <= {0.8, 1.2}


SEEN = (
    "level",
    "detected",
    "tau_external_estimate",
    "force_estimate",
    "moment_estimate",
    "event_time",
    "touch_time",
)


@lru_cache(1)
def _suite_of_two():
    return load_suite("detectors", worlds=2, seed=17)


def _begun(family, condition, method, world=0, suite=None):
    suite = suite or _suite_of_two()
    wanted = {"family": family, "condition": condition, "method": method}
    return suite.start(
        next(
            job
            for job in map(suite.job, range(suite.count))
            if job.values == wanted and job.repeat == world
        )
    )


@pytest.mark.parametrize(
    ("family", "condition", "method"),
    [
        ("tool", REAL_FULL, PRINTED),
        ("tool", "light, real", "…, adaptive, default thresholds"),
        ("arm", REAL_FULL, "tracking error and its rate"),
        ("arm", "full, ideal", "energy observer"),
        ("early", REAL_FULL, "…, high-passed"),
        ("early", IDEAL_LIGHT, "disturbance observer, joint torques"),
        ("free", REAL_FULL, PRINTED),
    ],
)
def test_what_is_felt_in_the_record_of_a_motion_is_what_its_simulation_feels_to_the_bit(
    family, condition, method
):
    suite, onlooker = _suite_of_two(), _begun(family, condition, method)
    watched = onlooker.run()
    simulated = Simulation(onlooker.world, onlooker.seed, onlooker.trajectory).run()
    assert len(simulated.data.event_time) > 0, "nothing is felt: nothing is compared"
    for name in SEEN:
        np.testing.assert_array_equal(watched.data[name], simulated.data[name], err_msg=name)
    rows = [
        {**suite.measures.function(run), **suite.extra(run)}
        | {name: run.summary[name] for name in suite.file.quantities}
        for run in (watched, simulated)
    ]
    assert rows[0] == rows[1]


def test_methods_share_one_simulation_and_worlds_do_not():
    _begun("tool", REAL_FULL, ADAPTIVE)  # whose threshold is chosen once, by motions of its own
    first, other = (_begun("tool", REAL_FULL, method).run().data for method in (PRINTED, ADAPTIVE))
    assert np.shares_memory(first.q.values, other.q.values)
    assert not np.array_equal(first.level, other.level)
    there = _begun("tool", "full, ideal", ADAPTIVE).run().data
    assert not np.array_equal(first.q, there.q)
    assert not np.array_equal(first.q, _begun("tool", REAL_FULL, ADAPTIVE, world=1).run().data.q)


def test_a_rule_of_alarms_that_only_the_loop_has_is_simulated(tmp_path):
    (tmp_path / "late.yaml").write_text(
        "{detection.measure: joint_torque, detection.hold_off: 100}", encoding="utf-8"
    )
    suite = load_suite("detectors", {"late": tmp_path / "late.yaml"}, worlds=1, seed=17)
    late = _begun("tool", REAL_FULL, "late", suite=suite)
    assert isinstance(late, Simulation)
    assert len(late.run().data.event_time) == 0


def test_a_standing_alarm_counts_once():
    count = load_from_file("measures", "detectors.py:count_alarms", find_suite("detectors").parent)
    level = np.array([0.0, 2.0, 2.0, 0.8, 2.0, 0.4, 2.0, 0.0])
    assert count(level, 1.0) == 2
    assert count(level, 3.0) == 0
    assert count(level[1:], 1.0) == 2


def test_tables_and_figures_from_what_a_bench_leaves_behind(tmp_path):
    suite = load_suite("detectors", worlds=1, seed=11)
    wanted = (PRINTED, ADAPTIVE, "…, adaptive, default thresholds")
    rows = [
        row
        for method in wanted
        for kind in (*study.KINDS, "free")
        for row in _rows(IDEAL_LIGHT, method, kind, 1 if kind != "tool" else 6)
    ]
    text = table_text(suite, with_version(rows, suite))
    (tmp_path / "table.csv").write_text(text, encoding="utf-8")
    found = study.read(tmp_path)
    told = study.methods_table(found)
    assert "6 pushes of the tool, 1 collisions of the links, 1 early ones." in told
    (line,) = (line for line in told.splitlines() if line.startswith(f"| {PRINTED}"))
    delays = 1e3 * _numbers("delay_s", IDEAL_LIGHT, PRINTED, "tool", 6)
    assert f"{np.median(delays):.0f}, {np.quantile(delays, 0.95):.0f}, {delays.max():.0f}" in line
    assert line.endswith("| 0 (0–1.2e+02) | 0.03 |")
    (choice,) = (
        line for line in study.choice_table(found).splitlines() if line.startswith(f"| {PRINTED}")
    )
    touched = [row for kind in study.KINDS for row in found[IDEAL_LIGHT, PRINTED, kind]]
    share, delay = (
        study.numbers(touched, "felt").mean(),
        np.nanquantile(1e3 * study.numbers(touched, "delay_s"), 0.95),
    )
    assert f"| {100 * share:.1f} %: " in choice
    assert f", {delay:.0f} | 0 (≤ 1.2e+02) |" in choice
    shutil.copytree(tmp_path, tmp_path / "more")
    assert all(
        len(more) == 2 * len(found[key])
        for key, more in study.read(tmp_path, tmp_path / "more").items()
    )
    assert study.thresholds_table(found).count("\n") == 2
    alarms, share = study.roc(found, IDEAL_LIGHT, ADAPTIVE)
    assert (np.diff(alarms) >= 0).all()
    assert 0.0 <= share.min() <= share.max() <= 1.0
    for make in (study.draw_roc, study.draw_delays):
        make(found).savefig(tmp_path / "figure.png")
        assert (tmp_path / "figure.png").stat().st_size > 10_000


def _row(family, seed, delay, force=10.0):
    return {
        "family": family, "seed": seed, "felt": None if delay is None else int(np.isfinite(delay)), "missed": 0,
        "delay_s": delay, "force_before_reaction_N": force,
    }  # fmt: skip


def test_observers_are_compared_on_the_contacts_that_both_felt():
    momentum, kalman = study.PAIRS[0]
    delays = {momentum: (0.010, 0.020, 0.030, None), kalman: (0.008, 0.018, np.nan, 0.001)}
    rows = {
        ("full, real", method, "tool"): [_row("tool", seed, delay) for seed, delay in enumerate(of)]
        for method, of in delays.items()
    }
    rows["full, real", kalman, "tool"][1]["delay_s"] = 0.017
    *_, line = study.pairs_table(rows).splitlines()
    mean = stats.ttest_1samp([-2.0, -3.0], 0.0).confidence_interval()
    assert f"| -2.5 ({mean.low:+.1f} … {mean.high:+.1f}) | +0.0" in line
    assert "| 2 of 2 (" in line


def test_lines_and_cells_of_the_page_stay_where_a_part_of_the_suite_has_nothing_for_them():
    old = "| method | delay | alarms |\n|---|---|---|\n| a | 1 | 2 |\n| b | 3 | 4 |"
    new = "| method | delay | alarms |\n|---|---|---|\n| b | 5 | – |\n| c | 6 | – |"
    lines = study.beside(new, old).splitlines()
    assert lines[2:] == ["| a | 1 | 2 |", "| b | 5 | 4 |", "| c | 6 | – |"]
    pages = [f"## x\n\n2 pushes\n\n{text}\n\n## y\n\nnone\n\n{text}" for text in (new, old)]
    both = study.parts_beside(pages[0].replace("## y", "## z"), pages[1])
    assert both == pages[1].replace(old, "\n".join(lines), 1)
