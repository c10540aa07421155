"""Where a route leads the tool: its poses at the centres of cells, or along a path at any angle."""

from typing import NamedTuple

import numpy as np

from dynamics import Arm, forward_kinematics
from hopfield_nav.navigation.map import ToolMap, touches
from hopfield_nav.navigation.motion.route import Route
from hopfield_nav.planning import divided
from hopfield_nav.world import World


class ToolPath(NamedTuple):
    """Where the tool is to go."""

    cells: np.ndarray  # (k, rank) over which it leads
    poses: np.ndarray  # (m, 4, 4) of the tool
    any_angle: bool  # whether it leaves the lines between centres


def path_of_tool(
    route: Route, tool: np.ndarray, at_rest: bool, map: ToolMap, world: World
) -> ToolPath:
    """Poses at the centres of the cells, or along a path at any angle where the world asks for one.

    An arm that rests may go straight from its tool's place (3,) [m] to the second cell.
    """
    plan = route.plan
    goal = map.goal
    if plan.cells is None or goal is None:
        raise RuntimeError("without a plan there is no path of the tool")
    solids = map.known.solids
    points = plan.cells
    before_last = map.grid.centre(points[-2]) if len(points) > 1 else tool
    if route.over_centre or touches(solids, before_last, goal):
        points = np.vstack([points, points[-1:]])  # over the centre of its cell to the goal
    if not world.planner.any_angle:
        return ToolPath(plan.cells, tool_poses(points, map, world, goal), any_angle=False)
    place = map.in_cells(tool)
    second = map.grid.centre(points[1]) if len(points) > 1 else goal
    over_first = at_rest and tuple(np.rint(place)) == tuple(plan.cells[0])
    from_tool = over_first and not touches(solids, tool, second)
    uneven = map.uneven()
    chain = tight_chain(
        uneven,
        points,
        place if from_tool else None,
        map.in_cells(goal),
        map.grid.spacing,
        world.planner.clearance,
    )
    places = along_chain(chain)
    if from_tool and len(places) > 1:
        places = places[1:]
    from hopfield_nav.planning import cells_along

    cells = cells_along(uneven, chain)
    return ToolPath(cells, tool_poses(places, map, world, goal), any_angle=True)


def tool_poses(
    cells: np.ndarray, map: ToolMap, world: World, goal: np.ndarray | None = None
) -> np.ndarray:
    """Tool poses (k, 4, 4) over cells or points between them (k, rank).

    The last one is at a ``goal`` (3,) [m], if there is one.
    """
    poses = np.tile(np.eye(4), (len(cells), 1, 1))
    if not world.trajectory.any_rotation:
        poses[:, :3, :3] = world.trajectory.tool_rotation
    poses[:, :3, 3] = map.grid.centre(cells)
    if goal is not None:
        poses[-1, :3, 3] = goal
    return poses


def tool_at(arm: Arm, q: np.ndarray) -> np.ndarray:
    """(3,) position of the tool at joint angles (n,) [m]."""
    return np.asarray(forward_kinematics(arm, q)[:3, 3])


def along_chain(points: np.ndarray) -> np.ndarray:
    """Points (n, rank) on a chain of straight lines, evenly on each line.

    Its corners (k, rank) are among them, and neighbours are at most 1 apart.
    """
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    return divided(points, np.maximum(np.ceil(lengths - 1e-9), 1))


def tight_chain(
    blocked: np.ndarray, points: np.ndarray, first: np.ndarray | None, last: np.ndarray,
    spacing: float, clearance: float,
) -> np.ndarray:  # fmt: skip
    """Corners (n, rank), in cells, of the tight path from the tool to the goal.

    ``first`` is the tool's place, ``last`` the goal. Corners lie in the first and the last cell of
    the planned ``points`` (k, rank); without ``first`` the path begins at the first point.
    ``spacing`` and ``clearance`` are in [m].
    """
    chain = np.array(points, dtype=float)
    if len(chain) == 1 and first is not None:
        chain = np.vstack([chain, chain])
    chain[-1] = last
    if first is not None:
        chain[0] = first
    chain = np.clip(chain, -0.5, np.array(blocked.shape) - 0.5)
    from hopfield_nav.planning import shorten_path

    return shorten_path(blocked, chain, spacing, clearance)
