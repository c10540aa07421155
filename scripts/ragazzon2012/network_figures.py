"""Figures of docs/lab/network.md: the network seen, what beta does to the path, and where the climb stops.

Run ``python -m ragazzon2012.network_figures [FOLDER]`` in ``scripts``.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from reproduction import picture, pictures_of

from hopfield_nav.figures import COLOURS, COLUMN, PAGE, network
from hopfield_nav.planning import Plan, plan_path

STOPS = 0.2527  # between 1/4 and 1/lambda, where a false maximum may be
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


def climbed_cells(plan: Plan, start: tuple[int, int]) -> np.ndarray:
    """Cells of steepest ascent, to the goal or to where it stops."""
    cells = [np.array(start)]
    while True:
        (after,) = plan.landscape.climbed(cells[-1][None])
        if (after == cells[-1]).all():
            return np.array(cells)
        cells.append(after)


def add_blocked(ax: Axes, blocked: np.ndarray) -> None:
    """Blocked cells of a map in a plane, grey."""
    plane = network.plane_along(np.zeros((0, 2), int), blocked.shape)
    ax.imshow(
        np.where(blocked.T, 1.0, np.nan), cmap=ListedColormap([COLOURS.excluded]), origin="lower",
        extent=plane.extent(blocked.shape), interpolation="none", zorder=0.6, alpha=0.75,
    )  # fmt: skip


@picture("network_seen", PAGE, 0.62 * PAGE, 2, 3, height_ratios=(2.3, 1))
def seen_figure(figure: Figure, axes: np.ndarray) -> None:
    """Three networks with the climb from one start: the shortest, another, a false maximum.

    Below stands ln sigma/ln beta along the climb beside the steps that are left of it, of which it
    falls short.
    """
    hall, empty = corridor_beside_hall(), (np.zeros((20, 20), dtype=bool), (1, 2), (18, 19))
    cases = [
        (*hall, 0.01, "the shortest path"),
        (*hall, 0.25, "wide rooms draw"),
        (*empty, STOPS, "a false maximum"),
    ]
    for (upper, lower), (blocked, start, goal, beta, words) in zip(axes.T, cases, strict=True):
        plan = plan_path(blocked, start, goal, "sum", beta)
        path = climbed_cells(plan, start)
        image = network.draw_plan(upper, plan)
        add_blocked(upper, blocked)
        plane = network.plane_along(path, blocked.shape)
        network.add_climb(upper, path, plane)
        upper.plot(
            *plane.points(path[:1])[0], "o", color=COLOURS.start, mec="white", ms=5.5, zorder=6
        )
        upper.plot(*goal, "D", color=COLOURS.goal, mec="white", ms=5, zorder=6)
        steps = f"{len(path) - 1} steps"
        upper.set_title(rf"$\beta$ = {beta:g}: {words}" + (f", {steps}" if beta != STOPS else ""))
        label = network.DEPTH_LABEL if beta == STOPS else None
        shrink = 0.62 if beta == STOPS else 0.95  # as high as the panel
        figure.colorbar(image, ax=upper, shrink=shrink, pad=0.03, label=label)
        add_depth_of_climb(lower, network.depth(plan.landscape, beta)[tuple(path.T)])
        if tuple(path[-1]) == goal:
            left = len(path) - 1
            lower.plot([0, left], [left, 0], ":", color=COLOURS.ink, lw=1.2)
        else:
            lower.axhline(0.0, color=COLOURS.goal, lw=0.8, ls="--")
            lower.annotate("the goal, never reached", (0.0, 0.0), xytext=(2, 3), textcoords="offset points",
                           color=COLOURS.goal)  # fmt: skip
    axes[1, 0].set_ylabel(network.DEPTH_LABEL)
    dots = Line2D([], [], color=COLOURS.ink, ls=":", lw=1.2, label="steps left of the climb")
    figure.legend(handles=[*network.path_handles(), dots], loc="outside upper center", ncols=5)


def add_depth_of_climb(ax: Axes, depths: np.ndarray) -> None:
    """The values ln sigma/ln beta of the cells of a climb."""
    ax.plot(depths, ".-", color=COLOURS.planned, ms=4)
    ax.set_xlabel("steps of the climb")
    ax.locator_params(axis="x", integer=True)


@picture("network_beta", COLUMN, 0.66 * COLUMN)
def shares_figure(figure: Figure, ax: Axes) -> None:
    """Share of cells without a shortest path against beta, on logarithmic axes."""
    found = 100 * (1 - shares())
    ax.plot(BETAS, found, ".", color=COLOURS.felt, ms=4, alpha=0.6)
    ax.plot(
        BETAS,
        found.mean(axis=1),
        color=COLOURS.felt,
        label="mean of 5 maps, 200 × 200\n(a dot each; none where it is 0)",
    )
    ax.axvline(0.1, color=COLOURS.goal, ls="--")
    style = {"textcoords": "offset points", "ha": "right", "color": COLOURS.goal}
    ax.annotate("the document's 0.1", (0.1, 0.02), xytext=(-4, 0), **style)
    ax.set(
        xscale="log",
        yscale="log",
        xlabel=r"slope $\beta$",
        ylabel="cells whose path is\nnot a shortest one [%]",
    )
    ax.legend(loc="upper left")


if __name__ == "__main__":
    print(*draw(Path(sys.argv[1] if len(sys.argv) > 1 else "../docs/figures")), sep="\n")
