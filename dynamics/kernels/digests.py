"""What all compiled code depends on, as a digest that names its folder: versions, processor, flags and decorators.

What a single kernel depends on beside this is what it reads (``reads``).
"""

import functools
import os
import sys
import sysconfig
from importlib.metadata import version
from pathlib import Path

from dynamics.errors import BadInput
from dynamics.kernels.checksums import digest, remembered
from dynamics.kernels.source_text import text_of_file

PLAIN = "HOPFIELD_NAV_PLAIN_NUMBA"  # set to 1: as if Numba lacked a private part
TARGET = "HOPFIELD_NAV_TARGET"
FIXED, NATIVE = (
    "x86-64-v3",
    "native",
)  # a processor that most machines contain, from 2013 on; this very one
_FIXED_HAS = ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave")
_CHOOSE_PROCESSOR = ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_ENABLE_AVX")
_DECIDE_NOTHING = (
    "NUMBA_CACHE_DIR",
    "NUMBA_NUM_THREADS",
)  # flags that leave the compiled code as it is
_DECORATORS = (
    "decorators.py",
    "lent.py",
    "our_compiler.py",
    "record_types.py",
    "view_types.py",
)  # the files that say how a kernel is compiled
_TRIED = (3, 11), (3, 13)  # the first and the last Python that shares its compiled code with others
_TOGETHER = "cpython3"
_SVML = {"linux": "libsvml.so", "darwin": "libsvml.dylib", "win32": "svml_dispmd"}


@functools.cache
def target() -> str:
    """``FIXED`` where this machine has it; ``NATIVE`` elsewhere, and where the environment chooses a processor."""
    asked = os.environ.get(TARGET, "")
    if asked not in ("", NATIVE):
        raise BadInput(
            "no processor to compile for",
            where=TARGET,
            found=asked,
            allowed=f"{NATIVE}, or not set",
        )
    if asked or any(name in os.environ for name in _CHOOSE_PROCESSOR):
        return NATIVE
    import llvmlite.binding as llvm

    try:
        known = llvm.get_host_cpu_features()
    except RuntimeError:  # this system does not say
        return NATIVE
    return FIXED if all(known.get(name) for name in _FIXED_HAS) else NATIVE


def versions() -> dict[str, str]:
    """What compiled code depends on besides flags and sources."""
    return {
        "Numba": version("numba"),
        "llvmlite": version("llvmlite"),
        "SVML": str(_has_svml()),
        "Python": _python(),
        "system": sysconfig.get_platform(),
        "target": target(),
    }


def _python() -> str:
    """Which Pythons can run the same machine code: it knows how the head of an object looks, and names of CPython's.

    Those that were not tried are on their own.
    """
    tried = sys.implementation.name == "cpython" and _TRIED[0] <= sys.version_info[:2] <= _TRIED[1]
    name = _TOGETHER if tried else str(sys.implementation.cache_tag)
    return f"{name}{getattr(sys, 'abiflags', '')}-{object.__basicsize__}"


@functools.cache
def _has_svml() -> bool:
    """Whether Numba takes sines and exponentials of rows from a library of Intel's, which it looks for in this way."""
    import llvmlite.binding as llvm

    try:
        llvm.load_library_permanently(_SVML[sys.platform])
        return llvm.targets.has_svml()
    except (KeyError, RuntimeError, AttributeError):
        return False


def flags() -> dict[str, str]:
    """The flags of the environment that change compiled code."""
    named = (name for name in sorted(os.environ) if name.startswith(("NUMBA_", PLAIN, TARGET)))
    return {name: os.environ[name] for name in named if name not in _DECIDE_NOTHING}


def folder_digest(kept: Path) -> str:
    """Of the versions, the flags, and the files that decide how any kernel is compiled.

    ``kept``: a folder for what these files say.
    """
    words = [f"{name}={value}" for name, value in (versions() | flags()).items()]
    words += [_text(Path(__file__).with_name(name), kept) for name in _DECORATORS]
    return digest("\n".join(words))[:16]


def _text(path: Path, kept: Path) -> str:
    """What a file says, without comments and layout; it is looked up, since to find it out takes 5 ms."""
    source = path.read_bytes()
    return remembered(kept / digest(source), lambda: text_of_file(source).encode()).decode()
