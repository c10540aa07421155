"""The joint angles at which a world's goal is reached."""

import itertools

import numpy as np

from dynamics import Arm, follow_path, forward_kinematics, has_closed_form, inverse_kinematics
from hopfield_nav.clearance import Scene, collides, motion_is_free
from hopfield_nav.extensions.whole_arm import numbers
from hopfield_nav.extensions.whole_arm.grid import TURN, JointGrid
from hopfield_nav.world import World, goal_near


def goal_solutions(world: World, arm: Arm, scene: Scene, grid: JointGrid) -> np.ndarray:
    """Joint angles (k, n) within the map at which the arm is at its goal and touches nothing known [rad].

    k may be 0. On a closed axis one angle stands for all that differ by whole turns; the search unwinds its paths. An
    axis of one cell gets the angle within the joint's limits that is nearest to the start. The goal is a position, a
    pose or joint angles; the world's seed draws rotations for a position, and for an arm without a closed form where
    a search begins. The arm has its tool frame; the scene is what is known.
    """
    goal = world.goal
    if goal is None:
        return np.zeros((0, len(arm.dh)))
    if goal.joints is not None:
        found = np.array([goal.joints])
    elif not has_closed_form(arm):
        found = _searched(world, arm, grid)
    elif goal.pose is not None:
        found = _solutions(arm, np.array(goal.pose.rotation)[None], np.array(goal.pose.position))
    else:
        from scipy.spatial.transform import Rotation

        rotations = Rotation.random(numbers.ROTATIONS, rng=world.seed).as_matrix()
        if not world.trajectory.any_rotation:
            rotations = np.concatenate([np.array(world.trajectory.tool_rotation)[None], rotations])
        found = _solutions(arm, rotations, np.array(goal.position))
    found = _turned(found, arm, grid)
    inside = (found >= grid.lower) & (found <= grid.upper) | np.array(grid.periodic) | (np.array(grid.shape) == 1)
    found = found[inside.all(axis=1)]
    return found[~collides(arm, scene, found)] if len(found) else found


def tool_line(arm: Arm, scene: Scene, q: np.ndarray, distance: float) -> np.ndarray:
    """Joint angles (m, n) [rad] along the axis z of the tool from behind it to angles (n,), which are the last.

    It is as long as the arm comes past what is known, ``distance`` at most [m]; straight lines of the joints between
    keep the tool within a centimetre of it.
    """
    pose = forward_kinematics(arm, q)
    poses = np.tile(pose, (round(distance / numbers.LINE_STEP), 1, 1))
    poses[:, :3, 3] -= numbers.LINE_STEP * np.arange(1, len(poses) + 1)[:, None] * pose[:3, 2]
    path = follow_path(arm, poses, q, numbers.LINE_JUMP)
    rows = np.vstack([q, path.q[: path.reached]])
    free = motion_is_free(arm, scene, rows[:-1], rows[1:])
    rows, kept = rows[: int(np.argmin([*free, False])) + 1], [0]
    share = np.linspace(0.0, 1.0, 2 * len(rows))[:, None]
    while kept[-1] < len(rows) - 1:
        begin, there = rows[kept[-1]], len(rows) - 1
        while there > kept[-1] + 1:
            way = forward_kinematics(arm, begin + share * (rows[there] - begin))[:, :3, 3] - pose[:3, 3]
            off = np.linalg.norm(np.cross(way, pose[:3, 2]), axis=1).max()
            if off < numbers.LINE_OFF and motion_is_free(arm, scene, begin, rows[there]):
                break
            there -= 1
        kept.append(there)
    return rows[kept][::-1].copy()


def _solutions(arm: Arm, rotations: np.ndarray, position: np.ndarray) -> np.ndarray:
    poses = np.tile(np.eye(4), (len(rotations), 1, 1))
    poses[:, :3, :3], poses[:, :3, 3] = rotations, position
    found = inverse_kinematics(arm, poses).reshape(-1, len(arm.dh))
    return found[np.isfinite(found).all(axis=1)]


def _searched(world: World, arm: Arm, grid: JointGrid) -> np.ndarray:
    """What a numeric search finds from the start, and from angles over the map that differ on axes of several cells."""
    start, several = np.array(world.start.joints), np.array(grid.shape) > 1
    drawn = np.random.default_rng(world.seed).uniform(grid.lower, grid.upper, (numbers.ROTATIONS, len(start)))
    found = [goal_near(world, arm, q) for q in (start, *np.where(several, drawn, start))]
    return np.array([q for q in found if q is not None]).reshape(-1, len(start))


def _turned(found: np.ndarray, arm: Arm, grid: JointGrid) -> np.ndarray:
    """Every solution with whole turns of its joints, as far as the map may hold them."""
    middle = 0.5 * (grid.lower + grid.upper)
    base = found - TURN * np.rint((found - middle) / TURN)
    single = np.array(grid.shape) == 1
    low, high = arm.position_limits.T
    base += np.where(single, TURN * ((base < low).astype(float) - (base > high)), 0.0)
    wide = ~single & (grid.upper - grid.lower > TURN + 1e-9)
    turns = [(-TURN, 0.0, TURN) if w else (0.0,) for w in wide]
    return np.concatenate([base + np.array(t) for t in itertools.product(*turns)])
