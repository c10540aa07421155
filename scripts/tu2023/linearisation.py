"""tu2023 3.3, 4.3 and 5.4: the linear model, its stability and its error, beside what is printed."""

from functools import lru_cache

import numpy as np
from keeping import kept
from ledger import Rows, judged
from reproduction import processor_times
from scipy.stats import spearmanr

import dynamics
from dynamics import (
    Arm,
    inverse_dynamics,
    inverse_dynamics_derivatives,
    load_arm,
    moving_linearization,
)
from tu2023.kinematics import RADIUS, circle
from tu2023.readings import READINGS, STEP, Motion, spectral_abscissa, stable_share, stiffness_error

ARM, WRONG_MODEL = "ur5_tu2023", "ur5_ragazzon2012"
OMEGA = np.array([22.5, 22.5, 37.5, 60, 67.5, 75])  # [rad/s] of the controller of ragazzon2012
FEW, MANY = 50, 5000
AWAY = 0.1  # from a point, in (rad, rad/s, rad/s²)
FASTEST, HARDEST = np.pi, 5.0  # [rad/s], [rad/s²] of the random operating points
STEPS = (STEP, *(10.0**k for k in (-10, -9, -8, -7, -5, -4, -3)))  # of forward differences
NEAR = (-0.7, -0.5)  # [1/s] "around −0.6"
POINTS, SPEED = 200, 0.15  # of the circle of 4.1 and 5.1; [m/s]


def operating_points(count: int, seed: int = 2023) -> Motion:
    """Random q, qd, qdd, (count, 6) each."""
    rng = np.random.default_rng(seed)
    return tuple(rng.uniform(-limit, limit, (count, 6)) for limit in (np.pi, FASTEST, HARDEST))


@lru_cache
def open_loop(count: int) -> np.ndarray:
    """(count,) spectral abscissa of the exact A [1/s]."""
    return spectral_abscissa(moving_linearization(load_arm(ARM), *operating_points(count)).A)


@lru_cache
def closed_loop(count: int, model: str = ARM) -> np.ndarray:
    """(count,) spectral abscissa under the inverse-dynamics controller with a model [1/s]."""
    motion, believed = operating_points(count), load_arm(model)
    return spectral_abscissa(dynamics.closed_loop_matrix(load_arm(ARM), *motion, OMEGA, believed))


@lru_cache
def as_printed(reading: str, count: int) -> np.ndarray:
    """(count,) largest real part of the eigenvalues of a reading of (55), (57), (58)."""
    return spectral_abscissa(READINGS[reading](load_arm(ARM), operating_points(count)))


def near_share(abscissa: np.ndarray) -> float:
    """Share of the points with the largest real part around −0.6 [%]."""
    return 100 * float(np.mean((abscissa > NEAR[0]) & (abscissa < NEAR[1])))


def speeds_and_abscissa(count: int = 1000) -> tuple[np.ndarray, np.ndarray]:
    """Factors on the velocity and the median spectral abscissa of the same poses, (k,) each."""
    q, qd, _ = operating_points(count)
    factors, arm = np.linspace(0, 1, 11), load_arm(ARM)
    models = (moving_linearization(arm, q, factor * qd, np.zeros_like(q)) for factor in factors)
    return factors, np.array([float(np.median(spectral_abscissa(model.A))) for model in models])


def errors_by_distance(distances: np.ndarray, order: int, count: int = 500) -> np.ndarray:
    """(distances, count) largest torque error of a joint over its point's largest torque, a share."""
    arm, point = load_arm(ARM), np.stack(operating_points(count), axis=1)
    truth = np.abs(inverse_dynamics(arm, *np.moveaxis(point, 1, 0))).max(-1)
    step = np.random.default_rng(5).normal(size=point.shape)
    step /= np.linalg.norm(step, axis=(1, 2), keepdims=True)
    return np.array(
        [np.abs(torque_error(arm, point, d * step, order)).max(-1) / truth for d in distances]
    )


def torque_error(
    arm: Arm, point: np.ndarray, step: np.ndarray, order: int = 1, spread: float = 1e-3
) -> np.ndarray:
    """What the Taylor series of the inverse dynamics about a point misses at another, in place of figure 13.

    ``point`` (..., 3, n) is q, qd, qdd, ``step`` (..., 3, n) leads from there to where the torque
    is wanted. Order 2 takes half the second derivative along the step too: over a share ``spread``
    of the step, the central difference of exact first ones. The true torque minus that of the
    series (..., n) [N·m] goes with the step to the power order + 1.
    """
    truth = inverse_dynamics(arm, *_parts(point + step))
    series = inverse_dynamics(arm, *_parts(point)) + _slope_along(arm, point, step)
    if order == 2:
        ahead, behind = (_slope_along(arm, point + sign * spread * step, step) for sign in (1, -1))
        series = series + (ahead - behind) / (4 * spread)
    return truth - series


def _slope_along(arm: Arm, point: np.ndarray, step: np.ndarray) -> np.ndarray:
    slopes = inverse_dynamics_derivatives(arm, *_parts(point))
    return sum((d @ x[..., None])[..., 0] for d, x in zip(slopes, _parts(step), strict=True))


def _parts(point: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return point[..., 0, :], point[..., 1, :], point[..., 2, :]


def error_slope(order: int) -> float:
    """Slope of the error against the distance, in logarithms."""
    distances = np.geomspace(1e-3, 1e-1, 5)
    return float(
        np.polyfit(
            np.log(distances), np.log(np.median(errors_by_distance(distances, order), 1)), 1
        )[0]
    )


@lru_cache
def circle_abscissa(speed: float = SPEED) -> np.ndarray:
    """(POINTS,) spectral abscissa along the circle of 4.1 at constant speed, tool down [1/s]."""
    arm, poses = load_arm(ARM), circle(POINTS)
    poses[:, :3, :3] = [[0, 1, 0], [1, 0, 0], [0, 0, -1]]
    q = np.unwrap(dynamics.follow_path(arm, poses, np.zeros(6), jump=10.0).q, axis=0)
    harmonics = 1j * np.fft.fftfreq(POINTS, 1 / POINTS)[:, None] * speed / RADIUS
    spectrum = np.fft.fft(q, axis=0)  # a closed path: its derivatives are exact in Fourier's series
    qd, qdd = (np.fft.ifft(harmonics**k * spectrum, axis=0).real for k in (1, 2))
    return spectral_abscissa(moving_linearization(arm, q, qd, qdd).A)


@kept("test_ledger_rows.py::test_times_are_of_the_order_kept")
def seconds_per_linearisation() -> tuple[float, float]:
    """Median time of one A, B, C, D [s]: alone from Python, and in a batch of 5000."""
    arm, many = load_arm(ARM), operating_points(MANY)
    one = tuple(part[0] for part in many)
    dynamics.linearize(arm, *one)  # compile
    alone, batch = (
        processor_times(lambda p=p: dynamics.linearize(arm, *p), n)
        for p, n in ((one, 201), (many, 5))
    )
    return float(np.median(alone)), float(np.median(batch)) / MANY


def rows() -> Rows:
    few, many = open_loop(FEW), open_loop(MANY)
    shares = "; ".join(f"{name} {stable_share(as_printed(name, MANY)):.0f} %" for name in READINGS)
    own, other = (stable_share(closed_loop(MANY, model)) for model in (ARM, WRONG_MODEL))
    ours = f"{(few < 0).sum()} of {FEW}, {(many < 0).sum()} of {MANY}"
    yield judged(
        "tu2023.stable_share",
        ours,
        abs(stable_share(many) - 72) < 5,
        shares=shares,
        own=own,
        other=other,
    )
    ours = f"{near_share(many):.0f} % (median {np.median(many):.1f} 1/s)"
    most = max(near_share(as_printed(name, MANY)) for name in READINGS)
    yield judged("tu2023.largest_real_part", ours, near_share(many) > 40, most=most)
    arm, motion = load_arm(ARM), operating_points(FEW)
    exact = inverse_dynamics_derivatives(arm, *motion).q
    errors = {step: stiffness_error(arm, motion, exact, step) for step in STEPS}
    best = min(errors, key=lambda step: errors[step])
    ours = f"error of ∂τ/∂q {errors[STEP]:.0e} with {STEP:.0e}, {errors[best]:.0e} with {best:.0e}"
    yield judged("tu2023.forward_difference", ours, errors[STEP] < 1e-4)
    errors = errors_by_distance(np.array([AWAY]), 1, FEW)[0]
    first, second = error_slope(1), error_slope(2)
    means = ", ".join(f"{100 * errors[:k].mean():.1f} % over {k}" for k in (20, 40))
    ours = f"{AWAY} from each point (rad, rad/s, rad/s² in one norm): {means} points"
    grows = bool(errors[:40].mean() > 1.7 * errors[:20].mean())
    yield judged("tu2023.torque_error_of_the_linear_model", ours, grows, first=first, second=second)
    factors, medians = speeds_and_abscissa()
    rank = spearmanr(factors, medians).statistic
    ours = (
        f"median of the largest real part {medians[0]:.1f} 1/s at rest, {medians[-1]:.1f} 1/s at up to "
        f"{FASTEST:.1f} rad/s a joint, rank correlation {rank:.2f}"
    )
    yield judged("tu2023.stability_by_speed", ours, rank > 0.9)
    found = circle_abscissa()
    ours = f"{stable_share(found):.0f} % of {POINTS} (max Re λ {found.min():.1f}–{found.max():.1f} 1/s)"
    yield judged("tu2023.stable_points_of_the_circle", ours, abs(stable_share(found) - 67) < 5)
    one, many = seconds_per_linearisation()
    ours = f"{one * 1e6:.0f} µs† for one from Python, {many * 1e6:.1f} µs† each in a batch"
    yield judged("tu2023.time_of_a_linear_model", ours, max(one, many) < 8e-3)
