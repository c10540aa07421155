"""Whether a straight line between two points of a grid keeps out of its blocked cells.

A blocked cell is a box with its boundary left out: a line may touch a corner and may run along a
face, as long as it can be moved a little to one side into free cells. It may not slip through the
point (or edge) at which two blocked cells meet diagonally, and it may not leave the grid. What is
decided this way is exact but for `EPS` of a cell.
"""

from typing import NamedTuple

import numpy as np

from dynamics import BadInput
from dynamics.kernels.decorators import kernel
from hopfield_nav.planning.neighbourhood import strides

EPS = 1e-9  # [cells] nearer than this is on the face
MOST_AXES = 6  # 2^6 cells meet at a corner


class Boxes(NamedTuple):
    """A grid whose cells are boxes of any size."""

    blocked: np.ndarray  # (cells,) bool in C order
    stride: np.ndarray  # (rank,) of its flat index
    shape: np.ndarray  # (rank,) cells along each axis
    edges: np.ndarray  # (rank, longest + 1) coordinates between which the cells lie, rising


def make_boxes(blocked: np.ndarray, edges: list[np.ndarray]) -> Boxes:
    """A grid and the coordinates of its faces, one array of n + 1 an axis."""
    count = np.array(blocked.shape, np.int64)
    table = np.full((count.size, int(count.max()) + 1), np.inf)
    for a, row in enumerate(edges):
        table[a, : row.size] = row
    flat = np.ascontiguousarray(blocked).reshape(-1)
    return Boxes(flat, strides(count), count, table)


def unit_boxes(blocked: np.ndarray) -> Boxes:
    """Cell i of an axis reaches from i - 1/2 to i + 1/2."""
    return make_boxes(blocked, [np.arange(n + 1) - 0.5 for n in blocked.shape])


def seen(boxes: Boxes, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """(k,) bool: which of the lines between points (k, rank) keep out of the boxes."""
    out = np.empty(len(start), dtype=bool)
    _sees_all(boxes, np.ascontiguousarray(start), np.ascontiguousarray(end), out)
    return out


def check_blocked(blocked: np.ndarray) -> np.ndarray:
    """A bool grid as an array; BadInput for anything else."""
    grid = np.asarray(blocked)
    if grid.dtype != bool or not 1 <= grid.ndim <= MOST_AXES or grid.size < 1:
        kind = f"{grid.dtype} of shape {grid.shape}"
        raise BadInput("blocked", found=kind, allowed=f"a bool array with 1 to {MOST_AXES} axes")
    return grid


@kernel
def _sees_all(boxes, start, end, out):
    for row in range(len(out)):
        out[row] = sees(boxes, start[row], end[row])


@kernel
def _below(row, count, x):
    """Number of the cell [row[i], row[i + 1]) that holds x; -1 or count outside."""
    low = -1
    high = count
    while high - low > 1:
        middle = (low + high) // 2
        if row[middle] <= x:
            low = middle
        else:
            high = middle
    return low if x < row[count] else count


@kernel
def _is_free(boxes, cell, up):
    """Whether the cell with the steps ``up`` added is in the grid and free."""
    flat = 0
    for a in range(cell.size):
        c = cell[a] + up[a]
        if c < 0 or c >= boxes.shape[a]:
            return False
        flat += c * boxes.stride[a]
    return not boxes.blocked[flat]


@kernel
def _spread(boxes, cell, step, axes, crossed, reach, up):
    """Which of the cells around a point of the line it can be in: a flood over free ones.

    ``reach`` (64,), in place, says it of each of these cells. A cell's number there is a
    combination of bits, one for each of the ``axes`` (bits,): a bit that is set adds ``step``
    (rank,) along its axis to ``cell`` (rank,), the lowest of them.

    The flood goes from a cell to those whose number differs in one bit. Along the first axes, along
    whose faces the line runs, it goes both ways, as the line may be moved to either side; along the
    last ones, as many as are ``crossed`` here, only forward. ``up`` (rank,) is scratch.
    """
    bits = axes.size
    sides = bits - crossed
    again = True
    while again:
        again = False
        for code in range(1 << bits):
            if reach[code]:
                continue
            near = False
            for k in range(bits):
                bit = 1 << k
                if (code & bit or k < sides) and reach[code ^ bit]:
                    near = True
            if near:
                up[:] = 0
                for k in range(bits):
                    if code & (1 << k):
                        up[axes[k]] = step[axes[k]]
                if _is_free(boxes, cell, up):
                    reach[code] = True
                    again = True


@kernel
def _enter(boxes, p, d, cell, step, axes):
    """The cell just behind p in the direction d, the steps, and the axes along whose faces it goes.

    Returns how many these are, at the front of ``axes``; the line may be on both sides.
    """
    sides = 0
    for a in range(p.size):
        low = _below(boxes.edges[a], boxes.shape[a], p[a] - EPS)
        high = _below(boxes.edges[a], boxes.shape[a], p[a] + EPS)
        if d[a] > EPS:
            cell[a] = high
            step[a] = 1
        elif d[a] < -EPS:
            cell[a] = low
            step[a] = -1
        else:
            cell[a] = low
            step[a] = 1
            if high > low:
                axes[sides] = a
                sides += 1
    return sides


@kernel
def sees(boxes, p, q):
    """Whether the line from p to q, (rank,) each, keeps out of the blocked boxes."""
    rank = p.size
    d = q - p
    cell = np.empty(rank, np.int64)
    step = np.empty(rank, np.int64)
    up = np.zeros(rank, np.int64)
    axes = np.empty(rank, np.int64)
    sides = _enter(boxes, p, d, cell, step, axes)
    reach = np.zeros(64, np.bool_)
    after = np.zeros(64, np.bool_)
    lanes = 1 << sides
    some = False
    for lane in range(lanes):
        for k in range(sides):
            up[axes[k]] = lane >> k & 1
        reach[lane] = _is_free(boxes, cell, up)
        some = some or reach[lane]
    up[:] = 0
    while some:
        t = np.inf
        for a in range(rank):
            t = min(t, _next(boxes, p, q, d, cell, step, a))
        if t == np.inf:
            return True
        crossed = 0
        for a in range(rank):
            if _next(boxes, p, q, d, cell, step, a) - t <= EPS / max(abs(d[a]), EPS):
                axes[sides + crossed] = a
                crossed += 1
        reach[lanes:] = False
        _spread(boxes, cell, step, axes[: sides + crossed], crossed, reach, up)
        some = False
        for lane in range(lanes):
            after[lane] = reach[lane + (((1 << crossed) - 1) << sides)]
            some = some or after[lane]
        reach[:lanes] = after[:lanes]
        for k in range(sides, sides + crossed):
            cell[axes[k]] += step[axes[k]]
    return False


@kernel
def _next(boxes, p, q, d, cell, step, a):
    """Share of the line at which it crosses the next face of axis a; inf if it ends before."""
    if abs(d[a]) <= EPS or cell[a] < 0 or cell[a] >= boxes.shape[a]:
        return np.inf
    face = boxes.edges[a, cell[a] + (1 if step[a] > 0 else 0)]
    if (q[a] - face) * step[a] <= EPS:
        return np.inf
    return (face - p[a]) / d[a]
