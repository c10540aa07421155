"""Worlds beside each other over the same seeds, as a suite in memory: each is a method that has its own base world."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from dynamics import BadInput
from hopfield_nav.extensions.bench.loading import method_from, require_fitting
from hopfield_nav.extensions.bench.suite import Suite
from hopfield_nav.extensions.bench.suite_file import FamilySection, SuiteFile
from hopfield_nav.sweeps import Sweep, read_base, texts_in
from hopfield_nav.world import Document, Trust, find_world, name_of

SEEDS = 20  # by default: what differs by one deviation is then seen nearly always
_LONGEST = 60  # letters of the name of a folder


@dataclass(frozen=True, eq=False)
class Worlds(Suite):
    """Worlds over the same seeds."""

    own_bases: ClassVar[str] = "methods"

    @property
    def is_random(self) -> bool:
        """Whether a run of one of the worlds depends on its seed."""
        return any(
            Sweep(self.name, self.folder, self.file, b, (), {}).is_random
            for b in self.bases.values()
        )

    @property
    def remarks(self) -> tuple[str, ...]:
        """As a sweep's; also that one seed is enough."""
        alike = (
            ()
            if self.is_random
            else ("nothing in these worlds is random: one run of each says it all",)
        )
        return (*super().remarks, *alike)


def load_worlds(
    names: Sequence[str | Path],
    seeds: int = SEEDS,
    methods: Mapping[str, Path] | None = None,
    allow_code: bool = False,
) -> Worlds:
    """Read and check worlds that are run with the seeds 0 to ``seeds`` - 1; with one alone where nothing is random.

    ``methods`` are files with changes of the first world, by name, each of which stands beside the
    others.

    Raises ``BadInput``: there is no such world, or something in it cannot be used; nothing to
    compare.
    """
    paths = [find_world(name) for name in names]
    labels = _labels(names, paths)
    first, trust = paths[0].parent.resolve(), Trust(allow_code)
    added = {name: method_from(Path(file), first) for name, file in (methods or {}).items()}
    for name in added:
        if name in labels:
            raise BadInput("a world has that name", where="--method", found=name, allowed="another")
    own = [(label, path, trust) for label, path in zip(labels, paths, strict=True)]
    own += [
        (name, paths[0], trust.also(texts_in(changes), first)) for name, changes in added.items()
    ]
    bases = {
        name: read_base(str(path.resolve()), Document({}, ""), first, given)
        for name, path, given in own
    }
    file = SuiteFile(
        format=1, description=f"{', '.join(bases)}: the same seeds.", worlds=seeds,
        families={"worlds": FamilySection(world=str(names[0]))}, conditions={"as they are": {}},
        methods={name: added.get(name, {}) for name in bases},
    )  # fmt: skip
    made = Worlds.of_file(
        "_".join(Path(name).stem for name in bases)[:_LONGEST],
        first,
        file,
        file.model_dump(),
        bases,
    )
    require_fitting(made)
    return made if made.is_random else made.of(1)


def _labels(names: Sequence[str | Path], paths: Sequence[Path]) -> list[str]:
    """What each world is called: its name, or what was given where two have one name."""
    short = [name_of(path) for path in paths]
    labels = [
        name if short.count(name) == 1 else str(given)
        for name, given in zip(short, names, strict=True)
    ]
    for label in labels:
        if labels.count(label) > 1:
            raise BadInput("the same world twice", found=label, allowed="each once")
    return labels
