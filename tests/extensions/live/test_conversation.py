"""What the served arm answers: handshake, refusals in words, frequencies, and damage of every kind."""

from __future__ import annotations

import gc
import tracemalloc

import numpy as np
import pytest
from served import moving, telling
from test_packages import damaged

from hopfield_nav.extensions.live import packages
from hopfield_nav.extensions.live.conversation import Conversation
from hopfield_nav.extensions.live.packages import Splitter, package
from hopfield_nav.extensions.live.recipe import FIELDS, Recipe

NAMES = ["timestamp", "actual_q", "robot_mode"]
HELLO = package(packages.VERSION, packages.write_version(2))
START = package(packages.START)


@pytest.fixture(scope="module")
def told():
    return telling(moving(1.0))


def outputs(names, frequency=125.0):
    return package(packages.OUTPUTS, packages.write_names(names, frequency))


def said(conversation):
    """Packages that wait to be sent; they are taken."""
    return Splitter().feed(conversation.taken())


def started(told, names=NAMES, frequency=125.0):
    talk = Conversation(told)
    talk.hear(HELLO + outputs(names, frequency) + START)
    said(talk)
    return talk


def words(found):
    return " ".join(
        packages.read_text(payload).words for kind, payload in found if kind == packages.TEXT
    )


def test_a_handshake(told):
    talk = Conversation(told)
    talk.hear(HELLO + package(packages.CONTROLLER) + outputs(NAMES) + START)
    assert said(talk) == [
        (packages.VERSION, b"\x01"),
        (packages.CONTROLLER, packages.write_controller((3, 15, 0, 0))),
        (packages.OUTPUTS, b"\x01DOUBLE,VECTOR6D,INT32"),
        (packages.START, b"\x01"),
    ]
    talk.tell(0)
    ((kind, payload),) = said(talk)
    row = Recipe(1, tuple(NAMES), tuple(FIELDS[n] for n in NAMES)).unpack(payload)
    np.testing.assert_array_equal(row, [0.0, *told.moving["actual_q"][0], 7.0])
    assert kind == packages.DATA


def test_byte_by_byte_is_the_same(told):
    whole, pieces = Conversation(told), Conversation(told)
    stream = HELLO + outputs(NAMES) + START
    whole.hear(stream)
    for k in range(len(stream)):
        pieces.hear(stream[k : k + 1])
    assert pieces.waiting == whole.waiting


def test_pause_and_start_again(told):
    talk = started(told)
    talk.hear(package(packages.PAUSE))
    assert said(talk) == [(packages.PAUSE, b"\x01")]
    talk.tell(1)
    assert not said(talk)
    talk.hear(START)
    talk.tell(2)
    assert [kind for kind, _ in said(talk)] == [packages.START, packages.DATA]


@pytest.mark.parametrize(
    ("frequency", "rows"), [(125.0, 125), (500.0, 125), (62.5, 63), (25.0, 25), (10.0, 10)]
)
def test_rows_at_the_frequency_that_was_asked_for(told, frequency, rows):
    talk = started(told, frequency=frequency)
    for k in range(125):
        talk.tell(k)
    assert talk.sent == pytest.approx(rows, abs=1)


ANSWERS = {
    "an unknown field": (
        HELLO + outputs(["timestamp", "actual_Q"]),
        "unknown field: actual_Q. Did you mean 'actual_q'?",
    ),
    "several": (HELLO + outputs(["a", "b"]), "unknown fields: a, b"),
    "no field": (HELLO + outputs([]), "no fields were asked for"),
    "no frequency": (HELLO + outputs(NAMES, float("nan")), "no such frequency"),
    "a frequency of nothing": (HELLO + outputs(NAMES, -1.0), "no such frequency"),
    "version 1": (package(packages.VERSION, packages.write_version(1)), "version 1 of the protocol is not"),
    "no version": (outputs(NAMES), "ask for version 2"),
    "an input": (HELLO + package(packages.INPUTS, b"speed_slider_mask"), "inputs are refused"),
    "start too early": (HELLO + START, "ask for outputs first"),
    "an unknown kind": (HELLO + package(1, b"x"), "unknown kind of package: 1"),
    "no package": (b"\x00\x00\x00", "no package"),
}  # fmt: skip


@pytest.mark.parametrize(("sent", "answer"), ANSWERS.values(), ids=ANSWERS)
def test_refusals_are_said_in_words(told, sent, answer):
    talk = Conversation(told)
    talk.hear(sent)
    assert answer in words(said(talk))
    assert not talk.playing


def test_an_unknown_field_can_be_asked_again_without_it(told):
    talk = Conversation(told)
    talk.hear(HELLO + outputs([*NAMES, "no_such_field"]))
    assert (packages.OUTPUTS, b"\x00DOUBLE,VECTOR6D,INT32,NOT_FOUND") in said(talk)
    talk.hear(outputs(NAMES) + START)
    assert [kind for kind, _ in said(talk)] == [packages.OUTPUTS, packages.START]
    assert talk.playing


def test_what_a_client_sends_changes_nothing_that_is_told(told):
    quiet, loud = started(told), started(told)
    loud.hear(
        package(packages.INPUTS, b"input_double_register_0")
        + package(packages.DATA, b"\x01" + bytes(8))
    )
    said(loud)
    for k in range(20):
        quiet.tell(k)
        loud.tell(k)
    assert quiet.waiting == loud.waiting


def test_a_thousand_damaged_requests(told):
    """No crash, and nothing that stays in memory."""
    rng = np.random.default_rng(0)
    good = (
        HELLO
        + package(packages.CONTROLLER)
        + outputs(NAMES)
        + START
        + package(packages.PAUSE)
        + START
    )
    over = playing = 0
    tracemalloc.start()
    for trial in range(1100):
        if trial == 100:
            gc.collect()
            before = tracemalloc.get_traced_memory()[0]
        talk = Conversation(told)
        talk.hear(damaged(rng, good))
        talk.tell(0)
        over, playing = over + talk.over, playing + talk.playing
        Splitter().feed(bytes(talk.waiting))  # what it says is well formed
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert over > 20
    assert playing > 20
    assert grown < 50_000
