"""The Hopfield network as the document states it: neurons on a grid, (6.1)-(6.3) of ragazzon2012.

sigma_i(t + 1) = g(sum_j T_ij sigma_j(t) + I_i) for all neurons at once, g(x) = clamp(beta x, 0, 1),
T_ij = 1 between neighbours. The input I clamps the target at 1 and obstacles at 0, which is done
directly. This is the reference for `sum_exact`, in plain doubles: beyond some 325 cells at
beta = 0.1 its activations underflow to zero.

Other functions g are those of chapter 2. As a planner the network needs two things of g. Its slope
must stay below 1/lambda, else (6.12) does not hold: the equilibrium is not unique and cells
saturate. And g(0) must be 0, so that what the target cannot reach stays dark; g(0) > 0 lights the
whole map, and the ascent ends in that light. The document prints the middle branch of the saturated
linear function as v, which jumps at both ends; here it is v + 1/2, with a slope that can be chosen.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from dynamics import BadInput
from dynamics.kernels.decorators import inlined, kernel
from hopfield_nav.planning.closed import closed_keys, without
from hopfield_nav.planning.neighbourhood import Neighbourhood, on_grid

SMALLEST_BETA = 1e-60
LINEAR, TANH, THRESHOLD, SATURATED, SIGMOID, SHUNTING = range(6)
NAMES = ("linear", "tanh", "threshold", "saturated", "sigmoid", "shunting")


class Activation(NamedTuple):
    """One activation function."""

    # LINEAR, clamp(b v, 0, 1), the document's program; TANH, tanh(b v) above 0 and 0 below (Glasius
    # et al. 1995); THRESHOLD, 1 from v = 0 on; SATURATED, clamp(b v + 1/2, 0, 1); SIGMOID, 1/(1 +
    # exp(-b v)); SHUNTING, b v/(1 + b v) above 0 and 0 below: where the shunting equation of Yang
    # and Meng (2000) settles, b being their B mu/A in units of B, the target held by a strong
    # input; a longer step weighs 1/length in v.
    kind: int
    slope: float  # b; unused by THRESHOLD

    @property
    def steepest(self) -> float:
        """Largest slope g', the beta of ragazzon2012 (6.7)."""
        return {THRESHOLD: math.inf, SIGMOID: 0.25 * self.slope}.get(self.kind, self.slope)

    def integral(self, sigma: np.ndarray) -> np.ndarray:
        """G(sigma) in (6.4) of ragazzon2012, a Lyapunov function: g's inverse, integrated from 0.

        A neuron clamped at 1 has a constant term, which may be any.
        """
        s = np.asarray(sigma, float)
        b = self.slope
        if self.kind == LINEAR:
            return s * s / (2 * b)
        if self.kind == SATURATED:
            return s * (s - 1) / (2 * b)
        if self.kind == SHUNTING:
            return (-s - np.log1p(-np.where(s < 1, s, 0.0))) / b
        if self.kind == SIGMOID:
            return (_x_log_x(s) + _x_log_x(1 - s)) / b
        return (_x_log_x(1 + s) + _x_log_x(1 - s)) / (2 * b)  # TANH


def _x_log_x(x: np.ndarray) -> np.ndarray:
    return x * np.log(np.where(x > 0, x, 1.0))


def activation(name: str, slope: float = 0.1) -> Activation:
    """An activation function by its name, one of ``NAMES``, with a slope b above 0."""
    if name not in NAMES:
        raise BadInput("activation function", found=name, allowed=", ".join(NAMES))
    if not (math.isfinite(slope) and slope > 0):
        raise BadInput("slope of the activation function", found=slope, allowed="positive")
    return Activation(NAMES.index(name), float(slope))


@inlined
def respond(kind, slope, v):
    """g(v) of a neuron."""
    if kind == LINEAR:
        return min(max(slope * v, 0.0), 1.0)
    if kind == TANH:
        return math.tanh(slope * v) if v > 0.0 else 0.0
    if kind == THRESHOLD:
        return 1.0 if v >= 0.0 else 0.0
    if kind == SHUNTING:
        return slope * v / (1.0 + slope * v) if v > 0.0 else 0.0
    if kind == SATURATED:
        return min(max(slope * v + 0.5, 0.0), 1.0)
    return 1.0 / (1.0 + math.exp(-slope * v))


@lru_cache(maxsize=64)
def largest_eigenvalue(near: Neighbourhood) -> float:
    """Largest eigenvalue of the weights T of ragazzon2012 (6.2) on an open grid, or a bound above.

    For the 2N nearest neighbours it is exact, 2 sum_i cos(pi/(n_i + 1)), a periodic axis giving 2;
    for a larger neighbourhood it is the largest row sum of T, a bound above. Obstacles and closed
    steps only lower it, and no eigenvalue of T is larger in magnitude, so 1/lambda satisfies (6.8),
    (6.11) and (6.12). The document's 3.0 for 20 x 20 (6.2.1) is wrong: it is 3.955.
    """
    shape = near.shape
    if len(near.offset) > 2 * len(shape):
        middle = (np.array(shape) - 1) // 2  # the cell with most neighbours
        _, inside = near.beside(middle, near.offset)
        return float(inside.sum())
    total = 0.0
    for n, is_closed in zip(shape, near.periodic, strict=True):
        total += 2.0 if is_closed else 2.0 * math.cos(math.pi / (n + 1))
    return total


def check_beta(beta: float, near: Neighbourhood) -> float:
    """The slope beta, checked against (6.12) of ragazzon2012, beta < 1/lambda_max of the open grid.

    Raises ``BadInput``: beta is not below the limit, which the message names, or not at least
    1e-60.
    """
    eigenvalue = largest_eigenvalue(near)
    if not (beta >= SMALLEST_BETA and beta * eigenvalue < 1):
        limit = 1 / eigenvalue if eigenvalue > 0 else math.inf
        allowed = f"{SMALLEST_BETA:g} <= beta < {limit:.6g} = 1/lambda_max for shape {near.shape}"
        what = "beta breaks the condition of ragazzon2012 (6.12)"
        raise BadInput(what, found=beta, allowed=allowed)
    return float(beta)


def iterate(
    blocked: np.ndarray,
    target: Sequence[int],
    beta: float = 0.1,
    near: Neighbourhood | None = None,
    most_sweeps: int = 1_000_000,
    function: Activation | None = None,
    check: bool = True,
    start: np.ndarray | None = None,
    closed: np.ndarray | Sequence | None = None,
) -> tuple[np.ndarray, int]:
    """Sweep until no neuron changes in its last bit, or `most_sweeps` times.

    From zero the activations only rise, in rounded arithmetic too, so they do come to rest. The
    document's program makes 10 sqrt(N) - 1 sweeps (C.2.3). With the activations, of the shape of
    `blocked`, comes the number of sweeps.

    `blocked` (bool, any shape) clamps at 0, the cell `target` at 1, even if it is blocked. `beta`
    is the slope of the linear function, see `check_beta`; with another activation `function` it
    does not matter. `near` is the grid's neighbourhood, by default the 2N nearest; `start` is
    sigma(0), by default zero; `closed` (m, 2, rank) are pairs of cells that are not connected.
    `check`: whether to refuse what breaks (6.12).

    Raises ``BadInput``: target outside, a slope above its limit, a start of another shape.
    """
    shape = np.shape(blocked)
    if start is not None and np.shape(start) != shape:
        raise BadInput("start and blocked differ in shape", found=np.shape(start))
    around = on_grid(near, shape)
    table = without(around.plain.table, closed_keys(closed, around.plain))
    free = ~np.asarray(blocked, dtype=bool).ravel()
    goal = flat_index(target, around.shape, "target")
    chosen = Activation(LINEAR, float(beta)) if function is None else function
    if check and function is None:
        check_beta(beta, around)
    elif check:
        judge_function(chosen, around)
    activation = np.zeros(free.size + 1)
    if start is not None:
        activation[:-1] = np.asarray(start, dtype=float).ravel()
    weight = 1.0 / around.plain.length if chosen.kind == SHUNTING else np.ones(table.shape[1])
    sweeps = _iterate(table, weight, free, goal, chosen.kind, chosen.slope, most_sweeps, activation)
    return activation[:-1].reshape(shape), sweeps


@kernel
def _sweep(table, weight, free, target, kind, slope, old, new):
    """One synchronous update from `old` to `new` (cells + 1,), in place; whether any changed."""
    changed = False
    for i in range(free.size):
        total = 0.0
        for k in range(table.shape[1]):
            total += weight[k] * old[table[i, k]]
        new[i] = respond(kind, slope, total) if free[i] else 0.0
        if i == target:
            new[i] = 1.0
        changed |= new[i] != old[i]
    return changed


@kernel
def _iterate(table, weight, free, target, kind, slope, most_sweeps, activation):
    """Sweep until nothing changes, `activation` (cells + 1,) in place; returns how many sweeps."""
    other = np.zeros_like(activation)
    sweeps = 0
    changed = True
    while changed and sweeps < most_sweeps:
        changed = _sweep(table, weight, free, target, kind, slope, activation, other)
        activation[:] = other
        sweeps += 1
    return sweeps


def judge_function(function: Activation, near: Neighbourhood) -> Activation:
    """The function, if its steepest slope satisfies (6.12) of ragazzon2012 on this grid.

    See `check_beta`.

    Raises ``BadInput``: it is too steep.
    """
    eigenvalue = largest_eigenvalue(near)
    if not function.steepest * eigenvalue < 1:
        limit = 1 / eigenvalue if eigenvalue > 0 else math.inf
        allowed = f"below {limit:.6g} = 1/lambda_max for shape {near.shape}"
        name = NAMES[function.kind]
        what = f"activation function {name} breaks the condition of ragazzon2012 (6.12)"
        raise BadInput(what, found=f"steepest slope {function.steepest:g}", allowed=allowed)
    return function


def flat_index(cell: Sequence[int], shape: Sequence[int], name: str) -> int:
    """Flat index, C order, of a cell (rank,) of integers from 0; messages call it by ``name``.

    Raises ``BadInput``: not `rank` integers, or outside the grid.
    """
    if type(cell) is tuple and len(cell) == len(shape):
        index = 0
        for axis, size in enumerate(shape):
            at = cell[axis]
            if type(at) is not int or not 0 <= at < size:
                break
            index = index * size + at
        else:
            return index
    numbers = np.asarray(cell)
    if numbers.shape != (len(shape),) or numbers.dtype.kind not in "iu":
        raise BadInput(f"{name} cell", found=cell, allowed=f"{len(shape)} integers")
    index = 0
    for at, size in zip(numbers.tolist(), shape, strict=True):
        if not 0 <= at < size:
            what = f"{name} cell lies outside the grid"
            allowed = f"0 to below {tuple(shape)}"
            raise BadInput(what, found=numbers.tolist(), allowed=allowed)
        index = index * size + at
    return int(index)
