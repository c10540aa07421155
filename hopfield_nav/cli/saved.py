"""The commands plot, animate, export and compare: what was saved, as pictures, for other programs, and side by side.

All of it is made from the record alone; with ``--seeds`` worlds are compared, over the same seeds.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from dynamics import BadInput, printable, told
from dynamics.files import inside
from hopfield_nav.cli.options import Trusted
from hopfield_nav.plugin import provided

if TYPE_CHECKING:
    from hopfield_nav.figures import Cut
    from hopfield_nav.record import Run
    from hopfield_nav.world import World

Scene = Literal["moveit", "mjcf"]
_SHOWN = (
    "estimator", "measure", "outcome", "simulated_time_s",
    "collision_count", "graze_count", "contact_count", "missed_count", "repeated_alarm_count",
    "delay_p50_s", "delay_p95_s", "delay_max_s",
    "force_at_alarm_p50_N", "force_at_alarm_max_N",
    "force_before_reaction_p50_N", "force_before_reaction_max_N", "peak_contact_force_N",
    "false_alarm_count", "false_alarms_per_hour", "false_alarms_per_hour_low", "false_alarms_per_hour_high",
    "force_error_rms_N", "map_error_m",
    "place_error_p50_m", "place_within_4cm_share", "place_link_share", "final_tool_error_m",
)  # fmt: skip
_RECORD = ("world.yaml", "summary.json", "log.nc")


def plot(
    run: Annotated[
        Path, typer.Argument(metavar="RUN_OR_SWEEP", help="Folder of a run or a sweep.")
    ],
    pdf: Annotated[bool, typer.Option("--pdf", help="PDF beside PNG.")] = False,
    only: Annotated[
        str | None,
        typer.Option(metavar="FIGURE", help="Of a run: this alone, such as convergence."),
    ] = None,
    heat: Annotated[
        str | None, typer.Option(metavar="QUANTITY", help="Of a sweep: a heat map of this alone.")
    ] = None,
    over: Annotated[
        str | None, typer.Option(metavar="A,B", help="Two swept parameters, for --heat.")
    ] = None,
    touch: Annotated[
        int | None,
        typer.Option(metavar="N", help="Of one touch, from 1: with --only network, force_zoom."),
    ] = None,
    width: Annotated[
        float | None,
        typer.Option(metavar="MM", min=40.0, max=500.0, help="Width of a figure, such as 88, 180."),
    ] = None,
    footer: Annotated[
        bool,
        typer.Option("--footer/--no-footer", help="World and settings in grey below a figure."),
    ] = True,
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where they go  [default: RUN/figures]")
    ] = None,
) -> int:
    """Draw the figures of a run or a sweep again, from its record alone."""
    from hopfield_nav.figures import on_sheet

    with on_sheet(None if width is None else 1e-3 * width, footer):
        paths = _draw(run, out, pdf, only, heat, over, touch)
    for path in paths:
        print(printable(str(path)))
    return 0


def _draw(
    run: Path,
    out: Path | None,
    pdf: bool,
    only: str | None,
    heat: str | None,
    over: str | None,
    touch: int | None,
) -> list[Path]:
    """Draw what is asked for of a run or a sweep; the files."""
    if heat is not None or over is not None:
        from hopfield_nav.figures.sweep import draw_heat

        names = [name.strip() for name in (over or "").split(",")]
        if heat is None or len(names) != 2:
            raise BadInput(
                "a heat map is of a quantity over two parameters", where="--over" if heat else "--heat",
                found=over if heat else None, allowed="--heat QUANTITY --over A,B",
            )  # fmt: skip
        return draw_heat(run, heat, names[0], names[1], pdf, out)
    if (run / "sweep.csv").is_file():
        from hopfield_nav.figures.sweep import draw_sweep_figures

        for option, value in (("--touch", touch), ("--only", only)):
            if value is not None:
                raise BadInput("of a run, and this is a sweep", where=option, found=value)
        return draw_sweep_figures(run, pdf=pdf, out=out)
    return draw_run(load_saved_run(run), run, pdf, only, touch, out)


def animate(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run.")],
    fps: Annotated[int, typer.Option(min=1, max=120, help="Frames a second.")] = 30,
    begin: Annotated[
        float, typer.Option("--from", min=0.0, help="First simulated time [s].")
    ] = 0.0,
    end: Annotated[
        float | None,
        typer.Option("--to", min=0.0, help="Last simulated time [s]  [default: the end]"),
    ] = None,
    size: Annotated[str, typer.Option(metavar="WIDTHxHEIGHT", help="In pixels.")] = "1280x720",
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE.mp4", help="Where it goes  [default: RUN/animation.mp4]"),
    ] = None,
) -> int:
    """Make the film of a run, as mp4."""
    from hopfield_nav.figures import Cut

    if out is not None and out.suffix != ".mp4":
        raise BadInput("not the name of a film", where="--out", found=str(out), allowed="FILE.mp4")

    width, times, height = size.lower().partition("x")
    if not (times and width.isdecimal() and height.isdecimal()):
        raise BadInput(
            "not understood", where="--size", found=size, allowed="WIDTHxHEIGHT, such as 1920x1080"
        )
    cut = Cut(begin, end, fps, (int(width), int(height)))
    with told("cannot be written", run if out is None else out):
        path = film_run(load_saved_run(run), run, cut, out)
    print(printable(str(path)))
    return 0


def export(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run.")],
    as_csv: Annotated[
        bool, typer.Option("--csv", help="signals.csv, events.csv, link_forces.csv.")
    ] = False,
    as_mat: Annotated[bool, typer.Option("--mat", help="run.mat, for MATLAB and Octave.")] = False,
    as_rtde: Annotated[
        bool, typer.Option("--rtde", help="rtde.csv, as the recorder of ur_rtde writes it.")
    ] = False,
    scene: Annotated[
        Scene | None,
        typer.Option(help="What was known and felt: planning_scene.yaml, or scene.xml."),
    ] = None,
    frame: Annotated[str, typer.Option(help="Name of the arm's frame 0 in MoveIt.")] = "base",
    every: Annotated[
        int, typer.Option(min=1, metavar="N", help="Each N-th row of the signals.")
    ] = 1,
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


def draw_run(
    run: "Run",
    folder: Path,
    pdf: bool = False,
    only: str | None = None,
    touch: int | None = None,
    out: Path | None = None,
) -> list[Path]:
    """Draw the figures of a run into its folder, or ``out``, on two processors where there are as many."""
    from hopfield_nav.figures import can_copy
    from hopfield_nav.figures.run import draw_run_figures

    place = folder / "figures" if out is None else out
    if out is None:
        inside(place, folder)
    of_one = {} if touch is None else {"touch": touch}
    with told("cannot be written", place):
        return draw_run_figures(run, place, pdf=pdf, two_processes=can_copy(), only=only, **of_one)


def film_run(run: "Run", folder: Path, cut: "Cut | None" = None, out: Path | None = None) -> Path:
    """Make the film of a run, or of a part of it, in its folder or as the file ``out``."""
    from hopfield_nav.cli.report import count_bar
    from hopfield_nav.figures import Cut, can_copy
    from hopfield_nav.figures.run import animate_run

    with count_bar("film", "frames") as progress:
        path = folder / "animation" if out is None else out.with_suffix("")
        return animate_run(run, path, progress, cut or Cut(), two_processes=can_copy())


def load_saved_run(
    folder: Path, makers: str = "`hopfield-nav run` or `hopfield-nav sweep`"
) -> "Run":
    """Read the run of a folder; a message names the commands, ``makers``, that make what is needed here."""
    missing = [name for name in _RECORD if not (folder / name).is_file()]
    if missing:
        what = "not the folder of a run" if folder.is_dir() else "no such folder"
        found = f"no {', '.join(missing)}" if folder.is_dir() else None
        raise BadInput(what, where=str(folder), found=found, allowed=f"a folder that {makers} made")
    from hopfield_nav.record import load_run

    return load_run(folder)


def compare(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN...", help="Folders of saved runs; with --seeds worlds."),
    ],
    seeds: Annotated[
        int | None, typer.Option(min=1, max=100_000, help="Run every world with so many seeds.")
    ] = None,
    trust: Trusted = False,
) -> int:
    """Saved runs side by side: keys that differ, delays, misses, false alarms; or worlds, seed by seed."""
    if seeds is not None:
        return int(
            provided("compare_worlds", "--seeds")([str(path) for path in runs], seeds, trust)
        )
    from hopfield_nav.cli.report import print_columns
    from hopfield_nav.record import SCORE, SUMMARY, load_run

    if len(runs) < 2:
        raise BadInput("nothing to compare", found=f"{len(runs)} run", allowed="two runs or more")
    numbers, worlds, made = {}, [], []
    names = [folder.resolve().name for folder in runs]
    for name, folder in zip(names, runs, strict=True):
        run = load_run(folder)
        numbers[name if names.count(name) == 1 else str(folder)] = _numbers_of(folder, run)
        worlds.append(run.world)
        versions = run.summary.get("versions", {})  # older records do not name the sources
        made.append(f"{versions.get('hopfield-nav', '–')} {versions.get('sources', '')}".strip())
    quantities = {key: {**SUMMARY, **SCORE}[key] for key in _SHOWN}
    rows = differing_keys(worlds) + ([["made by", *made]] if len(set(made)) > 1 else [])
    rows += [
        [quantity.label, *(quantity.text(found.get(key)) for found in numbers.values())]
        for key, quantity in quantities.items()
    ]
    print_columns(["", *numbers], rows)
    return 0


def differing_keys(worlds: "Sequence[World]") -> list[list[str]]:
    """The keys whose values differ, each with the value of every world; a dash where one has no such key.

    A file of somebody's own goes by its name, without its folder, where that tells it from others.
    """
    from hopfield_nav.world import flat_values

    every = [flat_values(world) for world in worlds]
    flat: list[dict[str, str]] = [{} for _ in worlds]
    for key in dict.fromkeys(key for values in every for key in values):
        given = [values.get(key) for values in every]
        short = [_without_folder(value) for value in given]
        told_apart = len(set(map(str, short))) == len(set(map(str, given)))
        for one, values, value in zip(flat, every, short if told_apart else given, strict=True):
            if key in values:
                one[key] = printable(value if isinstance(value, str) else json.dumps(value), 40)
    keys = [key for key in dict.fromkeys(k for one in flat for k in one) if key != "description"]
    rows = [[key, *(one.get(key, "–") for one in flat)] for key in keys]
    return [row for row in rows if len(set(row[1:])) > 1]


def _without_folder(value: object) -> object:
    """``FILE.py:NAME`` without the folder of the file; any other value as it is."""
    from hopfield_nav.world import is_code

    if isinstance(value, str) and is_code(value):
        return value.replace("\\", "/").rpartition("/")[2]
    return value


def _numbers_of(folder: Path, run: "Run") -> dict[str, Any]:
    """Summary and score of a saved run, by the names of the table."""
    from hopfield_nav.record import marks_score, score_run

    if run.data.sizes["time"] == 0:
        raise BadInput(
            "the run has no recorded signals", where=str(folder), allowed="record.signals: all"
        )
    words = {"estimator": run.world.detection.estimator, "measure": run.world.detection.measure}
    scores = score_run(run).summary()
    return {**run.summary, **scores, **words, **marks_score(run)}
