"""A known cell from one side: floor, known solids, and the arm in as many poses as wanted.

The side is that from which the arm is hidden least and its path is seen longest.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb

from dynamics import Arm
from hopfield_nav.figures.palette import COLOURS
from hopfield_nav.figures.solid.faces import arm_outline, arm_points, faces_of, foot, pose_outline
from hopfield_nav.figures.solid.layers import add_segments
from hopfield_nav.figures.solid.picture import Part, Solids, View, make_view, project
from hopfield_nav.figures.solid.scene import FLOOR_COLOUR
from hopfield_nav.geometry import capsule_distance
from hopfield_nav.world import Box, Cylinder, Floor, Mesh, Solid, Sphere, packed

GRID = 0.2  # [m] between the lines on the ground
_AZIMUTHS = range(-180, 180, 15)  # [degrees]
_ELEVATION = 26.0  # [degrees]
_RAY = (0.02, 1.58)  # [m] from and to where, towards the eye, something may hide the arm
_MAX_POINTS = 400  # points that are looked at
_FAT = 0.075  # [m] about the axes of the arm
_SHADES = {False: 0.75, True: 0.3}  # of the known solids' colour, usual and pale


class CellPose(NamedTuple):
    """One pose of the arm in a picture."""

    q: np.ndarray  # (n,) joint angles [rad]
    alpha: float = 1.0  # 1 for a solid arm, less for a ghost
    touched: Collection[int] = ()  # links in the colour of a collision, counted from 1


class CellView:
    """A cell seen from where the arm in poses (k, n) [rad] is hidden least.

    The picture holds these poses. A known cylinder without end is drawn as high as the arm gets.
    ``ground`` is the height of the highest floor below the arm's highest point, or that of the base
    [m]; to a lower floor the base has a foot.
    """

    def __init__(self, arm: Arm, solids: Sequence[Solid], poses: np.ndarray) -> None:
        self.arm, self.outline = arm, arm_outline(arm)
        points = arm_points(arm, np.asarray(poses, float))
        held = points.reshape(-1, 3)
        floors = [s.height for s in solids if isinstance(s, Floor) and s.height <= held[:, 2].max()]
        self.floor = max(floors, default=None)
        self.solids = [s for s in solids if not isinstance(s, Floor)]
        low, high = min(0.0, float(held[:, 2].min())), float(held[:, 2].max())
        self.faces = faces_of(self.solids, low, max(high, low + GRID))
        corners = np.concatenate([held, self.faces.reshape(-1, 3)])
        self.ground = 0.0 if self.floor is None else self.floor
        starts, ends = np.split(points[:, :-1], 2, axis=1)
        # all along the capsules
        along = [starts + share * (ends - starts) for share in (0.0, 0.25, 0.5, 0.75, 1.0)]
        self.view = choose_view(self.solids, np.concatenate([*along, points[:, -1:]], axis=1))
        self._held = held
        low_xy, high_xy = (
            2.0 * corners[:, :2].min(axis=0) / GRID,
            2.0 * corners[:, :2].max(axis=0) / GRID,
        )
        # ends of the ground, half a line's distance beyond what stands on it
        self.ends = np.array([np.floor(low_xy - 0.25) / 2, np.ceil(high_xy + 0.25) / 2]) * GRID

    def appear(self, points: np.ndarray) -> np.ndarray:
        """Points (..., 3) [m] as they appear, (..., 2) [m]."""
        return project(self.view, np.asarray(points, float))

    def parts(self, poses: Sequence[CellPose], pale: bool = False) -> list[Part]:
        """Known solids, paler on request, and the arm in its poses, as ``Solids`` shows them."""
        parts: list[Part] = [(self.faces, solid_colour(pale)), foot(self.ground)]
        for pose in poses:
            colours = self.outline.colours.copy()
            colours[np.isin(self.outline.link, list(pose.touched)), :3] = to_rgb(COLOURS.goal)
            colours[:, 3] = pose.alpha
            parts.append((pose_outline(self.arm, self.outline, pose.q), colours))
        return parts

    def ground_corners(self) -> np.ndarray:
        """(4, 3) of the drawn part of the ground [m]."""
        (x0, y0), (x1, y1) = self.ends
        around = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
        return np.array([(x, y, self.ground) for x, y in around])

    def limits(self) -> tuple[float, float, float, float]:
        """Left, right, low, high [m] of a picture that holds the cell and every pose."""
        arms = self.appear(self._held)
        ground = self.appear(self.ground_corners())
        solids = self.appear(self.faces.reshape(-1, 3))
        seen = np.concatenate([arms - _FAT, arms + _FAT, ground, solids])
        left, low = seen.min(axis=0) - 0.01
        right, high = seen.max(axis=0) + 0.01
        return left, right, low, high


def solid_colour(pale: bool = False) -> np.ndarray:
    """(4,) of known solids; pale where the arm is what counts."""
    return np.append(1.0 - _SHADES[pale] * (1.0 - np.array(to_rgb(COLOURS.excluded))), 1.0)


def frame_cell(ax: Axes, view: CellView) -> Axes:
    """Equal axes without a frame that hold the cell, the ground drawn with lines 20 cm apart."""
    left, right, low, high = view.limits()
    ax.set(xlim=(left, right), ylim=(low, high), aspect="equal")
    ax.set_axis_off()
    if view.floor is not None:
        how = {"facecolor": FLOOR_COLOUR, "edgecolor": COLOURS.grid, "lw": 0.6, "zorder": 0.5}
        ax.fill(*view.appear(view.ground_corners()).T, **how)
    (x0, y0), (x1, y1) = view.ends
    lines = [[(x, y0), (x, y1)] for x in _marks(x0, x1)] + [
        [(x0, y), (x1, y)] for y in _marks(y0, y1)
    ]
    add_segments(
        ax, view.appear(np.insert(np.array(lines), 2, view.ground, axis=-1)), COLOURS.grid, 0.5, 0.6
    )
    return ax


def add_poses(ax: Axes, view: CellView, poses: Sequence[CellPose], pale: bool = False) -> Solids:
    """Known solids and the arm in some poses."""
    solids = Solids(ax, view.view)
    solids.show(view.parts(poses, pale))
    return solids


def _marks(low: float, high: float) -> np.ndarray:
    return GRID * np.arange(np.ceil(low / GRID - 1e-9), np.floor(high / GRID + 1e-9) + 1)


def choose_view(solids: Sequence[Box | Cylinder | Mesh | Sphere], points: np.ndarray) -> View:
    """The one of 24 views, all from a little above, from which an arm among solids is seen best.

    ``points`` (k, p, 3) are of the arm in k poses, the tool point last [m].
    """
    views = [make_view(azimuth, _ELEVATION) for azimuth in _AZIMUTHS]
    chosen = points.reshape(-1, 3)[:: max(1, points.shape[0] * points.shape[1] // _MAX_POINTS)]
    tool = points[:, -1]
    spread = [_length(project(view, tool)) for view in views]
    middle, length = tool.mean(axis=0), np.linalg.norm(np.ptp(points, axis=1), axis=1)
    scores = [
        6.0 * seen_share(solids, chosen, view)
        + 2.0 * seen_share(solids, tool, view)
        + way / max(_length(tool), 1e-9)
        + 2.0
        * float((np.ptp(points @ view.right, axis=1) / length).mean())  # how broad the arm looks
        + 0.5
        * float(view.toward @ middle)
        / max(float(np.linalg.norm(middle)), 1e-9)  # the tool in front
        for view, way in zip(views, spread, strict=True)
    ]
    return views[int(np.argmax(scores))]


def seen_share(
    solids: Sequence[Box | Cylinder | Mesh | Sphere], points: np.ndarray, view: View
) -> float:
    """Share of points (k, 3) [m] with no solid between them and the eye."""
    near, far = (points + share * view.toward for share in _RAY)
    rays = np.column_stack([near, far, np.zeros(len(points))])
    return float(1.0 - (capsule_distance(rays, packed(solids)) <= 0.0).any(axis=1).mean())


def _length(points: np.ndarray) -> float:
    return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
