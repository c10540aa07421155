"""The sweep file: one base world, the keys that vary, and the runs that follow from it.

``load_sweep`` reads a file, or a sweep that comes with the program, tries every value on the base
world, and gives a ``Sweep``. A sweep does not list its runs: ``job(i)`` works out the i-th.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from dynamics import BadInput
from hopfield_nav import world as worlds
from hopfield_nav.plugin import PLAIN, Measures
from hopfield_nav.record import Quantity
from hopfield_nav.sweeps.axes import Axis, build_axes, faults_of_keys
from hopfield_nav.sweeps.base import (
    Base,
    fingerprint,
    own_value,
    read_base,
    resolved,
    with_settings,
    world_data,
)
from hopfield_nav.sweeps.randomness import what_is_random
from hopfield_nav.sweeps.sections import (
    Aim,
    SweepFile,
    check_aim,
    column_faults,
    kept_columns,
    load_measures,
)

if TYPE_CHECKING:
    from hopfield_nav.experiment import Simulation
    from hopfield_nav.record import Run


SEEDS_AT_MOST = 100  # of a setting on average, where no number of runs is given
_GOLDEN = 0.6180339887498949  # whose multiples spread most evenly over a circle


class Budget(NamedTuple):
    """What a sweep that goes on until it is decided may spend."""

    first: int  # seeds of every setting in the first round
    at_most: int  # runs in all


@dataclass(frozen=True)
class Job:
    """One run of a sweep."""

    index: int  # counted from 0
    values: dict[str, Any]  # for each column of the sweep's parameters its value
    seed: int  # of the run
    repeat: int  # counted from 0


@dataclass(frozen=True, eq=False)
class Sweep:
    """A checked sweep. It can be pickled, and stays small however many runs it has."""

    name: str  # of its file
    folder: Path  # that paths in it are relative to
    file: SweepFile  # what the file says
    base: Base  # the base world, fixed changes included
    grid: tuple[
        Axis, ...
    ]  # the axes of the grid, the first varying slowest; ``repeat`` varies fastest
    data: dict[str, Any]  # plain data of the file
    budget: Budget | None = field(default=None, kw_only=True)
    """what it may spend until it is decided; None: it has as many runs as the file says"""

    compares: ClassVar[bool] = True  # whether one of its settings is the best
    grows: ClassVar[bool] = True  # whether rows that stand are kept where there are more runs

    @property
    def world(self) -> worlds.World:
        """The base world, fixed changes included."""
        return self.base.world

    @property
    def parameters(self) -> tuple[str, ...]:
        """The columns of the swept parameters; one that holds factors ends in ``*``."""
        return tuple(column.name for axis in self.grid for column in axis)

    @cached_property
    def kept(self) -> dict[str, Quantity]:
        """The columns that are kept of a run, of its summary and measures of a user's own, and what each is."""
        return kept_columns(self.file, self.measures)

    @property
    def measures(self) -> Measures | None:
        """Further columns from every finished run, if there are any."""
        name = self.file.measures
        return None if name is None else load_measures(name, self.folder)

    def extra(self, run: "Run") -> Mapping[str, Any]:
        """Columns of the sweep's own from a finished run."""
        return {}

    def start(self, job: Job) -> "Simulation":
        """The run of a job, before anything moves."""
        from hopfield_nav.experiment import Simulation

        return Simulation(self.world_for(job), seed=job.seed)

    @property
    def shape(self) -> tuple[int, ...]:
        """Length of every axis, then the number of repeats."""
        return (*(len(axis[0].values) for axis in self.grid), self.file.repeats)

    @property
    def count(self) -> int:
        """Number of runs, by which they are numbered."""
        return math.prod(self.shape)

    @property
    def run_count(self) -> int:
        """Number of runs that are made: fewer than ``count`` where some would repeat another."""
        return self.count

    @cached_property
    def digest(self) -> str:
        """SHA-256 of everything that decides the rows; the look of the file does not count."""
        return fingerprint(self.file, self.base, self.grid)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What the user should know and need not change."""
        samples, said = self.file.samples or 1, []
        if samples & (samples - 1) and any(
            draw.kind == "sobol" for draw in self.file.random.values()
        ):
            near = 2 ** round(math.log2(samples))
            said.append(
                f"a Sobol sequence is balanced for powers of two: {near} samples rather than {samples}"
            )
        if self.file.repeats > 1 and not self.is_random:
            said.append(
                "nothing in this world is random: repeats give the same run, and count once"
            )
        return (*said, *self.notes, *worlds.remarks(self.world))

    @property
    def is_random(self) -> bool:
        """Whether a run depends on its seed: noise, obstacles or goals that are drawn, or may be."""
        keys = {column.key[0] for axis in self.grid for column in axis}
        may_draw = keys & {"sensors", "obstacles", "planner"}
        return bool(what_is_random(self.world) or self._own or may_draw)

    @property
    def calls_own(self) -> bool:
        """Whether a run may call a user's method at touches: one of the base world, or a swept one."""
        return any(kind in PLAIN for kind in self._own)

    @cached_property
    def _own(self) -> set[str]:
        """The kinds of which the base world or a swept value names somebody's own method."""
        named = worlds.own_methods(self.world)
        for column in (column for axis in self.grid for column in axis):
            for value in column.values:
                named += own_value(column.key, value)
        return {method.kind for method in named}

    def aimed(self, text: str) -> "Sweep":
        """The same sweep with another aim, as ``--aim`` has it.

        Raises ``BadInput``: the text is no aim.
        """
        value = worlds.OrWord("least").check(worlds.parse_value(text, "--aim"))
        aim = None if value is None else worlds.read_form(Aim, worlds.Document(value, "--aim"))
        try:
            check_aim(aim, self.measures)
        except BadInput as error:
            raise error.at(f"--aim: {error.where}") from None
        return replace(self, file=self.file.model_copy(update={"aim": aim}))

    def with_repeats(self, repeats: int) -> "Sweep":
        """The same with another number of seeds for every combination."""
        if repeats == self.file.repeats:
            return self
        file = self.file.model_copy(update={"repeats": repeats})
        return replace(self, file=file, data={**self.data, "repeats": repeats})

    def until_decided(self, at_most: int | None) -> "Sweep":
        """The same, with seeds added until the best setting is decided, or so many runs are made.

        Raises ``BadInput``: there are more settings than runs, or what is asked cannot be decided.
        """
        settings = math.prod(self.shape[:-1])
        runs = SEEDS_AT_MOST * settings if at_most is None else at_most
        if runs < settings:
            allowed = f"{settings} or more, one for each setting"
            raise BadInput("fewer runs than settings", "--at-most", at_most, allowed)
        for axis in self.grid:
            for column in axis:
                if column.is_seed:
                    what = "seeds are swept, and --until-decided adds seeds by itself"
                    raise BadInput(what, "--until-decided", column.name, "a sweep without that key")
        conditions = {} if self.file.aim is None else self.file.aim.conditions
        for name, condition in conditions.items():
            if condition.of_least and not condition.at_most:
                what, where = "cannot be decided", f"--until-decided: aim.while.{name}"
                raise BadInput(what, where, str(condition), "'<= 1.1 least', or a number")
        return replace(self, budget=Budget(self.file.repeats, runs))

    def job(self, index: int) -> Job:
        """The run of that index.

        Raises ``IndexError``: there is none.
        """
        if not 0 <= index < self.count:
            raise IndexError(f"run {index} of a sweep of {self.count}")
        *positions, repeat = self._positions(index)
        pairs = zip(self.grid, positions, strict=True)
        values = {column.name: column.value(i) for axis, i in pairs for column in axis}
        return Job(index, values, self.file.seed + repeat, repeat)

    def job_at(self, positions: Sequence[int]) -> Job:
        """The run at some places of the axes, of which the last is the repeat."""
        return self.job(int(np.ravel_multi_index(tuple(positions), self.shape)))

    def order(self) -> Iterator[int]:
        """Indices of all runs, in the order in which they are begun.

        Every combination with its first seed, then with the next; combinations that follow each
        other lie far apart, so that the first runs say how long the others will take.
        """
        combinations = math.prod(self.shape[:-1])
        stride = _stride(combinations)
        repeats = self.file.repeats
        for repeat in range(repeats):
            for k in range(combinations):
                yield (k * stride % combinations) * repeats + repeat

    def world_for(self, job: Job) -> worlds.World:
        """The world of a run, checked; nothing is logged unless run folders are kept or runs measured.

        Raises ``BadInput``: the world does not allow this combination of values.
        """
        changes = self._changes(self._positions(job.index)[:-1])
        changes.append((("seed",), job.seed, self.name))
        if self.file.keep == "summary" and self.file.measures is None:
            changes.append((("record", "signals"), "none", self.name))
        return self.base.world_with(changes)

    def _changes(self, positions: Sequence[int]) -> list[worlds.Change]:
        """What a combination changes."""
        at = zip(self.grid, positions, strict=True)
        return [(c.key, c.written(i), c.place(i)) for axis, i in at for c in axis]

    @property
    def notes(self) -> list[str]:
        """What is left out of the base world where an axis chooses another method."""
        first, found = [0] * len(self.grid), dict[str, None]()
        for k, axis in enumerate(self.grid):
            choosing = any(worlds.chooses_method(column.key) for column in axis)
            for i in range(len(axis[0].values) if choosing else 0):
                found |= dict.fromkeys(
                    self.base.changed(self._changes([*first[:k], i, *first[k + 1 :]])).notes
                )
        return list(found)

    def to_yaml(self, folder: Path | None = None) -> str:
        """The sweep with its base world written out; loads back to the same runs and digest.

        Paths are rewritten relative to ``folder``, where the text will be stored.
        """
        return f"# digest: {self.digest}\n" + resolved(self.data, self.base, folder)

    def _positions(self, index: int) -> list[int]:
        """Where on each axis a run lies, and which repeat it is."""
        return [int(i) for i in np.unravel_index(index, self.shape)]


def _stride(count: int) -> int:
    """A step by which ``count`` numbers are gone through, round and round, far apart."""
    step = max(1, round(count * _GOLDEN))
    while math.gcd(step, count) != 1:
        step += 1
    return step


def load_sweep(path_or_name: str | Path, allow_code: bool = False) -> Sweep:
    """Read and check a sweep.

    Args:
        path_or_name: a file, the folder of a sweep's results, or the name of a sweep that comes
            with the program.
        allow_code: execute the Python files that its worlds name, as ``load_world`` does.

    Raises ``BadInput``: there is no such file, or something in it cannot be used: file, line, key,
    what was found, what is allowed, and the nearest known key.
    """
    path = worlds.find_sweep(path_or_name)
    return sweep_from(
        worlds.read_document(path), path.parent, worlds.name_of(path), worlds.Trust(allow_code)
    )


def make_sweep(
    world: worlds.World | str | Path, vary: Mapping[str, Any] | None = None, *, zip: Sequence[Mapping[str, Any]] = (),
    random: Mapping[str, Any] | None = None, samples: int | None = None, repeats: int = 1, seed: int = 0,
    set: Mapping[str, Any] | None = None, quantities: Sequence[str] | None = None, allow_code: bool = False,
    **others: Any,
) -> Sweep:  # fmt: skip
    """A sweep without a file; arguments as the keys of a sweep file, paths relative to the current folder.

    Arrays and ranges are lists of values. Python files that stand among them are executed, those
    that the world names as in ``load_world``.

    Raises ``BadInput``: as ``load_sweep``.
    """
    folder = Path.cwd()
    given: dict[str, Any] = {
        "format": 1,
        "world": str(world),
        "vary": vary,
        "zip": zip,
        "random": random,
    }
    given |= {
        "samples": samples,
        "repeats": repeats,
        "seed": seed,
        "set": set,
        "quantities": quantities,
        **others,
    }
    data = {key: value for key, value in worlds.plain(given).items() if value is not None}
    named, trust = (
        texts_in([data.get(key) for key in ("vary", "zip", "set")]),
        worlds.Trust(allow_code),
    )
    if isinstance(world, worlds.World):
        data["world"], trust = world_data(world, folder), world.trust
    return sweep_from(worlds.Document(data, "sweep"), folder, "sweep", trust.also(named, folder))


def texts_in(value: Any) -> list[str]:
    """Every text in nested lists and mappings."""
    if isinstance(value, (Mapping, list)):
        return [
            text
            for v in (value.values() if isinstance(value, Mapping) else value)
            for text in texts_in(v)
        ]
    return [value] if isinstance(value, str) else []


def sweep_from(
    document: worlds.Document, folder: Path, name: str, trust: worlds.Trust | None = None
) -> Sweep:
    """Check what a document holds and make it a sweep; ``trust`` is that of ``world_from``.

    The form of the file is checked, then its base world and its keys, then its fixed changes, then
    its values.

    Raises ``BadInput``: the first fault of the first of these that has some, with its place;
    ``others`` has all its others.
    """
    trust = trust or worlds.Trust()
    file = worlds.read_form(SweepFile, document)
    faults = [
        *faults_of_keys(file, document),
        *worlds.placed(column_faults(file, folder, trust), document),
    ]
    try:
        base = read_base(file.world, document, folder, trust)
    except BadInput as error:
        faults += ((("world",), fault) for fault in (error, *error.others))
    worlds.refuse(faults, document)
    base = with_settings(base, file.set, document)
    axes, faults = build_axes(file, base, document)
    worlds.refuse(faults, document)
    return Sweep(name, folder, file, base, tuple(axes), document.data)
