"""Compiling ahead, in several processes."""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace

import pytest
from refusals import refused

from dynamics import BadInput
from hopfield_nav import load_world
from hopfield_nav.cli import main
from hopfield_nav.experiment import compiling


@pytest.fixture
def asked(monkeypatch):
    """Parts that write down that they were asked for, in place of compiling."""
    names: list[str] = []
    monkeypatch.setattr(compiling, "_in_process", lambda name: names.append(name) or "")
    return names


@pytest.mark.parametrize(
    ("name", "plans"), [("cell", True), ("empty", False), ("ragazzon2012_fall", False)]
)
def test_a_world_with_a_plan_is_planned_and_any_other_runs(monkeypatch, name, plans):
    """A world without a goal, such as a fall, has nothing to plan."""
    known, simulation = (
        import_module(f"hopfield_nav.{m}")
        for m in ("extensions.known_world.planned", "experiment.simulation")
    )
    done = []
    monkeypatch.setitem(vars(known), "plan_world", lambda world: done.append("planned"))
    stand_in = SimpleNamespace(step=lambda duration: done.append("ran"))
    monkeypatch.setattr(simulation, "Simulation", lambda world: stand_in)
    compiling.compile_part(name)
    assert done == ["planned" if plans else "ran"]


def test_every_part_is_compiled_once_and_worlds_after_the_parts(asked, capsys):
    assert main(["warm", "empty", "u_trap"]) == 0
    told = capsys.readouterr()
    first = set(compiling.PARTS) - {"known obstacles"}
    assert set(asked[: len(first)]) == first
    assert sorted(asked[len(first) :]) == ["empty", "known obstacles", "u_trap"]
    assert told.err.splitlines()[-1].endswith(f"({len(asked)} of {len(asked)})")


def test_a_world_that_there_is_not_is_refused_before_anything_is_compiled(asked, capsys):
    assert main(["warm", "empti"]) == 2
    assert "empty" in capsys.readouterr().err
    assert asked == []


def test_a_part_that_fails_says_why(monkeypatch):
    monkeypatch.setattr(compiling, "_HERE", "def part(name): raise SystemExit(f'no {name} here')")
    with refused("no such part here"):
        list(compiling.compile_parts(["such part"], 1))


def test_what_the_other_process_cannot_compile_is_no_fault(monkeypatch):
    """The run compiles it when it calls it."""
    compiled = []
    monkeypatch.setattr(compiling, "_compile_for", compiled.append)
    monkeypatch.setattr(compiling, "_HERE", "raise SystemExit(1)")
    world = load_world("empty")
    compiling.compile_in_parallel(world)
    assert compiled == [world]


def test_the_other_process_ends_where_this_one_fails(monkeypatch):
    started = []

    class Watched(compiling.subprocess.Popen):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            started.append(self)

    def fail(world):
        raise BadInput("a method of one's own")

    monkeypatch.setattr(compiling, "_HERE", "import time\ndef part(name): time.sleep(600)")
    monkeypatch.setattr(compiling.subprocess, "Popen", Watched)
    monkeypatch.setattr(compiling, "_compile_for", fail)
    with refused("a method of one's own"):
        compiling.compile_in_parallel(load_world("empty"))
    assert [process.returncode is not None for process in started] == [True]
