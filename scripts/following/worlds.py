"""Random worlds of several families: what stands in the way, and the map that it stands on."""

from __future__ import annotations

import numpy as np

CYLINDERS = "random_cylinders"  # which is bundled, and draws by itself
FAMILIES = {CYLINDERS: "`random_cylinders`", "walls": "walls", "boxes": "boxes in space"}
_START, _GOAL = np.array([0.20, 0.04]), np.array([0.60, -0.09])  # on the document's map [m]
_WALLS, _THIN, _KEPT = 5, 0.012, 0.045  # number, radius [m], kept free around start and goal [m]
_BOXES = {"boxes": 12, "many boxes": 40}  # number, of which some overlap
_ROOM = 0.07  # [m] kept free around start and goal in space
_SPACE_START, _SPACE_GOAL = np.array([0.203, 0.039, 0.0]), np.array([0.56, 0.02, 0.0])


def world_of(family: str, seed: int) -> tuple[str, list[str]]:
    """A bundled world, and what is changed in it.

    Args:
        family: one of ``FAMILIES``, or "many boxes"; "walls": five straight walls in the plane;
            "boxes": twelve boxes in the map of ``over_the_wall``; "many boxes": forty.
        seed: of the scene.
    """
    generator = np.random.default_rng(seed)
    if family == "walls":
        return "random_cylinders", [f"obstacles=[{', '.join(_walls(generator))}]"]
    if family in _BOXES:
        return "over_the_wall", [f"obstacles=[{', '.join(_boxes(generator, _BOXES[family]))}]"]
    return family, []


def _walls(generator: np.random.Generator) -> list[str]:
    found: list[str] = []
    while len(found) < _WALLS:
        middle, angle = generator.uniform([0.24, -0.2], [0.58, 0.2]), generator.uniform(0.0, np.pi)
        half = generator.uniform(0.04, 0.11) * np.array([np.cos(angle), np.sin(angle)])
        ends = middle - half, middle + half
        if min(_distance(place, *ends) for place in (_START, _GOAL)) > _KEPT:
            first, last = ([round(float(v), 4) for v in end] for end in ends)
            found.append(f"{{wall: {{from: {first}, to: {last}, radius: {_THIN}}}}}")
    return found


def _boxes(generator: np.random.Generator, count: int) -> list[str]:
    found: list[str] = []
    while len(found) < count:
        centre = generator.uniform([0.26, -0.24, -0.04], [0.52, 0.26, 0.14])
        size = generator.uniform(0.04, 0.12, 3)
        away = [np.abs(place - centre) - size / 2 for place in (_SPACE_START, _SPACE_GOAL)]
        if min(float(np.linalg.norm(np.maximum(gap, 0.0))) for gap in away) > _ROOM:
            found.append(f"{{box: {{center: {_listed(centre)}, size: {_listed(size)}}}}}")
    return found


def _listed(values: np.ndarray) -> list[float]:
    return [round(float(v), 4) for v in values]


def _distance(place: np.ndarray, begin: np.ndarray, end: np.ndarray) -> float:
    """From a place (2,) to a line [m]."""
    along = end - begin
    share = np.clip((place - begin) @ along / (along @ along), 0.0, 1.0)
    return float(np.linalg.norm(place - begin - share * along))
