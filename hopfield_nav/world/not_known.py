"""The mark of a value that nobody knows, because the file is at fault there.

What is checked in spite of that fault finds ``NOT_KNOWN`` in the value's place. It may be handed on; whoever makes
use of it, be it to compare, to count or to print it, is stopped by ``NotKnown``. A check that is stopped has nothing
to say: whatever it said would be a consequence of the first fault.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn, TypeVar

from dynamics import BadInput

_Checked = TypeVar("_Checked")


class NotKnown(Exception):
    """Something depends on a value that is not known."""


def _stop(*_: object, **__: object) -> NoReturn:
    raise NotKnown


def _itself(mark: Any, memo: object = None) -> Any:
    return mark


_USES = (
    "getattr", "getitem", "contains", "iter", "reversed", "len", "call", "bool", "int", "float", "complex",
    "index", "array", "fspath", "hash", "repr", "str", "format", "eq", "ne", "lt", "le", "gt", "ge",
    "neg", "pos", "abs", "invert", "round", "trunc", "floor", "ceil",
    "add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "divmod", "pow",
    "and", "or", "xor", "lshift", "rshift",
    "radd", "rsub", "rmul", "rmatmul", "rtruediv", "rfloordiv", "rmod", "rdivmod",
    "rpow", "rand", "ror", "rxor", "rlshift", "rrshift",
)  # fmt: skip
_KIND = type("_NotKnown", (), dict.fromkeys((f"__{use}__" for use in _USES), _stop) | {
    "__copy__": _itself, "__deepcopy__": _itself,
})  # fmt: skip
NOT_KNOWN: Any = _KIND()


def or_not_known(value: Any, handler: Callable[[Any], Any]) -> Any:
    """What a validator makes of a value, if all of it that it makes use of is known."""
    try:
        return value if value is NOT_KNOWN else handler(value)
    except NotKnown:
        return NOT_KNOWN


def faults_of(
    checks: Iterable[Callable[[_Checked], Iterable[BadInput] | None]], subject: _Checked
) -> Iterator[BadInput]:
    """What checks refuse, as far as what they read is known; each raises its fault, or yields several."""
    for check in checks:
        try:
            yield from check(subject) or ()
        except BadInput as error:
            yield error
        except NotKnown:
            continue
