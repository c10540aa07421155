"""The arm as pictures, films and the page draw it, made of its capsules.

There are housings across the joints' axes, links and caps. A part is a solid of revolution in the
frame of its link.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from dynamics import Arm, link_frames

_TUBE = 2.5  # a capsule longer than this many radii is a tube
_TAPER = (0.92, 0.82)  # radii at the ends of a tube, of the capsule's; here and below
_HALF = 0.94  # half the height of the housing at a tube's end: no less than the tube
_NECK = 0.9  # radius of what leads to a housing from the joint before
_EDGE = 0.22  # taken off a housing's edge
_COLLAR = (0.88, 0.62)  # radius and length of what is seen between two housings
_CAP = (0.74, 0.05)  # radius and height of the lid on a housing
_ON = 0.3  # from an axis, within which a point is on it
_ROD = 0.006  # [m] radius of the rod from the flange to a tool point away from it


class _Line(NamedTuple):
    point: np.ndarray  # (3,) [m]
    along: np.ndarray  # (3,) of length 1

    def nearest(self, point: np.ndarray) -> np.ndarray:
        """The point (3,) [m] of the line that is nearest to another."""
        return self.point + (point - self.point) @ self.along * self.along


class _Capsule(NamedTuple):
    start: np.ndarray  # (3,) [m], here and below in the link's frame
    end: np.ndarray
    radius: float


def arm_parts(arm: Arm) -> list[dict[str, Any]]:
    """What is drawn of an arm, and a rod to a tool point away from the flange.

    ``link`` (0 the base), ``kind`` (``tube``, ``housing`` or ``cap``), in the link's frame
    ``start`` [m] and the unit vector ``along``, and ``outline``: rows of a radius and a distance
    from ``start`` [m], which turn about ``along``.
    """
    parts = []
    frames = link_frames(arm, np.zeros(len(arm.dh)))
    for row in arm.capsules:
        link = int(row[0])
        capsule = _Capsule(row[1:4], row[4:7], float(row[7]))
        # of the joints before and after the link, whose axes stay where they are in its frame
        inverse = np.linalg.inv(frames[link])
        joints = [inverse @ frames[k] for k in (link - 1, link) if 0 <= k < len(arm.dh)]
        axes = [_Line(frame[:3, 3], frame[:3, 2]) for frame in joints]
        parts += [{"link": link, **part} for part in _of_capsule(capsule, axes)]
    if np.linalg.norm(arm.tool[:3, 3]) > 0.01:
        rod = _Capsule(np.zeros(3), arm.tool[:3, 3], _ROD)
        parts.append({"link": len(arm.dh), **_round("tube", rod)})
    return parts


def _of_capsule(capsule: _Capsule, axes: list[_Line]) -> Iterator[dict[str, Any]]:
    start, end, radius = capsule
    ends = [_axis_at(axes, point, radius) for point in (start, end)]
    length = float(np.linalg.norm(end - start))
    if length > _TUBE * radius:
        yield _round("tube", capsule, _TAPER)
        for point, axis in zip((start, end), ends, strict=True):
            if axis is not None and abs(axis.along @ (end - start)) < 0.2 * length:
                half = _HALF * radius * axis.along
                yield from _housing(_Capsule(point - half, point + half, radius), lids=2)
    elif ends[0] is not None and ends[0] is ends[1]:
        yield from _housing(capsule, collars=2 if len(axes) > 1 or axes[0].point.any() else 1)
    elif (bent := _corner(ends, radius)) is not None:
        away = bent - end
        far = bent + away / max(float(np.linalg.norm(away)), 1e-9) * _HALF * radius
        yield from _housing(_Capsule(bent, start, _NECK * radius), collars=1)
        yield from _housing(_Capsule(far, end, radius), lids=1)
    else:
        yield _round("housing", capsule)


def _axis_at(axes: list[_Line], point: np.ndarray, radius: float) -> _Line | None:
    """The axis on which a point lies, the nearer one of two."""
    distance = [float(np.linalg.norm(axis.nearest(point) - point)) for axis in axes]
    nearest = min(range(len(axes)), key=distance.__getitem__)
    return axes[nearest] if distance[nearest] <= _ON * radius else None


def _corner(ends: list[_Line | None], radius: float) -> np.ndarray | None:
    """Where the axes of a capsule's two ends meet at a right angle, or nearly so."""
    first, second = ends
    if first is None or second is None or abs(first.along @ second.along) > 0.2:
        return None
    meet = first.nearest(second.point)
    return meet if np.linalg.norm(second.nearest(meet) - meet) < _ON * radius else None


def _housing(capsule: _Capsule, collars: int = 0, lids: int = 0) -> Iterator[dict[str, Any]]:
    """A cylinder without sharp edges.

    Collars are beyond its end, then its start, lids the other way round.
    """
    start, end, radius = capsule
    along = (end - start) / np.linalg.norm(end - start)
    length = float(np.linalg.norm(end - start))
    edge = _EDGE * radius
    edge = min(edge, length / 2)
    outline = [
        (0, 0),
        (radius - edge, 0),
        (radius, edge),
        (radius, length - edge),
        (radius - edge, length),
    ]
    yield _part("housing", start, along, [*outline, (0, length)])
    for (wide, high), count, kind, first in (
        (_COLLAR, collars, "tube", end),
        (_CAP, lids, "cap", start),
    ):
        for k in range(count):
            foot, out = (end, along) if (first is end) == (k == 0) else (start, -along)
            ring = [(wide * radius, 0), (wide * radius, high * radius), (0, high * radius)]
            yield _part(kind, foot, out, ring)


def _round(
    kind: str, capsule: _Capsule, shares: tuple[float, float] = (1.0, 1.0)
) -> dict[str, Any]:
    """A capsule with the radii at its ends in shares of its own."""
    start, end, radius = capsule
    length = float(np.linalg.norm(end - start))
    along = (end - start) / length if length > 0 else np.array([0.0, 0.0, 1.0])
    turns = np.linspace(-np.pi / 2, np.pi / 2, 18)
    outline = []
    for share, at, half in zip(shares, (0.0, length), np.split(turns, 2), strict=True):
        for turn in half:
            point = (radius * share * abs(np.cos(turn)), at + radius * share * np.sin(turn))
            outline.append(point)
    return _part(kind, start, along, outline)


def _part(
    kind: str, start: np.ndarray, along: np.ndarray, outline: list[tuple[float, float]]
) -> dict[str, Any]:
    rows = [[round(float(radius), 6), round(float(at), 6)] for radius, at in outline]
    return {"kind": kind, "start": start.tolist(), "along": along.tolist(), "outline": rows}
