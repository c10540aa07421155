"""How far what a run has marked, and where it felt itself touched, are from what is there."""

import numpy as np

from hopfield_nav.geometry import capsule_distance
from hopfield_nav.record.run import Run
from hopfield_nav.world import build_obstacles

NEAR = 0.04  # [m] from the true point a place is as good as right


def map_error(run: Run) -> float | None:
    """Mean distance of the centres of marked cells from the nearest obstacle surface or inside [m].

    A centre inside an obstacle counts as 0. A perfect map on a grid of spacing s is off by up to s/√2 for
    cells that an obstacle only grazes. None where nothing was marked or there is nothing to mark.
    """
    data, world = run.data, run.world
    solids = build_obstacles(world)
    if data.sizes["event"] == 0 or len(solids) == 0 or world.map.space == "joints":
        return None
    cells = np.argwhere(run.felt_after(data.sizes["event"]))
    if not len(cells):
        return None
    centres = np.tile(np.array(world.map.origin), (len(cells), 1))
    centres[:, : cells.shape[1]] += world.map.spacing * cells
    points = np.column_stack([centres, centres, np.zeros(len(cells))])
    return float(np.maximum(capsule_distance(points, solids).min(axis=1), 0.0).mean())


def place_errors(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """How far the likeliest place of each touch is from where the arm was touched, on a map of joint angles.

    Returns:
        (k,) distance [m] of the touches that were felt somewhere while something touched, and (k,) bool,
        whether the link is right.
    """
    data = run.data
    if "felt_point" not in data or data.sizes["place"] == 0:
        return np.zeros(0), np.zeros(0, dtype=bool)
    error = np.linalg.norm(data.felt_point.values[:, 0] - data.event_true_point.values, axis=1)
    there = np.isfinite(error)
    return error[there], (data.felt_link.values[:, 0] == data.event_true_link.values)[there]


def marks_score(run: Run) -> dict[str, float | None]:
    """The numbers of this module by their names in tables; None where there is nothing to judge."""
    error, right = place_errors(run)
    return {
        "map_error_m": map_error(run),
        "place_error_p50_m": float(np.median(error)) if len(error) else None,
        "place_within_4cm_share": float(np.mean(error <= NEAR)) if len(error) else None,
        "place_link_share": float(np.mean(right)) if len(error) else None,
    }
