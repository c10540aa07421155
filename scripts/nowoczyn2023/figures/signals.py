"""Along a planned path: joint angles, and how near the arm comes to the known solids and to itself."""

from typing import NamedTuple

import matplotlib
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from dynamics import Arm
from hopfield_nav.extensions.clearance import Scene, pair_distances
from hopfield_nav.figures import COLOURS, envelope
from hopfield_nav.geometry import LINK, arm_distance

_MARGIN = {"color": COLOURS.goal, "lw": 0.9, "ls": (0, (4, 2))}


class Clearances(NamedTuple):
    """Distances along a path, each (k,) [m], infinite where there is nothing."""

    solids: np.ndarray  # of the arm to the known solids
    itself: np.ndarray  # of the arm to itself


def clearances(arm: Arm, scene: Scene, q: np.ndarray) -> Clearances:
    """How near the arm comes to what, along rows of joint angles (k, n) [rad]."""
    solids = arm_distance(arm, q, scene.solids)[:, scene.checked]
    each = solids, pair_distances(arm, scene, q)
    return Clearances(*(distances.min(axis=1, initial=np.inf) for distances in each))


def touched_links(arm: Arm, scene: Scene, q: np.ndarray) -> set[int]:
    """Links that touch a solid or another link at one pose (n,), counted from 1, the base 0."""
    bodies = scene.pairs[pair_distances(arm, scene, q) <= scene.margin[1]].ravel()
    near = scene.checked & (arm_distance(arm, q, scene.solids) <= scene.kept)
    rows = np.concatenate([bodies, np.nonzero(near.any(axis=1))[0]])
    return {int(link) for link in scene.bodies[rows, LINK]}


def joint_colours(count: int) -> np.ndarray:
    """(count, 4) from the base's joint, dark, to the hand's, light."""
    return matplotlib.colormaps["viridis"](np.linspace(0.0, 0.88, count))


def draw_angles(ax: Axes, travel: np.ndarray, q: np.ndarray, named: bool = True) -> Axes:
    """Angles (k, n) [rad] of all joints along a path, over ``travel`` (k,), each named at its end."""
    colours = joint_colours(q.shape[1])
    for k, colour in enumerate(colours):
        ax.plot(*envelope(travel, q[:, k]), color=colour)
    ax.set_ylabel("joint angle (rad)")
    low, high = float(q.min()), float(q.max())
    ax.set_ylim(low - 0.08 * max(high - low, 0.5), high + 0.08 * max(high - low, 0.5))
    _frame(ax, travel)
    if named:
        name_joints(ax, q[-1])
    return ax


def name_joints(ax: Axes, q: np.ndarray) -> None:
    """The joints' names at the right edge, at their angles (n,) [rad] or as near as they can be read."""
    low, high = ax.get_ylim()
    places = _apart(q, 0.125 * (high - low), low, high)
    for k, (place, colour) in enumerate(zip(places, joint_colours(len(q)), strict=True)):
        ax.annotate(
            f"$q_{k + 1}$", (1.0, place), xycoords=("axes fraction", "data"), xytext=(2, 0),
            textcoords="offset points", va="center", ha="left", color=colour, annotation_clip=False,
        )  # fmt: skip


def draw_clearance(ax: Axes, travel: np.ndarray, distances: Clearances, margin: float) -> Axes:
    """How near the arm comes to what, over ``travel`` (k,), with the margin [m] that is kept from solids."""
    for values, style in zip(distances[::-1], _STYLES[::-1], strict=True):
        if np.isfinite(values).all():
            ax.plot(*envelope(travel, 100 * values), **_scaled(style))
    if margin > 0:
        ax.axhline(100 * margin, **_scaled(_MARGIN))
    drawn = np.concatenate([v[np.isfinite(v)] for v in distances])
    low, high = np.min(drawn, initial=0.0), np.max(drawn, initial=max(margin, 1e-3))
    ax.set_ylim(100 * low, 100 * (low + 1.08 * (high - low)))
    ax.set_ylabel("clearance (cm)")
    _frame(ax, travel)
    return ax


def clearance_handles(distances: Clearances, margin: float) -> list[Artist]:
    """Legend of ``draw_clearance``."""
    names = ("to known solids", "to itself")
    handles: list[Artist] = [
        Line2D([], [], **_scaled(style), label=name)
        for values, style, name in zip(distances, _STYLES, names, strict=True)
        if np.isfinite(values).all()
    ]
    if margin > 0:
        label = f"margin {100 * margin:.3g} cm"
        handles.append(Line2D([], [], **_scaled(_MARGIN), label=label))
    return handles


_STYLES: tuple[dict, dict] = (
    {"color": COLOURS.excluded, "lw": 1.5},
    {"color": COLOURS.housing, "lw": 1.2, "ls": (0, (5, 1.2, 1, 1.2))},
)


def _scaled(style: dict) -> dict:
    """Widths as shares of the usual one, which differs between paper and film."""
    return {**style, "lw": style["lw"] * matplotlib.rcParams["lines.linewidth"]}


def _frame(ax: Axes, travel: np.ndarray) -> None:
    ax.set_xlim(float(travel[0]), max(float(travel[-1]), float(travel[0]) + 1e-3))
    ax.locator_params(axis="y", nbins=5)
    ax.locator_params(axis="x", nbins=7)


def _apart(values: np.ndarray, gap: float, low: float, high: float) -> np.ndarray:
    """Values moved as little as need be to stand ``gap`` apart between two ends."""
    order = np.argsort(values, kind="stable")
    placed = values[order].astype(float)
    for _ in range(200):
        close = np.maximum(gap - np.diff(placed), 0.0)
        placed[:-1] -= 0.5 * close
        placed[1:] += 0.5 * close
        placed = np.clip(placed, low, high)
        if close.max(initial=0.0) < 1e-3 * gap:
            break
    out = np.empty(len(values))
    out[order] = placed
    return out
