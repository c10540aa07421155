"""How kernels call a function that was compiled on its own: by a symbol that the linker knows.

Numba can call one so that takes and gives single numbers (``types.ExternalFunction``); here arrays, tuples and
records go in and come out as they are. Code that is kept holds the symbol, not the address, which is another in each
process: who calls a kernel has told the linker before (``decorators``).
"""

import inspect
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba import types
from numba.core.cgutils import get_or_insert_function
from numba.core.typing import Signature
from numba.core.typing.templates import make_intrinsic_template


def external_type(function: Callable, signature: Signature) -> Any:
    """What Numba takes ``function`` for in a kernel: something of a signature to call by its symbol."""

    def call(context: Any, builder: Any, _: Signature, arguments: Any) -> Any:
        kinds = [context.get_value_type(kind) for kind in signature.args]
        kind = ir.FunctionType(context.get_value_type(signature.return_type), kinds)
        return builder.call(get_or_insert_function(builder.module, kind, _symbol(function)), arguments)

    def define(typing: Any, *arguments: Any) -> tuple[Signature, Callable] | None:
        taken = all(typing.can_convert(*both) is not None for both in zip(arguments, signature.args, strict=True))
        return (signature, call) if taken else None

    names = ["typing", *inspect.signature(function).parameters]
    either = inspect.Parameter.POSITIONAL_OR_KEYWORD
    define.__signature__ = inspect.Signature([inspect.Parameter(name, either) for name in names])  # type: ignore[attr-defined]
    return types.Function(make_intrinsic_template(function, define, function.__name__))


def tell_linker(function: Callable, code: Any) -> None:
    """Let the linker find what ``numba.cfunc`` made of ``function``, which has to be kept."""
    llvm.add_symbol(_symbol(function), code.address)


def _symbol(function: Callable) -> str:
    return f"{function.__module__}.{function.__qualname__}"
