"""A film as a file: MP4, or GIF where no encoder is found."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from dynamics.files import whole_file

Progress = Callable[[int, int], None]
SIZE = (1280, 720)  # [pixels], both even as encoders ask for
_SPEEDS = (1, 2, 3, 4, 5, 8, 10, 15, 20, 30, 50, 100, 200, 500, 1000)
_GIF_SHARE = 2  # a GIF has half the width, half the height and half the frames


def film_speed(duration: float, longest: float) -> int:
    """How many times faster than real a film of ``duration`` simulated seconds runs, to take ``longest``."""
    return next((speed for speed in _SPEEDS if duration / speed <= longest), _SPEEDS[-1])


def write_film(
    path: Path, frames: Iterator[np.ndarray], total: int, fps: int, progress: Progress | None = None
) -> Path:
    """Write frames under another name first, and rename the file when it is whole.

    Args:
        path: where to, without the ending.
        frames: each (720, 1280, 3) uint8.
        total: how many there are.
        fps: frames a second.
        progress: called after every frame with the number of frames done and of all.

    Returns:
        The file: ``<path>.mp4``, or ``<path>.gif`` where there is no encoder.

    Raises:
        OSError: the file cannot be written.
    """
    write, ending = (_write_mp4, "mp4") if find_encoder() else (_write_gif, "gif")
    path.parent.mkdir(parents=True, exist_ok=True)
    final = path.with_name(f"{path.name}.{ending}")
    with whole_file(final) as partial:
        write(partial, _count(frames, total, progress), fps)
    return final


def find_encoder() -> str | None:
    """Path of ffmpeg: the one that comes with imageio-ffmpeg or the system's; None without any."""
    try:
        import imageio_ffmpeg

        return imageio_ffmpeg.get_ffmpeg_exe()
    except (ImportError, RuntimeError):
        return None


def _count(frames: Iterator[np.ndarray], total: int, progress: Progress | None) -> Iterator[np.ndarray]:
    for done, frame in enumerate(frames, start=1):
        yield frame
        if progress is not None:
            progress(done, total)


def _write_mp4(path: Path, frames: Iterator[np.ndarray], fps: int) -> None:
    """H.264 that every player and browser shows."""
    import imageio_ffmpeg

    how = ["-preset", "veryfast", "-crf", "21", "-movflags", "+faststart"]
    encoder = imageio_ffmpeg.write_frames(
        str(path), SIZE, fps=fps, codec="libx264", quality=None, bitrate=None, macro_block_size=2,
        output_params=how, ffmpeg_log_level="error",
    )  # fmt: skip
    encoder.send(None)
    try:
        for frame in frames:
            encoder.send(np.ascontiguousarray(frame))
    finally:
        encoder.close()


def _write_gif(path: Path, frames: Iterator[np.ndarray], fps: int) -> None:
    """Smaller and fewer pictures of 128 colours each."""
    from PIL import Image

    size = (SIZE[0] // _GIF_SHARE, SIZE[1] // _GIF_SHARE)
    kept = (frame for k, frame in enumerate(frames) if k % _GIF_SHARE == 0)
    small = [Image.fromarray(frame).resize(size).quantize(128) for frame in kept]
    duration = round(1000 * _GIF_SHARE / fps)
    small[0].save(path, save_all=True, append_images=small[1:], duration=duration, loop=0)
