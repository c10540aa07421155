"""The columns of a sweep's parameters and how they form a grid."""

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from dynamics import BadInput
from hopfield_nav.sweeps.base import Base, refused_changes
from hopfield_nav.sweeps.sections import SweepFile
from hopfield_nav.sweeps.values import MOST_RUNS, draw_samples
from hopfield_nav.world import Document, Fault, Key, faults_of, show, split_key

_RESERVED = {
    "seed": "the sweep's own `seed` and `repeats`, or the seed of random obstacles",
    "format": "a world of this format",
}


@dataclass(frozen=True, eq=False)
class AxisColumn:
    """A parameter of the sweep."""

    name: str  # in the table: the key, with "*" behind it when the values are factors
    key: Key  # of the world
    values: list[Any] | np.ndarray  # as the table has them
    base: Any  # what factors multiply; None when they are no factors
    places: list[str]  # in the sweep file, one for every value or one for all
    drawn: bool = False  # whether the values are random samples

    @property
    def is_seed(self) -> bool:
        """Whether it is a seed of what is drawn, so that its values are repeats."""
        return self.key[-1] == "seed"

    def value(self, i: int) -> Any:
        """What the table has in this column for the i-th value."""
        value = self.values[i]
        return value.item() if isinstance(value, np.generic) else value

    def written(self, i: int) -> Any:
        """What the i-th value writes into the world."""
        return self.value(i) if self.base is None else _scaled(self.base, self.value(i))

    def place(self, i: int) -> str:
        """Where in the file the i-th value comes from."""
        return self.places[i if len(self.places) > 1 else 0]

    def about(self, i: int) -> str:
        """How a message names the i-th value where the file does not show it."""
        if self.drawn:
            return f"sample {i} is {self.value(i):.6g}: "
        return f"factor {self.value(i):.6g}: " if self.base is not None else ""


Axis = tuple[AxisColumn, ...]


def build_axes(file: SweepFile, base: Base, document: Document) -> tuple[list[Axis], list[Fault]]:
    """The axes of the grid, the first varying slowest, random samples last; and the values that the base refuses."""
    axes, faults = list[Axis](), list[Fault]()
    for key, columns in _columns_of(file, base, document):
        add = partial(_add_axis, base=base, drawn=key == ("random",), axes=axes)
        faults += [(key, fault) for fault in faults_of([add], columns)]
    return axes, faults


def _add_axis(columns: Callable[[], Axis], base: Base, drawn: bool, axes: list[Axis]) -> Iterator[BadInput]:
    """Make an axis, and tell which of its values the base world does not allow."""
    axis = columns()
    if not drawn:
        _refuse_twice(axis)
    axes.append(axis)
    yield from refused_changes(base, axis, whole=not drawn)


def _columns_of(file: SweepFile, base: Base, document: Document) -> Iterator[tuple[Key, Callable[[], Axis]]]:
    """For each axis where it stands, and what makes its columns."""
    for key, spec in file.vary.items():
        yield ("vary", key), partial(_axis, base, document, ("vary",), {key: spec})
    for i, group in enumerate(file.zip):
        yield ("zip", i), partial(_axis, base, document, ("zip", i), group)
    if file.random:
        yield ("random",), partial(_random_axis, file, base, document)


def _axis(base: Base, document: Document, section: Key, specs: dict[str, Any]) -> Axis:
    return tuple(_column(base, document, section, key, spec) for key, spec in specs.items())


def _column(base: Base, document: Document, section: Key, key: str, spec: Any) -> AxisColumn:
    path, at = split_key(key), (*section, key)
    factor_of = _base_number(base, path, document.where(at)) if spec.scaled else None
    places = [document.place((*at, *spec.key(i))) for i in range(len(spec.values))]
    places = places[:1] if len(set(places)) == 1 else places
    return AxisColumn(_name(path, spec.scaled), path, spec.values, factor_of, places)


def _random_axis(file: SweepFile, base: Base, document: Document) -> Axis:
    drawn = draw_samples(file.random, file.samples or 0, file.seed)
    columns = []
    for key, draw in file.random.items():
        path, where = split_key(key), document.where(("random", key))
        factor_of = _base_number(base, path, where) if draw.scaled else None
        place = [document.place(("random", key))]
        columns.append(AxisColumn(_name(path, draw.scaled), path, drawn[key], factor_of, place, drawn=True))
    return tuple(columns)


def _name(path: Key, scaled: bool) -> str:
    return ".".join(str(part) for part in path) + ("*" if scaled else "")


def _base_number(base: Base, path: Key, where: str) -> Any:
    """What factors multiply: a number or a list of numbers of the base world."""
    value = base.value_at(path)
    numbers = value if isinstance(value, list) and value else [value]
    if any(isinstance(v, bool) or not isinstance(v, (int, float)) for v in numbers):
        allowed = "a key at which the base world has a number or a list of numbers"
        raise BadInput("nothing to scale", where=where, found=show(value), allowed=allowed)
    return value


def _scaled(base: Any, factor: float) -> Any:
    """The base value times a factor; a whole number stays one where the product is whole."""
    if isinstance(base, list):
        return [_scaled(v, factor) for v in base]
    product = base * factor
    whole = isinstance(base, int) and isinstance(product, float) and product.is_integer()
    return int(product) if whole else product


def faults_of_keys(file: SweepFile, document: Document) -> Iterator[Fault]:
    """Keys of the world that are changed in more than one place, or cannot be changed; and too many runs."""
    sections: list[tuple[Key, Any]] = [(("set",), file.set), (("vary",), file.vary)]
    sections += [(("zip", i), group) for i, group in enumerate(file.zip)]
    sections.append((("random",), file.random))
    seen: dict[Key, tuple[str, bool]] = {}
    for section, keys in sections:
        for key in keys:
            path, where = split_key(key), document.where((*section, key))
            try:
                _refuse_reserved(key, path, where)
                for other, (name, fixed) in seen.items():
                    _refuse_overlap(path, other, fixed and section != ("set",), where, key, name)
            except BadInput as error:
                yield (*section, key), error
            seen[path] = (f"{section[0]}.{key}", section == ("set",))
    yield from (((), fault) for fault in faults_of([partial(_refuse_many, document=document)], file))


def _refuse_reserved(key: str, path: Key, where: str) -> None:
    if not key or "" in path:
        raise BadInput("not understood", where=where, found=key, allowed="a key such as detection.threshold")
    if key in _RESERVED:
        raise BadInput("cannot be swept", where=where, allowed=_RESERVED[key])


def _refuse_overlap(path: Key, other: Key, inside_is_fine: bool, where: str, key: str, name: str) -> None:
    """Two keys of which one contains the other; ``set`` may give a section in which a key varies."""
    shared = min(len(path), len(other))
    if path[:shared] != other[:shared] or (inside_is_fine and len(other) < len(path)):
        return
    what = "the same key twice" if path == other else "one key lies inside the other"
    allowed = "each key once, in set, vary, zip or random"
    raise BadInput(what, where=where, found=f"{key} and {name}", allowed=allowed)


def _refuse_many(file: SweepFile, document: Document) -> None:
    lengths = [len(spec.values) for spec in file.vary.values()]
    lengths += [len(next(iter(group.values())).values) for group in file.zip]
    count = math.prod([*lengths, file.samples or 1, file.repeats])
    if count > MOST_RUNS:
        raise BadInput("too many runs", where=document.name, found=count, allowed=f"at most {MOST_RUNS}")


def _refuse_twice(axis: Axis) -> None:
    seen: dict[str, int] = {}
    for i in range(len(axis[0].values)):
        text = json.dumps([column.value(i) for column in axis])
        if seen.setdefault(text, i) != i:
            names = ", ".join(column.name for column in axis)
            raise BadInput("value given twice", where=f"{axis[0].place(i)}: {names}", found=text[1:-1])
