"""Figures of docs/network.md: what beta does, and where steepest ascent is not the shortest path.

Run ``python -m ragazzon2012.network_figures [FOLDER]`` in ``scripts``.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from reproduction import picture, pictures_of

from hopfield_nav.figures import COLOURS, COLUMN
from hopfield_nav.planning import plan_path

BETAS = (0.24999, 0.24, 0.22, 0.2, 0.15, 0.1, 0.05, 0.02, 0.01, 1e-3, 1e-4, 1e-5)
draw = pictures_of(__name__)
STEPS = ((0, 1), (0, -1), (1, 0), (-1, 0))


def corridor_beside_hall() -> tuple[np.ndarray, tuple[int, int], tuple[int, int]]:
    """A path of 10 steps down a corridor, beside one of 12 through an open hall: map, start, goal."""
    blocked = np.ones((15, 26), dtype=bool)
    blocked[2:13, 1] = False
    blocked[1:14, 3:25] = False
    blocked[2, 2] = blocked[12, 2] = False
    return blocked, (2, 1), (12, 1)


def share_shortest(blocked: np.ndarray, goal: tuple[int, int], beta: float) -> float:
    """Share of the cells with a path whose steepest ascent is a shortest one."""
    logs = plan_path(blocked, goal, goal, "sum", beta).log_activation
    distance = plan_path(blocked, goal, goal).distance
    high = np.pad(logs, 1, constant_values=-np.inf)
    around = np.stack([np.roll(high, (-a, -b), (0, 1))[1:-1, 1:-1] for a, b in STEPS])
    near = np.ma.masked_invalid(around.max(axis=0))
    best = np.argmax(around >= near.filled(-np.inf) + np.log1p(-1e-10), axis=0)
    cells = np.argwhere(np.isfinite(distance))
    length = np.full(blocked.shape, -1)
    length[goal] = 0
    for i, j in cells[np.argsort(-logs[tuple(cells.T)], kind="stable")]:
        if (i, j) != goal:
            a, b = STEPS[best[i, j]]
            length[i, j] = length[i + a, j + b] + 1
    reached = np.isfinite(distance)
    return float((length[reached] == distance[reached]).mean())


def shares(maps: int = 5, size: int = 200) -> np.ndarray:
    """Share for each of BETAS and each of some random maps; a quarter of the cells is blocked.

    The goal lies in the middle of an edge.
    """
    found = []
    for seed in range(maps):
        blocked = np.random.default_rng(seed).random((size, size)) < 0.25
        blocked[:2, size // 2 : size // 2 + 2] = False
        found.append([share_shortest(blocked, (0, size // 2), beta) for beta in BETAS])
    return np.array(found).T


@picture("network_counterexample", COLUMN, 1.28 * COLUMN, 2, 1)
def counterexample_figure(figure: Figure, *axes: Axes) -> None:
    """Two panels: beta = 0.25 goes through the hall, beta = 0.01 down the corridor."""
    blocked, start, goal = corridor_beside_hall()
    for ax, beta in zip(axes, (0.25, 0.01), strict=True):
        plan = plan_path(blocked, start, goal, "sum", beta=beta)
        grid = np.ma.masked_invalid(plan.log_activation / np.log(10))
        image = ax.imshow(grid, cmap="viridis", interpolation="nearest")
        ax.imshow(np.where(blocked, 1.0, np.nan), cmap="Greys", vmin=0, vmax=6, interpolation="nearest")
        ax.plot(plan.cells[:, 1], plan.cells[:, 0], color="white", lw=2.6)
        ax.plot(plan.cells[:, 1], plan.cells[:, 0], color=COLOURS.planned, lw=1.6)
        ax.plot(*start[::-1], "o", color=COLOURS.start, mec="white", ms=6)
        ax.plot(*goal[::-1], "s", color=COLOURS.goal, mec="white", ms=6)
        ax.set(title=rf"$\beta$ = {beta:g}: {int(plan.length)} steps", xticks=[], yticks=[])
        figure.colorbar(image, ax=ax, label=r"$\log_{10}\,\sigma$", shrink=0.85)
    handles = [
        Line2D([], [], color=COLOURS.planned, label="steepest ascent"),
        Line2D([], [], color=COLOURS.start, marker="o", ls="", label="start"),
        Line2D([], [], color=COLOURS.goal, marker="s", ls="", label="goal"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3)


@picture("network_beta", COLUMN, 0.66 * COLUMN)
def shares_figure(figure: Figure, ax: Axes) -> None:
    """Share of cells without a shortest path against beta, on logarithmic axes."""
    found = 100 * (1 - shares())
    ax.plot(BETAS, found, ".", color=COLOURS.felt, ms=4, alpha=0.6)
    ax.plot(BETAS, found.mean(axis=1), color=COLOURS.felt, label="mean of 5 maps, 200 × 200")
    ax.axvline(0.1, color=COLOURS.goal, ls="--")
    style = {"textcoords": "offset points", "ha": "right", "color": COLOURS.goal}
    ax.annotate("the document's 0.1", (0.1, 0.02), xytext=(-4, 0), **style)
    ax.set(xscale="log", yscale="log", xlabel=r"slope $\beta$", ylabel="cells whose path is\nnot a shortest one [%]")
    ax.legend(loc="upper left")


if __name__ == "__main__":
    print(*draw(Path(sys.argv[1] if len(sys.argv) > 1 else "../docs/figures")), sep="\n")
