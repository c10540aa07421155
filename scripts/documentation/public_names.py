"""For mkdocstrings: what a room exports is what its stub (``__init__.pyi``) lists.

The rooms export lazily, so their ``__init__.py`` names nothing. Griffe merges the stub's imports
into the room, but takes them for private ones; here they become its ``__all__``. And what the
comment behind a field of a class says, or that above it, becomes the description of the field.
"""

import ast
import re
from pathlib import Path

import griffe


def listed(stub: Path) -> list[str]:
    """The names that a stub re-exports (``from .x import name as name``), sorted."""
    imports = [
        node
        for node in ast.parse(stub.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ImportFrom)
    ]
    return sorted(alias.asname or alias.name for node in imports for alias in node.names)


def comment_of(lines: list[str], number: int) -> str:
    """The comment behind a line, counted from 1, or else the ones right above it."""
    behind = re.search(r"  # (?!noqa|type:)(.+)$", lines[number - 1])
    if behind:
        return behind.group(1)
    above: list[str] = []
    while number > 1 and (match := re.match(r" +# (.+)$", lines[number - 2])):
        above.insert(0, match.group(1))
        number -= 1
    return " ".join(above)


def describe_fields(cls: griffe.Class) -> None:
    """Say of the fields of a class what their comments say."""
    lines = cls.lines_collection[cls.filepath]
    for field in cls.attributes.values():
        if not (field.is_alias or field.docstring or field.lineno is None):
            said = comment_of(lines, field.lineno)
            field.docstring = griffe.Docstring(said, parent=field) if said else None


class PublicNames(griffe.Extension):
    """Gives each package that has a stub its ``__all__``, and fields what is said behind them."""

    def on_package(self, *, pkg: griffe.Module, **_: object) -> None:
        """Walk through a package that was loaded, stubs included."""
        for module in (pkg, *(m for m in pkg.modules.values() if not m.is_alias)):
            path = module.filepath
            if (
                isinstance(path, Path)
                and path.stem == "__init__"
                and path.with_suffix(".pyi").exists()
            ):
                module.exports = listed(path.with_suffix(".pyi"))
            for cls in module.classes.values():
                if not cls.is_alias:
                    describe_fields(cls)
            if module is not pkg:
                self.on_package(pkg=module)
