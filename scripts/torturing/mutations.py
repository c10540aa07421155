"""Small faults put into a source file on purpose: one operator, number or rounding is another one."""

import ast
import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

_OPERATORS: dict[type, tuple[str, str]] = {
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"),
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.And: ("and", "or"), ast.Or: ("or", "and"),
}  # fmt: skip
_CALLS = {
    "min": "max", "max": "min", "floor": "ceil", "ceil": "floor", "round": "floor", "rint": "floor",
    "sin": "cos", "cos": "sin", "argmin": "argmax", "argmax": "argmin", "any": "all", "all": "any",
    "minimum": "maximum", "maximum": "minimum", "mean": "median", "median": "mean",
}  # fmt: skip
_SILENT = (ast.Raise, ast.JoinedStr, ast.Assert, ast.Import, ast.ImportFrom)  # no calculations


class Mutation(NamedTuple):
    """One fault."""

    path: str  # of the file, below the root
    start: int  # of the text that is replaced
    end: int  # where it ends
    old: str  # what stood there
    new: str  # what stands there instead
    line: int  # counted from 1

    @property
    def name(self) -> str:
        return f"{self.path}:{self.line}: {self.old} -> {self.new}"

    def applied(self, source: bytes) -> bytes:
        return source[: self.start] + self.new.encode() + source[self.end :]


def drawn(root: Path, paths: list[str], count: int, dice: random.Random) -> list[Mutation]:
    """So many faults, from one file after the other, no two in the same line."""
    piles = []
    for path in paths:
        places = list(mutations(root, path))
        dice.shuffle(places)
        piles.append(list({place.line: place for place in places}.values()))
    rounds = (pile[k] for k in range(count) for pile in piles if k < len(pile))
    return list(islice(rounds, count))


def mutations(root: Path, path: str) -> Iterator[Mutation]:
    """Every fault that a file can be given; words, types and imports are left alone."""
    source = (root / path).read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def at(line: int, column: int) -> int:
        return starts[line - 1] + column  # ast counts bytes

    for node in _calculations(ast.parse(source)):
        for start, end, new in _faults(node, source, at):
            line = source.count(b"\n", 0, start) + 1
            yield Mutation(path, start, end, source[start:end].decode(), new, line)


def _calculations(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that calculate, without annotations and what only tells."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for child in value if isinstance(value, list) else [value]:
            words = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
            if isinstance(child, ast.AST) and not isinstance(child, _SILENT) and not words:
                yield child
                yield from _calculations(child)


def _faults(node, source, at) -> Iterator[tuple[int, int, str]]:
    """Start, end and new text of what can be put in the place of a node's own operator, number or name."""
    pairs = []
    if isinstance(node, ast.BinOp):
        pairs = [(node.left, node.op, node.right)]
    elif isinstance(node, ast.Compare):
        pairs = list(zip([node.left, *node.comparators], node.ops, node.comparators, strict=False))
    elif isinstance(node, ast.BoolOp):
        pairs = [(node.values[0], node.op, node.values[1])]
    for left, operator, right in pairs:
        if type(operator) in _OPERATORS:
            old, new = _OPERATORS[type(operator)]
            first, last = (
                at(left.end_lineno, left.end_col_offset),
                at(right.lineno, right.col_offset),
            )
            place = source.find(old.encode(), first, last)
            if place >= 0:
                yield place, place + len(old), new
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        first, last = at(node.lineno, node.col_offset), at(node.end_lineno, node.end_col_offset)
        yield first, last, repr(_other(node.value))
    if isinstance(node, ast.Call):
        name = (
            node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        )
        if name in _CALLS:
            last = at(node.func.end_lineno, node.func.end_col_offset)
            yield last - len(name), last, _CALLS[name]


def _other(value: float) -> float:
    if isinstance(value, int):
        return value + 1
    return 1.5 * value if value else 0.1
