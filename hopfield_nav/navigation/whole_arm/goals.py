"""The joint angles at which a world's goal is reached."""

import itertools

import numpy as np

from dynamics import Arm, BadInput, inverse_kinematics
from hopfield_nav.known_world import Scene, collides
from hopfield_nav.navigation.whole_arm.grid import TURN, JointGrid
from hopfield_nav.world import World

_ROTATIONS = 64  # of the tool, that are tried where its position alone is given


def goal_solutions(world: World, arm: Arm, scene: Scene, grid: JointGrid) -> np.ndarray:
    """Joint angles (k, n) within the map at which the arm is at its goal and touches nothing known [rad].

    k may be 0. On a closed axis one angle stands for all that differ by whole turns; the search unwinds its paths. An
    axis of one cell gets the angle within the joint's limits that is nearest to the start. The goal is a position, a
    pose or joint angles; the world's seed draws rotations for a position. The arm has its tool frame; the scene is
    what is known.
    """
    goal = world.goal
    if goal is None:
        return np.zeros((0, len(arm.dh)))
    if goal.joints is not None:
        found = np.array([goal.joints])
    elif goal.pose is not None:
        found = _solutions(arm, np.array(goal.pose.rotation)[None], np.array(goal.pose.position))
    else:
        from scipy.spatial.transform import Rotation

        rotations = Rotation.random(_ROTATIONS, rng=world.seed).as_matrix()
        if not world.trajectory.any_rotation:
            rotations = np.concatenate([np.array(world.trajectory.tool_rotation)[None], rotations])
        found = _solutions(arm, rotations, np.array(goal.position))
    found = _within(_turned(found, arm, grid), grid)
    return found[~collides(arm, scene, found)] if len(found) else found


def _solutions(arm: Arm, rotations: np.ndarray, position: np.ndarray) -> np.ndarray:
    poses = np.tile(np.eye(4), (len(rotations), 1, 1))
    poses[:, :3, :3], poses[:, :3, 3] = rotations, position
    try:
        found = inverse_kinematics(arm, poses).reshape(-1, len(arm.dh))
    except BadInput as error:
        allowed = "goal.joints, which every arm has"
        told = f"no joint angles for the tool: {error.what}"
        raise BadInput(told, where="goal", allowed=allowed) from error
    return found[np.isfinite(found).all(axis=1)]


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


def _within(found: np.ndarray, grid: JointGrid) -> np.ndarray:
    several = np.array(grid.shape) > 1
    inside = (found >= grid.lower) & (found <= grid.upper) | np.array(grid.periodic)
    return found[(inside | ~several).all(axis=1)]
