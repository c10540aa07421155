"""The map of the tool with all that is known and believed on it.

Grid, known obstacles, beliefs, goal.
"""

from collections import Counter
from typing import NamedTuple

import numpy as np

from dynamics import BadInput
from hopfield_nav.navigation.map.beliefs import Beliefs, Cell, Step
from hopfield_nav.navigation.map.collision_map import CollisionMap, make_map, touches
from hopfield_nav.navigation.map.fading import FadingBeliefs
from hopfield_nav.world import World


class ContactHypotheses(NamedTuple):
    """Where a touch may have been."""

    points: np.ndarray  # (k, 3) middles of the places, likeliest first, base axes [m]
    links: np.ndarray  # (k,) int, of the arm
    weights: np.ndarray  # (k,) of each; their sum is at most 1


LIKELY = 0.4  # weight of a place from which on steps that sweep through it are closed
NOWHERE = ContactHypotheses(np.zeros((0, 3)), np.zeros(0, dtype=int), np.zeros(0))


class PriorMap(NamedTuple):
    """Facts and beliefs, and what they rest on."""

    steps: dict[Step, float]  # certainty of every touched step that it is closed; 1 for facts
    # certainty of cells that they are occupied; none on a map of joint angles
    cells: dict[Cell, float]
    # of every touch, where on the arm it may have been; on a map of joint angles alone
    places: list[ContactHypotheses]
    free: np.ndarray  # (m, n) configurations in which the arm was and touched nothing [rad]
    # keys of the world for which steps that were facts are beliefs now
    differs: tuple[str, ...] = ()


class ToolMap:
    """Cells over the workspace of a resolved world, and what stands there."""

    def __init__(self, world: World) -> None:
        self.grid, self.known = make_map(world)
        forget = world.planner.forget
        shape = self.grid.shape
        # ``show_beliefs`` marks cells believed to be occupied
        self.beliefs = Beliefs(shape) if forget is None else FadingBeliefs(shape, forget)
        # cells out of the arm's reach, as it turned out: blocked, but not marked
        self.unreachable = np.zeros(self.grid.shape, dtype=bool)
        self.why_unreachable = ""  # the last of them
        # how often each cell was gone back to in vain, since a retreat came to its end
        self.tries: Counter[Cell] = Counter()
        self.goal = None if world.goal_point is None else np.array(world.goal_point)  # (3,) [m]
        self.goal_cell = None if self.goal is None else self.grid.cell_of(self.goal)

    @property
    def rank(self) -> int:
        """2 for a map in a plane, 3 for one in space."""
        return len(self.grid.shape)

    def in_cells(self, position: np.ndarray) -> np.ndarray:
        """(rank,) fractional cell of a position (3,) [m]."""
        return (position[: self.rank] - self.grid.origin[: self.rank]) / self.grid.spacing

    def flat(self, position: np.ndarray) -> np.ndarray:
        """A position (3,), at the height of a map in a plane [m]."""
        return np.concatenate([position[: self.rank], self.grid.origin[self.rank :]])

    def obstacles(self) -> np.ndarray:
        """Bool grid of what the planner may not use."""
        return self.grid.blocked | self.unreachable

    def uneven(self) -> np.ndarray:
        """Bool grid of what a path at any angle keeps away from."""
        return self.obstacles() | self.beliefs.uneven()

    def target(self) -> Cell | None:
        """The cell to which is planned.

        The goal's, or where a known obstacle reaches into that, one beside. None where known
        obstacles stand between the goal and every free cell around it.
        """
        if self.goal_cell is None or self.goal is None:
            raise RuntimeError("without a goal there is nothing to plan")
        return self.cell_beside(self.goal, self.goal_cell)

    def cell_beside(
        self, place: np.ndarray, own: Cell, blocked: np.ndarray | None = None
    ) -> Cell | None:
        """The cell between which and a place (3,) [m] nothing known lies; None if there is none.

        It is ``own``, the place's, even if blocked, but not if a known solid blocks it; or the
        nearest free cell around whose centre sees the place. Not free are the cells of the bool
        grid ``blocked``, by default the obstacles.
        """
        known = self.known
        grid = self.grid
        if not known.blocked[own] and not touches(known.solids, place, grid.centre(own)):
            return own
        around = np.zeros(grid.shape, dtype=bool)
        around[tuple(slice(max(c - known.window, 0), c + known.window + 1) for c in own)] = True
        cells = np.argwhere(around & ~(self.obstacles() if blocked is None else blocked))
        centres = grid.centre(cells)
        seen = ~touches(known.solids, np.asarray(place, dtype=float), centres)
        distance = np.where(seen, np.linalg.norm(centres - place, axis=1), np.inf)
        return tuple(int(c) for c in cells[int(np.argmin(distance))]) if seen.any() else None

    def is_clear(self, begin: np.ndarray, end: np.ndarray) -> bool:
        """Whether nothing known, and no excluded cell, stands between two places (3,) [m]."""
        if touches(self.known.solids, begin, end):
            return False
        count = int(np.ceil(2.0 * np.linalg.norm(end - begin) / self.grid.spacing)) + 1
        cells = [self.grid.cell_of(begin + s * (end - begin)) for s in np.linspace(0.0, 1.0, count)]
        obstacles = self.obstacles()
        return all(self.grid.inside(cell) and not obstacles[cell] for cell in cells)

    def exclude(self, place: np.ndarray, path: np.ndarray, start: Cell) -> bool:
        """Exclude the cell of a place [m] out of reach, or the next one of its path.

        Returns whether there is one. Neither the path's first cell nor the goal's can be excluded.
        """
        at = self.in_cells(place)
        beside = path[np.argsort(np.linalg.norm(path - at, axis=1))]
        for candidate in (
            self.grid.cell_of(place),
            *(tuple(int(c) for c in row) for row in beside),
        ):
            if candidate in (start, self.goal_cell) or np.abs(at - candidate).max() > 1.0:
                return False
            if not self.unreachable[candidate]:
                self.unreachable[candidate] = True
                return True
        return False

    def load_prior(self, prior: PriorMap, start: Cell) -> None:
        """Believe what an earlier run felt, but not that start or goal are occupied."""
        cells = {c: v for c, v in prior.cells.items() if c not in (start, self.goal_cell)}
        self.beliefs.load_prior(prior.steps, cells)
        self.show_beliefs()

    def show_beliefs(self) -> None:
        """Mark the cells that are believed to be occupied, and no others."""
        self.grid.felt[...] = False
        for cell in self.beliefs.cells:
            self.grid.felt[cell] = True

    def final(self) -> np.ndarray:
        """The cells as an int grid.

        1: blocked, 2: free but not reached by the arm, 3: free but believed to be occupied.
        """
        kinds = np.where(self.grid.blocked, 1, 2 * self.unreachable).astype(np.int8)
        kinds[(kinds == 0) & self.grid.felt] = 3
        return kinds


def cell_of_start(world: World, grid: CollisionMap, tool: np.ndarray) -> tuple[int, ...]:
    """The cell of a map of the tool over which the tool (3,) starts [m].

    Raises ``BadInput``: the world has a goal, and the tool starts beside its map.
    """
    cell = grid.cell_of(tool)
    if world.goal is not None and not grid.inside(cell):
        axes = "xyz"[: len(cell)]
        where = "above" if len(cell) == 2 else "in"
        place = "tool at " + ", ".join(f"{a} = {tool[k]:.4f} m" for k, a in enumerate(axes))
        allowed = f"start.position: [{', '.join(axes)}], or joints, where the tool is over one of the map's cells"
        raise BadInput(
            f"the tool does not start {where} the map",
            where="start.joints",
            found=place,
            allowed=allowed,
        )
    return cell
