"""The table of a paper: a line for every quantity, a column for every method and for every difference, as LaTeX too."""

import re
from collections.abc import Sequence

from dynamics import printable
from hopfield_nav.extensions.bench import tables as told
from hopfield_nav.extensions.bench.suite import Suite
from hopfield_nav.extensions.bench.tables import Pair, Row, Table
from hopfield_nav.record import Quantity
from hopfield_nav.sweeps import share

_HOUR = 3600.0  # [s]
_ABOUT = r"""Means with 95\,\% intervals: touches, time and way of the runs that reached the goal, all else of all
scored runs. Differences are of pairs of runs with one seed."""
_SPECIAL = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--", "−": "$-$",
    "…": r"\dots{}", "°": r"$^\circ$", "±": r"$\pm$", "<": "$<$", ">": "$>$", "|": "$|$", '"': "''",
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
}  # fmt: skip


def paper_tables(suite: Suite, rows: Sequence[Row], methods: Sequence[str]) -> list[Table]:
    """A table for every family and condition: means with 95 % intervals, and differences world by world."""
    return [_table(suite, rows, methods, cell) for cell in told.cells(suite)]


def latex(suite: Suite, tables: Sequence[Table]) -> str:
    """The tables for a document that needs no package; their letters are the document's."""
    several = len(tables) > 1
    captions = (f"{suite.file.description} {table.title}." if several else suite.file.description for table in tables)
    head = f"% hopfield-nav bench {suite.name}, digest {suite.digest}\n% \\input this file; it needs no package\n"
    made = (_latex_table(table, _escaped(caption)) for table, caption in zip(tables, captions, strict=True))
    return head + "".join(made)


def _table(suite: Suite, rows: Sequence[Row], methods: Sequence[str], cell: told.Cell) -> Table:
    compared = told.pairs(suite, methods)
    scored = [[r for r in told.rows_of(rows, cell, name) if r["counts"]] for name in methods]
    paired = [told.both_of(rows, pair, cell) for pair in compared]
    names = ["difference"] if len(compared) == 1 else [f"{b} less {a}" for a, b in compared]
    lines = [["runs, pairs of runs", *(str(len(own)) for own in scored), *(str(len(both)) for both, _ in paired)]]
    if told.has_goals(suite):
        shares = [told.mean_text(share(sum(map(told.has_reached, own)), len(own)), 100.0) for own in scored]
        lines.append(["reached [%]", *shares, *(told.reached_gap(both) for both, _ in paired)])
    for key, quantity in told.compared_of(suite).items():
        felt = key in told.FELT
        means = [told.interval_text(key, quantity, own if felt else [*filter(told.has_reached, own)]) for own in scored]
        gaps = [_gap(key, quantity, both if felt else there) for both, there in paired]
        lines.append([told.headed(key, quantity), *means, *gaps])
    kept = [line for line in lines if set(line[1:]) != {"–"}]
    return Table(f"{cell[0]}, {cell[1]}", ["", *methods, *names], kept)


def _gap(key: str, quantity: Quantity, both: Sequence[Pair]) -> str:
    """The mean difference over pairs that both have the quantity; of false alarms that of their rates."""
    known = [pair for pair in both if all(isinstance(row[key], (int, float)) for row in pair)]
    if key == told.ALARMS:
        return told.mean_gap([(_rate(a), _rate(b)) for a, b in known], 1.0)
    return told.mean_gap([(a[key], b[key]) for a, b in known], quantity.scale)


def _rate(row: Row) -> float:
    return float(row[told.ALARMS]) * (_HOUR / row["simulated_time_s"])


def _latex_table(table: Table, caption: str) -> str:
    head, *lines = (" & ".join(map(_escaped, line)) + r" \\" for line in (table.head, *table.rows))
    body = "\n".join(lines)
    return (
        f"\\begin{{table}}[htbp]\n\\centering\\footnotesize\n\\caption{{{caption}\n{_ABOUT}}}\n"
        f"\\begin{{tabular}}{{l{'r' * (len(table.head) - 1)}}}\n\\hline\n{head}\n\\hline\n{body}\n\\hline\n"
        "\\end{tabular}\n\\end{table}\n"
    )


def _escaped(text: str) -> str:
    """Text as LaTeX has it: every letter that means something to it, minus signs, powers of ten."""
    plain = "".join(_SPECIAL.get(letter, letter) for letter in printable(text, 10_000))
    plain = re.sub(r"(?<![\w-])-(?=\d)", "$-$", plain)
    return re.sub(r"(?<=\d)e([+-]?)0*(\d+)", lambda m: f"$\\cdot10^{{{m[1].strip('+')}{m[2]}}}$", plain)
