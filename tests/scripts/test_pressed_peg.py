"""A peg pressed and slid: what the force estimate is worth below 1 Hz, and what spoils it."""

import numpy as np
import pytest
from ragazzon2012 import pressed_peg as peg
from ragazzon2012.pressed_peg import ESTIMATORS, FULL, LIGHT, RUBBING, TURNING, Case

from dynamics import forward_kinematics, load_arm

FEW = (5.0, 50.0)


def test_reference_goes_in_and_along():
    """It starts above the surface, slides by the length and comes back, the deeper the larger the force."""
    lowest = []
    for force in FEW:
        case = FULL._replace(force=force)
        trajectory, arm = peg.reference(case), peg.peg_arm(case.arm)
        tool = forward_kinematics(arm, trajectory.coefficients[:, 0])[:, :3, 3]
        assert tool[0, 2] == pytest.approx(peg.SURFACE + peg.CLEAR)
        assert np.ptp(tool[:, 1]) == pytest.approx(peg.LENGTH, abs=1e-9)
        np.testing.assert_allclose(tool[-1, :2], tool[0, :2], atol=1e-9)
        lowest.append(peg.SURFACE - tool[:, 2].min())
    assert lowest[1] == pytest.approx(10 * lowest[0], rel=1e-3)


def test_low_pass_keeps_slow_and_drops_fast():
    time = peg.STEP * peg.EVERY * np.arange(4000)
    middle = slice(800, -800)
    slow, fast = np.sin(2 * np.pi * 0.2 * time), np.sin(2 * np.pi * 10 * time)
    np.testing.assert_allclose(peg.low_pass(slow)[middle], slow[middle], atol=5e-3)
    assert np.abs(peg.low_pass(fast)[middle]).max() < 1e-3


@pytest.mark.parametrize("force", FEW)
def test_pressing_force_is_as_wanted(force):
    """By the stiffness of the loop; the light arm gives way by centimetres, so only nearly."""
    for case, share in ((FULL, 0.01), (LIGHT, 0.1)):
        assert peg.error(case._replace(force=force), "joint_error").force == pytest.approx(
            force, rel=share
        )


def test_surface_friction_acts_against_sliding():
    """μ times the pressing force, along y, and against the motion both ways."""
    time, force, qd = peg.slow(FULL, "joint_error", "force", "qd_ref")
    for start, sign in ((4.0, 1), (9.0, -1)):  # sliding towards +y, then back
        chosen = (time > start) & (time < start + 3)
        share = force[chosen, 1] / force[chosen, 2]
        np.testing.assert_allclose(share, -sign * peg.SLIDING, rtol=0.02)
    assert np.isfinite(qd).all()


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("force", FEW)
def test_without_friction_the_estimate_is_the_force(estimator, force):
    """Ideal: to 0.1 % without rotors and surface friction, to 2 % with both; noise adds 0.2 N at most."""
    assert peg.error(LIGHT._replace(force=force), estimator).rms < 1e-3 * force
    ideal, real = (
        peg.error(FULL._replace(force=force, real=r), estimator).rms for r in (False, True)
    )
    assert ideal < 0.02 * force
    assert ideal < real < ideal + 0.2


@pytest.mark.parametrize("case", [RUBBING, RUBBING._replace(friction_scale=0.8, real=True)])
def test_error_is_the_friction_that_no_model_knows(case: Case):
    """The observer's torque error is the friction believed less the true one; without friction it is gone."""
    time, missing, wrong = peg.unmodelled_friction(case)
    chosen = peg.during(time, "all")
    rms = np.sqrt(np.mean(missing[chosen] ** 2, axis=0))
    apart = np.sqrt(np.mean((wrong - missing)[chosen] ** 2, axis=0))
    loaded = [1, 2, 3, 4]
    assert (rms[loaded] > 0.5).all()
    assert (apart[loaded] < 0.03 * rms[loaded]).all()
    limit = load_arm(case.arm).friction[:, 0] * (1 + case.friction_scale)
    assert (np.abs(missing[chosen]).max(axis=0) < 1.1 * limit).all()
    _, _, without = peg.unmodelled_friction(case._replace(friction=False))
    assert np.sqrt(np.mean(without[chosen] ** 2, axis=0)).max() < 0.02 * rms.max()


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_friction_is_much_worse_and_hardly_depends_on_the_force(estimator):
    errors = [peg.error(RUBBING._replace(force=f), estimator).rms for f in FEW]
    assert min(errors) > 10 * peg.error(FULL._replace(force=50.0), estimator).rms
    assert errors[1] < 1.5 * errors[0]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_friction_is_known_where_joints_turn(estimator):
    """Slid radially, joints 2 and 3 turn and the model tells their friction; 20 % off it tells it wrongly."""
    around, turning, wrong = (
        peg.error(case, estimator, "slide").rms
        for case in (RUBBING, TURNING, TURNING._replace(friction_scale=0.8))
    )
    assert turning < 0.15 * around
    assert 3 * turning < wrong < around


def test_phases_cover_all():
    time = np.arange(0, 15, 0.005)
    rest, slide, whole = (peg.during(time, phase) for phase in ("rest", "slide", "all"))
    assert not (rest & slide).any()
    np.testing.assert_array_equal(rest | slide, whole)


@pytest.mark.parametrize("case", [FULL._replace(real=True), TURNING._replace(real=True)])
def test_errors_are_those_kept(case):
    """The least and the largest force again: within what is kept of all forces, which they bound."""
    kept = peg.largest_error(case)
    for name in ESTIMATORS:
        errors = [peg.error(case._replace(force=force), name).rms for force in FEW]
        low, high = kept[name]
        assert all(low - 1e-9 <= found <= high + 1e-9 for found in errors)
        assert min(errors) < 1.1 * low or max(errors) > high / 1.1


def test_figure_is_drawn(tmp_path, monkeypatch):
    from ragazzon2012 import pressed_peg_figures as figures

    monkeypatch.setattr(peg, "FORCES", FEW)
    few = dict(list(figures.CASES.items())[1:3])
    monkeypatch.setattr(figures, "CASES", few)
    monkeypatch.setattr(figures, "LOOKS", {name: figures.LOOKS[name] for name in few})
    picture, page = figures.draw(tmp_path)
    assert picture.stat().st_size > 10_000
    assert len(page.read_text(encoding="utf-8").splitlines()) == 2 + 2 * 2 * 2
