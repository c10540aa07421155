"""Maps as pictures: where their cells and levels are, and, seen from above, what they are made of.

A map in space has cubes for its cells and a box around them; ``slice_outline`` cuts an obstacle at
a level's height.
"""

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.colors import ListedColormap, to_rgba
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch, Polygon
from matplotlib.path import Path as MplPath
from numpy.typing import ArrayLike

from dynamics import forward_kinematics
from hopfield_nav.build import all_solids, build_arm
from hopfield_nav.figures.palette import COLOURS
from hopfield_nav.figures.solid.faces import box_faces, faces_of
from hopfield_nav.record import PlanRecord, Run
from hopfield_nav.world import Floor, Solid

Room = tuple[float, float, float, float]  # x from, to, y from, to [m]
_CUBE = 0.98  # of a cell: the edge of its cube
_MOST_LINES = 80  # a finer grid is not drawn


def in_space(run: Run) -> bool:
    """Whether the map has levels, and is no plane."""
    return run.world.map.rank == 3


def cell_points(run: Run, cells: np.ndarray) -> np.ndarray:
    """Centres (k, 3) [m] of cells (k, rank), those of a map in a plane at its height."""
    grid = run.world.map
    points = np.tile(np.array(grid.origin), (len(cells), 1))
    points[:, : grid.rank] += grid.spacing * np.asarray(cells, float).reshape(-1, grid.rank)
    return points


def map_extent(run: Run) -> tuple[float, float, float, float]:
    """Outer edges of the map: x from, to, y from, to [m]."""
    half, (x, y) = run.world.map.spacing / 2, run.world.map.origin[:2]
    nx, ny = run.world.map.shape[:2]
    return x - half, x + (2 * nx - 1) * half, y - half, y + (2 * ny - 1) * half


def grid_lines(run: Run) -> list[list[tuple[float, float]]]:
    """Lines [m] between the cells of a map seen from above; none of a grid too fine to be drawn."""
    left, right, low, high = map_extent(run)
    nx, ny = run.world.map.shape[:2]
    if max(nx, ny) > _MOST_LINES:
        return []
    upright = [[(x, low), (x, high)] for x in np.linspace(left, right, nx + 1)]
    return upright + [[(left, y), (right, y)] for y in np.linspace(low, high, ny + 1)]


def start_point(run: Run) -> np.ndarray:
    """(3,) position of the tool at the start [m]."""
    return forward_kinematics(build_arm(run.world), np.array(run.world.start.joints))[:3, 3]


def is_searched(run: Run) -> bool:
    """Whether there is anything on the map: a goal, or an obstacle that might be touched."""
    world = run.world
    return world.goal is not None or bool(world.obstacles or world.known)


def room_ends(run: Run) -> np.ndarray:
    """Lowest and highest x, y, z (2, 3) [m] of the map's outer faces; a plane has one height."""
    grid = run.world.map
    half = 0.5 * grid.spacing * (np.arange(3) < grid.rank)
    last = np.array([*grid.shape, 1][:3]) - 1
    return np.array(
        [np.array(grid.origin) - half, np.array(grid.origin) + grid.spacing * last + half]
    )


def room_edges(run: Run, toward: np.ndarray) -> np.ndarray:
    """The nine edges (9, 2, 3) [m] of a map in space that do not meet at the nearest corner."""
    near = np.asarray(toward) > 0
    corners = np.array(list(product((0, 1), repeat=3)))
    pairs = [
        (a, b)
        for a, b in product(corners, repeat=2)
        if np.abs(b - a).sum() == 1
        and (b - a).sum() == 1
        and not (np.all(a == near) or np.all(b == near))
    ]
    return room_ends(run)[np.array(pairs), np.arange(3)]


def cube_faces(run: Run, cells: np.ndarray) -> np.ndarray:
    """Faces (6 k, 4, 3) [m] of the cubes of cells (k, 3), which leave a thin gap between two."""
    cube = box_faces(np.zeros(3), np.full(3, _CUBE * run.world.map.spacing), np.eye(3))
    return (cell_points(run, cells)[:, None, None] + cube).reshape(-1, 4, 3)


def level_height(run: Run, level: Any) -> Any:
    """Height z [m] of the centres of the cells of one level or of more."""
    return run.world.map.origin[2] + run.world.map.spacing * level


def level_of(run: Run, z: ArrayLike) -> np.ndarray:
    """The level nearest to heights ``z`` [m], held to those of the map."""
    grid = run.world.map
    nearest = np.rint((np.asarray(z) - grid.origin[2]) / grid.spacing)
    return np.clip(nearest, 0, grid.shape[2] - 1).astype(int)


def slice_outline(solid: Solid, z: float, room: Room) -> np.ndarray:
    """Corners (k, 2) [m], in order, of a solid's cut at height ``z``; none without a cut.

    A floor fills the room.
    """
    if isinstance(solid, Floor):
        left, right, low, high = room
        corners = np.array([[left, low], [right, low], [right, high], [left, high]])
        return corners if z <= solid.height else corners[:0]
    starts = faces_of([solid], z - 1.0, z + 1.0)
    ends = np.roll(starts, -1, axis=1)
    is_cut = (starts[..., 2] <= z) != (ends[..., 2] <= z)  # of the edges of all faces
    start = starts[is_cut]
    if not len(start):
        return start[:, :2]
    edge = ends[is_cut] - start
    share = (z - start[:, 2]) / edge[:, 2]
    points = (start + share[:, None] * edge)[:, :2]
    x, y = (points - points.mean(axis=0)).T
    return points[np.argsort(np.arctan2(y, x))]


Appear = Callable[[np.ndarray], np.ndarray]
FREE, EXCLUDED, PATH, FELT, NEW = range(5)  # classes of cells
FOR_A_TIME = {
    "facecolor": "none",
    "edgecolor": COLOURS.true,
    "linewidth": 0.6,
    "linestyle": (0, (2, 1)),
}
_BARRED = 0.12  # how opaque excluded cells are, below their hatch
FILM_BARRED = 0.35  # and without one
EXCLUDED_CELLS = {
    "facecolor": to_rgba(COLOURS.excluded, _BARRED),
    "edgecolor": to_rgba(COLOURS.excluded, 0.75),
    "hatch": "//////",
    "linewidth": 0,
}
_MARKED = 0.8  # how opaque marks are
_BELIEVED = 0.3  # and cells that are only believed to be occupied


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
    """How opaque felt cells are: marks that block for good more than cells that are believed in."""
    return _BELIEVED if run.world.detection.mark == "felt" else _MARKED


_BAR = 0.42  # [cells] half the length of the bar across a closed step


def cell_centres(run: Run, cells: np.ndarray) -> np.ndarray:
    """Centres (k, 2) [m] of cells (k, rank), seen from above."""
    return cell_points(run, cells)[:, :2]


def add_cells(ax: Axes, run: Run, classes: np.ndarray, hatched: bool = True) -> None:
    """Colour cells by class, (nx, ny); of a map in space one level.

    Those that are excluded are hatched, but for films, which have colour alone.
    """
    shades = (
        ("white", 0.0),
        (COLOURS.excluded, _BARRED if hatched else FILM_BARRED),
        (COLOURS.planned, 0.25),
        (COLOURS.felt, felt_alpha(run)),
    )
    colours = [to_rgba(*shade) for shade in (*shades, (COLOURS.true, 1.0))]
    ax.imshow(
        classes.T, cmap=ListedColormap(colours), vmin=-0.5, vmax=len(colours) - 0.5, origin="lower",
        extent=map_extent(run), interpolation="none", zorder=2, aspect="equal",
    )  # fmt: skip
    if hatched:
        grid = run.world.map  # in space the classes are those of a level
        centres = np.array(grid.origin[:2]) + grid.spacing * np.argwhere(classes == EXCLUDED)
        add_hatch(ax, centres, grid.spacing)


def add_hatch(ax: Axes, centres: np.ndarray, spacing: Any) -> None:
    """Hatch cells with centres (k, 2) as excluded ones are; ``spacing`` is their width and height."""
    if not len(centres):
        return
    half = np.broadcast_to(spacing, 2) / 2
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]]) * half
    cells = [MplPath(centre + corners, closed=True) for centre in centres]
    patch = PathPatch(MplPath.make_compound_path(*cells), zorder=2.05, **EXCLUDED_CELLS)
    ax.add_artist(patch)


def add_closed_steps(ax: Axes, run: Run, steps: np.ndarray, certainty: np.ndarray) -> None:
    """A bar across every closed step (k, 2, rank) of a map in the plane."""
    add_bars(ax, cell_centres(run, steps.reshape(-1, steps.shape[2])), certainty, 4.5)


def add_bars(ax: Axes, ends: np.ndarray, certainty: np.ndarray, zorder: float) -> None:
    """Bars across closed steps with ends (2 k, 2) in pairs: full for a fact, thin for a belief."""
    start, end = np.moveaxis(ends.reshape(-1, 2, 2), 1, 0)
    middle = (start + end) / 2
    along = end - start
    across = _BAR * np.column_stack([along[:, 1], -along[:, 0]])
    bars = np.stack([middle - across, middle + across], axis=1)
    is_fact = certainty == 1.0
    add_segments(ax, bars[~is_fact], COLOURS.felt, 0.8, zorder)
    add_segments(ax, bars[is_fact], COLOURS.felt, 1.6, zorder)


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
    for chosen, how in (
        (still, {"facecolor": COLOURS.obstacle, "linewidth": 0}),
        (~still, FOR_A_TIME),
    ):
        outlines = obstacle_outlines(run, run.world.map.origin[2] if z is None else z, chosen)
        if outlines:
            ax.add_collection(PatchCollection(outlines, zorder=1, **how), autolim=False)


def obstacle_outlines(run: Run, z: float, chosen: np.ndarray) -> list[Polygon]:
    """Outlines at a height [m] of the true obstacles that are ``chosen`` (m,).

    That of a floor is clipped to the map.
    """
    outlines = []
    for solid, is_chosen in zip(all_solids(run.world), chosen, strict=True):
        if is_chosen:
            corners = slice_outline(solid, z, map_extent(run))
            if len(corners):
                outlines.append(Polygon(corners))
    return outlines


def add_ends(
    ax: Axes,
    run: Run,
    size: float = 6.0,
    appear: Appear = lambda point: point[:2],
    zorder: float = 6.0,
) -> list[Line2D]:
    """Start and, where the world has one, goal.

    They stand where points (3,) [m] ``appear`` on the axes, by default from above.
    """
    ends = [mark_start(ax, appear(start_point(run)), size)]
    goal = run.world.goal_point
    if goal is not None:
        ends.append(mark_goal(ax, appear(np.array(goal)), size))
    for mark in ends:
        mark.set_zorder(zorder)
    return ends


def mark_start(ax: Axes, point: Sequence[float] | np.ndarray, size: float = 6.0) -> Line2D:
    """A green disc at a point of the axes; size in points."""
    how: dict[str, Any] = {"markersize": size, "mec": "white", "mew": 0.6, "zorder": 6}
    (disc,) = ax.plot(*point, "o", color=COLOURS.start, **how)
    return disc


def mark_goal(ax: Axes, point: Sequence[float] | np.ndarray, size: float = 6.0) -> Line2D:
    """A red diamond at a point of the axes; size in points."""
    how: dict[str, Any] = {"markersize": 0.85 * size, "mec": "white", "mew": 0.6, "zorder": 6}
    (diamond,) = ax.plot(*point, "D", color=COLOURS.goal, **how)
    return diamond


def frame_map(ax: Axes, run: Run) -> Axes:
    """Equal axes that end at the map's edges, in metres."""
    left, right, low, high = map_extent(run)
    ax.set(xlim=(left, right), ylim=(low, high), aspect="equal", xlabel="x (m)", ylabel="y (m)")
    ax.locator_params(nbins=5)
    for spine in ax.spines.values():
        spine.set_visible(True)
    return ax
