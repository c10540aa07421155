"""Packages and recipes: bytes of the maker's guide, back and forth, and damage of every kind."""

from __future__ import annotations

import struct
import tracemalloc

import numpy as np
import pytest
from refusals import refused

from dynamics import BadInput
from hopfield_nav.extensions.live import packages
from hopfield_nav.extensions.live.recipe import FIELDS, TYPES, Recipe

ASKED = ("timestamp", "actual_q", "robot_mode", "joint_mode", "actual_digital_input_bits")


def recipe(number=1):
    return Recipe(number, ASKED, tuple(FIELDS[name] for name in ASKED))


def row(rng):
    whole = rng.integers(-(2**31), 2**31, 7).tolist()
    return [*rng.normal(size=7).tolist(), *whole, int(rng.integers(0, 2**53))]


def test_bytes_are_those_of_the_guide():
    """Written out by hand: big-endian, the length holds the header too."""
    assert packages.package(packages.VERSION, packages.write_version(2)) == b"\x00\x05V\x00\x02"
    assert packages.package(packages.START) == b"\x00\x03S"
    asked = packages.write_names(["timestamp", "actual_q"], 125.0)
    assert packages.package(packages.OUTPUTS, asked) == (
        b"\x00\x1dO\x40\x5f\x40\x00\x00\x00\x00\x00timestamp,actual_q"
    )
    assert packages.write_recipe(1, ["DOUBLE", "VECTOR6D"]) == b"\x01DOUBLE,VECTOR6D"
    assert packages.write_text("no", "warning", "x") == b"\x02no\x01x\x02"
    one = Recipe(3, ("timestamp", "robot_mode"), ("DOUBLE", "INT32"))
    assert one.pack([2.0, 7]) == b"\x03\x40\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x07"


def test_what_is_written_is_read():
    assert packages.read_outputs(packages.write_names(["a", "b"], 500.0)) == (500.0, ["a", "b"])
    assert packages.read_names(b"a,b,") == ["a", "b"]
    assert packages.read_names(b"") == []
    assert packages.read_recipe(packages.write_recipe(7, ["DOUBLE"])) == (7, ["DOUBLE"])
    assert packages.read_text(packages.write_text("Größe", "info")).words == "Größe"
    assert packages.read_controller(packages.write_controller((5, 11, 0, 9))) == (5, 11, 0, 9)
    assert packages.read_controller(struct.pack(">3I", 3, 2, 1)) == (3, 2, 1, 0)
    assert packages.read_version(packages.write_version(1)) == 1
    numbers = row(np.random.default_rng(0))
    np.testing.assert_array_equal(recipe().unpack(recipe().pack(numbers)), numbers)


def test_columns_of_a_recipe():
    assert recipe().columns["joint_mode"] == slice(8, 14)
    values = {name: np.zeros(TYPES[FIELDS[name]][1]) for name in ASKED}
    values["robot_mode"] = np.array([7.0])
    assert recipe().unpack(recipe().pack(recipe().row(values)))[7] == 7


def test_a_stream_in_pieces_of_any_size():
    rng = np.random.default_rng(1)
    sent = [(packages.DATA, recipe().pack(row(rng))) for _ in range(50)]
    stream = b"".join(packages.package(*one) for one in sent)
    for size in (1, 2, 3, 7, 64, 1000):
        splitter, got = packages.Splitter(), []
        for k in range(0, len(stream), size):
            got += splitter.feed(stream[k : k + size])
        assert got == sent


REFUSED = {
    "a length of nothing": (lambda: packages.Splitter().feed(b"\x00\x02V"), "no package"),
    "a package too long": (lambda: packages.package(packages.DATA, bytes(70_000)), "too long"),
    "a request cut short": (lambda: packages.read_outputs(b"1234"), "too short"),
    "too many names": (lambda: packages.read_names(b"a," * 2000), "too long"),
    "names that are no text": (lambda: packages.read_names(b"\xff\xfe"), "no text"),
    "an empty answer": (lambda: packages.read_recipe(b""), "empty"),
    "a message cut short": (lambda: packages.read_text(b"\x09no"), "cut short"),
    "a message without level": (lambda: packages.read_text(b"\x01n\x01x"), "without a level"),
    "a level that is none": (lambda: packages.read_text(b"\x01n\x01x\x09"), "without a level"),
    "a version of one byte": (lambda: packages.read_version(b"\x02"), "no version"),
    "half a controller": (
        lambda: packages.read_controller(b"\x00" * 5),
        "no version of a controller",
    ),
    "a long yes": (lambda: packages.read_accepted(b"\x01\x01"), "neither yes nor no"),
    "a type that is none": (
        lambda: Recipe(1, ("timestamp",), ("FLOAT",)),
        "no such type; found 'FLOAT'",
    ),
    "more types than names": (
        lambda: Recipe(1, ("timestamp",), ("DOUBLE", "DOUBLE")),
        "do not fit",
    ),
    "a row cut short": (
        lambda: recipe().unpack(recipe().pack(row(np.random.default_rng(2)))[:-1]),
        "length",
    ),
    "another recipe": (
        lambda: recipe(2).unpack(recipe().pack(row(np.random.default_rng(2)))),
        "recipe",
    ),
}


@pytest.mark.parametrize(("read", "words"), REFUSED.values(), ids=REFUSED)
def test_refusals(read, words):
    with refused(words):
        read()


READERS = {
    packages.VERSION: packages.read_version,
    packages.CONTROLLER: packages.read_controller,
    packages.TEXT: packages.read_text,
    packages.OUTPUTS: packages.read_outputs,
    packages.INPUTS: packages.read_recipe,
    packages.START: packages.read_accepted,
    packages.DATA: lambda payload: recipe().unpack(payload),
}


def damaged(rng, stream):
    """A stream with bytes changed, cut out, put in, or cut off."""
    stream = bytearray(stream)
    for _ in range(int(rng.integers(1, 4))):
        k, kind = int(rng.integers(0, len(stream) or 1)), int(rng.integers(0, 4))
        if kind == 0 and stream:
            stream[k] = int(rng.integers(0, 256))
        elif kind == 1:
            del stream[k : k + int(rng.integers(1, 9))]
        elif kind == 2:
            stream[k:k] = rng.integers(0, 256, int(rng.integers(1, 300))).astype(np.uint8).tobytes()
        else:
            del stream[max(k, 1) :]
    return bytes(stream)


def test_a_thousand_damaged_streams_are_read_or_refused():
    """Nothing but ``BadInput``, and nothing is kept."""
    rng = np.random.default_rng(3)
    good = b"".join(
        packages.package(kind, payload)
        for kind, payload in (
            (packages.VERSION, packages.write_version(2)),
            (packages.CONTROLLER, packages.write_controller((3, 15, 0, 0))),
            (packages.TEXT, packages.write_text("hello")),
            (packages.OUTPUTS, packages.write_names(list(ASKED), 125.0)),
            (packages.INPUTS, packages.write_recipe(1, ["DOUBLE", "VECTOR6D"])),
            (packages.START, b"\x01"),
            (packages.DATA, recipe().pack(row(rng))),
        )
    )
    refusals = set()
    tracemalloc.start()
    for trial in range(1100):
        if trial == 100:
            before = tracemalloc.get_traced_memory()[0]
        try:
            for kind, payload in packages.Splitter().feed(damaged(rng, good)):
                READERS.get(kind, len)(payload)
        except BadInput as error:
            refusals.add(str(error)[:12])
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert len(refusals) > 5
    assert grown < 50_000
