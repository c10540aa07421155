"""The table of a paper: a line for every quantity, a column for every method and for every difference, as LaTeX too."""

import re
from collections.abc import Sequence

from dynamics import printable
from hopfield_nav.extensions.bench import tables as told
from hopfield_nav.extensions.bench.suite import Suite
from hopfield_nav.extensions.bench.tables import Row, Table

_ABOUT = r"""Means with 95\,\% intervals: touches, time and way of the runs that reached the goal, all else of all
scored runs. Differences are of pairs of runs with one seed."""
_SPECIAL = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--", "−": "$-$",
    "…": r"\dots{}", "°": r"$^\circ$", "±": r"$\pm$", "<": "$<$", ">": "$>$", "|": "$|$", '"': "''",
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
}  # fmt: skip


def paper_tables(suite: Suite, rows: Sequence[Row], methods: Sequence[str]) -> list[Table]:
    """A table for every family and condition: means with 95 % intervals, and differences world by world."""
    compared = told.pairs(suite, methods)
    names = ["difference"] if len(compared) == 1 else [f"{b} less {a}" for a, b in compared]
    tables = []
    for cell in told.cells(suite):  # the page's tables of methods and of pairs, turned over
        means = told.reached_table(suite, rows, methods, cell)
        gaps = [
            {line[0]: line for line in told.pair_table(suite, rows, pair, cell).rows}
            for pair in compared
        ]
        lines = []
        for label, *values in list(zip(means.head, *means.rows, strict=True))[1:]:
            at = 1 if label == told.SCORED else 2
            lines.append(
                [label, *values, *(gap[label][at] if label in gap else "–" for gap in gaps)]
            )
        tables.append(Table(means.title, ["", *methods, *names], lines))
    return tables


def latex(suite: Suite, tables: Sequence[Table]) -> str:
    """The tables for a document that needs no package; their letters are the document's."""
    text = f"% hopfield-nav bench {suite.name}, digest {suite.digest}\n% \\input this file; it needs no package\n"
    for table in tables:
        caption = _escaped(suite.file.description + (f" {table.title}." if len(tables) > 1 else ""))
        head, *lines = (
            " & ".join(map(_escaped, line)) + r" \\" for line in (table.head, *table.rows)
        )
        body = "\n".join(lines)
        text += (
            f"\\begin{{table}}[htbp]\n\\centering\\footnotesize\n\\caption{{{caption}\n{_ABOUT}}}\n"
            f"\\begin{{tabular}}{{l{'r' * (len(table.head) - 1)}}}\n\\hline\n{head}\n\\hline\n{body}\n\\hline\n"
            "\\end{tabular}\n\\end{table}\n"
        )
    return text


def _escaped(text: str) -> str:
    """Text as LaTeX has it: every letter that means something to it, minus signs, powers of ten."""
    plain = "".join(_SPECIAL.get(letter, letter) for letter in printable(text, 10_000))
    plain = re.sub(r"(?<![\w-])-(?=\d)", "$-$", plain)
    return re.sub(
        r"(?<=\d)e([+-]?)0*(\d+)", lambda m: f"$\\cdot10^{{{m[1].strip('+')}{m[2]}}}$", plain
    )
