"""The command network: the network to play with, in a browser."""

import shlex
import tempfile
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from dynamics import BadInput, printable
from hopfield_nav.cli import Trusted, load_saved_run


def network(
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="[WORLD_OR_RUN]",
            help="World file or name, or the folder of a run, whose map is on the page.",
        ),
    ] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the page there and open nothing.")
    ] = None,
    trust: Trusted = False,
) -> int:
    """Open the network to play with in the browser: draw a wall, and it answers."""
    from dynamics.files import write_whole
    from hopfield_nav.extensions.network.of_run import describe_run, describe_world
    from hopfield_nav.extensions.network.template import page_text
    from hopfield_nav.world import load_world

    if html is not None and not html.absolute().parent.is_dir():
        raise BadInput(
            "no such folder", where=f"--html {html}", allowed="a file in a folder that exists"
        )
    told = None
    folder = None
    if source is not None and Path(source).is_dir():
        told = describe_run(load_saved_run(Path(source)))
        folder = Path(source)
    elif source is not None:
        told = describe_world(load_world(source, [], trust))
    words = "hopfield-nav network" + ("" if source is None else f" {shlex.quote(source)}")
    place = html or (folder or Path(tempfile.mkdtemp(prefix="hopfield-nav-"))) / "network.html"
    path = write_whole(place, page_text(told, words))
    print(printable(str(path)))
    if html is None and not webbrowser.open(path.absolute().as_uri()):
        print("no browser was found here; open the file in one")
    return 0
