"""From a recorded push on a real UR5 (Kufieta 2014) to a plan around it: the numbers and the picture of a page.

python scripts/real_touch_to_plan.py --out docs/lab/real_touch_to_plan.md --figures docs/figures

It is the strongest push of the run ``no5_pushed``, taken for an obstacle that stands still. The map
has joints 1 and 2; the other joints stay as they were at the push.
"""

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import typer
from benches import suite_module
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from measured_part import table, tell
from recorded_pushes import Push, pushes, strokes
from reproduction import PICTURES, picture, pictures_of

from dynamics import load_arm
from hopfield_nav.extensions.clearance import build_scene
from hopfield_nav.extensions.isolation import BODY, ContactIsolator, Isolation, default_surface
from hopfield_nav.extensions.whole_arm import CollisionBelief, JointGrid, block_known
from hopfield_nav.extensions.whole_arm.localization import likely_places
from hopfield_nav.extensions.whole_arm.numbers import NO_DOUBT
from hopfield_nav.figures import CENTIMETRE, COLOURS, PAGE
from hopfield_nav.figures.solid import CellPose, CellView, Solids, frame_cell, project
from hopfield_nav.geometry import LINK
from hopfield_nav.navigation import ContactHypotheses
from hopfield_nav.planning import Plan, plan_path

r = suite_module("recordings")
ARM, OBSERVER = "ur5_controller", "momentum_observer"
LOWEST, HIGHEST = (0.2, -3.4), (2.0, -1.6)  # [rad] the map of joints 1 and 2
CELLS = 36  # of each of them, 0.05 rad wide
NEIGHBOURS = 1.5  # [cells] radius of the network: the eight cells about each
DOUBTED = "#FDBB84"  # colour of closed cells, one of those of doubts
HELD_BACK = 12  # rows, 0.1 s: a push begins before the currents show it


class Touch(NamedTuple):
    """What was measured at the push."""

    push: Push
    first: int  # row at which the stroke begins
    row: int  # at which the torque on joint 1 is largest
    last: int  # at which the stroke ends
    torque: np.ndarray  # (6,) estimated external torque, less that of the free run [N·m]
    noise: np.ndarray  # (6,) standard deviation of the estimate in free motion of other runs [N·m]


class Mapped(NamedTuple):
    """What the push says of joints 1 and 2."""

    grid: JointGrid
    certainty: np.ndarray  # (CELLS, CELLS) that something is there
    closed: np.ndarray  # bool, of the same shape: doubted at all, or the arm touches itself
    start: tuple[int, ...]  # cell where the stroke begins
    felt: tuple[int, ...]  # where the push was felt
    goal: tuple[int, ...]  # where the stroke ends


@cache
def touch() -> Touch:
    """The strongest push, and the torque by which it differs from the free run at the same place."""
    push = max(pushes(), key=lambda found: abs(found.current))
    torque = r.torque_of(r.PUSHED, OBSERVER)
    time = r.recording(r.PUSHED).time.values
    rows = np.flatnonzero((time >= push.start) & (time <= push.end))
    row = int(rows[np.abs(torque[rows, 0]).argmax()])
    first, last = next(stroke for stroke in strokes(r.PUSHED) if stroke[0] <= row < stroke[1])
    others = np.concatenate([_free_torque(run) for run in r.others(r.PUSHED)])
    change = torque[row] - peers(first)[row - first]
    return Touch(push, first, row, last - 1, change, others.std(axis=0))


def _free_torque(run: str) -> np.ndarray:
    return r.torque_of(run, OBSERVER)[r.in_motion(run)]


def peers(first: int) -> np.ndarray:
    """Estimated torque (k, 6) of the free run's strokes that go as the one from row ``first``, their mean."""
    torque = r.torque_of(r.FREE, OBSERVER)
    own = next(stroke for stroke in strokes(r.PUSHED) if stroke[0] == first)
    alike = [
        stroke for stroke in strokes(r.FREE) if _turn(r.FREE, stroke) * _turn(r.PUSHED, own) > 0.0
    ]
    count = min(last - begin for begin, last in alike)
    return np.mean([torque[begin : begin + count] for begin, _ in alike], axis=0)


def _turn(run: str, stroke: tuple[int, int]) -> float:
    """How far joint 1 turns in a stroke [rad]."""
    q = r.recording(run).q_ref.values[:, 0]
    return float(q[stroke[1] - 1] - q[stroke[0]])


@cache
def place() -> tuple[Isolation, ContactHypotheses]:
    """Where the push may have been: patches of the arm that explain the torque, and places of them."""
    felt, arm = touch(), load_arm(ARM)
    q = r.recording(r.PUSHED).q.values
    began = int(np.searchsorted(r.recording(r.PUSHED).time.values, felt.push.start))
    isolator = ContactIsolator(arm, felt.noise, hold_back=HELD_BACK)
    for row in range(felt.first, began):
        isolator.moved_free(q[row])
    found = isolator.felt(q[felt.row], felt.torque)
    surface = default_surface(arm)
    body = surface.patches[found.patches, BODY].astype(int)
    links = surface.bodies[body, LINK].astype(int)
    return found, likely_places(found.points, links, found.weight, patchwise=True)


@cache
def mapped() -> Mapped:
    """The map of joints 1 and 2 that the places make, the other joints as at the push."""
    felt, arm = touch(), load_arm(ARM)
    data = r.recording(r.PUSHED)
    q = data.q.values[felt.row]
    lowest = np.array([*LOWEST, *(q[2:] - 0.5)])  # a single cell has its centre in the middle
    highest = np.array([*HIGHEST, *(q[2:] + 0.5)])
    grid = JointGrid(lowest, highest, (CELLS, CELLS, 1, 1, 1, 1))
    belief = CollisionBelief(arm, grid)
    belief.add(place()[1], q)
    against = belief.evidence().reshape(CELLS, CELLS)
    itself = block_known(arm, build_scene(arm), grid).reshape(CELLS, CELLS)
    cells = [
        grid.cell_of(angles)[:2]
        for angles in (data.q_ref.values[felt.first], q, data.q_ref.values[felt.last])
    ]
    return Mapped(grid, 1.0 - np.exp(-against), (against > NO_DOUBT) | itself, *cells)


@cache
def planned() -> tuple[Plan, Plan]:
    """The plan around what was felt, and the plan before anything was."""
    known = mapped()
    nothing = np.zeros_like(known.closed)
    return tuple(
        plan_path(blocked, known.start, known.goal, network="sum", radius=NEIGHBOURS)
        for blocked in (known.closed, nothing)
    )


def step_table() -> str:
    """What comes out of each step."""
    felt, (found, places), known = touch(), place(), mapped()
    around, before = planned()
    time = float(r.recording(r.PUSHED).time[felt.row])
    torque = ", ".join(f"{value:z.1f}" for value in felt.torque)
    noise = ", ".join(f"{value:.1f}" for value in felt.noise)
    likeliest = ", ".join(f"{value:.2f}" for value in places.points[0])
    share = 100.0 * found.probability[found.best_link]
    rows = [
        ("push", "when the currents show it", f"{felt.push.start:.2f} to {felt.push.end:.2f} s"),
        ("estimate", "largest, at", f"{time:.2f} s"),
        ("estimate", "torque on joints 1 to 6", f"{torque} N·m"),
        ("estimate", "its standard deviation in free motion", f"{noise} N·m"),
        ("place", "patches of the arm that explain it", f"{len(found.patches)}"),
        ("place", "links with such patches", ", ".join(map(str, found.links))),
        ("place", "likeliest link", f"{found.best_link}, with {share:.0f} %"),
        ("place", "places, and the weight of all", f"{len(places.weights)}, {places.weights.sum():.2f}"),
        ("place", "likeliest place, base axes", f"{likeliest} m"),
        ("map", "cells with a doubt", f"{(known.certainty > NO_DOUBT).sum()} of {CELLS**2}"),
        ("map", "largest certainty of a cell", f"{known.certainty.max():.2f}"),
        ("plan", "length before the push", f"{before.length:.1f} cells"),
        ("plan", "cells of the path before with a doubt", f"{known.closed[tuple(np.transpose(before.cells))].sum()}"),
        ("plan", "length around what was felt", f"{around.length:.1f} cells"),
        ("plan", "cells of the path around with a doubt", f"{known.closed[tuple(np.transpose(around.cells))].sum()}"),
    ]  # fmt: skip
    return table(["step", "what", "value"], rows)


@picture("real_touch_to_plan", PAGE, 15.0 * CENTIMETRE, 2, 2)
def steps_figure(figure: Figure, axes: np.ndarray) -> None:
    """The estimate, the place on the arm, the map of two joints and the plan on it."""
    (torque, arm), (doubt, plan) = axes
    figure.get_layout_engine().set(wspace=0.08)
    _draw_torque(torque)
    _draw_place(arm)
    _draw_map(doubt, figure)
    _draw_plan(plan, figure)
    for ax, title in zip(axes.flat, ("a  Estimate", "b  Place", "c  Map", "d  Plan"), strict=True):
        ax.set_title(title, loc="left", weight="bold")


def _draw_torque(ax: Axes) -> None:
    """Joint 1 in the stroke of the push, and in the free run at the same place of it."""
    felt = touch()
    free = peers(felt.first)[:, 0]
    time = r.recording(r.PUSHED).time.values[felt.first : felt.first + len(free)]
    pushed = r.torque_of(r.PUSHED, OBSERVER)[felt.first : felt.first + len(free), 0]
    ax.axvspan(
        felt.push.start, felt.push.end, color=COLOURS.obstacle, alpha=0.45, lw=0, label="push"
    )
    ax.plot(time, free, color=COLOURS.true, lw=0.9, label="free run")
    ax.plot(time[: len(pushed)], pushed, color=COLOURS.felt, lw=1.1, label="pushed run")
    at = felt.row - felt.first
    ax.plot(time[at], pushed[at], "o", color=COLOURS.felt, mec="white", label="read here")
    ax.set(xlabel="time [s]", ylabel="external torque, joint 1 [N·m]", xlim=(time[0], time[-1]))
    ax.legend(loc="lower right")


def _draw_place(ax: Axes) -> None:
    """The arm at the push, every patch that explains it, and the places that are made of them."""
    arm, (found, places) = load_arm(ARM), place()
    q = r.recording(r.PUSHED).q.values[touch().row]
    cell = CellView(arm, [], q[None])
    frame_cell(ax, cell)
    Solids(ax, cell.view, zorder=1).show(cell.parts([CellPose(q)]))
    patches = project(cell.view, found.points).T
    ax.plot(*patches, ".", ms=3, color=COLOURS.travelled, zorder=6, label="explains the torque")
    ax.scatter(
        *project(cell.view, places.points).T,
        s=500.0 * places.weights,
        color=COLOURS.felt,
        alpha=0.75,
        lw=0,
        zorder=7,
        label="place, larger if likelier",
    )
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, 0.02))


def _draw_map(ax: Axes, figure: Figure) -> None:
    """How certain each cell is to be touched, with the recorded motion."""
    known = mapped()
    shown = np.where(known.certainty > NO_DOUBT, known.certainty, np.nan)
    image = ax.imshow(shown.T, origin="lower", extent=_extent(), cmap="OrRd", vmin=0.0)
    figure.colorbar(image, ax=ax, label="certainty [1]")
    felt, data = touch(), r.recording(r.PUSHED)
    way = data.q_ref.values[felt.first : felt.last + 1]
    ax.plot(*way[:, :2].T, color=COLOURS.travelled, lw=1.2, label="recorded motion")
    ax.plot(*data.q.values[felt.row, :2], "x", color=COLOURS.true, mew=1.4, label="push")
    _finish_map(ax)


def _draw_plan(ax: Axes, figure: Figure) -> None:
    """The settled network, the path before the push and the path around it."""
    known, (around, before) = mapped(), planned()
    height = np.where(known.closed, np.nan, around.log_activation)
    ax.set_facecolor(DOUBTED)
    image = ax.imshow(height.T, origin="lower", extent=_extent(), cmap="Greys_r")
    figure.colorbar(image, ax=ax, label="ln σ [1]")
    for plan, look, label in (
        (before, {"color": COLOURS.travelled, "ls": "--"}, "before the push"),
        (around, {"color": COLOURS.planned}, "around it"),
    ):
        cells = np.pad(np.array(plan.cells), ((0, 0), (0, 4)))
        ax.plot(*known.grid.centre(cells)[:, :2].T, lw=1.5, label=label, **look)
    ends = np.pad(np.array([known.start, known.goal]), ((0, 0), (0, 4)))
    start, goal = known.grid.centre(ends)[:, :2]
    ax.plot(*start, "o", color=COLOURS.start, label="start")
    ax.plot(*goal, "s", color=COLOURS.goal, label="goal")
    _finish_map(ax)


def _extent() -> tuple[float, float, float, float]:
    return LOWEST[0], HIGHEST[0], LOWEST[1], HIGHEST[1]


def _finish_map(ax: Axes) -> None:
    ax.set(xlabel="joint 1 [rad]", ylabel="joint 2 [rad]", aspect="equal")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2)


FIGURES = PICTURES[__name__]


def main(out: Path | None = None, figures: Path | None = None) -> None:
    """The table, to a page, and the picture, to a folder."""
    tell(step_table(), out)
    if figures:
        print(*pictures_of(__name__, dpi=300)(figures), sep="\n")


if __name__ == "__main__":
    typer.run(main)
