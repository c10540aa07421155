"""Reproduce kebria2016: its figures, and every claim beside what this project measures.

    python scripts/reproduce_kebria2016.py

prints the claims, writes ``docs/ledger.md`` and draws the figures in ``runs/reproduce_kebria2016``. The
recordings of a real UR5 are needed (see ``docs/recordings.md``).
"""

from __future__ import annotations

from kebria2016 import euler_lagrange, kinematics, recordings, validation
from reproduction import reproduce

if __name__ == "__main__":
    reproduce("kebria2016", (kinematics, euler_lagrange, validation, recordings))
