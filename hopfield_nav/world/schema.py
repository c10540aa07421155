"""What keys a world has: their JSON Schema, for editors."""

from typing import Any

from hopfield_nav.plugin import (
    PLAIN,
    Parameter,
    brought_by,
    is_ours,
    loadable_methods,
    method_names,
    our_extensions,
)
from hopfield_nav.world.fields import with_owner
from hopfield_nav.world.map import MapSection
from hopfield_nav.world.methods import own_parameters
from hopfield_nav.world.obstacles import KnownObstacle, Obstacle
from hopfield_nav.world.planner_section import PlannerSection
from hopfield_nav.world.sections import (
    ControllerSection,
    DetectionSection,
    ExploreSection,
    PlantSection,
)
from hopfield_nav.world.world import World

_OWN = r"\.py:"  # in the name of a method of a user's own


def dump_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12), with the parameters of every built-in method."""
    schema = titled(World.model_json_schema(), "world")
    for section in (
        PlantSection,
        ControllerSection,
        MapSection,
        PlannerSection,
        DetectionSection,
        ExploreSection,
    ):
        _add_parameters(schema["$defs"][section.__name__], section.kinds)
    schema["properties"]["explore"]["anyOf"][0] = schema["$defs"]["ExploreSection"]["properties"][
        "method"
    ]
    schema["$defs"]["StartSection"] |= {"maxProperties": 1}
    schema["$defs"]["PlaceSection"] |= {"minProperties": 1, "maxProperties": 1}
    for entry in (Obstacle, KnownObstacle):
        schema["$defs"][entry.__name__] |= {
            "oneOf": [{"required": [kind]} for kind in entry.kinds()]
        }
    return schema


def titled(schema: dict[str, Any], kind: str) -> dict[str, Any]:
    """A schema with the draft that it follows, and the kind of file in its title."""
    return {
        **schema,
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"hopfield-nav {kind}",
    }


def _add_parameters(section: dict[str, Any], kinds: dict[str, str]) -> None:
    """List the methods of a section and their parameters; a user's own method may have any others."""
    for key, kind in kinds.items():
        names = method_names(kind)
        section["properties"][key] |= {"anyOf": [{"enum": list(names)}, {"pattern": _OWN}]}
        own = {
            name: extension.name
            for extension in our_extensions().values()
            for name in extension.method_names(kind)
        }
        brought = {name: brought_by(kind, name) for name in names}
        own |= {name: one.extension.name for name, one in brought.items() if one}
        # by the parameter's and by the method's name
        declared: dict[str, dict[str, Parameter]] = {}
        for method, found in loadable_methods(kind).items():
            if kind in PLAIN and is_ours(kind, method):
                continue  # its parameters are keys of the section
            for parameter in own_parameters([found]).values():
                declared.setdefault(parameter.name, {})[method] = parameter
        for name, of_methods in declared.items():
            owners = {own.get(method, "core") for method in of_methods}
            described = _describe(list(dict.fromkeys(of_methods.values())))
            section["properties"].setdefault(
                name, with_owner(described, owners.pop() if len(owners) == 1 else "core")
            )
    section.pop(
        "additionalProperties", None
    )  # unknown keys only where one of the methods is a user's own
    section["if"] = {
        "anyOf": [{"properties": {key: {"pattern": _OWN}}, "required": [key]} for key in kinds]
    }
    section["else"] = {"propertyNames": {"enum": list(section["properties"])}}


def _describe(same: list[Parameter]) -> dict[str, Any]:
    """What any of the methods that have the parameter allows."""
    low, high = min(p.low for p in same), max(p.high for p in same)
    one = {"type": "number", "minimum": low, "maximum": high}
    many = {"type": "array", "items": one, "minItems": 1}
    forms: list[dict[str, Any]] = [one]
    if any(p.per_joint for p in same):
        forms.append(many)
    if any(p.of_arm is not None for p in same):
        forms.append({"type": "null"})
    described: dict[str, Any] = {
        "anyOf": forms,
        "description": "; ".join(dict.fromkeys(f"{p.description} [{p.unit}]" for p in same)),
    }
    if len({p.default for p in same}) == 1:
        default = same[0].default
        described["default"] = list(default) if isinstance(default, tuple) else default
    return described
