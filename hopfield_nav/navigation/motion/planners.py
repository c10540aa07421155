"""The planner that a world asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hopfield_nav.planning import (
    Plan,
    closed_cells,
    neighbourhood_of,
    plan_a_star,
    plan_potential_field,
    plan_roadmap,
    replan,
)

if TYPE_CHECKING:
    from hopfield_nav.world import PlannerSection

PLANNERS = {
    "hopfield": "the network: shortest paths (limit), or as in the document (sum; ragazzon2012 chapter 6)",
    "a_star": "shortest paths over cells (Hart, Nilsson and Raphael 1968)",
    "potential_field": "down a potential, with random walks out of its minima (Spong et al. 2006, 5.2)",
    "roadmap": "shortest paths over random points that see each other (Kavraki et al. 1996)",
}  # ``planner.kind`` of a world, and what it is


def plan_with(
    planner: PlannerSection,
    blocked: np.ndarray,
    start: tuple[int, ...],
    goal: tuple[int, ...],
    seed: int,
    closed: np.ndarray | None = None,
) -> Plan:
    """Plan with the planner of a world file; a blocked start or goal counts as free.

    Args:
        planner: section of the world.
        blocked: bool grid.
        start: (rank,) cell.
        goal: (rank,) cell.
        seed: of the run.
        closed: (m, 2, rank) integers, pairs of neighbouring cells without a step between them. The potential
            field and the roadmap make no steps: to them both cells of a pair are blocked.

    Returns:
        The plan, lengths in cells.

    Raises:
        BadInput: a closed pair outside the grid or not of neighbours; what `planning.replan` refuses.
    """
    if planner.kind == "a_star":
        return plan_a_star(blocked, start, goal, planner.radius, closed)
    if planner.kind != "hopfield" and closed is not None:
        blocked = blocked | closed_cells(closed, neighbourhood_of(blocked.shape, planner.radius))
    if planner.kind == "potential_field":
        return plan_potential_field(blocked, start, goal, planner.random_walks, seed)
    if planner.kind == "roadmap":
        return plan_roadmap(blocked, start, goal, planner.samples, planner.connections, seed)
    near = neighbourhood_of(blocked.shape, planner.radius, ties=planner.ties)
    network, beta, function = planner.network, planner.beta, planner.activation
    return replan(blocked, start, goal, network, beta, near, closed=closed, activation=function)


def open_cells(
    planner: PlannerSection,
    blocked: np.ndarray,
    start: tuple[int, ...],
    goal: tuple[int, ...],
    closed: np.ndarray | None = None,
) -> np.ndarray:
    """Bool grid of the free cells from which the goal can be reached, by the network.

    Planners that keep no field for all cells ask the limit network. Arguments and errors as in `plan_with`.
    """
    plain = planner.kind != "hopfield" or planner.activation != "linear"  # its g(0) may light every cell
    network = "limit" if plain else planner.network
    beta = None if plain else planner.beta
    near = neighbourhood_of(blocked.shape, planner.radius, ties=planner.ties)
    plan = replan(blocked, start, goal, network, beta, near, closed=closed)
    return plan.reachable & ~blocked
