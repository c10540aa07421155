"""Worlds beside each other over the same seeds, as a suite in memory.

Every world is a method that has its own base world, and so is every world with the changes of a
method of somebody's own: worlds times methods are one table.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from dynamics import BadInput
from hopfield_nav.extensions.bench.loading import method_from, require_fitting
from hopfield_nav.extensions.bench.suite import Suite
from hopfield_nav.extensions.bench.suite_file import FamilySection, SuiteFile
from hopfield_nav.sweeps import Base, read_base, texts_in, what_is_random
from hopfield_nav.world import Document, Trust, find_world, name_of

SEEDS = 20  # by default: what differs by one deviation is then seen nearly always
FAMILY = "worlds"
CONDITION = "as they are"
PLAIN = "as it is"  # the one world beside methods that change it
_LONGEST = 60  # letters of the name of a folder


@dataclass(frozen=True, eq=False)
class Worlds(Suite):
    """Worlds over the same seeds; one in which nothing is random is run once."""

    own_bases: ClassVar[str] = "methods"

    @cached_property
    def random(self) -> dict[str, list[str]]:
        """What the seed decides in the runs of each method, in words."""
        return {
            name: what_is_random(self.changed_world(FAMILY, CONDITION, name)) for name in self.bases
        }

    @property
    def is_random(self) -> bool:
        """Whether a run of one of the worlds depends on its seed."""
        return any(self.random.values())

    def runs_once(self, method: str) -> bool:
        """Whether every seed gives the same run of a method."""
        return method in self.random and not self.random[method]

    def order(self) -> Iterator[int]:
        """As a suite's, without runs that would repeat another."""
        for index in super().order():
            job = self.job(index)
            if job.repeat == 0 or not self.runs_once(str(job.values["method"])):
                yield index

    @property
    def run_count(self) -> int:
        """Number of runs that are made."""
        once = sum(self.runs_once(name) for name in self.methods)
        return once + self.file.repeats * (len(self.methods) - once)

    @property
    def what_differs_by_seed(self) -> str:
        """What was random in the runs, as a sentence for a caption."""
        kinds: dict[str, list[str]] = {}
        for name, drawn in self.random.items():
            kinds.setdefault(", ".join(drawn), []).append(name)
        fixed = kinds.pop("", [])
        parts = [f"{what} ({', '.join(names)})" for what, names in kinds.items()]
        if not fixed and len(kinds) == 1:
            parts = list(kinds)
        told = f"Random, by the seed: {'; '.join(parts)}." if parts else "Nothing is random."
        if fixed and parts:
            told += f" Nothing is random in {', '.join(fixed)}, run once."
        return told

    @property
    def remarks(self) -> tuple[str, ...]:
        """As a sweep's; also of which worlds one seed is enough."""
        if not self.is_random:
            alike = "nothing in these worlds is random: one run of each says it all"
            return (*super().remarks, alike)
        once = [name for name in self.methods if self.runs_once(name)]
        if once:
            alike = f"nothing is random in {', '.join(once)}: one run says it all"
            return (*super().remarks, alike)
        return super().remarks


def load_worlds(
    names: Sequence[str | Path],
    seeds: int = SEEDS,
    methods: Mapping[str, Path] | None = None,
    allow_code: bool = False,
) -> Worlds:
    """Read and check worlds that are run with the seeds 0 to ``seeds`` - 1; with one alone where nothing is random.

    Each of ``names`` is a world's name or file, or ``LABEL=WORLD``. ``methods`` are files with
    changes, by name: with each of them every world is run once more.

    Raises ``BadInput``: there is no such world, or something in it cannot be used; nothing to
    compare.
    """
    given = [_label_and_world(name) for name in names]
    paths = [find_world(name) for _, name in given]
    labels = _labels(given, paths)
    if methods and len(labels) == 1 and given[0][0] is None:
        labels = [PLAIN]  # a method is not called after the world in which all are compared
    first = paths[0].parent.resolve()
    trust = Trust(allow_code)
    added = {name: method_from(Path(file), first) for name, file in (methods or {}).items()}
    for name in added:
        if name in labels:
            raise BadInput("a world has that name", where="--method", found=name, allowed="another")
    changes: dict[str, dict[str, Any]] = {label: {} for label in labels}
    bases = {
        label: read_base(str(path.resolve()), Document({}, ""), first, trust)
        for label, path in zip(labels, paths, strict=True)
    }
    pairs = [(labels[0], label) for label in labels[1:]]
    for label, path in zip(labels, paths, strict=True):
        for name, own in added.items():
            both = name if len(labels) == 1 else f"{name} in {label}"
            changes[both] = own
            bases[both] = _base_with(own, path, first, trust)
            pairs.append((label, both))
    file = SuiteFile(
        format=1, description=_description(paths, changes), worlds=seeds,
        families={FAMILY: FamilySection(world=str(paths[0]))}, conditions={CONDITION: {}},
        methods=changes, pairs=tuple(pairs),
    )  # fmt: skip
    called = [name_of(paths[0])] if labels == [PLAIN] else [*map(_as_file_name, labels)]
    name = "_".join([*called, *added])[:_LONGEST]
    made = Worlds.of_file(name, first, file, file.model_dump(), bases)
    require_fitting(made)
    return made if made.is_random else made.of(1)


def _description(paths: Sequence[Path], methods: Mapping[str, Any]) -> str:
    """What is compared, for a caption."""
    world = f"{name_of(paths[0])}: " if PLAIN in methods else ""
    return f"{world}{', '.join(methods)}; the same seeds."


def _base_with(changes: Mapping[str, Any], path: Path, folder: Path, trust: Trust) -> Base:
    """A world that changes of somebody's own are made to, whose Python files are trusted."""
    with_own = trust.also(texts_in(changes), folder)
    return read_base(str(path.resolve()), Document({}, ""), folder, with_own)


def _label_and_world(given: str | Path) -> tuple[str | None, str | Path]:
    """The two parts of ``LABEL=WORLD``; no label where the whole is the path of a file, or there is none."""
    label, equals, name = str(given).partition("=")
    if not equals or Path(given).exists():
        return None, given
    if not (label and name):
        raise BadInput("not a world", found=str(given), allowed="WORLD, or LABEL=WORLD")
    return label, name


def _labels(given: Sequence[tuple[str | None, str | Path]], paths: Sequence[Path]) -> list[str]:
    """What each world is called: its label, its name, or what was given where two have one name."""
    short = [label or name_of(path) for (label, _), path in zip(given, paths, strict=True)]
    labels = [
        name if short.count(name) == 1 or label else str(world)
        for name, (label, world) in zip(short, given, strict=True)
    ]
    for label in labels:
        if labels.count(label) > 1:
            allowed = "each once, or LABEL=WORLD with a label for each"
            raise BadInput("the same world twice", found=label, allowed=allowed)
    return labels


def _as_file_name(label: str) -> str:
    """A label as part of the name of a folder."""
    return Path(label).stem
