"""Identification of a real UR5 from recordings of free motion, and what it does for its detectors.

Three free runs (Kufieta 2014), 77 s in all, that were never meant to excite anything: each is held
out once, the other two are fitted. Currents give torques through motor constants that are
themselves fitted with the arm's published masses, so the scale of each joint's masses is that of
the publication. Compared are three models with the friction of the same runs: ``given`` (ur5_full),
``identified`` (least squares), and ``consistent``, the nearest real bodies, which alone can be
handed to a detector.
"""

import warnings
from functools import cache
from typing import NamedTuple

import numpy as np
from benches import suite_module
from ledger import Rows, judged
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from recorded_runs import recording
from reproduction import listed, picture, pictures_of

from dynamics import Arm, load_arm
from dynamics.identification import Identification, MotionLog, Options, identify, nmse, observations
from hopfield_nav.extensions.recordings import (
    log_of_recording,
    replay,
    signals_of_recording,
    watched_seconds,
)
from hopfield_nav.figures import COLOURS, COLUMN
from hopfield_nav.plugin import find_method
from hopfield_nav.record import alarm_rate

motors = suite_module("recordings").motors
RUNS = ("no1", "no8", "no5_free")
MODELS = ("given", "identified", "consistent")
# [s] no1 lacks two samples of every four: angles and currents between them are interpolated
STEP = 0.008
BANDWIDTH, CUTOFF = 5.0, 10.0  # [Hz] the most that 125 Hz with such holes supports
WELL_KNOWN = 0.05  # relative deviation
POLE = 15.0  # [1/s] of the observer, slower than the current's ripple
QUANTILE = 99.9  # of the fitted runs, for the detector's thresholds
draw = pictures_of(__name__, dpi=200)


class Fit(NamedTuple):
    """One run held out."""

    found: Identification  # the identification from the other two
    unknowns: dict[str, np.ndarray]  # (u,) of each model, by name
    nmse: dict[str, float]  # on the run held out, by model [N·m]
    rms: dict[str, np.ndarray]  # (6,) left of the torque there, by model [N·m]


def others(held: str) -> tuple[str, ...]:
    """The runs that are fitted."""
    return tuple(run for run in RUNS if run != held)


def options() -> Options:
    """Filters for 125 Hz; what no run shows is kept as given."""
    return Options(
        unexcited="keep", dynamics_bandwidth=BANDWIDTH, parallel_cutoff=CUTOFF, rest_speed=0.005
    )


def log(run: str, fitted_runs: tuple[str, ...]) -> MotionLog:
    """A run at even steps, with the motors that other runs gave."""
    fit, data = motors(fitted_runs), recording(run)
    raw = log_of_recording(data, fit)
    time = np.arange(0, raw.time[-1], STEP)
    even = [
        np.column_stack([np.interp(time, raw.time, x) for x in signal.T])
        for signal in (raw.q, raw.tau)
    ]
    return MotionLog(time, *even, name=run)


@cache
def fit(held: str) -> Fit:
    """Identify from two runs, judge on the third."""
    arm = load_arm("ur5_full")
    runs = others(held)
    found = identify([log(run, runs) for run in runs], arm, options())
    with warnings.catch_warnings():
        # the solver's own doubt: so poor are these data
        warnings.simplefilter("ignore", UserWarning)
        near = found.consistent
    unknowns = {
        "given": _with_friction(found, [log(run, runs) for run in runs]),
        "identified": found.estimate.values,
        "consistent": np.concatenate([near.base, near.friction]),
    }
    Y, tau, _ = observations(arm, found.base, log(held, runs), options())
    left = {name: tau - Y @ x for name, x in unknowns.items()}
    rms = {name: np.sqrt(np.mean(e**2, axis=0)) for name, e in left.items()}
    return Fit(found, unknowns, {name: nmse(tau, tau - e) for name, e in left.items()}, rms)


def _with_friction(found: Identification, logs: list[MotionLog]) -> np.ndarray:
    """The given links, with the Coulomb and viscous friction that fits the logs best."""
    parts = [observations(found.given, found.base, one, options()) for one in logs]
    Y, tau = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
    p, base = len(found.base.kept), found.base.of(found.given)
    left = tau - Y[:, :, :p] @ base
    friction = [
        np.linalg.lstsq(Y[:, j, [p + j, p + 6 + j]], left[:, j], rcond=None)[0] for j in range(6)
    ]
    return np.concatenate([base, np.transpose(friction).ravel()])


def known(held: str, limit: float = WELL_KNOWN) -> list[str]:
    """Base parameters whose relative deviation is below the limit."""
    found = fit(held).found
    p = len(found.base.kept)
    relative = found.estimate.deviations[:p] / np.abs(found.estimate.values[:p])
    return [found.names[k] for k in np.flatnonzero(relative < limit)]


def arm_of(held: str, model: str) -> Arm:
    """A model with Coulomb and viscous friction, as the document's, as a control computer would have it."""
    one = fit(held)
    arm = one.found.given if model == "given" else one.found.arm
    coulomb, viscous = np.maximum(one.unknowns[model][-12:].reshape(2, 6), 0.0)
    friction = np.column_stack([coulomb, viscous, coulomb, np.full(6, 0.1)])
    return arm._replace(friction=friction, presliding=np.full(6, np.inf))


@cache
def external(held: str, model: str, run: str) -> np.ndarray:
    """Torque (k, 6) that the momentum observer believes to be of contact in a run [N·m]."""
    return _replayed(held, model, run, np.ones(6)).tau_external


def _replayed(held: str, model: str, run: str, threshold: np.ndarray):
    signals = signals_of_recording(recording(run), motors(others(held)))
    methods = find_method("estimator", "momentum_observer"), find_method("detector", "joint_torque")
    values = {"pole": POLE, "threshold": threshold.tolist()}
    return replay(arm_of(held, model), signals, *methods, values)


def thresholds(held: str, model: str) -> np.ndarray:
    """(6,) [N·m] that the fitted runs stay below in 99.9 % of their rows."""
    rows = np.concatenate([np.abs(external(held, model, run)) for run in others(held)])
    return np.percentile(rows, QUANTILE, axis=0)


def false_alarms(model: str, of: str | None = None) -> tuple[int, float]:
    """Alarms in the runs held out, thresholds from the fitted ones; and the seconds watched.

    ``of`` names the model whose thresholds are used, by default its own.
    """
    count, seconds = 0, 0.0
    for held in RUNS:
        found = _replayed(held, model, held, thresholds(held, of or model))
        count += int(found.detected.sum())
        seconds += watched_seconds(found.time)
    return count, seconds


def rows() -> Rows:
    gain = {held: 1 - fit(held).nmse["consistent"] / fit(held).nmse["given"] for held in RUNS}
    seen = ", ".join(sorted(set.intersection(*(set(known(held)) for held in RUNS))))
    alarms = {model: false_alarms(model) for model in ("given", "consistent")}
    rates = {model: alarm_rate(*alarms[model]) for model in alarms}
    values = "; ".join(f"{held}: {listed(map(fit(held).nmse.get, MODELS), '.2f')}" for held in RUNS)
    ours = f"UR5, runs that do not excite: NMSE given, identified, consistent [N·m]: {values}"
    yield judged(
        "madsen2020.calibration_of_a_real_arm",
        ours,
        True if min(gain.values()) > 0.16 else None,
        seen=seen,
    )
    ours = ", ".join(
        f"{model}: {count} in {seconds:.0f} s ({rates[model][1]:.0f} … {rates[model][2]:.0f} an hour)"
        for model, (count, seconds) in alarms.items()
    )
    yield judged(
        "madsen2020.false_alarms",
        ours,
        True if rates["consistent"][2] < rates["given"][1] else None,
    )


@picture("real_arm", COLUMN, 1.1 * COLUMN, 3, 1, sharex=True)
def _figure(figure: Figure, *axes: Axes) -> None:
    marks = ((COLOURS.true, "o"), (COLOURS.goal, "^"), (COLOURS.felt, "s"))
    for ax, held in zip(axes, RUNS, strict=True):
        for k, (name, (colour, mark)) in enumerate(zip(MODELS, marks, strict=True)):
            x = np.arange(1, 7) + 0.2 * (k - 1)
            ax.plot(x, fit(held).rms[name], mark, color=colour, markersize=3.5, label=name)
        ax.set_title(f"{held} held out", loc="left", pad=5)
        ax.set(ylim=(0, None), xticks=range(1, 7))
    axes[1].set_ylabel("rms torque error [N·m]")
    axes[2].set_xlabel("joint")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
