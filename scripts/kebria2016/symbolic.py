"""Section III: M, C and g as expressions, from the table of Denavit and Hartenberg and the links' bodies.

The document's steps with its (8), (9), (10): numbers for the arm's parameters, symbols for the
joint angles and velocities. Expressions are polynomials in cosines c1…, sines s1… and velocities
w1… with rational coefficients, so nothing is rounded before they are evaluated. Columns of the
Jacobians are written in the frame of their link, where they know the angles between joint and link
alone.
"""

from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from ledger import Rows, judged
from sympy.polys.domains import QQ
from sympy.polys.rings import PolyElement, ring

from dynamics import Arm, coriolis_matrix, gravity_torque, load_arm, mass_matrix

NAME, STATES = "ur5_kebria2016", 200


class Equations(NamedTuple):
    """Polynomials in c1…cn, s1…sn, w1…wn of an arm of n joints, as arrays of objects: M and C (n, n), and g (n,)."""

    mass_matrix: np.ndarray
    coriolis_matrix: np.ndarray
    gravity_torque: np.ndarray


class _Symbols:
    """The polynomials' symbols, and what they know of sines and cosines."""

    def __init__(self, n: int) -> None:
        names = [f"{kind}{i + 1}" for kind in "csw" for i in range(n)]
        self.ring, *symbols = ring(names, QQ)
        self.n, self.c, self.s, self.w = n, symbols[:n], symbols[n : 2 * n], symbols[2 * n :]
        self.numbers, self.reduced = (
            np.frompyfunc(self._number, 1, 1),
            np.frompyfunc(self._reduced, 1, 1),
        )

    def _number(self, value: float) -> PolyElement:
        """The shortest decimal that is this number; cosines of right angles are whole."""
        exact = Fraction(repr(round(float(value), 15)))
        return self.ring(QQ(exact.numerator, exact.denominator))

    def _reduced(self, p: PolyElement) -> PolyElement:
        """With s² = 1 − c², so that one expression has one form."""
        for i in range(self.n):
            k = self.n + i
            while any(powers[k] > 1 for powers in p.monoms()):
                high = self.ring({m: a for m, a in p.terms() if m[k] > 1})
                lower = self.ring({(*m[:k], m[k] - 2, *m[k + 1 :]): a for m, a in high.terms()})
                p = p - high + lower * (1 - self.c[i] ** 2)
        return p

    def derivative(self, p: PolyElement, k: int) -> PolyElement:
        """∂p/∂q_k."""
        return self._reduced(p.diff(self.s[k]) * self.c[k] - p.diff(self.c[k]) * self.s[k])


def equations(arm: Arm) -> Equations:
    """The equations of motion of an arm with revolute joints and right angles between its axes."""
    symbols = _Symbols(len(arm.mass))
    links = list(
        zip(
            symbols.numbers(arm.mass),
            symbols.numbers(arm.inertia),
            *_columns(arm, symbols),
            strict=True,
        )
    )
    # (8)
    mass = sum(symbols.reduced(v @ v.T * m + w @ tensor @ w.T) for m, tensor, w, v, _ in links)
    gravity = symbols.reduced(-sum(v @ down * m for m, _, _, v, down in links))
    r = range(symbols.n)
    d = np.array([[[symbols.derivative(p, k) for k in r] for p in row] for row in mass])
    christoffel = d + d.transpose(0, 2, 1) - d.transpose(2, 1, 0)
    return Equations(mass, christoffel @ symbols.w * symbols.numbers(0.5), gravity)  # (9)


def _columns(
    arm: Arm, symbols: _Symbols
) -> tuple[list[np.ndarray], list[np.ndarray], list[np.ndarray]]:
    """Per link, in its frame: columns (n, 3) of J_ω and of J_v of its centre of mass, by joint; and gravity (3,)."""
    spin, speed = symbols.numbers(np.zeros((2, symbols.n, 3)))
    down, one = symbols.numbers(arm.gravity), symbols.ring(1)
    turn, move, weights = [], [], []
    for i, alpha in enumerate(arm.dh[:, 3]):
        spin[i, 2] = one
        c, s, ca, sa = symbols.c[i], symbols.s[i], *symbols.numbers([np.cos(alpha), np.sin(alpha)])
        # rows: to frame i + 1
        back = np.array([[c, -s * ca, s * sa], [s, c * ca, -c * sa], [0 * one, sa, ca]])
        spin, speed, down = (symbols.reduced(x @ back) for x in (spin, speed, down))
        speed = speed + np.cross(spin, symbols.numbers(arm.offset[i]))
        turn.append(spin.copy())
        move.append(speed + np.cross(spin, symbols.numbers(arm.center_of_mass[i])))
        weights.append(down)
    return turn, move, weights


def value(p: PolyElement, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """(k,) of an expression at states (k, n)."""
    symbols = np.concatenate([np.cos(q), np.sin(q), qd], axis=1)
    total = np.zeros(len(q))
    for powers, factor in p.terms():
        used = [i for i, power in enumerate(powers) if power]
        total += float(factor) * np.prod(symbols[:, used] ** np.array(powers)[used], axis=1)
    return total


@cache
def of_the_arm() -> Equations:
    return equations(load_arm(NAME))


def largest_difference(found: Equations, arm: Arm, count: int = STATES) -> float:
    """Of the expressions from the numeric M, C and g, over random states [SI]."""
    rng, n = np.random.default_rng(3), len(arm.mass)
    q, qd = rng.uniform(-np.pi, np.pi, (count, n)), rng.uniform(-3, 3, (count, n))
    pairs = zip(
        found,
        (mass_matrix(arm, q), coriolis_matrix(arm, q, qd), gravity_torque(arm, q)),
        strict=True,
    )
    return max(float(np.abs(_values(ours, q, qd) - numeric).max()) for ours, numeric in pairs)


def _values(entries: np.ndarray, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    return np.stack([value(p, q, qd) for p in entries.flat], axis=1).reshape(len(q), *entries.shape)


def rows() -> Rows:
    found = of_the_arm()
    terms = [sum(map(len, entries.flat)) for entries in found]
    apart = largest_difference(found, load_arm(NAME))
    ours = (
        f"polynomials in cosines, sines and velocities: {terms[0]} terms in M, {terms[1]} in C,"
        f" {terms[2]} in g; at {STATES} random states equal to the numeric arm's to {apart:.0e}"
    )
    yield judged("kebria2016.symbolic_equations", ours, apart < 1e-12)


def draw(folder: Path) -> list[Path]:
    """No picture: the expressions themselves, one an entry."""
    found, path = of_the_arm(), folder / "symbolic_equations.txt"
    named = [(f"g{i + 1}", p) for i, p in enumerate(found.gravity_torque)]
    for name, matrix in (("M", found.mass_matrix), ("C", found.coriolis_matrix)):
        named += [
            (f"{name}{i + 1}{j + 1}", p) for i, row in enumerate(matrix) for j, p in enumerate(row)
        ]
    lines = [f"{name} = {p.as_expr()}" for name, p in named]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return [path]
