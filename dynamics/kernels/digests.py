"""What compiled code depends on, as digests that name its folders: versions, processor, flags and sources, and no path.

Numba itself only looks at the file that holds a function, so an edited helper in another file, or a
new ``NUMBA_BOUNDSCHECK``, would otherwise run the old code. ``dynamics`` and the core have one
digest together, each extension has one of its own.
"""

import functools
import hashlib
import os
import re
import sys
import sysconfig
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

from dynamics.errors import BadInput
from dynamics.kernels.numba_parts import PLAIN

PACKAGES = ("dynamics", "hopfield_nav")  # whose compiled code is kept
EXTENSIONS = ("hopfield_nav", "extensions")
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
_DECIDES_CODE = (
    b"dynamics.kernels",
    b"NamedTuple",
    b"@record",
    b"IntEnum",
    b"Parameter(",
)  # kernels, and what they read
_EXTENSION = re.compile(rb"hopfield_nav\.extensions(?:\.| import )(\w+)")
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
        "NumPy": version("numpy").partition(".")[0],
        "SVML": str(_has_svml()),
        "Python": str(sys.implementation.cache_tag),
        "system": sysconfig.get_platform(),
        "target": target(),
    }


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


def checkout() -> Path:
    """The folder that holds both packages."""
    return Path(__file__).resolve().parents[2]


def core_digest() -> str:
    """Of ``dynamics`` and ``hopfield_nav`` without its extensions."""
    root = checkout()
    files = (
        path
        for name in PACKAGES
        for path in (root / name).rglob("*.py")
        if not _is_of_extension(path, root)
    )
    return _digest(
        versions() | flags(), {path.relative_to(root): path for path in files if decides_code(path)}
    )


def package_digest(folder: Path) -> str:
    """Of an extension of ours, or of a whole package of others, with those of ours that it names and may contain."""
    extensions = checkout().joinpath(*EXTENSIONS)
    files: dict[Path, Path] = {}
    named = [folder]
    for part in named:
        ours = part.parent == extensions
        for path in part.rglob("*.py"):
            if not ours or decides_code(path):
                files[path.relative_to(part.parent)] = path
            others = (extensions / name.decode() for name in _EXTENSION.findall(path.read_bytes()))
            named += [
                other for other in dict.fromkeys(others) if other not in named and other.is_dir()
            ]
    return _digest({}, files)


def decides_code(path: Path) -> bool:
    """Whether compiled code depends on a source: on how it is compiled, on a kernel, on what kernels read."""
    source = path.read_bytes()
    return path.parent.name == "kernels" or any(mark in source for mark in _DECIDES_CODE)


def extension_of(path: Path) -> Path | None:
    """The folder of the extension of ours that a source belongs to."""
    parts = path.relative_to(checkout()).parts if _is_of_extension(path, checkout()) else ()
    return checkout().joinpath(*parts[:3]) if len(parts) > 3 else None


def _is_of_extension(path: Path, root: Path) -> bool:
    return path.is_relative_to(root.joinpath(*EXTENSIONS))


def _digest(words: Mapping[str, str], files: Mapping[Path, Path]) -> str:
    sha = hashlib.sha256()
    for name, value in words.items():
        sha.update(f"{name}={value}\n".encode())
    for path in sorted(files):
        sha.update(path.as_posix().encode() + files[path].read_bytes())
    return sha.hexdigest()[:16]
