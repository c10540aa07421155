"""The planner that a world asks for, and what it is asked."""

import numpy as np

from hopfield_nav.navigation.map import Beliefs, Cell, longer_moves, pairs
from hopfield_nav.navigation.planners.a_star import AStar
from hopfield_nav.navigation.planners.hopfield import Hopfield
from hopfield_nav.planning import neighbourhood_of, replan
from hopfield_nav.plugin import BelievedMap, Planner
from hopfield_nav.world import PlannerSection, World, is_code

NEAR_BELIEF = 0.5  # certainty that a longer move is closed, over a cell of which anything is believed


def planner_for(world: World) -> Planner:
    """The planner of a world, whose answers are a ``Plan``: the network, A*, or a user's own, which is checked."""
    section = world.planner
    if not is_code(section.kind):
        return built_in(section)
    from hopfield_nav.navigation.planners.own import OwnPlanner

    return OwnPlanner(world.trust.find("planner", section.kind, world.folder), section.parameters)


def built_in(section: PlannerSection) -> Planner:
    """A*, or the network with its keys of a section."""
    if section.kind == "a_star":
        return AStar()
    return Hopfield(section.network, section.beta, section.activation, section.ties)


def believed_map(
    world: World, blocked: np.ndarray, start: Cell, goals: np.ndarray, beliefs: Beliefs | None = None
) -> BelievedMap:
    """What a planner is asked on a map of the tool: blocked cells, start, goals (g, rank), beliefs."""
    radius = world.planner.radius
    moves, against = neighbourhood_of(blocked.shape, radius).offset, np.zeros(blocked.shape, np.float32)
    doubted = {} if beliefs is None else beliefs.doubted()
    closed, certainty = pairs(doubted, blocked.shape), np.array([*doubted.values()], dtype=float)
    if beliefs is not None:
        for cell, value in beliefs.cells.items():
            against[cell] = -np.log1p(-value) if value < 1.0 else np.inf
    if beliefs is not None and radius > 1:
        longer = longer_moves(beliefs.uneven(), moves)
        closed = np.concatenate([closed, longer])
        certainty = np.concatenate([certainty, np.full(len(longer), NEAR_BELIEF)])
    return BelievedMap(blocked, against, closed, certainty, start, goals, moves, radius, world.seed)


def open_cells(
    section: PlannerSection, blocked: np.ndarray, start: tuple[int, ...], goal: tuple[int, ...]
) -> np.ndarray:
    """Bool grid of the free cells from which the goal can be reached, by the network.

    Planners that keep no field for all cells ask the limit network. A blocked start or goal counts as free.
    """
    plain = section.kind != "hopfield" or section.activation != "linear"  # its g(0) may light every cell
    network = "limit" if plain else section.network
    beta = None if plain else section.beta
    near = neighbourhood_of(blocked.shape, section.radius, ties=section.ties)
    return replan(blocked, start, goal, network, beta, near).reachable & ~blocked
