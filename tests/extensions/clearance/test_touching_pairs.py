"""Which pairs of bodies are checked: the rule, its proofs, and arms made to try them."""

from __future__ import annotations

import numpy as np
import pytest
from known_cell import ARM, tool_at
from scipy.optimize import minimize
from seven_joints import write_urdf

from dynamics import load_arm
from hopfield_nav.extensions.clearance import (
    build_scene,
    collides,
    motion_is_free,
    pair_distances,
    tool_inside,
)
from hopfield_nav.extensions.clearance.bodies import touching_pairs
from hopfield_nav.geometry import END, LINK, RADIUS, START, arm_bodies

BASE_LINK_2, FOREARM_5, END_AND_FLANGE = (0, 2), (5, 7), (4, 8)  # rows of the arm's capsules


def pairs_of(arm):
    return set(map(tuple, touching_pairs(arm, arm_bodies(arm))))


def with_capsule(row, **columns):
    """The arm with other numbers in one of its capsules."""
    capsules = ARM.capsules.copy()
    for name, value in columns.items():
        capsules[row, {"start": START, "end": END, "radius": RADIUS}[name]] = value
    return ARM._replace(capsules=capsules)


def far_apart(arm):
    link = arm_bodies(arm)[:, LINK]
    return {(a, b) for a in range(len(link)) for b in range(len(link)) if link[b] - link[a] >= 2}


def distances(arm, pair, count, seed=0):
    scene, q = build_scene(arm), np.random.default_rng(seed).uniform(-np.pi, np.pi, (count, 6))
    return pair_distances(arm, scene._replace(pairs=np.array([pair])), q)[:, 0]


@pytest.mark.kernel
def test_the_pairs_of_the_ur5():
    """Base and shoulder against forearm and hand, upper arm and forearm against the wrist, no neighbours."""
    expected = {(0, 5), (0, 6), (0, 7), (0, 8), (1, 5), (1, 6), (1, 7), (1, 8)}
    expected |= {(2, 6), (2, 7), (2, 8), (3, 6), (3, 7), (3, 8), FOREARM_5, (5, 8)}
    assert pairs_of(ARM) == expected


def test_what_is_left_out_is_never_or_always_touched():
    left_out = far_apart(ARM) - pairs_of(ARM)
    assert BASE_LINK_2 in left_out
    for pair in left_out:
        touched = distances(ARM, pair, 50_000) <= 0
        assert touched.all() if pair == BASE_LINK_2 else not touched.any(), pair


def extreme(sign):
    """Least (1) or largest (-1) distance [m] of forearm end and flange, from the best of many poses."""
    scene = build_scene(ARM)._replace(pairs=np.array([END_AND_FLANGE]))

    def distance(q):
        return sign * float(pair_distances(ARM, scene, q)[0])

    q = np.random.default_rng(3).uniform(-np.pi, np.pi, (200_000, 6))
    best = q[(sign * pair_distances(ARM, scene, q)[:, 0]).argmin()]
    found = minimize(distance, best, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12})
    return sign * found.fun


def test_a_pair_that_hardly_ever_touches_is_found():
    """A flange so big that it just touches the end of the forearm, in a few of 100 000 poses."""
    radius = ARM.capsules[8, RADIUS] + extreme(1)
    arm = with_capsule(8, radius=radius + 5e-6)
    touched = distances(arm, END_AND_FLANGE, 1_000_000, seed=1) <= 0
    assert 0 < touched.mean() < 1e-4
    assert (distances(arm, END_AND_FLANGE, 4096) > 0).all()  # it takes the proof to find it
    assert END_AND_FLANGE in pairs_of(arm)
    assert END_AND_FLANGE not in pairs_of(with_capsule(8, radius=radius - 1e-3))


def test_a_pair_that_nearly_always_touches_is_checked():
    radius = ARM.capsules[8, RADIUS] + extreme(-1)
    arm = with_capsule(8, radius=radius - 5e-7)
    touched = distances(arm, END_AND_FLANGE, 1_000_000, seed=1) <= 0
    assert 0.9999 < touched.mean() < 1.0
    assert (distances(arm, END_AND_FLANGE, 4096) <= 0).all()
    assert END_AND_FLANGE in pairs_of(arm)
    assert END_AND_FLANGE not in pairs_of(with_capsule(8, radius=radius + 1e-3))


def test_neighbours_are_never_checked_and_a_tool_adds_its_rod():
    arm = tool_at(0.0, 0.0, 0.3)
    link, rod = arm_bodies(arm)[:, LINK], len(arm.capsules)
    pairs = pairs_of(arm)
    assert all(link[b] - link[a] >= 2 for a, b in pairs)
    assert {a for a, b in pairs if b == rod} == {0, 1, 2, 3, 4, 5}  # capsules of links 0 to 3
    assert pairs - {(a, rod) for a in range(rod)} == pairs_of(ARM)


@pytest.fixture(scope="module")
def mirrored():
    """The same arm with its capsules listed from the hand inwards."""
    return ARM._replace(capsules=np.ascontiguousarray(ARM.capsules[::-1]))


def test_the_order_of_the_outline_changes_nothing(mirrored):
    last = len(ARM.capsules) - 1
    assert {
        (last - a, last - b) for a, b in touching_pairs(mirrored, arm_bodies(mirrored))
    } == pairs_of(ARM)
    rng = np.random.default_rng(2)
    start, end = rng.uniform(-np.pi, np.pi, (2, 2000, 6))
    one, two = build_scene(ARM), build_scene(mirrored)
    np.testing.assert_array_equal(collides(ARM, one, start), collides(mirrored, two, start))
    free = motion_is_free(ARM, one, start, end)
    np.testing.assert_array_equal(free, motion_is_free(mirrored, two, start, end))
    assert 0.05 < free.mean() < 0.95


def test_a_tool_that_points_backwards_is_noticed():
    assert "inside link 5" in tool_inside(tool_at(0, 0, -0.12))
    assert tool_inside(tool_at(0, 0, 0.12)) == ""
    assert tool_inside(ARM) == ""


def test_a_rod_that_meets_the_link_before_at_some_angles_is_checked():
    arm = tool_at(0.12, 0, -0.09)
    bodies = arm_bodies(arm)
    pairs = touching_pairs(arm, bodies).tolist()
    assert [7, len(bodies) - 1] in pairs  # link 5 and the rod
    ahead = tool_at(0.0, 0, 0.12)
    assert [7, len(bodies) - 1] not in touching_pairs(ahead, arm_bodies(ahead)).tolist()


def test_outlines_that_touch_in_nearly_every_pose_are_not_checked(tmp_path):
    """The outline of a maker's URDF has one width, also on both sides of a link that is shorter than that."""
    arm = load_arm(write_urdf(tmp_path / "seven.urdf"))
    bodies = arm_bodies(arm)
    links = {tuple(bodies[pair, 0].astype(int)) for pair in touching_pairs(arm, bodies)}
    assert (5, 7) not in links
    assert (2, 5) in links
