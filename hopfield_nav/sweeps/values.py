"""The values that a sweep gives to a key of the world: a list, a range, factors, or a random draw.

Random samples are the same for the same seed, and the first ones stay the same when there are more.
"""

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dynamics import BadInput, nearest_name
from hopfield_nav.world import Key, show

MOST_RUNS = 10_000_000
_SPREAD = "[first, last, count]"
RANGES = {"linear": _SPREAD, "log": _SPREAD}  # every kind with the names of its numbers
DRAWS = {"uniform": "[low, high]", "normal": "[mean, deviation]", "sobol": "[low, high]"}


@dataclass(frozen=True)
class Values:
    """The values of one key, in order."""

    values: (
        list[Any] | np.ndarray
    )  # what is written to the world, or the factors of what the base world has
    scaled: bool  # whether they are factors
    below: Key = ()  # the keys below that of the world at which the file has the values
    listed: bool = False  # whether each value stands there by itself


@dataclass(frozen=True)
class Draw:
    """``uniform`` or ``sobol`` from ``a`` to ``b``, or ``normal`` about ``a`` with deviation ``b``."""

    kind: str
    a: float
    b: float
    scaled: bool


def read_values(spec: object) -> Values:
    """The values that a sweep file asks for."""
    inner, below, scaled = _unwrap_scale(spec)
    allowed = f"a list, {_forms(RANGES)}"
    if isinstance(inner, dict):
        kind, numbers = _one_kind(inner, RANGES, below, allowed)
        return Values(_spread(kind, numbers, (*below, kind)), scaled, (*below, kind))
    if not isinstance(inner, list):
        raise BadInput(
            "no list of values", where=_dotted(below), found=show(inner), allowed=allowed
        )
    if not inner:
        raise BadInput("empty list of values", where=_dotted(below), allowed="at least one value")
    if scaled:
        _require_numbers(inner, below)
    return Values(inner, scaled, below, listed=True)


def read_draw(spec: object) -> Draw:
    """The random draw that a sweep file asks for."""
    inner, below, scaled = _unwrap_scale(spec)
    allowed = _forms(DRAWS)
    if not isinstance(inner, dict):
        raise BadInput("no random draw", where=_dotted(below), found=show(inner), allowed=allowed)
    kind, numbers = _one_kind(inner, DRAWS, below, allowed)
    a, b = map(float, numbers)
    where = _dotted((*below, kind))
    if kind == "normal" and b <= 0:
        raise BadInput(
            "standard deviation not above 0", where=f"{where}.1", found=b, allowed="above 0"
        )
    if kind != "normal" and not a < b:
        raise BadInput("low is not below high", where=where, found=[a, b], allowed=DRAWS[kind])
    if not math.isfinite(b - a):
        raise BadInput(
            "out of range", where=where, found=[a, b], allowed="numbers of moderate size"
        )
    return Draw(kind, a, b, scaled)


def draw_samples(draws: Mapping[str, Draw], samples: int, seed: int) -> dict[str, Values]:
    """For each key ``samples`` numbers; all ``sobol`` keys share one scrambled Sobol sequence.

    A ``uniform`` or ``normal`` key has a generator of its own, so another key changes nothing for
    it.
    """
    sobol = [key for key, draw in draws.items() if draw.kind == "sobol"]
    columns: dict[str, np.ndarray] = {}  # of the first points of the sequence, 0 … 1
    if sobol:
        from scipy.stats import qmc

        sequence = qmc.Sobol(len(sobol), scramble=True, rng=np.random.default_rng(seed))
        points = sequence.random_base2((samples - 1).bit_length())[:samples]
        columns = dict(zip(sobol, points.T, strict=True))
    drawn = {}
    for key, draw in draws.items():
        generator = np.random.default_rng([seed, *key.encode()])
        method = generator.normal if draw.kind == "normal" else generator.uniform
        numbers = (
            draw.a + (draw.b - draw.a) * columns[key]
            if key in columns
            else method(draw.a, draw.b, samples)
        )
        drawn[key] = Values(numbers, draw.scaled)
    return drawn


def _unwrap_scale(spec: object) -> tuple[object, Key, bool]:
    if isinstance(spec, dict) and list(spec) == ["scale"]:
        return spec["scale"], ("scale",), True
    return spec, (), False


def _forms(kinds: Mapping[str, str]) -> str:
    """How values of some kinds are written, in words."""
    return (
        ", ".join(f"{{{kind}: {names}}}" for kind, names in kinds.items())
        + " or {scale: …} of these"
    )


def _one_kind(
    spec: dict, kinds: Mapping[str, str], below: Key, allowed: str
) -> tuple[str, list[Any]]:
    """The kind of values that a mapping asks for, and its numbers.

    Of the first two it is sure that they are some.
    """
    where = _dotted(below)
    if len(spec) != 1:
        raise BadInput(
            "exactly one kind of values is needed", where=where, found=list(spec), allowed=allowed
        )
    ((kind, numbers),) = spec.items()
    if kind not in kinds:
        nearest = nearest_name(str(kind), [*kinds] if below else [*kinds, "scale"])
        raise BadInput(
            "unknown kind of values", where=where, found=kind, allowed=allowed, nearest=nearest
        )
    below, names = (*below, kind), kinds[kind]
    if not isinstance(numbers, list) or len(numbers) != len(names.split(",")):
        raise BadInput("wrong shape", where=_dotted(below), found=show(numbers), allowed=names)
    _require_numbers(numbers[:2], below)
    return kind, numbers


def _spread(kind: str, numbers: list[Any], below: Key) -> list[Any]:
    """Evenly spaced numbers, or numbers in even ratios, rounded to 12 digits between the two ends."""
    first, last, count = numbers
    ends, where = [float(first), float(last)], _dotted(below)
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST_RUNS:
        raise BadInput(
            "wrong count", f"{where}.2", show(count), f"a whole number from 1 to {MOST_RUNS}"
        )
    if kind == "log" and min(ends) <= 0:
        i = 0 if ends[0] <= 0 else 1
        raise BadInput(
            "no logarithm", where=f"{where}.{i}", found=ends[i], allowed="a number above 0"
        )
    if count > 1 and (ends[0] == ends[1] or not math.isfinite(ends[1] - ends[0])):
        raise BadInput(
            "no range", where=where, found=ends, allowed=f"{_SPREAD} with last other than first"
        )
    if count == 1:
        return [first]
    if (
        kind == "linear"
        and isinstance(first, int)
        and isinstance(last, int)
        and (last - first) % (count - 1) == 0
    ):
        return [*range(first, last, (last - first) // (count - 1)), last]
    a, b = ends
    shares = [i / (count - 1) for i in range(1, count - 1)]
    exact = [a * (b / a) ** share if kind == "log" else a + (b - a) * share for share in shares]
    return [a, *(float(f"{number:.12g}") for number in exact), b]


def _require_numbers(values: list[Any], below: Key) -> None:
    for i, value in enumerate(values):
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not number or not abs(value) <= sys.float_info.max:
            raise BadInput(
                "wrong kind of value", _dotted((*below, i)), show(value), "a finite number"
            )


def _dotted(key: Key) -> str:
    return ".".join(str(part) for part in key)
