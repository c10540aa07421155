"""The ledger: every checkable claim of the five documents beside what this project measures.

``docs/ledger.md`` is written by the reproduction scripts, one for each document. ``update`` replaces
the rows of one document and keeps those of the others. The words of every claim are in ``claims.yaml``;
the scripts add what they measure.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import NamedTuple

import yaml

ROOT = Path(__file__).resolve().parents[1]
LEDGER = ROOT / "docs" / "ledger.md"
CLAIMS = Path(__file__).with_name("claims.yaml")
DOCUMENTS = ("kebria2016", "nowoczyn2023", "ragazzon2012", "tu2023", "madsen2020")
REPRODUCED, REFUTED, UNCHECKABLE, OPEN = "reproduced", "refuted", "cannot be checked", "open"
VERDICTS = (REPRODUCED, REFUTED, UNCHECKABLE, OPEN)

_HEAD = """# Ledger

Every checkable claim of the five documents, beside what this project measures. Do not edit: each
section is written by `python scripts/reproduce_DOCUMENT.py`, and no number in the column "ours" is
typed in. Numbers with † depend on the machine. Verdicts:

- **reproduced**: ours agrees, to the digits printed or as the remark says
- **refuted**: ours disagrees, and the remark says why
- **cannot be checked**: a figure or a number of the document is lost
- **open**: nothing in the project measures it yet

"As printed" is the arm with the mistake of ragazzon2012's appendix B, "right" the one without.
"""
_COLUMNS = ("place", "claim", "published", "ours", "verdict", "remark", "held by")


class Row(NamedTuple):
    """A claim and its verdict.

    Attributes:
        place: where it stands in the document.
        claim: in our words.
        published, ours: what the document says, and what we measure, with units.
        verdict: one of ``VERDICTS``.
        remark: why it is refuted or cannot be checked; otherwise what is worth knowing, or empty.
        test: pytest node that holds our number, ``tests/test_x.py::test_y``.
    """

    place: str
    claim: str
    published: str
    ours: str
    verdict: str
    remark: str
    test: str


class Claim(NamedTuple):
    """The words of a claim, in braces what is measured; the fields are those of ``Row``."""

    place: str
    claim: str
    published: str
    test: str
    remark: str = ""

    def filled(self, **values: object) -> Claim:
        """With the measured values instead of the braces."""
        return Claim(*(text.format(**values) for text in self))


@cache
def claims() -> dict[str, Claim]:
    """What ``claims.yaml`` holds, by ``document.key``."""
    found = yaml.safe_load(CLAIMS.read_text(encoding="utf-8"))
    return {
        f"{document}.{key}": Claim(**words) for document, of in found.items() for key, words in of.items()
    }


def claim_of(name: str) -> Claim:
    """One claim.

    Raises:
        ValueError: there is none; the message names the nearest.
    """
    if name not in claims():
        nearest = get_close_matches(name, claims(), n=1, cutoff=0)[0]
        raise ValueError(f"no claim {name!r} in {CLAIMS.name}; the nearest is {nearest!r}")
    return claims()[name]


def judged(name: str, ours: str, agrees: bool | None, /, **values: object) -> Row:
    """A row whose verdict follows from a comparison.

    Args:
        name: ``document.key`` of the claim in ``claims.yaml``.
        ours: what we measure, with units.
        agrees: None when there is nothing to compare with.
        values: what stands in braces in the words of the claim.
    """
    words = claim_of(name).filled(**values)
    verdict = UNCHECKABLE if agrees is None else REPRODUCED if agrees else REFUTED
    published, ours = _minus(words.published), _minus(ours)
    return Row(words.place, words.claim, published, ours, verdict, words.remark, words.test)


def _minus(text: str) -> str:
    """A minus sign instead of a hyphen before numbers, but not in exponents."""
    return re.sub(r"(?<![\w.])-(?=\d)", "−", text)


def faults(row: Row, root: Path = ROOT) -> list[str]:
    """What is wrong with a row; empty when it is complete and its test exists."""
    found = [
        f"no {name}" for name in ("place", "claim", "published", "ours") if not getattr(row, name).strip()
    ]
    if row.verdict not in VERDICTS:
        found.append(f"verdict {row.verdict!r} is none of {', '.join(VERDICTS)}")
    if row.verdict in (REFUTED, UNCHECKABLE, OPEN) and not row.remark.strip():
        found.append(f"{row.verdict} without a reason")
    if not _test_exists(row.test, root):
        found.append(f"no test {row.test!r}")
    return found


def read(path: Path = LEDGER) -> dict[str, list[Row]]:
    """The rows of every document in the ledger; empty when there is no file."""
    if not path.exists():
        return {}
    _, *sections = re.split(r"^## ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {section.split("\n", 1)[0].strip(): _rows(section) for section in sections}


def update(document: str, rows: Iterable[Row], path: Path = LEDGER) -> None:
    """Write the rows of one document and keep those of the others.

    Raises:
        ValueError: an unknown document, or a row with a fault.
    """
    rows = list(rows)
    wrong = [f"{row.place}, {row.claim}: {'; '.join(faults(row))}" for row in rows if faults(row)]
    if document not in DOCUMENTS or wrong:
        raise ValueError("\n".join(wrong) or f"{document} is none of {', '.join(DOCUMENTS)}")
    ledger = {**read(path), document: rows}
    sections = [_section(name, ledger[name]) for name in DOCUMENTS if name in ledger]
    path.write_text("\n".join([_HEAD, *sections]), encoding="utf-8")


def counts(rows: Iterable[Row]) -> dict[str, int]:
    """Number of rows by verdict."""
    verdicts = [row.verdict for row in rows]
    return {verdict: verdicts.count(verdict) for verdict in VERDICTS}


def table(rows: Iterable[Row]) -> str:
    """Rows as text for the terminal: published beside ours."""
    lines = []
    for row in rows:
        lines += [f"{row.verdict.upper():18}{row.place}: {row.claim}"]
        lines += [f"{'':18}published  {row.published}", f"{'':18}ours       {row.ours}"]
        lines += [f"{'':18}{row.remark}"] if row.remark else []
    return "\n".join(lines)


def _section(document: str, rows: list[Row]) -> str:
    tally = ", ".join(f"{n} {verdict}" for verdict, n in counts(rows).items() if n)
    lines = [
        f"## {document}",
        "",
        f"{len(rows)} claims: {tally}.",
        "",
        _line(_COLUMNS),
        _line(["---"] * len(_COLUMNS)),
    ]
    lines += [_line(row._replace(test=f"`{row.test}`")) for row in rows]
    return "\n".join([*lines, ""])


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def _rows(section: str) -> list[Row]:
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [_row(line) for line in lines[2:]]


def _row(line: str) -> Row:
    cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]
    row = Row(*cells)
    return row._replace(test=row.test.strip("`"))


def _test_exists(node: str, root: Path) -> bool:
    file, colons, function = node.partition("::")
    path = root / file
    return bool(colons) and path.is_file() and function.split("[")[0] in _functions(path)


@cache
def _functions(path: Path) -> set[str]:
    """Names of the functions in a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {f.name for f in ast.walk(tree) if isinstance(f, ast.FunctionDef)}
