"""A short form of the trials that try to break the program: nothing breaks it, and what would is seen."""

from __future__ import annotations

import pytest
import torture
from torturing.trials import try_all

from dynamics import BadInput


@pytest.mark.parametrize("kind", torture.KINDS)
def test_nothing_breaks_the_program(kind):
    """Times are not judged here: the first trial may compile."""
    tallies = torture.torture({kind: torture.SHORT[kind]}, time_limit=5.0)
    assert sum(tally.count for tally in tallies) >= torture.SHORT[kind] - 2
    broken = [line for tally in tallies for line in tally.broken if ": took " not in line]
    assert broken == []


def test_what_breaks_is_named():
    """A trial that ends in an error that is not ours, and one whose error takes two lines."""
    lines = BadInput("one")
    lines.args = ("one\ntwo",)

    def two_lines():
        raise lines

    tally = try_all("made up", [("good", int), ("bad", lambda: 1 / 0), ("long", two_lines)])
    assert (tally.count, tally.refused) == (3, 1)
    assert [line.split(":")[0] for line in tally.broken] == ["bad", "long"]
    assert "ZeroDivisionError" in tally.broken[0]


def test_what_breaks_in_two_ways_is_one_trial():
    tally = try_all("made up", [("bad", lambda: 1 / 0), ("good", int)], longest=-1.0)
    assert tally.row[-1] == "0"
    tally = try_all("made up", [("bad", lambda: 1 / 0), ("good", int)])
    assert tally.row[-1] == "1"


def test_blocks_of_many_calls_make_one_table(tmp_path, monkeypatch):
    monkeypatch.setitem(torture.BLOCK, "worlds", 20)
    keep = tmp_path / "trials"
    at_once = torture.torture({"worlds": 60})[0]
    torture.torture_in_blocks({"worlds": 20}, 40, keep)
    torture.torture_in_blocks({"worlds": 40}, 0, keep)
    monkeypatch.setattr(torture, "torture", None)  # none is tried twice
    (again,) = torture.torture_in_blocks({"worlds": 60}, 0, keep)
    assert (again.count, again.refused, again.broken) == (60, at_once.refused, [])
