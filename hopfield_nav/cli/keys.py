"""The keys of a world file, a line each, with the words that documents have for them."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_SYMBOLS: Mapping[str, str] = {  # how documents write what a key sets
    "controller.omega": "ω, with K_P = ω² and K_D = 2 ζ ω",
    "controller.damping_ratio": "ζ, with K_D = 2 ζ ω",
}
_LONG, _DEEP = 40, 3  # letters of a default that is told; sections in sections
_NAMED = re.compile(r"#/\$defs/(\w+)")


def describe_keys() -> dict[str, str]:
    """What every key of a world file means, with its unit and default, by its dotted name; methods' too."""
    from hopfield_nav.world import dump_schema

    schema = dump_schema()
    return {name: text + _symbols(name) for name, text in _keys(schema, schema, ())}


def _keys(schema: Mapping, section: Mapping, place: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for name, key in section.get("properties", {}).items():
        dotted = ".".join((*place, name))
        default = json.dumps(key["default"], ensure_ascii=False) if "default" in key else ""
        told = f"; default {default}" if default and len(default) <= _LONG else ""
        yield dotted, str(key.get("description", "")) + told
        inside = _section(schema, key)
        if inside is not None and len(place) < _DEEP:
            yield from _keys(schema, inside, (*place, name))


def _section(schema: Mapping, key: Mapping) -> Mapping[str, Any] | None:
    """The section that a key holds; None where it holds none, or a list of some."""
    if key.get("type") == "array":
        return None
    for form in (key, *key.get("anyOf", ()), *key.get("allOf", ())):
        named = _NAMED.fullmatch(str(form.get("$ref", "")))
        if named:
            return schema["$defs"][named[1]]
    return None


def _symbols(name: str) -> str:
    return f"; in documents {_SYMBOLS[name]}" if name in _SYMBOLS else ""
