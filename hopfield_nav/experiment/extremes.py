"""Largest speeds of a run, and how near the arm came to itself, by what is recorded and the last moment."""

import numpy as np

from dynamics import Arm
from hopfield_nav.known_world import build_scene, clearance
from hopfield_nav.loop import MAX_ROWS, Rows, State, log_columns
from hopfield_nav.world import World

_SAMPLE_TIME = 0.01  # [s] between the configurations that are looked at


def largest_speeds(rows: Rows, state: State) -> np.ndarray:
    """(n,) largest recorded speed of the joints [rad/s]; of the last moment where nothing is recorded."""
    column = log_columns(len(state.q))["qd"]
    speeds = [*(table[:, column] for table in rows.pieces()), state.qd[None]]
    return np.max([np.nan_to_num(np.abs(qd)).max(axis=0, initial=0.0) for qd in speeds], axis=0)


def self_distance(world: World, arm: Arm, rows: Rows, state: State) -> float | None:
    """Least distance of the arm from itself [m], of every hundredth second that is recorded, and now.

    None on a map of the tool.
    """
    if world.map.space == "tool":
        return None
    every = max(1, round(_SAMPLE_TIME / (world.plant.step * world.record.every)))
    scene, column = build_scene(arm), log_columns(len(state.q))["q"]
    angles = [table[-k * MAX_ROWS % every :: every, column] for k, table in enumerate(rows.pieces())]
    angles.append(state.q[None])
    found = [clearance(arm, scene, np.nan_to_num(part)) for part in angles if len(part)]
    return float(min(distances.min() for distances in found))
