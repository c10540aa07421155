"""Whoever asks a method of somebody's own: its errors are told as its own, and its patience has an end."""

import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

from dynamics import HopfieldNavError


class MethodFailed(HopfieldNavError):
    """A method of somebody's own has raised, or has answered what is no answer."""


class Overdue(BaseException):
    """Raised in a thread whose method has had its patience."""


watching: list[Callable[[str], AbstractContextManager[None]]] = []  # of who ends what takes too long; one at most


@contextmanager
def asked(whose: str) -> Iterator[None]:
    """A block in which a method of somebody's own works, by its ``title``; what it raises, or ``sys.exit``, fails it.

    Raises ``MethodFailed``: with the method, the error, and the line.
    """
    try:
        with watching[-1](whose) if watching else nullcontext():
            yield
    except (Overdue, MethodFailed) as error:
        raise MethodFailed(f"{whose}: {error}") from None
    except (Exception, SystemExit) as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        told = " ".join(f"{type(error).__name__}: {error}".split())
        raise MethodFailed(f"{whose}: {told} ({Path(place.filename).name}, line {place.lineno})") from error
