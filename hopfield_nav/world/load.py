"""Reading a world: from a file, or one that comes with the program, checked before anything moves.

``load_world`` gives a ``World`` that is known to be consistent; a fault is a ``BadInput`` with file, line and key.
"""

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hopfield_nav.world.changes import Change, apply_changes, read_overrides
from hopfield_nav.world.checks import check_world
from hopfield_nav.world.document import Document, parse_document, plain, read_document
from hopfield_nav.world.faults import placed, read_form, refuse
from hopfield_nav.world.files import find_world, name_of, nested, paths_from_here, value_at
from hopfield_nav.world.trust import RECORD, Trust
from hopfield_nav.world.world import World


def load_world(
    world: str | Path | Mapping[str, Any],
    overrides: Sequence[str] | Mapping[str, Any] | None = None,
    allow_code: bool = False,
) -> World:
    """Read and check a world.

    Args:
        world: a file, or the name of a world that comes with the program; or what such a file holds, as a mapping,
            paths in it relative to the current folder.
        overrides: changes to it, each ``key.key=value`` (value as in YAML), or a mapping such as
            ``{"detection.threshold": 8}``; the path of a method or of an arm is looked for in the current folder
            first. Where another method is chosen, the keys of the old one go (``World.notes``).
        allow_code: execute the Python files that the world names (``FILE.py:NAME``); those that lie in the current
            folder or stand in ``overrides`` are executed in any case.

    Raises ``BadInput``: there is no such file, or something in it cannot be used: file, line, key, what was found,
    what is allowed, and the nearest known key.
    """
    if isinstance(world, Mapping):
        document, folder, name = Document(plain(world), ""), Path.cwd(), "world"
    else:
        path = find_world(world)
        document, folder, name = read_document(path), path.parent, name_of(path)
    trust, changes = Trust(allow_code), list[Change]()
    for key, value, place in read_overrides(overrides or ()):
        data = nested(key, copy.deepcopy(value))
        trust = trust.also(paths_from_here(data), folder)
        changes.append((key, value_at(data, key), place))
    apply_changes(document, changes, folder, trust)
    return world_from(document, folder, name, trust=trust)


def recorded_world(path: Path) -> World:
    """The world of a record: nothing that it names is executed.

    Raises ``BadInput``: as ``load_world``.
    """
    return world_from(read_document(path), path.parent, name_of(path), trust=RECORD)


def parse_world(text: str, name: str = "world", folder: Path | None = None, allow_code: bool = False) -> World:
    """The world that YAML text describes; paths in it are relative to ``folder``.

    Raises ``BadInput``: as ``load_world``.
    """
    return world_from(parse_document(text, name), folder or Path(), name, trust=Trust(allow_code))


def world_from(document: Document, folder: Path, name: str, trust: Trust | None = None) -> World:
    """Check what a document holds and make it a world, of this name; paths in it are relative to ``folder``.

    By default the Python files of the current folder may be executed.

    Raises ``BadInput``: the first fault of its form, or else of its content, with its place; ``others`` has all the
    others of that phase.
    """
    trust = trust or Trust()
    world = read_form(World, document, {"folder": folder, "trust": trust})
    world._name, world._folder, world._trust, world._notes = name, folder, trust, tuple(document.notes)
    world, faults = check_world(world)
    refuse(placed(faults, document), document)
    return world
