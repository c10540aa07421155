"""The stiffness of gears before they slip, from logs of motion: found where it shows, else left open."""

from __future__ import annotations

import numpy as np
import pytest
from identification_coverage import COULOMB, VISCOUS, the_arm, the_trajectory

from dynamics import inverse_dynamics, load_arm, presliding_torque
from dynamics.identification import MotionLog, identify

RATE, DURATION = 500.0, 30.0


def _log(stiffness, noise, seed=0):
    """Torque of the bodies, viscous friction and gears by Dahl's law, which the fit does not simulate so."""
    arm, rng = the_arm(), np.random.default_rng(seed)
    friction = np.column_stack([COULOMB, VISCOUS, COULOMB, np.full(6, 0.1)])
    geared = arm._replace(friction=friction, presliding=np.asarray(stiffness, dtype=float))
    time = np.arange(round(DURATION * RATE)) / RATE
    q, qd, qdd = the_trajectory(arm)(time)
    fine = np.stack(
        [np.interp(np.arange(0, len(q) - 0.9, 0.1), np.arange(len(q)), column) for column in q.T]
    )
    tau = (
        inverse_dynamics(arm, q, qd, qdd)
        + friction[:, 1] * qd
        + presliding_torque(geared, fine.T)[::10]
    )
    return MotionLog(
        time, q + 5e-6 * rng.normal(size=q.shape), tau + noise * rng.normal(size=q.shape)
    )


@pytest.fixture(scope="module")
def found():
    stiffness = np.array([2e4, 2e4, 2e4, 1e4, 1e4, 5e3])
    return stiffness, identify(_log(stiffness, 0.2), the_arm())


def test_stiffness_and_level_lie_in_their_intervals(found):
    stiffness, identified = found
    gears = identified.gears
    low, high = gears.interval.T
    assert gears.turns.min() >= 4
    assert gears.told.all()
    assert (low < 1.2 * stiffness).all()
    assert (high > stiffness / 1.2).all()
    assert (high > 1.05 * low).all()  # a grid tells no more than its step
    np.testing.assert_allclose(gears.level, COULOMB, rtol=0.15)


def test_gears_that_stick_are_said_to_be_stiffer_than_can_be_told():
    gears = identify(_log(np.full(6, 1e8), 0.2), the_arm()).gears
    assert not gears.told.any()
    assert (gears.interval[:, 1] > 5e5).all()


def test_an_arm_file_has_what_was_told(found, tmp_path):
    _, identified = found
    again = load_arm(identified.write(tmp_path / "arm.yaml"))
    np.testing.assert_allclose(again.presliding, identified.gears.stiffness)
