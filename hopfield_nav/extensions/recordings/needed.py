"""What the methods need of a recording: torques that drive the joints, a reference, a model that fits them.

Where the torques are what the model of the arm's maker leaves, ours has to say that no torque is needed.
"""

from typing import TYPE_CHECKING

import numpy as np

from dynamics import Arm, BadInput
from dynamics.files import arm_from_dict

if TYPE_CHECKING:
    import xarray

SMOOTHED = 0.1  # [s] of motion from which a velocity is told that was not recorded
_AT_ONCE = 20000  # rows whose cubics are solved for together
_REFERENCE = ("q_ref", "qd_ref", "qdd_ref")


def drive_of(data: "xarray.Dataset") -> np.ndarray:
    """What moves the joints (k, n): torques at them [N·m] where those were measured, else currents [A].

    Raises ``BadInput``: neither was recorded.
    """
    if "effort" in data:
        return data.effort.values
    if "current" not in data:
        found, where = ", ".join(map(str, data)), str(data.attrs.get("title", "recording"))
        raise BadInput("no motor currents or torques were recorded", where=where, found=found)
    return data.current.values


def with_reference(data: "xarray.Dataset") -> "xarray.Dataset":
    """A recording with the signals that it lacks: of the reference those of the motion that was measured.

    Derivatives are those of a cubic through ``SMOOTHED`` seconds, as many before a row as after it.
    """
    title, dimensions = str(data.attrs.get("title", "recording")), ("time", "joint")
    if "q" in data and "qd" not in data:
        data = data.assign(qd=(dimensions, _smoothed(data.time.values, data.q.values, title)[1]))
    missing = [name for name in _REFERENCE if name not in data]
    if missing:
        motion = _smoothed(data.time.values, (data.q_ref if "q_ref" in data else data.q).values, title)
        own = dict(zip(_REFERENCE, motion, strict=True))
        data = data.assign({name: (dimensions, own[name]) for name in missing})
    return data


def _smoothed(time: np.ndarray, angles: np.ndarray, title: str) -> list[np.ndarray]:
    """Angles (k, n) with first and second derivative; the cubic is one in time, so that rows may be missing."""
    period = float(np.median(np.diff(time))) if len(time) > 1 else 1.0
    rows = max(2 * round(0.5 * SMOOTHED / period) + 1, 5)
    if len(time) < rows:
        raise BadInput("too few rows for velocities", where=title, found=len(time), allowed=f"{rows} or more")
    first, span = np.clip(np.arange(len(time)) - rows // 2, 0, len(time) - rows), 0.5 * rows * period
    found = []
    for part in np.array_split(np.arange(len(time)), -(-len(time) // _AT_ONCE)):
        near = first[part, None] + np.arange(rows)
        powers = ((time[near] - time[part, None]) / span)[:, None, :] ** np.arange(4)[:, None]
        found.append(np.linalg.solve(powers @ powers.transpose(0, 2, 1), powers @ angles[near]))
    cubic = np.concatenate(found)
    return [angles, cubic[:, 1] / span, 2.0 * cubic[:, 2] / span**2]


def without_masses(arm: Arm) -> Arm:
    """An arm that needs no torque to move: no masses, tensors, rotors or friction."""
    names = ("mass", "inertia", "rotor_inertia", "friction")
    return arm._replace(**{name: np.zeros_like(getattr(arm, name)) for name in names})


def bare_chain(n: int) -> Arm:
    """``n`` joints of which nothing but their number is known: no lengths and no masses."""
    joint: dict[str, object] = {"theta": 0, "d": 0, "a": 0, "alpha": 0, "source": "none"}
    link = {"mass": 0, "center_of_mass": [0, 0, 0], "inertia": [[0, 0, 0]] * 3, "source": "none"}
    return arm_from_dict({"joints": [joint] * n, "links": [link] * n})
