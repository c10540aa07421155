"""The command replay."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from dynamics import BadInput
from hopfield_nav.cli import chosen
from hopfield_nav.cli.options import SameMotor, read_joints

if TYPE_CHECKING:
    from dynamics import Arm
    from hopfield_nav.logs import Replay, Signals
    from hopfield_nav.plugin import Method
    from hopfield_nav.world import World

_FORMATS = (".csv", ".nc")


class _Case(NamedTuple):
    """A model, the signals it is replayed on, its estimator, the world of a run, and free motion."""

    model: Arm
    signals: Signals
    estimator: Method
    world: World | None
    free: list[Signals]

    def of_log(self, detector: Method) -> dict[str, Any]:
        """Values of parameters that the log itself gives."""
        return {} if self.world is None else chosen.values_of_world(self.world, (self.estimator, detector))


def replay(
    log: Annotated[
        Path, typer.Argument(metavar="LOG_DIR", help="Recording of a real arm, or folder of a run.")
    ],
    detector: Annotated[str, typer.Option(help="Name of a detector, or FILE.py:NAME.")],
    estimator: Annotated[
        str | None, typer.Option(help="Name of an estimator  [default: that of the run, or joint_error]")
    ] = None,
    arm: Annotated[
        str | None, typer.Option(help="Model of the arm  [default: that of the run, or ur5_controller]")
    ] = None,
    threshold: chosen.Threshold = None,
    values: chosen.Values = None,
    free_run: chosen.FreeRun = None,
    motor_constants: chosen.MotorConstants = None,
    same_motor: SameMotor = None,
    episodes: chosen.Episodes = None,
    free: Annotated[
        bool, typer.Option("--free", help="Nothing touched the arm in this log: every alarm is a false one.")
    ] = False,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Save row by row, as .csv or .nc.")] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw level, force and alarms, as .png.")
    ] = None,
) -> int:
    """Run a force estimator and a collision detector over a recording."""
    from hopfield_nav.cli.report import print_table
    from hopfield_nav.logs import replay as replay_signals
    from hopfield_nav.plugin import find_method

    if out is not None and out.suffix not in _FORMATS:
        raise BadInput("unknown format", where="--out", found=out.name, allowed=", ".join(_FORMATS))
    if plot is not None and plot.suffix != ".png":
        raise BadInput("unknown format", where="--plot", found=plot.name, allowed=".png")
    measure = find_method("detector", detector)
    given = chosen.read_values(threshold, values or [])
    if (log / "world.yaml").is_file():
        if free_run or same_motor or motor_constants:
            allowed = "for recordings alone"
            raise BadInput("a simulated run records torques", where="--free-run", allowed=allowed)
        case = _saved_run(log, estimator, arm)
    else:
        case = _recording(
            log, estimator or "joint_error", arm, free_run or [], read_joints(same_motor), motor_constants
        )
    parameters = case.of_log(measure) | given
    methods = case.estimator, measure, parameters
    found = replay_signals(case.model, case.signals, *methods, episodes=bool(episodes))
    if out is not None:
        _save(found, out)
    if plot is not None:
        _draw(found, plot)
    lines = _lines(case, measure, found, free)
    if case.free and any(p.name == "threshold" for p in measure.parameters):
        lines += _suggestion(case, measure, parameters)
    print_table(lines, title=log.name)
    return 0


def _saved_run(folder: Path, estimator: str | None, arm: str | None) -> _Case:
    """A run of ours: its own methods and model, unless others are asked for."""
    from hopfield_nav.logs import signals_of_run
    from hopfield_nav.plugin import find_method
    from hopfield_nav.record import load_run

    run = load_run(folder)
    method = _recorded_estimator(run.world) if estimator is None else find_method("estimator", estimator)
    return _Case(chosen.model_of_world(run.world, arm), signals_of_run(run), method, run.world, [])


def _recorded_estimator(world: World) -> Method:
    """The estimator of a run, which is one of ours: files that a record names are never executed."""
    try:
        return world.trust.find("estimator", world.detection.estimator, world.folder)
    except BadInput as error:
        raise BadInput(error.what, found=error.found, allowed="--estimator NAME or FILE.py:NAME") from None


def _recording(
    log: Path,
    estimator: str,
    arm: str | None,
    free_runs: Sequence[Path],
    same_motor: list[list[int]],
    constants: str | None,
) -> _Case:
    """A real arm's log: motor constants and friction from recordings of free motion, or given."""
    from dynamics import load_arm
    from hopfield_nav.logs import load_recording, signals_of_recording
    from hopfield_nav.plugin import find_method

    method = find_method("estimator", estimator)
    model = load_arm(arm or "ur5_controller")
    n = len(model.dh)
    free = [load_recording(path, n) for path in free_runs]
    model, motors = chosen.motors_of(model, constants, free, same_motor, str(log))
    untouched = [signals_of_recording(recording, motors) for recording in free]
    return _Case(model, signals_of_recording(load_recording(log, n), motors), method, None, untouched)


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


def _draw(found: Replay, path: Path) -> None:
    from hopfield_nav.figures import draw_replay

    if len(found.time) < 2:
        raise BadInput("nothing to draw", where=f"--plot {path}", found=f"{len(found.time)} rows")
    try:
        draw_replay(found.time, found.level, found.wrench, found.detected, path)
    except OSError as error:
        reason = error.strerror or str(error)
        raise BadInput(f"the picture could not be saved: {reason}", where=str(path)) from error


def _suggestion(case: _Case, detector: Method, values: dict[str, Any]) -> list[tuple[str, str]]:
    """The threshold that the free recordings suggest, and the false alarms to be expected with it."""
    from hopfield_nav.logs import free_threshold
    from hopfield_nav.record import alarm_rate

    try:
        found = free_threshold(case.model, case.free, case.estimator, detector, values)
    except BadInput as none:
        return [("suggested", f"nothing; {none}")]
    number = found.threshold
    text = ", ".join(f"{v:.3g}" for v in number) if isinstance(number, list) else f"{number:.3g}"
    option = f"--set threshold=[{text}]" if isinstance(number, list) else f"--threshold {text}"
    _, low, high = alarm_rate(found.alarms, found.seconds)
    seen = f"{found.alarms} in {found.seconds:.1f} s of free motion that did not choose it"
    return [("suggested", option), ("its false alarms", f"{seen}: {low:.3g} … {high:.3g} an hour (95 %)")]


def _lines(case: _Case, detector: Method, found: Replay, free: bool) -> list[tuple[str, str]]:
    import numpy as np

    from hopfield_nav.cli.report import alarms_in_words
    from hopfield_nav.record import alarm_rate

    count, time = len(found.time), found.time
    alarms = time[found.detected]
    peak = int(np.argmax(found.level)) if count else 0
    period = f"{1e3 * float(np.median(np.diff(time))):.3g} ms" if count > 1 else "–"
    lines = [
        ("methods", f"{case.estimator.name}, {detector.name}"),
        ("rows", f"{count}, {time[-1] - time[0]:.2f} s" if count else "0"),
        ("period", period),
        ("alarms", alarms_in_words(alarms)),
        ("largest level", f"{found.level[peak]:.3g} at {time[peak]:.2f} s" if count else "–"),
    ]
    if free and count > 1:
        rate, low, high = alarm_rate(len(alarms), float(time[-1] - time[0]))
        lines.append(("false alarms per hour", f"{rate:.3g} (95 %: {low:.3g} … {high:.3g})"))
    return lines
