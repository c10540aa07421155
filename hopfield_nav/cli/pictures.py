"""The commands plot and animate: pictures of what was saved, from its record alone."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynamics import BadInput, printable
from dynamics.files import inside

if TYPE_CHECKING:
    from hopfield_nav.figures import Cut
    from hopfield_nav.record import Run

_RECORD = ("world.yaml", "summary.json", "log.nc")


def plot(
    run: Annotated[Path, typer.Argument(metavar="RUN_OR_SWEEP", help="Folder of a run or a sweep.")],
    pdf: Annotated[bool, typer.Option("--pdf", help="PDF beside PNG.")] = False,
    only: Annotated[
        str | None, typer.Option(metavar="FIGURE", help="Of a run: this alone, such as convergence.")
    ] = None,
    heat: Annotated[str | None, typer.Option(metavar="QUANTITY", help="Of a sweep: a heat map of this alone.")] = None,
    over: Annotated[str | None, typer.Option(metavar="A,B", help="Two swept parameters, for --heat.")] = None,
) -> int:
    """Draw the figures of a run or a sweep again, from its record alone."""
    if heat is not None or over is not None:
        from hopfield_nav.figures.sweep import draw_heat

        names = [name.strip() for name in (over or "").split(",")]
        if heat is None or len(names) != 2:
            raise BadInput(
                "a heat map is of a quantity over two parameters", where="--over" if heat else "--heat",
                found=over if heat else None, allowed="--heat QUANTITY --over A,B",
            )  # fmt: skip
        paths = draw_heat(run, heat, names[0], names[1], pdf)
    elif (run / "sweep.csv").is_file():
        from hopfield_nav.figures.sweep import draw_sweep_figures

        paths = draw_sweep_figures(run, pdf=pdf)
    else:
        paths = draw_run(load_saved_run(run), run, pdf, only)
    for path in paths:
        print(printable(str(path)))
    return 0


def animate(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run.")],
    fps: Annotated[int, typer.Option(min=1, max=120, help="Frames a second.")] = 30,
    begin: Annotated[float, typer.Option("--from", min=0.0, help="First simulated time [s].")] = 0.0,
    end: Annotated[
        float | None, typer.Option("--to", min=0.0, help="Last simulated time [s]  [default: the end]")
    ] = None,
    size: Annotated[str, typer.Option(metavar="WIDTHxHEIGHT", help="In pixels.")] = "1280x720",
) -> int:
    """Make the film of a run, as mp4."""
    from hopfield_nav.figures import Cut

    width, times, height = size.lower().partition("x")
    if not (times and width.isdecimal() and height.isdecimal()):
        raise BadInput("not understood", where="--size", found=size, allowed="WIDTHxHEIGHT, such as 1920x1080")
    cut = Cut(begin, end, fps, (int(width), int(height)))
    print(printable(str(film_run(load_saved_run(run), run, cut))))
    return 0


def draw_run(run: "Run", folder: Path, pdf: bool = False, only: str | None = None) -> list[Path]:
    """Draw the figures of a run into its folder, on two processors where there are as many."""
    from hopfield_nav.figures import can_copy
    from hopfield_nav.figures.run import draw_run_figures

    inside(folder / "figures", folder)
    return draw_run_figures(run, folder / "figures", pdf=pdf, two_processes=can_copy(), only=only)


def film_run(run: "Run", folder: Path, cut: "Cut | None" = None) -> Path:
    """Make the film of a run in its folder, or of a part of it."""
    from hopfield_nav.cli.report import count_bar
    from hopfield_nav.figures import Cut, can_copy
    from hopfield_nav.figures.run import animate_run

    with count_bar("film", "frames") as progress:
        return animate_run(run, folder / "animation", progress, cut or Cut(), two_processes=can_copy())


def load_saved_run(folder: Path, makers: str = "`hopfield-nav run` or `hopfield-nav sweep`") -> "Run":
    """Read the run of a folder; a message names the commands, ``makers``, that make what is needed here."""
    missing = [name for name in _RECORD if not (folder / name).is_file()]
    if missing:
        what = "not the folder of a run" if folder.is_dir() else "no such folder"
        found = f"no {', '.join(missing)}" if folder.is_dir() else None
        raise BadInput(what, where=str(folder), found=found, allowed=f"a folder that {makers} made")
    from hopfield_nav.record import load_run

    return load_run(folder)
