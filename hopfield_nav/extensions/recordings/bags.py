"""Joint states of a ROS 1 or ROS 2 bag, read by the package ``rosbags`` (extra ``bags``)."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dynamics import BadInput, nearest_name, needs_library

MESSAGE = "sensor_msgs/msg/JointState"
FIELDS = ("position", "velocity", "effort")
_FILES = (".bag", ".db3", ".mcap")


class JointStates(NamedTuple):
    """The messages of a topic."""

    joints: tuple[str, ...]  # n, in the order of the columns
    nanoseconds: np.ndarray  # (k,) int64 stamps; where a header has none, when it was received
    fields: dict[str, np.ndarray]  # (k, n) of each of ``FIELDS`` that the messages fill
    dropped: int  # messages without all of the joints


def is_bag(path: Path) -> bool:
    """Whether a path is that of a bag: a file of one, or the folder of a ROS 2 bag."""
    return path.suffix in _FILES or (path / "metadata.yaml").is_file()


def read_joint_states(path: Path, topic: str | None, joints: Sequence[str] | None) -> JointStates:
    """The messages of a topic, default the only one with joint states, in the order of time.

    ``joints`` are the names of those wanted, in their order; default as in the first message.
    """
    received, chosen = _received(path, topic)
    where = f"{path}, {chosen}"
    if not received:
        raise BadInput("no messages", where=where, allowed=f"some of {MESSAGE}")
    names = tuple(joints or received[0].message.name)
    whole = [each for each in received if set(names) <= set(each.message.name)]
    if not whole:
        _refuse_joints(names, list(received[0].message.name), where)
    stamps = _stamps(whole, where)
    fields = _filled_fields([each.message for each in whole], names, where)
    if not joints:
        names, fields = _without_blind_joints(names, fields)
    for field, values in fields.items():
        _require_finite(values, f"{where}, message {{}}, {field}")
    return JointStates(names, stamps, fields, dropped=len(received) - len(whole))


class _Received(NamedTuple):
    message: Any  # of rosbags
    nanoseconds: int  # when it was received


def _received(path: Path, topic: str | None) -> tuple[list[_Received], str]:
    """All messages of a topic with joint states, by default of the only one; and its name."""
    with _opened(path) as bag:
        states = [each for each in bag.connections if each.msgtype == MESSAGE]
        chosen = _topic({each.topic for each in states}, topic, path)
        found = []
        for connection, nanoseconds, raw in bag.messages([c for c in states if c.topic == chosen]):
            found.append(_Received(bag.deserialize(raw, connection.msgtype), nanoseconds))
    return found, chosen


def _refuse_joints(names: Sequence[str], given: list[str], where: str) -> None:
    """Raise ``BadInput`` for the first joint that is not among those of the messages."""
    name = next(name for name in names if name not in given)
    raise BadInput(
        "no such joint in any message",
        where=where,
        found=name,
        allowed=", ".join(given),
        nearest=nearest_name(name, given),
    )


def _stamps(whole: Sequence[_Received], where: str) -> np.ndarray:
    """The times (k,) [ns] of messages: of their headers, or when they were received.

    Raises ``BadInput``: they go back.
    """
    stamps = np.empty(len(whole), dtype=np.int64)
    for k, each in enumerate(whole):
        header = each.message.header.stamp
        stamps[k] = header.sec * 10**9 + header.nanosec or each.nanoseconds
    steps = np.diff(stamps)
    if np.any(steps < 0):
        k = int(np.argmax(steps < 0))
        found = f"{1e-9 * steps[k]:.6f} s to the next"
        raise BadInput("time does not increase", where=f"{where}, message {k + 1}", found=found)
    return stamps


def _filled_fields(
    messages: Sequence[Any], names: Sequence[str], where: str
) -> dict[str, np.ndarray]:
    """The fields (k, n) that the messages fill, of which some joint has numbers."""
    fields = {}
    for field in FIELDS:
        if len(getattr(messages[0], field)):
            values = _numbers(messages, field, names, where)
            if not np.isnan(values).all():
                fields[field] = values
    return fields


def _without_blind_joints(
    names: tuple[str, ...], fields: dict[str, np.ndarray]
) -> tuple[tuple[str, ...], dict[str, np.ndarray]]:
    """Names and fields without joints that have no number in a field: such have no sensor there."""
    own = np.full(len(names), True)
    for values in fields.values():
        own &= ~np.isnan(values).all(axis=0)
    kept = tuple(name for name, is_own in zip(names, own, strict=True) if is_own)
    return kept, {field: values[:, own] for field, values in fields.items()}


def _require_finite(values: np.ndarray, where: str) -> None:
    """Refuse numbers (k, n) that are not finite, but for rows without any.

    ``where`` has a place for the number of the message, from 1.
    """
    is_lost = np.isnan(values).all(axis=1, keepdims=True)
    is_bad = ~np.isfinite(values) & ~is_lost
    if is_bad.any():
        k, j = np.argwhere(is_bad)[0]
        raise BadInput("not a finite number", where=where.format(k + 1), found=float(values[k, j]))


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """A bag to read from; whatever goes wrong in it is told in one line."""
    with needs_library("a ROS bag needs rosbags", "bags"):
        from rosbags.highlevel import AnyReader
        from rosbags.typesys import Stores, get_typestore
    folder = path.parent if path.is_file() and path.suffix != ".bag" else path
    try:
        with AnyReader([folder], default_typestore=get_typestore(Stores.ROS2_HUMBLE)) as bag:
            yield bag
    except BadInput:
        raise
    except Exception as error:  # of rosbags, and of all that it reads with
        reason = " ".join(str(error).split()) or type(error).__name__
        raise BadInput(f"not a bag that can be read: {reason}", where=str(path)) from error


def _topic(known: set[str], asked: str | None, path: Path) -> str:
    names = ", ".join(sorted(known)) or f"a bag with {MESSAGE}"
    if asked is None and len(known) != 1:
        what = "several topics with joint states" if known else "no topic with joint states"
        allowed = f"`topic` in a description of the log: {names}"
        raise BadInput(what, where=str(path), allowed=allowed)
    if asked is not None and asked not in known:
        raise BadInput(
            "no such topic",
            where=str(path),
            found=asked,
            allowed=names,
            nearest=nearest_name(asked, known),
        )
    return asked or next(iter(known))


def _numbers(messages: Sequence[Any], field: str, names: Sequence[str], where: str) -> np.ndarray:
    """The numbers (k, n) of a field, in the order of the names."""
    out = np.empty((len(messages), len(names)))
    for k, message in enumerate(messages):
        values = getattr(message, field)
        given = list(message.name)
        if len(values) != len(given):
            there = f"{where}, message {k + 1}, {field}"
            allowed = str(len(given))
            raise BadInput(
                "not one number a joint", where=there, found=len(values), allowed=allowed
            )
        out[k] = [values[given.index(name)] for name in names]
    return out
