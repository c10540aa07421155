"""The one place that decides how kernels are compiled.

``kernel`` is the decorator of every compiled function of both packages. ``cache`` says where
compiled code is kept.
"""

import functools
import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NewType, get_args, get_origin, get_type_hints

import numpy as np

from dynamics.kernels.cache import cache_folder
from dynamics.kernels.checksums import digest
from dynamics.kernels.contents import Unreadable
from dynamics.kernels.numba_parts import all_parts_are_there, can_force_inlining
from dynamics.kernels.reads import key_of, reads_of
from dynamics.kernels.settings_here import without_settings_here

if TYPE_CHECKING:
    import numba

COMPILE_OPTIONS: dict[str, Any] = {
    "cache": True,
    "error_model": "numpy",  # x/0 gives inf; kernels report a status and never raise
    "fastmath": {"contract"},  # a·b + c in one rounding; no flag that breaks NaN guards
    "nogil": True,
}
Table = NewType("Table", np.ndarray)  # of float64 in rows, (k, m)
Room = NewType(
    "Room", np.ndarray
)  # scratch numbers, with which other threads of Python run; or None, for one row
MayMiss = NewType("MayMiss", np.ndarray)  # numbers in a row, or None
_PACKAGES = ("dynamics", "hopfield_nav")  # whose code is compiled for our processor
_RANKS: dict[Any, int] = {np.ndarray: 1, Table: 2, MayMiss: 1, Room: 1}


@functools.cache
def kernel_options() -> dict[str, Any]:
    """The options of every kernel."""
    if not all_parts_are_there():
        return COMPILE_OPTIONS
    return {**COMPILE_OPTIONS, "no_cfunc_wrapper": True}  # nobody calls a kernel as C does


@functools.cache
def loop_options() -> dict[str, Any]:
    """The options of kernels that allocate nothing.

    They need no reference counting, which costs more than their arithmetic.
    """
    load_numba()
    if not all_parts_are_there():
        return COMPILE_OPTIONS
    return {**kernel_options(), "_nrt": False}


class Kernel:
    """A function that Numba compiles when it is first called; until then Numba is not even loaded.

    It has the options of the whole project. Other kernels call it by its name as they call any
    compiled function; Numba's own is ``dispatcher``.
    """

    __wrapped__: Callable
    has_types = False  # whether its annotations say for which types it is compiled

    def __init__(self, function: Callable) -> None:
        functools.update_wrapper(self, function)

    @functools.cached_property
    def dispatcher(self) -> Callable:  # noqa: D102  (an attribute of the class)
        return _njit(self.__wrapped__, kernel_options())

    def __call__(self, *arguments: Any) -> Any:  # noqa: D102
        return self.dispatcher(*arguments)


class Inlined(Kernel):
    """A step that is compiled into each of its callers.

    For the innermost loop: handing over a record of arrays by value costs as much as the arithmetic
    of a small kernel. Neither it nor what it calls may allocate. Called from Python
    it is compiled once more, as a kernel.
    """

    _keeps = True  # whether its compiled code is kept

    @functools.cached_property
    def dispatcher(self) -> Callable:  # noqa: D102
        options = {**loop_options(), "cache": self._keeps}
        if can_force_inlining():
            options["forceinline"] = True
        if all_parts_are_there():
            from dynamics.kernels.our_compiler import InlineCompiler

            options["no_cpython_wrapper"] = True
            options["pipeline_class"] = InlineCompiler
        return _njit(self.__wrapped__, options)

    def __call__(self, *arguments: Any) -> Any:  # noqa: D102
        return self._called(*arguments)

    @functools.cached_property
    def _called(self) -> Callable:
        return _njit(self.__wrapped__, {**loop_options(), "cache": self._keeps})


class Written(Inlined):
    """An inlined step that is written at run time, and gives parts of arrays: from Python it is called as it is."""

    _keeps = False  # a file of sources is what code is kept for

    def __call__(self, *arguments: Any) -> Any:  # noqa: D102
        return self.__wrapped__(*arguments)


class Shared(Inlined):
    """A step with code of its own that kernels call by a symbol, so that none of them compiles it again.

    Compiled for the types that it is annotated with. For steps that take long to compile and are
    called from many places, with few arguments: a call costs some nanoseconds. Neither it nor what
    it calls may allocate; no argument has a default. Called from Python it is an ``Inlined`` one;
    and so it is where a private part of Numba is missing.
    """

    has_types = True

    def __init__(self, function: Callable) -> None:
        super().__init__(function)
        _TO_LINK.append(self)

    @functools.cached_property
    def external(self) -> Any:
        """Its type in kernels."""
        from dynamics.kernels.our_compiler import external_type

        return external_type(self.__wrapped__, _signature(self.__wrapped__))

    def link(self) -> None:
        """Tell the linker where the code is; a caller's code that was kept asks for it by its symbol."""
        from dynamics.kernels.our_compiler import tell_linker

        self._code = first_class(_signature(self.__wrapped__), self.__wrapped__)
        tell_linker(self.__wrapped__, self._code)


_TO_LINK: list[Shared] = []  # the shared steps of loaded files that no kernel could call yet


class Packed(Kernel):
    """A kernel that Python calls by its ``entry``, which raises ``TypeError`` for arguments of all other types.

    It takes few and flat arrays (``dynamics.packed``), may not allocate, and returns whether they
    are as long as they should be, or nothing. Compiled for the types that its parameters are
    annotated with: ``int``, ``Table``, ``np.ndarray`` for numbers in a row, ``MayMiss``, where None
    is no numbers and an array has some, and last ``Room``. A refusal takes 0.3 µs. Where Numba is
    switched off, or lacks a part, calls without room are refused, and others not looked at.
    """

    entry: Callable

    def __getattr__(self, name: str) -> Any:
        """Its ``entry``, when it is first asked for; Python finds an attribute quicker than a property."""
        if name != "entry":
            raise AttributeError(name)
        self.entry = self.dispatcher
        return self.entry

    @functools.cached_property
    def dispatcher(self) -> Callable:  # noqa: D102
        errors = load_numba().core.errors
        lent = _linking()
        loop = compile_loop(_signature(self.__wrapped__, lent), self.__wrapped__, not lent)
        if lent:
            return unchecked_call(loop)
        nothing = np.empty(0)

        def looked_at(*arguments: Any) -> Any:
            if _jit_is_off() and arguments[-1] is None:
                raise TypeError("Python itself looks at no types")
            try:
                return loop(*[nothing if given is None else given for given in arguments])
            except errors.NumbaError as error:
                raise TypeError("not what the kernel is compiled for") from error

        return looked_at


def _signature(function: Callable, lent: bool = False) -> Any:
    """The types that a function is annotated with, to Numba; ``lent``: with arrays as Python's own lie in memory."""
    *kinds, result = get_type_hints(function).values()
    return _numba_type(result)(*(_numba_type(kind, lent) for kind in kinds))


def _numba_type(hint: Any, lent: bool = False) -> Any:
    types = load_numba().types
    if get_origin(hint) is tuple:
        return types.BaseTuple.from_types([_numba_type(part) for part in get_args(hint)])
    if hint not in _RANKS:
        return {
            int: types.int64,
            float: types.float64,
            bool: types.boolean,
            type(None): types.void,
        }[hint]
    if not lent:
        return types.Array(types.float64, _RANKS[hint], "C")
    from dynamics.kernels.lent import LentArray

    return LentArray(_RANKS[hint], hint in (MayMiss, Room), hint is Room)


kernel, inlined, shared, packed = Kernel, Inlined, Shared, Packed  # as decorators


def first_class(
    signature: "numba.core.typing.Signature",
    function: Callable,
    into_c: bool = False,
    allocates: bool = False,
) -> Callable:
    """Compile ``function`` now for one signature, as a value that other kernels can be handed.

    ``into_c``: into the C function that calls it, for one that is handed large records, which are
    copied once less. ``allocates``: it makes arrays.
    """
    if _jit_is_off():  # cfunc would compile all the same
        return function
    numba = _linked_numba()
    options = dict(kernel_options() if allocates else loop_options())
    del options["nogil"]  # no option of a C function
    if all_parts_are_there():
        from dynamics.kernels.our_compiler import c_function

        del options["no_cfunc_wrapper"]
        options["forceinline"] = into_c
        return c_function(function, signature, _is_ours(function), **options)
    with _keeping_in(numba.config, function, options) as kept:
        return numba.cfunc(signature, **{**options, "cache": kept})(function)


def _is_ours(function: Callable) -> bool:
    return function.__module__.split(".")[0] in _PACKAGES


def _njit(function: Callable, options: dict[str, Any], *signature: Any) -> Callable:
    """As ``numba.njit``, for our processor and with our folder where Numba has the parts for that."""
    numba = _linked_numba()
    if all_parts_are_there() and not _jit_is_off():
        from dynamics.kernels.our_compiler import dispatcher

        return dispatcher(function, *signature, **options)
    with _keeping_in(numba.config, function, options) as kept:
        return numba.njit(*signature, **{**options, "cache": kept})(function)


@contextmanager
def _keeping_in(config: Any, function: Callable, options: dict[str, Any]) -> Iterator[bool]:
    """A block in which a function is handed to Numba whose code it is to keep; whether it can be kept.

    Numba looks at the function's own file alone, so what is read names the folder.
    """
    usual = config.CACHE_DIR
    try:
        key = key_of(reads_of(function))
    except Unreadable:
        yield False
        return
    config.CACHE_DIR = str(
        cache_folder() / "plain" / f"{key}-{digest(repr(sorted(options.items(), key=str)))}"
    )
    try:
        yield options["cache"]
    finally:
        config.CACHE_DIR = usual


def compile_loop(
    signature: "numba.core.typing.Signature", function: Callable, nogil: bool = True
) -> Callable:
    """Compile ``function`` now for one signature, without reference counting.

    The garbage collector stands still meanwhile: what Numba makes lives until it ends, and looking
    through it again and again is a tenth of the time.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        return _njit(function, {**loop_options(), "nogil": nogil}, signature)
    finally:
        if collects:
            gc.enable()


def unchecked_call(loop: Any) -> Callable:
    """What ``compile_loop`` has compiled, or a kernel's first call, called without a look at types of arguments.

    Finding out the type of nested records costs more than a short loop does. Who calls it hands
    over arrays of just the types and layout that it was compiled for: nothing looks any more.
    """
    loop = getattr(loop, "dispatcher", loop)
    versions = list(getattr(loop, "overloads", {}).values())
    if not versions or not all_parts_are_there():  # none: Numba is switched off
        return loop
    return versions[0].entry_point


def _linked_numba() -> Any:
    """Numba, with every shared step that a kernel may call where the linker finds it."""
    numba = load_numba()
    while _TO_LINK and _linking():
        _TO_LINK.pop().link()
    return numba


def _linking() -> bool:
    """Whether shared steps are called by their symbols."""
    return all_parts_are_there() and not _jit_is_off()


def _jit_is_off() -> bool:
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


@functools.cache
def load_numba() -> Any:
    """Numba, told what a ``Kernel``, a ``view``, a ``Record`` are.

    It looks for ``.numba_config.yaml`` in the current folder; that would change code and not the
    folder it is kept in.
    """
    with without_settings_here(".numba_config.yaml"):
        import numba
    from numba.extending import typeof_impl

    if all_parts_are_there():
        _load_without_linear_algebra()
        import dynamics.kernels.lent
        import dynamics.kernels.our_compiler
    import dynamics.kernels.record_types
    import dynamics.kernels.view_types  # noqa: F401

    cache_folder()  # named after the settings of this moment
    typeof_impl.register(Kernel, lambda value, context: typeof_impl(value.dispatcher, context))
    if all_parts_are_there():
        typeof_impl.register(Shared, lambda value, context: value.external)
    return numba


def _load_without_linear_algebra() -> None:
    """Let Numba load what it knows of arrays without all of SciPy's linear algebra, 0.2 s.

    It does so only to see whether that is there, and it is. Kernels that use it load it when
    compiled or called.
    """
    from numba.np import linalg

    look = linalg.ensure_blas
    setattr(linalg, "ensure_blas", lambda: None)  # noqa: B010  (to mypy a function stays what it is)
    try:
        import numba.np.arraymath  # noqa: F401  (what asks)
    finally:
        setattr(linalg, "ensure_blas", look)  # noqa: B010
