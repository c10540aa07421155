"""The tool's way along an obstacle: replanning beside following, and beside sliding."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Circle

from hopfield_nav import load_world
from hopfield_nav.experiment import Simulation
from hopfield_nav.figures import CENTIMETRE, COLOURS, PAGE, add_legend, new_figure, paper_style, save_figure
from hopfield_nav.figures.run.maps import trajectory_handles
from hopfield_nav.figures.run.space import add_line, draw_path_in_space
from hopfield_nav.figures.solid import SceneView
from hopfield_nav.navigation import Follow, ToolNavigator
from hopfield_nav.record import Run
from hopfield_nav.world import endless_cylinders

WALL = "obstacles=[{polyline: {points: [[0.33, -0.20], [0.45, -0.05], [0.40, 0.10]], radius: 0.012}}]"
_NORMAL = 0.018  # [m] drawn length
_SHOWN = (0.19, 0.64, -0.26, 0.13)  # [m] x and y of the panels


def draw(path: Path) -> list[Path]:
    """Both runs in one world, side by side; returns the files."""
    with paper_style():
        figure = new_figure(PAGE, 8.6 * CENTIMETRE)
        for ax, explore in zip(figure.subplots(1, 2, sharey=True), ("replan", "follow"), strict=True):
            _draw_run(ax, explore)
        figure.axes[0].set_ylabel("y (m)")
        handles = [
            Line2D([], [], color=COLOURS.travelled, label="the tool's way"),
            Line2D([], [], color=COLOURS.felt, marker="o", ms=3, ls="", label="felt"),
            Line2D([], [], color=COLOURS.felt, lw=0.8, label="believed normal"),
            Line2D([], [], color=COLOURS.goal, marker="*", ms=6, ls="", label="goal"),
        ]
        return save_figure(add_legend(figure, handles, 4), path.parent, path.stem)


def draw_slides(path: Path) -> list[Path]:
    """Out of the pocket of ``u_trap``, with replanning and sliding; returns the files."""
    with paper_style():
        figure = new_figure(PAGE, 8.2 * CENTIMETRE)
        for ax, explore in zip(figure.subplots(1, 2, sharey=True), ("replan", "slide"), strict=True):
            run = Simulation(load_world("u_trap", [f"explore={explore}", "record.every=5"])).run()
            for x, y, radius in endless_cylinders(run.world):
                ax.add_patch(Circle((x, y), radius, color=COLOURS.obstacle, lw=0))
            time, tool = run.data.time.values, run.data.tool_position.values[:, :2]
            ax.plot(*tool.T, color=COLOURS.travelled, lw=0.9)
            for begin, end in run.slides:
                ax.plot(*tool[(time >= begin) & (time <= end)].T, color=COLOURS.felt, lw=1.4)
            ax.plot(*run.data.event_position.values[:, :2].T, "o", color=COLOURS.felt, ms=3)
            ax.plot(*run.world.goal.position[:2], "*", color=COLOURS.goal, ms=6)
            ax.set_title(_counted(explore, run))
            ax.set(xlim=(0.15, 0.64), ylim=(-0.19, 0.17), aspect="equal", xlabel="x (m)")
        figure.axes[0].set_ylabel("y (m)")
        handles = [
            Line2D([], [], color=COLOURS.travelled, label="the tool's way"),
            Line2D([], [], color=COLOURS.felt, marker="o", ms=3, ls="", label="touch"),
            Line2D([], [], color=COLOURS.felt, lw=1.4, label="slides"),
            Line2D([], [], color=COLOURS.goal, marker="*", ms=6, ls="", label="goal"),
        ]
        return save_figure(add_legend(figure, handles, 4), path.parent, path.stem)


def draw_slides_in_space(path: Path) -> list[Path]:
    """Into the bundled ``shelf``, with replanning and sliding; returns the files."""
    with paper_style():
        figure = new_figure(PAGE, 8.6 * CENTIMETRE)
        for ax, explore in zip(figure.subplots(1, 2), ("replan", "slide"), strict=True):
            run = Simulation(load_world("shelf", [f"explore={explore}", "record.every=5"])).run()
            scene = SceneView(run)
            draw_path_in_space(ax, run, scene)
            time, tool = run.data.time.values, run.data.tool_position.values
            for begin, end in run.slides:
                slid = tool[(time >= begin) & (time <= end)]
                add_line(ax, scene, slid, color=COLOURS.true, lw=1.4, zorder=3.6)
            ax.set_title(_counted(explore, run))
        slides = Line2D([], [], color=COLOURS.true, lw=1.4, label="slides")
        handles = [*trajectory_handles(run, seen_from_above=False), slides]
        return save_figure(add_legend(figure, handles, 7), path.parent, path.stem)


def _counted(explore: str, run: Run) -> str:
    count, time = run.summary["collision_count"], run.summary["simulated_time_s"]
    return f"{explore}: {count} touch{'es' * (count != 1)}, {time:.1f} s"


def _draw_run(ax: Axes, explore: str) -> None:
    world = load_world("empty", [WALL, "goal={cell: [17, 6]}", f"explore={explore}", "record.every=5"])
    simulation = Simulation(world)
    run, navigator = simulation.run(), simulation.navigator
    for x, y, radius in endless_cylinders(run.world):
        ax.add_patch(Circle((x, y), radius, color=COLOURS.obstacle, lw=0))
    ax.plot(*run.data.tool_position.values[:, :2].T, color=COLOURS.travelled, lw=0.9)
    felt = np.array([found.position for found in simulation.detections]).reshape(-1, 3)
    ax.plot(felt[:, 0], felt[:, 1], "o", color=COLOURS.felt, ms=2.2)
    if isinstance(navigator, ToolNavigator) and isinstance(navigator.response, Follow):
        for surface in navigator.response.felt_surfaces:
            ends = np.stack([surface.points[-1], surface.points[-1] + _NORMAL * surface.normal])
            ax.plot(ends[:, 0], ends[:, 1], color=COLOURS.felt, lw=0.7)
    if simulation.navigator.goal is not None:
        ax.plot(*simulation.navigator.goal[:2], "*", color=COLOURS.goal, ms=6)
    ax.set_title(_counted(explore, run))
    ax.set(xlim=_SHOWN[:2], ylim=_SHOWN[2:], aspect="equal", xlabel="x (m)")
