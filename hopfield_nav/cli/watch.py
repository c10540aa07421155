"""The command watch."""

from __future__ import annotations

import math
import sys
import time as clock
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dynamics import BadInput
from hopfield_nav.cli.chosen import (
    Episodes,
    FreeRun,
    MotorConstants,
    Threshold,
    Values,
    model_of_world,
    motors_of,
    read_values,
    values_of_world,
)
from hopfield_nav.cli.folders import choose_folder
from hopfield_nav.cli.options import SameMotor, read_joints
from hopfield_nav.cli.watched_lines import WatchedLines
from hopfield_nav.cli.watched_page import alarm_line, page_of, show_on

if TYPE_CHECKING:
    from dynamics import Arm
    from hopfield_nav.plugin import Method
    from hopfield_nav.view import StreamPage
    from hopfield_nav.wire import Calibration, Link, Monitor, Recorder, StreamMethods, Told

SHOW = 1.0  # [s] between two lines of the level, on a terminal


@dataclass(frozen=True)
class _Chosen:
    """What was chosen: model, methods, values of their parameters, joints with one motor, rule of alarms."""

    model: Arm
    estimator: Method
    detector: Method
    values: dict[str, Any]
    same_motor: list[list[int]]
    rearm: float
    episodes: bool


def watch(
    host: Annotated[
        str, typer.Argument(metavar="HOST", help="Address of the arm, or of hopfield-nav serve.")
    ],
    detector: Annotated[
        str | None, typer.Option(help="Name of a detector, or FILE.py:NAME  [default: that of --world]")
    ] = None,
    estimator: Annotated[
        str | None,
        typer.Option(help="Name of an estimator  [default: that of --world, or momentum_observer]"),
    ] = None,
    world: Annotated[
        str | None, typer.Option(metavar="WORLD", help="World that gives model, methods and parameters.")
    ] = None,
    arm: Annotated[
        str | None, typer.Option(help="Model of the arm  [default: that of --world, or ur5_controller]")
    ] = None,
    threshold: Threshold = None,
    values: Values = None,
    free_run: FreeRun = None,
    motor_constants: MotorConstants = None,
    calibrate: Annotated[
        float | None,
        typer.Option(
            min=1.0, metavar="SECONDS", help="First take motors, friction and threshold from free motion."
        ),
    ] = None,
    same_motor: SameMotor = None,
    episodes: Episodes = None,
    record: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Keep what comes, for replay.")
    ] = None,
    seconds: Annotated[
        float, typer.Option("--for", min=0.0, metavar="SECONDS", help="Of the stream, then stop.")
    ] = math.inf,
    retry: Annotated[
        float, typer.Option(min=0.0, metavar="SECONDS", help="How long to try to connect, first or again.")
    ] = 60.0,
    port: Annotated[int, typer.Option(min=1, max=65535, help="Of the arm.")] = 30004,
    view: Annotated[bool, typer.Option("--view", help="Also on a page in the browser.")] = False,
    rate: Annotated[
        float | None, typer.Option(min=1.0, max=500.0, help="Rows a second  [default: the arm's]")
    ] = None,
) -> int:
    """Listen to a live arm (RTDE) and detect collisions as they come; it only receives."""
    from hopfield_nav.cli.report import say_if_cold
    from hopfield_nav.wire import WATCHED, DetectorStream, Link, Monitor, Recorder

    sources = [name for name, given in (("--free-run", free_run), ("--motor-constants", motor_constants),
                                        ("--calibrate", calibrate)) if given]  # fmt: skip
    if len(sources) > 1:
        raise BadInput("motors are given twice", where=" and ".join(sources), allowed="one of them")
    given = read_values(threshold, values or [])
    chosen = _choose(detector, estimator, world, arm, given, read_joints(same_motor), episodes)
    folder = None if record is None else choose_folder(record, "", "--record")
    say_if_cold()
    methods = None if calibrate else _methods(chosen, free_run or [], motor_constants)
    if methods is not None:
        DetectorStream(methods)  # refuses parameters, and compiles, before anything is asked of the arm
    link = Link(host, port, WATCHED, rate, retry)
    with ExitStack() as stack:
        if methods is None:
            methods = _calibrated(link, chosen, calibrate or 0.0, folder)
        keeper = None if folder is None else stack.enter_context(Recorder(folder))
        page = stack.enter_context(page_of(methods.model, host)) if view else None
        monitor = Monitor(DetectorStream(methods), () if keeper is None else (keeper,))
        alarms: list[float] = []
        try:
            _watch(link, monitor, keeper, alarms, seconds, page)
        finally:
            _report(methods, monitor, alarms, keeper)
    return 0


def _choose(
    detector: str | None,
    estimator: str | None,
    world: str | None,
    arm: str | None,
    given: dict[str, Any],
    same_motor: list[list[int]],
    episodes: bool | None,
) -> _Chosen:
    from dynamics import load_arm
    from hopfield_nav.plugin import find_method
    from hopfield_nav.world import find_methods, load_world

    if world is None:
        if detector is None:
            raise BadInput("no detector", where="--detector", allowed="a detector's name, or --world WORLD")
        methods = (
            find_method("estimator", estimator or "momentum_observer"),
            find_method("detector", detector),
        )
        return _Chosen(load_arm(arm or "ur5_controller"), *methods, given, same_motor, 1.0, bool(episodes))
    read = load_world(world)
    own = find_methods(read)
    chosen = (
        find_method("estimator", estimator) if estimator else own.estimator,
        find_method("detector", detector) if detector else own.detector,
    )
    found, rule = values_of_world(read, chosen) | given, read.detection
    alarms = rule.armed_below, rule.episodes if episodes is None else episodes
    return _Chosen(model_of_world(read, arm), *chosen, found, same_motor, *alarms)


def _methods(chosen: _Chosen, free_run: Sequence[Path], constants: str | None) -> StreamMethods:
    """The methods with motors that are known, or fitted to recordings of free motion."""
    from hopfield_nav.logs import load_recording
    from hopfield_nav.wire import StreamMethods, free_noise

    free = [load_recording(path, len(chosen.model.dh)) for path in free_run]
    model, motors = motors_of(chosen.model, constants, free, chosen.same_motor, "--motor-constants")
    methods = StreamMethods(model, chosen.estimator, chosen.detector, chosen.values, motors)
    methods = replace(methods, rearm=chosen.rearm, episodes=chosen.episodes)
    return replace(methods, noise=free_noise(methods, free)) if free else methods


def _calibrated(link: Link, chosen: _Chosen, seconds: float, folder: Path | None) -> StreamMethods:
    """Motors, friction, threshold and noise from ``seconds`` of the stream; kept in ``folder/free``."""
    from hopfield_nav.cli.report import print_table, say
    from hopfield_nav.wire import Monitor, Recorder, Stretch, calibrate

    say(f"nothing may touch the arm for {seconds:g} s, and every joint has to move both ways")
    stretch = Stretch()
    with ExitStack() as stack:
        kept = [] if folder is None else [stack.enter_context(Recorder(folder / "free"))]
        _watch(link, Monitor(None, (stretch, *kept)), None, [], seconds)
    found = calibrate(
        stretch.dataset(), chosen.model, chosen.estimator, chosen.detector, chosen.values, chosen.same_motor
    )
    print_table(_calibration_lines(found), title="calibration")
    return replace(found.methods, rearm=chosen.rearm, episodes=chosen.episodes)


def _calibration_lines(found: Calibration) -> list[tuple[str, str]]:
    from hopfield_nav.record import quiet_time

    motors, (rate, low, high) = found.methods.motors, found.per_hour
    lines = [
        ("free motion", f"{found.seconds:.0f} s, each half judged by what the other gave"),
        ("motor constants [N·m/A]", ", ".join(f"{x:.3g}" for x in motors.motor_constant)),
        ("Coulomb friction [N·m]", ", ".join(f"{x:.3g}" for x in motors.friction[:, 0])),
    ]
    if "threshold" in found.methods.values:
        values = found.methods.values["threshold"]
        text = ",".join(f"{x:.4g}" for x in values) if isinstance(values, list) else f"{values:.4g}"
        lines.append(("threshold", f"--set threshold={f'[{text}]' if isinstance(values, list) else text}"))
    hours = quiet_time(1.0) / 3600
    return [
        *lines,
        ("false alarms", f"{found.alarms} in {found.seconds:.0f} s"),
        ("false alarms per hour", f"{rate:.3g} (95 %: {low:.3g} … {high:.3g})"),
        ("to show one an hour", f"{hours:.1f} h of free motion without an alarm"),
    ]


def _watch(
    link: Link, monitor: Monitor, keeper: Recorder | None, alarms: list[float], seconds: float,
    page: StreamPage | None = None,
) -> None:  # fmt: skip
    """Take what comes until so many seconds of the stream have passed, or the source is gone for good.

    The times of alarms [s] are added to ``alarms``.
    """
    from hopfield_nav.wire import Notice

    shown, lines = clock.monotonic(), WatchedLines()
    with closing(link.listen()) as items:
        for item in items:
            for told in monitor.take(item, link):
                if isinstance(told, Notice):
                    lines.print(told.kind, f"{told.kind}: {told.words}")
                    continue
                if page is not None:
                    show_on(page, told)
                if told.seen is not None and told.seen.detected:
                    alarms.append(told.seen.time)
                    lines.print("alarm", alarm_line(told.seen))
                    if keeper is not None:
                        keeper.add_alarm(told.seen)
                if clock.monotonic() - shown > SHOW:
                    shown = clock.monotonic()
                    _show(told, len(alarms))
                if told.time >= seconds:
                    return


def _show(told: Told, alarms: int) -> None:
    """The state of things on one line of the terminal, written over."""
    if sys.stderr.isatty():
        level = "not judged" if told.seen is None else f"level {told.seen.level:.2f}"
        print(f"\r{told.time:9.1f} s  {level}  {alarms} alarms ", end="", file=sys.stderr, flush=True)


def _report(
    methods: StreamMethods, monitor: Monitor, alarms: Sequence[float], keeper: Recorder | None
) -> None:
    from hopfield_nav.cli.report import alarms_in_words, print_table

    counts = {kind: count for kind, count in monitor.counts.items() if kind != "alarms"}
    lines = [
        ("methods", f"{methods.estimator.name}, {methods.detector.name}"),
        ("rows", f"{counts.pop('rows', 0)}, {monitor.seconds:.2f} s"),
        ("alarms", alarms_in_words(alarms)),
        ("largest level", f"{monitor.largest:.3g}"),
        *((kind, str(count)) for kind, count in counts.items() if count),
    ]
    if keeper is not None:
        keeper.say(
            {
                "estimator": methods.estimator.name,
                "detector": methods.detector.name,
                "parameters": dict(methods.values),
                "episodes": methods.episodes,
                "motor_constants_Nm_per_A": methods.motors.motor_constant.tolist(),
                "zero_current_A": methods.motors.zero_current.tolist(),
                "friction_coulomb_Nm": methods.model.friction[:, 0].tolist(),
                "friction_viscous_Nms_per_rad": methods.model.friction[:, 1].tolist(),
                "counts": dict(monitor.counts),
                "tables": keeper.tables,
            }
        )
        lines.append(("record", "; ".join(filter(None, (str(keeper.folder), keeper.ended)))))
    print_table(lines, title="watched")
