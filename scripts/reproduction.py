"""What the chapters of all documents share: figures, times, and numbers in words."""

import time
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from hopfield_nav.figures import paper_style
from hopfield_nav.sweeps import Value

JOINT_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#303030")
PICTURES: dict[str, dict[str, Callable[[], Figure]]] = {}  # by module and name


def save_figures(
    folder: Path, makers: dict[str, Callable[[], Figure]], dpi: float | None = None
) -> list[Path]:
    """Make figures in the style of the papers, by their names, and write them to a folder; paths of the files."""
    folder.mkdir(parents=True, exist_ok=True)
    with paper_style():
        for name, make in makers.items():
            make().savefig(folder / f"{name}.png", dpi=dpi)
    return [folder / f"{name}.png" for name in makers]


def picture(
    name: str, width: float, height: float, *grid: int, **panels: Any
) -> Callable[[Callable], Callable]:
    """What fills a figure of such a size [in] makes ``name``.png of its chapter.

    It is given the figure and its panels: the only one, those of a row or column one by one, or the
    array of a grid. ``panels`` is for ``Figure.subplots``.
    """

    def decorate(fill: Callable[..., object]) -> Callable[[], Figure]:
        @wraps(fill)
        def make() -> Figure:
            figure = Figure(figsize=(width, height), layout="constrained")
            axes = np.atleast_1d(figure.subplots(*grid, **panels))
            fill(figure, *([axes] if axes.ndim > 1 else axes))
            return figure

        PICTURES.setdefault(fill.__module__, {})[name] = make
        return make

    return decorate


def pictures_of(chapter: str, dpi: float | None = None) -> Callable[[Path], list[Path]]:
    """What draws every ``picture`` of a chapter in a folder."""
    return lambda folder: save_figures(folder, PICTURES[chapter], dpi)


def processor_times(call: Callable[[], object], repeats: int) -> list[float]:
    """Time of the processor for each of so many calls [s]."""
    times = []
    for _ in range(repeats):
        started = time.process_time()
        call()
        times.append(time.process_time() - started)
    return times


def listed(values: Iterable[float], form: str) -> str:
    """Numbers in one format, with commas between."""
    return ", ".join(format(float(value), form) for value in values)


def percent(value: Value, digits: int = 0) -> str:
    """A share in percent with its interval."""
    estimate, low, high = (f"{100 * v:.{digits}f}" for v in (value.estimate, value.low, value.high))
    return f"{estimate} % ({low}–{high})"
