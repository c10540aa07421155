"""Two worlds over the same seeds: paired means, differences and intervals, and the command."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused, refused_by_command
from scipy import stats

from hopfield_nav import load_world, simulate
from hopfield_nav.cli.app import main
from hopfield_nav.sweeps import compare_with_first
from hopfield_nav.world import parse_world

NOISY = """\
format: 1
time_limit: {limit}
goal: {{cell: [17, 6]}}
obstacles: [{{random_cylinders: {{count: 12, radius: [0.02, 0.03]}}}}]
"""
SEEDS = range(5)


def world(limit=6.0, more=""):
    return parse_world(NOISY.format(limit=limit) + more)


def test_the_numbers_are_those_of_the_runs():
    worlds = [world(), world(more="trajectory: {time_per_cell: 0.3}\n")]
    seen = []
    found = compare_with_first(worlds, SEEDS, lambda *done: seen.append(done))[0]
    assert seen == [(k + 1, 10) for k in range(10)]
    runs = [[simulate(w, seed=seed).summary for seed in SEEDS] for w in worlds]
    for name in ("collision_count", "simulated_time_s", "peak_contact_force_N"):
        a, b = (np.array([run[name] for run in done], dtype=float) for done in runs)
        pair = found.pairs[name]
        assert pair.first.estimate == pytest.approx(a.mean(), rel=1e-12)
        assert pair.second.estimate == pytest.approx(b.mean(), rel=1e-12)
        assert pair.difference.estimate == pytest.approx((b - a).mean(), rel=1e-12)
        known = stats.ttest_rel(b, a).confidence_interval(0.95)
        assert (pair.difference.low, pair.difference.high) == pytest.approx((known.low, known.high))
    reached = [np.mean([run["outcome"] == "reached" for run in done]) for done in runs]
    assert found.pairs["reached"].first.estimate == pytest.approx(reached[0])
    assert found.pairs["reached"].difference.estimate == pytest.approx(reached[1] - reached[0])
    assert not found.alike


def test_a_goal_behind_what_was_gone_through_is_not_reached():
    """The same wall across the way, which is too thin to be felt at that speed, and beside it."""
    walls = (f"obstacles=[{{box: {{center: [0.40, {y}, 0.0], size: [0.001, 0.6, 1.0]}}}}]" for y in (0.0, 0.7))
    worlds = [load_world("empty", [wall, "trajectory.time_per_cell=0.1", "time_limit=60"]) for wall in walls]
    assert [simulate(w, seed=0).outcome for w in worlds] == ["reached", "reached"]
    pair = compare_with_first(worlds, [0, 1])[0].pairs["reached"]
    assert (pair.first.estimate, pair.second.estimate) == (0.0, 1.0)


def test_a_world_does_not_differ_from_itself():
    """Five runs that all miss their goal leave room for a difference of shares, but for none of numbers."""
    found = compare_with_first([world(2.0), world(2.0)], SEEDS)[0]
    for name, pair in found.pairs.items():
        if pair.difference.n and name != "reached":
            assert (pair.difference.estimate, pair.difference.low, pair.difference.high) == (0.0, 0.0, 0.0)
    share = found.pairs["reached"].difference
    assert -1.0 < share.low < share.estimate == 0.0 < share.high < 1.0


def test_without_anything_random_every_seed_is_alike_and_no_seed_is_refused():
    still = parse_world("format: 1\ntime_limit: 0.1")
    assert compare_with_first([still, still], SEEDS)[0].alike
    with refused("no seeds"):
        compare_with_first([still, still], [])


def test_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yaml").write_text("format: 1\ntime_limit: 1\ngoal: {cell: [17, 6]}")
    (tmp_path / "b.yaml").write_text("format: 1\ntime_limit: 2\ngoal: {cell: [17, 6]}")
    assert main(["compare", "a.yaml", "b.yaml", "--seeds", "3"]) == 0
    output = capsys.readouterr()
    (line,) = [line for line in output.out.splitlines() if "simulated time" in line]
    assert ["time_limit", "1.0", "2.0"] in [text.split() for text in output.out.splitlines()]
    assert line.split()[2:] == ["1", "s", "2", "s", "1", "s", "1", "s", "to", "1", "s", "3"]
    assert "nothing in these worlds is random" in output.err
    refused_by_command(capsys, ["compare", "a.yaml", "--seeds", "3"], "WORLD_A WORLD_B")
    refused_by_command(capsys, ["compare", "a.yaml", "c.yaml", "--seeds", "3"], "no such file")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.yaml", "b.yaml"]


def test_any_number_of_worlds_is_compared_with_the_first(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for k, name in enumerate("abc", 1):
        (tmp_path / f"{name}.yaml").write_text(f"format: 1\ntime_limit: {k}\ngoal: {{cell: [17, 6]}}")
    assert main(["compare", "a.yaml", "b.yaml", "c.yaml", "--seeds", "2"]) == 0
    out = capsys.readouterr().out
    times = [line.split() for line in out.splitlines() if "simulated time" in line]
    assert [line[6:8] for line in times] == [["1", "s"], ["2", "s"]]
    assert ["time_limit", "1.0", "2.0", "3.0"] in [text.split() for text in out.splitlines()]
