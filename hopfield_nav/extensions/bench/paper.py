"""The table of a paper: a line for every quantity, a column for every method and for every difference, as LaTeX too."""

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise

from dynamics import printable
from hopfield_nav.extensions.bench import tables as told
from hopfield_nav.extensions.bench.suite import Suite
from hopfield_nav.extensions.bench.tables import Row, Table

_ABOUT = (
    "Means with 95\\,\\% intervals; none where all runs gave the same value. Collisions, time and "
    "path length are of the runs that reached the goal, all else of all runs. Missed contacts are "
    "given with the number of contacts and Wilson's interval. Differences are means over pairs of "
    "runs with the same seed; of missed contacts, per run."
)
_WORDS = {  # what the field calls what the tables of the page call otherwise
    told.SCORED: "runs",
    "reached [%]": "success rate [%]",
    "false no_path": "wrongly found infeasible",
    "passed through": "passed through an obstacle",
    "method failed": "failures of the method",
    "simulated time [s]": "time to the goal [s]",
    "collisions": "detected collisions",
    "way of the tool [m]": "path length [m]",
}
_SPECIAL = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--", "—": "---",
    "−": "$-$", "…": r"\dots{}", "°": r"$^\circ$", "±": r"$\pm$", "·": r"$\cdot$", "×": r"$\times$",
    "²": "$^2$", "³": "$^3$", "√": r"$\surd$", "µ": r"$\mu$", "≤": r"$\le$", "≥": r"$\ge$", "<": "$<$", ">": "$>$",
    "|": "$|$", '"': "''", "’": "'", "→": r"$\to$", **{letter: f"\\{letter}" for letter in "&%$#_{}"},
}  # fmt: skip
_LATIN = 0x17F  # the last letter that LaTeX has without a package
_WIDE = 3  # columns of numbers that fit beside each other: of more, differences are a table below
_NARROW = 2  # columns of numbers that fit into a column of a page of two: of more, both are used
_WORD = 16  # letters of a line of a heading


def paper_tables(suite: Suite, rows: Sequence[Row], methods: Sequence[str]) -> list[Table]:
    """A table for every family and condition: means with 95 % intervals, and differences world by world."""
    compared = told.pairs(suite, methods)
    names = ["difference"] if len(compared) == 1 else [f"{b} − {a}" for a, b in compared]
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
            differences = [gap[label][at] if label in gap else "–" for gap in gaps]
            lines.append([_WORDS.get(label, label), *values, *differences])
        tables.append(Table(means.title, ["", *methods, *names], lines))
    return tables


def latex(suite: Suite, tables: Sequence[Table]) -> str:
    """The tables for a document that needs no package; their letters are the document's."""
    text = f"% hopfield-nav bench {suite.name}, digest {suite.digest}\n% \\input this file; it needs no package\n"
    methods = len(suite.suite.methods)
    for table in tables:
        own = f" {table.title}." if len(tables) > 1 else ""
        caption = _escaped(f"{suite.file.description}{own}")
        random = _escaped(suite.what_differs_by_seed)
        body = "\\par\\medskip\n".join(_tabular(part) for part in _parts(table, methods))
        kind = "table" if len(table.head) - 1 <= _NARROW else "table*"
        text += (
            f"\\begin{{{kind}}}[htbp]\n\\centering\\footnotesize\\setlength{{\\tabcolsep}}{{4pt}}\n"
            f"\\caption{{{caption}\n{random}\n{_ABOUT}}}\\smallskip\n{body}\n\\end{{{kind}}}\n"
        )
    return text


def _parts(table: Table, methods: int) -> list[Table]:
    """The table, or where it is wide the methods and the differences, one below the other."""
    numbers = len(table.head) - 1
    if numbers <= _WIDE or numbers <= methods:
        return [table]
    ends = [*range(1, methods + 1, _WIDE), *range(methods + 1, numbers + 1, _WIDE)]
    ends.append(numbers + 1)
    return [
        Table(
            table.title,
            [table.head[0], *table.head[first:last]],
            [[row[0], *row[first:last]] for row in table.rows],
        )
        for first, last in pairwise(ends)
    ]


def _tabular(table: Table) -> str:
    """One tabular: a heading in short lines, intervals below the numbers that they are of."""
    columns = "r" * (len(table.head) - 1)
    head = " & ".join(_stacked(_short_lines(cell), "b") for cell in table.head)
    lines = [" & ".join([_escaped(row[0]), *map(_number, row[1:])]) for row in table.rows]
    body = " \\\\\n".join(lines)
    return (
        f"\\begin{{tabular}}{{@{{}}l{columns}@{{}}}}\n\\hline\n{head} \\\\\n\\hline\n{body} \\\\\n\\hline\n"
        "\\end{tabular}"
    )


def _short_lines(heading: str) -> list[str]:
    """A heading broken at its spaces."""
    lines = [""]
    for word in heading.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and len(longer) > _WORD:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def _number(cell: str) -> str:
    """A number, its interval below it where it has one."""
    value, bracket, interval = cell.partition(" (")
    if bracket:
        return _stacked([value, f"({interval}"], "t")
    return _stacked(cell.replace(", ", ",\n").split("\n"), "t")


def _stacked(lines: Sequence[str], side: str) -> str:
    """Lines of a cell below each other, aligned with its row by the first or the last of them."""
    if len(lines) == 1:
        return _escaped(lines[0])
    inner = r" \\ ".join(map(_escaped, lines))
    return f"\\begin{{tabular}}[{side}]{{@{{}}r@{{}}}}{inner}\\end{{tabular}}"


def _escaped(text: str) -> str:
    """Text as LaTeX has it: every letter that means something to it, minus signs, powers of ten."""
    plain = "".join(map(_letter, printable(text, 10_000)))
    plain = re.sub(r"(?<![\w-])-(?=\d)", "$-$", plain)
    return re.sub(
        r"(?<=\d)e([+-]?)0*(\d+)", lambda m: f"$\\cdot10^{{{m[1].strip('+')}{m[2]}}}$", plain
    )


def _letter(letter: str) -> str:
    """One letter; a Greek one as mathematics has it, one that needs a package by its name."""
    if letter in _SPECIAL:
        return _SPECIAL[letter]
    if ord(letter) <= _LATIN:
        return letter
    name = unicodedata.name(letter, "LETTER").lower()
    greek = re.fullmatch(r"greek (small|capital) letter (\w+)", name)
    if greek is None:
        return f"[{name}]"
    if greek[1] == "small" and greek[2] != "omicron":
        return f"$\\{greek[2].replace('lamda', 'lambda')}$"
    capital = greek[2].replace("lamda", "lambda").capitalize()
    if capital in _CAPITALS:
        return f"$\\{capital}$"
    return f"$\\mathrm{{{capital[0]}}}$"


_CAPITALS = (
    "Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega",
)  # fmt: skip
