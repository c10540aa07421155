"""Running a sweep: every job a row in ``sweep.csv``, here or on a cluster, at once or resumed.

``sweep("ragazzon2012", vary={"detection.threshold": [6, 12]})`` does it all in one call.
"""

import errno
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from dynamics import BadInput
from dynamics.files import FolderTaken, inside, whole_file
from hopfield_nav.record import read_netcdf
from hopfield_nav.sweeps.deciding import rounds_of
from hopfield_nav.sweeps.growth import COPY, Row, as_kept, as_large, require_same, rows_of
from hopfield_nav.sweeps.job import RUNS, run_folder, run_job, warm_up
from hopfield_nav.sweeps.pool import Pool, core_count
from hopfield_nav.sweeps.sweep_file import Sweep, make_sweep
from hopfield_nav.sweeps.table import (
    CSV,
    NETCDF,
    SweepTable,
    dataset,
    finish,
    read_rows,
    write_rows,
)

if TYPE_CHECKING:
    import xarray

    from hopfield_nav.world import World

Progress = Callable[[int, Counter], None]
_ALLOWED = "a new or empty folder, or --resume"
_MOVED = ".moved"  # ending of a run's folder on its way to its new name
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
    ``resume`` does the rest. The folder is new or empty, or with ``resume`` that of the same sweep,
    or of one with fewer runs, whose rows stay. ``workers`` are processes on this machine; 0: in
    this process; default the number of cores. ``scheduler`` is the address of a running dask
    cluster, which then does the work. ``progress`` is called with the number of rows and the counts
    by outcome. A sweep ``until_decided`` ends when the verdict holds, or its budget is spent.

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
        numbered = _prepare(sweep, folder, resume)
        rows = read_rows(folder, numbered) if (folder / CSV).exists() else []
        counts = Counter(str(row["outcome"]) for row in rows)
        batches = _batches(sweep, numbered, rows)
        with (
            SweepTable(folder) as table,
            _makers(sweep, numbered, folder, workers, scheduler) as make,
        ):
            for batch in batches:
                for row in make(batch):
                    table.append(row)
                    rows.append(row)
                    counts[str(row["outcome"])] += 1
                    if progress is not None:
                        progress(counts.total(), counts)
        finish(_close(sweep, folder), folder)
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


def finished_runs(folder: Path) -> int:
    """The number of runs that have a row in a folder of results."""
    return len(read_rows(folder)) if (folder / CSV).exists() else 0


def _prepare(sweep: Sweep, folder: Path, resume: bool) -> Sweep:
    """Make the folder ready; the sweep by whose numbers its rows are known from now on."""
    if resume:
        require_same(sweep, folder)
        for name in (CSV, RUNS):
            inside(folder / name, folder)
        return _take_up(sweep, folder)
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise FolderTaken(folder, _ALLOWED)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with (folder / COPY).open("x", encoding="utf-8") as file:
            file.write(sweep.to_yaml(folder))
    except FileExistsError:  # of two sweeps at once this is the second
        raise FolderTaken(folder, _ALLOWED) from None
    return _roomy(sweep)


def _take_up(sweep: Sweep, folder: Path) -> Sweep:
    """Number what stands as the runs of the sweep are numbered, and tell in the folder what it is."""
    if not sweep.grows or not (folder / CSV).exists():
        return _roomy(sweep)
    with SweepTable(folder):  # nobody else is at work on it
        kept = as_kept(sweep, folder)
    numbered = _roomy(kept)
    _renumber(numbered, kept, folder)
    return numbered


def _close(sweep: Sweep, folder: Path) -> Sweep:
    """The sweep with as many repeats as there are in the end, and its rows with their last numbers."""
    if not sweep.grows:
        return sweep
    kept = as_kept(sweep, folder)
    _renumber(kept, kept, folder)
    return kept


def _renumber(numbered: Sweep, told: Sweep, folder: Path) -> None:
    """Give rows, and runs that are kept, the numbers of one sweep; and tell which sweep is there."""
    before = [row["index"] for row in read_rows(folder)]
    rows = rows_of(numbered, folder)
    write_rows(numbered, rows, folder)
    with whole_file(folder / COPY) as path:
        path.write_text(told.to_yaml(folder), encoding="utf-8")
    now = [row["index"] for row in rows]
    places = {
        run_folder(folder, i): run_folder(folder, k) for i, k in zip(before, now, strict=True)
    }
    moved = {old: new for old, new in places.items() if old != new and old.is_dir()}
    for old, new in moved.items():
        old.rename(new.with_suffix(_MOVED))
    for new in moved.values():
        new.with_suffix(_MOVED).rename(new)


def _roomy(sweep: Sweep) -> Sweep:
    """The sweep with as many repeats as its budget may need: no number changes on the way."""
    return sweep if sweep.budget is None else as_large(sweep, sweep.budget.at_most)


class _Batch(NamedTuple):
    """Runs that are made together."""

    indices: Iterable[int]
    size: int


def _batches(sweep: Sweep, numbered: Sweep, rows: list[Row]) -> Iterator[_Batch]:
    """The runs to be made: all at once, or by rounds, each by the ``rows`` that are there then."""
    if sweep.budget is not None:
        for indices in rounds_of(numbered, rows):
            yield _Batch(indices, len(indices))
        return
    done = {row["index"] for row in rows}
    repeats = numbered.file.repeats

    def missing() -> Iterator[int]:
        for index in numbered.order():
            if index % repeats < sweep.file.repeats and index not in done:
                yield index

    count = sum(1 for _ in missing())
    if count:
        yield _Batch(missing(), count)


@contextmanager
def _makers(
    sweep: Sweep, numbered: Sweep, folder: Path, workers: int | None, scheduler: str | None
) -> Iterator[Callable[[_Batch], Iterator[Row]]]:
    """What makes the rows of a batch: this process, or workers, which end with the block."""
    if scheduler is not None:
        from hopfield_nav.sweeps.cluster import cluster_rows, connect

        with connect(scheduler) as client:
            yield lambda batch: cluster_rows(client, numbered, batch.indices, folder)
        return
    with ExitStack() as pools:
        pool: Pool | None = None

        def make(batch: _Batch) -> Iterator[Row]:
            nonlocal pool
            warm_up(sweep)  # once, before a pool of processes would
            if workers == 0:
                return (run_job(numbered, index, folder) for index in batch.indices)
            if pool is None:
                size = min(workers or core_count(), batch.size)
                pool = pools.enter_context(Pool(numbered, size, folder))
            return pool.rows(batch.indices, batch.size)

        yield make
