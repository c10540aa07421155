"""The commands check and schema: what the file of a world, a sweep, a suite or an arm may say."""

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dynamics import BadInput, list_arms, nearest_name, printable, told
from dynamics.files import is_urdf
from hopfield_nav.cli.crash import say_refused
from hopfield_nav.cli.options import Trusted

if TYPE_CHECKING:
    from hopfield_nav.sweeps import Job, Sweep
    from hopfield_nav.world import Document

_OF_AN_ARM = frozenset({"joints", "links"})
_OWN_KEYS = {
    "arm": _OF_AN_ARM,
    "suite": {"families", "methods"},
    "sweep": {"world", "vary", "zip", "random"},
}
_PATIENCE = 60.0  # [s] after which no other combination of a sweep is tried


def check(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Files of worlds, sweeps, suites, arms.")
    ],
    picture: Annotated[
        bool, typer.Option("--picture", help="Draw each world, as WORLD.png.")
    ] = False,
    trust: Trusted = False,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where pictures go  [default: the current folder]"),
    ] = None,
) -> int:
    """Check files of worlds, sweeps, suites and arms: every fault, and what `run` would refuse or warn of."""
    if out is not None:
        if not picture:
            raise BadInput("only pictures go anywhere", where="--out", allowed="with --picture")
        with told("cannot be written", out):
            out.mkdir(parents=True, exist_ok=True)
    status = 0
    for name in files:
        try:
            print(printable(f"{name}: {_check(name, picture, trust, out or Path())}"), flush=True)
        except BadInput as error:
            status = say_refused(error)
    return status


def schema(
    sweep: Annotated[bool, typer.Option("--sweep", help="Of a sweep file instead.")] = False,
    suite: Annotated[bool, typer.Option("--suite", help="Of a suite file instead.")] = False,
    arm: Annotated[bool, typer.Option("--arm", help="Of an arm file instead.")] = False,
) -> int:
    """Print the JSON Schema of a world file, for editors."""
    if sweep + suite + arm > 1:
        raise BadInput(
            "more than one schema", where="schema", allowed="one of --sweep, --suite and --arm"
        )
    from dynamics.files import arm_schema
    from hopfield_nav.plugin import provided
    from hopfield_nav.sweeps import dump_sweep_schema
    from hopfield_nav.world import dump_schema

    of_suite = provided("suite_schema", "--suite") if suite else None
    made = (of_suite or (dump_sweep_schema if sweep else arm_schema if arm else dump_schema))()
    ascii_alone = (sys.stdout.encoding or "").lower() != "utf-8"  # JSON has escapes of its own
    print(json.dumps(made, indent=2, ensure_ascii=ascii_alone))
    return 0


def _check(name: str, picture: bool, trust: bool, out: Path) -> str:
    """What is said of a good file; BadInput if it is none."""
    from hopfield_nav.world import Trust, list_worlds, name_of, read_document

    # a name that a world and an arm have, as `panda`, is the world's, as for `run`
    names_arm = name in list_arms() and name not in list_worlds()
    if is_urdf(name) or names_arm:
        return _check_arm(name, None, picture)
    path = _path_of(name)
    document = read_document(path, also=_OF_AN_ARM)
    kind = kind_of(document.data)
    if kind == "world":
        return _check_world(document, path, picture, trust, out)
    if kind == "arm":
        return _check_arm(str(path), document, picture)
    _refuse_picture(name, picture)
    if kind == "suite":
        from hopfield_nav.plugin import provided

        suite = provided("load_suite", str(path))(path, allow_code=trust)
        counts = "families {}, conditions {}, methods {}, worlds {}".format(*suite.shape)
        return "; ".join([f"ok, {suite.count} runs ({counts})", *suite.notes])
    from hopfield_nav.sweeps import sweep_from

    return _check_sweep(sweep_from(document, path.parent, name_of(path), Trust(trust)), name)


def _path_of(name: str) -> Path:
    """The file of a path, or of a world, a sweep or a suite that comes along."""
    from hopfield_nav.world import find_file

    try:
        return find_file(name)
    except BadInput as error:
        from hopfield_nav.plugin import find_provided

        suites: list[str] = (find_provided("list_suites") or list)()
        if name in suites:
            return find_provided("find_suite")(name)
        arms = list_arms()
        nearest = error.nearest or nearest_name(name, [*suites, *arms])
        what, allowed = error.what, error.allowed
        if what == "unknown world or sweep":
            what = "unknown world, sweep, suite or arm"
            allowed = (
                f"arms {', '.join(arms)}; suites {', '.join(suites)}; worlds and sweeps {allowed}"
            )
        raise BadInput(what, error.where, error.found, allowed, nearest) from None


def _refuse_picture(name: str, picture: bool) -> None:
    if picture:
        raise BadInput(
            "only a world has a picture", where=name, allowed="--picture with world files"
        )


def _check_arm(name: str, document: "Document | None", picture: bool) -> str:
    from dynamics import load_named_arm

    _refuse_picture(name, picture)
    try:
        found = load_named_arm(Path(name).resolve() if document else name)
    except BadInput as error:
        if document is None:
            raise error.at(error.where or name) from None
        key = re.search(r"(joints|links|limits|capsules)[\[\].\w]*$", error.where)
        path = [
            int(part) if part.isdigit() else part
            for part in re.findall(r"\w+", key[0] if key else "")
        ]
        raise error.at(document.where(tuple(path)) if key else name) from None
    arm = found.arm
    length = abs(arm.dh[:, 1:3]).sum()
    said = f"ok, an arm with {len(arm.mass)} joints, {length:.3g} m long, {arm.mass.sum():.3g} kg"
    return "; ".join(filter(None, (said, found.use())))


def _check_sweep(sweep: "Sweep", name: str) -> str:
    from hopfield_nav.cli.report import count_bar, say_if_cold
    from hopfield_nav.sweeps import try_combinations
    from hopfield_nav.world import together

    say_if_cold()
    with count_bar("tried", "combinations") as progress:
        count, total, refused, storms = try_combinations(sweep, _PATIENCE, progress)
    if refused:
        faults = []
        # how many have no run for a reason, and the first of them
        for reason, jobs in refused.items():
            first = ", ".join(f"{key}={value}" for key, value in jobs[0].values.items())
            faults.append(
                BadInput(
                    f"{len(jobs)} of {count} combinations cannot run: {reason}",
                    where=name,
                    found=first,
                )
            )
        raise together(faults)
    runs = "1 run" if sweep.count == 1 else f"{sweep.count} runs"
    some = [] if count == total else [f"{count} of {total} combinations were tried"]
    return "; ".join([f"ok, {runs}", *some, *_of_storms(storms, count), *sweep.remarks])


def _of_storms(storms: "list[tuple[Job, str]]", count: int) -> list[str]:
    """How many combinations begin with a storm of false alarms, and the first of them."""
    if not storms:
        return []
    job, storm = storms[0]
    first = ", ".join(f"{key}={value}" for key, value in job.values.items())
    few = "runs are given up after until.false_alarms"
    return [
        f"{len(storms)} of {count} combinations begin with a storm ({few}), first {first}: {storm}"
    ]


def _check_world(document: "Document", path: Path, picture: bool, trust: bool, out: Path) -> str:
    from hopfield_nav.cli.report import compiling, say
    from hopfield_nav.world import Trust, name_of, placed, refuse, remarks, world_from

    world = world_from(document, path.parent, name_of(path), trust=Trust(trust))
    remarked = remarks(world)
    for remark in remarked:
        say(f"{path}: {remark}")  # at once: what follows may take as long as it says
    from hopfield_nav.experiment import look_for_storm, try_world

    try:
        with compiling():
            simulation = try_world(world)
    except BadInput as error:
        refuse(placed((error, *error.others), document), document)
        raise
    said = ["ok", *remarked, *simulation.warnings]
    if picture:
        from hopfield_nav.figures.run import draw_set_up

        said.append(f"picture in {draw_set_up(simulation.record(), out, world.name)}")
    storm = look_for_storm(simulation)
    return "; ".join([*said, *([] if storm is None else [storm])])


def kind_of(data: Any) -> str:
    """What the content of a file is meant as, by keys that no other kind of file has."""
    keys = set(data) if isinstance(data, dict) else set()
    return next((kind for kind, own in _OWN_KEYS.items() if keys & own), "world")
