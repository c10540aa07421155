"""The command watch."""

import math
import sys
import time as clock
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dynamics import BadInput
from hopfield_nav.cli import SameMotor, choose_folder, read_joints
from hopfield_nav.extensions.live.commands.watched_lines import WatchedLines, alarm_line, page_of, show_on
from hopfield_nav.extensions.recordings import chosen as common

if TYPE_CHECKING:
    from hopfield_nav.extensions.live.calibration import Calibration
    from hopfield_nav.extensions.live.detector_stream import StreamMethods
    from hopfield_nav.extensions.live.link import Link
    from hopfield_nav.extensions.live.monitor import Monitor, Told
    from hopfield_nav.extensions.live.recorder import Recorder
    from hopfield_nav.extensions.live.stream_page import StreamPage

SHOW = 1.0  # [s] between two lines of the level, on a terminal


def watch(
    host: Annotated[str, typer.Argument(metavar="HOST", help="Address of the arm, or of hopfield-nav serve.")],
    detector: common.Detector = None,
    estimator: common.Estimator = None,
    world: Annotated[
        str | None, typer.Option(metavar="WORLD", help="World that gives model, methods and parameters.")
    ] = None,
    arm: common.ArmName = None,
    threshold: common.Threshold = None,
    values: common.Values = None,
    free_run: common.FreeRun = None,
    motor_constants: common.MotorConstants = None,
    calibrate: Annotated[
        float | None,
        typer.Option(min=1.0, metavar="SECONDS", help="First take motors, friction and threshold from free motion."),
    ] = None,
    same_motor: SameMotor = None,
    episodes: common.Episodes = None,
    record: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Keep what comes, for replay.")] = None,
    seconds: Annotated[
        float, typer.Option("--for", min=0.0, metavar="SECONDS", help="Of the stream, then stop.")
    ] = math.inf,
    retry: Annotated[
        float, typer.Option(min=0.0, metavar="SECONDS", help="How long to try to connect, first or again.")
    ] = 60.0,
    port: Annotated[int, typer.Option(min=1, max=65535, help="Of the arm.")] = 30004,
    view: Annotated[bool, typer.Option("--view", help="Also on a page in the browser.")] = False,
    rate: Annotated[float | None, typer.Option(min=1.0, max=500.0, help="Rows a second  [default: the arm's]")] = None,
) -> int:
    """Listen to a live arm (RTDE) and detect collisions as they come; it only receives."""
    from hopfield_nav.cli import say_if_cold
    from hopfield_nav.extensions.live.detector_stream import DetectorStream
    from hopfield_nav.extensions.live.link import Link
    from hopfield_nav.extensions.live.monitor import WATCHED, Monitor
    from hopfield_nav.extensions.live.recorder import Recorder

    sources = [name for name, given in (("--free-run", free_run), ("--motor-constants", motor_constants),
                                        ("--calibrate", calibrate)) if given]  # fmt: skip
    if len(sources) > 1:
        raise BadInput("motors are given twice", where=" and ".join(sources), allowed="one of them")
    given = common.read_values(threshold, values or [])
    from hopfield_nav.world import load_world

    read = None if world is None else load_world(world)
    chosen, joints = common.choose(read, detector, estimator, arm, given, episodes), read_joints(same_motor)
    folder = None if record is None else choose_folder(record, "", "--record")
    say_if_cold()
    methods = None if calibrate else _methods(chosen, free_run or [], motor_constants, joints)
    if methods is not None:
        DetectorStream(methods)  # refuses parameters, and compiles, before anything is asked of the arm
    link = Link(host, port, WATCHED, rate, retry)
    with ExitStack() as stack:
        if methods is None:
            methods = _calibrated(link, chosen, calibrate or 0.0, folder, joints)
        keeper = None if folder is None else stack.enter_context(Recorder(folder))
        page = stack.enter_context(page_of(methods.model, host)) if view else None
        monitor = Monitor(DetectorStream(methods), () if keeper is None else (keeper,))
        alarms: list[float] = []
        try:
            _watch(link, monitor, keeper, alarms, seconds, page)
        finally:
            _report(methods, monitor, alarms, keeper)
    return 0


def _methods(
    chosen: common.Chosen, free_run: Sequence[Path], constants: str | None, same_motor: list[list[int]]
) -> "StreamMethods":
    """The methods with motors that are known, or fitted to recordings of free motion."""
    from hopfield_nav.extensions.live.calibration import free_noise
    from hopfield_nav.extensions.live.detector_stream import StreamMethods
    from hopfield_nav.extensions.recordings import open_log

    logs = [open_log(path).of(chosen.own.joints, len(chosen.model.dh)) for path in free_run]
    for log in logs:
        log.require_untouched()
    free = [log.recording() for log in logs]
    model, motors = common.motors_of(chosen.model, constants, free, same_motor, "--motor-constants")
    methods = StreamMethods(model, chosen.estimator, chosen.detector, chosen.values, motors)
    methods = replace(methods, **_rule_of(chosen))
    return replace(methods, noise=free_noise(methods, free)) if free else methods


def _rule_of(chosen: common.Chosen) -> dict[str, Any]:
    """What of a choice says which levels are alarms, and what can be touched."""
    return {"rearm": chosen.rearm, "episodes": chosen.episodes, "tool_alone": chosen.tool_alone}


def _calibrated(
    link: "Link", chosen: common.Chosen, seconds: float, folder: Path | None, same_motor: list[list[int]]
) -> "StreamMethods":
    """Motors, friction, threshold and noise from ``seconds`` of the stream; kept in ``folder/free``."""
    from hopfield_nav.cli import print_table, say
    from hopfield_nav.extensions.live.calibration import calibrate
    from hopfield_nav.extensions.live.monitor import SIGNALS, Monitor
    from hopfield_nav.extensions.live.recorder import Recorder
    from hopfield_nav.extensions.recordings import JOINT_COLUMNS, load_recording

    say(f"nothing may touch the arm for {seconds:g} s, and every joint has to move both ways")
    with TemporaryDirectory() as elsewhere:
        with Recorder(Path(elsewhere) if folder is None else folder / "free") as keeper:
            _watch(link, Monitor(None, (keeper,)), None, [], seconds)
        if not keeper.tables:
            raise BadInput("nothing was received to calibrate on")
        data = load_recording(keeper.path)
    if lacking := [JOINT_COLUMNS[name] for name in SIGNALS if name not in data]:
        raise BadInput("the source does not tell what calibration needs", found=", ".join(lacking))
    found = calibrate(data, chosen.model, chosen.estimator, chosen.detector, chosen.values, same_motor)
    print_table(_calibration_lines(found), title="calibration")
    return replace(found.methods, **_rule_of(chosen))


def _calibration_lines(found: "Calibration") -> list[tuple[str, str]]:
    from hopfield_nav.record import quiet_time

    motors, (rate, low, high) = found.methods.motors, found.per_hour
    lines = [
        ("free motion", f"{found.seconds:.0f} s, each half judged by what the other gave"),
        ("motor constants", motors.words()),
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
    link: "Link", monitor: "Monitor", keeper: "Recorder | None", alarms: list[float], seconds: float,
    page: "StreamPage | None" = None,
) -> None:  # fmt: skip
    """Take what comes until so many seconds of the stream have passed, or the source is gone for good.

    The times of alarms [s] are added to ``alarms``.
    """
    from hopfield_nav.extensions.live.link import Notice

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


def _show(told: "Told", alarms: int) -> None:
    """The state of things on one line of the terminal, written over."""
    if sys.stderr.isatty():
        level = "not judged" if told.seen is None else f"level {told.seen.level:.2f}"
        print(f"\r{told.time:9.1f} s  {level}  {alarms} alarms ", end="", file=sys.stderr, flush=True)


def _report(methods: "StreamMethods", monitor: "Monitor", alarms: Sequence[float], keeper: "Recorder | None") -> None:
    from hopfield_nav.cli import alarms_in_words, print_table

    counts = {kind: count for kind, count in monitor.counts.items() if kind != "alarms"}
    lines = [
        ("methods", f"{methods.estimator.name}, {methods.detector.name}"),
        ("rows", f"{counts.pop('rows', 0)}, {monitor.seconds:.2f} s"),
        ("alarms", alarms_in_words(alarms)),
        ("largest level", f"{monitor.largest:.3g}"),
        *((kind, str(count)) for kind, count in counts.items() if count),
    ]
    if keeper is not None and keeper.tables:
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
