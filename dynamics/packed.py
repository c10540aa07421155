"""What a call from Python hands to a kernel: flat arrays, all numbers of the arm in one of them.

Handing over a record of fifteen arrays costs ten times what one call of ``inverse_dynamics`` computes. So the arrays
of an arm that ``together`` made lie one behind the other in a single one, and a kernel finds them again (``arm_in``);
the same with its scratch arrays (``work_in``). A public function asks its kernel for one row of plain numbers of an
arm that is ``KNOWN``; what the kernel refuses goes to ``in_rows``.
"""

import numpy as np

from dynamics.arm import Arm, joint_count
from dynamics.batches import as_rows, rows_like
from dynamics.errors import BadInput
from dynamics.kernels.decorators import Packed, inlined
from dynamics.kernels.views import view
from dynamics.work import Work

KNOWN: dict[int, tuple[np.ndarray, int, Arm]] = {}  # numbers and joints of an arm by its identity; here it is kept
_MOST_KNOWN = 64
_MOST_JOINTS = 16  # of an arm for whose scratch arrays a kernel has room: ``room_for(16)`` is ``ROOM``
_FLOAT = np.dtype(np.float64)


def together(arm: Arm) -> Arm:
    """The same arm, with arrays that lie one behind the other in one; calls with it are the fastest.

    Raises ``BadInput``: the arrays do not fit each other.
    """
    n = joint_count(arm)
    numbers = np.concatenate([np.ravel(array) for array in arm]).astype(np.float64)
    return arm_in.__wrapped__(numbers, n)  # type: ignore[attr-defined]


def numbers_of(arm: Arm) -> tuple[np.ndarray, int]:
    """All numbers of an arm in one array, in the order of its fields, and how many joints it has.

    Looked at once where its arrays lie together; else a copy for one call, since they may be written to.
    """
    try:
        return KNOWN[id(arm)][:2]
    except KeyError:
        n, numbers = joint_count(arm), _one_array(arm)
    if numbers is None:
        return np.concatenate([np.ravel(array) for array in arm]).astype(np.float64), n
    if len(KNOWN) >= _MOST_KNOWN:
        KNOWN.clear()
    KNOWN[id(arm)] = numbers, n, arm
    return numbers, n


def _one_array(arm: Arm) -> np.ndarray | None:
    """The array of which those of an arm are views, in order and without a gap; None if there is none."""
    numbers, shape = arm.dh.base, (sum(array.size for array in arm),)
    if type(numbers) is not np.ndarray or numbers.shape != shape or numbers.dtype != _FLOAT or not numbers.flags.carray:
        return None
    views = arm_in.__wrapped__(numbers, len(arm.dh))  # type: ignore[attr-defined]
    same = [array.__array_interface__ == view.__array_interface__ for array, view in zip(arm, views, strict=True)]
    return numbers if all(same) else None


def in_rows(
    kernel: Packed, arm: Arm, one: tuple[int, ...], out: np.ndarray | None, *wrench: object, **rows: object
) -> np.ndarray:
    """What a kernel gives for ``rows`` (..., n) by name; where they are plain, its caller asks it directly.

    The kernel takes an arm's numbers, joints, the rows, the wrenches (..., 6) where it takes them, the result, in
    whose shape ``one`` all but the last dimension are one, and scratch numbers. ``out`` takes the result (..., one),
    by default a new array.
    """
    numbers, n = numbers_of(arm)
    arrays, lead = as_rows(n, **rows)
    arrays += [rows_like(outside, 6, "wrench", lead) for outside in wrench if outside is not None]
    result = np.empty((*lead, *one))
    target = result if out is None else _fitting(out, result.shape)
    if out is not None and not any(np.may_share_memory(target, array) for array in (numbers, *arrays)):
        result = target
    flat = [array.reshape(-1) for array in arrays] + [None for outside in wrench if outside is None]
    if result.size:
        kernel.entry(numbers, n, *flat, result.reshape(-1, *one[1:]), np.empty(room_for(n)))
    if result is not target:  # its memory is that of an argument
        target[...] = result
    return target if out is None else out


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
def row_count(room, q, n):
    """How many rows a kernel is asked for: one where it has ``room`` of its own, if that suffices."""
    if room.size > 0:
        return q.size // n
    return 1 if n <= _MOST_JOINTS else -1


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
