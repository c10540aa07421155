"""Numba for our functions alone: with a processor, settings and a folder of their own.

What else this process compiles with Numba, users' functions, keeps its processor, its settings and
its folders. Our code goes into the context that all of Numba shares, so that functions of both
kinds call each other; only while ours are compiled, under Numba's lock, it writes machine code for
our processor.
"""

import functools
import inspect
import itertools
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba import types
from numba.core import config
from numba.core.bytecode import FunctionIdentity
from numba.core.ccallback import CFunc
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.compiler import Compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher, cpu_target
from numba.core.typing.templates import make_intrinsic_template

from dynamics.kernels.checksums import digest
from dynamics.kernels.contents import Unreadable
from dynamics.kernels.digests import FIXED, target
from dynamics.kernels.kept_code import kept_code, words_of
from dynamics.kernels.reads import key_of, reads_of
from dynamics.kernels.settings_here import without_settings_here

_ENVIRONMENT = (
    "_ZN08NumbaEnv"  # how the names of those variables begin that Numba sets after compiling
)
_OWNER = "_CPUCodeLibrary__library"  # whom Numba hands the machine code of a module, to be cached


class _FixedCodegen(JITCPUCodegen):
    """Writes machine code for ``FIXED``."""

    def _get_host_cpu_name(self) -> str:
        return FIXED

    def _get_host_cpu_features(self) -> str:
        return ""


@functools.cache
def _our_codegen() -> JITCPUCodegen:
    return (_FixedCodegen if target() == FIXED else JITCPUCodegen)("hopfield_nav.exec")


def _settings() -> dict[str, Any]:
    return {name: value for name, value in vars(config).items() if name.isupper()}


def _settings_of_environment() -> dict[str, Any]:
    """Numba's settings without those of the current folder, and without what this process has set."""
    usual = _settings()
    try:
        with without_settings_here(".numba_config.yaml"):
            config._EnvReloader()
        return _settings()
    finally:
        vars(config).update(usual)


_OURS = {**_settings_of_environment(), "reload_config": lambda: None}


_known_as = FunctionIdentity.from_function
_COMPILED: list[
    tuple[Callable, str]
] = []  # what is being compiled, the innermost last; its options
_COUNT = itertools.count(1)


def _without_place(function: Callable) -> FunctionIdentity:
    """What Numba knows of a function, without the folders of its file, which errors that are compiled in tell.

    The names in its machine code tell what it reads, so that code of several processes can be
    loaded together: Numba counts functions in each of them.
    """
    identity = _known_as(function)
    identity.filename = "/".join(Path(identity.filename).parts[-2:])
    if (function.__module__ or "").split(".")[0] != "numba":
        with suppress(Unreadable):
            identity.unique_id = _unique(function)
            identity.unique_name = f"{identity.func_qualname}${identity.unique_id}"
    return identity


def _unique(function: Callable) -> str:
    """A name of what a function reads and its options; those of others, which are compiled along, are counted too."""
    reads = key_of(reads_of(function))
    if _COMPILED and _COMPILED[-1][0] is function:
        _, options = _COMPILED.pop()
        _COMPILED.append((_without_place, ""))  # asked again it is for a part of the function
        return digest(f"{reads} {options}")
    return f"{reads}x{next(_COUNT)}"


@contextmanager
def _as_ours(codegen: bool, function: Callable, options: str) -> Iterator[None]:
    """A block in which Numba compiles with the environment's settings and, if asked, for our processor."""
    context = cpu_target.target_context
    with global_compiler_lock:
        identity = vars(FunctionIdentity)["from_function"]
        usual = {name: getattr(config, name) for name in _OURS}, context._internal_codegen
        vars(config).update(_OURS)
        _COMPILED.append((function, options))
        try:
            if codegen:
                context._internal_codegen = _our_codegen()
            setattr(FunctionIdentity, "from_function", _without_place)  # noqa: B010  (to mypy a method stays)
            yield
        finally:
            _COMPILED.pop()
            vars(config).update(usual[0])
            context._internal_codegen = usual[1]
            setattr(FunctionIdentity, "from_function", identity)  # noqa: B010


class _Dispatcher(CPUDispatcher):
    """Numba's, whose versions are compiled and kept as ours."""

    options = ""  # all, in words

    def enable_caching(self) -> None:
        self._cache = kept_code(self.py_func, self.options)

    def compile(self, sig: Any) -> Any:
        with _as_ours(True, self.py_func, self.options):
            return super().compile(sig)


def dispatcher(
    function: Callable,
    signature: Any = None,
    cache: bool = True,
    pipeline_class: type = Compiler,
    **options: Any,
) -> Callable:
    """As ``numba.njit``; compiled now for a ``signature``, and for no other then."""
    options = {"nopython": True, "boundscheck": None, **options}
    made = _Dispatcher(function, targetoptions=options, pipeline_class=pipeline_class)
    made.options = words_of({**options, "pipeline_class": pipeline_class})
    if cache:
        made.enable_caching()
    if signature is not None:
        made.compile(signature)
        made.disable_compile()
    return made


def c_function(
    function: Callable,
    signature: Any,
    ours: bool,
    cache: bool,
    **options: Any,
) -> Callable:
    """As ``numba.cfunc``; what is not ``ours`` for the processor that its own functions are compiled for."""
    types_of_call = signature.args, signature.return_type
    made: Any = CFunc(function, types_of_call, {}, options)
    words = words_of({**options, "pipeline_class": CFunc})
    if cache:
        made._cache = kept_code(function, words)
    with _as_ours(ours, function, words):
        made.compile()
    return made


class _InlineLibrary(JITCodeLibrary):
    """The code of a function for others to link; what is compiled of it are the variables that Numba sets."""

    def _optimize_final_module(self) -> None:
        """Leave that to the callers."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        names = (
            v.name for v in self._final_module.global_variables if v.name.startswith(_ENVIRONMENT)
        )
        variables = llvm.parse_assembly(
            "".join(f'@"{name}" = common global i8* null\n' for name in names)
        )
        variables.name = self.name
        setattr(variables, _OWNER, weakref.proxy(self))
        self._variables = variables
        self._codegen._add_module(variables)
        self._codegen._engine.finalize_object()
        self._finalized = True


class InlineCompiler(Compiler):
    """Numba's compiler, into such a library."""

    def __init__(self, typing: Any, target: Any, library: Any, *rest: Any) -> None:
        if library is None:
            library = _InlineLibrary(target.codegen(), "inlined")
            library.enable_object_caching()
        super().__init__(typing, target, library, *rest)


def external_type(function: Callable, signature: Any) -> Any:
    """What Numba takes ``function`` for in a kernel: something of a signature to call by its symbol."""

    def call(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        kinds = [context.get_value_type(kind) for kind in signature.args]
        kind = ir.FunctionType(context.get_value_type(signature.return_type), kinds)
        symbol = _symbol(function)
        known = builder.module.globals.get(symbol)
        return builder.call(known or ir.Function(builder.module, kind, symbol), arguments)

    def define(typing: Any, *arguments: Any) -> tuple[Any, Callable] | None:
        taken = all(
            typing.can_convert(*both) is not None
            for both in zip(arguments, signature.args, strict=True)
        )
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
