"""The commands check and schema: what a world file or a sweep file may say."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dynamics import BadInput, printable
from hopfield_nav.cli.options import Trusted
from hopfield_nav.cli.refused import say_refused

if TYPE_CHECKING:
    from hopfield_nav.sweeps import Sweep, Tried
    from hopfield_nav.world import Document

_PATIENCE = 60.0  # [s] after which no other combination of a sweep is tried


def check(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="World or sweep files.")],
    picture: Annotated[
        bool, typer.Option("--picture", help="Draw each world, as WORLD.png in the current folder.")
    ] = False,
    trust: Trusted = False,
) -> int:
    """Check world files and sweep files: every fault, and what `run` would refuse or warn of."""
    status = 0
    for name in files:
        try:
            print(printable(f"{name}: {_check(name, picture, trust)}"), flush=True)
        except BadInput as error:
            status = say_refused(error)
    return status


def schema(sweep: Annotated[bool, typer.Option("--sweep", help="Of a sweep file instead.")] = False) -> int:
    """Print the JSON Schema of a world file, for editors."""
    from hopfield_nav.sweeps import dump_sweep_schema
    from hopfield_nav.world import dump_schema

    ascii_alone = sys.stdout.encoding.lower() != "utf-8"  # JSON has escapes of its own
    print(json.dumps(dump_sweep_schema() if sweep else dump_schema(), indent=2, ensure_ascii=ascii_alone))
    return 0


def _check(name: str, picture: bool, trust: bool) -> str:
    """What is said of a good file; BadInput if it is none."""
    from hopfield_nav.world import Trust, find_file, read_document, sweep_name

    path = find_file(name)
    document = read_document(path)
    if not _is_sweep(document.data):
        return _check_world(document, path, picture, trust)
    if picture:
        raise BadInput("a sweep has no picture", where=name, allowed="--picture with world files")
    from hopfield_nav.sweeps import sweep_from

    return _check_sweep(sweep_from(document, path.parent, sweep_name(path), Trust(trust)), name)


def _check_sweep(sweep: "Sweep", name: str) -> str:
    from hopfield_nav.cli.report import count_bar, say_if_cold
    from hopfield_nav.sweeps import try_combinations
    from hopfield_nav.world import together

    say_if_cold()
    with count_bar("tried", "combinations") as progress:
        tried = try_combinations(sweep, _PATIENCE, progress)
    if tried.refused:
        raise together([_refused(sweep, name, tried, reason) for reason in tried.refused])
    runs = "1 run" if sweep.count == 1 else f"{sweep.count} runs"
    some = [] if tried.count == tried.total else [f"{tried.count} of {tried.total} combinations were tried"]
    return "; ".join([f"ok, {runs}", *some, *sweep.remarks])


def _refused(sweep: "Sweep", name: str, tried: "Tried", reason: str) -> BadInput:
    """How many combinations have no run for a reason, and the first of them."""
    jobs = tried.refused[reason]
    first = ", ".join(f"{key}={value}" for key, value in jobs[0].values.items())
    what = f"{len(jobs)} of {tried.count} combinations cannot run: {reason}"
    return BadInput(what, where=name, found=first)


def _check_world(document: "Document", path: Path, picture: bool, trust: bool) -> str:
    from hopfield_nav.cli.report import compiling, say
    from hopfield_nav.world import Trust, placed, remarks, together, world_from, world_name

    world = world_from(document, path.parent, world_name(path), trust=Trust(trust))
    told = remarks(world)
    for remark in told:
        say(f"{path}: {remark}")  # at once: what follows may take as long as it says
    from hopfield_nav.experiment import try_world

    with compiling("check"):
        trial = try_world(world)
    if trial.simulation is None:
        raise together(placed(trial.faults, document))
    said = ["ok", *told, *trial.simulation.warnings]
    if picture:
        from hopfield_nav.figures.run import draw_set_up

        said.append(f"picture in {draw_set_up(trial.simulation.record(), Path(), world.name)}")
    return "; ".join(said)


def _is_sweep(data: Any) -> bool:
    """Whether the content of a file is meant as a sweep: it names a world or varies keys of one."""
    return isinstance(data, dict) and not data.keys().isdisjoint({"world", "vary", "zip", "random"})
