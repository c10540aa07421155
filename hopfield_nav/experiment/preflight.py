"""What a run of a checked world would refuse, found without running it: everything up to its first step."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from dynamics import BadInput, forward_kinematics
from hopfield_nav.experiment.limits import refuse_large_steps
from hopfield_nav.experiment.setup import check_start
from hopfield_nav.experiment.simulation import Simulation
from hopfield_nav.navigation import CollisionMap, cell_of_start
from hopfield_nav.world import World, build_arm, build_plant


class Trial(NamedTuple):
    """A run as far as it gets without moving."""

    faults: list[BadInput]  # what the run would be refused for; ``where`` is the key
    simulation: Simulation | None  # ready to go on; None where there are faults


def try_world(world: World) -> Trial:
    """Begin a run and stop before it moves.

    The payload, room for what is random, the step, and the start are looked at one by one, so that all of
    their faults are found; then the run is begun, so that nothing else is left for it to refuse.

    Args:
        world: from ``load_world``.
    """
    faults: list[BadInput] = []
    with _kept(faults):
        build_arm(world)
    if faults:
        world = world.with_changes(tool=type(world.tool)(frame=world.tool.frame))
    arm, start = build_arm(world), np.array(world.start.joints)
    tool = forward_kinematics(arm, start)[:3, 3]
    with _kept(faults):
        world = world.resolve(world.seed, [(float(tool[0]), float(tool[1]))])
    drawn = [o for o in world.obstacles if o.random_cylinders is None and o.random_scene is None]
    world = world.with_changes(obstacles=tuple(drawn))
    plant = build_plant(world, arm)
    if world.plant.engine == "internal":
        with _kept(faults):
            refuse_large_steps(world, plant, None, start)
    with _kept(faults):
        touching = check_start(world, arm, start)
        if touching:
            allowed = "a pose that touches no obstacle (run begins there all the same, and warns)"
            raise BadInput(touching[0], where="start.joints", allowed=allowed)
    if world.map.space == "tool":
        grid = CollisionMap.create(world.map.origin, world.map.spacing, world.map.shape, world.map.rim)
        with _kept(faults):
            cell_of_start(world, grid, tool)
    simulation = None
    if not faults:
        with _kept(faults):
            simulation = Simulation(world)
    return Trial(faults, simulation)


@contextmanager
def _kept(faults: list[BadInput]) -> Iterator[None]:
    """A block whose fault is kept."""
    try:
        yield
    except BadInput as error:
        faults.append(error)
