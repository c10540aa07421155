"""Every claim in docs/ledger.md has a verdict, both numbers, and a test that exists."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
import ledger  # noqa: E402

GOOD = ledger.Row(
    "3.3.3",
    "claim | with a bar",
    "1",
    "−2 °",
    ledger.REFUTED,
    "because",
    "tests/scripts/test_ledger.py::test_there_are_rows",
)
ROWS = [(name, row) for name, rows in ledger.read().items() for row in rows]


def test_there_are_rows():
    assert "ragazzon2012" in ledger.read()
    assert len(ROWS) >= 40


@pytest.mark.parametrize(("document", "row"), ROWS, ids=[f"{name}-{k}" for k, (name, _) in enumerate(ROWS)])
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


def test_verdicts_follow_from_the_comparison():
    verdicts = [ledger.judged("1", "c", "p", "o", agrees, "r", "t").verdict for agrees in (True, False, None)]
    assert verdicts == [ledger.REPRODUCED, ledger.REFUTED, ledger.UNCHECKABLE]
    row = ledger.judged("1", "c", "-1, 1e-5", "x-3 (-0.5)", True, "", "t")
    assert (row.published, row.ours) == ("−1, 1e-5", "x-3 (−0.5)")
