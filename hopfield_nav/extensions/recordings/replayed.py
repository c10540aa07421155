"""Any estimator and detector over recorded signals: those of a simulated run, or of a real arm.

The methods, the frames they rely on, and the rule by which a level becomes an alarm are those of
the closed loop itself; only what is sensed comes from arrays.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dynamics import Arm, BadInput, load_arm, nearest_name
from dynamics.kernels.decorators import compile_loop, load_numba, unchecked_call
from dynamics.work import make_work
from hopfield_nav import control, plugin
from hopfield_nav.build import with_values_of_arm
from hopfield_nav.extensions.recordings.signals import Signals, checked_signals

if TYPE_CHECKING:
    import xarray

RESOLUTION = "encoder_resolution"  # of the world's sensors, beside the parameters of methods


class Replay(NamedTuple):
    """What a method believed at every row."""

    time: np.ndarray  # (k,) [s]
    level: np.ndarray  # (k,) alarm level as a share of the threshold
    tau_external: np.ndarray  # (k, n) torque of contact on the joints [N·m]
    wrench: np.ndarray  # (k, 6) on the tool, base axes [N, N·m]
    # (k,) bool, where an alarm was raised (disarmed after it, as in the closed loop)
    detected: np.ndarray

    def dataset(self) -> "xarray.Dataset":
        """The same, labelled as ``Run.data`` is."""
        import xarray

        n = self.tau_external.shape[1]
        return xarray.Dataset(
            {
                "level": ("time", self.level, {"units": "1"}),
                "detected": ("time", self.detected.astype(np.int8), {"units": "1"}),
                "tau_external_estimate": (("time", "joint"), self.tau_external, {"units": "N m"}),
                "force_estimate": (("time", "axis"), self.wrench[:, :3], {"units": "N"}),
                "moment_estimate": (("time", "axis"), self.wrench[:, 3:], {"units": "N m"}),
            },
            {
                "time": ("time", self.time, {"units": "s"}),
                "joint": ("joint", np.arange(1, n + 1), {"units": "1"}),
                "axis": ("axis", ["x", "y", "z"], {"units": "1"}),
            },
        )

    def csv(self) -> str:
        """The same as text: one header line, units in its names."""
        n = self.tau_external.shape[1]
        names = ["time_s", "level", "detected", *(f"tau_external_{i}_Nm" for i in range(1, n + 1))]
        names += [f"force_{axis}_N" for axis in "xyz"] + [f"moment_{axis}_Nm" for axis in "xyz"]
        table = np.column_stack(
            [self.time, self.level, self.detected, self.tau_external, self.wrench]
        )
        return (
            "\n".join(
                [",".join(names), *(",".join(f"{value:.10g}" for value in row) for row in table)]
            )
            + "\n"
        )


def replay(
    model: Arm,
    signals: Signals,
    estimator: plugin.Method,
    detector: plugin.Method,
    parameters: Mapping[str, Any] | None = None,
    rearm: float = 1.0,
    episodes: bool = False,
) -> Replay:
    """Run an estimator and a detector, each a ``Method`` of ``find_method``, over recorded signals.

    ``model`` is the arm as the control computer believes it to be, friction included; the signals
    are of ``signals_of_run`` or ``signals_of_recording``. ``parameters`` are by name, of either
    method; the rest at their defaults. What a world's estimator inherits from the control law has
    to be given here: its gains as ``position_gain`` and ``velocity_gain``, or as ``omega`` and
    ``damping_ratio`` of ``inverse_dynamics``. Also ``encoder_resolution`` [rad], which the belief
    of gears that give before they slip depends on; default exact. Below the level ``rearm`` a
    detector that has fired is armed again. ``episodes`` is as ``detection.episodes`` of a world; by
    default every rise counts, since an arm that does not answer what it feels never retreats from
    it.

    Raises ``BadInput``: shapes that do not fit, time that does not increase, numbers that are not
    finite, an unknown parameter or one out of its range, one that would be inherited and is not
    given.
    """
    return Replaying(model, estimator, detector, parameters, rearm, episodes).feed(signals)


class Replaying:
    """``replay`` in pieces, as rows come, with its arguments and errors; methods remember."""

    def __init__(
        self,
        model: Arm,
        estimator: plugin.Method,
        detector: plugin.Method,
        parameters: Mapping[str, Any] | None = None,
        rearm: float = 1.0,
        episodes: bool = False,
    ) -> None:
        self._n = n = len(model.dh)
        given = dict(parameters or {})
        self._resolution = np.zeros(n) + np.asarray(given.pop(RESOLUTION, 0.0), dtype=np.float64)
        values = _known(given, estimator, detector)
        gains = partial(gains_among, values)
        values = with_values_of_arm((estimator, detector), values, model, gains)
        self._methods = (
            model,
            estimator,
            detector,
            values,
            control.AlarmRule(float(rearm), 0.0, bool(episodes), 0.0),
        )
        self._block = np.zeros((len(Signals._fields) - 2, 1, n))
        self._row, self._out = Signals(np.zeros(1), *self._block), _empty(1, n)
        self.restart()
        loop = _compiled_replay()
        # looks at the types
        loop(*self._records, Signals(np.zeros(0), *(np.zeros((0, n)),) * 6), *_empty(0, n))
        self._loop = unchecked_call(loop)

    def restart(self) -> None:
        """Forget every row."""
        model, estimator, detector, values, rule = self._methods
        n = self._n
        self._last = -np.inf
        self._records = (
            model,
            plugin.applied(estimator, values, n),
            plugin.applied(detector, values, n),
            rule,
            plugin.make_sensed(n),
            control.make_belief(n),
            control.make_alarm(n),
            make_work(n),
            self._resolution,
        )

    def feed(self, signals: Signals) -> Replay:
        """What the methods believe at the next rows.

        Raises ``BadInput``: as ``replay``, or rows that are not after those before.
        """
        rows = checked_signals(signals, self._n)
        count = len(rows.time)
        if not len(rows.wrench):
            self._refuse_wrist()
        if count:
            if rows.time[0] <= self._last:
                raise BadInput("time does not increase", where="signals.time")
            self._last = float(rows.time[-1])
        out = _empty(count, self._n)
        self._loop(*self._records, rows, *out)
        return Replay(rows.time, *out)

    def feed_row(self, time: float, sensed: np.ndarray) -> tuple[float, np.ndarray, bool]:
        """The same for one row, some ten times as fast: level, tau_external (n,), detected.

        ``sensed`` (6, n) is in the order of ``Signals``, the time in seconds.

        Raises ``BadInput``: a wrong shape, numbers that are not finite, or time that does not
        increase.
        """
        if sensed.shape != self._block[:, 0].shape or not np.isfinite(sensed).all():
            raise BadInput(
                "no row of signals", where="sensed", allowed=f"(6, {self._n}) finite numbers"
            )
        if not time > self._last:
            raise BadInput("time does not increase", where="signals.time")
        self._refuse_wrist()
        self._last = self._row.time[0] = time
        self._block[:, 0] = sensed
        self._loop(*self._records, self._row, *self._out)
        level, torque, _, detected = self._out
        return float(level[0]), torque[0].copy(), bool(detected[0])

    def _refuse_wrist(self) -> None:
        _, estimator, *_ = self._methods
        if estimator.needs == plugin.WRIST:
            allowed = "a run with sensors.wrench, or an estimator that feels through the joints"
            what = "these signals have none of a sensor at the flange"
            raise BadInput(what, where="estimator", found=estimator.name, allowed=allowed)


def _empty(count: int, n: int) -> tuple[np.ndarray, ...]:
    """Room for what is believed in so many rows: level, tau_external, wrench, detected."""
    return (
        np.zeros(count),
        np.zeros((count, n)),
        np.zeros((count, 6)),
        np.zeros(count, dtype=np.bool_),
    )


def with_gains(parameters: Mapping[str, Any], methods: Sequence[plugin.Method]) -> dict[str, Any]:
    """Parameters of methods, with gains in place of ``omega`` and ``damping_ratio``.

    These two are parameters of the law ``inverse_dynamics``, from which the gains follow. Nothing
    is replaced where no method works on gains or has an ``omega`` of its own, or where none is
    given.

    Raises ``BadInput``: a value that ``Parameter.check`` refuses.
    """
    names = {p.name for method in methods for p in method.parameters}
    if plugin.POSITION_GAIN.name not in names or "omega" in names or "omega" not in parameters:
        return dict(parameters)
    law = plugin.find_method("controller", "inverse_dynamics")
    of_law = {p.name: p.check(parameters.get(p.name, p.default)) for p in law.parameters}
    others = {name: value for name, value in parameters.items() if name not in of_law}
    for name, gain in plugin.inheritable(law, of_law).items():
        if name in names:
            others[name] = gain
    return others


def gains_among(values: Mapping[str, Any]) -> plugin.Gains | None:
    """The gains of a control law among values by name; None: they are not."""
    if plugin.POSITION_GAIN.name not in values:
        return None
    velocity = values.get(plugin.VELOCITY_GAIN.name, 0.0)
    return plugin.Gains(values[plugin.POSITION_GAIN.name], velocity)


def _known(parameters: dict[str, Any], *methods: plugin.Method) -> dict[str, Any]:
    known = {p.name: p for method in methods for p in method.parameters}
    parameters = with_gains(parameters, methods)
    for name in parameters:
        if name not in known:
            allowed = ", ".join(known) or "none: the methods take no parameters"
            raise BadInput(
                "unknown parameter", found=name, allowed=allowed, nearest=nearest_name(name, known)
            )
    for method in methods:
        for parameter in method.parameters:
            if parameter.inherit and parameter.name not in parameters:
                if parameter.name == plugin.POSITION_GAIN.name:  # which few can say
                    parameter = plugin.find_method("controller", "inverse_dynamics").parameters[0]
                what = f"{parameter.name} must be given: {parameter.description}"
                given = (
                    f"--set {parameter.name}=VALUE, or the world of the arm; "
                    "in Python parameters={…}"
                )
                span = f"{parameter.low:g} to {parameter.high:g} [{parameter.unit}]"
                raise BadInput(what, where=method.name, allowed=f"{span} by {given}")
    return parameters


def _replay(
    model,
    estimator,
    detector,
    rule,
    sensed,
    belief,
    alarm,
    work,
    no_step,
    rows,
    level,
    tau_external,
    wrench,
    detected,
):
    """Sense, judge and note, row by row."""
    for row in range(rows.time.size):
        sensed.time[0] = rows.time[row]
        for i in range(sensed.q.size):
            sensed.q[i] = rows.q[row, i]
            sensed.qd[i] = rows.qd[row, i]
            sensed.q_ref[i] = rows.q_ref[row, i]
            sensed.qd_ref[i] = rows.qd_ref[row, i]
            sensed.qdd_ref[i] = rows.qdd_ref[row, i]
            sensed.tau[i] = rows.tau[row, i]
        if rows.wrench.shape[0] > 0:
            for k in range(6):
                sensed.wrench[k] = rows.wrench[row, k]
        control.update_model_frames(model, sensed, work)
        control.estimate_and_judge(model, estimator, detector, no_step, sensed, work, belief)
        detected[row] = control.raise_alarm(rule, alarm, sensed, belief, 0.0, 1.0, False)
        level[row] = belief.now.level
        for i in range(sensed.q.size):
            tau_external[row, i] = belief.tau_external[i]
        for k in range(6):
            wrench[row, k] = belief.wrench[k]


@lru_cache(maxsize=1)
def _compiled_replay() -> Callable:
    n = 6  # only the types matter
    column = np.zeros(0)
    table = np.zeros((0, n))
    records = (
        load_arm("ur5_ragazzon2012"),
        plugin.applied_type("estimator"),
        plugin.applied_type("detector"),
        control.AlarmRule(0.0, 0.0, True, 0.0),
        plugin.make_sensed(n),
        control.make_belief(n),
        control.make_alarm(n),
        make_work(n),
        np.zeros(n),
        Signals(column, *(table,) * 6, table),
        column,
        table,
        table,
        np.zeros(0, dtype=np.bool_),
    )
    return compile_loop(
        load_numba().types.void(*(plugin.type_of(record) for record in records)), _replay
    )
