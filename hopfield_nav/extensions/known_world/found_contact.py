"""A planned motion in simulation that ends where a contact is felt (``plan.until_contact``)."""

import math
from dataclasses import dataclass, replace

import numpy as np

from dynamics import forward_kinematics
from hopfield_nav.experiment import Simulation
from hopfield_nav.extensions.known_world.until_contact import brake, contact_watch
from hopfield_nav.loop import Trajectory, evaluate, quintic_trajectory
from hopfield_nav.record import Run
from hopfield_nav.world import World


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
    """Run a world with ``plan.until_contact`` along a trajectory, and let the arm brake at the first alarm.

    The record, and where the contact was; None where nothing was felt on the way.

    Raises ``BadInput``: as ``follow``, or a detector of which a robot's controller knows nothing.
    """
    watch, simulation = contact_watch(world), Simulation(world, seed, trajectory)
    found: list[FoundContact] = []
    braking: list[Trajectory] = []

    def stop(_: object) -> None:
        if watch is None:
            return
        if braking:  # felt again
            return simulation.follow(braking[0])
        now, sensed = simulation.time, simulation.state.control.sensed.q.copy()
        q, qd, qdd = evaluate(simulation.trajectory, now)
        rest, duration = brake(q, qd, watch, world.controller.period)
        tool = forward_kinematics(simulation.arm, sensed)[:3, 3]
        found.append(FoundContact(now, tool, sensed, simulation.force_estimate, math.nan))
        braking.append(quintic_trajectory(np.vstack([q, rest]), duration, now, qd, qdd))
        simulation.follow(braking[0])

    simulation.on_touch = stop
    run = simulation.run()
    if not found:
        return run, None
    after = run.data.tool_position.values[run.data.time.values >= found[0].time]
    begin = forward_kinematics(simulation.arm, found[0].joints)[:3, 3]
    went_on = float(np.linalg.norm(after - begin, axis=1).max()) if len(after) else math.nan
    return run, replace(found[0], went_on=went_on)
