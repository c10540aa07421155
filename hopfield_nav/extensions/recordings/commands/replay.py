"""The command replay."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dynamics import BadInput, told
from hopfield_nav.cli import SameMotor, read_joints
from hopfield_nav.extensions.recordings import chosen as common

if TYPE_CHECKING:
    from hopfield_nav.extensions.recordings.replayed import Replay
    from hopfield_nav.extensions.recordings.signals import Signals
    from hopfield_nav.record import ContactTruth

_FORMATS = (".csv", ".nc")
_NONE = 1e-6  # false alarms an hour: as good as none
_OF_ALL = ("methods", "rule", "rows", "period", "suggested", "its false alarms")  # rows for every threshold
_HOURLY = "false alarms per hour"


@dataclass(frozen=True)
class _Case:
    """What was chosen for a log, its signals, free motion of the same arm, and true contact if known."""

    chosen: common.Chosen
    signals: "Signals"
    free: "list[Signals]"
    truth: "ContactTruth | None"
    kinematics: bool = True  # whether the arm's lengths are known


def replay(
    log: common.Log,
    detector: common.Detector = None,
    estimator: common.Estimator = None,
    world: common.WorldOfLog = None,
    arm: common.ArmName = None,
    threshold: Annotated[
        str | None, typer.Option(metavar="T,...", help="Of the detector; of several a table is made: 1,2,4,8.")
    ] = None,
    values: common.Values = None,
    free_run: common.FreeRun = None,
    motor_constants: common.MotorConstants = None,
    same_motor: SameMotor = None,
    episodes: common.Episodes = None,
    judge: Annotated[
        bool,
        typer.Option(
            "--judge", help="Every detector on the known contacts; half of the log chooses its threshold, half judges."
        ),
    ] = False,
    free: Annotated[
        bool, typer.Option("--free", help="Nothing touched the arm in this log: every alarm is a false one.")
    ] = False,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Save row by row, as .csv or .nc.")] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw level, force and alarms, as .png.")] = None,
) -> int:
    """Run a force estimator and a collision detector over a recording, by default those of the run."""
    from hopfield_nav.cli import print_columns, print_table

    if out is not None and out.suffix not in _FORMATS:
        raise BadInput("unknown format", where="--out", found=out.name, allowed=", ".join(_FORMATS))
    if out is not None and not out.absolute().parent.is_dir():
        raise BadInput("the rows could not be saved: no such folder", where="--out", found=str(out.parent))
    if plot is not None and plot.suffix != ".png":
        raise BadInput("unknown format", where="--plot", found=plot.name, allowed=".png")
    thresholds: list[float | None] = [None] if threshold is None else [*common.read_numbers(threshold, "--threshold")]
    case = opened(log, world, (detector, estimator, arm), free_run or [], motor_constants,
                  read_joints(same_motor), common.read_values(None, values or []), episodes)  # fmt: skip
    if judge:
        table = _judged(case, detector is not None, log)
        print_table(case.chosen.told()[1:2], title=f"{log.name}, {case.chosen.estimator.name}")
        print_columns(_JUDGED, table)
        return 0
    rows = []
    for value in thresholds:
        chosen = case.chosen
        if value is not None:
            chosen = replace(chosen, values={**chosen.values, "threshold": value})
        found = replayed(chosen, case.signals)
        hourly = [dict(_lines(found, free))[_HOURLY]] if free else []
        rows.append([f"{value:g}" if value is not None else "", *_scored(case, found), *hourly])
    lines = [*(case.chosen if len(rows) > 1 else chosen).told(), *_lines(found, free)]
    if case.free and any(p.name == "threshold" for p in chosen.detector.parameters):
        lines += _suggestion(case, chosen)
    if len(rows) == 1 and case.truth is not None:
        lines += [("known touches", _in_words(rows[0][2:6]))]
    several = len(rows) > 1
    print_table([line for line in lines if not several or line[0] in _OF_ALL], title=log.name)
    if several:
        print_columns(["threshold", "alarms", *_SCORED, *[_HOURLY] * free], rows)
    if out is not None:  # where this fails, the numbers are told
        _save(found, out)
    if plot is not None:
        _draw(found, plot, chosen.note(log.name))
    return 0


_JUDGED = (
    "detector", "thresholds, by the one half, by the other", "found (95 %)", "delay, median",
    "false alarms", "per hour (95 %)",
)  # fmt: skip


def _judged(case: _Case, alone: bool, log: Path) -> list[list[str]]:
    """A row for the chosen detector ``alone``, or for each that has a threshold."""
    import numpy as np

    from hopfield_nav.extensions.recordings.judged import judge as judge_methods
    from hopfield_nav.extensions.recordings.tuning import Watched, declared_threshold
    from hopfield_nav.plugin import JOINT_TORQUES, find_method, method_names
    from hopfield_nav.record import alarm_rate, share_interval

    if case.truth is None:
        allowed = "a run, or a description with `contact` or `contacts`"
        raise BadInput("nothing says when the arm was touched", where=str(log), allowed=allowed)
    chosen, rows = case.chosen, case.truth.time.searchsorted(case.signals.time)
    truth = type(case.truth)(*(column[rows] for column in case.truth))
    every = [find_method("detector", name) for name in method_names("detector")]
    kinds = [m for m in every if declared_threshold(m) and (case.kinematics or m.needs == JOINT_TORQUES)]
    table = []
    for detector in [chosen.detector] if alone else kinds:
        values = common.fitting(chosen.values, (chosen.estimator, detector))
        methods = Watched(chosen.model, chosen.estimator, detector, values, chosen.rearm, chosen.episodes)
        j = judge_methods(methods, case.signals, truth)
        low, high = share_interval(j.found, j.contacts)
        rate, least, most = alarm_rate(j.false_alarms, j.free_time)
        table.append([
            detector.name, " and ".join(", ".join(f"{v:.3g}" for v in t) for t in j.thresholds),
            f"{j.found} of {j.contacts} ({low:.0%} … {high:.0%})",
            f"{1e3 * np.median(j.delays):.3g} ms" if j.found else "–",
            f"{j.false_alarms} in {j.free_time:.1f} s", f"{rate:.3g} ({least:.3g} … {most:.3g})",
        ])  # fmt: skip
    return table


_SCORED = ("found", "missed", "false", "delay, median")


def _in_words(scored: Sequence[str]) -> str:
    return ", ".join(f"{value} {name}" for name, value in zip(_SCORED[:3], scored, strict=False)) + (
        f"; delay {scored[3]}"
    )


def replayed(chosen: common.Chosen, signals: "Signals") -> "Replay":
    """What the chosen methods make of signals."""
    from hopfield_nav.extensions.recordings.replayed import replay as replay_signals

    c = chosen
    return replay_signals(c.model, signals, c.estimator, c.detector, c.values, c.rearm, c.episodes)


def opened(
    path: Path, world_name: str | None, names: tuple[str | None, str | None, str | None],
    free_runs: Sequence[Path], constants: str | None, same_motor: list[list[int]], given: dict[str, Any],
    episodes: bool | None,
) -> _Case:  # fmt: skip
    """A log with its methods: of a run those of its world; a real arm's currents need its motors."""
    from hopfield_nav.extensions.recordings.judged import labelled_truth
    from hopfield_nav.extensions.recordings.needed import drive_of
    from hopfield_nav.extensions.recordings.opened import open_log
    from hopfield_nav.extensions.recordings.signals import signals_of_recording
    from hopfield_nav.plugin import REFERENCE
    from hopfield_nav.record import truth_of_data
    from hopfield_nav.world import load_world

    log = open_log(path)
    world = log.world if world_name is None else load_world(world_name)
    if log.simulated:
        if constants or same_motor:
            told = "a simulated run records torques"
            raise BadInput(told, where="--motor-constants", allowed="for recordings")
        if world is None:
            allowed = "--world WORLD, or the run's world.yaml beside it"
            raise BadInput("the table does not say of which world it is", where=str(path), allowed=allowed)
    chosen = common.choose(world, *names, given, episodes)
    joints, residual = log.data.sizes["joint"], "residual" in log.data.attrs
    kinematics = bool(world_name or names[2] or not residual)
    if residual:
        chosen = common.of_residual(chosen, joints, kinematics)
    if joints != len(chosen.model.dh):
        allowed = f"{len(chosen.model.dh)}, as the arm: --arm ARM or --world WORLD names another"
        raise BadInput("another number of joints than the arm", where=str(path), found=joints, allowed=allowed)
    free = [open_log(other, joints) for other in free_runs]
    for other in free:
        other.require_untouched()
    if log.simulated:
        known = truth_of_data(log.data) if "contact_force" in log.data else None
        return _Case(chosen, replace(log, world=world).signals(), [o.signals() for o in free], known)
    if chosen.estimator.needs == REFERENCE and "q_ref" not in log.data:
        allowed = "a log with q_ref, or momentum_observer"
        raise BadInput("needs the reference of the joints", where="--estimator", allowed=allowed)
    drive_of(log.data)  # refuses a log without
    tables = [other.recording() for other in free]
    kind = "effort" in log.data
    model, motors = common.motors_of(chosen.model, constants, tables, same_motor, str(path), kind)
    untouched = [signals_of_recording(table, motors) for table in tables]
    signals = signals_of_recording(log.data, motors)
    known = labelled_truth(signals.time, log.data.contact.values, joints) if "contact" in log.data else None
    return _Case(replace(chosen, model=model), signals, untouched, known, kinematics)


def _scored(case: _Case, found: "Replay") -> list[str]:
    """Alarms, and where the touches are known: felt, missed, false, median delay."""
    from hopfield_nav.record import SCORE, score

    alarms = found.time[found.detected]
    if case.truth is None:
        return [str(len(alarms)), *("–",) * len(_SCORED)]
    rows = case.truth.time.searchsorted(found.time)
    truth = type(case.truth)(*(column[rows] for column in case.truth))
    told = score(truth, alarms, found.wrench[:, :3], found.tau_external).summary()
    numbers = [str(told[key]) for key in ("felt_count", "missed_count", "false_alarm_count")]
    return [str(len(alarms)), *numbers, SCORE["delay_p50_s"].text(told["delay_p50_s"])]


def _save(found: "Replay", path: Path) -> None:
    from dynamics.files import whole_file

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
    """The threshold that the free recordings suggest, and the false alarms to be expected with it."""
    import numpy as np

    from hopfield_nav.extensions.recordings.signals import watched_seconds
    from hopfield_nav.extensions.recordings.tuning import Watched, choose_threshold, halves
    from hopfield_nav.record import alarm_rate

    watched = Watched(chosen.model, chosen.estimator, chosen.detector, chosen.values, 1.0)
    early, later = zip(*(halves(signals) for signals in case.free), strict=True)
    try:
        threshold = choose_threshold(watched, early, per_hour=_NONE).threshold
    except BadInput as none:
        return [("suggested", f"nothing; {none}")]
    text = ",".join(f"{v:.3g}" for v in np.atleast_1d(threshold))
    option = f"--set threshold=[{text}]" if threshold.ndim else f"--threshold {text}"
    alarms = sum(watched.alarms(signals, threshold) for signals in later)
    seconds = sum(watched_seconds(signals.time) for signals in later)
    _, low, high = alarm_rate(alarms, seconds)
    seen = f"{alarms} in {seconds:.1f} s of free motion that did not choose it"
    return [("suggested", option), ("its false alarms", f"{seen}: {low:.3g} … {high:.3g} an hour (95 %)")]


def _lines(found: "Replay", free: bool) -> list[tuple[str, str]]:
    import numpy as np

    from hopfield_nav.cli import alarms_in_words
    from hopfield_nav.extensions.recordings.signals import watched_seconds
    from hopfield_nav.record import alarm_rate

    count, time = len(found.time), found.time
    alarms = time[found.detected]
    peak = int(np.argmax(found.level)) if count else 0
    period = f"{1e3 * float(np.median(np.diff(time))):.3g} ms" if count > 1 else "–"
    lines = [
        ("rows", f"{count}, {time[-1] - time[0]:.2f} s" if count else "0"),
        ("period", period),
        ("alarms", alarms_in_words(alarms)),
        ("largest level", f"{found.level[peak]:.3g} at {time[peak]:.2f} s" if count else "–"),
    ]
    if free and count > 1:
        rate, low, high = alarm_rate(len(alarms), watched_seconds(time))
        lines.append((_HOURLY, f"{rate:.3g} (95 %: {low:.3g} … {high:.3g})"))
    return lines
