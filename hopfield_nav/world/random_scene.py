"""Whole scenes at random, for an arm all of whose links may touch.

They are solids, a shelf, an open box, or pipes.
A shelf and a box are put about the tool at the goal, so that the arm has to reach into them; solids
and pipes lie anywhere within reach. A scene is drawn until the whole arm, its base too, keeps clear
of it at start and goal.
"""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from pydantic import Field

from dynamics import BadInput
from hopfield_nav.world.fields import Range
from hopfield_nav.world.sections import Section
from hopfield_nav.world.solids import Box, Cylinder, Seed, Solid, Sphere, packed

if TYPE_CHECKING:
    from dynamics import Arm

_TRIES = 5_000  # scenes drawn before giving up
# [m] from the axis of joint 1, and above the base: where solids lie
_NEAR = 0.28
_FAR = 0.75
_HIGH = 0.9
_BOARD = 0.02  # [m] thickness of boards and walls
_Draw = Callable[[np.random.Generator, np.ndarray], list[Solid]]


class RandomScene(Section):
    """A scene at random, of which the whole arm keeps clear at start and goal."""

    family: Literal["solids", "shelf", "box", "pipes"]
    """3 to 7 spheres, boxes and plates; a shelf or open box about the goal; 4 to 8 pipes"""
    clearance: Annotated[float, Range(0.0, 1.0, "m")] = 0.03
    """free distance kept around the arm at start and goal"""
    seed: Seed | None = Field(None, description="of this scene; null: drawn from the run's seed")

    def draw(
        self, generator: np.random.Generator, arm: "Arm", start: np.ndarray, goals: np.ndarray
    ) -> list[Solid]:
        """The solids of the scene, drawn by the run's generator or by a seed of its own.

        The start (n,) stays free, and one at least of the goals (k, n), if there are any [rad].

        Raises ``BadInput``: no scene that was drawn leaves them free.
        """
        from dynamics import forward_kinematics
        from hopfield_nav.geometry import arm_distance

        own = generator if self.seed is None else np.random.default_rng(self.seed)
        poses = np.vstack([start[None], goals])
        tools = forward_kinematics(arm, poses)[:, :3, 3]
        for _ in range(_TRIES):
            at = tools[1] if len(goals) else _anywhere(own)
            solids = _FAMILIES[self.family](own, at)
            distances = arm_distance(arm, poses, packed(solids)).min(axis=(1, 2))
            free = distances > self.clearance
            goal_is_free = not len(goals) or free[1:].any()
            if free[0] and goal_is_free:
                return solids
        allowed = "a scene that leaves the whole arm free at start and goal"
        found = f"clearance {self.clearance:g} m"
        raise BadInput(f"no room for a random scene: {self.family}", found=found, allowed=allowed)


def _anywhere(generator: np.random.Generator) -> np.ndarray:
    """A point (3,) within reach, off the axis of joint 1 [m]."""
    angle = generator.uniform(-math.pi, math.pi)
    far = generator.uniform(_NEAR, _FAR)
    height = generator.uniform(0.0, 0.8)
    return np.array([far * math.cos(angle), far * math.sin(angle), height])


def _one_solid(generator: np.random.Generator) -> Solid:
    """A sphere, a box or a plate, anywhere within reach."""
    center = _rounded(_anywhere(generator))
    kind = int(generator.integers(3))
    if kind == 0:
        return Sphere(center=center, radius=_to_mm(generator.uniform(0.05, 0.13)))
    size = generator.uniform(0.06, 0.25, 3)
    if kind == 2:
        size = np.array([*generator.uniform(0.2, 0.4, 2), _BOARD])
    angles = generator.uniform(-1.5, 1.5, 3)
    return Box(center=center, size=_rounded(size), rotation=_rounded(angles))


def _shelf(generator: np.random.Generator, at: np.ndarray) -> list[Solid]:
    """Boards, a back and two sides, with the point in one of the bays.

    It is open towards the base.
    """
    draw = generator.uniform
    width = draw(0.4, 0.8)
    depth = draw(0.2, 0.35)
    bay = draw(0.22, 0.4)
    below, above = generator.integers(0, 2, 2)
    bays = 1 + below + above
    # From the point: the lowest board, the edges in front, the middle between the sides.
    low = -draw(0.15, 0.6) * bay - below * bay
    front = -draw(0.2, 0.7) * depth
    side = draw(-0.3, 0.3) * width
    middle = low + 0.5 * bays * bay
    height = bays * bay + _BOARD
    parts = []
    for k in range(bays + 1):
        board = (front + 0.5 * depth, side, low + k * bay)
        parts.append((board, (depth, width, _BOARD)))
    back = (front + depth, side, middle)
    parts.append((back, (_BOARD, width, height)))
    for end in (-0.5, 0.5):
        wall = (front + 0.5 * depth, side + end * width, middle)
        parts.append((wall, (depth, _BOARD, height)))
    yaw = math.atan2(at[1], at[0]) + draw(-0.4, 0.4)
    return _put(parts, at, (0.0, 0.0, yaw))


def _box(generator: np.random.Generator, at: np.ndarray) -> list[Solid]:
    """A bottom and four walls about the point.

    The open side faces up, or the base, or between the two.
    """
    draw = generator.uniform
    x = draw(0.25, 0.5)
    y = draw(0.25, 0.5)
    deep = draw(0.12, 0.3)
    # From the point to the middle of the bottom, and to the middles of the walls.
    dx = draw(-0.25, 0.25) * x
    dy = draw(-0.25, 0.25) * y
    down = -draw(0.3, 0.8) * deep
    middle = down + 0.5 * deep
    parts = [((dx, dy, down), (x, y, _BOARD))]
    for end in (-0.5, 0.5):
        parts.append(((dx + end * x, dy, middle), (_BOARD, y, deep)))
        parts.append(((dx, dy + end * y, middle), (x, _BOARD, deep)))
    tilt = -0.5 * math.pi * draw(0.0, 1.0)
    yaw = math.atan2(at[1], at[0]) + draw(-0.4, 0.4)
    return _put(parts, at, (0.0, tilt, yaw))


def _one_pipe(generator: np.random.Generator) -> Solid:
    """A pipe anywhere within reach: a round one that stands, or a square one that lies."""
    x, y, _ = _rounded(_anywhere(generator))
    stands = generator.integers(2)
    if stands:
        top = _to_mm(generator.uniform(0.4, 1.0))
        radius = _to_mm(generator.uniform(0.02, 0.04))
        return Cylinder(center=(x, y), radius=radius, height=(-0.1, top))
    section = _to_mm(generator.uniform(0.04, 0.07))
    height = _to_mm(generator.uniform(0.05, _HIGH))
    length = _to_mm(generator.uniform(0.5, 1.4))
    yaw = _to_mm(generator.uniform(-math.pi, math.pi))
    return Box(
        center=(x, y, height),
        size=(length, section, section),
        rotation=(0.0, 0.0, yaw),
    )


def _put(parts: list[tuple], at: np.ndarray, angles: tuple[float, float, float]) -> list[Solid]:
    """Boxes whose middles and edges are given in axes at the point ``at``, turned by ``angles``."""
    turned = _rounded(np.array(angles))
    axes = np.array(Box(center=(0.0, 0.0, 0.0), size=(1.0, 1.0, 1.0), rotation=turned).rotation)
    return [
        Box(
            center=_rounded(at + axes @ np.array(middle)),
            size=_rounded(np.array(size)),
            rotation=turned,
        )
        for middle, size in parts
    ]


def _rounded(values: np.ndarray) -> tuple[float, ...]:
    """Each of some lengths or angles to thousandths."""
    return tuple(_to_mm(float(v)) for v in values)


def _to_mm(value: float) -> float:
    """To thousandths, as somebody would write a length into a file."""
    return round(float(value), 3)


def _solids(generator: np.random.Generator, at: np.ndarray) -> list[Solid]:
    """From 3 to 7 solids, wherever the point is."""
    return [_one_solid(generator) for _ in range(generator.integers(3, 8))]


def _pipes(generator: np.random.Generator, at: np.ndarray) -> list[Solid]:
    """From 4 to 8 pipes, wherever the point is."""
    return [_one_pipe(generator) for _ in range(generator.integers(4, 9))]


_FAMILIES: dict[str, _Draw] = {"solids": _solids, "shelf": _shelf, "box": _box, "pipes": _pipes}
