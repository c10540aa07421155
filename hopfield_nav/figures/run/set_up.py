"""A world before anything moves: the arm among the obstacles, and the map from above."""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from hopfield_nav.build import all_solids, build_arm
from hopfield_nav.figures import solid
from hopfield_nav.figures.run.maps import draw_collision_space, space_handles
from hopfield_nav.figures.sheets import new_figure, save_figure, settings_note
from hopfield_nav.figures.style import CENTIMETRE, PAGE, paper_style
from hopfield_nav.navigation import space_of
from hopfield_nav.record import Run
from hopfield_nav.world import changed_settings

_HIGH = 9 * CENTIMETRE  # [inch]


def draw_set_up(run: Run, folder: Path, name: str) -> Path:
    """Draw the set-up of a run's world to ``name.png`` in a folder that exists.

    Raises ``OSError``: it cannot be written.
    """
    note = settings_note(run.world.name, changed_settings(run.world))
    with paper_style():
        return save_figure(set_up_page(run), folder, name, note=note)[0]


def set_up_page(run: Run) -> Figure:
    """The arm at the start among all obstacles, known and unknown; beside it a flat map from above."""
    flat = space_of(run.world).of_places and not solid.in_space(run)
    figure = new_figure(PAGE, _HIGH)
    ax = figure.add_subplot(1, 2, 1) if flat else figure.add_subplot()
    q = np.array(run.world.start.joints)
    view = solid.CellView(build_arm(run.world), all_solids(run.world), _held(run, q))
    solid.add_poses(ax, view, [solid.CellPose(q)])
    solid.add_ends(ax, run, 5, view.appear)
    solid.frame_cell(ax, view)
    if flat:
        draw_collision_space(figure.add_subplot(1, 2, 2), run)
    handles = [h for h in space_handles(run) if h.get_label() != "excluded"]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles), borderaxespad=0.1)
    return figure


def _held(run: Run, q: np.ndarray) -> np.ndarray:
    """(k, n) configurations that the picture has to hold: the start, and the goal where it is one."""
    goal = run.world.goal
    return np.array([q] if goal is None or goal.joints is None else [q, goal.joints])
