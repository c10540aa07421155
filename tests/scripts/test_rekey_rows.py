"""Rows that come with a suite get the digests of today where the suite still gives them, and nowhere else."""

from pathlib import Path

import pytest
from benches import write_shipped
from rekey_rows import main, text_of

from hopfield_nav.extensions.bench import load_suite, read_shipped, with_version
from hopfield_nav.sweeps import execute, read_rows

SUITE = """
format: 1
description: Two ends of an arm that nothing touches.
families: {free: {world: {format: 1, record: {signals: none}}}}
methods: {short: {time_limit: 0.02}, long: {time_limit: 0.03}}
worlds: 2
measures: own.py:MEASURES
"""
OWN = """
from hopfield_nav.plugin import Measures

MEASURES = Measures(lambda run: {"nothing": 0}, {"nothing": "1"})
"""
ROWS = Path("suite.csv.gz")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A suite with its rows, whose Python file has got another line since."""
    monkeypatch.chdir(tmp_path)
    Path("suite.yaml").write_text(SUITE)
    Path("own.py").write_text(OWN)
    suite = load_suite("suite.yaml")
    rows = with_version(read_rows(execute(suite, "before/suite", workers=0), suite), suite)
    write_shipped(suite, rows, ROWS)
    Path("own.py").write_text(f"{OWN}\nONE = 1\n")
    return rows


def rekeyed(**named):
    with pytest.raises(SystemExit) as ended:
        main(["suite.yaml"], worlds=1, workers=0, **named)
    return ended.value.code


def found():
    return read_shipped(load_suite("suite.yaml"), ROWS)


@pytest.mark.parametrize("beside", [{}, {"earlier": Path("before")}])
def test_rows_that_the_suite_still_gives_are_found_again(here, beside):
    assert found() == []
    assert not rekeyed(**beside)
    assert found() == []  # nothing was to be written
    assert not rekeyed(**beside, write=True)
    assert found() == here


def test_other_rows_are_told_and_stay_dropped(here, capsys):
    Path("suite.yaml").write_text(SUITE.replace("0.03", "0.04"))
    before = text_of(ROWS)
    assert rekeyed(write=True)
    told = capsys.readouterr().out
    assert told.startswith("free, default, long, 0: ")
    assert "simulated_time_s 0.03, now 0.04\nsuite: 2 rows run again, 1 are others" in told
    assert text_of(ROWS) == before
    assert found() == []
