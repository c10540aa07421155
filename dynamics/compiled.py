"""The one place that decides how kernels are compiled and where compiled code is kept.

``kernel`` is the decorator of every compiled function of both packages. Compiled code is cached
in a folder whose name is a digest of the sources, the Numba version and every ``NUMBA_*`` flag:
Numba itself only looks at the file that holds the function, so an edited helper in another file,
or a new ``NUMBA_BOUNDSCHECK``, would otherwise run the old code.
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from dynamics.errors import BadInput
from dynamics.files.links import remove_folder

if TYPE_CHECKING:
    import numba

_ROOTS = ("dynamics", "hopfield_nav")
_DECIDES_CODE = (b"dynamics.compiled", b"NamedTuple", b"@record", b"IntEnum")  # kernels and what they read
_DECIDE_NOTHING = ("NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS")  # flags that leave the compiled code as it is
_KEEP = 8  # cache folders of older sources that are left in place

COMPILE_OPTIONS: dict[str, Any] = {
    "cache": True,
    "no_cfunc_wrapper": True,  # nobody calls a kernel as C does
    "error_model": "numpy",  # x/0 gives inf; kernels report a status and never raise
    "fastmath": {"contract"},  # a·b + c in one rounding; no flag that breaks NaN guards
    "nogil": True,
}
# Kernels that allocate nothing need no reference counting, which costs more than their arithmetic.
LOOP_OPTIONS: dict[str, Any] = {**COMPILE_OPTIONS, "_nrt": False}
_FOR_KERNELS_ONLY: dict[str, Any] = {"forceinline": True, "no_cpython_wrapper": True}


class Kernel:
    """A function that Numba compiles when it is first called; until then Numba is not even loaded.

    Other kernels call it by its name as they call any compiled function.

    Attributes:
        dispatcher: Numba's compiled function.
    """

    def __init__(self, function: Callable, options: dict[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self._options = options

    @functools.cached_property
    def dispatcher(self) -> Callable:  # noqa: D102  (an attribute of the class)
        return self._compile(self._options)

    def __call__(self, *arguments: Any) -> Any:  # noqa: D102
        return self.dispatcher(*arguments)

    def _compile(self, options: dict[str, Any]) -> Callable:
        return load_numba().njit(**options)(self.__wrapped__)  # type: ignore[attr-defined]


class Inlined(Kernel):
    """A step that is compiled into each of its callers.

    Called from Python, as tests do, it is compiled once more, as a kernel that is not kept.
    """

    @functools.cached_property
    def dispatcher(self) -> Callable:  # noqa: D102
        load_numba()
        from dynamics.link_only import LinkOnlyCompiler

        return self._compile({**self._options, **_FOR_KERNELS_ONLY, "pipeline_class": LinkOnlyCompiler})

    def __call__(self, *arguments: Any) -> Any:  # noqa: D102
        return self._called(*arguments)

    @functools.cached_property
    def _called(self) -> Callable:
        return self._compile({**self._options, "cache": False})


class Flat(Kernel):
    """A kernel of flat float64 arrays and whole numbers, entered without a look at its arguments' types.

    Compiled for the types that its parameters are annotated with (``np.ndarray``, ``int``). The public
    functions call its ``dispatcher`` themselves, which is quicker by 0.2 µs than to call the object.
    """

    @functools.cached_property
    def dispatcher(self) -> Callable:  # noqa: D102
        numba = load_numba()
        types = {"np.ndarray": numba.types.float64[::1], "int": numba.types.int64}
        given = [types[a] for name, a in self.__wrapped__.__annotations__.items() if name != "return"]  # type: ignore[attr-defined]
        return entry_point(compile_loop(numba.types.void(*given), self.__wrapped__))  # type: ignore[attr-defined]


def kernel(function: Callable) -> Callable:
    """Compile ``function`` on first use, with the options of the whole project."""
    return Kernel(function, COMPILE_OPTIONS)


def flat(function: Callable) -> Flat:
    """Compile ``function`` on first use for calls from Python with few and flat arrays (``dynamics.flat``).

    It may not allocate, and returns nothing.
    """
    return Flat(function, LOOP_OPTIONS)


def inlined(function: Callable) -> Callable:
    """Compile ``function`` into each of its callers.

    For steps of the innermost loop: handing over a record of arrays by value costs as much as the
    arithmetic of a small kernel. Neither it nor what it calls may allocate.
    """
    return Inlined(function, LOOP_OPTIONS)


def first_class(signature: numba.core.typing.Signature, function: Callable) -> Callable:
    """Compile ``function`` now for one signature, as a value that other kernels can be handed."""
    options = {**LOOP_OPTIONS, "cache": _is_ours(function)}
    del options["nogil"], options["no_cfunc_wrapper"]  # no options of a C function
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):  # cfunc would compile all the same
        return function
    return load_numba().cfunc(signature, **options)(function)


def compile_loop(signature: numba.core.typing.Signature, function: Callable) -> Callable:
    """Compile ``function`` now for one signature, without reference counting."""
    return load_numba().njit(signature, **LOOP_OPTIONS)(function)


def entry_point(loop: Any) -> Callable:
    """What ``compile_loop`` has compiled, called without a look at the types of its arguments.

    Finding out the type of nested records costs more than a short loop does. Who calls it hands over arrays
    of just the types and layout that it was compiled for: nothing looks any more.
    """
    versions = list(getattr(loop, "overloads", {}).values())
    return versions[0].entry_point if versions else loop  # none: Numba is switched off


@functools.cache
def load_numba() -> Any:
    """Numba, told what a ``Kernel``, a ``view`` and a ``Record`` are and where compiled code is kept."""
    import numba
    from numba.extending import typeof_impl

    import dynamics.record_types  # noqa: F401  (tells Numba of them)
    from dynamics.views import let_numba_compile

    _load_without_linear_algebra()
    setattr(numba.config, "CACHE_DIR", str(cache_folder()))  # noqa: B010  (made at run time, unknown to mypy)
    typeof_impl.register(Kernel, lambda value, context: typeof_impl(value.dispatcher, context))
    let_numba_compile()
    _let_processes_share_a_cache()
    return numba


def _load_without_linear_algebra() -> None:
    """Let Numba load what it knows of arrays without all of SciPy's linear algebra, 0.2 s.

    It does so only to see whether that is there, and it is. Kernels that use it load it when compiled
    or called.
    """
    from numba.np import linalg

    look = linalg.ensure_blas
    setattr(linalg, "ensure_blas", lambda: None)  # noqa: B010  (to mypy a function stays what it is)
    try:
        import numba.np.arraymath  # noqa: F401  (what asks)
    finally:
        setattr(linalg, "ensure_blas", look)  # noqa: B010


def _let_processes_share_a_cache() -> None:
    """Let one process at a time add code to the cache.

    Numba reads the index of a function, takes the next free number and writes the index anew: of two
    processes that do so at once, one would later be given the other's code.
    """
    from numba.core.caching import FunctionCache

    save = FunctionCache.save_overload

    def save_alone(cache: Any, *arguments: Any) -> None:
        with _held(".saving"):
            save(cache, *arguments)

    setattr(FunctionCache, "save_overload", save_alone)  # noqa: B010  (to mypy a method stays what it is)


def cache_is_warm() -> bool:
    """Whether compiled code of these very sources is already on disk."""
    folder = cache_folder()
    return any(folder.rglob("*.nbi")) if folder.exists() else False


def cache_is_shared() -> bool:
    """Whether several processes may fill the cache at once: where its files can be locked."""
    lock = _open_lock(".saving")
    if lock is not None:
        lock.close()
    return lock is not None


@contextmanager
def filling_cache() -> Iterator[None]:
    """Hold back every other process that asks for the same, so that none compiles what another one does.

    Where files cannot be locked (no ``fcntl``, a folder that is read-only) nobody is held back.
    """
    with _held(".lock"):
        yield


@contextmanager
def _held(name: str) -> Iterator[None]:
    """Hold a lock of the cache folder, once in a process."""
    lock = _open_lock(name)
    try:
        yield
    finally:
        if lock is not None:
            lock.close()  # which unlocks it


def _open_lock(name: str) -> IO[str] | None:
    try:
        import fcntl

        lock = (cache_folder() / name).open("w")
    except (ImportError, OSError):
        return None
    with suppress(OSError):
        fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


def _is_ours(function: Callable) -> bool:
    return function.__module__.split(".")[0] in _ROOTS


def _digest() -> str:
    sha = hashlib.sha256()
    sha.update(f"{version('numba')} {sys.version}".encode())
    for name in sorted(n for n in os.environ if n.startswith("NUMBA_") and n not in _DECIDE_NOTHING):
        sha.update(f"{name}={os.environ[name]}".encode())
    packages = Path(__file__).resolve().parent.parent
    for root in _ROOTS:
        for path in sorted((packages / root).rglob("*.py")):
            source = path.read_bytes()
            if any(mark in source for mark in _DECIDES_CODE):
                sha.update(str(path).encode() + source)
    return sha.hexdigest()[:16]


def _choose_root() -> Path:
    """The folder that is asked for, that in the home folder, one in the temporary folder, or a new one there.

    Raises:
        BadInput: others may write to the folder that is asked for: what lies there is code that runs.
    """
    asked = os.environ.get("NUMBA_CACHE_DIR")
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hopfield-nav"
    shared = Path(tempfile.gettempdir()) / f"hopfield-nav-{os.getuid() if hasattr(os, 'getuid') else 0}"
    for root in (Path(asked) if asked else home, shared):
        try:
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
            private = is_private(root)
        except OSError:
            continue
        if not private and asked and root == Path(asked):
            raise BadInput(
                "others may write to the folder of compiled code, which is executed",
                where="NUMBA_CACHE_DIR",
                found=asked,
                allowed="a folder of your own that nobody else may write to (chmod go-w)",
            )
        if private and os.access(root, os.W_OK):
            return root
    return _new_root()


def is_private(folder: Path) -> bool:
    """Whether a folder is ours, or the administrator's, and nobody else may write to it."""
    if not hasattr(os, "getuid"):
        return True
    found = folder.stat()
    return found.st_uid in (os.getuid(), 0) and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _new_root() -> Path:
    """A folder for this process and those that it starts, which nobody could guess; it ends with us."""
    root = Path(tempfile.mkdtemp(prefix="hopfield-nav-"))
    atexit.register(_remove, root, os.getpid())
    os.environ["NUMBA_CACHE_DIR"] = str(root)
    return root


def _remove(root: Path, owner: int) -> None:
    if os.getpid() == owner:  # not a fork of it
        remove_folder(root, root.parent)


def _prune(root: Path, current: Path) -> None:
    """Remove all but the few newest cache folders of older sources."""
    old = [p for p in root.glob("code-*") if p != current and p.is_dir() and not p.is_symlink()]
    old.sort(key=lambda p: p.stat().st_mtime, reverse=True)
    for path in old[_KEEP:]:
        remove_folder(path, root)


@functools.cache
def cache_folder() -> Path:
    """The folder of the code compiled from these very sources; those of older sources are pruned."""
    root = _choose_root()
    folder = root / f"code-{_digest()}"
    if not folder.exists():
        with suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            _prune(root, folder)
    if folder.exists() and not is_private(folder):
        raise BadInput(
            "others may write to the folder of compiled code, which is executed",
            where=str(folder),
            allowed="remove it, or NUMBA_CACHE_DIR=FOLDER of your own",
        )
    return folder
