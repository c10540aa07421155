"""Truths of a run by kinematics and samples written here: where the tool is, and whether a closed step is closed.

A fact says that the body, moved between the centres of two cells, meets something. The tool point
is moved along the straight line; the whole arm over a map of the tool along the same line, turned
as it was at a touch there; over a map of joint angles along the line of the joints, on axes of one
cell at any angle that a touch had.
"""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from dynamics import load_arm
from hopfield_nav.build import all_solids
from hopfield_nav.extensions.whole_arm.grid import grid_of
from hopfield_nav.record import Run
from hopfield_nav.world import Box, Cylinder, Floor, Solid, Sphere, World

_ARMS = Path(__file__).resolve().parents[2] / "dynamics" / "arms"
_ANGLES = {"pi/2": 0.5 * np.pi, "-pi/2": -0.5 * np.pi, "pi": np.pi, "-pi": -np.pi}
_BESIDE_LINE = 0.02  # [rad] so far beside the joints' line a touch is still one of the step
_BESIDE = 0.003  # [m] the tool goes so far beside the straight line, 8 % of a cell if that is more
_SAMPLES = 40  # along a step


def open_steps(run: Run) -> list[str]:
    """Steps that were facts once, or are at the end, and along which nothing is met; in words."""
    data, world = run.data, run.world
    if not len(data.closed_step) or world.pushes or _doubtful(run):
        return []
    last = data.final_certainty.values == 1.0
    ever = (data.event_certainty.values == 1.0).any(axis=0) | last
    found = []
    for k in np.flatnonzero(ever):
        off = _clearance(run, data.closed_step.values[k])
        if off > 0.0:
            when = "at the end" if last[k] else "once"
            found.append(
                f"step {data.closed_step.values[k].tolist()} a fact {when}, open by {1e3 * off:.1f} mm"
            )
    return found


def _doubtful(run: Run) -> bool:
    """Whether touches may be of nothing, by which steps count as closed in the end (docs/lab/touches.md)."""
    return bool(run.summary["false_alarm_count"] or run.world.controller.learn)


def _clearance(run: Run, ends: np.ndarray) -> float:
    """By how much a body passes beyond what is allowed for, at the tightest place of a step [m]."""
    world = run.world
    share = np.linspace(0.0, 1.0, _SAMPLES + 1)[:, None]
    if world.map.space == "joints":
        rows = [a + share * (b - a) for a, b in _joint_lines(run, ends)]
        reach = _BESIDE_LINE * sum(np.hypot(row[1], row[2]) for row in _table(world))
        return min(_arm_gap(world, each) for each in rows) - reach
    grid = world.map
    places = np.array(grid.origin) + grid.spacing * np.pad(ends, ((0, 0), (0, 3 - ends.shape[1])))
    line = places[0] + share * (places[1] - places[0])
    if world.contact.bodies == "tool":
        return float(distance(line, all_solids(world)).min()) - max(_BESIDE, 0.08 * grid.spacing)
    starts = _nearest_touches(run, line)
    return min(_arm_gap(world, _followed(world, q, line)) for q in starts) - max(
        2 * _BESIDE, 0.16 * grid.spacing
    )


def _joint_lines(run: Run, ends: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Joint angles (n,) of both cells, for every angle that joints with a single cell had at a touch."""
    world = run.world
    grid = grid_of(world, load_arm(world.arm, world.folder), np.array(world.start.joints))
    a, b = grid.centre(ends[0]), grid.centre(ends[1])
    single = np.array(grid.shape) == 1
    touches = [_at(run, t) for t in run.data.event_time.values] if single.any() else [a]
    return [(np.where(single, q, a), np.where(single, q, b)) for q in touches]


def _at(run: Run, time: float) -> np.ndarray:
    return run.data.q.values[
        np.searchsorted(run.data.time.values, time).clip(0, len(run.data.time) - 1)
    ]


def _nearest_touches(run: Run, line: np.ndarray) -> list[np.ndarray]:
    """Joint angles at the touches that were nearest to a line (k, 3) of the tool."""
    touches = [_at(run, t) for t in run.data.event_time.values]
    far = [np.linalg.norm(line - tool_at(run.world, q), axis=1).min() for q in touches]
    return [touches[k] for k in np.argsort(far)[:4]]


def _followed(world: World, q: np.ndarray, line: np.ndarray) -> np.ndarray:
    """Joint angles (k, n) that bring the tool along a line (k, 3), turned as at angles (n,), by small steps."""
    turn, rows = _frames(world, q)[-1][:3, :3], []
    nearest = int(np.argmin(np.linalg.norm(line - tool_at(world, q), axis=1)))
    for part in (range(nearest, len(line)), range(nearest - 1, -1, -1)):
        now = q.copy() if not rows else rows[0].copy()
        for k in part:
            for _ in range(8):
                now = now + _towards(world, now, line[k], turn)
            rows.append(now)
    return np.array(rows)


def _towards(world: World, q: np.ndarray, place: np.ndarray, turn: np.ndarray) -> np.ndarray:
    def error(angles: np.ndarray) -> np.ndarray:
        pose = _frames(world, angles)[-1]
        apart = 0.5 * sum(np.cross(pose[:3, i], turn[:, i]) for i in range(3))
        return np.concatenate([place - pose[:3, 3], apart])

    here, small = error(q), 1e-6
    slopes = np.array([(error(q + small * e) - here) / small for e in np.eye(len(q))]).T
    change = -slopes.T @ np.linalg.solve(slopes @ slopes.T + 1e-6 * np.eye(6), here)
    return change.clip(-0.2, 0.2)


def tool_place(world: World) -> np.ndarray:
    """Where the goal of a world wants the tool (3,) [m]."""
    goal, grid = world.goal, world.map
    assert goal is not None
    if goal.joints is not None:
        return tool_at(world, np.array(goal.joints))
    if goal.cell is not None:
        return np.array(grid.origin) + grid.spacing * np.array([*goal.cell, 0.0][:3])
    given = goal.pose.position if goal.pose is not None else goal.position
    return np.array([*given, grid.origin[2]][:3])


def tool_at(world: World, q: np.ndarray) -> np.ndarray:
    """The tool point (3,) [m] at joint angles (n,)."""
    return _frames(world, q)[-1][:3, 3]


def _table(world: World) -> np.ndarray:
    """Rows theta, d, a, alpha of the arm's file."""
    return _rows_of(
        world.folder / world.arm if world.arm.endswith(".yaml") else _ARMS / f"{world.arm}.yaml"
    )


@cache
def _rows_of(given: Path) -> np.ndarray:
    rows = yaml.safe_load(given.read_text(encoding="utf-8"))["joints"]
    return np.array(
        [[_number(row.get(key, 0.0)) for key in ("theta", "d", "a", "alpha")] for row in rows]
    )


def _number(value: Any) -> float:
    return _ANGLES[value] if value in _ANGLES else float(value)


def _frames(world: World, q: np.ndarray) -> list[np.ndarray]:
    """Base, frames 1 to n and the tool as (4, 4), of the arm's file and the world's tool."""
    frames = [np.eye(4)]
    for (theta, d, a, alpha), angle in zip(_table(world), q, strict=True):
        c, s, ca, sa = np.cos(angle + theta), np.sin(angle + theta), np.cos(alpha), np.sin(alpha)
        step = [
            [c, -s * ca, s * sa, a * c],
            [s, c * ca, -c * sa, a * s],
            [0, sa, ca, d],
            [0, 0, 0, 1],
        ]
        frames.append(frames[-1] @ np.array(step))
    tool = np.eye(4)
    tool[:3, :3], tool[:3, 3] = world.tool.frame.rotation, world.tool.frame.position
    return [*frames, frames[-1] @ tool]


def _arm_gap(world: World, rows: np.ndarray) -> float:
    """Least distance of the moving arm from the solids at joint angles (k, n) [m]."""
    solids, gap = all_solids(world), np.inf
    capsules = [c for c in load_arm(world.arm, world.folder).capsules if c[0] > 0]
    for q in rows:
        frames = _frames(world, q)
        for link, *ends, radius in capsules:
            axis = (
                np.linspace(ends[:3], ends[3:], 25) @ frames[int(link)][:3, :3].T
                + frames[int(link)][:3, 3]
            )
            gap = min(gap, float(distance(axis, solids).min()) - radius)
        rod = np.linspace(frames[-2][:3, 3], frames[-1][:3, 3], 25)
        gap = min(gap, float(distance(rod, solids).min()))
    return gap


def distance(points: np.ndarray, solids: list[Solid]) -> np.ndarray:
    """Signed distance (k,) of points (k, 3) from the nearest solid [m]; infinite without solids."""
    return np.min(
        [np.full(len(points), np.inf), *(_from(points, solid) for solid in solids)], axis=0
    )


def _from(points: np.ndarray, solid: Solid) -> np.ndarray:
    if isinstance(solid, Floor):
        return points[:, 2] - solid.height
    if isinstance(solid, Sphere):
        return np.linalg.norm(points - solid.center, axis=1) - solid.radius
    if isinstance(solid, Box):
        beyond = np.abs((points - solid.center) @ np.array(solid.rotation)) - 0.5 * np.array(
            solid.size
        )
    else:
        assert isinstance(solid, Cylinder), solid
        aside = np.linalg.norm(points[:, :2] - solid.center, axis=1) - solid.radius
        if solid.height is None:
            return aside
        low, high = solid.height
        beyond = np.stack(
            [aside, np.abs(points[:, 2] - 0.5 * (low + high)) - 0.5 * (high - low)], axis=1
        )
    return np.linalg.norm(beyond.clip(min=0.0), axis=1) + beyond.max(axis=1).clip(max=0.0)
