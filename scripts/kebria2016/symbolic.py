"""Section III: M, C and g as expressions, from the table of Denavit and Hartenberg and the links' bodies.

The document's steps with its (8), (9), (10): numbers for the arm's parameters, symbols for the joint angles
and velocities. Expressions are polynomials in cosines c1…, sines s1… and velocities w1… with rational
coefficients, so nothing is rounded before they are evaluated. Columns of the Jacobians are written in the
frame of their link, where they know the angles between joint and link alone.
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
Vector = list[PolyElement]


class Equations(NamedTuple):
    """Polynomials in c1…cn, s1…sn, w1…wn: M and C by rows, and g, of an arm of n joints."""

    mass_matrix: list[list[PolyElement]]
    coriolis_matrix: list[list[PolyElement]]
    gravity_torque: list[PolyElement]


class _Symbols:
    """The polynomials' symbols, and what they know of sines and cosines."""

    def __init__(self, n: int) -> None:
        names = [f"{kind}{i + 1}" for kind in "csw" for i in range(n)]
        self.ring, *symbols = ring(names, QQ)
        self.n, self.c, self.s, self.w = n, symbols[:n], symbols[n : 2 * n], symbols[2 * n :]

    def number(self, value: float) -> PolyElement:
        """The shortest decimal that is this number; cosines of right angles are whole."""
        exact = Fraction(repr(round(float(value), 15)))
        return self.ring(QQ(exact.numerator, exact.denominator))

    def numbers(self, values: np.ndarray) -> Vector:
        return [self.number(value) for value in values]

    def reduced(self, p: PolyElement) -> PolyElement:
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
        return self.reduced(p.diff(self.s[k]) * self.c[k] - p.diff(self.c[k]) * self.s[k])


def equations(arm: Arm) -> Equations:
    """The equations of motion of an arm with revolute joints and right angles between its axes."""
    symbols = _Symbols(len(arm.mass))
    turn, move, down = _columns(arm, symbols)
    mass = _mass_matrix(arm, symbols, turn, move)
    gravity = [
        symbols.reduced(-sum(symbols.number(m) * _dot(v[j], g) for m, v, g in zip(arm.mass, move, down, strict=True)))
        for j in range(symbols.n)
    ]
    return Equations(mass, _coriolis_matrix(symbols, mass), gravity)


def _columns(arm: Arm, symbols: _Symbols) -> tuple[list[list[Vector]], list[list[Vector]], list[Vector]]:
    """Per link, in its frame: columns of J_ω and of J_v of its centre of mass, by joint; and gravity."""
    n, zero = symbols.n, symbols.numbers(np.zeros(3))
    spin, speed, down = [zero] * n, [zero] * n, symbols.numbers(arm.gravity)
    turn, move, weights = [], [], []
    for i in range(n):
        spin[i] = symbols.numbers(np.array([0.0, 0.0, 1.0]))
        back = _rotation_back(arm.dh[i, 3], symbols, i)
        offset, centre = symbols.numbers(arm.offset[i]), symbols.numbers(arm.center_of_mass[i])
        spin = [[symbols.reduced(_dot(row, x)) for row in back] for x in spin]
        speed = [[symbols.reduced(_dot(row, x)) for row in back] for x in speed]
        speed = [_plus(v, _cross(x, offset)) for v, x in zip(speed, spin, strict=True)]
        down = [symbols.reduced(_dot(row, down)) for row in back]
        turn.append(spin)
        move.append([_plus(v, _cross(x, centre)) for v, x in zip(speed, spin, strict=True)])
        weights.append(down)
    return turn, move, weights


def _rotation_back(alpha: float, symbols: _Symbols, i: int) -> list[Vector]:
    """From frame i to frame i + 1: the transposed rotation of a link."""
    ca, sa, zero = symbols.number(np.cos(alpha)), symbols.number(np.sin(alpha)), symbols.ring(0)
    c, s = symbols.c[i], symbols.s[i]
    return [[c, s, zero], [-s * ca, c * ca, sa], [s * sa, -c * sa, ca]]


def _mass_matrix(arm: Arm, symbols: _Symbols, turn: list, move: list) -> list[list[PolyElement]]:
    """(8)."""
    n = symbols.n
    matrix = [[symbols.ring(0)] * n for _ in range(n)]
    for i in range(n):
        m, tensor = symbols.number(arm.mass[i]), [symbols.numbers(row) for row in arm.inertia[i]]
        for j in range(i + 1):
            spun = [_dot(row, turn[i][j]) for row in tensor]
            for k in range(j, i + 1):
                matrix[j][k] += symbols.reduced(m * _dot(move[i][j], move[i][k]) + _dot(spun, turn[i][k]))
    return [[matrix[min(j, k)][max(j, k)] for k in range(n)] for j in range(n)]


def _coriolis_matrix(symbols: _Symbols, mass: list[list[PolyElement]]) -> list[list[PolyElement]]:
    """(9)."""
    r, half = range(symbols.n), symbols.number(0.5)
    d = [[[symbols.derivative(mass[i][j], k) for k in r] for j in r] for i in r]
    return [[half * sum((d[i][j][k] + d[i][k][j] - d[k][j][i]) * symbols.w[k] for k in r) for j in r] for i in r]


def _dot(a: Vector, b: Vector) -> PolyElement:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a: Vector, b: Vector) -> Vector:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def _plus(a: Vector, b: Vector) -> Vector:
    return [x + y for x, y in zip(a, b, strict=True)]


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
    pairs = zip(found, (mass_matrix(arm, q), coriolis_matrix(arm, q, qd), gravity_torque(arm, q)), strict=True)
    return max(float(np.abs(_values(ours, q, qd) - numeric).max()) for ours, numeric in pairs)


def _values(entries: list, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    if isinstance(entries[0], list):
        return np.stack([_values(row, q, qd) for row in entries], axis=1)
    return np.stack([value(p, q, qd) for p in entries], axis=-1)


def rows() -> Rows:
    found = of_the_arm()
    terms = [
        sum(len(p) for row in found.mass_matrix for p in row),
        sum(len(p) for row in found.coriolis_matrix for p in row),
        sum(len(p) for p in found.gravity_torque),
    ]
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
        named += [(f"{name}{i + 1}{j + 1}", p) for i, row in enumerate(matrix) for j, p in enumerate(row)]
    lines = [f"{name} = {p.as_expr()}" for name, p in named]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return [path]
