"""A film as a file: MP4, or GIF where no encoder is found."""

import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from dynamics import BadInput
from dynamics.files import whole_file

Progress = Callable[[int, int], None]
ENCODERS: dict[str, list[str]] = {  # the first that is there, and what it is told
    "libx264": ["-preset", "veryfast", "-crf", "21"],
    "h264_videotoolbox": ["-b:v", "4M"],  # of macOS
    "h264_mf": ["-b:v", "4M"],  # of Windows
    "libopenh264": ["-b:v", "4M"],
    "mpeg4": ["-q:v", "4"],
}
SIZE = (1280, 720)  # [pixels], both even as encoders ask for
_DPI = 100  # of a film as large as ``SIZE``
_SMALLEST, _LARGEST = 160, 4096  # [pixels] of an edge
_SPEEDS = (1, 2, 3, 4, 5, 8, 10, 15, 20, 30, 50, 100, 200, 500, 1000)
_GIF_SHARE = 2  # a GIF has half the width, half the height and half the frames


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
    path: Path,
    frames: Iterator[np.ndarray],
    total: int,
    fps: int,
    progress: Progress | None = None,
    size: tuple[int, int] = SIZE,
) -> Path:
    """Write frames under another name first, and rename the file, ``<path>.mp4``, when it is whole.

    It is ``<path>.gif`` where there is no encoder. Frames are (height, width, 4) uint8, red, green, blue and one that
    is not looked at, ``fps`` a second, of a size of width and height [pixels]. After every one ``progress`` is called
    with the number of frames done and of all.

    Raises ``OSError``: the file cannot be written.
    """
    encoder = find_encoder()
    write, ending = (partial(_write_mp4, encoder), "mp4") if encoder else (_write_gif, "gif")
    path.parent.mkdir(parents=True, exist_ok=True)
    final = path.with_name(f"{path.name}.{ending}")
    with whole_file(final) as unfinished:
        write(unfinished, _count(frames, total, progress), fps, size)
    return final


def find_encoder() -> str | None:
    """The first of ``ENCODERS`` that ffmpeg has, imageio-ffmpeg's or the system's; None without any."""
    try:
        import imageio_ffmpeg

        words = [imageio_ffmpeg.get_ffmpeg_exe(), "-hide_banner", "-encoders"]
        told = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    except (ImportError, RuntimeError, OSError, subprocess.CalledProcessError):
        return None
    return next((name for name in ENCODERS if name in told), None)


def _count(frames: Iterator[np.ndarray], total: int, progress: Progress | None) -> Iterator[np.ndarray]:
    for done, frame in enumerate(frames, start=1):
        yield frame
        if progress is not None:
            progress(done, total)


def _write_mp4(encoder_name: str, path: Path, frames: Iterator[np.ndarray], fps: int, size: tuple[int, int]) -> None:
    """H.264 that every player and browser shows; MPEG-4 where there is no better."""
    import imageio_ffmpeg

    how = [*ENCODERS[encoder_name], "-movflags", "+faststart"]
    encoder = imageio_ffmpeg.write_frames(
        str(path), size, fps=fps, codec=encoder_name, quality=None, bitrate=None, macro_block_size=2,
        output_params=how, ffmpeg_log_level="error", pix_fmt_in="rgba",
    )  # fmt: skip
    encoder.send(None)
    try:
        for frame in frames:
            encoder.send(np.ascontiguousarray(frame))
    finally:
        encoder.close()


def _write_gif(path: Path, frames: Iterator[np.ndarray], fps: int, size: tuple[int, int]) -> None:
    """Smaller and fewer pictures of 128 colours each."""
    from PIL import Image

    small_size = (size[0] // _GIF_SHARE, size[1] // _GIF_SHARE)
    kept = (frame for k, frame in enumerate(frames) if k % _GIF_SHARE == 0)
    small = [Image.fromarray(frame[:, :, :3]).resize(small_size).quantize(128) for frame in kept]
    duration = round(1000 * _GIF_SHARE / fps)
    small[0].save(path, save_all=True, append_images=small[1:], duration=duration, loop=0)
