"""The distance behind the reference, and contacts that it answers, or that nothing answers."""

from __future__ import annotations

import numpy as np
import pytest

from dynamics import forward_kinematics, link_frames, load_arm
from dynamics.kinematics import update_frames, update_tool_position
from dynamics.work import make_work
from hopfield_nav import load_world, simulate
from hopfield_nav.build import build_arm
from hopfield_nav.control.lag import lag_behind
from hopfield_nav.geometry import capsules_in_base
from hopfield_nav.plugin import make_sensed

DEAF = "detection={estimator: joint_error, measure: wrench_norm, threshold: 200}"
TIMES, FORCE = "[0.2, 0.3, 0.6, 0.7]", "[[0, 0, 0], [0, 0, -80], [0, 0, -80], [0, 0, 0]]"
PUSH = f"pushes=[{{link: 3, times: {TIMES}, force: {FORCE}}}]"


def pushed(*changes):
    return simulate(load_world("empty", ["time_limit=1.2", PUSH, *changes]))


def test_the_level_is_the_distance_of_the_arm_from_where_it_should_be():
    """Against forward kinematics at both angles: at least the tool's, hardly more than a link's end's."""
    run = pushed(DEAF, "detection.lag=0.5", "detection.threshold=1e6")
    data, arm = run.data.isel(time=slice(10, None, 20)), build_arm(run.world)
    wanted, found = data.q_ref.values, data.q_sensed.values
    axes = [capsules_in_base(arm, q)[..., :6].reshape(len(q), -1, 3) for q in (wanted, found)]
    farthest = np.linalg.norm(axes[0] - axes[1], axis=2).max(axis=1)
    tool = np.linalg.norm(
        forward_kinematics(arm, wanted)[:, :3, 3] - forward_kinematics(arm, found)[:, :3, 3], axis=1
    )
    lag = 0.5 * data.level.values
    assert lag.max() > 5e-3
    np.testing.assert_array_less(tool, 1.02 * lag + 1e-6)
    np.testing.assert_array_less(lag, 1.3 * farthest + 1e-6)


def test_the_farthest_point_is_found_wherever_it_is():
    """To first order, against the frames at both angles: for some arms it is the tool, for some the elbow."""
    arm, farthest, rng = load_arm("ur5_full"), set(), np.random.default_rng(1)
    for q, error, correction in rng.uniform(-np.pi, np.pi, (200, 3, 6)) * [[1.0], [1e-6], [1e-2]]:
        sensed, work = make_sensed(6), make_work(6)
        sensed.q[:], sensed.q_ref[:] = q, q + error + correction
        update_frames(arm, q, work)
        update_tool_position(arm, work)
        moved = np.linalg.norm(
            (link_frames(arm, q + error) - link_frames(arm, q))[1:, :3, 3], axis=1
        )
        farthest.add(int(moved.argmax()) + 1)
        assert lag_behind(sensed, correction, work) == pytest.approx(moved.max(), rel=1e-4)
    assert {2, 6} <= farthest


@pytest.mark.parametrize(("lag", "felt"), [("null", False), (0.5, False), (0.004, True)])
def test_what_the_torques_do_not_tell_the_lag_does(lag, felt):
    run = pushed(DEAF, f"detection.lag={lag}")
    assert (run.summary["collision_count"] > 0) == felt
    assert run.summary["silent_contact_count"] == (0 if felt else 1)
    assert run.summary["silent_peak_force_N"] == pytest.approx(0.0 if felt else 80.0)


def test_an_answered_contact_is_not_silent():
    run = pushed()
    assert (run.summary["contact_count"], run.summary["silent_contact_count"]) == (1, 0)


def test_a_map_of_joints_counts_a_lag_by_default():
    assert load_world("whole_arm").detection.lag == 0.02
    assert load_world("whole_arm", ["detection.lag=null"]).detection.lag is None
    assert load_world("empty").detection.lag is None
