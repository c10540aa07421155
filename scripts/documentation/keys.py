"""The table of all keys of a world file, from its schema and from the declarations of the methods.

    python scripts/documentation/keys.py

writes docs/reference/keys.md.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from measured_part import table  # noqa: E402  (in the folder above)

from hopfield_nav.plugin import find_method, method_names  # noqa: E402
from hopfield_nav.world import World, dump_schema, fields_of, section_model  # noqa: E402
from hopfield_nav.world.planner_section import NETWORK_KEYS  # noqa: E402

PAGE = ROOT / "docs" / "reference" / "keys.md"
KINDS = {
    "controller": "controller.law",
    "estimator": "detection.estimator",
    "detector": "detection.measure",
}
HEAD = """# All keys of a world file

After this page you can look up any key: its default, its range, its meaning, and to what it belongs.

```yaml
format: 1                # the only key that a world must have
time_limit: 60           # ★: one of the ten that most people set
detection: {threshold: [1, 1, 1, 0.25, 0.25, 0.25]}   # one number for all joints, or one for each
```

`python scripts/documentation/keys.py` writes this page from the schema (`hopfield-nav schema`). How to write a world,
and what obstacles, pushes and plans look like: [world files](../world_files.md). `null` in place of a section or list
means its defaults. *of*: the core, or the extension that reads the key.
"""
_UNIT = re.compile(r"^(.*?)(?: \[([^\]]*)\])? \([^()]*\)$", re.DOTALL)


def page() -> str:
    """The page as it has to be."""
    schema = dump_schema()
    parts = [HEAD, "## The file itself", rows_as_table(rows(schema, schema, (), "core"))]
    for name, key in schema["properties"].items():
        inside = _section(schema, key)
        if inside:
            parts += [
                f"## `{name}`",
                rows_as_table(rows(schema, inside, (name,), key["extension"])),
            ]
    parts.append("## Parameters of methods\n\nThey stand in the section that names the method.")
    parts += [f"### Of `{key}`\n\n{parameters(kind)}" for kind, key in KINDS.items()]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def rows_as_table(found: Iterator[list[str]]) -> str:
    return table(["key", "default", "unit", "range", "meaning", "of"], found)


def rows(schema: dict, section: dict, place: tuple[str, ...], owner: str) -> Iterator[list[str]]:
    """The rows of a section and of those inside it; parameters of methods are left out."""
    known = fields_of(section_model(place, World))
    for name, key in section.get("properties", {}).items():
        inside = _section(schema, key)
        if name not in known or (not place and inside):
            continue
        # what is inside a key belongs to whom it does
        of = key["extension"] if key["extension"] != "core" else owner
        if "default" in key or not inside:
            yield row(".".join((*place, name)), key, of)
        if inside:
            yield from rows(schema, inside, (*place, name), of)


def row(name: str, key: dict, owner: str) -> list[str]:
    meaning, unit = _UNIT.fullmatch(key["description"]).groups()  # type: ignore[union-attr]
    star = " ★" if key.get("mostSet") else ""
    default = next((_plain(key[name]) for name in ("default", "const") if name in key), "")
    if name.startswith("planner.") and name.removeprefix("planner.") in NETWORK_KEYS:
        meaning = f"for `hopfield`: {meaning}"
    return [f"`{name}`{star}", default, unit or "", allowed(key), meaning, owner]


def allowed(key: dict) -> str:
    """The range or the words of a key."""
    if len(key.get("enum", [])) > 1:
        return ", ".join(f"`{word}`" for word in key["enum"])
    forms = [form for form in key.get("anyOf", [key]) if form.get("type") in ("number", "integer")]
    if not forms:
        return ""
    low, above, high = (forms[0].get(name) for name in ("minimum", "exclusiveMinimum", "maximum"))
    least = (
        f"above {above:g}"
        if low is None and above is not None
        else ""
        if low is None
        else f"{low:g}"
    )
    return (
        f"{least} to {high:g}"
        if high is not None and high < 1e18
        else f"{least} or more"
        if least
        else ""
    )


def parameters(kind: str) -> str:
    """The parameters of every method of a kind."""
    found = []
    for name in method_names(kind):
        for p in find_method(kind, name).parameters:
            if not (p.inherit or p.of_sensors):  # those are no keys of the section
                words = p.description.replace("|", "\\|")
                cells = [
                    f"`{name}`",
                    f"`{p.name}`",
                    _plain(p.default),
                    p.unit,
                    f"{p.low:g} to {p.high:g}",
                    words,
                ]
                found.append([*cells, "one number or joints" if p.per_joint else "one number"])
    return table(["method", "parameter", "default", "unit", "range", "meaning", "form"], found)


def _section(schema: dict, key: dict) -> dict | None:
    """The section that a key holds; None where it holds none."""
    name = re.search(r"#/\$defs/(\w+Section)\"", json.dumps(key))
    return schema["$defs"][name[1]] if name else None


def _plain(value: Any) -> str:
    """A default as it is written in YAML."""
    return (
        "empty"
        if value == ""
        else f"`{json.dumps(_short(value), ensure_ascii=False).strip(chr(34))}`"
    )


def _short(value: Any) -> Any:
    """Whole numbers without a point."""
    if isinstance(value, list | tuple):
        return [_short(v) for v in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
