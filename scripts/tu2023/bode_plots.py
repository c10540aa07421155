"""Transfer functions and frequency responses of the linearised arm, for any pair of input and output."""

from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.signal

from dynamics import Arm, BadInput, LinearModel, gravity_torque, linearize

_SAME = 1e-6  # a zero and a pole this near to each other, relative to the largest, cancel


class Bode(NamedTuple):
    """Bode data of one pair."""

    frequency: np.ndarray  # (k,) [rad/s]
    magnitude: np.ndarray  # (k,) 20 log10 |H| [dB], infinite at a pole
    phase: np.ndarray  # (k,) unwrapped angle of H [rad], NaN at a pole


def transfer_function(model: LinearModel, output: int, source: int) -> scipy.signal.ZerosPolesGain:
    """H(s) = C (s I - A)^-1 B + D from a column of B, the motor, to a row of C, as zeros, poles and gain.

    Zeros come from the pencil of the system and not from the coefficients of a polynomial of order
    2n, whose roots are lost to rounding; zeros that equal poles are cancelled.

    Raises ``BadInput``: a batch, or an index that does not exist.

    Source: tu2023 3.3, step 3.
    """
    a, b, c = _pair(model, output, source)
    zeros, poles = _zeros(a, b, c), np.linalg.eigvals(a)
    zeros, poles = _cancel(zeros, poles)
    # far from zeros and poles
    at = 1j * (1.0 + np.abs(np.concatenate([zeros, poles])).max(initial=0.0))
    value = c @ np.linalg.solve(at * np.eye(len(a)) - a, b)
    gain = (value * np.prod(at - poles) / np.prod(at - zeros)).real
    return scipy.signal.ZerosPolesGain(zeros, poles, gain if zeros.size or abs(value) > 0 else 0.0)


def frequency_response(model: LinearModel, frequency: np.ndarray) -> np.ndarray:
    """H(j omega) (..., k, p, n) of every pair of output and input, at frequencies (k,) [rad/s].

    At a pole on the imaginary axis it is infinite where it shows in the pair, and the limit where
    it does not.
    """
    omega = np.atleast_1d(np.asarray(frequency, dtype=float))
    if omega.ndim != 1 or not np.all(np.isfinite(omega)):
        raise BadInput("frequencies must be a list of finite numbers", found=frequency)
    flat = [np.reshape(part, (-1, *part.shape[-2:])) for part in model]
    found = np.stack([_response(LinearModel(*parts), omega) for parts in zip(*flat, strict=True)])
    return found.reshape(*model.A.shape[:-2], *found.shape[1:])


def bode(model: LinearModel, output: int, source: int, frequency: np.ndarray) -> Bode:
    """Magnitude and phase at frequencies (k,) [rad/s] from a column of B, the motor, to a row of C.

    Raises ``BadInput``: as ``transfer_function`` and ``frequency_response``.

    Source: tu2023 figure 14.
    """
    _pair(model, output, source)
    one = LinearModel(
        model.A, model.B[:, [source]], model.C[[output]], model.D[[output]][:, [source]]
    )
    value = frequency_response(one, frequency)[:, 0, 0]
    pole = ~np.isfinite(value)
    phase = np.full(len(value), np.nan)
    phase[~pole] = np.unwrap(np.angle(value[~pole]))
    with np.errstate(divide="ignore"):
        size = np.where(pole, np.inf, 20 * np.log10(np.abs(np.where(pole, 1.0, value))))
    return Bode(np.atleast_1d(np.asarray(frequency, dtype=float)), size, phase)


def resonances(arm: Arm, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How an arm at rest at ``q`` (..., n) [rad] swings and falls when its motors hold it against gravity.

    There A = [0, I; -M^-1 dg/dq, 0]: the squares of its eigenvalues are real (M and dg/dq are
    symmetric), so each of the n modes either swings for ever or falls. Swing frequencies (..., n)
    [rad/s], and growth rates (..., n) [1/s], both ascending; zero where a mode does not swing or
    does not fall.

    Source: the analysis that tu2023 4.3 leaves open.
    """
    n = len(arm.dh)
    still = np.zeros(n)
    a = linearize(arm, q, still, gravity_torque(arm, q)).A
    squares = np.sort(np.linalg.eigvals(a[..., n:, :n]).real, axis=-1)
    return np.sqrt(np.maximum(-squares, 0.0))[..., ::-1], np.sqrt(np.maximum(squares, 0.0))


def _response(model: LinearModel, omega: np.ndarray) -> np.ndarray:
    a, b, c, d = model
    poles = np.linalg.eigvals(a)
    scale = np.abs(poles).max(initial=0.0) + 1.0
    out = np.empty((len(omega), len(c), b.shape[1]), dtype=complex)
    for k, w in enumerate(omega):
        if np.abs(1j * w - poles).min() > 1e-7 * scale:
            out[k] = c @ np.linalg.solve(1j * w * np.eye(len(a)) - a, b) + d
        else:
            out[k] = _at_pole(a, b, c, d, w, 1e-5 * scale)
    return out


def _at_pole(
    a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray, w: float, aside: float
) -> np.ndarray:
    """Infinite where the response grows towards the pole, the mean of both sides where it does not."""
    near, far = (
        [c @ np.linalg.solve((1j * w + s * r) * np.eye(len(a)) - a, b) + d for s in (1, -1)]
        for r in (aside, 4 * aside)
    )
    grows = np.abs(near[0]) > 2 * np.abs(far[0]) + 1e-300
    return np.where(grows, np.inf, 0.5 * (near[0] + near[1]))


def _pair(
    model: LinearModel, output: int, source: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    if model.A.ndim != 2:
        raise BadInput("one linear model is wanted", found=model.A.shape, allowed="(2n, 2n)")
    if not 0 <= output < len(model.C) or not 0 <= source < model.B.shape[1]:
        allowed = f"below {(len(model.C), model.B.shape[1])}"
        raise BadInput("no such pair", found=(output, source), allowed=allowed)
    return model.A, model.B[:, source], model.C[output]


def _zeros(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Finite generalised eigenvalues of [[A, b], [c, 0]] against diag(I, 0)."""
    m = len(a)
    left, right = np.zeros((m + 1, m + 1)), np.eye(m + 1)
    left[:m, :m], left[:m, m], left[m, :m], right[m, m] = a, b, c, 0.0
    over, under = scipy.linalg.eigvals(left, right, homogeneous_eigvals=True)
    finite = np.abs(under) > 1e-7 * np.abs(over)
    found = over[finite] / under[finite]
    return found[np.isfinite(found)]


def _cancel(zeros: np.ndarray, poles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    left, scale = list(poles), np.abs(poles).max(initial=0.0) + 1.0
    kept = []
    for zero in zeros:
        nearest = int(np.argmin(np.abs(np.array(left) - zero))) if left else -1
        if left and abs(left[nearest] - zero) < _SAME * scale:
            left.pop(nearest)
        else:
            kept.append(zero)
    return np.array(kept, dtype=complex), np.array(left, dtype=complex)
