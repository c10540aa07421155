"""Python files that a world names: executed where somebody here chose them, never for a record."""

from __future__ import annotations

import shutil

import pytest
from refusals import refused, refused_by_command

from hopfield_nav import load_run, load_sweep, load_world, simulate, sweep
from hopfield_nav.cli.app import main
from hopfield_nav.sweeps import make_sweep

DETECTOR = """
from pathlib import Path
from hopfield_nav.plugin import Method, Parameter

with Path(__file__).with_name("ran").open("a") as ran:
    ran.write("x")


def detect(model, sensed, parameters, memory, work, tau_external, wrench):
    return 0.0


METHOD = Method("detector", "mine", detect, (Parameter("threshold", 5.0, 0.1, 1e3, "N·m", "limit"),))
"""
WORLD = "format: 1\ndetection: {measure: 'mine.py:METHOD', threshold: 6}\ntime_limit: 0.01\n"
SWEEP = "format: 1\nworld: world.yaml\nvary: {detection.threshold: [6, 7]}\n"


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """A folder with a world that names a file beside it; we are in another one."""
    folder = tmp_path / "theirs"
    folder.mkdir()
    for name, text in (("mine.py", DETECTOR), ("world.yaml", WORLD), ("sweep.yaml", SWEEP)):
        (folder / name).write_text(text)
    (tmp_path / "ours").mkdir()
    monkeypatch.chdir(tmp_path / "ours")
    return folder


def ran(folder):
    return (folder / "ran").exists()


@pytest.mark.parametrize(
    "command",
    [
        "run",
        "check",
        pytest.param("plan", marks=pytest.mark.needs("known_world")),
        "sweep",
        "check sweep",
    ],
)
def test_a_command_asks_for_trust(elsewhere, capsys, command):
    words = [
        command.split()[0],
        str(elsewhere / ("sweep.yaml" if "sweep" in command else "world.yaml")),
    ]
    refused_by_command(capsys, words, "allowed: --trust")
    assert not ran(elsewhere)


def test_trust_in_python_and_on_the_command_line(elsewhere, capsys):
    with refused("names a Python file, which would be executed"):
        load_world(elsewhere / "world.yaml")
    with refused("allow_code=True"):
        load_sweep(elsewhere / "sweep.yaml")
    assert not ran(elsewhere)
    assert (
        main(["check", "--trust", str(elsewhere / "world.yaml"), str(elsewhere / "sweep.yaml")])
        == 0
    )
    assert "ok, 2 runs" in capsys.readouterr().out
    assert ran(elsewhere)
    assert (
        load_world(elsewhere / "world.yaml", allow_code=True).detection.parameters["threshold"] == 6
    )


def test_a_file_in_the_current_folder_needs_no_trust_one_below_it_does(elsewhere, monkeypatch):
    monkeypatch.chdir(elsewhere.parent)
    with refused("--trust"):
        load_world("theirs/world.yaml")
    monkeypatch.chdir(elsewhere)
    assert load_world("world.yaml").detection.measure == "mine.py:METHOD"


def test_a_link_in_the_current_folder_is_where_it_leads(elsewhere, tmp_path, monkeypatch):
    (tmp_path / "ours" / "mine.py").symlink_to(elsewhere / "mine.py")
    shutil.copy(elsewhere / "world.yaml", tmp_path / "ours")
    with refused("--trust"):
        load_world("world.yaml")


@pytest.mark.parametrize("name", ["../theirs/mine.py:METHOD", "{}/mine.py:METHOD"])
def test_a_file_given_by_hand_needs_no_trust(elsewhere, name):
    """It is looked for from the current folder, wherever the world lies."""
    given = name.format(elsewhere)
    assert (
        load_world("empty", [f"detection.measure={given}"]).detection.parameters["threshold"] == 5
    )
    assert make_sweep("empty", {"detection.measure": [given]}).count == 1
    with refused("--trust"):
        load_world(elsewhere / "world.yaml", ["detection.threshold=3"])


def test_an_arm_file_given_by_hand_is_found_from_the_current_folder(tmp_path, monkeypatch):
    from importlib.resources import files

    monkeypatch.chdir(tmp_path)
    shutil.copy(str(files("dynamics") / "arms" / "ur5e.yaml"), "mine.yaml")
    assert load_world("empty", ["arm=mine.yaml"]).arm == str(tmp_path / "mine.yaml")


def test_a_trusted_world_stays_trusted_where_it_goes(elsewhere):
    """In a sweep of it, and on the workers of the sweep."""
    world = load_world(elsewhere / "world.yaml", allow_code=True)
    data = sweep(world, {"detection.threshold": [6, 7]}, workers=1)
    assert (data.outcome == "time_limit").all()
    with refused("--trust"):
        make_sweep(elsewhere / "world.yaml", {"detection.threshold": [6, 7]})


@pytest.fixture
def record(elsewhere):
    run = simulate(load_world(elsewhere / "world.yaml", allow_code=True))
    run.save(elsewhere / "run")
    (elsewhere / "ran").unlink()
    (elsewhere / "run" / "checksums.sha256").unlink()  # some tests change the record
    from hopfield_nav.plugin import find_method

    find_method.cache_clear()
    return elsewhere / "run"


@pytest.mark.needs("recordings")
def test_a_record_is_read_and_drawn_without_running_what_it_names(
    record, elsewhere, sketched, capsys, monkeypatch
):
    monkeypatch.chdir(elsewhere)  # where the file lies: no reason to run it either
    run = load_run(record)
    assert run.world.detection.parameters["threshold"] == 6
    assert main(["plot", str(record)]) == 0
    assert main(["compare", str(record), str(record)]) == 0
    assert main(["replay", str(record), "--detector", "force_norm"]) == 0
    assert not ran(elsewhere)
    capsys.readouterr()
    with refused("a record's Python file is never executed.*allow_code=True"):
        simulate(run.world)
    assert not ran(elsewhere)
    (elsewhere / "mine.py").touch()  # a file is loaded once as long as it is the same
    assert load_world(record / "world.yaml", allow_code=True).detection.parameters["threshold"] == 6
    assert ran(elsewhere)


@pytest.mark.needs("recordings")
def test_the_estimator_of_a_record_is_not_run_but_another_may_be_given(record, elsewhere, capsys):
    text = (
        (record / "world.yaml")
        .read_text()
        .replace("estimator: momentum_observer", "estimator: mine.py:E")
    )
    assert "mine.py:E" in text
    (record / "world.yaml").write_text(text)
    command = ["replay", str(record), "--detector", "force_norm"]
    refused_by_command(capsys, command, "never executed")
    assert main([*command, "--estimator", "momentum_observer"]) == 0
    assert not ran(elsewhere)


def test_a_record_with_words_for_numbers_is_refused(record):
    path = record / "world.yaml"
    path.write_text(path.read_text().replace("threshold: 6.0", "threshold: high"))
    with refused("threshold: wrong kind of value"):
        load_run(record)


@pytest.mark.parametrize("where", ["import", "memory", "limits"])
def test_sys_exit_in_a_method_is_an_error_of_the_method(tmp_path, monkeypatch, capsys, where):
    monkeypatch.chdir(tmp_path)
    text = {
        "import": "import sys\nsys.exit(0)\n",
        "memory": "memory=lambda n: sys.exit(0)",
        "limits": "limits=lambda values: sys.exit(0)",
    }[where]
    law = (
        "import sys\nfrom hopfield_nav.plugin import Method\n"
        "def control(model, sensed, parameters, memory, work, tau):\n"
        "    for i in range(tau.size):\n        tau[i] = 0.0\n    return 0\n"
    )
    named = "" if where == "import" else f"METHOD = Method('controller', 'mine', control, {text})\n"
    (tmp_path / "mine.py").write_text((text if where == "import" else law) + named)
    (tmp_path / "w.yaml").write_text(
        "format: 1\ncontroller: {law: 'mine.py:METHOD'}\ntime_limit: 0.01\n"
    )
    refused_by_command(capsys, ["run", "w.yaml", "--no-plots"], "SystemExit")
