"""Chapter 5: what recordings of another UR5 can say about it; the document's own are lost."""

import numpy as np
from ledger import Rows, judged
from recorded_runs import MOVING, RUNS, recording

from tu2023 import circle_signals
from tu2023.circle_signals import PUBLISHED_CONSTANT


def torque_constants(signal: str, run: str) -> np.ndarray:
    """Least-squares K (6,) of tau = K · ``current`` or ``current_ref`` in a run; NaN where none flows [N·m/A]."""
    tau, current = recording(run).tau.values, recording(run)[signal].values
    power = np.sum(current**2, axis=0)
    return np.divide(np.sum(tau * current, axis=0), power, out=np.full(6, np.nan), where=power > 0)


def ratio_of_maxima(run: str) -> np.ndarray:
    """The document's recipe in a run, with the measured current: as in ``circle_signals`` (6,) [N·m/A]."""
    return circle_signals.ratio_of_maxima(recording(run).tau.values, recording(run).current.values)


def periods() -> np.ndarray:
    """Sampling period of every recording without gaps [s]."""
    attributes = [recording(run).attrs for run in RUNS]
    return np.array([a["period_s"] for a in attributes if not a["gap_count"]])


def rows() -> Rows:
    found = periods()
    lossy = recording("no1")
    lost = f"{lossy.attrs['gap_count']} of {lossy.sizes['time'] - 1} steps of no1 are longer"
    ours = f"{1e3 * np.median(found):.3f} ms in {len(found)} of {len(RUNS)} recordings of another UR5; {lost}"
    yield judged("tu2023.sampling_period", ours, bool(np.abs(found - 0.008).max() < 1e-6))
    measured = np.array([torque_constants("current", run)[1:3] for run in MOVING])
    commanded = np.array([torque_constants("current_ref", run)[1:3] for run in MOVING])
    text = "; ".join(
        f"joint {j + 2}: {measured[:, j].min():.1f}–{measured[:, j].max():.1f} measured current, "
        f"{commanded[:, j].min():.1f}–{commanded[:, j].max():.1f} commanded"
        for j in range(2)
    )
    ours = f"{text} (N·m/A)"
    yield judged(
        "tu2023.motor_constant", ours, bool(np.abs(commanded / PUBLISHED_CONSTANT - 1).max() < 0.1)
    )
    ratios = np.array([ratio_of_maxima(run) for run in MOVING])
    low, high = ratios.min(axis=0), ratios.max(axis=0)
    text = ", ".join(f"{a:.1f}–{b:.1f}" for a, b in zip(low, high, strict=True))
    means = ratios.mean(axis=1)
    ours = f"{means.min():.1f}–{means.max():.1f} N·m/A; joints 1 to 6: {text}"
    yield judged(
        "tu2023.mean_of_maxima", ours, bool(means.min() <= PUBLISHED_CONSTANT <= means.max())
    )
