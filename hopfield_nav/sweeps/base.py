"""The base world of a sweep, and the trial of every value on it before anything runs."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dynamics import BadInput
from hopfield_nav.world import (
    Document,
    Key,
    Trust,
    World,
    find_world,
    read_document,
    relative_to,
    show,
    split_key,
    world_from,
    world_name,
    write_value,
)

_MOST_TRIALS = 10_000  # values of one column; of more numbers the extremes and some between are tried
Change = tuple[Key, Any, str]  # key of the world, value, place in the sweep file


@dataclass(frozen=True, eq=False)
class Base:
    """A checked world that others are made of.

    Attributes:
        data: plain data of the world file, paths relative to ``folder``.
        world: the same, checked.
        folder: of the sweep.
    """

    data: dict[str, Any]
    world: World
    folder: Path

    def world_with(self, changes: Sequence[Change], name: str | None = None) -> World:
        """The base world with some values changed.

        Raises:
            BadInput: the world does not allow them; the message starts with the place of a change
                where the fault lies in one of them.
        """
        document = Document(copy.deepcopy(self.data), name or self.world.name)
        for key, value, place in changes:
            _fill_list(document.data, key, self.world)
            write_value(document, key, copy.deepcopy(value), place)
        return world_from(document, self.folder, self.world.name, like=self.world)

    def value_at(self, key: Key) -> Any:
        """What the base world has at a key, defaults included; None where there is no such key."""
        inner: Any = self.world.model_dump(mode="json")
        for part in key:
            if isinstance(inner, dict):
                inner = inner.get(str(part))
            elif isinstance(inner, list) and isinstance(part, int) and part < len(inner):
                inner = inner[part]
            else:
                return None
        return inner


def read_base(document: Document, folder: Path, trust: Trust) -> Base:
    """The base world that a sweep's document names or holds.

    Args:
        document: of the sweep; its ``world`` is a name, a path relative to ``folder``, or a world.
        folder: of the sweep.
        trust: which Python files may be executed.

    Raises:
        BadInput: there is no such world, or it is faulty.
    """
    given = document.data["world"]
    if isinstance(given, dict):
        below = {key[1:]: place for key, place in document.places.items() if key[:1] == ("world",)}
        inner = Document(copy.deepcopy(given), document.name, below)
        return Base(inner.data, world_from(inner, folder, "world", trust=trust), folder)
    path = _find(given, folder, document.where(("world",)))
    inner = read_document(path)
    world_from(inner, path.parent, world_name(path), trust=trust)
    relative_to(inner.data, path.parent, folder)
    return Base(inner.data, world_from(inner, folder, world_name(path), trust=trust), folder)


def _find(name: str, folder: Path, where: str) -> Path:
    path = Path(name)
    try:
        is_path = path.suffix in (".yaml", ".yml") or path.name != name
        return find_world(folder / path if is_path else name)
    except BadInput as error:
        raise BadInput(
            error.what, where=where, found=name, allowed=error.allowed, nearest=error.nearest
        ) from None


def with_settings(base: Base, settings: dict[str, Any], document: Document) -> Base:
    """The base world with the fixed changes of the sweep written into it.

    Raises:
        BadInput: the world does not allow them.
    """
    if not settings:
        return base
    at = {key: document.place(("set", key)) for key in settings}
    changes = [(split_key(key), value, at[key]) for key, value in settings.items()]
    one = next(iter(settings)) if len(settings) == 1 else None
    world = _tried(base, changes, f"{document.place(('set',))}: {f'set.{one}' if one else 'set'}")
    changed = Document(copy.deepcopy(base.data), document.name)
    for key, value, place in changes:
        _fill_list(changed.data, key, base.world)
        write_value(changed, key, copy.deepcopy(value), place)
    return Base(changed.data, world, base.folder)


def try_changes(base: Base, columns: Sequence[Any], whole: bool) -> None:
    """Try every value of some columns on the base world.

    Args:
        base: the world.
        columns: with ``name``, ``key``, ``values``, ``written(i)`` and ``place(i)`` each.
        whole: whether the values of all columns at the same position go together (a zipped group).

    Raises:
        BadInput: the world does not allow one of them: file, line, key.
    """
    groups = [columns] if whole else [[column] for column in columns]
    for group in groups:
        for i in _positions(group[0].values):
            changes = [(column.key, column.written(i), column.place(i)) for column in group]
            where = f"{group[0].place(i)}: {', '.join(column.name for column in group)}"
            _tried(base, changes, where, group[0].about(i))


def _tried(base: Base, changes: Sequence[Change], where: str, about: str = "") -> World:
    """The changed world; a fault elsewhere in it is told as one of the change."""
    try:
        return base.world_with(changes)
    except BadInput as error:
        at, _, _ = error.where.partition(": ")
        if error.where in {place for _, _, place in changes}:  # not even a section to write into
            what, place = error.what, where
        elif any(at == place for _, _, place in changes):
            what, place = error.what, error.where
        else:
            values = ", ".join(str(show(value)) for _, value, _ in changes)
            what = f"does not fit the base world with {values[:60]}: {error.where}: {error.what}"
            place = where
        raise BadInput(
            f"{about}{what}", where=place, found=error.found, allowed=error.allowed, nearest=error.nearest
        ) from None


def _positions(values: Sequence[Any] | np.ndarray) -> Iterator[int]:
    """Which values are tried: all, or of very many the extremes and some between."""
    n = len(values)
    if n <= _MOST_TRIALS:
        yield from range(n)
        return
    array = np.asarray(values) if isinstance(values, np.ndarray) else None
    if array is not None:
        yield from (int(array.argmin()), int(array.argmax()))
    yield from (int(i) for i in np.linspace(0, n - 1, _MOST_TRIALS))


def _fill_list(data: dict[str, Any], key: Key, world: World) -> None:
    """Write out a default list of the world before one of its entries is changed."""
    first = next((i for i, part in enumerate(key) if isinstance(part, int)), None)
    if not first:
        return
    inner: Any = data
    default: Any = world.model_dump(mode="json")
    for part in key[: first - 1]:
        default = default.get(part) if isinstance(default, dict) else None
        if not isinstance(inner, dict) or default is None:
            return
        if inner.get(part) is None:
            inner[part] = {}
        inner = inner[part]
    name = key[first - 1]
    missing = isinstance(inner, dict) and inner.get(name) is None
    if missing and isinstance(default, dict) and isinstance(default.get(name), list):
        inner[name] = default[name]
