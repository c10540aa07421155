"""Closed-form inverse kinematics: completeness, accuracy, singularities, and the documents' errors."""

from __future__ import annotations

import math

import numba
import numpy as np
import pinocchio
import pytest
from conftest import UR
from made_up_arms import arm_of_rows
from poses import frame_of
from refusals import refused
from scipy.optimize import least_squares

from dynamics import (
    NoClosedForm,
    forward_kinematics,
    has_closed_form,
    inverse_kinematics,
    inverse_kinematics_branches,
    link_frames,
    load_arm,
    with_tool,
)
from dynamics.inverse import solve_all_wanting

pytestmark = pytest.mark.kernel
POSES = 2000 if not numba.config.DISABLE_JIT else 50


def angle_between(a, b):
    return np.abs((np.asarray(a) - b + math.pi) % (2 * math.pi) - math.pi)


def worst_entry(arm, q, T):
    return np.abs(forward_kinematics(arm, q) - T).max() if len(q) else 0.0


def assert_among(q, solutions, tolerance=1e-9):
    assert angle_between(solutions, q).max(axis=-1).min() < tolerance


def assert_complete(arm, T, tolerance=1e-9):
    """The solutions are finite, in range, distinct and reach the pose."""
    q, branches = inverse_kinematics_branches(arm, T)
    assert np.isfinite(q).all()
    assert ((q > -math.pi) & (q <= math.pi)).all()
    assert worst_entry(arm, q, T) < tolerance
    assert len(np.unique(branches, axis=0)) == len(branches)
    for i in range(len(q)):
        for j in range(i):
            assert angle_between(q[i], q[j]).max() > 1e-6
    return q, branches


def independent_ur5():
    """A Pinocchio model of the UR5 drawn from its joint axes at q = 0, without any DH table."""
    x, reach = -0.425, -0.425 - 0.39225
    d1, d4, d5 = 0.089159, 0.10915, 0.09465
    axes = [(0, 0, 1), (0, -1, 0), (0, -1, 0), (0, -1, 0), (0, 0, -1), (0, -1, 0)]
    points = [
        (0, 0, 0),
        (0, 0, d1),
        (x, 0, d1),
        (reach, 0, d1),
        (reach, -d4, d1),
        (reach, -d4, d1 - d5),
    ]
    model, parent, before = pinocchio.Model(), 0, np.zeros(3)
    for i, (axis, point) in enumerate(zip(axes, points, strict=True)):
        joint = pinocchio.JointModelRevoluteUnaligned(np.array(axis, float))
        placement = pinocchio.SE3(np.eye(3), np.array(point) - before)
        parent = model.addJoint(parent, joint, placement, f"joint{i}")
        before = np.array(point)
    flange = pinocchio.SE3(
        np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]]), np.array([0, -0.0823, 0])
    )
    data = model.createData()

    def forward(q):
        pinocchio.forwardKinematics(model, data, np.asarray(q, float))
        return (data.oMi[parent] * flange).homogeneous

    return forward


@pytest.mark.parametrize("name", UR)
def test_random_poses(name):
    arm, rng = load_arm(name), np.random.default_rng(1)
    q = rng.uniform(-math.pi, math.pi, (POSES, 6))
    T = forward_kinematics(arm, q)
    solutions = inverse_kinematics(arm, T)
    assert solutions.shape == (POSES, 8, 6)
    there = ~np.isnan(solutions[..., 0])
    counts = there.sum(axis=1)
    assert set(counts) == {2, 4, 6, 8} or (numba.config.DISABLE_JIT and set(counts) <= {2, 4, 6, 8})
    assert worst_entry(arm, solutions[there], T[np.nonzero(there)[0]]) < 1e-12
    assert (there[:, :-1] >= there[:, 1:]).all()  # unused rows come last
    nearest = np.nanmin(angle_between(solutions, q[:, None]).max(axis=-1), axis=1)
    assert nearest.max() < 1e-9


def test_forward_kinematics_of_an_independent_model(ur5):
    forward, rng = independent_ur5(), np.random.default_rng(2)
    for q in rng.uniform(-math.pi, math.pi, (5, 6)):
        T = forward(q)
        solutions = inverse_kinematics(ur5, T)
        assert_among(q, solutions)
        for solution in solutions:
            np.testing.assert_allclose(forward(solution), T, atol=1e-12)


def test_same_set_as_brute_force(ur5):
    forward, rng = independent_ur5(), np.random.default_rng(3)
    for q in rng.uniform(-math.pi, math.pi, (3, 6)):
        T, found = forward(q), []
        for start in rng.uniform(-math.pi, math.pi, (80, 6)):
            end = least_squares(lambda x, T=T: (forward(x) - T)[:3].ravel(), start, method="lm")
            if end.cost < 1e-20 and not any(angle_between(end.x, f).max() < 1e-5 for f in found):
                found.append(end.x)
        solutions = inverse_kinematics(ur5, T)
        assert len(found) == len(solutions)
        for end in found:
            assert_among(end, solutions, 1e-7)


def test_branches_are_what_the_docstring_says(ur5):
    rng = np.random.default_rng(4)
    for T in forward_kinematics(ur5, rng.uniform(-math.pi, math.pi, (50, 6))):
        q, branches = assert_complete(ur5, T)
        frames = link_frames(ur5, q)
        along = np.einsum("ki,ki->k", frames[:, 1, :3, 0], frames[:, 5, :3, 3])
        signs = np.sign(np.stack([along, np.sin(q[:, 4]), np.sin(q[:, 2])], axis=1))
        np.testing.assert_array_equal(branches, signs)
        order = branches @ [-4, -2, -1]
        assert (np.diff(order) > 0).all()


def test_tool_frame_and_joint_offsets(ur5):
    rng = np.random.default_rng(5)
    dh = ur5.dh.copy()
    dh[:, 0] = rng.uniform(-7, 7, 6)
    arm = with_tool(ur5._replace(dh=dh), frame_of(0.1, -0.2, 0.3, [0.4, -0.5, 2.6]))
    q = rng.uniform(-math.pi, math.pi, (200, 6))
    T = forward_kinematics(arm, q)
    solutions = inverse_kinematics(arm, T)
    for i in range(200):
        k = solutions[i][~np.isnan(solutions[i, :, 0])]
        assert worst_entry(arm, k, T[i]) < 1e-12
        assert ((k > -math.pi) & (k <= math.pi)).all()
        assert_among(q[i], k)


def test_links_of_opposite_sign_and_of_equal_length(ur5):
    for a2, a3 in [(0.4, 0.3), (-0.4, 0.3), (0.3, -0.4), (-0.4, -0.4)]:
        dh, offset = ur5.dh.copy(), ur5.offset.copy()
        dh[1:3, 2] = offset[1:3, 0] = a2, a3
        arm = ur5._replace(dh=dh, offset=offset)
        for q in np.random.default_rng(6).uniform(-math.pi, math.pi, (50, 6)):
            assert_among(q, assert_complete(arm, forward_kinematics(arm, q))[0])
    folded = forward_kinematics(arm, np.array([0.3, 0.7, math.pi, -0.4, 1.0, 0.2]))  # θ2 arbitrary
    assert len(assert_complete(arm, folded)[0]) > 0


# singularities


@pytest.mark.parametrize("q5", [0.0, math.pi])
def test_wrist_singularity(ur5, q5):
    q = np.array([0.3, -1.2, 1.4, -0.8, q5, 0.7])
    T = forward_kinematics(ur5, q)
    solutions, branches = assert_complete(ur5, T)
    here = angle_between(solutions[:, 4], q5) < 1e-8
    assert here.sum() == 2  # elbow up and down; the two wrist branches are one
    assert (branches[here, 1] == 1).all()
    np.testing.assert_allclose(solutions[here, 5], 0.0, atol=1e-9)
    wanted = inverse_kinematics(ur5, T, theta6=0.7)
    assert_among(q, wanted)
    assert worst_entry(ur5, wanted, T) < 1e-9


def test_theta6_is_ignored_away_from_the_wrist_singularity(ur5):
    T = forward_kinematics(ur5, np.array([0.3, -1.2, 1.4, -0.8, 1e-3, 0.7]))
    np.testing.assert_array_equal(
        inverse_kinematics(ur5, T, theta6=2.0), inverse_kinematics(ur5, T)
    )


@pytest.mark.parametrize("q5", [1e-5, 1e-8, 2e-10, 5e-11, 1e-12, -1e-9, math.pi - 1e-9])
def test_near_the_wrist_singularity(ur5, q5):
    T = forward_kinematics(ur5, np.array([0.3, -1.2, 1.4, -0.8, q5, 0.7]))
    assert len(assert_complete(ur5, T)[0]) >= 2


@pytest.mark.parametrize("q3", [0.0, math.pi])
def test_wrist_singularity_at_the_ends_of_the_ring(ur5, q3):
    """theta6 = 0 is out of reach here, another angle is not: there must be an answer."""
    for q6 in np.linspace(-3, 3, 13):
        q = np.array([0.3, -1.2, q3, -0.8, 0.0, q6])
        T = forward_kinematics(ur5, q)
        solutions, branches = assert_complete(ur5, T)
        assert (
            len(branches[(branches[:, 0] == shoulder_of(ur5, q)) & (np.cos(solutions[:, 4]) > 0.9)])
            > 0
        )
        assert_among(q, inverse_kinematics(ur5, T, theta6=q6), 1e-5)


def shoulder_of(arm, q):
    frames = link_frames(arm, q)
    return 1 if frames[1, :3, 0] @ frames[5, :3, 3] >= 0 else -1


def same_wrist(arm, q, branches):
    return (branches[:, 0] == shoulder_of(arm, q)) & (branches[:, 1] == np.sign(math.sin(q[4])))


@pytest.mark.parametrize("q3", [0.0, math.pi])
def test_elbow_singularity_and_the_ends_of_the_ring(ur5, q3):
    q = np.array([0.3, -1.2, q3, -0.8, 1.1, 0.7])
    T = forward_kinematics(ur5, q)
    frames = link_frames(ur5, q)
    outward = frames[3, :3, 3] - frames[1, :3, 3]
    outward *= (1 if q3 == 0 else -1) / np.linalg.norm(outward)  # out of the ring
    solutions, branches = assert_complete(ur5, T)
    assert same_wrist(ur5, q, branches).sum() == 1  # the two elbow branches are one
    assert_among(q, solutions, 1e-5)
    inside, outside = T.copy(), T.copy()
    inside[:3, 3] -= 1e-9 * outward
    outside[:3, 3] += 1e-9 * outward
    assert same_wrist(ur5, q, assert_complete(ur5, inside)[1]).sum() == 2
    assert same_wrist(ur5, q, assert_complete(ur5, outside)[1]).sum() == 0


def at_shoulder_singularity(arm):
    """A joint position whose wrist centre is straight above the plane of axis 1."""
    q = np.array([0.3, -1.7, 0.3, 0.0, 1.1, 0.7])
    (a2, a3), d5 = arm.dh[1:3, 2], arm.dh[4, 1]
    q[3] = math.asin(-(a2 * math.cos(q[1]) + a3 * math.cos(q[1] + q[2])) / d5) - q[1] - q[2]
    return q


def test_shoulder_singularity(ur5):
    q = at_shoulder_singularity(ur5)
    T = forward_kinematics(ur5, q)
    center = link_frames(ur5, q)[5, :2, 3]
    assert abs(np.linalg.norm(center) - ur5.dh[3, 1]) < 1e-15
    solutions, branches = assert_complete(ur5, T)
    assert set(branches[:, 0]) == {1}  # the two shoulder branches are one
    assert_among(q, solutions, 1e-5)
    inside, outside = T.copy(), T.copy()
    inside[:2, 3] -= 1e-9 * center / np.linalg.norm(center)
    outside[:2, 3] += 1e-9 * center / np.linalg.norm(center)
    assert len(inverse_kinematics(ur5, inside)) == 0
    assert set(assert_complete(ur5, outside)[1][:, 0]) == {1, -1}


def test_all_three_singularities_at_once(ur5):
    (a2, a3), d5 = ur5.dh[1:3, 2], ur5.dh[4, 1]
    q2 = -math.pi / 2 + 0.05
    q = np.array([0.3, q2, 0.0, math.asin(-(a2 + a3) * math.cos(q2) / d5) - q2, 0.0, 0.4])
    T = forward_kinematics(ur5, q)
    assert_complete(ur5, T)
    assert_among(q, inverse_kinematics(ur5, T, theta6=0.4), 1e-5)


@pytest.mark.parametrize("step", [0.0, *(10.0**-k for k in range(16, 3, -1))])
def test_near_two_or_three_singularities(ur5, step):
    """Poses a little off every combination of them: there is always an answer, and it is right."""
    rng, count = np.random.default_rng(12), 300
    q = rng.uniform(-math.pi, math.pi, (count, 6))
    wrist, elbow, shoulder = rng.integers(0, 2, (3, count)).astype(bool)
    q[wrist, 4] = rng.choice([0, math.pi], wrist.sum())
    q[elbow, 2] = rng.choice([0, math.pi], elbow.sum())
    q[shoulder, 1] = -math.pi / 2 + rng.uniform(-0.1, 0.1, shoulder.sum())
    sine = -np.cos(np.stack([q[:, 1], q[:, 1] + q[:, 2]], 1)) @ ur5.dh[1:3, 2] / ur5.dh[4, 1]
    shoulder &= np.abs(sine) < 1
    q[shoulder, 3] = (np.arcsin(np.clip(sine, -1, 1)) - q[:, 1] - q[:, 2])[shoulder]
    T = forward_kinematics(ur5, q + step * rng.normal(size=q.shape))
    solutions = inverse_kinematics(ur5, T)
    there = ~np.isnan(solutions[..., 0])
    assert there.any(axis=1).all()
    assert worst_entry(ur5, solutions[there], T[np.nonzero(there)[0]]) < 1e-9
    for i in range(8):
        for j in range(i):
            both = there[:, i] & there[:, j]
            apart = angle_between(solutions[both, i], solutions[both, j]).max(axis=-1, initial=0)
            assert (apart > 1e-7).all()


@pytest.mark.parametrize("gap", [1e-15, 1e-13, 1e-12, 1e-11, 1e-7])
def test_approaching_the_ring_from_inside(ur5, gap):
    q = np.array([0.3, -1.2, 0.0, -0.8, 1.1, 0.7])
    T, frames = forward_kinematics(ur5, q), link_frames(ur5, q)
    inward = frames[1, :3, 3] - frames[3, :3, 3]
    T[:3, 3] += gap * inward / np.linalg.norm(inward)
    assert same_wrist(ur5, q, assert_complete(ur5, T)[1]).sum() in (1, 2)


def test_out_of_reach(ur5):
    assert inverse_kinematics(ur5, frame_of(2.0, 0, 0, [0, 0, 0])).shape == (0, 6)
    within_cylinder_of_d4 = frame_of(0.0, 0, 0.5, [0, 0, 0])
    assert inverse_kinematics(ur5, within_cylinder_of_d4).shape == (0, 6)
    assert inverse_kinematics(ur5, frame_of(1e100, 0, 0, [0, 0, 0])).shape == (0, 6)


# input


def test_batch_shapes(ur5):
    T = forward_kinematics(ur5, np.random.default_rng(7).uniform(-3, 3, (2, 3, 6)))
    solutions = inverse_kinematics(ur5, T)
    assert solutions.shape == (2, 3, 8, 6)
    single = inverse_kinematics(ur5, T[1, 2])
    np.testing.assert_array_equal(solutions[1, 2, : len(single)], single)
    assert np.isnan(solutions[1, 2, len(single) :]).all()
    assert inverse_kinematics(ur5, T[:0]).shape == (0, 3, 8, 6)
    assert inverse_kinematics(ur5, T, theta6=np.zeros((2, 3))).shape == (2, 3, 8, 6)


def with_entry(i, j, value):
    T = np.eye(4)
    T[i, j] = value
    return T


NOT_RIGID = {
    "zeros": np.zeros((4, 4)),
    "mirrored": with_entry(0, 0, -1),
    "nan in the position": with_entry(0, 3, np.nan),
    "nan in the rotation": with_entry(1, 1, np.nan),
    "infinitely far": with_entry(2, 3, np.inf),
    "last row not zero": with_entry(3, 0, 0.1),
    "last entry not one": with_entry(3, 3, 2.0),
    "sheared": with_entry(0, 1, 1e-3),
}
REACHED = frame_of(0.4, 0.1, 0.3, [0, 0, 1])
MANY = np.tile(REACHED, (2, 3, 1, 1))
REFUSED = {
    **{name: ({"T_base_tool": T}, "not a rigid motion") for name, T in NOT_RIGID.items()},
    "three rows": ({"T_base_tool": np.eye(3)}, "T_base_tool has the wrong shape"),
    "a word": ({"T_base_tool": "pose"}, "T_base_tool must hold numbers"),
    "nothing": ({"T_base_tool": None}, "T_base_tool has the wrong shape"),
    "theta6 of nan": ({"theta6": np.nan}, "theta6 must be finite"),
    "infinite theta6": ({"theta6": np.inf}, "theta6 must be finite"),
    "a word for theta6": ({"theta6": "left"}, "theta6 must hold numbers"),
    "theta6 of other poses": ({"T_base_tool": MANY, "theta6": np.zeros(5)}, "theta6 does not fit"),
}


@pytest.mark.parametrize(("change", "words"), REFUSED.values(), ids=REFUSED)
def test_malformed_input(ur5, change, words):
    with refused(words):
        inverse_kinematics(ur5, **{"T_base_tool": REACHED} | change)


def test_branches_are_those_of_one_pose(ur5):
    with refused("one pose is needed"):
        inverse_kinematics_branches(ur5, MANY)


def test_malformed_tool_frame(ur5):
    with refused("tool frame"):
        inverse_kinematics(with_tool(ur5, 2 * np.eye(4)), REACHED)


def test_a_pose_with_seven_digits_is_made_orthonormal(ur5):
    q = np.array([0.3, -1.2, 1.4, -0.8, 1.1, 0.7])
    rough = np.round(forward_kinematics(ur5, q), 7)
    solutions = inverse_kinematics(ur5, rough)
    assert_among(q, solutions, 1e-5)
    assert worst_entry(ur5, solutions, rough) < 1e-6
    assert rough[0, 0] == np.round(rough[0, 0], 7)  # the caller's array is left alone


def changed(arm, field, row, values):
    """An arm with another row of one of its tables."""
    table = getattr(arm, field).copy()
    table[row] = values
    return arm._replace(**{field: table})


UR5 = load_arm("ur5_controller")
OF_ANOTHER_TYPE = {
    "joint 2 displaced": changed(UR5, "dh", (1, 1), 0.01),
    "axes 1 and 2 apart": changed(UR5, "dh", (0, 2), 1e-4),
    "axes 4 and 5 oblique": changed(UR5, "twist", 3, [math.cos(1.5), math.sin(1.5)]),
    "no forearm": changed(UR5, "dh", (2, 2), 0.0),
    **{f"planar, {n} joints": arm_of_rows([(0, 0.3, 0)] * n) for n in (7, 6, 2)},
}


@pytest.mark.parametrize("arm", OF_ANOTHER_TYPE.values(), ids=OF_ANOTHER_TYPE)
def test_no_closed_form(arm):
    assert not has_closed_form(arm)
    with refused("needs an arm of UR type", NoClosedForm):
        inverse_kinematics(arm, np.eye(4))


@pytest.mark.parametrize("name", UR)
def test_closed_form_of_every_set(name):
    assert has_closed_form(load_arm(name))


def test_kernel_fills_the_callers_arrays(ur5):
    T = forward_kinematics(ur5, np.array([0.3, -1.2, 1.4, -0.8, 1.1, 0.7]))
    solutions, branches = np.full((8, 6), np.nan), np.zeros((8, 3), np.int64)
    count = solve_all_wanting(ur5, T, 0.0, solutions, branches)
    expected, labels = inverse_kinematics_branches(ur5, T)
    np.testing.assert_allclose(solutions[:count], expected, atol=1e-14)
    np.testing.assert_array_equal(branches[:count], labels)
    assert solve_all_wanting(ur5, T, 1.0, solutions, branches) == count
    assert solve_all_wanting(ur5, np.full((4, 4), np.nan), 0.0, solutions, branches) == 0


# the documents as printed


def random_positions(seed):
    q = np.random.default_rng(seed).uniform(-math.pi, math.pi, (POSES, 6))
    return q[np.abs(np.sin(q[:, 4])) > 0.05]


def test_kebria2016_5_as_printed_is_wrong(ur5):
    """Its second argument (x_x c1 − x_y s1)/s5 should be (x_x s1 − x_y c1)/s5."""
    q = random_positions(8)
    T = forward_kinematics(ur5, q)
    s1, c1, s5 = np.sin(q[:, 0]), np.cos(q[:, 0]), np.sin(q[:, 4])
    first = (T[:, 1, 1] * c1 - T[:, 0, 1] * s1) / s5
    printed = np.arctan2(first, (T[:, 0, 0] * c1 - T[:, 1, 0] * s1) / s5)
    corrected = np.arctan2(first, (T[:, 0, 0] * s1 - T[:, 1, 0] * c1) / s5)
    assert angle_between(corrected, q[:, 5]).max() < 1e-12
    assert angle_between(printed, q[:, 5]).max() > 2.5
    assert np.median(angle_between(printed, q[:, 5])) > 0.3


def test_nowoczyn2023_2_13_has_its_sign_reversed(ur5):
    q = random_positions(9)
    frames = link_frames(ur5, q)
    length = np.linalg.norm(frames[:, 3, :3, 3] - frames[:, 1, :3, 3], axis=1)
    a2, a3 = ur5.dh[1:3, 2]
    printed = (a2**2 + a3**2 - length**2) / (2 * a2 * a3)
    np.testing.assert_allclose(printed, -np.cos(q[:, 2]), atol=1e-12)


def test_tu2023_11_takes_the_root_of_zero(ur5):
    """Its root √(m2² + n2² − s5²) is rounding, negative as often as not, and costs half the digits."""
    q = random_positions(10)
    T = forward_kinematics(ur5, q)
    s1, c1, s5 = np.sin(q[:, 0]), np.cos(q[:, 0]), np.sin(q[:, 4])
    m, n = T[:, 0, 0] * s1 - T[:, 1, 0] * c1, T[:, 0, 1] * s1 - T[:, 1, 1] * c1
    under = m**2 + n**2 - s5**2
    assert np.abs(under).max() < 1e-14
    assert (under < 0).mean() > 0.1
    printed = np.arctan2(m, n) - np.arctan2(s5, np.sqrt(np.maximum(under, 0)))
    assert angle_between(printed, q[:, 5]).max() > 1e-8


def test_tu2023_12_names_the_wrong_frame(ur5):
    """Its left side needs the inverse of A5, not of ⁴₆T = A5 A6."""
    q = random_positions(11)[0]
    frames = link_frames(ur5, q)
    step = [np.linalg.inv(frames[i]) @ frames[i + 1] for i in range(6)]
    right = step[1] @ step[2] @ step[3]
    common = np.linalg.inv(step[0]) @ frames[6] @ np.linalg.inv(step[5])
    np.testing.assert_allclose(common @ np.linalg.inv(step[4]), right, atol=1e-12)
    assert np.abs(common @ np.linalg.inv(step[4] @ step[5]) - right).max() > 0.1
