"""Storms of false alarms: a detector that takes the arm's own motion for contact."""

from __future__ import annotations

from hopfield_nav import load_world
from hopfield_nav.cli.app import main
from hopfield_nav.experiment import Simulation, look_for_storm
from hopfield_nav.sweeps import execute, make_sweep, read_rows, try_combinations
from hopfield_nav.world import find_world

STORM = "detection.threshold=0.6 is below what the arm's own motion gives"


def test_a_threshold_far_too_low_shows_itself_in_a_moment():
    stormy = Simulation(load_world("ragazzon2012", ["detection.threshold=0.6"]))
    assert STORM in look_for_storm(stormy)
    assert look_for_storm(Simulation(load_world("ragazzon2012"))) is None


def test_a_row_of_a_storm_is_given_up_and_says_so(tmp_path):
    made = make_sweep("ragazzon2012", {"detection.threshold": [0.6]}, until={"false_alarms": 30})
    (row,) = read_rows(execute(made, tmp_path / "out", workers=0), made)
    assert row["outcome"] == "given_up"
    assert row["error"] == "given up after 30 false alarms"
    assert 30 <= row["false_alarm_count"] < 60  # looked at every 0.5 s
    assert row["simulated_time_s"] < 5.0


def test_check_says_what_comes_and_run_says_it_while_it_comes(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    sweep = "{format: 1, world: ragazzon2012, vary: {detection.threshold: [0.6, 12]}}"
    (tmp_path / "stormy.yaml").write_text(sweep)
    assert main(["check", "stormy.yaml"]) == 0
    out = capsys.readouterr().out
    assert "1 of 2 combinations begin with a storm" in out
    assert f"first detection.threshold=0.6: 32 false alarms in 2 s: {STORM}" in out
    given = ["--set", "detection.threshold=0.6", "--set", "time_limit=3", "--no-plots"]
    assert main(["run", "ragazzon2012", *given]) == 1
    err = capsys.readouterr().err
    assert err.count(STORM) == 1


def test_the_check_of_a_world_says_it_too(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = find_world("ragazzon2012").read_text()
    (tmp_path / "low.yaml").write_text(text.replace("threshold: 12", "threshold: 0.6"))
    assert main(["check", "low.yaml"]) == 0
    assert STORM in capsys.readouterr().out


def test_a_storm_is_no_fault():
    made = make_sweep("ragazzon2012", {"detection.threshold": [0.6, 12]})
    tried = try_combinations(made)
    assert (tried.begun, tried.total, tried.refused) == (2, 2, {})
    ((job, words),) = tried.storms
    assert job.values == {"detection.threshold": 0.6}
    assert STORM in words
