"""What a tree of this project is made of: rooms, imports between them, circles, arrays of one number.

The tests use it to find circles and doors between rooms that are not meant to be there.
"""

import ast
import re
from graphlib import CycleError, TopologicalSorter

PACKAGES = ("dynamics", "hopfield_nav")
# the rooms whose records are the state of a run
STATE = ("hopfield_nav/control", "hopfield_nav/loop")


def files_of(root):
    """Every file by the dotted name under which others import it."""
    found = {}
    for folder, top in (
        *((root, package) for package in PACKAGES),
        (root, "scripts"),
        (root, "benchmarks"),
    ):
        base = folder if top in PACKAGES else folder / top
        for path in sorted((folder / top).rglob("*.py")):
            found[
                ".".join(path.relative_to(base).with_suffix("").parts).removesuffix(".__init__")
            ] = path
    return found


def exports_of(folder):
    """Names that a room exports, and the file of each."""
    tree = ast.parse((folder / "__init__.pyi").read_text(encoding="utf-8"))
    return {
        alias.name: node.module
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def imported_by(path, files, exports):
    """The files that a file imports, anywhere in it, for types too; a room's name leads to its file."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                found.add(home_of(node.module, alias.name, files, exports))
    return found & set(files)


def home_of(module, name, files, exports):
    """The file that ``from module import name`` leads to."""
    if f"{module}.{name}" in files:
        return f"{module}.{name}"
    while name in exports.get(module, {}):
        module = f"{module}.{exports[module][name]}"
    return module


def import_graph(files):
    """The files that each file imports."""
    exports = {
        name: exports_of(path.parent)
        for name, path in files.items()
        if path.with_suffix(".pyi").exists()
    }
    return {name: imported_by(path, files, exports) for name, path in files.items()}


def find_circle(graph):
    """A circle of imports as a list of names, or None."""
    try:
        TopologicalSorter({name: sorted(others) for name, others in graph.items()}).prepare()
    except CycleError as error:
        return error.args[1][::-1]
    return None


def room_of(name):
    """The room of a file of ``hopfield_nav``: second part of its dotted name; None of others, and of ``__main__``."""
    first, *rest = name.split(".")
    return rest[0] if first == "hopfield_nav" and rest and rest[0] != "__main__" else None


def arrows(graph):
    """Pairs of rooms of ``hopfield_nav`` of which the first imports the second."""
    pairs = {(room_of(a), room_of(b)) for a, others in graph.items() for b in others}
    return {(a, b) for a, b in pairs if a and b and a != b}


def floors(graph):
    """Rooms of the longest chain in which each imports the next."""
    pairs = arrows(graph)

    def height(room):
        return 1 + max((height(b) for a, b in pairs if a == room), default=0)

    return max(height(a) for a, _ in pairs)


def one_element_fields(root):
    """Fields of the state that are arrays of one number, by what the docstrings of its records say."""
    found = set()
    for path in (path for room in STATE for path in (root / room).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and any(
                ast.unparse(b) == "NamedTuple" for b in node.bases
            ):
                told = ast.get_docstring(node) or ""
                names = {item.target.id for item in node.body if isinstance(item, ast.AnnAssign)}
                each = "each (1,)" in told
                found |= {name for name in names if each or re.search(rf"\b{name}: \(1,\)", told)}
    return found


def one_element_uses(root):
    """Places in both packages where the number of such a field is asked for: ``state.step[0]``."""
    fields = one_element_fields(root)
    return [
        f"{path.relative_to(root)}:{node.lineno}: {ast.unparse(node)}"
        for path in (
            path for package in PACKAGES for path in sorted((root / package).rglob("*.py"))
        )
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Attribute)
        and node.value.attr in fields
        and ast.unparse(node.slice) == "0"
    ]


def deepest_class(root):
    """Most classes of the project that one class of ``navigation`` inherits from, itself counted."""
    bases = {
        node.name: [ast.unparse(base) for base in node.bases]
        for path in (root / "hopfield_nav" / "navigation").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    }

    def depth(name):
        return 1 + max((depth(base) for base in bases[name] if base in bases), default=0)

    return max(map(depth, bases))


def wide_kernels(root, most=8):
    """Kernels with more arguments than that."""
    return [
        f"{path.relative_to(root)}: {node.name}"
        for path in (
            path for package in PACKAGES for path in sorted((root / package).rglob("*.py"))
        )
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
        and any(
            ast.unparse(d) in ("inlined", "kernel", "flat", "packed", "shared")
            for d in node.decorator_list
        )
        and len(node.args.args) > most
    ]
