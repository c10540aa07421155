"""A time between an alarm and a new path in which the reference does not lead: what its kinds share.

``reaction_phase`` brings the arm to rest, ``slide_phase`` slides along what was felt. ``simulation`` asks
either in the same words: what comes ``before`` the new path, when to look (``next_look``), whether it
``is_over``, and from where the arm goes on (``end``).
"""

from hopfield_nav.world import World


class Phase:
    """When a phase began, and when the arm is looked at: every ``look`` [s], or every control period."""

    def __init__(self, world: World, look: float) -> None:
        self._step, self._sample_time = world.plant.step, world.trajectory.sample_time
        self._steps_per_period = round(world.controller.period / world.plant.step)
        self._looks_at = self._steps(look)
        self._begun = 0

    def next_look(self, step: int) -> int:
        """The first step after ``step`` at which ``is_over`` looks at the arm."""
        return step + self._looks_at - (step - self._begun) % self._looks_at

    def _is_due(self, step: int) -> bool:
        """Whether ``is_over`` is to look at the arm at this step."""
        return step > self._begun and (step - self._begun) % self._looks_at == 0

    def _steps(self, seconds: float) -> int:
        """So many seconds in steps, whole control periods, at least one."""
        periods = max(1, round(seconds / (self._step * self._steps_per_period)))
        return periods * self._steps_per_period
