"""The variables of a run's record: signals, events, map, touched steps and places."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hopfield_nav.loop import COLUMNS, log_columns
from hopfield_nav.navigation import NotedPlan, Step, space_of
from hopfield_nav.record.detection import DetectionRecord, Passage
from hopfield_nav.world import World, further_columns

if TYPE_CHECKING:
    import xarray


class LabelledRecord(NamedTuple):
    """What is recorded of a run, before xarray, which takes a second to load, or a file has it."""

    variables: dict[str, tuple]  # dimensions, values and attributes by name
    coordinates: dict[str, tuple]  # the same, of the axes
    attributes: dict[str, Any]  # of the whole

    def dataset(self) -> "xarray.Dataset":
        """The same, labelled."""
        import xarray

        return xarray.Dataset(*self)


def record_of(data: "xarray.Dataset") -> LabelledRecord:
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
    plans: Sequence[NotedPlan],
    passages: Sequence[Passage] = (),
) -> LabelledRecord:
    """Everything that is recorded of a run.

    Rows of ``loop.Log``, and detections that were answered. The first path is (k, rank) cells,
    ``blocked`` the map at the end (of joint angles none is kept), ``closed`` the certainty of every
    touched step at the end, ``plans`` those whose network is kept, ``passages`` what was above
    ``detection.report``.
    """
    of_places = space_of(world).of_places
    signals = _signal_variables(world, log)
    time = signals.pop("time")
    variables = {**signals, **_event_variables(world, detections)}
    variables |= _step_variables(world, detections, closed)
    if world.detection.report is not None:
        variables |= _passage_variables(
            passages, np.array([detection.time for detection in detections])
        )
    first_path = first_path.astype(np.int32)
    variables["first_path"] = _variable("first_waypoint map_axis", first_path, "1", "first path")
    variables |= _network_variables(world, plans, of_places)
    variables |= (
        _map_variables(world, detections, blocked) if of_places else _place_variables(detections)
    )
    xyz = ["x", "y", "z"]
    coordinates = {
        "time": time,
        "joint": _variable("joint", np.arange(1, len(world.start.joints) + 1), "1", "joint"),
        "axis": _variable("axis", xyz, "1", "base axis"),
        "event": _numbers("event", len(detections), 1, "number of the touch, counted from 1"),
    }
    if plans:
        numbered = "number of the plan, 0 at the start"
        coordinates["plan"] = _numbers("plan", len(plans), 0, numbered)
    if of_places:
        coordinates |= _map_coordinates(world)
    if world.sensors.wrench is not None:
        coordinates["flange_axis"] = _variable("flange_axis", xyz, "1", "axis of the flange frame")
    attributes = {
        "title": f"hopfield-nav run of {world.name}",
        "seed": world.seed,
        "Conventions": "CF-1.8",
    }
    return LabelledRecord(variables, coordinates, attributes)


def _signal_variables(world: World, log: np.ndarray) -> dict[str, tuple]:
    further = further_columns(world)
    columns = log_columns(len(world.start.joints), further)
    variables: dict[str, tuple] = {}
    for signal in (*COLUMNS, *further):
        values: np.ndarray = log[:, columns[signal.name]].astype(signal.kind, copy=False)
        if signal.size is None:
            variables[signal.name] = _variable("time", values[:, 0], signal.unit, signal.long_name)
        else:
            dimensions = f"time {signal.size}"
            variables[signal.name] = _variable(dimensions, values, signal.unit, signal.long_name)
    return variables


_EVENTS = (  # variable, field of a detection, its type, dimensions, unit, long name
    ("event_time", "time", float, "event", "s", "time of detection"),
    ("touch_time", "touch_time", float, "event", "s", "start of the true contact; NaN: false alarm"),
    ("event_cell", "cell", np.int32, "event map_axis", "1", "marked cell, counted from 0"),
    ("event_start", "start", np.int32, "event map_axis", "1", "cell from which the next path starts"),
    ("event_position", "position", float, "event axis", "m", "true tool position at the detection"),
    ("event_true_point", "true_point", float, "event axis", "m",
     "where the largest contact force acts at the detection; NaN: nowhere"),
    ("event_true_link", "true_link", np.int8, "event", "1", "link that it acts on at the detection; 0: none"),
    ("event_false_alarm", "false_alarm", np.int8, "event", "1", "1 where nothing was touched in the 50 ms before"),
    ("event_passed_by", "passed_by", np.int8, "event", "1", "1 where the arm passed by what it grazed"),
    ("event_slid_until", "slid_until", float, "event", "s",
     "until when the arm then slid along what it felt; NaN: it did not"),
)  # fmt: skip


def _event_variables(world: World, detections: Sequence[DetectionRecord]) -> dict[str, tuple]:
    sizes = {"event": len(detections), "map_axis": world.map.rank, "axis": 3}
    variables: dict[str, tuple] = {}
    for name, field, kind, dims, unit, long_name in _EVENTS:
        values = np.array([getattr(detection, field) for detection in detections], dtype=kind)
        shape = [sizes[dim] for dim in dims.split()]
        variables[name] = _variable(dims, values.reshape(shape), unit, long_name)
    paths = _stacked([detection.path for detection in detections], -1, np.int32, world.map.rank)
    return variables | {
        "event_path": _variable("event waypoint map_axis", paths, "1", "next path, then -1")
    }


def _stacked(parts: Sequence[np.ndarray], empty: float, kind: type, *shape: int) -> np.ndarray:
    """(m, k, *shape) of m parts, of which the longest has k entries.

    ``empty`` behind the end of the others.
    """
    stacked: np.ndarray = np.full(
        (len(parts), max(map(len, parts), default=0), *shape), empty, dtype=kind
    )
    for row, part in zip(stacked, parts, strict=True):
        row[: len(part)] = part
    return stacked


def _passage_variables(passages: Sequence[Passage], alarms: np.ndarray) -> dict[str, tuple]:
    """What was above ``detection.report``, and how many of the ``alarms`` [s] were in it."""
    begin, end, level = np.array(passages, dtype=float).reshape(-1, 3).T
    inside = (alarms >= begin[:, None]) & ~(alarms > end[:, None])
    return {
        "report_begin": _variable(
            "report", begin, "s", "when the level rose above detection.report"
        ),
        "report_end": _variable(
            "report", end, "s", "when it had fallen again; NaN: it had not at the end"
        ),
        "report_level": _variable(
            "report", level, "1", "largest level in between, as a share of detection.report"
        ),
        "report_alarms": _variable(
            "report", inside.sum(axis=1).astype(np.int32), "1", "detections in between"
        ),
    }


def _map_variables(
    world: World, detections: Sequence[DetectionRecord], blocked: np.ndarray
) -> dict[str, tuple]:
    """What each detection changed on the map of cells, and the map at the end."""
    about = "1: blocked at the end, 2: out of reach, 3: believed occupied"
    after = "detection after which it did, counted from 0"
    changed = [detection.changed for detection in detections]
    event = np.repeat(np.arange(len(changed), dtype=np.int32), [len(cells) for cells in changed])
    cells = np.concatenate([np.zeros((0, world.map.rank), dtype=np.int32), *changed])
    return {
        "felt_change": _variable(
            "change map_axis", cells, "1", "cell that became marked, or unmarked"
        ),
        "felt_change_event": _variable("change", event, "1", after),
        "final_map": _variable(map_axes(world, True), blocked.astype(np.int8), "1", about),
    }


def _place_variables(detections: Sequence[DetectionRecord]) -> dict[str, tuple]:
    """Where on the arm each touch may have been, the likeliest place first."""
    places = [detection.places for detection in detections]
    point = _stacked([at.points for at in places], np.nan, float, 3)
    link = _stacked([at.links for at in places], 0, np.int8)
    weight = _stacked([at.weights for at in places], 0.0, float)
    on = "link of the arm that it was on; 0: no such place"
    share = "weight of the place among all of its touch"
    return {
        "felt_point": _variable("event place axis", point, "m", "where the touch may have been"),
        "felt_link": _variable("event place", link, "1", on),
        "felt_weight": _variable("event place", weight, "1", share),
    }


def _step_variables(
    world: World, detections: Sequence[DetectionRecord], closed: Mapping[Step, float]
) -> dict[str, tuple]:
    """Every step that was ever touched.

    And how certain it was after each detection that it is closed.
    """
    steps = sorted(set(closed).union(*(detection.closed for detection in detections)))
    rows = [[d.closed.get(step, 0.0) for step in steps] for d in detections]
    certainty = np.array(rows, dtype=float).reshape(len(detections), len(steps))
    ends = np.array([step.ends for step in steps], dtype=np.int32).reshape(-1, 2, world.map.rank)
    last = np.array([closed.get(step, 0.0) for step in steps], dtype=float)
    told = "certainty {} that the step is closed: 1 a fact, less a belief, 0 none"
    return {
        "closed_step": _variable(
            "closed end map_axis", ends, "1", "touched step between two cells"
        ),
        "event_certainty": _variable(
            "event closed", certainty, "1", told.format("after the detection")
        ),
        "final_certainty": _variable("closed", last, "1", told.format("at the end")),
    }


def _network_variables(
    world: World, plans: Sequence[NotedPlan], of_places: bool
) -> dict[str, tuple]:
    """The network of every plan.

    Nothing where none is kept, and no activations where no network was asked.
    """
    if not plans:
        return {}
    path = _stacked([plan.cells for plan in plans], -1, np.int32, world.map.rank)
    sums = of_places and world.planner.network == "sum"
    about = "ln of the activation" if sums else "minus the distance to the goal, in cells"
    about += "; -inf: no path leads to it"
    found = {
        "plan_time": _variable(
            "plan", np.array([plan.time for plan in plans]), "s", "time of a plan"
        ),
        "plan_by": _variable(
            "plan", np.array([plan.by for plan in plans]), "1", "who found its path"
        ),
        "plan_path": _variable("plan plan_cell map_axis", path, "1", "its path, then -1"),
    }
    if any(plan.activation is not None for plan in plans):
        none = np.full(world.map.shape, np.nan)
        grids = np.array([none if plan.activation is None else plan.activation for plan in plans])
        found["activation"] = _variable(f"plan {map_axes(world, of_places)}", grids, "1", about)
    return found


def _numbers(dimension: str, count: int, first: int, long_name: str) -> tuple:
    """Numbers along a dimension."""
    return _variable(dimension, np.arange(first, first + count, dtype=np.int32), "1", long_name)


def _map_coordinates(world: World) -> dict[str, tuple]:
    """The centres of the cells of a map of places along its axes, in base axes [m]."""
    grid = world.map
    found = {}
    for axis, (name, count) in enumerate(zip("xyz", grid.shape, strict=False)):
        centres = grid.origin[axis] + grid.spacing * np.arange(count)
        about = f"{name} of the cells' centres, base axes"
        found[f"map_{name}"] = _variable(f"map_{name}", centres, "m", about)
    return found


def map_axes(world: World, of_places: bool) -> str:
    """Names of the axes of a map, as dimensions."""
    names = "xyz" if of_places else [f"joint_{k + 1}" for k in range(world.map.rank)]
    return " ".join(f"map_{name}" for name in names[: world.map.rank])


def _variable(dims: str, values: Any, unit: str, long_name: str) -> tuple:
    """Dimensions, by their names, values and attributes."""
    return tuple(dims.split()), values, {"units": unit, "long_name": long_name}
