"""From base parameters to a full set that real bodies can have.

Least squares knows base parameters only, and nothing keeps them physical. Here every link gets ten
parameters whose pseudo-inertia is positive definite, and among those the ones that

    minimise |R (K pi + friction - estimate)|² + weight |deviation from the given arm|²,

where R is the factor of the weighted observations, so that the first term is the growth of the
weighted squared error. The second term decides what the first leaves open (only 36 of 60
combinations have an effect), and next to nothing else: its weight is small against one standard
deviation. It is a semidefinite programme with a 4×4 matrix for each link.

Sources: Wensing, Kim and Slotine 2018; Sousa and Cortesão 2014; madsen2020, future work (3).
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import block_diag

from dynamics.arm import Arm
from dynamics.errors import BadInput, HopfieldNavError, needs_library
from dynamics.identification.base_set import BaseParameters
from dynamics.identification.parameters import (
    PER_LINK,
    arm_with_parameters,
    parameters_of,
    pseudo_inertia,
    to_standard,
)

DEVIATION_WEIGHT = 1e-2  # squared standard deviations for a deviation of 100 % in one parameter
# [m] size of a link: unit of first moments is mass times this, of tensors times its square
_REACH = 0.1
_LEAST_MASS = 1e-3  # of the arm's mean link mass
_LEAST_RADIUS = 1e-3  # [m] least radius of gyration in every direction
# of R in scaled parameters: exact data would give a programme no solver takes
_LARGEST_FACTOR = 1e4


class ConsistentFit(NamedTuple):
    """A full set of parameters of real bodies."""

    arm: Arm  # the given arm with them
    base: np.ndarray  # (p,) base parameters of that arm
    friction: np.ndarray  # what is left of the other unknowns
    # |R (base - estimate)|: standard deviations that consistency costs, all together
    distance: float


class NoConsistentFit(HopfieldNavError):
    """The solver found no solution."""


def consistent_fit(
    arm: Arm, base: BaseParameters, values: np.ndarray, factor: np.ndarray
) -> ConsistentFit:
    """Parameters of real bodies nearest to an estimate.

    Where that is silent, they are nearest to the arm (a CAD model). The estimate ``values`` (u,) is
    that of base parameters, then any others (friction), which stay free; ``factor`` (u, u) is that
    of ``Estimate``.

    Raises ``BadInput``: cvxpy or a mass is missing, or shapes do not fit; ``NoConsistentFit``: the
    solver gave up.
    """
    p, u = len(base.kept), len(values)
    if u < p or factor.shape != (u, u):
        raise BadInput(
            "estimate and factor do not fit",
            found=(u, factor.shape),
            allowed=f"({p} or more,) and square",
        )
    if not np.all(arm.mass > 0.0):
        message = "an arm without masses is no model to stay near"
        links = ", ".join(f"link {i + 1}" for i in np.flatnonzero(arm.mass <= 0.0))
        raise BadInput(
            message, found=links, allowed="a mass for each link, estimated if nothing is known"
        )
    start = parameters_of(arm, base.rotor)
    scale = _scale(arm, start.size)
    to_modified = np.linalg.inv(to_standard(arm, "modified"))
    K = base.grouping @ block_diag(to_modified, np.eye(len(arm.dh) if base.rotor else 0))
    change, rest = _solve(arm, start, scale, K, values, factor)
    fitted = arm_with_parameters(arm, start + scale * change)
    own = base.of(fitted)
    return ConsistentFit(
        fitted, own, rest, float(np.linalg.norm(factor @ (np.concatenate([own, rest]) - values)))
    )


def _scale(arm: Arm, size: int) -> np.ndarray:
    masses = np.maximum(arm.mass, 0.1 * arm.mass.mean())
    links = (masses[:, None] * np.array([1.0] + [_REACH] * 3 + [_REACH**2] * 6)).ravel()
    return np.concatenate([links, np.maximum(arm.rotor_inertia, 0.1)])[:size]


def _solve(
    arm: Arm,
    start: np.ndarray,
    scale: np.ndarray,
    K: np.ndarray,
    values: np.ndarray,
    factor: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    with needs_library(
        "a physically consistent fit needs cvxpy and its solver Clarabel", "identify"
    ):
        import cvxpy as cp

        if "CLARABEL" not in cp.installed_solvers():
            raise ImportError
    p = len(K)
    x, rest = cp.Variable(start.size), cp.Variable(len(values) - p)
    A = factor[:, :p] @ (K * scale)
    offset = factor[:, :p] @ (K @ start - values[:p])
    B = factor[:, p:]
    width = np.maximum(np.linalg.norm(B, axis=0), 1e-300)
    shrink = min(1.0, _LARGEST_FACTOR / max(float(np.abs(A).max()), 1e-300))
    error = shrink * A @ x + shrink * offset + shrink * (B / width) @ rest
    cost = cp.sum_squares(error) + DEVIATION_WEIGHT * max(shrink**2, 1e-6) * cp.sum_squares(x)
    problem = cp.Problem(cp.Minimize(cost), _constraints(cp, arm, start, scale, x))
    try:
        problem.solve(solver=cp.CLARABEL)
    except cp.SolverError as error:
        raise NoConsistentFit(f"the solver gave up: {error}") from error
    if problem.status not in (cp.OPTIMAL, cp.OPTIMAL_INACCURATE):
        raise NoConsistentFit(f"no consistent parameters: the solver says {problem.status}")
    return np.asarray(x.value), values[p:] + rest.value / width


def _constraints(cp: Any, arm: Arm, start: np.ndarray, scale: np.ndarray, x: Any) -> list[Any]:
    """Each link's pseudo-inertia, in units of its own mass and 0.1 m.

    It is at least a very small body's.
    """
    n = len(arm.dh)
    D = np.diag([1 / _REACH] * 3 + [1.0])
    least = np.diag([(_LEAST_RADIUS / _REACH) ** 2 * _LEAST_MASS] * 3 + [_LEAST_MASS])
    units = [D @ pseudo_inertia(unit) @ D for unit in np.eye(PER_LINK)]
    out = []
    for i in range(n):
        place = slice(PER_LINK * i, PER_LINK * (i + 1))
        mass = scale[place][0]
        fixed = sum(value * unit for value, unit in zip(start[place] / mass, units, strict=True))
        factors = [s / mass * unit for s, unit in zip(scale[place], units, strict=True)]
        out.append(
            fixed + sum(x[PER_LINK * i + k] * factors[k] for k in range(PER_LINK)) - least >> 0
        )
    if start.size > PER_LINK * n:
        rotors = slice(PER_LINK * n, None)
        out.append(start[rotors] + cp.multiply(scale[rotors], x[rotors]) >= 0)
    return out
