"""A world, or a given trajectory, run to its end in one call."""

import math
from dataclasses import dataclass, replace

import numpy as np

from dynamics import forward_kinematics
from hopfield_nav.experiment.simulation import Progress, Simulation
from hopfield_nav.known_world import brake, contact_watch
from hopfield_nav.loop import Trajectory, evaluate, quintic_trajectory
from hopfield_nav.record import Run
from hopfield_nav.world import World


def follow(
    world: World, trajectory: Trajectory, seed: int | None = None, progress: Progress | None = None
) -> Run:
    """Run a world along a given trajectory instead of in search of its goal.

    Args:
        world: from ``load_world``; its start and goal are not used.
        trajectory: of the joints, beginning at time 0; the arm starts on it, with its velocity.
        seed: of every random number; default the world's own.
        progress: as for ``simulate``.

    Returns:
        The record; its outcome is ``reached`` at the end of the trajectory, or ``time_limit``, or
        ``diverged``. What is detected on the way is recorded, and the arm does not react to it.

    Raises:
        BadInput: the trajectory does not fit the arm, or as ``simulate``.
    """
    return Simulation(world, seed, trajectory).run(progress)


@dataclass(frozen=True)
class FoundContact:
    """Where a motion met something."""

    time: float  # of the alarm [s]
    tool: np.ndarray  # (3,) tool point then, base axes [m]
    joints: np.ndarray  # (n,) their angles then, as measured [rad]
    force: np.ndarray  # (3,) on the tool, as believed then, base axes [N]
    went_on: float  # how far the tool got from there until the run's end [m]


def follow_until_contact(
    world: World, trajectory: Trajectory, seed: int | None = None
) -> tuple[Run, FoundContact | None]:
    """Run a world along a trajectory, and let the arm brake at the first alarm.

    Args:
        world: with ``plan.until_contact``.
        trajectory: as for ``follow``.
        seed: of every random number; default the world's own.

    Returns:
        The record, and where the contact was; None where nothing was felt on the way.

    Raises:
        BadInput: as ``follow``, or a detector of which a robot's controller knows nothing.
    """
    watch, simulation = contact_watch(world), Simulation(world, seed, trajectory)
    found: list[FoundContact] = []

    def stop(_: object) -> None:
        if watch is None or found:
            return
        now, sensed = simulation.time, simulation.state.control.sensed.q.copy()
        q, qd, qdd = evaluate(simulation.trajectory, now)
        rest, duration = brake(q, qd, watch, world.controller.period)
        tool = forward_kinematics(simulation.arm, sensed)[:3, 3]
        found.append(FoundContact(now, tool, sensed, simulation.force_estimate, math.nan))
        simulation.follow(quintic_trajectory(np.vstack([q, rest]), duration, now, qd, qdd))

    simulation.on_touch = stop
    run = simulation.run()
    if not found:
        return run, None
    after = run.data.tool_position.values[run.data.time.values >= found[0].time]
    begin = forward_kinematics(simulation.arm, found[0].joints)[:3, 3]
    went_on = float(np.linalg.norm(after - begin, axis=1).max()) if len(after) else math.nan
    return run, replace(found[0], went_on=went_on)


def simulate(
    world: World, seed: int | None = None, progress: Progress | None = None, felt: Run | None = None
) -> Run:
    """Run a world to its end.

    Args:
        world: from ``load_world``.
        seed: of every random number; default the world's own.
        progress: called now and then with the simulated time [s] and the number of collisions.
        felt: an earlier run, whose map is taken up.

    Returns:
        The record: ``run.outcome``, ``run.summary``, ``run.data``, ``run.save(folder)``.

    Raises:
        BadInput: as ``Simulation``.

    Source: ragazzon2012 chapter 7.
    """
    return Simulation(world, seed, felt=felt).run(progress)
