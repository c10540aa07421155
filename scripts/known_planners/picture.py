"""The share of pairs that each method solves, and time against length of every path."""

from pathlib import Path

import numpy as np

from hopfield_nav.figures import COLOURS, PAGE, new_figure, paper_style, save_figure
from hopfield_nav.record import share_interval
from known_planners.methods import DIRECT, METHODS, OPEN, RAW, SHORTEST, SIMPLIFIED
from known_planners.summary import Results, column, solved

_SHOWN = {SHORTEST: "felt", OPEN: "start", DIRECT: "travelled", RAW: "goal", SIMPLIFIED: "planned"}
_SHORT = {OPEN: "shortest, start open", RAW: "OMPL, as found", SIMPLIFIED: "OMPL, simplified"}


def draw(cells: dict[str, Results], folder: Path) -> list[Path]:
    """Write ``known_world_compared.png``: the shares in every cell, times and lengths in the last."""
    with paper_style():
        figure = new_figure(PAGE, 0.42 * PAGE)
        *shares, right = figure.subplots(1, len(cells) + 1, width_ratios=[*[0.6] * len(cells), 1.3])
        for ax, (name, results) in zip(shares, cells.items(), strict=True):
            _draw_shares(ax, results, named=ax is shares[0])
            ax.set_title(f"{name} cell")
        _draw_times(right, results)
        right.set_title(f"{name} cell, a dot a pair")
        return save_figure(figure, folder, "known_world_compared")


def _draw_shares(ax, results: Results, named: bool) -> None:
    for place, name in enumerate(reversed(METHODS)):
        found = solved(results[name])
        low, high = share_interval(int(found.sum()), len(found))
        ax.barh(
            place,
            100 * found.mean(),
            color=getattr(COLOURS, _SHOWN.get(name, "obstacle")),
            height=0.62,
        )
        ax.plot([100 * low, 100 * high], [place, place], color=COLOURS.ink, linewidth=1.2)
        ax.text(104, place, f"{100 * found.mean():.1f}", va="center", fontsize="small")
    names = [_SHORT.get(name, name) for name in reversed(METHODS)] if named else []
    ax.set_yticks(range(len(names)), names)
    ax.tick_params(axis="y", length=0)
    ax.set(xlabel="pairs solved [%]", xlim=(0, 140), xticks=[0, 50, 100])


def _draw_times(ax, results: Results) -> None:
    for name, colour in _SHOWN.items():
        found, shade = solved(results[name]), getattr(COLOURS, colour)
        length, time = (
            column(results[name], "length")[found],
            1e3 * column(results[name], "time")[found],
        )
        ax.plot(length, time, ".", color=shade, markersize=2.5, alpha=0.4, markeredgewidth=0)
        if found.any():
            ax.plot(
                np.median(length), np.median(time), "o", color=shade, markersize=6,
                markeredgecolor="white", label=_SHORT.get(name, name), zorder=3,
            )  # fmt: skip
    ax.set(
        xlabel="path of the joints [rad]",
        ylabel="time of planning [ms]",
        yscale="log",
        xlim=(0, None),
    )
    ax.set_ylim(bottom=0.5)
    ax.legend(title="medians", loc="upper right", frameon=True, framealpha=0.9, edgecolor="none")
