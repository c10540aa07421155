"""The command view: a run or a plan in a browser."""

import shlex
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from dynamics import BadInput, printable
from hopfield_nav.cli import load_saved_run


def view(
    folder: Annotated[
        Path, typer.Argument(metavar="RUN_OR_PLAN", help="Folder of a run or a plan.")
    ],
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the page there and open nothing.")
    ] = None,
) -> int:
    """Show a run or a plan in the browser: the arm in space, its signals and its map at one time."""
    from hopfield_nav.extensions.viewer.of_plan import describe_plan
    from hopfield_nav.extensions.viewer.of_run import describe_run
    from hopfield_nav.extensions.viewer.template import write_page

    if html is not None and not html.absolute().parent.is_dir():
        raise BadInput(
            "no such folder", where=f"--html {html}", allowed="a file in a folder that exists"
        )
    command = f"hopfield-nav view {shlex.quote(folder.name)}"
    if (folder / "plan.json").is_file():
        description = describe_plan(folder, command)
    else:
        description = describe_run(
            load_saved_run(folder, "`hopfield-nav run` or `hopfield-nav plan`"), command
        )
    path = write_page(description, folder / "view.html" if html is None else html)
    print(printable(str(path)))
    if html is None and not webbrowser.open(path.absolute().as_uri()):
        print("no browser was found here; open the file in one")
    return 0
