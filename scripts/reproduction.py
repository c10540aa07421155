"""What the reproduction scripts of all documents share: measure, print, write the ledger, draw."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType

import ledger
from matplotlib.figure import Figure

from hopfield_nav.figures import paper_style
from hopfield_nav.sweeps import Value


def reproduce(
    document: str, chapters: Iterable[ModuleType], more: Callable[[argparse.Namespace], None] | None = None
) -> None:
    """Measure every claim of a document and draw its figures.

    Args:
        document: short name, the ledger's heading.
        chapters: modules with ``rows() -> list[Row]``, with ``draw(folder) -> list[Path]``, or both.
        more: called last with the options, for what a document has besides.
    """
    options = _options(document)
    chapters = list(chapters)
    rows = [row for chapter in chapters if hasattr(chapter, "rows") for row in chapter.rows()]
    print(ledger.table(rows))
    ledger.update(document, rows, options.ledger)
    print("\n" + ", ".join(f"{n} {verdict}" for verdict, n in ledger.counts(rows).items()))
    options.out.mkdir(parents=True, exist_ok=True)
    for chapter in chapters:
        if hasattr(chapter, "draw"):
            chapter.draw(options.out)
    if more is not None:
        more(options)
    print(f"ledger in {options.ledger}, figures in {options.out}")


def save_figures(
    folder: Path, makers: dict[str, Callable[[], Figure]], dpi: float | None = None
) -> list[Path]:
    """Make figures in the style of the papers and write them.

    Args:
        folder: of the files; made where there is none.
        makers: what makes each figure, by the file's name without its ending.
        dpi: dots an inch; default that of the style.

    Returns:
        Paths of the files.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with paper_style():
        for name, make in makers.items():
            make().savefig(folder / f"{name}.png", dpi=dpi)
    return [folder / f"{name}.png" for name in makers]


def listed(values: Iterable[float], form: str) -> str:
    """Numbers in one format, with commas between."""
    return ", ".join(format(float(value), form) for value in values)


def percent(value: Value, digits: int = 0) -> str:
    """A share in percent with its interval."""
    estimate, low, high = (f"{100 * v:.{digits}f}" for v in (value.estimate, value.low, value.high))
    return f"{estimate} % ({low}–{high})"


def show_chapter(
    description: str, rows: Callable[[], list[ledger.Row]], draw: Callable[[Path], list[Path]]
) -> None:
    """One chapter by itself: print its rows, draw its figures where ``--out`` says."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--out", type=Path, default=Path("runs/nowoczyn2023"))
    out = parser.parse_args().out
    for row in rows():
        print(f"{row.claim}: {row.published} | {row.ours} | {row.verdict}; {row.remark}")
    for path in draw(out):
        print(path)


def _options(document: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=f"Reproduce {document}: its claims and its figures.")
    parser.add_argument("--out", type=Path, default=ledger.ROOT / "runs" / f"reproduce_{document}")
    parser.add_argument("--ledger", type=Path, default=ledger.LEDGER)
    parser.add_argument("--animate", action="store_true", help="also make films, where there are any")
    return parser.parse_args()
