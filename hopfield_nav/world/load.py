"""Reading a world, and changing it before it is checked: by ``--set``, in a sweep, in a suite.

``load_world`` gives a ``World`` that is known to be consistent; a fault is a ``BadInput`` with
file, line and key.

The parameters of a method go when another method is chosen: a threshold of 12 N is no threshold of
12 N·m. What is given in the same breath as the method stays, and is checked.
"""

import copy
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from dynamics import BadInput, printable
from hopfield_nav.plugin import Parameter
from hopfield_nav.world.checks import check_world
from hopfield_nav.world.document import (
    Document,
    Key,
    parse_document,
    parse_value,
    plain,
    read_document,
)
from hopfield_nav.world.faults import placed, read_form, refuse, section_model
from hopfield_nav.world.fields import OrWord
from hopfield_nav.world.files import find_world, name_of, nested, paths_from_here, value_at
from hopfield_nav.world.methods import MethodSection
from hopfield_nav.world.trust import RECORD, Trust
from hopfield_nav.world.world import World

_LONGEST = 200  # letters of a change in a message, which also says the key
Change = tuple[Key, Any, str]  # key of the world, value, place as messages name it


def load_world(
    world: str | Path | Mapping[str, Any],
    overrides: Sequence[str] | Mapping[str, Any] | None = None,
    allow_code: bool = False,
) -> World:
    """Read and check a world.

    Args:
        world: a file, or the name of a world that comes with the program; or what such a file
            holds, as a mapping, paths in it relative to the current folder.
        overrides: changes to it, each ``key.key=value`` (value as in YAML), or a mapping such as
            ``{"detection.threshold": 8}``; the path of a method or of an arm is looked for in the
            current folder first. Where another method is chosen, the keys of the old one go
            (``World.notes``).
        allow_code: execute the Python files that the world names (``FILE.py:NAME``); those that lie
            in the current folder or stand in ``overrides`` are executed in any case.

    Raises ``BadInput``: there is no such file, or something in it cannot be used: file, line, key,
    what was found, what is allowed, and the nearest known key.
    """
    if isinstance(world, Mapping):
        document = Document(data=plain(world), name="")
        folder = Path.cwd()
        name = "world"
    else:
        path = find_world(world)
        document = read_document(path)
        folder = path.parent
        name = name_of(path)
    trust = Trust(everything=allow_code)
    changes = list[Change]()
    for key, value, place in read_overrides(overrides or ()):
        data = nested(key, copy.deepcopy(value))
        trust = trust.also(paths_from_here(data), folder)
        changes.append((key, value_at(data, key), place))
    apply_changes(document, changes, folder, trust)
    return world_from(document, folder, name, trust=trust)


def recorded_world(path: Path, of_places: bool = True) -> World:
    """The world of a record: nothing that it names is executed, or needs to be there.

    ``of_places``: whether the record keeps marks of places, where the owner of its map is not there
    to say so.

    Raises ``BadInput``: as ``load_world``.
    """
    trust = replace(RECORD, of_places=of_places)
    return world_from(read_document(path), path.parent, name_of(path), trust=trust)


def parse_world(
    text: str, name: str = "world", folder: Path | None = None, allow_code: bool = False
) -> World:
    """The world that YAML text describes.

    Paths in it are relative to ``folder``.

    Raises ``BadInput``: as ``load_world``.
    """
    document = parse_document(text, name)
    return world_from(document, folder or Path(), name, trust=Trust(everything=allow_code))


def world_from(document: Document, folder: Path, name: str, trust: Trust | None = None) -> World:
    """Check what a document holds, and make it a world of this name.

    Paths in it are relative to ``folder``. By default the Python files of the current folder may be
    executed.

    Raises ``BadInput``: the first fault of its form, or else of its content, with its place;
    ``others`` has all the others of that phase.
    """
    trust = trust or Trust()
    world = read_form(World, document, {"folder": folder, "trust": trust})
    world._name = name
    world._folder = folder
    world._trust = trust
    world._notes = tuple(document.notes)
    world, faults = check_world(world)
    refuse(placed(faults, document), document)
    return world


def read_overrides(overrides: Iterable[str] | Mapping[str, Any]) -> list[Change]:
    """Changes of texts ``key.key=value``, or of a mapping of keys to the values themselves.

    Raises ``BadInput``: one is not understood.
    """
    if not isinstance(overrides, Iterable) or isinstance(overrides, str):
        allowed = "a list of texts KEY=VALUE, or a mapping of keys to values"
        raise BadInput("no changes", where="overrides", found=overrides, allowed=allowed)
    if not isinstance(overrides, Mapping):
        return [_read_change(text) for text in overrides]
    changes: list[Change] = []
    for dotted, value in overrides.items():
        if not isinstance(dotted, str) or not all(dotted.split(".")):
            allowed = "a key such as 'detection.threshold'"
            raise BadInput("not understood", where="overrides", found=dotted, allowed=allowed)
        changes.append((split_key(dotted), value, f"overrides[{dotted!r}]"))
    return changes


def _read_change(text: str) -> Change:
    """The key, the value and the place of a change that ``--set key.key=value`` gives.

    Raises ``BadInput``: it is not understood.
    """
    place = f"--set {printable(text, _LONGEST)}"
    dotted, equals, value = text.partition("=")
    if not equals or not all(dotted.split(".")):
        raise BadInput(
            "not understood", where=place, allowed="KEY=VALUE, such as detection.threshold=8"
        )
    return split_key(dotted), parse_value(value, place), place


def split_key(dotted: str) -> Key:
    """``obstacles.0.cylinder`` as a path of keys."""
    return tuple(_key_part(part) for part in dotted.split("."))


def _key_part(part: str) -> str | int:
    """A key, or the number of an entry of a list."""
    if part.isdecimal() and len(part) < 10:
        return int(part)
    return part


def apply_changes(
    document: Document, changes: Sequence[Change], folder: Path, trust: Trust
) -> None:
    """Write changes that belong together into the document of a world in ``folder``.

    Where they choose another method, keys that belong to the old one go, unless they are among the
    changes: those that the new one has not, or has in another unit; the document notes which. Of a
    list that the world has by default one entry can be changed.

    Raises ``BadInput``: a change lies inside something that is no section.
    """
    chosen = {key[0]: key[1] for key, _, _ in changes if chooses_method(key)}
    before = {name: _names_and_keys(document.data, name, folder, trust) for name in chosen}
    for key, value, place in changes:
        _spell_out(document, key, folder, trust)
        write_value(document, key, copy.deepcopy(value), place)
    given = {key[:2] for key, _, _ in changes}
    for name, old in before.items():
        new = _names_and_keys(document.data, name, folder, trust)
        _leave_out(document, str(name), old, new, given)


def chooses_method(key: Key) -> bool:
    """Whether a method is named at a key of the world."""
    if len(key) != 2:
        return False
    section = section_model(key[:1], World)
    return section is not None and issubclass(section, MethodSection) and key[1] in section.kinds


# The names of the methods of a section, by its keys, and the methods' own keys.
Named = tuple[dict[str, Any], dict[str, Parameter]]


def _names_and_keys(data: Any, name: str | int, folder: Path, trust: Trust) -> Named:
    """The methods that a section names, and their keys.

    Both are empty where one of these methods is not known.
    """
    section: Any = section_model((name,), World)
    given = data.get(name) if isinstance(data, dict) else None
    if not isinstance(given, dict):  # a bare word names the method
        given = dict.fromkeys(section.kinds, given) if given else {}
    own = section.own_keys(given, folder, trust)
    if own is None:
        return {}, {}
    return section.named(given), own


def _leave_out(document: Document, name: str, old: Named, new: Named, given: set[Key]) -> None:
    """Take the keys out of a section that are not the new methods', and note it."""
    before, had = old
    now, has = new
    section = document.data.get(name)
    if not now or not isinstance(section, dict):
        return
    same = {key for key, parameter in had.items() if _meaning(parameter) == _meaning(has.get(key))}
    gone = [key for key in section if key in had and (name, key) not in given and key not in same]
    for key in gone:
        del section[key]
        document.places = {k: at for k, at in document.places.items() if k[:2] != (name, key)}
    if gone:
        other = [key for key, method in now.items() if method != before[key]]
        keys = ", ".join(f"{name}.{key}" for key in gone)
        whose = ", ".join(before[key] for key in other)
        meant = ", ".join(f"{name}.{key}: {now[key]}" for key in other)
        document.notes.append(f"{meant} leaves out {keys} of {whose}")


def _meaning(parameter: Parameter | None) -> tuple[str, bool] | None:
    """What a number says as the value of a parameter: its unit, and whether it is one a joint."""
    if parameter is None:
        return None
    return parameter.unit, parameter.per_joint


def _spell_out(document: Document, key: Key, folder: Path, trust: Trust) -> None:
    """Write out what a key lies in.

    That is the section that a bare word stands for, or a list that the world has by default.
    """
    data = document.data
    field = World.model_fields.get(str(key[0]))
    inner = data.get(key[0]) if isinstance(data, dict) else None
    if isinstance(inner, str) and len(key) > 1:
        metadata = field.metadata if field else ()
        marks = [mark for mark in metadata if isinstance(mark, OrWord)]
        if marks:
            data[key[0]] = marks[0].check(inner)
    at = next((i for i, part in enumerate(key) if isinstance(part, int)), 0)
    of_list = key[:at]
    if of_list and value_at(data, of_list) is None:
        world = World(format=1)  # with faults, that of all defaults
        with suppress(BadInput):
            world = read_form(World, document, {"folder": folder, "trust": trust})
        default = value_at(world.model_dump(mode="json"), of_list)
        if isinstance(default, list):
            write_value(Document(data=data, name=""), of_list, default, place="")


def write_value(document: Document, key: Key, value: Any, place: str) -> None:
    """Write a value into the document, and note ``place`` as where it stands.

    Raises ``BadInput``: the key lies inside something that is no section.
    """
    if not isinstance(document.data, dict):
        return  # the document is no world; the check that follows says so
    inner: Any = document.data
    for part in key[:-1]:
        index = _index(inner, part, place)
        if isinstance(inner, dict) and inner.get(index) is None:
            inner[index] = {}
        inner = inner[index]
    inner[_index(inner, key[-1], place)] = value
    document.places = {k: at for k, at in document.places.items() if k[: len(key)] != key}
    for length in range(1, len(key)):  # sections that the change itself made
        document.places.setdefault(key[:length], place)
    document.places[key] = place


def _index(container: Any, part: str | int, place: str) -> Any:
    """What a part of a key is to a section, or to a list that has such an entry."""
    if isinstance(container, dict):
        return str(part)
    if not isinstance(container, list):
        raise BadInput("no section, so it has no keys", where=place, found=container)
    if not isinstance(part, int) or part >= len(container):
        allowed = f"0 to {len(container) - 1}" if container else "an entry; the list is empty"
        raise BadInput("no such entry of the list", where=place, found=part, allowed=allowed)
    return part
