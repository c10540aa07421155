"""An object of a user's own, made when it is first asked."""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from hopfield_nav.plugin.asking import asked
from hopfield_nav.plugin.method import Method


class Own:
    """An object of a user's own, which a method makes when it is first asked.

    It is made of the ``values`` of the method's parameters, by name.
    """

    def __init__(self, method: Method, values: Mapping[str, Any]) -> None:
        self._method = method
        self._values = values

    @cached_property
    def _made(self) -> Any:
        return self._method.made(self._values)

    def ask(self, function: str, question: Any, check: Callable[[Any], Any]) -> Any:
        """What one of the object's functions answers to a question, as ``check`` gives it.

        Raises ``MethodFailed``: the function raises, or ``check`` does.
        """
        with asked(self._method.title):
            answer = getattr(self._made, function)(question)
            return check(answer)
