"""Empty figures, legends above all panels, and files that are whole or not there."""

from __future__ import annotations

import os
from pathlib import Path

from matplotlib.artist import Artist
from matplotlib.figure import Figure

from hopfield_nav.style import DPI


def new_figure(width: float, height: float) -> Figure:
    """A figure [inch] whose panels are placed so that nothing overlaps."""
    figure = Figure((width, height), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.02, h_pad=0.02, wspace=0.02, hspace=0.02)
    return figure


def add_legend(figure: Figure, handles: list[Artist], columns: int) -> Figure:
    """A legend above all panels, where it covers no data."""
    if handles:
        figure.legend(
            handles=handles, loc="outside upper center", ncols=min(columns, len(handles)), borderaxespad=0.1
        )
    return figure


def save_figure(figure: Figure, folder: Path, name: str, pdf: bool = False) -> list[Path]:
    """Write a PNG, on request a PDF too, each under another name first and renamed when whole.

    The folder is made if there is none.
    """
    folder.mkdir(parents=True, exist_ok=True)
    return [_save(figure, folder / f"{name}.{ending}") for ending in (("png", "pdf") if pdf else ("png",))]


def _save(figure: Figure, path: Path) -> Path:
    partial = path.with_name(f".{path.stem}.partial-{os.getpid()}{path.suffix}")
    try:
        figure.savefig(partial, dpi=DPI)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return path
