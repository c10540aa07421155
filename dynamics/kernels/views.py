"""A part of a flat array as an array of any shape: what ``reshape`` gives, without its search for strides.

Numba's ``reshape`` asks a function that knows every layout, 20 ns for each array, where a call takes thirty of them;
a row of numbers without gaps has but one answer. ``decorators`` lets Numba know of it.
"""

import math

import numpy as np


def view(numbers: np.ndarray, start: int, shape: tuple[int, ...]) -> np.ndarray:
    """The numbers from ``start`` on, as an array of that shape; compiled, no look whether they suffice."""
    return numbers[start : start + math.prod(shape)].reshape(shape)


def let_numba_compile() -> None:
    """Tell Numba what ``view`` is in compiled code: the same memory, with lengths and strides of its own."""
    from numba import types
    from numba.core import cgutils
    from numba.core.imputils import impl_ret_borrowed
    from numba.extending import lower_builtin, type_callable
    from numba.np.arrayobj import make_array, populate_array

    @type_callable(view)
    def _(context):
        def typer(numbers, start, shape):
            made = numbers.copy(ndim=len(shape))
            return made(numbers, types.intp, types.UniTuple(types.intp, len(shape)))

        return typer

    @lower_builtin(view, types.Array, types.Integer, types.BaseTuple)
    def _(context, builder, signature, arguments):
        source = make_array(signature.args[0])(context, builder, arguments[0])
        made = make_array(signature.return_type)(context, builder)
        shape = cgutils.unpack_tuple(builder, arguments[2])
        strides = [source.itemsize]
        for length in shape[:0:-1]:
            strides.insert(0, builder.mul(length, strides[0]))
        first = builder.gep(source.data, [arguments[1]])
        populate_array(made, first, shape, strides, source.itemsize, source.meminfo, source.parent)
        return impl_ret_borrowed(context, builder, signature.return_type, made._getvalue())
