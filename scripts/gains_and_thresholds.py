"""Gains and thresholds of ragazzon2012: what its choice costs, and what a better one would be, by which aim.

    python scripts/gains_and_thresholds.py [--figures docs/figures] [--out docs/lab/sweeps.md]

runs the sweeps ``omega_threshold``, ``gains_and_thresholds`` and ``gains_and_thresholds_real``, or
goes on with them in the folder of results. It draws time, peak force, false alarms and delay over
the scale of ω and f_min, and the peak force over K_P, K_D and f_min, and writes two tables: that
force, and the document's choice (○, the base world's), the best by the rule of sweeps (★,
docs/sweeps.md) and the best by the aim ``EARLY``.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
import xarray as xr
from matplotlib.figure import Figure
from measured_part import table, tell

from hopfield_nav.figures import CENTIMETRE, PAGE, add_legend, new_figure, paper_style, save_figure
from hopfield_nav.figures import sweep as pictures
from hopfield_nav.figures.sweep import ALARMS, DELAY, MAIN, PEAK, TIME
from hopfield_nav.figures.sweep.pages import multiples_page
from hopfield_nav.sweeps import (
    Judged,
    Sweep,
    ValueResult,
    as_kept,
    execute,
    judge,
    load_sweep,
    read_rows,
    still_open,
)

ROOT = Path(__file__).resolve().parent.parent
OMEGA, GAINS, REAL = "omega_threshold", "gains_and_thresholds", "gains_and_thresholds_real"
MISSED = "silent_contact_count"
SCALE, THRESHOLD = "controller.omega*", "detection.threshold"
P, D = "controller.proportional*", "controller.derivative*"
EARLY = "{least: detection_delay_median_s, while: {reached: '>= 1', false_alarm_count: '<= 0'}}"
SYMBOLS = {
    SCALE: "ω ×", P: "K_P ×", D: "K_D ×", "controller.damping_ratio": "ζ =", THRESHOLD: "f_min =",
    f"{THRESHOLD}*": "f_min ×",
}  # fmt: skip
AT_MOST = 1800  # runs of the sweep that goes on until it is decided: half an hour of a processor
OF_VERDICTS = ["seeds", "★", "largest force", "missed contacts", "runs", "settings not decided"]
BY_GAINS = ["f_min", "K_P ×", "K_D × 0.5", "K_D × 1", "K_D × 2"]
HEAD = [
    "sweep, choice", "setting", "reached", "largest force", "time", "delay", "false alarms", "missed contacts",
]  # fmt: skip


def main(
    results: Path = ROOT / "runs" / "gains",
    figures: Path | None = None,
    out: Annotated[Path | None, typer.Option(help="Page whose table is renewed.")] = None,
    workers: int = 2,
) -> None:
    """Run, draw, print."""
    lines = []
    for name in (OMEGA, GAINS, REAL):
        sweep = load_sweep(name)
        folder = results / name
        rows = read_rows(execute(sweep, folder, workers=workers, resume=folder.exists()), sweep)
        lines += list(choices(sweep, rows))
        if name == GAINS:
            tell(table(BY_GAINS, forces_by_gains(rows)), out, "velocity")
    fixed = judge(sweep, rows)
    verdicts = [verdict_line("ten seeds of every setting", fixed, len(rows), "–")]
    verdicts.append(until_decided(sweep, results / f"{REAL}_decided", workers))
    with paper_style():
        of_omega, of_gains = (pictures.read_table(results / name) for name in (OMEGA, GAINS))
        save_figure(draw(of_omega), figures or results, "gains_and_thresholds", figures is None)
        save_figure(draw_gains(of_gains), figures or results, "gains_by_threshold", figures is None)
    tell(table(HEAD, lines), out, "gains")
    tell(table(OF_VERDICTS, verdicts), out, "real")


def until_decided(sweep: Sweep, folder: Path, workers: int) -> list[str]:
    """What a sweep comes to that adds seeds until it is decided, or its runs are spent."""
    asked = sweep.until_decided(AT_MOST)
    execute(asked, folder, workers=workers, resume=folder.exists())
    kept = as_kept(asked, folder)
    rows = read_rows(folder, kept)
    judged = judge(kept, rows)
    assert judged.stage is not None
    found = still_open(kept, rows, judged.stage)
    waiting = sum(one.leader_alone for one in found)
    words = "decided"
    if found:
        words = f"{waiting} wait for {found[0].seeds:.0f} seeds of ★, {len(found) - waiting} others"
    return verdict_line(f"until decided, at most {AT_MOST} runs", judged, len(rows), words)


def verdict_line(words: str, judged: Judged, runs: int, undecided: str) -> list[str]:
    """The best setting, what it does, and what that cost."""
    assert judged.settings is not None
    best = judged.best[0].result
    setting = ", ".join(
        f"{SYMBOLS[name]} {value}"
        for name, value in zip(judged.settings.names, best.label, strict=True)
    )
    means = [best.means[name] for name in (PEAK, MISSED)]
    return [
        words,
        setting,
        f"{means[0].estimate:.3g} N",
        f"{means[1].estimate:.3g}",
        str(runs),
        undecided,
    ]


def forces_by_gains(rows: list[dict]) -> Iterator[list[str]]:
    """The largest force over the velocity gain, a line for every threshold and position gain."""
    found = {(row[THRESHOLD], row[P], row[D]): row for row in rows}
    velocities = sorted({d for _, _, d in found})
    for threshold, position in sorted({(t, p) for t, p, _ in found}):
        cells = [force_and_alarms(found[threshold, position, d]) for d in velocities]
        yield [f"{threshold:g} N", f"{position:g}", *cells]


def force_and_alarms(row: dict) -> str:
    """The largest force of a run, its false alarms, and whether it arrives."""
    words = [f"{row[PEAK]:.0f} N"]
    if row[ALARMS]:
        words.append(f"{row[ALARMS]:.0f} false")
    if row["outcome"] != "reached":
        words.append("does not arrive")
    return ", ".join(words)


def choices(sweep: Sweep, rows: list[dict]) -> Iterator[list[str]]:
    """The base world's setting, the best by the rule, and the best by the aim."""
    judged, early = judge(sweep, rows), judge(sweep.aimed(EARLY), rows)
    assert judged.settings is not None
    base = next(result for result in judged.settings.results if result.is_base)
    found = {
        "○ the base world's": base,
        "★ by the rule": judged.best[0].result,
        "★ by the aim": early.best[0].result,
    }
    for words, result in found.items():
        yield line(f"`{sweep.name}`: {words}", judged.settings.names, result, sweep)


def line(words: str, names: tuple[str, ...], result: ValueResult, sweep: Sweep) -> list[str]:
    """A setting, and what comes of it."""
    setting = ", ".join(
        f"{SYMBOLS[name]} {value}" for name, value in zip(names, result.label, strict=True)
    )
    means = [
        sweep.kept[key].text(float(f"{result.means[key].estimate:.3g}"))
        for key in (PEAK, TIME, DELAY, ALARMS, MISSED)
    ]
    return [
        words,
        setting,
        f"{round(result.reached.estimate * result.reached.n)} of {result.reached.n}",
        *means,
    ]


def draw(data: xr.Dataset) -> Figure:
    """Four heat maps."""
    figure = new_figure(PAGE, 12.5 * CENTIMETRE)
    for k, quantity in enumerate(MAIN):
        ax = pictures.draw_heat_map(
            figure.add_subplot(2, 2, k + 1), data, quantity, SCALE, THRESHOLD
        )
        ax.set_xlabel("scale of ω (1)")
        ax.set_ylabel(r"$f_\mathrm{min}$ (N and N·m)")
        ax.set_title(f"({'abcd'[k]})", loc="left")
    return add_legend(figure, pictures.heat_map_handles(data, MAIN), 3)


def draw_gains(data: xr.Dataset) -> Figure:
    """Heat maps of the peak force over both gains, one for every threshold."""
    page = multiples_page(data, PEAK, P, D, THRESHOLD)
    for ax in page.axes:
        ax.set_xlabel(ax.get_xlabel().replace("K_P", "$K_P$"))
        ax.set_ylabel(ax.get_ylabel().replace("K_D", "$K_D$"))
    return page


if __name__ == "__main__":
    typer.run(main)
