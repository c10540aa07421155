"""Calls of the public functions with odd arguments: an error of ours, or an answer."""

import random
from pathlib import Path

import numpy as np

import dynamics
from dynamics import load_arm
from hopfield_nav import Simulation, load_world, plan_path, sweep
from torturing.trials import Trials

_Q = np.array([0.1, -1.0, 1.0, 0.2, 0.3, 0.4])
_OF_ANGLES = (
    "forward_kinematics", "jacobian", "link_frames", "mass_matrix", "gravity_torque", "potential_energy",
    "jacobian_determinant", "manipulability", "singular_values", "singularity_measures", "near_singularities",
    "inverse_kinematics", "inverse_kinematics_branches",
)  # fmt: skip
_OF_MOTION = ("inverse_dynamics", "forward_dynamics", "euler_lagrange_torque", "linearize")
_ODD = (
    None, True, "words", -1, 0, 3, 1e308, -1e308, 1e-308, np.nan, np.inf, [], [[]], {}, np.zeros(5),
    np.zeros((6, 6)), np.full(6, np.nan), np.array(["a"] * 6), np.zeros((0, 6)), [None] * 6,
    np.eye(4), np.full((4, 4), np.nan),
)  # fmt: skip


def odd_calls(place: Path, count: int, first: int, limit: float) -> Trials:
    """Functions of the arm, plans, simulations and sweeps, each with something odd among its arguments."""
    arm, world = load_arm("ur5e"), load_world("empty", ["time_limit=0.01"])
    grid = np.zeros((9, 7), dtype=bool)
    for number in range(first, first + count):
        dice = random.Random(number)
        odd, kind = dice.choice(_ODD), dice.randrange(8)
        name = dice.choice(_OF_ANGLES)
        motion = [_Q, _Q, _Q]
        motion[dice.randrange(3)] = odd
        key = dice.choice(
            ["start", "goal", "radius", "spacing", "beta", "network", "ties", "closed"]
        )
        cells = {"start": (0, 0), "goal": (8, 6), key: odd}
        field, motion_of = dice.choice(["mass", "dh", "inertia", "twist"]), dice.choice(_OF_MOTION)
        yield (
            f"call {number} ({kind}, {name}, {key}, {odd!r:.40})",
            [
                lambda name=name, odd=odd: getattr(dynamics, name)(arm, odd),
                lambda motion=motion, f=motion_of: getattr(dynamics, f)(arm, *motion),
                lambda odd=odd: dynamics.with_payload(arm, odd, [0, 0, 0]),
                lambda odd=odd: dynamics.with_payload(arm, 1.0, odd),
                lambda cells=cells: plan_path(grid, **cells),
                lambda odd=odd: Simulation(world, seed=odd),
                lambda odd=odd: sweep(world, {"seed": [1]}, workers=odd),
                lambda field=field, name=name: getattr(dynamics, name)(
                    arm._replace(**{field: np.zeros((3, 4))}), _Q
                ),
            ][kind],
        )
