"""Tables of joints that leave rest: false alarms and contacts, with the allowances of the default detector.

Without them the friction may be a fifth of the model's wrong, a resting joint bears the model's own
breakaway torque, and nobody knows of noise. The arm is ``ur5_full`` at 1 kHz, ideal or real as in
the suite ``detectors``.
"""

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np
from benches import suite_module
from measured_part import table

from dynamics import Arm, forward_kinematics, load_arm
from hopfield_nav.build import build_arm, build_model
from hopfield_nav.experiment import Simulation
from hopfield_nav.extensions.bench import load_suite
from hopfield_nav.extensions.recordings import Signals, replay, signals_of_run
from hopfield_nav.loop import Trajectory, evaluate, joined, quintic_trajectory
from hopfield_nav.plugin import find_method
from hopfield_nav.record import truth_of_data
from hopfield_nav.sweeps import Job, share

METHODS = (
    find_method("estimator", "momentum_observer"),
    find_method("detector", "adaptive_joint_torque"),
)
WITHOUT = {"friction_error": 0.2, "stiction_share": 1 / 1.2, "stiction_speed": 0.03}
DETECTORS = suite_module("detectors")
Trial, cut = DETECTORS.Trial, DETECTORS.cut
# [rad/s], [s], [rad] of the joint that goes furthest
SPEEDS, REST, WAYS = ((0.1, 0.25, 0.5, 1.0), 0.2, (0.3, 1.0))
KINDS = {"real": "masses, friction off; noise", "ideal": "the model is right"}
CONTACTS = {  # name: share of the motion before the touch, of the joints' speed [rad/s]
    "start": ((0.03, 0.1), 0.5),
    "full speed": ((0.5, 0.5), 0.5),
}
STIFFNESS = {"k = 1e5 N/m": 1e5, "k = 3e3 N/m": 3e3}
RADIUS, PRESS, MOTIONS, COUNT = 0.1, 0.6, 80, 40  # [m], [s], of each speed, contacts of each kind


def motion(rng: np.random.Generator, speed: float, all_joints: bool) -> tuple[Trajectory, float]:
    """From rest to rest with pauses about it, and how long the motion itself takes [s]."""
    start, way = rng.uniform(-np.pi, np.pi, 6), np.eye(6)[rng.integers(6)]
    way = rng.uniform(-1, 1, 6) if all_joints else way
    way *= rng.uniform(*WAYS) / np.abs(way).max()
    leg = quintic_trajectory(np.stack([start, start + way]), 15 / 8 * np.abs(way).max() / speed)
    before, behind = (quintic_trajectory(q[None], REST) for q in (start, start + way))
    return joined([before, leg, behind]), float(leg.knots[-1])


class Recorded(NamedTuple):
    """A trial: what is believed of the arm and of its noise [rad/s], what was sensed, the true force [N]."""

    model: Arm
    noise: float
    signals: Signals
    force: np.ndarray


def recorded(kind: str, trial: Trial, seed: int, stiffness: float | None = None) -> Recorded:
    """A trial of the full arm, simulated."""
    names = {
        "family": "tool",
        "condition": f"full, {kind}",
        "method": "…, adaptive, default thresholds",
    }
    world = load_suite("detectors").world_for(Job(0, names, seed, 0))
    if stiffness is not None:
        world = world.with_changes(
            contact=world.contact.model_copy(update={"stiffness": stiffness})
        )
    given, trajectory = DETECTORS.wrong(world, seed, trial)
    run = Simulation(given, seed, trajectory).run()
    model, noise = build_model(run.world, build_arm(run.world)), run.world.sensors.velocity_noise
    return Recorded(model, noise, signals_of_run(run), truth_of_data(run.data).largest)


def level(trial: Recorded, allowed: bool) -> np.ndarray:
    """Of the detector, with what it allows or without."""
    values = {"velocity_noise": trial.noise} if allowed else {"velocity_noise": 0.0, **WITHOUT}
    return replay(trial.model, trial.signals, *METHODS, {"torque_noise": 0.0, **values}, 0.5).level


@cache
def free(kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Of each motion: largest level without and with, and how much of it is over at an alarm without."""
    largest, first = [], []
    for k in range(MOTIONS * len(SPEEDS)):
        rng = np.random.default_rng([k, 8])
        trajectory, length = motion(rng, SPEEDS[k % len(SPEEDS)], bool(k // len(SPEEDS) % 2))
        trial = recorded(kind, Trial(trajectory), k)
        without = level(trial, False)
        largest.append([without.max(), level(trial, True).max()])
        alarm = trial.signals.time[np.argmax(without > 1.0)]
        first.append((alarm - REST) / length if without.max() > 1.0 else np.nan)
    return np.array(largest), np.array(first)


def starts() -> str:
    """Motions with a false alarm."""
    rows = []
    for kind, name in KINDS.items():
        largest, first = free(kind)
        alarms = (largest > 1.0).sum(axis=0)
        bound = share(int(alarms[1]), len(largest)).high
        early = int(np.sum((first > 0.0) & (first < 0.1)))
        told = [f"{alarms[0]}", f"{early}", f"{alarms[1]} (up to {100 * bound:.1f} %)"]
        rows.append([name, f"{len(largest)}", *told])
    head = [
        "",
        "motions",
        "with an alarm without it",
        "of these, the first in the first tenth",
        "with it",
    ]
    return table(head, rows)


def contacts() -> str:
    """Delay and force of contacts; the middle column has as few false alarms as the last one."""
    raised = free("real")[0][:, 0].max()
    rows = []
    for (kind, condition), when, (stiff, stiffness) in product(
        KINDS.items(), CONTACTS, STIFFNESS.items()
    ):
        trials = list(touches(kind, when, stiffness))
        cells = [felt(trials, False, 1.0), felt(trials, False, raised), felt(trials, True, 1.0)]
        rows.append([f"{condition}, {when}, {stiff}", *cells])
    return table(
        ["", "without it", f"without it, thresholds {raised:.2f} times as high", "with it"], rows
    )


def touches(kind: str, when: str, stiffness: float) -> Iterator[Recorded]:
    """Motions of all joints in which the tool point meets a sphere ahead."""
    arm, (shares, speed) = load_arm("ur5_full"), CONTACTS[when]
    for k in range(COUNT):
        rng = np.random.default_rng([k, 9])
        trajectory, length = motion(rng, speed, True)
        touch = REST + rng.uniform(*shares) * length
        now, then = (
            forward_kinematics(arm, evaluate(trajectory, touch - t)[0])[:3, 3] for t in (0.0, 1e-4)
        )
        center = now + RADIUS * (now - then) / np.linalg.norm(now - then)
        solid = {"sphere": {"center": center.tolist(), "radius": RADIUS}}
        yield recorded(kind, Trial(cut(trajectory, touch + PRESS), solid), k, stiffness)


def felt(trials: list[Recorded], allowed: bool, limit: float) -> str:
    """Delay, median and p95 [ms], and the median of the force until then, of contacts that were felt."""
    found = []
    for trial in trials:
        force, time = trial.force, trial.signals.time
        began = int(np.argmax(force > 0.0))
        loud = began + np.flatnonzero(level(trial, allowed)[began:] > limit)
        if force[began] > 0.0 and loud.size:
            found.append((time[loud[0]] - time[began], force[began : loud[0] + 1].max()))
    delay, force = np.array(found).T
    missed = sum(bool(trial.force.any()) for trial in trials) - len(found)
    p50, p95 = 1e3 * np.quantile(delay, [0.5, 0.95])
    return f"{p50:.0f}, {p95:.0f}; {np.median(force):.0f} N" + (
        f"; {missed} missed" if missed else ""
    )
