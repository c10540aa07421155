"""Reproduce nowoczyn2023: its figures, and every claim beside what this project measures.

    python scripts/reproduce_nowoczyn2023.py

prints the claims, writes ``docs/ledger.md`` and draws the figures in ``runs/reproduce_nowoczyn2023``; with
``--animate`` also a film of a planned path. OMPL is needed (``pip install 'hopfield-nav[ompl]'``).
"""

from __future__ import annotations

import argparse

from nowoczyn2023 import (
    cause_of_stops,
    direct_kinematics,
    direct_path,
    frameworks,
    geometric_solution,
    numeric_kinematics,
    obstacle_space,
    pictures,
    shortest_path,
    singular,
    slerp,
    tables,
)
from reproduction import reproduce

CHAPTERS = (
    tables, direct_kinematics, numeric_kinematics, geometric_solution, singular, obstacle_space, slerp,
    shortest_path, direct_path, cause_of_stops, frameworks, pictures,
)  # fmt: skip


def animate(options: argparse.Namespace) -> None:
    """On request the film."""
    if options.animate:
        print(pictures.animate(options.out))


if __name__ == "__main__":
    reproduce("nowoczyn2023", CHAPTERS, animate)
