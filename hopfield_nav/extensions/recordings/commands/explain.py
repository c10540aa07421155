"""The command explain."""

import math
from pathlib import Path
from typing import Annotated

import typer

from dynamics import BadInput, told
from hopfield_nav.cli import print_table
from hopfield_nav.extensions.recordings import chosen as common
from hopfield_nav.extensions.recordings.causes import LIKELY, Explanation, explain_detections
from hopfield_nav.extensions.recordings.commands.replay import opened


def explain(
    log: common.Log,
    detector: common.Detector = None,
    estimator: common.Estimator = None,
    world: common.WorldOfLog = None,
    arm: common.ArmName = None,
    values: common.Values = None,
    free_run: common.FreeRun = None,
    motor_constants: common.MotorConstants = None,
    same_motor: common.SameMotor = None,
    at: Annotated[
        float | None,
        typer.Option(metavar="T", help="The detection nearest to this time alone [s]."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the first that is told, as .png.")
    ] = None,
) -> int:
    """Say of detections in a log on which joint, how far above the threshold, and what could have done it."""
    if plot is not None and plot.suffix != ".png":
        raise BadInput("unknown format", where="--plot", found=plot.name, allowed=".png")
    if at is not None and not math.isfinite(at):
        raise BadInput("no time", where="--at", found=at, allowed="seconds of the log")
    case = opened(log, world, (detector, estimator, arm), free_run or [], motor_constants,
                  common.read_joints(same_motor), common.read_values(None, values or []), None)  # fmt: skip
    found = case.chosen.replay(case.signals)
    explained = explain_detections(case.chosen.model, case.signals, found)
    if at is not None and explained:
        explained = [min(explained, key=lambda one: abs(one.time - at))]
    if case.uses:
        print_table(case.uses)
    if not explained:
        print("no detection in this log")
        return 1
    for one in explained:
        print_table(_lines(one), title=f"{log.name}, {one.time:.3f} s")
    if plot is not None:
        from hopfield_nav.extensions.recordings.figures import draw_causes

        first, note = explained[0], case.chosen.note(log.name)
        causes = [(cause.name, cause.share) for cause in first.causes]
        with told("the picture could not be saved", plot):
            draw_causes(found.time, found.tau_external, first.time, first.joint, causes, plot, note)
    return 0


def _lines(each: "Explanation") -> list[tuple[str, str]]:
    first, *others = each.causes
    likeliest = f"{first.name}, {100 * first.share:.0f} % explained: {first.size}"
    if first.share < LIKELY:
        others, likeliest = (
            list(each.causes),
            f"none of these: each explains less than {LIKELY:.0%}",
        )
    return [
        ("joint", f"{each.joint}: {each.torque[each.joint - 1]:.3g} N·m taken for contact"),
        ("above the threshold", f"{each.level:.3g} times it"),
        ("likeliest", likeliest),
        *((cause.name, f"{100 * cause.share:.0f} %: {cause.size}") for cause in others),
    ]
