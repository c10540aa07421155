"""A world as one row of keys and values, and which of its settings are not the defaults."""

from functools import cache
from pathlib import Path
from typing import Any

from hopfield_nav.world.trust import RECORD
from hopfield_nav.world.world import World

_SEEN = ("format", "description", "obstacles", "known", "pushes", "start", "goal", "plan", "record")


def flat_values(world: World) -> dict[str, Any]:
    """Every key of a world with its value as plain data; ``map.shape`` is one, and so is a list."""
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
    first = ("detection", "planner", "explore", "seed")
    return dict(sorted(found.items(), key=lambda item: item[0].partition(".")[0] not in first))


@cache
def _defaults(space: str, arm: str, folder: Path) -> dict[str, Any]:
    data = {"format": 1, "arm": arm, "map": {"space": space}}
    usual = World.model_validate(data, context={"folder": folder, "trust": RECORD})
    return flat_values(usual) | {"arm": World.model_fields["arm"].default}


def _flat(value: Any, key: str) -> list[tuple[str, Any]]:
    if not (isinstance(value, dict) and value):
        return [(key, value)]
    return [
        row for name, inner in value.items() for row in _flat(inner, f"{key}.{name}".lstrip("."))
    ]
