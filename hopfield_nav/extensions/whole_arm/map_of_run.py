"""The map of joint angles that a run has felt, made anew from its record."""

from typing import NamedTuple

import numpy as np

from dynamics import BadInput
from hopfield_nav.build import build_arm
from hopfield_nav.clearance import scene_of_world
from hopfield_nav.extensions.whole_arm.blocking import block_known
from hopfield_nav.extensions.whole_arm.collision_belief import CollisionBelief
from hopfield_nav.extensions.whole_arm.grid import JointGrid
from hopfield_nav.navigation import space_of
from hopfield_nav.record import Run, felt_places, free_angles


class FeltMap(NamedTuple):
    """A map of joint angles."""

    grid: JointGrid  # its cells
    known: np.ndarray  # bool grid, where the arm touches itself or what is known
    certainty: np.ndarray  # float grid, 0 to 1, that a cell is blocked by something felt


def felt_map(run: Run) -> FeltMap:
    """The map of a run with ``map.space: joints``.

    Raises ``BadInput``: a run on a map of the tool.
    """
    world = run.world
    arm = build_arm(world)
    grid = space_of(world).cells(world, arm)
    if not isinstance(grid, JointGrid):
        raise BadInput("no map of joint angles", where="map.space", found=world.map.space, allowed="joints")
    doubts = CollisionBelief(arm, grid)
    for places in felt_places(run):
        doubts.add(places)
    doubts.passed([], free_angles(run))
    return FeltMap(grid, block_known(arm, scene_of_world(world), grid), -np.expm1(-doubts.risk()))
