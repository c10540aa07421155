"""What maps seen from above are made of: cells, true obstacles, paths, trails, start and goal."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.colors import ListedColormap, to_rgba
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon

from hopfield_nav.build import all_solids
from hopfield_nav.figures.palette import COLOURS
from hopfield_nav.figures.solid.room import cell_points, grid_lines, map_extent, slice_outline, start_point
from hopfield_nav.record import PlanRecord, Run

Appear = Callable[[np.ndarray], np.ndarray]
FREE, EXCLUDED, PATH, FELT, NEW = range(5)  # classes of cells
FOR_A_TIME = {"facecolor": "none", "edgecolor": COLOURS.true, "linewidth": 0.6, "linestyle": (0, (2, 1))}
_MARKED, _BELIEVED = 0.8, 0.3  # how opaque marks are, and cells that are only believed to be occupied


def cell_classes(run: Run, plan: PlanRecord, path: bool = True) -> np.ndarray:
    """Class of every cell as one of the run's plans saw it, ints of the map's shape; see ``FREE``.

    NEW is the cell just marked; cells of the path may be left without a class of their own.
    """
    classes = np.zeros(run.world.map.shape, dtype=int)
    blocked = np.isin(run.data.final_map.values, (1, 2)) & ~run.plans()[-1].felt  # from the start
    if run.world.map.rim == "blocked":
        for axis in range(blocked.ndim):
            np.moveaxis(blocked, axis, 0)[[0, -1]] = True
    classes[blocked] = EXCLUDED
    if path and len(plan.path):
        classes[tuple(plan.path.T)] = PATH
    classes[plan.felt] = FELT
    if plan.cell is not None and plan.felt[tuple(plan.cell)]:
        classes[tuple(plan.cell)] = NEW
    return classes


def final_plan(run: Run) -> PlanRecord:
    """The last plan, without a cell that was just marked."""
    plan = run.plans()[-1]._replace(cell=None)
    if "final_certainty" not in run.data:
        return plan
    steps, certainty = run.closed_steps()
    believed = run.world.detection.mark == "felt"
    felt = run.data.final_map.values == 3 if believed else plan.felt
    return plan._replace(felt=felt, steps=steps, certainty=certainty)


def felt_alpha(run: Run) -> float:
    """How opaque felt cells are: marks that block for good more than cells believed to be occupied."""
    return _BELIEVED if run.world.detection.mark == "felt" else _MARKED


_BAR = 0.42  # [cells] half the length of the bar across a closed step


def cell_centres(run: Run, cells: np.ndarray) -> np.ndarray:
    """Centres (k, 2) [m] of cells (k, rank), seen from above."""
    return cell_points(run, cells)[:, :2]


def add_cells(ax: Axes, run: Run, classes: np.ndarray) -> None:
    """Colour cells by class, (nx, ny); of a map in space one level."""
    shades = ("white", 0.0), (COLOURS.excluded, 0.35), (COLOURS.planned, 0.25), (COLOURS.felt, felt_alpha(run))
    colours = [to_rgba(*shade) for shade in (*shades, (COLOURS.true, 1.0))]
    ax.imshow(
        classes.T, cmap=ListedColormap(colours), vmin=-0.5, vmax=len(colours) - 0.5, origin="lower",
        extent=map_extent(run), interpolation="none", zorder=2, aspect="equal",
    )  # fmt: skip


def add_closed_steps(ax: Axes, run: Run, steps: np.ndarray, certainty: np.ndarray) -> None:
    """A bar across every closed step (k, 2, rank) of a map in the plane."""
    add_bars(ax, cell_centres(run, steps.reshape(-1, steps.shape[2])), certainty, 4.5)


def add_bars(ax: Axes, ends: np.ndarray, certainty: np.ndarray, zorder: float) -> None:
    """Bars across closed steps with ends (2 k, 2) in pairs: full for a fact, thin for a belief."""
    ends = ends.reshape(-1, 2, 2)
    middle, along = ends.mean(axis=1), np.diff(ends, axis=1)[:, 0]
    across = _BAR * along[:, ::-1] * [1.0, -1.0]
    bars = np.stack([middle - across, middle + across], axis=1)
    for fact, width in ((False, 0.8), (True, 1.6)):
        add_segments(ax, bars[(certainty == 1.0) == fact], COLOURS.felt, width, zorder)


def add_grid(ax: Axes, run: Run) -> None:
    """Thin lines between the cells."""
    add_segments(ax, grid_lines(run), COLOURS.grid, 0.35, 1.5)


def add_segments(ax: Axes, ends: Any, colour: str, width: float, zorder: float) -> LineCollection:
    """Straight lines between ends (k, 2, 2), which move no limits."""
    lines = LineCollection(list(ends), colors=colour, linewidths=width, zorder=zorder)
    return ax.add_collection(lines, autolim=False)


def add_obstacles(ax: Axes, run: Run, z: float | None = None) -> None:
    """The true obstacles where a level plane cuts them: at ``z`` [m], or at the height of the map.

    Those that come or go are outlines.
    """
    still = (run.standing_times == (0.0, np.inf)).all(axis=1)
    for chosen, how in ((still, {"facecolor": COLOURS.obstacle, "linewidth": 0}), (~still, FOR_A_TIME)):
        outlines = obstacle_outlines(run, run.world.map.origin[2] if z is None else z, chosen)
        if outlines:
            ax.add_collection(PatchCollection(outlines, zorder=1, **how), autolim=False)


def obstacle_outlines(run: Run, z: float, chosen: np.ndarray) -> list[Polygon]:
    """Outlines at a height [m] of the true obstacles that are ``chosen`` (m,), those of a floor clipped to the map."""
    solids = (solid for solid, there in zip(all_solids(run.world), chosen, strict=True) if there)
    slices = [slice_outline(solid, z, map_extent(run)) for solid in solids]
    return [Polygon(outline) for outline in slices if len(outline)]


def add_ends(
    ax: Axes, run: Run, size: float = 6.0, appear: Appear = lambda point: point[:2], zorder: float = 6.0
) -> list[Line2D]:
    """Start and, where the world has one, goal, where points (3,) [m] appear on the axes; from above by default."""
    ends, goal = [mark_start(ax, appear(start_point(run)), size)], run.world.goal_point
    ends += [] if goal is None else [mark_goal(ax, appear(np.array(goal)), size)]
    for mark in ends:
        mark.set_zorder(zorder)
    return ends


def mark_start(ax: Axes, point: Sequence[float] | np.ndarray, size: float = 6.0) -> Line2D:
    """A green disc at a point of the axes; size in points."""
    return ax.plot(*point, "o", color=COLOURS.start, markersize=size, mec="white", mew=0.6, zorder=6)[0]


def mark_goal(ax: Axes, point: Sequence[float] | np.ndarray, size: float = 6.0) -> Line2D:
    """A red diamond at a point of the axes; size in points."""
    return ax.plot(*point, "D", color=COLOURS.goal, markersize=0.85 * size, mec="white", mew=0.6, zorder=6)[0]


def frame_map(ax: Axes, run: Run) -> Axes:
    """Equal axes that end at the map's edges, in metres."""
    left, right, low, high = map_extent(run)
    ax.set(xlim=(left, right), ylim=(low, high), aspect="equal", xlabel="x (m)", ylabel="y (m)")
    ax.locator_params(nbins=5)
    for spine in ax.spines.values():
        spine.set_visible(True)
    return ax
