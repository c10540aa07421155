"""The command new: a world file to begin with."""

from importlib import resources
from pathlib import Path
from typing import Annotated

import typer

from dynamics import BadInput, printable


def new(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="World file to write, FILE.yaml.")],
    arm: Annotated[bool, typer.Option("--arm", help="An arm file instead.")] = False,
) -> int:
    """Write a world file with comments, to begin with: it checks and runs as it is."""
    if file.suffix not in (".yaml", ".yml"):
        raise BadInput("not the name of a world file", found=str(file), allowed="FILE.yaml")
    name = printable(str(file))
    text = (resources.files("hopfield_nav.cli") / ("arm_template.yaml" if arm else "template.yaml")).read_text(
        encoding="utf-8"
    )
    try:
        with file.open("x", encoding="utf-8") as opened:
            opened.write(text.replace("FILE", name))
    except FileExistsError:
        raise BadInput("is there already; nothing is overwritten", where=str(file)) from None
    except OSError as error:
        raise BadInput(f"cannot be written: {error.strerror or error}", where=str(file)) from None
    then = f"`arm: {name}` in a world" if arm else f"`hopfield-nav run {name}`"
    print(f"{name}: to be changed; `hopfield-nav check {name}` and {then} come next")
    return 0
