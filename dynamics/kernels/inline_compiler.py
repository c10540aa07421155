"""How the decorator ``inlined`` compiles: for other kernels to contain, without code of its own.

Numba optimises every function that it compiles and turns it into machine code before a caller may link it, and a
caller does so again with all that it contains: a step that is nested five deep is done six times. Here a function
stays as Numba has written it, and only its callers are optimised and become machine code.
"""

import weakref
from typing import Any

import llvmlite.binding as llvm
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

_ENVIRONMENT = "_ZN08NumbaEnv"  # how the names of those variables begin that Numba sets after compiling
_OWNER = "_CPUCodeLibrary__library"  # whom Numba hands the machine code of a module, to be cached


class _InlineLibrary(JITCodeLibrary):
    """The code of a function for others to link; what is compiled of it are the variables that Numba sets."""

    def _optimize_final_module(self) -> None:
        """Leave that to the callers."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        names = (v.name for v in self._final_module.global_variables if v.name.startswith(_ENVIRONMENT))
        variables = llvm.parse_assembly("".join(f'@"{name}" = common global i8* null\n' for name in names))
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
