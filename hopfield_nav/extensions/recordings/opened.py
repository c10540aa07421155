"""A log of any kind: a run, its ``log.nc``, its exported table, or a recording of a real arm.

What it is, is read before anything else is asked for. A run's files say the motors' torque; a
recording has currents. The world of a run lies beside its files. Whose joint is which column, and
what of a log is used, is said in words.

For identification, torque is what the motors give. A run records it, and so does a recording with
measured torques at the joints. Another recording has currents, and what its column of torque holds
is the model of the arm's own controller, never used here: motor constants [N·m/A] are given, or
fitted so that the given arm's torque explains the currents (then masses are known in proportion to
that arm's alone).
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from dynamics import Arm, BadInput, list_arms, load_named_arm, nearest_name
from dynamics.files import NamedArm
from dynamics.identification import MotionLog
from hopfield_nav.extensions.recordings.described import is_described
from hopfield_nav.extensions.recordings.formats import read_head, read_lines
from hopfield_nav.extensions.recordings.logged_torque import remarks_on_torque
from hopfield_nav.extensions.recordings.motors import MotorFit, fit_motors, given_motors
from hopfield_nav.extensions.recordings.recording import label_signals, load_recording
from hopfield_nav.extensions.recordings.signals import (
    MOTOR_CONSTANT,
    Signals,
    drive_of,
    signals_of_data,
    stride_of,
)
from hopfield_nav.record import load_run, read_netcdf
from hopfield_nav.world import World, recorded_world

if TYPE_CHECKING:
    import xarray

SIGNALS_TABLE = "signals.csv"  # that ``export --csv`` writes
_USES = ("joints", "clock", "columns", "left_out")  # attributes that say what a log is used for
_COLUMN = re.compile(r"(?P<name>\w+?)(?:_(?P<part>[0-9]+|[xyz]))? \[(?P<unit>[^]]*)\]")
_READ = (
    "q", "qd", "q_ref", "qd_ref", "qdd_ref", "tau", "tau_sensed", "q_sensed", "qd_sensed", "force_sensed",
    "moment_sensed", "tau_external", "force", "contact_force",
)  # fmt: skip


@dataclass(frozen=True)
class OpenedLog:
    """A log, labelled as ``Run.data`` is."""

    data: "xarray.Dataset"  # its signals
    world: "World | None"  # that it is a run of; None where nothing says so
    simulated: bool  # whether it is of a run: it has the motors' torque, and the true contact
    path: Path  # where it lies

    def of(self, names: Sequence[str], count: int) -> Self:
        """The same with so many joints, in the order of an arm whose ``names`` may be known (``in_order_of``)."""
        return replace(self, data=in_order_of(self.data, names, count, str(self.path)))

    def signals(self) -> Signals:
        """What the control computer of a run sensed.

        Raises ``BadInput``: the rows are not those of control periods.
        """
        return signals_of_data(
            self.data, 1 if self.world is None else stride_of(self.data, self.world, str(self.path))
        )

    def recording(self) -> "xarray.Dataset":
        """A run as ``serve`` tells it.

        The motors' torques as currents of motors with one known constant.
        """
        if not self.simulated:
            return self.data
        named = self.signals()._asdict()
        named["current"] = named.pop("tau") / MOTOR_CONSTANT
        return label_signals(named.pop("time"), named, self.path.name)

    def require_untouched(self) -> None:
        """Refuse, with ``BadInput``, a run in which something touched the arm, or a recording that says so."""
        if "contact" in self.data:
            touched = np.flatnonzero(self.data.contact.values > 0.5)
        elif self.simulated and "tau_external" in self.data:
            touched = np.flatnonzero(np.any(self.data.tau_external.values != 0.0, axis=1))
        else:
            return
        if touched.size:
            found = f"contact at {float(self.data.time[touched[0]]):g} s"
            raise BadInput(
                "no free motion: something touched the arm",
                str(self.path),
                found,
                "runs of free motion",
            )


def open_log(path: str | Path) -> OpenedLog:
    """Open a log: of a run its folder, ``log.nc`` or ``signals.csv``; or what ``load_recording`` reads.

    Raises ``BadInput``: as ``load_run`` and ``load_recording``, or a table of a run without its
    signals.
    """
    path = Path(path)
    if (path / "summary.json").is_file():
        run = load_run(path)
        return OpenedLog(run.data, run.world, True, path)
    table = path / SIGNALS_TABLE if (path / SIGNALS_TABLE).is_file() else path
    beside = table.parent / "world.yaml"
    if table.suffix == ".nc" and table.is_file():
        data = read_netcdf(table)
    elif (
        table.is_file() and not is_described(table) and read_lines(table)[0][0].startswith("time [")
    ):
        data = _read_signals(table)
    else:
        return OpenedLog(load_recording(path, None), None, False, path)
    missing = [
        name for name in ("q", "qd", "q_ref", "qd_ref", "qdd_ref", "tau") if name not in data
    ]
    if missing:
        raise BadInput(
            "not the signals of a run", where=str(table), found=f"no {', '.join(missing)}"
        )
    return OpenedLog(data, recorded_world(beside) if beside.is_file() else None, True, table)


def _read_signals(path: Path) -> "xarray.Dataset":
    """A table of ``export_csv``: its signals that replaying, tuning and identification need."""
    import xarray

    head = read_head(path)
    places: dict[str, list[int]] = {}
    units: dict[str, str] = {}
    for k, heading in enumerate(head.names):
        column = _COLUMN.fullmatch(heading)
        if column is not None and column["name"] in _READ and column["part"]:
            places.setdefault(column["name"], []).append(k)
            units[column["name"]] = column["unit"]
    read = head.read(head.names[0], places)
    variables = {
        name: (
            ("time", "joint" if name.startswith(("q", "tau")) else "axis"),
            table,
            {"units": units[name]},
        )
        for name, table in read.signals.items()
    }
    return xarray.Dataset(variables, {"time": ("time", read.time, {"units": "s"})})


def in_order_of(
    data: "xarray.Dataset", names: Sequence[str], count: int, where: str
) -> "xarray.Dataset":
    """A log with the joints of an arm in its order, where both have ``names``.

    A prefix of some of them is no matter. Those of UR's drivers are known for any arm of six
    joints. Where no name fits, the ``count`` joints are taken as they stand. The attribute
    ``joints`` says what was done.

    Raises ``BadInput``: another number of joints, or some joints of the arm that the log does not
    have.
    """
    own = tuple(filter(None, data.attrs.get("joint_names", "").split(", ")))
    places = [_place(name, own) for name in names]
    known = load_named_arm("ur5e").joints
    if all(place is None for place in places) and count == len(known) and set(known) <= set(own):
        names, places = known, [own.index(name) for name in known]
    if any(place is not None for place in places):
        missing = [name for name, place in zip(names, places, strict=True) if place is None]
        if missing:
            found, nearest = ", ".join(own), nearest_name(missing[0], own)
            raise BadInput(
                f"no joint {', '.join(missing)}", where=where, found=found, nearest=nearest
            )
        data = data.isel(joint=np.array(places)).assign_coords(
            joint=data.joint[: len(names)].values
        )
        unused = [name for name in own if own.index(name) not in places]
        words = ", ".join(own[place] for place in places if place is not None)
        return data.assign_attrs(
            joints=f"by name, {words}" + (f"; not used: {', '.join(unused)}" if unused else "")
        )
    if data.sizes["joint"] != count:
        allowed = f"{count}, as the arm: --arm ARM or --world WORLD names another"
        found = f"{data.sizes['joint']}" + (f": {', '.join(own)}" if own else "")
        raise BadInput(
            "another number of joints than the arm", where=where, found=found, allowed=allowed
        )
    if own:
        return data.assign_attrs(joints=f"{', '.join(own)}, assumed to be in the order of the arm")
    return data.assign_attrs(joints=f"1 to {count} as they are numbered")


def _place(name: str, own: Sequence[str]) -> int | None:
    """Where a joint stands among those of a log.

    By its name, or by the only one of which it is the end.
    """
    near = [k for k, other in enumerate(own) if other.endswith(name) or name.endswith(other)]
    return own.index(name) if name in own else near[0] if len(near) == 1 else None


def uses_of(
    logs: "Sequence[tuple[str, xarray.Dataset]]",
    arm: str | None = None,
    own: NamedArm | None = None,
) -> list[tuple[str, str]]:
    """What logs are used for, as rows of a table.

    Joints, clock, columns, and the rows that are left out. And what of the arm's file ``arm`` is
    used, whose content is ``own``, where it is one of the user's.
    """
    use = own.use() if own is not None and arm not in (None, *list_arms()) else ""
    said = [
        (name, [(use, data.attrs[use]) for use in _USES if data.attrs.get(use)])
        for name, data in logs
    ]
    rows = [
        (f"log {name}", "; ".join(f"{use.replace('_', ' ')}: {text}" for use, text in uses))
        for name, uses in said
    ]
    return [*[("arm", use)] * bool(use), *dict.fromkeys(rows)]


def remarks_on(logs: Sequence[OpenedLog], arm: Arm) -> list[tuple[str, str]]:
    """What is odd about the torques of recordings but can be used, as rows of a table.

    Raises ``BadInput``: as ``remarks_on_torque``.
    """
    rows = []
    for log in logs:
        rows += [(f"log {log.path.name}", remark) for remark in remarks_on_torque(log.data, arm)]
    return list(dict.fromkeys(rows))


class Sources(NamedTuple):
    """Logs, and the motors that turned their currents into torques, if any did."""

    logs: list[MotionLog]
    motors: "MotorFit | None"
    fitted: bool  # whether the motors were fitted, or given
    uses: list[tuple[str, str]]  # what the logs are used for, as rows of a table


def read_logs(
    paths: Sequence[Path],
    arm: Arm,
    motor_constants: Sequence[float] | None = None,
    same_motor: Sequence[Sequence[int]] = (),
    joints: Sequence[str] = (),
) -> Sources:
    """Read logs of any kind that ``open_log`` opens, of an arm whose torque counts where motors are fitted.

    ``motor_constants`` (n,) are torques at the joint for a current [N·m/A]; by default they are
    fitted. ``same_motor`` are groups of joints, counted from 1, with one of them in common;
    ``joints`` the arm's names of them.

    Raises ``BadInput``: a log that cannot be read, a run in which something touched the arm, or
    currents without motor constants that cannot be fitted.
    """
    opened = [open_log(path).of(joints, len(arm.dh)) for path in paths]
    for log in opened:
        if "residual" in log.data.attrs:
            raise BadInput(
                "a residual says nothing of the arm", where=str(log.path), allowed="a log without"
            )
    data = [log.data for log in opened if not log.simulated and "effort" not in log.data]
    uses = uses_of([(log.path.name, log.data) for log in opened if not log.simulated])
    uses += remarks_on([log for log in opened if not log.simulated], arm)
    motors: MotorFit | None = None
    if motor_constants is not None:
        motors = given_motors(motor_constants, len(arm.dh))
    elif data:
        motors = fit_motors(data, arm, same_motor)
        motors.require_signs()
    logs = [
        _log_of_run(log) if log.simulated else log_of_recording(log.data, motors) for log in opened
    ]
    return Sources(logs, motors if data else None, motor_constants is None, uses)


def _log_of_run(log: "OpenedLog") -> MotionLog:
    """A run of ours: measured torque of the motors, angles of the links, and of the rotors of elastic joints.

    A torque that is held acts, in the mean, half a period after the angles that it was computed for
    (with semi-implicit Euler, which moves them with the speed after a step, half a step less).
    Without a world nothing is known of that.
    """
    data, world, time = log.data, log.world, log.data.time.values
    name = log.path.name if world is None else world.name
    if len(time) < 2:
        raise BadInput("the run has no record", where=name, allowed="record.signals: all")
    log.require_untouched()
    elastic = world is not None and world.plant.engine == "flexible"
    # held over a period, as the torque is
    sensed = data.q if "q_sensed" not in data else data.q_sensed
    tau = data.tau if "tau_sensed" not in data else data.tau_sensed  # of the period before
    late = (
        0.0
        if world is None
        else _lateness(world, time[1] - time[0], tau.name, elastic or sensed.name == "q", name)
    )
    acting = np.stack([np.interp(time - late, time, joint) for joint in tau.values.T], axis=1)
    links, rotors = (data.q, sensed.values) if elastic else (sensed, None)
    return MotionLog(time, links.values, acting, None, rotors, name)


def _lateness(world: "World", row: float, torque: str, is_true: bool, name: str) -> float:
    """How much later torques act than the angles of their rows, ``row`` apart [s].

    ``is_true``: these are not held.
    """
    step, period = world.plant.step, world.controller.period
    if not world.controller.hold:
        return 0.0
    steps, rows = round(period / step), round(row / step)
    common = math.gcd(steps, rows)
    if not is_true and common not in (steps, rows):
        what, allowed = (
            "rows at no fixed times of the control periods",
            f"a divisor or a multiple of {steps}",
        )
        raise BadInput(what, where=name, found=f"{rows} steps", allowed=f"record.every: {allowed}")
    late = 0.5 * period if torque == "tau" else -0.5 * period
    late -= 0.5 * step if world.plant.integrator == "semi_implicit_euler" else 0.0
    return late - 0.5 * (steps - common) * step if is_true else late


def log_of_recording(data: "xarray.Dataset", motors: "MotorFit | None") -> MotionLog:
    """A recording: torque that was measured, or that of its currents by the motors.

    Raises ``BadInput``: neither was recorded.
    """
    qd = data.qd.values if "qd" in data else None
    tau = drive_of(data) if "effort" in data or motors is None else motors.torque(drive_of(data))
    return MotionLog(
        data.time.values, data.q.values, tau, qd, name=str(data.attrs.get("title", "recording"))
    )
