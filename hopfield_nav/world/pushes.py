"""The entries of ``pushes`` in a world file: forces on the arm over time, without any obstacle."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator, Field, WithJsonSchema

from dynamics import BadInput
from hopfield_nav.world import fields
from hopfield_nav.world.fields import Length, Range, must_fit

_Newtons = Annotated[tuple[Annotated[float, Range(-5e3, 5e3, "N")], ...], Length(3, 3)]


def _as_rows(value: Any) -> Any:
    """One force as a list of one; a list of forces as it is."""
    if not isinstance(value, (list, tuple)):
        return value
    if any(isinstance(entry, (list, tuple)) for entry in value):
        return value
    return (value,)


class PushSection(fields.Section):
    """A force on a point of a link, from the first of its times to the last."""

    link: Annotated[int, fields.Whole(1, 16)] = Field(description="that is pushed, counted from 1")
    point: fields.Point = Field(
        (0.0, 0.0, 0.0), description="where, in the axes of the link's frame"
    )
    times: Annotated[tuple[Annotated[float, Range(0.0, 1e5, "s")], ...], Length(2, 10_000)]
    """rising, from where the push begins to where it ends"""
    force: Annotated[
        tuple[_Newtons, ...],
        Length(1, 10_000),
        BeforeValidator(_as_rows),
        WithJsonSchema(
            {"anyOf": [fields.VECTOR_SCHEMA, {"type": "array", "items": fields.VECTOR_SCHEMA}]}
        ),
    ] = Field(
        description="[x, y, z] in base axes, all the time; or one at each time, linear in between"
    )

    @must_fit
    def _check(self) -> Iterator[BadInput]:
        if any(b <= a for a, b in pairwise(self.times)):
            yield BadInput("not rising", "times", list(self.times), "each above the one before")
        if len(self.force) not in (1, len(self.times)):
            allowed = f"one, or {len(self.times)}, as there are times"
            yield BadInput(
                "wrong number of forces", where="force", found=len(self.force), allowed=allowed
            )

    @property
    def rows(self) -> np.ndarray:
        """(k, 4) time [s] and force [N], base axes."""
        forces = np.broadcast_to(self.force, (len(self.times), 3))
        return np.column_stack([self.times, forces])
