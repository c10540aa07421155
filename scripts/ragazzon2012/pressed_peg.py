"""Low-frequency use of the force estimate (8.1): a peg pressed on a surface and slid along it.

The peg is a tool point 0.1 m beyond the flange, above a floor with Coulomb friction. The reference
goes so deep into the floor that the stiffness of the loop, J (M K0)^-1 J^T, presses with the wanted
force; it rests, slides 0.1 m and back, rests. Truth and estimate are compared below 1 Hz.

The surface has Coulomb friction, but for the arm without rotors: its wrist weighs so little at the
peg's tip that the steep part of the friction law would need steps of 20 µs.
"""

from functools import cache, partial
from typing import NamedTuple

import numpy as np
from keeping import kept
from ledger import Rows, judged
from tu2023 import circle_signals
from tu2023.circle_motion import ENCODER, VELOCITY_NOISE

import dynamics
from dynamics import Arm, follow_path, forward_kinematics, load_arm, with_tool
from hopfield_nav.experiment import follow
from hopfield_nav.loop import Trajectory, quintic_trajectory
from hopfield_nav.record import Run
from hopfield_nav.world import World, parse_world

FORCES = (5.0, 10.0, 20.0, 50.0)  # [N]
ESTIMATORS = ("joint_error", "momentum_observer")
LENGTH, SPEED, SURFACE, STIFFNESS, SLIDING = 0.1, 0.02, 0.1, 1e5, 0.2  # [m, m/s, m, N/m, 1]
PEG = 0.1  # [m] beyond the flange
OMEGA = np.array([22.5, 22.5, 37.5, 60, 67.5, 75])  # [rad/s] of the document
# [m] place of the first touch; above the surface before
START, CLEAR = (np.array([0.4, -0.05]), 0.002)
REST, LOWER = 2.0, 1.0  # [s] pressed at rest before and after sliding; for coming down
CUTOFF, STEP, EVERY, SEGMENT = 1.0, 0.001, 5, 0.1  # [Hz], [s], steps a row of the log, [s]
HOME = np.array([2.5511, -1.1193, 2.5706, 0.1196, 1.5708, -0.5905])
low_pass = partial(circle_signals.low_pass, cutoff=CUTOFF, period=STEP * EVERY, order=2)


class Case(NamedTuple):
    """One experiment."""

    arm: str  # name of the arm
    friction: bool = False  # whether its joints have any
    real: bool = False  # sensors like a UR5's, otherwise exact
    friction_scale: float = 1.0  # the model's friction over the true one
    force: float = 20.0  # wanted pressing force [N]
    # slide along x, towards and away from the base, instead of along y, around it
    radial: bool = False


class Error(NamedTuple):
    """Error of the estimate below 1 Hz."""

    rms: float  # of the error vector [N]
    bias: np.ndarray  # (3,) its mean [N]
    angle: float  # rms angle between truth and estimate [°]
    force: float  # mean true pressing force [N]


def peg_arm(name: str) -> Arm:
    tool = np.eye(4)
    tool[2, 3] = PEG
    return with_tool(load_arm(name), tool)


def compliance(arm: Arm, q: np.ndarray) -> float:
    """How far a vertical force moves the held tool, the surface's own included [m/N]."""
    vertical = dynamics.jacobian(arm, q)[2]
    stiffness = dynamics.mass_matrix(arm, q) * OMEGA**2  # M K0
    return float(vertical @ np.linalg.solve(stiffness, vertical)) + 1 / STIFFNESS


def places(radial: bool = False) -> np.ndarray:
    """(k, 3) x, y and share of the depth of the reference every 0.1 s."""
    count = round(LENGTH / SPEED / SEGMENT)
    slide = (
        np.concatenate([np.arange(1, count + 1), np.arange(count - 1, -1, -1)]) * SPEED * SEGMENT
    )
    still = round(REST / SEGMENT)
    along = np.concatenate([np.zeros(round(LOWER / SEGMENT) + still + 1), slide, np.zeros(still)])
    share = np.ones(len(along))
    lowering = np.linspace(0, 1, round(LOWER / SEGMENT) + 1)
    share[: len(lowering)] = lowering**2 * (3 - 2 * lowering)
    still_axis = np.zeros_like(along)
    xy = np.column_stack([along, still_axis] if radial else [still_axis, along])
    return np.column_stack([START + xy, share])


def reference(case: Case) -> Trajectory:
    """Joint quintics of a case, with the depth that presses as wanted at every point."""
    arm, points = peg_arm(case.arm), places(case.radial)
    poses = np.tile(forward_kinematics(arm, HOME), (len(points), 1, 1))
    poses[:, :2, 3], poses[:, 2, 3] = points[:, :2], SURFACE
    above = follow_path(arm, poses, HOME, jump=2.0)
    depth = np.array([case.force * compliance(arm, q) for q in above.q])
    poses[:, 2, 3] = SURFACE + CLEAR - points[:, 2] * (CLEAR + depth)
    path = follow_path(arm, poses, above.q[0])
    if above.reason or path.reason:
        raise RuntimeError(above.reason or path.reason)
    return quintic_trajectory(path.q, SEGMENT)


def peg_world(case: Case, estimator: str, duration: float) -> World:
    # Coulomb's, of the surface
    sliding = SLIDING if np.any(load_arm(case.arm).rotor_inertia > 0) else 0.0
    lines = [f"format: 1\narm: {case.arm}\ntime_limit: {duration + 1}"]
    lines += [
        f"tool: {{frame: {{position: [0, 0, {PEG}]}}}}",
        f"obstacles: [{{floor: {{height: {SURFACE}}}}}]",
    ]
    lines += [f"contact: {{stiffness: {STIFFNESS}, damping: 50, friction: {sliding}}}"]
    lines += [
        f"plant: {{friction: {'arm' if case.friction else 'null'}, presliding: ideal, step: {STEP}}}"
    ]
    lines += [f"controller: {{model_error: {{friction_scale: {case.friction_scale}}}}}"]
    lines += [
        f"detection: {{estimator: {estimator}, threshold: 1000}}",
        f"record: {{every: {EVERY}}}",
    ]
    if case.real:
        lines.append(
            f"sensors: {{encoder_resolution: {list(ENCODER)}, velocity_noise: {VELOCITY_NOISE}}}"
        )
    return parse_world("\n".join(lines))


@cache
def drive(case: Case, estimator: str) -> Run:
    trajectory = reference(case)
    return follow(peg_world(case, estimator, float(trajectory.knots[-1])), trajectory, seed=8)


def slow(case: Case, estimator: str, *names: str) -> list[np.ndarray]:
    """Signals of a run below 1 Hz, and first its time; all of it, lowering included."""
    data = drive(case, estimator).data
    return [data.time.values, *(low_pass(data[name].values) for name in names)]


def during(time: np.ndarray, phase: str) -> np.ndarray:
    """Which times belong to a phase; half a second after coming down and before the end is left out."""
    pressed = (time > LOWER + 0.5) & (time < time[-1] - 0.5)
    sliding = (time > LOWER + REST) & (time < time[-1] - REST)
    return {"all": pressed, "rest": pressed & ~sliding, "slide": sliding}[phase]


def error(case: Case, estimator: str, phase: str = "all") -> Error:
    """Error of an estimator in a case while the peg is pressed, at rest or sliding alone."""
    time, force, estimate = slow(case, estimator, "force", "force_estimate")
    chosen = during(time, phase)
    force, estimate = force[chosen], estimate[chosen]
    apart = estimate - force
    lengths = np.linalg.norm(force, axis=1) * np.linalg.norm(estimate, axis=1)
    angle = np.degrees(np.arccos(np.clip(np.sum(force * estimate, axis=1) / lengths, -1, 1)))
    rms = float(np.sqrt(np.mean(np.sum(apart**2, axis=1))))
    return Error(
        rms, apart.mean(axis=0), float(np.sqrt(np.mean(angle**2))), float(force[:, 2].mean())
    )


def unmodelled_friction(case: Case) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Time (k,), and (k, n) below 1 Hz: friction the model does not know of, and the observer's error [N·m].

    The first is the friction that the observer subtracts, at the measured speed, less the true one.
    By the equation of motion it is the error of the momentum observer, whatever presses.
    """
    data = drive(case, "momentum_observer").data
    arm, qd = load_arm(case.arm), data.qd.values
    arm = arm._replace(friction=arm.friction * np.array([case.friction] * 3 + [1.0]))
    believed = arm._replace(friction=arm.friction * np.array([case.friction_scale] * 3 + [1.0]))
    true = data.tau_friction.values + arm.friction[:, 1] * qd
    missing = dynamics.joint_friction_torque(believed, data.qd_sensed.values) - true
    wrong = data.tau_external_estimate.values - data.tau_external.values
    return data.time.values, low_pass(missing), low_pass(wrong)


LIGHT, FULL = Case("ur5_ragazzon2012"), Case("ur5_full")
RUBBING = FULL._replace(friction=True)
TOO_LOW = 0.8  # of the friction, where it is believed wrongly
TURNING = RUBBING._replace(radial=True)  # slides so that joints 2 to 4 turn


@kept("test_pressed_peg.py::test_errors_are_those_kept")
def largest_error(case: Case, phase: str = "all") -> dict[str, tuple[float, float]]:
    """Smallest and largest rms error over the forces, by estimator [N]."""
    found = {}
    for name in ESTIMATORS:
        errors = [error(case._replace(force=f), name, phase).rms for f in FORCES]
        found[name] = min(errors), max(errors)
    return found


def rows() -> Rows:
    light, full = (largest_error(c._replace(real=True)) for c in (LIGHT, FULL))
    ours = (
        f"peg pressed with {FORCES[0]:g}–{FORCES[-1]:g} N and slid, rms error below {CUTOFF:g} Hz with noisy"
        f" sensors: {_spans(light, '.3f')}; arm with rotors {_spans(full, '.2f')}"
    )
    small = max(high for found in (light, full) for _, high in found.values()) < 1.0
    yield judged("ragazzon2012.pressed_peg_without_friction", ours, small)
    real = RUBBING._replace(real=True)
    rest, around = (largest_error(real, phase) for phase in ("rest", "slide"))
    turning = largest_error(real._replace(radial=True), "slide")
    wrong = largest_error(real._replace(radial=True, friction_scale=TOO_LOW), "slide")
    ours = (
        f"at rest {_spans(rest, '.0f')}; sliding around the base {_spans(around, '.0f')}; sliding to and fro"
        f" {_spans(turning, '.1f')}, with friction believed {100 * (1 - TOO_LOW):.0f} % too low {_spans(wrong, '.0f')}"
    )
    small = max(high for found in (rest, around) for _, high in found.values()) < 5.0
    yield judged("ragazzon2012.pressed_peg_with_friction", ours, small)


def _spans(found: dict[str, tuple[float, float]], form: str) -> str:
    return ", ".join(f"{name} {low:{form}}–{high:{form}} N" for name, (low, high) in found.items())
