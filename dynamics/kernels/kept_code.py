"""What lies in the folder of compiled code: every version of a function in a file of its own, with its checksum.

Compiled code is executed as it lies there. A file that a power cut, a full disk or a bad sector has
left otherwise than it was written is not read; what it held is compiled anew, and takes its place.
The name of a file says which function it is of and, as a digest, for which types it was compiled,
so that no index is needed, no process waits for another one that writes, and to look for code loads
no class that it was compiled for.
"""

import functools
import hashlib
import inspect
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import types
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps
from numba.core.typing import Signature

from dynamics.files.writing import whole_file
from dynamics.kernels.archive import opened, sealed
from dynamics.kernels.cache import cache_folder, package_folder
from dynamics.kernels.digests import PACKAGES, checkout, extension_of

ENDING = ".nbc"
_TUPLES: Any = (tuple, types.BaseTuple)


def kept_code(function: Callable, package: Path | None = None) -> NullCache:
    """The compiled versions of a function; none where it was typed into no file."""
    return (
        KeptCode(function, package)
        if Path(inspect.getfile(inspect.unwrap(function))).is_file()
        else NullCache()
    )


class KeptCode(NullCache):
    """The compiled versions of one function, as Numba's dispatchers ask for them.

    A ``package`` is the folder of sources that the function comes from, where that is not ours.
    """

    def __init__(self, function: Callable, package: Path | None = None) -> None:
        self._function = inspect.unwrap(function)
        source = Path(inspect.getfile(self._function)).resolve()
        self._folder, self._stamp = _place(source, package)
        name = f"{source.stem}.{self._function.__qualname__}".replace("<", "").replace(">", "")
        self._name = f"{name}-{self._function.__code__.co_firstlineno}"

    @property
    def cache_path(self) -> str:  # noqa: D102  (of Numba's)
        return str(self._folder)

    def load_overload(self, sig: Any, target_context: Any) -> CompileResult | None:
        """The version for some types of arguments, ready to be called; None where there is none."""
        target_context.refresh()
        key = self._key(sig, target_context.codegen())
        content = _read(self._path(key))
        written_for, parts = pickle.loads(content) if content else (None, ())
        return CompileResult._rebuild(target_context, *parts) if written_for == key else None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write a version, unless it holds what is true in this process alone."""
        if (
            data.lifted
            or data.library.has_dynamic_globals
            or " at 0x" in str(sig)
            or not _are_of_files(sig)
        ):
            return
        key = self._key(sig, data.codegen)
        content = dumps(
            (key, data._replace(type_annotation="")._reduce())
        )  # an annotation tells the path
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with whole_file(self._path(key)) as path:
                path.write_bytes(sealed(content))
        except OSError as error:
            _say_once(f"compiled code cannot be kept in {cache_folder()}: {error.strerror}")

    def _key(self, signature: Any, codegen: Any) -> str:
        """Function, types and processor; of a function inside another one what it encloses, too."""
        enclosed = dumps(tuple(cell.cell_contents for cell in self._function.__closure__ or ()))
        code = hashlib.sha256(self._function.__code__.co_code + enclosed).hexdigest()
        return f"{self._name} {_in_words(signature)} {codegen.magic_tuple()} {code} {self._stamp}"

    def _path(self, key: str) -> Path:
        return (
            self._folder / f"{self._name}-{hashlib.sha256(key.encode()).hexdigest()[:16]}{ENDING}"
        )


def _are_of_files(kind: Any) -> bool:
    """Whether every record of arrays in types is of a class that another process finds by its name.

    One that is made at run time, as those of a method's parameters, would be read as a class of its
    own, and no call would have its type.
    """
    if isinstance(kind, Signature):
        return _are_of_files((kind.return_type, *kind.args))
    if isinstance(kind, types.FunctionType):
        return _are_of_files(kind.signature)
    made = getattr(kind, "instance_class", None)
    if made and getattr(sys.modules.get(made.__module__), made.__qualname__, None) is not made:
        return False
    return not isinstance(kind, _TUPLES) or all(map(_are_of_files, kind))


def _place(source: Path, package: Path | None) -> tuple[Path, str]:
    """The folder of what is compiled from a source, and a digest of the source where the folder has none of it."""
    root = package.resolve() if package else extension_of(source)
    if root is not None:
        return package_folder(root) / source.relative_to(root).parent, ""
    inside = source.relative_to(checkout()).parent if source.is_relative_to(checkout()) else Path()
    if inside.parts[:1] and inside.parts[0] in PACKAGES:
        return cache_folder() / inside, ""
    name = hashlib.sha256(str(source.parent).encode()).hexdigest()[:16]
    return cache_folder() / f"other-{name}", hashlib.sha256(source.read_bytes()).hexdigest()


def _in_words(kind: Any) -> str:
    """A type, or a signature, with the names of fields of records of arrays, which Numba leaves out."""
    if isinstance(kind, Signature):
        return f"{_in_words(kind.return_type)}{_in_words(kind.args)}"
    if isinstance(kind, types.FunctionType):
        return f"function {_in_words(kind.signature)}"
    if tuples := getattr(kind, "instance_class", None):
        fields = (
            f"{name}: {_in_words(part)}" for name, part in zip(kind.fields, kind, strict=True)
        )
        return f"{tuples.__module__}.{tuples.__qualname__}({', '.join(fields)})"
    if isinstance(kind, _TUPLES):
        return f"({', '.join(map(_in_words, kind))})"
    return str(kind)


def _read(path: Path) -> bytes | None:
    """What a file holds; None where it is missing, or damaged, which is told once."""
    try:
        content = opened(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError:
        content = None  # it cannot be read at all
    if content is None:
        _say_once(f"damaged compiled code in {cache_folder()} is compiled anew")
    return content


@functools.cache
def _say_once(message: str) -> None:
    print(f"hopfield-nav: {message}", file=sys.stderr, flush=True)
