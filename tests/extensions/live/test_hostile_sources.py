"""A source that is hostile or broken: one line for each fault, and a watch that goes on or ends by itself."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from refusals import refused
from served import Connection, data_package, handshake, heard, moving, telling
from test_watching import methods

from dynamics import BadInput
from hopfield_nav.extensions.live import (
    WATCHED,
    DetectorStream,
    Link,
    Notice,
    Recorder,
    Server,
    link,
    packages,
)
from hopfield_nav.extensions.live.packages import package
from hopfield_nav.extensions.live.recipe import FIELDS, TYPES
from hopfield_nav.extensions.live.recorder import MOST_TABLES
from hopfield_nav.extensions.recordings import load_recording

ANSWERED = [*TYPES, "NOT_FOUND", "IN_USE", "STRING", "double"]


@pytest.fixture(scope="module")
def told():
    return telling(moving(1.0))


@pytest.fixture(scope="module")
def judge():
    return DetectorStream(methods())


def rows(told, stamps, **changed):
    """Data packages with such time stamps, otherwise those of a good arm."""
    return b"".join(
        data_package(told, k % 100, timestamp=stamp, **changed) for k, stamp in enumerate(stamps)
    )


@pytest.fixture
def hear(monkeypatch):
    """What a watch tells of a source that sends such bytes, and then closes."""

    def through(stream, judge=None, records=()):
        monkeypatch.setattr("socket.create_connection", lambda *_, **__: Connection(stream))
        return heard(("nowhere", 1), judge, records)

    return through


def words_of(notices, kind):
    return [notice.words for notice in notices if notice.kind == kind]


def answers_with(name, given):
    """What a source answers that gives one field such a type, and rows that fit its types."""
    types = [given if field == name else FIELDS[field] for field in WATCHED]
    stream = handshake().replace(
        package(packages.OUTPUTS, packages.write_recipe(1, [FIELDS[field] for field in WATCHED])),
        package(packages.OUTPUTS, packages.write_recipe(1, types)),
    )
    if given == "NOT_FOUND":
        names = tuple(field for field in WATCHED if field != name)
        stream, types = handshake(names), [FIELDS[field] for field in names]
    fields = "".join(letter * count for letter, count in (TYPES.get(one, ("", 0)) for one in types))
    return stream + package(packages.DATA, struct.pack(f">B{fields}", 1, *[1] * len(fields))) * 3


@pytest.mark.parametrize("given", ANSWERED)
def test_every_type_in_every_field(hear, given, judge):
    """A type is the guide's own, or refused with the field's name; a field that lacks is done without."""
    for name in WATCHED:
        stream = answers_with(name, given)
        if given in (FIELDS[name], "NOT_FOUND"):
            _, notices, monitor = hear(stream, judge)
            assert words_of(notices, "missing") == ([name] if given == "NOT_FOUND" else [])
            assert monitor.counts["damaged"] == 0
        else:
            with refused(f"{name}: (a type that does not fit|no such type), found {given};"):
                hear(stream, judge)


@pytest.mark.parametrize("far", [1e307, -1e308, 1e12, np.inf])
def test_a_clock_that_no_arm_has_is_no_number(hear, told, judge, far):
    got, notices, monitor = hear(handshake() + rows(told, [0.0, far, 0.008]), judge)
    assert [row.time for row in got] == [0.0, 0.008]
    assert len(words_of(notices, "no numbers")) == 1
    assert monitor.counts["no numbers"] == 1


def test_a_clock_that_creeps_or_stands_still_is_said_to(hear, told, judge):
    """Steps that no arm makes tell nothing new, and are taken once they come to one that does."""
    creeping = [1.0 + 1e-5 * k for k in range(200)]
    got, notices, monitor = hear(handshake() + rows(told, [*creeping, *[2.0] * 300]), judge)
    assert len(got) == 1 + 3 + 1
    assert words_of(notices, "repeated") == ["the clock stands still at 2.000 s"]
    assert monitor.counts["repeated"] == 500 - 5


def test_a_clock_that_goes_back_again_and_again_fills_no_folder(hear, told, tmp_path):
    """The tables so far are kept, and it is said once that no more are."""
    saw = rows(told, [1.0, 1.008, *[0.0, 0.008, 0.016] * (MOST_TABLES + 20)])
    with Recorder(tmp_path / "kept") as keeper:
        got, notices, monitor = hear(handshake() + saw, None, (keeper,))
    assert len(got) == monitor.counts["rows"] == 2 + 3 * (MOST_TABLES + 20)  # it is still watched
    assert words_of(notices, "record") == [
        f"{MOST_TABLES} tables were begun; from here on no rows are kept"
    ]
    assert len(list((tmp_path / "kept").glob("rtde*.csv"))) == MOST_TABLES
    assert load_recording(tmp_path / "kept" / f"rtde-{MOST_TABLES}.csv").sizes["time"] == 3


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no disk that is always full")
def test_a_full_disk_is_said_and_the_watch_goes_on(hear, told, judge, tmp_path):
    folder = tmp_path / "kept"
    folder.mkdir()
    (folder / "rtde.csv").symlink_to("/dev/full")
    with Recorder(folder) as keeper:
        got, notices, _ = hear(handshake() + rows(told, 0.008 * np.arange(300)), judge, (keeper,))
    assert len(got) == 300
    assert words_of(notices, "record") == ["No space left on device; from here on no rows are kept"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no disk that is always full")
@pytest.mark.parametrize("name", ["rtde.csv", "alarms.csv"])
def test_a_disk_that_is_full_at_the_end_is_one_line(hear, told, tmp_path, name):
    if name != "alarms.csv":
        (tmp_path / name).symlink_to("/dev/full")
    with refused("cannot keep a record: No space left on device"), Recorder(tmp_path) as keeper:
        if name == "alarms.csv":  # it is made anew: no disk is full before
            keeper._alarms.close()
            keeper._alarms = Path("/dev/full").open("w", encoding="utf-8")  # noqa: SIM115  (the recorder closes it)
            keeper._alarms.write("time_s\n")
        hear(handshake() + rows(told, [0.0, 0.008]), None, (keeper,))
    (tmp_path / "watch.json").symlink_to("/dev/full")
    with refused("cannot keep a record: No space left on device"):
        keeper.say({})


def test_words_instead_of_data_are_silence(monkeypatch):
    """A source that only talks has stalled, and is left: else a watch of so many seconds would never end."""
    for name, seconds in (("STALLED", 0.05), ("SILENT", 0.2), ("POLL_INTERVAL", 0.01)):
        monkeypatch.setattr(link, name, seconds)
    talk = package(packages.TEXT, packages.write_text("oil", "info")) + package(ord("?"), b"")
    source, kinds = Link("nowhere", 1, WATCHED, retry=0.0), []
    monkeypatch.setattr("socket.create_connection", lambda *_, **__: Connection(handshake(), talk))
    kinds = [item.kind for item in source.listen() if isinstance(item, Notice)]
    assert kinds[0] == "connected"
    assert kinds[-2:] == ["message", "broken"]
    assert kinds.count("stalled") == 1


def test_what_an_arm_says_is_one_line(hear, told):
    text = package(
        packages.TEXT, packages.write_text("oil\nalarm at 1.000 s,  \r level 9", "error")
    )
    _, notices, _ = hear(handshake() + text + rows(told, [0.0]))
    assert words_of(notices, "message") == ["error: oil alarm at 1.000 s, level 9"]


@pytest.mark.parametrize("host", ["a" * 70, "a..b", "\x1b[31m", "\udcff", "x" * 5000])
def test_a_host_that_is_none_is_one_line(told, host):
    """Names that have no form of the network's own, for both sides."""
    with refused("no arm answers"):
        list(Link(host, 30004, WATCHED, retry=0.0).listen())
    with refused("cannot listen"):
        Server(told, host, 0)


@pytest.mark.parametrize("controller", [(0, 0, 0, 0), (2**32 - 1,) * 4])
def test_controllers_of_any_version(hear, told, controller):
    ours, odd = (
        (packages.CONTROLLER, packages.write_controller(v)) for v in ((3, 15, 0, 0), controller)
    )
    stream = handshake().replace(package(*ours), package(*odd)) + rows(told, [0.0, 0.008])
    got, notices, _ = hear(stream)
    assert len(got) == 2
    assert "Hz" in words_of(notices, "connected")[0]


@pytest.mark.parametrize("cut", range(0, len(handshake()) + 40, 7))
def test_a_source_that_breaks_off_anywhere(hear, told, cut):
    """Before the start it is refused; after it what was told is kept."""
    stream = (handshake() + rows(told, [0.0, 0.008]))[:cut]
    if cut < len(handshake()):
        with refused("no arm answers: the other side closed the connection"):
            hear(stream)
    else:
        got, notices, _ = hear(stream)
        assert got == []
        assert notices[-1].kind == "broken"


def test_what_is_allowed_is_said_once(hear):
    refusal = package(packages.VERSION, b"\0")
    with pytest.raises(BadInput) as told:
        hear(refusal)
    assert str(told.value).count("allowed:") == 1
    assert "no arm answers: version 2 of the protocol is refused" in str(told.value)
