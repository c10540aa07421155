"""Why a straight line cannot be followed further, and where, in words."""

from __future__ import annotations

import math

import numpy as np

from dynamics.arm import Arm
from hopfield_nav.known_world.collision_check import explain
from hopfield_nav.known_world.layered_graph import Layers, Nodes
from hopfield_nav.known_world.scene import Scene
from hopfield_nav.known_world.straight_line import StraightLine, poses_at


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

    Args:
        arm: the arm of the scene.
        scene: from ``build_scene``.
        line: the tool's line.
        layers: its steps.
        nodes: those that can be reached.
        reached: last layer with nodes; -1 for none.
        between: what was found on an edge that the graph had, "" for nothing.
    """
    i = min(reached + 1, len(layers.place) - 1)
    place = float(layers.place[i])
    point = poses_at(line, layers.place[i])[:3, 3]
    where = (
        f"{place / len(line.shift):.0%} of the way, tool at " + ", ".join(f"{v:.3f}" for v in point) + " m"
    )
    return (
        f"no continuous way: {_why(arm, scene, layers, nodes, i, reached) or between} ({where})",
        place,
        point,
    )


def _why(arm: Arm, scene: Scene, layers: Layers, nodes: Nodes, i: int, reached: int) -> str:
    count = int(layers.solved[i])
    if count == 0:
        return "out of reach"
    solutions, free = layers.solutions[i, :count], layers.free[i, :count]
    blocked = f"{count - int(free.sum())} of {count} joint positions are not free"
    if not free.any():
        words = {explain(arm, scene, q) for q in solutions}
        return f"no joint position is free: {'; '.join(sorted(words))}"
    if reached < 0:
        return ""
    last = nodes.q[nodes.first[reached] : nodes.first[reached + 1]]
    joint, change, inside = _nearest(arm, layers, i, last)
    bound = layers.bound[i, joint]
    if not inside:
        return f"joint {joint + 1} would pass its limit; {blocked}"
    if change <= bound:
        return ""
    return f"joint {joint + 1} would have to jump by {change:.3g} rad, {bound:.3g} are allowed; {blocked}"


def _nearest(arm: Arm, layers: Layers, i: int, last: np.ndarray) -> tuple[int, float, bool]:
    """Joint and change [rad] of the jump that exceeds its bound least, and whether the limits allow it."""
    turn = 2.0 * math.pi
    best = (0, math.inf, True)
    for k in np.nonzero(layers.free[i, : layers.solved[i]])[0]:
        change = layers.solutions[i, k] - last
        if not layers.given[i]:
            change -= turn * np.rint(change / turn)
        excess = np.abs(change) - layers.bound[i]
        row = int(np.argmin(excess.max(axis=1)))
        joint = int(np.argmax(excess[row]))
        if excess[row, joint] < best[1] - (layers.bound[i, best[0]] if best[1] < math.inf else 0.0):
            q = last[row] + change[row]
            limits = arm.position_limits
            inside = bool(((q >= limits[:, 0] - 1e-9) & (q <= limits[:, 1] + 1e-9)).all())
            if not inside and excess[row, joint] <= 0.0:
                joint = int(np.argmax(np.maximum(q - limits[:, 1], limits[:, 0] - q)))
            best = (joint, float(abs(change[row, joint])), inside)
    return best
