"""What pydantic finds wrong with a world, said in one line: place, key, found, allowed, nearest."""

import copy
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from dynamics import BadInput, nearest_name
from hopfield_nav.world.document import Document, Key
from hopfield_nav.world.fields import SECTION, WORD, described, fields_of, show
from hopfield_nav.world.not_known import NOT_KNOWN

Fault = tuple[Key, BadInput]
_UNKNOWN_KEY, _MISSING = "unknown key", "missing key"
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
}


def read_form(validate: Callable[[Any], Any], model: type[BaseModel], document: Document) -> tuple[Any, list[Fault]]:
    """What a document holds, with ``NOT_KNOWN`` wherever a fault lies; and every fault, with its key.

    What is at fault is taken for not known, and the rest is looked at again, until nothing new is found. ``validate``
    makes a ``model`` of plain data, or raises ``ValidationError``.
    """
    data, found = document.data, dict[Key, BadInput]()
    while True:
        try:
            return validate(data), list(found.items())
        except ValidationError as error:
            told = error.errors(include_url=False)
            new = dict(_translate(dict(fault), model, document) for fault in told)
        every = {**new, **found}
        first = {key: fault for key, fault in every.items() if not _follows(key, fault, every, document)}
        found = first or every
        data = copy.deepcopy(data) if data is document.data else data
        for key, fault in new.items():
            data = _without(data, key, fault)


def _follows(key: Key, fault: BadInput, others: Mapping[Key, BadInput], document: Document) -> bool:
    """Whether a fault is only a consequence: of a misspelt key, or of what a value was derived from."""
    unknown = {other: about.nearest for other, about in others.items() if about.what == _UNKNOWN_KEY}
    if fault.what == _MISSING:
        return key in {(*other[:-1], nearest) for other, nearest in unknown.items()}
    around = key in {other[:-1] for other, nearest in unknown.items() if nearest is None}
    return around or not holds(document.data, key)


def holds(data: Any, key: Key) -> bool:
    """Whether there is anything at a key."""
    for part in key:
        keys: Any = data if isinstance(data, dict) else range(len(data)) if isinstance(data, (list, tuple)) else ()
        if part not in keys:
            return False
        data = data[part]
    return True


def _without(data: Any, key: Key, fault: BadInput) -> Any:
    """``data`` where nobody knows what stands at a key, or in the nearest section around it; it is changed.

    An unknown key goes, and nobody knows the one that was meant by it.
    """
    spot: tuple[Any, Any] | None = None
    holder: Any = data
    for part in key:
        if not isinstance(holder, dict) and not holds(holder, (part,)):
            break
        inner = holder.get(part) if isinstance(holder, dict) else holder[part]
        if inner is NOT_KNOWN:
            break
        if isinstance(holder, dict) or isinstance(inner, dict):
            spot = holder, part
        holder = inner
    if spot is None:
        return NOT_KNOWN
    holder, name = spot
    if fault.what != _UNKNOWN_KEY:
        holder[name] = NOT_KNOWN
    else:
        del holder[name]
        if fault.nearest:
            holder.setdefault(fault.nearest, NOT_KNOWN)
    return data


def in_order(faults: Iterable[Fault], document: Document) -> list[BadInput]:
    """Faults in the order of the document, each with its place."""
    return sort_faults([(key, placed_at(key, fault, document)) for key, fault in faults], document)


def sort_faults(faults: Iterable[Fault], document: Document) -> list[BadInput]:
    """Faults that have their places, in the order in which their keys stand in the document."""
    order = {key: i for i, key in enumerate(document.places)}
    ordered = sorted(faults, key=lambda fault: (_position(fault[0], order), fault[0] not in order))
    return [fault for _, fault in ordered]


def together(faults: Sequence[BadInput]) -> BadInput:
    """The first of some faults, with the others in its ``others``."""
    first = faults[0]
    first.others = tuple(faults[1:])
    return first


def _position(key: Key, order: Mapping[Key, int]) -> int:
    """Where a key stands in the document; one that is missing, at the end of its section."""
    if key in order:
        return order[key]
    while key not in order and key:
        key = key[:-1]
    return max((i for other, i in order.items() if other[: len(key)] == key), default=0)


def placed(faults: Iterable[BadInput], document: Document) -> list[BadInput]:
    """Faults whose ``where`` is a dotted key, with file and line, in the order of the document."""
    return in_order(with_keys(faults), document)


def with_keys(faults: Iterable[BadInput]) -> list[Fault]:
    """Faults whose ``where`` is a dotted key, each with that key."""
    return [(_split(fault.where), fault) for fault in faults]


def placed_at(key: Key, fault: BadInput, document: Document) -> BadInput:
    """A fault with the file and the line of a key."""
    return fault.at(document.where(key))


def _translate(fault: dict[str, Any], model: type[BaseModel], document: Document) -> tuple[Key, BadInput]:
    key: Key = tuple(part for part in fault["loc"] if part not in (WORD, SECTION))
    cause = fault.get("ctx", {}).get("error")
    if isinstance(cause, BadInput):
        whole = (*key, cause.where)  # an unknown key may have dots in it
        return whole if holds(document.data, whole) else (*key, *_split(cause.where)), cause
    if fault["input"] is NOT_KNOWN:
        return key, BadInput("not known")  # and so found before, at the same key
    if fault["type"] == "extra_forbidden":
        return key, _unknown_key(key, model)
    if fault["type"] == "missing":
        return key, BadInput(_MISSING, allowed=_describe(key, model))
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
        _UNKNOWN_KEY,
        found=key[-1],
        allowed=", ".join(known) or "no keys yet",
        nearest=nearest_name(str(key[-1]), known),
    )


def _not_listed(fault: dict[str, Any]) -> BadInput:
    expected = fault["ctx"]["expected"]
    names = re.findall(r"'([^']*)'", expected)
    nearest = nearest_name(fault["input"], names) if isinstance(fault["input"], str) else None
    return BadInput("unknown value", found=show(fault["input"]), allowed=", ".join(names) or expected, nearest=nearest)


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
