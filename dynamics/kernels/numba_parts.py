"""The private parts of Numba that the decorators lean on, and whether this version has them.

They halve the time that compiling takes, and by them compiled code is kept with checksums and comes
along. Where one is missing, as it may be in a version newer than ``NEWEST_TESTED``, all are left
alone: compiling takes longer, and results are the same.
"""

import functools
import os
import sys
from importlib import import_module
from importlib.metadata import version
from operator import attrgetter

NEWEST_TESTED = "0.68.1"
PLAIN = "HOPFIELD_NAV_PLAIN_NUMBA"  # set to 1: as if a part were missing
_PARTS = {
    "numba.core.bytecode:FunctionIdentity": ("from_function",),
    "numba.core.caching:NullCache": ("load_overload", "save_overload"),
    "numba.core.ccallback:CFunc": ("compile",),
    "numba.core.cgutils:get_or_insert_function": (),
    "numba.core.codegen:JITCodeLibrary": (
        "_optimize_final_module", "_finalize_final_module", "_finalize_dynamic_globals",
        "_verify_declare_only_symbols", "enable_object_caching",
    ),
    "numba.core.codegen:JITCPUCodegen": ("_add_module", "_get_host_cpu_name", "_get_host_cpu_features"),
    "numba.core.compiler:Compiler": (),
    "numba.core.compiler:CompileResult": ("entry_point", "_reduce", "_rebuild"),
    "numba.core.compiler:Flags": ("nrt", "forceinline", "no_cfunc_wrapper", "no_cpython_wrapper"),
    "numba.core.compiler_lock:global_compiler_lock": (),
    "numba.core.config:_EnvReloader": (),
    "numba.core.config:reload_config": (),
    "numba.core.pythonapi:PythonAPI": (
        "alloca_buffer", "borrow_none", "err_set_string", "get_buffer", "release_buffer",
        "restore_thread", "save_thread",
    ),
    "numba.core.registry:CPUDispatcher": ("compile", "enable_caching", "disable_compile"),
    "numba.core.registry:cpu_target.target_context": ("_internal_codegen",),
    "numba.core.serialize:dumps": (),
    "numba.core.sigutils:normalize_signature": (),
    "numba.core.typing.templates:make_intrinsic_template": (),
    "numba.core.typing:Signature": (),
    "numba.np.linalg:ensure_blas": (),
    "numba.np.numpy_support:as_dtype": (),
}  # fmt: skip


@functools.cache
def all_parts_are_there() -> bool:
    """Whether the private parts can be used; that one is missing is told once, in one line."""
    if os.environ.get(PLAIN) == "1":
        return False
    missing = missing_part()
    if missing:
        print(
            f"hopfield-nav: Numba {version('numba')} has no {missing}; compiling takes longer without it "
            f"(tested up to Numba {NEWEST_TESTED})",
            file=sys.stderr,
            flush=True,
        )
    return not missing


@functools.cache
def can_force_inlining() -> bool:
    """Whether a step can be compiled into its callers in any case.

    Where it cannot, LLVM decides, and the last bit of a sum of products may be another one.
    """
    try:
        return hasattr(import_module("numba.core.compiler").Flags, "forceinline")
    except (ImportError, AttributeError):
        return False


def missing_part() -> str:
    """The first private part that this version of Numba has not; empty where all are there."""
    for place, names in _PARTS.items():
        module, _, owner = place.partition(":")
        try:
            part = attrgetter(owner)(import_module(module))
        except (ImportError, AttributeError):
            return f"{module}.{owner}"
        for name in names:
            if not hasattr(part, name):
                return f"{module}.{owner}.{name}"
    return ""
