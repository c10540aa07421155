"""Base parameters as formulas a person can read, such as MX2R = MX2 + a2*(M3 + M4 + M5 + M6).

The number in front of a parameter is a polynomial in the lengths a_i and d_i whose degree follows from the units (MX
+ a M, XX + a² M). Its coefficients come from the same arm with other lengths: as many as there are monomials, and
more to check. Where the angles are no multiples of a right angle they are not simple, and are printed as numbers.
"""

from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np

from dynamics.arm import Arm
from dynamics.identification.base_set import BaseParameters, base_parameters

_SIMPLE = 1e-6  # a coefficient this close to a fraction with a denominator up to 4 is that fraction
_DEGREE = {"M": 0, "MX": 1, "MY": 1, "MZ": 1}


def base_formulas(arm: Arm, base: BaseParameters) -> dict[str, str]:
    """A formula for every base parameter of an arm, by its name."""
    lengths = _lengths(arm)
    samples = _grouping_of_other_lengths(arm, base, lengths)
    return {name: _formula(base, row, [*lengths], *samples) for row, name in enumerate(base.names)}


def _lengths(arm: Arm) -> dict[str, tuple[int, int]]:
    """Names of the lengths that are not zero, with their places in the Denavit-Hartenberg table."""
    return {
        f"{letter}{i + 1}": (i, column)
        for i in range(len(arm.dh))
        for letter, column in (("a", 2), ("d", 1))
        if arm.dh[i, column] != 0
    }


def _grouping_of_other_lengths(
    arm: Arm, base: BaseParameters, lengths: Mapping[str, tuple[int, int]]
) -> tuple[np.ndarray, np.ndarray]:
    """Lengths (s, l) of s arms of the same form, and their groupings (s, p, all)."""
    rng = np.random.default_rng(1)
    count = len(lengths) * (len(lengths) + 1) // 2 + 5  # five more than monomials: a check
    values = rng.uniform(0.3, 1.0, (count, len(lengths)))
    groupings = []
    for row in values:
        dh = arm.dh.copy()
        for value, place in zip(row, lengths.values(), strict=True):
            dh[place] = value
        offset = np.column_stack([dh[:, 2], dh[:, 1] * arm.twist[:, 1], dh[:, 1] * arm.twist[:, 0]])
        other = base_parameters(arm._replace(dh=dh, offset=offset, dynamics_offset=offset), base.rotor, base.frames)
        groupings.append(other.grouping if np.array_equal(other.kept, base.kept) else base.grouping * np.nan)
    return values, np.array(groupings)


def _formula(base: BaseParameters, row: int, symbols: list[str], values: np.ndarray, groupings: np.ndarray) -> str:
    terms: dict[str, list[str]] = {}
    target = _degree(base.parameters[base.kept[row]])
    for k in np.flatnonzero(base.grouping[row]):
        degree = target - _degree(base.parameters[k])
        factor = _polynomial(symbols, values, groupings[:, row, k], degree)
        terms.setdefault(factor or f"{base.grouping[row, k]:.6g}", []).append(base.parameters[k])
    kept = base.parameters[base.kept[row]]
    ordered = sorted(terms.items(), key=lambda item: kept not in item[1])
    text = " + ".join(_product(factor, names, kept) for factor, names in ordered)
    return f"{base.names[row]} = {text}".replace("+ -", "- ")


def _product(factor: str, names: list[str], first: str) -> str:
    names = sorted(names, key=lambda name: name != first)
    if factor == "1":
        return " + ".join(names)
    if factor == "-1":
        return " + ".join(f"-{name}" for name in names)
    total = names[0] if len(names) == 1 else f"({' + '.join(names)})"
    several = " " in factor
    return f"({factor})*{total}" if several else f"{factor}*{total}"


def _polynomial(symbols: list[str], values: np.ndarray, found: np.ndarray, degree: int) -> str | None:
    """The homogeneous polynomial of a degree through the values found, or None where there is none."""
    if not np.all(np.isfinite(found)) or degree < 0:
        return None
    monomials = list(combinations_with_replacement(range(len(symbols)), degree))
    table = np.column_stack([values[:, m].prod(axis=1) if m else np.ones(len(values)) for m in monomials])
    coefficients = np.linalg.lstsq(table, found, rcond=None)[0]
    fractions = [Fraction(float(c)).limit_denominator(4) for c in coefficients]
    if np.abs(table @ np.array(fractions, float) - found).max() > _SIMPLE:
        return None
    parts = [_monomial(f, [symbols[i] for i in m]) for f, m in zip(fractions, monomials, strict=True) if f]
    return " + ".join(parts).replace("+ -", "- ")


def _monomial(factor: Fraction, symbols: list[str]) -> str:
    powers = [s if symbols.count(s) == 1 else f"{s}^{symbols.count(s)}" for s in dict.fromkeys(symbols)]
    if not powers:
        return str(factor)
    sign = {1: "", -1: "-"}.get(factor, f"{factor}*")  # type: ignore[call-overload]
    return sign + "*".join(powers)


def _degree(name: str) -> int:
    """Power of the length in a parameter's unit."""
    return _DEGREE.get(name.rstrip("0123456789"), 2)
