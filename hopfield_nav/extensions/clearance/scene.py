"""Everything a collision check reads.

The arm's bodies, which of them can touch what, the known solids.
"""

from typing import NamedTuple

import numpy as np

from dynamics import Arm, BadInput
from hopfield_nav.build import build_arm, solids_of
from hopfield_nav.extensions.clearance.bodies import joint_reach, touching_pairs
from hopfield_nav.geometry import LINK, arm_bodies, arm_distance, as_primitives, pack_primitives
from hopfield_nav.world import World, packed

# angles of joint 1 at which a solid must touch link 1 to count as what the arm stands on
_TURNS = 360
_found_pairs: dict[bytes, np.ndarray] = {}


class Scene(NamedTuple):
    """Numbers for the kernels of this package."""

    bodies: np.ndarray  # (k, 12) from ``geometry.arm_bodies``
    # (p, 2) int64 bodies that are checked against each other (``touching_pairs``)
    pairs: np.ndarray
    solids: np.ndarray  # (m, 17) packed
    # (k, m) bool, body against solid. The base is fixed and is not checked. A solid that touches
    # link 1 at every angle of joint 1 is what the arm stands on, and is not checked against link 1.
    checked: np.ndarray
    margin: np.ndarray  # (2,) distance that a plan keeps: from solids, from the arm itself [m]
    # (k, m) the same for every body and solid: ``margin[0]``, but 0 for a body that only joint 1
    # moves and a solid that is within the margin of it at every angle: no plan can change that
    kept: np.ndarray
    apart: np.ndarray  # (p,) the same for every pair of bodies: ``margin[1]``
    reach: np.ndarray  # (k, n) from ``bodies.joint_reach`` [m]


def build_scene(arm: Arm, primitives: np.ndarray | None = None, margin: float = 0.0) -> Scene:
    """What an arm can touch: itself, and ``primitives`` (m, 17) from ``geometry.pack_primitives``.

    By default there are none. A tool point away from the flange adds a rod up to it. ``margin`` is
    the distance kept from the solids [m]. From itself the arm keeps none: some of its housings are
    millimetres apart in every pose.

    Raises ``BadInput``: wrong shape, or a margin that is not a finite number from 0 on.
    """
    if not 0.0 <= margin < np.inf:
        raise BadInput("wrong margin", found=margin, allowed="0 or more [m]")
    bodies = arm_bodies(arm)
    solids = pack_primitives([]) if primitives is None else as_primitives(primitives)
    key = arm.dh.tobytes() + bodies.tobytes()
    if key not in _found_pairs:
        _found_pairs[key] = touching_pairs(arm, bodies)
    pairs, reach, q = _found_pairs[key], joint_reach(arm, bodies), np.zeros((_TURNS, len(arm.dh)))
    q[:, 0] = np.linspace(-np.pi, np.pi, _TURNS, endpoint=False)
    farthest = arm_distance(arm, q, solids).max(axis=0)  # all around joint 1
    first = (bodies[:, LINK] == 1)[:, None]
    checked = (bodies[:, LINK] > 0)[:, None] & ~(first & (farthest <= 0.0))
    base_only = (reach[:, 1:] == 0.0).all(axis=1)[:, None]
    kept = np.where(base_only & (farthest <= margin), 0.0, margin)
    return Scene(
        bodies, pairs, solids, checked, np.array([margin, 0.0]), kept, np.zeros(len(pairs)), reach
    )


def scene_of_world(world: World, margin: float = 0.0) -> Scene:
    """The arm of a world among the obstacles that the world declares as known."""
    return build_scene(build_arm(world), packed(solids_of(world.known)), margin)
