"""Messages: whatever they quote, they are one printable line of bounded length, and words of ours stay."""

from __future__ import annotations

import pytest

from dynamics import BadInput, printable

HOSTILE = {
    "a forged line": "key\nhopfield-nav: all is well",
    "a carriage return": "key\rhopfield-nav: all is well",
    "a command to the terminal": "key\x1b[2J\x1b]0;title\x07",
    "one of eight bits": "key\x9b2J",
    "writing from right to left": "key\u202eyek\u2066",
    "no width": "key\u200b\ufeff",
    "a line of its own": "key\u2028line\u2029paragraph\x85next",
    "bytes of a name that are no text": "key\udcff\udc80",
    "letters of nobody": "key\ue000\U0010ffff",
    "length": "key" * 100_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("place", ["what", "where", "found", "allowed", "nearest"])
def test_a_message_is_one_printable_line(text, place):
    given = {"what": "unknown key", "where": "world.yaml, line 3", place: text}
    message = str(BadInput(given.pop("what"), **given))
    assert message.isprintable()
    assert len(message) < 5000
    assert "key" in message
    message.encode("utf-8")


def test_a_long_place_hides_nothing_else():
    message = str(BadInput("unknown key", where="k" * 10_000, allowed="goal, start"))
    assert message.endswith("…: unknown key; allowed: goal, start")


def test_words_of_ours_are_left_alone():
    text = "größer als 5 N·m … – 間 \\x1b"
    assert printable(text) == text
    assert printable("a\x1bb\nc") == "a\\x1bb\\nc"
    assert printable("12345", 5) == "12345"
    assert printable("123456", 5) == "1234…"
