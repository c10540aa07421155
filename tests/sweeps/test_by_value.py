"""The tables of a sweep's values: seeds are repeats, and differences come from pairs."""

import math

import pytest

from hopfield_nav.cli.sweep_report import print_sweep
from hopfield_nav.sweeps import make_sweep, try_combinations, value_tables

NOISE = {"sensors.velocity_noise": 0.01}


def made_rows(sweep, time_of, reached=lambda job: True):
    """Rows of a sweep whose runs take a given time."""
    rows = []
    for job in sweep.jobs():
        there = reached(job)
        row = {"index": job.index, "repeat": job.repeat, "seed": job.seed, **job.values, "error": None}
        numbers = dict.fromkeys(sweep.quantities, 0)
        outcome = {"outcome": "reached" if there else "no_path", "simulated_time_s": time_of(job)}
        rows.append({**row, **numbers, **outcome})
    return rows


def test_what_the_seed_does_drops_out_of_a_paired_difference():
    sweep = make_sweep("u_trap", {"detection.threshold": [6, 12, 18]}, repeats=5, set=NOISE)
    rows = made_rows(sweep, lambda job: 10.0 * job.seed + job.values["detection.threshold"] / 6)
    (table,) = value_tables(sweep, rows)
    assert table.best == 0
    times = [result.means["simulated_time_s"] for result in table.results]
    assert times[0].high - times[0].low > 30.0
    gaps = [result.less_best.get("simulated_time_s") for result in table.results]
    assert gaps[0] is None
    assert [(g.n, g.low, g.high) for g in gaps[1:]] == [(5, 1.0, 1.0), (5, 2.0, 2.0)]


def test_pairs_of_one_seed_count_once_however_much_else_is_swept():
    vary = {"detection.threshold": [6, 12], "contact.stiffness": [1e4, 3e4, 1e5]}
    sweep = make_sweep("u_trap", vary, repeats=2, set=NOISE)
    first, stiff, both = value_tables(sweep, made_rows(sweep, lambda job: float(job.index)))
    assert first.results[1].less_best["reached"].n == 2
    assert len(stiff.results) == 3
    assert (both.count, len(both.results), both.results[0].label) == (6, 5, ("6", "10000"))


def test_a_seed_that_is_swept_is_a_repeat_and_not_a_choice():
    vary = {"obstacles.0.random_cylinders.seed": list(range(1, 9)), "detection.threshold": [6, 12]}
    sweep = make_sweep("random_cylinders", vary)
    seed = "obstacles.0.random_cylinders.seed"
    rows = made_rows(sweep, lambda job: 0.1 if job.values[seed] == 3 else 10.0)
    (table,) = value_tables(sweep, rows)
    assert table.names == ("detection.threshold",)
    assert table.results[0].reached.n == 8
    assert table.results[1].less_best["simulated_time_s"].n == 8


def test_the_goal_comes_before_the_time_and_one_that_was_passed_through_does_not_count():
    sweep = make_sweep("u_trap", {"detection.threshold": [6, 12]}, repeats=4, set=NOISE)
    rows = made_rows(sweep, lambda job: 1.0 if job.index < 4 else 9.0, lambda job: job.index > 0)
    assert value_tables(sweep, rows)[0].best == 1
    for row in rows[5:]:
        row["passed_through"] = 1
    assert value_tables(sweep, rows)[0].best == 0


def test_drawn_values_are_put_into_quarters():
    draw = {"contact.stiffness": {"uniform": [1e4, 1e5]}}
    sweep = make_sweep("u_trap", {"detection.threshold": [6, 12]}, random=draw, samples=40)
    threshold, stiffness = value_tables(sweep, made_rows(sweep, lambda job: 1.0))
    assert threshold.results[1].less_best["reached"].n == 40
    assert [result.reached.n for result in stiffness.results] == [20, 20, 20, 20]
    assert all(result.label[0].startswith(letter) for result, letter in zip(stiffness.results, "abcd", strict=True))


def test_without_parameters_there_is_one_row_and_without_seeds_no_interval():
    sweep = make_sweep("u_trap", repeats=3, set=NOISE)
    (table,) = value_tables(sweep, made_rows(sweep, lambda job: 1.0))
    assert [result.reached.n for result in table.results] == [3]
    sweep = make_sweep("u_trap", {"detection.threshold": [6, 12]})
    (table,) = value_tables(sweep, made_rows(sweep, lambda job: float(job.index)))
    assert math.isnan(table.results[1].less_best["simulated_time_s"].low)


def test_what_is_printed_has_the_best_row_marked_and_counts_reasons(tmp_path, capsys):
    vary = {"detection.threshold": [6, 12], "contact.stiffness": [1e4, 1e5]}
    sweep = make_sweep("u_trap", vary, repeats=3, set=NOISE)
    rows = made_rows(sweep, lambda job: 20.0 + job.seed, lambda job: job.values["detection.threshold"] == 12)
    for row in rows[:3]:
        row.update(outcome="failed", error="too soft", simulated_time_s=None)
    print_sweep(sweep, rows, tmp_path)
    out = capsys.readouterr().out
    (best,) = [line for line in out.splitlines() if line.split()[:2] == ["*", "12"] and "6/6" in line]
    assert "100% (61–100)" in best
    assert "-100 % (-100…-100)" in out
    assert "3 of 12 runs, first that with detection.threshold=6, contact.stiffness=10000.0: too soft" in out
    assert out.startswith("12 runs: 6 reached, 3 failed, 3 no_path")


@pytest.mark.parametrize("quantities", [["saturated_share"], ["peak_contact_force_N", "wall_time_s"]])
def test_quantities_that_were_not_asked_for_are_not_shown(quantities):
    sweep = make_sweep("u_trap", {"detection.threshold": [6, 12]}, quantities=quantities)
    (table,) = value_tables(sweep, made_rows(sweep, lambda job: 1.0))
    assert set(table.results[0].means) <= set(quantities)


def test_the_start_of_a_run_is_tried_too_and_seeds_once():
    vary = {"start.joints.1": [-1.2, 0.9], "obstacles.0.random_cylinders.seed": [1, 2, 3]}
    found = try_combinations(make_sweep("random_cylinders", vary, repeats=2))
    assert (found.count, found.total) == (2, 2)
    assert [[job.values["start.joints.1"] for job in jobs] for jobs in found.refused.values()] == [[0.9]]
