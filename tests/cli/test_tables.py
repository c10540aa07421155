"""Tables on terminals of several widths: words may go below each other, no number is cut."""

import re

import pytest
from rich.cells import cell_len

from hopfield_nav import load_world, simulate
from hopfield_nav.cli.app import main
from hopfield_nav.cli.report import print_columns, print_table

WIDTHS = (40, 60, 80, 200)
NUMBER = re.compile(r"[−+-]?\d[\d.]*(?:e[+-]?\d+)?")
HEADS = [
    "", "controller.omega, controller.zeta", "reached (95 %)", "peak force of the first impact",
    "detection delay, median", "false alarms per hour of free motion", "difference of the time to the goal",
]  # fmt: skip
ROWS = [
    [
        "*", f"{k}.25, {k + 1}.5", f"{k}/200  {k}.123% (97.1234–99.5678)", f"{1234.5678 * k:.4f} N",
        f"{0.123456 * k:.6f} ms", f"{1.23456e5 * k:.6g} (95 %: 1234.56 … 987654)",
        f"+{3.14159 * k:.5f} s (−12.3456…+45.6789)",
    ]
    for k in range(1, 4)
]  # fmt: skip
LINES = [
    ("threshold", str([1.23456 * k for k in range(1, 7)])), ("outcome", "reached"), ("final tool error", "0.001774 mm"),
    ("false alarms per hour of free motion", "123456.7 (95 %: 1234.5 … 98765432.1)"), ("folder", "/a/" + 30 * "long/"),
]  # fmt: skip


@pytest.fixture(params=WIDTHS)
def width(request, monkeypatch):
    """The terminal's, which the printed lines must keep."""
    monkeypatch.setenv("COLUMNS", str(request.param))
    return request.param


def _numbers(text):
    return sorted(NUMBER.findall(text))


def _fits(out, width):
    assert max(cell_len(line.rstrip()) for line in out.splitlines()) <= width
    spans = re.compile(r"… 95 %|[\d)%]\s*…\s*[\d+−-]")  # intervals
    assert "…" not in spans.sub("", out)  # nothing else is left out
    return out


def test_no_number_of_a_table_is_cut(capsys, width):
    print_columns(HEADS, ROWS, labels=2)
    out = _fits(capsys.readouterr().out, width)
    told = _numbers(out)
    for row in ROWS:
        for number in NUMBER.findall(" ".join(row[2:])):
            assert number in told
    for head in HEADS[2:]:
        assert set(head.split()) <= set(out.split())


def test_no_number_of_lines_is_cut(capsys, width):
    print_table(LINES, "a title")
    out = _fits(capsys.readouterr().out, width)
    assert _numbers(out) == _numbers(" ".join(map(" ".join, LINES)))


def test_a_wide_terminal_has_one_table_and_a_narrow_one_several(capsys, monkeypatch):
    """At 40 columns not even one fits beside the names: every value has a line."""
    heads = {}
    for wide in WIDTHS:
        monkeypatch.setenv("COLUMNS", str(wide))
        print_columns(HEADS, ROWS, labels=2)
        heads[wide] = capsys.readouterr().out.count("controller.omega")
    assert heads[200] == 1
    assert 1 < heads[80] <= 3
    assert heads[40] == len(ROWS)


OF_RECORDINGS = [
    pytest.param(name, marks=pytest.mark.needs("recordings")) for name in ("replay", "explain")
]


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Two saved runs."""
    folder = tmp_path_factory.mktemp("saved")
    for name, threshold in (("run_a_with_a_long_name", 5.0), ("run_b_with_a_longer_name", 7.0)):
        simulate(load_world("u_trap", ["time_limit=6.5", f"detection.threshold={threshold}"])).save(
            folder / name
        )
    return folder


@pytest.fixture
def runs(saved, monkeypatch):
    monkeypatch.chdir(saved)
    return sorted(path.name for path in saved.iterdir())


@pytest.fixture(scope="module")
def in_full():
    """The numbers of a command where the terminal is wide enough for all, once for every width."""
    return {}


@pytest.mark.parametrize("command", ["compare", *OF_RECORDINGS, "list"])
def test_commands_keep_to_the_terminal(capsys, monkeypatch, runs, width, in_full, command):
    given = {
        "compare": runs,
        "replay": [runs[0], "--threshold", "0.5,1,2"],
        "explain": runs[:1],
        "list": ["worlds"],
    }
    main([command, *given[command]])
    told = capsys.readouterr()
    _fits(told.out, width)
    assert len(told.out) > 40, told.err
    if command not in in_full:
        monkeypatch.setenv("COLUMNS", "1000")
        main([command, *given[command]])
        in_full[command] = set(_numbers(capsys.readouterr().out))
    assert set(_numbers(told.out)) == in_full[command]
