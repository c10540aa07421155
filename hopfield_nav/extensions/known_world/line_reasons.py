"""Why a straight line cannot be followed further, and where, in words."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dynamics import Arm, inverse_kinematics
from hopfield_nav.extensions.clearance import Scene, collides, explain
from hopfield_nav.extensions.known_world.graph import Layers, Nodes
from hopfield_nav.extensions.known_world.line import StraightLine, poses_at
from hopfield_nav.extensions.known_world.task import free_positions, turn_alternatives

_NO_TURN = "the start is within the joints' limits on no turn"
_SINGULAR = "; the wrist is singular there, which keeps joint 6 as it was"


class _Step(NamedTuple):
    """Configurations (k, 6) of a step, which are free (k,), and the nodes (m, 6) they may follow."""

    solutions: np.ndarray
    free: np.ndarray
    last: np.ndarray


def bad_station(
    arm: Arm, scene: Scene, layers: Layers, through: Sequence[np.ndarray], steps: int
) -> tuple[int, str] | None:
    """The first station at which the arm cannot stand, and why; None where there is none.

    One whose wrist is singular is left to the search: there joint 6 is free. ``through`` are start
    and stations, ``steps`` those of each leg.
    """
    for i in range(len(through)):
        at = i * steps
        free = layers.solutions[at, np.nonzero(layers.free[at, : layers.solved[at]])[0]]
        if layers.loose[at] or any(len(turn_alternatives(arm, q)) for q in free):
            continue
        if reason := free_positions(arm, scene, through, i)[2]:
            return i, reason
    return None


def why_it_ends(
    arm: Arm,
    scene: Scene,
    line: StraightLine,
    layers: Layers,
    nodes: Nodes,
    reached: int,
    between: str = "",
) -> tuple[str, float, np.ndarray]:
    """Reason, place on the line and tool point (3,) of the first step that cannot be reached.

    ``reached`` is the last layer with nodes, -1 for none, ``between`` what was found on an edge of
    the graph.
    """
    i = min(reached + 1, len(layers.place) - 1)
    singular = _SINGULAR if layers.loose[max(reached, 0)] or layers.loose[i] else ""
    why = _why(arm, scene, line, layers, nodes, i, reached) or between
    why += "" if why in (_NO_TURN, "out of reach") else singular
    return with_place(line, float(layers.place[i]), f"no continuous path: {why}")


def with_place(line: StraightLine, place: float, words: str) -> tuple[str, float, np.ndarray]:
    """A reason with its place on the line in words, the place, and the tool point there (3,)."""
    point = poses_at(line, np.array(place))[:3, 3]
    where = f"{place / len(line.shift):.0%} of the path, tool at " + ", ".join(
        f"{v:.3f}" for v in point
    )
    return f"{words} ({where} m)", place, point


def _why(
    arm: Arm, scene: Scene, line: StraightLine, layers: Layers, nodes: Nodes, i: int, reached: int
) -> str:
    if layers.solved[i] == 0:
        return "out of reach"
    last = (
        nodes.q[nodes.first[reached] : nodes.first[reached + 1]]
        if reached >= 0
        else np.empty((0, 6))
    )
    parts = _steps(arm, scene, line, layers, i, last)
    free = np.concatenate([part.free for part in parts])
    if not free.any():
        words = {
            word
            for part in parts
            for q in part.solutions
            for word in explain(arm, scene, q).split(", ")
        }
        return f"no joint position is free: {', '.join(sorted(words))}"
    if reached < 0:
        return _NO_TURN
    count = f"{int(free.sum())} of {len(free)}" if not free.all() else f"all {len(free)}"
    counted = (
        "the only joint position is free" if len(free) == 1 else f"{count} joint positions are free"
    )
    joint, change, inside = _nearest(arm, parts, layers.bound[i], bool(layers.given[i]))
    bound = layers.bound[i, joint]
    if not inside:
        return f"joint {joint + 1} would pass its limit; {counted}"
    if change <= bound:
        return ""
    return f"joint {joint + 1} would have to jump by {change:.3g} rad, {bound:.3g} are allowed; {counted}"


def _steps(
    arm: Arm, scene: Scene, line: StraightLine, layers: Layers, i: int, last: np.ndarray
) -> list[_Step]:
    """Configurations of step ``i`` as the search meets them.

    With a singular wrist they depend on θ6.
    """
    count = layers.solved[i]
    if not layers.loose[i] or not len(last):
        return [_Step(layers.solutions[i, :count], layers.free[i, :count], last)]
    pose, out = poses_at(line, layers.place[i]), []
    angles, which = np.unique(np.round(last[:, 5], 9), return_inverse=True)
    for k in range(len(angles)):
        rows = inverse_kinematics(arm, pose, theta6=last[which == k][0, 5])
        out.append(_Step(rows, ~collides(arm, scene, rows), last[which == k]))
    return out


def _nearest(
    arm: Arm, parts: list[_Step], bound: np.ndarray, given: bool
) -> tuple[int, float, bool]:
    """Joint and change [rad] of the jump that exceeds its bound least, and whether the limits allow it."""
    turn = 2.0 * math.pi
    best, least = (0, math.inf, True), math.inf
    for part, k in ((p, k) for p in parts for k in np.nonzero(p.free)[0]):
        change = part.solutions[k] - part.last
        if not given:
            change -= turn * np.rint(change / turn)
        excess = np.abs(change) - bound
        row = int(np.argmin(excess.max(axis=1)))
        joint = int(np.argmax(excess[row]))
        if excess[row, joint] < least:
            least = excess[row, joint]
            q = part.last[row] + change[row]
            limits = arm.position_limits
            inside = bool(((q >= limits[:, 0] - 1e-9) & (q <= limits[:, 1] + 1e-9)).all())
            if not inside and excess[row, joint] <= 0.0:
                joint = int(np.argmax(np.maximum(q - limits[:, 1], limits[:, 0] - q)))
            best = (joint, float(abs(change[row, joint])), inside)
    return best
