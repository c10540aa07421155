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
    with _opened(path) as bag:
        states = [c for c in bag.connections if c.msgtype == MESSAGE]
        chosen = _topic({c.topic for c in states}, topic, path)
        messages = [
            (bag.deserialize(raw, connection.msgtype), received)
            for connection, received, raw in bag.messages([c for c in states if c.topic == chosen])
        ]
    where = f"{path}, {chosen}"
    if not messages:
        raise BadInput("no messages", where=where, allowed=f"some of {MESSAGE}")
    names = tuple(joints or messages[0][0].name)
    whole = [(m, t) for m, t in messages if set(names) <= set(m.name)]
    if not whole:
        given = list(messages[0][0].name)
        name = next(name for name in names if name not in given)
        allowed, near = ", ".join(given), nearest_name(name, given)
        raise BadInput(
            "no such joint in any message", where=where, found=name, allowed=allowed, nearest=near
        )
    headers = ((m.header.stamp, received) for m, received in whole)
    stamps = np.array(
        [at.sec * 10**9 + at.nanosec or received for at, received in headers], dtype=np.int64
    )
    back = np.flatnonzero(np.diff(stamps) < 0)
    if len(back):
        found = f"{1e-9 * (stamps[back[0] + 1] - stamps[back[0]]):.6f} s to the next"
        raise BadInput(
            "time does not increase", where=f"{where}, message {back[0] + 1}", found=found
        )
    filled = [field for field in FIELDS if len(getattr(whole[0][0], field))]
    fields = {field: _numbers([m for m, _ in whole], field, names, where) for field in filled}
    known = {field: ~np.isnan(values).all(axis=0) for field, values in fields.items()}
    fields = {field: values for field, values in fields.items() if known[field].any()}
    own = np.logical_and.reduce(
        [np.full(len(names), True), *(known[field] for field in fields if not joints)]
    )
    fields = {
        field: values[:, own] for field, values in fields.items()
    }  # a joint without a sensor is not the arm's
    for field, values in fields.items():
        lost = np.isnan(values).all(axis=1, keepdims=True)
        for k, j in np.argwhere(~np.isfinite(values) & ~lost)[:1]:
            raise BadInput(
                "not a finite number",
                where=f"{where}, message {k + 1}, {field}",
                found=float(values[k, j]),
            )
    names = tuple(name for name, used in zip(names, own, strict=True) if used)
    return JointStates(names, stamps, fields, len(messages) - len(whole))


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
        raise BadInput(
            what, where=str(path), allowed=f"`topic` in a description of the log: {names}"
        )
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
    out = np.empty((len(messages), len(names)))
    for k, message in enumerate(messages):
        values, given = getattr(message, field), list(message.name)
        there = f"{where}, message {k + 1}, {field}"
        if len(values) != len(given):
            raise BadInput(
                "not one number a joint", where=there, found=len(values), allowed=str(len(given))
            )
        out[k] = [values[given.index(name)] for name in names]
    return out
