"""Motor constants, rotors and joint friction from recordings of free motion, with honest intervals.

With nothing touching the arm, K i = tau + J qdd + c sign(qd) + d qd, where tau is the torque of the
arm's model at the reference motion, and J the inertia of a rotor that the model lacks. The current
carries the noise, so it is the side that is fitted: i = (tau + J qdd + c sign(qd) + d qd) / K +
i_0, by Huber's estimator; where torques at the joints were measured in place of currents, K is 1.
What is left is correlated in time; the standard deviations count whole blocks of it as one
observation (Liang and Zeger 1986).

They do not count errors of the model. Beside a rotor that is fitted too, what tau alone explains
may be less than what is left: then the constant cannot be told apart from the rotor, and is taken
as the median of the others.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.stats import norm

from dynamics import Arm, BadInput, inverse_dynamics
from hopfield_nav.extensions.recordings.signals import REFERENCE, drive_of, with_reference

if TYPE_CHECKING:
    import xarray

SLOWEST = 0.02  # [rad/s] below it the direction of friction is not certain
BLOCK = 1.0  # [s] longer than what is left stays correlated
LARGEST_SHARE = 0.5  # standard deviation of a motor constant beyond which it is not excited
_TUNING = 1.345  # standard deviations beyond which Huber's estimator counts a residual less
_FEWEST_BLOCKS, _ROUNDS = 5, 30
_NOTHING = 1e-12  # [A/(N·m)] of a joint whose model has no torque


class MotorFit(NamedTuple):
    """Motors and friction of an arm of n joints."""

    motor_constant: np.ndarray  # (n,) torque at the joint for a current [N·m/A]
    friction: np.ndarray  # (n, 2) Coulomb [N·m] and viscous [N·m·s/rad]
    zero_current: np.ndarray  # (n,) current where no torque is [A]
    # (n, 4) standard deviations of motor constant, Coulomb, viscous and zero current; infinite for
    # a constant that cannot be told apart from a rotor
    std: np.ndarray
    residual_rms: np.ndarray  # (n,) what is left of the current [A]
    rows: np.ndarray  # (n,) rows that were used
    rotor: np.ndarray  # (n,) inertia of the rotors that the model lacks, at the joint side [kg·m²]

    def torque(self, current: np.ndarray) -> np.ndarray:
        """Motor torque (..., n) at the joint side, friction not yet taken off [N·m]."""
        return self.motor_constant * (np.asarray(current) - self.zero_current)

    def on(self, arm: Arm) -> Arm:
        """``arm`` with this friction and these rotors.

        The recordings show no higher torque to break away.
        """
        coulomb, viscous = np.maximum(self.friction, 0.0).T
        friction = np.column_stack([coulomb, viscous, coulomb, np.full_like(coulomb, 0.1)])
        return arm._replace(
            friction=friction, rotor_inertia=arm.rotor_inertia + np.maximum(self.rotor, 0.0)
        )

    @property
    def unknown(self) -> list[int]:
        """Joints, counted from 1, whose constant cannot be told apart from a rotor."""
        return [int(j) + 1 for j in np.flatnonzero(~np.isfinite(self.std[:, 0]))]

    def require_known(self) -> None:
        """Refuse, with ``BadInput``, what would rest on a constant that is not known."""
        if self.unknown:
            found = (
                f"joints {', '.join(map(str, self.unknown))} cannot be told apart from their rotors"
            )
            allowed = "--motor-constants, --same-motor, or a model with rotor inertia"
            raise BadInput("the motor constants are not known", found=found, allowed=allowed)

    def words(self) -> str:
        """The constants with their 95 % intervals, where these are known."""
        constants = []
        for constant, half in zip(
            self.motor_constant, norm.ppf(0.975) * self.std[:, 0], strict=True
        ):
            interval = ""
            if 0 < half < np.inf:
                interval = f" [{constant - half:.3g}, {constant + half:.3g}]"
            elif half:
                interval = " assumed"
            constants.append(f"{constant:.3g}{interval}")
        words = f"{', '.join(constants)} N·m/A"
        if self.unknown:
            joints = ", ".join(map(str, self.unknown))
            words += f"; joints {joints}: cannot be told apart from the rotor"
        return words


def fit_motors(
    recordings: "Sequence[xarray.Dataset]", arm: Arm, same_motor: Sequence[Sequence[int]] = ()
) -> MotorFit:
    """Motor constant, Coulomb and viscous friction of every joint, from runs that nothing touched.

    The recordings are of ``load_recording``, with motor currents or torques. The motors are to give
    the torque of the model ``arm``, whose own friction is not used; where it has no rotor, that of
    the motor is fitted too. ``same_motor``: groups of joints (counted from 1) that have one motor
    constant in common.

    Raises ``BadInput``: no recordings, no currents, a force sensor that felt a push, a joint that
    does not move both ways for long enough, or one whose torque says too little of its motor
    constant.
    """
    if not recordings:
        raise BadInput("no recordings of free motion", allowed="at least one")
    recordings = [with_reference(data) for data in recordings]
    for data in recordings:
        _check(data, len(arm.dh))
    torques = [
        inverse_dynamics(arm, *(data[name].values for name in REFERENCE)) for data in recordings
    ]
    rotors = (arm.rotor_inertia == 0.0) & ("effort" not in recordings[0])
    joints = [_rows(recordings, torques, j, bool(rotors[j])) for j in range(len(arm.dh))]
    if "effort" in recordings[0]:
        return _stacked([_fit_known(rows, 1.0, 0.0) for rows in joints])
    fits: dict[int, MotorFit] = {}
    for group in _groups(same_motor, len(joints)):
        fits |= zip(group, _fit_group([joints[j] for j in group]), strict=True)
    unknown = [
        j for j, fit in fits.items() if not (0 < fit.std[0] < LARGEST_SHARE * fit.motor_constant)
    ]
    for j in unknown:
        if not rotors[j]:
            allowed = f"a standard deviation below {LARGEST_SHARE:.0%}: runs with more torque, or same_motor"
            found = f"motor constant {fits[j].motor_constant:.3g} ± {fits[j].std[0]:.2g} N·m/A"
            raise BadInput(f"joint {j + 1} is not excited", found=found, allowed=allowed)
    known = [fit.motor_constant for j, fit in fits.items() if j not in unknown]
    if not known:
        what = "no motor constant can be told apart from its rotor"
        raise BadInput(what, allowed="motor constants, or a model with rotor inertia")
    fits |= {j: _fit_known(joints[j], float(np.median(known)), np.inf) for j in unknown}
    return _stacked([fits[j] for j in range(len(joints))])


def given_motors(constants: Sequence[float], n: int) -> MotorFit:
    """Motors whose constants (n,) [N·m/A] are known, without friction; no current means no torque.

    Raises ``BadInput``: not n numbers above 0.
    """
    values = np.asarray(constants, dtype=np.float64)
    if values.shape != (n,) or not np.all(values > 0) or not np.isfinite(values).all():
        allowed = f"{n} numbers above 0 [N·m/A]"
        raise BadInput(
            "no motor constants", where="--motor-constants", found=constants, allowed=allowed
        )
    nothing = np.zeros(n)
    return MotorFit(
        values,
        np.zeros((n, 2)),
        nothing,
        np.zeros((n, 4)),
        nothing,
        np.zeros(n, dtype=int),
        nothing,
    )


class _Rows(NamedTuple):
    """Of one joint, for its fit."""

    # (k, 4 or 5): torque, direction, velocity, one, and acceleration where a rotor is fitted
    columns: np.ndarray
    current: np.ndarray  # (k,)
    block: np.ndarray  # (k,) number


def _check(data: "xarray.Dataset", n: int) -> None:
    title = str(data.attrs.get("title", "recording"))
    if data.sizes["joint"] != n:
        raise BadInput(
            "another number of joints", where=title, found=data.sizes["joint"], allowed=str(n)
        )
    if "force_sensor" in data:
        felt = data.force_sensor.values[~np.isnan(data.force_sensor.values[:, 0])]
        span = float(np.nanmax(np.ptp(felt, axis=0))) if len(felt) else 0.0
        if span > 10.0:
            what = "not a free run: its force sensor felt a push"
            raise BadInput(
                what, where=title, found=f"{span:.0f} N", allowed="runs with nothing touching"
            )


def _rows(recordings: Sequence, torques: Sequence[np.ndarray], j: int, rotor: bool) -> _Rows:
    columns, currents, blocks, first = [], [], [], 0
    for data, tau in zip(recordings, torques, strict=True):
        speed = data.qd_ref.values[:, j]
        used = np.abs(speed) > SLOWEST
        own = [tau[:, j], np.sign(speed), speed, np.ones_like(speed)]
        table = np.column_stack([*own, data.qdd_ref.values[:, j]] if rotor else own)
        block = first + (data.time.values // BLOCK).astype(int)
        columns.append(table[used])
        currents.append(drive_of(data)[used, j])
        blocks.append(block[used])
        first = int(block[-1]) + 1
    rows = _Rows(np.concatenate(columns), np.concatenate(currents), np.concatenate(blocks))
    if len(np.unique(rows.block)) < _FEWEST_BLOCKS or len(np.unique(rows.columns[:, 1])) < 2:
        allowed = (
            f"motion both ways, faster than {SLOWEST:g} rad/s, over {_FEWEST_BLOCKS} s or more"
        )
        raise BadInput(
            f"joint {j + 1} is not excited",
            found=f"{len(rows.current)} rows of motion",
            allowed=allowed,
        )
    return rows


def _groups(same_motor: Sequence[Sequence[int]], n: int) -> list[list[int]]:
    groups = [[j - 1 for j in group] for group in same_motor]
    named = [j for group in groups for j in group]
    if len(set(named)) < len(named) or any(not 0 <= j < n for j in named):
        what = "a joint stands in two groups, or is none"
        raise BadInput(what, where="same_motor", found=same_motor)
    return groups + [[j] for j in range(n) if j not in named]


def _fit_group(joints: list[_Rows]) -> list[MotorFit]:
    """Fits of joints with one motor constant, one joint each.

    The column of torque is common to them, the others are each joint's own.
    """
    table, current, block, own = _common_table(joints)
    beta = _huber(table, current)
    left = current - table @ beta
    covariance = _covariance(table, left, block)
    fits = []
    for rows, columns in zip(joints, own, strict=True):
        of_joint = [0, *columns]
        fits.append(_one_fit(beta[of_joint], covariance[np.ix_(of_joint, of_joint)], rows))
    has_rotor = max(len(columns) for columns in own) > 3
    if has_rotor and _hides_torque(table, beta[0], left):
        return [fit._replace(std=np.concatenate([[np.inf], fit.std[1:]])) for fit in fits]
    return fits


def _common_table(
    joints: list[_Rows],
) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[range]]:
    """The rows of all joints as one table, divided by the scale of each joint's residuals.

    Returns table, current, blocks (that no two joints share), and the columns that are each
    joint's own.
    """
    widths = [rows.columns.shape[1] - 1 for rows in joints]
    own, tables, currents, blocks = [], [], [], []
    first_column = 1
    first_block = 0
    for rows, width in zip(joints, widths, strict=True):
        columns = range(first_column, first_column + width)
        scale = _scale(rows.current - rows.columns @ _huber(rows.columns, rows.current))
        table = np.zeros((len(rows.current), 1 + sum(widths)))
        table[:, 0] = rows.columns[:, 0]
        table[:, columns] = rows.columns[:, 1:]
        own.append(columns)
        tables.append(table / scale)
        currents.append(rows.current / scale)
        blocks.append(first_block + rows.block)
        first_column += width
        first_block += int(rows.block.max()) + 1
    return np.concatenate(tables), np.concatenate(currents), np.concatenate(blocks), own


def _hides_torque(table: np.ndarray, per_torque: float, left: np.ndarray) -> bool:
    """Whether what torque alone explains, and no other column, is lost in the residuals."""
    torque = table[:, 0]
    others = table[:, 1:]
    alone = torque - others @ np.linalg.lstsq(others, torque, rcond=None)[0]
    return bool(np.sqrt(np.mean((per_torque * alone) ** 2)) < _scale(left))


def _fit_known(rows: _Rows, constant: float, std: float) -> MotorFit:
    """Friction, zero and rotor with a constant that is given, and its standard deviation."""
    torque = rows.columns[:, 0]
    others = rows.columns[:, 1:]
    current = rows.current - torque / constant  # that the others have to explain
    beta = _huber(others, current)
    count = rows.columns.shape[1]
    covariance = np.zeros((count, count))
    covariance[1:, 1:] = _covariance(others, current - others @ beta, rows.block)
    fit = _one_fit(np.concatenate([[1.0 / constant], beta]), covariance, rows)
    return fit._replace(std=np.concatenate([[std], fit.std[1:]]))


def _one_fit(beta: np.ndarray, covariance: np.ndarray, rows: _Rows) -> MotorFit:
    """From i = a tau + b sign + c qd + i_0 + e qdd to K = 1/a, b/a, c/a, i_0 and e/a.

    Their standard deviations are those of ``beta``, carried over by the slopes of these formulas
    (the delta method).
    """
    a, b, c, zero, *rest = beta
    a = a or _NOTHING
    slope = np.array([
        [-1 / a**2, 0, 0, 0],
        [-b / a**2, 1 / a, 0, 0],
        [-c / a**2, 0, 1 / a, 0],
        [0, 0, 0, 1],
    ])  # fmt: skip
    left = rows.current - rows.columns @ beta
    return MotorFit(
        motor_constant=np.asarray(1 / a),
        friction=np.array([b / a, c / a]),
        zero_current=np.asarray(zero),
        std=np.sqrt(np.diag(slope @ covariance[:4, :4] @ slope.T)),
        residual_rms=np.asarray(np.sqrt(np.mean(left**2))),
        rows=np.asarray(len(rows.current)),
        rotor=np.asarray(sum(rest) / a),
    )


def _stacked(fits: list[MotorFit]) -> MotorFit:
    return MotorFit(*(np.array(column) for column in zip(*fits, strict=True)))


def _scale(left: np.ndarray) -> float:
    """Standard deviation of the bulk of the residuals, from their median absolute size."""
    return max(1.4826 * float(np.median(np.abs(left))), 1e-12)


def _huber(table: np.ndarray, current: np.ndarray) -> np.ndarray:
    """Huber's estimate (m,) by weighted least squares, again until the weights settle."""
    beta = np.linalg.lstsq(table, current, rcond=None)[0]
    for _ in range(_ROUNDS):
        left = current - table @ beta
        limit = _TUNING * _scale(left)
        root = np.sqrt(np.minimum(1.0, limit / np.maximum(np.abs(left), limit)))  # of the weights
        before = beta
        beta = np.linalg.lstsq(table * root[:, None], current * root, rcond=None)[0]
        if np.allclose(before, beta, rtol=1e-9, atol=1e-12):
            break
    return beta


def _covariance(table: np.ndarray, left: np.ndarray, block: np.ndarray) -> np.ndarray:
    """Covariance of Huber's estimate where residuals of one block may be correlated in any way."""
    limit = _TUNING * _scale(left)
    influence = np.clip(left, -limit, limit)
    bulk = table[np.abs(left) <= limit]
    bread = np.linalg.pinv(bulk.T @ bulk)
    _, number = np.unique(block, return_inverse=True)
    count = int(number.max()) + 1
    sums = np.zeros((count, table.shape[1]))
    np.add.at(sums, number, table * influence[:, None])
    few_blocks = count / max(count - table.shape[1], 1)
    return few_blocks * bread @ (sums.T @ sums) @ bread
