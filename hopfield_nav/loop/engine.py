"""What a run asks of its engine, which advances the state from event to event.

A world chooses it by ``plant.engine``.
"""

import numpy as np

from hopfield_nav.loop.largest_step import check_step
from hopfield_nav.loop.plant import Plant


class Engine:
    """An engine is called as the compiled loop is.

    What has an answer here is that of an arm with rigid joints. Its kernel as a ``Method`` is
    ``make(world, plant, start) -> Engine`` for a resolved world and joint angles (n,) [rad] at the
    start.
    """

    def __call__(self, plant, controller, trajectory, settings, state, log, last_step) -> int:
        """Advance until step ``last_step`` or the first event.

        Arguments and result are those of the compiled loop.
        """
        raise NotImplementedError

    def encoders(self, q: np.ndarray) -> np.ndarray:
        """What the encoders show (n,) where the links rest at ``q`` (n,) [rad].

        A reference begins there.
        """
        return q

    def check(
        self,
        plant: Plant,
        start: np.ndarray,
        step: float,
        stages: int,
        gain: np.ndarray,
        held_for: float,
    ) -> None:
        """Refuse a step that contact or a held damping would make explode.

        ``gain`` (n,) of the damping law [N·m·s/rad], ``held_for`` [s].

        Raises ``BadInput``: the step is too large; arguments as ``check_step``.
        """
        check_step(plant, start, step, stages, gain, held_for)
