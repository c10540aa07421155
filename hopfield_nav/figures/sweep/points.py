"""The runs of a sweep as points: one number or word a run for every parameter and quantity."""

import json
import math
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any

import numpy as np
import xarray as xr

from dynamics import BadInput, nearest_name
from hopfield_nav.plugin import shown_names
from hopfield_nav.record import SUMMARY

PASSED, FAILS = "passed_through", "fails"
MARKS = {"base_run": "○", "best_run": "★"}  # as in printed tables
MEANT = {"○": "base world's setting", "★": "best"}
TIME = "simulated_time_s"  # of a run that did not reach the goal it says nothing about the path
_LONGEST = 24  # letters of a word at an axis
_SYMBOLS = {
    "omega": "ω", "damping ratio": "ζ", "proportional": "K_P", "derivative": "K_D", "beta": "β",
    "threshold": "detection threshold",
}  # fmt: skip
_NOT_PARAMETERS = {"run", "index", "repeat", "seed"}


class Points:
    """Runs of a sweep in one order, whatever the dimensions of its table.

    These are the swept parameters, or ``run``. Numbers are in the units of printed tables.
    """

    def __init__(self, data: xr.Dataset) -> None:
        self.data = data
        swept = [str(name) for name in data.dims if name != "repeat"]
        if "run" in data.dims:
            coordinates = [str(name) for name in data.coords if data[name].dims == ("run",)]
            swept = [name for name in coordinates if name not in _NOT_PARAMETERS]
        # names of the swept parameters but seeds; of a zipped group the first
        self.parameters = tuple(name for name in swept if name.rpartition(".")[2] != "seed")
        seeds = len(self.parameters) < len(swept)
        # whether several runs share all parameters, as those of several seeds, or were drawn
        self.repeated = seeds or data.sizes.get("repeat", 1) > 1 or "run" in data.dims
        words = np.array(
            [word if isinstance(word, str) else "" for word in self._all("outcome")], object
        )
        self._rows = np.asarray(words != "", bool)
        # number of runs whose row was written, and of all
        self.count, self.whole = int(self._rows.sum()), self._rows.size
        # (count,) the outcome of each run; one that may have gone through an obstacle did not
        # arrive
        self.outcome = words[self._rows]
        if PASSED in data.variables:
            through = (self.outcome == "reached") & (self.numbers(PASSED) > 0.0)
            self.outcome = np.where(through, PASSED, self.outcome)
        # (count,) whether the goal was reached, and not through an obstacle
        self.reached = np.asarray(self.outcome == "reached", bool)

    @cached_property
    def fails(self) -> np.ndarray:
        """In what the setting of each run (count,) falls short of aim or rule; "" for none."""
        if FAILS in self.data.variables:
            return self._all(FAILS)[self._rows]
        words = np.full(self.count, "", object)
        for rows in self.settings():
            share = self.reached[rows].mean()
            words[rows] = "" if share == 1 else "arrives less often" if share else "never arrives"
        return words

    @property
    def marked(self) -> dict[str, int]:
        """By mark the first run of the base world's setting (○) and of the best (★), if any."""
        runs = {
            mark: int(self.data.attrs[name])
            for name, mark in MARKS.items()
            if name in self.data.attrs
        }
        return {mark: self.row_at(run) for mark, run in runs.items() if self._rows[run]}

    def row_at(self, run: int) -> int:
        """Where the run of that index stands among those whose row was written."""
        return int(np.count_nonzero(self._rows[:run]))

    def values(self, name: str) -> np.ndarray:
        """(count,) values of a parameter: numbers, or words where not all are numbers."""
        values = self._all(name)[self._rows]
        if values.dtype.kind in "fiu":
            return np.asarray(values, float)
        texts = [value if isinstance(value, str) else short(value) for value in values]
        names = shown_names(texts)  # a method of a file by its name, apart from others of that name
        return np.array([short(names[text]) for text in texts], object)

    def numbers(self, name: str) -> np.ndarray:
        """(count,) values of a quantity, NaN where there is none.

        The time to the goal is that of the runs which got there.
        """
        values = self._all(name)[self._rows]
        try:
            numbers = np.array([math.nan if v is None or v == "" else v for v in values], float)
        except (TypeError, ValueError, OverflowError):
            raise BadInput(f"{name} is no number that can be drawn") from None
        numbers[~np.isfinite(numbers)] = math.nan
        numbers *= SUMMARY[name].scale if name in SUMMARY else 1.0
        return np.where(self.reached, numbers, math.nan) if name == TIME else numbers

    def has(self, name: str) -> bool:
        """Whether a quantity was recorded and has a value in at least one run."""
        return name in self.data.variables and bool(np.isfinite(self.numbers(name)).any())

    def settings(self) -> list[np.ndarray]:
        """Rows of each combination of parameters that was run."""
        return groups([codes_of(self.values(name))[1] for name in self.parameters], self.count)

    def label(self, name: str) -> str:
        """Name and unit for an axis."""
        attributes = self.data[name].attrs if name in self.data.variables else {}
        if name in SUMMARY:
            unit = SUMMARY[name].shown
            label = "time to the goal" if name == TIME else SUMMARY[name].label
            return f"{label} ({unit})" if unit else label
        text = str(attributes.get("long_name") or "")
        if not text or len(text) > 18:
            text = plain(name)
        words = name in self.data.variables and self.data[name].dtype.kind not in "fiu"
        unit = "" if words else str(attributes.get("units") or "")
        return f"{text} ({unit})" if unit not in ("", "1") else text

    def _all(self, name: str) -> np.ndarray:
        if name not in self.data.variables:
            known = [str(key) for key in self.data.variables]
            raise BadInput(f"no column '{name}' in the table", nearest=nearest_name(name, known))
        shape = dict(self.data.sizes)
        variable = self.data[name].variable.set_dims(shape)
        return np.asarray(variable.transpose(*shape).values).ravel()


def groups(codes: Sequence[np.ndarray], count: int) -> list[np.ndarray]:
    """Rows, of so many, that agree in every code (count,), in order of the codes."""
    if not codes or not count:
        return [np.arange(count)] if count else []
    _, group = np.unique(np.stack(codes, axis=1), axis=0, return_inverse=True)
    order = np.argsort(group.ravel(), kind="stable")
    begins = np.flatnonzero(np.diff(group.ravel()[order])) + 1
    return np.split(order, begins)


def codes_of(values: np.ndarray) -> tuple[list[Any], np.ndarray]:
    """Distinct values, numbers ascending and words as they come, and which of them each row has."""
    if values.dtype.kind == "f":
        distinct, codes = np.unique(values, return_inverse=True)
        return distinct.tolist(), codes.ravel()
    words = list(dict.fromkeys(values))
    place = {word: k for k, word in enumerate(words)}
    return words, np.array([place[word] for word in values], int)


def median(values: np.ndarray) -> float:
    """Median of what is finite; not a number without any."""
    finite = values[np.isfinite(values)]
    return float(np.median(finite)) if finite.size else math.nan


def counts_in_words(counts: np.ndarray) -> str:
    """How many runs there are at each of some places: ``n = 3``, or from the least to the most."""
    low, high = int(counts.min()), int(counts.max())
    return f"n = {low}" if low == high else f"n = {low}–{high}"


def short(value: Any) -> str:
    """A value as it stands at an axis."""
    if isinstance(value, int | float | np.number) and not isinstance(value, bool):
        number = float(value)
        if math.isnan(number):
            return "none"
        if 1e3 <= abs(number) < 1e4:
            return f"{number:.0f}"
        digits, _, exponent = (
            f"{number:.2e}" if abs(number) >= 1e4 else f"{number:.3g}"
        ).partition("e")
        return f"{float(digits):g}e{int(exponent)}" if exponent else digits
    text = str(value)
    if text.startswith("["):
        with suppress(ValueError):
            items = json.loads(text)
            text = ("×" if all(isinstance(i, int) for i in items) else ", ").join(map(short, items))
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def plain(name: str) -> str:
    """The key of a world in words: the last part, and 'scale of' where it is a factor."""
    words = name.rstrip("*").rsplit(".", 1)[-1].replace("_", " ")
    words = _SYMBOLS.get(words, words)
    return f"scale of {words}" if name.endswith("*") else words
