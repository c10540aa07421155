"""What is learnt of masses, centres and a payload, by the torque that it predicts elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

from dynamics import inverse_dynamics, jacobian, load_arm, with_payload
from hopfield_nav.extensions.self_model import LinkLearning, Windows

BELIEVED = load_arm("ur5_full")
SCALE = np.array([1.1, 0.9, 1.1, 0.9, 1.1, 0.9])
TRUE = BELIEVED._replace(
    mass=SCALE * BELIEVED.mass,
    inertia=SCALE[:, None, None] * BELIEVED.inertia,
    center_of_mass=BELIEVED.center_of_mass + 0.01 * np.random.default_rng(0).uniform(-1, 1, (6, 3)),
)


def windows(arm, count, seed, spread=1.5, force=None, noise=0.02):
    """Means over windows of a motion about one place; ``force`` (3,) on the tool."""
    generator = np.random.default_rng(seed)
    middle = np.array([0.3, -1.2, 1.4, -0.5, 1.2, 0.4])
    q = middle + spread * generator.uniform(-1, 1, (count, 6))
    qd, qdd = (size * generator.uniform(-1, 1, (count, 6)) for size in (0.5, 1.0))
    tau = inverse_dynamics(arm, q, qd, qdd) + noise * generator.normal(size=(count, 6))
    if force is not None:
        tau -= np.einsum("kji,j->ki", jacobian(arm, q)[:, :3], force)
    still = np.zeros((count, 6))
    return Windows(q, qd, qdd, tau, still, still, still)


def error(arm, seed=9):
    """Root mean square of the error of an arm's torque on motions that were not learnt [N·m]."""
    test = windows(TRUE, 200, seed, noise=0.0)
    return np.sqrt(np.mean((inverse_dynamics(arm, test.q, test.qd, test.qdd) - test.tau) ** 2))


def test_the_torque_is_known_better_elsewhere_and_as_well_as_it_is_said_to_be():
    learning = LinkLearning(BELIEVED)
    for k in range(10):
        learning.learn(windows(TRUE, 10, k))
    assert error(learning.model()) < 0.15 * error(BELIEVED)
    test = windows(TRUE, 200, 9, noise=0.0)
    off = inverse_dynamics(learning.model(), test.q, test.qd, test.qdd) - test.tau
    assert np.mean(np.abs(off) <= 3.0 * learning.doubt(test) + 1e-9) > 0.97


def test_nothing_becomes_less_sure_by_learning():
    learning, test = LinkLearning(BELIEVED), windows(TRUE, 50, 9)
    before = learning.doubt(test)
    learning.learn(windows(TRUE, 10, 1))
    assert np.all(learning.doubt(test) <= before + 1e-9)
    assert np.linalg.eigvalsh(learning.covariance).min() > -1e-9


def test_a_blow_is_no_error_of_the_model():
    learning = LinkLearning(BELIEVED)
    assert learning.learn(windows(BELIEVED, 10, 1, force=np.array([300.0, 0.0, 0.0]))) == 0
    np.testing.assert_array_equal(learning.values, 0.0)


def test_a_model_that_is_right_stays_so():
    learning = LinkLearning(BELIEVED)
    for k in range(5):
        learning.learn(windows(BELIEVED, 10, k, noise=0.0))
    np.testing.assert_allclose(learning.model().mass, BELIEVED.mass, rtol=1e-6)


@pytest.mark.parametrize("declared", [False, True])
def test_a_payload_is_learnt_where_there_may_be_one(declared):
    carrying = with_payload(BELIEVED, 1.0, np.array([0.0, 0.02, 0.05]))
    learning = LinkLearning(BELIEVED)
    if declared:
        learning.open_payload()
    for k in range(5):
        learning.learn(windows(carrying, 10, k))
    learning.close_payload()
    mass, center = learning.payload
    assert (mass > 0.0) == declared
    if declared:
        assert mass == pytest.approx(1.0, abs=0.15)
        np.testing.assert_allclose(mass * center, [0.0, 0.02, 0.05], atol=0.02)
    kept = learning.payload[0]
    learning.learn(windows(with_payload(BELIEVED, 2.0, np.zeros(3)), 10, 7))
    assert learning.payload[0] == kept


def test_what_grows_with_time_and_not_with_the_place_is_a_force():
    learning = LinkLearning(BELIEVED)
    learning.learn(windows(BELIEVED, 10, 0, spread=0.05))
    for k in range(10):
        learning.drift(0.5)
        learning.learn(windows(BELIEVED, 10, k, spread=0.05, force=np.array([0.0, 0.25 * k, 0.0])))
    there = windows(BELIEVED, 20, 3, spread=0.05, noise=0.0)
    taken = inverse_dynamics(learning.model(), there.q, there.qd, there.qdd) - there.tau
    pushed = np.einsum("kji,j->ki", jacobian(BELIEVED, there.q)[:, :3], [0.0, 2.25, 0.0])
    assert np.linalg.norm(taken) < 0.2 * np.linalg.norm(pushed)


def test_what_is_learnt_is_bounded():
    light = BELIEVED._replace(mass=0.01 * BELIEVED.mass, inertia=0.01 * BELIEVED.inertia)
    learning = LinkLearning(light)
    learning.open_payload()
    for k in range(10):
        learning.learn(windows(BELIEVED, 10, k))
    assert np.all(learning.model().mass > 0.0)
    assert np.all(np.abs(learning.values[:24]) <= 0.6)
