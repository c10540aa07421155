"""The map of a run as a page draws it: cells, steps and path of every plan, obstacles cut by its levels."""

from typing import Any

import numpy as np

from hopfield_nav.figures.solid import (
    EXCLUDED,
    cell_classes,
    felt_alpha,
    final_plan,
    in_space,
    level_height,
    map_extent,
    room_ends,
    slice_outline,
)
from hopfield_nav.record import PlanRecord, Run
from hopfield_nav.view.arrays import packed, whole
from hopfield_nav.world import all_solids


def map_layers(run: Run) -> dict[str, Any]:
    """What does not change, and every plan with what was known when it was made."""
    grid, plans = run.world.map, run.plans()
    end = float(run.data.time.values[-1])
    excluded = cell_classes(run, plans[0], path=False) == EXCLUDED
    return {
        "origin": list(grid.origin),
        "spacing": grid.spacing,
        "shape": list(grid.shape),
        "levels": _levels(run),
        "extent": map_extent(run),
        "excluded": _cells(excluded),
        "alpha": felt_alpha(run),
        "plans": [_plan(plan) for plan in [*plans, final_plan(run)._replace(time=end)]],
        "ends": room_ends(run).tolist(),
    }


def _plan(plan: PlanRecord) -> dict[str, Any]:
    return {
        "time": plan.time,
        "felt": _cells(plan.felt),
        "path": whole(plan.path),  # may begin off the map, where the tool starts beside it
        "steps": whole(plan.steps),
        "certainty": packed(plan.certainty),
    }


def _levels(run: Run) -> list[dict[str, Any]]:
    """Height of every level (a plane has one), and its cut through every solid, in their order."""
    count = run.world.map.shape[2] if in_space(run) else 1
    room, solids = map_extent(run), all_solids(run.world)
    heights = [float(level_height(run, k)) for k in range(count)]
    cuts = [[np.round(slice_outline(solid, z, room), 5).tolist() for solid in solids] for z in heights]
    return [{"z": z, "cuts": outlines} for z, outlines in zip(heights, cuts, strict=True)]


def _cells(chosen: np.ndarray) -> dict[str, Any]:
    """Places of the chosen cells of a grid in its flat order."""
    return whole(np.flatnonzero(chosen))
