"""What was felt, in MuJoCo and in MoveIt: the same solids at the same places."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import yaml
from refusals import refused_by_command

from hopfield_nav import load_world, simulate
from hopfield_nav.cli.app import main
from hopfield_nav.geometry import capsule_distance
from hopfield_nav.record import export_mjcf, export_moveit, felt_places, scene_of_run
from hopfield_nav.world import packed, parse_world

mujoco = pytest.importorskip("mujoco")
EVERY_KIND = """format: 1
known:
  - floor: {height: -0.03}
  - {name: post, cylinder: {center: [0.4, 0.1], radius: 0.05}}
  - cylinder: {center: [0.4, -0.2], radius: 0.04, height: [0.05, 0.3]}
  - box: {center: [0.5, 0.2, 0.2], size: [0.1, 0.2, 0.3], rotation: [0.3, -0.2, 0.5]}
  - {name: ball, sphere: {center: [0.3, 0.3, 0.4], radius: 0.1}}
  - mesh: {file: part.obj, position: [0.2, -0.3, 0.2], rotation: [0.1, 0.2, 0.3], scale: 0.2}
  - {name: row, wall: {from: [0.6, -0.3], to: [0.6, -0.2], radius: 0.03, height: [0.0, 0.2]}}
"""
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
# of the messages as moveit_msgs, geometry_msgs, shape_msgs and std_msgs publish them
FIELDS = {
    "PlanningScene": {
        "name", "robot_state", "robot_model_name", "fixed_frame_transforms", "allowed_collision_matrix",
        "link_padding", "link_scale", "object_colors", "world", "is_diff",
    },
    "RobotState": {"joint_state", "multi_dof_joint_state", "attached_collision_objects", "is_diff"},
    "ObjectColor": {"id", "color"},
    "ColorRGBA": {"r", "g", "b", "a"},
    "PlanningSceneWorld": {"collision_objects", "octomap"},
    "CollisionObject": {
        "header", "pose", "id", "type", "primitives", "primitive_poses", "meshes", "mesh_poses", "planes",
        "plane_poses", "subframe_names", "subframe_poses", "operation",
    },
    "Header": {"stamp", "frame_id"},
    "SolidPrimitive": {"type", "dimensions", "polygon"},
    "Plane": {"coef"},
    "Mesh": {"triangles", "vertices"},
    "MeshTriangle": {"vertex_indices"},
    "Pose": {"position", "orientation"},
    "Point": {"x", "y", "z"},
    "Quaternion": {"x", "y", "z", "w"},
}  # fmt: skip
INSIDE = {
    "robot_state": "RobotState", "object_colors": "ObjectColor", "color": "ColorRGBA",
    "world": "PlanningSceneWorld", "collision_objects": "CollisionObject", "header": "Header",
    "primitives": "SolidPrimitive", "primitive_poses": "Pose", "planes": "Plane", "plane_poses": "Pose",
    "meshes": "Mesh", "mesh_poses": "Pose", "triangles": "MeshTriangle", "vertices": "Point",
    "position": "Point", "orientation": "Quaternion",
}  # fmt: skip
DIMENSIONS = {1: 3, 2: 1, 3: 2}  # BOX, SPHERE, CYLINDER


@pytest.fixture(scope="module")
def whole():
    return simulate(load_world("whole_arm"))


@pytest.fixture(scope="module")
def every_kind(whole, tmp_path_factory):
    """The run as one of a world that knows a solid of every kind, and felt what it felt."""
    folder = tmp_path_factory.mktemp("mesh")
    (folder / "part.obj").write_text(TETRAHEDRON)
    made = copy.copy(whole)
    made.world = whole.world.with_changes(known=parse_world(EVERY_KIND, folder=folder).known)
    return made


def distances(model, names, points):
    """MuJoCo's distance (k, m) [m] of points from geoms, each point a ball of a hundredth of a millimetre."""
    data = mujoco.MjData(model)
    probe, *ids = (
        mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, name) for name in ("probe", *names)
    )
    out = np.empty((len(points), len(names)))
    for k, point in enumerate(points):
        data.mocap_pos[0] = point
        mujoco.mj_forward(model, data)
        for j, geom in enumerate(ids):
            out[k, j] = mujoco.mj_geomDistance(model, data, probe, geom, 10.0, None) + BALL
    return out


BALL = 1e-5
PROBE = f'<worldbody><body name="probe" mocap="true"><geom name="probe" size="{BALL}"/></body>'


def loaded(path):
    return mujoco.MjModel.from_xml_string(path.read_text().replace("<worldbody>", PROBE, 1))


def test_every_distance_in_mujoco_is_ours(every_kind, tmp_path):
    model = loaded(export_mjcf(every_kind, tmp_path / "scene.xml"))
    bodies = scene_of_run(every_kind)
    assert model.ngeom == len(bodies) + 1
    points = np.random.default_rng(0).uniform([0, -0.5, 0.0], [0.8, 0.5, 0.6], (40, 3))
    ours = capsule_distance(
        np.hstack([points, points, np.zeros((40, 1))]), packed(b.solid for b in bodies)
    )
    there = distances(model, [b.name for b in bodies], points)
    outside = ours > 1e-3
    np.testing.assert_allclose(there[outside], ours[outside], atol=2e-6)
    assert (there[~outside] < 2e-3).all()


def test_every_felt_place_is_in_a_body_of_the_scene(whole, tmp_path):
    """Within a millimetre of a body that was felt, in MuJoCo; and no such body is elsewhere."""
    model = loaded(export_mjcf(whole, tmp_path / "scene.xml"))
    felt = [body for body in scene_of_run(whole) if body.weight is not None]
    points = np.concatenate([places.points for places in felt_places(whole)])
    assert len(points) == len(felt) > 5
    apart = distances(model, [body.name for body in felt], points)
    assert (apart.min(axis=1) < 1e-3).all()
    assert (apart.min(axis=0) < 1e-3).all()
    weights = np.concatenate([places.weights for places in felt_places(whole)])
    np.testing.assert_allclose([body.weight for body in felt], weights)


def check_fields(message, kind):
    """Every field of a message is published, and those within it."""
    assert set(message) <= FIELDS[kind], set(message) - FIELDS[kind]
    for name, value in message.items():
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, dict):
                check_fields(part, INSIDE[name])


def test_the_planning_scene_has_the_published_fields_and_our_solids(every_kind, tmp_path):
    scene = yaml.safe_load(
        export_moveit(every_kind, tmp_path / "scene.yaml", "base_link").read_text()
    )
    check_fields(scene, "PlanningScene")
    assert scene["is_diff"]
    objects = scene["world"]["collision_objects"]
    bodies = scene_of_run(every_kind)
    assert (
        [o["id"] for o in objects]
        == [b.name for b in bodies]
        == [c["id"] for c in scene["object_colors"]]
    )
    assert len({b.name for b in bodies}) == len(bodies)
    model = mujoco.MjModel.from_xml_string(export_mjcf(every_kind, tmp_path / "s.xml").read_text())
    for k, (told, body) in enumerate(zip(objects, bodies, strict=True)):
        assert (told["operation"], told["header"]["frame_id"]) == (0, "base_link")
        if "planes" in told:
            assert told["planes"][0]["coef"] == [0.0, 0.0, 1.0, -body.solid.height]
            continue
        if "meshes" in told:
            corners = [list(point.values()) for point in told["meshes"][0]["vertices"]]
            order = np.array([t["vertex_indices"] for t in told["meshes"][0]["triangles"]])
            np.testing.assert_allclose(np.array(corners)[order], body.solid.triangles)
            continue
        (primitive,), (pose,) = told["primitives"], told["primitive_poses"]
        assert len(primitive["dimensions"]) == DIMENSIONS[primitive["type"]]
        size = np.array(primitive["dimensions"])
        half = {1: [0.5, 0.5, 0.5], 2: [1.0], 3: [0.5, 1.0]}[primitive["type"]] * size
        half = half[::-1] if primitive["type"] == 3 else half  # MuJoCo names the radius first
        np.testing.assert_allclose(model.geom_size[k][: len(half)], half, atol=1e-12)
        np.testing.assert_allclose(model.geom_pos[k], list(pose["position"].values()), atol=1e-12)
        turn = [pose["orientation"][name] for name in "wxyz"]
        np.testing.assert_allclose(model.geom_quat[k], turn, atol=1e-12)


def test_rosbags_knows_the_same_primitives():
    """The numbers of the kinds and the fields, of shape_msgs and geometry_msgs as ROS 2 publishes them."""
    typesys = pytest.importorskip("rosbags.typesys")
    types = typesys.get_typestore(typesys.Stores.ROS2_HUMBLE)
    solid = types.types["shape_msgs/msg/SolidPrimitive"]
    assert (solid.BOX, solid.SPHERE, solid.CYLINDER) == (1, 2, 3)
    for kind in (
        "shape_msgs/msg/SolidPrimitive",
        "shape_msgs/msg/Plane",
        "shape_msgs/msg/Mesh",
        "shape_msgs/msg/MeshTriangle",
        "geometry_msgs/msg/Pose",
    ):
        assert FIELDS[kind.rsplit("/", 1)[1]] == {name for name, _ in types.fielddefs[kind][1]}


def test_the_command_writes_a_scene(whole, tmp_path, capsys):
    whole.save(tmp_path / "run")
    assert (
        main(["export", str(tmp_path / "run"), "--scene", "moveit", "--frame", "panda_link0"]) == 0
    )
    assert main(["export", str(tmp_path / "run"), "--scene", "mjcf", "--out", str(tmp_path)]) == 0
    printed = capsys.readouterr().out.split()
    assert printed == [str(tmp_path / "run" / "planning_scene.yaml"), str(tmp_path / "scene.xml")]
    assert "panda_link0" in (tmp_path / "run" / "planning_scene.yaml").read_text()
    mujoco.MjModel.from_xml_path(str(tmp_path / "scene.xml"))


def test_another_scene_is_refused(tmp_path, capsys):
    refused_by_command(capsys, ["export", str(tmp_path), "--scene", "gazebo"], "gazebo")
