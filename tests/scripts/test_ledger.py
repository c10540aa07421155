"""Every claim in docs/lab/ledger.md has a verdict, both numbers, an existing test, and words of claims.yaml."""

import ast
import re
from functools import cache
from pathlib import Path
from string import Formatter

import ledger
import numpy as np
import pytest
import verdicts

ROOT = Path(__file__).parents[2]


def calls_of_claims():
    """Names of claims that the scripts give to ``judged``, each with the names of the values beside it."""
    start = tuple(f"{document}." for document in ledger.DOCUMENTS)
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in ROOT.glob("scripts/**/*.py")]
    return [
        (name.value, {keyword.arg for keyword in call.keywords})
        for tree in trees
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id == "judged"
        for name in ast.walk(call.args[0])
        if isinstance(name, ast.Constant)
        and isinstance(name.value, str)
        and name.value.startswith(start)
    ]


GOOD = ledger.Row(
    "3.3.3",
    "claim | with a bar",
    "1",
    "−2 °",
    verdicts.REFUTED,
    "because",
    "tests/scripts/test_ledger.py::test_there_are_rows",
)
CALLS = calls_of_claims()
ROWS = [(name, row) for name, rows in ledger.read().items() for row in rows]


@pytest.fixture
def made_up(monkeypatch):
    """Two claims of our own in place of those of the documents."""
    claims = {
        "tu2023.bare": ledger.Claim("1", "c", "p", "t", "r"),
        "tu2023.filled": ledger.Claim("1", "c", "{low}, {power}", "t", "{why}"),
    }
    monkeypatch.setattr(ledger, "claims", lambda: claims)


def test_there_are_rows():
    assert "ragazzon2012" in ledger.read()
    assert len(ROWS) >= 40


@pytest.mark.parametrize(
    ("document", "row"), ROWS, ids=[f"{name}-{k}" for k, (name, _) in enumerate(ROWS)]
)
def test_row_is_complete(document, row):
    assert document in ledger.DOCUMENTS
    assert ledger.faults(row) == []


def test_a_good_row_has_no_faults():
    assert ledger.faults(GOOD) == []


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("verdict", "", "verdict"),
        ("verdict", "true", "verdict"),
        ("published", " ", "no published"),
        ("ours", "", "no ours"),
        ("remark", "", "without a reason"),
        ("verdict", "open", "verdict"),
        ("test", "", "no test"),
        ("test", "tests/scripts/test_ledger.py", "no test"),
        ("test", "tests/scripts/test_ledger.py::test_of_nothing", "no test"),
        ("test", "tests/no_such_file.py::test_there_are_rows", "no test"),
    ],
)
def test_a_damaged_row_is_noticed(field, value, message, tmp_path):
    row = GOOD._replace(**{field: value})
    assert any(message in fault for fault in ledger.faults(row))
    with pytest.raises(ValueError, match=message):
        ledger.update("tu2023", [row], tmp_path / "ledger.md")


def test_other_documents_keep_their_rows(tmp_path):
    path = tmp_path / "ledger.md"
    ledger.update("tu2023", [GOOD], path)
    ledger.update("kebria2016", [GOOD, GOOD], path)
    ledger.update("tu2023", [GOOD._replace(ours="3")], path)
    assert ledger.read(path) == {"kebria2016": [GOOD, GOOD], "tu2023": [GOOD._replace(ours="3")]}


def test_an_unknown_document_is_refused(tmp_path):
    with pytest.raises(ValueError, match="ragazzon2012"):
        ledger.update("ragazzon2013", [GOOD], tmp_path / "ledger.md")


def test_verdicts_follow_from_the_comparison(made_up):
    compared = (True, np.True_, verdicts.PARTLY, False, None)
    found = [ledger.judged("tu2023.bare", "o", agrees).verdict for agrees in compared]
    assert found == [verdicts.REPRODUCED, *verdicts.VERDICTS]
    with pytest.raises(ValueError, match="perhaps"):
        ledger.judged("tu2023.bare", "o", "perhaps")
    row = ledger.judged("tu2023.filled", "x-3 (-0.5)", True, low=-1, power=1e-5, why="so")
    assert row == ledger.Row("1", "c", "−1, 1e-05", "x-3 (−0.5)", verdicts.REPRODUCED, "so", "t")


def test_an_unknown_claim_is_refused_with_the_nearest(made_up):
    with pytest.raises(ValueError, match=r"tu2023\.fillet.*nearest is 'tu2023\.filled'"):
        ledger.judged("tu2023.fillet", "o", True)


def test_a_missing_value_is_refused(made_up):
    with pytest.raises(KeyError, match="power"):
        ledger.judged("tu2023.filled", "o", True, low=1, why="so")


def test_every_claim_is_asked_for_and_every_claim_asked_for_is_there():
    assert {name for name, _ in CALLS} == set(ledger.claims())


@pytest.mark.parametrize(("name", "values"), CALLS, ids=[name for name, _ in CALLS])
def test_call_gives_the_values_that_stand_in_braces(name, values):
    fields = {
        field
        for text in ledger.claim_of(name)
        for _, field, _, _ in Formatter().parse(text)
        if field
    }
    assert values == {re.split(r"[.\[]", field)[0] for field in fields}


@pytest.mark.parametrize("name", ledger.claims())
def test_claim_names_a_test_that_exists(name):
    words = ledger.claim_of(name)
    assert name.split(".")[0] in ledger.DOCUMENTS
    assert (
        ledger.faults(ledger.Row(*words[:3], "o", verdicts.REPRODUCED, words.remark, words.test))
        == []
    )


def test_every_row_has_the_words_of_one_claim_and_every_claim_a_row():
    found = [
        [name for name in ledger.claims() if has_words_of(document, row, name)]
        for document, row in ROWS
    ]
    assert [row for (_, row), names in zip(ROWS, found, strict=True) if len(names) != 1] == []
    assert {names[0] for names in found} == set(ledger.claims())


def test_other_words_are_noticed():
    document, row = next((name, row) for name, row in ROWS if "coefficient of g2" in row.claim)
    name = "ragazzon2012.gravity_coefficient"
    assert has_words_of(document, row, name)
    assert not has_words_of("tu2023", row, name)
    for field in ("place", "claim", "remark", "test"):
        assert not has_words_of(document, row._replace(**{field: "other"}), name)


def has_words_of(document, row, name):
    """Whether a row is a claim's, whatever stands for its braces."""
    words, fields = ledger.claim_of(name), ledger.Claim._fields
    return name.startswith(f"{document}.") and all(
        pattern(getattr(words, field)).fullmatch(getattr(row, field)) for field in fields
    )


@cache
def pattern(text):
    parts = Formatter().parse(text)
    return re.compile(
        "".join(re.escape(fixed) + (".+" if field else "") for fixed, field, _, _ in parts)
    )
