"""The library on a grid: against exact checks at its nodes and between, its symmetries, its file."""

from __future__ import annotations

import math
import os
import zipfile

import numpy as np
import pytest
from known_cell import ARM, random_joints, tool_at
from nowoczyn2023.collision_library import build_library, load_library
from refusals import refused

from dynamics import load_arm
from hopfield_nav import geometry
from hopfield_nav.extensions.clearance import build_scene, clearance, collides
from hopfield_nav.geometry import pack_primitives
from hopfield_nav.sweeps import share

SCENE = build_scene(ARM)
TENTH, WIDE, COARSE = math.radians(10), math.radians(18), math.radians(30)


def nodes(library, count, seed):
    """Random middles of cells, with other joints anywhere."""
    q = random_joints(count, seed)
    q[:, library.joints] = library.step * np.round(q[:, library.joints] / library.step)
    return q


def clear(arm, scene, q):
    """Poses where rounding of sines cannot decide whether something touches."""
    return q[np.abs(clearance(arm, scene, q)) > 1e-9]


@pytest.fixture(scope="module")
def library():
    return build_library(ARM, SCENE)


def test_the_ur5_needs_joints_2_to_5_and_as_many_bits_as_the_document(library):
    assert library.joints.tolist() == [1, 2, 3, 4]
    assert library.per_turn == 36
    assert library.bits.nbytes == 36**4 // 8
    assert library.step == pytest.approx(TENTH)


@pytest.mark.kernel
def test_nodes_are_as_the_exact_check_has_them(library):
    q = clear(ARM, SCENE, nodes(library, 200_000, 1))
    assert len(q) > 199_000
    expected = collides(ARM, SCENE, q)
    np.testing.assert_array_equal(library.collides(q), expected)
    assert 0.1 < expected.mean() < 0.9


def test_every_cell_is_where_it_should_be():
    """All nodes of a small grid, in the order of the bits."""
    library = build_library(ARM, SCENE, step=math.radians(60))
    angle = np.arange(6) * math.radians(60)
    q = np.zeros((6**4, 6))
    q[:, 1:5] = np.stack(np.meshgrid(*4 * [angle], indexing="ij"), axis=-1).reshape(-1, 4)
    bits = np.unpackbits(library.bits, bitorder="little")[: 6**4].astype(bool)
    sure = np.abs(clearance(ARM, SCENE, q)) > 1e-9
    np.testing.assert_array_equal(bits[sure], collides(ARM, SCENE, q)[sure])


def test_a_pose_is_rounded_to_the_nearest_node_and_a_turn_changes_nothing(library):
    middle, rng = nodes(library, 20_000, 2), np.random.default_rng(3)
    within = middle + rng.uniform(-0.499, 0.499, middle.shape) * library.step
    np.testing.assert_array_equal(library.collides(within), library.collides(middle))
    turned = within + 2 * np.pi * rng.integers(-3, 4, within.shape)
    np.testing.assert_array_equal(library.collides(turned), library.collides(middle))


@pytest.mark.parametrize(("joint", "arm", "matters"), [
    (0, ARM, False), (5, ARM, False), (1, ARM, True), (4, ARM, True),
    (0, tool_at(0.1, 0, 0.1), False), (5, tool_at(0.1, 0, 0.1), True), (5, tool_at(0, 0, 0.2), False),
], ids=["1", "6", "2", "5", "1, tool", "6, tool beside its axis", "6, tool on its axis"])  # fmt: skip
def test_which_joints_matter_is_as_exact_checks_have_it(joint, arm, matters):
    scene, q = build_scene(arm), random_joints(20_000, 4)
    turned = q.copy()
    turned[:, joint] += np.random.default_rng(5).uniform(-np.pi, np.pi, len(q))
    change = np.abs(clearance(arm, scene, turned) - clearance(arm, scene, q)).max()
    assert (change > 1e-3) if matters else (change < 1e-12)
    joints = build_library(arm, scene, step=math.radians(120)).joints
    assert (joint in joints) == matters


def test_a_base_beside_its_axis_and_solids_make_joint_1_matter():
    capsules = ARM.capsules.copy()
    capsules[0, [1, 4]] += 0.02
    moved = ARM._replace(capsules=capsules)
    axes = {
        "base": build_library(moved, step=COARSE * 4).joints,
        "floor": build_library(
            ARM, scene_with(geometry.half_space([0, 0, 0])), step=COARSE * 4
        ).joints,
        "pole": build_library(
            ARM, scene_with(geometry.upright_cylinder([0, 0], 0.01)), step=COARSE * 4
        ).joints,
        "wall": build_library(
            ARM, scene_with(geometry.half_space([0, 0.5, 0], [0, -1, 0])), step=COARSE * 4
        ).joints,
        "ball": build_library(
            ARM, scene_with(geometry.sphere([0.5, 0, 0.3], 0.1)), step=COARSE * 4
        ).joints,
        "box": build_library(
            ARM, scene_with(geometry.box([0, 0, 1], [0.2, 0.2, 0.2])), step=COARSE * 4
        ).joints,
    }
    assert {name: 0 in joints for name, joints in axes.items()} == {
        "base": True, "floor": False, "pole": False, "wall": True, "ball": True, "box": True,
    }  # fmt: skip


def scene_with(*rows):
    return build_scene(ARM, pack_primitives(rows))


def test_a_library_of_a_scene_with_solids_has_their_collisions():
    scene = scene_with(geometry.half_space([0, 0, 0]), geometry.sphere([0.5, 0, 0.3], 0.1))
    library = build_library(ARM, scene, step=COARSE)
    assert library.joints.tolist() == [0, 1, 2, 3, 4]
    q = clear(ARM, scene, nodes(library, 20_000, 6))
    np.testing.assert_array_equal(library.collides(q), collides(ARM, scene, q))
    assert (library.collides(q) & ~collides(ARM, SCENE, q)).any()


def test_rounding_errs_in_both_ways(library):
    q = random_joints(200_000, 7)
    exact, said = collides(ARM, SCENE, q), library.collides(q)
    missed, alarms = (
        share(int((exact & ~said).sum()), len(q)),
        share(int((said & ~exact).sum()), len(q)),
    )
    assert missed.low > 0
    assert alarms.low > 0
    assert missed.high + alarms.high < 0.15


def test_a_safe_cell_is_free_everywhere_in_it_and_that_costs_false_alarms():
    library = build_library(ARM, SCENE, safe=True)
    q = random_joints(1_000_000, 8)
    exact, said = collides(ARM, SCENE, q), library.collides(q)
    assert not (exact & ~said).any()
    assert (said & ~exact).sum() > 2 * (build_library(ARM, SCENE).collides(q) & ~exact).sum()
    assert (~said).mean() > 0.1  # and yet something is called free


FAR_SOLIDS = [geometry.half_space([0, 0, -1.3]), geometry.sphere([1.1, 0, 0.3], 0.1)]
# none of its pairs is always near another, as in the UR5
OFF_AXIS = tool_at(0.02, 0, 0, load_arm("ur5e"))


@pytest.mark.parametrize(("arm", "solids", "joints"), [
    (OFF_AXIS, [], [1, 2, 3, 4, 5]),
    (load_arm("ur5e"), FAR_SOLIDS, [0, 1, 2, 3, 4]),
], ids=["off-axis tool", "solids"])  # fmt: skip
def test_a_safe_library_with_five_axes_calls_nothing_free_that_is_not(arm, solids, joints):
    scene = build_scene(arm, pack_primitives(solids))
    library, q = build_library(arm, scene, step=WIDE, safe=True), random_joints(300_000, 9)
    assert library.joints.tolist() == joints
    said, exact = library.collides(q), collides(arm, scene, q)
    assert not (exact & ~said).any()
    assert (exact & ~build_library(arm, scene, step=WIDE).collides(q)).any()
    assert not said.all()


def test_clearance_is_kept_at_the_nodes():
    scene = scene_with(geometry.half_space([0, 0, 0]))
    library = build_library(ARM, scene, step=COARSE, clearance=0.02)
    q = nodes(library, 20_000, 10)
    gap = clearance(ARM, scene, q)
    sure = np.abs(gap - 0.02) > 1e-9
    np.testing.assert_array_equal(library.collides(q)[sure], gap[sure] <= 0.02)
    assert (library.collides(q) & ~collides(ARM, scene, q)).any()


def test_progress_rises_to_the_end():
    calls = []
    build_library(ARM, SCENE, step=TENTH, progress=lambda done, total: calls.append((done, total)))
    done = [d for d, _ in calls]
    assert len(calls) > 5
    assert done == sorted(set(done))
    assert calls[-1] == (36**4, 36**4)


def test_the_file_gives_the_same_library_back(library, tmp_path):
    path = library.save(tmp_path / "ur5")
    assert path == tmp_path / "ur5.npz"
    back = load_library(path, ARM)
    np.testing.assert_array_equal(back.bits, library.bits)
    assert (back.per_turn, back.clearance, back.safe) == (36, 0.0, False)
    q = random_joints(1000, 11)
    np.testing.assert_array_equal(back.collides(q), library.collides(q))
    safe = build_library(ARM, step=COARSE, clearance=0.01, safe=True)
    again = load_library(safe.save(tmp_path / "safe.npz"), ARM)
    assert (again.per_turn, again.clearance, again.safe) == (12, 0.01, True)


OTHERS = {
    "another arm": (load_arm("ur5e"), None),
    "a longer tool": (tool_at(0, 0, 0.1), None),
    "a tool a micrometre aside": (tool_at(0, 1e-6, 0), None),
    "another scene": (ARM, [geometry.half_space([0, 0, 0])]),
}


@pytest.mark.parametrize(("arm", "solids"), OTHERS.values(), ids=OTHERS)
def test_the_file_of_another_arm_tool_or_scene_is_refused(library, tmp_path, arm, solids):
    path = library.save(tmp_path / "ur5.npz")
    scene = [] if solids is None else [scene_with(*solids)]
    with refused("another arm, tool or scene"):
        load_library(path, arm, *scene)


def test_masses_decide_no_collision(library, tmp_path):
    heavier = ARM._replace(mass=2 * ARM.mass)
    assert load_library(library.save(tmp_path / "ur5.npz"), heavier).per_turn == 36


def _saved_with(path, **changes):
    with np.load(path) as file:
        data = dict(file)
    np.savez(path, **data | changes)


def _one_array(path):
    with path.open("wb") as stream:
        np.save(stream, np.zeros(3))


def _one_byte_less(path):
    with np.load(path) as file:
        bits = file["bits"][:-1]
    _saved_with(path, bits=bits)


def _a_pipe(path):
    path.unlink()
    os.mkfifo(path)


def _a_giant(path):
    """A few kB that would unpack to 257 MB of nothing; its head is true."""
    with np.load(path) as file:
        whole = {key: file[key] for key in file.files if key != "bits"}
    np.savez_compressed(path, **whole)
    with (
        zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as packed,
        packed.open("bits.npy", "w") as bits,
    ):
        about = {"descr": "|u1", "fortran_order": False, "shape": (257 << 20,)}
        np.lib.format.write_array_header_1_0(bits, about)
        for _ in range(257):
            bits.write(bytes(1 << 20))


BROKEN = {
    "a pipe": (_a_pipe, "no regular file"),
    "a giant": (_a_giant, "larger than a collision library"),
    "empty": (lambda path: path.write_bytes(b""), "cannot read"),
    "text": (lambda path: path.write_bytes(b"text"), "cannot read"),
    "half": (
        lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
        "cannot read",
    ),
    "missing": (lambda path: path.unlink(), "cannot read"),
    "another archive": (lambda path: np.savez(path, a=1), "cannot read"),
    "one array": (_one_array, "cannot read"),
    "a byte less": (_one_byte_less, "damaged"),
    "a later format": (lambda path: _saved_with(path, format=2), "unknown format"),
}


@pytest.mark.parametrize(("damage", "words"), BROKEN.values(), ids=BROKEN)
def test_a_broken_file_is_refused(library, tmp_path, damage, words):
    path = library.save(tmp_path / "ur5.npz")
    damage(path)
    with refused(words):
        load_library(path, ARM)


def test_batches_keep_their_shape(library):
    q = random_joints(6, 12).reshape(2, 3, 6)
    assert library.collides(q).shape == (2, 3)
    assert library.collides(q[0, 0]) == library.collides(q)[0, 0]


@pytest.mark.parametrize(
    ("q", "words"),
    [(np.zeros(5), "wrong shape"), (np.full(6, np.nan), "finite")],
    ids=["five joints", "nan"],
)
def test_wrong_joints_are_refused(library, q, words):
    with refused(words):
        library.collides(q)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"step": 0.17}, "wrong step"),
        ({"step": math.nan}, "wrong step"),
        ({"step": 0.0}, "wrong step"),
        ({"clearance": -1.0}, "wrong clearance"),
        ({"step": math.radians(1)}, "too many cells"),
    ],
)
def test_a_library_that_cannot_be_built_is_refused(given, words):
    with refused(words):
        build_library(ARM, **given)
