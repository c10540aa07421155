"""Numbers with a unit in sentences: settings, definitions, citations, and little else."""

from __future__ import annotations

import pytest
from documentation.sentence_numbers import MOST_LEFT, differences, found, listed


def test_every_number_in_a_sentence_is_accounted_for():
    assert differences() == []


def test_few_were_measured_and_typed_and_each_has_a_reason():
    _, left = listed()
    assert len(left) <= MOST_LEFT == 40
    assert all(len(one["reason"]) > 5 for one in left)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("It takes 3.5 ms, or 5 to 8 % more.", ["3.5 ms", "5 to 8 %"]),
        ("With 20\nN·m it slips.", ["20 N·m"]),
        ("| 3 ms |\n\n<!-- measured -->\n4 ms\n<!-- /measured -->\n`5 ms`", []),
        ("```yaml\nstep: 5 s\n```\n", []),
        ("Ragazzon 2012, chapter 7 and figure 3 of 12 worlds", []),
    ],
)
def test_what_counts_as_a_number_with_a_unit(text, numbers):
    assert found(text) == numbers
