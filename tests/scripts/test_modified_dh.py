"""Standard and modified Denavit-Hartenberg give the same poses of the same links."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from made_up_arms import random_arm
from nowoczyn2023.modified_dh import (
    modified_dh,
    modified_link_frames,
    modified_transform,
    standard_transform,
)
from oracles import pinocchio_model, random_states

from dynamics import link_frames, load_arm

Q = random_states(6, 200, seed=51).q


def standard_rows(modified):
    """(n, 4) standard rows [theta offset, d, a, alpha] again, the inverse of ``modified_dh``."""
    last = modified.change[-1]
    end = [last[0, 3], np.arctan2(last[2, 1], last[2, 2])]
    rows = modified.rows.copy()
    rows[:, 2:] = np.vstack([modified.rows[1:, 2:], [end]])
    return rows


def test_same_links_in_the_same_places(arm):
    """nowoczyn2023 (1.8) against (1.9), every link; the change of frame is fixed to the link."""
    found = modified_link_frames(arm, Q)[:, 1:] @ modified_dh(arm).change
    np.testing.assert_allclose(found, link_frames(arm, Q)[:, 1:], rtol=0, atol=1e-14)


@pytest.mark.parametrize("n", [1, 3, 8])
def test_same_links_of_oblique_arms(n):
    arm, q = random_arm(n), random_states(n, 50, seed=n).q
    found = modified_link_frames(arm, q)[:, 1:] @ modified_dh(arm).change
    np.testing.assert_allclose(found, link_frames(arm, q)[:, 1:], rtol=0, atol=1e-13)
    np.testing.assert_allclose(standard_rows(modified_dh(arm)), arm.dh, rtol=0, atol=1e-15)


def test_frames_differ_without_the_change():
    """Brackets elsewhere are other frames: they are not equal, their links are."""
    arm = load_arm("ur5e")
    apart = np.abs(modified_link_frames(arm, Q) - link_frames(arm, Q)).max(axis=(0, 2, 3))
    assert (apart[1:6] > 0.1).all()
    assert apart[[0, 6]].max() < 1e-14  # base, and the flange since a6 = alpha6 = 0


def test_modified_frames_sit_on_their_joints(rigid_arm):
    """Pinocchio's joint frames are the modified ones, of a model built from the standard table."""
    model, data = pinocchio_model(rigid_arm, "kinematics")
    for q in Q[:20]:
        pin.forwardKinematics(model, data, q)
        expected = [data.oMi[i].homogeneous for i in range(1, 7)]
        frames = modified_link_frames(rigid_arm, q)[1:]
        np.testing.assert_allclose(frames[:, :3, 2], [T[:3, 2] for T in expected], atol=1e-12)
        apart = frames[:, :3, 3] - [T[:3, 3] for T in expected]  # both on the joint's axis
        np.testing.assert_allclose(np.cross(apart, frames[:, :3, 2]), 0, atol=1e-12)


def test_ur5_table():
    """The UR5's modified rows: a and alpha one row further down."""
    rows = modified_dh(load_arm("ur5_tu2023")).rows
    np.testing.assert_allclose(rows[:, 2], [0, 0, -0.425, -0.39225, 0, 0], atol=0)
    np.testing.assert_allclose(rows[:, 3] / (np.pi / 2), [0, 1, 0, 0, 1, -1], atol=1e-15)
    np.testing.assert_allclose(rows[:, 1], [0.08916, 0, 0, 0.10915, 0.09465, 0.0823], atol=0)


def test_transforms_are_the_products_they_stand_for():
    rng = np.random.default_rng(1)
    for theta, d, a, alpha in rng.uniform(-2, 2, (20, 4)):
        z = pin.SE3(pin.utils.rotate("z", theta), np.array([0, 0, d])).homogeneous
        x = pin.SE3(pin.utils.rotate("x", alpha), np.array([a, 0, 0])).homogeneous
        np.testing.assert_allclose(standard_transform(theta, d, a, alpha), z @ x, atol=1e-14)
        np.testing.assert_allclose(modified_transform(theta, d, a, alpha), x @ z, atol=1e-14)
