"""The borders between the rooms, as ``pyproject.toml`` draws them; no circles; names of rooms and files."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from tree import (
    PACKAGES,
    deepest_class,
    exports_of,
    files_of,
    find_circle,
    import_graph,
    one_element_fields,
    one_element_uses,
)

ROOT = Path(__file__).resolve().parents[2]
ROOMS = sorted(p.parent for package in PACKAGES for p in (ROOT / package).rglob("__init__.pyi"))


def test_import_contracts_hold():
    pytest.importorskip("importlinter")
    code = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert result.returncode == 0, result.stdout


def test_there_is_no_circle_of_imports():
    assert find_circle(import_graph(files_of(ROOT))) is None


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
    exports = exports_of(room)
    assert exports
    for name in exports:
        assert getattr(module, name) is not None
    assert not set(exports) & {p.stem for p in room.iterdir()}
    assert len(module.__doc__.split(". ")) + module.__doc__.count(".\n") >= 2


def test_rooms_import_each_other_by_theirexports_of():
    """From another room only what that room exports; ``plugin`` and ``dynamics`` are open to all."""
    outside = []
    for name, path in files_of(ROOT).items():
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
    assert top == {"__init__.py", "__init__.pyi", "__main__.py", "py.typed"}


def test_no_number_of_the_state_is_an_array():
    """It has a name, see ``dynamics.kernels.records``."""
    assert not one_element_fields(ROOT)
    assert not one_element_uses(ROOT)


def test_an_array_of_one_number_would_be_found(tmp_path):
    for package in ("dynamics", "hopfield_nav/loop"):
        (tmp_path / package).mkdir(parents=True)
    fields = "    step: np.ndarray\n    q: np.ndarray\n"
    head = (
        "class State(NamedTuple):\n"
        + '    """Numbers.\n\n    step: (1,) so far.\n    q: (n,) [rad].\n    """\n'
    )
    (tmp_path / "hopfield_nav/loop/state.py").write_text(head + fields)
    (tmp_path / "dynamics/plain.py").write_text("state.step[0] += 1\nstate.q[0] = state.step[1]\n")
    assert one_element_fields(tmp_path) == {"step"}
    assert one_element_uses(tmp_path) == ["dynamics/plain.py:1: state.step[0]"]


def test_navigation_is_put_together_and_not_inherited():
    assert deepest_class(ROOT) <= 2
