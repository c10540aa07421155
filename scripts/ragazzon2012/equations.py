"""Section 3.1.3: what inverse dynamics cost, and whether dM/dt − 2 C can be skew-symmetric."""

from itertools import pairwise

import numpy as np
from kebria2016.euler_lagrange import chain
from keeping import kept
from ledger import Rows, judged
from reproduction import processor_times
from tu2023.cost import LARGE, costs, exponent
from tu2023.cost import SIZES as CHAIN_SIZES

from dynamics import Arm, coriolis_matrix, gravity_torque, inverse_dynamics, load_arm, mass_matrix

SIZES = tuple(range(2, 31, 4))


def seconds_per_call(n: int, batch: int = 2000, repeats: int = 7) -> float:
    """Computing time of one inverse dynamics of a chain of n links [s], the best of a few batches."""
    arm, states = chain(n), np.random.default_rng(0).normal(size=(3, batch, n))
    return min(processor_times(lambda: inverse_dynamics(arm, *states), repeats + 1)[1:]) / batch


@kept("test_ragazzon2012.py::test_newton_euler_costs_order_n", np.array)
def seconds_by_size() -> list[float]:
    """``seconds_per_call`` of each of ``SIZES``."""
    return [seconds_per_call(n) for n in SIZES]


def lagrange_terms(n: int) -> int:
    """Contributions of links to Christoffel symbols: link l moves with joints 1…l, so l³ of them."""
    return sum(link**3 for link in range(1, n + 1))


def coriolis_torque(arm: Arm, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """C qd, from Newton-Euler alone (batches)."""
    return inverse_dynamics(arm, q, qd, np.zeros_like(q)) - gravity_torque(arm, q)


def collected_coriolis(arm: Arm, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """(k, n, n) a C as one reads it off the sum: what joint j adds to those before it goes to column j."""
    steps = [qd * (np.arange(qd.shape[1]) <= j) for j in range(-1, qd.shape[1])]
    torques = [coriolis_torque(arm, q, step) for step in steps]
    return np.stack([(b - a) / qd[:, [j]] for j, (a, b) in enumerate(pairwise(torques))], axis=2)


def differenced_coriolis(arm: Arm, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """(k, n, n) half the derivative of C qd with respect to qd; exact, since the torque is quadratic."""
    unit = np.eye(qd.shape[1])
    columns = [
        (coriolis_torque(arm, q, qd + e) - coriolis_torque(arm, q, qd - e)) / 4 for e in unit
    ]
    return np.stack(columns, axis=2)


def skew_error(arm: Arm, q: np.ndarray, qd: np.ndarray, coriolis: np.ndarray) -> float:
    """Largest element of the symmetric part of dM/dt − 2 C, over the largest element of dM/dt."""
    h = 1e-6
    rate = (mass_matrix(arm, q + h * qd) - mass_matrix(arm, q - h * qd)) / (2 * h)
    rest = rate - 2 * coriolis
    return float(np.abs(rest + rest.transpose(0, 2, 1)).max() / 2 / np.abs(rate).max())


def states(k: int = 50) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    return rng.uniform(-np.pi, np.pi, (k, 6)), rng.uniform(0.2, 1.0, (k, 6))


def rows() -> Rows:
    cost, timed = exponent(seconds_by_size(), SIZES, 0), exponent(costs()["Euler–Lagrange"])
    many = (LARGE, CHAIN_SIZES[-1])
    terms = exponent(np.array([lagrange_terms(n) for n in many]), many)
    ours = f"time ∝ n^{cost:.1f} for n = {SIZES[0]}…{SIZES[-1]} †"
    yield judged("ragazzon2012.cost_of_newton_euler", ours, 0.7 < cost < 1.3)
    ours = (
        f"from n = {many[0]} to {many[1]} contributions of links to Christoffel symbols ∝ n^{terms:.1f},"
        f" time ∝ n^{timed:.1f} †"
    )
    yield judged("ragazzon2012.cost_of_euler_lagrange", ours, terms < 4.0 and timed < 4.0)
    arm, (q, qd) = load_arm("ur5_ragazzon2012"), states()
    collected = skew_error(arm, q, qd, collected_coriolis(arm, q, qd))
    differenced = skew_error(arm, q, qd, differenced_coriolis(arm, q, qd))
    christoffel = skew_error(arm, q, qd, coriolis_matrix(arm, q, qd))
    ours = f"C collected term by term: symmetric part {100 * collected:.0f} % of Ṁ"
    yield judged("ragazzon2012.newton_euler_is_not_skew", ours, collected > 1e-3)
    yield judged(
        "ragazzon2012.christoffel_is_skew",
        f"symmetric part {christoffel:.0e} of Ṁ",
        christoffel < 1e-6,
    )
    ours = f"C = ½ ∂(C q̇)/∂q̇ of the same Newton–Euler torque: symmetric part {differenced:.0e} of Ṁ"
    yield judged("ragazzon2012.momentum_observer_given_up", ours, differenced > 1e-3)
