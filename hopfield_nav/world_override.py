"""Changing single values of a world from the command line: ``--set detection.threshold=8``."""

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
        key: Key = tuple(int(part) if part.isdigit() else part for part in dotted.split("."))
        _write(document, key, parse_value(value, f"--set {text}"), text)


def _write(document: Document, key: Key, value: Any, text: str) -> None:
    if not isinstance(document.data, dict):
        return  # the document is no world; the check that follows says so
    inner: Any = document.data
    for part in key[:-1]:
        inner = _enter(inner, part, text)
    _store(inner, key[-1], value, text)
    document.places = {k: place for k, place in document.places.items() if k[: len(key)] != key}
    for length in range(1, len(key)):  # sections that the override itself made
        document.places.setdefault(key[:length], f"--set {text}")
    document.places[key] = f"--set {text}"


def _enter(container: Any, part: str | int, text: str) -> Any:
    if isinstance(container, dict):
        if container.get(str(part)) is None:
            container[str(part)] = {}
        return container[str(part)]
    _check_index(container, part, text)
    return container[part]


def _store(container: Any, part: str | int, value: Any, text: str) -> None:
    if isinstance(container, dict):
        container[str(part)] = value
        return
    _check_index(container, part, text)
    container[part] = value


def _check_index(container: Any, part: str | int, text: str) -> None:
    if not isinstance(container, list):
        raise BadInput("no section, so it has no keys", where=f"--set {text}", found=container)
    if not isinstance(part, int) or part >= len(container):
        raise BadInput(
            "no such entry of the list",
            where=f"--set {text}",
            found=part,
            allowed=f"0 to {len(container) - 1}" if container else "an entry; the list is empty",
        )
