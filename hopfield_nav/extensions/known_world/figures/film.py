"""The film of a planned motion in a known cell, frame by frame: arm, tool, joint angles, clearance."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke

from dynamics import Arm
from hopfield_nav import figures
from hopfield_nav.clearance import Scene
from hopfield_nav.extensions.known_world.figures import signals
from hopfield_nav.extensions.known_world.figures.draw import known_solids
from hopfield_nav.extensions.known_world.figures.drawing import end_handles, known_handles, tool_points
from hopfield_nav.figures import COLOURS, Progress
from hopfield_nav.figures.solid import CellPose, CellView, SpaceLine, add_poses, frame_cell, mark_goal, mark_start
from hopfield_nav.loop import Trajectory, evaluate
from hopfield_nav.world import Solid, World

PLAN_FPS = 30
_LONGEST = 12.0  # [s] of film, where a speed of the list allows it; a motion of ten seconds runs as in life
_REST = 1.0  # [s] of film that the last moment stays
_ROWS = 800  # moments of the curves


class Motion(NamedTuple):
    """A trajectory as pictures need it."""

    time: np.ndarray  # (k,) evenly spaced, counted from its start [s]
    q: np.ndarray  # (k, n) joint angles [rad]
    tool: np.ndarray  # (k, 3) tool point [m]
    distances: signals.Clearances  # how near the arm comes to what (k,) [m]


def sample_motion(arm: Arm, scene: Scene, trajectory: Trajectory) -> Motion:
    """Joint angles, tool and clearance at many moments from the trajectory's start to its end."""
    time = np.linspace(0.0, trajectory.knots[-1] - trajectory.knots[0], _ROWS)
    q = np.array([evaluate(trajectory, t)[0] for t in trajectory.knots[0] + time])
    return Motion(time, q, tool_points(arm, q), signals.clearances(arm, scene, q))


def plan_film_times(trajectory: Trajectory) -> np.ndarray:
    """Time of every frame from the trajectory's start [s]; it goes on beyond the end, where the arm rests."""
    end = float(trajectory.knots[-1] - trajectory.knots[0])
    speed = figures.film_speed(end, _LONGEST)
    return np.arange(0.0, end + _REST * speed, speed / PLAN_FPS)


class PlanFilm:
    """Frames of a planned motion, under a title; made, and its frames drawn, inside ``film_style()``.

    ``solids`` are those of the scene, as a world file has them.
    """

    def __init__(
        self, arm: Arm, scene: Scene, solids: Sequence[Solid], trajectory: Trajectory, title: str = ""
    ) -> None:
        self.trajectory, self.times = trajectory, plan_film_times(trajectory)
        self.motion = sample_motion(arm, scene, trajectory)
        self.end = float(self.motion.time[-1])
        self.speed = figures.film_speed(self.end, _LONGEST)
        self.view = CellView(arm, solids, self.motion.q[:: max(1, _ROWS // 60)])
        self.figure = figures.film_figure(figures.SIZE)
        self.canvas = FigureCanvasAgg(self.figure)
        self._add_scene(self.figure.add_axes((0.0, 0.0, 0.62, 0.93)))
        self._add_curves(float(scene.margin[0]))
        self._write_texts(title)
        self._background: object | None = None

    def draw(self, time: float) -> np.ndarray:
        """The frame at a time from the trajectory's start [s]: (720, 1280, 4) uint8."""
        q = evaluate(self.trajectory, self.trajectory.knots[0] + time)[0]
        self.solids.show(self.view.parts([CellPose(q)]))
        motion = self.motion
        done = int(np.searchsorted(motion.time, time, side="right"))
        here = tool_points(self.view.arm, q)
        self.trail.set_points(np.concatenate([motion.tool[:done], here[None]]))
        self.tool.set_data(*self.view.appear(here)[:, None])
        for cursor in self.cursors:
            cursor.set_xdata([min(time, self.end)] * 2)
        least = float(np.interp(time, motion.time, motion.distances.solids))
        self.clock.set_text(f"{min(time, self.end):5.2f} s  ({self.speed}×)")
        self.near.set_text(f"{100 * least:.1f} cm to known solids" if np.isfinite(least) else "")
        self._blit()
        return figures.frame_of(self.canvas)

    def frames(self) -> Iterator[np.ndarray]:
        """Every frame in order."""
        for time in self.times:
            yield self.draw(float(time))

    @property
    def artists(self) -> list[Artist]:
        """What changes, from back to front."""
        lines = [self.path, self.trail, *self.ends, self.tool]
        return [self.solids, *lines, *self.cursors, self.clock, self.near]

    def _add_scene(self, ax: Axes) -> None:
        frame_cell(ax, self.view)
        self.solids = add_poses(ax, self.view, [])
        whole = self.view.appear(self.motion.tool)
        self.path = SpaceLine(self.solids, self.motion.tool, color=COLOURS.planned, lw=1.4)
        self.trail = SpaceLine(self.solids, [], color=COLOURS.travelled, lw=2.4)
        for line in (self.path, self.trail):
            line.set_path_effects([withStroke(linewidth=line.get_linewidth() + 2, foreground="white")])
        self.ends = [mark_start(ax, whole[0], 9), mark_goal(ax, whole[-1], 9)]
        self.tool = ax.plot([], [], "o", ms=7, color=COLOURS.travelled, mec=COLOURS.ink, mew=0.8, zorder=9)[0]

    def _add_curves(self, margin: float) -> None:
        motion = self.motion
        angles = self.figure.add_axes((0.685, 0.52, 0.275, 0.36))
        near = self.figure.add_axes((0.685, 0.09, 0.275, 0.27))
        signals.draw_angles(angles, motion.time, motion.q, named=False)
        signals.name_joints(angles, motion.q[-1])
        signals.draw_clearance(near, motion.time, motion.distances, margin)
        angles.tick_params(labelbottom=False)
        near.set_xlabel("time (s)")
        self.figure.align_ylabels([angles, near])
        near.legend(
            handles=signals.clearance_handles(motion.distances, margin), loc="lower center", fontsize="small",
            bbox_to_anchor=(0.5, 1.0), ncols=2, borderaxespad=0.3,
        )  # fmt: skip
        self.cursors = [ax.axvline(0.0, color=COLOURS.travelled, lw=1.4) for ax in (angles, near)]

    def _write_texts(self, title: str) -> None:
        self.figure.text(0.012, 0.955, title, fontsize="large", weight="bold")
        self.clock = self.figure.text(0.30, 0.955, "", fontsize="large")
        self.near = self.figure.text(0.44, 0.955, "", fontsize="large")
        self.figure.legend(
            handles=[
                *end_handles(),
                Line2D([], [], color=COLOURS.planned, lw=1.4, label="planned"),
                Line2D([], [], color=COLOURS.travelled, lw=2.4, label="tool so far"),
                *known_handles(self.view),
            ],
            ncols=5, loc="upper right", bbox_to_anchor=(0.99, 0.985), fontsize="small", borderaxespad=0,
        )  # fmt: skip

    def _blit(self) -> None:
        if self._background is None:
            for artist in self.artists:
                artist.set_animated(True)
            self.canvas.draw()
            self._background = self.canvas.copy_from_bbox(self.figure.bbox)
        self.canvas.restore_region(self._background)
        for artist in self.artists:
            self.figure.draw_artist(artist)


def animate_plan(
    arm: Arm,
    scene: Scene,
    world: World | Sequence[Solid],
    trajectory: Trajectory,
    path: str | Path,
    progress: Progress | None = None,
    title: str = "",
) -> Path:
    """Make the film of a planned motion: the arm in its cell, joint angles and clearance over time.

    As fast as in life up to twelve seconds, then a round multiple, which is written in the film, as the title is. The
    scene is that of the arm among the world's known solids; these may be given in its place. ``path`` and
    ``progress`` are those of ``write_film``.

    Raises ``OSError``: the file cannot be written.
    """
    with figures.film_style():
        film = PlanFilm(arm, scene, known_solids(world), trajectory, title)
        return figures.write_film(Path(path), film.frames(), len(film.times), PLAN_FPS, progress)
