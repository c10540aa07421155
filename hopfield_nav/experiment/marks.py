"""How far the marked cells of a run are from the obstacles that are there."""

from __future__ import annotations

import numpy as np

from hopfield_nav.experiment.run import Run
from hopfield_nav.geometry import capsule_distance
from hopfield_nav.world import build_obstacles


def map_error(run: Run) -> float | None:
    """Mean distance of the centres of marked cells from the nearest obstacle surface or inside [m].

    A centre inside an obstacle counts as 0. A perfect map on a grid of spacing s is off by up to s/√2
    for cells that an obstacle only grazes.

    Returns:
        [m], or None where nothing was marked or there is nothing to mark.
    """
    data, world = run.data, run.world
    solids = build_obstacles(world)
    if data.sizes["event"] == 0 or len(solids) == 0:
        return None
    cells = np.argwhere(data.event_map.values[-1] > 0)
    if not len(cells):
        return None
    centres = np.tile(np.array(world.map.origin), (len(cells), 1))
    centres[:, : cells.shape[1]] += world.map.spacing * cells
    points = np.column_stack([centres, centres, np.zeros(len(cells))])
    return float(np.maximum(capsule_distance(points, solids).min(axis=1), 0.0).mean())
