"""What a tree of this project is made of: rooms, imports between them, circles, lines, arrays of one number.

    python scripts/tree.py [FOLDER] [--out docs/architecture.md]

prints the numbers of docs/architecture.md for this checkout, beside those of an older one in FOLDER.
The tests use the same import graph to find circles and doors between rooms that are not meant to be there.
"""

import ast
import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Annotated

import typer
from measured_part import ROOT, table, tell

PACKAGES = ("dynamics", "hopfield_nav")
STATE = ("hopfield_nav/control", "hopfield_nav/loop")  # the rooms whose records are the state of a run
EXAMPLES = {  # of eight typical changes: what is there already, by the name that it has in the code
    "the detector": "persistent_joint_torque",
    "the control law": "lqr",
    "the planner": "potential_field",
    "the strategy": "thompson",
    "the quantity of the summary": "silent_peak_force_N",
    "the key of the alarm's rule": "hold_off",
    "the error of a sensor": "velocity_noise",
    "what the loop counts": "damped",
}


def files_of(root):
    """Every file by the dotted name under which others import it."""
    found = {}
    for folder, top in (*((root, package) for package in PACKAGES), (root, "scripts"), (root, "benchmarks")):
        base = folder if top in PACKAGES else folder / top
        for path in sorted((folder / top).rglob("*.py")):
            found[".".join(path.relative_to(base).with_suffix("").parts).removesuffix(".__init__")] = path
    return found


def exports_of(folder):
    """Names that a room exports, and the file of each."""
    tree = ast.parse((folder / "__init__.pyi").read_text(encoding="utf-8"))
    return {alias.name: node.module for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}


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
    exports = {name: exports_of(path.parent) for name, path in files.items() if path.with_suffix(".pyi").exists()}
    return {name: imported_by(path, files, exports) for name, path in files.items()}


def find_circle(graph):
    """A circle of imports as a list of names, or None."""
    try:
        TopologicalSorter({name: sorted(others) for name, others in graph.items()}).prepare()
    except CycleError as error:
        return error.args[1][::-1]
    return None


def circles(graph):
    """Pairs of files that import each other."""
    return sorted({tuple(sorted((a, b))) for a, others in graph.items() for b in others if a in graph[b]})


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


def names_in(path):
    """Every name and every text that stands in the code of a file, and its own name; no docstrings."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    told = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    found = {path.stem, *(n.value for n in nodes if isinstance(n, ast.Constant) and id(n) not in told)}
    return found | {getattr(node, field, None) for node in nodes for field in ("id", "attr", "arg", "name")}


def one_element_fields(root):
    """Fields of the state that are arrays of one number, by what the docstrings of its records say."""
    found = set()
    for path in (path for room in STATE for path in (root / room).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and any(ast.unparse(b) == "NamedTuple" for b in node.bases):
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
        for path in (path for package in PACKAGES for path in sorted((root / package).rglob("*.py")))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Attribute)
        and node.value.attr in fields
        and ast.unparse(node.slice) == "0"
    ]


def count_lines(folder):
    """Lines of Python, docstrings and blank ones included."""
    return sum(len(p.read_text(encoding="utf-8").splitlines()) for p in folder.rglob("*.py"))


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
        for path in (path for package in PACKAGES for path in sorted((root / package).rglob("*.py")))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
        and any(ast.unparse(d) in ("inlined", "kernel", "flat", "packed", "shared") for d in node.decorator_list)
        and len(node.args.args) > most
    ]


def structure(root):
    """What does not change with every line: (words, number) each."""
    files = files_of(root)
    graph = import_graph(files)
    between = arrows(graph)
    yield "files of both packages", sum(name.split(".")[0] in PACKAGES for name in files)
    yield "rooms of `hopfield_nav`", len({room for arrow in between for room in arrow})
    yield "arrows between them", len(between)
    yield "pairs of files that import each other", len(circles(graph))
    yield "deepest class of `navigation`", deepest_class(root)
    yield "places that ask for the number of an array of one", len(one_element_uses(root))
    yield "floors on which they lie", floors(graph)
    yield "kernels with more than 8 arguments", len(wide_kernels(root))
    named = [names_in(path) for name, path in files.items() if name.split(".")[0] in PACKAGES]
    for what, name in EXAMPLES.items():
        yield f"files that name {what} `{name}`", sum(name in names for names in named)


def sizes(root):
    """Lines of Python, (words, number) each."""
    for part in (*PACKAGES, "scripts", "benchmarks", "tests"):
        yield f"lines in `{part}`", count_lines(root / part)
    for room in sorted(p for p in (root / "hopfield_nav").iterdir() if (p / "__init__.py").exists()):
        yield f"lines in `hopfield_nav/{room.name}`", count_lines(room)


def counts(root):
    """All numbers of a checkout by their words."""
    return dict([*structure(root), *sizes(root)])


def main(folder: Annotated[Path | None, typer.Argument()] = None, out: Path | None = None) -> None:
    """Print or write the table, of one checkout or of an older one and this."""
    now = counts(ROOT)
    before = counts(folder) if folder else {}
    rows = ((words, f"{before.get(words, '–')}", f"{number}") for words, number in now.items())
    tell(table(["", "before", "now"], rows), out, "tree")


if __name__ == "__main__":
    typer.run(main)
