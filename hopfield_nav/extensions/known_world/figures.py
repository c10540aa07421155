"""The figure of a plan: the arm on its best path in the cell, and joint angles and clearance along it."""

import hopfield_nav.figures  # isort: skip  # noqa: F401  (first: Matplotlib without the settings of the user)

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from dynamics import Arm, forward_kinematics
from hopfield_nav.build import solids_of
from hopfield_nav.extensions.clearance import Scene, build_scene, clearance
from hopfield_nav.extensions.known_world.planned import KnownPlan
from hopfield_nav.extensions.known_world.task import SAMPLING, PlannedPath
from hopfield_nav.figures import (
    CENTIMETRE,
    COLOURS,
    COLUMN,
    envelope,
    paper_style,
    save_figure,
    settings_note,
    solid,
)
from hopfield_nav.world import Solid, World, changed_settings

MOST_PATHS, POSES = 5, 6  # that are drawn, and of the arm on the best of them
_GHOST = 0.26  # opacity of the arm between start and goal
# [rad] of a joint between two drawn rows, and between two that choose the view
_TURN, _COARSE = (0.02, 0.1)
_OVER = 6.0  # above the solids, with which lines would otherwise have to be sorted
_STYLES: tuple[dict[str, Any], ...] = (
    {"lw": 1.8}, {"lw": 1.0, "ls": (0, (5, 1.5))}, {"lw": 1.0, "ls": (0, (2.5, 1.2))},
    {"lw": 1.0, "ls": (0, (5, 1.2, 1, 1.2))}, {"lw": 1.0, "ls": (0, (1, 1))},
)  # fmt: skip


def draw_plan_figures(
    arm: Arm, scene: Scene, world: World, plan: KnownPlan, folder: str | Path, pdf: bool = False
) -> list[Path]:
    """Draw the figure of a plan, ``shortest_path``, ``direct_path`` or ``sampled_path``; its files.

    An older one is replaced; without a path there is none. The scene is that of the arm among the
    world's known solids.

    Raises ``OSError``: a file cannot be written.
    """
    if plan.path is None:
        return []
    name = {SAMPLING: "sampled"}.get(plan.path.kind, plan.path.kind) + "_path"
    with paper_style():
        page = plan_page(arm, scene, solids_of(world.known), plan.paths)
        return save_figure(
            page, Path(folder), name, pdf, settings_note(world.name, changed_settings(world))
        )


def plan_page(
    arm: Arm, scene: Scene, solids: Sequence[Solid], paths: Sequence[PlannedPath]
) -> Figure:
    """The tool along the best paths, of which the first is the best, and the arm on that.

    Angles and clearance. ``solids`` are those of the scene, as a world file has them.
    """
    paths = paths[:MOST_PATHS]
    view = solid.CellView(
        arm, solids, np.concatenate([fine_path(path.q, _COARSE) for path in paths])
    )
    left, right, low, high = view.limits()
    tall = min(COLUMN * (high - low) / (right - left), 9.0 * CENTIMETRE)
    figure = Figure((COLUMN, tall + 8.5 * CENTIMETRE), layout="constrained")
    space, angles, near = figure.subplots(
        3, 1, height_ratios=[tall, 2.7 * CENTIMETRE, 2.0 * CENTIMETRE]
    )
    _draw_space(space, view, paths)
    q = fine_path(paths[0].q)
    travel = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(q, axis=0)).sum(axis=1))])
    handles = [*_handles(view, paths), *_draw_angles(angles, travel, q)]
    _draw_clearance(near, travel, arm, scene, q)
    angles.tick_params(labelbottom=False)
    near.set_xlabel("path of the joints, summed (rad)")
    figure.align_ylabels([angles, near])
    figure.legend(handles=handles, loc="outside upper center", ncols=3, columnspacing=0.8)
    return figure


def fine_path(q: np.ndarray, step: float = _TURN) -> np.ndarray:
    """Rows (m, n) on the straight joint motions between the rows (k, n) of a path, these among them [rad].

    From row to row a joint changes by ``step`` [rad] at most.
    """
    pieces = np.maximum(
        1, np.ceil(np.abs(np.diff(q, axis=0)).max(axis=1, initial=0.0) / step)
    ).astype(int)
    places = [*(k + np.arange(count) / count for k, count in enumerate(pieces)), [len(q) - 1.0]]
    return np.column_stack(
        [np.interp(np.concatenate(places), np.arange(len(q)), column) for column in q.T]
    )


def _draw_space(ax: Axes, view: solid.CellView, paths: Sequence[PlannedPath]) -> None:
    """The arm at start and goal and paler between them, and where the tool goes on every path."""
    solid.frame_cell(ax, view)
    q = fine_path(paths[0].q)
    rows = np.unique(np.linspace(0, len(q) - 1, POSES).astype(int))
    solids = solid.add_poses(
        ax, view, [solid.CellPose(q[k], 1.0 if k in rows[[0, -1]] else _GHOST) for k in rows]
    )
    for path, style in reversed(list(zip(paths, _STYLES, strict=False))):
        solid.SpaceLine(
            solids, _tool(view.arm, fine_path(path.q)), color=COLOURS.planned, zorder=_OVER, **style
        )
    corners = view.appear(_tool(view.arm, paths[0].q[paths[0].corners]))
    ax.plot(*corners[1:-1].T, **_via(4.5), zorder=_OVER + 0.5)
    solid.mark_start(ax, corners[0], 6.0).set_zorder(_OVER + 0.6)
    solid.mark_goal(ax, corners[-1], 6.0).set_zorder(_OVER + 0.6)


def _tool(arm: Arm, q: np.ndarray) -> np.ndarray:
    """(k, 3) of the tool at joint angles (k, n) [m]."""
    return forward_kinematics(arm, q)[..., :3, 3]


def _via(size: float) -> dict[str, Any]:
    return {
        "marker": "o",
        "ls": "",
        "mfc": "white",
        "mec": COLOURS.planned,
        "mew": 1.2,
        "markersize": size,
    }


def _handles(view: solid.CellView, paths: Sequence[PlannedPath]) -> list[Artist]:
    """Legend of the picture of the cell.

    Each path with the change of its joints, and the markers.
    """
    drawn = enumerate(zip(paths, _STYLES, strict=False), start=1)
    lines = [
        Line2D([], [], color=COLOURS.planned, **style, label=f"path {k}: {path.length:.2f} rad")
        for k, (path, style) in drawn
    ]
    how = {"mec": "white", "mew": 0.4, "ls": "", "markersize": 5}
    marks: list[Artist] = [
        Line2D([], [], marker="o", color=COLOURS.start, label="start", **how),
        Line2D([], [], marker="D", color=COLOURS.goal, label="goal", **how),
    ]
    if len(paths[0].corners) > 2:
        marks.append(
            Line2D([], [], **_via(4), label="milestone" if paths[0].kind == SAMPLING else "corner")
        )
    if view.solids:
        marks.append(
            Patch(color=solid.solid_colour(), lw=0, label=f"known (grid {100 * solid.GRID:.0f} cm)")
        )
    return [*lines, *marks]


def _draw_angles(ax: Axes, travel: np.ndarray, q: np.ndarray) -> list[Artist]:
    """Angles (k, n) of all joints over ``travel`` (k,) [rad]; their legend."""
    colours = colormaps["viridis"](np.linspace(0.0, 0.88, q.shape[1]))
    for values, colour in zip(q.T, colours, strict=True):
        ax.plot(*envelope(travel, values), color=colour)
    ax.margins(x=0.0)
    ax.set_ylabel("joint angle (rad)")
    return [
        Line2D([], [], color=colour, label=f"joint {k}")
        for k, colour in enumerate(colours, start=1)
    ]


def _draw_clearance(ax: Axes, travel: np.ndarray, arm: Arm, scene: Scene, q: np.ndarray) -> None:
    """How near the arm comes to the known solids and to itself along rows (k, n) [rad], and the margin that is kept."""
    for of, label, style in (
        (scene._replace(pairs=scene.pairs[:0]), "to known solids", {"color": COLOURS.excluded}),
        (build_scene(arm), "to itself", {"color": COLOURS.housing, "ls": (0, (5, 1.2, 1, 1.2))}),
    ):
        values = clearance(arm, of, q)
        if np.isfinite(values).all():
            ax.plot(*envelope(travel, 100 * values), label=label, **style)
    margin = float(scene.margin[0])
    if margin > 0:
        ax.axhline(
            100 * margin,
            color=COLOURS.goal,
            lw=0.8,
            ls=(0, (4, 2)),
            label=f"margin {100 * margin:.3g} cm",
        )
    ax.margins(x=0.0)
    ax.set_ylim(bottom=0.0)
    ax.set_ylabel("clearance (cm)")
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, borderaxespad=0.2)
