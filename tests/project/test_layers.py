"""The borders between the rooms, as ``pyproject.toml`` draws them; no circles; names of rooms and files."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("dynamics", "hopfield_nav")
ROOMS = sorted(p.parent for package in PACKAGES for p in (ROOT / package).rglob("__init__.pyi"))


def test_import_contracts_hold():
    pytest.importorskip("importlinter")
    code = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert result.returncode == 0, result.stdout


def _files():
    """Every file by the dotted name under which others import it."""
    found = {}
    for folder, top in (*((ROOT, package) for package in PACKAGES), (ROOT, "scripts"), (ROOT, "benchmarks")):
        base = folder if top in PACKAGES else folder / top
        for path in sorted((folder / top).rglob("*.py")):
            found[".".join(path.relative_to(base).with_suffix("").parts).removesuffix(".__init__")] = path
    return found


def _exports(folder):
    """Names that a room exports, and the file of each."""
    tree = ast.parse((folder / "__init__.pyi").read_text(encoding="utf-8"))
    return {
        alias.name: node.module
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def _imported(path, files, exports):
    """The files that a file imports, anywhere in it, for types too; a room's name leads to its file."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                found.add(_home(node.module, alias.name, files, exports))
    return found & set(files)


def _home(module, name, files, exports):
    if f"{module}.{name}" in files:
        return f"{module}.{name}"
    while name in exports.get(module, {}):
        module = f"{module}.{exports[module][name]}"
    return module


def import_graph(files):
    """The files that each file imports."""
    exports = {
        name: _exports(path.parent) for name, path in files.items() if path.with_suffix(".pyi").exists()
    }
    return {name: _imported(path, files, exports) for name, path in files.items()}


def find_circle(graph):
    """A circle of imports as a list of names, or None."""
    done, stack = set(), []

    def visit(name):
        if name in stack:
            return [*stack[stack.index(name) :], name]
        if name in done:
            return None
        stack.append(name)
        for other in sorted(graph[name]):
            if circle := visit(other):
                return circle
        done.add(stack.pop())
        return None

    return next((circle for name in graph if (circle := visit(name))), None)


def test_there_is_no_circle_of_imports():
    assert find_circle(import_graph(_files())) is None


def test_a_circle_would_be_found(tmp_path):
    room = tmp_path / "room"
    room.mkdir()
    (room / "__init__.py").touch()
    (room / "__init__.pyi").write_text("from .a import one as one\nfrom .b import two as two\n")
    (room / "a.py").write_text("def one():\n    from room import two\n")
    (room / "b.py").write_text("import room.c\n")
    (room / "c.py").write_text("if TYPE_CHECKING:\n    from room.a import one\n")
    files = {"room": room / "__init__.py"} | {f"room.{n}": room / f"{n}.py" for n in "abc"}
    assert find_circle(import_graph(files)) == ["room.a", "room.b", "room.c", "room.a"]
    (room / "c.py").write_text("")
    assert find_circle(import_graph(files)) is None


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: str(room.relative_to(ROOT)))
def test_room_exports_what_is_there(room):
    """Every name resolves; no file hides an exported name; two sentences say what the room owns."""
    module = import_module(".".join(room.relative_to(ROOT).parts))
    exports = _exports(room)
    assert exports
    for name in exports:
        assert getattr(module, name) is not None
    assert not set(exports) & {p.stem for p in room.iterdir()}
    assert len(module.__doc__.split(". ")) + module.__doc__.count(".\n") >= 2


def test_rooms_import_each_other_by_their_exports():
    """From another room only what that room exports; ``plugin`` and ``dynamics`` are open to all."""
    outside = []
    for name, path in _files().items():
        if not name.startswith("hopfield_nav."):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("hopfield_nav."):
                target = ROOT / node.module.replace(".", "/")
                room = target if target.is_dir() else target.parent
                if target != room and room.name != "hopfield_nav" and room not in path.parents:
                    outside.append(f"{name}: {node.module}")
    assert not outside


def test_the_top_holds_rooms_alone():
    top = {p.name for p in (ROOT / "hopfield_nav").iterdir() if p.is_file()}
    assert top == {"__init__.py", "__init__.pyi", "plugin.py", "py.typed"}
