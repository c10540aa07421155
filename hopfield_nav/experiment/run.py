"""The record of a run: world, summary, labelled signals and events; saving and loading it.

A folder holds ``world.yaml`` (every default written out, random obstacles drawn), ``summary.json``,
``log.nc`` (NetCDF 4, readable from xarray, MATLAB and any HDF5 library) and checksums of the three. It
is written under another name and renamed when it is complete.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dynamics import BadInput
from hopfield_nav.experiment.checksums import check_checksums, write_checksums
from hopfield_nav.experiment.stored import read_log, read_summary
from hopfield_nav.loop import make_log
from hopfield_nav.world import World, recorded_world

if TYPE_CHECKING:
    import xarray

    from hopfield_nav.navigation import Step


class PlanRecord(NamedTuple):
    """A plan as it was made.

    Attributes:
        time: [s].
        felt: bool grid, the marks; with ``detection.mark: felt`` cells that are believed to be occupied.
        path: (k, rank) cells.
        cell: the one just marked.
        steps: (m, 2, rank) touched steps between cells.
        certainty: (m,) that they are closed; 1 for facts.
    """

    time: float
    felt: np.ndarray
    path: np.ndarray
    cell: np.ndarray | None
    steps: np.ndarray
    certainty: np.ndarray


class Detection(NamedTuple):
    """A detection that was answered by a new plan (or by finding that there is none).

    Attributes:
        time: of the detection [s].
        touch_time: start of the true contact, the same for every detection on it [s]; NaN for a false alarm.
        cell, start: marked cell, and the cell from which the next path starts.
        position: (3,) true tool position [m].
        false_alarm: no true contact in the 50 ms before.
        passed_by: the arm did not go back, but passed by what it grazed.
        felt: bool grid, the marks as they stood afterwards.
        closed: certainty of every touched step as it stood afterwards, 1 for facts.
        path: (k, rank) cells of the new path; k = 0 when there is none.
        replan_time: computing time of mark, plan, inverse kinematics and splines [s].
    """

    time: float
    touch_time: float
    cell: tuple[int, ...]
    start: tuple[int, ...]
    position: np.ndarray
    false_alarm: bool
    passed_by: bool
    felt: np.ndarray
    closed: Mapping[Step, float]
    path: np.ndarray
    replan_time: float


class Run:
    """What happened in one experiment.

    Attributes:
        world: as resolved: every default written out, random obstacles drawn.
        summary: the numbers of ``summary.json``.
        data: labelled signals and events, an ``xarray.Dataset`` (see ``docs/record.md``).
    """

    def __init__(
        self,
        world: World,
        summary: dict[str, Any],
        log: np.ndarray,
        detections: Sequence[Detection],
        first_path: np.ndarray,
        blocked: np.ndarray,
        closed: Mapping[Step, float] | None = None,
    ) -> None:
        self.world, self.summary = world, summary
        self._parts = (log, detections, first_path, blocked, closed or {})
        self._data: xarray.Dataset | None = None

    @property
    def outcome(self) -> str:
        """``reached``, ``no_path``, ``unreachable``, ``time_limit`` or ``diverged``."""
        return self.summary["outcome"]

    @property
    def data(self) -> xarray.Dataset:
        """Signals and events with dimensions, units and long names."""
        if self._data is None:
            self._data = _dataset(self.world, *self._parts)
        return self._data

    def plans(self) -> list[PlanRecord]:
        """The first plan and the one after every answered detection, in order."""
        data = self.data
        shape, rank = tuple(self.world.map.shape), len(self.world.map.shape)
        none = (np.zeros((0, 2, rank), dtype=int), np.zeros(0))
        first = PlanRecord(0.0, np.zeros(shape, bool), _path(data.first_path.values), None, *none)
        return [first] + [
            PlanRecord(
                float(data.event_time[k]),
                data.event_map[k].values.astype(bool),
                _path(data.event_path[k].values),
                data.event_cell[k].values,
                *(self._closed(data.event_certainty[k].values) if "event_certainty" in data else none),
            )
            for k in range(data.sizes["event"])
        ]

    @property
    def passed_by(self) -> np.ndarray:
        """(m,) bool: the detections that the arm passed by; the others are collisions."""
        data = self.data
        if "event_passed_by" not in data:  # a record from before there were grazes
            return np.zeros(data.sizes["event"], dtype=bool)
        return data.event_passed_by.values.astype(bool)

    def closed_steps(self) -> tuple[np.ndarray, np.ndarray]:
        """Touched steps (m, 2, rank) as known in the end, and the certainty (m,) that they are closed."""
        return self._closed(self.data.final_certainty.values)

    def _closed(self, certainty: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        there = certainty > 0.0
        return self.data.closed_step.values[there], certainty[there]

    def save(self, folder: str | Path) -> Path:
        """Write the run to ``folder``, which must not exist or be empty.

        Raises:
            BadInput: the folder holds something.
            OSError: it cannot be written.
        """
        folder = Path(folder)
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise BadInput("the folder is not empty", where=str(folder), allowed="a new or empty folder")
        folder.parent.mkdir(parents=True, exist_ok=True)
        partial = folder.parent / f".{folder.name}.partial-{os.getpid()}"
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir()
        try:
            self._write(partial, folder)
            if folder.exists():
                folder.rmdir()
            partial.rename(folder)
        except BaseException:
            shutil.rmtree(partial, ignore_errors=True)
            raise
        return folder

    def _write(self, partial: Path, final: Path) -> None:
        (partial / "world.yaml").write_text(self.world.to_yaml(final), encoding="utf-8")
        text = json.dumps(self.summary, indent=2, ensure_ascii=False)
        (partial / "summary.json").write_text(text + "\n", encoding="utf-8")
        self.data.to_netcdf(partial / "log.nc", engine="h5netcdf")
        write_checksums(partial, ("world.yaml", "summary.json", "log.nc"))


def load_run(folder: str | Path) -> Run:
    """Read a run back from its folder.

    Raises:
        BadInput: the folder is not that of a run, or a file in it cannot be read.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise BadInput("not the folder of a run", where=str(folder))
    check_checksums(folder)
    summary, world = read_summary(folder / "summary.json"), recorded_world(folder / "world.yaml")
    nothing = (np.zeros((0, world.map.rank)), np.zeros(world.map.shape))
    rows = make_log(0, len(world.start.joints)).table
    data = read_log(folder / "log.nc", _dataset(world, rows, [], *nothing, {}))
    run = Run(world, summary, rows, [], *nothing)
    run._data = data
    return run


def _dataset(
    world: World,
    log: np.ndarray,
    detections: Sequence[Detection],
    first_path: np.ndarray,
    blocked: np.ndarray,
    closed: Mapping[Step, float],
) -> xarray.Dataset:
    import xarray

    variables = {**_signal_variables(world, log), **_event_variables(world, detections)}
    variables |= _step_variables(world, detections, closed)
    variables["first_path"] = (
        ("first_waypoint", "map_axis"),
        first_path.astype(np.int32),
        _about("1", "first path"),
    )
    variables["final_map"] = (
        _map_dimensions(world), blocked.astype(np.int8),
        _about("1", "1: blocked at the end, 2: out of reach, 3: believed occupied"),
    )  # fmt: skip
    coordinates = {
        "time": ("time", log[:, 0], _about("s", "simulated time")),
        "joint": ("joint", np.arange(1, len(world.start.joints) + 1), _about("1", "joint")),
        "axis": ("axis", ["x", "y", "z"], _about("1", "base axis")),
    }
    attributes = {"title": f"hopfield-nav run of {world.name}", "seed": world.seed, "Conventions": "CF-1.8"}
    return xarray.Dataset(variables, coordinates, attributes)


def _signal_variables(world: World, log: np.ndarray) -> dict[str, tuple]:
    from hopfield_nav.loop import COLUMNS, log_columns

    columns = log_columns(len(world.start.joints))
    variables: dict[str, tuple] = {}
    for name, size, unit, long_name, _ in COLUMNS[1:]:  # the first one is time, a coordinate
        values = log[:, columns[name]]
        if name == "contact_point":
            values = np.where(log[:, columns["contact_link"]] > 0, values, np.nan)
        if size is None:
            kind = np.float64 if name == "level" else np.int8
            variables[name] = (("time",), values[:, 0].astype(kind), _about(unit, long_name))
        else:
            variables[name] = (("time", size), values, _about(unit, long_name))
    return variables


def _event_variables(world: World, detections: Sequence[Detection]) -> dict[str, tuple]:
    shape, rank = tuple(world.map.shape), len(world.map.shape)
    longest = max((len(c.path) for c in detections), default=0)
    paths = np.full((len(detections), longest, rank), -1, dtype=np.int32)
    for k, detection in enumerate(detections):
        paths[k, : len(detection.path)] = detection.path

    def column(name: str, kind: type, *tail: int) -> np.ndarray:
        values = [getattr(detection, name) for detection in detections]
        return np.array(values, dtype=kind).reshape(len(detections), *tail)

    touch = "start of the true contact; NaN: false alarm"
    return {
        "event_time": (("event",), column("time", float), _about("s", "time of detection")),
        "touch_time": (("event",), column("touch_time", float), _about("s", touch)),
        "event_cell": (
            ("event", "map_axis"),
            column("cell", np.int32, rank),
            _about("1", "marked cell, counted from 0"),
        ),
        "event_start": (
            ("event", "map_axis"),
            column("start", np.int32, rank),
            _about("1", "cell from which the next path starts"),
        ),
        "event_position": (
            ("event", "axis"),
            column("position", float, 3),
            _about("m", "true tool position at the detection"),
        ),
        "event_false_alarm": (
            ("event",),
            column("false_alarm", np.int8),
            _about("1", "1 where nothing was touched in the 50 ms before"),
        ),
        "event_passed_by": (
            ("event",),
            column("passed_by", np.int8),
            _about("1", "1 where the arm passed by what it grazed"),
        ),
        "event_map": (
            ("event", *_map_dimensions(world)),
            column("felt", np.int8, *shape),
            _about("1", "1 where the map was marked, after the detection"),
        ),
        "event_path": (("event", "waypoint", "map_axis"), paths, _about("1", "next path, then -1")),
    }


def _step_variables(
    world: World, detections: Sequence[Detection], closed: Mapping[Step, float]
) -> dict[str, tuple]:
    """Every step that was ever touched, and how certain it was after each detection that it is closed."""
    steps = sorted(set(closed).union(*(detection.closed for detection in detections)))
    certainty = np.array([[d.closed.get(step, 0.0) for step in steps] for d in detections], dtype=float)
    rank, meaning = world.map.rank, "that the step is closed: 1 a fact, less a belief, 0 none"
    return {
        "closed_step": (
            ("closed", "end", "map_axis"),
            np.array([step.ends for step in steps], dtype=np.int32).reshape(-1, 2, rank),
            _about("1", "touched step between two cells"),
        ),
        "event_certainty": (
            ("event", "closed"),
            certainty.reshape(len(detections), len(steps)),
            _about("1", f"certainty after the detection {meaning}"),
        ),
        "final_certainty": (
            ("closed",),
            np.array([closed.get(step, 0.0) for step in steps], dtype=float),
            _about("1", f"certainty at the end {meaning}"),
        ),
    }


def _map_dimensions(world: World) -> tuple[str, ...]:
    return ("map_x", "map_y", "map_z")[: world.map.rank]


def _about(unit: str, long_name: str) -> dict[str, str]:
    return {"units": unit, "long_name": long_name}


def _path(padded: np.ndarray) -> np.ndarray:
    return padded[padded[:, 0] >= 0] if padded.size else padded.reshape(0, padded.shape[1])
