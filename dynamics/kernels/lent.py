"""What ``Packed`` kernels, ``view`` and ``room_here`` are to Numba; ``decorators`` loads it together with Numba.

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
from numba.core import cgutils
from numba.core.datamodel.models import ArrayModel
from numba.core.imputils import impl_ret_borrowed
from numba.extending import NativeValue, lower_builtin, register_model, type_callable, unbox
from numba.np.arrayobj import make_array, populate_array

from dynamics.kernels.views import ROOM, room_here, view

_POINTER = struct.calcsize("P")
_HEAD = object.__basicsize__  # of every object; its last pointer is the type
_DATA, _RANK, _SHAPE, _KIND, _FLAGS = (_HEAD + k * _POINTER for k in (0, 1, 2, 5, 6))  # of an array
_ORDER, _NUMBER = (_HEAD + _POINTER + k for k in (2, 4))  # of its kind: order of bytes, number
_PLAIN = 0x501  # flags: C-contiguous, aligned, writable
_FLOAT = np.dtype(np.float64)
_WORD, _INT, _BYTE = ir.IntType(8 * _POINTER), ir.IntType(32), ir.IntType(8)

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


register_model(LentArray)(ArrayModel)


@unbox(LentArray)
def _lend(kind: LentArray, value: Any, context: Any) -> NativeValue:
    builder, api, array = (
        context.builder,
        context.pyapi,
        make_array(kind)(context.context, context.builder),
    )
    none = (
        builder.icmp_unsigned("==", value, api.borrow_none())
        if kind.may_miss
        else cgutils.false_bit
    )
    fits = cgutils.alloca_once_value(builder, none)
    known = context.context.get_c_value(builder, _BYTE, "numpy.ndarray")
    is_array = builder.icmp_unsigned(
        "==", _read(builder, value, _HEAD - _POINTER, known.type), known
    )
    with builder.if_then(is_array), builder.if_then(_is_plain(builder, value, kind.ndim)):
        lengths = _read(builder, value, _SHAPE, value.type)
        shape = [_read(builder, lengths, axis * _POINTER, _WORD) for axis in range(kind.ndim)]
        _populate(builder, array, _read(builder, value, _DATA, array.data.type), shape)
        builder.store(
            cgutils.is_not_null(builder, array.nitems) if kind.may_miss else cgutils.true_bit, fits
        )
    refused = builder.not_(builder.load(fits))
    with builder.if_then(refused, likely=False):
        api.err_set_string("PyExc_TypeError", "not what the kernel is compiled for")
    others = (
        builder.and_(builder.load(fits), builder.not_(none))
        if kind.others_run
        else cgutils.false_bit
    )
    thread = cgutils.alloca_once(builder, api.voidptr)
    with builder.if_then(others, likely=False):
        builder.store(api.save_thread(), thread)

    def end() -> None:
        with builder.if_then(others, likely=False):
            api.restore_thread(builder.load(thread))

    return NativeValue(array._getvalue(), is_error=refused, cleanup=end)


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


def _populate(builder: Any, array: Any, data: Any, shape: list) -> Any:
    strides = [_WORD(_FLOAT.itemsize)]
    for length in shape[:0:-1]:
        strides.insert(0, builder.mul(length, strides[0]))
    populate_array(array, data, shape, strides, strides[-1], None)
    return array._getvalue()


@type_callable(view)
def _type_of_view(context: Any) -> Any:
    def typer(numbers, start, shape):
        made = numbers.copy(ndim=len(shape))
        return made(numbers, types.intp, types.UniTuple(types.intp, len(shape)))

    return typer


@lower_builtin(view, types.Array, types.Integer, types.BaseTuple)
def _view(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    source = make_array(signature.args[0])(context, builder, arguments[0])
    made, first = (
        make_array(signature.return_type)(context, builder),
        builder.gep(source.data, [arguments[1]]),
    )
    shape = cgutils.unpack_tuple(builder, arguments[2])
    return _populate(
        builder, made, first, shape
    )  # nobody's memory: callers that count references leave it alone


type_callable(room_here)(lambda context: lambda room: types.Array(types.float64, 1, "C"))


@lower_builtin(room_here, types.Array)
def _room_here(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    given = make_array(signature.args[0])(context, builder, arguments[0])
    with builder.goto_entry_block():  # not ``cgutils.alloca_once``, which writes zeros
        here = builder.alloca(ir.ArrayType(ir.DoubleType(), ROOM))
    missing = builder.icmp_signed("==", given.nitems, _WORD(0))
    data = builder.select(missing, builder.bitcast(here, given.data.type), given.data)
    made = make_array(signature.return_type)(context, builder)
    row = _populate(builder, made, data, [builder.select(missing, _WORD(ROOM), given.nitems)])
    return impl_ret_borrowed(context, builder, signature.return_type, row)
