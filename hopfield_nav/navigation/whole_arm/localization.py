"""From torque to point: where on the arm a touch may have been, each place with a weight.

It reads the control computer's trace some milliseconds after an alarm, takes off what the model leaves in
free motion, and asks the isolation which patches of the arm's surface explain the rest. Patches that moved
outwards when the contact began are more likely than those that moved away from it; near ones form a ball.

A joint that stands still bears up to its Coulomb friction without a trace: what is felt on it is too small
by something between nothing and that.
"""

import numpy as np

from dynamics import Arm
from hopfield_nav.control import angles_in, free_rows, torques_in
from hopfield_nav.geometry import LINK
from hopfield_nav.isolation import BODY, default_surface, fit_surface, free_capsules, push_torque, read_fit
from hopfield_nav.navigation.map import NOWHERE, ContactHypotheses

LATER = 0.008  # [s] after the alarm at which to look: the observer has caught up, the arm not yet bounced
BALL = 0.04  # [m] patches that are nearer to each other are one place
_MIN_ROWS = 8  # of free motion
_FLOOR, _SHARE, _OFFSET_SHARE = 0.03, 0.02, 0.1  # noise [N·m], and as share of the torque and of the offset
_STANDING_SPEED, _UNSIGNED = (
    0.01,
    1.0,
)  # [rad/s] slower a joint stands; [N·m] below which a torque has hardly a sign
_LESS_SURE = (1.0, 3.0, 10.0)  # times this noise, until some patch explains what is felt
_INWARDS = 0.02  # weight of a patch that did not move outwards, beside 1 for the fastest
_POSES, _APART = 24, 0.02  # free poses before the touch that are looked at, and between two [rad]
_MAX_PLACES, _MIN_WEIGHT = 4, 0.05  # places of a touch, and of their weights


def localize_contact(
    arm: Arm, rows: np.ndarray, onset: float, friction: np.ndarray | None = None
) -> ContactHypotheses:
    """Where a touch may have been.

    Args:
        arm: with its outline.
        rows: (k, 2 + 2 n) from ``control.in_order``; the last one is that to be read.
        onset: when the contact began [s].
        friction: (n,) Coulomb friction of the joints, as far as it is known [N·m]; default none.

    Returns:
        The places, none where nothing explains what is felt.
    """
    n = len(arm.dh)
    q, torque, free = angles_in(rows[-1]), torques_in(rows[-1]), free_rows(rows, onset)
    offset, noise, speed = np.zeros(n), np.full(n, _FLOOR), np.zeros(n)
    if len(free) >= _MIN_ROWS:
        offset = torques_in(free).mean(axis=0)
        noise = noise + torques_in(free).std(axis=0)
        way = free[-1] - free[0]
        speed = angles_in(way) / way[0]
    change = torque - offset
    noise = noise + _OFFSET_SHARE * np.abs(offset) + _SHARE * float(np.linalg.norm(change))
    if friction is not None:
        hidden = 0.5 * friction * (np.abs(speed) < _STANDING_SPEED)
        change = change + hidden * change / (np.abs(change) + _UNSIGNED)
        noise = np.hypot(noise, hidden)
    swept = _swept(arm, angles_in(free_rows(rows, onset, np.inf)))
    surface = default_surface(arm)
    for factor in _LESS_SURE:
        fit = fit_surface(arm, surface, q, change, factor * noise, free=swept)
        found = read_fit(arm, surface, q, fit)
        if len(found.patches):
            break
    else:
        return NOWHERE
    links = surface.bodies[surface.patches[found.patches, BODY].astype(int), LINK].astype(int)
    weight = found.weight * _outwards(arm, rows, onset, links, found.points, found.normals)
    return _places(found.points, links, weight / weight.sum())


def _swept(arm: Arm, q: np.ndarray) -> np.ndarray:
    """Capsules (h, k, 7) of the arm at earlier poses (m, n), the latest last."""
    kept: list[np.ndarray] = []
    for row in q[::-1]:
        if not kept or np.abs(row - kept[-1]).sum() > _APART:
            kept.append(row)
        if len(kept) == _POSES:
            break
    return free_capsules(arm, np.array(kept[::-1])) if kept else np.zeros((0, 0, 7))


def _outwards(
    arm: Arm, rows: np.ndarray, onset: float, links: np.ndarray, points: np.ndarray, inward: np.ndarray
) -> np.ndarray:
    """(k,) of each patch: its speed outwards when contact began beside the fastest, or a little."""
    last = max(int(np.searchsorted(rows[:, 0], onset)), 1)
    first = max(last - 10, 0)
    last = min(last, len(rows) - 1)
    if last <= first:
        return np.ones(len(points))
    q, way = angles_in(rows[last]), rows[last] - rows[first]
    torque = push_torque(arm, np.tile(q, (len(points), 1)), links, points, -inward)
    speed = torque @ (angles_in(way) / way[0])
    return np.maximum(speed / speed.max(), _INWARDS) if speed.max() > 0.0 else np.ones(len(points))


def _places(points: np.ndarray, links: np.ndarray, weight: np.ndarray) -> ContactHypotheses:
    """Balls of patches, the heaviest first."""
    left, found = weight.copy(), list[tuple[np.ndarray, int, float]]()
    while len(found) < _MAX_PLACES:
        near = np.linalg.norm(points[:, None] - points[None], axis=2) <= BALL
        mass = near @ left
        best = int(mass.argmax())
        if mass[best] < _MIN_WEIGHT:
            break
        own = near[best] & (left > 0.0)
        share = left[own] / left[own].sum()
        found.append((share @ points[own], links[own][int(share.argmax())], mass[best]))
        left[own] = 0.0
    if not found:
        return NOWHERE
    middles, numbers, masses = zip(*found, strict=True)
    return ContactHypotheses(np.array(middles), np.array(numbers), np.array(masses))
