"""Chapter 5 of tu2023 on the simulated arm: motion, signals, constants, and the ledger's rows."""

import numpy as np
import pytest
from tu2023 import circle, circle_figures, circle_motion, circle_signals, readings
from tu2023.circle_motion import Case
from tu2023.kinematics import CENTER, RADIUS, circle_branches, follow_circle

from dynamics import forward_kinematics, jacobian, load_arm
from hopfield_nav.experiment import warn_of_gains
from hopfield_nav.loop import evaluate
from hopfield_nav.plugin import Gains

FAST = circle.FASTEST
IDEAL = circle.WITHOUT_FRICTION


@pytest.mark.parametrize("direction", [1, -1])
def test_reference_is_the_circle(direction):
    """Tool path by forward kinematics, its speed by the Jacobian, and rest at both ends."""
    case = Case(0.15, 1, direction=direction)
    trajectory, arm = circle_motion.reference(case), load_arm(circle_motion.ARM)
    times = np.linspace(0, trajectory.knots[-1], 400)
    q, qd, qdd = np.swapaxes([evaluate(trajectory, t) for t in times], 0, 1)
    apart = forward_kinematics(arm, q)[:, :3, 3] - CENTER
    np.testing.assert_allclose(np.hypot(apart[:, 0], apart[:, 1]), RADIUS, atol=1e-7)
    np.testing.assert_allclose(apart[:, 2], 0, atol=1e-7)
    velocity = np.einsum("kij,kj->ki", jacobian(arm, q), qd)
    level = (times > circle_motion.RAMP) & (times < times[-1] - circle_motion.RAMP)
    np.testing.assert_allclose(np.linalg.norm(velocity[level, :3], axis=1), 0.15, rtol=1e-4)
    np.testing.assert_allclose(velocity[:, 3:], 0, atol=1e-6)
    turning = apart[:, 0] * velocity[:, 1] - apart[:, 1] * velocity[:, 0]
    assert (direction * turning[1:-1] > 0).all()
    for end in (0, -1):
        np.testing.assert_allclose([qd[end], qdd[end]], 0, atol=1e-9)


def test_reference_is_smooth():
    """Velocity and acceleration of the quintics are the derivatives of their angles."""
    trajectory, step = circle_motion.reference(Case(0.15, 1)), 1e-4
    for time in (0.1, 0.4, 1.0, 2.34):
        before, now, after = (evaluate(trajectory, time + k * step) for k in (-1, 0, 1))
        np.testing.assert_allclose((after[0] - before[0]) / (2 * step), now[1], atol=1e-6)
        np.testing.assert_allclose((after[1] - before[1]) / (2 * step), now[2], atol=1e-4)


def test_loop_is_within_its_limit():
    world = circle_motion.circle_world(FAST)
    omega = np.asarray(world.controller.parameters["omega"]) * np.ones(6)
    for factor, warns in ((1, False), (2, True)):
        gains = Gains((factor * omega) ** 2, 2 * factor * omega)
        assert bool(warn_of_gains(gains, "omega", circle_motion.PERIOD, 0)) == warns


@pytest.mark.parametrize("speed", circle_motion.SPEEDS)
def test_tool_stays_on_the_circle(speed):
    """Friction and sensors cost most; what an ideal arm misses comes of the torque held over 8 ms."""
    real, ideal = Case(speed), Case(speed, friction=False, sensors=False)
    assert circle.off_circle(real).max() < 1e-3
    assert circle.off_circle(ideal).max() < 0.2 * circle.off_circle(real).max()
    assert (
        circle.off_circle(ideal._replace(hold=False)).max() < 0.01 * circle.off_circle(ideal).max()
    )
    lap = circle_motion.lap_time(speed)
    assert circle.measured_period(Case(speed)) == pytest.approx(lap, abs=2 * circle_motion.PERIOD)


def test_joints_4_and_5_move_least():
    """On the branch that is driven, and on the one opposite; not on the other six."""
    assert set(np.argsort(circle.ranges(FAST))[:2]) == {3, 4}
    arm = load_arm(circle_motion.ARM)
    moves = {b: np.ptp(follow_circle(arm, b), axis=0)[3] for b in circle_branches(arm)}
    least = sorted(moves, key=moves.get)[:2]
    assert circle_motion.BRANCH in least
    assert all(moves[b] < 0.05 for b in least)
    assert all(moves[b] > 0.2 for b in moves if b not in least)


def test_speeds_grow_in_proportion():
    slow, fast = (circle.peak_speeds(Case(v, friction=False, sensors=False)) for v in (0.05, 0.15))
    moving = [0, 1, 2, 5]
    np.testing.assert_allclose(fast[moving] / slow[moving], 3, rtol=0.01)
    shares = [circle.noise_share(Case(v)) for v in circle_motion.SPEEDS]
    assert shares[0] > 1.8 * shares[1] > 2.5 * shares[2]


def test_equation_60_is_exact_for_constant_acceleration():
    time = circle_motion.PERIOD * np.arange(200)[:, None]
    q, qd = 0.3 + 0.1 * time - 0.35 * time**2, 0.1 - 0.7 * time
    for method in circle_signals.METHODS.values():
        np.testing.assert_allclose(method(q, qd)[30:-30], -0.7, atol=2e-3)


def test_filters_beat_equation_60():
    """By two or more on joints 1 to 3, with noise; the noise of (60) is what its formula magnifies."""
    found = circle_motion.samples(FAST)
    printed = circle_signals.acceleration_error("(60)", found)
    for method in ("Butterworth", "Savitzky–Golay"):
        assert (circle_signals.acceleration_error(method, found) < printed).all()
        assert (2 * circle_signals.acceleration_error(method, found)[:3] < printed[:3]).all()
    steps, period = np.array(circle_motion.ENCODER), circle_motion.PERIOD
    velocity = 2 * circle_motion.VELOCITY_NOISE / period
    # joint 5 stands still: no step of the encoder
    assert printed[4] == pytest.approx(velocity, rel=0.1)
    magnified = np.hypot(velocity, 2 / period**2 * steps * np.sqrt(2 / 12))
    assert (printed > 0.9 * np.where(np.arange(6) == 4, velocity, magnified)).all()
    clean = circle_motion.samples(IDEAL)
    assert (circle_signals.acceleration_error("(60)", clean)[:4] < 0.1 * printed[:4]).all()


def test_currents_times_constants_are_the_torques():
    found = circle_motion.samples(FAST)
    current = circle_signals.currents(found.tau)
    np.testing.assert_allclose(current * circle_signals.CONSTANTS, found.tau, rtol=1e-14)
    assert (np.sign(current) == np.sign(found.tau)).all()
    np.testing.assert_allclose(
        circle_signals.currents(found.tau, 1.67) * 1.67, found.tau, rtol=1e-14
    )


def test_constants_come_back():
    """With rotors and friction in the model, for the joints that move; by the document's recipe not."""
    found, true = circle_motion.samples(FAST), circle_signals.CONSTANTS
    moving = [0, 1, 2, 3, 5]
    np.testing.assert_allclose(
        circle_signals.fitted_constants(found)[moving], true[moving], rtol=0.05
    )
    tau = circle_signals.model_torque(found, "(60), low-pass")
    ratios = circle_signals.ratio_of_maxima(tau, circle_signals.currents(found.tau))
    assert (ratios < 0.75 * true).all()
    ideal = circle_motion.samples(IDEAL)
    tau = circle_signals.model_torque(ideal, "Butterworth", circle_motion.ARM)
    ratios = circle_signals.ratio_of_maxima(tau, circle_signals.currents(ideal.tau))
    np.testing.assert_allclose(ratios[:4], true[:4], rtol=0.02)


def test_phase_of_known_signals():
    turn = 2 * np.pi * 2 * np.arange(1000)[:, None] / 1000
    assert circle_signals.lag(np.sin(turn - np.pi / 2), np.sin(turn), 2)[0] == pytest.approx(0.25)
    assert circle_signals.lag(3 + np.sin(turn + 0.2), np.sin(turn), 2)[0] == pytest.approx(
        -0.1 / np.pi
    )


@pytest.mark.parametrize("direction", [1, -1])
def test_phase_is_friction(direction):
    """The torque leads with friction, whichever way round, and is in phase without."""
    case = FAST._replace(direction=direction)
    assert (circle.lags(case)[circle.LAPPING] < -0.1).all()
    without = circle.lags(IDEAL._replace(direction=direction), circle_motion.ARM)
    assert np.abs(without[circle.LAPPING]).max() < 0.005


def test_no_point_of_the_circle_is_stable():
    found = circle_motion.samples(FAST)
    for constant in (None, circle_signals.PUBLISHED_CONSTANT):
        assert circle_signals.exact_abscissa(found, constant).min() > 1
    printed = circle_signals.printed_abscissa("(58) joint by joint", found)
    assert 0 < readings.stable_share(printed) < 50
    assert printed.min() > -1e-6  # zero to the rounding of the forward difference


def test_figures_are_drawn(tmp_path):
    assert all(path.stat().st_size > 10_000 for path in circle_figures.draw(tmp_path))
