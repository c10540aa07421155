"""The code on a page, and what becomes of it when it is typed in an empty folder.

    python scripts/documentation/snippets.py PAGE...

runs pages one after the other, each in an empty folder, and says how long each took. The language
of a block says what is done with it. ``python`` is executed, ``bash`` typed line by line. Of
``console`` what is behind ``$`` is typed, and the rest compared with what comes. ``yaml`` is read
as a world or a sweep, ``text`` is left alone. A block with a ``title`` is written to a file of that
name. What is not run stands in ``not_run.yaml``. Of the checkout a block finds what the wheel has,
and nothing else (tests/project/test_wheel.py compares the two): the same files, already compiled.

The pages ``IN_A_SHELL`` begin with an environment of their own: ``as_typed`` makes a script for
bash of them.
"""

import contextlib
import io
import os
import re
import runpy
import shlex
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any
from unittest.mock import patch

import yaml

ROOT = Path(__file__).resolve().parents[2]
LANGUAGES = ("python", "bash", "console", "yaml", "toml", "text")
INSTALLED = ("hopfield_nav", "dynamics", "worlds")  # folders of the checkout that the wheel has
IN_A_SHELL = ("README.md", "docs/first_hour.md")
RECORDINGS = "ur5_kufieta2014"  # a folder of recordings that pages name
_FENCE = re.compile(r"^```(\w*)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_PRINTED = re.compile(r"^print\(.*\)  # (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block: its page, line, language, the file it is for, and its text."""

    page: str
    line: int
    language: str
    title: str
    text: str


def pages() -> list[str]:
    """Every page with code to run, relative to the checkout."""
    places = ("README.md", "docs/*.md", "docs/lab/*.md", "docs/reference/*.md")
    return sorted(str(p.relative_to(ROOT)) for place in places for p in ROOT.glob(place))


def blocks(page: str) -> list[Block]:
    """The fenced blocks of a page in their order."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return [
        Block(page, text.count("\n", 0, found.start()) + 1, found[1], found[2] or "", found[3])
        for found in _FENCE.finditer(text)
    ]


@cache
def not_run() -> list[dict[str, str]]:
    """What is not run: page, how the block or command begins, reason."""
    return yaml.safe_load((Path(__file__).parent / "not_run.yaml").read_text(encoding="utf-8"))


def reason_not_to_run(page: str, text: str) -> str | None:
    """Why a block or a command is not run; None where it is."""
    for entry in not_run():
        if entry["page"] in (page, "every") and text.startswith(entry["begins"]):
            return entry["reason"]
    return None


def commands(text: str) -> list[str]:
    """The commands of a shell block, comments and line ends taken out."""
    lines = text.replace("\\\n", " ").splitlines()
    return [line for line in lines if shlex.split(line, comments=True)]


def as_typed(given: Sequence[Block]) -> str:
    """A script that types blocks in one bash; it ends at the first command that fails, with a line that names it.

    Python blocks that follow each other are one program. The test suite is not typed.
    """
    lines = ['went() { [ "$1" = 0 ] || { echo "FAILED with status $1: $2" >&2; exit 1; }; }']
    for (language, title), group in groupby(given, key=lambda block: (block.language, block.title)):
        found = list(group)
        if title or language == "python":
            into = f"cat > {shlex.quote(title)}" if title else "python -"
            text = "".join(block.text for block in found)
            lines += [
                f"{into} <<'END_OF_BLOCK'\n{text}END_OF_BLOCK",
                f"went $? {found[0].page}:{found[0].line}",
            ]
        elif language == "bash":
            for where, command in (
                (f"{b.page}:{b.line}", command) for b in found for command in commands(b.text)
            ):
                if not command.endswith("-m pytest"):
                    lines += [command, f"went $? {shlex.quote(f'{where}: {command}')}"]
    return "\n".join(lines) + "\n"


def expected_prints(given: Sequence[Block]) -> list[str]:
    """What Python blocks say that they print."""
    return [
        line
        for block in given
        if block.language == "python"
        for line in _PRINTED.findall(block.text)
    ]


def run_page(page: str) -> list[str]:
    """Run a page in the current folder; what was not as it says, a sentence each. A block that raises ends it."""
    wrong: list[str] = []
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks(page):
        if block.language != "bash" and reason_not_to_run(page, block.text) is not None:
            continue
        not_run()  # read before the block is alone
        try:
            with as_installed() as read:
                wrong += [f"{page}:{block.line}: {words}" for words in _run(block, names)]
            wrong += [
                f"{page}:{block.line}: reads {path}, which is not installed"
                for path in sorted(read)
            ]
        except Exception as error:
            return [*wrong, f"{page}:{block.line}: {type(error).__name__}: {error}"]
    return wrong


@contextlib.contextmanager
def as_installed() -> Iterator[set[str]]:
    """Hide the checkout's modules that the wheel does not have; gives what is read of its other files."""
    path, modules = list(sys.path), dict(sys.modules)
    sys.path[:] = [entry for entry in path if not _is_left_behind(entry)]
    for name, module in modules.items():
        if name != "__main__" and _is_left_behind(getattr(module, "__file__", None)):
            del sys.modules[name]
    _watching.append(set())
    try:
        yield _watching[-1]
    finally:
        _watching.pop()
        sys.path[:] = path
        sys.modules.update(modules)


_CHECKOUT = str(ROOT) + os.sep
_watching: list[set[str]] = []


def _is_left_behind(path: Any) -> bool:
    """Whether a path is one of the checkout that the wheel does not have; ``.venv`` is neither's."""
    if not isinstance(path, str) or not os.path.abspath(path).startswith(_CHECKOUT):
        return False
    first = os.path.abspath(path).removeprefix(_CHECKOUT).split(os.sep)[0]
    return first not in INSTALLED and not first.startswith(".")


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and _watching and _is_left_behind(arguments[0]):
        _watching[-1].add(arguments[0])


# it stays for the life of the process, and does nothing while nobody watches
sys.addaudithook(_note)


def _run(block: Block, names: dict[str, Any]) -> Iterator[str]:
    if block.title:
        Path(block.title).parent.mkdir(parents=True, exist_ok=True)
        Path(block.title).write_text(block.text, encoding="utf-8")
    elif block.language == "yaml":
        _read_yaml(block)
    elif block.language == "python":
        code = compile(block.text, f"{block.page}:{block.line}", "exec")
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(code, names)
        told, expected = printed.getvalue().splitlines(), _PRINTED.findall(block.text)
        if expected and told != expected:
            yield f"prints {told}, and not {expected}"
    elif block.language == "bash":
        for command in commands(block.text):
            if reason_not_to_run(block.page, command) is None:
                status, told = typed(command)
                if status:
                    yield f"{command!r} ends with status {status}: {told}"
    elif block.language == "console":
        for part in block.text.removeprefix("$ ").split("\n$ "):
            command, _, expected = part.partition("\n")
            _, told = typed(command)
            if not _matches(expected, told):
                yield f"{command!r} tells {told!r}"


def _matches(expected: str, told: str) -> bool:
    """Whether two texts are equal; ``…`` stands for anything."""
    pattern = ".*".join(re.escape(part) for part in expected.strip().split("…"))
    return re.fullmatch(pattern, told.strip(), re.DOTALL) is not None


def _read_yaml(block: Block) -> None:
    """Read a block as a world or as a sweep; what says no ``format`` is part of one."""
    from hopfield_nav import load_sweep, load_world

    path = Path(f"page_{block.line}.yaml")
    text = block.text if block.text.startswith("format:") else f"format: 1\n{block.text}"
    path.write_text(text, encoding="utf-8")
    keys = yaml.safe_load(text)
    (load_sweep if {"vary", "zip", "random"} & set(keys) else load_world)(path)


def typed(command: str) -> tuple[int, str]:
    """Type a command in the current folder; its exit status and what it wrote."""
    from hopfield_nav.cli.app import main

    words = shlex.split(command, comments=True)
    into = None
    if len(words) > 2 and words[-2] == ">":
        *words, _, into = words
    status = 0
    told = io.StringIO()
    with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
        if words[0] == "hopfield-nav":
            status = main(words[1:])
        elif words[0] == "python" and words[1].endswith(".py"):
            with patch.object(sys, "argv", words[1:]):
                runpy.run_path(words[1], run_name="__main__")
        else:
            raise ValueError(f"neither hopfield-nav nor python: {command!r}")
    if into:
        Path(into).write_text(told.getvalue(), encoding="utf-8")
    return status, told.getvalue()


def main() -> None:
    """Run pages, each in an empty folder, and say how long each took."""
    os.environ |= {"MPLBACKEND": "Agg", "BROWSER": "true"}
    for page in sys.argv[1:] or pages():
        begun = time.process_time(), time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            data = Path(os.environ.get("HOPFIELD_NAV_DATA") or ROOT.parent / "shared" / "data")
            if (data / RECORDINGS).is_dir():
                (Path(folder) / RECORDINGS).symlink_to(data / RECORDINGS)
            with contextlib.chdir(folder):
                wrong = run_page(page)
        used = time.process_time() - begun[0], time.monotonic() - begun[1]
        print(
            f"{page}: {used[0]:.1f} s of processor, {used[1]:.1f} s",
            *wrong,
            sep="\n    ",
            flush=True,
        )


if __name__ == "__main__":
    main()
