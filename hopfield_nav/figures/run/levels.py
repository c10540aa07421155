"""Levels of a map in space from above: obstacles cut at their height, cells, the tool's path in them."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from hopfield_nav.figures import solid
from hopfield_nav.figures.palette import COLOURS
from hopfield_nav.figures.run.maps import trajectory_handles
from hopfield_nav.figures.sheets import path_rows
from hopfield_nav.figures.style import PAGE
from hopfield_nav.record import Run, missed_contacts

MOST_LEVELS = 24


def draw_level(ax: Axes, run: Run, level: int) -> Axes:
    """One level, from 0: its slice of obstacles, what was felt, the tool's path while it was there."""
    solid.add_obstacles(ax, run, solid.level_height(run, level))
    solid.add_grid(ax, run)
    plan = solid.final_plan(run)
    solid.add_cells(ax, run, solid.cell_classes(run, plan, path=False)[:, :, level])
    here = (plan.steps[:, :, 2] == level).all(axis=1)  # steps up and down belong to no level
    solid.add_closed_steps(ax, run, plan.steps[here], plan.certainty[here])
    _add_path(ax, run, level)
    solid.add_ends(ax, run, 4, lambda p: np.where(solid.level_of(run, p[2]) == level, p[:2], np.nan))
    _add_collisions(ax, run, level)
    solid.frame_map(ax, run, labels=False)
    return ax


def levels_page(run: Run) -> Figure:
    """Every level that something is in, from the lowest up."""
    count = run.world.map.shape[2]
    chosen = [int(k) for k in np.linspace(0, count - 1, min(count, MOST_LEVELS)).round()]
    columns = solid.few_empty(len(chosen), (4, 3) if len(chosen) <= 8 else (6, 5))
    handles = trajectory_handles(run)
    note = "" if len(chosen) == count else f"   ({len(chosen)} of {count} levels, evenly chosen)"
    figure, panels = solid.map_grid(run, PAGE, len(chosen), columns, handles, 7, note)
    for ax, level in zip(panels, chosen, strict=True):
        draw_level(ax, run, level)
        ax.set_title(f"z = {solid.level_height(run, level) + 0.0:.3g} m", pad=2)
        ax.locator_params(nbins=3)
    return figure


def path_in_level(run: Run, level: int) -> np.ndarray:
    """Pieces (k, 2, 2) [m] of the tool's path, seen from above, that begin in a level."""
    trail = run.data.tool_position.values
    trail = trail[path_rows(trail)] if len(trail) > 1 else trail
    pieces = np.stack([trail[:-1, :2], trail[1:, :2]], axis=1)
    return pieces[solid.level_of(run, trail[:-1, 2]) == level]


def _add_path(ax: Axes, run: Run, level: int) -> None:
    lines = LineCollection(list(path_in_level(run, level)), colors=COLOURS.travelled, linewidths=1.0, zorder=4)
    ax.add_collection(lines, autolim=False)


def _add_collisions(ax: Axes, run: Run, level: int) -> None:
    cells, actual = run.data.event_cell.values, run.data.event_position.values
    marked = solid.cell_centres(run, cells[cells[:, 2] == level])
    felt_at = actual[solid.level_of(run, actual[:, 2]) == level][:, :2]
    ax.plot(*marked.T, "x", color="white", markersize=2.6, mew=0.8, zorder=5.5, label="_marked")
    missed = [e.position for e in missed_contacts(run) if solid.level_of(run, e.position[2]) == level]
    if missed:
        how = {"color": COLOURS.missed, "markersize": 4.5, "mec": COLOURS.ink, "mew": 0.6, "zorder": 8}
        ax.plot(*np.array(missed)[:, :2].T, "^", label="_missed", **how)
    ax.plot(*felt_at.T, "o", color=COLOURS.true, markersize=2.2, mew=0, zorder=7, label="_contact")
