"""Settings with which a loop is unstable: refused or warned of before a run, blamed after an explosion."""

from __future__ import annotations

from typing import Any

import numpy as np

from hopfield_nav.loop import Plant, check_step, omega_warning
from hopfield_nav.plugin import Limits, answering
from hopfield_nav.world import World, build_settings, find_methods


def refuse_large_steps(world: World, plant: Plant, loop: Any, start: np.ndarray) -> None:
    """Refuse a step that joint damping, contact or the damping of its law would make explode.

    Args:
        world: whose plant, contact and controller.
        plant: of this world.
        loop: what advances the state; the one with elastic joints says what its sub-steps move.
        start: (n,) joint angles [rad].

    Raises:
        BadInput: the step is too large.
    """
    gain = np.zeros(len(start)) + np.asarray(_limits_of_law(world).damping, dtype=np.float64)
    held_for = world.controller.period if world.controller.hold else 0.0
    stages = build_settings(world, None).stages
    checked = loop.checked(plant, start, stages) if world.plant.engine == "flexible" else plant
    check_step(checked, start, world.plant.step, stages, gain, held_for)


def find_warnings(world: World, joints: int) -> list[str]:
    """Sentences on settings of a world that cannot go well, for an arm with so many joints."""
    control, frequency = world.controller, _limits_of_law(world).frequency
    if not control.hold or frequency is None:
        return []
    omega = np.zeros(joints) + np.asarray(frequency, dtype=np.float64)
    warning = omega_warning(omega, control.period, round(control.delay / control.period))
    return [warning] if warning else []


def why_diverged(world: World, joint: int, time: float, touching: bool) -> str:
    """A sentence on an explosion: where, when, the likely cause, and what to change.

    Args:
        world: that was simulated.
        joint: that exploded, counted from 0.
        time: of the explosion [s].
        touching: whether the arm was in contact just before.
    """
    step = world.plant.step
    if touching:
        cause = "a stiff contact; try a smaller plant.step or contact.stiffness"
    elif world.controller.hold and _limits_of_law(world).frequency is not None:
        cause = "a controller too fast for its period and delay; try a smaller controller.omega or period"
    else:
        cause = "a step too large; try a smaller plant.step"
    return f"joint {joint + 1} exploded at {time:.4f} s (step {step:g} s), likely because of {cause}"


def _limits_of_law(world: World) -> Limits:
    law = find_methods(world).law
    with answering(law, "limits"):
        return law.limits(world.controller.parameters)
