"""The film of a planned motion as a file: MP4, or GIF where no encoder is found."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dynamics.arm import Arm
from hopfield_nav.animation import Progress, write_film
from hopfield_nav.figures.way_film import WAY_FPS, WayFilm
from hopfield_nav.known_world.scene import Scene
from hopfield_nav.obstacle_kinds import Solid
from hopfield_nav.plan_plots import known_solids
from hopfield_nav.style import film_style
from hopfield_nav.trajectory import Trajectory
from hopfield_nav.world import World


def animate_way(
    arm: Arm,
    scene: Scene,
    world: World | Sequence[Solid],
    trajectory: Trajectory,
    path: str | Path,
    progress: Progress | None = None,
    title: str = "",
) -> Path:
    """Make the film of a planned motion: the arm in its cell, joint angles and clearance over time.

    As fast as in life up to twelve seconds, then a round multiple, which is written in the film.

    Args:
        arm: the arm.
        scene: of the arm among the known solids, from ``scene_of_world`` or ``build_scene``.
        world: whose known obstacles those are; or the solids themselves, in the order of the scene.
        trajectory: the motion.
        path: where to, without the ending; an older film is replaced.
        progress: called after every frame with the number of frames done and of all.
        title: written in the film.

    Returns:
        The file: ``<path>.mp4``, or ``<path>.gif`` where there is no encoder.

    Raises:
        OSError: the file cannot be written.
    """
    with film_style():
        film = WayFilm(arm, scene, known_solids(world), trajectory, title)
        return write_film(Path(path), film.frames(), len(film.times), WAY_FPS, progress)
