"""For mkdocstrings: what a room exports is what its stub (``__init__.pyi``) lists.

The rooms export lazily, so their ``__init__.py`` names nothing. Griffe merges the stub's imports into the
room, but takes them for private ones; here they become its ``__all__``.
"""

from __future__ import annotations

import ast
from pathlib import Path

import griffe


def listed(stub: Path) -> list[str]:
    """The names that a stub re-exports (``from .x import name as name``), sorted."""
    imports = [
        node for node in ast.parse(stub.read_text(encoding="utf-8")).body if isinstance(node, ast.ImportFrom)
    ]
    return sorted(alias.asname or alias.name for node in imports for alias in node.names)


class PublicNames(griffe.Extension):
    """Gives each package that has a stub its ``__all__``."""

    def on_package(self, *, pkg: griffe.Module, **_: object) -> None:
        """Walk through a package that was loaded, stubs included."""
        for module in (pkg, *(m for m in pkg.modules.values() if not m.is_alias)):
            path = module.filepath
            if isinstance(path, Path) and path.stem == "__init__" and path.with_suffix(".pyi").exists():
                module.exports = listed(path.with_suffix(".pyi"))
            if module is not pkg:
                self.on_package(pkg=module)
