"""Waypoints of the tool on a path at any angle; the time from waypoint to waypoint, there and over cells."""

import itertools
import math

import numpy as np

from hopfield_nav.navigation.map import round_half_away

SECONDS_PER_CELL = 0.5  # of the document's rule for many waypoints, round(n/2)/(n - 1)
MIN_LENGTH = 1e-6  # [cells] shorter than this is no step


def along_chain(points: np.ndarray) -> np.ndarray:
    """Points (n, rank) on a chain of straight lines, its corners (k, rank) among them, evenly on each line.

    Neighbours are at most 1 apart.
    """
    rows = [points[:1]]
    for a, b in itertools.pairwise(points):
        count = max(math.ceil(float(np.linalg.norm(b - a)) - 1e-9), 1)
        rows.append(a + np.arange(1, count + 1)[:, None] / count * (b - a))
    return np.vstack(rows)


def tight_chain(
    blocked: np.ndarray, points: np.ndarray, first: np.ndarray | None, last: np.ndarray,
    spacing: float, clearance: float,
) -> np.ndarray:  # fmt: skip
    """Corners (n, rank), in cells, of the tight path from ``first``, where the tool is, to ``last``, the goal.

    They lie in the first and the last cell of the planned ``points`` (k, rank); without ``first`` the path begins at
    the first point. ``spacing`` and ``clearance`` are in [m].
    """
    chain = np.array(points, dtype=float)
    if len(chain) == 1 and first is not None:
        chain = np.vstack([chain, chain])
    chain[-1] = last
    if first is not None:
        chain[0] = first
    chain = np.clip(chain, -0.5, np.array(blocked.shape) - 0.5)
    from hopfield_nav.planning import shorten_path

    return shorten_path(blocked, chain, spacing, clearance)


def seconds_per_cell(rule: float | str) -> float:
    """Seconds for the length of one cell [s], of the document's rule as for many waypoints."""
    return SECONDS_PER_CELL if isinstance(rule, str) else float(rule)


def times_between(places: np.ndarray, spacing: float, rule: float | str, any_angle: bool) -> np.ndarray:
    """Seconds from place to place (k,), for tool positions (k + 1, 3) [m].

    In proportion to the length; over cells no step takes less than one of a cell, on a path at ``any_angle`` the first
    one does not, back to the path. Over cells the document's rule is round(n/2)/(n-1) for all (ragazzon2012 C.2.2).
    """
    steps = len(places) - 1
    if rule == "ragazzon2012" and not any_angle:
        return np.full(steps, float(round_half_away(np.array((steps + 1) / 2))) / steps)
    lengths = np.linalg.norm(np.diff(places, axis=0), axis=1) / spacing
    lengths[0] = max(lengths[0], 1.0)
    return seconds_per_cell(rule) * np.maximum(lengths, MIN_LENGTH if any_angle else 1.0)
