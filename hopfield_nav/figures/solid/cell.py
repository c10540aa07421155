"""A known cell from one side: floor, known solids, and the arm in as many poses as wanted."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgb, to_rgba

from dynamics import Arm, link_frames
from hopfield_nav.figures.palette import COLOURS
from hopfield_nav.figures.solid.faces import arm_outline, arm_points, faces_of_solids, pose_outline
from hopfield_nav.figures.solid.layers import add_segments
from hopfield_nav.figures.solid.scene import FLOOR_COLOUR, Faces, paint_solids
from hopfield_nav.figures.solid.view import choose_view, project, shade
from hopfield_nav.world import Box, Cylinder, Floor, Mesh, Solid, Sphere

GRID = 0.2  # [m] between the lines on the ground
_FAT = 0.075  # [m] about the axes of the arm
_LIFT = 0.01  # [m] that a joint's housing counts as nearer than the tube that ends in it
_SAME_PLACE = 1e-3  # [m] a link that is so near to where it was drawn already is left out
_SHADES = {False: 0.75, True: 0.3}  # of the known solids' colour, usual and pale


class CellPose(NamedTuple):
    """One pose of the arm in a picture."""

    q: np.ndarray  # (n,) joint angles [rad]
    alpha: float = 1.0  # 1 for a solid arm, less for a ghost
    touched: Collection[int] = ()  # links in the colour of a collision, counted from 1


class CellView:
    """A cell seen from where the arm in poses (k, n) [rad] is hidden least.

    The picture holds these poses. A known cylinder without end is drawn as high as the arm gets. ``ground`` is the
    height of the highest floor below the arm's middle, or of the lowest thing [m].
    """

    def __init__(self, arm: Arm, solids: Sequence[Solid], poses: np.ndarray, sides: int = 24) -> None:
        self.arm, self.outline = arm, arm_outline(arm, sides)
        self._lift = _LIFT * (self.outline.colours == to_rgba(COLOURS.housing)).all(axis=1)
        points = arm_points(arm, np.asarray(poses, float))
        held = points.reshape(-1, 3)
        floors = [s.height for s in solids if isinstance(s, Floor) and s.height <= held[:, 2].max()]
        self.floor = max(floors, default=None)
        self.solids = [_with_ends(s, held) for s in solids if not isinstance(s, Floor)]
        parts = faces_of_solids(self.solids)
        self.faces = np.concatenate([*parts, np.zeros((0, 4, 3))])
        corners = np.concatenate([held, self.faces.reshape(-1, 3)])
        self.ground = min(0.0, corners[:, 2].min()) if self.floor is None else self.floor
        self.view = choose_view(self.solids, _along_capsules(points))
        self._held = held
        self._ends = _rounded(corners[:, :2].min(axis=0), corners[:, :2].max(axis=0))

    def appear(self, points: np.ndarray) -> np.ndarray:
        """Points (..., 3) [m] as they appear, (..., 2) [m]."""
        return project(self.view, np.asarray(points, float))

    def seen(self, poses: Sequence[CellPose], pale: bool = False) -> Faces:
        """Faces (k, 4, 2) and colours (k, 4) of known solids, paler on request, and arms, farthest first."""
        solid = np.tile(solid_colour(pale), (len(self.faces), 1))
        parts = [(self.faces, solid, np.zeros(len(self.faces)))]
        drawn: list[np.ndarray] = []
        for pose in sorted(poses, key=lambda pose: -pose.alpha):
            frames = link_frames(self.arm, pose.q)
            new = _elsewhere(frames, drawn)[self.outline.link]
            faces = pose_outline(self.arm, self.outline, pose.q)
            parts.append((faces[new], self._colours(pose)[new], self._lift[new]))
            drawn.append(frames)
        return shade(self.view, *(np.concatenate(part) for part in zip(*parts, strict=True)))

    def _colours(self, pose: CellPose) -> np.ndarray:
        colours = self.outline.colours.copy()
        colours[np.isin(self.outline.link, list(pose.touched)), :3] = to_rgb(COLOURS.goal)
        colours[:, 3] = pose.alpha
        return colours

    def ground_corners(self) -> np.ndarray:
        """(4, 3) of the drawn part of the ground [m]."""
        (x0, y0), (x1, y1) = self._ends
        return np.array([[x, y, self.ground] for x, y in ((x0, y0), (x1, y0), (x1, y1), (x0, y1))])

    def ground_lines(self) -> np.ndarray:
        """(k, 2, 3) lines on the ground, ``GRID`` apart [m]."""
        (x0, y0), (x1, y1) = self._ends
        lines = [[(x, y0), (x, y1)] for x in _marks(x0, x1)] + [[(x0, y), (x1, y)] for y in _marks(y0, y1)]
        flat = np.array(lines)
        return np.concatenate([flat, np.full((*flat.shape[:2], 1), self.ground)], axis=-1)

    def limits(self) -> tuple[float, float, float, float]:
        """Left, right, low, high [m] of a picture that holds the cell and every pose."""
        fat = _FAT * np.array([[-1.0, -1.0], [1.0, 1.0]])
        arms = (self.appear(self._held)[:, None] + fat).reshape(-1, 2)
        still = self.appear(np.concatenate([self.ground_corners(), self.faces.reshape(-1, 3)]))
        (x0, y0), (x1, y1) = (f(np.concatenate([arms, still]), axis=0) for f in (np.min, np.max))
        return x0 - 0.01, x1 + 0.01, y0 - 0.01, y1 + 0.01


def solid_colour(pale: bool = False) -> np.ndarray:
    """(4,) of known solids; pale where the arm is what counts."""
    return np.append(1.0 - _SHADES[pale] * (1.0 - np.array(to_rgb(COLOURS.excluded))), 1.0)


def _elsewhere(frames: np.ndarray, drawn: Sequence[np.ndarray]) -> np.ndarray:
    """(n + 1,) whether a link is not yet drawn where its frame (n + 1, 4, 4) is."""
    new = np.ones(len(frames), dtype=bool)
    for others in drawn:
        new &= np.abs(frames - others).max(axis=(1, 2)) > _SAME_PLACE
    return new


def frame_cell(ax: Axes, view: CellView) -> Axes:
    """Equal axes without a frame that hold the cell, the ground drawn with lines 20 cm apart."""
    left, right, low, high = view.limits()
    ax.set(xlim=(left, right), ylim=(low, high), aspect="equal")
    ax.set_axis_off()
    if view.floor is not None:
        how = {"facecolor": FLOOR_COLOUR, "edgecolor": COLOURS.grid, "lw": 0.6, "zorder": 0.5}
        ax.fill(*view.appear(view.ground_corners()).T, **how)
    add_segments(ax, view.appear(view.ground_lines()), COLOURS.grid, 0.5, 0.6)
    return ax


def add_poses(ax: Axes, view: CellView, poses: Sequence[CellPose], pale: bool = False) -> PolyCollection:
    """Known solids and the arm in some poses."""
    solids = PolyCollection([], zorder=5)
    paint_solids(solids, *view.seen(poses, pale))
    return ax.add_collection(solids, autolim=False)


def _along_capsules(points: np.ndarray) -> np.ndarray:
    """Points all along the capsules, from ``arm_points`` (k, 2 c + 1, 3), the tool point last again."""
    starts, ends = np.split(points[:, :-1], 2, axis=1)
    between = [starts + share * (ends - starts) for share in (0.0, 0.25, 0.5, 0.75, 1.0)]
    return np.concatenate([*between, points[:, -1:]], axis=1)


def _with_ends(solid: Box | Cylinder | Mesh | Sphere, held: np.ndarray) -> Box | Cylinder | Mesh | Sphere:
    if not isinstance(solid, Cylinder) or solid.height is not None:
        return solid
    low, high = min(0.0, float(held[:, 2].min())), float(held[:, 2].max())
    return solid.model_copy(update={"height": (low, max(high, low + GRID))})


def _rounded(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Ends (2, 2) of the ground, half a line's distance beyond what stands on it."""
    return np.array([np.floor(2 * low / GRID - 0.25) / 2, np.ceil(2 * high / GRID + 0.25) / 2]) * GRID


def _marks(low: float, high: float) -> np.ndarray:
    return GRID * np.arange(np.ceil(low / GRID - 1e-9), np.floor(high / GRID + 1e-9) + 1)
