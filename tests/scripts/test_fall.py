"""The free fall of ragazzon2012, section 3.3: published rest pose from the published mistake alone."""

import re

import numpy as np
import pytest
from ragazzon2012 import fall as claims

from dynamics import BadInput, link_frames, load_arm, mass_matrix
from hopfield_nav.experiment import Simulation
from hopfield_nav.world import load_world

ALMOST = 0.05  # [°]


@pytest.fixture(scope="module")
def printed():
    return claims.run(claims.AS_PRINTED)


@pytest.fixture(scope="module")
def right():
    return claims.run(claims.RIGHT)


def test_as_printed_arm_ends_in_the_published_pose(printed):
    q = claims.final_pose(printed)[1:5]
    np.testing.assert_allclose(q, [90.00, -26.61, -27.22, 90.00], rtol=0, atol=ALMOST)
    np.testing.assert_allclose(np.round(q, 1), claims.PUBLISHED_REST, rtol=0, atol=1e-9)


def test_as_printed_arm_stays_there():
    q = claims.final_pose(claims.run(claims.AS_PRINTED, "time_limit=30"))[1:5]
    np.testing.assert_allclose(q, [90.00, -26.61, -27.22, 90.00], rtol=0, atol=ALMOST)


def test_as_printed_arm_is_nearly_at_rest_at_11_s(printed):
    assert claims.speed_at(printed, 11.0) == pytest.approx(0.013, abs=0.001)
    q = np.degrees(printed.data.q.sel(time=11.0, method="nearest").values)
    np.testing.assert_allclose(q[2:4], [-27.5, -26.3], atol=ALMOST)


def test_right_arm_is_not_at_rest_at_11_s(right):
    assert claims.speed_at(right, 11.0) > 0.3


def test_right_arm_ends_elsewhere(right):
    """With the wrist straight down; it swings about that pose at 15 s, a little at 100 s, then no more."""
    np.testing.assert_allclose(claims.final_pose(right)[1:5], [90, 0, -90, 0], rtol=0, atol=3)
    long = claims.run(claims.RIGHT, *claims.LONG)
    np.testing.assert_allclose(claims.final_pose(long)[1:4], [90, 0, -90], rtol=0, atol=0.2)
    assert claims.speed_at(long, 100.0) > claims.SLOW > claims.speed_at(long, 199.0)


def test_statics_fix_the_sum(printed):
    assert claims.static_sum() == pytest.approx(-53.82, abs=0.01)
    q = claims.final_pose(printed)
    assert q[2] + q[3] == pytest.approx(claims.static_sum(), abs=0.02)


def test_swing(printed, right):
    np.testing.assert_allclose(claims.swing(printed), [-52.8, 22.4, 132.1], atol=0.1)
    np.testing.assert_allclose(claims.swing(right), [-62.0, 35.3, 144.0], atol=0.1)


def test_damping_law_is_the_printed_one():
    for time in (0.0, 3.3, 9.8, 9.8 + 1e-9, 15.0):
        assert claims.damping_gain(time) == pytest.approx(claims.printed_gain(time), abs=1e-9)


@pytest.mark.parametrize("world", [claims.AS_PRINTED, claims.RIGHT])
def test_a_step_of_1_ms_is_refused_with_one_that_would_do(world):
    with pytest.raises(BadInput, match="explode") as refusal:
        Simulation(load_world(world, ["plant.step=0.001"]))
    largest = float(re.search(r"at most ([\d.e-]+) s", str(refusal.value))[1])
    assert 0.0002 < largest < 0.0004
    Simulation(load_world(world, [f"plant.step={largest}"]))


def energy(arm, q, qd):
    """Kinetic and potential energy at each row [J]."""
    frames = link_frames(arm, q)[..., 1:, :, :]
    centres = (
        np.einsum("...ij,...j->...i", frames[..., :3, :3], arm.center_of_mass) + frames[..., :3, 3]
    )
    potential = -(arm.mass * (centres @ arm.gravity)).sum(axis=-1)
    return 0.5 * np.einsum("ki,kij,kj->k", qd, mass_matrix(arm, q), qd) + potential


def test_energy_decreases(right):
    """Damping takes what gravity gives, and no more: the loss is the integral of K qd²."""
    data = right.data.isel(time=slice(None, None, 5))
    time, qd = data.time.values, data.qd.values
    total = energy(load_arm("ur5_ragazzon2012"), data.q.values, qd)
    assert np.all(np.diff(total) <= 0)
    power = np.array([claims.printed_gain(t) for t in time]) * (qd**2).sum(axis=1)
    lost = np.sum(0.5 * (power[1:] + power[:-1]) * np.diff(time))
    assert total[0] - total[-1] == pytest.approx(lost, rel=1e-2)
