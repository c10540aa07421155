"""Logs of a real arm in the labelled form of a simulated run.

Four formats: a folder of ``log_*.csv`` files with a time column each (Kufieta's recordings of a UR5), one table with
a header line, as the RTDE recorders of Universal Robots arms write it, a ROS bag, and any table or bag that a
description says the signals of. Variables, dimensions and units are those of ``Run.data``; see
``docs/recordings.md``.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dynamics import BadInput
from hopfield_nav.extensions.recordings.described import is_described, read_described
from hopfield_nav.extensions.recordings.formats import Recorded, read_folder, read_rtde
from hopfield_nav.extensions.recordings.signals import GAP

if TYPE_CHECKING:
    import xarray

WATCHED_TABLE = "rtde.csv"  # in the record of a stream that was watched
FULL_TURNS = 4 * np.pi  # [rad, rad/s] no joint of these arms goes beyond: degrees do
SLOWEST = 1.0  # [s] median step above which time must be in another unit
_SIGNALS = {  # name: (second dimension, unit, long name)
    "q": ("joint", "rad", "measured joint angle"),
    "qd": ("joint", "rad s-1", "measured joint velocity"),
    "q_ref": ("joint", "rad", "reference joint angle"),
    "qd_ref": ("joint", "rad s-1", "reference joint velocity"),
    "qdd_ref": ("joint", "rad s-2", "reference joint acceleration"),
    "current": ("joint", "A", "measured motor current"),
    "current_ref": ("joint", "A", "motor current commanded by the arm's own controller"),
    "effort": ("joint", "N m", "measured torque at the joint, friction included"),
    "contact": (None, "1", "1 where the arm was touched, as whoever recorded it says"),
    "tau": ("joint", "N m", "model torque of the arm's own controller (target moment)"),
    "tool_position": ("axis", "m", "measured position of the tool point"),
    "force_estimate": ("axis", "N", "force on the tool as the arm's own controller estimates it"),
    "moment_estimate": ("axis", "N m", "moment at the tool as the arm's own controller estimates it"),
    "force_sensor": ("axis", "N", "force on the six-axis sensor, sensor axes"),
    "moment_sensor": ("axis", "N m", "moment on the six-axis sensor, sensor axes"),
}


def load_recording(path: str | Path, joints: int | None = 6) -> "xarray.Dataset":
    """Read a log of a real arm.

    Args:
        path: a folder with ``log_q_actual.csv`` and others of that kind, an RTDE table, the folder of a stream that
            was watched, which holds one, a ROS bag, or the description of a log.
        joints: number of joints n; None: as many as a bag or a described log has.

    Returns:
        Dataset with dimensions ``time``, ``joint`` (1…n) and ``axis``; only signals that were recorded.
        ``time`` counts from the first row [s]. Attributes: ``start_time_s`` (what the log calls that
        row), ``period_s`` (median step), ``gap_count`` (steps beyond 1.5 periods), ``longest_gap_s``,
        ``dropped_rows`` (rows that one of several files lacks, or with the time of the row before),
        ``cut_short`` (files whose last line was incomplete).

    Raises ``BadInput``: nothing there, no numbers, the wrong number of joints, time that does not increase, or units
    that look like degrees or milliseconds.
    """
    path = Path(path)
    if not path.exists():
        raise BadInput("no such recording", where=str(path), allowed="a folder of logs, a table, or a bag")
    table = path / WATCHED_TABLE if (path / WATCHED_TABLE).is_file() else path
    if is_described(table):
        raw = read_described(table, joints)
    else:
        raw = read_folder(table, joints or 6) if table.is_dir() else read_rtde(table, joints or 6)
    _check_units(raw, path)
    return _dataset(raw, path)


def label_signals(time: np.ndarray, signals: dict[str, np.ndarray], title: str) -> "xarray.Dataset":
    """Signals (k, n) by name at times (k,) [s], as ``load_recording`` gives them."""
    return _dataset(Recorded(time, signals, [], 0), Path(title))


def _check_units(raw: Recorded, path: Path) -> None:
    for name in ("q", "q_ref", "qd", "qd_ref"):
        largest = np.abs(raw.signals.get(name, np.zeros(1))).max()
        if largest > FULL_TURNS:
            unit = "rad/s" if "d" in name.split("_")[0] else "rad"
            what = f"{name} looks like degrees"
            allowed = f"{unit}, below {FULL_TURNS:.2f}"
            raise BadInput(what, where=str(path), found=float(largest), allowed=allowed)
    step = float(np.median(np.diff(raw.time))) if len(raw.time) > 1 else 0.0
    if step > SLOWEST:
        found = f"a median step of {step:g}"
        raise BadInput("time looks like milliseconds", where=str(path), found=found, allowed="seconds")


def _dataset(raw: Recorded, path: Path) -> "xarray.Dataset":
    import xarray

    variables = {
        name: (
            ("time", second) if second else "time",
            raw.signals[name] if second else raw.signals[name][:, 0],
            {"units": unit, "long_name": long_name},
        )
        for name, (second, unit, long_name) in _SIGNALS.items()
        if name in raw.signals
    }
    coordinates = {
        "time": ("time", raw.time - raw.time[0], {"units": "s", "long_name": "time since the first row"}),
        "joint": ("joint", np.arange(1, raw.signals["q"].shape[1] + 1), {"units": "1", "long_name": "joint"}),
        "axis": ("axis", ["x", "y", "z"], {"units": "1", "long_name": "axis"}),
    }
    return xarray.Dataset(variables, coordinates, _attributes(raw, path))


def _attributes(raw: Recorded, path: Path) -> dict[str, object]:
    steps = np.diff(raw.time)
    period = float(np.median(steps)) if len(steps) else 0.0
    gaps = steps[steps > GAP * period]
    return {
        "title": f"recording {path.name}",
        "start_time_s": float(raw.time[0]) + raw.start,
        "period_s": period,
        "gap_count": len(gaps),
        "longest_gap_s": float(gaps.max()) if len(gaps) else 0.0,
        "dropped_rows": raw.dropped,
        "cut_short": ", ".join(raw.cut_short),
        **({"residual": "of the maker's model"} if raw.residual else {}),
        "Conventions": "CF-1.8",
    }
