"""The surface that goes on about a place that was touched: believed, not felt.

Where a touch was likely at one place, an obstacle has a surface there, along the arm's own. Some points of that plane
are believed to be occupied too, with a share of the place's weight, until the arm contains them.
"""

import numpy as np

from dynamics import Arm
from hopfield_nav.geometry import LINK, arm_bodies, arm_closest_points, pack_primitives, sphere
from hopfield_nav.navigation.map import ContactHypotheses

LEAST, SHARE = 0.6, 0.6  # weight of a place about which a surface is believed, and share of it of what is said there
COUNT = 6  # points about a place
_POINT = 1e-6  # [m] radius of what stands for a point


def tangent_points(arm: Arm, q: np.ndarray, places: ContactHypotheses, distance: float) -> np.ndarray:
    """(k, COUNT, 3) points so far [m] from each place, across the arm's normal there at joint angles (n,) [rad].

    They are evenly spread about the place. NaN where the place is on the axis of its link, which has no normal there.
    """
    found = np.full((len(places.points), COUNT, 3), np.nan)
    if not len(places.points):
        return found
    near = arm_closest_points(arm, q, pack_primitives(sphere(p, _POINT) for p in places.points))
    links = arm_bodies(arm)[:, LINK].astype(int)
    turn = np.arange(COUNT)[:, None] * 2.0 * np.pi / COUNT
    for k, (place, link) in enumerate(zip(places.points, places.links, strict=True)):
        normal = near.normal[int(np.where(links == link, near.distance[:, k], np.inf).argmin()), k]
        if np.linalg.norm(normal) < 0.5:
            continue
        first = np.cross(normal, np.eye(3)[np.abs(normal).argmin()])
        first /= np.linalg.norm(first)
        second = np.cross(normal, first) / np.linalg.norm(normal)
        found[k] = place + distance * (np.cos(turn) * first + np.sin(turn) * second)
    return found
