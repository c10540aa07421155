"""The ledger is what the scripts measure: every row computed again, and nothing typed."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path

import keeping
import ledger
import pytest
import reproduce
from test_ledger import GOOD

ROOT = Path(__file__).parents[2]
RECORDINGS = {
    "kebria2016.recordings",
    "tu2023.real_data",
    "tu2023.experiment",
    "madsen2020.real_data",
}
TIMES = {
    "madsen2020.repeated.seconds_of_a_fit",
    "nowoczyn2023.numeric_kinematics.microseconds",
    "nowoczyn2023.obstacle_space.times_faster",
    "tu2023.linearisation.seconds_per_linearisation",
}
KEPT = [(document, name) for document in reproduce.CHAPTERS for name in keeping.read(document)]


@pytest.fixture
def recordings(monkeypatch, data_folder):
    monkeypatch.setenv("HOPFIELD_NAV_DATA", str(data_folder))


def rows_of(chapters):
    return [row for chapter in chapters if hasattr(chapter, "rows") for row in chapter.rows()]


@pytest.mark.parametrize("document", reproduce.CHAPTERS)
def test_rows_are_those_of_the_ledger(document):
    """In their order; those of the chapters that need recordings of a real arm follow below."""
    chapters = [c for c in reproduce.chapters(document) if c.__name__ not in RECORDINGS]
    rows, written = rows_of(chapters), ledger.read()[document]
    claims = {(row.place, row.claim) for row in rows}
    assert (
        ledger.differences(rows, [row for row in written if (row.place, row.claim) in claims]) == []
    )
    if len(chapters) == len(reproduce.chapters(document)):
        assert len(rows) == len(written)


@pytest.mark.usefixtures("recordings")
@pytest.mark.parametrize("name", sorted(RECORDINGS))
def test_rows_of_recordings_are_those_of_the_ledger(name):
    rows = rows_of([import_module(name)])
    claims = {(row.place, row.claim) for row in rows}
    written = [row for row in ledger.read()[name.split(".")[0]] if (row.place, row.claim) in claims]
    assert ledger.differences(rows, written) == []


def test_every_claim_is_measured_by_a_chapter_of_its_document():
    """So that no row of the ledger is left out above."""
    chapters = {
        f"{d}/{name}.py" for d, names in reproduce.CHAPTERS.items() for name in names.split()
    }
    for path, call in calls_of_judged():
        name = next(
            n.value
            for n in ast.walk(call.args[0])
            if isinstance(n, ast.Constant) and "." in str(n.value)
        )
        assert path in chapters
        assert path.split("/")[0] == name.split(".")[0]


def test_the_page_is_what_its_rows_make_of_it(tmp_path):
    """Head, counts and order of the documents included."""
    written = ledger.read()
    for document, rows in written.items():
        ledger.update(document, rows, tmp_path / "ledger.md")
    assert (tmp_path / "ledger.md").read_text(encoding="utf-8") == ledger.LEDGER.read_text(
        encoding="utf-8"
    )
    assert list(written) == list(ledger.DOCUMENTS)


@pytest.mark.parametrize(
    ("ours", "typed", "noticed"),
    [
        ("0.53 s, 44 %", "0.53 s, 44 %", False),
        ("0.53 s, 44 %", "0.54 s, 44 %", False),  # one unit: another machine
        ("0.53 s, 44 %", "0.55 s, 44 %", True),
        ("0.53 s, 44 %", "0.53 s, 41 %", True),
        ("0.53 s, 44 %", "0.53 mm, 44 %", True),
        ("−26.61°", "26.61°", True),
        ("5e-16 m", "2e-15 m", False),  # rounding
        ("5e-16 m", "2e-05 m", True),
        ("9.9e-05", "9.7e-05", True),
        ("1.1", "1.100", False),
        ("none", "some", True),
    ],
)
def test_a_stale_or_typed_number_is_noticed(ours, typed, noticed):
    row = GOOD._replace(ours=ours)
    assert bool(ledger.differences([row], [row._replace(ours=typed)])) == noticed


@pytest.mark.parametrize("field", ["published", "verdict", "remark", "test"])
def test_other_words_in_a_row_are_noticed(field):
    assert len(ledger.differences([GOOD], [GOOD._replace(**{field: "refuted"})])) == (
        field != "verdict"
    )
    assert ledger.differences([GOOD], [GOOD._replace(**{field: "in part"})])


def test_a_missing_row_is_noticed():
    assert ledger.differences([GOOD, GOOD._replace(claim="other")], [GOOD])


def calls_of_judged():
    """Every call of ``judged`` in the scripts: file and node."""
    return [
        (path.relative_to(ROOT / "scripts").as_posix(), node)
        for path in sorted(ROOT.glob("scripts/*/*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "judged"
    ]


# --- what is kept
# -------------------------------------------------------------------------------------


def test_every_kept_value_is_asked_for():
    """By a function that still is there; the values of others would go stale unseen."""
    for document in reproduce.CHAPTERS:
        reproduce.chapters(document)
    names = {f"{document}.{name.split('(')[0]}" for document, name in KEPT}
    assert names == set(keeping.HELD)


def test_a_part_of_every_kept_value_is_measured_again():
    for name, test in keeping.HELD.items():
        row = GOOD._replace(test=f"tests/scripts/{test}")
        assert ledger.faults(row) == [], name


@pytest.mark.parametrize("name", sorted(TIMES))
def test_times_are_of_the_order_kept(name):
    """A busy machine is slower, and a better one quicker, but neither by a factor of fifty."""
    module, function = name.rsplit(".", 1)
    measured = getattr(import_module(module), function)
    now, then = (
        x if isinstance(x, list | tuple) else [x] for x in (measured.__wrapped__(), measured())
    )
    assert len(now) == len(then)
    assert all(1 / 50 < a / b < 50 for a, b in zip(now, then, strict=True))


# --- nothing typed
# ------------------------------------------------------------------------------------

# (2.13), B.2, q5, levels
REFERENCE = re.compile(r"\(\d+\.\d+\)|B\.\d|\b[A-Za-zθφλω]+\d+\b|9[05] %")
MEASURED = re.compile(
    r"\d\.\d|\de[+-]?\d|\d ?(°|%|mm|cm|m|kg|g|rad|s|ms|µs|Hz|kB|N·m|N|1/s)(?![\w·])"
)


def texts_of_rows():
    """What is written out, between the braces, in functions of the scripts that make rows."""
    for path in sorted(ROOT.glob("scripts/*/*.py")):
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef) and any(
                is_judged(node) for node in ast.walk(function)
            ):
                yield from ((path.name, text) for text in written_out(function))


def is_judged(node):
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "judged"
    )


def written_out(function):
    doc = ast.get_docstring(function, clean=False)
    formats = [
        v.format_spec
        for v in ast.walk(function)
        if isinstance(v, ast.FormattedValue) and v.format_spec
    ]
    skipped = {id(node) for form in formats for node in ast.walk(form)}
    texts = [
        n for n in ast.walk(function) if isinstance(n, ast.Constant) and isinstance(n.value, str)
    ]
    return [node.value for node in texts if id(node) not in skipped and node.value != doc]


def typed(text):
    return bool(MEASURED.search(REFERENCE.sub("", text)))


def test_no_quantity_is_typed_into_a_row():
    """Counts and names of joints may be; what has decimals or a unit is measured, or a setting."""
    assert [found for found in texts_of_rows() if typed(found[1])] == []


@pytest.mark.parametrize(
    "text", [" of 18 agree; ours a2 −0.425", " kB, 36 kB", " m, d4 = 109 mm", "1e-6", "at 11 s"]
)
def test_a_typed_quantity_is_noticed(text):
    assert typed(text)


@pytest.mark.parametrize(
    "text", ["(2.13) and B.2", " of 18", "joint 4's axis ", "UR5: q5 m", "s5 by "]
)
def test_names_and_counts_are_no_quantities(text):
    assert not typed(text)
