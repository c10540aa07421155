"""Which tests are the nearest to a source file: those that speak most of what is defined in it."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGES = ("dynamics", "hopfield_nav")
LEFT_OUT = ("figures", "view")  # pictures
_MOST = 3  # test files
_SAME_ROOM = 1.5  # how much more a name counts in the tests of the file's own room


def sources(root: Path) -> Iterator[str]:
    """Every file of both packages, below the root, but those that draw."""
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            if not set(LEFT_OUT) & set(path.relative_to(root).parts) and path.name != "__init__.py":
                yield path.relative_to(root).as_posix()


def nearest(root: Path, path: str) -> str:
    """The names of up to three test files, below ``tests``, the nearest first; else the first of the room.

    First stands the file that is named after the source.
    """
    room = path.split("/")[0 if path.startswith("dynamics") else 1]
    wanted = _defined((root / path).read_text(encoding="utf-8")) | {Path(path).stem}
    counts = {
        name: len(wanted & words) * (_SAME_ROOM if name.startswith(f"{room}/") else 1.0)
        for name, words in _tests(root).items()
    }
    own = [name for name in counts if Path(name).stem == f"test_{Path(path).stem}"]
    near = [name for name in counts if counts[name]] or [
        n for n in counts if n.startswith(f"{room}/")
    ]
    ranked = sorted({*own, *near}, key=lambda name: (name not in own, -counts[name], name))
    return " ".join(ranked[:_MOST])


def _defined(source: str) -> set[str]:
    kinds = (ast.FunctionDef, ast.ClassDef)
    found = {node.name for node in ast.walk(ast.parse(source)) if isinstance(node, kinds)}
    return {name for name in found if not name.startswith("__")}


@cache
def _tests(root: Path) -> dict[str, set[str]]:
    folder = root / "tests"
    return {
        path.relative_to(folder).as_posix(): set(
            re.findall(r"\w+", path.read_text(encoding="utf-8"))
        )
        for path in sorted(folder.rglob("test_*.py"))
    }
