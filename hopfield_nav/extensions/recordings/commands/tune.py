"""The command tune: a detector's threshold for a wanted rate of false alarms, as a world file."""

import math
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from dynamics import BadInput, told
from dynamics.files import write_whole
from hopfield_nav.cli import (
    Trusted,
    WorldName,
    print_columns,
    print_table,
    say,
    say_if_cold,
    set_option,
)
from hopfield_nav.extensions.recordings import segments as of_parts
from hopfield_nav.extensions.recordings.chosen import MotorConstants, SameMotor
from hopfield_nav.extensions.recordings.commands.quiet import (
    Free,
    Tuned,
    costs,
    recorded,
    rounded,
    simulated,
    tuned,
)
from hopfield_nav.extensions.recordings.signals import Signals
from hopfield_nav.extensions.recordings.tuning import choose_report, quiet_time, threshold_of
from hopfield_nav.plugin import provided
from hopfield_nav.record import alarm_rate
from hopfield_nav.world import World, changed_settings, load_world

# below and above the chosen threshold, at which rates are drawn; at so many thresholds
_OCTAVES, _RATES = (2.0, 33)
_MOST_LONGER = 1000  # times the motion that was judged: more is not looked at


def tune(
    world: WorldName,
    per_hour: Annotated[
        float,
        typer.Option("--false-alarms-per-hour", metavar="RATE", help="Wanted, at most; above 0."),
    ],
    seeds: Annotated[
        int,
        typer.Option(
            min=2, max=1_000_000, help="Free motions to simulate; half of them judge the others."
        ),
    ] = 40,
    free_run: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="LOG",
            help="Recorded free motion in the place of simulated: a run, or a real arm. Repeatable.",
        ),
    ] = None,
    gains: Annotated[
        list[str] | None,
        typer.Option(
            "--gain",
            metavar="KEY=A,B,...",
            help="Choose a gain too, the one with which least force is felt: --gain detection.pole=25,50,100",
        ),
    ] = None,
    motion: Annotated[
        Path | None,
        typer.Option(
            metavar="PLAN",
            help="Repeat a planned motion, the folder or the plan.csv of `plan`, with noise.",
        ),
    ] = None,
    motor_constants: MotorConstants = None,
    same_motor: SameMotor = None,
    segments: Annotated[
        bool,
        typer.Option(
            "--by-segment",
            help="Tell what each part of the motion between two rests needs; with --motion, write that too.",
        ),
    ] = False,
    report: Annotated[
        bool,
        typer.Option(
            "--report",
            help="Find a lower level too, to report and not to answer: detection.report.",
        ),
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw rate against force that is felt, as .png."),
    ] = None,
    overrides: Annotated[list[str] | None, set_option("detection.measure=force_norm")] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="World file to write  [default: WORLD_tuned.yaml]"),
    ] = None,
    trust: Trusted = False,
) -> int:
    """Find the threshold for a wanted rate of false alarms, tell what it costs, write it as a world file."""
    try:
        quiet_time(per_hour)
    except BadInput as error:
        raise error.at("--false-alarms-per-hour") from None
    if gains and len(gains) > 1:
        raise BadInput(
            "two gains",
            where="--gain",
            found=", ".join(gains),
            allowed="one, whose values are tried",
        )
    gain, given = gains[0] if gains else "", overrides or []
    key, tried = _values(gain)
    changes = [[*given, f"{key}={value}"] for value in tried] or [given]
    worlds = [load_world(world, change, trust) for change in changes]
    say(*worlds[0].notes)
    file = _new_file(out or Path(f"{worlds[0].name}_tuned.yaml"))
    if gain and free_run and not gain.startswith("detection."):
        raise BadInput(
            "what was recorded did not move with that gain",
            where=f"--gain {gain}",
            allowed="detection.…",
        )
    if not free_run and (motor_constants or same_motor):
        raise BadInput(
            "motors are those of a recording", where="--motor-constants", allowed="with --free-run"
        )
    if plot is not None and plot.suffix != ".png":
        raise BadInput("unknown format", where="--plot", found=plot.name, allowed=".png")
    if motion and (free_run or gains):
        raise BadInput(
            "two kinds of motion", where="--motion", allowed="without --free-run and --gain"
        )
    if segments or plot is not None:
        of_parts.require_in_proportion(worlds[0].detection.measure)
    say_if_cold()
    if free_run:
        free = recorded(worlds[0], free_run, motor_constants, same_motor)
    else:
        joints = len(worlds[0].start.joints)
        free = simulated(
            seeds, provided("load_motion", "--motion")(motion, joints) if motion else None
        )
    pushed = [
        load_world(world, [*change, *free.changes], trust) if gain else None for change in changes
    ]
    found = [
        tuned(each, free, per_hour, before) for each, before in zip(worlds, pushed, strict=True)
    ]
    best = min(range(len(found)), key=lambda i: found[i].force)
    judged = found[best].judged(free)
    before = [*changes[best], *free.changes]
    lines = [*_lines(judged, per_hour, 0 if free_run else seeds), *free.remarks]
    parts = _parts(judged, free) if segments else []
    further = (
        [f"detection.by_segment={[each.share for each in parts]}"] if motion and segments else []
    )
    if report:
        level, told_of = _report(
            judged, free, min((each.share for each in parts if further), default=1.0)
        )
        further, lines = [*further, *level], [*lines, told_of]
    after = load_world(world, [*before, found[best].change, *further], trust)
    head = "".join(f"# {name}: {text}\n" for name, text in lines)
    forces = ", ".join(
        f"{value}: {each.force:.3g} N" for value, each in zip(tried, found, strict=False)
    )
    compared = (
        [("gains", f"{key}, force at which a push is felt: {forces}")] if len(found) > 1 else []
    )
    lines += costs(load_world(world, before, trust), after, free.along)
    print_table([*compared, *lines, ("world", str(file))], title=worlds[0].name)
    # where this fails, what was found is told
    write_whole(file, head + after.to_yaml(file.parent.resolve()))
    if parts:
        _print_parts(parts, free)
    if plot is not None:
        _draw(judged, free, plot, after)
    return 0 if judged.rate[2] <= per_hour else 1


def _parts(judged: "Tuned", free: "Free") -> list[of_parts.SegmentThreshold]:
    """What every part of the motions needs, in proportion to the threshold that was chosen for all."""
    early, late = list(free.choosing(judged.world)), list(free.judging(judged.world))
    if free.along is not None:
        return of_parts.by_part(judged.watched, early, late, judged.chosen.threshold)
    motions = [*early, *late]
    if free.names:  # a log is one motion, wherever its halves meet
        motions = [
            Signals(*map(np.concatenate, zip(*halves, strict=True)))
            for halves in zip(early, late, strict=True)
        ]
    return of_parts.by_segment(judged.watched, motions, judged.chosen.threshold)


def _report(judged: "Tuned", free: "Free", share: float) -> tuple[list[str], tuple[str, str]]:
    """The change of a world to a level to report, if there is one below a ``share`` of the threshold; and a line."""
    watched, threshold = judged.watched, judged.chosen.threshold
    level = choose_report(watched, list(free.choosing(judged.world)), share * threshold)
    if level is None:
        return [], ("report", "none below the threshold: free motion is as loud all the time")
    level = rounded(level)
    passed, seconds = watched.judged(free.judging(judged.world), level)
    words = f"{level.tolist()}, passed {passed} times in {seconds:.1f} s"
    return [f"detection.report={level.tolist()}"], ("report", words)


def _print_parts(found: list[of_parts.SegmentThreshold], free: "Free") -> None:
    """A table of the parts of the motions."""
    names = free.names or [f"motion {k + 1}" for k in range(1 + max(each.motion for each in found))]
    rows = [
        [
            names[each.motion], f"{each.begin:.2f}–{each.end:.2f} s", f"{each.share:.3g}", f"{each.force:.3g} N",
            f"{each.alarms} in {each.seconds:.1f} s", f"{each.most_per_hour:.3g}",
        ]
        for each in found
    ]  # fmt: skip
    judging = "its other half" if free.along is None else "the others"
    head = [
        "motion",
        "part",
        "of the threshold",
        "force felt",
        f"alarms in {judging}",
        "1/h at most (95 %)",
    ]
    print_columns(head, rows, labels=2)


def _draw(judged: "Tuned", free: "Free", path: Path, after: "World") -> None:
    """Rates over the force.

    ``after`` is the world with the threshold that was chosen, which the foot names.
    """
    from hopfield_nav.extensions.recordings.figures import draw_rates
    from hopfield_nav.figures import settings_note

    key, _, value = judged.change.partition("=")
    shares = 2.0 ** np.linspace(-_OCTAVES, _OCTAVES, _RATES)
    curve = of_parts.rate_curve(
        judged.watched, list(free.judging(judged.world)), judged.chosen.threshold, shares
    )
    settings = {name: v for name, v in changed_settings(after).items() if name != key}
    chosen = f"{after.name}, chosen threshold {value} {threshold_of(judged.watched.detector).unit}"
    with told("the picture could not be saved", path):
        draw_rates(*curve, float(curve.force[_RATES // 2]), path, settings_note(chosen, settings))


def _values(gain: str) -> tuple[str, list[str]]:
    """Key and values of ``KEY=A,B``; of none no values."""
    key, _, values = gain.partition("=")
    if gain and (not key or not all(values.split(","))):
        raise BadInput(
            "not understood",
            where=f"--gain {gain}",
            allowed="KEY=A,B, such as detection.pole=25,50",
        )
    return key, values.split(",") if gain else []


def _new_file(path: Path) -> Path:
    if path.suffix not in (".yaml", ".yml"):
        raise BadInput(
            "not the name of a world file", where="--out", found=str(path), allowed="FILE.yaml"
        )
    if path.exists():
        raise BadInput("is there already; nothing is overwritten", where=str(path))
    if not path.parent.is_dir():
        raise BadInput("no such folder", where=str(path.parent))
    return path


def _verdict(judged: "Tuned", per_hour: float, seeds: int) -> str:
    """Whether the wanted rate is shown, and what it takes where it is not."""
    rate, low, high = judged.rate
    if high <= per_hour:
        verdict = f"{per_hour:g} an hour is shown"
    elif low > per_hour:
        verdict = f"{per_hour:g} an hour is exceeded"
    else:
        needed, alarms = quiet_time(per_hour), "without an alarm"
        if judged.alarms:
            spans = (k * judged.seconds for k in range(2, _MOST_LONGER))
            longer = (s for s in spans if alarm_rate(round(rate * s / 3600), s)[2] <= per_hour)
            needed, alarms = next(longer, math.inf), "with alarms as rare"
        verdict = f"{per_hour:g} an hour is not shown: the free motion was too short to bound it; "
        if math.isinf(needed):
            return f"{verdict}{_MOST_LONGER} times as much would not do either"
        verdict += f"that takes {needed:.4g} s {alarms}, beside what chooses"
        if seeds:
            verdict += (
                f": about --seeds {2 * math.ceil(needed / judged.seconds * (seeds - seeds // 2))}"
            )
    return verdict


def _lines(judged: "Tuned", per_hour: float, seeds: int) -> list[tuple[str, str]]:
    rate, low, high = judged.rate
    seen = f"{judged.alarms} in {judged.seconds:.1f} s of other free motion: {rate:.3g} an hour"
    return [
        ("threshold", judged.change.partition("=")[2]),
        (
            "chosen by",
            f"{judged.chosen.seconds:.1f} s of free motion, {judged.chosen.allowed} alarms allowed",
        ),
        ("false alarms", f"{seen} (95 %: {low:.3g} … {high:.3g})"),
        ("wanted", _verdict(judged, per_hour, seeds)),
    ]
