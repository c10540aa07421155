"""Whole figures of a map in space, seen from one side."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from hopfield_nav.figures.map_plots import plan_handles, space_handles, trajectory_handles
from hopfield_nav.figures.panel_grid import few_empty
from hopfield_nav.figures.room import in_space
from hopfield_nav.figures.scene import Scene
from hopfield_nav.figures.space_plots import draw_plan_in_space, draw_space, draw_way_in_space
from hopfield_nav.run import Run
from hopfield_nav.style import CENTIMETRE, COLUMN, PAGE


def space_page(run: Run) -> Figure:
    """The set-up in space."""
    handles, scene = [h for h in space_handles(run) if h.get_label() != "barred"], Scene(run)
    figure, (ax,) = _panels(scene, COLUMN, 1, 1, 0.45 * CENTIMETRE, 0.0)
    draw_space(ax, run, scene)
    figure.legend(handles=handles, loc="upper center", ncols=4, borderaxespad=0.1)
    return figure


def way_page(run: Run) -> Figure | None:
    """The tool's way in space, among what it felt; None where the map is a plane."""
    if not in_space(run):
        return None
    handles, scene = trajectory_handles(run, seen_from_above=False), Scene(run)
    figure, (ax,) = _panels(scene, COLUMN, 1, 1, 0.85 * CENTIMETRE, 0.0)
    draw_way_in_space(ax, run, scene)
    figure.legend(handles=handles, loc="upper center", ncols=3, borderaxespad=0.1)
    return figure


def space_plans_page(run: Run, chosen: list[int]) -> Figure:
    """Felt cells and the new path after some of the collisions, which are given by number."""
    plans, scene = run.plans(), Scene(run)
    columns = few_empty(len(chosen), (4, 3))
    width = PAGE if columns > 2 else COLUMN
    handles = plan_handles(run)
    per_row = len(handles) if columns > 2 else 3
    head = 0.4 * CENTIMETRE * -(-len(handles) // per_row)
    note = 0.4 * CENTIMETRE if len(chosen) < len(plans) else 0.0
    figure, panels = _panels(scene, width, len(chosen), columns, head, note)
    for ax, k in zip(panels, chosen, strict=True):
        draw_plan_in_space(ax, run, plans[k], scene)
        ax.set_title(f"{k}: {plans[k].time:.1f} s" if k else "at the start", pad=0)
    if note:
        text = f"{len(chosen)} of {len(plans)} maps, evenly chosen"
        figure.text(0.5, 0.02 * CENTIMETRE, text, ha="center", va="bottom")
    figure.legend(handles=handles, loc="upper center", ncols=per_row, borderaxespad=0.1)
    return figure


def _panels(
    scene: Scene, width: float, count: int, columns: int, head: float, foot: float
) -> tuple[Figure, list[Axes]]:
    """Panels of the picture's shape below a head [inch] for the legend."""
    left, right, low, high = scene.limits(arm=False)
    wide, title = width / columns, 0.45 * CENTIMETRE if count > 1 else 0.0
    tall = wide * (high - low) / (right - left)
    rows = -(-count // columns)
    height = head + rows * (tall + title) + foot
    figure = Figure((width, height))
    places = [
        ((k % columns) * wide, foot + (rows - 1 - k // columns) * (tall + title), wide, tall)
        for k in range(count)
    ]
    return figure, [figure.add_axes((x / width, y / height, w / width, h / height)) for x, y, w, h in places]
