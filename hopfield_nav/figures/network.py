"""A settled network as a picture: a colour for its depth, an arrow to the climbed neighbour, the path.

A network of more than two axes is shown where a plane of cells cuts it. The depth of a cell is ln
σ/ln β: by how many factors β its activation lies below the goal's. In the network ``limit`` that is
the number of steps to the goal. In the network ``sum`` it is less, by what the many walks to the
goal add to σ; where there is one path alone, and β is small, both are its number of steps.
"""

from collections import Counter
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap, to_rgb
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.lines import Line2D

from hopfield_nav.figures.palette import COLOURS
from hopfield_nav.figures.saving import shown_in_notebooks
from hopfield_nav.figures.sheets import new_figure
from hopfield_nav.figures.style import CENTIMETRE, COLUMN, paper_style
from hopfield_nav.planning import Landscape, Plan

_SHADES = np.array(
    [to_rgb(c) for c in ("#fde725", "#a6db57", "#60c774", "#39a88a", "#3c8596", "#5c6696")]
)
_COLUMNS = (np.interp(np.linspace(0, 1, 256), np.linspace(0, 1, 6), shades) for shades in _SHADES.T)
STEPS = ListedColormap(np.column_stack([*_COLUMNS]))  # of cells, near the goal light
DEPTH_LABEL = r"$\ln\sigma / \ln\beta$"  # of the network "sum"
STEPS_LABEL = "steps to the goal"  # of the network "limit", whose depth they are
DISTANCE_LABEL = "distance to the goal (shortest steps)"  # of "limit" with steps of several lengths
DARK = "#F4F4F4"  # of cells from which no path leads to the goal
_ARROW, _MOST_ARROWS = 0.62, 2_500  # [cells] their length, and the most cells that have some


class Plane(NamedTuple):
    """The cells of a grid in which all but two axes have fixed numbers, and where they are drawn."""

    axes: tuple[int, int]  # that are drawn to the right and upwards
    cell: tuple[int, ...]  # one of them
    origin: np.ndarray  # (2,) centre of its first cell on the axes of the picture
    spacing: np.ndarray  # (2,) between centres

    def of(self, grid: np.ndarray) -> np.ndarray:
        """What a grid has there, (n, m)."""
        return grid[tuple(slice(None) if k in self.axes else c for k, c in enumerate(self.cell))]

    def holds(self, cells: np.ndarray) -> np.ndarray:
        """Which cells (k, rank) lie in it, (k,) bool."""
        others = [k for k in range(len(self.cell)) if k not in self.axes]
        return (cells[:, others] == np.array(self.cell)[others]).all(axis=1)

    def points(self, cells: np.ndarray) -> np.ndarray:
        """Where the centres of cells (k, rank) are in the picture, (k, 2)."""
        return self.origin + self.spacing * np.asarray(cells)[:, list(self.axes)]

    def extent(self, shape: tuple[int, ...]) -> tuple[float, ...]:
        """Outer edges: right from, to, upwards from, to."""
        count = np.array(shape)[list(self.axes)]
        low, high = self.origin - 0.5 * self.spacing, self.origin + (count - 0.5) * self.spacing
        return float(low[0]), float(high[0]), float(low[1]), float(high[1])


def axes_along(paths: list[np.ndarray], shape: tuple[int, ...]) -> tuple[int, int]:
    """The two axes of a grid whose planes hold most cells of paths (k, rank); of equals the larger planes."""

    def held(axes: tuple[int, int]) -> tuple[int, int]:
        return sum(_fullest(path, axes)[1] for path in paths), min(shape[a] for a in axes)

    return max(combinations(range(len(shape)), 2), key=held)


def _fullest(path: np.ndarray, axes: tuple[int, int]) -> tuple[tuple[int, ...], int]:
    """The numbers of the other axes in the plane that holds most cells of a path, and how many it holds."""
    others = [k for k in range(path.shape[1]) if k not in axes]
    ((rest, count),) = Counter(map(tuple, path[:, others].tolist())).most_common(1)
    return rest, count


def plane_along(
    path: np.ndarray,
    shape: tuple[int, ...],
    origin: Any = 0.0,
    spacing: Any = 1.0,
    axes: tuple[int, int] | None = None,
) -> Plane:
    """The plane of a grid that holds most cells of a path (k, rank), along any two axes or along these.

    ``origin`` and ``spacing`` are those of the grid, one number or one an axis.
    """
    rank, rows = len(shape), path if len(path) else np.array([shape]) // 2
    chosen = axes or axes_along([rows], shape)
    rest = iter(_fullest(rows, chosen)[0])
    cell = [0 if k in chosen else next(rest) for k in range(rank)]
    begin, apart = (
        np.broadcast_to(np.asarray(v, float), rank)[list(chosen)] for v in (origin, spacing)
    )
    return Plane(chosen, tuple(cell), begin, apart)


def depth(landscape: Landscape, beta: float | None) -> np.ndarray:
    """The values ln σ/ln β over the grid; inf where no path leads to the goal.

    ``beta`` is that of the network "sum". Of the network "limit" it is the distance to the goal in
    its shortest steps.
    """
    if landscape.sums and beta is not None:
        return 0.0 + landscape.activation / np.log(beta)
    return (0.0 - landscape.activation) / float(landscape.near.length.min())


def depth_label(landscape: Landscape) -> str:
    """What the depth of a network is called, as the label of its scale."""
    if landscape.sums:
        return DEPTH_LABEL
    return STEPS_LABEL if landscape.near.uniform else DISTANCE_LABEL


def steps_of_climb(landscape: Landscape) -> np.ndarray:
    """How many steps the climb from each cell takes to the goal, a grid of int.

    −1 where it does not arrive.
    """
    shape = landscape.near.shape
    heights = landscape.activation.reshape(-1)
    steps = np.full(heights.size, -1)
    lit = np.flatnonzero(np.isfinite(heights))
    if not len(lit):
        return steps.reshape(shape)
    cells = np.argwhere(np.isfinite(landscape.activation))
    after = np.arange(heights.size)
    after[lit] = np.ravel_multi_index(tuple(landscape.climbed(cells).T), shape)
    highest = heights.max()
    for cell in lit[np.argsort(-heights[lit], kind="stable")]:
        if heights[cell] == highest:
            steps[cell] = 0
        elif steps[after[cell]] >= 0:
            steps[cell] = steps[after[cell]] + 1
    return steps.reshape(shape)


def add_depth(ax: Axes, depths: np.ndarray, plane: Plane, most: float) -> AxesImage:
    """Colour the cells of a plane by their depth, a grid; ``most`` has the darkest."""
    ax.set_facecolor(DARK)
    return ax.imshow(
        np.ma.masked_invalid(plane.of(depths).T),
        cmap=STEPS,
        vmin=0.0,
        vmax=max(most, 1.0),
        origin="lower",
        extent=plane.extent(depths.shape),
        interpolation="none",
        zorder=0.5,
        aspect="equal",
    )


def add_arrows(ax: Axes, landscape: Landscape, plane: Plane) -> None:
    """An arrow in every cell of a plane to the neighbour that is climbed.

    A dot where it leaves the plane; none where the cells are too many to be seen.
    """
    cells = _cells_of(plane, landscape.near.shape)
    cells = cells[np.isfinite(landscape.activation[tuple(cells.T)])]
    if not 0 < len(cells) <= _MOST_ARROWS:
        return
    move = _climbed_moves(landscape, cells)
    flat = move[:, list(plane.axes)] * plane.spacing
    goes = flat.any(axis=1)
    leaves = move.any(axis=1) & ~goes
    at = plane.points(cells)
    ax.quiver(
        *at[goes].T,
        *(_ARROW * flat[goes]).T,
        angles="xy",
        scale_units="xy",
        scale=1.0,
        units="xy",
        pivot="mid",
        width=0.085 * float(plane.spacing.min()),
        headwidth=3.6,
        headlength=3.4,
        headaxislength=3.0,
        color=COLOURS.ink,
        alpha=0.62,
        zorder=2.2,
    )
    ax.plot(*at[leaves].T, ".", color=COLOURS.ink, alpha=0.5, markersize=1.2, zorder=2.2)


def _cells_of(plane: Plane, shape: tuple[int, ...]) -> np.ndarray:
    """The cells (m, rank) of a plane of a grid."""
    along = [range(shape[k]) if k in plane.axes else [c] for k, c in enumerate(plane.cell)]
    return np.stack(np.meshgrid(*along, indexing="ij"), axis=-1).reshape(-1, len(shape))


def _climbed_moves(landscape: Landscape, cells: np.ndarray) -> np.ndarray:
    """The moves (m, rank) in cells that climb from cells (m, rank), the short way around."""
    shape = np.array(landscape.near.shape)
    move = landscape.climbed(cells) - cells
    over_the_edge = np.abs(move) > shape / 2
    return np.where(over_the_edge, move - np.sign(move) * shape, move)


def add_climb(
    ax: Axes, path: np.ndarray, plane: Plane, width: float = 1.5, style: Any = "-"
) -> None:
    """A path (k, rank) in a plane; where it is before or behind that, faint."""
    at, inside = plane.points(path), plane.holds(path)
    here = inside[:-1] & inside[1:]  # of each step
    for k, is_here in enumerate(here):
        alpha = 0.9 if is_here else 0.3
        ax.plot(*at[k : k + 2].T, color="white", lw=width + 1.1, alpha=alpha, zorder=3)
    ax.plot(*at.T, color=COLOURS.planned, lw=width, alpha=0.4, ls=style, zorder=3.1)
    steps = np.stack([at[:-1], at[1:]], axis=1)
    shown = np.where(here[:, None, None], steps, np.nan).reshape(-1, 2)
    apart = np.insert(shown, slice(2, None, 2), np.nan, axis=0)  # a gap between two steps
    ax.plot(*apart.T, color=COLOURS.planned, lw=width, ls=style, zorder=3.2)


def mark_ends(ax: Axes, path: np.ndarray, plane: Plane, size: float = 4.5) -> None:
    """Where a path begins, a disc, and ends, a diamond."""
    how: dict[str, Any] = {"mec": "white", "mew": 0.6, "zorder": 6}
    at = plane.points(path[[0, -1]])
    ax.plot(*at[0], "o", color=COLOURS.start, ms=size, **how)
    ax.plot(*at[1], "D", color=COLOURS.goal, ms=0.85 * size, **how)


def path_handles(start: str = "start") -> list[Line2D]:
    """Legend of a path, its beginning and its goal."""
    return [
        Line2D([], [], color=COLOURS.planned, lw=1.5, label="path"),
        Line2D(
            [], [], marker="$→$", ls="", color=COLOURS.ink, markersize=6, label="climbed neighbour"
        ),
        Line2D(
            [], [], marker="o", ls="", color=COLOURS.start, mec="white", markersize=5, label=start
        ),
        Line2D(
            [], [], marker="D", ls="", color=COLOURS.goal, mec="white", markersize=4.2, label="goal"
        ),
    ]


def draw_plan(ax: Axes, plan: Plan) -> AxesImage:
    """The network of a plan: colours, arrows, path; of more than two axes the plane that holds most of the path."""
    landscape = plan.landscape
    assert landscape is not None
    depths = depth(landscape, plan.beta)
    path = plan.cells
    plane = plane_along(np.zeros((0, depths.ndim), int) if path is None else path, depths.shape)
    seen = plane.of(depths)
    image = add_depth(ax, depths, plane, float(seen[np.isfinite(seen)].max(initial=1.0)))
    add_arrows(ax, landscape, plane)
    if path is not None:
        add_climb(ax, path, plane)
        mark_ends(ax, path, plane)
    ax.set(xticks=[], yticks=[])
    return image


def plot_plan(plan: Plan, ax: Axes | None = None) -> Axes | Figure:
    """Draw a plan of a network into axes, which are returned, or as a figure of its own; see ``Plan.plot``."""
    if ax is not None:
        draw_plan(ax, plan)
        return ax
    with paper_style():
        figure = new_figure(COLUMN, COLUMN)
        image = draw_plan(figure.add_subplot(), plan)
        assert plan.landscape is not None
        figure.colorbar(image, ax=figure.axes, label=depth_label(plan.landscape), shrink=0.8)
        figure.legend(handles=path_handles(), loc="outside upper center", ncols=4)
        figure.draw_without_rendering()
        return shown_in_notebooks(figure, 0.0 * CENTIMETRE)
