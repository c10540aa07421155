"""The Hopfield planner of chapter 6: eigenvalue, number of sweeps, whether its paths are shortest, and figure 6.1.

``python -m ragazzon2012.planner [FOLDER]`` in ``scripts`` draws the figure.
"""

import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
from keeping import kept
from ledger import Row, Rows, judged
from matplotlib.figure import Figure
from reproduction import picture, pictures_of

from hopfield_nav.figures import PAGE, network
from hopfield_nav.navigation import CollisionMap
from hopfield_nav.planning import iterate, largest_eigenvalue, neighbourhood_of, plan_path
from ragazzon2012.network_figures import add_blocked

MAPS, SIZE, DENSITY = 100, 24, 0.25  # random ones
BETA = 0.1  # the document's
NEAR_QUARTER = 0.2499  # below 1/4 the network has no false maxima
STEPS = ((0, 1), (0, -1), (1, 0), (-1, 0))
draw = pictures_of(__name__)


class Example(NamedTuple):
    """A map of figure 6.1 with its ends."""

    name: str
    blocked: np.ndarray
    start: tuple[int, int]
    goal: tuple[int, int]


def examples() -> list[Example]:
    """Four 20 x 20 maps of our own: those of figure 6.1 are lost."""
    maps = [_bordered() for _ in range(4)]
    maps[0][6, 1:13] = maps[0][13, 7:19] = True
    maps[1][5:15, 5] = maps[1][5:15, 14] = maps[1][14, 5:15] = True
    maps[2][[4, 11], 1:16] = maps[2][[7, 15], 4:19] = True
    maps[3] |= np.random.default_rng(6).random((20, 20)) < 0.25
    ends = [((2, 3), (17, 16)), ((10, 10), (17, 10)), ((2, 2), (17, 17)), ((2, 2), (17, 17))]
    for grid, (start, goal) in zip(maps, ends, strict=True):
        grid[start] = grid[goal] = False
    names = ("two walls", "trap", "serpentine", "random")
    return [Example(n, m, *e) for n, m, e in zip(names, maps, ends, strict=True)]


def eigenvalue(size: int) -> float:
    """Largest eigenvalue of T on a square grid, from the matrix itself."""
    table = neighbourhood_of((size, size)).table.astype(int)
    weights = np.zeros((size * size + 1,) * 2)
    weights[np.arange(size * size)[:, None], table] = 1
    return float(np.linalg.eigvalsh(weights[:-1, :-1])[-1])


def serpentine(size: int) -> tuple[np.ndarray, tuple[int, int], tuple[int, int], int]:
    """A map whose only path winds through every second row: blocked, start, goal, steps of the path."""
    blocked = _bordered(size)
    blocked[2:-1:2, 1:-1] = True
    for k, row in enumerate(range(2, size - 1, 2)):
        blocked[row, size - 2 if k % 2 == 0 else 1] = False
    last = size - 3 if size % 2 == 0 else size - 2
    goal = (last, size - 2 if (last - 1) // 2 % 2 == 0 else 1)
    blocked[last + 1 :, :] = True
    return blocked, (1, 1), goal, int((~blocked).sum()) - 1


def sweeps_suffice(size: int) -> bool:
    """Whether 10 sqrt(N) − 1 sweeps bring the serpentine's start above zero and the path to the goal."""
    blocked, start, goal, steps = serpentine(size)
    activation, _ = iterate(blocked, goal, most_sweeps=10 * size - 1)
    return len(ascent(activation, start, goal)) - 1 == steps


def ascent(
    activation: np.ndarray, start: tuple[int, int], goal: tuple[int, int]
) -> list[tuple[int, int]]:
    """Cells of steepest ascent, up to the goal or to where it stops."""
    cells = [start]
    while cells[-1] != goal:
        i, j = cells[-1]
        best = max(((i + a, j + b) for a, b in STEPS), key=lambda cell: activation[cell])
        if activation[best] <= activation[i, j]:
            break
        cells.append(best)
    return cells


def share_of_longer_paths(beta: float, maps: int = MAPS) -> tuple[float, float]:
    """Share of cells whose path is longer than the shortest, and of steps that do not come nearer."""
    cells, longer, worse = counts_of_maps(beta, maps).sum(axis=0)
    return float(longer / cells), float(worse / cells)


@kept("test_ragazzon2012.py::test_paths_are_not_always_shortest", np.array)
def counts_of_maps(beta: float, maps: int) -> np.ndarray:
    """(maps, 3) of random maps without rim: cells from which the goal can be reached, and what is counted."""
    rng, counts = np.random.default_rng(24), []
    for _ in range(maps):
        counts.append(_count_longer(*random_map(rng, SIZE), beta))
    return np.array(counts)


def random_map(rng: np.random.Generator, size: int) -> tuple[np.ndarray, tuple[int, int]]:
    """A map without rim and a goal on it."""
    blocked = rng.random((size, size)) < DENSITY
    goal = tuple(int(x) for x in rng.integers(size, size=2))
    blocked[goal] = False
    return blocked, goal


def _count_longer(blocked: np.ndarray, goal: tuple[int, int], beta: float) -> np.ndarray:
    """Cells with a path, those with a path longer than the shortest, those whose step comes no nearer."""
    logs = plan_path(blocked, goal, goal, "sum", beta).log_activation
    distance = plan_path(blocked, goal, goal, "limit").distance
    high = np.pad(logs, 1, constant_values=-np.inf)
    reached = [tuple(c) for c in np.argwhere(np.isfinite(distance)) if tuple(c) != goal]
    length, longer, worse = {goal: 0}, 0, 0
    for cell in sorted(reached, key=lambda c: -logs[c]):
        a, b = max(STEPS, key=lambda s: high[cell[0] + s[0] + 1, cell[1] + s[1] + 1])
        after = (cell[0] + a, cell[1] + b)
        length[cell] = length[after] + 1
        longer += length[cell] > distance[cell]
        worse += distance[after] >= distance[cell]
    return np.array([len(reached), longer, worse])


def rows() -> list[Row]:
    return [_size_row(), *_network_and_path_rows(), _six_axes_row()]


def _size_row() -> Row:
    grid = CollisionMap.create()
    free = int((~grid.blocked).sum())
    ours = f"{grid.blocked.size}, of which {free} usable"
    return judged("ragazzon2012.number_of_neurons", ours, grid.blocked.size == 400)


def _network_and_path_rows() -> Rows:
    found, inner, formula = (
        eigenvalue(20),
        eigenvalue(18),
        largest_eigenvalue(neighbourhood_of((20, 20))),
    )
    ours = f"{found:.3f} (2 Σ cos(π/(n+1)) = {formula:.3f}; {inner:.3f} inside the rim)"
    yield judged("ragazzon2012.largest_eigenvalue", ours, abs(found - 3.0) < 0.05, bound=1 / found)
    yield judged("ragazzon2012.beta", f"{BETA} < {1 / found:.4f}", 1 / found > BETA)
    steps, enough = serpentine(20)[3], sweeps_suffice(20)
    sizes = range(20, 42, 2)
    fails = next((n for n in sizes if not sweeps_suffice(n)), None)
    ours = f"{10 * 20 - 1} sweeps find a winding path of {steps} steps: {'yes' if enough else 'no'}"
    yield judged("ragazzon2012.sweeps_on_20_by_20", ours, enough)
    ours = (
        f"from {fails} × {fails} on not ({serpentine(fails)[3]} steps, {10 * fails - 1} sweeps)"
        if fails
        else "all"
    )
    yield judged("ragazzon2012.sweeps_on_any_map", ours, fails is None)
    near, usual = share_of_longer_paths(NEAR_QUARTER), share_of_longer_paths(BETA)
    ours = (
        f"{100 * near[0]:.1f} % of the paths are longer, {100 * near[1]:.2f} % of the steps do not come nearer ({MAPS}"
        f" random maps, {SIZE} × {SIZE}, {100 * DENSITY:.0f} % blocked, β = {NEAR_QUARTER})"
    )
    yield judged("ragazzon2012.shortest_near_a_quarter", ours, near[0] == 0)
    ours = f"{100 * usual[0]:.2f} % of the paths are longer on the same maps"
    yield judged("ragazzon2012.shortest_at_a_tenth", ours, usual[0] == 0)
    found = {e.name: plan_path(e.blocked, e.start, e.goal, "sum", 0.1).length for e in examples()}
    shortest = sum(plan_path(*e[1:], "limit").length == found[e.name] for e in examples())
    ours = ", ".join(f"{name} {int(n)} steps" for name, n in found.items())
    yield judged("ragazzon2012.four_maps", f"{ours}; {shortest} of 4 shortest", None)


def _six_axes_row() -> Row:
    cells = 20**6
    return judged(
        "ragazzon2012.neurons_for_six_joints", f"{cells / 1e7:.1f}·10⁷", cells == 64_000_000
    )


def _bordered(size: int = 20) -> np.ndarray:
    blocked = np.ones((size, size), dtype=bool)
    blocked[1:-1, 1:-1] = False
    return blocked


@picture("figure_6_1", PAGE, 0.53 * PAGE, 2, 4)
def maps_figure(figure: Figure, axes: np.ndarray) -> None:
    """Four maps (6.1): above the set-up, below the settled network and the path that it gives."""
    for (above, below), (name, blocked, start, goal) in zip(axes.T, examples(), strict=True):
        plan = plan_path(blocked, start, goal, "sum", BETA)
        add_blocked(above, blocked)
        network.mark_ends(above, plan.cells, network.plane_along(plan.cells, blocked.shape))
        above.set(title=name, xticks=[], yticks=[])
        image = network.draw_plan(below, plan)
        image.set_clim(0.0, 45.0)
        add_blocked(below, blocked)
        below.set_title(f"{len(plan.cells) - 1} steps")
    axes[0, 0].set_ylabel("set-up")
    axes[1, 0].set_ylabel("network and path")
    figure.colorbar(image, ax=axes[1], label=network.STEPS_LABEL, shrink=0.9)
    figure.legend(handles=network.path_handles(), loc="outside upper center", ncols=4)


if __name__ == "__main__":
    print(*draw(Path(sys.argv[1] if len(sys.argv) > 1 else "../runs/figure_6_1")), sep="\n")
