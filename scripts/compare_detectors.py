"""Tables and figures of the suite ``detectors``: delays, misses, false alarms, ROC curves.

    hopfield-nav bench detectors --out runs/detectors
    python scripts/compare_detectors.py runs/detectors --page docs/lab/detectors_compared.md [--figures FOLDER]

The first command takes somewhat more than an hour of one core: 1,002 contacts and ten hours of free
motion for every detector and condition. Families that were run by themselves (``--family free``),
and conditions and methods of a suite with a part of those of ``detectors``, are read from several
folders; with ``--keep`` lines and cells of the page that the folders have nothing for stay as they
are.
"""

import itertools
from collections.abc import Sequence
from pathlib import Path

import bench_tables
import measured_part
import numpy as np
import typer
from bench_columns import Row, share_text
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from reproduction import save_figures
from scipy import stats

from hopfield_nav.figures import COLOURS, COLUMN
from hopfield_nav.record import alarm_rate

SHOWN = {  # method: colour, line
    "joint error, wrench norm": (COLOURS.ink, "-"),
    "joint error, joint torques": (COLOURS.ink, ":"),
    "tracking error and its rate": ("#999999", "-"),
    "disturbance observer, joint torques": ("#56B4E9", "-"),
    "momentum observer, joint torques": ("#0072B2", "--"),
    "energy observer": ("#E69F00", ":"),
    "…, high-passed": ("#009E73", "-"),
    "…, adaptive": ("#CC79A7", "-"),
    "…, adaptive, default thresholds": ("#CC79A7", "--"),
    "…, adaptive and high-passed": ("#D55E00", "-"),
}
KINDS = {
    "tool": ("pushes of the tool", COLOURS.travelled),
    "arm": ("collisions of the links", COLOURS.felt),
    "early": ("the same in the first tenth of a motion", COLOURS.start),
}
SCALES = np.geomspace(0.05, 20.0, 27)  # as in the suite ``detectors``
MANY = 50  # contacts of a kind, whose dots are drawn fainter
NONE = "–"
PAIRS = (  # of methods that differ in their estimator alone
    ("momentum observer, joint torques", "Kalman filter, joint torques"),
    ("momentum observer, joint torques", "sliding-mode observer, joint torques"),
    ("…, adaptive", "Kalman filter, adaptive"),
    ("…, adaptive", "sliding-mode observer, adaptive"),
)
ADAPTIVE, DEFAULT = "…, adaptive", "…, adaptive, default thresholds"
Rows = dict[tuple[str, str, str], list[Row]]  # by condition, method, family


def read(*folders: Path) -> Rows:
    """The rows of benches, each of some of the families."""
    found: Rows = {}
    for row in itertools.chain(*map(bench_tables.read, folders)):
        found.setdefault((row["condition"], row["method"], row["family"]), []).append(row)
    return found


def conditions(rows: Rows) -> dict[str, list[str]]:
    """The methods under every condition."""
    return {
        c: list(dict.fromkeys(m for d, m, _ in rows if d == c))
        for c in dict.fromkeys(k[0] for k in rows)
    }


def numbers(rows: Sequence[Row], name: str) -> np.ndarray:
    """A column, NaN where there is nothing."""
    return np.array([np.nan if row[name] is None else row[name] for row in rows], dtype=float)


def choice_table(rows: Rows) -> str:
    """Markdown: all contacts together, one line a method, all conditions beside each other."""
    of, methods = conditions(rows), dict.fromkeys(method for _, method, _ in rows)
    head = ["method"]
    for name in of:
        head += [f"{name}: found, delay p50, p95 [ms]", "false alarms per hour (at most)"]
    lines = [
        [method, *itertools.chain(*(_chosen(rows, c, method) for c in of))] for method in methods
    ]
    return measured_part.table(head, lines)


def _chosen(rows: Rows, condition: str, method: str) -> list[str]:
    """What was found of all contacts, after what time, and at what price."""
    touched = touched_by(rows, condition, method)
    if not touched:
        return [NONE, NONE]
    felt = numbers(touched, "felt") == 1
    delays = 1e3 * numbers(touched, "delay_s")[felt]
    told = (
        ", ".join(f"{value:.0f}" for value in np.quantile(delays, [0.5, 0.95]))
        if delays.size
        else "–"
    )
    found = f"{100 * felt.mean():.1f} %: {told}"
    if (condition, method, "free") not in rows:
        return [found, NONE]
    rate, _, high = _alarms(rows[condition, method, "free"])
    return [found, f"{rate:.2g} (≤ {high:.2g})"]


def touched_by(rows: Rows, condition: str, method: str) -> list[Row]:
    """The rows of all trials in which there was a contact."""
    of = (rows.get((condition, method, kind), []) for kind in KINDS)
    return [row for row in itertools.chain(*of) if row["felt"] is not None]


def pairs_table(rows: Rows) -> str:
    """Markdown: on the same contacts, what the second method of a pair has more than the first (95 %, by Student)."""
    lines = []
    for condition, methods in conditions(rows).items():
        for pair in (pair for pair in PAIRS if set(pair) <= set(methods)):
            first, second = (
                {(r["family"], r["seed"]): r for r in touched_by(rows, condition, m)} for m in pair
            )
            both = [(first[key], second[key]) for key in first if key in second]
            both = [(a, b) for a, b in both if a["felt"] == b["felt"] == 1]
            columns = (1e3, "delay_s"), (1.0, "force_before_reaction_N")
            more = [
                scale * (numbers([b for _, b in both], n) - numbers([a for a, _ in both], n))
                for scale, n in columns
            ]
            sooner = share_text(int((more[0] < 0).sum()), len(both), 0)
            later = share_text(int((more[0] > 0).sum()), len(both), 0)
            lines.append([condition, f"{pair[1]} – {pair[0]}", *map(_mean, more), sooner, later])
    head = ["condition", "pair", "delay [ms]", "force [N]", "sooner on", "later on"]
    return measured_part.table(head, lines)


def _mean(values: np.ndarray) -> str:
    low, high = stats.ttest_1samp(values, 0.0).confidence_interval()
    return f"{values.mean():+.1f} ({low:+.1f} … {high:+.1f})"


def beside(new: str, old: str) -> str:
    """A table with the lines, and cells, of an older one where it has none."""
    (head, *newer), (_, *older) = (
        [_cells(line) for line in text.splitlines() if "---" not in line] for text in (new, old)
    )
    kept = {cells[0]: cells for cells in older}
    for cells in newer:
        before = kept.get(cells[0], cells)
        kept[cells[0]] = [b if a == NONE else a for a, b in zip(cells, before, strict=True)]
    return measured_part.table(head, kept.values())


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def parts_beside(new: str, old: str) -> str:
    """The same of texts with a table in each part below a heading; the parts are those of the older one."""
    newer = {part.split("\n", 1)[0]: part for part in new.split("\n\n## ")}
    parts = []
    for part in old.split("\n\n## "):
        *above, table = part.split("\n\n")
        other = newer.get(part.split("\n", 1)[0])
        parts.append(
            "\n\n".join([*above, beside(other.split("\n\n")[-1], table) if other else table])
        )
    return "\n\n## ".join(parts)


def _alarms(free: Sequence[Row]) -> tuple[float, float, float]:
    """False alarms an hour of free motion, and both ends of the 95 % interval."""
    return alarm_rate(
        int(numbers(free, "false_alarm_count").sum()),
        float(numbers(free, "simulated_time_s").sum()),
    )


def methods_table(rows: Rows) -> str:
    """Markdown, one part a condition."""
    head = ["method"]
    for kind in KINDS:
        head += [f"{kind}: delay p50, p95, max [ms]", "missed", "force [N]"]
    parts = []
    for name, methods in conditions(rows).items():
        touched = (
            np.isfinite(numbers(rows[name, methods[0], kind], "felt")).sum() for kind in KINDS
        )
        counts = "{} pushes of the tool, {} collisions of the links, {} early ones.".format(
            *touched
        )
        lines = [_line(rows, name, method) for method in methods]
        told = measured_part.table([*head, "false alarms per hour (95 %)", "hours"], lines)
        parts.append(f"## {name}\n\n{counts}\n\n{told}")
    return "\n\n".join(parts)


def _line(rows: Rows, condition: str, method: str) -> list[str]:
    cells = [method]
    for kind in KINDS:
        own = rows[condition, method, kind]
        force = numbers(own, "force_before_reaction_N")
        delays = 1e3 * numbers(own, "delay_s")[numbers(own, "felt") == 1]
        told = (
            ", ".join(f"{v:.0f}" for v in np.quantile(delays, [0.5, 0.95, 1.0]))
            if delays.size
            else "none felt"
        )
        missed = f"{np.nansum(numbers(own, 'missed')):.0f}"
        cells += [told, missed, f"{np.nanmedian(force):.0f}" if np.isfinite(force).any() else "–"]
    if (condition, method, "free") not in rows:
        return [*cells, NONE, NONE]
    free = rows[condition, method, "free"]
    rate, low, high = _alarms(free)
    hours = numbers(free, "simulated_time_s").sum() / 3600
    return [*cells, f"{rate:.2g} ({low:.2g}–{high:.2g})", f"{hours:.3g}"]


def thresholds_table(rows: Rows) -> str:
    """The thresholds that were found for the default detector, and how near free motion came to an alarm."""
    lines = []
    for name in conditions(rows):
        own, default = (rows[name, method, "free"] for method in (ADAPTIVE, DEFAULT))
        values = ", ".join(f"{float(value):.2g}" for value in own[0]["threshold"].split())
        levels = [f"{numbers(found, 'largest_level').max():.2f}" for found in (own, default)]
        lines.append([name, values, *levels])
    head = ["condition", "thresholds, joints 1 to 6 [N·m]", "largest level", "of the default"]
    return measured_part.table(head, lines)


def roc(rows: Rows, condition: str, method: str) -> tuple[np.ndarray, np.ndarray]:
    """False alarms an hour and share felt within 30 ms, as far as lower thresholds raise more alarms.

    Below that the level never falls far enough for a second alarm: the alarm stands.
    """
    free = rows[condition, method, "free"]
    alarms = np.sum([[int(n) for n in row["alarms_by_scale"].split()] for row in free], axis=0)
    touched = touched_by(rows, condition, method)
    before, level = (numbers(touched, name)[:, None] for name in ("level_before", "level_in_time"))
    share = ((level > SCALES) & (before <= SCALES)).mean(axis=0)[::-1]
    hourly = 3600 * alarms[::-1] / numbers(free, "simulated_time_s").sum()
    last = int(np.argmax(hourly)) + 1
    return hourly[:last], share[:last]


def draw_roc(rows: Rows) -> Figure:
    """Share of the contacts felt within 30 ms over false alarms per hour, one panel a condition."""
    figure, panels = _panels(1.25 * COLUMN)
    for ax, (name, methods) in zip(panels, conditions(rows).items(), strict=False):
        least = 1800 / numbers(rows[name, methods[0], "free"], "simulated_time_s").sum()
        for method in (m for m in methods if m in SHOWN):
            alarms, share = roc(rows, name, method)
            colour, line = SHOWN[method]
            ax.plot(
                np.maximum(alarms, least),
                100 * share,
                line,
                color=colour,
                linewidth=1.1,
                label=_short(method),
            )
        ax.set(xscale="log", xlim=(0.8 * least, 3e3), ylim=(-2, 102))
        ax.set_title(name, loc="left")
        ax.grid(visible=True, color=COLOURS.grid, linewidth=0.4)
    for ax in panels[2:]:
        ax.set_xlabel("false alarms per hour of free motion [1/h]")
    for ax in panels[::2]:
        ax.set_ylabel("felt within 30 ms [%]")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def _panels(height: float) -> tuple[Figure, np.ndarray]:
    figure = Figure(figsize=(2 * COLUMN, height), layout="constrained")
    return figure, figure.subplots(2, 2, sharex=True, sharey=True).ravel()


def _short(method: str) -> str:
    """A method's name for a figure."""
    name = method.replace("…, for", "momentum observer, for").replace("…, ", "momentum, ")
    return name.replace("observer, joint torques", "observer").replace(
        "default thresholds", "default"
    )


def draw_delays(rows: Rows) -> Figure:
    """Delay of each contact; missed ones stand at the right edge."""
    figure, panels = _panels(1.7 * COLUMN)
    for ax, (name, methods) in zip(panels, conditions(rows).items(), strict=False):
        _strips(ax, rows, name, methods)
        ax.set_title(name, loc="left")
    panels[0].invert_yaxis()
    marks = [Line2D([], [], color=colour, marker=".", linestyle="") for _, colour in KINDS.values()]
    figure.legend(
        marks, [words for words, _ in KINDS.values()], loc="outside lower center", ncols=3
    )
    for ax in panels[2:]:
        ax.set_xlabel("delay [ms]; right of the line: not felt")
    return figure


def _strips(ax, rows: Rows, condition: str, methods: Sequence[str]) -> None:
    rng = np.random.default_rng(0)
    for k, method in enumerate(methods):
        for (kind, (_, colour)), shift in zip(KINDS.items(), (-0.26, 0.0, 0.26), strict=True):
            delay = 1e3 * numbers(
                [r for r in rows[condition, method, kind] if r["felt"] is not None], "delay_s"
            )
            shown = np.where(np.isnan(delay), 1300.0, np.maximum(delay, 0.7))
            place = k + shift + 0.1 * rng.uniform(-1, 1, len(shown))
            faint = 0.2 if len(shown) > MANY else 0.6
            ax.plot(shown, place, ".", color=colour, markersize=1.6, alpha=faint, markeredgewidth=0)
            if np.isfinite(delay).any():
                ax.plot(
                    max(np.nanmedian(delay), 0.7), k + shift, "|", color=COLOURS.ink, markersize=6
                )
    ax.axvline(1000, color=COLOURS.ink, linewidth=0.6)
    ax.set(xscale="log", xlim=(0.6, 1700))
    ax.set_xticks([1, 10, 100, 1000], ["≤ 1", "10", "100", "1000"])
    ax.set_yticks(range(len(methods)), [_short(method) for method in methods])
    ax.minorticks_off()
    ax.grid(visible=True, axis="x", color=COLOURS.grid, linewidth=0.4)


def main(
    folders: list[Path], page: Path | None = None, figures: Path | None = None, keep: bool = False
) -> None:
    """Print the tables of a bench's results, write them to a page, and draw them in a folder."""
    rows = read(*folders)
    if missing := {*KINDS, "free"} - {kind for _, _, kind in rows}:
        raise SystemExit(
            f"the bench ran without the families {', '.join(sorted(missing))}; run it with all"
        )
    choice, methods = choice_table(rows), methods_table(rows)
    if keep and page:
        there = measured_part.parts(page)
        choice, methods = beside(choice, there["choice"]), parts_beside(methods, there["methods"])
    measured_part.tell(choice, page, "choice")
    measured_part.tell(methods, page, "methods")
    if all((condition, DEFAULT, "free") in rows for condition in conditions(rows)):
        measured_part.tell(thresholds_table(rows), page, "thresholds")
    if (
        pairs := pairs_table(rows)
        if {method for pair in PAIRS for method in pair} <= {m for _, m, _ in rows}
        else ""
    ):
        measured_part.tell(pairs, page, "observers")
    if figures:
        makers = {
            "detectors_roc": lambda: draw_roc(rows),
            "detectors_delays": lambda: draw_delays(rows),
        }
        print(*save_figures(figures, makers, dpi=200), sep="\n")


if __name__ == "__main__":
    typer.run(main)
