"""Logs of a real arm in the labelled form of a simulated run.

Four formats: a folder of ``log_*.csv`` files with a time column each (Kufieta's recordings of a
UR5), one table with a header line, as the RTDE recorders of Universal Robots arms write it, a ROS
bag, and any table or bag that a description says the signals of. Variables, dimensions and units
are those of ``Run.data``; see ``docs/recordings.md``.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dynamics import BadInput
from dynamics.identification import FULL_TURNS, clock_in_words, clock_of, require_seconds, unwrapped
from hopfield_nav.extensions.recordings.described import is_described, read_described
from hopfield_nav.extensions.recordings.formats import Recorded, read_folder, read_rtde
from hopfield_nav.extensions.recordings.signals import GAP

if TYPE_CHECKING:
    import xarray

WATCHED_TABLE = "rtde.csv"  # in the record of a stream that was watched
_SAME = 0.98  # share of rows with the time of the row before, from which times say nothing
_NAMED = 3  # rows that are left out of which the time is said
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
    "moment_estimate": (
        "axis",
        "N m",
        "moment at the tool as the arm's own controller estimates it",
    ),
    "force_sensor": ("axis", "N", "force on the six-axis sensor, sensor axes"),
    "moment_sensor": ("axis", "N m", "moment on the six-axis sensor, sensor axes"),
}


def load_recording(path: str | Path, joints: int | None = 6) -> "xarray.Dataset":
    """Read a log of a real arm.

    Args:
        path: a folder with ``log_q_actual.csv`` and others of that kind, an RTDE table, the folder
            of a stream that was watched, which holds one, a ROS bag, or the description of a log.
        joints: number of joints n; None: as many as a bag or a described log has.

    Returns:
        Dataset with dimensions ``time``, ``joint`` (1…n) and ``axis``; only signals that were
        recorded. ``time`` counts from the first row [s]. Attributes: ``start_time_s`` (what the log
        calls that row), ``period_s`` (median step), ``gap_count`` (steps beyond 1.5 periods),
        ``longest_gap_s``, ``dropped_rows`` (rows that one of several files lacks, without numbers,
        or with the time of the row before), ``cut_short`` (files whose last line was incomplete),
        and in words ``clock``, ``columns`` and ``left_out``. Rows that were only stamped late are
        on an even clock, and angles do not jump by whole turns.

    Raises ``BadInput``: nothing there, no numbers, the wrong number of joints, time that goes back,
    or units that look like degrees or milliseconds.
    """
    path = Path(path)
    if not path.exists():
        raise BadInput(
            "no such recording", where=str(path), allowed="a folder of logs, a table, or a bag"
        )
    table = path / WATCHED_TABLE if (path / WATCHED_TABLE).is_file() else path
    if is_described(table):
        raw = read_described(table, joints)
    else:
        raw = read_folder(table, joints or 6) if table.is_dir() else read_rtde(table, joints or 6)
    return _mended(raw, path)


def label_signals(time: np.ndarray, signals: dict[str, np.ndarray], title: str) -> "xarray.Dataset":
    """Signals (k, n) by name at times (k,) [s], as ``load_recording`` gives them."""
    return _dataset(Recorded(time, signals, [], 0), Path(title))


def _mended(raw: Recorded, path: Path) -> "xarray.Dataset":
    """A log without the rows that say nothing, on its clock, and without jumps of its angles by whole turns."""
    signals = {name: values for name, values in raw.signals.items() if not np.isnan(values).all()}
    steps = np.diff(np.column_stack([raw.time, *signals.values()]), axis=0)
    # of a logger that is faster than what it logs
    again = np.concatenate([[False], ~np.any(steps != 0.0, axis=1)])
    raw, twice = _without(raw._replace(signals=signals), again, "row said twice")
    raw, lost = _without(raw, _lost(raw.time, raw.signals), "row without numbers, or of zeros")
    _require_moments(raw.time, path)
    _check_units(raw, path)
    wound: dict[str, np.ndarray] = {
        name: unwrapped(raw.time, raw.signals[name])
        for name in ("q", "q_ref")
        if name in raw.signals
    }
    turned = [name for name, values in wound.items() if values is not raw.signals[name]]
    if turned and "q_ref" in wound:
        turns = np.round((wound["q_ref"][0] - wound["q"][0]) / (2 * np.pi))
        wound["q_ref"] = wound["q_ref"] - 2 * np.pi * turns
    time = clock_of(raw.time, wound["q"])
    words = clock_in_words(raw.time, time) + (
        f"; {', '.join(turned)} unwrapped at ±π" if turned else ""
    )
    raw = raw._replace(time=time, signals={**raw.signals, **wound})
    again = np.concatenate([[False], np.diff(time) <= 0.0])
    raw, same = _without(raw, again, "row with the time of the row before")
    left_out = ", ".join(filter(None, [raw.left_out, twice, lost, same]))
    return _dataset(raw, path).assign_attrs(clock=words, columns=raw.columns, left_out=left_out)


def _lost(time: np.ndarray, signals: dict[str, np.ndarray]) -> np.ndarray:
    """Which rows (k,) say nothing.

    Without numbers, or of zeros to which no joint is fast enough.
    """
    values = np.hstack(
        [
            v
            for name, v in signals.items()
            if name not in ("contact", "force_sensor", "moment_sensor")
        ]
    )
    missing = np.isnan(values).any(axis=1)
    zeros = ~values.any(axis=1) & ~missing
    jumps = np.abs(np.diff(signals["q"], axis=0)).max(axis=1) > FULL_TURNS * np.diff(time)
    for first, last in np.flatnonzero(
        np.diff(np.concatenate([[0], zeros.astype(int), [0]]))
    ).reshape(-1, 2):
        zeros[first:last] = jumps[[k for k in (first - 1, last - 1) if 0 <= k < len(jumps)]].any()
    return missing | zeros


def _without(raw: Recorded, rows: np.ndarray, what: str) -> tuple[Recorded, str]:
    """A log without some rows (k,), and these in words."""
    if not rows.any():
        return raw, ""
    if rows.all():
        raise BadInput("no numbers in the log", allowed="rows of time and signals")
    signals, times = (
        {name: values[~rows] for name, values in raw.signals.items()},
        raw.time[rows] + raw.start,
    )
    at = ", ".join(f"{t:.10g}" for t in times[:_NAMED]) + (", …" if len(times) > _NAMED else "")
    words = f"{len(times)} {what.replace('row', 'rows', 1) if len(times) > 1 else what} (at {at} s)"
    return raw._replace(
        time=raw.time[~rows], signals=signals, dropped=raw.dropped + len(times)
    ), words


def _require_moments(time: np.ndarray, path: Path) -> None:
    """Refuse times (k,) of which almost all are that of the row before."""
    same = int((np.diff(time) == 0.0).sum())
    if same > _SAME * len(time):
        raise BadInput(
            f"{same} of {len(time)} rows have the time of the row before: single precision?",
            where=str(path),
            allowed="times that tell rows apart",
        )


def _check_units(raw: Recorded, path: Path) -> None:
    for name in ("q", "q_ref", "qd", "qd_ref"):
        largest = np.abs(raw.signals.get(name, np.zeros(1))).max()
        if largest > FULL_TURNS:
            allowed = f"{'rad/s' if name.startswith('qd') else 'rad'}, below {FULL_TURNS:.2f}"
            raise BadInput(
                f"{name} looks like degrees", where=str(path), found=float(largest), allowed=allowed
            )
    require_seconds(raw.time, str(path))


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
        "time": (
            "time",
            raw.time - raw.time[0],
            {"units": "s", "long_name": "time since the first row"},
        ),
        "joint": (
            "joint",
            np.arange(1, raw.signals["q"].shape[1] + 1),
            {"units": "1", "long_name": "joint"},
        ),
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
        **({"joint_names": ", ".join(raw.joints)} if raw.joints else {}),
        **({"residual": "of the maker's model"} if raw.residual else {}),
        "Conventions": "CF-1.8",
    }
