"""A world, or a given trajectory, run to its end in one call.

Or all up to its first step, to find faults.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from dynamics import BadInput, forward_kinematics
from hopfield_nav.build import build_arm
from hopfield_nav.experiment.assembly import choose_engine
from hopfield_nav.experiment.given import check_start
from hopfield_nav.experiment.plant import build_plant
from hopfield_nav.experiment.simulation import Progress, Simulation
from hopfield_nav.loop import Trajectory
from hopfield_nav.navigation import space_of
from hopfield_nav.plugin import in_this_folder
from hopfield_nav.record import Run
from hopfield_nav.world import World, together


def follow(
    world: World, trajectory: Trajectory, seed: int | None = None, progress: Progress | None = None
) -> Run:
    """Run a world along a given trajectory instead of in search of its goal.

    Its start and goal are not used. The arm starts on the trajectory at time 0, with its velocity.
    The outcome is ``reached`` at the end of it, or ``time_limit``, or ``diverged``. What is
    detected on the way is recorded, and the arm does not react to it.

    Raises ``BadInput``: the trajectory does not fit the arm, or as ``simulate``.
    """
    return Simulation(world, seed, trajectory).run(progress)


def simulate(
    world: World, seed: int | None = None, progress: Progress | None = None, felt: Run | None = None
) -> Run:
    """Run a world to its end.

    Args:
        world: from ``load_world``.
        seed: of every random number; default the world's own.
        progress: called now and then with the simulated time [s] and the number of collisions.
        felt: an earlier run, whose map is taken up.

    Returns:
        The record: ``run.outcome``, ``run.summary``, ``run.data``, ``run.save(folder)``.

    Raises ``BadInput``: as ``Simulation``. ``Interrupted``, and errors of the program itself: as
    ``Simulation.run``, with the record so far.

    Source: ragazzon2012 chapter 7.
    """
    with in_this_folder():
        return Simulation(world, seed, felt=felt).run(progress)


def try_world(world: World) -> Simulation:
    """Begin a run and stop before it moves: it is ready to go on.

    The payload, room for what is random, the step, and the start are looked at one by one, so that
    all of their faults are found; then the run is begun, so that nothing else is left for it to
    refuse.

    Raises ``BadInput``: what the run would be refused for; ``where`` is the key, and ``others`` has
    all other faults.
    """
    faults: list[BadInput] = []
    with _kept(faults):
        build_arm(world)
    if faults:
        world = world.with_changes(tool=type(world.tool)(frame=world.tool.frame))
    arm = build_arm(world)
    start = np.array(world.start.joints)
    tool = forward_kinematics(arm, start)[:3, 3]
    with _kept(faults):
        world = world.resolve(world.seed, [(float(tool[0]), float(tool[1]))])
    drawn = [o for o in world.obstacles if o.random_cylinders is None and o.random_scene is None]
    world = world.with_changes(obstacles=tuple(drawn))
    plant = build_plant(world, arm)
    with _kept(faults):
        choose_engine(world, plant, start)
    with _kept(faults):
        for touching in check_start(world, arm, start):
            allowed = "a pose that touches no obstacle (run begins there all the same, and warns)"
            raise BadInput(touching, where="start.joints", allowed=allowed)
    with _kept(faults):
        space_of(world).check_start(world, arm, tool)
    if faults:
        raise together(faults)
    return Simulation(world)


@contextmanager
def _kept(faults: list[BadInput]) -> Iterator[None]:
    """A block whose fault is kept."""
    try:
        yield
    except BadInput as error:
        faults.append(error)
