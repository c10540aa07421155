"""A controller to compare with: straight to the goal, by the arm's model and what is observed."""

import numpy as np

from dynamics import Arm, inverse_dynamics, jacobian

_APPROACH = 3.0  # [1/s] share of the way that is left which is taken a second
_FASTEST = 0.25  # [m/s] of the tool
_FOLLOW = 25.0  # [1/s] with which joints take on the speed that is wanted
_DAMPING = 0.02  # [m] of the pseudoinverse


class Baseline:
    """Computed torque along the straight line from the tool to the goal, for the environment's arm.

    It knows the arm's model, feels nothing and avoids nothing: where an obstacle stands it presses on.
    """

    def __init__(self, arm: Arm) -> None:
        self._arm, self._n = arm, len(arm.dh)

    def act(self, observation: np.ndarray) -> np.ndarray:
        """The action (n,) for an observation of ``ReachEnv``."""
        n = self._n
        q, qd, way = observation[:n], observation[n : 2 * n], observation[3 * n :]
        speed = _APPROACH * way
        fastest = float(np.linalg.norm(speed))
        if fastest > _FASTEST:
            speed = speed * (_FASTEST / fastest)
        J = jacobian(self._arm, q)[:3]
        wanted = J.T @ np.linalg.solve(J @ J.T + _DAMPING**2 * np.eye(3), speed)
        torque = inverse_dynamics(self._arm, q, qd, _FOLLOW * (wanted - qd))
        return np.clip(torque / self._arm.torque_limits, -1.0, 1.0)
