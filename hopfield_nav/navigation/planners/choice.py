"""The planner that a world asks for, and what it is asked; what one of a user answers is checked."""

from typing import Any

import numpy as np

from hopfield_nav.navigation.map import Beliefs, Cell, longer_moves, pairs
from hopfield_nav.navigation.planners.a_star import AStar
from hopfield_nav.navigation.planners.hopfield import Hopfield
from hopfield_nav.planning import Plan, neighbourhood_of, replan
from hopfield_nav.plugin import BelievedMap, MethodFailed, Own, Planner, is_ours
from hopfield_nav.world import PlannerSection, World

NEAR_BELIEF = (
    0.5  # certainty that a longer move is closed, over a cell of which anything is believed
)


def planner_for(world: World) -> Planner:
    """The planner of a world, whose answers are a ``Plan``: the network, A*, or a user's own, which is checked."""
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
    """What a planner is asked on a map of the tool: blocked cells, start, goals (g, rank), beliefs."""
    radius = world.planner.radius
    moves, against = (
        neighbourhood_of(blocked.shape, radius).offset,
        np.zeros(blocked.shape, np.float32),
    )
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

    Planners that keep no field for all cells ask the limit network. A blocked start or goal counts
    as free.
    """
    plain = (
        section.kind != "hopfield" or section.activation != "linear"
    )  # its g(0) may light every cell
    network = "limit" if plain else section.network
    beta = None if plain else section.beta
    near = neighbourhood_of(blocked.shape, section.radius, ties=section.ties)
    return replan(blocked, start, goal, network, beta, near).reachable & ~blocked


class OwnPlanner(Own):
    """Asks a planner of the user."""

    def plan(self, believed: BelievedMap) -> Plan:
        """The path, checked.

        Raises ``MethodFailed``: the planner raises, or its path is none over this map.
        """
        cells = self.ask(
            "plan", believed.read_only(), lambda answer: checked_path(answer, believed)
        )
        if cells is None:
            return Plan(None, "the planner finds no path", np.inf, self._method.name)
        return Plan(
            cells,
            "",
            float(np.linalg.norm(np.diff(cells, axis=0), axis=1).sum()),
            self._method.name,
        )


def checked_path(answer: Any, believed: BelievedMap) -> np.ndarray | None:
    """The path (k, rank) that a planner answers; None where it says that there is none.

    Raises ``MethodFailed``: it has another shape, leaves the map, does not lead from start to goal,
    makes moves that are none, or leads through what is known or over a step that is proven to be
    closed.
    """
    if answer is None:
        return None
    points = as_points(answer, believed, "path", "cells")
    cells = np.rint(points).astype(int)
    if (points != cells).any():
        raise MethodFailed("its path has cells that are no whole numbers")
    if tuple(cells[0]) != tuple(believed.start):
        raise MethodFailed(f"its path begins at {cells[0].tolist()}, not at {list(believed.start)}")
    if not (cells[-1] == believed.goals).all(axis=1).any():
        raise MethodFailed(f"its path ends at {cells[-1].tolist()}, not at a goal")
    moves = np.diff(cells, axis=0)
    strange = np.flatnonzero(~(moves[:, None] == believed.moves).all(axis=2).any(axis=1))
    if strange.size:
        begin, end = cells[strange[0] : strange[0] + 2].tolist()
        raise MethodFailed(f"its path goes from {begin} to {end}: no move")
    hit = np.flatnonzero(believed.blocked[tuple(cells[1:-1].T)])
    if hit.size:
        raise MethodFailed(
            f"its path leads through {cells[1 + hit[0]].tolist()}, known to be blocked"
        )
    facts, count = believed.closed[believed.certainty >= 1.0], believed.blocked.size
    ends = np.ravel_multi_index(tuple(np.moveaxis(facts, 2, 0)), believed.blocked.shape)
    number = np.ravel_multi_index(tuple(cells.T), believed.blocked.shape)
    shut = np.append(ends[:, 0] * count + ends[:, 1], ends[:, 1] * count + ends[:, 0])
    proven = np.flatnonzero(np.isin(number[:-1] * count + number[1:], shut))
    if proven.size:
        begin, end = cells[proven[0] : proven[0] + 2].tolist()
        raise MethodFailed(f"its path leads from {begin} to {end}, proven to be closed")
    return cells


def as_points(
    answer: Any, believed: BelievedMap, what: str = "way", of: str = "waypoints"
) -> np.ndarray:
    """What a method answers as points (k, rank) within the map, in cells.

    Raises ``MethodFailed``: they are none, or none of this map.
    """
    points, rank, shape = (
        np.asarray(answer),
        believed.blocked.ndim,
        np.array(believed.blocked.shape),
    )
    if (
        points.dtype.kind not in "iuf"
        or points.ndim != 2
        or points.shape[1] != rank
        or not len(points)
    ):
        raise MethodFailed(
            f"its {what} is {points.dtype} of shape {points.shape}, not {of} (k, {rank})"
        )
    if not np.isfinite(points).all():
        raise MethodFailed(f"its {what} has {of} that are not finite")
    outside = ((points < -0.5) | (points >= shape - 0.5)).any(axis=1)
    if outside.any():
        raise MethodFailed(f"its {what} leaves the map: {points[outside.argmax()].tolist()}")
    return points
