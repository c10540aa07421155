"""Reproduce tu2023: its figures, and every claim beside what this project measures.

    python scripts/reproduce_tu2023.py

prints the claims, writes ``docs/ledger.md`` and draws the figures in ``runs/reproduce_tu2023``. The
recordings of a real UR5 are needed (see ``docs/recordings.md``).
"""

from __future__ import annotations

from reproduction import reproduce
from tu2023 import (
    circle,
    circle_figures,
    comparison,
    cost,
    experiment,
    kinematics,
    kinematics_figures,
    linearisation,
    linearisation_figures,
    real_data,
)

CHAPTERS = (
    kinematics,
    kinematics_figures,
    cost,
    comparison,
    linearisation,
    linearisation_figures,
    real_data,
    experiment,
    circle,
    circle_figures,
)

if __name__ == "__main__":
    reproduce("tu2023", CHAPTERS)
