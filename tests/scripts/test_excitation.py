"""Exciting trajectories: at rest at both ends, within limits, better conditioned than random ones."""

from __future__ import annotations

import numpy as np
import pytest
from madsen2020.excitation import (
    NoExcitation,
    excite,
    from_free,
    limits_of,
    random_free,
    within_limits,
)
from refusals import refused

from dynamics import BadInput, inverse_dynamics, load_arm
from hopfield_nav import geometry
from hopfield_nav.extensions.clearance import build_scene, collides

ARM = load_arm("ur5e")


def _above_table(q):
    from dynamics import link_frames

    return bool((link_frames(ARM, q)[2:, 2, 3] > 0.3).all())


@pytest.fixture(scope="module", params=[None, _above_table], ids=["open", "table"])
def found(request):
    limits = limits_of(ARM, 0.5, request.param)
    return limits, excite(ARM, limits, np.random.default_rng(0), random=4, iterations=3)


def test_trajectory_starts_at_rest_and_repeats():
    rng = np.random.default_rng(1)
    trajectory = from_free(random_free(6, 5, rng), 6, 5, 10.0)
    for t in (0.0, 10.0, 20.0):
        q, qd, qdd = trajectory(np.array([t]))
        np.testing.assert_allclose(q[0], trajectory.start, atol=1e-12)
        np.testing.assert_allclose(qd, 0, atol=1e-12)
        np.testing.assert_allclose(qdd, 0, atol=1e-12)
    assert np.abs(trajectory(np.array([3.3]))[1]).min() > 1e-3


def test_speed_and_acceleration_are_derivatives():
    trajectory = from_free(random_free(6, 5, np.random.default_rng(2)), 6, 5, 8.0)
    t = np.linspace(0, 8, 50)
    h = 1e-5
    before, at, after = trajectory(t - h), trajectory(t), trajectory(t + h)
    np.testing.assert_allclose((after[0] - before[0]) / (2 * h), at[1], atol=1e-7)
    np.testing.assert_allclose((after[1] - before[1]) / (2 * h), at[2], atol=1e-7)


def test_limits_hold_everywhere(found):
    limits, excitation = found
    q, qd, qdd = excitation.trajectory(np.linspace(0, 10, 3001))
    assert np.all((q >= limits.position[:, 0]) & (q <= limits.position[:, 1]))
    assert np.all(np.abs(qd) <= limits.speed)
    assert np.all(np.abs(inverse_dynamics(ARM, q, qd, qdd)) <= limits.torque * 1.001)
    if limits.is_free is not None:
        assert all(limits.is_free(row) for row in q[::10])
    assert within_limits(ARM, excitation.trajectory, limits)


def test_collisions_matter_only_where_they_are_asked_about(found):
    """The open trajectory goes through the table."""
    limits, excitation = found
    free = [_above_table(row) for row in excitation.trajectory(np.linspace(0, 10, 200))[0]]
    assert all(free) == (limits.is_free is not None)


def test_optimised_is_better_than_every_random_one(found):
    _, excitation = found
    assert excitation.condition_number < 0.9 * excitation.random_condition_numbers[0]
    assert np.all(np.diff(excitation.random_condition_numbers) >= 0)


HALF = limits_of(ARM, 0.5)
REFUSED = {
    "torque for nothing": (
        {"limits": HALF._replace(torque=np.full(6, 1e-3)), "random": 1},
        NoExcitation,
        "none of .* random trajectories",
    ),
    "limits of five joints": (
        {"limits": HALF._replace(position=HALF.position[:5])},
        BadInput,
        "wrong shape",
    ),
    "limits the wrong way round": (
        {"limits": HALF._replace(position=HALF.position[:, ::-1])},
        BadInput,
        "no room",
    ),
    "one joint's limits the wrong way round": (
        {"limits": HALF._replace(position=np.vstack([HALF.position[:5], HALF.position[5:, ::-1]]))},
        BadInput,
        "no room",
    ),
    "one joint that may not move": (
        {"limits": HALF._replace(speed=np.where(np.arange(6) == 2, 0.0, HALF.speed))},
        BadInput,
        "no room",
    ),
}


@pytest.mark.parametrize(("change", "error", "words"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_excite_is_refused(change, error, words):
    with refused(words, error):
        excite(ARM, **{"limits": HALF, "rng": np.random.default_rng(0)} | change)


def test_one_harmonic_is_too_few():
    with refused("2 harmonics"):
        from_free(np.zeros(6), 6, 1, 10.0)


def _touches(scene, trajectory):
    q, _, _ = trajectory(np.linspace(0, trajectory.period, 1000))
    return bool(collides(ARM, scene, q).any())


def _clear_of(scene):
    return limits_of(ARM, 0.3, lambda q: not collides(ARM, scene, q))


@pytest.mark.parametrize(
    "solids", [[], [geometry.box([0, 0, -0.2], [2.0, 2.0, 0.1])]], ids=["alone", "floor"]
)
def test_a_motion_clear_of_a_scene_touches_nothing(solids):
    scene, few = (
        build_scene(ARM, geometry.pack_primitives(solids)),
        {"random": 2, "iterations": 2, "harmonics": 3},
    )
    assert not _touches(
        scene, excite(ARM, _clear_of(scene), np.random.default_rng(1), **few).trajectory
    )
    assert _touches(
        scene, excite(ARM, limits_of(ARM, 0.3), np.random.default_rng(1), **few).trajectory
    )


def test_an_arm_in_a_box_cannot_be_excited():
    scene = build_scene(ARM, geometry.pack_primitives([geometry.box([0, 0, 0], [2.0, 2.0, 2.0])]))
    with pytest.raises(NoExcitation):
        excite(ARM, _clear_of(scene), np.random.default_rng(1), random=1, iterations=1)
