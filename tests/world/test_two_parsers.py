"""The quick parser of YAML changes nothing: what is read, where it stands, what is refused and how."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import yaml

from dynamics import BadInput
from hopfield_nav.world import document

WORLDS = sorted((Path(__file__).resolve().parents[2] / "worlds").glob("*.yaml"))
MARKS = "[]{}:,-#'\"\t\n &*!|>%@`?~\\.0e+a<é\u2028\x07"


def read(text, parser, monkeypatch):
    """The values with their places, or the refusal."""
    monkeypatch.setattr(document, "_QUICK", parser)
    document._nodes.cache_clear()
    try:
        found = document.parse_document(text, "world.yaml")
    except BadInput as error:
        return str(error)
    return repr(found.data), found.places


def damaged(text, dice):
    """A part of a text with one to three characters put in, taken out or replaced."""
    text = text[: dice.randrange(50, 1200)]
    for _ in range(dice.randrange(1, 4)):
        k, inside, left = (
            dice.randrange(len(text)),
            dice.choice(["", dice.choice(MARKS)]),
            dice.randrange(3),
        )
        text = text[:k] + inside + text[k + left :]
    return text


@pytest.mark.parametrize("seed", range(4))
def test_both_parsers_read_and_refuse_the_same(seed, monkeypatch):
    dice = random.Random(seed)
    texts = [path.read_text(encoding="utf-8") for path in WORLDS]
    texts += [damaged(dice.choice(texts), dice) for _ in range(100)]
    python = [read(text, yaml.SafeLoader, monkeypatch) for text in texts]
    assert sum(isinstance(found, str) for found in python) > 30  # are refused
    assert [read(text, yaml.CSafeLoader, monkeypatch) for text in texts] == python


@pytest.mark.parametrize("text", ["a: [6?]", "a: b\tc", "a: [!7, 6]"])
def test_what_the_quick_parser_would_read_otherwise_is_not_left_to_it(text, monkeypatch):
    python, quick = (
        read(text, parser, monkeypatch) for parser in (yaml.SafeLoader, yaml.CSafeLoader)
    )
    assert quick == python
    monkeypatch.setattr(document, "_READ_OTHERWISE", document.re.compile("(?!)"))
    assert read(text, yaml.CSafeLoader, monkeypatch) != python
