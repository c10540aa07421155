"""Exact checks of the arm against itself and known solids: MuJoCo, coal, and what is not checked."""

from __future__ import annotations

import re

import coal
import mujoco
import numpy as np
import pytest
from known_cell import ARM, random_joints, tool_at
from refusals import refused
from solids_as_mujoco import mujoco_geom

from dynamics import forward_kinematics, load_arm
from dynamics.files import mjcf_text
from hopfield_nav import geometry, load_world
from hopfield_nav.build import solids_of
from hopfield_nav.extensions.clearance import (
    build_scene,
    clearance,
    collides,
    explain,
    in_names,
    pair_distances,
    scene_of_world,
)
from hopfield_nav.geometry import LINK, arm_bodies, arm_distance, capsules_in_base, pack_primitives
from hopfield_nav.world import pack

SOLIDS = [
    geometry.half_space([0, 0, 0]),
    geometry.box([0.6, 0, 0.1], [0.4, 1.0, 0.2]),
    geometry.finite_cylinder([-0.4, 0.4, 0.3], 0.08, 0.6),
    geometry.finite_cylinder([-0.4, -0.5, 0.4], 0.1, 0.4, [1, 0.5, 0.2]),
    geometry.sphere([0.2, 0.5, 0.7], 0.15),
    geometry.capsule([0.3, -0.5, 0.2], [0.1, -0.5, 0.8], 0.06),
]
UP = np.array([0.0, -np.pi / 2, 0.0, 0.0, 0.0, 0.0])
FOLDED = np.array([0.0, -1.6, 2.9, 0.0, 0.0, 0.0])  # the forearm back on the upper arm


class Mujoco:
    """The arm's own model moved by MuJoCo, the solids beside it, and MuJoCo's distances."""

    def __init__(self, arm, rows):
        exact = '<option ccd_tolerance="1e-12" ccd_iterations="500" '
        xml = mjcf_text(arm).replace("<option ", exact, 1)
        xml = xml.replace(
            "<worldbody>", "<worldbody>" + "".join(mujoco_geom(row) for row in rows), 1
        )
        self.model = mujoco.MjModel.from_xml_string(xml)
        self.data = mujoco.MjData(self.model)
        self.solids = list(range(len(rows)))
        links = [self.model.body(self.model.geom_bodyid[g]).name for g in range(self.model.ngeom)]
        self.link = [int(name.split("_")[1]) if "_" in name else 0 for name in links]
        # links in turn, as the arm file has them
        self.bodies = list(range(len(rows), self.model.ngeom))

    def distances(self, q, pairs):
        self.data.qpos[:] = q
        mujoco.mj_kinematics(self.model, self.data)
        return [mujoco.mj_geomDistance(self.model, self.data, a, b, 10.0, None) for a, b in pairs]


@pytest.mark.parametrize("name", ["ur5_ragazzon2012", "ur5e"])
def test_the_arm_against_itself_is_as_mujoco_has_it(name):
    """Every pair of bodies that are two links apart or more, but those that overlap in every pose."""
    arm = load_arm(name)
    scene, other, q = build_scene(arm), Mujoco(arm, []), random_joints(10_000, 1)
    assert [other.link[g] for g in other.bodies] == list(arm.capsules[:, LINK])
    pairs = [
        (a, b)
        for a in other.bodies
        for b in other.bodies
        if a < b and other.link[b] - other.link[a] >= 2
    ]
    theirs = np.array([other.distances(row, pairs) for row in q])
    always = (theirs <= 0).all(axis=0)
    assert always.sum() == (name == "ur5_ragazzon2012")  # its shoulder stands in the base's housing
    least = theirs[:, ~always].min(axis=1)
    sure = np.abs(least) > 1e-6
    np.testing.assert_array_equal(collides(arm, scene, q)[sure], least[sure] <= 0)
    assert sure.mean() > 0.999
    assert 0.1 < (least <= 0).mean() < 0.9
    kept = [pairs.index((a, b)) for a, b in scene.pairs]
    np.testing.assert_allclose(pair_distances(arm, scene, q), theirs[:, kept], rtol=0, atol=1e-6)
    np.testing.assert_allclose(
        clearance(arm, scene, q), theirs[:, kept].min(axis=1), rtol=0, atol=1e-6
    )


def test_the_arm_among_solids_is_as_mujoco_has_it():
    """Distances where capsule and solid are apart; overlapping convex bodies have other distances there."""
    scene, other, q = (
        build_scene(ARM, pack_primitives(SOLIDS)),
        Mujoco(ARM, SOLIDS),
        random_joints(10_000, 2),
    )
    moving = [g for g in other.bodies if other.link[g] > 0]
    # stands on the floor
    pairs = [(j, g) for g in moving for j in other.solids if j > 0 or other.link[g] > 1]
    inside = [(a + len(SOLIDS), b + len(SOLIDS)) for a, b in scene.pairs]
    theirs = np.array([other.distances(row, pairs + inside) for row in q])
    least, ours = theirs.min(axis=1), clearance(ARM, scene, q)
    sure = np.abs(least) > 1e-6
    np.testing.assert_array_equal(collides(ARM, scene, q)[sure], least[sure] <= 0)
    assert sure.mean() > 0.999
    apart = least > 1e-6
    np.testing.assert_allclose(ours[apart], least[apart], rtol=0, atol=1e-6)
    np.testing.assert_array_equal(ours[sure] <= 0, least[sure] <= 0)
    assert 500 < apart.sum() < 9500


def coal_capsule(row):
    axis = row[3:6] - row[:3]
    z = axis / max(np.linalg.norm(axis), 1e-300)
    x = np.cross(z, [1, 0, 0] if abs(z[0]) < 0.9 else [0, 1, 0])
    x /= np.linalg.norm(x)
    turn = np.column_stack([x, np.cross(z, x), z])
    return coal.Capsule(max(row[6], 1e-9), np.linalg.norm(axis)), coal.Transform3s(
        turn, 0.5 * (row[:3] + row[3:6])
    )


def test_the_rod_of_a_tool_is_as_coal_has_it():
    """Coal's capsules at our places: the rod against links 0 to 3; link 4 it never touches."""
    arm = tool_at(0.05, 0.02, 0.2)
    scene, q = build_scene(arm), random_joints(1500, 3)
    rods = scene.pairs[scene.pairs[:, 1] == len(arm.capsules)]
    assert set(scene.bodies[rods[:, 0], LINK]) == {0, 1, 2, 3}
    ours = pair_distances(arm, scene, q)[:, scene.pairs[:, 1] == len(arm.capsules)]
    request = coal.DistanceRequest()
    request.gjk_tolerance = request.epa_tolerance = 1e-12
    for pose, row in zip(capsules_in_base(arm, q), ours, strict=True):
        tip = coal_capsule(pose[-1])
        for (body, _), found in zip(rods, row, strict=True):
            theirs = coal.distance(*coal_capsule(pose[body]), *tip, request, coal.DistanceResult())
            assert (theirs <= 0) == (found <= 0) or abs(found) < 1e-6
            if found > 1e-3:
                assert theirs == pytest.approx(found, abs=1e-6)
    assert (ours <= 0).any()


# what is not checked


def test_the_arm_stands_on_a_floor_that_touches_link_1_at_every_angle():
    bodies = arm_bodies(ARM)
    floor = build_scene(ARM, geometry.half_space([0, 0, 0])[None])
    np.testing.assert_array_equal(floor.checked[:, 0], bodies[:, LINK] >= 2)
    assert not collides(ARM, floor, UP)
    assert arm_distance(ARM, UP, floor.solids)[1, 0] < 0  # link 1 does touch it
    low = build_scene(ARM, geometry.half_space([0, 0, -0.01])[None])
    np.testing.assert_array_equal(low.checked[:, 0], bodies[:, LINK] >= 1)
    assert not collides(ARM, low, UP)
    raised = build_scene(ARM, geometry.half_space([0, 0, 0.2])[None])  # the shoulder is in it
    assert collides(ARM, raised, random_joints(2000, 4)).all()
    assert explain(ARM, raised, UP) == "link 2 touches known[0]"


@pytest.mark.parametrize("margin", [0.02, 0.04])
def test_what_no_plan_can_keep_away_from_is_kept_at_a_touch(margin):
    """A floor just under link 1, and under the shoulder of link 2 that joint 1 alone moves."""
    floor = geometry.half_space([0, 0, -0.01])[None]
    scene = build_scene(ARM, floor, margin=margin)
    assert not collides(ARM, scene, UP)
    assert explain(ARM, scene, UP) == "free"
    assert scene.checked[1, 0]
    low = np.array([0.0, -0.05, 0.0, 0.0, 0.0, 0.0])  # the forearm is lowered to the floor
    assert collides(ARM, scene, low)


def test_a_margin_never_hides_a_touch():
    """Link 1 with a long housing: the solid is within the margin at every angle, and touched at some."""
    rows = ARM.capsules.copy()
    rows[1, 4:7] = [0.12, -0.03, 0.0]
    arm, ball = ARM._replace(capsules=rows), geometry.sphere([0.25, 0.0, 0.06], 0.08)[None]
    q = np.tile(UP, (360, 1))
    q[:, 0] = np.radians(np.arange(360))
    distance = arm_distance(arm, q, ball)[:, 1, 0]
    assert distance.max() < 0.2
    for margin in (0.0, 0.2):
        scene = build_scene(arm, ball, margin=margin)
        named = np.array([explain(arm, scene, row) for row in q])
        assert 5 < (distance <= 0).sum() < 180
        assert all("link 1 touches known[0]" in words for words in named[distance <= 0])


def test_names_stand_for_numbers_and_a_wall_is_said_once():
    words = (
        "x: link 2 touches known[0], link 2 touches known[1], link 3 touches known[2]; and known[3]"
    )
    names = ["the wall", "the wall", None, "C:\\1"]
    assert (
        in_names(words, names) == "x: link 2 touches the wall, link 3 touches known[2]; and C:\\1"
    )
    assert in_names("free", names) == "free"
    # more than the world's
    assert in_names("link 2 touches known[4]", names) == "link 2 touches known[4]"


def test_what_is_only_near_is_said_to_be_near():
    ball = geometry.sphere(forward_kinematics(ARM, UP)[:3, 3] + [0, 0, 0.2], 0.1)[None]
    words = explain(ARM, build_scene(ARM, ball, margin=0.3), UP)
    assert re.search(r"link \d comes within \d+\.\d mm of known\[0\]", words)
    assert "touches" not in words


def test_a_box_that_link_1_meets_at_some_angles_is_checked():
    box = geometry.box([0.0, 0.125, 0.1], [0.1, 0.1, 0.1])[None]  # link 1 sticks out to one side
    scene = build_scene(ARM, box)
    assert scene.checked[1, 0]
    q = np.tile(UP, (360, 1))
    q[:, 0] = np.radians(np.arange(360))
    meets = arm_distance(ARM, q, box)[:, 1, 0] <= 0
    assert 10 < meets.sum() < 350
    q[:, 1:] = UP[1:]
    named = ["link 1" in explain(ARM, scene, row) for row in q]
    np.testing.assert_array_equal(named, meets)


def test_the_base_itself_is_not_checked():
    table = geometry.box([0, 0, -0.05], [1, 1, 0.2])[None]  # up to z = 0.05, about the base
    scene = build_scene(ARM, table)
    assert not scene.checked[0].any()
    assert not scene.checked[1].any()


def test_the_scene_of_a_world_has_its_known_obstacles_alone():
    world = load_world("shelf")
    scene = scene_of_world(world, margin=0.01)
    assert len(scene.solids) == len(world.known) > 0
    assert len(world.obstacles) > 0
    for row, solid in zip(scene.solids, solids_of(world.known), strict=True):
        np.testing.assert_array_equal(row, pack(solid))
    assert scene.margin.tolist() == [0.01, 0.0]


# words, margins, shapes


def test_explain_names_what_touches_what():
    scene = build_scene(ARM, pack_primitives(SOLIDS[:2]))
    assert explain(ARM, scene, UP) == "free"
    assert "link 5 touches link 2" in explain(ARM, scene, FOLDED)
    assert "link 3 touches known[1]" in explain(ARM, scene, [np.pi, 0.0, 0.0, 0.0, 0.0, 0.0])
    arm = tool_at(0, 0, 0.9)
    down = np.array([0.0, -np.pi / 2, np.pi / 2, -np.pi / 2, -np.pi / 2, 0.0])
    scene = build_scene(arm, pack_primitives([geometry.half_space([0, 0, 0])]))
    assert explain(arm, scene, down) == "the tool touches known[0]"
    assert "the base" in explain(arm, build_scene(arm), on_the_base(arm))


def on_the_base(arm):
    q = random_joints(4000, 8)
    scene = build_scene(arm)
    hit = pair_distances(arm, scene, q)[:, scene.pairs[:, 0] == 0].min(axis=1)
    return q[hit.argmin()]


@pytest.mark.kernel
def test_explain_agrees_with_the_check():
    scene, q = build_scene(ARM, pack_primitives(SOLIDS), margin=0.01), random_joints(2000, 9)
    words = [explain(ARM, scene, row) for row in q]
    np.testing.assert_array_equal([w != "free" for w in words], collides(ARM, scene, q))


@pytest.mark.kernel
def test_a_margin_is_kept_from_solids_and_not_from_itself():
    bare, q = build_scene(ARM, pack_primitives(SOLIDS[1:])), random_joints(5000, 10)
    wide = build_scene(ARM, bare.solids, margin=0.03)
    own = pair_distances(ARM, bare, q).min(axis=1)
    solids = arm_distance(ARM, q, bare.solids)[:, bare.checked].min(axis=1)
    np.testing.assert_array_equal(collides(ARM, wide, q), (own <= 0) | (solids <= 0.03))
    assert (collides(ARM, wide, q) & ~collides(ARM, bare, q)).sum() > 50
    np.testing.assert_array_equal(clearance(ARM, wide, q), clearance(ARM, bare, q))


def test_an_arm_keeps_clear_of_a_known_mesh(tmp_path):
    """The mesh of a box, read from a file, is as far away as the box."""
    trimesh = pytest.importorskip("trimesh")
    trimesh.creation.box([0.2, 0.2, 0.2]).export(tmp_path / "a.obj")
    (tmp_path / "w.yaml").write_text(
        "format: 1\nknown:\n  - mesh: {file: a.obj, position: [0.5, 0, 0.3]}\n"
    )
    world, q = load_world(tmp_path / "w.yaml"), random_joints(300, 12)
    rows = (pack(world.known[0].solids[0]), geometry.box([0.5, 0, 0.3], [0.2, 0.2, 0.2]))
    mesh, solid = (clearance(ARM, build_scene(ARM, pack_primitives([row])), q) for row in rows)
    np.testing.assert_allclose(mesh, solid, atol=1e-7)


def test_batches_keep_their_shape():
    scene, q = build_scene(ARM, pack_primitives(SOLIDS)), random_joints(6, 11).reshape(2, 3, 6)
    assert collides(ARM, scene, q).shape == clearance(ARM, scene, q).shape == (2, 3)
    assert pair_distances(ARM, scene, q).shape == (2, 3, len(scene.pairs))
    assert collides(ARM, scene, q[0, 0]).shape == ()
    assert collides(ARM, scene, q[0, 0]) == collides(ARM, scene, q)[0, 0]
    assert collides(ARM, scene, np.empty((0, 6))).shape == (0,)


@pytest.mark.parametrize(
    ("call", "part"),
    [
        (lambda s: collides(ARM, s, np.zeros(5)), "wrong shape"),
        (lambda s: collides(ARM, s, "here"), "must hold numbers"),
        (lambda s: collides(ARM, s, [0, 0, np.nan, 0, 0, 0]), "finite"),
        (lambda s: clearance(ARM, s, [0, 0, np.inf, 0, 0, 0]), "finite"),
        (lambda s: explain(ARM, s, np.zeros((2, 6))), "wrong shape"),
        (lambda s: explain(ARM, s, "here"), "must hold numbers"),
        (lambda s: build_scene(ARM, None, margin=-0.1), "wrong margin"),
        (lambda s: build_scene(ARM, None, margin=np.nan), "wrong margin"),
        (lambda s: build_scene(ARM, np.zeros((1, 5))), "pack_primitives"),
    ],
)
def test_faults_are_told_in_one_line(call, part):
    with refused(part):
        call(build_scene(ARM))
