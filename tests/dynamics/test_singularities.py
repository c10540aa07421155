"""Measures against the Jacobian's own determinant and singular values; each kind on its own."""

from __future__ import annotations

import numpy as np
import pytest
from made_up_arms import arm_of_rows
from oracles import pinocchio_jacobian, random_states, random_tool
from refusals import refused

from dynamics import (
    NoClosedForm,
    forward_kinematics,
    inverse_kinematics_branches,
    jacobian,
    jacobian_determinant,
    link_frames,
    load_arm,
    manipulability,
    near_singularities,
    singular_values,
    singularity_measures,
    with_tool,
)

Q = random_states(6, 2000, seed=61).q


def _shoulder_position(arm) -> np.ndarray:
    """Upper arm and forearm nearly upright, and theta4 so that the wrist centre is beside axis 1."""
    q2, q3 = -np.pi / 2 - 0.15, 0.3
    a2, a3, d5 = arm.dh[1, 2], arm.dh[2, 2], arm.dh[4, 1]
    along = a2 * np.cos(q2) + a3 * np.cos(q2 + q3)
    return np.array([0.4, q2, q3, np.arcsin(-along / d5) - q2 - q3, 1.0, 0.3])


@pytest.mark.parametrize("tooled", [False, True])
def test_determinant_factors_exactly(arm, tooled):
    """det J = ± a2 a3 s3 s5 · along, one sign for all positions; so there is no fourth singularity."""
    arm = with_tool(arm, random_tool()) if tooled else arm
    expected = np.linalg.det(jacobian(arm, Q))
    found = jacobian_determinant(arm, Q)
    sign = np.sign(expected[0] * found[0])
    np.testing.assert_allclose(sign * found, expected, rtol=0, atol=1e-14)
    np.testing.assert_allclose(manipulability(arm, Q), np.abs(found), rtol=1e-9, atol=1e-14)


def test_shoulder_measure_is_the_wrist_centre_seen_along_the_arm(arm):
    frames = link_frames(arm, Q)
    center, axis = frames[:, 5, :3, 3], frames[:, 1, :3, 0]
    along = np.einsum("ki,ki->k", center, axis)
    np.testing.assert_allclose(singularity_measures(arm, Q).shoulder, along, atol=1e-14)
    radius = np.hypot(center[:, 0], center[:, 1])
    np.testing.assert_allclose(radius**2, along**2 + arm.dh[3, 1] ** 2, atol=1e-14)
    assert radius.min() >= abs(arm.dh[3, 1])


def test_signs_name_the_branch():
    arm = load_arm("ur5e")
    for q in Q[:50]:
        solutions, branches = inverse_kinematics_branches(arm, forward_kinematics(arm, q))
        measures = singularity_measures(arm, solutions)
        signs = np.sign(np.column_stack([measures.shoulder, measures.wrist, measures.elbow]))
        np.testing.assert_array_equal(signs, branches)


@pytest.mark.parametrize("kind", ["wrist", "elbow", "shoulder"])
def test_each_kind_alone(rigid_arm, kind):
    """At each singularity one singular value vanishes, only that kind is named, and off it none is."""
    q = {
        "wrist": np.array([0.4, -0.9, 1.1, 0.5, 0.0, 0.3]),
        "elbow": np.array([0.4, -0.9, 0.0, 0.5, 1.0, 0.3]),
        "shoulder": _shoulder_position(rigid_arm),
    }[kind]
    near = near_singularities(rigid_arm, q)
    assert {name: bool(flag) for name, flag in near._asdict().items()} == {
        name: name == kind for name in ("wrist", "elbow", "shoulder")
    }
    values = singular_values(rigid_arm, q)
    assert values[5] < 1e-12
    assert values[4] > 1e-3
    away = q + np.array([0, 0.3, 0.15, 0.1, 0.2, 0])
    assert not any(near_singularities(rigid_arm, away))
    assert singular_values(rigid_arm, away)[5] > 1e-3


def test_folded_elbow_and_turned_wrist_count_too():
    arm = load_arm("ur5_kebria2016")
    near = near_singularities(arm, np.array([[0.4, -0.9, np.pi, 0.5, np.pi, 0.3]]))
    assert near.elbow.tolist() == near.wrist.tolist() == [True]


def test_bounds_are_what_they_say():
    arm, q = load_arm("ur5_kebria2016"), np.array([0.4, -0.9, 1.1, 0.5, 0.01, 0.3])
    assert near_singularities(arm, q, angle=0.0101).wrist
    assert not near_singularities(arm, q, angle=0.0099).wrist
    everywhere = near_singularities(arm, Q, angle=1, length=2)
    assert all(flags.all() for flags in everywhere)


def test_singular_values_and_manipulability_from_pinocchios_jacobian(arm):
    J = pinocchio_jacobian(arm, Q[:100])
    np.testing.assert_allclose(
        singular_values(arm, Q[:100]), np.linalg.svd(J, compute_uv=False), rtol=0, atol=1e-12
    )
    product = np.sqrt(np.maximum(np.linalg.det(J @ np.swapaxes(J, 1, 2)), 0))
    np.testing.assert_allclose(manipulability(arm, Q[:100]), product, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("n", [2, 7])
def test_manipulability_of_other_arms(n):
    arm = arm_of_rows([(0.1, 0.2, 0.7)] * n)
    q = random_states(n, 50, seed=n).q
    J = jacobian(arm, q)
    Jt = np.swapaxes(J, 1, 2)
    product = np.sqrt(np.linalg.det(J @ Jt if n >= 6 else Jt @ J))
    np.testing.assert_allclose(manipulability(arm, q), product, rtol=1e-8)
    with refused("needs an arm of UR type", NoClosedForm):
        singularity_measures(arm, q)


@pytest.mark.parametrize("bound", [{"angle": -1}, {"length": float("nan")}])
def test_bad_bounds(bound):
    with refused("a bound cannot be negative"):
        near_singularities(load_arm("ur5e"), np.zeros(6), **bound)
