"""What tu2023 2.2 says of the cost of Lagrange and Newton–Euler, with the formulations of kebria2016."""

from __future__ import annotations

from kebria2016.euler_lagrange import FORMULATIONS, LARGE, SIZES, costs, exponent
from ledger import Row, judged


def rows() -> list[Row]:
    """The claim of 2.2."""
    found = costs()
    newton, lagrange = (exponent(found[name]) for name in FORMULATIONS)
    ratio = [found["Euler–Lagrange"][SIZES.index(n)] / found["Newton–Euler"][SIZES.index(n)] for n in (6, 30)]
    return [
        judged(
            "tu2023.cost_of_lagrange_and_newton_euler",
            f"time of a torque ∝ n^{lagrange:.1f} from energies, n^{newton:.1f} by recursion"
            f" ({LARGE}…{SIZES[-1]} joints); {ratio[0]:.0f}× slower at 6 joints, {ratio[1]:.0f}× at {SIZES[-1]} †",
            lagrange < newton,
        )
    ]
