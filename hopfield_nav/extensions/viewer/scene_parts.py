"""What moves and what stands on the page.

The poses of the links, the solids, and when each was first touched. ``describe`` puts a page's
numbers together, of a run, a plan or a stream alike.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from dynamics import Arm, link_frames
from hopfield_nav.extensions.viewer.arrays import packed
from hopfield_nav.figures import COLOURS
from hopfield_nav.geometry import arm_parts, capsule_distance
from hopfield_nav.world import Mesh, Solid
from hopfield_nav.world import packed as pack_solids

_NEAR = 5e-3  # [m] from a solid's surface, within which a contact is on that solid


def describe(
    title: str,
    outcome: str,
    arm: Arm,
    time: np.ndarray,
    q: np.ndarray,
    tool: np.ndarray,
    **more: Any,
) -> dict[str, Any]:
    """Everything that a page shows, ready for JSON, over frames (f,).

    Time [s], joint angles (f, n), tool (f, 3) [m]. ``more`` is what else the page has; what is not
    in it, such as a map, it has not.
    """
    return {
        "title": title,
        "outcome": outcome,
        "command": "",
        "colours": COLOURS._asdict(),
        "time": np.round(time, 6).tolist(),
        "arm": arm_parts(arm),
        "poses": link_poses(arm, q),
        "tool": packed(tool),
        "tool_name": "tool",
        "planned": None,
        "map": None,
        "start": tool[0].tolist(),
        "goal": None,
        "world": "",
        **{key: [] for key in ("forces", "solids", "places", "events", "panels", "results")},
        **more,
    }


def link_poses(arm: Arm, q: np.ndarray) -> dict[str, Any]:
    """Where the links are, base and flange included, at joint angles (f, n) [rad].

    ``position`` (f, n + 1, 3) [m] and ``turn`` (f, n + 1, 4), unit quaternions x, y, z, w that do
    not change sign from frame to frame.
    """
    frames = link_frames(arm, q)
    turn = (
        Rotation.from_matrix(frames[..., :3, :3].reshape(-1, 3, 3))
        .as_quat()
        .reshape(*frames.shape[:-2], 4)
    )
    flips = np.sum(turn[1:] * turn[:-1], axis=-1) < 0.0
    turn[1:] *= np.where(np.cumsum(flips, axis=0) % 2, -1.0, 1.0)[..., None]
    return {"position": packed(frames[..., :3, 3]), "turn": packed(turn)}


def solid_part(
    solid: Solid,
    known: bool,
    touched: float | None = None,
    stands: Sequence[float] = (0.0, math.inf),
) -> dict[str, Any]:
    """A solid with its own keys of the world file.

    Beside them when it was first ``touched``, if ever, and from when until when it ``stands`` [s];
    None: never.
    """
    begin, end = (time if math.isfinite(time) else None for time in stands)
    told = {"kind": type(solid).__name__.lower(), "known": known, "touched": touched, "stands": [begin, end],
            **solid.model_dump(mode="json")}  # fmt: skip
    return {**told, "triangles": solid.triangles.tolist()} if isinstance(solid, Mesh) else told


def first_touches(
    solids: Sequence[Solid], stands: np.ndarray, time: np.ndarray, points: np.ndarray
) -> list[float | None]:
    """When each solid was first touched [s], or None, by points (k, 3) of contact [m], NaN for none.

    Each ``stands`` (m, 2) from when until when [s].
    """
    there = np.isfinite(points).all(axis=1)
    if not solids or not there.any():
        return [None] * len(solids)
    point = points[there]
    rows = np.concatenate([point, point, np.zeros((len(point), 1))], axis=1)
    now = time[there][:, None]
    gone = (now < stands[:, 0]) | (stands[:, 1] <= now)
    distance = np.where(gone, np.inf, capsule_distance(rows, pack_solids(solids)))
    nearest = distance <= np.minimum(distance.min(axis=1, keepdims=True), _NEAR)
    return [float(time[there][own][0]) if own.any() else None for own in nearest.T]
