"""Logs of any arm, by a description: a short YAML file.

It says which columns or topics hold which signals. A ROS bag with one topic of joint states needs
none.
"""

from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from dynamics import BadInput
from hopfield_nav import world
from hopfield_nav.extensions.recordings.bags import FIELDS, JointStates, is_bag, read_joint_states
from hopfield_nav.extensions.recordings.formats import Head, Recorded, aligned, read_head

_ANGLE = {"rad": 1.0, "deg": np.pi / 180.0}
_SPEED = {f"{unit}/s": factor for unit, factor in _ANGLE.items()}
_TORQUE = {"N·m": 1.0, "N·mm": 1e-3}
_UNITS = {  # of each signal, the first by default
    "time": {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9},
    "q": _ANGLE, "q_ref": _ANGLE, "qd": _SPEED, "qd_ref": _SPEED,
    "qdd_ref": {f"{unit}/s²": factor for unit, factor in _ANGLE.items()},
    "current": {"A": 1.0, "mA": 1e-3}, "effort": _TORQUE, "tau": _TORQUE,
}  # fmt: skip
SIGNALS = tuple(_UNITS)[1:]
_OF_BAG = {"q": "position", "qd": "velocity", "effort": "effort"}  # what a bag is taken to hold


class SignalSection(world.Section):
    """Where a signal stands; a bare word is its columns."""

    extension: ClassVar[str] = "recordings"

    columns: world.Text | int | tuple[world.Text | int, ...] = Field(
        description="of a table: names, or one with * for the joint, or numbers where it has no header; "
        "of a bag: position, velocity or effort"
    )
    unit: world.Text | None = Field(None, description="of its numbers; null: that of the program")
    scale: Annotated[Any, world.PerJoint(-1e9, 1e9, "")] = Field(
        1.0,
        description="what its numbers are multiplied by, one or one a joint, such as N·m for 1 A",
    )
    topic: world.Text | None = Field(
        None, description="of a bag, where it is another than that of the log"
    )
    late: Annotated[float, world.Range(-1.0, 1.0, "s")] = Field(
        0.0, description="how much later it comes than the time of its row says, which is taken off"
    )


Signal = Annotated[SignalSection, world.OrWord("columns", lists=True)]
_Span = Annotated[tuple[float, ...], world.Length(2, 2)]


class LogFile(world.Section):
    """The description of a log."""

    extension: ClassVar[str] = "recordings"

    format: Annotated[int, world.Whole(1, 1)] = Field(
        description="version of the layout of a description"
    )
    file: world.Text = Field(
        description="table, .bag, or folder of a ROS 2 bag, relative to this file"
    )
    topic: world.Text | None = Field(
        None, description="of a bag; null: the only one with joint states"
    )
    joints: tuple[world.Text | int, ...] | None = Field(
        None,
        description="what * stands for, or names in a bag, in the arm's order; null: as they are",
    )
    time: Signal = Field(
        SignalSection(columns="time"),
        description="of a table: its column of time, or those of seconds and nanoseconds",
    )
    q: Signal | None = Field(None, description="measured joint angles")
    qd: Signal | None = Field(None, description="measured joint velocities")
    q_ref: Signal | None = Field(None, description="reference joint angles")
    qd_ref: Signal | None = Field(None, description="reference joint velocities")
    qdd_ref: Signal | None = Field(None, description="reference joint accelerations")
    current: Signal | None = Field(None, description="motor currents")
    effort: Signal | None = Field(
        None, description="measured torques at the joints, friction included"
    )
    tau: Signal | None = Field(
        None, description="torques that the maker's own model needs for the motion"
    )
    residual: world.Flag = Field(
        False,
        description="what effort leaves of tau is felt, or effort itself where there is no tau, and no "
        "model is needed",
    )
    contact: world.Text | None = Field(
        None, description="of a table: column that is not 0 where the arm was touched"
    )
    contacts: tuple[_Span, ...] = Field(
        (), description="when it was touched: begin and end, by the log's time"
    )

    def signals(self) -> dict[str, SignalSection]:
        """The signals that are said to be there, by name."""
        return {name: given for name in SIGNALS if (given := getattr(self, name)) is not None}


def is_described(path: Path) -> bool:
    """Whether a path is that of a description, or of a bag that needs none."""
    return path.suffix in (".yaml", ".yml") or is_bag(path)


def read_described(path: Path, joints: int | None) -> Recorded:
    """The signals of a described log or of a bag.

    ``joints``: how many the arm has; None: as many as the log has.

    Raises ``BadInput``: a description that does not fit itself, the log or the arm.
    """
    given = _description(path)
    log = path.parent / given.file
    where = str(log if is_bag(path) else path)
    _check(given, log, where)
    raw = _of_bag(given, log, joints) if is_bag(log) else _of_table(given, log, joints, where)
    _scale(given, raw, where)
    _check_joints(raw, joints, where)
    if given.residual:
        if "effort" not in raw.signals:
            raise BadInput("no effort", where=f"{where}: residual", allowed="with effort alone")
        if "tau" in raw.signals:
            raw.signals["effort"] -= raw.signals["tau"]
    return _labelled(given, raw._replace(residual=given.residual), where)


def _description(path: Path) -> LogFile:
    """What a description says; of a bag alone, that it is one."""
    if is_bag(path):
        return LogFile(format=1, file=path.name)
    return world.read_form(LogFile, world.read_document(path))


def _check(given: LogFile, log: Path, where: str) -> None:
    """Refuse units that are not known, touches that are said twice, and topics of a table."""
    signals = given.signals()
    for name, signal in {**signals, "time": given.time}.items():
        if signal.unit is not None and signal.unit not in _UNITS[name]:
            allowed = ", ".join(_UNITS[name])
            raise BadInput(
                "unknown unit", where=f"{where}: {name}.unit", found=signal.unit, allowed=allowed
            )
    if given.contact is not None and given.contacts:
        raise BadInput(
            "touches are said twice", where=f"{where}: contact", allowed="contact or contacts"
        )
    has_topics = given.topic or any(signal.topic for signal in signals.values())
    if has_topics and not is_bag(log):
        raise BadInput("a table has no topics", where=f"{where}: topic", allowed="none")


def _scale(given: LogFile, raw: Recorded, where: str) -> None:
    """Bring the signals, in place, to the program's units, by their own scale, and to the times of their rows."""
    for name, signal in given.signals().items():
        values = raw.signals[name]
        scale = np.atleast_1d(signal.scale)
        if scale.size not in (1, values.shape[1]):
            allowed = "1, or one a joint"
            raise BadInput(
                "wrong number", where=f"{where}: {name}.scale", found=scale.size, allowed=allowed
            )
        values *= _factor(name, signal) * scale
        if signal.late != 0.0:
            raw.signals[name] = _earlier(raw.time, values, signal.late)


def _check_joints(raw: Recorded, joints: int | None, where: str) -> None:
    """Refuse signals of another number of joints than the arm's, or the angles'."""
    counts = {name: values.shape[1] for name, values in raw.signals.items() if name in SIGNALS}
    wanted = joints or counts["q"]
    for name, found in counts.items():
        if found != wanted:
            raise BadInput(
                "wrong number of joints", where=f"{where}: {name}", found=found, allowed=str(wanted)
            )


def _earlier(time: np.ndarray, values: np.ndarray, late: float) -> np.ndarray:
    """Values (k, n) as they were at the times (k,) of their rows.

    NaN at an end, where that is not known.
    """
    return np.column_stack(
        [np.interp(time + late, time, column, np.nan, np.nan) for column in values.T]
    )


def _factor(name: str, signal: SignalSection) -> float:
    return _UNITS[name][signal.unit] if signal.unit else 1.0


def _of_table(given: LogFile, path: Path, joints: int | None, where: str) -> Recorded:
    if given.q is None:
        raise BadInput(
            "no joint angles", where=f"{where}: q", allowed="their columns, such as pos_*"
        )
    head = read_head(path)
    signals = given.signals()
    places = {name: _places(head, signal, given, joints) for name, signal in signals.items()}
    columns = {name: [*own.values()] for name, own in places.items()}
    if given.contact is not None:
        columns["contact"] = [head.place(given.contact)]
    raw = head.read(_columns_of_time(given, where), columns)
    names: tuple[str, ...] = ()
    if not isinstance(given.q.columns, tuple):
        names = tuple(name for name in places["q"] if not name.isdigit())
    factor = _factor("time", given.time) * float(np.ravel(given.time.scale)[0])
    return raw._replace(time=raw.time * factor, joints=names)


def _columns_of_time(given: LogFile, where: str) -> str | list[str]:
    """The column of time, or those of seconds and nanoseconds."""
    columns = given.time.columns
    if not isinstance(columns, tuple):
        return str(columns)
    if len(columns) != 2 or given.time.unit is not None:
        allowed = "one column, or those of seconds and nanoseconds without a unit"
        raise BadInput(
            "wrong columns of time", where=f"{where}: time", found=columns, allowed=allowed
        )
    return [str(column) for column in columns]


def _places(
    head: Head, signal: SignalSection, given: LogFile, joints: int | None
) -> dict[str, int]:
    """Columns of a signal by the names of their joints.

    Where these are not known, by numbers from 1, or by the columns' own names.
    """
    names = signal.columns
    if isinstance(names, tuple):
        return {str(name): head.place(str(name)) for name in names}
    if not isinstance(names, str):
        return {str(names): head.place(str(names))}
    if given.joints is not None:
        return {str(joint): head.place(names.replace("*", str(joint))) for joint in given.joints}
    if "*" in names:
        numbered = head.numbered(names, joints)
        if numbered:
            return {str(k + 1): place for k, place in enumerate(numbered)}
        named = dict(head.matching(names))
        if named:
            return named
    return {names: head.place(names)}


def _of_bag(given: LogFile, path: Path, joints: int | None) -> Recorded:
    names = None if given.joints is None else [str(joint) for joint in given.joints]

    @cache
    def states(topic: str | None) -> JointStates:
        return read_joint_states(path, topic, names, joints)

    first = states(given.topic)
    names = list(first.joints)
    if joints is not None and len(names) != joints:
        found = f"{len(names)}: {', '.join(names)}"
        allowed = f"{joints}, named by `joints` in a description of the log"
        raise BadInput("wrong number of joints", where=str(path), found=found, allowed=allowed)
    wanted = {
        name: SignalSection(columns=field)
        for name, field in _OF_BAG.items()
        if field in first.fields
    }
    if given.signals():
        wanted = {"q": SignalSection(columns="position"), **given.signals()}
    messages = {name: states(signal.topic or given.topic) for name, signal in wanted.items()}
    logs: dict[str, np.ndarray] = {}
    for name, signal in wanted.items():
        of_topic = messages[name]
        if signal.columns not in of_topic.fields:
            allowed = ", ".join(of_topic.fields) + f" of {', '.join(FIELDS)}"
            raise BadInput(
                "not in the messages",
                where=f"{path}: {name}",
                found=signal.columns,
                allowed=allowed,
            )
        time = 1e-9 * (of_topic.nanoseconds - first.nanoseconds[0])
        logs[name] = np.column_stack([time, of_topic.fields[str(signal.columns)]])
    if "q" not in logs:
        raise BadInput("no joint angles", where=str(path), allowed="messages with positions")
    if len({id(of_topic) for of_topic in messages.values()}) == 1:
        stamps, dropped = logs["q"][:, 0], 0
        signals = {name: log[:, 1:] for name, log in logs.items()}
    else:
        stamps, signals, dropped = aligned(logs, path)
    return Recorded(
        stamps,
        signals,
        [],
        dropped + first.dropped,
        1e-9 * float(first.nanoseconds[0]),
        joints=first.joints,
        columns=", ".join(f"{name} of {signal.columns}" for name, signal in wanted.items()),
        left_out=first.left_out,
    )


def _labelled(given: LogFile, raw: Recorded, where: str) -> Recorded:
    """With the labels of contact (k, 1), from the column or from the spans, where there are any."""
    if given.contacts:
        time = raw.time + raw.start
        touched = np.zeros(len(time), dtype=bool)
        for begin, end in given.contacts:
            inside = (time >= begin) & (time <= end)
            if not inside.any():
                found, allowed = (
                    f"{begin:g} to {end:g} s",
                    f"{time[0]:.10g} to {time[-1]:.10g} s, with rows",
                )
                raise BadInput(
                    "no rows in a contact", where=f"{where}: contacts", found=found, allowed=allowed
                )
            touched |= inside
        raw.signals["contact"] = touched[:, None].astype(np.float64)
    return raw
