"""What a call from Python hands to a kernel: flat arrays, all numbers of the arm in one of them.

Handing over a record of fifteen arrays costs ten times what one call of ``inverse_dynamics`` computes. So the
arrays of an arm that ``together`` made lie one behind the other in a single one, and a kernel finds them
again (``arm_in``); the same with its scratch arrays (``work_in``). For the public functions of this package.
"""

from __future__ import annotations

import numpy as np

from dynamics.arm import Arm, joint_count
from dynamics.batches import as_rows, rows_like
from dynamics.compiled import inlined
from dynamics.work import Work

_KEPT = 64  # arms whose numbers are known to lie together
_FLOAT = np.dtype(np.float64)
_NONE = np.empty(0)
_known: dict[int, tuple[Arm, np.ndarray, int]] = {}  # by identity; who is held here keeps it


def together(arm: Arm) -> Arm:
    """The same arm, with arrays that lie one behind the other in one; calls with it are the fastest.

    Raises:
        BadInput: the arrays do not fit each other.
    """
    joint_count(arm)
    numbers = np.concatenate([np.ravel(array) for array in arm]).astype(np.float64)
    ends = np.cumsum([np.size(array) for array in arm])
    parts = np.split(numbers, ends[:-1])
    return Arm(*(part.reshape(np.shape(array)) for part, array in zip(parts, arm, strict=True)))


def numbers_of(arm: Arm) -> tuple[np.ndarray, int]:
    """All numbers of an arm in one array, in the order of its fields, and how many joints it has.

    Raises:
        BadInput: the arrays of the arm do not fit each other.
    """
    known = _known.get(id(arm))
    return (known[1], known[2]) if known is not None else _look_at(arm)


def _look_at(arm: Arm) -> tuple[np.ndarray, int]:
    n = joint_count(arm)
    numbers = _one_array(arm)
    if numbers is None:  # a copy, made for this call alone: the arm's own may be written to
        return np.concatenate([np.ravel(array) for array in arm]).astype(np.float64), n
    if len(_known) >= _KEPT:
        _known.clear()
    _known[id(arm)] = arm, numbers, n
    return numbers, n


def _one_array(arm: Arm) -> np.ndarray | None:
    """The array of which those of an arm are views, in order and without a gap; None if there is none."""
    numbers = arm.dh.base
    if type(numbers) is not np.ndarray or numbers.dtype != _FLOAT or not numbers.flags.carray:
        return None
    place = _address(numbers)
    for array in arm:
        if array.base is not numbers or not array.flags.c_contiguous or array.dtype != _FLOAT:
            return None
        if array.size and _address(array) != place:
            return None
        place += array.nbytes
    return numbers if place == _address(numbers) + numbers.nbytes else None


def _address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


def as_flat(width: int, **named: object) -> tuple[list[np.ndarray], tuple[int, ...]]:
    """As ``as_rows``, with the rows of each array one behind the other; a clean single row as it is.

    Raises:
        BadInput: as ``as_rows``.
    """
    for value in named.values():
        if (
            type(value) is not np.ndarray
            or value.shape != (width,)
            or value.dtype is not _FLOAT
            or not value.flags.carray
        ):
            rows, lead = as_rows(width, **named)
            return [array.reshape(-1) for array in rows], lead
    return list(named.values()), ()  # type: ignore[arg-type]


def flat_wrench(wrench: object, lead: tuple[int, ...]) -> np.ndarray:
    """Wrenches at the tool (..., 6) for leading shape ``lead``, one behind the other; none for None.

    Raises:
        BadInput: as ``rows_like``.
    """
    return _NONE if wrench is None else rows_like(wrench, 6, "wrench", lead).reshape(-1)


def make_scratch(n: int) -> np.ndarray:
    """Room for the scratch arrays of an arm with ``n`` joints; its numbers are arbitrary."""
    return np.empty(55 + n * (49 + n) + 2 * max(n, 6))


@inlined
def arm_in(numbers, n):
    """The arm whose numbers these are; its arrays are views."""
    return Arm(
        dh=numbers[: 4 * n].reshape((n, 4)),
        twist=numbers[4 * n : 6 * n].reshape((n, 2)),
        offset=numbers[6 * n : 9 * n].reshape((n, 3)),
        dynamics_offset=numbers[9 * n : 12 * n].reshape((n, 3)),
        mass=numbers[12 * n : 13 * n],
        center_of_mass=numbers[13 * n : 16 * n].reshape((n, 3)),
        inertia=numbers[16 * n : 25 * n].reshape((n, 3, 3)),
        rotor_inertia=numbers[25 * n : 26 * n],
        friction=numbers[26 * n : 30 * n].reshape((n, 4)),
        gravity=numbers[30 * n : 30 * n + 3],
        tool=numbers[30 * n + 3 : 30 * n + 19].reshape((4, 4)),
        position_limits=numbers[30 * n + 19 : 32 * n + 19].reshape((n, 2)),
        speed_limits=numbers[32 * n + 19 : 33 * n + 19],
        torque_limits=numbers[33 * n + 19 : 34 * n + 19],
        capsules=numbers[34 * n + 19 :].reshape(((numbers.size - 34 * n - 19) // 8, 8)),
    )


@inlined
def work_in(scratch, n):
    """Scratch arrays for an arm with ``n`` joints, as views of ``make_scratch``."""
    last = 55 + n * (43 + n)
    work = Work(
        turn=scratch[: 2 * n].reshape((n, 2)),
        rotation=scratch[2 * n : 11 * n].reshape((n, 3, 3)),
        origin=scratch[11 * n : 14 * n + 3].reshape((n + 1, 3)),
        tool=scratch[14 * n + 3 : 14 * n + 19].reshape((4, 4)),
        motion=scratch[14 * n + 19 : 20 * n + 19].reshape((n, 6)),
        composite=scratch[20 * n + 19 : 30 * n + 19].reshape((n, 10)),
        force=scratch[30 * n + 19 : 36 * n + 19].reshape((n, 6)),
        link=scratch[36 * n + 19 : 42 * n + 19].reshape((n, 6)),
        bias=scratch[42 * n + 19 : 43 * n + 19],
        mass_matrix=scratch[43 * n + 19 : 43 * n + 19 + n * n].reshape((n, n)),
        square=scratch[last - 36 : last].reshape((6, 6)),
        jacobian=scratch[last : last + 6 * n].reshape((6, n)),
        vector=scratch[last + 6 * n : last + 6 * n + 2 * max(n, 6)].reshape((2, max(n, 6))),
    )
    work.tool[3, 0] = work.tool[3, 1] = work.tool[3, 2] = 0.0
    work.tool[3, 3] = 1.0
    return work
