"""The commands check and schema: what a world file or a sweep file may say."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

import typer

from dynamics import BadInput
from hopfield_nav.cli.options import Trusted


def check(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="World or sweep files.")],
    trust: Trusted = False,
) -> int:
    """Check world files and sweep files, and run nothing."""
    status = 0
    for name in files:
        try:
            print(f"{name}: {_check(name, trust)}")
        except BadInput as error:
            print(f"hopfield-nav: {error}", file=sys.stderr, flush=True)
            status = 2
    return status


def schema(
    sweep: Annotated[bool, typer.Option("--sweep", help="Of a sweep file instead.")] = False,
) -> int:
    """Print the JSON Schema of a world file, for editors."""
    from hopfield_nav.sweeps import dump_sweep_schema
    from hopfield_nav.world import dump_schema

    print(json.dumps(dump_sweep_schema() if sweep else dump_schema(), indent=2, ensure_ascii=False))
    return 0


def _check(name: str, trust: bool) -> str:
    """What is said of a good file.

    Raises:
        BadInput: it is none.
    """
    from hopfield_nav.world import (
        Trust,
        find_file,
        read_document,
        remarks,
        sweep_name,
        world_from,
        world_name,
    )

    path = find_file(name)
    document = read_document(path)
    if not _is_sweep(document.data):
        world = world_from(document, path.parent, world_name(path), trust=Trust(trust))
        return "; ".join(["ok", *remarks(world)])
    from hopfield_nav.sweeps import sweep_from

    sweep = sweep_from(document, path.parent, sweep_name(path), Trust(trust))
    runs = "1 run" if sweep.count == 1 else f"{sweep.count} runs"
    return "; ".join([f"ok, {runs}", *sweep.remarks])


def _is_sweep(data: Any) -> bool:
    """Whether the content of a file is meant as a sweep: it names a world or varies keys of one."""
    return isinstance(data, dict) and not data.keys().isdisjoint({"world", "vary", "zip", "random"})
