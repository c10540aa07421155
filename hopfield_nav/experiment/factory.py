"""Which parts a run of a world has: its navigator, its engine, and what comes between an alarm and a new path.

It owns these choices, and nothing else.
"""

from typing import Any, Protocol

import numpy as np

from dynamics import Arm
from hopfield_nav.control import Controller, ControlState
from hopfield_nav.experiment.reaction_phase import Phase, ReactionPhase
from hopfield_nav.loop import Engine, Plant, Trajectory
from hopfield_nav.navigation import Follower, Navigator, PlannedMotion, ToolNavigator, space_of
from hopfield_nav.plugin import provided
from hopfield_nav.world import World


def choose_navigator(world: World, arm: Arm, start: np.ndarray, followed: Trajectory | None, hidden: bool) -> Navigator:
    """What answers a touch; it follows a trajectory that is given in the place of a goal.

    Where friction hides the force with which the arm should slide (``hidden``), it follows the surface.
    """
    if followed is not None:
        return Follower(world, arm, followed)
    return space_of(world).navigator(world, arm, start, hidden)


def choose_engine(world: World, plant: Plant, start: np.ndarray) -> Engine:
    """What advances the state: the compiled loop, or the engine that ``plant.engine`` names.

    Raises ``BadInput``: its extension is not there, or as the engine.
    """
    method = world.trust.find("engine", world.plant.engine, world.folder)
    engine: Engine = method.kernel(world, plant, start)
    return engine


class Learner(Protocol):
    """What learns the arm on the way (``controller.learn``)."""

    gathering: Any  # for the state of the control computer, as ``control.begin_gathering`` gives it

    def wiggle(self, motion: PlannedMotion) -> tuple[PlannedMotion, Trajectory | None]:
        """The first motion begun later, and the trajectory with what comes before it."""

    def next_look(self, step: int) -> int:
        """The first step after ``step`` at which to look."""

    def look(self, step: int, touched: bool) -> None:
        """Learn from what was gathered, where a look is due at this step; ``touched``: something was felt."""

    def summary(self) -> dict[str, Any]:
        """What was learnt, for the summary."""


def make_learner(
    world: World, arm: Arm, controller: Controller, computer: ControlState, wiggles: bool
) -> Learner | None:
    """What learns, if the world wants it; without ``wiggles`` the arm makes no motion of its own for it.

    Raises ``BadInput``: its extension is not there.
    """
    section = world.controller.learn
    if section is False:
        return None
    learner: Learner = provided("controller.learn")(world, section, arm, controller, computer, wiggles=wiggles)
    return learner


def make_phases(world: World, arm: Arm, controller: Controller, navigator: Navigator) -> dict[bool, Phase]:
    """What comes between an alarm and the new path: where the arm slides (True), and where not."""
    phases: dict[bool, Phase] = {False: ReactionPhase(world, arm, controller)}
    slide = navigator.response.slide_phase(world, arm, controller) if isinstance(navigator, ToolNavigator) else None
    if slide is not None:
        phases[True] = slide
    return phases
