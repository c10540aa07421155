"""The trial of the tests: faults are what they say, one at a time, and what no test notices is told."""

from __future__ import annotations

import ast
import random

import mutants
import pytest
from torturing.mutations import drawn, mutations
from torturing.nearest import nearest, sources

SOURCE = '''"""Words with 1 + 1 are left alone."""
import math


def nearest(value: float, step: float = 0.5) -> float:
    """The step that is nearest; 2 < 3."""
    if value < 0 and step > 1:
        raise ValueError(f"{value + 1} is no value")
    return step * round(value / step)  # naïve
'''
NOTICES = "from made import nearest\n\n\ndef test_it():\n    assert nearest(0.8) == 1.0\n"


@pytest.fixture
def root(tmp_path):
    (tmp_path / "made.py").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_made.py").write_text(NOTICES, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("room", mutants.ROOMS)
def test_the_files_of_a_room_and_its_tests_are_there(room):
    for path, tests in mutants.tests_of(room).items():
        assert (mutants.ROOT / path).is_file()
        assert all((mutants.ROOT / "tests" / test).is_file() for test in tests.split())


def test_every_fault_changes_one_place_of_a_calculation(root):
    found = list(mutations(root, "made.py"))
    assert {m.name.split(": ")[1] for m in found} == {
        "0.5 -> 0.75", "< -> <=", "and -> or", "> -> >=", "0 -> 1", "1 -> 2", "* -> /", "/ -> *",
        "round -> floor",
    }  # fmt: skip
    source = (root / "made.py").read_bytes()
    for mutation in found:
        changed = mutation.applied(source)
        assert changed != source
        assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(source))
        lines = zip(changed.split(b"\n"), source.split(b"\n"), strict=True)
        assert sum(a != b for a, b in lines) == 1


def test_a_draw_repeats_and_takes_a_line_once(root):
    first = drawn(root, ["made.py"], 9, random.Random(0))
    assert first == drawn(root, ["made.py"], 9, random.Random(0))
    assert len({m.line for m in first}) == len(first) == 3


def test_what_is_noticed_and_what_survives(root):
    """A step that is no longer multiplied is noticed; a bound that no test meets is not."""
    assert mutants.run_tests(root, ["test_made.py"])
    by_name = {m.name.split(": ")[1]: m for m in mutations(root, "made.py")}
    assert mutants.fate(root, by_name["* -> /"], "test_made.py") == "noticed"
    assert mutants.fate(root, by_name["> -> >="], "test_made.py") == "survived"
    assert (root / "made.py").read_text(encoding="utf-8") == SOURCE


def test_the_table_counts_every_fate_once():
    fates = {"a": ("planner", "noticed"), "b": ("planner", "since"), "c": ("control", "survived")}
    rows = mutants.rows(
        {name: {"room": room, "fate": fate} for name, (room, fate) in fates.items()}
    )
    assert [row[0] for row in rows] == [*mutants.ROOMS, "everywhere", "all"]
    by_room = {name: numbers for name, *numbers in rows}
    assert by_room["planner"] == ["2", "1", "1", "0"]
    assert by_room["all"] == ["3", "1", "1", "1"]


@pytest.mark.parametrize("room", mutants.ROOMS)
def test_every_room_names_files_and_tests_that_exist(room):
    for path, tests in mutants.tests_of(room).items():
        assert (mutants.ROOT / path).is_file()
        assert all((mutants.ROOT / "tests" / test).is_file() for test in tests.split())
    assert len(mutants.chosen(mutants.ROOT, room, 13, 0)) == 13


def test_the_nearest_tests_speak_of_what_a_file_defines():
    assert "loop/test_sticking.py" in nearest(mutants.ROOT, "hopfield_nav/loop/sticking.py").split()
    assert nearest(mutants.ROOT, "dynamics/energy.py").startswith("dynamics/")
    paths = list(sources(mutants.ROOT))
    assert not any("/figures/" in path for path in paths)
    rooms = {path.split("/")[1] for path in paths if path.startswith("hopfield_nav")}
    assert {"loop", "control", "navigation", "planning", "world", "sweeps"} <= rooms
    assert sum(not nearest(mutants.ROOT, path) for path in paths) < 0.05 * len(paths)


def test_everywhere_names_what_survives(root, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(mutants, "_copy", lambda folder: root)
    monkeypatch.setattr(mutants, "sources", lambda place: ["made.py"])
    monkeypatch.setattr(mutants, "nearest", lambda place, path: "test_made.py")
    assert mutants.try_everywhere(2, 0, 5.0, tmp_path / "kept.jsonl") in (0, 1)
    assert len((tmp_path / "kept.jsonl").read_text().splitlines()) == 2
    assert "2 tried" in capsys.readouterr().out


def test_tests_that_fail_without_a_fault_notice_none(root, monkeypatch, tmp_path):
    monkeypatch.setattr(mutants, "_copy", lambda folder: root)
    monkeypatch.setattr(mutants, "sources", lambda place: ["made.py"])
    monkeypatch.setattr(mutants, "nearest", lambda place, path: "test_none.py")
    with pytest.raises(SystemExit, match="fails without any fault"):
        mutants.try_everywhere(2, 0, 5.0, tmp_path / "kept.jsonl")
    assert not (tmp_path / "kept.jsonl").exists()
