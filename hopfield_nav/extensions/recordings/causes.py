"""Why a detection came: on which joint, how far above its threshold, and what could have done it alone.

An error of the model has one size, which must explain the torques that the estimator took for
contact in all the time before the alarm (``BEFORE``), in whatever way the arm moved meanwhile. A
contact is what came within the last ``ONSET`` and was not there before. What is over after a few
rows is noise. Of every possible cause the part of the torque (squared) that it explains is told,
with the size that this takes; torques of joints are weighed by what each can bear. An alarm within
``BEFORE`` of the log's begin is never told to be a contact, since nothing shows what was there
before.
"""

from dataclasses import dataclass, replace

import numpy as np

from dynamics import Arm, inverse_dynamics, jacobian, joint_friction_torque
from hopfield_nav.extensions.recordings.replayed import Replay
from hopfield_nav.extensions.recordings.signals import Signals

ONSET, BEFORE = 0.15, 0.5  # [s] before the alarm: what is sudden, and what that is measured against
BRIEF = 3  # rows; what is above half of the alarm's level for no more is noise
LIKELY = 0.1  # share below which a cause explains nothing
# [kg] of an unknown load, and of friction or masses, that are likely
MOST_LOAD, MOST_SHARE = (5.0, 1.0)
_ROWS = 40  # before an alarm, that an error of the model has to explain
_UNKNOWN_FRICTION = 0.1  # of what a joint bears, where the model has none


@dataclass(frozen=True)
class Cause:
    """A possible cause."""

    name: str  # ``contact``, ``friction``, ``payload``, ``masses`` or ``noise``
    share: float  # of the torque (squared) that it explains, from 0 to 1
    size: str  # in words, the error or force that this takes


@dataclass(frozen=True)
class Explanation:
    """Why a detection came."""

    time: float  # of the alarm [s]
    joint: int  # on which most is felt, as a share of what it bears; counted from 1
    level: float  # alarm level, 1 at the threshold
    torque: np.ndarray  # (n,) taken for contact [N·m]
    causes: tuple[Cause, ...]  # the likeliest first


def explain_detections(model: Arm, signals: Signals, found: Replay) -> list[Explanation]:
    """An explanation of every detection of a replay, by the arm as the control computer believes it to be."""
    return [_explain(model, signals, found, int(row)) for row in np.flatnonzero(found.detected)]


def _explain(model: Arm, signals: Signals, found: Replay, row: int) -> Explanation:
    weight = 1.0 / np.where(np.isfinite(model.torque_limits), model.torque_limits, 100.0)
    torque, time = found.tau_external[row], found.time
    first = int(np.searchsorted(time, time[row] - BEFORE))
    earlier = slice(first, int(np.searchsorted(time, time[row] - ONSET)) + 1)
    known = time[row] - time[0] >= BEFORE  # else nothing is known of what was there before
    sudden = (
        torque - np.median(found.tau_external[earlier], axis=0) if known else np.zeros_like(torque)
    )
    whole = float(np.sum((torque * weight) ** 2)) or 1.0
    above = _rows_above(found.level, row)
    causes = [Cause("noise", float(above <= BRIEF), f"above half of its level for {above} rows")]
    causes.append(_contact(model, signals, row, sudden, whole, weight))
    rows = np.unique(np.linspace(first, row, _ROWS).astype(int))
    causes += _errors_of_model(model, signals, found.tau_external, rows, weight)
    if causes[0].share > 0.0:  # what is over at once is nothing else
        causes[1:] = [replace(cause, share=0.0) for cause in causes[1:]]
    causes.sort(key=lambda cause: -cause.share)
    joint = 1 + int(np.argmax(np.abs(torque) * weight))
    return Explanation(float(time[row]), joint, float(found.level[row]), torque, tuple(causes))


def _contact(
    model: Arm, signals: Signals, row: int, sudden: np.ndarray, whole: float, weight: np.ndarray
) -> Cause:
    """A force on the tool that came suddenly."""
    share, force = _fit(jacobian(model, signals.q[row])[:3].T, sudden, weight)
    fast = min(1.0, float(np.sum((sudden * weight) ** 2)) / whole)
    newtons = float(np.linalg.norm(force))
    return Cause(
        "contact", share * fast, f"a force of {newtons:.3g} N on the tool, or another on a link"
    )


def _errors_of_model(
    model: Arm, signals: Signals, torque: np.ndarray, rows: np.ndarray, weight: np.ndarray
) -> list[Cause]:
    """Errors of one size each, that would have to explain the torques of all the rows before the alarm."""
    q, qd, qdd = signals.q[rows], signals.qd[rows], signals.qdd_ref[rows]
    friction = joint_friction_torque(model, qd)
    if not np.any(friction):
        friction = np.sign(qd) * _UNKNOWN_FRICTION / weight
    load = np.einsum("kij,i->kj", jacobian(model, q)[:, :3], np.array(model.gravity))
    moving = inverse_dynamics(model, q, qd, qdd)
    moving -= inverse_dynamics(
        model._replace(mass=0.0 * model.mass, inertia=0.0 * model.inertia), q, qd, qdd
    )
    weigh, wanted = np.tile(weight, len(rows)), torque[rows].ravel()
    causes = []
    for name, pattern, most, words in (
        ("friction", -friction, MOST_SHARE, "friction {:+.0%}"),
        ("payload", load, MOST_LOAD, "{:+.2f} kg at the tool"),
        ("masses", -moving, MOST_SHARE, "masses {:+.0%}"),
    ):
        share, (size,) = _fit(pattern.reshape(-1, 1), wanted, weigh)
        likely = abs(size) <= most
        causes.append(
            Cause(
                name,
                share * likely,
                words.format(size) + ("" if likely else ", which is not likely"),
            )
        )
    return causes


def _fit(patterns: np.ndarray, torque: np.ndarray, weight: np.ndarray) -> tuple[float, np.ndarray]:
    """Share of a torque (n,) that patterns (n, m) explain, and the size (m,) of each."""
    wanted, columns = torque * weight, patterns * weight[:, None]
    size = np.linalg.lstsq(columns, wanted, rcond=None)[0]
    whole = float(wanted @ wanted)
    left = wanted - columns @ size
    return (max(0.0, 1.0 - float(left @ left) / whole) if whole > 0.0 else 0.0), size


def _rows_above(level: np.ndarray, row: int) -> int:
    """How many rows about an alarm are above half of its level."""
    ends = np.concatenate([[-1], np.flatnonzero(~(level > 0.5 * level[row])), [len(level)]])
    after = int(np.searchsorted(ends, row))
    return int(ends[after] - ends[after - 1]) - 1
