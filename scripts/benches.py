"""The suites and their files: those that come with the program, and in ``scripts/suites`` those of studies."""

import gzip
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from hopfield_nav.extensions.bench import Suite, find_suite, load_suite
from hopfield_nav.extensions.bench.rows import table_text
from hopfield_nav.plugin import load_from_file

STUDIES = Path(__file__).resolve().parent / "suites"
BUNDLED = find_suite("touch").parent


def suite_file(name: str, suffix: str = ".yaml") -> Path:
    """A file of a suite, of either kind."""
    study = STUDIES / f"{name}{suffix}"
    return study if study.is_file() else BUNDLED / study.name


def any_suite(name: str, worlds: int | None = None) -> Suite:
    """A suite of either kind, checked."""
    return load_suite(suite_file(name), worlds=worlds, allow_code=True)


def suite_module(name: str) -> ModuleType:
    """The module that a suite's file ``NAME.py`` is."""
    path = suite_file(name, ".py")
    return sys.modules[load_from_file("setup", f"{path.name}:__name__", path.parent)]


def write_shipped(suite: Suite, rows: Sequence[dict], path: Path) -> None:
    """Write the rows that ship beside a suite's file, with the digest of every method."""
    methods = sorted({row["method"] for row in rows})
    heads = [f"# method {name}: {suite.method_digest(name)}\n" for name in methods]
    path.write_bytes(gzip.compress("".join([*heads, table_text(suite, rows)]).encode(), mtime=0))
