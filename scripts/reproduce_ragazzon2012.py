"""Reproduce ragazzon2012: its figures, and every claim beside what this project measures.

    python scripts/reproduce_ragazzon2012.py

prints the claims, writes ``docs/ledger.md`` and draws the figures in ``runs/reproduce_ragazzon2012``.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import ledger
from ragazzon2012 import contact, equations, experiment, fall, figures, planner, tables

from hopfield_nav.animation import animate_run
from hopfield_nav.plots import draw_run_figures

CHAPTERS = (equations, tables, fall, planner, experiment, contact)
WORLDS = (experiment.AS_PRINTED, experiment.RIGHT)


def main() -> None:
    """Measure, print, write the ledger, draw."""
    options = _options()
    rows = [row for chapter in CHAPTERS for row in chapter.rows()]
    print(ledger.table(rows))
    ledger.update("ragazzon2012", rows, options.ledger)
    print("\n" + ", ".join(f"{n} {verdict}" for verdict, n in ledger.counts(rows).items()))
    figures.draw_all(options.out)
    for name in WORLDS:
        draw_experiment(name, options.out / name, options.animate)
    print(f"ledger in {options.ledger}, figures in {options.out}")


def draw_experiment(name: str, folder: Path, animate: bool) -> None:
    """Save a run of chapter 7 and draw figures 7.2 to 7.9 beside it; on request the animation."""
    run = experiment.run(name)
    shutil.rmtree(folder, ignore_errors=True)
    run.save(folder)
    draw_run_figures(run, folder / "figures")
    if animate:
        animate_run(run, folder / "animation")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--out", type=Path, default=ledger.ROOT / "runs" / "reproduce_ragazzon2012")
    parser.add_argument("--ledger", type=Path, default=ledger.LEDGER)
    parser.add_argument("--animate", action="store_true", help="also film both experiments")
    return parser.parse_args()


if __name__ == "__main__":
    main()
