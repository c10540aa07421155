"""The workspace's modes by a root of the equations of motion, and what laws leave of the circle."""

import numpy as np
import pytest
from tu2023 import laws, workspace

from dynamics import forward_dynamics, forward_kinematics, gravity_torque, load_arm


def test_points_are_every_branch_of_poses_in_reach():
    found, arm = workspace.points(), load_arm(workspace.ARM)
    assert found.poses == workspace.POSES
    assert 4 * found.poses < len(found.q) <= 8 * found.poses
    place = forward_kinematics(arm, found.q)[:, :3, 3] - [0, 0, arm.dh[0, 1]]
    reach = workspace.exact_extent(arm).reach
    assert np.linalg.norm(place, axis=1).max() < reach
    assert len(np.unique(np.round(place, 6), axis=0)) == found.poses
    assert (place > 0).mean() == pytest.approx(0.5, abs=0.05)


def test_every_mode_is_a_root_of_the_equations():
    """Moved along a mode and let go, the arm accelerates back by ω² of it, or away by its fall squared."""
    found, arm = workspace.points(), load_arm(workspace.ARM)
    for k in range(0, len(found.q), len(found.q) // 12):
        q, h = found.q[k], 1e-5
        hold, still = gravity_torque(arm, q), np.zeros(6)
        ahead, behind = (
            [forward_dynamics(arm, q + s * e, still, hold) for e in np.eye(6)] for s in (h, -h)
        )
        squares = np.sort(np.linalg.eigvals((np.array(ahead) - behind).T / (2 * h)).real)
        np.testing.assert_allclose(
            squares, found.falls[k] ** 2 - found.swings[k, ::-1] ** 2, atol=1e-3
        )


def test_gains_are_those_of_inertia_at_high_frequencies():
    """Ten times the frequency, a hundredth of the magnitude."""
    high = workspace.gains(np.array([20.0, 200.0]), 1)
    np.testing.assert_allclose(high[0] - high[1], 40, atol=0.2)


@pytest.mark.parametrize("law", laws.LAWS)
def test_errors_are_those_kept(law):
    """The real arm again; friction costs every law accuracy."""
    real, ideal = laws.errors(law, True), laws.errors(law, False)
    assert laws.errors.__wrapped__(law, True) == pytest.approx(real, rel=1e-6)
    assert real[0] > 1.4 * ideal[0]
