"""A real UR5's recordings (Kufieta 2014): what does not depend on the method, and the page's figures.

python scripts/recordings_study.py --out docs/lab/detectors_on_recordings.md --figures docs/figures

The tables of methods come from the suite ``recordings``.
"""

from pathlib import Path

import numpy as np
import typer
from benches import suite_module
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from measured_part import table, tell
from recorded_pushes import pushes, strokes
from reproduction import PICTURES, picture, pictures_of

from dynamics import load_arm
from hopfield_nav.extensions.recordings import (
    Watched,
    by_segment,
    choose_threshold,
    felt,
    halves,
    signals_of_recording,
    watched_seconds,
)
from hopfield_nav.figures import CENTIMETRE, COLOURS, COLUMN
from hopfield_nav.plugin import find_method
from hopfield_nav.record import alarm_rate

r, s = suite_module("recordings"), suite_module("standstill")
OBSERVER = "momentum_observer"
WANTED = 100.0  # false alarms an hour
_LOOKS = {  # colour, line and marker; the arm's own is black and broken
    "disturbance_observer": (COLOURS.goal, "-", "o"),
    "joint_error": (COLOURS.felt, "-", "s"),
    "joint_error_plain": (COLOURS.start, "-", "^"),
    OBSERVER: (COLOURS.planned, "-", "v"),
    "tracking_error": (COLOURS.travelled, "-", "D"),
    r.OWN: (COLOURS.true, "--", "x"),
}
BELOW = "disturbance_observer"  # broad and pale: the curve of the momentum observer lies on it
# to a push on an arm that holds its place
_DEAF = ("tracking_error", "joint_error_plain", "joint_error")


def motor_table() -> str:
    """Motor constants and friction of all free runs, with standard deviations."""
    fit = r.motors(r.FREE_RUNS)
    rows = []
    for j in range(6):
        values = zip((fit.motor_constant[j], *fit.friction[j]), fit.std[j], strict=False)
        cells = [f"{value:.2f} ± {std:.2f}" for value, std in values]
        rows.append([f"{j + 1}", *cells, f"{fit.residual_rms[j]:.2f}"])
    head = [
        "joint",
        "motor constant [N·m/A]",
        "Coulomb [N·m]",
        "viscous [N·m·s/rad]",
        "left [A rms]",
    ]
    return table(head, rows)


def push_table() -> str:
    """When somebody pushed, on the clock of the pushed run."""
    rows = []
    for k, p in enumerate(pushes(), 1):
        speed = np.abs(r.recording(r.PUSHED).sel(time=slice(p.start, p.end)).qd_ref.values).max(
            axis=1
        )
        state = "moves" if np.mean(speed > 0.005) > 0.5 else "rests"
        rows.append(
            [f"{k}", f"{p.start:.2f}", f"{p.end:.2f}", f"{p.joint}", f"{p.current:+.2f}", state]
        )
    return table(
        ["push", "from [s]", "to [s]", "joint", "current beside the free run [A]", "arm"], rows
    )


def rest_table() -> str:
    """What is left of each joint's torque in free motion and at rest: p99 of the first observer [N·m]."""
    torque = np.concatenate(
        [np.abs(r.torque_of(run, OBSERVER))[r.in_motion(run)] for run in r.FREE_RUNS]
    )
    speed = np.concatenate(
        [np.abs(r.recording(run).qd_ref.values[r.in_motion(run)]) for run in r.FREE_RUNS]
    )
    rows = []
    for label, moving in (("joint moves", True), ("joint rests", False)):
        chosen = (speed > 0.005) == moving
        rows.append(
            [label, *(f"{np.percentile(torque[chosen[:, j], j], 99):.1f}" for j in range(6))]
        )
    return table(["free runs", *(f"joint {j}" for j in range(1, 7))], rows)


def segment_table() -> str:
    """One threshold for a recording, and what each of its parts needs: chosen by one half, judged by the other."""
    methods = find_method("estimator", OBSERVER), find_method("detector", "joint_torque")
    rows = []
    for run in r.FREE_RUNS:
        motors = r.motors(r.others(run))
        watched = Watched(motors.on(load_arm("ur5_controller")), *methods, {"pole": r.POLE})
        signals = signals_of_recording(r.recording(run), motors)
        first, second = halves(signals)
        threshold = choose_threshold(watched, [first], WANTED).threshold
        alarms, seconds = watched.alarms(second, threshold), watched_seconds(second.time)
        force = felt(watched, signals, slice(0, len(signals.time)), threshold)
        rows.append([f"{run}, all", "1", f"{force:.1f} N", *_judged(alarms, seconds)])
        rows += [
            [f"{part.begin:.1f}–{part.end:.1f} s", f"{part.share:.2f}", f"{part.force:.1f} N",
             *_judged(part.alarms, part.seconds)]
            for part in by_segment(watched, [signals], threshold)
        ]  # fmt: skip
    head = [
        "part",
        "of the threshold",
        "force felt",
        "false alarms in the other half",
        "an hour, at most (95 %)",
    ]
    return table(head, rows)


def _judged(alarms: int, seconds: float) -> list[str]:
    return [f"{alarms} in {seconds:.1f} s", f"{alarm_rate(alarms, seconds)[2]:.0f}"]


def _named(estimator: str) -> str:
    return "the arm's own" if estimator == r.OWN else estimator


@picture("recorded_pushes", COLUMN, 14.5 * CENTIMETRE, 3, 1, height_ratios=(1, 1, 1.15))
def pushes_figure(figure: Figure, *axes: Axes) -> None:
    """Pushed beside free, and the trade of pushes against false alarms."""
    shift = 0.008 * (strokes(r.PUSHED)[0][0] - strokes(r.FREE)[0][0])
    force = find_method("detector", "force_norm")
    for ax, values, label in (
        (axes[0], lambda run: r.torque_of(run, OBSERVER)[:, 0], "external torque,\njoint 1 [N·m]"),
        (axes[1], lambda run: r.level(run, r.OWN, force), "arm's own\nforce estimate [N]"),
    ):
        for run, name, ahead, colour in (
            (r.PUSHED, "pushed", 0.0, COLOURS.felt),
            (r.FREE, "free", shift, COLOURS.true),
        ):
            rows = r.in_motion(run)
            time = r.recording(run).time.values[rows] + ahead
            ax.plot(time, values(run)[rows], color=colour, lw=0.7, label=name)
        for k, push in enumerate(pushes()):
            label_once = "somebody pushes" if k == 0 else None
            ax.axvspan(
                push.start, push.end, color=COLOURS.obstacle, alpha=0.45, lw=0, label=label_once
            )
        ax.set(ylabel=label, xlim=(2.9, 32.3))
    axes[0].tick_params(labelbottom=False)
    axes[0].legend(ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0), borderaxespad=0.2)
    axes[1].set_xlabel("time [s]")
    _draw_trade(axes[2])
    for ax, letter in zip(axes, "abc", strict=True):
        ax.annotate(letter, (-0.17, 1.0), xycoords="axes fraction", weight="bold", va="top")


def _draw_trade(ax: Axes) -> None:
    """Share of pushes caught against false alarms per hour of free motion, at every threshold."""
    for name, (colour, line, marker) in _LOOKS.items():
        method = r.Judged(name, r.TORQUE_NORM)
        peaks = np.sort(method.peaks())
        _, seconds = method.alarms(np.inf)
        rates = [3600 / seconds * method.alarms(0.999 * p)[0] for p in peaks]
        shares = [100 * np.mean(peaks >= p) for p in peaks]
        below = {"ms": 5.0, "lw": 2.4, "alpha": 0.5} if name == BELOW else {"ms": 2.5}
        ax.plot(rates, shares, line, label=_named(name), color=colour, marker=marker, **below)
    ax.set_xscale("symlog", linthresh=3600 / seconds, linscale=0.35)  # one alarm
    ax.set(xlim=(-8, 12000), ylim=(0, 106), ylabel="pushes caught [%]")
    ax.set_xticks([0, 100, 1000], ["0", "100", "1000"])
    ax.set_xlabel("false alarms per hour of free motion")
    ax.minorticks_off()
    ax.legend(ncols=2, loc="upper center", bbox_to_anchor=(0.45, -0.25))


@picture("recorded_standstill", COLUMN, 9.5 * CENTIMETRE, 2, 1, sharex=True, height_ratios=(1.3, 1))
def standstill_figure(figure: Figure, *axes: Axes) -> None:
    """Every estimator beside the force sensor: above those that follow it, below those that do not."""
    sensor = s.followed(r.OWN)
    for ax in axes:
        ax.fill_between(sensor.time, sensor.sensor, color=COLOURS.obstacle, lw=0)
    axes[0].fill_between([], [], color=COLOURS.obstacle, lw=0, label="force sensor")
    for name in [*(name for name in _LOOKS if name not in _DEAF), *_DEAF]:
        (colour, line, _), estimate = _LOOKS[name], s.followed(name)
        below = {"lw": 2.6, "alpha": 0.5} if name == BELOW else {"lw": 0.8}
        axes[int(name in _DEAF)].plot(
            estimate.time, estimate.estimate, line, label=_named(name), color=colour, **below
        )
    axes[0].set(xlim=(3, 22.4), ylabel="force along\nthe push [N]")
    axes[1].set(xlabel="time [s]", ylim=(-16, 16), ylabel="force along\nthe push [N]")
    figure.legend(loc="outside upper center", ncols=2)


TABLES = {
    "motors": motor_table,
    "pushes": push_table,
    "friction": rest_table,
    "segments": segment_table,
}
FIGURES = PICTURES[__name__]


def main(out: Path | None = None, figures: Path | None = None) -> None:
    """Every table, to a page, and the figures, to a folder."""
    for name, make in TABLES.items():
        tell(make(), out, name)
    if figures:
        print(*pictures_of(__name__, dpi=300)(figures), sep="\n")


if __name__ == "__main__":
    typer.run(main)
