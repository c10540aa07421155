"""Which neurons are connected: the table of neighbours of a grid of any number of dimensions.

Cells are counted in C order (last axis fastest). The table gives, for every cell, the flat index of
each neighbour; where there is none it gives the index behind the last cell, so that kernels work on
arrays one longer than the grid, whose last entry is "blocked", and need no test of the border.
The columns of the table stand in tie order: of equally good neighbours the first column wins.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from dynamics import BadInput, nearest_name

MOST_STEPS = 20_000  # from a cell to its neighbours: a radius of 16 in space has 17,000
MOST_RATIO = 1e5  # of two axes' spacings; the queue of `limit_lengths` needs it
_Checked = tuple[tuple[int, ...], float, tuple[float, ...], tuple[bool, ...], tuple[int, ...]]


class Stencil(NamedTuple):
    """The steps from a cell to its neighbours; arrays are read-only because the result is cached.

    Attributes:
        offset: (k, rank) int, the step in cells, in tie order.
        length: (k,) of the step, in the unit of `spacing`.
        uniform: whether all steps are equally long (hops then measure distance).
        wrap: (rank,) bool, which axes are closed.
    """

    offset: np.ndarray
    length: np.ndarray
    uniform: bool
    wrap: np.ndarray


class Neighbours(NamedTuple):
    """The connections of a grid; arrays are read-only because the result is cached.

    Attributes:
        table: (cells, k) uint32, flat index of neighbour k of a cell, `cells` where there is none.
        length: (k,) length of the step to neighbour k, in the unit of `spacing`.
        offset: (k, rank) int, the step in cells.
        uniform: whether all steps are equally long (hops then measure distance).
    """

    table: np.ndarray
    length: np.ndarray
    offset: np.ndarray
    uniform: bool


def neighbours(
    shape: Sequence[int],
    radius: float = 1.0,
    spacing: float | Sequence[float] | None = None,
    periodic: Sequence[bool] | None = None,
    ties: Sequence[str] | None = None,
) -> Neighbours:
    """Connect each cell with all cells at 0 < distance <= radius (ragazzon2012 (6.2), without self).

    Args:
        shape: cells along each axis.
        radius: of the neighbourhood, in cells; 1 gives the 2N nearest. Steps longer than one cell
            pass over what lies between.
        spacing: distance of neighbouring cells, one number or one an axis; None counts in cells.
        periodic: for each axis, whether its last cell is next to its first.
        ties: tie order, see `parse_ties`.

    Returns:
        The connections, columns in tie order.

    Raises:
        BadInput: an argument that does not fit the shape or is out of range.
    """
    return _build(*_check(shape, radius, spacing, periodic, ties))


def stencil(
    shape: Sequence[int],
    radius: float = 1.0,
    spacing: float | Sequence[float] | None = None,
    periodic: Sequence[bool] | None = None,
    ties: Sequence[str] | None = None,
) -> Stencil:
    """The steps alone, without a table of all cells; arguments and errors as in `neighbours`."""
    return _steps(*_check(shape, radius, spacing, periodic, ties)[1:])


def _check(shape: Sequence[int], *others: Any) -> _Checked:
    """The arguments in the one form under which results are kept.

    They are checked once; what cannot be remembered, or is unfit, is looked at as it was given.
    """
    try:
        return _remembered(tuple(shape), *(tuple(a) if isinstance(a, list) else a for a in others))
    except (TypeError, BadInput):
        return _look_at(shape, *others)


def _look_at(
    shape: Sequence[int],
    radius: float,
    spacing: float | Sequence[float] | None,
    periodic: Sequence[bool] | None,
    ties: Sequence[str] | None,
) -> _Checked:
    shape = tuple(int(n) for n in shape)
    if not shape or min(shape) < 1:
        raise BadInput("a grid needs at least one axis and one cell", found=shape)
    order = parse_ties(ties, len(shape))
    wrap = _check_periodic(shape, radius, periodic)
    within = _check_size(_check_radius(radius), shape)
    return shape, within, _check_spacing(spacing, len(shape)), wrap, order


_remembered = lru_cache(maxsize=64)(_look_at)


def axis_name(axis: int) -> str:
    """Name of a grid axis: u, v, w, then x4, x5, … ."""
    return "uvw"[axis] if axis < 3 else f"x{axis + 1}"


def parse_ties(ties: Sequence[str] | None, rank: int) -> tuple[int, ...]:
    """Read a tie order given as signed axes.

    The default puts the last axis first and + before -: "+v, -v, +u, -u" in the plane. It is the
    document's order, whose program keeps the **last** of equal neighbours in the order -u, +u, -v, +v
    (ragazzon2012, C.2.3).

    Args:
        ties: each of the 2 rank signed axes once, such as ["+v", "-v", "+u", "-u"]; None for the default.
        rank: number of axes.

    Returns:
        For each place of the order, 2 axis for + and 2 axis + 1 for -.

    Raises:
        BadInput: an unknown, missing or doubled signed axis.
    """
    code = {sign + axis_name(a): 2 * a + s for a in reversed(range(rank)) for s, sign in enumerate("+-")}
    names = list(code) if ties is None else ties
    allowed = "each once of " + ", ".join(code)
    if not isinstance(names, (list, tuple)) or any(not isinstance(n, str) for n in names):
        raise BadInput("tie order is a list of signed axes", found=ties, allowed=allowed)
    for name in names:
        if name not in code:
            near = nearest_name(name, code)
            raise BadInput("unknown signed axis in tie order", found=name, allowed=allowed, nearest=near)
    if sorted(names) != sorted(code):
        raise BadInput("tie order names an axis twice or not at all", found=list(names), allowed=allowed)
    return tuple(code[name] for name in names)


def _check_radius(radius: float) -> float:
    if not isinstance(radius, (int, float, np.number)) or not (math.isfinite(radius) and radius >= 1):
        raise BadInput("radius of the neighbourhood", found=radius, allowed="1 or more [cells]")
    return float(radius)


def _check_size(radius: float, shape: tuple[int, ...]) -> float:
    """The radius, none beyond the grid's own size, with which a cell has not too many neighbours."""
    across = math.sqrt(sum((n - 1) ** 2 for n in shape))
    if radius > across:
        radius = max(1.0, math.ceil(across))
    rank = len(shape)
    steps = math.pi ** (rank / 2) / math.gamma(rank / 2 + 1) * radius**rank
    if steps > MOST_STEPS:
        most = radius * (MOST_STEPS / steps) ** (1 / rank)
        raise BadInput(
            "so large a neighbourhood that a cell has too many neighbours",
            found=f"radius {radius:g}, about {steps:.3g} neighbours",
            allowed=f"about {most:.3g} at most ({MOST_STEPS} neighbours)",
        )
    return radius


def _check_spacing(spacing: float | Sequence[float] | None, rank: int) -> tuple[float, ...]:
    try:
        values = np.ones(rank) if spacing is None else np.asarray(spacing, dtype=float)
    except (TypeError, ValueError):
        values = np.full(1, np.nan)
    if values.shape not in {(), (rank,)} or not (np.isfinite(values) & (values > 0)).all():
        raise BadInput("spacing", found=spacing, allowed=f"positive, one number or {rank}")
    if values.max() > MOST_RATIO * values.min():
        raise BadInput("spacing", found=spacing, allowed=f"numbers within a factor of {MOST_RATIO:g}")
    return tuple(np.broadcast_to(values, (rank,)).tolist())


def _check_periodic(
    shape: tuple[int, ...], radius: float, periodic: Sequence[bool] | None
) -> tuple[bool, ...]:
    wrap = (False,) * len(shape) if periodic is None else tuple(bool(p) for p in periodic)
    if len(wrap) != len(shape):
        raise BadInput("periodic", found=periodic, allowed=f"{len(shape)} booleans, one an axis")
    least = 2 * math.floor(_check_radius(radius)) + 1
    for axis, (n, closed) in enumerate(zip(shape, wrap, strict=True)):
        if closed and n < least:
            raise BadInput(
                f"periodic axis {axis_name(axis)} is too short", found=n, allowed=f">= {least} cells"
            )
    return wrap


def _ball(rank: int, limit: float) -> list[tuple[int, ...]]:
    """All whole steps whose squared length is at most the limit."""
    if rank == 0:
        return [()]
    reach = math.isqrt(int(limit))
    return [(c, *rest) for c in range(-reach, reach + 1) for rest in _ball(rank - 1, limit - c * c)]


def _offsets(radius: float, rank: int, order: tuple[int, ...]) -> np.ndarray:
    """All steps within the radius: along an axis first, then by length, then as words in tie order."""
    limit = radius * radius * (1 + 1e-12)  # sqrt(2)**2 is meant to hold the diagonal
    steps = [s for s in _ball(rank, limit) if any(s)]

    def key(step: tuple[int, ...]) -> tuple:
        word = [order.index(2 * a + (c < 0)) for a, c in enumerate(step) for _ in range(abs(c))]
        return (sum(c != 0 for c in step) > 1, sum(c * c for c in step), sorted(word))

    return np.array(sorted(steps, key=key), dtype=np.int64)


@lru_cache(maxsize=64)
def _steps(
    radius: float, spacing: tuple[float, ...], wrap: tuple[bool, ...], order: tuple[int, ...]
) -> Stencil:
    offset = _offsets(radius, len(wrap), order)
    length = np.sqrt(((offset * np.array(spacing)) ** 2).sum(axis=1))
    closed = np.array(wrap)
    for array in (offset, length, closed):
        array.setflags(write=False)
    return Stencil(offset, length, bool((length == length[0]).all()), closed)


@lru_cache(maxsize=16)
def _build(
    shape: tuple[int, ...],
    radius: float,
    spacing: tuple[float, ...],
    wrap: tuple[bool, ...],
    order: tuple[int, ...],
) -> Neighbours:
    steps = _steps(radius, spacing, wrap, order)
    columns = [_column(shape, wrap, step) for step in steps.offset]
    table = np.ascontiguousarray(np.stack(columns, axis=1))
    table.setflags(write=False)
    return Neighbours(table, steps.length, steps.offset, steps.uniform)


def _column(shape: tuple[int, ...], wrap: tuple[bool, ...], step: np.ndarray) -> np.ndarray:
    """Flat index of every cell's neighbour at one step, `cells` where there is none."""
    cells = math.prod(shape)
    index = np.zeros(shape, dtype=np.int64)
    inside = np.ones(shape, dtype=bool)
    for axis, n in enumerate(shape):
        along = np.arange(n) + step[axis]
        along = along % n if wrap[axis] else along
        line = [1] * len(shape)
        line[axis] = n
        index = index * n + along.reshape(line)
        inside &= ((along >= 0) & (along < n)).reshape(line)
    return np.where(inside, index, cells).ravel().astype(np.uint32)
