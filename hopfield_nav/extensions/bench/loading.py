"""Suites found, read and checked: every fault of a file is told at its place."""

import fnmatch
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from dynamics import BadInput
from hopfield_nav import world
from hopfield_nav.extensions.bench.suite import Suite, loaded
from hopfield_nav.extensions.bench.suite_file import ALONG, SuiteFile
from hopfield_nav.sweeps import Base, load_measures, read_base, texts_in
from hopfield_nav.world import Document, Fault, Key, Trust, is_code, split_key

_FOLDER = Path(__file__).resolve().parent / "suites"


def list_suites() -> list[str]:
    """Names of the suites that come with the program."""
    return sorted(path.stem for path in _FOLDER.glob("*.yaml"))


def find_suite(name: str | Path) -> Path:
    """The file of a suite, by its path or its name.

    Raises ``BadInput``: there is none.
    """
    return world.find_named(
        name, "suite", {known: _FOLDER / f"{known}.yaml" for known in list_suites()}
    )


def load_suite(
    name: str | Path, methods: Mapping[str, Path] | None = None, worlds: int | None = None,
    seed: int | None = None, allow_code: bool = False, families: Sequence[str] = (),
) -> Suite:  # fmt: skip
    """Read and check a suite, a file or the name of one that comes with the program.

    ``methods`` are files with the changes of further methods, by name; ``worlds`` is their number
    of every family and ``seed`` that of the first, default as the suite says. ``families``: those
    alone that one of these patterns fits, ``*`` for any letters; default all. With ``allow_code``
    the Python files that it names are executed; those that come with the program, of the current
    folder and of the methods given here are in any case.

    Raises ``BadInput``: there is no such file, or something in it cannot be used.
    """
    path = find_suite(name)
    document = world.read_document(path)
    folder = path.parent.resolve()
    trust = Trust(allow_code)
    file = world.read_form(SuiteFile, document)
    added = {key: method_from(Path(given), folder) for key, given in (methods or {}).items()}
    for key in added:
        if key in file.methods:
            raise BadInput("the suite has a method of that name", "--method", key, "another")
    trust = trust.also(texts_in(added), folder)
    if folder == _FOLDER.resolve():
        file = file.model_copy(
            update={key: own for key, own in ALONG.items() if key not in file.model_fields_set}
        )
    file = _of_families(file, families)
    if seed is not None and any(family.seed is not None for family in file.families.values()):
        raise BadInput(
            "the worlds of this suite are counted, not drawn", where="--seeds", allowed="none"
        )
    change: dict[str, Any] = {"methods": {**file.methods, **added}}
    change |= {
        key: value for key, value in (("worlds", worlds), ("seed", seed)) if value is not None
    }
    return _suite_from(file.model_copy(update=change), document, path, folder, trust)


def _of_families(file: SuiteFile, patterns: Sequence[str]) -> SuiteFile:
    """The same with the families alone that a pattern fits."""
    for pattern in patterns:
        if not fnmatch.filter(file.families, pattern):
            raise BadInput(
                "no such family", "--family", pattern, f"{', '.join(file.families)}, or a pattern"
            )
    fits = {
        name
        for pattern in patterns or ("*",)
        for name in file.families
        if fnmatch.fnmatchcase(name, pattern)
    }
    return file.model_copy(
        update={"families": {name: file.families[name] for name in file.families if name in fits}}
    )


def _suite_from(
    file: SuiteFile, document: Document, path: Path, folder: Path, trust: Trust
) -> Suite:
    bases: dict[str, Base] = {}
    faults: list[Fault] = []
    for name, family in file.families.items():
        key: Key = ("families", name, "world")
        try:
            bases[name] = read_base(family.world, document, folder, trust)
        except BadInput as error:
            faults += [(key, fault.at(document.where(key))) for fault in (error, *error.others)]
    world.refuse([*faults, *_faults_of_code(file, document, trust, folder)], document)
    suite = Suite.of_file(path.stem, folder, file, document.data, bases)
    require_fitting(suite)
    return suite


def require_fitting(suite: Suite) -> None:
    """Try every condition and every method on the worlds of a suite.

    Raises ``BadInput``: a world does not allow one of them.
    """
    file, once = suite.suite, dict[str, BadInput]()
    condition, method = next(iter(file.conditions)), next(iter(file.methods))
    pairs = [(name, method) for name in file.conditions] + [
        (condition, name) for name in file.methods
    ]
    for family, pair in product(file.families, pairs):
        try:
            suite.changed_world(family, *pair)
        except BadInput as error:
            once |= {str(fault): fault for fault in (error, *error.others)}
    if once:
        raise world.together(list(once.values()))


def _faults_of_code(
    file: SuiteFile, document: Document, trust: Trust, folder: Path
) -> Iterator[Fault]:
    """What is wrong with the Python files that a suite names."""
    named = [
        (("families", name, "setup"), "setup", family.setup)
        for name, family in file.families.items()
    ]
    others = [
        (("oracle", "own"), "oracle", file.oracle.own),
        (("measures",), "measures", file.measures),
    ]
    for at, what, name in (*named, *others):
        if name is None:
            continue
        try:
            if not is_code(name):
                raise BadInput(f"no {what}", found=name, allowed="FILE.py:NAME")
            trust.require(name, folder)
            if what == "measures":
                load_measures(name, folder)
            elif not callable(loaded(what, name, folder)):
                raise BadInput(f"no function for the {what}", found=name, allowed="FILE.py:NAME")
        except BadInput as error:
            yield at, error.at(document.where(at))


def method_from(path: Path, folder: Path) -> dict[str, Any]:
    """The changes that a method's file holds, its paths relative to ``folder``.

    Raises ``BadInput``: there is no such file, or it holds no changes.
    """
    if not path.is_file():
        raise BadInput("no such file", where="--method", found=str(path))
    try:
        data = world.parse_value(path.read_text(encoding="utf-8"), str(path))
    except UnicodeDecodeError:
        data = None
    if not isinstance(data, dict):
        raise BadInput("not the changes of a method", where=str(path), allowed="keys of a world")
    changes = {str(key): value for key, value in data.items() if key != "format"}
    return {
        key: world.moved_value(split_key(key), v, path.parent.resolve(), folder)
        for key, v in changes.items()
    }
