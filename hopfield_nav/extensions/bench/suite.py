"""A suite as a sweep: its axes are families, conditions and methods, its repeats the worlds."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar, Self

import numpy as np

from hopfield_nav.extensions.bench.oracle import has_path
from hopfield_nav.extensions.bench.suite_file import SuiteFile
from hopfield_nav.plugin import load_from_file
from hopfield_nav.record import Quantity, Run, is_reached
from hopfield_nav.sweeps import (
    AxisColumn,
    Base,
    Job,
    Sweep,
    SweepFile,
    SweepUntil,
    content_of,
    digests_of_packages,
    own_value,
    what_is_random,
)
from hopfield_nav.world import Change, NamedMethod, World, own_methods, split_key, yaml_text

_OWN = {
    "counts": Quantity("counts", "1", "1 where the oracle accepts the world: it is scored"),
    "way_m": Quantity("way of the tool", "m", "length of the tool's way", "m"),
}
_NEVER = 10**9  # false alarms, of which no run has so many
_EVERY = 5  # rows of the record that are kept: one in so many


@dataclass(frozen=True, eq=False)
class Suite(Sweep):
    """A checked suite."""

    suite: SuiteFile  # what the file says, with methods that were added
    bases: dict[str, Base]  # the base world of every entry of ``own_bases``
    compares: ClassVar[bool] = False
    grows: ClassVar[bool] = False
    own_bases: ClassVar[str] = "families"  # or "methods": whose entries have a base world each

    @classmethod
    def of_file(
        cls, name: str, folder: Path, file: SuiteFile, data: dict[str, Any], bases: dict[str, Base]
    ) -> Self:
        """The suite that a checked file and its base worlds make; ``data`` is the plain data of the file."""
        until = SweepUntil(touches=file.until.touches, false_alarms=_NEVER)
        engine = SweepFile(
            format=1, description=file.description, world="suite", repeats=file.worlds, seed=file.seed,
            quantities=file.quantities, measures=file.measures, until=until, patience=file.patience,
            time_limit_per_run=file.time_limit_per_run,
        )  # fmt: skip
        named = (
            ("family", [*file.families]),
            ("condition", [*file.conditions]),
            ("method", [*file.methods]),
        )
        grid = tuple(axis_of(name, given) for name, given in named)
        return cls(name, folder, engine, next(iter(bases.values())), grid, data, file, bases)

    @cached_property
    def kept(self) -> dict[str, Quantity]:
        """What every column is."""
        return super().kept | _OWN

    @property
    def is_random(self) -> bool:
        """Every repeat is a world of its own."""
        return True

    def runs_once(self, method: str) -> bool:
        """Whether a method has one run, since nothing in it is random."""
        return False

    @property
    def what_differs_by_seed(self) -> str:
        """What was random in the runs, as a sentence for a caption."""
        found = [
            what
            for name in self.suite.families
            for condition in self.suite.conditions
            for what in what_is_random(self.changed_world(name, condition, self.methods[0]))
        ]
        found += ["what the setup draws" for f in self.suite.families.values() if f.setup]
        drawn = ", ".join(dict.fromkeys(found))
        return f"Random, by the seed: {drawn}." if drawn else ""

    @property
    def calls_own(self) -> bool:
        """Whether somebody's own method is among those that are run."""
        return any(self._own_of(method) for method in self.methods)

    def _own_of(self, method: str) -> list[NamedMethod]:
        """Somebody's own methods that the worlds of one of the suite's methods name."""
        families = self.suite.families
        found = [own for name in families for own in own_methods(self.base_of(name, method).world)]
        of_families = (family.set for family in families.values())
        changes = (*of_families, *self.suite.conditions.values(), self.suite.methods[method])
        for key, value in (item for given in changes for item in given.items()):
            found += own_value(split_key(key), value)
        return found

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
        families = {}
        for name, family in suite.families.items():
            base = self.base_of(name, method)
            families[name] = [
                content_of(base.data, base.folder),
                family.set,
                content_of(family.setup, self.folder),
            ]
        own = [content_of(value, self.folder) for value in (suite.measures, suite.oracle.own)]
        seeds = [family.seed for family in suite.families.values()]
        first = [suite.seed, *seeds] if any(seed is not None for seed in seeds) else suite.seed
        fixed: list[Any] = [first, list(self.kept), suite.until.touches, suite.oracle.margin, own]
        brought = digests_of_packages(self._own_of(method))
        fixed += [brought] if brought else []
        return _digest(
            families, suite.conditions, content_of(dict(suite.methods[method]), self.folder), fixed
        )

    def job(self, index: int) -> Job:
        """As a sweep's; the seed is that of the family."""
        job = super().job(index)
        first = self.suite.families[str(job.values["family"])].seed
        return job if first is None else replace(job, seed=first + job.repeat)

    def order(self) -> Iterator[int]:
        """Every world by all methods, then the next: what one method needs of it may serve the others."""
        worlds, methods = self.file.repeats, len(self.methods)
        for first in range(0, self.count, worlds * methods):
            for world in range(first, first + worlds):
                yield from range(world, first + worlds * methods, worlds)

    def world_for(self, job: Job) -> World:
        """The world of a run, checked, before its setup."""
        family, condition, method = (
            str(job.values[name]) for name in ("family", "condition", "method")
        )
        return self.changed_world(family, condition, method, job.seed)

    def changed_world(self, family: str, condition: str, method: str, seed: int = 0) -> World:
        """The world of a family with the changes of a condition and a method, checked."""
        return self.base_of(family, method).world_with(
            *self._layers(family, condition, method, seed)
        )

    def base_of(self, family: str, method: str) -> Base:
        """The world that a family, or a method, changes."""
        return self.bases[method if self.own_bases == "methods" else family]

    def _layers(
        self, family: str, condition: str, method: str, seed: int = 0
    ) -> list[list[Change]]:
        """What is changed of a family's base, one after the other: by its own ``set``, a condition, a method."""
        layers: list[list[Change]] = [[(("record", "every"), _EVERY, self.name)]]
        for section, name, given in (
            ("families", family, self.suite.families[family].set),
            ("conditions", condition, self.suite.conditions[condition]),
            ("methods", method, self.suite.methods[method]),
        ):
            where = f"{self.name}: {section}.{name}"
            layers.append(
                [(split_key(key), value, f"{where}.{key}") for key, value in given.items()]
            )
        return [*layers, [(("seed",), seed, self.name)]]

    @property
    def notes(self) -> list[str]:
        """What is left out of the bases where a method or a condition chooses another method."""
        every = product(self.suite.families, self.suite.conditions, self.methods)
        changed = (
            self.base_of(name, method).changed(*self._layers(name, own, method))
            for name, own, method in every
        )
        return list(dict.fromkeys(note for document in changed for note in document.notes))

    def start(self, job: Job) -> Any:
        """The run of a job: what its family's setup makes of it, if it has one."""
        from hopfield_nav.experiment import Simulation

        world = self.world_for(job)
        name = self.suite.families[str(job.values["family"])].setup
        if name is None:
            return Simulation(world, seed=job.seed)
        made = loaded("setup", name, self.folder)(world, job.seed)
        if isinstance(made, World):
            return Simulation(made, seed=job.seed)
        if not isinstance(made, Mapping):
            return made
        run = Run.of_data(
            world, {"outcome": "finished", "reason": "", **made}
        )  # a row that the setup has made itself
        return SimpleNamespace(step=lambda duration: run.outcome, run=lambda *given: run)

    def require_ready(self) -> None:
        """Ask every setup that has a ``ready`` to look whether what it needs is there.

        Raises ``BadInput``: it is not.
        """
        for family in self.suite.families.values():
            if family.setup is not None:
                getattr(loaded("setup", family.setup, self.folder), "ready", lambda: None)()

    def extra(self, run: Run) -> dict[str, Any]:
        """The bench's own columns."""
        counts, oracle = run.summary.get("counts"), self.suite.oracle  # the setup may know
        if counts is None and oracle.own is not None:
            counts = bool(loaded("oracle", oracle.own, self.folder)(run.world))
        elif counts is None:
            counts = oracle.margin is None or has_path(run.world, oracle.margin)
        passed = run.outcome == "reached" and not is_reached(run.summary)
        steps = np.diff(run.data.tool_position.values, axis=0)
        return {
            "counts": int(counts),
            "way_m": float(np.nansum(np.linalg.norm(steps, axis=1)))
            if run.data.sizes["time"]
            else None,
        } | ({"outcome": "passed_through"} if passed else {})

    def only(self, methods: list[str]) -> "Suite":
        """The same of some methods alone."""
        *others, _ = self.grid
        return replace(self, grid=(*others, axis_of("method", methods)))

    def of(self, worlds: int) -> Self:
        """The same of so many worlds of every family."""
        file, suite = {"repeats": worlds}, {"worlds": worlds}
        return replace(
            self, file=self.file.model_copy(update=file), suite=self.suite.model_copy(update=suite)
        )

    def to_yaml(self, folder: Path | None = None) -> str:
        """The suite with its worlds written out."""
        data = self.suite.model_dump(mode="json")
        for name, base in self.bases.items():
            data[self.own_bases][name]["world"] = base.data
        return f"# digest: {self.digest}\n" + yaml_text(data)


@cache
def loaded(what: str, name: str, folder: Path) -> Any:
    """What a file holds, which is executed once a process."""
    return load_from_file(what, name, folder)


def axis_of(name: str, values: list[str]) -> tuple[AxisColumn, ...]:
    """The axis of a suite that has these names."""
    return (AxisColumn(name, (name,), values, None, [""]),)


def _digest(*parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()
