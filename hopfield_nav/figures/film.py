"""A film as a file, MP4 with H.264, which every player and browser shows; and a copy of this process that helps.

The copy shares the frames of a film, or the pages of a run. Who draws much may ask for it, where no
other threads run: a command does, a notebook does not.

A pool of ``concurrent.futures`` would not do. It takes 35 ms to begin, a copy 2 ms; on Ctrl-C it
goes on with what it has begun and taken beforehand, where a copy ends at once; and where its
process is killed while jobs are called back, its own thread ends with an error
(``InvalidStateError``, Python 3.11).
"""

import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
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


def can_copy() -> bool:
    """Whether a copy of this process helps: on Linux, with a second processor to run on."""
    return hasattr(os, "sched_getaffinity") and len(os.sched_getaffinity(0)) > 1


def do_in_two_processes(jobs: Sequence[Callable[[], bool]]) -> list[bool]:
    """Do every job, every second one in a copy of this process, or here where that ends; what each has said.

    What they remember is lost. An error here is raised as in one process.
    """
    return [
        bool(said[0]) for said in draw_in_two_processes(lambda k: np.array([jobs[k]()]), len(jobs))
    ]


def draw_in_two_processes(draw: Callable[[int], np.ndarray], count: int) -> Iterator[np.ndarray]:
    """``draw(0)``, ``draw(1)``, … in order; a copy of this process, made at once, draws every second one.

    What it returns has always the same shape and type. What the copy has not drawn when it ends,
    for an error too, is drawn here.
    """
    here, there = Pipe(duplex=False)

    def draw_odd_ones() -> None:
        here.close()  # so that it ends with who reads
        with suppress(BaseException):
            for k in range(1, count, 2):
                there.send_bytes(draw(k).tobytes())

    copy = get_context("fork").Process(target=draw_odd_ones)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads, none of which draws
        copy.start()
    there.close()
    return _in_order(draw, count, here, copy)


def _in_order(
    draw: Callable[[int], np.ndarray], count: int, here: Connection, copy: BaseProcess
) -> Iterator[np.ndarray]:
    try:
        mine = np.zeros(0)
        for k in range(count):
            sent = None
            if k % 2:
                with suppress(EOFError, OSError):  # the copy is gone
                    sent = np.frombuffer(here.recv_bytes(), mine.dtype).reshape(mine.shape)
            mine = draw(k) if sent is None else sent
            yield mine
    finally:
        here.close()
        copy.join()
