"""The section ``map`` of a world file: cells of the tool's places, or of the joints' angles."""

import math
from collections.abc import Iterator, Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from dynamics import BadInput
from hopfield_nav.world import fields
from hopfield_nav.world.methods import MethodSection

_MOST_CELLS = {"tool": 4096**2, "joints": 2**26}
JOINT_CELLS = (36, 18, 24, 12, 8, 1)  # of six joints: by how far each of them moves the tool


class MapSection(MethodSection):
    """The grid of neurons.

    It is laid into the plane or the room in which the tool moves, or over joint angles.
    """

    most_set = ("origin", "spacing", "shape")
    owners: ClassVar[dict[str, str]] = {"lower": "whole_arm", "upper": "whole_arm"}
    kinds: ClassVar[dict[str, str]] = {"space": "navigator"}

    space: fields.Text = "tool"
    """what a cell is, and who finds the way over them: tool, a place of the tool; joints, a
    configuration of the whole arm; or FILE.py:NAME"""
    origin: fields.Point = Field(
        (0.1501, -0.2499, 0.0), description="centre of cell (0, 0, 0) in base axes"
    )
    spacing: Annotated[float, fields.Range(0.0, 1.0, "m", above=True)] = 0.0263
    """between neighbouring cells"""
    shape: Annotated[tuple[Annotated[int, fields.Whole(1, 4096)], ...], fields.Length(2, 16)] = (
        20,
        20,
    )
    """cells along x and along y, and along z for a map in space; or one number a joint"""
    lower: fields.Joints | None = None
    """where the cells of each joint begin; null: half a turn below start.joints, or its limit"""
    upper: fields.Joints | None = None
    """where they end; null: a turn further, or the joint's limit; a full turn is closed"""
    rim: Literal["free", "blocked"] = Field(
        "free", description="whether the outermost cells count as obstacles"
    )

    @fields.must_fit
    def _check(self) -> Iterator[BadInput]:
        for key in ("lower", "upper"):
            given = getattr(self, key)
            if given is not None and self.space == "tool":
                yield BadInput(
                    "a map of the tool has none", key, list(given), "null, or space: joints"
                )
            elif given is not None and len(given) != len(self.shape):
                yield BadInput(
                    "wrong number of joints", key, len(given), f"{len(self.shape)}, as shape has"
                )
        for i, (low, high) in enumerate(zip(self.lower or (), self.upper or (), strict=False)):
            if not low < high:
                yield BadInput(
                    "above upper", where=f"lower.{i}", found=low, allowed=f"below {high:.6g} rad"
                )
        if self.space == "tool" and len(self.shape) > 3:
            yield BadInput("wrong number of axes", "shape", list(self.shape), "a list of 2 to 3")
        # A joint may have a single cell, a plane may not.
        in_a_plane = () if self.space == "joints" else self.shape[:2]
        for k, cells in enumerate(in_a_plane):
            if cells < 2:
                yield BadInput("out of range", f"shape.{k}", cells, "a whole number from 2 to 4096")
        most = _MOST_CELLS.get(self.space, max(_MOST_CELLS.values()))
        if math.prod(self.shape) > most:
            yield BadInput("too many cells", "shape", list(self.shape), f"at most {most} cells")

    @property
    def rank(self) -> int:
        """How many axes the map has: 2 in a level plane, 3 in space, or one for each joint."""
        return len(self.shape)

    def centre(self, cell: Sequence[float]) -> tuple[float, ...]:
        """Centre of a cell, (rank,) coordinates in base axes [m]."""
        return tuple(self.origin[k] + self.spacing * cell[k] for k in range(self.rank))
