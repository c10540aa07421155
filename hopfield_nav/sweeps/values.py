"""The values that a sweep gives to a key of the world: a list, a range, factors, or a random draw.

Random samples are the same for the same seed, and the first ones stay the same when there are more.
"""

import inspect
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dynamics import BadInput, nearest_name
from hopfield_nav.world import Key, show

MOST_RUNS = 10_000_000
_RANGES = ("linear", "log")
_DRAWS = ("uniform", "normal", "sobol")
_ALLOWED = "a list, {linear: [first, last, count]}, {log: [first, last, count]} or {scale: …} of these"
_ALLOWED_DRAW = "{uniform: [low, high]}, {normal: [mean, deviation]}, {sobol: [low, high]} or {scale: …} of these"


@dataclass(frozen=True)
class Values:
    """The values of one key, in order."""

    values: list[Any]  # what is written to the world, or the factors of what the base world has
    scaled: bool  # whether they are factors
    below: Key  # the keys below that of the world at which the file has the values
    listed: bool  # whether each value stands there by itself

    def key(self, i: int) -> Key:
        """Where below the key of the world the file has the i-th value."""
        return (*self.below, i) if self.listed else self.below


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
    if isinstance(inner, dict):
        kind = _one_key(inner, _RANGES, below, _ALLOWED)
        values = _spread(kind, inner[kind], (*below, kind))
        return Values(values, scaled, (*below, kind), listed=False)
    if not isinstance(inner, list):
        raise BadInput("no list of values", where=_dotted(below), found=show(inner), allowed=_ALLOWED)
    if not inner:
        raise BadInput("empty list of values", where=_dotted(below), allowed="at least one value")
    if len(inner) > MOST_RUNS:
        raise BadInput("too many values", where=_dotted(below), found=len(inner), allowed=f"{MOST_RUNS}")
    if scaled:
        for i, factor in enumerate(inner):
            _number(factor, (*below, i))
    return Values(inner, scaled, below, listed=True)


def read_draw(spec: object) -> Draw:
    """The random draw that a sweep file asks for."""
    inner, below, scaled = _unwrap_scale(spec)
    if not isinstance(inner, dict):
        raise BadInput("no random draw", where=_dotted(below), found=show(inner), allowed=_ALLOWED_DRAW)
    kind = _one_key(inner, _DRAWS, below, _ALLOWED_DRAW)
    below = (*below, kind)
    names = "[mean, deviation]" if kind == "normal" else "[low, high]"
    a, b = (_number(v, (*below, i)) for i, v in enumerate(_list(inner[kind], below, 2, names)))
    if kind == "normal" and b <= 0:
        told = "standard deviation not above 0"
        raise BadInput(told, where=_dotted((*below, 1)), found=b, allowed="above 0")
    if kind != "normal" and not a < b:
        raise BadInput("low is not below high", where=_dotted(below), found=[a, b], allowed=names)
    if not math.isfinite(b - a):
        raise BadInput("out of range", where=_dotted(below), found=[a, b], allowed="numbers of moderate size")
    return Draw(kind, a, b, scaled)


def draw_samples(draws: Mapping[str, Draw], samples: int, seed: int) -> dict[str, np.ndarray]:
    """For each key ``samples`` numbers; all ``sobol`` keys share one scrambled Sobol sequence.

    A ``uniform`` or ``normal`` key has a generator of its own, so another key changes nothing for it.
    """
    sobol = [key for key, draw in draws.items() if draw.kind == "sobol"]
    points = _sobol_points(len(sobol), samples, seed) if sobol else np.zeros((samples, 0))
    columns = {key: points[:, i] for i, key in enumerate(sobol)}
    return {
        key: draw.a + (draw.b - draw.a) * columns[key] if key in columns else _draw(key, draw, samples, seed)
        for key, draw in draws.items()
    }


def _draw(key: str, draw: Draw, samples: int, seed: int) -> np.ndarray:
    generator = np.random.default_rng([seed, *key.encode()])
    method = generator.normal if draw.kind == "normal" else generator.uniform
    return method(draw.a, draw.b, samples)


def _sobol_points(dimensions: int, samples: int, seed: int) -> np.ndarray:
    """The first points of a scrambled Sobol sequence [0 … 1]: (samples, dimensions)."""
    from scipy.stats import qmc

    new = "rng" in inspect.signature(qmc.Sobol.__init__).parameters  # the name changed in SciPy 1.15
    generator: dict[str, Any] = {"rng" if new else "seed": np.random.default_rng(seed)}
    sequence = qmc.Sobol(dimensions, scramble=True, **generator)
    return sequence.random_base2((samples - 1).bit_length())[:samples]


def _unwrap_scale(spec: object) -> tuple[object, Key, bool]:
    if isinstance(spec, dict) and list(spec) == ["scale"]:
        return spec["scale"], ("scale",), True
    return spec, (), False


def _one_key(spec: dict, kinds: tuple[str, ...], below: Key, allowed: str) -> str:
    if len(spec) == 1:
        kind = next(iter(spec))
        if kind in kinds:
            return kind
        known = kinds if below else (*kinds, "scale")
        nearest = nearest_name(str(kind), known)
        told = "unknown kind of values"
        raise BadInput(told, where=_dotted(below), found=kind, allowed=allowed, nearest=nearest)
    told = "exactly one kind of values is needed"
    raise BadInput(told, where=_dotted(below), found=list(spec), allowed=allowed)


def _spread(kind: str, spec: object, below: Key) -> list[Any]:
    """Evenly spaced numbers, or numbers in even ratios, rounded to 12 digits between the two ends."""
    names = "[first, last, count]"
    first, last, count = _list(spec, below, 3, names)
    ends = [_number(v, (*below, i)) for i, v in enumerate((first, last))]
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST_RUNS:
        allowed = f"a whole number from 1 to {MOST_RUNS}"
        raise BadInput("wrong count", where=_dotted((*below, 2)), found=show(count), allowed=allowed)
    if kind == "log" and min(ends) <= 0:
        i = 0 if ends[0] <= 0 else 1
        raise BadInput("no logarithm", where=_dotted((*below, i)), found=ends[i], allowed="a number above 0")
    if count > 1 and (ends[0] == ends[1] or not math.isfinite(ends[1] - ends[0])):
        where = _dotted(below)
        raise BadInput("no range", where=where, found=ends, allowed=f"{names} with last other than first")
    if count == 1:
        return [first]
    if kind == "linear" and isinstance(first, int) and isinstance(last, int) and (last - first) % (count - 1) == 0:
        return [*range(first, last, (last - first) // (count - 1)), last]
    between = (_between(kind, ends, i / (count - 1)) for i in range(1, count - 1))
    return [ends[0], *between, ends[1]]


def _between(kind: str, ends: list[float], share: float) -> float:
    first, last = ends
    exact = first * (last / first) ** share if kind == "log" else first + (last - first) * share
    return float(f"{exact:.12g}")


def _list(spec: object, below: Key, length: int, names: str) -> list[Any]:
    if not isinstance(spec, list) or len(spec) != length:
        raise BadInput("wrong shape", where=_dotted(below), found=show(spec), allowed=names)
    return spec


def _number(value: Any, below: Key) -> float:
    try:
        if not isinstance(value, bool) and isinstance(value, (int, float)) and math.isfinite(value):
            return float(value)
    except OverflowError:
        pass
    raise BadInput("wrong kind of value", where=_dotted(below), found=show(value), allowed="a finite number")


def _dotted(key: Key) -> str:
    return ".".join(str(part) for part in key)
