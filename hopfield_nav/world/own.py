"""Which methods of a world came from outside the program, and who brought them.

They are of a file, or of an extension of others.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from hopfield_nav.plugin import brought_by, is_ours, owner_of_section
from hopfield_nav.world.faults import section_model
from hopfield_nav.world.methods import MethodSection
from hopfield_nav.world.world import World


class NamedMethod(NamedTuple):
    """A method that a world names."""

    # key of the world, such as ``planner.kind``
    key: str
    # kind of the method
    kind: str
    name: str


def own_methods(world: World) -> list[NamedMethod]:
    """The methods of a checked world that came from outside the program."""
    data = {section: dict(getattr(world, section)) for section in _sections()}
    return own_methods_in(data)


def own_methods_in(data: Mapping[str, Any]) -> list[NamedMethod]:
    """The methods from outside that plain data of a world, or of a part of one, names.

    A method that is not named is there by default, and so is ours.
    """
    return [method for method in _named_in(data) if not is_ours(method.kind, method.name)]


def brought_to(world: World) -> dict[str, str]:
    """What installed distributions bring to a world, by key: ``NAME of DISTRIBUTION VERSION``."""
    brought = {}
    for method in own_methods(world):
        extension = brought_by(method.kind, method.name)
        if extension is not None:
            brought[method.key] = f"{method.name} of {extension}"
    for name in world.extensions:
        extension = owner_of_section(name)
        if extension is not None:
            brought[f"extensions.{name}"] = f"{name} of {extension}"
    return brought


def packages_of(methods: Iterable[NamedMethod]) -> list[str]:
    """The packages of extensions of others that some methods lie in."""
    found = [brought_by(method.kind, method.name) for method in methods]
    return sorted({one.extension.package for one in found if one is not None})


def _named_in(data: Mapping[str, Any]) -> Iterator[NamedMethod]:
    """Every method that plain data names.

    In the place of a section a bare word names its one method.
    """
    for section, model in _sections().items():
        given = data.get(section)
        for key, kind in model.kinds.items():
            name = given.get(key) if isinstance(given, Mapping) else given
            if isinstance(name, str):
                yield NamedMethod(f"{section}.{key}", kind, name)


def _sections() -> dict[str, type[MethodSection]]:
    """The sections of a world that name methods."""
    models = {name: section_model((name,), World) for name in World.model_fields}
    return {
        name: model
        for name, model in models.items()
        if model is not None and issubclass(model, MethodSection)
    }
