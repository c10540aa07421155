"""What three users type on their first day: a student, an engineer, and a researcher."""

from __future__ import annotations

import re

import matplotlib.pyplot as plt
import pytest
from served import in_a_thread

from dynamics import BadInput
from hopfield_nav import Simulation, load_run, load_world
from hopfield_nav.cli.app import main
from hopfield_nav.extensions.live.commands.serve import _telling
from hopfield_nav.world import parse_world

QUICK = "set: {sensors.velocity_noise: 0.0002}"


@pytest.fixture(autouse=True)
def _elsewhere(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)


def typed(capsys, *words):
    """What a command prints that ends well."""
    assert main([*map(str, words)]) == 0
    return capsys.readouterr().out


def alarms(printed):
    return re.search(r"alarms +(.*?) *\n", printed)[1]


def test_the_student_changes_a_world_sweeps_and_reads_the_best_threshold(tmp_path, capsys):
    typed(capsys, "new", "mine.yaml")
    assert "ok" in typed(capsys, "check", "mine.yaml")
    vary = "vary: {detection.threshold: [1, 1000]}"
    (tmp_path / "thresholds.yaml").write_text(
        f"format: 1\nworld: u_trap\n{QUICK}\n{vary}\nrepeats: 2\n"
    )
    assert "ok, 4 runs" in typed(capsys, "check", "thresholds.yaml")
    told = typed(capsys, "sweep", "thresholds.yaml", "--workers", "0", "--no-plots")
    (best,) = re.findall(r"^★ .*detection\.threshold (\d+)", told, re.MULTILINE)
    assert best == "1"  # what feels nothing is never the best
    assert "missed" in told


def test_the_engineer_gets_the_same_alarms_from_a_run_and_all_that_was_made_of_it(tmp_path, capsys):
    assert main(["run", "u_trap", "--set", "time_limit=8", "--out", "touched", "--no-plots"]) == 1
    printed = capsys.readouterr().out
    assert re.search(r"missed contacts +\d+ \(no alarm\)", printed)
    run = load_run("touched")
    typed(capsys, "export", "touched", "--csv", "--rtde", "--out", "tables")
    asked = alarms(typed(capsys, "replay", "touched"))
    assert asked.split()[0] == str(run.summary["collision_count"] + run.summary["graze_count"])
    for path in ("touched/log.nc", "tables/signals.csv"):
        assert alarms(typed(capsys, "replay", path)) == asked
    assert "found" in typed(capsys, "replay", "tables/signals.csv", "--threshold", "1,2,4,8")
    words = ["--motor-constants", "8,8,8,8,8,8", "--world", "u_trap"]
    table = alarms(typed(capsys, "replay", "tables/rtde.csv", *words))
    assert table.split()[0] == asked.split()[0]
    with in_a_thread(_telling("tables/rtde.csv", None, "ur5_controller", [])) as server:
        port = server.address[1]
        watched = typed(capsys, "watch", "127.0.0.1", "--port", port, "--retry", 0, *words)
    assert alarms(watched) == table
    noisy = ["--set", "sensors.velocity_noise=0.002"]
    assert (
        main(["run", "empty", *noisy, "--set", "time_limit=3", "--out", "free", "--no-plots"]) == 1
    )
    capsys.readouterr()
    typed(capsys, "export", "free", "--csv", "--out", "free_table")
    words = [
        "tune",
        "u_trap",
        *noisy,
        "--free-run",
        "free_table/signals.csv",
        "--false-alarms-per-hour",
        "20000",
    ]
    assert "a push is felt at" in typed(capsys, *words)


def test_the_researcher_compares_three_methods_in_pairs(tmp_path, capsys):
    for name, planner in (("max", "limit"), ("sum", "sum"), ("wide", "limit, radius: 2")):
        text = (
            f"format: 1\nplanner: {{network: {planner}}}\ntime_limit: 3\ngoal: {{cell: [17, 6]}}\n"
        )
        (tmp_path / f"{name}.yaml").write_text(
            text + "obstacles: [{random_cylinders: {count: 12, radius: [0.02, 0.03]}}]\n"
        )
    names = ["max.yaml", "sum.yaml", "wide.yaml"]
    told = typed(capsys, "compare", *names, "--seeds", "20")
    assert ["planner.network", "limit", "sum", "limit"] in [x.split() for x in told.splitlines()]
    assert ["runs", *5 * ["20"]] in [line.split() for line in told.splitlines()]


def test_a_simulation_tells_of_touches_plans_and_its_end_and_a_run_draws_itself():
    simulation = Simulation(load_world("u_trap", {"time_limit": 8, "detection.threshold": 1}))
    touches, plans, ends = [], [], []
    simulation.on_touch, simulation.on_plan = touches.append, plans.append
    simulation.on_end = lambda *told: ends.append(told)
    simulation.on_record = lambda run: run.summary.update(places=len(touches))
    run = simulation.run()
    assert touches == list(simulation.detections)
    assert run.summary["places"] == len(touches) == len(plans) > 0
    assert ends == [(simulation.outcome, simulation.reason)]
    ax = plt.figure().add_subplot()
    assert run.plot("trajectory", ax) is ax
    assert run.plot("force_magnitude").axes
    assert "<iframe" in run.view()._repr_html_()
    plt.close("all")


def test_messages_speak_python_where_python_asked():
    with pytest.raises(BadInput, match=r"overrides\['detection.treshold'\]"):
        load_world("u_trap", {"detection.treshold": 8})
    with pytest.raises(BadInput, match="no such figure"):
        Simulation(parse_world("format: 1\ntime_limit: 0.1")).run().plot("trajectorie")
