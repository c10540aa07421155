"""Reading a world: from a file, or one that comes with the program, checked before anything moves.

``load_world`` gives a ``World`` that is known to be consistent; a fault is a ``BadInput`` with file, line and key.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hopfield_nav.world.checks import check_world
from hopfield_nav.world.document import Document, apply_overrides, parse_document, read_document
from hopfield_nav.world.faults import holds, in_order, read_form, together, with_keys
from hopfield_nav.world.files import find_world, paths_from_here, world_name
from hopfield_nav.world.not_known import NOT_KNOWN
from hopfield_nav.world.trust import RECORD, Trust
from hopfield_nav.world.world import World


def load_world(
    path_or_name: str | Path, overrides: Sequence[str] | Mapping[str, Any] | None = None, allow_code: bool = False
) -> World:
    """Read and check a world.

    Args:
        path_or_name: a file, or the name of a world that comes with the program.
        overrides: changes to the file, each ``key.key=value`` (value as in YAML), or a mapping such as
            ``{"detection.threshold": 8}``; the path of a method or of an arm is looked for in the current folder
            first.
        allow_code: execute the Python files that the world names (``FILE.py:NAME``); those that lie in the current
            folder or stand in ``overrides`` are executed in any case.

    Raises ``BadInput``: there is no such file, or something in it cannot be used: file, line, key, what was found,
    what is allowed, and the nearest known key.
    """
    path = find_world(path_or_name)
    document = read_document(path)
    given = paths_from_here(document.data, apply_overrides(document, overrides or ()))
    trust = Trust(allow_code).also(given, path.parent)
    return world_from(document, path.parent, world_name(path), trust=trust)


def recorded_world(path: Path) -> World:
    """The world of a record: nothing that it names is executed.

    Raises ``BadInput``: as ``load_world``.
    """
    return world_from(read_document(path), path.parent, world_name(path), trust=RECORD)


def parse_world(text: str, name: str = "world", folder: Path | None = None, allow_code: bool = False) -> World:
    """The world that YAML text describes; paths in it are relative to ``folder``.

    Raises ``BadInput``: as ``load_world``.
    """
    return world_from(parse_document(text, name), folder or Path(), name, trust=Trust(allow_code))


def world_from(
    document: Document, folder: Path, name: str, like: World | None = None, trust: Trust | None = None
) -> World:
    """Check what a document holds and make it a world, of this name; paths in it are relative to ``folder``.

    A world ``like`` it in the same folder that has been checked spares reading its arms again. By default the Python
    files may be executed that ``like`` may, or those of the current folder.

    Raises ``BadInput``: the first fault of the document, with its place; ``others`` has all the others.
    """
    trust = trust or (like.trust if like else Trust())

    def of_right_form(data: Any) -> World:
        return World.model_validate(data, context={"folder": folder, "trust": trust})

    world, faults = read_form(of_right_form, World, document)
    if world is NOT_KNOWN:
        raise together(in_order(faults, document))
    world._name, world._folder, world._trust = name, folder, trust
    world, more = check_world(world, None if faults else like)
    arm_known = world.arm is not NOT_KNOWN  # else no default can be wrong: it may be right for that arm
    faults += [(key, fault) for key, fault in with_keys(more) if arm_known or holds(document.data, key)]
    if faults:
        raise together(in_order(faults, document))
    return world
