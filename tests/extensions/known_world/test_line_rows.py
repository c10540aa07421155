"""Rows added on a straight tool line: where they are needed, and on the line."""

from __future__ import annotations

import math

import numpy as np
import pytest
from planned_paths import line_path, nearest, off_line, planned_path
from poses import HOME
from refusals import refused
from scipy.spatial.transform import Rotation

from dynamics import forward_kinematics, inverse_kinematics, load_arm
from hopfield_nav.extensions.known_world import line as line_rows
from hopfield_nav.extensions.known_world import time_path
from hopfield_nav.extensions.known_world.line import rows_on_line
from hopfield_nav.loop import sample

ARM = load_arm("ur5_ragazzon2012")
NEAR_WRIST = line_path(ARM, [0.3, -1.2, 1.6, -0.9, 0.003, 0.2], [0.0, 0.05, 0.0])
TURNING = line_path(ARM, [0.3, -1.2, 1.6, -0.9, 0.01, 0.2], [0.0, 0.05, 0.0], turn=[0.3, 0, 0])
JUMPING = line_path(ARM, [0.3, -1.2, 1.6, -0.9, 0.01, 0.2], [0.0, 0.05, 0.0], turn=[0.1, 0.2, 0.3])


def test_rows_that_are_close_in_the_joints_stay_as_they_are():
    line = line_path(ARM, HOME, [0.0, -0.1, 0.1])
    np.testing.assert_array_equal(rows_on_line(ARM, line.q), line.q)


@pytest.mark.parametrize("line", [NEAR_WRIST, TURNING], ids=["straight", "turning"])
def test_added_rows_are_on_the_line_and_between_their_neighbours(line):
    assert np.abs(np.diff(line.q, axis=0)).max() > 0.3  # a joint turns far within a millimetre
    rows = rows_on_line(ARM, line.q)
    kept = np.flatnonzero((rows[:, None] == line.q).all(axis=2).any(axis=1))
    assert len(kept) == len(line.q) < len(rows)
    np.testing.assert_array_equal(rows[kept], line.q)
    assert off_line(ARM, line, rows).max() < 1e-9
    ends, poses = forward_kinematics(ARM, line.q[[0, -1]]), forward_kinematics(ARM, rows)
    share = np.linalg.norm(poses[:, :3, 3] - ends[0, :3, 3], axis=1) / 0.05
    assert (np.diff(share) > -1e-9).all()
    turn = Rotation.from_matrix(ends[1, :3, :3] @ ends[0, :3, :3].T).as_rotvec()
    wanted = Rotation.from_rotvec(share[:, None] * turn).as_matrix() @ ends[0, :3, :3]
    np.testing.assert_allclose(poses[:, :3, :3], wanted, atol=1e-7)


@pytest.mark.parametrize("line", [NEAR_WRIST, TURNING], ids=["straight", "turning"])
def test_the_tool_stays_on_its_line_beside_a_singularity(monkeypatch, line):
    """Less than a micrometre off with the added rows, hundreds without."""

    def worst():
        return off_line(ARM, line, sample(time_path(ARM, line), 8)[1]).max()

    assert worst() < 1e-6
    monkeypatch.setattr(line_rows, "OFF_LINE", math.inf)
    monkeypatch.setattr(line_rows, "REFUSED", math.inf)
    assert worst() > 1e-4


def test_rows_that_jump_to_another_branch_are_refused():
    """Joint 5 changes its sign between two rows: the wrist would have to turn over on the spot."""
    signs = np.sign(JUMPING.q[:, 4])
    assert (signs[:2] == 1).all()
    assert (signs[2:] == -1).all()
    assert off_line(ARM, JUMPING, JUMPING.q).max() < 1e-9
    with refused("joints jump on a straight tool line"):
        time_path(ARM, JUMPING)


def test_a_turn_on_the_spot_keeps_the_tool_where_it_is():
    """Rows a fifth of a radian apart, the tool point still."""
    pose, rows = forward_kinematics(ARM, HOME), [HOME]
    for angle in (0.2, 0.4, 0.6):
        target = pose.copy()
        target[:3, :3] = Rotation.from_rotvec([angle, 0, angle / 2]).as_matrix() @ pose[:3, :3]
        rows.append(nearest(inverse_kinematics(ARM, target), rows[-1]))
    q = sample(time_path(ARM, planned_path(rows, "shortest", [0, 3])), 8)[1]
    assert np.linalg.norm(forward_kinematics(ARM, q)[:, :3, 3] - pose[:3, 3], axis=1).max() < 1e-6
