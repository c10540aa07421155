"""The command list: what a world may name, a line each."""

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from shutil import get_terminal_size
from textwrap import fill
from typing import Annotated

import typer

from dynamics import printable, require_known

_METHODS = {
    "laws": "controller", "estimators": "estimator", "detectors": "detector", "planners": "planner",
    "responses": "response", "beliefs": "belief", "spaces": "navigator", "engines": "engine",
}  # fmt: skip
KINDS = ("worlds", "arms", *_METHODS, "sweeps", "suites")


def _begin_with(incomplete: str) -> list[str]:
    return [kind for kind in KINDS if kind.startswith(incomplete)]


def list_(
    what: Annotated[
        str, typer.Argument(metavar="WHAT", help=", ".join(KINDS) + ".", autocompletion=_begin_with, show_default=False)
    ],
) -> int:
    """List the worlds, arms, control laws, detectors, planners, sweeps, suites … that come along."""
    require_known(what, KINDS, "unknown list")
    lines = describe_known(what)
    width = max(map(len, lines), default=0)
    wide = get_terminal_size().columns if sys.stdout.isatty() or "COLUMNS" in os.environ else sys.maxsize
    indent = " " * min(width + 2, wide // 3)
    for name, line in lines.items():
        print(fill(printable(f"{name:{width}}  {line}"), wide, subsequent_indent=indent, break_long_words=False))
    return 0


def describe_known(what: str) -> Mapping[str, str]:
    """One sentence on each thing of a kind that comes with the program, by name; ``what`` is in ``KINDS``."""
    if what in _METHODS:
        from hopfield_nav.plugin import find_method, method_names

        kind = _METHODS[what]
        return {name: find_method(kind, name).description for name in method_names(kind)}
    from hopfield_nav.world import read_document

    texts = {name: str(read_document(path).data.get("description", "")) for name, path in files_of(what).items()}
    # up to the first full stop, in one line
    return {name: re.split(r"\.\s|\.$", " ".join(text.split()), maxsplit=1)[0] for name, text in texts.items()}


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
