"""The tool's path with several responses and planners: the pictures of following, sliding and planners.

python scripts/documentation/ways.py
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Patch
from matplotlib.patheffects import withStroke

from hopfield_nav import load_world
from hopfield_nav.build import endless_cylinders
from hopfield_nav.experiment import Simulation
from hopfield_nav.extensions.surfaces import Follow
from hopfield_nav.figures import (
    CENTIMETRE,
    COLOURS,
    PAGE,
    add_legend,
    new_figure,
    paper_style,
    save_figure,
)
from hopfield_nav.figures.run.maps import draw_path_in_space, trajectory_handles
from hopfield_nav.figures.solid import SceneView, Solids, add_ends, add_line
from hopfield_nav.navigation import ToolNavigator
from hopfield_nav.record import Run

FIGURES = Path(__file__).resolve().parents[2] / "docs" / "figures"
WALL = (
    "obstacles=[{polyline: {points: [[0.33, -0.20], [0.45, -0.05], [0.40, 0.10]], radius: 0.012}}]"
)
BEND = ["empty", WALL, "goal={cell: [17, 6]}"]
CLEAR = ["planner.any_angle=true", "planner.clearance=0.01"]
# [m]
TRAP, AROUND, WHOLE = (
    (0.15, 0.64, -0.19, 0.17),
    (0.15, 0.64, -0.26, 0.13),
    (0.14, 0.66, -0.26, 0.27),
)
NORMAL = 0.018  # [m] drawn length
CYLINDER = {"fc": COLOURS.obstacle, "ec": COLOURS.excluded, "lw": 0.3}
CASING = withStroke(linewidth=2.8, foreground="white")
SLIDE: dict[str, Any] = {"color": COLOURS.felt, "lw": 1.6, "path_effects": [CASING]}


def main() -> None:
    normal = Line2D([], [], color=COLOURS.felt, lw=0.8, label="believed normal")
    following, sliding = (
        {name: [f"explore={name}"] for name in ("replan", other)} for other in ("follow", "slide")
    )
    draw("following", BEND, following, AROUND, 7.8, [normal])
    draw("sliding", ["u_trap"], sliding, TRAP, 7.35, [slide_handle()])
    shown = {"along the grid": [], "any angle, 10 mm clear": CLEAR}
    draw("any_angle", ["ragazzon2012"], shown, WHOLE, 8.6, [])
    draw_in_space("sliding_in_space", "shelf", sliding)


def draw(
    name: str, world: Sequence[str], panels: Mapping[str, Sequence[str]], shown: Sequence[float], high: float,
    handles: Sequence[Line2D],
) -> None:  # fmt: skip
    """Runs in one world of the plane, side by side."""
    with paper_style():
        figure = new_figure(PAGE, high * CENTIMETRE)
        for ax, (title, change) in zip(
            figure.subplots(1, 2, sharey=True), panels.items(), strict=True
        ):
            draw_run(ax, title, load_world(world[0], [*world[1:], *change, "record.every=5"]))
            ax.set(xlim=shown[:2], ylim=shown[2:], aspect="equal", xlabel="x (m)")
        figure.axes[0].set_ylabel("y (m)")
        path = Line2D([], [], color=COLOURS.travelled, label="path of the tool")
        touch = Line2D([], [], color=COLOURS.felt, marker="o", ms=3, ls="", label="touch")
        cylinder = Patch(**CYLINDER, label="cylinders")
        start = Line2D(
            [],
            [],
            color=COLOURS.start,
            marker="o",
            ms=5,
            mec="white",
            mew=0.4,
            ls="",
            label="start",
        )
        goal = Line2D(
            [], [], color=COLOURS.goal, marker="D", ms=4, mec="white", mew=0.4, ls="", label="goal"
        )
        save_figure(
            add_legend(figure, [path, touch, *handles, cylinder, start, goal], 7), FIGURES, name
        )


def draw_run(ax: Axes, title: str, world) -> None:
    """The tool's path among the obstacles, where they were felt and slid along, and the normals believed in."""
    simulation = Simulation(world)
    run, navigator = simulation.run(), simulation.navigator
    for x, y, radius in endless_cylinders(run.world):
        ax.add_patch(Circle((x, y), radius, **CYLINDER))
    ax.plot(*run.data.tool_position.values[:, :2].T, color=COLOURS.travelled, lw=0.9)
    each_slide(run, lambda path: ax.plot(*path[:, :2].T, **SLIDE))
    ax.plot(*run.data.event_position.values[:, :2].T, "o", color=COLOURS.felt, ms=2.5)
    if isinstance(navigator, ToolNavigator) and isinstance(navigator.response, Follow):
        for surface in navigator.response.felt_surfaces:
            ends = np.stack([surface.points[-1], surface.points[-1] + NORMAL * surface.normal])
            ax.plot(ends[:, 0], ends[:, 1], color=COLOURS.felt, lw=0.7)
    add_ends(ax, run, 5)
    ax.set_title(counted(title, run))


def draw_in_space(name: str, world: str, panels: Mapping[str, Sequence[str]]) -> None:
    """Runs in one world of space, side by side."""
    with paper_style():
        figure = new_figure(PAGE, 8.6 * CENTIMETRE)
        for ax, (title, change) in zip(figure.subplots(1, 2), panels.items(), strict=True):
            run = Simulation(load_world(world, [*change, "record.every=5"])).run()
            scene = SceneView(run)
            draw_path_in_space(ax, run, scene)
            *_, solids = (one for one in ax.artists if isinstance(one, Solids))
            each_slide(run, lambda path, solids=solids, scene=scene: add_line(
                solids, scene, path, **SLIDE, zorder=3.6))  # fmt: skip
            ax.set_title(counted(title, run))
        handles = [*trajectory_handles(run, seen_from_above=False), slide_handle()]
        save_figure(add_legend(figure, handles, 7), FIGURES, name)


def slide_handle() -> Line2D:
    """Of the legend."""
    return Line2D([], [], **SLIDE, label="slide")


def each_slide(run: Run, draw_path: Callable[[np.ndarray], object]) -> None:
    """Draw the tool's path of every slide."""
    time, tool = run.data.time.values, run.data.tool_position.values
    for begin, end in run.slides:
        draw_path(tool[(time >= begin) & (time <= end)])


def counted(title: str, run: Run) -> str:
    """Touches and time of a run behind what it is called."""
    count, time = run.summary["collision_count"], run.summary["simulated_time_s"]
    return f"{title}: {count} touch{'es' * (count != 1)}, {time:.1f} s"


if __name__ == "__main__":
    main()
