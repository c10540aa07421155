"""Gears that give before they slip: the hysteresis loop, its rate, its energy, and its limits."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from scipy.integrate import solve_ivp

from dynamics import load_arm, presliding_torque

STIFFNESS, LEVEL = 2e4, 8.0  # [N·m/rad], [N·m]


def _gear(stiffness=STIFFNESS, level=LEVEL):
    arm = load_arm("ur5_full")
    friction = np.zeros_like(arm.friction)
    friction[:, [0, 2]], friction[:, 3] = level, 0.1
    return arm._replace(friction=friction, presliding=np.full(6, float(stiffness)))


def _torque(path, stiffness=STIFFNESS, level=LEVEL, start=0.0):
    rows = np.tile(np.asarray(path)[:, None], 6)
    return presliding_torque(_gear(stiffness, level), rows, np.full(6, start))[:, 0]


def _waves(turns, amplitude=4e-4, points=20000):
    return amplitude * np.sin(np.linspace(0.0, 2 * np.pi * turns, turns * points + 1))


def _work(force, path):
    return np.sum(0.5 * (force[1:] + force[:-1]) * np.diff(path))


def test_dahls_equation_is_solved_exactly():
    """Against a differential equation's solver, over a path that turns five times."""
    times = np.linspace(0.0, 1.0, 201)

    def angle(t):
        return 6e-4 * np.sin(9.0 * t) + 3e-4 * np.sin(23.0 * t)

    def speed(t):
        return 54e-4 * np.cos(9.0 * t) + 69e-4 * np.cos(23.0 * t)

    def law(t, force):
        return STIFFNESS * (speed(t) - abs(speed(t)) * force / LEVEL)

    solved = solve_ivp(law, (0, 1), [0.0], t_eval=times, rtol=1e-10, atol=1e-10, max_step=1e-3)
    fine = np.linspace(0.0, 1.0, 200001)
    ours = _torque(angle(fine))[::1000]
    np.testing.assert_allclose(ours, solved.y[0], atol=2e-4)


def test_the_loop_closes_and_has_the_area_of_the_formula():
    """Between turning points at ±a the loop ends at F_c tanh(σ a / F_c); its area follows by integration."""
    a, path = 4e-4, _waves(40)
    force = _torque(path)
    last, before = force[-20001:], force[-40001:-20000]
    np.testing.assert_allclose(last, before, atol=1e-6)
    peak = LEVEL * np.tanh(STIFFNESS * a / LEVEL)
    assert last.max() == pytest.approx(peak, rel=1e-6)
    lost = 1.0 - np.exp(-2.0 * STIFFNESS * a / LEVEL)
    area = 2.0 * (2.0 * a * LEVEL - (peak + LEVEL) * LEVEL / STIFFNESS * lost)
    assert _work(last, path[-20001:]) == pytest.approx(area, rel=1e-5)


def test_it_depends_on_the_path_and_not_on_its_rate():
    """The same way with other stops and in steps of other sizes."""
    path = _waves(3, points=40)
    slow = np.sort(np.concatenate([np.arange(len(path)), np.arange(0, len(path), 3)]))
    stretched = _torque(path[slow])
    same = stretched[np.searchsorted(slow, np.arange(len(path)))]
    np.testing.assert_allclose(same, _torque(path), rtol=1e-12, atol=1e-12)
    turns = np.flatnonzero(np.diff(np.sign(np.diff(path))) != 0) + 1
    only = np.concatenate([[0], turns, [len(path) - 1]])
    np.testing.assert_allclose(_torque(path[only])[-1], _torque(path)[-1], rtol=1e-12)


def test_it_takes_at_least_what_it_stores():
    """F dq = d(F² / 2σ) + F² / F_c |dq|: of any path no more than F² / 2σ comes back."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        path = np.interp(np.linspace(0, 30, 60001), np.arange(31), 5e-4 * rng.normal(size=31))
        force = _torque(path)
        work = np.cumsum(0.5 * (force[1:] + force[:-1]) * np.diff(path))
        stored = force[1:] ** 2 / (2.0 * STIFFNESS)
        slipped = np.cumsum(
            0.5 * (force[1:] ** 2 + force[:-1] ** 2) / LEVEL * np.abs(np.diff(path))
        )
        np.testing.assert_allclose(work, stored + slipped, atol=1e-7)
        assert (work >= stored - 1e-7).all()


def test_a_small_turn_meets_the_stiffness_and_a_long_one_the_level():
    assert _torque([0.0, 1e-9])[-1] == pytest.approx(STIFFNESS * 1e-9, rel=1e-4)
    assert _torque([0.0, 0.1])[-1] == pytest.approx(LEVEL, rel=1e-12)
    assert _torque([0.0, 0.1, 0.1 - 1e-9])[-1] == pytest.approx(
        LEVEL - 2 * STIFFNESS * 1e-9, rel=1e-6
    )


def test_the_stiffer_the_nearer_to_coulomb():
    path = np.array([0.0, 1e-3, 2e-3, 1e-3, 0.0, 1e-3])
    coulomb = LEVEL * np.sign(np.diff(path))
    gaps = [np.abs(_torque(path, stiffness)[1:] - coulomb).max() for stiffness in (1e4, 1e5, 1e6)]
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] < 1e-12


def test_a_joint_without_friction_has_none():
    np.testing.assert_array_equal(_torque(_waves(1, points=50), level=0.0), 0.0)


def test_paths_of_a_wrong_shape_are_refused():
    with refused("q"):
        presliding_torque(_gear(), np.zeros((4, 5)))
