"""Unit and meaning of a key of the world, from the schema's descriptions and the methods' parameters."""

from __future__ import annotations

import re

from hopfield_nav.plugin import find_method
from hopfield_nav.world import World
from hopfield_nav.world_errors import section_model
from hopfield_nav.world_file import Key
from hopfield_nav.world_methods import own_parameters

_UNIT = re.compile(r"\s*\[([^\[\],]+)\]")


def describe_key(world: World, key: Key) -> tuple[str, str]:
    """Unit ("1" where there is none) and long name of a key of the world."""
    words = " ".join(str(part) for part in key).replace("_", " ")
    parameter = _parameters(world, key).get(str(key[1])) if len(key) > 1 else None
    if parameter is not None:
        return parameter.unit, parameter.description or words
    section = section_model(key[:-1] if isinstance(key[-1], str) else key[:-2], World)
    name = key[-1] if isinstance(key[-1], str) else key[-2]
    field = section.model_fields.get(str(name)) if section else None
    description = (field.description if field else None) or ""
    units = _UNIT.findall(description)
    return (units[-1] if units else "1"), words


def _parameters(world: World, key: Key) -> dict:
    """The parameters of the methods that the world's section names."""
    kinds = {
        "controller": (("controller", world.controller.law),),
        "detection": (("estimator", world.detection.estimator), ("detector", world.detection.measure)),
    }
    methods = kinds.get(str(key[0]), ())
    return own_parameters(find_method(kind, name, world.folder) for kind, name in methods)
