"""What the tests ask of pictures and films."""

from __future__ import annotations

import subprocess
from pathlib import Path

import imageio_ffmpeg
import numpy as np
from matplotlib.figure import Figure
from matplotlib.image import imread

from hopfield_nav.figures import COLUMN, PAGE, SIZE
from hopfield_nav.figures.style import DPI


def assert_has_ink(path: Path) -> np.ndarray:
    """More than a hundredth of the picture is not white; its pixels."""
    pixels = imread(path)
    assert np.mean(pixels[..., :3].min(axis=2) < 0.9) > 0.01, path.stem
    return pixels


def assert_fit_to_print(path: Path) -> None:
    """The picture has ink, and the width of a column or a page."""
    width = assert_has_ink(path).shape[1] / DPI
    assert min(abs(width - COLUMN), abs(width - PAGE)) < 0.02


def sketch(figure: Figure, folder: Path, name: str, *_: object) -> list[Path]:
    """In place of ``save_figure``: the figure is laid out and drawn, but not into its file, which is empty."""
    figure.draw_without_rendering()
    path = folder / f"{name}.png"
    folder.mkdir(parents=True, exist_ok=True)  # as ``save_figure``
    path.touch()
    return [path]


def decode(path: Path, size: tuple[int, int] = SIZE) -> np.ndarray:
    """The frames of a film (count, height, width, 3), by ffmpeg."""
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-i", str(path)]
    command += ["-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    raw = subprocess.run(command, capture_output=True, check=True, stdin=subprocess.DEVNULL).stdout
    return np.frombuffer(raw, np.uint8).reshape(-1, size[1], size[0], 3)
