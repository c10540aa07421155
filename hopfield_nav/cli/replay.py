"""What ``hopfield-nav replay`` does; ``hopfield_nav.cli.app`` says how it is called."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from dynamics import BadInput

if TYPE_CHECKING:
    from dynamics import Arm
    from hopfield_nav.logs import Replay, Signals
    from hopfield_nav.plugin import Method

_FORMATS = (".csv", ".nc")


class ReplayOptions(NamedTuple):
    """The words of the command: names of methods and arm, values, and where things lie."""

    estimator: str | None
    detector: str
    arm: str | None
    threshold: float | None
    overrides: Sequence[str]
    free_runs: Sequence[Path]
    same_motor: Sequence[str]
    free: bool
    out: Path | None


class _Case(NamedTuple):
    """A model, the signals it is replayed on, its estimator, and values the log itself gives."""

    model: Arm
    signals: Signals
    estimator: Method
    values: dict[str, Any]


def run_replay(log: Path, options: ReplayOptions) -> int:
    """Run an estimator and a detector over a log; print and perhaps save what they say."""
    from hopfield_nav.logs import replay
    from hopfield_nav.plugin import find_method

    if options.out is not None and options.out.suffix not in _FORMATS:
        raise BadInput("unknown format", where="--out", found=options.out.name, allowed=", ".join(_FORMATS))
    detector = find_method("detector", options.detector)
    given = _given(options)
    case = _saved_run(log, options) if (log / "world.yaml").is_file() else _recording(log, options)
    known = {p.name for method in (case.estimator, detector) for p in method.parameters}
    values = {**{name: value for name, value in case.values.items() if name in known}, **given}
    found = replay(case.model, case.signals, case.estimator, detector, values)
    if options.out is not None:
        _save(found, options.out)
    _print(log, case, detector, found, options.free)
    return 0


def _given(options: ReplayOptions) -> dict[str, Any]:
    from hopfield_nav.world import parse_value

    given: dict[str, Any] = {} if options.threshold is None else {"threshold": options.threshold}
    for text in options.overrides:
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


def _saved_run(folder: Path, options: ReplayOptions) -> _Case:
    """A run of ours: its own methods and model, unless others are asked for."""
    from dynamics import load_arm, with_dynamics
    from hopfield_nav.experiment import load_run
    from hopfield_nav.logs import signals_of_run
    from hopfield_nav.plugin import find_method
    from hopfield_nav.world import build_arm, build_controller, find_methods

    if options.free_runs or options.same_motor:
        raise BadInput("a simulated run records torques", where="--free-run", allowed="for recordings alone")
    run = load_run(folder)
    methods, arm = find_methods(run.world), build_arm(run.world)
    model = build_controller(run.world, arm, methods).model
    if options.arm is not None:
        model = with_dynamics(arm, load_arm(options.arm))
    estimator = (
        methods.estimator if options.estimator is None else find_method("estimator", options.estimator)
    )
    values = {**run.world.controller.parameters, **run.world.detection.parameters}
    return _Case(model, signals_of_run(run), estimator, values)


def _recording(log: Path, options: ReplayOptions) -> _Case:
    """A real arm's log: motor constants and friction from recordings of free motion."""
    from dynamics import load_arm
    from hopfield_nav.logs import fit_motors, load_recording, signals_of_recording
    from hopfield_nav.plugin import find_method

    if not options.free_runs:
        raise BadInput(
            "the motor constants are not known",
            where=str(log),
            allowed="--free-run LOG_DIR, one or more recordings of the same arm with nothing touching it",
        )
    estimator = find_method("estimator", options.estimator or "joint_error")
    arm = load_arm(options.arm or "ur5_controller")
    data = load_recording(log, len(arm.dh))
    free = [load_recording(path, len(arm.dh)) for path in options.free_runs]
    motors = fit_motors(free, arm, [_joints(text) for text in options.same_motor])
    return _Case(motors.on(arm), signals_of_recording(data, motors), estimator, {})


def _joints(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise BadInput("no joints", where="--same-motor", found=text, allowed="such as 4,5,6") from None


def _save(found: Replay, path: Path) -> None:
    """Write under another name first: never half a file."""
    data, partial = found.dataset(), path.with_name(f".{path.name}.partial")
    try:
        if path.suffix == ".nc":
            data.to_netcdf(partial, engine="h5netcdf")
        else:
            partial.write_text(found.csv(), encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        reason = error.strerror or str(error)
        raise BadInput(f"the result could not be saved: {reason}", where=str(path)) from error


def _print(log: Path, case: _Case, detector: Method, found: Replay, free: bool) -> None:
    from rich.box import SIMPLE
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE, show_header=False, title=Text(log.name), title_justify="left")
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, value in _lines(case, detector, found, free):
        table.add_row(name, Text(value))
    width = None if sys.stdout.isatty() else 100
    Console(width=width).print(table)


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
