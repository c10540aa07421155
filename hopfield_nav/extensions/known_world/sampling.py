"""Sampling: OMPL looks for a path where neither the straight line nor a direct motion is free.

OMPL (Sucan, Moll, Kavraki 2012) draws random configurations and joins them to trees; we answer its
questions. The joints are real numbers within their limits: another whole turn is another place. The
goal is every free configuration of the station on every turn. A path is looked for near the start
first: there it is found sooner, and is shorter.

OMPL brings neither kinematics nor collision checks. Both callbacks go from its C++ to Python and on
to the compiled checks. A motion is answered by a proof (``proof.passes``), so no step size is
chosen.
"""

import functools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from dynamics import Arm, BadInput, needs_library
from dynamics.work import make_work
from hopfield_nav.extensions.clearance import AXES_WIDTH, Scene, motion_is_free, passes
from hopfield_nav.extensions.known_world.task import (
    SAMPLING,
    PlannedPath,
    free_positions,
    path_length,
    plan_places,
)

_LARGEST_SEED = 2**32 - 2
# [rad] from the start: three quarters of a turn, so that a goal is near on both ways round
_NEAR = 1.5 * np.pi
# [rad] by which a tree grows at most; of OMPL's own, a fifth of the space, most are blocked
_STEP = 1.0


class SamplingPlan(NamedTuple):
    """What ``plan_sampling`` found."""

    # the joints go straight from row to row, every motion proven; None where ``reason`` says why
    path: PlannedPath | None
    reason: str  # "" where there is a path


def plan_sampling(
    arm: Arm,
    scene: Scene,
    start: np.ndarray,
    stations: Sequence[np.ndarray],
    seed: int = 0,
    time_limit: float = 5.0,
    simplify: bool = True,
) -> SamplingPlan:
    """A free path through the stations that OMPL's RRTConnect finds, a leg after the other.

    The same seed gives the same path.

    The arm has limits at every joint, the scene is from ``build_scene``. ``start`` is (n,) joint
    angles, turns included [rad], or a (4, 4) pose that leaves them open. The stations, via points
    and goal, are each (n,) joint angles or a (4, 4) pose T_base_tool, for which the arm is of UR
    type. All may be reached on any whole turn within the limits; those nearest to the start are
    tried first.

    ``seed`` is that of OMPL's random numbers, 0 or more, ``time_limit`` that of a search [s], of
    which a leg has two at most: near its start, and within all limits. ``simplify``: let OMPL
    shorten and smooth the path. What is then not proven free is not taken.

    Raises ``BadInput``: OMPL is missing, or a malformed station, seed or limit; ``NoClosedForm``:
    poses, and an arm that is not of UR type.

    Source: the method is OMPL's; nowoczyn2023 4 asks for the comparison.
    """
    if not 0 <= seed <= _LARGEST_SEED:
        raise BadInput("wrong seed", found=seed, allowed=f"0 to {_LARGEST_SEED}")
    if not 0.0 < time_limit < np.inf:
        raise BadInput("time_limit must be positive", found=time_limit)
    ompl = load_ompl()
    checks = Checks(arm, scene)
    places = plan_places(arm, start, stations)
    layers, _, reasons = zip(
        *(free_positions(arm, scene, places, i) for i in range(len(places))), strict=True
    )
    reason = next(filter(None, reasons), "")
    legs: list[np.ndarray] = []
    with quiet(ompl):
        ompl.util.RNG.setSeed(int(seed) + 1)  # OMPL refuses 0; what draws from here on is made anew
        for i in range(1, 1 if reason else len(layers)):
            starts = legs[-1][-1:] if legs else layers[0]
            for limits in _regions(arm.position_limits, starts, layers[i]):
                leg = _leg(ompl, checks, starts, layers[i], limits, float(time_limit), simplify)
                if len(leg):
                    legs.append(leg)
                    break
            else:
                end = "the goal" if i == len(layers) - 1 else f"via point {i}"
                reason = f"RRTConnect found no path to {end} within {time_limit:g} s"
                break
    if reason:
        return SamplingPlan(None, reason)
    q = np.concatenate(legs)
    # no row repeats the one before
    q = q[np.concatenate([[True], np.any(np.diff(q, axis=0) != 0.0, axis=1)])]
    return SamplingPlan(PlannedPath(q, SAMPLING, np.arange(len(q)), path_length(q)), "")


def _leg(
    ompl: Any, checks: "Checks", starts: np.ndarray, goals: np.ndarray, limits: np.ndarray, time_limit: float,
    simplify: bool,
) -> np.ndarray:  # fmt: skip
    """A path (k, n) from one of several configurations to one of others, proven free.

    No rows where none is found.
    """
    starts, goals = (
        q[((limits[:, 0] <= q) & (q <= limits[:, 1])).all(axis=1)] for q in (starts, goals)
    )
    there = (goals[:, None] == starts).all(axis=2).any(axis=1)
    information = joint_space(ompl, limits, checks)
    setup = _search(ompl, information, starts, goals)
    if there.any():  # a start that is a goal needs no leg
        return goals[there][:1]
    setup.solve(time_limit)
    paths = [_rows(setup, checks.n)] if setup.haveExactSolutionPath() else []
    if paths and simplify:
        setup.simplifySolution()
        paths.insert(0, _rows(setup, checks.n))
    return next(
        (q for q in paths if motion_is_free(checks.arm, checks.scene, q[:-1], q[1:]).all()),
        goals[:0],
    )


def _search(ompl: Any, information: Any, starts: np.ndarray, goals: np.ndarray) -> Any:
    """OMPL's RRTConnect from several configurations (k, n) to several others, the nearest first."""

    def state(q: np.ndarray) -> Any:
        made = information.allocState()
        made[0 : len(q)] = q.tolist()
        return made

    setup = ompl.geometric.SimpleSetup(information)
    for q in starts:
        setup.addStartState(state(q))
    goal = ompl.base.GoalStates(information)
    for q in goals[_nearest_first(starts, goals)]:
        goal.addState(state(q))
    setup.setGoal(goal)
    search = ompl.geometric.RRTConnect(information)
    search.setRange(_STEP)
    setup.setPlanner(search)
    return setup


def _rows(setup: Any, n: int) -> np.ndarray:
    path = setup.getSolutionPath()
    return np.array([path.getState(i)[0:n] for i in range(path.getStateCount())])


def _regions(limits: np.ndarray, starts: np.ndarray, goals: np.ndarray) -> list[np.ndarray]:
    """Limits (n, 2) within which a leg is looked for in turn [rad]: near its start, then all."""
    endless = np.nonzero(~np.isfinite(limits).all(axis=1))[0]
    if len(endless):
        raise BadInput(
            "sampling needs limits for every joint", where=f"joint {int(endless[0]) + 1}"
        )
    start = starts[_nearest_first(goals, starts)[0]]
    near = np.clip(np.column_stack([start - _NEAR, start + _NEAR]), *limits.T[:, :, None])
    return [limits] if np.array_equal(near, limits) else [near, limits]


def _nearest_first(starts: np.ndarray, goals: np.ndarray) -> np.ndarray:
    """Order of the goals by the distance from the nearest start, the sum of all joints' changes."""
    return np.argsort(np.abs(goals[:, None] - starts).sum(axis=2).min(axis=1), kind="stable")


class Checks:
    """Answers about one scene."""

    def __init__(self, arm: Arm, scene: Scene) -> None:
        n = len(arm.dh)
        self.arm, self.scene, self.n = arm, scene, n
        self._ends = np.empty(n), np.empty(n)
        self._scratch = (
            make_work(n),
            np.empty((len(scene.bodies), AXES_WIDTH)),
            np.empty(n),
            np.empty(n),
        )

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
    with needs_library("planning by sampling needs OMPL", "ompl"):
        import ompl.base
        import ompl.geometric
        import ompl.util
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
