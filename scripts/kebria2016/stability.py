"""Section V: Routh–Hurwitz on the error equation (12), beside the poles themselves."""

import numpy as np
from ledger import Rows, judged
from reproduction import listed

GAIN = 10.0  # K_P and K_D of every joint
COUNT = 10_000


def routh_column(coefficients: np.ndarray) -> np.ndarray:
    """First column (n + 1,) of Routh's array of a polynomial, highest power first; NaN where it ends."""
    coefficients = np.asarray(coefficients, dtype=float)
    above = coefficients[::2]
    below = np.append(coefficients[1::2], np.zeros(len(above) - len(coefficients[1::2])))
    column = [above[0], below[0]]
    while len(column) < len(coefficients):
        with np.errstate(divide="ignore", invalid="ignore"):
            rest = above[1:] - above[0] / below[0] * below[1:]
        above, below = below, np.append(rest, 0.0)
        column.append(below[0])
    return np.array(column)


def right_half(coefficients: np.ndarray) -> int:
    """Poles in the right half plane, by the changes of sign in Routh's first column."""
    signs = np.sign(routh_column(coefficients))
    return int((signs[1:] != signs[:-1]).sum())


def agreeing(count: int = COUNT) -> int:
    """Of random K_P, K_D of either sign: those where Routh counts the poles that there are."""
    gains = np.random.default_rng(12).uniform(-GAIN, GAIN, (count, 2))
    polynomials = [np.array([1.0, k_d, k_p]) for k_p, k_d in gains]
    return sum(right_half(p) == int((np.roots(p).real > 0).sum()) for p in polynomials)


def rows() -> Rows:
    error = np.array([1.0, GAIN, GAIN])
    poles, same = np.sort(np.roots(error).real)[::-1], agreeing()
    ours = (
        f"first column {listed(routh_column(error), 'g')}: {right_half(error)} changes of sign; poles"
        f" {listed(poles, '.3f')} 1/s; of {COUNT} random K_P, K_D Routh counts the poles of {same}"
    )
    yield judged(
        "kebria2016.routh_hurwitz",
        ours,
        right_half(error) == 0 and bool((poles < 0).all()) and same == COUNT,
    )
