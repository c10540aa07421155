"""Reproduce madsen2020: its figures, and every claim beside what this project measures.

    python scripts/reproduce_madsen2020.py

prints the claims, writes ``docs/ledger.md`` and draws the figures in ``runs/reproduce_madsen2020``: about
two minutes. The recordings of a real UR5 are needed (see ``docs/recordings.md``).
"""

from __future__ import annotations

from madsen2020 import figures, parametrisation, real_data, validation
from reproduction import reproduce

if __name__ == "__main__":
    reproduce("madsen2020", (parametrisation, validation, figures, real_data))
