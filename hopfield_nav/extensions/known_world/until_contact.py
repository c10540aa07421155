"""A motion that ends where a contact is felt.

How far the tool goes on, its simulation, and a program that watches. What counts as felt is the
world's detector: ``force_norm``, the force on the tool, or ``joint_torque``, the torque of each
joint. Both are what a UR arm's controller gives as well. At the alarm every joint brakes, the
fastest with ``plan.acceleration``.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dynamics import Arm, BadInput, forward_kinematics, jacobian
from hopfield_nav.loop import Trajectory, evaluate, quintic_trajectory, sample
from hopfield_nav.record import Run
from hopfield_nav.world import World

# [rad] a program goes on only where every joint is nearer than this to the start
START_TOLERANCE = 0.01
SETTLING = 0.5  # [s] for which the last target is repeated: servoj runs behind its targets
LATE = 2  # periods from the alarm to the first command that brakes
FORCE, TORQUE = "force_norm", "joint_torque"
_SAMPLES = 8  # a piece of the trajectory, at which speeds are asked


@dataclass(frozen=True)
class ContactWatch:
    """When a motion ends before its goal."""

    force: float | None  # on the tool [N]; None where torques are watched
    torques: tuple[float, ...]  # of each joint [N·m]; () where the force is watched
    distance: float  # that the tool may go on [m]
    deceleration: float  # of the fastest joint [rad/s²]


def contact_watch(world: World) -> ContactWatch | None:
    """What a world's ``plan.until_contact`` asks for; None where it asks for nothing.

    Raises ``BadInput``: a detector of which a robot's controller knows nothing.
    """
    distance, measure = world.plan.until_contact, world.detection.measure
    if distance is None:
        return None
    if measure not in (FORCE, TORQUE):
        what = "plan.until_contact is felt in another way on a robot"
        raise BadInput(what, where="detection.measure", found=measure, allowed=f"{FORCE}, {TORQUE}")
    threshold = world.detection.parameters["threshold"]
    deceleration = float(np.min(world.plan.acceleration))
    if measure == FORCE:
        return ContactWatch(float(threshold), (), distance, deceleration)
    joints = len(world.start.joints)
    return ContactWatch(
        None,
        tuple(np.broadcast_to(threshold, joints).astype(float).tolist()),
        distance,
        deceleration,
    )


def stopping_distance(
    arm: Arm, trajectory: Trajectory, deceleration: float, period: float
) -> float:
    """How far the tool goes on at most [m] after an alarm anywhere on a trajectory of the joints.

    The fastest joint brakes with ``deceleration`` [rad/s²], after ``LATE`` periods of the
    controller [s].
    """
    _, q, qd, _ = sample(trajectory, _SAMPLES)
    speed = np.linalg.norm(np.einsum("kij,kj->ki", jacobian(arm, q)[:, :3], qd), axis=1)
    return float((speed * (LATE * period + 0.5 * np.abs(qd).max(axis=1) / deceleration)).max())


def require_stop(arm: Arm, trajectory: Trajectory, watch: ContactWatch, period: float) -> None:
    """Refuse a trajectory on which the tool could not be stopped within the distance."""
    found = stopping_distance(arm, trajectory, watch.deceleration, period)
    if found > watch.distance:
        raise BadInput(
            "the tool would not stop within this distance after a contact", where="plan.until_contact",
            found=f"{1e3 * watch.distance:.3g} mm, and {1e3 * found:.3g} mm at the fastest",
            allowed="more, a smaller plan.tool_speed (plan.method: shortest) or a larger plan.acceleration",
        )  # fmt: skip


def brake(
    q: np.ndarray, qd: np.ndarray, watch: ContactWatch, period: float
) -> tuple[np.ndarray, float]:
    """Where the joints come to rest (n,) [rad], braking evenly from ``q`` and ``qd`` (n,), and when [s]."""
    duration = max(float(np.abs(qd).max()) / watch.deceleration, 2 * LATE * period)
    return q + 0.5 * duration * qd, duration


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
    from hopfield_nav.experiment import Simulation

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


def rtde_program(watch: ContactWatch, period: float) -> str:
    """A Python program for ur_rtde that follows ``plan.csv`` beside it, a target a ``period`` [s], until contact."""
    values: dict[str, Any] = {
        "period": period,
        "tolerance": START_TOLERANCE,
        "stop": watch.deceleration,
    }
    values["settling"] = math.ceil(SETTLING / period)
    if watch.force is not None:
        felt = f"math.hypot(*receive.getActualTCPForce()[:3]) > {watch.force!r}"
    else:
        felt = f"any(abs(t) > most for t, most in zip(control.getJointTorques(), {list(watch.torques)!r}))"
    return _RTDE.format(felt=felt, **values)


def urscript_condition(watch: ContactWatch) -> list[str]:
    """Lines of a function ``felt()`` in URScript, one level deep."""
    if watch.force is not None:
        return ["  def felt():", f"    return force() > {watch.force:.9f}", "  end"]
    lines = ["  def felt():", "    torque = get_joint_torques()", "    found = False"]
    for joint, most in enumerate(watch.torques):
        beyond = f"torque[{joint}] > {most:.9f} or torque[{joint}] < {-most:.9f}"
        lines += [f"    if {beyond}:", "      found = True", "    end"]
    return [*lines, "    return found", "  end"]


_RTDE = '''\
"""Follow plan.csv until a contact is felt; written by hopfield-nav, never run on a robot.

Read it, run it at a low speed first, and keep a hand at the emergency stop:

    pip install ur-rtde
    python plan_rtde.py ADDRESS
"""

import csv
import math
import pathlib
import sys

from rtde_control import RTDEControlInterface
from rtde_receive import RTDEReceiveInterface

PERIOD, TOLERANCE, STOP = {period!r}, {tolerance!r}, {stop!r}  # [s], [rad], [rad/s^2]
SETTLING = {settling}  # periods for which the last target is repeated


def main(address):
    with open(pathlib.Path(__file__).with_name("plan.csv"), newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    targets = [[float(row[f"q{{i}}_rad"]) for i in range(1, 7)] for row in rows]
    receive, control = RTDEReceiveInterface(address), RTDEControlInterface(address, 1.0 / PERIOD)
    try:
        if max(abs(a - b) for a, b in zip(receive.getActualQ(), targets[0])) > TOLERANCE:
            sys.exit("the arm is not at the start of the planned path")

        def felt():
            return {felt}

        touched = False
        for q in targets[1:] + SETTLING * targets[-1:]:  # the arm runs behind its targets
            began = control.initPeriod()
            control.servoJ(q, 0.0, 0.0, PERIOD, 0.1, 300.0)
            touched = felt()
            if touched:
                break
            control.waitPeriod(began)
        control.servoStop(STOP)
        place, joints = receive.getActualTCPPose(), receive.getActualQ()
        print(f"contact: tool at {{place}}, joints at {{joints}}" if touched else "no contact on the path")
        return 0 if touched else 1
    finally:
        control.stopScript()
        control.disconnect()
        receive.disconnect()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
'''
