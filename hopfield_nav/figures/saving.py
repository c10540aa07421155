"""Figures as files, with a note below that says of which world they are, and as pictures in a notebook."""

import io
import json
import textwrap
from collections.abc import Mapping
from math import ceil
from pathlib import Path
from typing import IO, Any

from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from dynamics.files import whole_file
from hopfield_nav.figures.palette import COLOURS
from hopfield_nav.figures.style import DPI, has_footer, paper_style

_SMALL = 4.6  # [pt] letters of a note
_LETTERS = 30  # of them an inch
NOTE_GAP = "  ·  "  # between two entries of a note
_PACKED = 3  # of 9 levels: a tenth larger than at the default, 6, and a quarter sooner written


def settings_note(name: str, settings: Mapping[str, Any]) -> str:
    """What is written below a figure: of which world it is, and the settings."""
    return NOTE_GAP.join(
        [
            name,
            *(f"{key} {_brief(value)}".replace(" ", "\u00a0") for key, value in settings.items()),
        ]
    )


def add_note(figure: Figure, note: str) -> float:
    """Write a note below a figure, outside of it, in three small lines at most; how high it is [inch].

    On a sheet without a footer there is none.
    """
    if not note or not has_footer():
        return 0.0
    width, height = figure.get_size_inches()
    lines = textwrap.wrap(
        note, int(width * _LETTERS), max_lines=3, placeholder="  …", break_long_words=False
    )
    how: dict[str, Any] = {
        "fontsize": _SMALL,
        "color": COLOURS.excluded,
        "va": "top",
        "linespacing": 1.3,
    }
    figure.text(0.04 / width, -0.02 / height, "\n".join(lines), in_layout=False, **how)
    # whole pixels: what is above stays
    return ceil(DPI * (0.05 + 1.35 * _SMALL / 72 * len(lines))) / DPI


def save_figure(
    figure: Figure, folder: Path, name: str, pdf: bool = False, note: str = ""
) -> list[Path]:
    """Write a PNG, on request a PDF too, each whole or not at all; the folder is made if there is none.

    The note stands below the figure, which keeps its size.
    """
    folder.mkdir(parents=True, exist_ok=True)
    below = add_note(figure, note)
    paths = [folder / f"{name}.{ending}" for ending in (("png", "pdf") if pdf else ("png",))]
    for path in paths:
        with whole_file(path) as written:
            _write(figure, written, below, path.suffix[1:])
    return paths


def _write(figure: Figure, file: Path | IO[bytes], below: float, kind: str = "png") -> None:
    """Write what is drawn of a figure with so much of a note below it [inches]."""
    how: dict[str, Any] = {"pil_kwargs": {"compress_level": _PACKED}} if kind == "png" else {}
    shown = Bbox([[0.0, -below], figure.get_size_inches()]) if below else None
    figure.savefig(file, format=kind, dpi=DPI, bbox_inches=shown, **how)


def shown_in_notebooks(figure: Figure, below: float) -> Figure:
    """The figure, of which a notebook shows a picture, also where no backend of its own is chosen."""

    def picture() -> bytes:
        with paper_style(), io.BytesIO() as written:
            _write(figure, written, below)
            return written.getvalue()

    setattr(figure, "_repr_png_", picture)  # noqa: B010  (to mypy a figure has none)
    return figure


def _brief(value: Any) -> str:
    """A value of a world file in a few letters."""
    if isinstance(value, list) and value:
        texts = [_brief(item) for item in value]
        return texts[0] if len(set(texts)) == 1 and len(texts) > 3 else f"[{', '.join(texts)}]"
    if isinstance(value, float):
        return f"{value:.4g}"
    return value.rpartition("/")[2] if isinstance(value, str) else json.dumps(value)
