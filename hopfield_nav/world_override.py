"""Changing single values of a world: ``--set detection.threshold=8``, and the values of a sweep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dynamics.errors import BadInput
from hopfield_nav.world_file import Document, Key, parse_value


def apply_overrides(document: Document, overrides: Sequence[str]) -> None:
    """Write each ``key.key=value`` into the document, and note it as the place of that value.

    An index of a list is a key too: ``obstacles.0.cylinder.radius=0.04``.

    Raises:
        BadInput: no ``=``, a value that is no YAML, or a key inside something that is no section.
    """
    for text in overrides:
        dotted, equals, value = text.partition("=")
        if not equals or not all(dotted.split(".")):
            raise BadInput(
                "not understood", where=f"--set {text}", allowed="KEY=VALUE, such as detection.threshold=8"
            )
        place = f"--set {text}"
        write_value(document, split_key(dotted), parse_value(value, place), place)


def split_key(dotted: str) -> Key:
    """``obstacles.0.cylinder`` as a path of keys."""
    return tuple(int(part) if part.isdecimal() and len(part) < 10 else part for part in dotted.split("."))


def write_value(document: Document, key: Key, value: Any, place: str) -> None:
    """Write a value into the document, and note ``place`` as where it stands.

    Raises:
        BadInput: the key lies inside something that is no section.
    """
    if not isinstance(document.data, dict):
        return  # the document is no world; the check that follows says so
    inner: Any = document.data
    for part in key[:-1]:
        inner = _enter(inner, part, place)
    _store(inner, key[-1], value, place)
    document.places = {k: at for k, at in document.places.items() if k[: len(key)] != key}
    for length in range(1, len(key)):  # sections that the override itself made
        document.places.setdefault(key[:length], place)
    document.places[key] = place


def _enter(container: Any, part: str | int, place: str) -> Any:
    if isinstance(container, dict):
        if container.get(str(part)) is None:
            container[str(part)] = {}
        return container[str(part)]
    _check_index(container, part, place)
    return container[part]


def _store(container: Any, part: str | int, value: Any, place: str) -> None:
    if isinstance(container, dict):
        container[str(part)] = value
        return
    _check_index(container, part, place)
    container[part] = value


def _check_index(container: Any, part: str | int, place: str) -> None:
    if not isinstance(container, list):
        raise BadInput("no section, so it has no keys", where=place, found=container)
    if not isinstance(part, int) or part >= len(container):
        raise BadInput(
            "no such entry of the list",
            where=place,
            found=part,
            allowed=f"0 to {len(container) - 1}" if container else "an entry; the list is empty",
        )
