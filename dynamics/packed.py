"""What a call from Python hands to a kernel: flat arrays, all numbers of the arm in one of them.

Handing over a record of fifteen arrays costs ten times what one call of ``inverse_dynamics``
computes. The arrays of an ``Arm`` lie one behind the other in a single one, ``arm.dh.base``, and a
kernel finds them again (``arm_in``); the same with scratch arrays (``work_in``). A public function
asks its kernel for one row of plain numbers; what the kernel refuses goes to ``in_rows``.
"""

import numpy as np

from dynamics.arm import PLACES, Arm, joint_count
from dynamics.batches import as_rows, rows_like
from dynamics.errors import BadInput
from dynamics.kernels.decorators import Packed, inlined
from dynamics.kernels.views import view
from dynamics.work import room_for

# of an arm for whose scratch arrays a kernel has room: ``room_for(16)`` is ``ROOM``
MOST_JOINTS = 16
_FLOAT = np.dtype(np.float64)


def in_rows(
    kernel: Packed,
    arm: Arm,
    one: tuple[int, ...],
    out: np.ndarray | None,
    *wrench: object,
    **rows: object,
) -> np.ndarray:
    """What a kernel gives for ``rows`` (..., n) by name.

    Where they are plain, its caller asks it directly. The kernel takes an arm's numbers, joints,
    the rows, the wrenches (..., 6) where it takes them, the result, in whose shape ``one`` all but
    the last dimension are one, and scratch numbers. ``out`` takes the result (..., one), by default
    a new array.
    """
    n, numbers = joint_count(arm), arm.dh.base
    arrays, lead = as_rows(n, **rows)
    arrays += [rows_like(outside, 6, "wrench", lead) for outside in wrench if outside is not None]
    result = np.empty((*lead, *one))
    target = result if out is None else _fitting(out, result.shape)
    if out is not None and not any(
        np.may_share_memory(target, array) for array in (numbers, *arrays)
    ):
        result = target
    flat = [array.reshape(-1) for array in arrays] + [None for outside in wrench if outside is None]
    if result.size:
        kernel.entry(numbers, n, *flat, result.reshape(-1, *one[1:]), np.empty(room_for(n)))
    if result is not target:  # its memory is that of an argument
        target[...] = result
    return target if out is None else out


def _fitting(out: object, shape: tuple[int, ...]) -> np.ndarray:
    """An array that the caller hands over, if it can take a result."""
    if (
        isinstance(out, np.ndarray)
        and out.shape == shape
        and out.dtype == _FLOAT
        and out.flags.carray
    ):
        return np.asarray(out)
    found = f"{out.dtype} of shape {out.shape}" if isinstance(out, np.ndarray) else out
    allowed = f"float64 of shape {shape}, contiguous and writable"
    raise BadInput("out cannot take the result", found=found, allowed=allowed)


@inlined
def row_count(room, q, n):
    """How many rows a kernel is asked for.

    One where it has ``room`` of its own, if that suffices.
    """
    if room.size > 0:
        return q.size // n
    return 1 if n <= MOST_JOINTS else -1


@inlined
def arm_in(numbers, n):
    """The arm whose numbers these are; its arrays are views."""
    last = _place(PLACES.capsules, n)
    return Arm(
        dh=view(numbers, 0, (n, 4)),
        twist=view(numbers, _place(PLACES.twist, n), (n, 2)),
        offset=view(numbers, _place(PLACES.offset, n), (n, 3)),
        dynamics_offset=view(numbers, _place(PLACES.dynamics_offset, n), (n, 3)),
        mass=view(numbers, _place(PLACES.mass, n), (n,)),
        center_of_mass=view(numbers, _place(PLACES.center_of_mass, n), (n, 3)),
        inertia=view(numbers, _place(PLACES.inertia, n), (n, 3, 3)),
        rotor_inertia=view(numbers, _place(PLACES.rotor_inertia, n), (n,)),
        friction=view(numbers, _place(PLACES.friction, n), (n, 4)),
        presliding=view(numbers, _place(PLACES.presliding, n), (n,)),
        gravity=view(numbers, _place(PLACES.gravity, n), (3,)),
        tool=view(numbers, _place(PLACES.tool, n), (4, 4)),
        position_limits=view(numbers, _place(PLACES.position_limits, n), (n, 2)),
        speed_limits=view(numbers, _place(PLACES.speed_limits, n), (n,)),
        torque_limits=view(numbers, _place(PLACES.torque_limits, n), (n,)),
        capsules=view(numbers, last, ((numbers.size - last) // 8, 8)),
    )


@inlined
def _place(begin, n):
    return begin[0] * n + begin[1]
