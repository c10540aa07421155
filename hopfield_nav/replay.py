"""Any estimator and detector over recorded signals: those of a simulated run, or of a real arm.

The methods, the frames they rely on, and the rule by which a level becomes an alarm are those of the
closed loop itself; only what is sensed comes from arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numba
import numpy as np

from dynamics.arm import Arm, load_arm
from dynamics.batches import as_rows
from dynamics.compiled import compile_loop
from dynamics.errors import BadInput, nearest_name
from dynamics.work import make_work
from hopfield_nav.closed_loop import raise_alarm
from hopfield_nav.control_step import Controller, estimate_and_judge, update_model_frames
from hopfield_nav.loop_state import Settings, State, make_state
from hopfield_nav.plugin import Method, compiled, signature

if TYPE_CHECKING:
    import xarray

    from hopfield_nav.motor_fit import MotorFit
    from hopfield_nav.run import Run

_NAMES = ("q", "qd", "q_ref", "qd_ref", "qdd_ref", "tau")


class Signals(NamedTuple):
    """What a control computer sensed, row by row, one row a control period.

    Attributes:
        time: (k,) [s], increasing.
        q, qd: (k, n) measured [rad, rad/s].
        q_ref, qd_ref, qdd_ref: (k, n) reference [rad, rad/s, rad/s²].
        tau: (k, n) torque of the motors over the period **before** the row, at the joint side, friction
            not taken off [N·m].
    """

    time: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    q_ref: np.ndarray
    qd_ref: np.ndarray
    qdd_ref: np.ndarray
    tau: np.ndarray


class Replay(NamedTuple):
    """What a method believed at every row.

    Attributes:
        time: (k,) [s].
        level: (k,) alarm level as a share of the threshold.
        tau_external: (k, n) torque of contact on the joints [N·m].
        wrench: (k, 6) on the tool, base axes [N, N·m].
        detected: (k,) bool, where an alarm was raised (disarmed after it, as in the closed loop).
    """

    time: np.ndarray
    level: np.ndarray
    tau_external: np.ndarray
    wrench: np.ndarray
    detected: np.ndarray


def replay(
    model: Arm,
    signals: Signals,
    estimator: Method,
    detector: Method,
    parameters: Mapping[str, Any] | None = None,
    rearm: float = 1.0,
) -> Replay:
    """Run an estimator and a detector over recorded signals.

    Args:
        model: the arm as the control computer believes it to be, friction included.
        signals: ``signals_of_run`` or ``signals_of_recording``.
        estimator: a ``Method`` of ``plugin.find_method``.
        detector: the same.
        parameters: by name, of either method; the rest at their defaults. What a world's estimator
            inherits from the control law (``omega``) has to be given here.
        rearm: level below which a detector that has fired is armed again.

    Raises:
        BadInput: shapes that do not fit, time that does not increase, numbers that are not finite, an
            unknown parameter or one out of its range, one that would be inherited and is not given.
    """
    n = len(model.dh)
    rows = _checked(signals, n)
    values = _known(dict(parameters or {}), estimator, detector)
    controller = _controller(model, estimator, detector, values)
    count = len(rows.time)
    out = (np.zeros(count), np.zeros((count, n)), np.zeros((count, 6)), np.zeros(count, dtype=np.bool_))
    settings, state = _settings(rearm), make_state(np.zeros(n), 0)
    _compiled_replay()(compiled(estimator), compiled(detector), controller, settings, state, rows, *out)
    return Replay(rows.time, *out)


def signals_of_run(run: Run) -> Signals:
    """Signals of a simulated run, one row a control period.

    A row of the record holds the torque from that row on; the methods are told that of the period before.

    Raises:
        BadInput: nothing was recorded, or more coarsely than once a control period.
    """
    world, data = run.world, run.data
    every, per_period = world.record.every, round(world.controller.period / world.plant.step)
    if data.sizes["time"] == 0 or per_period % every:
        raise BadInput(
            "the record lacks rows at control periods",
            where=world.name,
            found=f"{data.sizes['time']} rows, every {every}",
            allowed=f"record.every a divisor of {per_period}, record.signals: all",
        )
    stride = per_period // every
    columns = [np.ascontiguousarray(data[name].values[::stride]) for name in _NAMES]
    last = data.tau.values[stride - 1 :: stride][: len(columns[0]) - 1]
    tau = np.vstack([np.zeros((1, last.shape[1])), last])
    return Signals(data.time.values[::stride], *columns[:-1], tau)


def signals_of_recording(data: xarray.Dataset, motors: MotorFit) -> Signals:
    """Signals of a real arm, the motors' torque from their currents.

    Raises:
        BadInput: a signal was not recorded.
    """
    missing = [name for name in (*_NAMES[:-1], "current") if name not in data]
    if missing:
        raise BadInput(
            "signals were not recorded",
            where=str(data.attrs.get("title", "recording")),
            found=", ".join(missing),
            allowed="q, qd, q_ref, qd_ref, qdd_ref and current",
        )
    columns = [data[name].values for name in _NAMES[:-1]]
    return Signals(data.time.values, *columns, motors.torque(data.current.values))


def _checked(signals: Signals, n: int) -> Signals:
    (time,), _ = as_rows(1, time=np.asarray(signals.time, dtype=np.float64)[..., None])
    columns, lead = as_rows(n, **{name: getattr(signals, name) for name in _NAMES})
    if lead != (len(time),):
        raise BadInput("signals and time differ in length", found=lead, allowed=f"({len(time)},)")
    if len(time) and not np.all(np.diff(time[:, 0]) > 0):
        raise BadInput("time does not increase", where="signals.time")
    for name, values in zip(("time", *_NAMES), (time, *columns), strict=True):
        if not np.isfinite(values).all():
            row = int(np.argmin(np.isfinite(values).all(axis=1)))
            raise BadInput(
                "not a finite number", where=f"signals.{name}, row {row}", allowed="finite numbers"
            )
    return Signals(time[:, 0].copy(), *(values.copy() for values in columns))  # as_rows may give views


def _known(parameters: dict[str, Any], *methods: Method) -> dict[str, Any]:
    known = {p.name: p for method in methods for p in method.parameters}
    for name, value in parameters.items():
        if name not in known:
            raise BadInput(
                "unknown parameter",
                found=name,
                allowed=", ".join(known) or "none: the methods take no parameters",
                nearest=nearest_name(name, known),
            )
        parameter, array = known[name], np.asarray(value, dtype=np.float64)
        if not np.all((array >= parameter.low) & (array <= parameter.high)):  # NaN is refused too
            allowed = f"{parameter.low:g} to {parameter.high:g} [{parameter.unit}]"
            raise BadInput("out of range", where=name, found=value, allowed=allowed)
    for name, parameter in known.items():
        if parameter.inherit and name not in parameters:
            raise BadInput(
                f"{name} must be given: {parameter.description}",
                allowed=f"{parameter.low:g} to {parameter.high:g} [{parameter.unit}]",
            )
    return parameters


def _controller(model: Arm, estimator: Method, detector: Method, values: dict[str, Any]) -> Controller:
    n = len(model.dh)
    return Controller(
        model=model,
        law=np.zeros(0),
        estimator=estimator.pack(values, n),
        detector=detector.pack(values, n),
        law_memory=np.zeros(0),
        estimator_memory=np.zeros(estimator.memory(n)),
        detector_memory=np.zeros(detector.memory(n)),
        torque_limits=np.full(n, np.inf),
        work=make_work(n),
    )


def _settings(rearm: float) -> Settings:
    """Those of a loop without integrator, goal or time off: only ``rearm`` decides."""
    one, zero = np.ones(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    return Settings(
        step=np.ones(1),
        stages=one,
        steps_per_period=one,
        delay=zero,
        hold=one,
        goal=np.zeros(4),
        rearm=np.array([float(rearm)]),
        hold_off=np.zeros(1),
        log_every=one,
    )


def _replay(estimator, detector, controller, settings, state, rows, level, tau_external, wrench, detected):
    """Sense, judge and note, row by row."""
    sensed, belief = state.sensed, state.belief
    for row in range(rows.time.size):
        sensed.time[0] = rows.time[row]
        for i in range(sensed.q.size):
            sensed.q[i] = rows.q[row, i]
            sensed.qd[i] = rows.qd[row, i]
            sensed.q_ref[i] = rows.q_ref[row, i]
            sensed.qd_ref[i] = rows.qd_ref[row, i]
            sensed.qdd_ref[i] = rows.qdd_ref[row, i]
            sensed.tau[i] = rows.tau[row, i]
        update_model_frames(controller, sensed)
        estimate_and_judge(estimator, detector, controller, sensed, belief)
        detected[row] = raise_alarm(settings, state, rows.time[row] - rows.time[0], False)
        level[row] = belief.level[0]
        for i in range(sensed.q.size):
            tau_external[row, i] = belief.tau_external[i]
        for k in range(6):
            wrench[row, k] = belief.wrench[k]


@lru_cache(maxsize=1)
def _compiled_replay() -> Callable:
    n = 6  # only the types matter
    arm, empty = load_arm("ur5_ragazzon2012"), np.zeros(0)
    table = np.zeros((0, n))
    samples = (
        Controller(arm, *(empty,) * 6, np.zeros(n), make_work(n)),
        _settings(1.0),
        make_state(np.zeros(n), 0),
        Signals(empty, *(table,) * 6),
        empty,
        table,
        table,
        np.zeros(0, dtype=np.bool_),
    )
    methods = (numba.types.FunctionType(signature(kind)) for kind in ("estimator", "detector"))
    return compile_loop(numba.types.void(*methods, *(numba.typeof(s) for s in samples)), _replay)
