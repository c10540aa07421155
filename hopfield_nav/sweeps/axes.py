"""The columns of a sweep's parameters and how they form a grid."""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dynamics import BadInput
from hopfield_nav.sweeps.base import Base, refused_changes
from hopfield_nav.sweeps.sections import SweepFile
from hopfield_nav.sweeps.values import MOST_RUNS, Values, draw_samples
from hopfield_nav.world import Document, Fault, Key, show, split_key

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

    @property
    def drawn(self) -> bool:
        """Whether the values are random samples."""
        return isinstance(self.values, np.ndarray)

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
    for section, specs in _axes_of(file):
        given = (
            draw_samples(specs, file.samples or 0, file.seed) if section == ("random",) else specs
        )
        try:
            axis = tuple(
                _column(base, document, (*section, key), values) for key, values in given.items()
            )
            _refuse_twice(axis)
            axes.append(axis)
            faults += [(section, fault) for fault in refused_changes(base, axis)]
        except BadInput as error:
            faults.append((section, error))
    return axes, faults


def _axes_of(file: SweepFile) -> Iterator[tuple[Key, dict[str, Any]]]:
    """For each axis the section of the file, and what it says of each key."""
    yield from ((("vary",), {key: values}) for key, values in file.vary.items())
    yield from ((("zip", i), group) for i, group in enumerate(file.zip))
    if file.random:
        yield ("random",), file.random


def _column(base: Base, document: Document, at: Key, values: Values) -> AxisColumn:
    path = split_key(str(at[-1]))
    factor_of = _base_number(base, path, document.where(at)) if values.scaled else None
    below = (
        [(*values.below, i) for i in range(len(values.values))] if values.listed else [values.below]
    )
    places = [document.place((*at, *key)) for key in below]
    name = ".".join(map(str, path)) + ("*" if values.scaled else "")
    return AxisColumn(
        name, path, values.values, factor_of, places[:1] if len(set(places)) == 1 else places
    )


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
    fault: BadInput | None
    seen: dict[Key, Key] = {}
    for section, keys in [(("set",), file.set), *_axes_of(file)]:
        for key in keys:
            path, at = split_key(key), (*section, key)
            if not key or "" in path:
                fault = BadInput(
                    "not understood", found=key, allowed="a key such as detection.threshold"
                )
            elif key in _RESERVED:
                fault = BadInput("cannot be swept", allowed=_RESERVED[key])
            else:
                fault = _fault_of_overlap(at, path, seen)
            if fault is not None:
                yield at, fault.at(document.where(at))
            seen[path] = at
    axes = (keys for section, keys in _axes_of(file) if section != ("random",))
    listed = [len(next(iter(keys.values())).values) for keys in axes]
    count = math.prod([*listed, file.samples or 1, file.repeats])
    if count > MOST_RUNS:
        yield (
            (),
            BadInput(
                "too many runs", where=document.name, found=count, allowed=f"at most {MOST_RUNS}"
            ),
        )


def _fault_of_overlap(at: Key, path: Key, seen: dict[Key, Key]) -> BadInput | None:
    """Two keys of which one contains the other.

    ``set`` may give a section in which a key varies.
    """
    for other, place in seen.items():
        shared = min(len(path), len(other))
        inside_is_fine = place[0] == "set" != at[0]
        if path[:shared] == other[:shared] and not (inside_is_fine and len(other) < len(path)):
            what = "the same key twice" if path == other else "one key lies inside the other"
            found = f"{at[-1]} and {place[0]}.{place[-1]}"
            return BadInput(what, found=found, allowed="each key once, in set, vary, zip or random")
    return None


def _refuse_twice(axis: Axis) -> None:
    if axis[0].drawn:
        return
    seen: dict[str, int] = {}
    for i in range(len(axis[0].values)):
        text = json.dumps([column.value(i) for column in axis])
        if seen.setdefault(text, i) != i:
            names = ", ".join(column.name for column in axis)
            raise BadInput(
                "value given twice", where=f"{axis[0].place(i)}: {names}", found=text[1:-1]
            )
