"""Running a sweep: every job a row in ``sweep.csv``, here or on a cluster, at once or resumed.

``sweep("ragazzon2012", vary={"detection.threshold": [6, 12]})`` does it all in one call.
"""

import errno
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dynamics import BadInput
from dynamics.files import FolderTaken, inside, require_regular
from hopfield_nav.record import read_netcdf
from hopfield_nav.sweeps.job import RUNS, run_folder, run_job, warm_up
from hopfield_nav.sweeps.pool import Pool, core_count
from hopfield_nav.sweeps.sweep_file import Sweep, make_sweep
from hopfield_nav.sweeps.table import CSV, NETCDF, SweepTable, dataset, finish, read_rows

if TYPE_CHECKING:
    import xarray

    from hopfield_nav.world import World

Progress = Callable[[int, Counter], None]
_COPY = "sweep.yaml"
_ALLOWED = "a new or empty folder, or --resume"
_DIGEST = "# digest: "
_FEW = 20  # runs that are not worth the start of a pool


def sweep(
    world: "World | str | Path",
    vary: Mapping[str, Any] | None = None,
    zip: Sequence[Mapping[str, Any]] | None = None,
    random: Mapping[str, Any] | None = None,
    samples: int | None = None,
    repeats: int = 1,
    seed: int = 0,
    set: Mapping[str, Any] | None = None,
    workers: int | None = None,
    folder: str | Path | None = None,
    allow_code: bool = False,
) -> "xarray.Dataset":
    """Run a world many times with changed values and return one labelled table.

    Args:
        world: from ``load_world``, or its name or path.
        vary: for each key of the world its values: a list, ``{"linear": [first, last, count]}``,
            ``{"log": …}``, or ``{"scale": …}`` for factors; several keys form a grid.
        zip: groups of keys whose values go together.
        random: for each key what it is drawn from: ``{"uniform": [low, high]}``, ``{"normal": …}``,
            ``{"sobol": …}``.
        samples: how often these are drawn.
        repeats: runs of every setting, with seeds ``seed``, ``seed + 1``, …
        seed: of the first repeat.
        set: changes that hold for every run.
        workers: processes; 0: this process alone; default one a core, and 0 for a few runs. A
            script that uses processes needs ``if __name__ == "__main__":`` around what it does.
        folder: where the results are kept; default nowhere.
        allow_code: execute the Python files that the world names, as ``load_world`` does.

    Returns:
        The quantities over the swept parameters and the repeats (over runs, for random samples).

    Raises ``BadInput``: a key or a value that the world cannot have.
    """
    made = make_sweep(
        world, vary=vary, zip=zip or (), random=random, samples=samples, repeats=repeats, seed=seed, set=set,
        allow_code=allow_code,
    )  # fmt: skip
    if workers is None and made.count <= _FEW:
        workers = 0
    with tempfile.TemporaryDirectory() as nowhere:
        place = Path(nowhere) / "sweep" if folder is None else Path(folder)
        return dataset(made, read_rows(execute(made, place, workers), made))


def execute(
    sweep: Sweep,
    folder: str | Path,
    workers: int | None = None,
    scheduler: str | None = None,
    resume: bool = False,
    progress: Progress | None = None,
) -> Path:
    """Run what is missing of a sweep and write its tables ``sweep.csv``, ``sweep.nc``, and ``sweep.yaml``.

    Rows are written as they come in: after an interruption what was finished is there, and
    ``resume`` does the rest. The folder is new or empty, or with ``resume`` that of the same sweep.
    ``workers`` are processes on this machine; 0: in this process; default the number of cores.
    ``scheduler`` is the address of a running dask cluster, which then does the work. ``progress``
    is called with the number of rows and the counts by outcome.

    Raises ``FolderTaken``: the folder holds something; nothing was run; ``BadInput``: it holds
    another sweep, or another program is at work on it, or something in it leads out of it; the
    scheduler does not answer; a number of workers below 0; no room on the disk; ``WorkersLost``: no
    process can be started, or the cluster ended.
    """
    folder = Path(folder).absolute()
    if workers is not None and (
        isinstance(workers, bool) or not isinstance(workers, int) or workers < 0
    ):
        raise BadInput(
            "workers", found=workers, allowed="a whole number: 0 for none but this process, or more"
        )
    try:
        _prepare(sweep, folder, resume)
        outcomes = finished_runs(folder, sweep)
        counts = Counter(outcomes.values())
        missing = (index for index in sweep.order() if index not in outcomes)
        left = sweep.count - len(outcomes)
        with (
            SweepTable(folder) as table,
            _rows(sweep, missing, left, folder, workers, scheduler) as rows,
        ):
            for row in rows:
                table.append(row)
                counts[str(row.get("outcome"))] += 1
                if progress is not None:
                    progress(counts.total(), counts)
        finish(sweep, folder)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS):
            raise
        what = f"the results cannot be written: {error.strerror}; finished rows are kept"
        allowed = "make room, then the same sweep with --resume (in Python execute(…, resume=True))"
        raise BadInput(what, where=str(folder), allowed=allowed) from error
    return folder


def keep_chosen(sweep: Sweep, folder: Path) -> None:
    """Make the first runs of the base world's setting and of the best again, with their signals, if none was kept.

    A run that gives no result has no folder. Raises ``BadInput``: the folder of the runs leads out
    of the sweep's.
    """
    inside(folder / RUNS, folder)
    chosen = (read_netcdf(folder / NETCDF).attrs.get(name) for name in ("base_run", "best_run"))
    keeping = replace(sweep, file=sweep.file.model_copy(update={"keep": "runs"}))
    for index in {int(run) for run in chosen if run is not None}:
        if not run_folder(folder, index).exists():
            run_job(keeping, index, folder)


def finished_runs(folder: Path, sweep: Sweep) -> dict[int, str]:
    """The outcome of every run of a sweep that has a row in its results folder."""
    if not (folder / CSV).exists():
        return {}
    return {row["index"]: str(row["outcome"]) for row in read_rows(folder, sweep)}


def require_same(sweep: Sweep, folder: Path) -> None:
    """Refuse to go on in a folder that is not this sweep's.

    Raises ``BadInput``: it holds no sweep, or one that has been changed since.
    """
    try:
        require_regular(folder / _COPY)
        lines = (folder / _COPY).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError, BadInput):
        lines = []
    found = next(
        (line.removeprefix(_DIGEST).strip() for line in lines if line.startswith(_DIGEST)), None
    )
    if found is None:
        raise BadInput(
            "no sweep to go on with",
            str(folder),
            allowed="the folder of a sweep that was interrupted",
        )
    if found != sweep.digest:
        what = "the sweep has been changed since these results were begun; its rows would not fit together"
        digests = f"digest {sweep.digest[:12]}, in the folder {found[:12]}"
        allowed = f"the sweep as it was ({folder / _COPY}), or a new folder without --resume"
        raise BadInput(what, where=str(folder), found=digests, allowed=allowed)


def _prepare(sweep: Sweep, folder: Path, resume: bool) -> None:
    if resume:
        require_same(sweep, folder)
        for name in (CSV, RUNS):
            inside(folder / name, folder)
        return
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise FolderTaken(folder, _ALLOWED)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with (folder / _COPY).open("x", encoding="utf-8") as file:
            file.write(sweep.to_yaml(folder))
    except FileExistsError:  # of two sweeps at once this is the second
        raise FolderTaken(folder, _ALLOWED) from None


@contextmanager
def _rows(
    sweep: Sweep,
    indices: Iterator[int],
    count: int,
    folder: Path,
    workers: int | None,
    scheduler: str | None,
) -> Iterator[Iterator[dict[str, Any]]]:
    """The rows as they come in, from this process or from workers that end with the block."""
    if count == 0:
        yield iter(())
    elif scheduler is not None:
        from hopfield_nav.sweeps.cluster import cluster_rows, connect

        with connect(scheduler) as client:
            yield cluster_rows(client, sweep, indices, folder)
    else:
        warm_up(sweep)  # once, before a pool of processes would
        if workers == 0:
            yield (run_job(sweep, index, folder) for index in indices)
            return
        with Pool(sweep, min(workers or core_count(), count), folder) as pool:
            yield pool.rows(indices, count)
