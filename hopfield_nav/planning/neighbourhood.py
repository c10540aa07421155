"""Which neurons are connected: the neighbourhood of a grid of any number of dimensions.

Cells are counted in C order (last axis fastest). Where a cell has no neighbour its table gives the
index behind the last cell, so that kernels work on arrays one longer than the grid, whose last
entry is "blocked", and need no test of the border. Steps, and the columns of the table, stand in
tie order: of equally good neighbours the first column wins.
"""

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from dynamics import BadInput, nearest_name

MOST_STEPS = 20_000  # from a cell to its neighbours: a radius of 16 in space has 17,000
MOST_RATIO = 1e5  # of two axes' spacings; the queue of `limit.distances` needs it


@dataclass(frozen=True)
class Neighbourhood:
    """Which cells of a grid are connected, made and checked by `neighbourhood_of`.

    Equal ones are one object. Its arrays are read-only, because they are kept.
    """

    shape: tuple[int, ...]  # cells along each axis
    radius: float  # in cells, none beyond the grid's own size
    spacing: tuple[float, ...]  # distance of neighbouring cells along each axis
    periodic: tuple[bool, ...]  # for each axis, whether its last cell is next to its first
    ties: tuple[int, ...]  # tie order, as `parse_ties` returns it

    @cached_property
    def offset(self) -> np.ndarray:
        """(k, rank) int, the steps from a cell to its neighbours in cells, in tie order."""
        return _offsets(self.radius, self.ties)

    @cached_property
    def length(self) -> np.ndarray:
        """(k,) of the steps, in the unit of `spacing`."""
        return _read_only(np.sqrt(((self.offset * np.array(self.spacing)) ** 2).sum(axis=1)))

    @cached_property
    def hop(self) -> np.ndarray:
        """(k,) of the steps, counted in hops: each is one."""
        return _read_only(np.ones(len(self.offset), np.int64))

    @cached_property
    def uniform(self) -> bool:
        """Whether all steps are equally long (hops then measure distance)."""
        return bool((self.length == self.length[0]).all())

    @cached_property
    def wrap(self) -> np.ndarray:
        """(rank,) bool, which axes are closed: `periodic` for kernels."""
        return _read_only(np.array(self.periodic))

    def cell(self, index: int) -> tuple[int, ...]:
        """The cell (rank,) with a flat index, C order."""
        return tuple(int(c) for c in np.unravel_index(index, self.shape))

    def length_of(self, steps: np.ndarray) -> float:
        """How long a chain of steps with these numbers (m,) is, in the unit of `spacing`."""
        if self._counts_cells:
            return float(len(steps))
        return float(np.add.reduce(self.length[steps]))

    @cached_property
    def _counts_cells(self) -> bool:
        """Whether every step has the length 1."""
        return bool((self.length == 1.0).all())

    def beside(self, cells: np.ndarray, steps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The cells (..., rank) at steps from cells; and whether they are in the grid, (...)."""
        beside = cells + steps
        inside = (self.wrap | ((beside >= 0) & (beside < self.shape))).all(axis=-1)
        return beside % self.shape, inside

    @property
    def table(self) -> np.ndarray:
        """(cells, k) uint32, flat index of neighbour k of a cell, `cells` where there is none."""
        return _table(self)

    @property
    def plain(self) -> "Neighbourhood":
        """The same connections in cells and default order: weights know no spacing and no ties."""
        return neighbourhood_of(self.shape, self.radius, periodic=self.periodic)


def neighbourhood_of(
    shape: Sequence[int],
    radius: float = 1.0,
    spacing: float | Sequence[float] | None = None,
    periodic: Sequence[bool] | None = None,
    ties: Sequence[str] | None = None,
) -> Neighbourhood:
    """Connect each cell with all at 0 < distance <= radius (ragazzon2012 (6.2), without self).

    The arguments are checked once; what cannot be remembered, or is unfit, is looked at as it was
    given. A radius of 1 cell gives the 2N nearest; steps longer than one cell pass over what lies
    between. ``spacing`` is the distance of neighbouring cells, one number or one an axis; None
    counts in cells. ``periodic`` says of each axis whether its last cell is next to its first; for
    the tie order ``ties`` see `parse_ties`.

    Raises ``BadInput``: an argument that does not fit the shape or is out of range.
    """
    try:
        return _remembered(tuple(shape), radius, _as_key(spacing), _as_key(periodic), _as_key(ties))
    except (TypeError, BadInput):
        return _look_at(shape, radius, spacing, periodic, ties)


def _as_key(value: Any) -> Any:
    """The value as something that can be remembered, if it is a list."""
    return tuple(value) if type(value) is list else value


def on_grid(near: Neighbourhood | None, shape: tuple[int, ...]) -> Neighbourhood:
    """The neighbourhood that was given, by default the 2N nearest; BadInput if of another grid."""
    if near is None:
        return neighbourhood_of(shape)
    if near.shape != shape:
        what = "the neighbourhood is of another grid"
        raise BadInput(what, found=near.shape, allowed=f"of {shape}")
    return near


def _look_at(
    shape: Sequence[int],
    radius: float,
    spacing: float | Sequence[float] | None,
    periodic: Sequence[bool] | None,
    ties: Sequence[str] | None,
) -> Neighbourhood:
    shape = tuple(int(n) for n in shape)
    if not shape or min(shape) < 1:
        raise BadInput("a grid needs at least one axis and one cell", found=shape)
    order = parse_ties(ties, len(shape))
    wrap = _check_periodic(shape, radius, periodic)
    within = _check_size(_check_radius(radius), shape)
    return _only(shape, within, _check_spacing(spacing, len(shape)), wrap, order)


_remembered: Any = lru_cache(maxsize=64)(_look_at)
_only = lru_cache(maxsize=64)(Neighbourhood)


def strides(lengths: np.ndarray) -> np.ndarray:
    """Steps of the flat index, C order, along the axes of an array with these lengths (rank,)."""
    behind = np.append(lengths[1:], 1)
    return np.cumprod(behind[::-1])[::-1].copy()


def axis_name(axis: int) -> str:
    """Name of a grid axis: u, v, w, then x4, x5, … ."""
    return "uvw"[axis] if axis < 3 else f"x{axis + 1}"


def parse_ties(ties: Sequence[str] | None, rank: int) -> tuple[int, ...]:
    """A tie order, such as ["+v", "-v", "+u", "-u"], as numbers: 2 axis for +, 2 axis + 1 for -.

    The default puts the last axis first and + before -: "+v, -v, +u, -u" in the plane. This is what
    the program of ragazzon2012 (C.2.3) does: it goes through the neighbours -u, +u, -v, +v, and of
    equal ones it keeps the **last**.

    Raises ``BadInput``: ``ties`` are not each signed axis of a grid of that ``rank``, once.
    """
    code = {}
    for axis in reversed(range(rank)):
        code["+" + axis_name(axis)] = 2 * axis
        code["-" + axis_name(axis)] = 2 * axis + 1
    names = list(code) if ties is None else ties
    allowed = "each once of " + ", ".join(code)
    if not isinstance(names, (list, tuple)) or any(not isinstance(n, str) for n in names):
        raise BadInput("tie order is a list of signed axes", found=ties, allowed=allowed)
    for name in names:
        if name not in code:
            what = "unknown signed axis in tie order"
            raise BadInput(what, found=name, allowed=allowed, nearest=nearest_name(name, code))
    if sorted(names) != sorted(code):
        what = "tie order names an axis twice or not at all"
        raise BadInput(what, found=list(names), allowed=allowed)
    return tuple(code[name] for name in names)


def _check_radius(radius: float) -> float:
    if not isinstance(radius, (int, float, np.number)) or not 1 <= radius <= sys.float_info.max:
        raise BadInput("radius of the neighbourhood", found=radius, allowed="1 or more [cells]")
    return float(radius)


def _check_size(radius: float, shape: tuple[int, ...]) -> float:
    """The radius, not beyond the grid's own size; BadInput for one with too many neighbours."""
    across = math.sqrt(sum((n - 1) ** 2 for n in shape))
    if radius > across:
        radius = max(1.0, math.ceil(across))
    rank = len(shape)
    unit_ball = math.pi ** (rank / 2) / math.gamma(rank / 2 + 1)  # its volume
    steps = unit_ball * radius**rank
    if steps > MOST_STEPS:
        most = radius * (MOST_STEPS / steps) ** (1 / rank)
        what = "so large a neighbourhood that a cell has too many neighbours"
        found = f"radius {radius:g}, about {steps:.3g} neighbours"
        allowed = f"about {most:.3g} at most ({MOST_STEPS} neighbours)"
        raise BadInput(what, found=found, allowed=allowed)
    return radius


def _check_spacing(spacing: float | Sequence[float] | None, rank: int) -> tuple[float, ...]:
    try:
        values = np.ones(rank) if spacing is None else np.asarray(spacing, dtype=float)
    except (TypeError, ValueError, OverflowError):
        values = np.full(1, np.nan)
    if values.shape not in {(), (rank,)} or not (np.isfinite(values) & (values > 0)).all():
        raise BadInput("spacing", found=spacing, allowed=f"positive, one number or {rank}")
    if values.max() > MOST_RATIO * values.min():
        allowed = f"numbers within a factor of {MOST_RATIO:g}"
        raise BadInput("spacing", found=spacing, allowed=allowed)
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
            what = f"periodic axis {axis_name(axis)} is too short"
            raise BadInput(what, found=n, allowed=f">= {least} cells")
    return wrap


def _ball(rank: int, limit: float) -> list[tuple[int, ...]]:
    """All whole steps whose squared length is at most the limit."""
    if rank == 0:
        return [()]
    reach = math.isqrt(int(limit))
    steps = []
    for c in range(-reach, reach + 1):
        steps += [(c, *others) for others in _ball(rank - 1, limit - c * c)]
    return steps


@lru_cache(maxsize=64)
def _offsets(radius: float, order: tuple[int, ...]) -> np.ndarray:
    """All steps within the radius, in tie order.

    Those along an axis come first, then the shorter, then those that the order of the signed axes
    puts first, as a dictionary does words.
    """
    limit = radius * radius * (1 + 1e-12)  # sqrt(2)**2 is meant to hold the diagonal
    steps = [step for step in _ball(len(order) // 2, limit) if any(step)]

    def rank_of(step: tuple[int, ...]) -> tuple:
        axes = sum(c != 0 for c in step)
        squared_length = sum(c * c for c in step)
        return axes > 1, squared_length, _as_word(step, order)

    return _read_only(np.array(sorted(steps, key=rank_of), dtype=np.int64))


def _as_word(step: tuple[int, ...], order: tuple[int, ...]) -> list[int]:
    """The signed axes along which a step goes, once a cell, each as its place in the order."""
    word = []
    for axis, cells in enumerate(step):
        signed_axis = 2 * axis if cells > 0 else 2 * axis + 1
        word += [order.index(signed_axis)] * abs(cells)
    return sorted(word)


@lru_cache(maxsize=16)
def _table(near: Neighbourhood) -> np.ndarray:
    columns = [_column(near, step) for step in near.offset]
    return _read_only(np.stack(columns, axis=1))


def _column(near: Neighbourhood, step: np.ndarray) -> np.ndarray:
    """Flat index (cells,) of the neighbour at a step (rank,) of each cell; `cells` without one.

    Coordinates are kept along each axis, as a sparse grid: those of all cells take much room.
    """
    coordinates = [np.arange(n) + c for n, c in zip(near.shape, step, strict=True)]
    there = np.meshgrid(*coordinates, indexing="ij", sparse=True)
    inside = np.ones((1,) * len(near.shape), bool)
    for at, n, is_closed in zip(there, near.shape, near.periodic, strict=True):
        if not is_closed:
            inside = inside & (at >= 0) & (at < n)
    index = np.ravel_multi_index(tuple(there), near.shape, mode="wrap")
    return np.where(inside, index, index.size).ravel().astype(np.uint32)


def _read_only(array: np.ndarray) -> np.ndarray:
    array.setflags(write=False)
    return array
