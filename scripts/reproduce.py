"""Reproduce the five documents: every claim beside what this project measures, and figures of them.

    python scripts/reproduce.py [DOCUMENT...] [--kept | --missing] [--no-figures]

measures the claims, keeps in ``scripts/kept`` what takes minutes, writes ``docs/lab/ledger.md`` and
draws the figures in ``runs/reproduce_DOCUMENT``: all five in about half an hour. ``--kept`` takes
what is kept instead, for when words alone have changed; ``--missing`` measures what is not kept
yet. The recordings of a real UR5 are needed (see ``docs/recordings.md``), and the packages for
tests.
"""

import time
from contextlib import nullcontext
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Annotated

import ledger
import typer
from keeping import measured_anew

CHAPTERS = {
    "kebria2016": "kinematics euler_lagrange symbolic stability validation recordings",
    "nowoczyn2023": "tables direct_kinematics numeric_kinematics geometric_solution singular obstacle_space "
    "slerp shortest_path direct_path cause_of_stops numeric_stops frameworks pictures",
    "ragazzon2012": "equations derivations tables fall closed_loop planner lyapunov activation_functions experiment "
    "feeling marking contact mass_matrix suggestions pressed_peg pressed_peg_figures",
    "tu2023": "kinematics printed bodies kinematics_figures cost comparison linearisation linearisation_figures "
    "workspace laws real_data experiment circle circle_figures",
    "madsen2020": "parametrisation validation table_4 repeated figures real_data",
}


def chapters(document: str) -> list[ModuleType]:
    """Modules of a document with ``rows() -> list[Row]``, ``draw(folder) -> list[Path]``."""
    return [import_module(f"{document}.{name}") for name in CHAPTERS[document].split()]


def rows_of(document: str, told: bool = False) -> list[ledger.Row]:
    """Every claim of a document, in the order of its chapters; on request with the time that each took."""
    rows = []
    for chapter in chapters(document):
        started = time.perf_counter()
        rows += chapter.rows() if hasattr(chapter, "rows") else []
        if told:
            print(f"{chapter.__name__}: {time.perf_counter() - started:.1f} s", flush=True)
    return rows


def main(
    documents: Annotated[list[str] | None, typer.Argument(help=", ".join(CHAPTERS))] = None,
    kept: bool = False,
    missing: bool = False,
    figures: bool = True,
    out: Path = ledger.ROOT / "runs",
    written: Annotated[Path, typer.Option("--ledger")] = ledger.LEDGER,
) -> None:
    """Measure, print and write the claims of each document, and draw its figures."""
    unknown = sorted(set(documents or []) - set(CHAPTERS))
    if unknown:
        raise SystemExit(f"no document {', '.join(unknown)}; there are {', '.join(CHAPTERS)}")
    for document in documents or CHAPTERS:
        with nullcontext() if kept else measured_anew(document, missing):
            rows = rows_of(document, told=True)
        print(ledger.table(rows))
        ledger.update(document, rows, written)
        print("\n" + ", ".join(f"{n} {verdict}" for verdict, n in ledger.counts(rows).items()))
        folder = out / f"reproduce_{document}"
        folder.mkdir(parents=True, exist_ok=True)
        for chapter in chapters(document):
            if figures and hasattr(chapter, "draw"):
                chapter.draw(folder)
        print(f"ledger in {written}, figures in {folder}", flush=True)


if __name__ == "__main__":
    typer.run(main)
