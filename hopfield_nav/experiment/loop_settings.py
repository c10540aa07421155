"""From a world to the timing and limits of the loop."""

import numpy as np

from hopfield_nav import loop as loops
from hopfield_nav.control import AlarmRule
from hopfield_nav.world import World

STAGES = {"rk4": loops.RK4, "semi_implicit_euler": loops.SEMI_IMPLICIT_EULER}


def build_settings(world: World, goal: np.ndarray | None) -> loops.Settings:
    """Timing and limits of the loop; ``goal`` is the tool position (3,) to arrive at, or None."""
    step, control = world.plant.step, world.controller
    tolerance = world.goal.tolerance if world.goal is not None else 0.0
    rule = world.detection
    return loops.Settings(
        step=step,
        stages=STAGES[world.plant.integrator],
        steps_per_period=round(control.period / step),
        delay=round(control.delay / control.period),
        hold=control.hold,
        goal=np.zeros(3) if goal is None else np.array(goal, dtype=np.float64),
        tolerance=0.0 if goal is None else tolerance,
        settling=control.settling,
        alarm=AlarmRule(rule.armed_below, rule.hold_off, rule.episodes, rule.lag or 0.0),
        log_every=world.record.every,
    )
