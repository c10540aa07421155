"""A world, or a given trajectory, run to its end in one call."""

from hopfield_nav.experiment.simulation import Progress, Simulation
from hopfield_nav.loop import Trajectory
from hopfield_nav.record import Run
from hopfield_nav.world import World


def follow(
    world: World, trajectory: Trajectory, seed: int | None = None, progress: Progress | None = None
) -> Run:
    """Run a world along a given trajectory instead of in search of its goal.

    Args:
        world: from ``load_world``; its start and goal are not used.
        trajectory: of the joints, beginning at time 0; the arm starts on it, with its velocity.
        seed: of every random number; default the world's own.
        progress: as for ``simulate``.

    Returns:
        The record; its outcome is ``reached`` at the end of the trajectory, or ``time_limit``, or
        ``diverged``. What is detected on the way is recorded, and the arm does not react to it.

    Raises:
        BadInput: the trajectory does not fit the arm, or as ``simulate``.
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

    Raises:
        BadInput: as ``Simulation``.

    Source: ragazzon2012 chapter 7.
    """
    return Simulation(world, seed, felt=felt).run(progress)
