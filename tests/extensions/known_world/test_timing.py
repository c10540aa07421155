"""Timing of paths: limits kept and used, the path kept, and the least time there is."""

from __future__ import annotations

import math

import numpy as np
import pinocchio as pin
import pytest
from oracles import pinocchio_model
from planned_paths import corner_times, direct_path, line_path, off_line, planned_path
from poses import HOME
from refusals import refused
from scenes import SWING
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from dynamics import forward_kinematics, load_arm, mass_matrix, with_payload
from dynamics.files import arm_from_dict
from hopfield_nav.extensions.known_world import line as line_rows
from hopfield_nav.extensions.known_world import quintic_pieces, time_path, timing
from hopfield_nav.extensions.known_world.path_segments import segments_of_path
from hopfield_nav.extensions.known_world.timing import (
    RAMP,
    TOLERANCE,
    MotionLimits,
    fastest_speed,
    largest_shares,
    limit_rows,
    motion_limits,
)
from hopfield_nav.loop import evaluate

ARM = load_arm("ur5_ragazzon2012")
FULL = load_arm("ur5_full")
BENT = direct_path([[0, -1, 1, 0, 1, 0], [2, -2, 2, 1, 1, 1], [1, -1.5, 1, 0, 0, 0]], rows=7)
RAISED = direct_path([[0, -0.2, 0.3, 0, 1, 0], [0.3, -1.2, 0.6, 0, 1, 0]])  # joint 2 lifts the arm
LINE = line_path(ARM, HOME, [[0.0, -0.5, 0.3], [-0.1, 0.1, 0.0]], turn=[0.2, 0.1, -0.3])


def values(trajectory, count=4000):
    """Position, velocity and acceleration at many random times, by the loop's own evaluation."""
    times = np.sort(np.random.default_rng(0).uniform(0, trajectory.knots[-1], count))
    rows = [evaluate(trajectory, t) for t in times]
    return times, *(np.array(column) for column in zip(*rows, strict=True))


def pinocchio_torque(arm, q, qd, qdd):
    """(k, n) torque of the motors by Pinocchio, the friction of the joints by its formula."""
    model, data = pinocchio_model(arm)
    rigid = np.array([pin.rnea(model, data, *row) for row in zip(q, qd, qdd, strict=True)])
    coulomb, viscous = arm.friction[:, 0], arm.friction[:, 1]
    return rigid + coulomb * np.tanh(qd / 0.01) + viscous * qd


def end_time(arm, path, **limits):
    return time_path(arm, path, **limits).knots[-1]


CASES = {
    "acceleration": (ARM, BENT, {}),
    "torque": (ARM, BENT, {"acceleration": 40.0, "share": 0.5}),
    "one a joint": (ARM, BENT, {"acceleration": np.array([1.0, 2, 3, 4, 5, 6]), "tool_speed": 0.4}),
    "friction": (FULL, BENT, {"acceleration": 30.0, "share": 0.6}),
    "payload": (with_payload(ARM, 5.0, [0, 0, 0.1]), RAISED, {"acceleration": 20.0, "share": 0.75}),
    "line": (ARM, LINE, {"tool_speed": 0.25}),
    "fast line": (ARM, LINE, {"acceleration": 30.0, "share": 0.5}),
}


@pytest.mark.parametrize("case", CASES)
def test_limits_are_kept_at_any_time(case):
    """Measured at random times, the torque by Pinocchio, the tool's speed by differences."""
    arm, path, limits = CASES[case]
    trajectory = time_path(arm, path, **limits)
    times, q, qd, qdd = values(trajectory)
    most = 1 + TOLERANCE
    assert (np.abs(qd) <= most * arm.speed_limits).all()
    assert (np.abs(qdd) <= most * np.asarray(limits.get("acceleration", 1.4))).all()
    torque = np.abs(pinocchio_torque(arm, q, qd, qdd))
    assert (torque <= most * limits.get("share", 0.9) * arm.torque_limits + 1e-9).all()
    later = np.array([evaluate(trajectory, t + 1e-6)[0] for t in times])
    speed = np.linalg.norm(
        np.diff(forward_kinematics(arm, np.stack([q, later]))[..., :3, 3], axis=0)[0], axis=1
    )
    assert (speed / 1e-6 <= most * limits.get("tool_speed", math.inf) + 1e-6).all()


@pytest.mark.parametrize("case", CASES)
def test_shares_are_what_pinocchio_finds(case):
    arm, path, limits = CASES[case]
    trajectory = time_path(arm, path, **limits)
    shares = MotionLimits(*largest_shares(arm, trajectory, motion_limits(arm, **limits)))
    _, q, qd, qdd = values(trajectory)
    torque = np.abs(pinocchio_torque(arm, q, qd, qdd)) / (
        limits.get("share", 0.9) * arm.torque_limits
    )
    assert shares.torque == pytest.approx(torque.max(), rel=0.02)
    assert shares.torque >= torque.max() - 1e-3
    assert shares.speed == pytest.approx((np.abs(qd) / arm.speed_limits).max(), rel=0.01)


@pytest.mark.parametrize(
    ("name", "tight", "wide"),
    [
        ("speed", {"acceleration": 30.0, "share": math.inf}, {}),
        ("acceleration", {"acceleration": 1.4}, {"acceleration": 2.8}),
        ("torque", {"acceleration": 40.0, "share": 0.5}, {"share": math.inf}),
        ("tool_speed", {"tool_speed": 0.2}, {"tool_speed": None}),
    ],
)
def test_a_tight_limit_is_used_up_and_costs_time(name, tight, wide):
    path = direct_path([[0, -0.2, 0.3, 0, 1, 0], [2.5, -1.2, 0.6, 0, 1, 0]])
    bound = time_path(ARM, path, **tight)
    shares = MotionLimits(*largest_shares(ARM, bound, motion_limits(ARM, **tight)))
    assert getattr(shares, name) > 0.99
    faster = ARM._replace(speed_limits=2 * ARM.speed_limits) if name == "speed" else ARM
    assert end_time(faster, path, **{**tight, **wide}) < 0.98 * bound.knots[-1]


@pytest.mark.parametrize(
    ("length", "acceleration"), [(2.0, 1.4), (-5.0, 5.0), (6.0, 20.0), (0.3, 0.2)]
)
def test_one_joint_takes_the_time_of_the_trapezoid(length, acceleration):
    """Closed form of the bang-bang and the trapezoid move; the ramp adds itself and nothing else."""
    speed, distance = ARM.speed_limits[0], abs(length)
    least = 2 * math.sqrt(distance / acceleration)
    if distance > speed**2 / acceleration:
        least = distance / speed + speed / acceleration
    path = direct_path([np.zeros(6), [length, 0, 0, 0, 0, 0]])
    limits = {"acceleration": acceleration, "share": math.inf}
    jumping = end_time(ARM, path, **limits, ramp=0.0)
    assert least * (1 - 1e-9) <= jumping <= 1.01 * least
    assert end_time(ARM, path, **limits) == pytest.approx(jumping + RAMP, rel=1e-6)
    assert end_time(ARM, path, **limits) <= 1.01 * least


def test_one_hinge_takes_the_time_that_its_torque_allows():
    """Upright hinge, no gravity about it: constant torque is constant acceleration."""
    import yaml

    hinge = arm_from_dict(yaml.safe_load(SWING))
    hinge = hinge._replace(torque_limits=np.array([3.0]), speed_limits=np.array([100.0]))
    inertia = mass_matrix(hinge, np.zeros(1))[0, 0]
    assert inertia == pytest.approx(0.25 + 3.0 * 0.25)
    found = end_time(hinge, direct_path([[0.0], [2.0]]), acceleration=1e3, share=1.0, ramp=0.0)
    least = 2 * math.sqrt(2.0 * inertia / 3.0)
    assert least * (1 - 1e-6) <= found <= 1.01 * least


def test_lifting_takes_the_least_time_of_an_integrated_bang_bang():
    """Joint 2 alone against gravity: full torque up, full torque down, integrated with Pinocchio."""
    most = 60.0
    limits = np.array([1e6, most, 1e6, 1e6, 1e6, 1e6])
    arm = ARM._replace(torque_limits=limits, speed_limits=np.full(6, 100.0))
    start, goal = -0.2, -1.4
    pose = np.array([0.0, start, 1.2, 0.3, 1.0, 0.0])
    model, data = pinocchio_model(arm)

    def rate(_, state, torque):
        q = pose.copy()
        q[1] = state[0]
        gravity = pin.computeGeneralizedGravity(model, data, q)[1]
        inertia = pin.crba(model, data, q)[1, 1]
        # one joint alone: C qd is dM/dq qd² / 2 = 0 here
        return [state[1], (torque - gravity) / inertia]

    def run(torque, state, stop):
        event = lambda t, s, _: stop(s)  # noqa: E731
        event.terminal = True
        return solve_ivp(rate, (0, 10), state, args=(torque,), events=event, rtol=1e-9, atol=1e-11)

    def overshoot(switch):
        up = run(-most, [start, 0.0], lambda s: s[0] - switch)
        down = run(most, up.y[:, -1], lambda s: s[1])
        return down.y[0, -1] - goal, up.t[-1] + down.t[-1]

    switch = brentq(lambda at: overshoot(at)[0], start - 0.1, goal + 0.05, xtol=1e-9)
    least = overshoot(switch)[1]
    path = direct_path([pose, pose + np.array([0, goal - start, 0, 0, 0, 0])])
    found = end_time(arm, path, acceleration=1e4, share=1.0, ramp=0.0)
    assert least * (1 - TOLERANCE) <= found <= 1.01 * least


def test_only_limits_that_were_exceeded_are_tightened():
    """By as much as each was: twice its limit halves it, and nothing else."""
    limits = motion_limits(FULL, tool_speed=0.25)
    for name in limits._fields:
        tight = timing._tightened(
            limits, [2.0 if other == name else 0.5 for other in limits._fields]
        )
        for other in limits._fields:
            factor = 0.5 if other == name else 1.0
            np.testing.assert_array_equal(
                getattr(tight, other), factor * np.asarray(getattr(limits, other))
            )


def test_there_and_back_take_equally_long_without_friction():
    """Rigid dynamics do not know the direction of time, gravity included; friction does."""
    back = direct_path(BENT.q[BENT.corners][::-1])
    limits = {"acceleration": 40.0, "share": 0.5}
    assert end_time(ARM, back, **limits) == pytest.approx(end_time(ARM, BENT, **limits), rel=3e-3)
    with_friction = end_time(FULL, back, **limits) / end_time(FULL, BENT, **limits)
    assert abs(with_friction - 1) > 0.01


def test_a_payload_costs_time_only_where_torque_binds():
    heavy = with_payload(ARM, 5.0, [0, 0, 0.1])
    slow, fast = {"acceleration": 0.5}, {"acceleration": 20.0, "share": 0.75}
    assert end_time(heavy, RAISED, **slow) == pytest.approx(end_time(ARM, RAISED, **slow), rel=1e-9)
    assert end_time(heavy, RAISED, **fast) > 1.05 * end_time(ARM, RAISED, **fast)


def test_a_direct_path_stays_on_its_lines_and_rests_at_corners():
    trajectory = time_path(ARM, BENT, acceleration=20.0)
    times = corner_times(BENT, trajectory)
    assert times[0] == 0.0
    assert times[-1] == trajectory.knots[-1]
    instants, q, _, _ = values(trajectory)
    for i in range(2):
        first, last = BENT.q[BENT.corners[i : i + 2]]
        here = q[(instants >= times[i]) & (instants <= times[i + 1])]
        share = (here - first) @ (last - first) / np.sum((last - first) ** 2)
        np.testing.assert_allclose(here, first + share[:, None] * (last - first), atol=1e-11)
        assert (np.diff(share) >= 0).all()
        assert share.min() >= -1e-12
        assert share.max() <= 1 + 1e-12
    for corner, time in zip(BENT.corners, times, strict=True):
        where, speed, _ = evaluate(trajectory, time)
        np.testing.assert_allclose(where, BENT.q[corner], atol=1e-10)
        np.testing.assert_allclose(speed, 0, atol=1e-9)


def test_quintic_pieces_through_a_line_stay_on_it():
    rng = np.random.default_rng(1)
    direction, knots = np.array([1.0, -2.0, 0.5]), np.cumsum(rng.uniform(0.01, 0.1, 20)) - 0.01
    s, sd, sdd = rng.normal(size=(3, 20, 1))
    trajectory = quintic_pieces(knots, 0.3 + s * direction, sd * direction, sdd * direction)
    for time in rng.uniform(knots[0], knots[-1], 200):
        q = evaluate(trajectory, time)[0] - 0.3
        np.testing.assert_allclose(np.cross(q, direction), 0, atol=1e-12)


@pytest.mark.parametrize("acceleration", [1.4, 30.0])
def test_the_tool_stays_on_its_line(monkeypatch, acceleration):
    """With rows a millimetre apart; with rows five centimetres apart only where some are added."""
    trajectory = time_path(ARM, LINE, acceleration=acceleration, share=0.5)
    times, q, _, _ = values(trajectory)
    bounds = corner_times(LINE, trajectory)
    for i in range(2):
        here = q[(times >= bounds[i]) & (times <= bounds[i + 1])]
        assert off_line(ARM, LINE, here, i).max() < 1e-8
    coarse = line_path(ARM, HOME, [0.0, -0.5, 0.3], step=0.05)
    assert off_line(ARM, coarse, values(time_path(ARM, coarse))[1]).max() < 1e-6
    monkeypatch.setattr(line_rows, "OFF_LINE", math.inf)
    monkeypatch.setattr(line_rows, "REFUSED", math.inf)
    assert off_line(ARM, coarse, values(time_path(ARM, coarse))[1]).max() > 1e-6


@pytest.mark.parametrize("path", [BENT, LINE], ids=["direct", "line"])
def test_acceleration_builds_up_within_the_ramp(path):
    for ramp in (0.0, RAMP):
        trajectory = time_path(ARM, path, ramp=ramp)
        knots = trajectory.knots[1:-1]
        before = np.array([evaluate(trajectory, t - 1e-9)[2] for t in knots])
        after = np.array([evaluate(trajectory, t + 1e-9)[2] for t in knots])
        jump = np.abs(after - before).max()
        assert jump < 1e-3 if ramp else jump > 1.0
        assert np.abs(evaluate(trajectory, 0.0)[2]).max() == pytest.approx(
            0.0 if ramp else 1.4, abs=0.02
        )


def test_velocity_and_acceleration_are_derivatives():
    trajectory, h = time_path(ARM, LINE), 1e-5
    for time in np.random.default_rng(2).uniform(0.01, trajectory.knots[-1] - 0.01, 50):
        before, now, after = (evaluate(trajectory, time + k * h) for k in (-1, 0, 1))
        np.testing.assert_allclose((after[0] - before[0]) / (2 * h), now[1], atol=1e-6)
        np.testing.assert_allclose((after[1] - before[1]) / (2 * h), now[2], atol=1e-2)


def test_what_the_grid_lets_through_is_caught(monkeypatch):
    """A long ramp smears a line's limits over places where others hold."""
    fast = {"acceleration": 30.0, "share": math.inf, "ramp": 0.05}
    limits = motion_limits(ARM, 30.0, math.inf)
    assert max(largest_shares(ARM, time_path(ARM, LINE, **fast), limits)) <= 1 + TOLERANCE
    monkeypatch.setattr(timing, "TOLERANCE", math.inf)
    assert max(largest_shares(ARM, time_path(ARM, LINE, **fast), limits)) > 1 + TOLERANCE


def test_a_path_without_motion_takes_no_time():
    for rows in ([HOME], [HOME, HOME]):
        for kind in ("direct", "shortest"):
            trajectory = time_path(ARM, planned_path(rows, kind, np.arange(len(rows))))
            assert trajectory.knots[-1] == 0.0
            np.testing.assert_array_equal(evaluate(trajectory, 1.0)[0], HOME)
    paused = direct_path([HOME, HOME, HOME + 0.5])
    assert (corner_times(paused, time_path(ARM, paused))[:2] == 0).all()


BAD = {
    "kind": (planned_path(BENT.q, "longest", BENT.corners), {}, "unknown kind"),
    "joints": (planned_path(np.zeros((2, 3)), "direct", [0, 1]), {}, "finite joint angles"),
    "NaN": (planned_path(np.full((2, 6), np.nan), "direct", [0, 1]), {}, "finite joint angles"),
    "corners": (planned_path(BENT.q, "direct", [0, 3]), {}, "corners are rows"),
    "float corners": (planned_path(BENT.q, "direct", [0.0, 12.0]), {}, "corners are rows"),
    "bent": (planned_path(BENT.q, "direct", [0, 12]), {}, "straight between corners"),
    "acceleration": (BENT, {"acceleration": 0.0}, "acceleration must be positive"),
    "unbounded": (BENT, {"acceleration": math.inf}, "acceleration must be positive"),
    "accelerations": (BENT, {"acceleration": np.ones(3)}, "acceleration must be positive"),
    "word": (BENT, {"acceleration": "fast"}, "limits are numbers"),
    "share": (BENT, {"share": -1.0}, "share must be positive"),
    "tool speed": (BENT, {"tool_speed": 0.0}, "tool_speed must be positive"),
    "ramp": (BENT, {"ramp": -0.1}, "ramp must be a time"),
    "too weak": (RAISED, {"share": 0.1}, "rest and creep"),
}


@pytest.mark.parametrize(("path", "limits", "words"), BAD.values(), ids=BAD)
def test_bad_input_is_refused_in_one_line(path, limits, words):
    with refused(words):
        time_path(ARM, path, **limits)


def test_speeds_are_those_of_the_library_that_has_the_method():
    """toppra (Pham and Pham 2018), with the same limits at both ends of each step of the grid."""
    toppra = pytest.importorskip("toppra")
    from toppra.constraint.linear_constraint import (
        LinearConstraint,
        canlinear_colloc_to_interpolate,
    )

    class Limits(LinearConstraint):
        def __init__(self, rows):
            super().__init__()
            self.rows, self.identical = rows, True

        def compute_constraint_params(self, path, gridpoints, *_, **__):
            both = np.vstack([np.eye(self.rows.a.shape[1]), -np.eye(self.rows.a.shape[1])])
            known = canlinear_colloc_to_interpolate(
                *self.rows[:3], both, np.ones(len(both)), None, None, gridpoints, identical=True
            )
            return (
                *known[:5],
                None,
                np.column_stack([np.zeros(len(gridpoints)), self.rows.square_speed]),
            )

    for arm, path, limits in CASES.values():
        limits = motion_limits(arm, **limits)
        for segment in segments_of_path(arm, path):
            rubbed = np.zeros(len(segment.grid))
            spline = toppra.SplineInterpolator(segment.grid, segment.path(segment.grid))
            search = toppra.algorithm.TOPPRA(
                [Limits(limit_rows(arm, segment, limits, rubbed))],
                spline,
                segment.grid,
                solver_wrapper="seidel",
            )
            wanted = search.compute_parameterization(0.0, 0.0)[1]
            np.testing.assert_allclose(
                fastest_speed(arm, segment, limits, rubbed), wanted, atol=1e-6
            )


def test_a_segment_on_which_no_speed_keeps_the_limits_is_timed_all_the_same(monkeypatch):
    tried = []

    def never(arm, segment, limits, rubbed):
        tried.append(limits)
        return (
            fastest_speed(arm, segment, limits, rubbed) if np.isinf(limits.torque).all() else None
        )

    monkeypatch.setattr(timing, "fastest_speed", never)
    limits = motion_limits(FULL, 30.0, 0.6)
    assert max(largest_shares(FULL, time_path(FULL, BENT, 30.0, 0.6), limits)) <= 1 + TOLERANCE
    assert len(tried) > 2
