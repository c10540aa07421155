"""Which parts a run of a world has: its navigator, its loop, and what comes between an alarm and a new path.

It owns these choices, and nothing else.
"""

from functools import partial
from typing import Any

import numpy as np

from dynamics import Arm
from dynamics.kernels.cached_dispatch import CachedDispatch
from hopfield_nav.control import Controller
from hopfield_nav.experiment.loop_parts import build_flexible_loop
from hopfield_nav.experiment.reaction_phase import ReactionPhase
from hopfield_nav.extensions.surfaces import SlideAlong, SlidePhase
from hopfield_nav.loop import Plant, Trajectory, compiled_loop
from hopfield_nav.navigation import Follower, MarkingNavigator, Navigator, OwnResponse, ToolNavigator
from hopfield_nav.world import World, is_code


def choose_navigator(world: World, arm: Arm, start: np.ndarray, followed: Trajectory | None, hidden: bool) -> Navigator:
    """What answers a touch; it follows a trajectory that is given in the place of a goal.

    Where friction hides the force with which the arm should slide (``hidden``), it follows the surface.
    """
    if followed is not None:
        return Follower(world, arm, followed)
    if world.map.space == "joints":
        from hopfield_nav.extensions.whole_arm import WholeArmNavigator  # loads SciPy's interpolation

        return WholeArmNavigator(world, arm, start)
    if world.detection.mark != "felt":
        return MarkingNavigator(world, arm, start)
    name = world.explore.method
    method = world.trust.find("response", "follow" if name == "slide" and hidden else name, world.folder)
    own = partial(OwnResponse, method, world.explore.parameters)
    return ToolNavigator(world, arm, start, own if is_code(name) else method.kernel)


def choose_loop(world: World, plant: Plant, start: np.ndarray) -> Any:
    """What advances the state: the compiled loop, the one around MuJoCo, or that with elastic joints."""
    if world.plant.engine == "internal":
        return CachedDispatch(compiled_loop)
    if world.plant.engine == "flexible":
        return build_flexible_loop(world, plant, start)
    from hopfield_nav.extensions.engines import MujocoLoop

    return MujocoLoop(plant, world.plant.step, world.plant.integrator)


def encoders_at(world: World, loop: Any, start: np.ndarray) -> np.ndarray:
    """What the encoders show (n,) where the links rest at ``start`` (n,) [rad]: a reference begins there."""
    return loop.encoders(start) if world.plant.engine == "flexible" else start


def make_phases(
    world: World, arm: Arm, controller: Controller, navigator: Navigator
) -> dict[bool, ReactionPhase | SlidePhase]:
    """What comes between an alarm and the new path: where the arm slides (True), and where not."""
    phases: dict[bool, ReactionPhase | SlidePhase] = {False: ReactionPhase(world, arm, controller)}
    if isinstance(navigator, ToolNavigator) and isinstance(navigator.response, SlideAlong):
        phases[True] = SlidePhase(world, arm, controller, navigator.response)
    return phases
