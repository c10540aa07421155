"""What a control computer sensed, as arrays: of a simulated run, or of a real arm's recording."""

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from dynamics import Arm, BadInput, inverse_dynamics, joint_friction_torque
from dynamics.batches import as_rows
from dynamics.identification import FULL_TURNS

if TYPE_CHECKING:
    import xarray

    from hopfield_nav.record import Run
    from hopfield_nav.world import World

# [N·m/A] of the simulated arm: within what a UR5 has, and dividing by it rounds nothing
MOTOR_CONSTANT = 8.0
GAP = 1.5  # steps longer than this many usual ones are gaps
_NAMES = ("q", "qd", "q_ref", "qd_ref", "qdd_ref", "tau")
REFERENCE = _NAMES[2:5]
SMOOTHED = 0.1  # [s] of motion from which a velocity is told that was not recorded
_AT_ONCE = 20000  # rows whose cubics are solved for together


class Signals(NamedTuple):
    """What a control computer sensed, row by row, one row a control period."""

    time: np.ndarray  # (k,) [s], increasing
    # q, qd: (k, n) measured [rad, rad/s]
    q: np.ndarray
    qd: np.ndarray
    # q_ref, qd_ref, qdd_ref: (k, n) reference [rad, rad/s, rad/s²]
    q_ref: np.ndarray
    qd_ref: np.ndarray
    qdd_ref: np.ndarray
    # (k, n) torque of the motors over the period **before** the row, at the joint side, friction
    # not taken off [N·m]
    tau: np.ndarray
    # (k, 6) of a sensor at the flange, as in ``Sensed`` [N, N·m]; none without one
    wrench: np.ndarray = np.zeros((0, 6))


class Motors(Protocol):
    """What gives the torque (k, n) [N·m] of motors from what drives them (k, n).

    A ``MotorFit`` does.
    """

    def torque(self, drive: np.ndarray) -> np.ndarray:
        """Torque at the joints."""
        ...


def watched_seconds(time: np.ndarray) -> float:
    """How long [s] was watched by rows at ``time`` (k,): a gap counts as a usual step.

    A gap is longer than ``GAP`` usual ones. Usual is the lower quartile: every other row may be
    missing.
    """
    steps = np.diff(time)
    usual = float(np.quantile(steps, 0.25)) if steps.size else 0.0
    return float(np.where(steps > GAP * usual, usual, steps).sum())


def signals_of_run(run: "Run") -> Signals:
    """Signals of a simulated run, one row a control period.

    Raises ``BadInput``: nothing was recorded, or more coarsely than once a control period.
    """
    return signals_of_data(run.data, stride_of(run.data, run.world, run.world.name))


def stride_of(data: "xarray.Dataset", world: "World", where: str) -> int:
    """Rows of a run's record that are one control period."""
    count, period = data.sizes["time"], world.controller.period
    row = (
        float(np.median(np.diff(data.time.values)))
        if count > 1
        else world.plant.step * world.record.every
    )
    stride = round(period / row)
    if count == 0 or stride < 1 or abs(stride * row - period) > 1e-3 * row:
        allowed = f"record.signals: all, and rows of which a whole number are {period:g} s"
        found = f"{count} rows, {row:g} s apart"
        raise BadInput(
            "the record lacks rows at control periods", where=where, found=found, allowed=allowed
        )
    return stride


def signals_of_data(data: "xarray.Dataset", stride: int) -> Signals:
    """Signals of a run's record, each ``stride``-th row.

    A row of the record holds the torque from that row on; the methods are told that of the period
    before, as it was measured.
    """
    time = data.time.values[::stride]
    logged = {name: f"{name}_sensed" if f"{name}_sensed" in data else name for name in _NAMES[:-1]}
    sensed = {name: data[found].values[::stride] for name, found in logged.items()}
    if "tau_sensed" in data:
        tau = data.tau_sensed.values[::stride]
    else:
        last = data.tau.values[stride - 1 :: stride][: len(time) - 1]
        tau = np.vstack([np.zeros((1, last.shape[1])), last])
    if "force_sensed" not in data:
        return Signals(time, **sensed, tau=tau)
    wrench = np.hstack([data.force_sensed.values[::stride], data.moment_sensed.values[::stride]])
    return Signals(time, **sensed, tau=tau, wrench=wrench)


def signals_of_recording(data: "xarray.Dataset", motors: Motors, arm: Arm | None = None) -> Signals:
    """Signals of a real arm: the motors' torque from what drives them, and what is missing of the reference.

    ``arm``: its torque at the reference stands for that of a joint whose motor is not known, so
    that nothing is felt there.

    Raises ``BadInput``: a signal was not recorded, or a motor is not known and no arm is given.
    """
    data = with_reference(data)
    sensed = {name: data[name].values for name in _NAMES[:-1]}
    tau = motors.torque(drive_of(data))
    unknown = np.isnan(tau).all(axis=0)
    if unknown.any():
        if arm is None:
            found = f"joints {', '.join(str(j + 1) for j in np.flatnonzero(unknown))}"
            raise BadInput(
                "motors are not known", found=found, allowed="an arm, or motor constants"
            )
        tau[:, unknown] = _needed_torque(arm, sensed)[:, unknown]
    return Signals(data.time.values, **sensed, tau=tau)


def _needed_torque(arm: Arm, sensed: dict[str, np.ndarray]) -> np.ndarray:
    """The torque (k, n) that an arm needs for its reference, with friction."""
    reference = [sensed[name] for name in REFERENCE]
    return inverse_dynamics(arm, *reference) + joint_friction_torque(arm, sensed["qd_ref"])


def drive_of(data: "xarray.Dataset") -> np.ndarray:
    """What moves the joints (k, n).

    Torques at them [N·m] where those were measured, else currents [A].

    Raises ``BadInput``: neither was recorded.
    """
    if "effort" in data:
        return data.effort.values
    if "current" not in data:
        found, where = ", ".join(map(str, data)), str(data.attrs.get("title", "recording"))
        raise BadInput("no motor currents or torques were recorded", where=where, found=found)
    return data.current.values


def with_reference(data: "xarray.Dataset") -> "xarray.Dataset":
    """A recording with the signals that it lacks.

    Of the reference those of the motion that was measured. Derivatives are those of a cubic through
    ``SMOOTHED`` seconds, as many before a row as after it.
    """
    title, dimensions = str(data.attrs.get("title", "recording")), ("time", "joint")
    if "q" in data and "qd" not in data:
        data = data.assign(qd=(dimensions, _smoothed(data.time.values, data.q.values, title)[1]))
    missing = [name for name in REFERENCE if name not in data]
    if not missing:
        return data
    angles = (data.q_ref if "q_ref" in data else data.q).values
    motion = _smoothed(data.time.values, angles, title)
    if "qd_ref" in data:  # derived once, not twice from angles that may be coarse
        motion[2] = _smoothed(data.time.values, data.qd_ref.values, title, angles)[1]
    return data.assign({name: (dimensions, motion[REFERENCE.index(name)]) for name in missing})


def measured_motion(data: "xarray.Dataset") -> list[np.ndarray]:
    """Angles, velocities and accelerations (k, n) of the motion that was measured [rad, rad/s, rad/s²]."""
    title = str(data.attrs.get("title", "recording"))
    return _smoothed(data.time.values, data.q.values, title)


def _smoothed(
    time: np.ndarray, values: np.ndarray, title: str, angles: np.ndarray | None = None
) -> list[np.ndarray]:
    """Values (k, n) with first and second derivative.

    The cubic is one in time, so that rows may be missing.
    ``angles`` (k, n) say where the record jumps; by default the values are angles.
    """
    period = float(np.median(np.diff(time))) if len(time) > 1 else 1.0
    rows = max(2 * round(0.5 * SMOOTHED / period) + 1, 5)
    if len(time) < rows:
        raise BadInput(
            "too few rows for velocities", where=title, found=len(time), allowed=f"{rows} or more"
        )
    first = _first_rows(time, values if angles is None else angles, rows)
    span = 0.5 * rows * period
    found = []
    for part in np.array_split(np.arange(len(time)), -(-len(time) // _AT_ONCE)):
        near = first[part, None] + np.arange(rows)
        powers = ((time[near] - time[part, None]) / span)[:, None, :] ** np.arange(4)[:, None]
        found.append(np.linalg.solve(powers @ powers.transpose(0, 2, 1), powers @ values[near]))
    cubic = np.concatenate(found)
    return [values, cubic[:, 1] / span, 2.0 * cubic[:, 2] / span**2]


def _first_rows(time: np.ndarray, angles: np.ndarray, rows: int) -> np.ndarray:
    """Of every row (k,) the first of those that its cubic goes through: as many before it as after.

    At an end, a gap, or where angles jump as no joint can, on one side alone. Where a record was
    cut and joined, its times do not tell, and a jump would look like an acceleration.
    """
    steps = np.diff(time)
    jumps = np.abs(np.diff(angles, axis=0)).max(axis=1) > FULL_TURNS * steps
    gaps = steps > rows * np.median(steps) if len(steps) else np.zeros(0, dtype=bool)
    edges = [0, *(np.flatnonzero(jumps | gaps) + 1).tolist(), len(time)]
    first = np.empty(len(time), dtype=int)
    for begin, end in pairwise(edges):
        own = np.arange(begin, end)
        low, high = (begin, end - rows) if end - begin >= rows else (0, len(time) - rows)
        first[own] = np.clip(own - rows // 2, low, high)
    return first


def checked_signals(signals: Signals, n: int) -> Signals:
    """Signals as float64 arrays of one length that the compiled loop may read."""
    (time,), _ = as_rows(1, time=np.asarray(signals.time, dtype=np.float64)[..., None])
    columns, lead = as_rows(n, **{name: getattr(signals, name) for name in _NAMES})
    (wrench,), felt = as_rows(6, wrench=signals.wrench)
    for shape in (lead, felt) if len(wrench) else (lead,):
        if shape != (len(time),):
            raise BadInput(
                "signals and time differ in length", found=shape, allowed=f"({len(time)},)"
            )
    if len(time) and not np.all(np.diff(time[:, 0]) > 0):
        raise BadInput("time does not increase", where="signals.time")
    for name, values in zip(("time", *_NAMES, "wrench"), (time, *columns, wrench), strict=True):
        if not np.isfinite(values).all():
            row = int(np.argmin(np.isfinite(values).all(axis=1)))
            raise BadInput(
                "not a finite number", where=f"signals.{name}, row {row}", allowed="finite numbers"
            )
    # as_rows may give views
    return Signals(time[:, 0].copy(), *(values.copy() for values in (*columns, wrench)))
