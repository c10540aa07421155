"""Motor constants, rotors and joint friction from recordings of free motion, with honest intervals.

With nothing touching the arm, K i = tau + J qdd + c sign(qd) + d qd, where tau is the torque of the
arm's model at the reference motion, and J the inertia of a rotor that the model lacks. The current
carries the noise, so it is the side that is fitted: i = (tau + J qdd + c sign(qd) + d qd) / K +
i_0, by Huber's estimator; where torques at the joints were measured in place of currents, K is 1.
What is left is correlated in time; the standard deviations count whole blocks of it as one
observation (Liang and Zeger 1986).

They do not count errors of the model. Beside a rotor that is fitted too, what tau alone explains
may be less than what is left: then the size of the constant cannot be told apart from the rotor.

A motor whose current runs the other way has a negative constant. Which way it runs is told where
the estimate of 1/K is at least ``SURE`` standard deviations from zero; of a joint where it is not,
no constant is known.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.stats import norm

from dynamics import Arm, BadInput, inverse_dynamics
from hopfield_nav.extensions.recordings.robust_fit import covariance_of, huber, scale_of
from hopfield_nav.extensions.recordings.signals import REFERENCE, drive_of, with_reference

if TYPE_CHECKING:
    import xarray

SLOWEST = 0.02  # [rad/s] below it the direction of friction is not certain
BLOCK = 1.0  # [s] longer than what is left stays correlated
SURE = 3.0  # standard deviations from zero beyond which a sign is told
FEWEST_BLOCKS = 5
_NOTHING = 1e-12  # [A/(N·m)] of a joint whose model has no torque


class MotorFit(NamedTuple):
    """Motors and friction of an arm of n joints."""

    # (n,) torque at the joint for a current [N·m/A]; negative where the current runs the other
    # way, NaN where no sign is told
    motor_constant: np.ndarray
    friction: np.ndarray  # (n, 2) Coulomb [N·m] and viscous [N·m·s/rad]
    zero_current: np.ndarray  # (n,) current where no torque is [A]
    # (n, 4) standard deviations of motor constant, Coulomb, viscous and zero current; infinite for
    # a constant whose size cannot be told apart from a rotor, or that is not known
    std: np.ndarray
    residual_rms: np.ndarray  # (n,) what is left of the current [A]
    rows: np.ndarray  # (n,) rows that were used
    rotor: np.ndarray  # (n,) inertia of the rotors that the model lacks, at the joint side [kg·m²]

    def torque(self, current: np.ndarray) -> np.ndarray:
        """Motor torque (..., n) at the joint side, friction not yet taken off [N·m]; NaN where no sign is told."""
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
    def untold(self) -> list[int]:
        """Joints, counted from 1, whose sign the recordings do not tell, and of which no constant is known."""
        return _counted(np.isnan(self.motor_constant))

    @property
    def unknown(self) -> list[int]:
        """Joints, counted from 1, whose constant is not known, or cannot be told apart from a rotor."""
        return _counted(~np.isfinite(self.std[:, 0]))

    def require_signs(self) -> None:
        """Refuse, with ``BadInput``, what needs the torque of a joint whose sign is not told."""
        if self.untold:
            raise BadInput(untold_in_words(self.untold), allowed=_DECIDE)

    def require_known(self) -> None:
        """Refuse, with ``BadInput``, what would rest on a constant that is not known."""
        self.require_signs()
        if self.unknown:
            found = (
                f"joints {', '.join(map(str, self.unknown))} cannot be told apart from their rotors"
            )
            raise BadInput("the motor constants are not known", found=found, allowed=_DECIDE)

    def words(self) -> str:
        """The constants with their 95 % intervals, where these are known, and what is odd about them."""
        constants = []
        halves = norm.ppf(0.975) * self.std[:, 0]
        for constant, half in zip(self.motor_constant, halves, strict=True):
            if np.isnan(constant):
                constants.append("unknown")
            elif half == np.inf:
                constants.append(f"about {constant:.3g}")
            elif half > 0:
                low, high = constant - half, constant + half
                constants.append(f"{constant:.3g} [{low:.3g}, {high:.3g}]")
            else:
                constants.append(f"{constant:.3g}")
        words = f"{', '.join(constants)} N·m/A"
        sizes = [joint for joint in self.unknown if joint not in self.untold]
        if sizes:
            words += f"; joints {', '.join(map(str, sizes))}: cannot be told apart from the rotor"
        if self.untold:
            words += f"; {untold_in_words(self.untold)}"
        against = _counted(self.motor_constant < 0.0)
        if against:
            words += f"; {runs_against('current', against, len(self.motor_constant))}"
        return words


_DECIDE = "--motor-constants, --same-motor, livelier runs, or a model with rotor inertia"


def _counted(joints: np.ndarray) -> list[int]:
    """The joints (n,) that are meant, counted from 1."""
    return [int(j) + 1 for j in np.flatnonzero(joints)]


def untold_in_words(joints: Sequence[int]) -> str:
    """That recordings do not tell the signs of some joints, counted from 1."""
    if len(joints) == 1:
        return f"these logs do not tell joint {joints[0]}'s sign"
    return f"these logs do not tell the signs of joints {', '.join(map(str, joints))}"


def runs_against(signal: str, joints: Sequence[int], n: int) -> str:
    """That a signal runs against the model's torque in some joints, counted from 1, of n, and what to do."""
    scale = ", ".join("-1" if j + 1 in joints else "1" for j in range(n))
    which = f"joint{'' if len(joints) == 1 else 's'} {', '.join(map(str, joints))}"
    return (
        f"{which}: the {signal} runs against the model's torque "
        f"(`{signal}: {{columns: …, scale: [{scale}]}}` in the log's description turns it)"
    )


def fit_motors(
    recordings: "Sequence[xarray.Dataset]", arm: Arm, same_motor: Sequence[Sequence[int]] = ()
) -> MotorFit:
    """Motor constant, Coulomb and viscous friction of every joint, from runs that nothing touched.

    The recordings are of ``load_recording``, with motor currents or torques. The motors are to give
    the torque of the model ``arm``, whose own friction is not used; where it has no rotor, that of
    the motor is fitted too. ``same_motor``: groups of joints (counted from 1) that have one motor
    constant in common.

    Raises ``BadInput``: no recordings, no currents, a force sensor that felt a push, a joint that
    does not move both ways for long enough, or recordings that tell no joint's sign.
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
        return _stacked([_fit_known(rows) for rows in joints])
    signs = np.array([_sign(rows) for rows in joints])
    if not np.any(signs):
        what = "no motor constant can be told from these logs"
        raise BadInput(
            what, allowed="motor constants, livelier runs, or a model with rotor inertia"
        )
    fits: dict[int, MotorFit] = {}
    for group in _groups(same_motor, len(joints)):
        of_group = {float(sign) for sign in signs[group] if sign != 0.0}
        for j in group:
            if signs[j] == 0.0 and len(of_group) == 1:  # the motors are the same
                signs[j] = min(of_group)
        told = [j for j in group if signs[j] != 0.0]
        fits |= {j: _fit_untold(joints[j]) for j in group if j not in told}
        if told:
            fits |= zip(told, _fit_group([joints[j] for j in told], signs[told]), strict=True)
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
    if len(np.unique(rows.block)) < FEWEST_BLOCKS or len(np.unique(rows.columns[:, 1])) < 2:
        allowed = f"motion both ways, faster than {SLOWEST:g} rad/s, over {FEWEST_BLOCKS} s or more"
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


def _sign(rows: _Rows) -> float:
    """Which way a motor's current runs, 1 or -1; 0: the rows do not tell."""
    table, current, block, _ = _common_table([rows])
    beta = huber(table, current)
    deviation = np.sqrt(covariance_of(table, current - table @ beta, block)[0, 0])
    is_told = abs(beta[0]) > max(SURE * deviation, _NOTHING)
    return float(np.sign(beta[0])) if is_told else 0.0


def _fit_group(joints: list[_Rows], signs: np.ndarray) -> list[MotorFit]:
    """Fits of joints with one motor constant, whose currents run one way or the other (k,).

    The column of torque is common to them, the others are each joint's own.
    """
    turned = [_turned(rows, sign) for rows, sign in zip(joints, signs, strict=True)]
    table, current, block, own = _common_table(turned)
    beta = huber(table, current)
    left = current - table @ beta
    covariance = covariance_of(table, left, block)
    fits = []
    for rows, columns, sign in zip(turned, own, signs, strict=True):
        of_joint = [0, *columns]
        fit = _one_fit(beta[of_joint], covariance[np.ix_(of_joint, of_joint)], rows)
        fits.append(
            fit._replace(
                motor_constant=sign * fit.motor_constant,
                friction=sign * fit.friction,
                rotor=sign * fit.rotor,
            )
        )
    has_rotor = max(len(columns) for columns in own) > 3
    if has_rotor and _hides_torque(table, beta[0], left):
        return [fit._replace(std=np.concatenate([[np.inf], fit.std[1:]])) for fit in fits]
    return fits


def _turned(rows: _Rows, sign: float) -> _Rows:
    """With the torque as a motor gives it that runs this way."""
    return rows._replace(columns=np.column_stack([sign * rows.columns[:, 0], rows.columns[:, 1:]]))


def _fit_untold(rows: _Rows) -> MotorFit:
    """Of a joint whose sign is not told nothing is known."""
    return MotorFit(
        motor_constant=np.asarray(np.nan),
        friction=np.zeros(2),
        zero_current=np.asarray(0.0),
        std=np.full(4, np.inf),
        residual_rms=np.asarray(np.nan),
        rows=np.asarray(len(rows.current)),
        rotor=np.asarray(0.0),
    )


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
        scale = scale_of(rows.current - rows.columns @ huber(rows.columns, rows.current))
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
    return bool(np.sqrt(np.mean((per_torque * alone) ** 2)) < scale_of(left))


def _fit_known(rows: _Rows) -> MotorFit:
    """Friction and zero where torques were measured, so that the constant is 1."""
    torque = rows.columns[:, 0]
    others = rows.columns[:, 1:]
    left = rows.current - torque  # that the others have to explain
    beta = huber(others, left)
    count = rows.columns.shape[1]
    covariance = np.zeros((count, count))
    covariance[1:, 1:] = covariance_of(others, left - others @ beta, rows.block)
    return _one_fit(np.concatenate([[1.0], beta]), covariance, rows)


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
