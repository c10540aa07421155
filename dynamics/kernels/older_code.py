"""Whether a function holds code of others from the time when they read something else than now.

A caller contains whichever code its dispatchers have, so what is compiled is noted with what it
read at that moment.
"""

from collections.abc import Callable
from contextlib import suppress

from numba.core import event

from dynamics.kernels.contents import Unreadable, python_function
from dynamics.kernels.reads import called_by, key_of, reads_of

_NOTED: dict[int, tuple[Callable, set[str]]] = {}  # by identity: like functions are of other places


def note(function: Callable, key: str) -> None:
    """Remember that this process has code of a function from the time when it read what is in this key."""
    _NOTED.setdefault(id(function), (function, set()))[1].add(key)


class _Compilations(event.Listener):
    """Notes what is compiled by whatever dispatcher, also one that keeps nothing."""

    def on_start(self, event: event.Event) -> None:
        with suppress(Unreadable):
            function = python_function(event.data["dispatcher"])
            if not _is_numba_s(function):
                note(function, _key_now(function))

    def on_end(self, event: event.Event) -> None:
        pass


event.register("numba:compile", _Compilations())


def _is_numba_s(function: Callable) -> bool:
    return str(function.__module__).partition(".")[0] == "numba"


def _key_now(function: Callable) -> str:
    """The key of what a function reads now; of what has no content none."""
    try:
        return key_of(reads_of(function))
    except Unreadable:
        return ""


def calls_older_code(function: Callable) -> bool:
    """Whether a function calls one that this process compiled when it read something else than now."""
    for called in called_by(function):
        _, keys = _NOTED.get(id(called), (called, set()))
        if keys - {_key_now(called)}:
            return True
    return False
