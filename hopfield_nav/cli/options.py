"""Options that several commands share: their words, and how a list of joints is read."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from dynamics import BadInput


def _world_names(incomplete: str) -> list[str]:
    """Names that a shell may complete a word to; files it knows itself."""
    from hopfield_nav.world import list_worlds

    return [name for name in list_worlds() if name.startswith(incomplete)]


WorldName = Annotated[
    str,
    typer.Argument(
        metavar="WORLD", help="World file, or the name of a world that comes along.", autocompletion=_world_names
    ),
]
NoPlots = Annotated[bool, typer.Option("--no-plots", help="Draw no figures.")]
Film = Annotated[bool, typer.Option("--animate", help="Make a film too.")]
Trusted = Annotated[
    bool, typer.Option("--trust", help="Execute the Python files that the world names, wherever they lie.")
]
Felt = Annotated[
    Path | None, typer.Option("--felt", metavar="RUN", help="Folder of an earlier run: what it felt is known.")
]
SameMotor = Annotated[
    list[str] | None,
    typer.Option(metavar="JOINTS", help="Joints with one motor constant: --same-motor 4,5,6. Repeatable."),
]


def folder_option(name: str) -> Any:
    """The option ``--out`` of a command whose results go to ``runs/NAME`` if it is not given."""
    return typer.Option(help=f"Folder for the results  [default: runs/{name}, then -2, -3]")


def set_option(example: str) -> Any:
    """The option ``--set`` of a command that takes a world."""
    return typer.Option("--set", metavar="KEY=VALUE", help=f"Change a value of the world: --set {example}. Repeatable.")


def gone_option(name: str, why: str) -> Any:
    """An option that a command once had: who gives it gets one line, ``why``, and what to use in its place."""

    def refuse(value: Any) -> None:
        if value:
            raise BadInput("this option is no more", where=name, allowed=why)

    return typer.Option(name, hidden=True, expose_value=False, callback=refuse)


def read_joints(groups: Sequence[str] | None) -> list[list[int]]:
    """The joints of every ``--same-motor``, counted from 1; BadInput for other than whole numbers."""
    joints = []
    for text in groups or ():
        try:
            joints.append([int(part) for part in text.split(",")])
        except ValueError:
            raise BadInput("no joints", where="--same-motor", found=text, allowed="such as 4,5,6") from None
    return joints
