"""Logs for identification: recordings of a real arm, and runs of ours.

Torque is what the motors give. A run records it, and so does a recording with measured torques at the
joints. Another recording has currents, and what its column of torque
holds is the model of the arm's own controller, never used here: motor constants [N·m/A] are given, or
fitted so that the given arm's torque explains the currents (then masses are known in proportion to that
arm's alone).
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import xarray

from dynamics import Arm, BadInput
from dynamics.identification import MotionLog
from hopfield_nav.extensions.recordings.motors import MotorFit, fit_motors, given_motors
from hopfield_nav.extensions.recordings.opened import OpenedLog, open_log, uses_of
from hopfield_nav.extensions.recordings.signals import drive_of
from hopfield_nav.world import World


class Sources(NamedTuple):
    """Logs, and the motors that turned their currents into torques, if any did."""

    logs: list[MotionLog]
    motors: "MotorFit | None"
    fitted: bool  # whether the motors were fitted, or given
    uses: list[tuple[str, str]]  # what the logs are used for, as rows of a table


def read_logs(
    paths: Sequence[Path],
    arm: Arm,
    motor_constants: Sequence[float] | None = None,
    same_motor: Sequence[Sequence[int]] = (),
    joints: Sequence[str] = (),
) -> Sources:
    """Read logs of any kind that ``open_log`` opens, of an arm whose torque counts where motors are fitted.

    ``motor_constants`` (n,) are torques at the joint for a current [N·m/A]; by default they are fitted.
    ``same_motor`` are groups of joints, counted from 1, with one of them in common; ``joints`` the arm's names of them.

    Raises ``BadInput``: a log that cannot be read, a run in which something touched the arm, or currents without
    motor constants that cannot be fitted.
    """
    opened = [open_log(path).of(joints, len(arm.dh)) for path in paths]
    for log in opened:
        if "residual" in log.data.attrs:
            raise BadInput("a residual says nothing of the arm", where=str(log.path), allowed="a log without")
    data = [log.data for log in opened if not log.simulated and "effort" not in log.data]
    uses = uses_of([(log.path.name, log.data) for log in opened if not log.simulated])
    motors: MotorFit | None = None
    if motor_constants is not None:
        motors = given_motors(motor_constants, len(arm.dh))
    elif data:
        motors = fit_motors(data, arm, same_motor)
    logs = [_log_of_run(log) if log.simulated else log_of_recording(log.data, motors) for log in opened]
    return Sources(logs, motors if data else None, motor_constants is None, uses)


def _log_of_run(log: "OpenedLog") -> MotionLog:
    """A run of ours: measured torque of the motors, angles of the links, and of the rotors of elastic joints.

    A torque that is held acts, in the mean, half a period after the angles that it was computed for (with semi-implicit
    Euler, which moves them with the speed after a step, half a step less). Without a world nothing is known of that.
    """
    data, world, time = log.data, log.world, log.data.time.values
    name = log.path.name if world is None else world.name
    if len(time) < 2:
        raise BadInput("the run has no record", where=name, allowed="record.signals: all")
    log.require_untouched()
    elastic = world is not None and world.plant.engine == "flexible"
    sensed = data.q if "q_sensed" not in data else data.q_sensed  # held over a period, as the torque is
    tau = data.tau if "tau_sensed" not in data else data.tau_sensed  # of the period before
    late = 0.0 if world is None else _lateness(world, time[1] - time[0], tau.name, elastic or sensed.name == "q", name)
    acting = np.stack([np.interp(time - late, time, joint) for joint in tau.values.T], axis=1)
    links, rotors = (data.q, sensed.values) if elastic else (sensed, None)
    return MotionLog(time, links.values, acting, None, rotors, name)


def _lateness(world: "World", row: float, torque: str, is_true: bool, name: str) -> float:
    """How much later torques act than the angles of their rows, ``row`` apart [s]; ``is_true``: these are not held."""
    step, period = world.plant.step, world.controller.period
    if not world.controller.hold:
        return 0.0
    steps, rows = round(period / step), round(row / step)
    common = math.gcd(steps, rows)
    if not is_true and common not in (steps, rows):
        what, allowed = "rows at no fixed times of the control periods", f"a divisor or a multiple of {steps}"
        raise BadInput(what, where=name, found=f"{rows} steps", allowed=f"record.every: {allowed}")
    late = 0.5 * period if torque == "tau" else -0.5 * period
    late -= 0.5 * step if world.plant.integrator == "semi_implicit_euler" else 0.0
    return late - 0.5 * (steps - common) * step if is_true else late


def log_of_recording(data: "xarray.Dataset", motors: "MotorFit | None") -> MotionLog:
    """A recording: torque that was measured, or that of its currents by the motors.

    Raises ``BadInput``: neither was recorded.
    """
    qd = data.qd.values if "qd" in data else None
    tau = drive_of(data) if "effort" in data or motors is None else motors.torque(drive_of(data))
    return MotionLog(data.time.values, data.q.values, tau, qd, name=str(data.attrs.get("title", "recording")))
