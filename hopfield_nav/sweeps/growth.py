"""What stands in the folder of a sweep that was begun, and what has changed in the sweep since.

Rows are known by the values of their run and its seed. So more repeats, more values of a key and
more samples leave the rows that stand as they are; each gets the number that its run has now.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dynamics import BadInput
from dynamics.files import require_regular
from hopfield_nav import world as worlds
from hopfield_nav.sweeps.axes import Axis
from hopfield_nav.sweeps.base import content_of
from hopfield_nav.sweeps.sweep_file import Sweep, sweep_from, texts_in
from hopfield_nav.sweeps.table import (
    CSV,
    as_cell,
    columns,
    format_line,
    parse_line,
    read_rows,
    swept_cells,
)

COPY = "sweep.yaml"
_DIGEST = "# digest: "
_CHANGED = "has been changed since these results were begun"
_FIXED = ("time_limit_per_run", "patience", "until")  # keys of a sweep that decide its rows
_LOOKS = ("description", "seed")  # keys of its base world that do not

Row = dict[str, Any]


def require_same(sweep: Sweep, folder: Path) -> None:
    """Refuse to go on in a folder whose rows are none of this sweep.

    Raises ``BadInput``: it holds no sweep, or one of which something has truly been changed; each
    such key is told.
    """
    stored = _stored_digest(folder)
    if stored == sweep.digest:
        return
    if not sweep.grows:
        what = "the sweep has been changed since these results were begun; its rows would not fit together"
        digests = f"digest {sweep.digest[:12]}, in the folder {stored[:12]}"
        raise BadInput(what, where=str(folder), found=digests, allowed=_allowed(folder))
    faults = list(_changes(sweep, folder, stored))
    if faults:
        raise worlds.together(faults)
    if (folder / CSV).exists():
        rows_of(as_kept(sweep, folder), folder)


def rows_of(sweep: Sweep, folder: Path) -> list[Row]:
    """The rows that stand in a folder, with the numbers of their runs in a sweep of as many seeds.

    Raises ``BadInput``: a row has a value or a seed that the sweep has not.
    """
    positions = [_positions(axis) for axis in sweep.grid]
    found = []
    for row in _read(sweep, folder):
        at = []
        for axis, known in zip(sweep.grid, positions, strict=True):
            values = tuple(_as_key(row[column.name]) for column in axis)
            if values not in known:
                raise _is_gone(axis, [row[column.name] for column in axis], folder)
            at.append(known[values])
        job = sweep.job_at([*at, _repeat_of(row, sweep, folder)])
        number = {"index": job.index, "repeat": job.repeat, "seed": job.seed}
        cells = {**row, **number, **swept_cells(job)}
        found.append({name: cells[name] for name in columns(sweep)})
    return found


def as_kept(sweep: Sweep, folder: Path) -> Sweep:
    """The sweep with as many repeats as the rows of a folder have, if those are more."""
    repeats = (_repeat_of(row, sweep, folder) for row in _read(sweep, folder))
    return as_large(sweep, 1 + max(repeats, default=0))


def as_large(sweep: Sweep, repeats: int) -> Sweep:
    """The sweep with at least so many repeats."""
    return sweep.with_repeats(max(sweep.file.repeats, repeats))


def _read(sweep: Sweep, folder: Path) -> Iterator[Row]:
    """The rows that stand in a folder.

    Raises ``BadInput``: they have other columns than those of a sweep, or no seed.
    """
    asked = set(columns(sweep))
    for row in read_rows(folder):
        where = str(folder / CSV)
        if set(row) != asked:
            raise BadInput("not the columns of this sweep", where=where, found=", ".join(row)[:80])
        if isinstance(row["seed"], bool) or not isinstance(row["seed"], int):
            raise BadInput("damaged line", where=where, found=f"seed {row['seed']}")
        yield row


def _repeat_of(row: Row, sweep: Sweep, folder: Path) -> int:
    """Which repeat of a sweep has the seed of a row."""
    repeat: int = row["seed"] - sweep.file.seed
    if repeat < 0:
        seeds = f"it is {sweep.file.seed}, and there is a row of seed {row['seed']}"
        raise BadInput(f"seed {_CHANGED}: {seeds}", where=str(folder), allowed=_allowed(folder))
    return repeat


def _positions(axis: Axis) -> dict[tuple[Any, ...], int]:
    """Where on an axis each of its values lies, as a row has them."""
    count = len(axis[0].values)
    return {tuple(_as_key(_as_read(c.value(i))) for c in axis): i for i in range(count)}


def _as_read(value: Any) -> Any:
    """A value as it is read back from the table."""
    (cell,) = parse_line(format_line([as_cell(value)]))
    return cell


def _as_key(value: Any) -> tuple[bool, Any]:
    """What tells a value from all others; 6 and 6.0 are the same, 1 and true are not."""
    return isinstance(value, bool), value


def _is_gone(axis: Axis, values: list[Any], folder: Path) -> BadInput:
    names = ", ".join(column.name for column in axis)
    text = ", ".join(map(str, values))
    what = f"{names} {_CHANGED}: its rows with {text} have no place any more"
    return BadInput(what, where=str(folder), allowed=f"{text} as well, or {_allowed(folder)}")


def _changes(sweep: Sweep, folder: Path, stored: str) -> Iterator[BadInput]:
    """What was changed since, key by key, that decides the rows which stand."""
    trust = sweep.base.trust
    old = sweep_from(worlds.read_document(folder / COPY), folder, sweep.name, trust)
    for key, before, now in _differences(old, sweep):
        what = f"{key} {_CHANGED}, from {worlds.show(before)} to {worlds.show(now)}"
        yield BadInput(what, where=str(folder), allowed=_allowed(folder))
    files = list(_files(old))
    if files and old.digest != stored:
        named = ", ".join(files)
        what = f"a file that the sweep names {_CHANGED}: {named}"
        yield BadInput(what, where=str(folder), allowed=_allowed(folder))


def _differences(old: Sweep, new: Sweep) -> Iterator[tuple[str, Any, Any]]:
    """The keys in which two sweeps differ, with both values; values of axes may differ."""
    for key in _FIXED:
        before, now = getattr(old.file, key), getattr(new.file, key)
        if before != now:
            yield key, before, now
    if _content(old, old.file.measures) != _content(new, new.file.measures):
        yield "measures", old.file.measures, new.file.measures
    elif list(old.kept) != list(new.kept):
        yield "quantities", list(old.kept), list(new.kept)
    swept, sweeping = set(old.parameters), set(new.parameters)
    for key in (*old.parameters, *new.parameters):
        if (key in swept) != (key in sweeping):
            words = ("not swept", "swept")
            yield key, words[key in swept], words[key in sweeping]
    before, now = worlds.flat_values(old.world), worlds.flat_values(new.world)
    for key in dict.fromkeys([*before, *now]):
        first, second = before.get(key), now.get(key)
        same = _content(old, first) == _content(new, second)
        if not same and key not in _LOOKS and not _is_swept(key, new):
            yield key, first, second


def _is_swept(key: str, sweep: Sweep) -> bool:
    """Whether the values of an axis, and not the base world, decide a key in every run."""
    given = [".".join(map(str, c.key)) for axis in sweep.grid for c in axis if c.base is None]
    return any(key == one or key.startswith(f"{one}.") for one in given)


def _content(sweep: Sweep, value: Any) -> Any:
    """A value in which files count by what is in them."""
    return content_of(value, sweep.base.folder)


def _files(sweep: Sweep) -> Iterator[str]:
    """The files that a sweep names."""
    listed = [list(column.values) for axis in sweep.grid for column in axis if not column.drawn]
    texts = texts_in([worlds.flat_values(sweep.world), listed, sweep.file.measures])
    return (text for text in dict.fromkeys(texts) if worlds.is_path(text))


def _stored_digest(folder: Path) -> str:
    """The digest of the sweep that was begun in a folder.

    Raises ``BadInput``: there is none.
    """
    try:
        require_regular(folder / COPY)
        lines = (folder / COPY).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError, BadInput):
        lines = []
    for line in lines:
        if line.startswith(_DIGEST):
            return line.removeprefix(_DIGEST).strip()
    allowed = "the folder of a sweep that was interrupted"
    raise BadInput("no sweep to go on with", str(folder), allowed=allowed)


def _allowed(folder: Path) -> str:
    return f"the sweep as it was ({folder / COPY}), or a new folder without --resume"
