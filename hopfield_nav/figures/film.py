"""A film as a file, MP4 with H.264, which every player and browser shows."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from dynamics import BadInput
from dynamics.files import whole_file

Progress = Callable[[int, int], None]
_ENCODER, _HOW = "libx264", ["-preset", "veryfast", "-crf", "21", "-movflags", "+faststart"]
SIZE = (1280, 720)  # [pixels], both even as encoders ask for
_DPI = 100  # of a film as large as ``SIZE``
_SMALLEST, _LARGEST = 160, 4096  # [pixels] of an edge
_SPEEDS = (1, 2, 3, 4, 5, 8, 10, 15, 20, 30, 50, 100, 200, 500, 1000)


class Cut(NamedTuple):
    """Which part of a run a film shows, and how large."""

    begin: float = 0.0  # first simulated time [s]
    end: float | None = None  # last simulated time [s]; None: the end of the run
    fps: int = 30  # frames a second
    size: tuple[int, int] = SIZE  # width and height [pixels], both even

    def until(self, last: float) -> float:
        """The end of the part, of a run that ends at ``last`` [s].

        Raises ``BadInput``: the part is empty, or frames and size are no film's.
        """
        end = last if self.end is None else min(self.end, last)
        if not 0.0 <= self.begin <= end or self.begin == end < last:
            allowed = f"a time before --to, of a run of {last:.6g} s"
            raise BadInput("nothing to show", where="--from", found=self.begin, allowed=allowed)
        if not 1 <= self.fps <= 120:
            raise BadInput("frames a second", where="--fps", found=self.fps, allowed="1 to 120")
        if any(edge % 2 or not _SMALLEST <= edge <= _LARGEST for edge in self.size):
            allowed = f"even numbers from {_SMALLEST} to {_LARGEST}, such as 1920x1080"
            found = "x".join(map(str, self.size))
            raise BadInput("size of a film", where="--size", found=found, allowed=allowed)
        return end


def film_figure(size: tuple[int, int]) -> Figure:
    """An empty figure of so many pixels, in which letters are as large as they are in one of ``SIZE``."""
    dpi = _DPI * min(size[0] / SIZE[0], size[1] / SIZE[1])
    return Figure((size[0] / dpi, size[1] / dpi), dpi=dpi)


def frame_of(canvas: FigureCanvasAgg) -> np.ndarray:
    """What is drawn on a canvas, (height, width, 4) uint8: red, green, blue and 255."""
    return np.array(canvas.buffer_rgba())


def film_speed(duration: float, longest: float) -> int:
    """How many times faster than real a film of ``duration`` simulated seconds runs, to take ``longest``."""
    return next((speed for speed in _SPEEDS if duration / speed <= longest), _SPEEDS[-1])


def write_film(
    path: Path, frames: Iterator[np.ndarray], total: int, fps: int, progress: Progress | None = None,
    size: tuple[int, int] = SIZE,
) -> Path:  # fmt: skip
    """Write frames under another name first, and rename the file, ``<path>.mp4``, when it is whole.

    Frames are (height, width, 4) uint8, red, green, blue and one that is not looked at, ``fps`` a
    second, of a size of width and height [pixels]. After every one ``progress`` is called with the
    number of frames done and of all.

    Raises ``BadInput``: there is no ffmpeg; ``OSError``: the file cannot be written.
    """
    import imageio_ffmpeg

    try:
        imageio_ffmpeg.get_ffmpeg_version()  # ffmpeg comes with imageio-ffmpeg
    except (RuntimeError, OSError) as error:
        allowed = (
            "imageio-ffmpeg with its ffmpeg, or one of the system's that IMAGEIO_FFMPEG_EXE names"
        )
        raise BadInput("no film without ffmpeg", found=str(error), allowed=allowed) from None
    path.parent.mkdir(parents=True, exist_ok=True)
    final = path.with_name(f"{path.name}.mp4")
    with whole_file(final) as unfinished:
        encoder = imageio_ffmpeg.write_frames(
            str(unfinished), size, fps=fps, codec=_ENCODER, quality=None, bitrate=None, macro_block_size=2,
            output_params=_HOW, ffmpeg_log_level="error", pix_fmt_in="rgba",
        )  # fmt: skip
        encoder.send(None)
        try:
            for done, frame in enumerate(frames, start=1):
                encoder.send(np.ascontiguousarray(frame))
                if progress is not None:
                    progress(done, total)
        finally:
            encoder.close()
    return final
