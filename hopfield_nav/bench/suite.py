"""A suite as a sweep: its axes are families, conditions and methods, its repeats the worlds."""

from __future__ import annotations

import fnmatch
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from dynamics import BadInput, nearest_name
from hopfield_nav.bench.oracle import has_path
from hopfield_nav.bench.suite_file import SuiteFile
from hopfield_nav.plugin import load_from_file
from hopfield_nav.record import Quantity
from hopfield_nav.sweeps import (
    AxisColumn,
    Base,
    Job,
    Sweep,
    SweepFile,
    content_of,
    load_measures,
    moved_value,
    read_base,
    texts_in,
)
from hopfield_nav.world import (
    NOT_KNOWN,
    Document,
    Fault,
    Key,
    Trust,
    World,
    faults_of,
    in_order,
    is_code,
    parse_value,
    placed_at,
    read_document,
    read_form,
    sort_faults,
    split_key,
    together,
    world_folders,
    yaml_text,
)

if TYPE_CHECKING:
    from hopfield_nav.record import Run

_OWN = {
    "counts": Quantity("counts", "1", "1 where the oracle says that the world counts"),
    "way_m": Quantity("way of the tool", "m", "length of the tool's way", "m"),
}
_EVERY = 5  # rows of the record that are kept: one in so many
Change = tuple[tuple[str | int, ...], Any, str]


@dataclass(frozen=True, eq=False)
class Suite(Sweep):
    """A checked suite.

    Attributes:
        suite: what the file says, with methods that were added.
        bases: the base world of every family.
    """

    suite: SuiteFile
    bases: dict[str, Base]

    @cached_property
    def kept(self) -> dict[str, Quantity]:
        """What every column is."""
        return super().kept | _OWN

    @property
    def is_random(self) -> bool:
        """Every repeat is a world of its own."""
        return True

    @property
    def calls_own(self) -> bool:
        """Whether somebody's own method is among those that are run."""
        return any(map(is_code, texts_in([self.suite.methods[name] for name in self.methods])))

    @property
    def methods(self) -> list[str]:
        """Those that are run."""
        return list(self.grid[2][0].values)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of everything that decides the rows."""
        return _digest([self.method_digest(name) for name in self.methods], self.file.repeats)

    def method_digest(self, method: str) -> str:
        """SHA-256 of everything that decides the rows of one method, but for the number of worlds."""
        suite = self.suite
        families = {
            name: [content_of(base.data, base.folder), family.set, content_of(family.setup, self.folder)]
            for (name, base), family in zip(self.bases.items(), suite.families.values(), strict=True)
        }
        own = [content_of(value, self.folder) for value in (suite.measures, suite.oracle.own)]
        seeds = [family.seed for family in suite.families.values()]
        first = [suite.seed, *seeds] if any(seed is not None for seed in seeds) else suite.seed
        fixed = [first, list(self.quantities), suite.until.touches, suite.oracle.margin, own]
        return _digest(
            families, suite.conditions, content_of(dict(suite.methods[method]), self.folder), fixed
        )

    def job(self, index: int) -> Job:
        """As a sweep's; the seed is that of the family."""
        job = super().job(index)
        first = self.suite.families[str(job.values["family"])].seed
        return job if first is None else replace(job, seed=first + job.repeat)

    def world_for(self, job: Job) -> World:
        """The world of a run, checked, before its setup."""
        family, condition, method = (str(job.values[name]) for name in ("family", "condition", "method"))
        return self._world(family, condition, method, job.seed)

    def _world(self, family: str, condition: str, method: str, seed: int = 0) -> World:
        changes: list[Change] = [(("record", "every"), _EVERY, self.name)]
        for section, name, given in (
            ("families", family, self.suite.families[family].set),
            ("conditions", condition, self.suite.conditions[condition]),
            ("methods", method, self.suite.methods[method]),
        ):
            where = f"{self.name}: {section}.{name}"
            changes += [(split_key(key), value, f"{where}.{key}") for key, value in given.items()]
        return self.bases[family].world_with([*changes, (("seed",), seed, self.name)])

    def start(self, job: Job) -> Any:
        """The run of a job: what its family's setup makes of it, if it has one."""
        from hopfield_nav.experiment import Simulation

        world = self.world_for(job)
        name = self.suite.families[str(job.values["family"])].setup
        if name is None:
            return Simulation(world, seed=job.seed)
        made = _loaded("setup", name, self.folder)(world, job.seed)
        if isinstance(made, World):
            return Simulation(made, seed=job.seed)
        return _Finished(world, dict(made)) if isinstance(made, Mapping) else made

    def require_ready(self) -> None:
        """Ask every setup that has a ``ready`` to look whether what it needs is there.

        Raises:
            BadInput: it is not.
        """
        for family in self.suite.families.values():
            if family.setup is not None:
                getattr(_loaded("setup", family.setup, self.folder), "ready", lambda: None)()

    def extra(self, run: Run) -> dict[str, Any]:
        """The bench's own columns."""
        counts = run.summary.get("counts")  # the setup may know
        recorded = not isinstance(run, SimpleNamespace) and run.data.sizes["time"] > 0
        return {
            "counts": int(self._counts(run.world) if counts is None else counts),
            "way_m": _way(run) if recorded else None,
        }

    def _counts(self, world: World) -> bool:
        oracle = self.suite.oracle
        if oracle.own is not None:
            return bool(_loaded("oracle", oracle.own, self.folder)(world))
        return oracle.margin is None or has_path(world, oracle.margin)

    def only(self, methods: list[str]) -> Suite:
        """The same of some methods alone."""
        *others, _ = self.grid
        return replace(self, grid=(*others, _axis("method", methods)))

    def of(self, worlds: int) -> Suite:
        """The same of so many worlds of every family."""
        file, suite = {"repeats": worlds}, {"worlds": worlds}
        return replace(
            self, file=self.file.model_copy(update=file), suite=self.suite.model_copy(update=suite)
        )

    def to_yaml(self, folder: Path | None = None) -> str:
        """The suite with its worlds written out."""
        data = self.suite.model_dump(mode="json")
        for name, base in self.bases.items():
            data["families"][name]["world"] = base.data
        return f"# digest: {self.digest}\n" + yaml_text(data)


class _Finished:
    """A row that the setup has made itself; it has ``run`` as a simulation has."""

    outcome = "finished"

    def __init__(self, world: World, summary: dict[str, Any]) -> None:
        self.world, self.time = world, world.time_limit
        self._summary = {"outcome": "finished", "reason": "", **summary}

    def step(self, duration: float) -> str:
        """Nothing is left to do."""
        return self.outcome

    def run(self, *_: object) -> Any:
        """What there is."""
        return SimpleNamespace(world=self.world, summary=self._summary, outcome=self._summary["outcome"])


def list_suites() -> list[str]:
    """Names of the suites that come with the program."""
    return sorted({path.stem for folder in _folders() for path in folder.glob("*.yaml")})


def find_suite(name: str | Path) -> Path:
    """The file of a suite, by its path or its name.

    Raises:
        BadInput: there is none.
    """
    path = Path(name)
    if path.is_file():
        return path
    for folder in _folders():
        if (folder / f"{path.name}.yaml").is_file() and path.name == str(path):
            return folder / f"{path.name}.yaml"
    known = list_suites()
    raise BadInput(
        "unknown suite", found=str(name), allowed=", ".join([*known, "or the path of a file"]),
        nearest=nearest_name(str(name), known),
    )  # fmt: skip


def _folders() -> list[Path]:
    return [folder / "benches" for folder in world_folders()]


def load_suite(
    name: str | Path, methods: Mapping[str, Path] | None = None, worlds: int | None = None,
    seed: int | None = None, allow_code: bool = False, families: Sequence[str] = (),
) -> Suite:  # fmt: skip
    """Read and check a suite.

    Args:
        name: a file, or the name of a suite that comes with the program.
        methods: files with the changes of further methods, by name.
        worlds: of every family; default as the suite says.
        seed: of the first world; default as the suite says.
        allow_code: execute the Python files that it names; those of a bundled suite, of the current folder
            and of the methods given here are executed in any case.
        families: those alone that one of these patterns fits, ``*`` for any letters; default all.

    Raises:
        BadInput: there is no such file, or something in it cannot be used.
    """
    path = find_suite(name)
    document = read_document(path)
    folder = path.parent.resolve()
    trust = Trust(allow_code or folder in [own.resolve() for own in _folders()])
    file, form = read_form(SuiteFile.model_validate, SuiteFile, document)
    if file is NOT_KNOWN or form:
        raise together(in_order(form, document))
    added = {key: _method_from(Path(given), folder) for key, given in (methods or {}).items()}
    for key in added:
        if key in file.methods:
            what = "the suite has a method of that name"
            raise BadInput(what, where="--method", found=key, allowed="another")
    trust = trust.also(texts_in(added), folder)
    file = _of_families(file, families)
    if seed is not None and any(family.seed is not None for family in file.families.values()):
        raise BadInput("the worlds of this suite are counted, not drawn", where="--seeds", allowed="none")
    change: dict[str, Any] = {"methods": {**file.methods, **added}}
    change |= {key: value for key, value in (("worlds", worlds), ("seed", seed)) if value is not None}
    return _suite_from(file.model_copy(update=change), document, path, folder, trust)


def _of_families(file: SuiteFile, patterns: Sequence[str]) -> SuiteFile:
    """The same with the families alone that a pattern fits."""
    for pattern in patterns:
        if not fnmatch.filter(file.families, pattern):
            names = ", ".join(file.families)
            raise BadInput(
                "no such family", where="--family", found=pattern, allowed=f"{names}, or a pattern"
            )
    fits = {
        name: family
        for name, family in file.families.items()
        if not patterns or any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
    }
    return file.model_copy(update={"families": fits})


def _suite_from(file: SuiteFile, document: Document, path: Path, folder: Path, trust: Trust) -> Suite:
    bases: dict[str, Base] = {}
    faults: list[Fault] = []
    for name, family in file.families.items():
        bases[name], told = read_base(family.world, document, folder, trust)
        key: Key = ("families", name, "world")
        faults += [(key, placed_at(key, fault, document)) for _, fault in told]
    require = partial(_require, trust=trust, folder=folder)
    for at, code in _own_files(file):
        faults += [(at, placed_at(at, fault, document)) for fault in faults_of([require], code)]
    if faults:
        raise together(sort_faults(faults, document))
    engine = SweepFile(
        format=1, description=file.description, world="suite", repeats=file.worlds, seed=file.seed,
        quantities=file.quantities, measures=file.measures, until=file.until, patience=file.patience,
        time_limit_per_run=file.time_limit_per_run,
    )  # fmt: skip
    named: dict[str, Mapping[str, Any]] = {
        "family": file.families,
        "condition": file.conditions,
        "method": file.methods,
    }
    grid = tuple(_axis(name, [*given]) for name, given in named.items())
    first = next(iter(bases.values()))
    suite = Suite(path.stem, folder, engine, first, grid, document.data, file, bases)
    told_once = {str(error): error for error in _refused(suite)}
    if told_once:
        raise together(list(told_once.values()))
    return suite


def _refused(suite: Suite) -> Iterator[BadInput]:
    """What the worlds do not allow of conditions and methods, each tried on its own."""
    file = suite.suite
    condition, method = next(iter(file.conditions)), next(iter(file.methods))
    for family in file.families:
        pairs = [(name, method) for name in file.conditions] + [(condition, name) for name in file.methods]
        for pair in pairs:
            try:
                suite._world(family, *pair)
            except BadInput as error:
                yield from (error, *error.others)


def _own_files(file: SuiteFile) -> Iterator[tuple[Key, tuple[str, str]]]:
    """Keys that name Python files, with what they are and the name."""
    for name, family in file.families.items():
        if family.setup is not None:
            yield ("families", name, "setup"), ("setup", family.setup)
    if file.oracle.own is not None:
        yield ("oracle", "own"), ("oracle", file.oracle.own)
    if file.measures is not None:
        yield ("measures",), ("measures", file.measures)


def _require(code: tuple[str, str], trust: Trust, folder: Path) -> None:
    what, name = code
    if not is_code(name):
        raise BadInput(f"no {what}", found=name, allowed="FILE.py:NAME")
    trust.require(name, folder)
    if what == "measures":
        load_measures(name, folder)
    elif not callable(_loaded(what, name, folder)):
        raise BadInput(f"no function for the {what}", found=name, allowed="FILE.py:NAME")


@cache
def _loaded(what: str, name: str, folder: Path) -> Any:
    """What a file holds, which is executed once a process."""
    return load_from_file(what, name, folder)


def _method_from(path: Path, folder: Path) -> dict[str, Any]:
    """The changes that a method's file holds, its paths relative to ``folder``."""
    if not path.is_file():
        raise BadInput("no such file", where="--method", found=str(path))
    data = parse_value(path.read_text(encoding="utf-8"), str(path))
    if not isinstance(data, dict):
        raise BadInput("not the changes of a method", where=str(path), allowed="keys of a world")
    changes = {str(key): value for key, value in data.items() if key != "format"}
    return {key: moved_value(split_key(key), v, path.parent.resolve(), folder) for key, v in changes.items()}


def _axis(name: str, values: list[str]) -> tuple[AxisColumn, ...]:
    return (AxisColumn(name, (name,), values, None, [""]),)


def _way(run: Run) -> float:
    steps = np.diff(run.data.tool_position.values, axis=0)
    return float(np.nansum(np.linalg.norm(steps, axis=1)))


def _digest(*parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()
