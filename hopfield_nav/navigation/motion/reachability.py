"""Cells of the map that the arm cannot reach: no solution, beyond its limits, singular, or a link touches.

What may not be touched are the known obstacles. Link 1 may touch what the arm is mounted on, that is what link 1
touches whatever the angle of joint 1.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from dynamics import Arm, JointPath, follow_path, manipulability
from hopfield_nav.geometry import LINK, arm_bodies, arm_distance

SINGULAR = 1e-3  # ``manipulability``, m³ for six joints: joints run away below it
ANY_JUMP = 1e6  # [rad] a solution at any distance from the start is a solution
_TURN = np.linspace(-np.pi, np.pi, 73)  # [rad] of joint 1, whose link is a few cm thick


class KnownSolids(NamedTuple):
    """Known obstacles that no link may touch."""

    solids: np.ndarray  # (m, 17) from ``geometry.pack_primitives``
    mount: np.ndarray  # (m,) bool, those that link 1 always touches


def known_solids(arm: Arm, solids: np.ndarray) -> KnownSolids:
    """Find out which of the solids (m, 17) the arm is mounted on."""
    q = np.zeros((len(_TURN), len(arm.dh)))
    q[:, 0] = _TURN
    first = arm_bodies(arm)[:, LINK] == 1
    touching = (arm_distance(arm, q, solids)[:, first] <= 0.0).any(axis=1)
    return KnownSolids(solids, np.asarray(touching.all(axis=0)))


def link_distances(arm: Arm, q: np.ndarray, known: KnownSolids) -> tuple[np.ndarray, np.ndarray]:
    """(b,) link of each body (the tool is with the last), (k, b, m) signed distances to what is known [m].

    They are infinite for link 0, and for link 1 to what the arm is mounted on: what may not touch counts alone.
    """
    link = arm_bodies(arm)[:, LINK].astype(int)
    distance = arm_distance(arm, q, known.solids)
    distance[:, link == 0] = np.inf
    distance[:, link == 1] = np.where(known.mount, np.inf, distance[:, link == 1])
    return link, distance


def touching_links(arm: Arm, q: np.ndarray, known: KnownSolids) -> np.ndarray:
    """(k, 2): link (from 1, the tool is with the last), known obstacle (from 0) that overlap most; or -1."""
    link, distance = link_distances(arm, q, known)
    flat = distance.reshape(len(distance), len(link) * len(known.solids))
    if flat.size == 0:
        return np.full((len(distance), 2), -1)
    body, solid = np.divmod(flat.argmin(axis=1), len(known.solids))
    return np.where((flat.min(axis=1) <= 0.0)[:, None], np.column_stack([link[body], solid]), -1)


def truncate_at_collision(arm: Arm, path: JointPath, known: KnownSolids) -> JointPath:
    """The path up to where "link l touches known obstacle j at waypoint i", which is its reason."""
    touching = touching_links(arm, path.q[: path.reached], known)
    return _cut(path, touching[:, 0] >= 0, lambda first: "link {} touches known obstacle {}".format(*touching[first]))


def follow_regular_path(arm: Arm, poses: np.ndarray, q: np.ndarray) -> JointPath:
    """As ``follow_path``, but the path also ends where the arm is singular, "singular at waypoint i"."""
    path = follow_path(arm, poses, q)
    return _cut(path, manipulability(arm, path.q[: path.reached]) < SINGULAR, lambda first: "singular")


def _cut(path: JointPath, bad: np.ndarray, why: Callable[[int], str]) -> JointPath:
    """The path up to the first bad waypoint."""
    if not bad.any():
        return path
    first, angles = int(bad.argmax()), path.q.copy()
    angles[first:] = np.nan
    return JointPath(angles, first, f"{why(first)} at waypoint {first}")
