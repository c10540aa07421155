"""Reproduce ragazzon2012: its figures, and every claim beside what this project measures.

    python scripts/reproduce_ragazzon2012.py

prints the claims, writes ``docs/ledger.md`` and draws the figures in ``runs/reproduce_ragazzon2012``.
"""

from __future__ import annotations

import argparse
import shutil

from ragazzon2012 import (
    contact,
    equations,
    experiment,
    fall,
    feeling,
    figures,
    marking,
    planner,
    pressed_peg,
    pressed_peg_figures,
    tables,
)
from reproduction import reproduce

from hopfield_nav.figures.run import animate_run, draw_run_figures

CHAPTERS = (
    equations,
    tables,
    fall,
    planner,
    experiment,
    feeling,
    marking,
    contact,
    pressed_peg,
    pressed_peg_figures,
    figures,
)
WORLDS = (experiment.AS_PRINTED, experiment.RIGHT)


def draw_experiments(options: argparse.Namespace) -> None:
    """Save the runs of chapter 7 and draw figures 7.2 to 7.9 beside them; on request the animation."""
    for name in WORLDS:
        run, folder = experiment.run(name), options.out / name
        shutil.rmtree(folder, ignore_errors=True)
        run.save(folder)
        draw_run_figures(run, folder / "figures")
        if options.animate:
            animate_run(run, folder / "animation")


if __name__ == "__main__":
    reproduce("ragazzon2012", CHAPTERS, draw_experiments)
