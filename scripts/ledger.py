"""The ledger: every checkable claim of the five documents beside what this project measures.

``docs/lab/ledger.md`` is written by ``reproduce.py``. ``update`` replaces the rows of one document
and keeps those of the others. The words of every claim are in ``claims.yaml``; the scripts add what
they measure, and ``differences`` compares what they measure now with what is written.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

import yaml
from verdicts import RULE, UNCHECKABLE, VERDICTS, verdict

ROOT = Path(__file__).resolve().parents[1]
LEDGER = ROOT / "docs" / "lab" / "ledger.md"
CLAIMS = Path(__file__).with_name("claims.yaml")
DOCUMENTS = ("kebria2016", "nowoczyn2023", "ragazzon2012", "tu2023", "madsen2020")
_HEAD = """# Ledger

After this page you can look up any claim of the five documents, and how it was checked.

{counts}

What the five documents claim stands beside what this project finds ("ours"). Do not edit the page:
`python scripts/reproduce.py` measures every claim and writes it, and `tests/scripts/test_ledger_rows.py`
computes every row again and compares, number by number, to one unit of the last digit (of results that take
minutes, in `scripts/kept`, a part). "Held by" names a test that checks the same number or law in another way.
Rows with † contain times, which depend on the machine. "As printed" is the arm with the mistake of
ragazzon2012's appendix B, "right" the arm without it; "the document" is that of the heading.

One rule gives the verdict of every row:

{rule}"""
_CHOICE = """The list is ours: the documents' tables, the
numbered equations that say something of the arm or the network, the printed results, and what is recommended. A claim
that is missing is a fault of the list."""
_NUMBER = re.compile(r"([−-]?)(\d+)(?:\.(\d+))?(?:e([+−-]?\d+))?")
_ROUNDING = 1e-8
_COLUMNS = ("place", "claim", "published", "ours", "verdict", "remark", "held by")


class Row(NamedTuple):
    """A claim and its verdict."""

    place: str  # where it stands in the document
    claim: str  # in our words
    published: str  # what the document says, with units
    ours: str  # what we measure, with units
    verdict: str  # one of ``VERDICTS``
    remark: str  # why it is not reproduced; otherwise what is worth knowing, or empty
    test: str  # pytest node that looks at our number in another way, ``tests/test_x.py::test_y``


Rows = Iterator[Row]


class Claim(NamedTuple):
    """The words of a claim, in braces what is measured; the fields are those of ``Row``."""

    place: str
    claim: str
    published: str
    test: str
    remark: str = ""

    def filled(self, **values: object) -> "Claim":
        """With the measured values instead of the braces."""
        return Claim(*(text.format(**values) for text in self))


@cache
def claims() -> dict[str, Claim]:
    """What ``claims.yaml`` holds, by ``document.key``."""
    found = yaml.safe_load(CLAIMS.read_text(encoding="utf-8"))
    return {
        f"{document}.{key}": Claim(**words)
        for document, of in found.items()
        for key, words in of.items()
    }


def claim_of(name: str) -> Claim:
    """One claim.

    Raises ``ValueError``: there is none; the message names the nearest.
    """
    if name not in claims():
        nearest = get_close_matches(name, claims(), n=1, cutoff=0)[0]
        raise ValueError(f"no claim {name!r} in {CLAIMS.name}; the nearest is {nearest!r}")
    return claims()[name]


def judged(name: str, ours: str, agrees: bool | str | None, /, **values: object) -> Row:
    """A row of the claim ``document.key`` with what we measure (with units), and the verdict that follows.

    ``agrees`` is as ``verdicts.verdict`` has it, ``values`` what stands in braces in the words of
    the claim.
    """
    words = claim_of(name).filled(**values)
    published, ours = _minus(words.published), _minus(ours)
    return Row(words.place, words.claim, published, ours, verdict(agrees), words.remark, words.test)


def _minus(text: str) -> str:
    """A minus sign instead of a hyphen before numbers, but not in exponents."""
    return re.sub(r"(?<![\w.])-(?=\d)", "−", text)


def faults(row: Row, root: Path = ROOT) -> list[str]:
    """What is wrong with a row; empty when it is complete and its test exists."""
    found = [
        f"no {name}"
        for name in ("place", "claim", "published", "ours")
        if not getattr(row, name).strip()
    ]
    if row.verdict not in VERDICTS:
        found.append(f"verdict {row.verdict!r} is none of {', '.join(VERDICTS)}")
    if row.verdict in VERDICTS[1:] and not row.remark.strip():
        found.append(f"{row.verdict} without a reason")
    if not _test_exists(row.test, root):
        found.append(f"no test {row.test!r}")
    return found


def read(path: Path = LEDGER) -> dict[str, list[Row]]:
    """The rows of every document in the ledger; empty when there is no file."""
    if not path.exists():
        return {}
    _, *sections = re.split(r"^## ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {
        part.split("\n", 1)[0].strip(): [
            _row(line) for line in re.findall(r"^\| .*", part, re.MULTILINE)[2:]
        ]
        for part in sections
    }


def update(document: str, rows: Iterable[Row], path: Path = LEDGER) -> None:
    """Write the rows of one document and keep those of the others.

    Raises ``ValueError``: an unknown document, or a row with a fault.
    """
    rows = list(rows)
    wrong = [f"{row.place}, {row.claim}: {'; '.join(faults(row))}" for row in rows if faults(row)]
    if document not in DOCUMENTS or wrong:
        raise ValueError("\n".join(wrong) or f"{document} is none of {', '.join(DOCUMENTS)}")
    ledger = {**read(path), document: rows}
    sections = [_section(name, ledger[name]) for name in DOCUMENTS if name in ledger]
    head = _HEAD.format(
        counts=summary([row for rows in ledger.values() for row in rows]), rule=RULE
    )
    path.write_text("\n".join([head, *sections]), encoding="utf-8")


def summary(rows: list[Row]) -> str:
    """The ledger's first line: how many claims it lists, of what, and with which verdict."""
    found = counts(rows)
    words = ", ".join(f"{found[verdict]} {verdict}" for verdict in VERDICTS[:-1])
    checked = len(rows) - found[UNCHECKABLE]
    return (
        f"**{len(rows)} claims are listed, of which {checked} can be checked: {words}.**\n{_CHOICE}"
    )


def differences(now: Iterable[Row], written: Iterable[Row]) -> list[str]:
    """Where rows that were measured now are not those that are written, claim by claim.

    Numbers may differ by one unit of their last digit, and errors of rounding (below 1e-8) as they
    like.
    """
    now, written = list(now), list(written)
    claims_now, claims_written = (
        [(row.place, row.claim) for row in rows] for rows in (now, written)
    )
    if claims_now != claims_written:
        return [
            f"rows: {a} now, {b} written"
            for a, b in zip_longest(claims_now, claims_written)
            if a != b
        ]
    return [
        f"{a.place}, {a.claim}: {field} now {getattr(a, field)!r}, written {getattr(b, field)!r}"
        for a, b in zip(now, written, strict=True)
        for field in Row._fields[2:]
        if not _same(getattr(a, field), getattr(b, field))
    ]


def _same(now: str, written: str) -> bool:
    if _NUMBER.sub("#", now) != _NUMBER.sub("#", written):
        return False
    pairs = zip(_NUMBER.finditer(now), _NUMBER.finditer(written), strict=True)
    return all(_near(a, b) for a, b in pairs)


def _near(a: re.Match[str], b: re.Match[str]) -> bool:
    (x, unit), (y, other) = _value(a), _value(b)
    return x == y or max(abs(x), abs(y)) < _ROUNDING or abs(x - y) <= 1.01 * max(unit, other)


def _value(number: re.Match[str]) -> tuple[float, float]:
    """A number, and one unit of its last digit."""
    sign, digits, decimals, power = number.groups()
    unit = 10.0 ** (int((power or "0").replace("−", "-")) - len(decimals or ""))
    return (-1 if sign else 1) * int(digits + (decimals or "")) * unit, unit


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


def _row(line: str) -> Row:
    cells = [
        cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]
    ]
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
