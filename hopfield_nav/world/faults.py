"""What is wrong with a file, each fault in one line: place, key, found, allowed, nearest.

There are two phases. ``read_form`` refuses a file for all faults of its form: keys, kinds of
values, ranges, what does not fit within a section. What is of the right form is then checked for
its content (``faults_of``): what does not fit between sections, or its arm. So no check of content
meets a value that is none.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from dynamics import BadInput, nearest_name
from hopfield_nav.world.document import Document, Key
from hopfield_nav.world.fields import described, fields_of, show
from hopfield_nav.world.files import value_at
from hopfield_nav.world.imperfections import SECTION, WORD

Fault = tuple[Key, BadInput]
_Model = TypeVar("_Model", bound=BaseModel)
_Checked = TypeVar("_Checked")
_UNKNOWN_KEY = "unknown key"
_MISSING = "missing key"
_NOTHING = object()
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


def read_form(
    model: type[_Model], document: Document, context: dict[str, Any] | None = None
) -> _Model:
    """Make what a document holds a ``model``, or refuse it for all faults of its form.

    ``context`` is handed to the model's validators.

    Raises ``BadInput``: the first fault, with file, line and key; its ``others`` are the further
    ones. A fault that only follows from another one is left out.
    """
    try:
        return model.model_validate(document.data, context=context)
    except ValidationError as error:
        every = dict[Key, BadInput]()
        for one in error.errors(include_url=False):
            key, fault = _translate(dict(one), model, document)
            every.setdefault(key, fault)
    causes = {
        key: fault for key, fault in every.items() if not _follows(key, fault, every, document)
    }
    told = causes or every  # all, should each of them follow from another
    refuse([(key, fault.at(document.where(key))) for key, fault in told.items()], document)
    raise AssertionError("pydantic refused a document without an error")


def _follows(key: Key, fault: BadInput, others: Mapping[Key, BadInput], document: Document) -> bool:
    """Whether a fault is only a consequence of another one.

    A key is missing since it is misspelt, or a value that was derived is wrong since another one,
    that the file gives, is.
    """
    if fault.what != _MISSING:
        return value_at(document.data, key, _NOTHING) is _NOTHING
    return any(
        about.what == _UNKNOWN_KEY and (*other[:-1], about.nearest) == key
        for other, about in others.items()
    )


def faults_of(
    checks: Iterable[Callable[[_Checked], Iterable[BadInput] | None]], subject: _Checked
) -> list[BadInput]:
    """What checks refuse.

    Each raises its fault, or yields several.
    """
    found: list[BadInput] = []
    for check in checks:
        try:
            found.extend(check(subject) or ())
        except BadInput as error:
            found.append(error)
    return found


def placed(faults: Iterable[BadInput], document: Document) -> list[Fault]:
    """Faults whose ``where`` is a dotted key, each with that key, and with file and line."""
    found: list[Fault] = []
    for fault in faults:
        key = _split(fault.where)
        found.append((key, fault.at(document.where(key))))
    return found


def refuse(faults: Iterable[Fault], document: Document) -> None:
    """Refuse a document for faults that have their places.

    Raises ``BadInput``: the first of them in the order of the document; ``others`` has the others.
    """
    order = {key: i for i, key in enumerate(document.places)}

    def position(key: Key) -> tuple[int, bool]:
        """Where a key stands; one that is missing stands at the end of its section."""
        above = key
        while above not in order and above:
            above = above[:-1]
        if key in order:
            return order[key], False
        last = max((i for other, i in order.items() if other[: len(above)] == above), default=0)
        return last, True

    ordered = sorted(faults, key=lambda fault: position(fault[0]))
    if ordered:
        raise together([fault for _, fault in ordered])


def together(faults: Sequence[BadInput]) -> BadInput:
    """The first of some faults, with the others in its ``others``."""
    first = faults[0]
    first.others = tuple(faults[1:])
    return first


def _translate(
    fault: dict[str, Any], model: type[BaseModel], document: Document
) -> tuple[Key, BadInput]:
    """A fault that pydantic has found: its key, and what is said of it."""
    key: Key = tuple(part for part in fault["loc"] if part not in (WORD, SECTION))
    cause = fault.get("ctx", {}).get("error")
    if isinstance(cause, BadInput):
        whole = (*key, cause.where)  # an unknown key may have dots in it
        if value_at(document.data, whole, _NOTHING) is not _NOTHING:
            return whole, cause
        return (*key, *_split(cause.where)), cause
    section = section_model(key[:-1], model)
    fields = fields_of(section) if section else {}
    if fault["type"] == "extra_forbidden":
        return key, unknown_key(str(key[-1]), list(fields))
    if fault["type"] == "missing":
        name = str(key[-1])
        meaning = described(section, name) if section and name in fields else "a value"
        return key, BadInput(_MISSING, allowed=meaning)
    found = fault["input"]
    if fault["type"] == "literal_error":
        expected = fault["ctx"]["expected"]
        names = re.findall(r"'([^']*)'", expected)
        return key, BadInput(
            "unknown value",
            found=show(found),
            allowed=", ".join(names) or expected,
            nearest=nearest_name(found, names) if isinstance(found, str) else None,
        )
    allowed = _ALLOWED.get(fault["type"], fault["msg"].removeprefix("Input should be "))
    return key, BadInput("wrong kind of value", found=show(found), allowed=allowed)


def _split(dotted: str) -> Key:
    """``obstacles.0.radius`` as a path of keys."""
    return tuple(int(part) if part.isdigit() else part for part in dotted.split(".") if part)


def unknown_key(key: str, known: Sequence[str], where: str = "") -> BadInput:
    """The fault of a key that is none of those known."""
    return BadInput(
        _UNKNOWN_KEY,
        where=where,
        found=key,
        allowed=", ".join(known) or "no keys yet",
        nearest=nearest_name(key, known),
    )


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
    """The classes of sections in a type, from outside inwards."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    parts = getattr(annotation, "__args__", ())
    return [model for part in parts for model in _models_in(part)]
