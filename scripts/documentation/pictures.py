"""Picture and film at the head of README, by today's program.

    python scripts/documentation/pictures.py

runs ``ragazzon2012`` and ``u_trap``, keeps the page of moments of the one and makes a film of the other, as a
GIF, which needs no player.
"""

import contextlib
import shutil
import subprocess
import tempfile
from pathlib import Path

import imageio_ffmpeg

from hopfield_nav.cli import main as typed

FIGURES = Path(__file__).resolve().parents[2] / "docs" / "figures"
CUT = ["--from=5", "--fps=5", "--size=1440x800"]  # from just before the first touch [s]
SMALL = "scale=720:-1:flags=lanczos,split[a][b];[a]palettegen=stats_mode=full[p];[b][p]paletteuse=dither=none"


def main() -> None:
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        assert typed(["run", "ragazzon2012"]) == 0
        assert typed(["run", "u_trap", "--no-plots"]) == 0
        assert typed(["animate", "runs/u_trap", *CUT]) == 0
        shutil.copy("runs/ragazzon2012/figures/snapshots.png", FIGURES / "readme.png")
        (film,) = Path("runs/u_trap").glob("*.mp4")
        quiet = [imageio_ffmpeg.get_ffmpeg_exe(), "-y", "-loglevel", "error"]
        subprocess.run([*quiet, "-i", film, "-vf", SMALL, FIGURES / "feeling.gif"], check=True)


if __name__ == "__main__":
    main()
