"""What several commands share.

Options, and the folder for results, which is tried before anything is computed.
"""

import itertools
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from dynamics import BadInput, told
from dynamics.files import FolderTaken

_CANNOT, _WRITABLE = "cannot write results here", "--out FOLDER in a place that you may write to"


def _world_names(incomplete: str) -> list[str]:
    """Names that a shell may complete a word to; files it knows itself."""
    from hopfield_nav.world import list_worlds

    return [name for name in list_worlds() if name.startswith(incomplete)]


WorldName = Annotated[
    str,
    typer.Argument(
        metavar="WORLD",
        help="World file, or the name of a world that comes along.",
        autocompletion=_world_names,
    ),
]
NoPlots = Annotated[bool, typer.Option("--no-plots", help="Draw no figures.")]
Film = Annotated[bool, typer.Option("--animate", help="Make a film too.")]
Trusted = Annotated[
    bool,
    typer.Option(
        "--trust", help="Execute the Python files that the world names, wherever they lie."
    ),
]
Felt = Annotated[
    Path | None,
    typer.Option("--felt", metavar="RUN", help="Folder of an earlier run: what it felt is known."),
]


def folder_option(name: str) -> Any:
    """The option ``--out`` of a command whose results go to ``runs/NAME`` if it is not given."""
    return typer.Option(help=f"Folder for the results  [default: runs/{name}, then -2, -3]")


def set_option(example: str) -> Any:
    """The option ``--set`` of a command that takes a world."""
    return typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help=f"Change a value of the world: --set {example}. Repeatable.",
    )


def gone_option(name: str, why: str) -> Any:
    """An option that a command once had.

    Who gives it gets one line, ``why``, and what to use in its place.
    """

    def refuse(value: Any) -> None:
        if value:
            raise BadInput("this option is no more", where=name, allowed=why)

    return typer.Option(name, hidden=True, expose_value=False, callback=refuse)


def choose_folder(asked: Path | None, name: str, option: str = "--out") -> Path:
    """The folder for the results.

    The one asked for, or the first free of ``runs/NAME``, ``-2``, ``-3``.
    """
    folder = _first_free(Path("runs") / name) if asked is None else asked
    if asked is not None:
        with told(_CANNOT, folder, _WRITABLE):
            if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
                what = "holds something already; nothing is overwritten"
                raise BadInput(what, where=f"{option} {folder}", allowed="a new or an empty folder")
    with told(_CANNOT, folder.parent, _WRITABLE):
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".try-"):
            pass
    return folder


def save_where_free(
    save: Callable[[Path], object], folder: Path, asked: Path | None, name: str
) -> Path:
    """Save results, at the next free name where another program has taken the folder meanwhile, and say so.

    ``save`` raises ``FolderTaken`` where the folder that it is given holds something; the rest is
    as in ``choose_folder``. Returns where the results are.
    """
    place = folder
    while True:
        try:
            save(place)
            break
        except FolderTaken:
            place = _first_free(asked or Path("runs") / name)
    if place != folder:
        from hopfield_nav.cli.report import say

        say(f"{folder} was taken meanwhile; the results are in {place}")
    return place


def newest_folder(name: str) -> Path | None:
    """The last of ``runs/NAME``, ``-2``, ``-3`` that exists; None where there is none."""
    there = list(itertools.takewhile(Path.exists, _names(Path("runs") / name)))
    return there[-1] if there else None


def _names(base: Path) -> Iterator[Path]:
    return itertools.chain([base], (base.with_name(f"{base.name}-{i}") for i in itertools.count(2)))


def _first_free(base: Path) -> Path:
    return next(folder for folder in _names(base) if not os.path.lexists(folder))
