"""A run for other programs: tables as CSV, everything for MATLAB, and what it knew and felt as a scene.

A scene is one of MoveIt (moveit_msgs/PlanningScene) or MuJoCo (MJCF), its positions in frame 0 of the arm. Every place
where a touch may have been is a ball of the radius that ``with_felt`` gives it, every cell that is believed to be
occupied a box.
"""

import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import numpy as np
from scipy.spatial.transform import Rotation

from dynamics import BadInput
from dynamics.files import whole_file, write_whole
from hopfield_nav.build import names_of, solids_of
from hopfield_nav.record.contacts import link_forces_of
from hopfield_nav.record.prior import BALL, felt_cells, felt_places
from hopfield_nav.record.quantities import is_formula
from hopfield_nav.record.run import Run
from hopfield_nav.world import Box, Cylinder, Floor, Mesh, Solid, Sphere, yaml_text

if TYPE_CHECKING:
    import xarray

_LINES = 4096  # written at a time
ENDLESS = 10.0  # [m] height of a cylinder without end, half of it below the base
_TYPES = {"box": 1, "sphere": 2, "cylinder": 3}  # of shape_msgs/SolidPrimitive
_KNOWN, _FELT = (0.5, 0.5, 0.5, 1.0), (0.85, 0.37, 0.0)  # colours; the felt ones are as opaque as certain
_PARTS = ("joint", "axis", "map_axis", "flange_axis")  # what a column each is of


def export_csv(run: Run, folder: Path, every: int = 1) -> list[Path]:
    """Write ``signals.csv``, a line each ``every``-th row, ``events.csv`` and ``link_forces.csv``.

    They have a line for each detection, and for each link that was touched.

    The head of a column is its variable, with the joint or the axis behind it, and its unit: ``q_1 [rad]``, ``force_x
    [N]``; it is in quotation marks where a spreadsheet would compute it. What holds no numbers, or a grid for each
    event, is left out. The folder exists; older files are replaced. In another folder than the run's the world goes
    with them.

    Raises ``BadInput``: the run has no signals, or ``every`` is no whole number from 1; ``OSError``: a file cannot be
    written.
    """
    data = _thinned(run, every)
    paths = [folder / "signals.csv", folder / "events.csv"]
    for path, dimension in zip(paths, ("time", "event"), strict=True):
        columns = dict(_columns(data, dimension))
        rows = np.column_stack(list(columns.values()))
        _write_csv(path, [json.dumps(head) if is_formula(head) else head for head in columns], rows)
    head = ["link [1]", "peak_force [N]", "lasting_force [N]"]
    paths.append(_write_csv(folder / "link_forces.csv", head, _link_forces(run)))
    world = folder / "world.yaml"
    if not world.exists():  # which says to those who read the table what arm and methods it is of
        world.write_text(run.world.to_yaml(folder), encoding="utf-8")
    return paths


def _link_forces(run: Run) -> np.ndarray:
    """(k, 3) link, and its peak and lasting force [N], None for none."""
    rows = [[int(link), *found.values()] for link, found in link_forces_of(run.data).items()]
    return np.array(rows, dtype=object).reshape(-1, 3)


def _write_csv(path: Path, head: Sequence[str], rows: np.ndarray) -> Path:
    """Write a table, some rows at a time, since lists of numbers take more room than an array."""
    with whole_file(path) as partial, partial.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(head)
        for first in range(0, len(rows), _LINES):
            writer.writerows(rows[first : first + _LINES].tolist())
    return path


def export_mat(run: Run, path: Path, every: int = 1) -> Path:
    """Write every variable, units in ``units``, the summary's numbers in ``summary``, and ``link_forces``.

    Arguments, and errors, are those of ``export_csv``, but for the path of the one file.
    """
    from scipy.io import savemat

    data = _thinned(run, every)
    content: dict[str, Any] = {
        str(name): variable.values.astype(object) if variable.dtype.kind in "OU" else variable.values
        for name, variable in data.variables.items()
    }
    content["units"] = {str(name): v.attrs.get("units", "1") for name, v in data.variables.items()}
    told = {key: np.nan if value is None else value for key, value in run.summary.items()}
    content["link_forces"] = _link_forces(run).astype(float)
    content["summary"] = {key: value for key, value in told.items() if isinstance(value, (str, int, float))}
    with whole_file(path) as partial:
        savemat(partial, content, long_field_names=True, do_compression=True, oned_as="column")
    return path


def _thinned(run: Run, every: int) -> "xarray.Dataset":
    if isinstance(every, bool) or not isinstance(every, int) or every < 1:
        raise BadInput("rows to keep", where="every", found=every, allowed="a whole number from 1")
    if not run.data.sizes["time"]:
        raise BadInput("no signals to export", where="record.signals", found="none", allowed="all")
    return run.data.isel(time=slice(None, None, every))


def _columns(data: "xarray.Dataset", dimension: str) -> Iterator[tuple[str, np.ndarray]]:
    """Head and values of each column of the table along a dimension."""
    if dimension in data.coords:
        yield f"{dimension} [{data[dimension].attrs.get('units', '1')}]", data[dimension].values
    for name, variable in data.data_vars.items():
        unit = variable.attrs.get("units", "1")
        if variable.dtype.kind not in "biuf" or not variable.ndim:
            continue
        if variable.dims == (dimension,):
            yield f"{name} [{unit}]", variable.values
        elif variable.dims[0] == dimension and len(variable.dims) == 2 and variable.dims[1] in _PARTS:
            labels = data[variable.dims[1]].values
            for label, values in zip(labels, variable.values.T, strict=True):
                yield f"{name}_{label} [{unit}]", values


class Body(NamedTuple):
    """One solid of a scene."""

    name: str  # each once
    solid: Solid
    weight: float | None  # that it is there, where it was felt, 0 to 1; None: it was known


def scene_of_run(run: Run) -> list[Body]:
    """What a run knew from the start, and what it felt until its end."""
    known = run.world.known
    named = [(name or f"known_{k}", solid, None) for k, (name, solid) in
             enumerate(zip(names_of(known), solids_of(known), strict=True))]  # fmt: skip
    felt = [
        (f"touch_{t + 1}_{k + 1}", Sphere(center=tuple(point.tolist()), radius=BALL), float(weight))
        for t, places in enumerate(felt_places(run))
        for k, (point, weight) in enumerate(zip(places.points, places.weights, strict=True))
    ]
    cells = [(f"cell_{k + 1}", box, 1.0) for k, box in enumerate(felt_cells(run))]
    bodies: dict[str, Body] = {}
    for name, solid, weight in [*named, *felt, *cells]:
        numbered = (name, *(f"{name} ({k})" for k in range(2, len(bodies) + 3)))  # a wall's bear one name
        unique = next(each for each in numbered if each not in bodies)
        bodies[unique] = Body(unique, solid, weight)
    return list(bodies.values())


def export_moveit(run: Run, path: Path, frame: str = "base") -> Path:
    """Write a difference to a planning scene as YAML, in a frame of that name; ``OSError``: it cannot be."""
    bodies = scene_of_run(run)
    scene = {
        "name": run.world.name,
        "robot_state": {"is_diff": True},
        "object_colors": [{"id": body.name, "color": dict(zip("rgba", _colour(body), strict=True))} for body in bodies],
        "world": {"collision_objects": [_collision_object(body, frame) for body in bodies]},
        "is_diff": True,
    }
    write_whole(path, yaml_text(scene))
    return path


def export_mjcf(run: Run, path: Path) -> Path:
    """Write static geoms as MJCF; ``OSError`` if it cannot be."""
    root = Element("mujoco", model=run.world.name)
    asset, world = SubElement(root, "asset"), SubElement(root, "worldbody")
    for body in scene_of_run(run):
        kind, size, position, rotation = _shape(body.solid)
        given = {
            "box": [0.5 * edge for edge in size], "sphere": size, "plane": [0.0, 0.0, 1.0], "mesh": [],
            "cylinder": [size[-1], 0.5 * size[0]] if size else [],
        }[kind]  # fmt: skip
        texts = {"name": body.name, "type": kind, "size": _text(given), "pos": _text(position)}
        turn = Rotation.from_matrix(rotation).as_quat(scalar_first=True)
        texts |= {"quat": _text(turn), "rgba": _text(_colour(body))}
        if isinstance(body.solid, Mesh):
            SubElement(asset, "mesh", name=body.name, vertex=_text(body.solid.triangles.ravel()))
            texts = {**texts, "mesh": body.name}
        SubElement(world, "geom", {name: text for name, text in texts.items() if text})
    indent(root)
    write_whole(path, tostring(root, encoding="unicode") + "\n")
    return path


def _shape(solid: Solid) -> tuple[str, list[float], np.ndarray, np.ndarray]:
    """Kind, size as of shape_msgs/SolidPrimitive (none of planes and meshes), position (3,) [m], rotation (3, 3)."""
    level = np.eye(3)
    if isinstance(solid, Sphere):
        return ("sphere", [solid.radius], np.array(solid.center), level)
    if isinstance(solid, Box):
        return ("box", list(solid.size), np.array(solid.center), np.array(solid.rotation))
    if isinstance(solid, Floor):
        return ("plane", [], np.array([0.0, 0.0, solid.height]), level)
    if isinstance(solid, Mesh):
        return ("mesh", [], np.zeros(3), level)
    assert isinstance(solid, Cylinder)
    low, high = solid.height or (-0.5 * ENDLESS, 0.5 * ENDLESS)
    middle = np.array([*solid.center, 0.5 * (low + high)])
    return ("cylinder", [high - low, solid.radius], middle, level)


def _collision_object(body: Body, frame: str) -> dict[str, Any]:
    kind, size, position, rotation = _shape(body.solid)
    turn = dict(zip("wxyz", Rotation.from_matrix(rotation).as_quat(scalar_first=True).tolist(), strict=True))
    pose = {"position": dict(zip("xyz", position.tolist(), strict=True)), "orientation": turn}
    told: dict[str, Any] = {"header": {"frame_id": frame}, "id": body.name, "operation": 0}  # 0: add
    if kind == "plane":
        coefficients = [0.0, 0.0, 1.0, -float(position[2])]
        return {**told, "planes": [{"coef": coefficients}], "plane_poses": [{"orientation": {"w": 1.0}}]}
    if isinstance(body.solid, Mesh):
        corners = body.solid.triangles.reshape(-1, 3).tolist()
        triangles = [{"vertex_indices": [3 * k, 3 * k + 1, 3 * k + 2]} for k in range(len(corners) // 3)]
        mesh = {"triangles": triangles, "vertices": [dict(zip("xyz", p, strict=True)) for p in corners]}
        return {**told, "meshes": [mesh], "mesh_poses": [pose]}
    primitive = {"type": _TYPES[kind], "dimensions": [float(v) for v in size]}
    return {**told, "primitives": [primitive], "primitive_poses": [pose]}


def _colour(body: Body) -> tuple[float, ...]:
    return _KNOWN if body.weight is None else (*_FELT, round(max(body.weight, 0.1), 3))


def _text(values: Sequence[float] | np.ndarray) -> str:
    return " ".join(repr(float(v)) for v in values)
