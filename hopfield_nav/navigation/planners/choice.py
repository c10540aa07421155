"""The planner that a world asks for, and what it is asked."""

import numpy as np

from hopfield_nav.navigation.map import Beliefs, Cell, longer_moves, pairs
from hopfield_nav.navigation.planners.a_star import AStar
from hopfield_nav.navigation.planners.hopfield import Hopfield
from hopfield_nav.navigation.planners.own import OwnPlanner
from hopfield_nav.planning import neighbourhood_of, replan
from hopfield_nav.plugin import BelievedMap, Planner, is_ours
from hopfield_nav.world import PlannerSection, World

# certainty that a longer move is closed, over a cell of which anything is believed
NEAR_BELIEF = 0.5


def planner_for(world: World) -> Planner:
    """The planner of a world, whose answers are a ``Plan``.

    The network, A*, or a user's own, which is checked.
    """
    section = world.planner
    if is_ours("planner", section.kind):
        return built_in(section)
    return OwnPlanner(world.trust.find("planner", section.kind, world.folder), section.parameters)


def built_in(section: PlannerSection) -> Planner:
    """A*, or the network with its keys of a section."""
    if section.kind == "a_star":
        return AStar()
    return Hopfield(section.network, section.beta, section.activation, section.ties)


def believed_map(
    world: World,
    blocked: np.ndarray,
    start: Cell,
    goals: np.ndarray,
    beliefs: Beliefs | None = None,
) -> BelievedMap:
    """What a planner is asked on a map of the tool.

    Blocked cells, start, goals (g, rank), beliefs.
    """
    radius = world.planner.radius
    moves = neighbourhood_of(blocked.shape, radius).offset
    against = np.zeros(blocked.shape, np.float32)
    doubted = {} if beliefs is None else beliefs.doubted()
    closed = pairs(doubted, blocked.shape)
    certainty = np.array([*doubted.values()], dtype=float)
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

    Planners that keep no field for all cells ask the limit network. A blocked start or goal counts
    as free.
    """
    # the g(0) of other activation functions may light every cell
    plain = section.kind != "hopfield" or section.activation != "linear"
    network = "limit" if plain else section.network
    beta = None if plain else section.beta
    near = neighbourhood_of(blocked.shape, section.radius, ties=section.ties)
    return replan(blocked, start, goal, network, beta, near).reachable & ~blocked
