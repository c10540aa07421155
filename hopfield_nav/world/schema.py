"""The JSON Schema of world files, for editors: completion, units, faults."""

from collections.abc import Iterable
from typing import Any

from hopfield_nav.plugin import PLAIN, Method, Parameter, extensions, find_method, method_names
from hopfield_nav.world.fields import with_owner
from hopfield_nav.world.map import MapSection
from hopfield_nav.world.methods import own_parameters
from hopfield_nav.world.obstacles import KnownObstacle, Obstacle
from hopfield_nav.world.planner_section import OWN_KEYS, defaults_of, foreign_keys
from hopfield_nav.world.sections import ControllerSection, DetectionSection, ExploreSection, PlantSection
from hopfield_nav.world.world import World

_OWN = r"\.py:"  # in the name of a method of a user's own


def dump_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12), with the parameters of every built-in method."""
    schema = titled(World.model_json_schema(), "world")
    for section in (PlantSection, ControllerSection, MapSection, DetectionSection, ExploreSection):
        _add_parameters(schema["$defs"][section.__name__], section.kinds)
    schema["properties"]["explore"]["anyOf"][0] = schema["$defs"]["ExploreSection"]["properties"]["method"]
    _split_by_kind(schema["$defs"])
    schema["$defs"]["StartSection"] |= {"maxProperties": 1}
    schema["$defs"]["PlaceSection"] |= {"minProperties": 1, "maxProperties": 1}
    for entry in (Obstacle, KnownObstacle):
        schema["$defs"][entry.__name__] |= {"oneOf": [{"required": [kind]} for kind in entry.kinds()]}
    return schema


def titled(schema: dict[str, Any], kind: str) -> dict[str, Any]:
    """A schema with the draft that it follows, and the kind of file in its title."""
    return {**schema, "$schema": "https://json-schema.org/draft/2020-12/schema", "title": f"hopfield-nav {kind}"}


def _split_by_kind(sections: dict[str, Any]) -> None:
    """A section for each kind of planner: it offers its own keys, and takes others' at their defaults."""
    whole = sections["PlannerSection"]
    for kind in OWN_KEYS:
        keys = whole["properties"] | {"kind": {**whole["properties"]["kind"], "const": kind}}
        keys["strategy"] = _or_own(keys["strategy"], "belief")
        for key in foreign_keys(kind):
            keys[key] = {
                "enum": defaults_of(key),
                "extension": keys[key]["extension"],
                "description": f"of another planner: {keys[key]['description']}",
                "doNotSuggest": True,
            }
        needed = [] if kind == whole["properties"]["kind"]["default"] else ["kind"]
        section = sections[f"PlannerSection_{kind}"] = {**whole, "properties": keys, "required": needed}
        _close_unless_own(section, ["strategy"])
    own = whole["properties"] | {"kind": {**whole["properties"]["kind"], "pattern": _OWN}}
    sections["PlannerSection_own"] = {**whole, "properties": own, "required": ["kind"]}
    sections["PlannerSection"] = {
        "oneOf": [{"$ref": f"#/$defs/PlannerSection_{kind}"} for kind in (*OWN_KEYS, "own")],
        "description": whole["description"],
    }


def _add_parameters(section: dict[str, Any], kinds: dict[str, str]) -> None:
    """List the methods of a section and their parameters; a user's own method may have any others."""
    for key, kind in kinds.items():
        names = method_names(kind)
        section["properties"][key] = _or_own(section["properties"][key], kind)
        if kind in PLAIN:
            continue
        own = {name: extension.name for extension in extensions() for name in extension.method_names(kind)}
        methods = [find_method(kind, name) for name in names]
        for name, same in _by_name(methods).items():
            owners = {own.get(method.name, "core") for method in methods if name in own_parameters([method])}
            owner = owners.pop() if len(owners) == 1 else "core"
            section["properties"].setdefault(name, with_owner(_describe(same), owner))
    _close_unless_own(section, kinds)


def _close_unless_own(section: dict[str, Any], keys: Iterable[str]) -> None:
    """Allow unknown keys only where one of some keys names a method of a user's own."""
    section.pop("additionalProperties", None)
    own = [{"properties": {key: {"pattern": _OWN}}, "required": [key]} for key in keys]
    section["if"] = {"anyOf": own}
    section["else"] = {"propertyNames": {"enum": list(section["properties"])}}


def _or_own(schema: dict[str, Any], kind: str) -> dict[str, Any]:
    """A key that names a built-in method of a kind, or a user's own."""
    return {**schema, "anyOf": [{"enum": list(method_names(kind))}, {"pattern": _OWN}]}


def _by_name(methods: list[Method]) -> dict[str, list[Parameter]]:
    """Parameters of several methods; those of one name are one key of the file."""
    found: dict[str, list[Parameter]] = {}
    for method in methods:
        for parameter in own_parameters([method]).values():
            if parameter not in found.setdefault(parameter.name, []):
                found[parameter.name].append(parameter)
    return found


def _describe(same: list[Parameter]) -> dict[str, Any]:
    """What any of the methods that have the parameter allows."""
    low, high = min(p.low for p in same), max(p.high for p in same)
    one = {"type": "number", "minimum": low, "maximum": high}
    many = {"type": "array", "items": one, "minItems": 1}
    described: dict[str, Any] = {
        "anyOf": [one, many] if any(p.per_joint for p in same) else [one],
        "description": "; ".join(dict.fromkeys(f"{p.description} [{p.unit}]" for p in same)),
    }
    if len({p.default for p in same}) == 1:
        default = same[0].default
        described["default"] = list(default) if isinstance(default, tuple) else default
    return described
