"""Inline parameters: a section that names a method also holds the parameters of that method.

``controller: {law: inverse_dynamics, omega: [...]}``: which keys are allowed follows from the law.
Parameters that are left out get the method's default, so that a saved world shows them all.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from dynamics import BadInput, nearest_name
from hopfield_nav.plugin import Method, Parameter, find_method
from hopfield_nav.world.fields import Range, show


def with_parameters(
    section: object, kinds: Mapping[str, tuple[str, str]], fields: Iterable[str], folder: Path | None
) -> object:
    """The section with the parameters of its methods checked, and completed by their defaults.

    Args:
        section: what the file holds for the section; anything but a mapping is returned as it is.
        kinds: for each key that names a method, its kind and the default name.
        fields: the keys of the section that are no parameters.
        folder: where a user's own ``FILE.py:NAME`` is looked for.

    Raises:
        BadInput: unknown method, unknown key, or a parameter out of its range.
    """
    if not isinstance(section, Mapping):
        return section
    names = {key: section.get(key, default) for key, (_, default) in kinds.items()}
    if not all(isinstance(name, str) for name in names.values()):
        return section
    methods = [_find(kinds[key][0], name, folder, key) for key, name in names.items()]
    parameters = own_parameters(methods)
    _refuse_unknown(section, [*fields, *parameters])
    values = {name: _check(p, section.get(name, p.default)) for name, p in parameters.items()}
    return {**section, **values}


def own_parameters(methods: Iterable[Method]) -> dict[str, Parameter]:
    """The parameters that are keys of the methods' own section, by name."""
    return {p.name: p for method in methods for p in method.parameters if not p.inherit}


def _find(kind: str, name: str, folder: Path | None, key: str) -> Method:
    try:
        return find_method(kind, name, folder)
    except BadInput as error:
        raise BadInput(
            error.what, where=key, found=error.found, allowed=error.allowed, nearest=error.nearest
        ) from None


def _refuse_unknown(section: Mapping, known: list[str]) -> None:
    for key in section:
        if key not in known:
            raise BadInput(
                "unknown key",
                where=str(key),
                found=key,
                allowed=", ".join(known),
                nearest=nearest_name(key, known),
            )


def _check(parameter: Parameter, value: object) -> float | tuple[float, ...]:
    if isinstance(value, (list, tuple)) and parameter.per_joint and value:
        return tuple(_check_number(parameter, v, f"{parameter.name}.{i}") for i, v in enumerate(value))
    return _check_number(parameter, value, parameter.name)


def _check_number(parameter: Parameter, value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(_float(value)):
        allowed = "a finite number" + (", or a list of them, one a joint" if parameter.per_joint else "")
        raise BadInput(
            "wrong kind of value", where=where, found=show(value), allowed=f"{allowed} [{parameter.unit}]"
        )
    try:
        return Range(parameter.low, parameter.high, parameter.unit).check(float(value))
    except BadInput as error:
        raise BadInput(error.what, where=where, found=value, allowed=error.allowed) from None


def _float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf
