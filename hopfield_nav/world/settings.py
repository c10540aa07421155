"""A world as one row of keys and values, and which of its settings are not the defaults."""

from functools import cache
from pathlib import Path
from typing import Any

from hopfield_nav.world.trust import RECORD
from hopfield_nav.world.world import World

# Sections that a picture shows, or that only say what is kept.
_SEEN = ("format", "description", "obstacles", "known", "pushes", "start", "goal", "plan", "record")
_FIRST = ("detection", "planner", "explore", "seed")


def flat_values(world: World) -> dict[str, Any]:
    """Every key of a world, such as ``map.shape``, with its value as plain data.

    A list is one value.
    """
    return dict(_flat(world.model_dump(mode="json"), ""))


def changed_settings(world: World) -> dict[str, Any]:
    """The keys whose values are not the defaults of a world on such a map, methods before the arm.

    What a picture shows is left out: solids, start and goal; and so is what is kept of a run.
    """
    usual = _defaults(world.map.space, world.arm, world.folder)
    found = {
        key: value
        for key, value in flat_values(world).items()
        if key.partition(".")[0] not in _SEEN and usual.get(key) != value
    }
    methods_first = sorted(found, key=lambda key: key.partition(".")[0] not in _FIRST)
    return {key: found[key] for key in methods_first}


@cache
def _defaults(space: str, arm: str, folder: Path) -> dict[str, Any]:
    """The values of a world that gives nothing but its arm and the space of its map."""
    data = {"format": 1, "arm": arm, "map": {"space": space}}
    usual = World.model_validate(data, context={"folder": folder, "trust": RECORD})
    return flat_values(usual) | {"arm": World.model_fields["arm"].default}


def _flat(value: Any, key: str) -> list[tuple[str, Any]]:
    """Every key below ``key`` with its value, which may be an empty section."""
    if not isinstance(value, dict) or not value:
        return [(key, value)]
    rows = []
    for name, inner in value.items():
        rows += _flat(inner, f"{key}.{name}".lstrip("."))
    return rows
