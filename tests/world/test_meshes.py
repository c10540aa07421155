"""Convex meshes as obstacles: where they stand, what they are like, and twelve bad files of each format."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from inside_solids import contains
from refusals import refused_by_command

from hopfield_nav import load_run, simulate
from hopfield_nav.geometry import capsule_distance, pack_primitives
from hopfield_nav.world import load_world, pack

trimesh = pytest.importorskip("trimesh")
CORNERS = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
TRIANGLES = [
    (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
    (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3),
]  # fmt: skip
ANGLES, PLACE, SCALE = [0.2, -0.3, 0.5], [0.5, 0.1, 0.2], [0.1, 0.16, 0.2]


def obj(triangles=TRIANGLES, corners=CORNERS):
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in corners]
    return "\n".join([*lines, *("f " + " ".join(str(k + 1) for k in t) for t in triangles)]) + "\n"


def stl(triangles=TRIANGLES, corners=CORNERS):
    text = "solid part\n"
    for t in triangles:
        text += "facet normal 0 0 0\nouter loop\n"
        text += "".join(
            f"vertex {corners[k][0]!r} {corners[k][1]!r} {corners[k][2]!r}\n" for k in t
        )
        text += "endloop\nendfacet\n"
    return text + "endsolid part\n"


def binary(triangles=TRIANGLES, corners=CORNERS):
    parts = [b"\0" * 80, struct.pack("<I", len(triangles))]
    parts += [
        struct.pack("<12fH", 0, 0, 0, *(v for k in t for v in corners[k]), 0) for t in triangles
    ]
    return b"".join(parts)


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def world_with(folder, mesh, section="obstacles", more=""):
    text = f"format: 1\n{section}:\n  - mesh: {mesh}\n{more}"
    return write(folder / "w.yaml", text)


@pytest.mark.parametrize("name", ["a.obj", "a.stl", "b.STL"])
def test_a_mesh_of_a_box_stands_where_the_box_does(tmp_path, name):
    """In any format: turned, put and scaled as the box, and as far from anything."""
    size = np.array(SCALE)
    corners = [tuple((np.array(c) * size).tolist()) for c in CORNERS]
    made = {"a.obj": obj, "a.stl": stl, "b.STL": binary}[name](
        corners=[tuple(10 * v for v in c) for c in corners]
    )
    write(tmp_path / name, made)
    mesh = f"{{file: {name}, position: {PLACE}, rotation: {ANGLES}, scale: 0.1}}"
    known = f"known:\n  - box: {{center: {PLACE}, size: {SCALE}, rotation: {ANGLES}}}\n"
    world = load_world(world_with(tmp_path, mesh, more=known))
    (solid,), (same,) = world.obstacles[0].solids, world.known[0].solids
    points = np.random.default_rng(0).uniform(-0.2, 0.2, (500, 3)) + PLACE
    rows = np.hstack([points, points, np.zeros((500, 1))])
    far = capsule_distance(rows, pack_primitives([pack(solid), pack(same)]))
    np.testing.assert_allclose(far[:, 0], far[:, 1], atol=1e-7)
    clear = np.abs(far[:, 0]) > 1e-6
    np.testing.assert_array_equal(
        contains(solid, *points[clear].T), contains(same, *points[clear].T)
    )


def test_the_tool_feels_a_mesh_as_it_feels_the_box(tmp_path):
    """A run into an unknown mesh touches at the same time, with the same force; and its copy loads again."""
    write(tmp_path / "a.obj", obj())
    more = "start: {position: [0.4, 0.0]}\ngoal: {position: [0.6, 0.0]}\ntime_limit: 4\n"
    mesh = load_world(
        world_with(tmp_path, "{file: a.obj, position: [0.5, 0, 0.0], scale: 0.08}", more=more)
    )
    run = simulate(mesh, seed=1)
    text = f"format: 1\nobstacles:\n  - box: {{center: [0.5, 0, 0.0], size: [0.08, 0.08, 0.08]}}\n{more}"
    same = simulate(load_world(write(tmp_path / "v.yaml", text)), seed=1)
    assert run.summary["collision_count"] > 0
    assert run.summary["collision_count"] == same.summary["collision_count"]
    np.testing.assert_allclose(run.data.event_time.values, same.data.event_time.values, atol=1e-9)
    np.testing.assert_allclose(run.data.force.values, same.data.force.values, atol=1e-3)
    run.save(tmp_path / "runs" / "one")
    assert load_run(tmp_path / "runs" / "one").world.obstacles[0].mesh.scale == 0.08
    (solid,) = load_run(tmp_path / "runs" / "one").world.obstacles[0].solids
    np.testing.assert_array_equal(solid.triangles, mesh.obstacles[0].solids[0].triangles)


def test_the_whole_arm_goes_between_a_known_mesh_and_what_it_feels(tmp_path):
    """Places that it believes in stand beside the mesh as known solids do, and the mesh is not touched."""
    write(tmp_path / "a.obj", obj())
    more = (
        "  - floor: {height: -0.03}\nmap: {space: joints}\ngoal: {position: [0.597, -0.092, 0.0]}\n"
        "obstacles: [{sphere: {center: [0.47, -0.17, 0.25], radius: 0.06}}]\nrecord: {signals: none}\n"
    )
    world = load_world(
        world_with(tmp_path, "{file: a.obj, position: [0.3, 0.5, 0.1], scale: 0.16}", "known", more)
    )
    run = simulate(world, seed=0)
    assert run.outcome == "reached"
    assert run.summary["collision_count"] > 0


WEDGE = [*CORNERS[:7], (0.0, 0.0, 0.0)]  # a corner pushed to the middle
NOT_CONVEX = "CoACD"
GIVEN = "{file: FILE, position: [0.5, 0, 0], scale: 0.1}"
BAD = {
    "holes": (lambda form: form(TRIANGLES[1:]), GIVEN, "holes"),
    "not convex": (lambda form: form(corners=WEDGE), GIVEN, NOT_CONVEX),
    "two parts": (
        lambda form: form([*TRIANGLES, *((a + 8, b + 8, c + 8) for a, b, c in TRIANGLES)],
                          [*CORNERS, *((x + 3, y, z) for x, y, z in CORNERS)]),
        GIVEN, NOT_CONVEX,
    ),
    "flat": (lambda form: form(corners=[(x, y, 0.0) for x, y, _ in CORNERS]), GIVEN, "mesh"),
    "no triangles": (lambda form: form([]), GIVEN, "no closed, convex mesh"),
    "no number": (lambda form: form(corners=[(float("nan"), 0.0, 0.0), *CORNERS[1:]]), GIVEN, "mesh"),
    "empty": (lambda form: "", GIVEN, "no closed, convex mesh"),
    "something else": (lambda form: bytes(range(256)) * 3, GIVEN, "no closed, convex mesh"),
    "truncated": (lambda form: form()[: len(form()) // 2], GIVEN, "mesh"),
    "millimetres": (lambda form: form(corners=[(1e3 * x, 1e3 * y, 1e3 * z) for x, y, z in CORNERS]),
                    "{file: FILE}", "millimetres"),
    "another ending": (lambda form: form(), "{file: part.step}", "found 'part.step'; allowed: .stl or .obj"),
    "no such file": (lambda form: form(), "{file: gone.stl}", "cannot read the mesh: No such file"),
    "a negative scale": (lambda form: form(), "{file: FILE, scale: -1}", "scale"),
    "an unknown key": (lambda form: form(), "{file: FILE, place: [0, 0, 0]}", "unknown key"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "form"), [("a.stl", stl), ("a.obj", obj)], ids=["stl", "obj"])
@pytest.mark.parametrize(("content", "mesh", "words"), BAD.values(), ids=BAD)
def test_a_bad_mesh_is_told_in_one_line(tmp_path, capsys, content, mesh, words, name, form):
    write(tmp_path / name, content(form))
    path = world_with(tmp_path, mesh.replace("FILE", name))
    line = refused_by_command(capsys, ["run", str(path), "--no-plots"], words)
    assert "w.yaml, line 3" in line


def test_without_trimesh_a_mesh_says_what_to_install(tmp_path, capsys, monkeypatch):
    import sys

    write(tmp_path / "a.obj", obj())
    monkeypatch.setitem(sys.modules, "trimesh", None)
    path = world_with(tmp_path, "{file: a.obj}")
    refused_by_command(capsys, ["run", str(path), "--no-plots"], "pip install 'hopfield-nav[mesh]'")
