"""Libraries without the settings of the current folder, which others may have left there; and Matplotlib.

Matplotlib cannot be imported with a backend or a file of settings that it does not understand.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec


@contextmanager
def without_settings_here(name: str) -> Iterator[None]:
    """Inside, a file of that name in the current folder is not there for who asks before reading it.

    Numba and Matplotlib do so when they are imported. Files of that name elsewhere are found as
    ever.
    """
    exists = os.path.exists

    def is_elsewhere(path: int | str | bytes | os.PathLike) -> bool:
        return path != name and exists(path)

    setattr(os.path, "exists", is_elsewhere)  # noqa: B010  (to mypy a function stays what it is)
    try:
        yield
    finally:
        setattr(os.path, "exists", exists)  # noqa: B010


@contextmanager
def matplotlib_as_it_comes() -> Iterator[None]:
    """Inside, Matplotlib is imported with its own settings; behind it those of the user hold, where they can.

    Nothing is done where it has been imported before.
    """
    spec = None if "matplotlib" in sys.modules else find_spec("matplotlib")
    if spec is None or spec.origin is None:
        yield
        return
    given = {name: os.environ.pop(name, None) for name in ("MPLBACKEND", "MATPLOTLIBRC")}
    os.environ["MATPLOTLIBRC"] = os.path.join(
        os.path.dirname(spec.origin), "mpl-data", "matplotlibrc"
    )
    with without_settings_here("matplotlibrc"):
        try:
            yield
        finally:
            del os.environ["MATPLOTLIBRC"]
            os.environ.update({name: value for name, value in given.items() if value is not None})
        _follow_user(given["MPLBACKEND"])


def _follow_user(backend: str | None) -> None:
    """Set what the user's file of settings and a backend of the environment say, as Matplotlib does."""
    library = sys.modules["matplotlib"]
    with suppress(OSError, ValueError):
        own = {
            name: v for name, v in library.rc_params().items() if v != library.rcParamsDefault[name]
        }
        library.rcParamsOrig.update(own)
        library.rcParams.update(own)
    with suppress(ValueError):
        library.rcParams.update({"backend": backend} if backend else {})
