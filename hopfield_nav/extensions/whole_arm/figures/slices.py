"""Slices of a map of joint angles: what is known and felt around the configuration of the last touch."""

import itertools
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from hopfield_nav.build import build_arm
from hopfield_nav.clearance import scene_of_world
from hopfield_nav.extensions.whole_arm.blocking import block_known
from hopfield_nav.extensions.whole_arm.collision_belief import CollisionBelief
from hopfield_nav.extensions.whole_arm.grid import JointGrid, grid_of
from hopfield_nav.figures import CENTIMETRE, COLOURS, PAGE, add_legend, new_figure
from hopfield_nav.record import Run, felt_places, free_angles


class FeltMap(NamedTuple):
    """A map of joint angles as a run has felt it."""

    grid: JointGrid  # its cells
    known: np.ndarray  # bool grid, where the arm touches itself or what is known
    certainty: np.ndarray  # float grid, 0 to 1, that a cell is blocked by something felt


def felt_map(run: Run) -> FeltMap:
    """The map of a run with ``map.space: joints``, made anew from its record."""
    arm = build_arm(run.world)
    grid = grid_of(run.world, arm, np.array(run.world.start.joints))
    doubts = CollisionBelief(arm, grid)
    for places in felt_places(run):
        doubts.add(places)
    doubts.passed([], free_angles(run))
    return FeltMap(grid, block_known(arm, scene_of_world(run.world), grid), -np.expm1(-doubts.evidence()))


def slices_page(run: Run) -> Figure | None:
    """A panel for every two neighbouring joints, through where the arm went on after its last touch."""
    if not run.data.sizes["time"]:
        return None
    made = felt_map(run)
    joints = [j for j, count in enumerate(made.grid.shape) if count > 1]
    pairs = list(itertools.pairwise(joints))
    if not pairs:
        return None
    figure = new_figure(PAGE, PAGE / 2 * -(-len(pairs) // 2) * 0.8 + CENTIMETRE)
    axes = figure.subplots(-(-len(pairs) // 2), 2, squeeze=False).ravel()
    for ax in axes[len(pairs) :]:
        ax.set_visible(False)
    for ax, (across, up) in zip(axes, pairs, strict=False):
        draw_slice(ax, run, made, across, up)
    return add_legend(figure, _handles(), 3)


def draw_slice(ax: Axes, run: Run, made: FeltMap, across: int, up: int) -> Axes:
    """The map over two joints, counted from 0, the others as when the arm went on after its last touch.

    The way that the arm went is bold where it runs in the slice, and thin where another joint is elsewhere.
    """
    began, q = last_configuration(run, made), run.data.q.values
    at: list[int | slice] = [c % n for c, n in zip(made.grid.cell_of(began), made.grid.shape, strict=True)]
    at[across], at[up] = slice(None), slice(None)
    known, certainty = made.known[tuple(at)], made.certainty[tuple(at)]
    image = np.zeros((*known.shape, 4))
    image[..., :3], image[..., 3] = to_rgb(COLOURS.felt), certainty
    image[known] = (*to_rgb(COLOURS.obstacle), 1.0)
    (columns, *wide), (rows, *high) = (_shown(made, joint, q[:, joint]) for joint in (across, up))
    image = image[np.ix_(columns, rows)].swapaxes(0, 1)
    ax.imshow(image, origin="lower", extent=(*wide, *high), aspect="auto", interpolation="nearest")
    others = [j for j in range(q.shape[1]) if j not in (across, up) and made.grid.shape[j] > 1]
    away = made.grid.beside(q, began) - began
    beside = (np.abs(away)[:, others] > 0.5 * made.grid.spacing[others]).any(axis=1)
    ax.plot(q[:, across], q[:, up], color=COLOURS.travelled, lw=0.7, zorder=3)
    inside = np.where(beside[:, None], np.nan, q)
    ax.plot(inside[:, across], inside[:, up], color=COLOURS.travelled, lw=2.2, zorder=4)
    for row, colour in ((q[0], COLOURS.start), (began, COLOURS.felt), (q[-1], COLOURS.goal)):
        ax.plot(row[across], row[up], "o", ms=4.5, mec="white", mew=0.6, color=colour, zorder=5)
    ax.set(xlabel=f"joint {across + 1} (rad)", ylabel=f"joint {up + 1} (rad)")
    return ax


def _shown(made: FeltMap, joint: int, angles: np.ndarray) -> tuple[np.ndarray, float, float]:
    """The cells of an axis that a panel shows, and its ends [rad]: a closed axis goes on where the arm went."""
    count, low, width = made.grid.shape[joint], made.grid.lower[joint], made.grid.spacing[joint]
    first, last = np.floor((np.array([angles.min(), angles.max()]) - low) / width).astype(int)
    if not made.grid.turn[joint] or (first >= 0 and last < count):
        first, last = 0, count - 1
    spare = max(count - 1 - (last - first), 0)
    first, last = first - spare // 2, last + spare - spare // 2
    return np.arange(first, last + 1) % count, low + first * width, low + (last + 1) * width


def last_configuration(run: Run, made: FeltMap) -> np.ndarray:
    """(n,) joint angles [rad] from which the arm went on after its last touch; at the start without one."""
    q, cells = run.data.q.values, run.data.event_start.values
    if not len(cells):
        return q[0]
    like = q[min(np.searchsorted(run.data.time.values, run.data.event_time.values[-1]), len(q) - 1)]
    return made.grid.beside(np.where(np.array(made.grid.shape) > 1, made.grid.centre(cells[-1]), like), like)


def _handles() -> list[Line2D | Patch]:
    dot = {"marker": "o", "ls": "", "mec": "white"}
    return [
        Patch(color=COLOURS.obstacle, label="the arm itself, known obstacles"),
        Patch(color=COLOURS.felt, label="felt, the darker the more certain"),
        Line2D([], [], color=COLOURS.travelled, lw=2.2, label="path of the arm; thin: beside the slice"),
        Line2D([], [], color=COLOURS.start, label="start", **dot),
        Line2D([], [], color=COLOURS.felt, label="where the last path begins", **dot),
        Line2D([], [], color=COLOURS.goal, label="end", **dot),
    ]
