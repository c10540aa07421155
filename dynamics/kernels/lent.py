"""What the arguments of ``Packed`` kernels are to Numba; ``decorators`` loads it together with Numba.

Numba finds out the type of every array of a call before it takes it apart, 0.03 µs. Here the code
that takes it apart also looks whether it is what the kernel is compiled for, 0.003 µs: an
``ndarray`` itself of float64 in the machine's order of bytes, C-contiguous, aligned and writable.
``TypeError`` refuses all else. Where the fields of arrays and types lie NumPy promises to whoever
compiles with its headers.
"""

import functools
import struct
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import NativeValue, models, register_model, unbox

from dynamics.kernels.view_types import fill

_POINTER = struct.calcsize("P")
_HEAD = object.__basicsize__  # of every object; its last pointer is the type
_DATA, _RANK, _SHAPE, _KIND, _FLAGS = (_HEAD + k * _POINTER for k in (0, 1, 2, 5, 6))  # of an array
_ORDER, _NUMBER = (_HEAD + _POINTER + k for k in (2, 4))  # of its kind: order of bytes, number
_PLAIN = 0x501  # flags: C-contiguous, aligned, writable
_FLOAT = np.dtype(np.float64)
_WORD, _INT, _BYTE, _BIT = (ir.IntType(size) for size in (8 * _POINTER, 32, 8, 1))

llvm.add_symbol(
    "numpy.ndarray", id(np.ndarray)
)  # code that is kept asks for its address by this name


class LentArray(types.Array):
    """An array that Python lends to a kernel; where it ``may_miss`` None too, as one of no numbers.

    While the kernel has one that lets ``others_run``, its last argument, other threads of Python
    run.
    """

    def __init__(self, rank: int, may_miss: bool = False, others_run: bool = False) -> None:
        self.may_miss, self.others_run = may_miss, others_run
        super().__init__(
            types.float64, rank, "C", name=f"LentArray({rank}, {may_miss}, {others_run})"
        )

    key = property(lambda self: self.name)


register_model(LentArray)(models.ArrayModel)


@unbox(LentArray)
def _lend(kind: LentArray, value: Any, context: Any) -> NativeValue:
    builder, api = context.builder, context.pyapi
    array = context.context.make_helper(builder, kind)
    none = builder.icmp_unsigned("==", value, api.borrow_none()) if kind.may_miss else _BIT(0)
    fits = _place_for(builder, _BIT)
    builder.store(none, fits)
    known = context.context.get_c_value(builder, _BYTE, "numpy.ndarray")
    type_of_value = _read(builder, value, _HEAD - _POINTER, known.type)
    is_array = builder.icmp_unsigned("==", type_of_value, known)
    with builder.if_then(is_array), builder.if_then(_is_plain(builder, value, kind.ndim)):
        lengths = _read(builder, value, _SHAPE, value.type)
        shape = [_read(builder, lengths, axis * _POINTER, _WORD) for axis in range(kind.ndim)]
        fill(builder, array, _read(builder, value, _DATA, array.data.type), shape)
        has_some = builder.icmp_unsigned("!=", array.nitems, _WORD(0))
        builder.store(has_some if kind.may_miss else _BIT(1), fits)
    refused = builder.not_(builder.load(fits))
    with builder.if_then(refused, likely=False):
        api.err_set_string("PyExc_TypeError", "not what the kernel is compiled for")
    others = _BIT(0)
    if kind.others_run:
        others = builder.and_(builder.load(fits), builder.not_(none))
    thread = _place_for(builder, api.voidptr)
    with builder.if_then(others, likely=False):
        builder.store(api.save_thread(), thread)

    def end() -> None:
        with builder.if_then(others, likely=False):
            api.restore_thread(builder.load(thread))

    return NativeValue(array._getvalue(), is_error=refused, cleanup=end)


def _place_for(builder: Any, kind: Any) -> Any:
    """Where a value of the function's own lies."""
    with builder.goto_entry_block():
        return builder.alloca(kind)


def _is_plain(builder: Any, array: Any, rank: int) -> Any:
    kind = _read(builder, array, _KIND, array.type)
    flags = builder.and_(_read(builder, array, _FLAGS, _INT), _INT(_PLAIN))
    ranks, number = _read(builder, array, _RANK, _INT), _read(builder, kind, _NUMBER, _INT)
    asked = [
        (ranks, rank),
        (flags, _PLAIN),
        (number, _FLOAT.num),
        (_read(builder, kind, _ORDER, _BYTE), ord("=")),
    ]
    return functools.reduce(
        builder.and_, [builder.icmp_signed("==", value, value.type(w)) for value, w in asked]
    )


def _read(builder: Any, begin: Any, place: int, kind: Any) -> Any:
    """What lies so many bytes behind the beginning of an object."""
    return builder.load(
        builder.inttoptr(
            builder.add(builder.ptrtoint(begin, _WORD), _WORD(place)), kind.as_pointer()
        )
    )
