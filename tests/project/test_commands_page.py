"""Every example of docs/commands.md runs, in the page's order, in a folder that was empty before."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import matplotlib

import hopfield_nav
from hopfield_nav.cli.app import CORE, main
from hopfield_nav.plugin import extensions

PAGE = Path(__file__).resolve().parents[2] / "docs" / "commands.md"
PROGRAM = ("hopfield-nav ", "python -m hopfield_nav ")


def _examples():
    """The code in the last column of the page's tables."""
    rows = [
        line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")
    ]
    return [re.findall(r"`([^`]+)`", row.rsplit(" | ", 1)[1])[0] for row in rows]


def test_every_example_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    matplotlib.use("Agg")
    names = {"hopfield_nav": hopfield_nav}
    examples = _examples()
    assert len(examples) == PAGE.read_text(encoding="utf-8").count("\n| `")
    for example in examples:
        program = next((start for start in PROGRAM if example.startswith(start)), None)
        if program is None:
            exec(example, names)
        else:
            status = main(shlex.split(example.removeprefix(program)))
            # 1: no time to arrive
            assert status == (" run " in example), (example, capsys.readouterr().err)
        assert capsys.readouterr().out, example


def test_every_command_of_the_program_is_told_of_somewhere():
    folder, names = (
        PAGE.parent,
        [*CORE, *(name for extension in extensions() for name in extension.commands)],
    )
    text = "".join(
        p.read_text(encoding="utf-8") for p in [folder.parent / "README.md", *folder.rglob("*.md")]
    )
    assert [name for name in names if f"hopfield-nav {name}" not in text] == []
    assert len(names) > 20
