"""Calling a compiled loop again and again with the same records.

It owns when Numba looks at the type of an argument: for nested records that costs as much as a hundred steps
of a loop. Whoever calls such a loop often may import it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dynamics.compiled import entry_point, load_numba


class LooksOnce:
    """A compiled loop that looks at the type of an argument only where it is another object than before.

    Records and the types of their arrays cannot be changed, so what was looked at is still right. The
    objects of the last call are kept.

    Args:
        loop: of ``compile_loop``, with one signature.
    """

    def __init__(self, loop: Callable) -> None:
        self._loop, self._entry = loop, entry_point(loop)
        self._types = next(iter(getattr(loop, "overloads", {})), None)
        self._seen: list[Any] = [] if self._types is None else [self] * len(self._types)

    def __call__(self, *arguments: Any) -> Any:
        """As the loop itself, and with its errors for arguments of other types."""
        if len(arguments) != len(self._seen):  # or Numba is switched off
            return self._loop(*arguments)
        assert self._types is not None
        for k, argument in enumerate(arguments):
            if argument is not self._seen[k]:
                if load_numba().typeof(argument) != self._types[k]:
                    return self._loop(*arguments)
                self._seen[k] = argument
        return self._entry(*arguments)
