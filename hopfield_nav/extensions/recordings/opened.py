"""A log of any kind: a run, its ``log.nc``, its exported table, or a recording of a real arm.

What it is, is read before anything else is asked for. A run's files say the motors' torque; a recording has currents.
The world of a run lies beside its files.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np

from dynamics import BadInput
from hopfield_nav.extensions.recordings.described import is_described
from hopfield_nav.extensions.recordings.formats import read_head, read_lines
from hopfield_nav.extensions.recordings.joints import in_order_of
from hopfield_nav.extensions.recordings.recording import label_signals, load_recording
from hopfield_nav.extensions.recordings.signals import MOTOR_CONSTANT, Signals, signals_of_data, stride_of
from hopfield_nav.record import load_run, read_netcdf
from hopfield_nav.world import World, recorded_world

if TYPE_CHECKING:
    import xarray

SIGNALS_TABLE = "signals.csv"  # that ``export --csv`` writes
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
        if self.world is None:
            return signals_of_data(self.data, 1)
        return signals_of_data(self.data, stride_of(self.data, self.world, str(self.path)))

    def recording(self) -> "xarray.Dataset":
        """A run as ``serve`` tells it: the motors' torques as currents of motors with one known constant."""
        if not self.simulated:
            return self.data
        _, *values, _ = signals = self.signals()
        named = dict(zip(Signals._fields[1:-1], values, strict=True))
        named["current"] = named.pop("tau") / MOTOR_CONSTANT
        return label_signals(signals.time, named, self.path.name)

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
            what = "no free motion: something touched the arm"
            raise BadInput(what, where=str(self.path), found=found, allowed="runs of free motion")


def open_log(path: str | Path) -> OpenedLog:
    """Open a log: of a run its folder, ``log.nc`` or ``signals.csv``; or what ``load_recording`` reads.

    Raises ``BadInput``: as ``load_run`` and ``load_recording``, or a table of a run without its signals.
    """
    path = Path(path)
    if (path / "summary.json").is_file():
        run = load_run(path)
        return OpenedLog(run.data, run.world, True, path)
    table = path / SIGNALS_TABLE if (path / SIGNALS_TABLE).is_file() else path
    beside = table.parent / "world.yaml"
    if table.suffix == ".nc" and table.is_file():
        data = read_netcdf(table)
    elif table.is_file() and not is_described(table) and read_lines(table)[0][0].startswith("time ["):
        data = _read_signals(table)
    else:
        return OpenedLog(load_recording(path, None), None, False, path)
    missing = [name for name in ("q", "qd", "q_ref", "qd_ref", "qdd_ref", "tau") if name not in data]
    if missing:
        raise BadInput("not the signals of a run", where=str(table), found=f"no {', '.join(missing)}")
    return OpenedLog(data, recorded_world(beside) if beside.is_file() else None, True, table)


def _read_signals(path: Path) -> "xarray.Dataset":
    """A table of ``export_csv``: its signals that replaying, tuning and identification need."""
    import xarray

    head = read_head(path)
    found = [_COLUMN.fullmatch(name) for name in head.names]
    places: dict[str, list[int]] = {}
    for k, column in enumerate(found):
        if column is not None and column["name"] in _READ and column["part"]:
            places.setdefault(column["name"], []).append(k)
    read = head.read(head.names[0], places)
    variables = {}
    for name, table in read.signals.items():
        part = "joint" if name.startswith(("q", "tau")) else "axis"
        variables[name] = (("time", part), table, {"units": str(found[places[name][0]]["unit"])})  # type: ignore[index]
    return xarray.Dataset(variables, {"time": ("time", read.time, {"units": "s"})})
