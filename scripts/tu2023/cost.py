"""What tu2023 2.2 says of the cost of Lagrange and Newton–Euler."""

from __future__ import annotations

from kebria2016.euler_lagrange import cost_row
from ledger import Row


def rows() -> list[Row]:
    """The claim, measured with the formulations of kebria2016."""
    return [cost_row()]
