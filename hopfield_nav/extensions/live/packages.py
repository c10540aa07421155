"""Packages of the real-time data exchange of Universal Robots arms, protocol version 2.

Every package is a length (two bytes, itself included), a letter that says its kind, and a payload;
all numbers are big-endian. Pure functions: bytes in, values out, and the other way round.
"""

import struct
from typing import NamedTuple

from dynamics import BadInput

PROTOCOL = 2
VERSION, CONTROLLER, TEXT, DATA = ord("V"), ord("v"), ord("M"), ord("U")
OUTPUTS, INPUTS, START, PAUSE = ord("O"), ord("I"), ord("S"), ord("P")
LEVELS = ("exception", "error", "warning", "info")  # of a text message, by number
MOST_NAMES = 2048  # bytes of a list of fields
_HEAD = struct.Struct(">HB")
_LONGEST = 0xFFFF


class Text(NamedTuple):
    """A message in words, and how serious it is: one of ``LEVELS``."""

    words: str
    source: str
    level: str


def package(kind: int, payload: bytes = b"") -> bytes:
    """A package of a kind; BadInput if it is longer than a package may be."""
    size = _HEAD.size + len(payload)
    if size > _LONGEST:
        raise BadInput("package is too long", found=size, allowed=f"{_LONGEST} bytes")
    return _HEAD.pack(size, kind) + payload


class Splitter:
    """Cuts a stream of bytes into packages; keeps no more than one that is not complete."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, received: bytes) -> list[tuple[int, bytes]]:
        """Kind and payload of every package that is complete now."""
        rest, at, found = self._rest, 0, []
        rest += received
        while len(rest) - at >= _HEAD.size:
            size, kind = _HEAD.unpack_from(rest, at)
            if size < _HEAD.size:
                raise BadInput(
                    "no package", where="length", found=size, allowed=f"{_HEAD.size} or more"
                )
            if len(rest) - at < size:
                break
            found.append((kind, bytes(rest[at + _HEAD.size : at + size])))
            at += size
        del rest[:at]
        return found


def write_names(names: list[str], frequency: float | None = None) -> bytes:
    """Payload that asks for fields; with ``frequency`` [Hz] for outputs."""
    head = b"" if frequency is None else struct.pack(">d", frequency)
    return head + ",".join(names).encode("ascii")


def read_outputs(payload: bytes) -> tuple[float, list[str]]:
    """Frequency [Hz] and names of the fields that a client asks for.

    A comma at the end is no name: ur-rtde sends one.
    """
    if len(payload) < 8:
        raise BadInput(
            "the request for outputs is too short", found=len(payload), allowed="8 bytes or more"
        )
    (frequency,) = struct.unpack_from(">d", payload)
    return frequency, read_names(payload[8:])


def read_names(payload: bytes) -> list[str]:
    """Words between commas."""
    if len(payload) > MOST_NAMES:
        raise BadInput(
            "the list of fields is too long", found=len(payload), allowed=f"{MOST_NAMES} bytes"
        )
    try:
        text = payload.decode("ascii")
    except UnicodeDecodeError:
        raise BadInput("the list of fields is no text", found=payload[:40]) from None
    return text.removesuffix(",").split(",") if text.strip(",") else []


def write_recipe(number: int, types: list[str]) -> bytes:
    """Payload that answers a request for fields: the recipe's number and a type for every field."""
    return bytes([number]) + ",".join(types).encode("ascii")


def read_recipe(payload: bytes) -> tuple[int, list[str]]:
    """The recipe's number and its types; BadInput for an empty answer."""
    if not payload:
        raise BadInput("the answer to a request for fields is empty")
    return payload[0], read_names(payload[1:])


def write_text(words: str, level: str = "error", source: str = "hopfield-nav") -> bytes:
    """Payload of a message; what does not fit is cut off."""
    parts = [part.encode("utf-8")[:255] for part in (words, source)]
    return b"".join(bytes([len(part)]) + part for part in parts) + bytes([LEVELS.index(level)])


def read_text(payload: bytes) -> Text:
    """A message of protocol version 2."""
    words, rest = _counted(payload)
    source, rest = _counted(rest)
    if len(rest) != 1 or rest[0] >= len(LEVELS):
        raise BadInput("a message without a level", found=rest[:8], allowed=", ".join(LEVELS))
    return Text(words, source, LEVELS[rest[0]])


def _counted(payload: bytes) -> tuple[str, bytes]:
    if not payload or len(payload) < 1 + payload[0]:
        raise BadInput("a message is cut short", found=len(payload))
    end = 1 + payload[0]
    return payload[1:end].decode("utf-8", "replace"), payload[end:]


def write_version(number: int) -> bytes:
    """Payload that asks for a version of the protocol."""
    return struct.pack(">H", number)


def read_version(payload: bytes) -> int:
    """Version of the protocol that is asked for; BadInput for other than two bytes."""
    if len(payload) != 2:
        raise BadInput("no version of the protocol", found=len(payload), allowed="2 bytes")
    return int(struct.unpack(">H", payload)[0])


def write_controller(version: tuple[int, int, int, int]) -> bytes:
    """Payload with the controller's version: major, minor, bug fix, build."""
    return struct.pack(">4I", *version)


def read_controller(payload: bytes) -> tuple[int, int, int, int]:
    """The controller's version, of three or four numbers; older ones send no build."""
    if len(payload) not in (12, 16):
        raise BadInput("no version of a controller", found=len(payload), allowed="12 or 16 bytes")
    numbers = struct.unpack(f">{len(payload) // 4}I", payload)
    major, minor, fix, build = (*numbers, 0)[:4]
    return major, minor, fix, build


def read_accepted(payload: bytes) -> bool:
    """Whether a request was granted; BadInput for other than one byte."""
    if len(payload) != 1:
        raise BadInput("neither yes nor no", found=len(payload), allowed="1 byte")
    return payload[0] != 0
