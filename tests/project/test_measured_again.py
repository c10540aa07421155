"""Every measured part of the pages has a guard; what a guard measures again is what the page says."""

from __future__ import annotations

import json

import measured_again
import pytest
from measured_part import KEPT, ROOT

ORIGINS = measured_again.origins()
AGAIN = [name for name, origin in ORIGINS.items() if "again" in origin]
COMPARED = [
    name for name, origin in ORIGINS.items() if any(g in origin for g in measured_again.COMPARED)
]


def test_every_part_is_guarded_once_and_no_other():
    parts = {path.stem for path in (ROOT / KEPT).glob("*.md")}
    assert set(ORIGINS) == parts
    for name, origin in ORIGINS.items():
        assert len(origin) == 1, name
        assert set(origin) < set(measured_again.GUARDS), name


def test_the_tests_that_guard_a_part_are_there():
    for name, origin in ORIGINS.items():
        path, _, function = origin.get("test", "").partition("::")
        if path:
            assert f"def {function}(" in (ROOT / path).read_text(encoding="utf-8"), name


def test_what_is_run_again_for_a_part_is_noted():
    assert sorted(measured_again.noted()) == sorted(COMPARED)


@pytest.mark.study
@pytest.mark.usefixtures("recordings_of_others")
@pytest.mark.parametrize("name", AGAIN)
def test_a_part_that_is_computed_in_seconds_is_that_of_the_page(name):
    assert measured_again.others([name]) == []


@pytest.mark.study
@pytest.mark.parametrize("name", COMPARED)
def test_what_is_run_again_for_a_part_gives_what_it_gave(name):
    assert measured_again.others([name]) == []


@pytest.fixture
def recordings_of_others(data_folder, monkeypatch):
    monkeypatch.setenv("HOPFIELD_NAV_DATA", str(data_folder))


@pytest.fixture
def one_part(tmp_path, monkeypatch):
    """A part that a function computes, and one of a run."""
    found = {"some.one": {"again": "measured_again:made"}, "some.two": {"runs": ["w"]}}
    kept = tmp_path / KEPT
    kept.mkdir(parents=True)
    (kept / "some.one.md").write_text("| 5 |\n")
    (tmp_path / "noted.json").write_text(json.dumps({"some.two": {"w": "reached"}}))
    monkeypatch.setattr(measured_again, "ROOT", tmp_path)
    monkeypatch.setattr(measured_again, "NOTED", tmp_path / "noted.json")
    monkeypatch.setattr(measured_again, "origins", lambda: found)
    monkeypatch.setattr(measured_again, "made", lambda: "| 5 |", raising=False)
    monkeypatch.setattr(measured_again, "result", lambda run: "reached")
    return monkeypatch


@pytest.mark.usefixtures("one_part")
def test_parts_as_they_were_are_not_told():
    assert measured_again.others(["some.one", "some.two"]) == []


def test_another_table_and_another_run_are_told(one_part):
    one_part.setattr(measured_again, "made", lambda: "| 6 |")
    one_part.setattr(measured_again, "result", lambda run: "no_path")
    table, run = measured_again.others(["some.one", "some.two"])
    assert table == "some.one: measured_again:made gives another table today"
    assert run == "some.two: w was reached; today no_path"
