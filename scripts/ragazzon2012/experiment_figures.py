"""The runs of chapter 7, saved, with figures 7.2 to 7.9 beside them."""

import shutil
from pathlib import Path

from hopfield_nav.figures.run import animate_run, draw_run_figures
from ragazzon2012.experiment import AS_PRINTED, RIGHT, run

WORLDS = (AS_PRINTED, RIGHT)


def draw(folder: Path) -> list[Path]:
    """Save both runs and draw their figures; returns the figures' folders."""
    for name in WORLDS:
        shutil.rmtree(folder / name, ignore_errors=True)
        run(name).save(folder / name)
        draw_run_figures(run(name), folder / name / "figures")
    return [folder / name / "figures" for name in WORLDS]


def animate(folder: Path) -> None:
    """Both runs as films."""
    for name in WORLDS:
        animate_run(run(name), folder / name / "animation")
