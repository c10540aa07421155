"""The base world of a sweep, the trial of every value on it before anything runs, and the sweep as plain data.

``resolved`` writes a sweep out for its results' folder, ``fingerprint`` is what names its rows.
"""

import copy
import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from dynamics import BadInput
from hopfield_nav import world as worlds
from hopfield_nav.sweeps.sections import FALSE_ALARMS, SweepFile

_MOST_TRIALS = (
    10_000  # values of one column; of more numbers the extremes and some between are tried
)


@dataclass(frozen=True, eq=False)
class Base:
    """A world that others are made of."""

    data: dict[str, Any]  # plain data of the world file, paths relative to ``folder``
    name: str  # of the world
    world: worlds.World  # the same, checked
    folder: Path  # of the sweep
    trust: worlds.Trust  # which Python files may be executed

    @classmethod
    def of(cls, document: worlds.Document, folder: Path, trust: worlds.Trust) -> "Base":
        """The base world of a document, whose name it has.

        Raises ``BadInput``: as ``world_from``.
        """
        own = worlds.Document(copy.deepcopy(document.data), document.name, notes=document.notes)
        world = worlds.world_from(own, folder, document.name, trust)
        return cls(document.data, document.name, world, folder, trust)

    def world_with(self, *layers: Sequence[worlds.Change]) -> worlds.World:
        """The base world with some values changed, as ``changed`` does.

        Raises ``BadInput``: the world does not allow them; the message starts with the place of a
        change where the fault lies in one of them.
        """
        return worlds.world_from(self.changed(*layers), self.folder, self.name, self.trust)

    def changed(self, *layers: Sequence[worlds.Change]) -> worlds.Document:
        """The data of the base world with some values changed.

        A method of a later layer ends an earlier one's keys.

        Raises ``BadInput``: a change lies in something that is no section.
        """
        document = worlds.Document(copy.deepcopy(self.data), self.name)
        for changes in layers:
            worlds.apply_changes(document, changes, self.folder, self.trust)
        return document

    def value_at(self, key: worlds.Key) -> Any:
        """What the base world has at a key, defaults included; None where there is no such key."""
        return worlds.value_at(self.world.model_dump(mode="json"), key)


def read_base(given: Any, document: worlds.Document, folder: Path, trust: worlds.Trust) -> Base:
    """The base world that a sweep's document names or holds.

    ``given`` is a name, a path relative to ``folder``, or a world.

    Raises ``BadInput``: there is no such world, or as ``world_from``.
    """
    if isinstance(given, dict):
        below = {key[1:]: place for key, place in document.places.items() if key[:1] == ("world",)}
        inner, at, name = (
            worlds.Document(copy.deepcopy(given), document.name, below),
            folder,
            "world",
        )
    else:
        path = _find(given, folder, document.where(("world",)))
        inner, at, name = worlds.read_document(path), path.parent, worlds.name_of(path)
    worlds.world_from(inner, at, name, trust)  # whose faults have their places
    worlds.relative_to(inner.data, at, folder)
    return Base.of(replace(inner, name=name), folder, trust)


def _find(name: str, folder: Path, where: str) -> Path:
    path = Path(name)
    try:
        is_path = path.suffix in (".yaml", ".yml") or path.name != name
        return worlds.find_world(folder / path if is_path else name)
    except BadInput as error:
        raise BadInput(error.what, where, name, error.allowed, error.nearest) from None


def with_settings(base: Base, settings: dict[str, Any], document: worlds.Document) -> Base:
    """The base world with the fixed changes of the sweep.

    Raises ``BadInput``: it does not allow them.
    """
    if not settings:
        return base
    changes = [
        (worlds.split_key(key), value, document.place(("set", key)))
        for key, value in settings.items()
    ]
    key = f"set.{next(iter(settings))}" if len(settings) == 1 else "set"
    worlds.refuse(
        [(("set",), f) for f in _refused(base, changes, f"{document.place(('set',))}: {key}")],
        document,
    )
    return Base.of(base.changed(changes), base.folder, base.trust)


def refused_changes(base: Base, axis: Sequence[Any]) -> Iterator[BadInput]:
    """Try every value of an axis on the base world; what it does not allow, once a place.

    The values of all columns at the same position go together, unless they are drawn.
    """
    told: set[str] = set()
    for group in [[column] for column in axis] if axis[0].drawn else [axis]:
        names = ", ".join(column.name for column in group)
        values = group[0].values
        tried: Iterable[Any] = range(len(values))
        if len(values) > _MOST_TRIALS:  # the extremes and some between
            ends = [values.argmin(), values.argmax()] if isinstance(values, np.ndarray) else []
            tried = map(int, [*ends, *np.linspace(0, len(values) - 1, _MOST_TRIALS)])
        for i in tried:
            where = f"{group[0].place(i)}: {names}"
            if where in told:
                continue
            changes = [(column.key, column.written(i), column.place(i)) for column in group]
            faults = _refused(base, changes, where, group[0].about(i))
            told |= {where} if faults else set()
            yield from faults


def _refused(
    base: Base, changes: Sequence[worlds.Change], where: str, about: str = ""
) -> list[BadInput]:
    """What the base world does not allow of some changes."""
    try:
        base.world_with(changes)
    except BadInput as error:
        return [_of_change(fault, changes, where, about) for fault in (error, *error.others)]
    return []


def _of_change(
    error: BadInput, changes: Sequence[worlds.Change], where: str, about: str
) -> BadInput:
    """A fault of the changed world; one that lies elsewhere in it is told as one of the change."""
    at, _, key = error.where.partition(": ")
    what, place = (
        error.what,
        error.where if key else where,
    )  # without a key there is not even a section to write into
    if at not in {place for _, _, place in changes}:
        values = ", ".join(str(worlds.show(value)) for _, value, _ in changes)
        what, place = (
            f"does not fit the base world with {values[:60]}: {error.where}: {what}",
            where,
        )
    return BadInput(
        f"{about}{what}",
        where=place,
        found=error.found,
        allowed=error.allowed,
        nearest=error.nearest,
    )


def resolved(data: dict[str, Any], base: Base, folder: Path | None) -> str:
    """The sweep as YAML, with the base world and the fixed changes in it.

    Paths relative to ``folder``.
    """
    data = copy.deepcopy({key: value for key, value in data.items() if key != "set"})
    data["world"] = copy.deepcopy(base.data)
    if folder is not None:
        worlds.relative_to(data["world"], base.folder, folder)
        if data.get("measures"):
            data["measures"] = worlds.moved_value(
                ("detection", "measure"), data["measures"], base.folder, folder
            )
        for group in [data.get("vary"), *(data.get("zip") or ())]:
            for name, values in (group or {}).items():
                if isinstance(values, list):
                    group[name] = [
                        worlds.moved_value(worlds.split_key(name), v, base.folder, folder)
                        for v in values
                    ]
    return worlds.yaml_text(data)


def fingerprint(file: SweepFile, base: Base, grid: Iterable[Sequence[Any]]) -> str:
    """SHA-256 over world, values, seeds and quantities.

    Files that they name count by their content.
    """
    digest = hashlib.sha256()
    world = {key: value for key, value in base.data.items() if key not in ("description", "seed")}
    fixed: list[Any] = [file.repeats, file.seed, list(file.columns), file.time_limit_per_run]
    fixed += [file.until.touches, content_of(file.measures, base.folder), file.patience]
    if file.until.false_alarms != FALSE_ALARMS:
        fixed.append(file.until.false_alarms)
    digest.update(_text([content_of(world, base.folder), fixed]))
    own = worlds.own_methods_in(world)
    for axis in grid:
        for column in axis:
            values = column.values
            if isinstance(values, np.ndarray):
                digest.update(_text([column.name, "drawn"]) + values.astype("<f8").tobytes())
            else:
                digest.update(_text([column.name, content_of(values, base.folder)]))
                own += [method for value in values for method in own_value(column.key, value)]
        digest.update(b"|")
    if brought := digests_of_packages(own):
        digest.update(_text(brought))
    return digest.hexdigest()


def own_value(key: worlds.Key, value: Any) -> list[worlds.NamedMethod]:
    """Somebody's own methods that a value of a key names."""
    may_name = isinstance(value, (str, dict))
    return worlds.own_methods_in(worlds.nested(key, value)) if may_name else []


def digests_of_packages(methods: Iterable[worlds.NamedMethod]) -> list[str]:
    """A digest of every package of others that brings one of some methods."""
    return [_digest_of_package(package) for package in worlds.packages_of(methods)]


def _digest_of_package(package: str) -> str:
    """SHA-256 over the Python files of an installed package, by their names."""
    spec, digest = find_spec(package), hashlib.sha256()
    folders = (spec.submodule_search_locations if spec else None) or []
    for path in sorted(file for folder in folders for file in Path(folder).rglob("*.py")):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def _text(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True).encode()


def content_of(value: Any, folder: Path) -> Any:
    """The value with the path of every file in it replaced by a digest of the file."""
    if isinstance(value, dict):
        return {key: content_of(v, folder) for key, v in value.items()}
    if isinstance(value, list):
        return [content_of(v, folder) for v in value]
    if isinstance(value, str) and worlds.is_path(value):
        name, _, attribute = value.partition(".py:")
        path = folder / (f"{name}.py" if attribute else value)
        if path.is_file():
            return [hashlib.sha256(path.read_bytes()).hexdigest(), attribute]
    return value


def world_data(world: worlds.World, folder: Path) -> dict[str, Any]:
    """A world as plain data whose paths are relative to ``folder``."""
    data = world.model_dump(mode="json")
    worlds.relative_to(data, world.folder, folder)
    if data["controller"]["period"] == data["plant"]["step"]:
        del data["controller"]["period"]  # it follows the step, also where the step is swept
    return data
