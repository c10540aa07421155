"""Asking a method of a user's own.

What it raises is told as its own error, and a method that takes too long is ended.
"""

import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

from dynamics import HopfieldNavError
from hopfield_nav.plugin.folder import in_this_folder

_PROGRAM = Path(__file__).parents[1]


class MethodFailed(HopfieldNavError):
    """A method of a user's own has raised, or has answered what is no answer."""


class Overdue(BaseException):
    """Raised in a method that has had its time."""


# Who ends a block of a method, given by its title, that takes too long; one at most.
watching: list[Callable[[str], AbstractContextManager[None]]] = []


@contextmanager
def asked(whose: str) -> Iterator[None]:
    """A block in which a method of a user's own works.

    ``whose`` is the ``title`` of the method. The current folder is afterwards what it was before.
    Ctrl-C goes on.

    Raises ``MethodFailed``: with the method, the error, and the line of its file.
    """
    watch: AbstractContextManager[None] = watching[-1](whose) if watching else nullcontext()
    try:
        with in_this_folder(), watch:
            yield
    except (Overdue, MethodFailed) as error:
        raise MethodFailed(f"{whose}: {error}") from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        lines = traceback.extract_tb(error.__traceback__)
        own = [line for line in lines if not Path(line.filename).is_relative_to(_PROGRAM)]
        place = f" ({Path(own[-1].filename).name}, line {own[-1].lineno})" if own else ""
        told = " ".join(f"{type(error).__name__}: {error}".split())
        raise MethodFailed(f"{whose}: {told}{place}") from error
