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


_TOGETHER = 0.3  # of the usual step, within which messages of different joints are of one row
_OFTEN = 0.9  # share of messages that others have to be near to


class JointStates(NamedTuple):
    """The messages of a topic."""

    joints: tuple[str, ...]  # n, in the order of the columns
    nanoseconds: np.ndarray  # (k,) int64 stamps; where a header has none, when it was received
    fields: dict[str, np.ndarray]  # (k, n) of each of ``FIELDS`` that the messages fill
    dropped: int  # messages without all of the joints, or without a stamp
    left_out: str  # these in words


def is_bag(path: Path) -> bool:
    """Whether a path is that of a bag: a file of one, or the folder of a ROS 2 bag, also one without metadata."""
    return path.suffix in _FILES or (path / "metadata.yaml").is_file() or bool(_files_in(path))


def _files_in(folder: Path) -> list[Path]:
    """The files of a ROS 2 bag in a folder."""
    return [path for ending in _FILES[1:] for path in sorted(folder.glob(f"*{ending}"))]


def read_joint_states(
    path: Path, topic: str | None, joints: Sequence[str] | None, count: int | None = None
) -> JointStates:
    """The messages of a topic, default the only one with joint states, in the order of time.

    ``joints`` are the names of those wanted, in their order; by default those of the messages with
    most joints, ``count`` where that is known. Joints over several messages are joined by stamp.
    """
    received, chosen = _received(path, topic)
    where = f"{path}, {chosen}"
    if not received:
        raise BadInput("no messages", where=where, allowed=f"some of {MESSAGE}")
    names = tuple(joints or _joints_of(received, count))
    whole = [each for each in received if set(names) <= set(each.message.name)]
    of_others = len(received) - len(whole) if joints else 0
    if not whole:
        whole = _joined(received, names, where)
        of_others = 0
    whole, unstamped = _stamped(whole)
    stamps = _stamps(whole, where)
    fields = _filled_fields([each.message for each in whole], names, where)
    if not joints:
        names, fields = _without_blind_joints(names, fields)
    for field, values in fields.items():
        _require_finite(values, f"{where}, message {{}}, {field}")
    words = [
        f"{count} {'message' if count == 1 else 'messages'} without {what}"
        for count, what in ((of_others, "all of the joints"), (unstamped, "a stamp"))
        if count
    ]
    return JointStates(names, stamps, fields, of_others + unstamped, ", ".join(words))


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


def _joints_of(received: Sequence[_Received], count: int | None) -> tuple[str, ...]:
    """The joints of an arm whose messages may be two, beside those of a gripper.

    Those of the messages with most joints, and of others that come as often, at the same moments;
    of the former alone where they are ``count`` already.
    """
    kinds = _kinds(received)
    largest = max(kinds, key=len)
    if len(largest) == count:
        return largest
    stamps = np.array([_stamp(each) for each in kinds[largest]])
    names = list(largest)
    for kind, messages in kinds.items():
        own = np.array([_stamp(each) for each in messages])
        often = len(own) > _OFTEN * len(stamps)
        if often and not set(kind) & set(names) and _nearest(own, stamps)[1].mean() > _OFTEN:
            names += kind
    return tuple(names)


def _kinds(received: Sequence[_Received]) -> dict[tuple[str, ...], list[_Received]]:
    """Messages by the names of their joints."""
    kinds: dict[tuple[str, ...], list[_Received]] = {}
    for each in received:
        kinds.setdefault(tuple(each.message.name), []).append(each)
    return kinds


def _nearest(own: np.ndarray, stamps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of every stamp (k,) the nearest of others, and whether it is near enough to be of the same row."""
    usual = float(np.median(np.diff(stamps))) if len(stamps) > 1 else 0.0
    closest = np.rint(np.interp(stamps, own, np.arange(len(own)))).astype(int)
    return closest, np.abs(own[closest] - stamps) <= _TOGETHER * usual


def _joined(received: Sequence[_Received], names: Sequence[str], where: str) -> list[_Received]:
    """Rows of all joints, of messages that have some of them and lie near to each other.

    Raises ``BadInput``: a joint is in no message, or no messages lie near enough.
    """
    kinds = {kind: own for kind, own in _kinds(received).items() if set(kind) & set(names)}
    known = [name for kind in kinds for name in kind]
    if not set(names) <= set(known):
        _refuse_joints(names, known or list(received[0].message.name), where)
    first, *others = kinds.values()
    stamps = np.array([_stamp(each) for each in first])
    rows = [[each] for each in first]
    together = np.full(len(first), True)
    for own in others:
        closest, near = _nearest(np.array([_stamp(each) for each in own]), stamps)
        together &= near
        for row, k in zip(rows, closest, strict=True):
            row.append(own[k])
    if not together.any():
        found = "; ".join(", ".join(kind) for kind in kinds)
        raise BadInput("no message has all joints", where=where, found=found)
    whole = [row for row, is_whole in zip(rows, together, strict=True) if is_whole]
    return [_Received(_Together(row), row[0].nanoseconds) for row in whole]


class _Together:
    """Messages of one moment as one."""

    def __init__(self, parts: Sequence[_Received]) -> None:
        messages = [part.message for part in parts]
        self.header = messages[0].header
        self.name = [name for message in messages for name in message.name]
        for field in FIELDS:
            values = [getattr(message, field) for message in messages]
            whole = all(len(value) for value in values)
            setattr(self, field, np.concatenate(values) if whole else np.zeros(0))


def _stamp(received: _Received) -> int:
    """The time [ns] of a message: of its header, or when it was received."""
    header = received.message.header.stamp
    return header.sec * 10**9 + header.nanosec or received.nanoseconds


def _stamped(whole: list[_Received]) -> tuple[list[_Received], int]:
    """Messages without those before the clock began, and how many these are.

    A simulation's clock is not known at first: such messages have no stamp, where all others have.
    """
    has_none = [
        each.message.header.stamp.sec == 0 and each.message.header.stamp.nanosec == 0
        for each in whole
    ]
    if all(has_none) or not any(has_none):
        return whole, 0
    stamped = [each for each, none in zip(whole, has_none, strict=True) if not none]
    return stamped, len(whole) - len(stamped)


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
        stamps[k] = _stamp(each)
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
    try:
        with AnyReader(_parts(path), default_typestore=get_typestore(Stores.ROS2_HUMBLE)) as bag:
            yield bag
    except BadInput:
        raise
    except Exception as error:  # of rosbags, and of all that it reads with
        reason = " ".join(str(error).split()) or type(error).__name__
        raise BadInput(f"not a bag that can be read: {reason}", where=str(path)) from error


def _parts(path: Path) -> list[Path]:
    """What rosbags is to read: a file of ROS 1, or the folder of a bag of ROS 2.

    Raises ``BadInput``: the metadata are missing that ROS 2 writes at the end of a recording.
    """
    if path.suffix == ".bag":
        return [path]
    folder = path.parent if path.is_file() else path
    if folder.is_dir() and not (folder / "metadata.yaml").is_file():
        allowed = f"`ros2 bag reindex {folder}` writes it"
        raise BadInput("a bag without metadata.yaml", where=str(path), allowed=allowed)
    return [folder]


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
