"""A table with a header line, as the RTDE recorders of Universal Robots arms write it (space or comma)."""

from __future__ import annotations

from pathlib import Path

from dynamics.errors import BadInput, nearest_name
from hopfield_nav.recorded_table import Recorded, parse, read_lines

_JOINT_COLUMNS = {
    "q": "actual_q", "qd": "actual_qd", "q_ref": "target_q", "qd_ref": "target_qd", "qdd_ref": "target_qdd",
    "current": "actual_current", "current_ref": "target_current", "tau": "target_moment",
}  # fmt: skip
_SIX_COLUMNS = {  # (first three, last three) of six components
    ("tool_position", None): "actual_TCP_pose",
    ("force_estimate", "moment_estimate"): "actual_TCP_force",
    ("force_sensor", "moment_sensor"): "ft_raw_wrench",
}


def read_rtde(path: Path, joints: int) -> Recorded:
    """Known signals of a table; other columns are passed over.

    Raises:
        BadInput: no such header, or a faulty row.
    """
    lines, cut = read_lines(path)
    header = lines[0].lstrip("# ")
    separator = "," if "," in header else None
    names = [name.strip().strip('"') for name in header.split(separator)]
    columns = _rtde_columns(names, joints, path)
    order = [names.index("timestamp")]
    spans: dict[str, slice] = {}
    for name, wanted in columns.items():
        spans[name] = slice(len(order), len(order) + len(wanted))
        order += wanted
    table = parse(path, lines[1:], 2, separator, order, len(names))
    signals = {name: table.values[:, span] for name, span in spans.items()}
    return Recorded(table.values[:, 0], signals, [path.name] if cut or table.cut_short else [], 0)


def _rtde_columns(names: list[str], joints: int, path: Path) -> dict[str, list[int]]:
    """Columns of every known signal in the header."""
    for needed in ("timestamp", "actual_q_0"):
        if needed not in names:
            raise BadInput(
                f"no column {needed!r} in the header",
                where=f"{path}, line 1",
                found=", ".join(names[:6]),
                allowed="the header of an RTDE recorder",
                nearest=nearest_name(needed, names),
            )
    columns = {name: _indices(names, column, joints, path) for name, column in _JOINT_COLUMNS.items()}
    for (first, second), column in _SIX_COLUMNS.items():
        six = _indices(names, column, 6, path)
        columns[first] = six[:3]
        if second:
            columns[second] = six[3:]
    return {name: wanted for name, wanted in columns.items() if wanted}


def _indices(names: list[str], column: str, count: int, path: Path) -> list[int]:
    """Places of column_0, column_1, … in the header; empty when it has none of them."""
    found = [name for name in names if name.removeprefix(f"{column}_").isdigit() and name != column]
    wanted = [f"{column}_{k}" for k in range(count)]
    if found and sorted(found) != sorted(wanted):
        what = "wrong number of joints" if column in _JOINT_COLUMNS.values() else "not six components"
        allowed = f"{wanted[0]} to {wanted[-1]}, each once"
        raise BadInput(what, where=f"{path}, line 1, {column}", found=len(found), allowed=allowed)
    return [names.index(name) for name in wanted] if found else []
