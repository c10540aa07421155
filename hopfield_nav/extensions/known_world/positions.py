"""The configurations at which the arm can stand at a place of a plan: free ones, on every whole turn.

Source: nowoczyn2023 (3.5) and (3.6).
"""

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dynamics import Arm, inverse_kinematics
from dynamics.batches import as_rows
from hopfield_nav.clearance import CLOSEST, Scene, explain, motion_is_free
from hopfield_nav.extensions.known_world.task import as_station, is_pose

_ROUNDING = 1e-12  # of a turn; an angle that rounding puts beyond a limit is put on it


class Positions(NamedTuple):
    """Where the joints can be at one place of a plan."""

    q: np.ndarray  # (k, n) free ones [rad]
    candidates: int  # free or not
    reason: str  # why there is none, "" otherwise


def plan_places(arm: Arm, start: object, stations: Sequence[object]) -> list[np.ndarray]:
    """Start and stations, each (n,) joint angles or a (4, 4) pose."""
    rest = [as_station(arm, s, f"stations[{i}]") for i, s in enumerate(stations)]
    return [as_station(arm, start, "start"), *rest]


def free_positions(arm: Arm, scene: Scene, places: Sequence[np.ndarray], i: int) -> Positions:
    """The configurations at the ``i``-th place of a plan that are proven free, on every turn within the limits.

    Joint angles that are given for the start stay on their turns.

    Raises ``NoClosedForm``: a pose, and an arm that is not of UR type.

    Source: nowoczyn2023 (3.5), (3.6).
    """
    place = places[i]
    solutions = inverse_kinematics(arm, place) if is_pose(place) else place[None]
    stays = i == 0 and not is_pose(place)
    turned = [q[None] if stays else turn_alternatives(arm, q) for q in solutions]
    rows = solutions.reshape(-1, len(arm.dh))
    free = np.nonzero(motion_is_free(arm, scene, rows, rows))[0]
    q = np.concatenate([np.empty((0, len(arm.dh))), *(turned[k] for k in free)])
    name = {0: "the start", len(places) - 1: "the goal"}.get(i, f"via point {i}")
    reason = "" if len(q) else _why_none(arm, scene, solutions, len(free), name)
    return Positions(q, sum(map(len, turned)), reason)


def _why_none(arm: Arm, scene: Scene, solutions: np.ndarray, free: int, name: str) -> str:
    if len(solutions) == 0:
        return f"{name} is out of reach"
    if free:
        return f"{name} is within the joints' limits on no turn"
    words = explain(arm, scene, solutions[0])
    why = f"it is nearer than {1000.0 * CLOSEST:g} mm to something" if words == "free" else words
    return f"{name} is free in no joint position: {why}"


def turn_alternatives(arm: Arm, q: np.ndarray) -> np.ndarray:
    """Every q + 2π k (c, n) of joint angles (n,) [rad] within the limits, the first joint changing slowest.

    With limits of ±360° every joint has two of them, an angle of exactly 0 three: 2⁶ = 64 in general. A joint without
    limits stays on its turn; c = 0 where a joint's limits hold no turn.

    Raises ``BadInput``: wrong shape.

    Source: nowoczyn2023 (3.6).
    """
    (rows,), _ = as_rows(len(arm.dh), q=np.ravel(q))
    choices = [_turns(angle, *limits) for angle, limits in zip(rows[0], arm.position_limits, strict=True)]
    return np.array(list(itertools.product(*choices))).reshape(-1, len(arm.dh))


def _turns(angle: float, low: float, high: float) -> list[float]:
    if not (math.isfinite(low) and math.isfinite(high)):
        return [angle] if low <= angle <= high else []
    turn = 2.0 * math.pi
    least, most = math.ceil((low - angle) / turn - _ROUNDING), math.floor((high - angle) / turn + _ROUNDING)
    return [min(max(angle + turn * k, low), high) for k in range(least, most + 1)]
