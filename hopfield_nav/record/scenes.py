"""What a run knew and felt as a scene of MoveIt (moveit_msgs/PlanningScene) or MuJoCo (MJCF).

Positions are in frame 0 of the arm. Every place where a touch may have been is a ball of the radius
that ``with_felt`` gives it, every cell that is believed to be occupied a box.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import numpy as np
from scipy.spatial.transform import Rotation

from dynamics.files import write_whole
from hopfield_nav.build import names_of, solids_of
from hopfield_nav.record.prior import BALL, felt_cells, felt_places
from hopfield_nav.record.run import Run
from hopfield_nav.world import Box, Cylinder, Floor, Mesh, Solid, Sphere, yaml_text

ENDLESS = 10.0  # [m] height of a cylinder without end, half of it below the base
_TYPES = {"box": 1, "sphere": 2, "cylinder": 3}  # of shape_msgs/SolidPrimitive
# colours; the felt ones are as opaque as certain
_KNOWN = (0.5, 0.5, 0.5, 1.0)
_FELT = (0.85, 0.37, 0.0)


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
        # a wall's bear one name
        numbered = (name, *(f"{name} ({k})" for k in range(2, len(bodies) + 3)))
        unique = next(each for each in numbered if each not in bodies)
        bodies[unique] = Body(unique, solid, weight)
    return list(bodies.values())


def export_moveit(run: Run, path: Path, frame: str = "base") -> Path:
    """Write a difference to a planning scene as YAML, in a frame of that name.

    ``OSError``: it cannot be.
    """
    bodies = scene_of_run(run)
    scene = {
        "name": run.world.name,
        "robot_state": {"is_diff": True},
        "object_colors": [
            {"id": body.name, "color": dict(zip("rgba", _colour(body), strict=True))}
            for body in bodies
        ],
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
    """Kind, size, position (3,) [m] and rotation (3, 3) of a solid.

    The size is that of shape_msgs/SolidPrimitive; planes and meshes have none.
    """
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
    turn = dict(
        zip("wxyz", Rotation.from_matrix(rotation).as_quat(scalar_first=True).tolist(), strict=True)
    )
    pose = {"position": dict(zip("xyz", position.tolist(), strict=True)), "orientation": turn}
    # 0: add
    told: dict[str, Any] = {"header": {"frame_id": frame}, "id": body.name, "operation": 0}
    if kind == "plane":
        coefficients = [0.0, 0.0, 1.0, -float(position[2])]
        return {
            **told,
            "planes": [{"coef": coefficients}],
            "plane_poses": [{"orientation": {"w": 1.0}}],
        }
    if isinstance(body.solid, Mesh):
        corners = body.solid.triangles.reshape(-1, 3).tolist()
        triangles = [
            {"vertex_indices": [3 * k, 3 * k + 1, 3 * k + 2]} for k in range(len(corners) // 3)
        ]
        mesh = {
            "triangles": triangles,
            "vertices": [dict(zip("xyz", p, strict=True)) for p in corners],
        }
        return {**told, "meshes": [mesh], "mesh_poses": [pose]}
    primitive = {"type": _TYPES[kind], "dimensions": [float(v) for v in size]}
    return {**told, "primitives": [primitive], "primitive_poses": [pose]}


def _colour(body: Body) -> tuple[float, ...]:
    return _KNOWN if body.weight is None else (*_FELT, round(max(body.weight, 0.1), 3))


def _text(values: Sequence[float] | np.ndarray) -> str:
    return " ".join(repr(float(v)) for v in values)
