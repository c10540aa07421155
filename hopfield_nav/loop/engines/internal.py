"""The engine ``internal``: the compiled loop of this program."""

from dynamics.kernels.cached_dispatch import CachedDispatch
from hopfield_nav.loop.closed_loop import compiled_loop
from hopfield_nav.loop.engine import Engine
from hopfield_nav.plugin import Method


class CompiledLoop(Engine):
    """Plant and control, advanced by ``closed_loop``."""

    def __init__(self, *_: object) -> None:
        self._advance = CachedDispatch(compiled_loop)

    def __call__(self, *arguments) -> int:
        """Advance until a step or the first event."""
        return self._advance(*arguments)


METHOD = Method("engine", "internal", CompiledLoop, description="this program's own compiled loop")
