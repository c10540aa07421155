"""What a call from Python hands to a kernel: flat arrays, all numbers of the arm in one of them.

Handing over a record of fifteen arrays costs ten times what one call of ``inverse_dynamics`` computes. So the arrays
of an arm that ``together`` made lie one behind the other in a single one, and a kernel finds them again (``arm_in``);
the same with its scratch arrays (``work_in``). For the public functions of this package.
"""

import threading
from typing import NamedTuple

import numpy as np

from dynamics.arm import Arm, joint_count
from dynamics.batches import as_rows, rows_like
from dynamics.errors import BadInput
from dynamics.kernels.decorators import Packed, inlined
from dynamics.kernels.views import view
from dynamics.work import Work


class Numbers(NamedTuple):
    """What a kernel is told of an arm."""

    numbers: np.ndarray  # all of them in one array, in the order of the arm's fields
    n: int  # how many joints
    room: np.ndarray  # holds its scratch arrays (``work_in``); each thread has its own


class _Known(threading.local):
    def __init__(self) -> None:
        self.arms: dict[int, tuple[Arm, Numbers]] = {}  # by identity; who is held here keeps it


_KEPT = 64  # arms whose numbers are known to lie together
_FLOAT = np.dtype(np.float64)
NO_WRENCH = np.empty(0)  # instead of a wrench
_known = _Known()


def together(arm: Arm) -> Arm:
    """The same arm, with arrays that lie one behind the other in one; calls with it are the fastest.

    Raises ``BadInput``: the arrays do not fit each other.
    """
    joint_count(arm)
    numbers = np.concatenate([np.ravel(array) for array in arm]).astype(np.float64)
    ends = np.cumsum([np.size(array) for array in arm])
    parts = np.split(numbers, ends[:-1])
    return Arm(*(part.reshape(np.shape(array)) for part, array in zip(parts, arm, strict=True)))


def numbers_of(arm: Arm) -> Numbers:
    """What a kernel is told of an arm; looked at once where its arrays lie together."""
    try:
        return _known.arms[id(arm)][1]
    except KeyError:
        return _look_at(arm)


def _look_at(arm: Arm) -> Numbers:
    n, known = joint_count(arm), _known.arms
    numbers, room = _one_array(arm), np.empty(room_for(n))
    if numbers is None:  # a copy, made for this call alone: the arm's own may be written to
        return Numbers(np.concatenate([np.ravel(array) for array in arm]).astype(np.float64), n, room)
    if len(known) >= _KEPT:
        known.clear()
    known[id(arm)] = arm, Numbers(numbers, n, room)
    return known[id(arm)][1]


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


def in_rows(
    kernel: Packed, arm: Arm, one: tuple[int, ...], out: np.ndarray | None, *wrench: object, **rows: object
) -> np.ndarray:
    """What a kernel gives for ``rows`` (..., n) by name; where they are plain, its caller asks it directly.

    The kernel takes an arm's numbers, joints, how many rows, the rows, the numbers of a wrench (0 or 6) and the
    wrenches (..., 6) where it takes them, scratch numbers, and the result, in whose shape ``one`` all but the last
    dimension are one. ``out`` takes the result (..., one); by default a new array.
    """
    numbers, n, room = numbers_of(arm)
    arrays, lead = as_rows(n, **rows)
    flat = [array.reshape(-1) for array in arrays]
    for outside in wrench:
        flat += [NO_WRENCH if outside is None else rows_like(outside, 6, "wrench", lead).reshape(-1)]
    width = [6 * (outside is not None) for outside in wrench]
    result = np.empty((*lead, *one)) if out is None else _fitting(out, (*lead, *one))
    kernel.dispatcher(numbers, n, len(arrays[0]), *width, *flat, room, result.reshape(-1, *one[1:]))
    return result if out is None else out


def _fitting(out: object, shape: tuple[int, ...]) -> np.ndarray:
    """An array that the caller hands over, if it can take a result."""
    if isinstance(out, np.ndarray) and out.shape == shape and out.dtype == _FLOAT and out.flags.carray:
        return np.asarray(out)
    found = f"{out.dtype} of shape {out.shape}" if isinstance(out, np.ndarray) else out
    allowed = f"float64 of shape {shape}, contiguous and writable"
    raise BadInput("out cannot take the result", found=found, allowed=allowed)


def room_for(n: int) -> int:
    """How many numbers the scratch arrays of an arm with ``n`` joints take; what they hold is arbitrary."""
    return 55 + n * (49 + n) + 2 * max(n, 6)


@inlined
def arm_in(numbers, n):
    """The arm whose numbers these are; its arrays are views."""
    return Arm(
        dh=view(numbers, 0, (n, 4)),
        twist=view(numbers, 4 * n, (n, 2)),
        offset=view(numbers, 6 * n, (n, 3)),
        dynamics_offset=view(numbers, 9 * n, (n, 3)),
        mass=view(numbers, 12 * n, (n,)),
        center_of_mass=view(numbers, 13 * n, (n, 3)),
        inertia=view(numbers, 16 * n, (n, 3, 3)),
        rotor_inertia=view(numbers, 25 * n, (n,)),
        friction=view(numbers, 26 * n, (n, 4)),
        presliding=view(numbers, 30 * n, (n,)),
        gravity=view(numbers, 31 * n, (3,)),
        tool=view(numbers, 31 * n + 3, (4, 4)),
        position_limits=view(numbers, 31 * n + 19, (n, 2)),
        speed_limits=view(numbers, 33 * n + 19, (n,)),
        torque_limits=view(numbers, 34 * n + 19, (n,)),
        capsules=view(numbers, 35 * n + 19, ((numbers.size - 35 * n - 19) // 8, 8)),
    )


@inlined
def work_in(scratch, n):
    """Scratch arrays for an arm with ``n`` joints, as views of one with ``room_for(n)`` numbers."""
    last = 55 + n * (43 + n)
    work = Work(
        turn=view(scratch, 0, (n, 2)),
        rotation=view(scratch, 2 * n, (n, 3, 3)),
        origin=view(scratch, 11 * n, (n + 1, 3)),
        tool=view(scratch, 14 * n + 3, (4, 4)),
        motion=view(scratch, 14 * n + 19, (n, 6)),
        composite=view(scratch, 20 * n + 19, (n, 10)),
        force=view(scratch, 30 * n + 19, (n, 6)),
        link=view(scratch, 36 * n + 19, (n, 6)),
        bias=view(scratch, 42 * n + 19, (n,)),
        mass_matrix=view(scratch, 43 * n + 19, (n, n)),
        square=view(scratch, last - 36, (6, 6)),
        jacobian=view(scratch, last, (6, n)),
        vector=view(scratch, last + 6 * n, (2, max(n, 6))),
    )
    work.tool[3, 0] = work.tool[3, 1] = work.tool[3, 2] = 0.0
    work.tool[3, 3] = 1.0
    return work
