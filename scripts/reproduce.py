"""Reproduce the five documents: their figures, and every claim beside what this project measures.

    python scripts/reproduce.py [DOCUMENT...] [--kept | --missing] [--no-figures] [--animate]

measures the claims, keeps in ``scripts/kept`` what takes minutes, writes ``docs/ledger.md`` and draws the
figures in ``runs/reproduce_DOCUMENT``: all five in about half an hour. ``--kept`` takes what is kept
instead, for when words alone have changed; ``--missing`` measures what is not kept yet. The recordings of a
real UR5 are needed (see ``docs/recordings.md``), and the packages for tests.
"""

import argparse
import time
from contextlib import nullcontext
from importlib import import_module
from pathlib import Path
from types import ModuleType

import ledger
from keeping import measured_anew

CHAPTERS = {
    "kebria2016": "kinematics euler_lagrange symbolic stability validation recordings",
    "nowoczyn2023": "tables direct_kinematics numeric_kinematics geometric_solution singular obstacle_space "
    "slerp shortest_path direct_path cause_of_stops numeric_stops frameworks pictures",
    "ragazzon2012": "equations tables fall planner activation_functions experiment feeling marking "
    "contact pressed_peg pressed_peg_figures figures experiment_figures",
    "tu2023": "kinematics kinematics_figures cost comparison linearisation linearisation_figures workspace "
    "laws real_data experiment circle circle_figures",
    "madsen2020": "parametrisation validation table_4 repeated figures real_data",
}


def chapters(document: str) -> list[ModuleType]:
    """Modules of a document with ``rows() -> list[Row]``, ``draw(folder) -> list[Path]``, ``animate``."""
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


def reproduce(document: str, options: argparse.Namespace) -> None:
    """Measure, print and write the claims of a document, and draw its figures."""
    with nullcontext() if options.kept else measured_anew(document, options.missing):
        rows = rows_of(document, told=True)
    print(ledger.table(rows))
    ledger.update(document, rows, options.ledger)
    print("\n" + ", ".join(f"{n} {verdict}" for verdict, n in ledger.counts(rows).items()))
    folder = options.out / f"reproduce_{document}"
    folder.mkdir(parents=True, exist_ok=True)
    wanted = [] if options.no_figures else ["draw", "animate"] if options.animate else ["draw"]
    for chapter in chapters(document):
        for name in wanted:
            getattr(chapter, name, lambda folder: None)(folder)
    print(f"ledger in {options.ledger}, figures in {folder}", flush=True)


def main() -> None:
    """One document after the other."""
    parser = argparse.ArgumentParser(description="Reproduce the documents: their claims and their figures.")
    parser.add_argument("documents", nargs="*", metavar="DOCUMENT", help=", ".join(CHAPTERS))
    parser.add_argument("--kept", action="store_true", help="measure nothing again that takes minutes")
    parser.add_argument("--missing", action="store_true", help="measure of that only what is not kept yet")
    parser.add_argument("--no-figures", action="store_true", help="write the ledger alone")
    parser.add_argument("--animate", action="store_true", help="also make films, where there are any")
    parser.add_argument("--out", type=Path, default=ledger.ROOT / "runs", help="folder of the figures' folders")
    parser.add_argument("--ledger", type=Path, default=ledger.LEDGER)
    options = parser.parse_args()
    unknown = sorted(set(options.documents) - set(CHAPTERS))
    if unknown:
        parser.error(f"no document {', '.join(unknown)}; there are {', '.join(CHAPTERS)}")
    for document in options.documents or CHAPTERS:
        reproduce(document, options)


if __name__ == "__main__":
    main()
