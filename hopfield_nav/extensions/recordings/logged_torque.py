"""Whether what a log calls torque is that: asked of the log itself, against the arm's model.

Of free motion and of pushed motion, effort = s tau(q, qd, qdd) + c sign(qd) + d qd + o, where tau
is the torque of the model at the motion that was measured. With gravity in a column of its own, its
factor says whether it was taken off; with the rate of tau in one, that is how late the effort is: a
torque that comes late is, to first order, less its rate times the time. All by Huber's estimator,
so that pushes count little, and told from three standard errors on.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dynamics import Arm, BadInput, gravity_torque, inverse_dynamics
from hopfield_nav.extensions.recordings.motors import (
    BLOCK,
    FEWEST_BLOCKS,
    SLOWEST,
    SURE,
    runs_against,
    untold_in_words,
)
from hopfield_nav.extensions.recordings.robust_fit import covariance_of, huber
from hopfield_nav.extensions.recordings.signals import drive_of, measured_motion

if TYPE_CHECKING:
    import xarray

_SHARP = 0.1  # standard error of the factor of gravity, below which it is looked at
_CHANGES = 0.01  # of the largest change of gravity, below which a joint shows nothing of it
_MISSING = 0.3  # factor of gravity below which it was taken off
_ALIKE = 2.0  # times the smallest factor, up to which factors are those of one unit
_OTHER_UNIT = 5.0  # times the model's torque, or less than one in so many: no error of a model
_UNITS = {1e3: "N·mm", 1e2: "N·cm"}  # whose numbers are so many times those in N·m
_LEAST_LATE = 0.004  # [s] that are told


class _Motion(NamedTuple):
    """Rows (k, n) of a log, and what the model makes of them."""

    time: np.ndarray  # (k,)
    qd: np.ndarray
    qdd: np.ndarray
    drive: np.ndarray  # torques or currents
    torque: np.ndarray  # of the model
    gravity: np.ndarray  # its part that the angles alone decide
    rate: np.ndarray  # of the model's torque [N·m/s]


class _Factor(NamedTuple):
    """What a column counts, with its standard error."""

    value: float
    error: float

    @property
    def is_told(self) -> bool:
        return abs(self.value) > SURE * self.error > 0.0


def remarks_on_torque(data: "xarray.Dataset", arm: Arm) -> list[str]:
    """What is odd about the torques or currents of a log, but can be used.

    Raises ``BadInput``: they never change, torque runs against the model, gravity is missing in it,
    or it is in another unit.
    """
    if "residual" in data.attrs:
        return []
    where = str(data.attrs.get("title", "recording"))
    drive = drive_of(data)
    if len(drive) > 1:
        _require_change(drive, where, "torque" if "effort" in data else "current")
    if float(np.ptp(data.time.values)) < FEWEST_BLOCKS * BLOCK:
        return []
    motion = _motion(data, arm)
    joints = [j for j in range(len(arm.dh)) if _moves(motion, j)]
    if "effort" in data:
        _require_gravity(motion, joints, where)
        factors = {j: _factors(motion, j, [motion.torque[:, j]])[0] for j in joints}
        _require_sign(factors, len(arm.dh), where)
        _require_unit(factors, where)
    return _lateness(motion, joints, "effort" if "effort" in data else "current")


def _require_change(drive: np.ndarray, where: str, what: str) -> None:
    still = [str(j + 1) for j in np.flatnonzero(np.ptp(drive, axis=0) == 0.0)]
    if still:
        raise BadInput(
            f"the {what} never changes",
            where=where,
            found=f"joints {', '.join(still)}",
            allowed=f"measured {what}s",
        )


def _motion(data: "xarray.Dataset", arm: Arm) -> _Motion:
    time = data.time.values
    q, qd, qdd = measured_motion(data)
    torque = inverse_dynamics(arm, q, qd, qdd)
    return _Motion(
        time,
        qd,
        qdd,
        drive=drive_of(data),
        torque=torque,
        gravity=gravity_torque(arm, q),
        rate=np.gradient(torque, time, axis=0),
    )


def _moves(motion: _Motion, j: int) -> bool:
    """Whether a joint moves both ways, and long enough."""
    used = np.abs(motion.qd[:, j]) > SLOWEST
    blocks = np.unique(motion.time[used] // BLOCK)
    return len(blocks) >= FEWEST_BLOCKS and len(np.unique(np.sign(motion.qd[used, j]))) == 2


def _factors(motion: _Motion, j: int, columns: list[np.ndarray]) -> list[_Factor]:
    """What each column (k,) counts beside friction, in the drive of a joint."""
    speed = motion.qd[:, j]
    used = np.abs(speed) > SLOWEST
    table = np.column_stack([*columns, np.sign(speed), speed, np.ones_like(speed)])[used]
    drive = motion.drive[used, j]
    beta = huber(table, drive)
    block = (motion.time[used] // BLOCK).astype(int)
    variance = np.diag(covariance_of(table, drive - table @ beta, block))
    error = np.sqrt(np.maximum(variance, 0.0))
    return [_Factor(float(beta[k]), float(error[k])) for k in range(len(columns))]


def _require_gravity(motion: _Motion, joints: list[int], where: str) -> None:
    """Refuse torques from which gravity was taken off in every joint that shows it.

    Where all joints have the same small part of it, the unit is another one.
    """
    inertial = motion.torque - motion.gravity
    changes = np.std(motion.gravity, axis=0)
    factors = {
        j + 1: _factors(motion, j, [motion.gravity[:, j], inertial[:, j]])[0]
        for j in joints
        if changes[j] > _CHANGES * changes.max()
    }
    shown = {joint: each for joint, each in factors.items() if 0.0 < each.error < _SHARP}
    values = [each.value for each in shown.values()]
    if not values or max(np.abs(values)) > _MISSING:
        return
    if all(each.is_told for each in shown.values()) and 0.0 < max(values) < _ALIKE * min(values):
        return
    joint = max(shown, key=lambda joint: abs(shown[joint].value))
    raise BadInput(
        "gravity is missing in the torque",
        where=where,
        found=f"at most {abs(shown[joint].value):.0%} of the model's, in joint {joint}",
        allowed="`residual: true` in a description of the log, which takes effort for what is "
        "felt; or torques with gravity",
    )


def _require_sign(factors: dict[int, _Factor], n: int, where: str) -> None:
    against = [j + 1 for j, factor in factors.items() if factor.is_told and factor.value < 0.0]
    if not against:
        return
    words = runs_against("effort", against, n)
    told = {j + 1 for j, factor in factors.items() if factor.is_told}
    untold = [joint for joint in range(1, n + 1) if joint not in told]
    if untold:
        words += f"; {untold_in_words(untold)}"
    raise BadInput(words, where=where)


def _require_unit(factors: dict[int, _Factor], where: str) -> None:
    told = [factor.value for factor in factors.values() if factor.is_told]
    if not told:
        return
    times = float(np.median(told))
    if 1.0 / _OTHER_UNIT < times < _OTHER_UNIT:
        return
    unit = next((name for size, name in _UNITS.items() if 0.7 < times / size < 1.4), None)
    if unit is None:
        allowed = f"N·m: `effort: {{columns: …, scale: {1.0 / times:.3g}}}` in a description"
    else:
        allowed = f"N·m: `effort: {{columns: …, unit: {unit}}}` in a description"
    found = f"{times:.3g} times the torque that the model needs"
    raise BadInput("the torque is in another unit", where=where, found=found, allowed=allowed)


def _lateness(motion: _Motion, joints: list[int], signal: str) -> list[str]:
    """How much later the drive is than the angles, where the log tells it."""
    times = []
    for j in joints:
        own, rate = _factors(motion, j, [motion.torque[:, j], motion.rate[:, j]])
        if own.is_told and own.error < _SHARP * abs(own.value):
            times.append((-rate.value / own.value, rate.error / abs(own.value)))
    if not times:
        return []
    late, error = np.transpose(times)
    weight = error**-2.0
    mean = float(np.sum(weight * late) / np.sum(weight))
    # what the joints do not agree on counts as error too
    spread = np.sqrt(np.sum(weight * (late - mean) ** 2) / max(len(late) - 1, 1))
    sure = SURE * max(1.0, float(spread)) / np.sqrt(np.sum(weight))
    if mean < max(_LEAST_LATE, float(sure)):
        return []
    return [
        f"{signal} comes {1e3 * mean:.3g} ± {1e3 * sure / SURE:.2g} ms after the angles "
        f"(`{signal}: {{columns: …, late: {mean:.3g}}}` in a description takes that off)"
    ]
