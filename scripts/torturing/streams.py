"""Hostile sources for ``watch``: types, clocks, numbers, floods, answers and packages of no arm."""

import random
import shutil
import socket
import socketserver
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from functools import partial
from io import StringIO
from pathlib import Path

from dynamics import BadInput
from hopfield_nav.cli import main
from hopfield_nav.extensions.live import WATCHED, packages
from hopfield_nav.extensions.live.packages import package
from hopfield_nav.extensions.live.recipe import FIELDS, TYPES
from hopfield_nav.extensions.live.recorder import MOST_TABLES
from hopfield_nav.extensions.recordings import load_recording
from torturing.trials import Trials

_METHODS = ["--detector", "joint_torque", "--threshold", "6", "--set", "pole=15"]
_MOTORS = ["--motor-constants", "8,8,8,8,8,8"]
_MOST_LINES = 1000  # that a stream of a moment may have printed
_ODD = (0.0, -1.0, 1e-300, 1e-9, 1e9, 1e300, 1e307, -1e308, float("nan"), float("inf"))
_WORDS = (
    "oil", "", "\x1b[2J\x1b]0;title\x07", "\x9b31m", "\u202egnitirw", "a\nalarm at 1.000 s, level 9",
    "\r\u2028\u200b\x00", "x" * 255,
)  # fmt: skip
KINDS = ("type", "clock", "number", "texts", "answers", "packages", "damage")


def hostile_streams(place: Path, count: int, first: int, limit: float) -> Trials:
    """``watch`` of a source that is not an arm: status 0 or 2, harmless lines, a record that is bounded."""
    place.mkdir(parents=True, exist_ok=True)
    with _serving() as source:
        for number in range(first, first + count):
            kind = KINDS[number % len(KINDS)]
            stream = _stream(kind, random.Random(number))
            yield f"stream {number} ({kind})", partial(_watch, source, stream, place / "kept")


def _watch(source: socketserver.TCPServer, stream: bytes, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    source.stream, printed, faults = stream, StringIO(), StringIO()
    words = [
        "watch",
        "127.0.0.1",
        "--port",
        str(source.server_address[1]),
        "--retry",
        "0",
        "--record",
        str(folder),
    ]
    with redirect_stdout(printed), redirect_stderr(faults):
        status = main([*words, *_METHODS, *_MOTORS])
    lines = printed.getvalue().splitlines()
    assert status in (0, 2), f"status {status}: {faults.getvalue().strip()}"
    assert len(lines) < _MOST_LINES, "a flood of lines"
    assert all(line.isprintable() for line in lines), "control characters"
    assert not any(line.startswith("alarm at 1.000 s, level 9") for line in lines), "a forged alarm"
    assert len(list(folder.glob("*.csv"))) <= MOST_TABLES + 1, "a flood of files"
    with suppress(BadInput):  # fewer than two rows
        load_recording(folder)
    if status == 2:
        assert faults.getvalue().count("\n") == 1, "more than one line of error"
        raise BadInput(faults.getvalue())


def _stream(kind: str, dice: random.Random) -> bytes:
    """Bytes that a source sends, whatever it is asked: a handshake, and what follows it."""
    types = {name: FIELDS[name] for name in WATCHED}
    if kind == "type":
        for name in dice.sample(WATCHED, dice.choice([1, 1, 3])):
            types[name] = dice.choice([*TYPES, "NOT_FOUND", "IN_USE", "STRING", "\x1b[2J"])
    stream = _handshake(types, dice) if kind == "answers" else _handshake(types)
    told = {name: given for name, given in types.items() if given in TYPES}
    stamps = (
        _stamps(dice)
        if kind == "clock"
        else [0.008 * k for k in range(300 if kind == "texts" else 30)]
    )
    for stamp in stamps:
        stream += _row(told, stamp, dice if kind == "number" else None)
        if kind == "texts":
            payload = packages.write_text(dice.choice(_WORDS), dice.choice(packages.LEVELS))
            stream += package(packages.TEXT, payload) * dice.choice([1, 1, 100])
        if kind == "packages":
            stream += package(dice.randrange(256), dice.randbytes(dice.choice([0, 1, 9, 600])))
    return _damaged(stream, dice) if kind == "damage" else stream


def _handshake(types: dict[str, str], dice: random.Random | None = None) -> bytes:
    """Answers to the four questions of a client; with ``dice`` one of them is odd."""
    found = [given for given in types.values() if given != "NOT_FOUND"]
    answers = [
        (packages.VERSION, b"\x01"),
        (packages.CONTROLLER, packages.write_controller((3, 15, 0, 0))),
        (packages.OUTPUTS, packages.write_recipe(1, list(types.values()))),
        *([(packages.OUTPUTS, packages.write_recipe(1, found))] if len(found) < len(types) else []),
        (packages.START, b"\x01"),
    ]
    if dice is not None:
        k = dice.randrange(len(answers))
        odd = [b"", b"\x00", b"\xff" * 2, b"\xff" * 16, b"\x01" + b"," * 2000, dice.randbytes(40)]
        answers[k] = (answers[k][0], dice.choice(odd))
        answers.insert(k, (packages.TEXT, packages.write_text(dice.choice(_WORDS))))
    return b"".join(package(kind, payload) for kind, payload in answers)


def _row(types: dict[str, str], stamp: float, dice: random.Random | None) -> bytes:
    """A data package of these types: the time stamp wherever it fits, and small numbers or odd ones."""
    odd = None if dice is None else dice.choice(list(types))
    payload = b"\x01"
    for name, given in types.items():
        letter, count = TYPES[given]
        for _ in range(count):
            value = stamp if name == "timestamp" else 1.0
            if dice is not None and name == odd:
                value = dice.choice(_ODD)
            payload += struct.pack(
                f">{letter}", value if letter == "d" else _whole(value, letter, dice)
            )
    return package(packages.DATA, payload)


def _whole(value: float, letter: str, dice: random.Random | None) -> int:
    if dice is not None and dice.random() < 0.3:
        return {"?": 1, "B": 255, "I": 2**32 - 1, "Q": 2**64 - 1, "i": -(2**31)}[letter]
    return int(0.0 <= value <= 1.0)


def _stamps(dice: random.Random) -> list[float]:
    """Times at which a clock jumps ahead and back, stands still, or creeps [s]."""
    how = dice.choice(["odd", "pair", "saw", "still", "creeping"])
    if how == "odd":
        return [dice.choice(_ODD) for _ in range(60)]
    if how == "pair":
        return [0.0, dice.choice(_ODD)]
    step = {"saw": 0.0, "still": 0.0, "creeping": 1e-7}[how]
    return [1.0 - k % 2 if how == "saw" else 1.0 + step * k for k in range(500)]


def _damaged(stream: bytes, dice: random.Random) -> bytes:
    """Bytes changed, cut out, put in or cut off."""
    content = bytearray(stream)
    for _ in range(dice.randrange(1, 4)):
        k = dice.randrange(len(content))
        how = dice.choice(["change", "cut", "put", "end"])
        if how == "change":
            content[k] = dice.randrange(256)
        elif how == "put":
            content[k:k] = dice.randbytes(dice.randrange(1, 300))
        else:
            del content[k : k + dice.randrange(1, 9) if how == "cut" else None]
        if not content:
            break
    return bytes(content)


class _Source(socketserver.TCPServer):
    """Sends every client ``stream``, and closes when the client does."""

    stream = b""

    def finish_request(self, request: socket.socket, client_address: object) -> None:
        request.settimeout(10.0)
        with suppress(OSError):
            request.sendall(self.stream)
            request.shutdown(socket.SHUT_WR)
            while request.recv(4096):
                pass


@contextmanager
def _serving() -> Iterator[_Source]:
    with _Source(("127.0.0.1", 0), socketserver.BaseRequestHandler) as source:
        thread = threading.Thread(target=source.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield source
        finally:
            source.shutdown()
            thread.join()
