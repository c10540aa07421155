"""What ``view`` and ``room_here`` are to Numba; ``decorators`` loads it together with Numba.

It leans on no private part of Numba: arrays are what every type is in its own, a record of fields.
"""

import struct
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, type_callable

from dynamics.kernels.views import ROOM, room_here, view

_WORD = ir.IntType(8 * struct.calcsize("P"))
_BYTES = np.dtype(np.float64).itemsize  # of a number


def fill(builder: Any, array: Any, data: Any, shape: list) -> Any:
    """The C-contiguous array, nobody's memory, of numbers that begin at ``data``."""
    strides = [_WORD(_BYTES)]
    for length in shape[:0:-1]:
        strides.insert(0, builder.mul(length, strides[0]))
    array.shape = _row(builder, shape)
    array.strides = _row(builder, strides)
    array.data = data
    array.itemsize = strides[-1]
    array.meminfo = array.meminfo.type(None)
    array.parent = array.parent.type(None)
    count = _WORD(1)
    for length in shape:
        count = builder.mul(count, length, flags=["nsw"])
    array.nitems = count
    return array._getvalue()


def _row(builder: Any, values: list) -> Any:
    row = ir.ArrayType(_WORD, len(values))(ir.Undefined)
    for k, value in enumerate(values):
        row = builder.insert_value(row, value, k)
    return row


@type_callable(view)
def _type_of_view(context: Any) -> Any:
    def typer(numbers, start, shape):
        made = numbers.copy(ndim=len(shape))
        return made(numbers, types.intp, types.UniTuple(types.intp, len(shape)))

    return typer


@lower_builtin(view, types.Array, types.Integer, types.BaseTuple)
def _view(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    source = context.make_helper(builder, signature.args[0], arguments[0])
    made = context.make_helper(builder, signature.return_type)
    first = builder.gep(source.data, [arguments[1]])
    shape = [builder.extract_value(arguments[2], k) for k in range(signature.return_type.ndim)]
    # nobody's memory: callers that count references leave it alone
    return fill(builder, made, first, shape)


type_callable(room_here)(lambda context: lambda room: types.Array(types.float64, 1, "C"))


@lower_builtin(room_here, types.Array)
def _room_here(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    given = context.make_helper(builder, signature.args[0], arguments[0])
    with builder.goto_entry_block():  # written to by nobody before
        here = builder.alloca(ir.ArrayType(ir.DoubleType(), ROOM))
    missing = builder.icmp_signed("==", given.nitems, _WORD(0))
    data = builder.select(missing, builder.bitcast(here, given.data.type), given.data)
    made = context.make_helper(builder, signature.return_type)
    size = builder.select(missing, _WORD(ROOM), given.nitems)
    return fill(builder, made, data, [size])
