"""Methods that run once per control period, compiled for the one signature of their kind."""

import dis
import re
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dynamics import BadInput, load_arm
from dynamics.kernels.decorators import first_class, load_numba
from dynamics.work import make_work
from hopfield_nav.plugin.gains import answering
from hopfield_nav.plugin.interfaces import make_sensed
from hopfield_nav.plugin.method import Method

if TYPE_CHECKING:
    import numba


class Applied(NamedTuple):
    """A method as the loop is handed it."""

    kernel: Callable  # its compiled function
    parameters: np.ndarray  # packed in the order of its declaration
    memory: np.ndarray  # what it keeps between periods


@cache
def signature(kind: str) -> "numba.core.typing.Signature":
    """Numba's signature of the methods of a kind, one of ``KINDS``."""
    numba = load_numba()
    arm = numba.typeof(load_arm("ur5_ragazzon2012"))
    sensed = numba.typeof(make_sensed(6))
    work = numba.typeof(make_work(6))
    vector = numba.types.float64[::1]
    results = {
        "controller": (numba.types.int64, vector),
        "estimator": (numba.types.int64, vector, vector),
        "detector": (numba.types.float64, vector, vector),
    }
    answer, *arrays = results[kind]
    return answer(arm, sensed, vector, vector, work, *arrays)


@cache
def compiled(method: Method) -> Callable:
    """The method as a first-class compiled function, compiled when it is first asked for.

    Raises ``BadInput``: its kernel is no function, or one that raises; or Numba cannot compile it
    for the signature of its kind.
    """
    if not callable(method.kernel):
        raise BadInput(f"the {method.title} has no function as its kernel", found=method.kernel)
    if _raises(method.kernel):
        raise BadInput(
            f"the {method.title} raises errors, which nobody would hear of",
            allowed="numbers for every input",
        )
    wanted = signature(method.kind)
    refusals = (load_numba().core.errors.NumbaError, TypeError, RuntimeError)
    # First as one that makes no array, which is faster.
    with suppress(*refusals):
        return first_class(wanted, method.kernel, into_c=True)
    try:
        return first_class(wanted, method.kernel, into_c=True, allocates=True)
    except refusals as error:
        raise BadInput(f"the {method.title} cannot be compiled: {_cause(error)}") from error


def _raises(kernel: Callable) -> bool:
    """Whether the function's own code has a ``raise``."""
    function = getattr(kernel, "py_func", kernel)
    code = getattr(function, "__code__", None)
    if code is None:
        return False
    return any(step.opname == "RAISE_VARARGS" for step in dis.get_instructions(code))


def applied(method: Method, values: dict[str, object], n: int) -> Applied:
    """A method ready for an arm with ``n`` joints.

    It is compiled, its parameters are packed from ``values`` by name, and its memory is empty.

    Raises ``BadInput``: it cannot be compiled, a value is refused, or ``memory`` raises.
    """
    with answering(method, "memory"):
        memory = np.zeros(method.memory(n))
    return Applied(compiled(method), method.pack(values, n), memory)


def type_of(record: object) -> "numba.types.Type":
    """Numba's type of a number, an array or a record of them.

    A type in a record stands for itself.
    """
    numba = load_numba()
    if isinstance(record, numba.types.Type):
        return record
    if isinstance(record, tuple) and hasattr(record, "_fields"):
        return numba.types.BaseTuple.from_types([type_of(field) for field in record], type(record))
    return numba.typeof(record)


def applied_type(kind: str) -> Any:
    """Numba's type of ``Applied`` for the methods of a kind.

    In a record that is given to ``type_of`` it takes the place of an ``Applied``.
    """
    function = load_numba().types.FunctionType(signature(kind))
    return type_of(Applied(function, np.zeros(0), np.zeros(0)))


_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")  # colours, where a package for them is installed


def _cause(error: Exception) -> str:
    """What Numba complains of, and the line of the user's file, out of its many lines."""
    plain = _ESCAPES.sub("", str(error))
    lines = [line.strip() for line in plain.splitlines() if line.strip()]
    complaints = [line for line in lines if not line.startswith("Failed in")]
    complaint = complaints[0] if complaints else type(error).__name__
    places = [line for line in lines if line.startswith("File ")]
    if not places:
        return complaint
    return f"{complaint} ({places[-1].rstrip(':')})"
