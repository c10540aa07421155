"""The engine ``internal``: the compiled loop of this program."""

from typing import Any

import numpy as np

from dynamics.kernels.cached_dispatch import CachedDispatch
from hopfield_nav.loop.closed_loop import compiled_loop
from hopfield_nav.loop.engine import Engine
from hopfield_nav.loop.plant import Plant
from hopfield_nav.plugin import Method


class CompiledLoop(Engine):
    """Plant and control, advanced by ``closed_loop``."""

    def __init__(self) -> None:
        self._advance = CachedDispatch(compiled_loop)

    def __call__(self, *arguments) -> int:
        """Advance until a step or the first event."""
        return self._advance(*arguments)


def make(world: Any, plant: Plant, start: np.ndarray) -> CompiledLoop:
    """The engine of a run."""
    return CompiledLoop()


METHOD = Method("engine", "internal", make, description="this program's own compiled loop")
