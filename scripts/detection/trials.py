"""Simulating the trials: free motion and contacts, each with its truth, for one condition."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from detection.conditions import ARMS, Condition, make_world
from detection.motions import Trial, arm_collision, starts_and_stops, tool_push
from dynamics import Arm, load_arm
from hopfield_nav.experiment import follow
from hopfield_nav.logs import Signals, signals_of_run
from hopfield_nav.record import ContactTruth, truth_of_run
from hopfield_nav.world import build_arm, build_model

CHUNK = 100.0  # [s] of free motion with the same errors of the model
KINDS = ("tool", "arm", "early")  # of contacts
LINKS = (2, 3, 4, 5, 6)  # link 1 turns about its own axis: it runs into nothing


class Recorded(NamedTuple):
    """One trial: what its control computer believed the arm and its sensors to be, what it sensed, the truth.

    ``noise`` is that of the measured velocities [rad/s]; without ``truth`` it is of use for thresholds alone.
    """

    model: Arm
    noise: float
    signals: Signals
    truth: ContactTruth | None


def free_motion(condition: Condition, seed: int, hours: float, piece: float = CHUNK) -> Iterator[Recorded]:
    """Motions from rest to rest, with pauses, in pieces [s], each with other errors of the model."""
    for k in range(max(1, round(hours * 3600 / piece))):
        rng = np.random.default_rng([seed, k])
        trial = Trial(starts_and_stops(rng, piece), piece, "")
        yield run_trial(condition, trial, seed * 100_000 + k)


def contacts(condition: Condition, seed: int, count: int, kind: str) -> Iterator[Recorded]:
    """Contacts of one kind: pushes of the tool at 5 cm/s, or spheres in the way of each link in turn.

    The links run into them well on in a motion (``arm``) or in its first tenth (``early``).
    """
    arm = load_arm(ARMS[condition.arm])
    for k in range(count):
        rng = np.random.default_rng([seed, k, 1 + KINDS.index(kind)])
        link = LINKS[k % len(LINKS)]
        trial = tool_push(rng) if kind == "tool" else arm_collision(rng, arm, link, kind == "early")
        yield run_trial(condition, trial, seed * 100_000 + k)


def run_trial(condition: Condition, trial: Trial, seed: int) -> Recorded:
    """Simulate a trial; nothing is done about what is felt."""
    world = make_world(condition, seed, trial.duration, trial.obstacles)
    run = follow(world, trial.trajectory)
    model, noise = build_model(world, build_arm(world)), world.sensors.velocity_noise
    return Recorded(model, noise, signals_of_run(run), truth_of_run(run))
