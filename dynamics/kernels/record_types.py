"""What a record is to Numba: the memory that its Python object lends, read and written by name.

``decorators`` loads it together with Numba. ``records`` has the decorator ``@record``.
"""

import ctypes
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel.models import RecordModel
from numba.extending import NativeValue, register_model, typeof_impl, unbox

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


register_model(RecordType)(RecordModel)


@typeof_impl.register(Record)
def _type_of(value: Record, context: Any) -> RecordType:
    return RecordType(type(value))


@unbox(RecordType)
def _lend(kind: RecordType, value: Any, context: Any) -> NativeValue:
    """The memory of a record, borrowed as Python's own buffers are, for as long as the call lasts."""
    api, builder, number = context.pyapi, context.builder, ir.IntType(32)
    buffer = api.alloca_buffer()
    borrow = ir.FunctionType(number, [api.pyobj, buffer.type, number])
    failed = builder.call(
        api._get_function(borrow, "PyObject_GetBuffer"), (value, buffer, number(0))
    )
    begins_with_address = ir.PointerType(context.context.get_value_type(kind))
    address = builder.load(builder.bitcast(buffer, begins_with_address))
    return NativeValue(
        address,
        is_error=cgutils.is_not_null(builder, failed),
        cleanup=lambda: api.release_buffer(buffer),
    )
