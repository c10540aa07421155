"""The private parts of Numba that the decorators lean on, and whether this version has them.

They halve the time that compiling takes, and what is kept gets checksums by them. Where one is missing, as it may be
in a version newer than ``NEWEST_TESTED``, all are left alone: compiling takes longer, and results are the same.
"""

import functools
import inspect
import os
import sys
from importlib import import_module
from importlib.metadata import version

NEWEST_TESTED = "0.68.1"
PLAIN = "HOPFIELD_NAV_PLAIN_NUMBA"  # set to 1: as if a part were missing
_PARTS = {
    "numba.core.codegen:JITCodeLibrary": (
        "_optimize_final_module", "_finalize_final_module", "_finalize_dynamic_globals",
        "_verify_declare_only_symbols",
    ),
    "numba.core.codegen:JITCPUCodegen": ("_add_module",),
    "numba.core.compiler:Compiler": (),
    "numba.core.compiler:CompileResult": ("entry_point",),
    "numba.core.compiler:Flags": ("nrt", "forceinline"),
    "numba.core.caching:IndexDataCacheFile": ("_load_index", "_load_data", "_data_path", "_open_for_write"),
    "numba.core.cgutils:get_or_insert_function": (),
    "numba.core.typing.templates:make_intrinsic_template": (),
    "numba.np.linalg:ensure_blas": (),
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


def missing_part() -> str:
    """The first private part that this version of Numba has not; empty where all are there."""
    for place, names in _PARTS.items():
        module, _, owner = place.partition(":")
        try:
            found = inspect.unwrap(getattr(import_module(module), owner))  # what we put there wraps it
        except (ImportError, AttributeError):
            return f"{module}.{owner}"
        for name in names:
            if not hasattr(found, name):
                return f"{module}.{owner}.{name}"
    return ""
