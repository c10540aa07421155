"""The command replay."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from dynamics import BadInput
from hopfield_nav.cli.options import SameMotor, read_joints

if TYPE_CHECKING:
    from dynamics import Arm
    from hopfield_nav.logs import Replay, Signals
    from hopfield_nav.plugin import Method
    from hopfield_nav.world import World

_FORMATS = (".csv", ".nc")


class _Case(NamedTuple):
    """A model, the signals it is replayed on, its estimator, and values the log itself gives."""

    model: Arm
    signals: Signals
    estimator: Method
    values: dict[str, Any]


def replay(
    log: Annotated[
        Path, typer.Argument(metavar="LOG_DIR", help="Recording of a real arm, or folder of a run.")
    ],
    detector: Annotated[str, typer.Option(help="Name of a detector, or FILE.py:NAME.")],
    estimator: Annotated[
        str | None,
        typer.Option(
            help="Name of an estimator  [default: that of the run, or joint_error]", show_default=False
        ),
    ] = None,
    arm: Annotated[
        str | None,
        typer.Option(
            help="Model of the arm  [default: that of the run, or ur5_controller]", show_default=False
        ),
    ] = None,
    threshold: Annotated[float | None, typer.Option(help="Of the detector.", show_default=False)] = None,
    values: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="A parameter of a method: --set omega=20. Repeatable."
        ),
    ] = None,
    free_run: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="LOG_DIR", help="Recording of the same arm untouched: gives motors, friction. Repeatable."
        ),
    ] = None,
    same_motor: SameMotor = None,
    free: Annotated[
        bool, typer.Option("--free", help="Nothing touched the arm in this log: every alarm is a false one.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Save row by row, as .csv or .nc.", show_default=False)
    ] = None,
) -> int:
    """Run a force estimator and a collision detector over a recording."""
    from hopfield_nav.cli.report import print_table
    from hopfield_nav.logs import replay as replay_signals
    from hopfield_nav.plugin import find_method

    if out is not None and out.suffix not in _FORMATS:
        raise BadInput("unknown format", where="--out", found=out.name, allowed=", ".join(_FORMATS))
    measure = find_method("detector", detector)
    given = _given(threshold, values or [])
    if (log / "world.yaml").is_file():
        if free_run or same_motor:
            raise BadInput(
                "a simulated run records torques", where="--free-run", allowed="for recordings alone"
            )
        case = _saved_run(log, estimator, arm)
    else:
        case = _recording(log, estimator or "joint_error", arm, free_run or [], read_joints(same_motor))
    known = {p.name for method in (case.estimator, measure) for p in method.parameters}
    of_log = {name: value for name, value in case.values.items() if name in known}
    found = replay_signals(case.model, case.signals, case.estimator, measure, of_log | given)
    if out is not None:
        _save(found, out)
    print_table(_lines(case, measure, found, free), title=log.name)
    return 0


def _given(threshold: float | None, values: Sequence[str]) -> dict[str, Any]:
    """The values of ``--threshold`` and ``--set``, by name."""
    from hopfield_nav.world import parse_value

    given: dict[str, Any] = {} if threshold is None else {"threshold": threshold}
    for text in values:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise BadInput("not understood", where=f"--set {text}", allowed="NAME=VALUE, such as omega=20")
        given[name] = parse_value(value, f"--set {text}")
        if not _is_numbers(given[name]):
            raise BadInput("not a number", where=f"--set {text}", allowed="a number, or a list of them")
    return given


def _is_numbers(value: Any) -> bool:
    values = value if isinstance(value, list) and value else [value]
    return all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values)


def _saved_run(folder: Path, estimator: str | None, arm: str | None) -> _Case:
    """A run of ours: its own methods and model, unless others are asked for."""
    from dynamics import load_arm, with_dynamics
    from hopfield_nav.experiment import load_run
    from hopfield_nav.logs import signals_of_run
    from hopfield_nav.plugin import find_method
    from hopfield_nav.world import build_arm, build_model

    run = load_run(folder)
    own = build_arm(run.world)
    model = build_model(run.world, own)
    if arm is not None:
        model = with_dynamics(own, load_arm(arm))
    world = run.world
    method = _recorded_estimator(world) if estimator is None else find_method("estimator", estimator)
    values = {**world.controller.parameters, **world.detection.parameters, **world.sensors.model_dump()}
    return _Case(model, signals_of_run(run), method, values)


def _recorded_estimator(world: World) -> Method:
    """The estimator of a run, which is one of ours: files that a record names are never executed."""
    try:
        return world.trust.find("estimator", world.detection.estimator, world.folder)
    except BadInput as error:
        raise BadInput(error.what, found=error.found, allowed="--estimator NAME or FILE.py:NAME") from None


def _recording(
    log: Path, estimator: str, arm: str | None, free_runs: Sequence[Path], same_motor: list[list[int]]
) -> _Case:
    """A real arm's log: motor constants and friction from recordings of free motion."""
    from dynamics import load_arm
    from hopfield_nav.logs import fit_motors, load_recording, signals_of_recording
    from hopfield_nav.plugin import find_method

    if not free_runs:
        raise BadInput(
            "the motor constants are not known",
            where=str(log),
            allowed="--free-run LOG_DIR, one or more recordings of the same arm with nothing touching it",
        )
    method = find_method("estimator", estimator)
    model = load_arm(arm or "ur5_controller")
    data = load_recording(log, len(model.dh))
    free = [load_recording(path, len(model.dh)) for path in free_runs]
    motors = fit_motors(free, model, same_motor)
    return _Case(motors.on(model), signals_of_recording(data, motors), method, {})


def _save(found: Replay, path: Path) -> None:
    from dynamics.files import whole_file

    try:
        with whole_file(path) as partial:
            if path.suffix == ".nc":
                found.dataset().to_netcdf(partial, engine="h5netcdf")
            else:
                partial.write_text(found.csv(), encoding="utf-8")
    except OSError as error:
        reason = error.strerror or str(error)
        raise BadInput(f"the result could not be saved: {reason}", where=str(path)) from error


def _lines(case: _Case, detector: Method, found: Replay, free: bool) -> list[tuple[str, str]]:
    import numpy as np

    from hopfield_nav.experiment import alarm_rate

    count, time = len(found.time), found.time
    alarms = time[found.detected]
    peak = int(np.argmax(found.level)) if count else 0
    period = f"{1e3 * float(np.median(np.diff(time))):.3g} ms" if count > 1 else "–"
    lines = [
        ("methods", f"{case.estimator.name}, {detector.name}"),
        ("rows", f"{count}, {time[-1] - time[0]:.2f} s" if count else "0"),
        ("period", period),
        (
            "alarms",
            str(len(alarms)) + "".join(f"{', ' if k else ' at '}{t:.2f} s" for k, t in enumerate(alarms)),
        ),
        ("largest level", f"{found.level[peak]:.3g} at {time[peak]:.2f} s" if count else "–"),
    ]
    if free and count > 1:
        rate, low, high = alarm_rate(len(alarms), float(time[-1] - time[0]))
        lines.append(("false alarms per hour", f"{rate:.3g} (95 %: {low:.3g} … {high:.3g})"))
    return lines
