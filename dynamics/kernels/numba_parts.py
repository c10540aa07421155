"""The private parts of Numba that the decorators lean on, and whether this version has them.

They halve the time that compiling takes, and by them compiled code is kept with checksums and comes
along. Where one is missing, as it may be in a version newer than ``NEWEST_TESTED``, all are left
alone: compiling takes longer, and results are the same. Of a newer version a trial asks whether
they are (``trial``).
"""

import functools
import os
import re
import subprocess
import sys
from importlib import import_module
from importlib.metadata import version
from operator import attrgetter

from dynamics.kernels.cache import cache_folder
from dynamics.kernels.checksums import remembered
from dynamics.kernels.digests import PLAIN
from dynamics.kernels.settings_here import without_settings_here

NEWEST_TESTED = "0.68.1"
_IN_TRIAL = "HOPFIELD_NAV_TRIAL"  # set to 1: the parts are used, whatever comes of it
_PARTS = {
    "numba.core.bytecode:FunctionIdentity": ("from_function",),
    "numba.core.caching:NullCache": ("load_overload", "save_overload"),
    "numba.core.ccallback:CFunc": ("compile",),
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
    "numba.core.event:Listener": ("on_start", "on_end"),
    "numba.core.event:register": (),
    "numba.core.pythonapi:PythonAPI": (
        "alloca_buffer", "borrow_none", "err_set_string", "get_buffer", "release_buffer",
        "restore_thread", "save_thread",
    ),
    "numba.core.registry:CPUDispatcher": ("compile", "enable_caching", "disable_compile"),
    "numba.core.registry:cpu_target.target_context": ("_internal_codegen",),
    "numba.core.serialize:dumps": (),
    "numba.core.typing.templates:make_intrinsic_template": (),
    "numba.np.linalg:ensure_blas": (),
    "numba.np.numpy_support:as_dtype": (),
}  # fmt: skip


@functools.cache
def all_parts_are_there() -> bool:
    """Whether the private parts can be used; that they cannot is told once, in one line.

    Those of a version that is newer than ``NEWEST_TESTED`` are tried first.
    """
    if os.environ.get(PLAIN) == "1":
        return False
    missing = missing_part()
    if missing:
        _say(f"has no {missing}")
        return False
    if not _is_newer(version("numba")) or os.environ.get(_IN_TRIAL) == "1":
        return True
    if not _gives_the_same():
        _say("gives other results with its private parts")
        return False
    return True


def _say(what: str) -> None:
    print(
        f"hopfield-nav: Numba {version('numba')} {what}; compiling takes longer without it "
        f"(tested up to Numba {NEWEST_TESTED})",
        file=sys.stderr,
        flush=True,
    )


def _is_newer(found: str) -> bool:
    """Whether a version is newer than the newest that was tried."""
    return _numbers(found) > _numbers(NEWEST_TESTED)


def _numbers(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version)[:3]]


def _gives_the_same() -> bool:
    """Whether a trial gives the same with the private parts and without; asked once, in two processes of their own."""

    def ask() -> bytes:
        both = [_tried({_IN_TRIAL: "1"}), _tried({PLAIN: "1"})]
        return b"same" if both[0] and both[0] == both[1] else b"other"

    return remembered(cache_folder() / "trial", ask) == b"same"


def _tried(flags: dict[str, str]) -> bytes:
    """What a trial prints, nothing where it ends otherwise."""
    code = f"import sys; sys.path[:] = {sys.path!r}\nfrom dynamics.kernels.trial import answers\n"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}print(answers())"],
        env={**os.environ, **flags},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    return done.stdout if done.returncode == 0 else b""


@functools.cache
def can_force_inlining() -> bool:
    """Whether a step can be compiled into its callers in any case.

    Where it cannot, LLVM decides, and the last bit of a sum of products may be another one.
    """
    try:
        with without_settings_here(".numba_config.yaml"):
            return hasattr(import_module("numba.core.compiler").Flags, "forceinline")
    except (ImportError, AttributeError):
        return False


def missing_part() -> str:
    """The first private part that this version of Numba has not; empty where all are there."""
    with without_settings_here(".numba_config.yaml"):  # as ``load_numba``, which this may precede
        import_module("numba")
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
