"""Bounds of how far a body can move: sampled points, single turns, and how tight they are."""

from __future__ import annotations

import numpy as np
import pytest
from known_cell import ARM, random_joints, tool_at
from test_collisions import SOLIDS

from dynamics import link_frames, load_arm
from hopfield_nav.extensions.clearance import build_scene, pair_distances
from hopfield_nav.extensions.clearance.bodies import joint_reach
from hopfield_nav.geometry import LINK, arm_bodies, arm_distance, capsules_in_base, pack_primitives


def surface_points(capsules, rng):
    """A random point on every capsule (k, 7) -> (k, 3)."""
    share = rng.integers(0, 3, (len(capsules), 1)) / 2  # ends and middle
    aside = rng.normal(size=(len(capsules), 3))
    aside *= capsules[:, 6:] / np.linalg.norm(aside, axis=1, keepdims=True)
    return capsules[:, :3] + share * (capsules[:, 3:6] - capsules[:, :3]) + aside


def distance_from_axis(points, frame):
    w = points - frame[:3, 3]
    return np.linalg.norm(w - (w @ frame[:3, 2])[:, None] * frame[:3, 2], axis=1)


@pytest.mark.parametrize(
    "arm", [ARM, load_arm("ur5e"), tool_at(0.1, 0.05, 0.2)], ids=["2012", "e", "tool"]
)
def test_no_point_of_a_body_is_further_from_an_axis_than_its_reach(arm):
    rng = np.random.default_rng(5)
    bodies, q = arm_bodies(arm), random_joints(5000, 5)
    # straight or folded
    q[::2] = rng.integers(0, 4, (2500, 6)) * np.pi / 2 + rng.normal(0, 0.1, (2500, 6))
    reach, largest = joint_reach(arm, bodies), np.zeros((len(bodies), 6))
    for pose, frames in zip(capsules_in_base(arm, q), link_frames(arm, q), strict=True):
        points = surface_points(pose, rng)
        for i in range(6):
            largest[:, i] = np.maximum(largest[:, i], distance_from_axis(points, frames[i]))
    link = bodies[:, LINK]
    for b in range(len(bodies)):
        for i in range(int(link[b])):
            if reach[b, i] > 0:
                assert largest[b, i] <= reach[b, i] + 1e-12
                assert largest[b, i] > 0.7 * reach[b, i]  # and no empty bound
    fifth = int(np.nonzero(link == 5)[0][0])
    assert (largest[fifth, 1:5] > 0.93 * reach[fifth, 1:5]).all()


def test_a_turn_moves_no_pair_and_no_solid_nearer_than_the_reach_allows():
    scene, rng = build_scene(ARM, pack_primitives(SOLIDS)), np.random.default_rng(6)
    q, joint, turn = random_joints(6000, 6), rng.integers(0, 6, 6000), rng.uniform(-0.5, 0.5, 6000)
    after = q.copy()
    after[np.arange(6000), joint] += turn
    change = np.abs(pair_distances(ARM, scene, after) - pair_distances(ARM, scene, q))
    allowed = scene.reach[scene.pairs[:, 1]][:, joint].T * np.abs(turn)[:, None]
    between = joint[:, None] >= scene.bodies[scene.pairs[:, 0], LINK]  # else the pair moves as one
    assert (change <= np.where(between, allowed, 0.0) + 1e-12).all()
    near = np.abs(arm_distance(ARM, after, scene.solids) - arm_distance(ARM, q, scene.solids))
    assert (near <= (scene.reach[:, joint].T * np.abs(turn)[:, None])[:, :, None] + 1e-9).all()
    assert change.max() > 0.1


def test_joint_6_moves_nothing_of_an_arm_without_tool():
    assert not joint_reach(ARM, arm_bodies(ARM))[:, 5].any()
    along, beside = tool_at(0, 0, 0.2), tool_at(0.05, 0, 0.2)
    assert not joint_reach(along, arm_bodies(along))[:, 5].any()
    np.testing.assert_allclose(joint_reach(beside, arm_bodies(beside))[-1, 5], 0.05, rtol=1e-12)
