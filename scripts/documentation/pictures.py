"""Picture and film at the head of README, and figures of runs on other pages, by today's program.

    python scripts/documentation/pictures.py [NAME...]

makes films: ``feeling`` of ``u_trap``, as a GIF, which needs no player, and those of ``FILMS``. Of
the runs in ``OF_RUNS`` it draws one figure each, ``readme`` among them, without the note that a
run's own figures have.
"""

import contextlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import imageio_ffmpeg
import numpy as np
from PIL import Image

from hopfield_nav import load_world, simulate
from hopfield_nav.cli import main as typed
from hopfield_nav.figures import paper_style, save_figure
from hopfield_nav.figures.run.draw import pages_of
from hopfield_nav.figures.run.on_request import link_forces_page
from hopfield_nav.figures.style import DPI

FIGURES = Path(__file__).resolve().parents[2] / "docs" / "figures"
CUT = ["--from=5", "--fps=5", "--size=1440x800"]  # from just before the first touch [s]
SMALL = "scale=720:-1:flags=lanczos,split[a][b];[a]palettegen=stats_mode=full[p];[b][p]paletteuse=dither=none"
BAND = 30  # [pixels]
OF_RUNS = {  # picture: figure, world and changes
    "readme": ("snapshots", "ragazzon2012"),
    "touches": ("trajectory", "u_trap"),
    "over_the_wall": ("path_in_space", "over_the_wall"),
    "whole_arm": ("places", "whole_arm", "planner.any_angle=false"),
    "whole_arm_slices": ("slices", "whole_arm", "planner.any_angle=false"),
    "whole_arm_fine": ("places", "whole_arm_fine"),
    "changing_worlds": ("snapshots", "door"),
    "link_forces": ("link_forces", "ragazzon2012_real"),
}
FILMS = {  # film: world, changes, and frames a second
    "door": ("door", [], 10),
    "follow": ("u_trap", ["explore=follow"], 10),
    "slide": ("u_trap", ["explore=slide"], 10),
    "whole_arm_fine": ("whole_arm_fine", [], 10),
}


def main(names: list[str]) -> None:
    if not names or "feeling" in names:
        front()
    for name in set(FILMS) & set(names or FILMS):
        film(name, *FILMS[name])
    for name in set(OF_RUNS) & set(names or OF_RUNS):
        figure, world, *changes = OF_RUNS[name]
        run = simulate(load_world(world, changes), seed=0)
        with paper_style():
            (path,) = save_figure(
                (pages_of(run) | {"link_forces": link_forces_page})[figure](run), FIGURES, name
            )
        close_bands(path)


def close_bands(path: Path) -> None:
    """Take away what is more than ``BAND`` of white rows in a picture: panels leave room for the arm's highest pose."""
    picture = np.asarray(Image.open(path).convert("RGB"))
    white = (picture == 255).all(axis=(1, 2))
    rows = np.arange(len(white))
    since = rows - np.maximum.accumulate(np.where(white, 0, rows))  # the last row that is not
    Image.fromarray(picture[since <= BAND]).save(path, dpi=(DPI, DPI))


def film(name: str, world: str, changes: list[str], rate: int) -> None:
    """The film of a run."""
    with tempfile.TemporaryDirectory() as place, contextlib.chdir(place):
        assert (
            typed(
                [
                    "run",
                    world,
                    *(f"--set={change}" for change in changes),
                    "--no-plots",
                    "--out=run",
                ]
            )
            == 0
        )
        assert typed(["animate", "run", f"--fps={rate}", "--size=1280x720"]) == 0
        (made,) = Path("run").glob("*.mp4")
        shutil.copy(made, FIGURES / f"{name}.mp4")


def front() -> None:
    """The film at the head of README."""
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        assert typed(["run", "u_trap", "--no-plots"]) == 0
        assert typed(["animate", "runs/u_trap", *CUT]) == 0
        (film,) = Path("runs/u_trap").glob("*.mp4")
        quiet = [imageio_ffmpeg.get_ffmpeg_exe(), "-y", "-loglevel", "error"]
        subprocess.run([*quiet, "-i", film, "-vf", SMALL, FIGURES / "feeling.gif"], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
