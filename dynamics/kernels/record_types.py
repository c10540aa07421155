"""What a record is to Numba: the memory that its Python object lends, read and written by name.

``decorators`` loads it together with Numba. ``records`` has the decorator ``@record``. Where Numba
lacks a private part, a record tells its address as a number, which takes longer.
"""

import ctypes
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import NativeValue, models, register_model, typeof_impl, unbox

from dynamics.kernels.numba_parts import all_parts_are_there
from dynamics.kernels.records import Record

_NUMBERS = {
    ctypes.c_bool: types.boolean,
    ctypes.c_int64: types.int64,
    ctypes.c_double: types.float64,
    ctypes.c_uint64: types.uint64,
}


class RecordType(types.Record):
    """Numba's type of the records of a class."""

    def __init__(self, record: Any) -> None:
        self.record = record  # the class
        fields: list[Any] = [
            (name, {"type": _NUMBERS[number], "offset": getattr(record, name).offset})
            for name, number in record._fields_
        ]
        super().__init__(fields, ctypes.sizeof(record), True)


register_model(RecordType)(models.RecordModel)


@typeof_impl.register(Record)
def _type_of(value: Record, context: Any) -> RecordType:
    return RecordType(type(value))


def _lend(kind: RecordType, value: Any, context: Any) -> NativeValue:
    """The memory of a record, borrowed as Python's own buffers are, for as long as the call lasts."""
    api, builder = context.pyapi, context.builder
    buffer = api.alloca_buffer()
    failed = api.get_buffer(value, buffer)
    begins_with_address = ir.PointerType(context.context.get_value_type(kind))
    return NativeValue(
        builder.load(builder.bitcast(buffer, begins_with_address)),
        is_error=builder.icmp_signed("!=", failed, failed.type(0)),
        cleanup=lambda: api.release_buffer(buffer),
    )


def _look_up(kind: RecordType, value: Any, context: Any) -> NativeValue:
    """The memory of a record, whose object the caller holds."""
    api, builder = context.pyapi, context.builder
    number = api.object_getattr_string(value, "address")
    address = api.long_as_longlong(number)
    api.decref(number)
    return NativeValue(builder.inttoptr(address, context.context.get_value_type(kind)))


unbox(RecordType)(_lend if all_parts_are_there() else _look_up)
