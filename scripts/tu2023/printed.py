"""Sections 3.1 and 3.2: the equations (5) to (46) as they are printed, at random poses of the arm."""

from functools import cache
from typing import NamedTuple

import numpy as np
from ledger import Rows, judged
from nowoczyn2023.modified_dh import modified_dh, modified_transform
from verdicts import PARTLY

from dynamics import Arm, forward_dynamics, inverse_dynamics, jacobian, link_frames, load_arm
from tu2023.kinematics import NAME

POSES = 500
EXACT = 1e-9


class Pose(NamedTuple):
    """Random poses: joint angles, their sines and cosines, and the columns of (3)."""

    q: np.ndarray  # (k, 6)
    s: np.ndarray
    c: np.ndarray
    n: np.ndarray  # (k, 3)
    o: np.ndarray
    a: np.ndarray
    p: np.ndarray


@cache
def poses() -> Pose:
    q = np.random.default_rng(31).uniform(-np.pi, np.pi, (POSES, 6))
    tool = link_frames(load_arm(NAME), q)[:, 6]
    return Pose(q, np.sin(q), np.cos(q), *(tool[:, :3, k] for k in range(4)))


@cache
def lengths() -> tuple[float, ...]:
    """d1, d4, d5, d6, a2, a3 [m]."""
    dh = load_arm(NAME).dh
    return (*dh[[0, 3, 4, 5], 1], *dh[1:3, 2])


def terms() -> dict[str, np.ndarray]:
    """What (7), (11), (13) and (14) call m and n, at the poses."""
    x, (d1, _, d5, d6, _, _) = poses(), lengths()
    c1, s1, c6, s6 = x.c[:, 0], x.s[:, 0], x.c[:, 5], x.s[:, 5]
    along = {
        name: v[:, 0] * c1 + v[:, 1] * s1
        for name, v in (("n", x.n), ("o", x.o), ("a", x.a), ("p", x.p))
    }
    return {
        "m1": d6 * x.a[:, 1] - x.p[:, 1],
        "n1": x.a[:, 0] * d6 - x.p[:, 0],
        "m2": x.n[:, 0] * s1 - x.n[:, 1] * c1,
        "n2": x.o[:, 0] * s1 - x.o[:, 1] * c1,
        "m3": d5 * (s6 * along["n"] + c6 * along["o"]) - d6 * along["a"] + along["p"],
        "n3": x.p[:, 2] - d1 - x.a[:, 2] * d6 + d5 * (x.o[:, 2] * c6 + x.n[:, 2] * s6),
        "s234": -s6 * along["n"] - c6 * along["o"],
        "c234": x.o[:, 2] * c6 + x.n[:, 2] * s6,
    }


def off(found: np.ndarray, wanted: np.ndarray) -> float:
    """Largest difference of angles, or of the nearest of several (axis 0), without whole turns [rad]."""
    turns = np.abs((found - wanted + np.pi) % (2 * np.pi) - np.pi)
    return float((turns.min(axis=0) if turns.ndim > 1 else turns).max())


def with_sign(
    numerator: np.ndarray, denominator: np.ndarray, lean: np.ndarray, square: np.ndarray
) -> np.ndarray:
    """(2, k) Atan2(m, n) − Atan2(lean, ±√square)."""
    root = np.sqrt(np.maximum(square, 0.0))
    return np.stack(
        [np.arctan2(numerator, denominator) - np.arctan2(lean, sign * root) for sign in (1, -1)]
    )


def joint_errors() -> dict[str, float]:
    """How far each joint of the poses is from the nearest solution of its equations [rad]."""
    x, t, (_, d4, _, _, a2, a3) = poses(), terms(), lengths()
    m3, n3 = t["m3"], t["n3"]
    cosine = (m3**2 + n3**2 - a2**2 - a3**2) / (2 * a2 * a3)
    s3, c3 = x.s[:, 2], x.c[:, 2]
    s2 = ((a3 * c3 + a2) * n3 - a3 * s3 * m3) / (a2**2 + a3**2 + 2 * a2 * a3 * c3)
    bend = np.arccos(np.clip(x.a[:, 0] * x.s[:, 0] - x.a[:, 1] * x.c[:, 0], -1, 1))
    return {
        "theta1": off(
            with_sign(t["m1"], t["n1"], np.full(POSES, d4), t["m1"] ** 2 + t["n1"] ** 2 - d4**2),
            x.q[:, 0],
        ),
        "theta5": off(np.stack([bend, -bend]), x.q[:, 4]),
        "theta3": off(
            np.stack([np.arccos(np.clip(cosine, -1, 1)), -np.arccos(np.clip(cosine, -1, 1))]),
            x.q[:, 2],
        ),
        "theta2": off(np.arctan2(s2, (m3 + a3 * s3 * s2) / (a3 * c3 + a2)), x.q[:, 1]),
        "theta4": off(np.arctan2(t["s234"], t["c234"]) - x.q[:, 1] - x.q[:, 2], x.q[:, 3]),
    }


def theta6() -> tuple[float, float]:
    """Error of (11) with the root at zero [rad], and the share of the poses whose root is of a negative number."""
    x, t = poses(), terms()
    s5, square = x.s[:, 4], t["m2"] ** 2 + t["n2"] ** 2 - x.s[:, 4] ** 2
    return off(with_sign(t["m2"], t["n2"], s5, 0 * square), x.q[:, 5]), float(np.mean(square < 0))


def product_error(as_printed: bool) -> float:
    """Largest difference of the two sides of (12), as printed or with the inverse of ⁴₅T as its last factor."""
    frames = link_frames(load_arm(NAME), poses().q)
    step = [np.linalg.solve(frames[:, i], frames[:, i + 1]) for i in range(6)]
    last = step[4] @ step[5] if as_printed else step[4]
    left = np.linalg.solve(step[0], frames[:, 6]) @ np.linalg.inv(step[5]) @ np.linalg.inv(last)
    return float(np.abs(left - step[1] @ step[2] @ step[3]).max())


def singular(kind: str) -> tuple[float, float]:
    """At singular poses of a kind, largest |det J| relative to a usual one, and what (27) or (28) says is 0."""
    arm, rng = load_arm(NAME), np.random.default_rng(5)
    q = rng.uniform(0.3, 1.2, (50, 6))
    if kind in ("stretched", "folded"):
        q[:, 2] = 0.0 if kind == "stretched" else np.pi
    else:
        q[:, 4] = 0.0
    usual = np.median(np.abs(np.linalg.det(jacobian(arm, poses().q))))
    lost = float(np.abs(np.linalg.det(jacobian(arm, q))).max() / usual)
    tool, wrist = link_frames(arm, q)[:, 6], link_frames(arm, q)[:, 3]
    (d1, _, _, _, a2, a3), c1, s1 = lengths(), np.cos(q[:, 0]), np.sin(q[:, 0])
    if kind == "wrist":
        m2, n2 = (tool[:, 0, k] * s1 - tool[:, 1, k] * c1 for k in (0, 1))
        return lost, float(np.abs(m2**2 + n2**2 - np.sin(q[:, 3]) ** 2).max())
    m3, n3 = wrist[:, 0, 3] * c1 + wrist[:, 1, 3] * s1, wrist[:, 2, 3] - d1
    return lost, float(np.abs(m3**2 + n3**2 - (a2 + a3) ** 2).max())


def recursion(arm: Arm, state: tuple[np.ndarray, ...], printed: frozenset[int]) -> np.ndarray:
    """(n,) torques by (34) to (44) at (q, qd, qdd), with the equations of ``printed`` as they are printed."""
    q, qd, qdd = state
    table, n, z = modified_dh(arm), len(q), np.array([0.0, 0.0, 1.0])
    theta, d, a, alpha = table.rows.T
    step = modified_transform(theta + q, d, a, alpha)  # (n, 4, 4) from frame i + 1 to i
    turn = table.change[:, :3, :3]
    centre = np.einsum("lij,lj->li", turn, arm.center_of_mass) + table.change[:, :3, 3]
    inertia = turn @ arm.inertia @ turn.transpose(0, 2, 1)
    w, alpha_i, v, forces = np.zeros(3), np.zeros(3), -arm.gravity, []
    for i in range(n):
        R, P = step[i, :3, :3].T, step[i, :3, 3]
        lever = np.cross(w if 36 in printed else alpha_i, P)
        v = R @ (lever + np.cross(w, np.cross(w, P)) + v)
        alpha_i = R @ alpha_i + np.cross(R @ w, qd[i] * z) + (1.0 if 35 in printed else qdd[i]) * z
        w = R @ w + qd[i] * z
        v_c = np.cross(alpha_i, centre[i]) + np.cross(w, np.cross(w, centre[i])) + v
        forces.append((arm.mass[i] * v_c, inertia[i] @ alpha_i + np.cross(w, inertia[i] @ w)))
    f, moment, torques = np.zeros(3), np.zeros(3), np.zeros(n)
    for i in reversed(range(n)):
        F, N = forces[i]
        R, P = (step[i + 1, :3, :3], step[i + 1, :3, 3]) if i + 1 < n else (np.eye(3), np.zeros(3))
        moment = N + R @ moment + np.cross(centre[i], F) + np.cross(P, R @ f)
        f = F + R @ f
        torques[i] = moment @ z
    return torques


def recursion_error(*printed: int) -> float:
    """Largest difference of the recursion from the arm's own torques [N·m], 50 random states."""
    arm, rng = load_arm(NAME), np.random.default_rng(7)
    q, qd, qdd = rng.uniform(-np.pi, np.pi, (50, 6)), *rng.normal(0, 1, (2, 50, 6))
    found = [recursion(arm, state, frozenset(printed)) for state in zip(q, qd, qdd, strict=True)]
    return float(np.abs(np.array(found) - inverse_dynamics(arm, q, qd, qdd)).max())


def forward_error() -> float:
    """Largest difference of (46) from the acceleration of (45) [rad/s²]."""
    arm, rng = load_arm(NAME), np.random.default_rng(8)
    q, qd, qdd = rng.uniform(-np.pi, np.pi, (50, 6)), *rng.normal(0, 1, (2, 50, 6))
    return float(
        np.abs(forward_dynamics(arm, q, qd, inverse_dynamics(arm, q, qd, qdd)) - qdd).max()
    )


def rows() -> Rows:
    found = {
        joint: (f"to {error:.0e} rad, {POSES} random poses", error < 1e-6)
        for joint, error in joint_errors().items()
    }
    yield judged("tu2023.theta1", *found["theta1"])
    yield judged("tu2023.theta5", *found["theta5"])
    yield judged("tu2023.theta3", *found["theta3"])
    yield judged("tu2023.theta2", *found["theta2"])
    yield judged("tu2023.theta4", *found["theta4"])
    error, negative = theta6()
    ours = f"to {error:.0e} rad with the root at 0; by rounding it is of a negative number in {100 * negative:.0f} % †"
    yield judged("tu2023.theta6", ours, PARTLY if error < 1e-6 else False)
    printed, right = product_error(True), product_error(False)
    ours = f"the sides differ by up to {printed:.1f}; with the inverse of ⁴₅T last to {right:.0e}"
    yield judged("tu2023.step_to_joint_4", ours, printed < EXACT)
    x, t = poses(), terms()
    frames = link_frames(load_arm(NAME), x.q)
    apart = np.abs(t["m1"] ** 2 + t["n1"] ** 2 - (frames[:, 5, :2, 3] ** 2).sum(axis=1)).max()
    ours = f"m1² + n1² is the squared distance of the wrist's centre O5 from axis 1, to {apart:.0e} m², not of O6"
    yield judged("tu2023.shoulder_singularity", ours, PARTLY if apart < EXACT else False)
    stretched, folded = singular("stretched"), singular("folded")
    both = zip(("stretched", "folded"), (stretched, folded), strict=True)
    words = [f"{kind}: {value:.1g} m², |det J| {lost:.0e}" for kind, (lost, value) in both]
    ours = "; ".join(words)
    yield judged(
        "tu2023.elbow_singularity", ours, PARTLY if stretched[1] < EXACT < folded[1] else False
    )
    lost, value = singular("wrist")
    ours = f"where θ5 = 0 (|det J| {lost:.0e}) it is up to {value:.2f}, and with s5 for s4 zero in every pose"
    yield judged("tu2023.wrist_singularity", ours, value < EXACT)
    ours = f"with (35) and (36) put right: the arm's torques, to {recursion_error():.0e} N·m"
    yield judged("tu2023.newton_euler", ours, PARTLY if recursion_error() < EXACT else False)
    ours = f"as printed, + Ẑ: torques up to {recursion_error(35):.1f} N·m off; with θ̈ Ẑ right"
    yield judged("tu2023.angular_acceleration", ours, recursion_error(35) < EXACT)
    ours = f"as printed, ω × P: torques up to {recursion_error(36):.1f} N·m off; with ω̇ × P right"
    yield judged("tu2023.acceleration_of_the_origin", ours, recursion_error(36) < EXACT)
    yield judged(
        "tu2023.forward_dynamics", f"to {forward_error():.0e} rad/s²", forward_error() < 1e-6
    )
