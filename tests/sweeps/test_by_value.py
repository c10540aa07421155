"""The tables of a sweep's values: seeds are repeats, and differences come from pairs."""

import math

import pytest
from made_rows import made_rows

from hopfield_nav.cli.sweep_report import print_sweep
from hopfield_nav.sweeps import judge, make_sweep, try_combinations

NOISE = {"sensors.velocity_noise": 0.01}


def settings_of(sweep, rows):
    return judge(sweep, rows).settings.results


def test_what_the_seed_does_drops_out_of_a_paired_difference():
    sweep = make_sweep("ragazzon2012", {"detection.threshold": [12, 6, 18]}, repeats=5, set=NOISE)
    results = settings_of(
        sweep, made_rows(sweep, lambda job: 10.0 * job.seed + job.values["detection.threshold"] / 6)
    )
    assert [result.is_base for result in results] == [True, False, False]
    time = results[0].means["simulated_time_s"]
    assert time.high - time.low > 30.0
    gaps = [result.differences.get("simulated_time_s") for result in results]
    assert gaps[0] is None
    assert [(g.n, g.low, g.high) for g in gaps[1:]] == [(5, -1.0, -1.0), (5, 1.0, 1.0)]


def test_a_table_of_one_key_marks_the_base_world_alone_and_compares_nothing():
    vary = {"detection.threshold": [6, 12], "contact.stiffness": [1e4, 3e4, 1e5]}
    sweep = make_sweep("ragazzon2012", vary, repeats=2, set=NOISE)
    judged = judge(sweep, made_rows(sweep, lambda job: float(job.index)))
    first, stiff = judged.tables
    assert [result.is_base for result in first.results] == [False, True]
    assert len(stiff.results) == 3
    assert not any(
        result.is_best or result.differences for table in judged.tables for result in table.results
    )
    assert (judged.settings.count, len(judged.settings.results)) == (6, 6)
    assert judged.settings.results[0].label == ("6", "10000")
    assert [result.label for result in judged.settings.results if result.is_base] == [
        ("12", "100000")
    ]


def test_a_seed_that_is_swept_is_a_repeat_and_not_a_choice():
    vary = {"obstacles.0.random_cylinders.seed": list(range(1, 9)), "detection.threshold": [6, 1]}
    sweep = make_sweep("random_cylinders", vary)
    judged = judge(sweep, made_rows(sweep, lambda job: 10.0))
    assert judged.settings.names == ("detection.threshold",)
    assert judged.settings.results[0].reached.n == 8
    assert judged.settings.results[0].differences["simulated_time_s"].n == 8


def test_what_was_passed_through_does_not_arrive():
    sweep = make_sweep("ragazzon2012", {"detection.threshold": [6, 12]}, repeats=4, set=NOISE)
    rows = made_rows(sweep, lambda job: 1.0 if job.index < 4 else 9.0, lambda job: job.index > 0)
    assert judge(sweep, rows).best[0].choice.best == 1
    for row in rows[5:]:
        row["passed_through"] = 1
    assert judge(sweep, rows).best[0].choice.best == 0


def test_drawn_values_are_put_into_quarters():
    draw = {"contact.stiffness": {"uniform": [1e4, 1e5]}}
    sweep = make_sweep("ragazzon2012", {"detection.threshold": [6, 12]}, random=draw, samples=40)
    threshold, stiffness = judge(sweep, made_rows(sweep, lambda job: 1.0)).tables
    assert len(threshold.results) == 2
    assert [result.reached.n for result in stiffness.results] == [20, 20, 20, 20]
    assert all(
        result.label[0].startswith(letter)
        for result, letter in zip(stiffness.results, "abcd", strict=True)
    )


def test_without_parameters_there_is_one_row_and_without_seeds_no_interval():
    sweep = make_sweep("ragazzon2012", repeats=3, set=NOISE)
    judged = judge(sweep, made_rows(sweep, lambda job: 1.0))
    (table,) = judged.tables
    assert [result.reached.n for result in table.results] == [3]
    assert judged.settings is None
    sweep = make_sweep("ragazzon2012", {"detection.threshold": [6, 12]})
    assert math.isnan(
        settings_of(sweep, made_rows(sweep, lambda job: float(job.index)))[0]
        .differences["reached"]
        .low
    )


def test_what_is_printed_has_the_best_and_the_base_marked_and_counts_reasons(tmp_path, capsys):
    vary = {"detection.threshold": [6, 12, 24], "contact.stiffness": [1e4, 1e5]}
    sweep = make_sweep("ragazzon2012", vary, repeats=3, set=NOISE)
    rows = made_rows(
        sweep, lambda job: 20.0 + job.seed, lambda job: job.values["detection.threshold"] > 6
    )
    for row in rows[:3]:
        row.update(outcome="failed", error="too soft", simulated_time_s=None)
    print_sweep(sweep, rows, tmp_path)
    out = capsys.readouterr().out
    assert out.startswith("18 runs: 12 reached, 3 failed, 3 no_path")
    (best,) = [
        line
        for line in out.splitlines()
        if line.split()[:3] == ["★", "24,", "10000"] and "3/3" in line
    ]
    assert "100% (44–100)" in best
    assert any(line.split()[:3] == ["○", "12,", "100000"] for line in out.splitlines())
    assert (
        "★ detection.threshold 24, contact.stiffness 10000; at the edge of detection.threshold,"
        in " ".join(out.split())
    )
    assert "-100 (-100…" in out
    assert (
        "3 of 18 runs, first that with detection.threshold=6, contact.stiffness=10000.0: too soft"
        in out
    )


@pytest.mark.parametrize(
    "quantities", [["saturated_share"], ["peak_contact_force_N", "wall_time_s"]]
)
def test_quantities_that_were_not_asked_for_are_not_shown(quantities):
    sweep = make_sweep("ragazzon2012", {"detection.threshold": [6, 12]}, quantities=quantities)
    assert set(settings_of(sweep, made_rows(sweep, lambda job: 1.0))[0].means) <= set(quantities)


def test_the_start_of_a_run_is_tried_too_and_seeds_once():
    vary = {"start.joints.1": [-1.2, 0.9], "obstacles.0.random_cylinders.seed": [1, 2, 3]}
    tried = try_combinations(make_sweep("random_cylinders", vary, repeats=2))
    assert (tried.begun, tried.total) == (2, 2)
    assert [[job.values["start.joints.1"] for job in jobs] for jobs in tried.refused.values()] == [
        [0.9]
    ]
