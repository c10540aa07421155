"""Quaternions of rotations."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from dynamics.quaternions import quaternions


def test_they_are_those_of_scipy():
    turns = Rotation.random(500, random_state=3)
    ours = quaternions(turns.as_matrix().reshape(5, 100, 3, 3)).reshape(-1, 4)
    same = np.abs(np.sum(np.roll(ours, -1, axis=1) * turns.as_quat(), axis=1))
    assert np.abs(same - 1.0).max() < 1e-14


@pytest.mark.parametrize("axis", range(3))
def test_half_a_turn_is_no_special_case(axis):
    """There the real part vanishes, and a formula that divides by it fails."""
    turn = Rotation.from_rotvec(np.pi * np.eye(3)[axis])
    assert abs(abs(quaternions(turn.as_matrix())[1 + axis]) - 1.0) < 1e-15
