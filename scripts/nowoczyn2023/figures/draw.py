"""The figures of a plan in a known world (nowoczyn2023), ready for a paper."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from dynamics import Arm, NoClosedForm, forward_kinematics, inverse_kinematics
from hopfield_nav.build import names_of, solids_of
from hopfield_nav.extensions.clearance import Scene
from hopfield_nav.extensions.known_world.planned import KnownPlan
from hopfield_nav.extensions.known_world.task import SAMPLING
from hopfield_nav.figures import paper_style, save_figure
from hopfield_nav.world import Solid, World
from nowoczyn2023.figures.pages import direct_page, shortest_page
from nowoczyn2023.figures.solutions import solutions_page


def known_solids(world: World | Sequence[Solid]) -> list[Solid]:
    """The solids that a world declares as known; solids themselves are handed back."""
    return solids_of(world.known) if isinstance(world, World) else list(world)


def _known_names(world: World | Sequence[Solid]) -> list[str | None]:
    return names_of(world.known) if isinstance(world, World) else []


def draw_plan_figures(
    arm: Arm,
    scene: Scene,
    world: World | Sequence[Solid],
    plan: KnownPlan,
    folder: str | Path,
    pdf: bool = False,
) -> list[Path]:
    """Draw the figures of a plan: its path, and all configurations of its goal; the files.

    These are ``shortest_path``, ``direct_path`` or ``sampled_path``, and ``goal_solutions``; older
    ones are replaced, and without a path there are none. The scene is that of the arm among the
    world's known solids; these may be given in its place.

    Raises ``OSError``: a file cannot be written.
    """
    if plan.path is None:
        return []
    solids, path = known_solids(world), plan.path
    name = {SAMPLING: "sampled"}.get(path.kind, path.kind) + "_path"
    with paper_style():
        written = save_figure(_plan_page(arm, scene, solids, plan), Path(folder), name, pdf)
        goal = forward_kinematics(arm, path.q[-1])
        if _has_solutions(arm, goal):
            page = solutions_page(arm, scene, solids, goal, _known_names(world))
            written += save_figure(page, Path(folder), "goal_solutions", pdf)
    return written


def draw_solutions_figure(
    arm: Arm,
    scene: Scene,
    world: World | Sequence[Solid],
    pose: np.ndarray,
    folder: str | Path,
    pdf: bool = False,
) -> list[Path]:
    """Draw every configuration of one pose of the tool, ``solutions.png``; see ``solutions_page``."""
    with paper_style():
        figure = solutions_page(arm, scene, known_solids(world), pose, _known_names(world))
        return save_figure(figure, Path(folder), "solutions", pdf)


def _plan_page(arm: Arm, scene: Scene, solids: Sequence[Solid], plan: KnownPlan) -> Figure:
    if plan.paths[0].is_of_tool:
        return shortest_page(arm, scene, solids, plan.paths[0])
    return direct_page(arm, scene, solids, plan.paths)


def _has_solutions(arm: Arm, pose: np.ndarray) -> bool:
    try:
        return len(inverse_kinematics(arm, pose)) > 0
    except NoClosedForm:
        return False
