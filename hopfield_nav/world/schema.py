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
    response = schema["$defs"]["ExploreSection"]["properties"]["method"]
    schema["properties"]["explore"]["anyOf"][0] = response
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
    """List the methods of a section and their parameters.

    A method of a user's own may have any other parameters.
    """
    for key, kind in kinds.items():
        names = list(method_names(kind))
        section["properties"][key] |= {"anyOf": [{"enum": names}, {"pattern": _OWN}]}
        extensions = _extensions_of(kind)
        for name, of_methods in _declared(kind).items():
            owners = {extensions.get(method, "core") for method in of_methods}
            owner = owners.pop() if len(owners) == 1 else "core"
            described = _describe(list(dict.fromkeys(of_methods.values())))
            section["properties"].setdefault(name, with_owner(described, owner))
    # Unknown keys only where one of the methods is a user's own.
    section.pop("additionalProperties", None)
    section["if"] = {
        "anyOf": [{"properties": {key: {"pattern": _OWN}}, "required": [key]} for key in kinds]
    }
    section["else"] = {"propertyNames": {"enum": list(section["properties"])}}


def _extensions_of(kind: str) -> dict[str, str]:
    """The name of the extension that has each method of a kind, by the method's name.

    Methods of the core are in none, and are left out.
    """
    found: dict[str, str] = {}
    # ours
    for extension in our_extensions().values():
        found |= dict.fromkeys(extension.method_names(kind), extension.name)
    # those of others
    for name in method_names(kind):
        installed = brought_by(kind, name)
        if installed is not None:
            found[name] = installed.extension.name
    return found


def _declared(kind: str) -> dict[str, dict[str, Parameter]]:
    """The parameters of a kind's methods that are further keys.

    They are found by the parameter's name, and then by the method's.
    """
    declared: dict[str, dict[str, Parameter]] = {}
    for name, method in loadable_methods(kind).items():
        if kind in PLAIN and is_ours(kind, name):
            continue  # its parameters are keys of the section
        for parameter in own_parameters([method]).values():
            declared.setdefault(parameter.name, {})[name] = parameter
    return declared


def _describe(same: list[Parameter]) -> dict[str, Any]:
    """What any of the methods that have the parameter allows."""
    low = min(p.low for p in same)
    high = max(p.high for p in same)
    one = {"type": "number", "minimum": low, "maximum": high}
    many = {"type": "array", "items": one, "minItems": 1}
    forms: list[dict[str, Any]] = [one]
    if any(p.per_joint for p in same):
        forms.append(many)
    if any(p.of_arm is not None for p in same):
        forms.append({"type": "null"})
    meanings = dict.fromkeys(f"{p.description} [{p.unit}]" for p in same)
    described: dict[str, Any] = {"anyOf": forms, "description": "; ".join(meanings)}
    if len({p.default for p in same}) == 1:
        default = same[0].default
        described["default"] = list(default) if isinstance(default, tuple) else default
    return described
