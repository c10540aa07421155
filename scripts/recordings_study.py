"""Detectors on a real UR5's recordings (Kufieta 2014): tables and figures of docs/detectors_on_recordings.md.

python scripts/recordings_study.py --out docs/detectors_on_recordings.md --figures docs/figures
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import recordings_methods as methods
from matplotlib.figure import Figure
from measured_part import table, tell
from recorded_pushes import FREE, PUSHED, pushes, strokes
from recorded_runs import recording
from recordings_methods import FREE_RUNS, OWN, estimators, followed, in_motion, judged, torque_of
from reproduction import save_figures

from hopfield_nav.figures import CENTIMETRE, COLOURS, COLUMN
from hopfield_nav.plugin import method_names
from hopfield_nav.record import alarm_rate

DETECTORS = ("high_pass_joint_torque", "adaptive_joint_torque", "adaptive_high_pass")
MEASURES = {"torque": "‖tau_external‖ [N·m]", "force": "‖force‖ [N]", "joints": "joints [1]"}
OBSERVER = "momentum_observer"
_LINES = (COLOURS.goal, COLOURS.felt, COLOURS.start, COLOURS.planned, COLOURS.travelled, COLOURS.excluded)
_MARKS = ("o", "s", "^", "v", "D", "P")


def cases() -> list[tuple[str, str]]:
    """Every estimator with every measure, and the arm's own force."""
    plain = [(name, measure) for name in estimators() for measure in MEASURES]
    return [*plain, *((OBSERVER, detector) for detector in DETECTORS), (OWN, "force")]


def motor_table() -> str:
    """Motor constants and friction of all free runs, with standard deviations."""
    fit = methods.motors(FREE_RUNS)
    rows = []
    for j in range(6):
        values = zip((fit.motor_constant[j], *fit.friction[j]), fit.std[j], strict=False)
        cells = [f"{value:.2f} ± {std:.2f}" for value, std in values]
        rows.append([f"{j + 1}", *cells, f"{fit.residual_rms[j]:.2f}"])
    head = ["joint", "motor constant [N·m/A]", "Coulomb [N·m]", "viscous [N·m·s/rad]", "left [A rms]"]
    return table(head, rows)


def push_table() -> str:
    """When somebody pushed, on the clock of the pushed run."""
    rows = []
    for k, p in enumerate(pushes(), 1):
        state = "moves" if _moves(p.start, p.end) else "rests"
        rows.append([f"{k}", f"{p.start:.2f}", f"{p.end:.2f}", f"{p.joint}", f"{p.current:+.2f}", state])
    return table(["push", "from [s]", "to [s]", "joint", "current beside the free run [A]", "arm"], rows)


def _moves(start: float, end: float) -> bool:
    data = recording(PUSHED).sel(time=slice(start, end))
    return bool(np.mean(np.abs(data.qd_ref.values).max(axis=1) > 0.005) > 0.5)


def ratio_table() -> str:
    """Pushed against free, alarms at the threshold that catches every push, pushes caught without any."""
    rows = []
    for name, measure in cases():
        low, high, ratio = methods.ratio(name, measure)
        peaks = methods.peaks(name, measure)
        threshold = 0.999 * peaks.min()
        alarms, seconds = methods.free_alarms(name, measure, threshold)
        rate, least, most = alarm_rate(alarms, seconds)
        caught = int((peaks > methods.largest_free(name, measure)).sum())
        rows.append([
            name, MEASURES.get(measure, f"`{measure}` [1]"),
            f"{low:.3g}", f"{high:.3g}", f"{ratio:.2f}", f"{threshold:.3g}",
            f"{alarms} in {seconds:.0f} s", f"{rate:.0f} ({least:.0f} … {most:.0f})",
            f"{caught} of {len(peaks)}",
        ])  # fmt: skip
    head = [
        "estimator", "measure", "free p99", "pushed p99", "ratio", "threshold for all pushes", "false alarms",
        "per hour (95 %)", "pushes caught without a false alarm",
    ]  # fmt: skip
    return table(head, rows)


def rest_table() -> str:
    """What is left of each joint's torque in free motion and at rest: p99 of the first observer [N·m]."""
    rows, name = [], _best_estimator()
    for label, wanted in (("joint moves", True), ("joint rests", False)):
        kept = [np.abs(torque_of(run, name))[in_motion(run)] for run in FREE_RUNS]
        moves = [np.abs(recording(run).qd_ref.values[in_motion(run)]) > 0.005 for run in FREE_RUNS]
        torque, moving = np.concatenate(kept), np.concatenate(moves)
        cells = [f"{np.percentile(torque[moving[:, j] == wanted, j], 99):.1f}" for j in range(6)]
        rows.append([label, *cells])
    return table(["free runs", *(f"joint {j}" for j in range(1, 7))], rows)


def standstill_table() -> str:
    """Every estimator beside the force sensor."""
    rows = []
    for name in (*estimators(), OWN):
        f = followed(name)
        values = (f"{f.correlation:.2f}", f"{f.gain:.2f}", f"{f.rms:.1f}", f"{1e3 * f.delay:.0f}")
        rows.append([name, *values, f"{f.at_rest:.1f}"])
    head = [
        "estimator", "correlation", "gain", "rms error [N]", "delay [ms]", "rms with nothing pushing [N]",
    ]  # fmt: skip
    return table(head, rows)


def _best_estimator() -> str:
    return OBSERVER if OBSERVER in method_names("estimator") else estimators()[0]


def draw(folder: Path) -> list[Path]:
    """Pushed beside free, the trade of pushes against false alarms, and the standstill run."""
    figures = {"recorded_pushes": _pushes_figure, "recorded_standstill": _standstill_figure}
    return save_figures(folder, figures, dpi=300)


def _pushes_figure() -> Figure:
    figure = Figure(figsize=(COLUMN, 14.5 * CENTIMETRE), layout="constrained")
    axes = figure.subplots(3, 1, height_ratios=(1, 1, 1.15))
    shift = 0.008 * (strokes(PUSHED)[0][0] - strokes(FREE)[0][0])
    name = _best_estimator()
    for ax, values, label in (
        (axes[0], lambda run: torque_of(run, name)[:, 0], "external torque,\njoint 1 [N·m]"),
        (axes[1], lambda run: judged(run, OWN, "force").size, "arm's own\nforce estimate [N]"),
    ):
        for run, ahead, colour in ((PUSHED, 0.0, COLOURS.felt), (FREE, shift, COLOURS.true)):
            rows = in_motion(run)
            time = recording(run).time.values[rows] + ahead
            ax.plot(
                time, values(run)[rows], color=colour, lw=0.7, label="pushed" if run == PUSHED else "free"
            )
        for k, push in enumerate(pushes()):
            label_once = "somebody pushes" if k == 0 else None
            ax.axvspan(push.start, push.end, color=COLOURS.obstacle, alpha=0.45, lw=0, label=label_once)
        ax.set(ylabel=label, xlim=(2.9, 32.3))
    axes[0].tick_params(labelbottom=False)
    axes[0].legend(ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0), borderaxespad=0.2)
    axes[1].set_xlabel("time [s]")
    _draw_trade(axes[2])
    for ax, letter in zip(axes, "abc", strict=True):
        ax.annotate(letter, (-0.17, 1.0), xycoords="axes fraction", weight="bold", va="top")
    return figure


def _draw_trade(ax) -> None:
    """Share of pushes caught against false alarms per hour of free motion, at every threshold."""
    for k, name in enumerate((*estimators(), OWN)):
        measure = "force" if name == OWN else "torque"
        peaks = np.sort(methods.peaks(name, measure))
        _, seconds = methods.free_alarms(name, measure, np.inf)
        points = [(methods.free_alarms(name, measure, 0.999 * p)[0], np.mean(peaks >= p)) for p in peaks]
        rates = [3600 / seconds * count for count, _ in points]
        ax.plot(rates, [100 * share for _, share in points], label=name, **_style(name, k), ms=2.5)
    ax.set_xscale("symlog", linthresh=48.4, linscale=0.35)
    ax.set(xlim=(-8, 9000), ylim=(0, 106), ylabel="pushes caught [%]")
    ax.set_xticks([0, 100, 1000], ["0", "100", "1000"])
    ax.set_xlabel("false alarms per hour of free motion")
    ax.minorticks_off()
    ax.legend(ncols=2, loc="upper center", bbox_to_anchor=(0.45, -0.25))


def _style(name: str, k: int) -> dict[str, str]:
    """Colour, line and marker of an estimator; the arm's own is black and broken."""
    if name == OWN:
        return {"color": COLOURS.true, "ls": "--", "marker": "x"}
    return {"color": _LINES[k % len(_LINES)], "ls": "-", "marker": _MARKS[k % len(_MARKS)]}


def _standstill_figure() -> Figure:
    figure = Figure(figsize=(COLUMN, 6.0 * CENTIMETRE), layout="constrained")
    ax = figure.subplots()
    sensor = followed(OWN)
    ax.fill_between(sensor.time, sensor.sensor, color=COLOURS.obstacle, lw=0, label="force sensor")
    for k, name in enumerate((*estimators(), OWN)):
        f = followed(name)
        ax.plot(f.time, f.estimate, label=name, lw=0.8, **{**_style(name, k), "marker": ""})
    ax.set(xlabel="time [s]", ylabel="force along the push [N]", xlim=(3, 22.4))
    figure.legend(loc="outside upper center", ncols=2)
    return figure


TABLES = {
    "motors": motor_table,
    "pushes": push_table,
    "ratios": ratio_table,
    "friction": rest_table,
    "standstill": standstill_table,
}


def main() -> None:
    """Every table, and the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, help="page to write to; default: print only")
    parser.add_argument("--figures", type=Path, help="folder to draw in; default: no figures")
    options = parser.parse_args()
    for name, make in TABLES.items():
        tell(make(), options.out, name)
    if options.figures:
        print(*draw(options.figures), sep="\n")


if __name__ == "__main__":
    main()
