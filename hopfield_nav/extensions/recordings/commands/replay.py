"""The command replay."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from dynamics import BadInput, require_masses, told
from dynamics.files import whole_file
from hopfield_nav.cli import print_columns, print_table
from hopfield_nav.control import POLE
from hopfield_nav.extensions.recordings import chosen as common
from hopfield_nav.extensions.recordings.motors import MotorFit
from hopfield_nav.extensions.recordings.opened import OpenedLog, open_log, remarks_on, uses_of
from hopfield_nav.extensions.recordings.replayed import Replay
from hopfield_nav.extensions.recordings.signals import (
    Signals,
    drive_of,
    signals_of_recording,
    watched_seconds,
)
from hopfield_nav.extensions.recordings.tuning import (
    choose_threshold,
    declared_threshold,
    halves,
    labelled_truth,
)
from hopfield_nav.extensions.recordings.tuning import judge as judge_methods
from hopfield_nav.plugin import JOINT_TORQUES, REFERENCE, loadable_methods
from hopfield_nav.record import (
    SCORE,
    ContactTruth,
    alarm_rate,
    score,
    share_interval,
    truth_of_data,
)
from hopfield_nav.world import load_world

_FORMATS = (".csv", ".nc")
# share of a torque that an observer follows within a row, where it averages over some
_FOLLOWED = 0.2
_NONE = 1e-6  # false alarms an hour: as good as none
# lines that are the same for every threshold
_OF_ALL = ("methods", "rule", "pole", "rows", "period", "suggested", "its false alarms")
_HOURLY = "false alarms per hour"


@dataclass(frozen=True)
class _Case:
    """A log: what was chosen for it, signals, free motion of the arm, true contact if known."""

    chosen: common.Chosen
    signals: "Signals"
    free: "list[Signals]"
    truth: "ContactTruth | None"
    kinematics: bool = True  # whether the arm's lengths are known
    motors: "MotorFit | None" = None  # of a real arm
    # what the logs are used for, and the motors, as rows of a table
    uses: Sequence[tuple[str, str]] = ()


def replay(
    log: common.Log,
    detector: common.Detector = None,
    estimator: common.Estimator = None,
    world: common.WorldOfLog = None,
    arm: common.ArmName = None,
    threshold: Annotated[
        str | None,
        typer.Option(metavar="T,...", help="Of the detector; of several a table is made: 1,2,4,8."),
    ] = None,
    values: common.Values = None,
    free_run: common.FreeRun = None,
    motor_constants: common.MotorConstants = None,
    same_motor: common.SameMotor = None,
    episodes: common.Episodes = None,
    judge: Annotated[
        bool,
        typer.Option(
            "--judge",
            help="Every detector on the known contacts; half of the log chooses its threshold, "
            "half judges.",
        ),
    ] = False,
    free: Annotated[
        bool,
        typer.Option(
            "--free", help="Nothing touched the arm in this log: every alarm is a false one."
        ),
    ] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Save row by row, as .csv or .nc.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw level, force and alarms, as .png.")
    ] = None,
) -> int:
    """Run a force estimator and a collision detector over a recording, by default the run's."""
    _check_files(out, plot)
    thresholds: list[float | None] = [None]
    if threshold is not None:
        thresholds = [*common.read_numbers(threshold, "--threshold")]
    case = opened(
        log,
        world,
        (detector, estimator, arm),
        free_run or [],
        motor_constants,
        common.read_joints(same_motor),
        common.read_values(None, values or []),
        episodes,
    )
    if judge:
        table = _judged(case, detector is not None, log)
        estimator_name = case.chosen.estimator.name
        rule = case.chosen.told()[1:2]
        print_table([*case.uses, *rule], title=f"{log.name}, {estimator_name}")
        print_columns(_JUDGED, table)
        return 0
    replays = []
    for value in thresholds:
        chosen = case.chosen
        if value is not None:
            chosen = replace(chosen, values={**chosen.values, "threshold": value})
        replays.append((chosen, chosen.replay(case.signals)))
    if len(replays) == 1:
        _print_one(case, chosen, replays[0][1], free, log.name)
    else:
        _print_several(case, replays, thresholds, free, log.name)
    chosen, found = replays[-1]
    if out is not None:  # where this fails, the numbers are told
        _save(found, out)
    if plot is not None:
        _draw(found, plot, chosen.note(log.name))
    return 0


def _check_files(out: Path | None, plot: Path | None) -> None:
    """Refuse files that could not be written, before anything is computed."""
    if out is not None and out.suffix not in _FORMATS:
        allowed = ", ".join(_FORMATS)
        raise BadInput("unknown format", where="--out", found=out.name, allowed=allowed)
    if out is not None and not out.absolute().parent.is_dir():
        what = "the rows could not be saved: no such folder"
        raise BadInput(what, where="--out", found=str(out.parent))
    if plot is not None and plot.suffix != ".png":
        raise BadInput("unknown format", where="--plot", found=plot.name, allowed=".png")


def _lines_of(
    case: _Case, told: common.Chosen, chosen: common.Chosen, found: "Replay", free: bool
) -> list[tuple[str, str]]:
    """What is said of a replay: methods as ``told``, the pole, what was found, a threshold."""
    lines = [*told.told(), *_of_the_pole(chosen, case.signals, found), *_lines(found, free)]
    if case.free and any(p.name == "threshold" for p in chosen.detector.parameters):
        lines += _suggestion(case, chosen)
    return lines


def _print_one(case: _Case, chosen: common.Chosen, found: "Replay", free: bool, title: str) -> None:
    """Print what one threshold found."""
    lines = _lines_of(case, chosen, chosen, found, free)
    if case.truth is not None:
        _, felt, missed, wrong, delay = _scored(case, found)
        words = f"{felt} found, {missed} missed, {wrong} false; delay {delay}"
        lines.append(("known touches", words))
    print_table([*case.uses, *lines], title=title)


def _print_several(
    case: _Case,
    replays: "Sequence[tuple[common.Chosen, Replay]]",
    thresholds: Sequence[float | None],
    free: bool,
    title: str,
) -> None:
    """Print what is the same for all thresholds, and a row for each of them."""
    head = ["threshold", "alarms", *_SCORED]
    rows = []
    for value, (_, found) in zip(thresholds, replays, strict=True):
        rows.append([f"{value:g}", *_scored(case, found)])
    if free:
        head.append(_HOURLY)
        for row, (_, found) in zip(rows, replays, strict=True):
            row.append(dict(_lines(found, free))[_HOURLY])
    lines = _lines_of(case, case.chosen, *replays[-1], free)
    of_all = [line for line in lines if line[0] in _OF_ALL]
    print_table([*case.uses, *of_all], title=title)
    print_columns(head, rows)


_JUDGED = (
    "detector", "thresholds, by the one half, by the other", "found (95 %)", "delay, median",
    "false alarms", "per hour (95 %)",
)  # fmt: skip


def _judged(case: _Case, alone: bool, log: Path) -> list[list[str]]:
    """A row for the chosen detector ``alone``, or for each that has a threshold."""
    if case.truth is None:
        allowed = "a run, or a description with `contact` or `contacts`"
        raise BadInput("nothing says when the arm was touched", where=str(log), allowed=allowed)
    chosen = case.chosen
    detectors = [chosen.detector]
    if not alone:
        every = loadable_methods("detector").values()
        usable = [d for d in every if case.kinematics or d.needs == JOINT_TORQUES]
        detectors = [d for d in usable if declared_threshold(d)]
    table = []
    for detector in detectors:
        values = common.fitting(chosen.values, (chosen.estimator, detector))
        with_detector = replace(chosen, detector=detector, values=values)
        judged = judge_methods(with_detector, case.signals, case.truth)
        low, high = share_interval(judged.found, judged.contacts)
        rate, least, most = alarm_rate(judged.false_alarms, judged.free_time)
        table.append([
            detector.name,
            " and ".join(_in_words(threshold) for threshold in judged.thresholds),
            f"{judged.found} of {judged.contacts} ({low:.0%} … {high:.0%})",
            f"{1e3 * np.median(judged.delays):.3g} ms" if judged.found else "–",
            f"{judged.false_alarms} in {judged.free_time:.1f} s",
            f"{rate:.3g} ({least:.3g} … {most:.3g})",
        ])  # fmt: skip
    return table


def _in_words(threshold: Iterable[float]) -> str:
    return ", ".join(f"{value:.3g}" for value in threshold)


_SCORED = ("found", "missed", "false", "delay, median")


def opened(
    path: Path,
    world_name: str | None,
    names: tuple[str | None, str | None, str | None],
    free_runs: Sequence[Path],
    constants: str | None,
    same_motor: list[list[int]],
    given: dict[str, Any],
    episodes: bool | None,
) -> _Case:
    """A log with its methods: of a run its world's; a real arm's currents need its motors."""
    log = open_log(path)
    world = log.world if world_name is None else load_world(world_name)
    if log.simulated:
        if constants or same_motor:
            what = "a simulated run records torques"
            raise BadInput(what, where="--motor-constants", allowed="for recordings")
        if world is None:
            what = "the table does not say of which world it is"
            allowed = "--world WORLD, or the run's world.yaml beside it"
            raise BadInput(what, where=str(path), allowed=allowed)
    detector, estimator, arm = names
    chosen = common.choose(world, detector, estimator, arm, given, episodes)
    joints = log.data.sizes["joint"]
    is_residual = "residual" in log.data.attrs
    kinematics = bool(world_name or arm or not is_residual)
    if is_residual:
        chosen = common.of_residual(chosen, joints, kinematics)
    else:
        require_masses(chosen.model, chosen.own.links)
    own_joints = chosen.own.joints
    count = len(chosen.model.dh)
    log = log.of(own_joints, count)
    free = [open_log(free_run).of(own_joints, count) for free_run in free_runs]
    for other in free:
        other.require_untouched()
    if log.simulated:
        return _simulated(chosen, replace(log, world=world), free)
    if chosen.estimator.needs == REFERENCE and "q_ref" not in log.data:
        allowed = "a log with q_ref, or momentum_observer"
        raise BadInput("needs the reference of the joints", where="--estimator", allowed=allowed)
    drive_of(log.data)  # refuses a log without
    odd = remarks_on([each for each in (log, *free) if not each.simulated], chosen.model)
    tables = [other.recording() for other in free]
    has_effort = "effort" in log.data
    model, motors = common.motors_of(
        chosen.model, constants, tables, same_motor, str(path), has_effort
    )
    signals = signals_of_recording(log.data, motors, model)
    known = None
    if "contact" in log.data:
        known = labelled_truth(signals.time, log.data.contact.values, joints)
    recorded = [(each.path.name, each.data) for each in (log, *free) if not each.simulated]
    uses = [*uses_of(recorded, arm, chosen.own), *odd]
    if tables and not has_effort:
        uses.append(("motor constants", motors.words()))
    return _Case(
        replace(chosen, model=model),
        signals,
        free=[signals_of_recording(table, motors, model) for table in tables],
        truth=known,
        kinematics=kinematics,
        motors=motors,
        uses=uses,
    )


def _simulated(chosen: common.Chosen, log: OpenedLog, free: Sequence[OpenedLog]) -> _Case:
    """A run with its methods: it records what touched the arm."""
    signals = log.signals()
    known = None
    if "contact_force" in log.data:
        every = truth_of_data(log.data)
        rows = every.time.searchsorted(signals.time)
        known = ContactTruth(*(column[rows] for column in every))
    return _Case(chosen, signals, [other.signals() for other in free], known)


def _scored(case: _Case, found: "Replay") -> list[str]:
    """Alarms, and where the touches are known: felt, missed, false, median delay."""
    alarms = found.time[found.detected]
    if case.truth is None:
        return [str(len(alarms)), *("–",) * len(_SCORED)]
    scored = score(case.truth, alarms, found.wrench[:, :3], found.tau_external).summary()
    numbers = [str(scored[key]) for key in ("felt_count", "missed_count", "false_alarm_count")]
    return [str(len(alarms)), *numbers, SCORE["delay_p50_s"].text(scored["delay_p50_s"])]


def _save(found: "Replay", path: Path) -> None:
    with told("the result could not be saved", path), whole_file(path) as partial:
        if path.suffix == ".nc":
            found.dataset().to_netcdf(partial, engine="h5netcdf")
        else:
            partial.write_text(found.csv(), encoding="utf-8")


def _draw(found: "Replay", path: Path, note: str) -> None:
    from hopfield_nav.extensions.recordings.figures import draw_replay

    if len(found.time) < 2:
        raise BadInput("nothing to draw", where=f"--plot {path}", found=f"{len(found.time)} rows")
    with told("the picture could not be saved", path):
        draw_replay(found.time, found.level, found.wrench, found.detected, path, note)


def _suggestion(case: _Case, chosen: common.Chosen) -> list[tuple[str, str]]:
    """The threshold that the free recordings suggest, and the false alarms to be expected of it.

    The first half of each chooses the threshold, the second one counts.
    """
    watched = replace(chosen, rearm=1.0, episodes=False)
    early = []
    later = []
    for signals in case.free:
        first, second = halves(signals)
        early.append(first)
        later.append(second)
    try:
        if case.motors is not None:
            case.motors.require_known()
        threshold = choose_threshold(watched, early, per_hour=_NONE).threshold
    except BadInput as none:
        return [("suggested", f"nothing; {none}")]
    text = ",".join(f"{v:.3g}" for v in np.atleast_1d(threshold))
    option = f"--set threshold=[{text}]" if threshold.ndim else f"--threshold {text}"
    alarms, seconds = watched.judged(later, threshold)
    _, low, high = alarm_rate(alarms, seconds)
    seen = f"{alarms} in {seconds:.1f} s of free motion that did not choose it"
    return [
        ("suggested", option),
        ("its false alarms", f"{seen}: {low:.3g} … {high:.3g} an hour (95 %)"),
    ]


def _of_the_pole(chosen: common.Chosen, signals: Signals, found: "Replay") -> list[tuple[str, str]]:
    """A line where the pole is so fast that most alarms come from what changes row by row.

    That is so where a pole that takes ``1 / _FOLLOWED`` rows to follow leaves less than half of the
    alarms.
    """
    count = int(found.detected.sum())
    pole = np.max(chosen.values.get(POLE.name, POLE.default))
    slower = float(f"{_FOLLOWED / np.median(np.diff(found.time)):.2g}") if count else pole
    if POLE not in chosen.estimator.parameters or slower >= pole:
        return []
    with_slower = replace(chosen, values={**chosen.values, POLE.name: slower})
    left = int(with_slower.replay(signals).detected.sum())
    if 2 * left >= count:
        return []
    words = (
        f"{pole:g} 1/s is too fast for this recording: {left} of {count} alarms are left with "
        f"--set pole={slower:g}"
    )
    return [("pole", words)]


def _lines(found: "Replay", free: bool) -> list[tuple[str, str]]:
    """What a replay found, as rows of a table."""
    time = found.time
    count = len(time)
    alarms = time[found.detected]
    peak = int(np.argmax(found.level)) if count else 0
    lines = [
        ("rows", f"{count}, {time[-1] - time[0]:.2f} s" if count else "0"),
        ("period", f"{1e3 * float(np.median(np.diff(time))):.3g} ms" if count > 1 else "–"),
        ("alarms", common.alarms_in_words(alarms)),
        ("largest level", f"{found.level[peak]:.3g} at {time[peak]:.2f} s" if count else "–"),
    ]
    if free and count > 1:
        rate, low, high = alarm_rate(len(alarms), watched_seconds(time))
        lines.append((_HOURLY, f"{rate:.3g} (95 %: {low:.3g} … {high:.3g})"))
    return lines
