"""What pydantic finds wrong with a world, said in one line: place, key, found, allowed, nearest."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from dynamics import BadInput, nearest_name
from hopfield_nav.world.document import Document, Key
from hopfield_nav.world.fields import SECTION, WORD, described, fields_of, show

_ALLOWED = {
    "float_type": "a number",
    "int_type": "a whole number",
    "string_type": "text",
    "string_too_short": "text that is not empty",
    "string_too_long": "a shorter text",
    "bool_type": "true or false",
    "int_from_float": "a whole number",
    "tuple_type": "a list",
    "list_type": "a list",
    "model_type": "a mapping of keys",
    "model_attributes_type": "a mapping of keys",
    "dict_type": "a mapping of keys",
    "finite_number": "a finite number",
    "none_required": "null; this key is reserved",
}


def bad_input(error: ValidationError, model: type[BaseModel], document: Document) -> BadInput:
    """The fault that stands first in the document, with its place, and the others that pydantic found."""
    return _in_order(_translated(error, model, document), document)


def faults_of_form(
    error: ValidationError, model: type[BaseModel], document: Document, validate: Callable[[Any], object]
) -> BadInput:
    """As ``bad_input``, and the faults that the first ones hid.

    What is wrong is taken away, and the rest is looked at again, until nothing new is found. A fault that
    lies around or inside of one that was found before may be its consequence, and is not told.

    Args:
        error: that ``validate`` raised for the document.
        model: of the document.
        document: with the faults.
        validate: raises ``ValidationError``.
    """
    data = copy.deepcopy(document.data)
    found: dict[Key, BadInput] = {}
    while True:
        new = dict(_translated(error, model, document))
        found |= {key: fault for key, fault in new.items() if not any(_related(key, old) for old in found)}
        forgotten = [_forget(data, key, new[key]) for key in new]
        if not any(forgotten):
            break
        try:
            validate(data)
            break
        except ValidationError as again:
            error = again
    return _in_order(list(found.items()), document)


def _related(a: Key, b: Key) -> bool:
    n = min(len(a), len(b))
    return a[:n] == b[:n]


def _forget(data: Any, key: Key, fault: BadInput) -> bool:
    """Take the value away that stands at a key, or what is nearest around it; False where nothing does.

    With a word that is unknown goes its whole section: what else may stand there depends on it.
    """
    if fault.what.startswith("unknown") and fault.what != "unknown key" and len(key) > 1:
        key = key[:-1]
    holder: dict[str, Any] | None = None
    name = ""
    for part in key:
        if isinstance(data, dict):
            if part not in data:
                break
            holder, name = data, str(part)
        elif not (isinstance(data, list) and isinstance(part, int) and part < len(data)):
            break
        data = data[part]
    if holder is None:
        return False
    del holder[name]
    return True


def together(faults: Sequence[BadInput]) -> BadInput:
    """The first of some faults, with the others in its ``others``."""
    first = faults[0]
    first.others = tuple(faults[1:])
    return first


def _in_order(faults: Sequence[tuple[Key, BadInput]], document: Document) -> BadInput:
    order = {key: i for i, key in enumerate(document.places)}
    ordered = sorted(faults, key=lambda fault: (_position(fault[0], order), fault[0] not in order))
    return together([_at(document.where(key), fault) for key, fault in ordered])


def _position(key: Key, order: Mapping[Key, int]) -> int:
    """Where a key stands in the document; one that is missing, at the end of its section."""
    if key in order:
        return order[key]
    while key not in order and key:
        key = key[:-1]
    return max((i for other, i in order.items() if other[: len(key)] == key), default=0)


def _translated(
    error: ValidationError, model: type[BaseModel], document: Document
) -> list[tuple[Key, BadInput]]:
    return [_translate(dict(fault), model, document) for fault in error.errors(include_url=False)]


def placed(error: BadInput, document: Document) -> BadInput:
    """A fault whose ``where`` is a dotted key, with file and line."""
    return _at(document.where(_split(error.where)), error)


def _at(where: str, error: BadInput) -> BadInput:
    return BadInput(error.what, where=where, found=error.found, allowed=error.allowed, nearest=error.nearest)


def _translate(fault: dict[str, Any], model: type[BaseModel], document: Document) -> tuple[Key, BadInput]:
    key: Key = tuple(part for part in fault["loc"] if part not in (WORD, SECTION))
    cause = fault.get("ctx", {}).get("error")
    if isinstance(cause, BadInput):
        return (*key, *_split(cause.where)), cause
    if fault["type"] == "extra_forbidden":
        return key, _unknown_key(key, model)
    if fault["type"] == "missing":
        return key, BadInput("missing key", allowed=_describe(key, model))
    if fault["type"] == "literal_error":
        return key, _not_listed(fault)
    allowed = _ALLOWED.get(fault["type"], fault["msg"].removeprefix("Input should be "))
    return key, BadInput("wrong kind of value", found=show(fault["input"]), allowed=allowed)


def _split(dotted: str) -> Key:
    return tuple(int(part) if part.isdigit() else part for part in dotted.split(".") if part)


def _unknown_key(key: Key, model: type[BaseModel]) -> BadInput:
    section = section_model(key[:-1], model)
    known = list(fields_of(section)) if section else []
    return BadInput(
        "unknown key",
        found=key[-1],
        allowed=", ".join(known) or "no keys yet",
        nearest=nearest_name(str(key[-1]), known),
    )


def _not_listed(fault: dict[str, Any]) -> BadInput:
    expected = fault["ctx"]["expected"]
    names = re.findall(r"'([^']*)'", expected)
    nearest = nearest_name(fault["input"], names) if isinstance(fault["input"], str) else None
    return BadInput(
        "unknown value", found=show(fault["input"]), allowed=", ".join(names) or expected, nearest=nearest
    )


def _describe(key: Key, model: type[BaseModel]) -> str:
    section = section_model(key[:-1], model)
    field = fields_of(section).get(str(key[-1])) if section else None
    return (described(field) if field else "") or "a value"


def section_model(key: Key, model: type[BaseModel]) -> type[BaseModel] | None:
    """The class of the section that a path of keys leads to, or None."""
    for part in key:
        if isinstance(part, int):
            continue
        field = fields_of(model).get(part)
        inner = _models_in(field.annotation) if field else []
        if not inner:
            return None
        model = inner[0]
    return model


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [m for part in getattr(annotation, "__args__", ()) for m in _models_in(part)]
