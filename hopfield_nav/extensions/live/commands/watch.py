"""The command watch."""

import math
import sys
import time as clock
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dynamics import printable
from hopfield_nav.cli import choose_folder, gone_option
from hopfield_nav.extensions.recordings import chosen as common

if TYPE_CHECKING:
    from hopfield_nav.extensions.live.detector_stream import Seen, StreamMethods
    from hopfield_nav.extensions.live.link import Link
    from hopfield_nav.extensions.live.monitor import Monitor, Told
    from hopfield_nav.extensions.live.recorder import Recorder
    from hopfield_nav.extensions.live.stream_page import StreamPage

_NO_CALIBRATE = (
    "watch --record FOLDER alone, then tune --free-run FOLDER, then watch --free-run FOLDER"
)
SHOW = 1.0  # [s] between two lines of the level, on a terminal
MAX_LINES = 30  # of a kind within a window, whatever a source sends
WINDOW = 10.0  # [s]
LONGEST = 300  # characters of a line


def watch(
    host: Annotated[
        str, typer.Argument(metavar="HOST", help="Address of the arm, or of hopfield-nav serve.")
    ],
    detector: common.Detector = None,
    estimator: common.Estimator = None,
    world: Annotated[
        str | None,
        typer.Option(metavar="WORLD", help="World that gives model, methods and parameters."),
    ] = None,
    arm: common.ArmName = None,
    threshold: common.Threshold = None,
    values: common.Values = None,
    free_run: common.FreeRun = None,
    motor_constants: common.MotorConstants = None,
    _calibrate: Annotated[str | None, gone_option("--calibrate", _NO_CALIBRATE)] = None,
    same_motor: common.SameMotor = None,
    episodes: common.Episodes = None,
    record: Annotated[
        Path | None,
        typer.Option("--record", "--out", metavar="FOLDER", help="Keep what comes, for replay."),
    ] = None,
    seconds: Annotated[
        float, typer.Option("--for", min=0.0, metavar="SECONDS", help="Of the stream, then stop.")
    ] = math.inf,
    retry: Annotated[
        float,
        typer.Option(
            min=0.0, metavar="SECONDS", help="How long to try to connect, first or again."
        ),
    ] = 60.0,
    port: Annotated[int, typer.Option(min=1, max=65535, help="Of the arm.")] = 30004,
    view: Annotated[bool, typer.Option("--view", help="Also on a page in the browser.")] = False,
    rate: Annotated[
        float | None, typer.Option(min=1.0, max=500.0, help="Rows a second  [default: the arm's]")
    ] = None,
) -> int:
    """Listen to a live arm (RTDE) and detect collisions as they come; it only receives."""
    from hopfield_nav.cli import say, say_if_cold
    from hopfield_nav.extensions.live.detector_stream import DetectorStream
    from hopfield_nav.extensions.live.link import Link
    from hopfield_nav.extensions.live.monitor import WATCHED, Monitor
    from hopfield_nav.extensions.live.recorder import Recorder
    from hopfield_nav.extensions.live.stream_page import StreamPage
    from hopfield_nav.world import load_world

    given = common.read_values(threshold, values or [])
    read = None if world is None else load_world(world)
    chosen = common.choose(read, detector, estimator, arm, given, episodes)
    joints = common.read_joints(same_motor)
    folder = None if record is None else choose_folder(record, "", "--record")
    methods = None
    judge = None
    of_judging = (detector, estimator, world, threshold, values, free_run, motor_constants, view)
    if folder is None or any(of_judging):
        say_if_cold()
        methods = _methods(chosen, arm, free_run or [], motor_constants, joints)
        # refuses parameters, and compiles, before anything is asked of the arm
        judge = DetectorStream(methods)
    else:
        say("neither methods nor motors are given: rows are kept, and nothing is judged")
    link = Link(host, port, WATCHED, rate, retry)
    with ExitStack() as stack:
        keeper = None
        if folder is not None:
            keeper = stack.enter_context(Recorder(folder))
        page = None
        if methods is not None and view:
            page = StreamPage(methods.model, f"watching {host}", Path())
            stack.enter_context(closing(page))
            say(f"to be seen at {page.address}")
        monitor = Monitor(judge, () if keeper is None else (keeper,))
        alarms: list[float] = []
        try:
            _watch(link, monitor, keeper, alarms, seconds, page)
        finally:
            _report(methods, monitor, alarms, keeper)
    return 0


def _methods(
    chosen: common.Chosen, arm: str | None, free_run: Sequence[Path], constants: str | None,
    same_motor: list[list[int]],
) -> "StreamMethods":  # fmt: skip
    """The methods with motors that are known, or fitted to free motion.

    What the files are used for is said.
    """
    from hopfield_nav.cli import say
    from hopfield_nav.extensions.live.detector_stream import StreamMethods, free_noise
    from hopfield_nav.extensions.recordings import open_log, uses_of

    logs = [open_log(path).of(chosen.own.joints, len(chosen.model.dh)) for path in free_run]
    for log in logs:
        log.require_untouched()
    recorded = [(log.path.name, log.data) for log in logs if not log.simulated]
    for what, words in uses_of(recorded, arm, chosen.own):
        say(f"{what}: {words}")
    free = [log.recording() for log in logs]
    model, motors = common.motors_of(chosen.model, constants, free, same_motor, "--motor-constants")
    motors.require_signs()
    methods = StreamMethods(
        model, chosen.estimator, chosen.detector, chosen.values, chosen.rearm, chosen.episodes,
        motors=motors, tool_alone=chosen.tool_alone,
    )  # fmt: skip
    return replace(methods, noise=free_noise(methods, free)) if free else methods


def _watch(
    link: "Link",
    monitor: "Monitor",
    keeper: "Recorder | None",
    alarms: list[float],
    seconds: float,
    page: "StreamPage | None" = None,
) -> None:
    """Take what comes until so many seconds of the stream have passed, or the source has gone.

    The times of alarms [s] are added to ``alarms``.
    """
    from hopfield_nav.extensions.live.link import Notice

    shown = clock.monotonic()
    lines = WatchedLines()
    with closing(link.listen()) as items:
        for item in items:
            for told in monitor.take(item, link):
                if isinstance(told, Notice):
                    lines.print(told.kind, f"{told.kind}: {told.words}")
                    continue
                seen = told.seen
                if page is not None and seen is not None:
                    page.add(told.time, told.q, seen.level, seen.tau_external)
                if seen is not None and seen.detected:
                    alarms.append(seen.time)
                    lines.print("alarm", alarm_line(seen))
                    if page is not None:
                        page.add_alarm(seen.time, alarm_line(seen))
                    if keeper is not None:
                        keeper.add_alarm(seen)
                if clock.monotonic() - shown > SHOW:
                    shown = clock.monotonic()
                    _show(told, len(alarms))
                if told.time >= seconds:
                    return


class WatchedLines:
    """Prints lines to stdout; of those of a kind that follow too fast, only that they do."""

    def __init__(self) -> None:
        self._printed: dict[str, tuple[float, int]] = {}  # kind: since when, how many

    def print(self, kind: str, line: str) -> None:
        """Print a line of a kind, unless the last ``WINDOW`` had ``MAX_LINES`` of them."""
        now = clock.monotonic()
        since, count = self._printed.get(kind, (now, 0))
        if now - since >= WINDOW:
            since = now
            count = 0
        self._printed[kind] = since, count + 1
        if count < MAX_LINES:
            print(printable(line, LONGEST), flush=True)
        elif count == MAX_LINES:
            more = "more of them are only counted"
            print(f"{kind}: {MAX_LINES} lines within {WINDOW:g} s; {more}", flush=True)


def alarm_line(seen: "Seen") -> str:
    """When an alarm was raised, at which level, and on which links the arm may be touched."""
    told = ", or ".join(f"link {link} ({share:.0%})" for link, share in seen.links)
    where = told or "which link cannot be told"
    if seen.tool_alone:
        where = "at the tool, which alone can touch in this world"
    return f"alarm at {seen.time:.3f} s, level {seen.level:.3g}, {where}"


def _show(told: "Told", alarms: int) -> None:
    """The state of things on one line of the terminal, written over."""
    if sys.stderr.isatty():
        level = "not judged" if told.seen is None else f"level {told.seen.level:.2f}"
        line = f"\r{told.time:9.1f} s  {level}  {alarms} alarms "
        print(line, end="", file=sys.stderr, flush=True)


def _report(
    methods: "StreamMethods | None",
    monitor: "Monitor",
    alarms: Sequence[float],
    keeper: "Recorder | None",
) -> None:
    from hopfield_nav.cli import print_table

    counts = {kind: count for kind, count in monitor.counts.items() if kind != "alarms"}
    lines = [("rows", f"{counts.pop('rows', 0)}, {monitor.seconds:.2f} s")]
    if methods is not None:
        lines = [
            ("methods", f"{methods.estimator.name}, {methods.detector.name}"),
            *lines,
            ("alarms", common.alarms_in_words(alarms)),
            ("largest level", f"{monitor.largest:.3g}"),
        ]
    lines += [(kind, str(count)) for kind, count in counts.items() if count]
    if keeper is not None and keeper.tables:
        judged = {} if methods is None else _settings(methods)
        keeper.say({**judged, "counts": dict(monitor.counts), "tables": keeper.tables})
        lines.append(("record", "; ".join(filter(None, (str(keeper.folder), keeper.ended)))))
    print_table(lines, title="watched")


def _settings(methods: "StreamMethods") -> dict[str, Any]:
    """How a stream was judged, for the record."""
    return {
        "estimator": methods.estimator.name,
        "detector": methods.detector.name,
        "parameters": dict(methods.values),
        "episodes": methods.episodes,
        "motor_constants_Nm_per_A": methods.motors.motor_constant.tolist(),
        "zero_current_A": methods.motors.zero_current.tolist(),
        "friction_coulomb_Nm": methods.model.friction[:, 0].tolist(),
        "friction_viscous_Nms_per_rad": methods.model.friction[:, 1].tolist(),
    }
