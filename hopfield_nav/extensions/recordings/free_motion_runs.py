"""A world's arm in free motion.

What its detector has to bear, and how much force it feels in the end.
"""

import math

import numpy as np

from dynamics import BadInput
from hopfield_nav.experiment import Simulation
from hopfield_nav.extensions.recordings.signals import Signals, signals_of_run
from hopfield_nav.loop import Trajectory
from hopfield_nav.navigation import space_of
from hopfield_nav.world import PushSection, World

RISE = 50.0  # [N/s] of the force that is to be felt
_TRIES = 50  # goals drawn for one motion
_SHORTEST = 0.5  # [s] of a motion that counts
_PUSH = 4.0  # [s] that a push lasts at most


def free_motion(world: World, seed: int, along: Trajectory | None = None) -> Signals:
    """What the control computer senses while nothing touches the arm.

    The arm moves as in the world, without its unknown obstacles and pushes, from its start to a
    goal that is drawn: a cell of the map, or joint angles within 1 rad of the start; or ``along`` a
    trajectory. Nothing is detected.

    Raises ``BadInput``: no goal was found to which the arm moves freely, the trajectory is not
    free, or what ``simulate`` refuses.
    """
    return signals_of_run(_moved(world, seed, along).record())


def felt_force(world: World, seed: int, along: Trajectory | None = None) -> tuple[float, bool]:
    """Force [N] on the end of the arm at which a push of random direction is felt in such a motion.

    It rises by 50 N each second from the middle of the motion on. Where it is not felt until the
    arm arrives, or for 4 s, the force is what it had become; whether it was felt is told too.

    Raises ``BadInput``: as ``free_motion``.
    """
    free = _moved(world, seed, along)
    direction = np.random.default_rng([seed, 2]).normal(size=3)
    direction /= np.linalg.norm(direction)
    begin = free.time / 2
    force = ((0.0, 0.0, 0.0), tuple((RISE * _PUSH * direction).tolist()))
    push = PushSection(link=len(world.start.joints), times=(begin, begin + _PUSH), force=force)
    pushed = free.world.with_changes(pushes=(push,), detection=world.detection)
    simulation = Simulation(pushed, seed, along)
    while simulation.outcome is None and simulation.time < begin + _PUSH:
        simulation.step(0.02)
        felt = [found.time for found in simulation.detections if found.time > begin]
        if felt:
            return RISE * (felt[0] - begin), True
    return RISE * min(max(simulation.time - begin, 0.0), _PUSH), False


def _moved(world: World, seed: int, along: Trajectory | None) -> Simulation:
    """A free motion that is over.

    Without unknown obstacles and pushes, nothing is detected and all is recorded.
    """
    deaf = world.detection.model_copy(update={"hold_off": math.inf})
    record = world.record.model_copy(update={"every": 1, "signals": "all"})
    empty = world.with_changes(obstacles=(), pushes=(), detection=deaf, record=record)
    generator = np.random.default_rng([seed, 1])
    for _ in range(_TRIES if along is None else 1):
        goal = world.goal if along is not None else space_of(world).random_goal(world, generator)
        simulation = Simulation(empty.with_changes(goal=goal), seed, along)
        outcome = simulation.run().outcome
        if outcome == "diverged":
            raise BadInput("free motion diverges", where=world.name, found=simulation.reason)
        touched = simulation.state.statistics.last_contact_time >= 0.0
        if outcome in ("reached", "time_limit") and simulation.time >= _SHORTEST and not touched:
            return simulation
    if along is not None:
        raise BadInput(
            "a motion that is not free", where="--motion", found=f"{outcome}, touched: {touched}"
        )
    raise BadInput(
        "no goal is reached in free motion", where=world.name, found=f"{_TRIES} goals drawn"
    )
