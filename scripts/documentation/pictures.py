"""Picture and film at the head of README, and figures of runs on other pages, by today's program.

    python scripts/documentation/pictures.py [NAME...]

runs ``ragazzon2012`` and ``u_trap``, keeps the page of moments of the one and makes a film of the other, as a
GIF, which needs no player. Of ``door`` it makes a film; of the runs in ``OF_RUNS`` it draws one figure each.
"""

import contextlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import imageio_ffmpeg

from hopfield_nav import load_world, simulate
from hopfield_nav.cli import main as typed
from hopfield_nav.figures import paper_style, save_figure
from hopfield_nav.figures.run.draw import pages_of

FIGURES = Path(__file__).resolve().parents[2] / "docs" / "figures"
CUT = ["--from=5", "--fps=5", "--size=1440x800"]  # from just before the first touch [s]
SMALL = "scale=720:-1:flags=lanczos,split[a][b];[a]palettegen=stats_mode=full[p];[b][p]paletteuse=dither=none"
OF_RUNS = {  # picture: figure, world and changes
    "touches": ("trajectory", "u_trap"),
    "over_the_wall": ("path_in_space", "over_the_wall"),
    "whole_arm": ("places", "whole_arm", "planner.any_angle=false"),
    "whole_arm_slices": ("slices", "whole_arm", "planner.any_angle=false"),
    "whole_arm_fine": ("places", "whole_arm_fine"),
    "changing_worlds": ("snapshots", "door"),
}


def main(names: list[str]) -> None:
    if not names or "readme" in names:
        front()
    if not names or "door" in names:
        door()
    for name in set(OF_RUNS) & set(names or OF_RUNS):
        figure, world, *changes = OF_RUNS[name]
        run = simulate(load_world(world, changes), seed=0)
        with paper_style():
            save_figure(pages_of(run)[figure](run), FIGURES, name)


def door() -> None:
    """The film of a pocket that closes and opens."""
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        assert typed(["run", "door", "--no-plots"]) == 0
        assert typed(["animate", "runs/door", "--fps=10", "--size=1280x720"]) == 0
        (film,) = Path("runs/door").glob("*.mp4")
        shutil.copy(film, FIGURES / "door.mp4")


def front() -> None:
    """Picture and film at the head of README."""
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        assert typed(["run", "ragazzon2012"]) == 0
        assert typed(["run", "u_trap", "--no-plots"]) == 0
        assert typed(["animate", "runs/u_trap", *CUT]) == 0
        shutil.copy("runs/ragazzon2012/figures/snapshots.png", FIGURES / "readme.png")
        (film,) = Path("runs/u_trap").glob("*.mp4")
        quiet = [imageio_ffmpeg.get_ffmpeg_exe(), "-y", "-loglevel", "error"]
        subprocess.run([*quiet, "-i", film, "-vf", SMALL, FIGURES / "feeling.gif"], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
