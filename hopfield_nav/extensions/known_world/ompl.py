"""OMPL and what it asks us: whether a configuration is free, and whether a whole motion is.

OMPL brings neither kinematics nor collision checks. Both callbacks go from its C++ to Python and on to the compiled
checks. A motion is answered by a proof (``proof.passes``), so no step size is chosen.
"""

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from dynamics import Arm, LibraryMissing
from dynamics.work import make_work
from hopfield_nav.clearance import AXES_WIDTH, Scene, passes


class Checks:
    """Answers about one scene."""

    def __init__(self, arm: Arm, scene: Scene) -> None:
        n = len(arm.dh)
        self.arm, self.scene, self.n = arm, scene, n
        self._ends = np.empty(n), np.empty(n)
        self._scratch = make_work(n), np.empty((len(scene.bodies), AXES_WIDTH)), np.empty(n), np.empty(n)

    def position(self, state: Any) -> bool:
        """Whether a state of OMPL is free."""
        return self.motion(state, state)

    def motion(self, first: Any, second: Any) -> bool:
        """Whether the straight motion from one state of OMPL to another is proven free."""
        start, end = self._ends
        start[:] = first[0 : self.n]
        end[:] = second[0 : self.n]
        return bool(passes(self.arm, self.scene, start, end, *self._scratch))


def load_ompl() -> Any:
    """The package OMPL.

    Raises ``LibraryMissing``: it is not installed.
    """
    try:
        import ompl.base
        import ompl.geometric
        import ompl.util
    except ImportError:
        allowed = "pip install 'hopfield-nav[ompl]'"
        raise LibraryMissing("planning by sampling needs OMPL", allowed=allowed) from None
    return ompl


@contextmanager
def quiet(ompl: Any) -> Iterator[None]:
    """OMPL without its messages; afterwards it prints what it did before."""
    level = ompl.util.getLogLevel()
    ompl.util.setLogLevel(ompl.util.LOG_NONE)
    try:
        yield
    finally:
        ompl.util.setLogLevel(level)


def joint_space(ompl: Any, limits: np.ndarray, checks: Checks) -> Any:
    """OMPL's description of the joints within limits (n, 2) [rad], with our checks."""
    n = len(limits)
    bounds = ompl.base.RealVectorBounds(n)
    for i, (low, high) in enumerate(limits):
        bounds.setLow(i, float(low))
        bounds.setHigh(i, float(high))
    space = ompl.base.RealVectorStateSpace(n)
    space.setBounds(bounds)
    information = ompl.base.SpaceInformation(space)
    information.setStateValidityChecker(checks.position)
    information.setMotionValidator(_validator_class(ompl)(information, checks))
    information.setup()
    return information


@functools.cache
def _validator_class(ompl: Any) -> Any:
    """Made once; an instance holds nothing of OMPL, or it would never be freed."""

    class Proof(ompl.base.MotionValidator):
        def __init__(self, information: Any, checks: Checks) -> None:
            super().__init__(information)
            self.checks = checks

        def checkMotion(self, first: Any, second: Any) -> bool:
            return self.checks.motion(first, second)

    return Proof
