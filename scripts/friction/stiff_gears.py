"""Gears that are stiffer than their encoders can see: at which force a push is felt, and what helps."""

from __future__ import annotations

import numpy as np
from measured_part import table

from friction.conditions import FIRST, REAL, STIFFNESS
from hopfield_nav import load_world
from hopfield_nav.experiment import Simulation
from hopfield_nav.loop import Trajectory, joined, quintic_trajectory

RISE, MOST = 20.0, 60.0  # [N/s], [N] of the push on the tool
QUIET = 1.0  # [s] before it, in which an alarm is a false one
PUSHED = QUIET + MOST / RISE
SPEED = 0.05  # [rad/s] of all joints in a straight motion
DITHER, RATE = 2e-4, 30.0  # [rad], [1/s]
MOTOR_SIDE = 1e-5 / 101


def standing(q: np.ndarray) -> Trajectory:
    """All joints rest."""
    return quintic_trajectory(q[None], PUSHED)


def moving(q: np.ndarray) -> Trajectory:
    """All joints move straight on."""
    return quintic_trajectory(np.array([q, q + SPEED * PUSHED]), PUSHED)


def dithering(q: np.ndarray) -> Trajectory:
    """All joints tremble about where they stand."""
    signs = np.where(np.arange(round(2 * RATE * PUSHED)) % 2, -1.0, 1.0)
    points = q + DITHER * np.concatenate([[0.0], signs])[:, None] * np.where(np.arange(6) % 2, -1.0, 1.0)
    legs = quintic_trajectory(points, 0.5 / RATE, rest=np.ones(len(signs), dtype=bool))
    return joined([legs])


WAYS = {
    "1e-5 rad, standing": (1e-5, standing),
    "1e-6 rad": (1e-6, standing),
    "behind the motor, 1e-7 rad": (MOTOR_SIDE, standing),
    "1e-5 rad, all joints moving": (1e-5, moving),
    "1e-5 rad, dither": (1e-5, dithering),
}


def felt_at(gear: str, way: str, seed: int) -> tuple[float, bool]:
    """Force at which a push on the tool is felt [N], or endless; and whether there was a false alarm."""
    resolution, motion = WAYS[way]
    rng = np.random.default_rng([seed, 40])
    q = np.array(load_world("empty").start.joints) + rng.uniform(-0.4, 0.4, 6)
    direction = rng.normal(size=3)
    force = MOST * direction / np.linalg.norm(direction)
    push = f"pushes=[{{link: 6, times: [{QUIET}, {PUSHED}], force: [[0, 0, 0], {force.tolist()}]}}]"
    changes = [f"plant.presliding={gear}", f"sensors.encoder_resolution={resolution:.3g}", push]
    world = load_world("empty", [*REAL, *changes, f"time_limit={PUSHED}", "record.signals=none"])
    simulation = Simulation(world, seed, motion(q))
    simulation.run()
    times = np.array([found.time for found in simulation.detections])
    felt = times[times > QUIET]
    return (RISE * (felt[0] - QUIET) if felt.size else np.inf), bool((times <= QUIET).any())


def stiff_table(count: int) -> str:
    """Median and largest force over ``count`` pushes, by stiffness and by what is done about it."""
    rows = []
    for gear in STIFFNESS[1::2]:
        cells = []
        for way in WAYS:
            found = [felt_at(gear, way, FIRST + k) for k in range(count)]
            forces = np.array([force for force, _ in found])
            false = sum(early for _, early in found)
            largest = f"{forces.max():.0f}" if np.isfinite(forces).all() else f"> {MOST:.0f}"
            cells.append(f"{np.median(forces):.0f}, {largest}" + (f" ({false} false)" if false else ""))
        rows.append([gear, *cells])
        print(rows[-1], flush=True)
    return table(["σ [N·m/rad]", *WAYS], rows)
