"""The commands list and new: what comes along, a line each, and a file to begin with."""

import os
import re
import sys
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from shutil import get_terminal_size
from textwrap import fill
from typing import Annotated

import typer

from dynamics import BadInput, nearest_name, printable, require_known

_METHODS = {
    "laws": "controller", "estimators": "estimator", "detectors": "detector", "planners": "planner",
    "responses": "response", "beliefs": "belief", "spaces": "navigator", "engines": "engine",
}  # fmt: skip
_NEXT = {  # commands for what was written
    "worlds": ("check", "run"), "sweeps": ("check", "sweep"), "suites": ("check", "bench"), "arms": ("check",),
}  # fmt: skip
# a file, as a bundled one may name another
_BESIDE = re.compile(r"(?<![\w./-])[\w./-]+\.(?:py|yaml)\b")
KINDS = ("worlds", "arms", *_METHODS, "sweeps", "suites")


def _begin_with(incomplete: str) -> list[str]:
    return [kind for kind in KINDS if kind.startswith(incomplete)]


def list_(
    what: Annotated[
        str,
        typer.Argument(
            metavar="WHAT",
            help=", ".join(KINDS) + ".",
            autocompletion=_begin_with,
            show_default=False,
        ),
    ],
) -> int:
    """List the worlds, arms, control laws, detectors, planners, sweeps, suites … that come along."""
    require_known(what, KINDS, "unknown list")
    lines = describe_known(what)
    width = max(map(len, lines), default=0)
    wide = (
        get_terminal_size().columns
        if sys.stdout.isatty() or "COLUMNS" in os.environ
        else sys.maxsize
    )
    indent = " " * min(width + 2, wide // 3)
    for name, line in lines.items():
        print(
            fill(
                printable(f"{name:{width}}  {line}"),
                wide,
                subsequent_indent=indent,
                break_long_words=False,
            )
        )
    return 0


def describe_known(what: str) -> Mapping[str, str]:
    """One sentence on each thing of a kind that comes with the program, by name.

    ``what`` is in ``KINDS``.
    """
    if what in _METHODS:
        from hopfield_nav.plugin import loadable_methods

        return {name: one.description for name, one in loadable_methods(_METHODS[what]).items()}
    from hopfield_nav.world import read_document

    texts = {
        name: str(read_document(path).data.get("description", ""))
        for name, path in files_of(what).items()
    }
    # up to the first full stop, in one line
    return {
        name: re.split(r"\.\s|\.$", " ".join(text.split()), maxsplit=1)[0]
        for name, text in texts.items()
    }


def files_of(what: str) -> dict[str, Path]:
    """The worlds, arms, sweeps or suites that come with the program, by name."""
    if what == "arms":
        from dynamics import arm_file, list_arms

        return {name: arm_file(name) for name in list_arms()}
    if what == "suites":
        from hopfield_nav.plugin import find_provided, provided

        find = find_provided("find_suite")  # none of them without its extension
        return {name: find(name) for name in provided("list_suites", "suites")()} if find else {}
    from hopfield_nav.world import find_sweep, find_world, list_sweeps, list_worlds

    if what == "worlds":
        return {name: find_world(name) for name in list_worlds()}
    return {name: find_sweep(name) for name in list_sweeps()}


def new(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File to write, FILE.yaml.")],
    source: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="NAME",
            help="Copy a world, sweep or suite that comes along: u_trap, suites/whole_arm.",
        ),
    ] = None,
    arm: Annotated[bool, typer.Option("--arm", help="An arm file instead.")] = False,
) -> int:
    """Write a world file with comments, to begin with: it checks and runs as it is."""
    if file.suffix not in (".yaml", ".yml"):
        raise BadInput("not the name of a world file", found=str(file), allowed="FILE.yaml")
    name = printable(str(file))
    if arm and source is not None:
        raise BadInput(
            "an arm file is no copy",
            where="--arm",
            found=f"--from {source}",
            allowed="one of the two",
        )
    if source is None:
        kind, template = ("arms", "arm_template.yaml") if arm else ("worlds", "template.yaml")
        text = (
            (resources.files("hopfield_nav.cli") / template)
            .read_text(encoding="utf-8")
            .replace("FILE", name)
        )
    else:
        kind, text = _bundled(source)
    try:
        with file.open("x", encoding="utf-8") as opened:
            opened.write(text)
    except FileExistsError:
        raise BadInput("is there already; nothing is overwritten", where=str(file)) from None
    except OSError as error:
        raise BadInput(f"cannot be written: {error.strerror or error}", where=str(file)) from None
    then = [f"`arm: {name}` in a world"] if arm else []
    commands = " and ".join(
        [*(f"`hopfield-nav {command} {name}`" for command in _NEXT[kind]), *then]
    )
    print(f"{name}: to be changed; {commands} come{'s' * (len(_NEXT[kind]) + len(then) == 1)} next")
    return 0


def _bundled(source: str) -> tuple[str, str]:
    """The kind of a bundled file, ``NAME`` or ``KIND/NAME``, and its text, which can be read from anywhere."""
    found = [
        (kind, name, path)
        for kind in ("worlds", "sweeps", "suites")
        for name, path in files_of(kind).items()
    ]
    fits = [(kind, path) for kind, name, path in found if source in (name, f"{kind}/{name}")]
    if not fits:
        allowed = "a name from hopfield-nav list worlds, sweeps or suites"
        nearest = nearest_name(source, [name for _, name, _ in found])
        what = "nothing of that name comes along"
        raise BadInput(what, where="--from", found=source, allowed=allowed, nearest=nearest)
    kind, path = fits[0]
    return kind, _BESIDE.sub(
        lambda match: _from_anywhere(match[0], path), path.read_text(encoding="utf-8")
    )


def _from_anywhere(word: str, source: Path) -> str:
    """A word of a bundled file.

    Where it names a file beside it, that file's name if it is a world, or its path.
    """
    from hopfield_nav.world import world_folders

    path = (source.parent / word).resolve()
    if not path.is_file():
        return word
    return path.stem if path.parent in world_folders() else path.as_posix()
