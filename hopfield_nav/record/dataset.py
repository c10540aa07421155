"""The variables of a run's record: signals, events, map, touched steps and places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hopfield_nav.world import World

if TYPE_CHECKING:
    import xarray

    from hopfield_nav.navigation import Step
    from hopfield_nav.record.detection import DetectionRecord


class LabelledRecord(NamedTuple):
    """What is recorded of a run, before xarray, which takes a second to load, or a file has it.

    Attributes:
        variables: dimensions, values and attributes by name.
        coordinates: the same, of the axes.
        attributes: of the whole.
    """

    variables: dict[str, tuple]
    coordinates: dict[str, tuple]
    attributes: dict[str, Any]

    def dataset(self) -> xarray.Dataset:
        """The same, labelled."""
        import xarray

        return xarray.Dataset(*self)


def record_of(data: xarray.Dataset) -> LabelledRecord:
    """A data set in its parts."""
    parts = {str(name): (v.dims, v.values, v.attrs) for name, v in data.variables.items()}
    axes = {name: parts.pop(name) for name in list(parts) if name in data.coords}
    return LabelledRecord(parts, axes, dict(data.attrs))


def make_record(
    world: World,
    log: np.ndarray,
    detections: Sequence[DetectionRecord],
    first_path: np.ndarray,
    blocked: np.ndarray,
    closed: Mapping[Step, float],
) -> LabelledRecord:
    """Everything that is recorded of a run.

    Args:
        world: of the run.
        log: rows of ``loop.Log``.
        detections: that were answered.
        first_path: (k, rank) cells.
        blocked: the map at the end; of joint angles none is kept.
        closed: certainty of every touched step at the end.
    """
    variables = {**_signal_variables(world, log), **_event_variables(world, detections)}
    variables |= _step_variables(world, detections, closed)
    variables["first_path"] = (
        ("first_waypoint", "map_axis"),
        first_path.astype(np.int32),
        _about("1", "first path"),
    )
    if world.map.space == "joints":
        variables |= _place_variables(detections)
    else:
        variables |= _map_variables(world, detections, blocked)
    coordinates = {
        "time": (("time",), log[:, 0], _about("s", "simulated time")),
        "joint": (("joint",), np.arange(1, len(world.start.joints) + 1), _about("1", "joint")),
        "axis": (("axis",), ["x", "y", "z"], _about("1", "base axis")),
    }
    if world.sensors.wrench is not None:
        about = _about("1", "axis of the flange frame")
        coordinates["flange_axis"] = (("flange_axis",), ["x", "y", "z"], about)
    attributes = {"title": f"hopfield-nav run of {world.name}", "seed": world.seed, "Conventions": "CF-1.8"}
    return LabelledRecord(variables, coordinates, attributes)


def _signal_variables(world: World, log: np.ndarray) -> dict[str, tuple]:
    from hopfield_nav.loop import COLUMNS, WRIST_COLUMNS, log_columns

    wrist = world.sensors.wrench is not None
    columns = log_columns(len(world.start.joints), wrist)
    variables: dict[str, tuple] = {}
    for name, size, unit, long_name, _ in COLUMNS[1:]:  # the first one is time, a coordinate
        values = log[:, columns[name]]
        if size is None:
            kind = np.float64 if name == "level" else np.int8
            variables[name] = (("time",), values[:, 0].astype(kind, copy=False), _about(unit, long_name))
        else:
            variables[name] = (("time", size), values, _about(unit, long_name))
    for name, _, unit, long_name, _ in WRIST_COLUMNS if wrist else ():
        variables[name] = (("time", "flange_axis"), log[:, columns[name]], _about(unit, long_name))
    return variables


def _event_variables(world: World, detections: Sequence[DetectionRecord]) -> dict[str, tuple]:
    rank = world.map.rank
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
        "event_true_point": (
            ("event", "axis"),
            column("true_point", float, 3),
            _about("m", "where the largest contact force acts at the detection; NaN: nowhere"),
        ),
        "event_true_link": (
            ("event",),
            column("true_link", np.int8),
            _about("1", "link that it acts on at the detection; 0: none"),
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
        "event_slid_until": (
            ("event",),
            column("slid_until", float),
            _about("s", "until when the arm then slid along what it felt; NaN: it did not"),
        ),
        "event_path": (("event", "waypoint", "map_axis"), paths, _about("1", "next path, then -1")),
    }


def _map_variables(
    world: World, detections: Sequence[DetectionRecord], blocked: np.ndarray
) -> dict[str, tuple]:
    """What each detection changed on the map of cells, and the map at the end."""
    axes = ("map_x", "map_y", "map_z")[: world.map.rank]
    changed = [detection.changed for detection in detections]
    event = np.repeat(np.arange(len(changed), dtype=np.int32), [len(cells) for cells in changed])
    cells = np.concatenate([np.zeros((0, world.map.rank), dtype=np.int32), *changed])
    return {
        "felt_change": (("change", "map_axis"), cells, _about("1", "cell that became marked, or unmarked")),
        "felt_change_event": (
            ("change",),
            event,
            _about("1", "detection after which it did, counted from 0"),
        ),
        "final_map": (
            axes,
            blocked.astype(np.int8),
            _about("1", "1: blocked at the end, 2: out of reach, 3: believed occupied"),
        ),
    }


def _place_variables(detections: Sequence[DetectionRecord]) -> dict[str, tuple]:
    """Where on the arm each touch may have been, the likeliest place first."""
    most = max((len(d.places.points) for d in detections), default=0)
    point = np.full((len(detections), most, 3), np.nan)
    link, weight = np.zeros((len(detections), most), dtype=np.int8), np.zeros((len(detections), most))
    for k, detection in enumerate(detections):
        count = len(detection.places.points)
        point[k, :count], link[k, :count] = detection.places.points, detection.places.links
        weight[k, :count] = detection.places.weights
    return {
        "felt_point": (("event", "place", "axis"), point, _about("m", "where the touch may have been")),
        "felt_link": (
            ("event", "place"),
            link,
            _about("1", "link of the arm that it was on; 0: no such place"),
        ),
        "felt_weight": (
            ("event", "place"),
            weight,
            _about("1", "weight of the place among all of its touch"),
        ),
    }


def _step_variables(
    world: World, detections: Sequence[DetectionRecord], closed: Mapping[Step, float]
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


def _about(unit: str, long_name: str) -> dict[str, str]:
    return {"units": unit, "long_name": long_name}
