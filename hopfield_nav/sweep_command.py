"""What ``hopfield-nav sweep`` does; ``hopfield_nav.cli`` says how it is called."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from dynamics.errors import BadInput

if TYPE_CHECKING:
    from hopfield_nav.sweep_file import Sweep


def run_sweep(
    name: str, out: Path | None, workers: int | None, scheduler: str | None, resume: bool, plots: bool
) -> int:
    """Run a sweep, or what is missing of it; save, draw and print its results."""
    from hopfield_nav.sweep_file import load_sweep

    sweep = load_sweep(name)
    folder = _choose(sweep, out, resume)
    _say_what_is_coming(sweep, folder, workers, scheduler, resume)
    _execute(sweep, folder, workers, scheduler, resume)
    if plots:
        _draw(folder)
    from hopfield_nav.sweep_report import print_sweep
    from hopfield_nav.sweep_table import read_rows

    print_sweep(sweep, read_rows(folder), folder)
    return 0


def _choose(sweep: Sweep, out: Path | None, resume: bool) -> Path:
    from hopfield_nav.out_folder import choose_folder, newest_folder

    if not resume:
        return choose_folder(out, sweep.name)
    folder = out or newest_folder(sweep.name)
    if folder is None:
        raise BadInput(
            "there is nothing to resume", where=f"runs/{sweep.name}", allowed="--out FOLDER, or no --resume"
        )
    from hopfield_nav.sweep_run import require_same

    require_same(sweep, folder)
    return folder


def _say_what_is_coming(
    sweep: Sweep, folder: Path, workers: int | None, scheduler: str | None, resume: bool
) -> None:
    """Print what the sweep will take, before it starts."""
    from dynamics import compiled

    for remark in sweep.remarks:
        _say(remark)
    if not compiled.cache_is_warm():
        _say("compiling once, about a minute; later runs start at once")
    from hopfield_nav.sweep_cluster import connect, core_count, thread_count
    from hopfield_nav.sweep_estimate import estimate
    from hopfield_nav.sweep_report import estimate_line
    from hopfield_nav.sweep_run import finished_counts

    if scheduler is None:
        count = core_count() if workers is None else workers
    else:
        with connect(None, scheduler) as client:
            count = thread_count(client)
    left = sweep.count - (finished_counts(folder).total() if resume else 0)
    if left > 0:
        _say(estimate_line(sweep, estimate(sweep, left, count), count))


def _execute(sweep: Sweep, folder: Path, workers: int | None, scheduler: str | None, resume: bool) -> None:
    from hopfield_nav.sweep_report import sweep_progress
    from hopfield_nav.sweep_run import execute, finished_counts

    done = finished_counts(folder).total() if resume else 0
    try:
        with sweep_progress(done, sweep.count) as progress:
            execute(sweep, folder, workers, scheduler, resume, progress)
    except KeyboardInterrupt:
        kept = finished_counts(folder).total()
        _say(f"{kept} of {sweep.count} runs are kept in {folder}; --resume does the rest")
        raise


def _draw(folder: Path) -> None:
    from hopfield_nav.sweep_figures import draw_sweep_figures

    draw_sweep_figures(folder)


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)
