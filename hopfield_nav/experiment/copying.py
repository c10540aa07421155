"""A simulation as bytes, from which another one goes on.

What ``copy.deepcopy`` and ``pickle`` take of it. Its world, the methods that this names and their
compiled functions are not written down but looked up again. All else is, so that whatever is
shared, such as an arm that learns, is shared in the copy.
"""

import io
import pickle
from collections.abc import Mapping
from typing import Any

from dynamics import BadInput
from hopfield_nav.build import find_methods
from hopfield_nav.plugin import KINDS, PLAIN, compiled
from hopfield_nav.world import World, own_methods


def as_bytes(world: World, parts: Mapping[str, Any]) -> bytes:
    """The parts of a simulation of a ``world`` by name.

    Raises ``BadInput``: what a method of the user's own keeps cannot be written down.
    """
    written = io.BytesIO()
    kept = _looked_up(world)
    numbers = {id(part): number for number, part in enumerate(kept)}
    pickler = pickle.Pickler(written, pickle.HIGHEST_PROTOCOL)
    pickler.persistent_id = lambda value: numbers.get(id(value))  # type: ignore[method-assign]
    try:
        pickler.dump(parts)
    except (pickle.PicklingError, TypeError, AttributeError, RecursionError) as error:
        allowed = "own methods that keep only what pickle takes"
        raise BadInput(
            "cannot be copied", where="simulation", found=str(error), allowed=allowed
        ) from None
    return written.getvalue()


def from_bytes(world: World, written: bytes) -> dict[str, Any]:
    """The parts that ``as_bytes`` wrote."""
    unpickler = pickle.Unpickler(io.BytesIO(written))
    unpickler.persistent_load = _looked_up(world).__getitem__  # type: ignore[method-assign]
    parts: dict[str, Any] = unpickler.load()
    return parts


def _looked_up(world: World) -> list[Any]:
    """The world, its methods and their compiled functions, always in the same order.

    This loads the user's own methods, whose objects ``pickle`` then finds.
    """
    find = world.trust.find
    folder = world.folder
    response = find("response", world.explore.method, folder)
    used = [find(kind, name, folder) for kind, name in response.uses]
    methods = [*find_methods(world), *used]
    plain = [method for method in own_methods(world) if method.kind in PLAIN]
    found = [find(method.kind, method.name, folder) for method in plain]
    return [
        world,
        *methods,
        *(compiled(method) for method in methods if method.kind in KINDS),
        *found,
    ]
