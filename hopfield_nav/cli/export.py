"""The command export: a saved run for other programs."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from dynamics import BadInput, printable, told
from hopfield_nav.cli.pictures import load_saved_run
from hopfield_nav.plugin import provided

Scene = Literal["moveit", "mjcf"]


def export(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run.")],
    as_csv: Annotated[bool, typer.Option("--csv", help="signals.csv, events.csv, link_forces.csv.")] = False,
    as_mat: Annotated[bool, typer.Option("--mat", help="run.mat, for MATLAB and Octave.")] = False,
    as_rtde: Annotated[bool, typer.Option("--rtde", help="rtde.csv, as the recorder of ur_rtde writes it.")] = False,
    scene: Annotated[
        Scene | None, typer.Option(help="What was known and felt: planning_scene.yaml, or scene.xml.")
    ] = None,
    frame: Annotated[str, typer.Option(help="Name of the arm's frame 0 in MoveIt.")] = "base",
    every: Annotated[int, typer.Option(min=1, metavar="N", help="Each N-th row of the signals.")] = 1,
    out: Annotated[Path | None, typer.Option(help="Folder to write to  [default: RUN]")] = None,
) -> int:
    """Write the signals of a run as tables or for MATLAB, or what it knew and felt as a scene."""
    if not (as_csv or as_mat or as_rtde or scene):
        raise BadInput("no format", allowed="--csv, --mat, --rtde, --scene or more of them")
    from hopfield_nav.record import export_csv, export_mat, export_mjcf, export_moveit

    loaded, folder = load_saved_run(run), out or run
    with told("cannot be written", folder):
        folder.mkdir(parents=True, exist_ok=True)
        paths = export_csv(loaded, folder, every) if as_csv else []
        paths += [export_mat(loaded, folder / "run.mat", every)] if as_mat else []
        if scene == "moveit":
            paths.append(export_moveit(loaded, folder / "planning_scene.yaml", frame))
        if scene == "mjcf":
            paths.append(export_mjcf(loaded, folder / "scene.xml"))
        if as_rtde:
            paths.append(provided("export_rtde", "--rtde")(loaded, folder / "rtde.csv"))
    for path in paths:
        print(printable(str(path)))
    return 0
