"""Section 2.4, and the one case that (2.12) names: which singularities the UR5 has, and what they are."""

from functools import cache
from typing import NamedTuple

import numpy as np
from ledger import Rows, judged
from reproduction import percent
from scipy.optimize import brentq

import dynamics
from dynamics import (
    Arm,
    forward_kinematics,
    inverse_kinematics,
    jacobian,
    load_arm,
    singular_values,
)
from hopfield_nav.sweeps import Value, share
from nowoczyn2023.direct_kinematics import NAME, arm_of_table, positions

NEAR = 0.02  # smallest singular value (metres) below which a position counts as nearly singular
ANGLES = 9  # wanted of joint 6 where it is free
KINDS = ("wrist", "elbow", "shoulder")


def determinant_error() -> float:
    """Largest difference of |det J| and |a2 a3 s3 s5 · along| over the largest |det J|."""
    arm, q = load_arm(NAME), positions(5000)
    exact = np.abs(np.linalg.det(jacobian(arm, q)))
    return float(np.abs(exact - np.abs(dynamics.jacobian_determinant(arm, q))).max() / exact.max())


@cache
def alone() -> dict[str, np.ndarray]:
    """Joint angles at which one kind is singular and the others are not, by kind."""
    arm = load_arm(NAME)
    q = np.array([0.4, -0.9, 1.1, 0.5, 1.0, 0.3])
    found = {kind: q.copy() for kind in KINDS}
    found["wrist"][4], found["elbow"][2] = 0.0, 0.0

    def along(theta2: float) -> float:
        turned = np.array([q[0], theta2, *q[2:]])
        return float(dynamics.singularity_measures(arm, turned).shoulder)

    found["shoulder"][1] = brentq(along, 0.0, np.pi)
    return found


def smallest_values() -> dict[str, tuple[float, float]]:
    """The two smallest singular values of the Jacobian at each of ``alone`` (metres)."""
    arm = load_arm(NAME)
    return {kind: tuple(singular_values(arm, q)[:-3:-1]) for kind, q in alone().items()}


def extra_parallels(kind: str) -> int:
    """Pairs of axes that are parallel at a singular position and not at a random one."""
    arm = load_arm(NAME)
    axes = (dynamics.link_frames(arm, q)[:6, :3, 2] for q in (alone()[kind], positions(1)[0]))
    singular, random = (int((np.abs(np.triu(z @ z.T, 1)) > 1 - 1e-9).sum()) for z in axes)
    return singular - random


def solutions_at(kind: str, angles: int = ANGLES) -> int:
    """Solutions of the singular pose that differ, θ6 wanted at several angles where it is free."""
    arm = load_arm(NAME)
    T = forward_kinematics(arm, alone()[kind])
    rows = [inverse_kinematics(arm, T, theta6=w) for w in np.linspace(-1.5, 1.5, angles)]
    return len(np.unique(np.round(np.concatenate(rows), 6), axis=0))


@cache
def zero_serves(count: int = 2000) -> Value:
    """Random poses with s5 = 0 that θ6 = 0 reaches, on the branch of θ1 that is singular."""
    arm, q = load_arm(NAME), positions(count)
    q[:, 4] = 0.0
    solutions = inverse_kinematics(arm, forward_kinematics(arm, q), theta6=0.0)
    singular = np.abs(np.sin(solutions[..., 4])) < 1e-6
    same = np.abs(np.angle(np.exp(1j * (solutions[..., 0] - q[:, :1])))) < 1e-6
    zero = np.abs(solutions[..., 5]) < 1e-6
    return share(int((singular & same & zero).any(axis=1).sum()), count)


class Compared(NamedTuple):
    """The UR5 and an arm of the same reach whose last three axes meet."""

    kinds: int  # factors of det J that vanish, of the arm with the wrist centre
    factor_error: float  # relative error of that factorisation
    ur5: Value  # share of random positions at which the UR5 is nearly singular
    other: Value  # the same of the other arm


def arm_with_wrist_centre() -> Arm:
    """The UR5's base, upper arm and shoulder offset, forearm along axis 4, and axes 4 to 6 in one point."""
    (d1, _, _, d4, _, d6), (a2, a3) = load_arm(NAME).dh[:, 1], np.abs(load_arm(NAME).dh[1:3, 2])
    first, last = (
        [(d1, 0, "pi/2"), (d4, a2, 0), (0, 0, "pi/2")],
        [(a3, 0, "-pi/2"), (0, 0, "pi/2"), (d6, 0, 0)],
    )
    return arm_of_table(first + last)


@cache
def compared(count: int = 100_000) -> Compared:
    """Kinds and shares of both arms at the same random positions.

    The other arm's det J is ± a2 a3 cos θ3 sin θ5 · along, with ``along`` the wrist centre's
    coordinate along the arm: zero with the forearm stretched or folded, with axes 4 and 6 in line,
    over the shoulder.
    """
    ur5, other, q = load_arm(NAME), arm_with_wrist_centre(), positions(count)
    a2, a3 = abs(ur5.dh[1, 2]), abs(ur5.dh[2, 2])
    factors = (
        np.cos(q[:, 2]),
        np.sin(q[:, 4]),
        a2 * np.cos(q[:, 1]) + a3 * np.sin(q[:, 1] + q[:, 2]),
    )
    exact = np.abs(np.linalg.det(jacobian(other, q)))
    error = np.abs(exact - a2 * a3 * np.abs(np.prod(factors, axis=0))).max() / exact.max()
    near = [int((singular_values(arm, q)[:, -1] < NEAR).sum()) for arm in (ur5, other)]
    return Compared(len(factors), float(error), *(share(n, count) for n in near))


def rows() -> Rows:
    values, served = smallest_values(), zero_serves()
    each = ", ".join(f"{kind} {values[kind][0]:.0e} (next {values[kind][1]:.2f})" for kind in KINDS)
    singular = sum(first < 1e-9 < second for first, second in values.values())
    ours = (
        f"{singular}: det J = ± a2 a3 · s3 · s5 · along to {determinant_error():.0e} of its largest;"
        f" smallest singular value with one factor zero: {each}"
    )
    yield judged("nowoczyn2023.number_of_singularities", ours, singular == 1)
    ours = f"{solutions_at('wrist')} solutions of one pose with {ANGLES} angles wanted of joint 6"
    yield judged("nowoczyn2023.theta6_at_the_wrist", ours, solutions_at("wrist") > 8)
    ours = f"reaches {percent(served)} of {served.n} random poses with s5 = 0, on that branch"
    yield judged("nowoczyn2023.any_theta6_serves", ours, served.estimate > 0.99)
    elbow, shoulder = solutions_at("elbow"), solutions_at("shoulder")
    extra = {kind: extra_parallels(kind) for kind in KINDS}
    arm = load_arm(NAME)
    usual = float(np.median(singular_values(arm, positions(5000))[:, -1]))
    closest = float(np.abs(np.sin(positions(1_000_000)[:, 4])).min())
    ours = f"wrist: {solutions_at('wrist')} found and more; elbow: {elbow}, shoulder: {shoulder}"
    yield judged("nowoczyn2023.infinitely_many_solutions", ours, elbow > 8 and shoulder > 8)
    ours = (
        f"pairs parallel besides the usual three: {', '.join(f'{k} {n}' for k, n in extra.items())};"
        f" axes 2, 3, 4 are always parallel, median smallest singular value {usual:.2f}"
    )
    yield judged(
        "nowoczyn2023.parallel_axes", ours, all(n > 0 for n in extra.values()) and usual < 1e-9
    )
    ours = f"least |s5| of a million random positions {closest:.0e}"
    yield judged("nowoczyn2023.exactly_singular", ours, closest > 1e-12)
    found = compared()
    ur5, other = (percent(value, 1) for value in found[2:])
    ours = (
        f"same lengths, last three axes in one point: {found.kinds} factors of det J too (to {found.factor_error:.0e});"
        f" smallest singular value below {NEAR} at {other} of {found.ur5.n} random positions, UR5 {ur5}"
    )
    yield judged("nowoczyn2023.without_a_wrist_centre", ours, found.kinds > 3)
