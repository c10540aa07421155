"""Time of a whole-arm collision check and of the exact distance, a pose, beside coal on the same pairs.

Run: ``python benchmarks/bench_geometry.py``. Medians of several runs, one core. Frames of
the links are computed in ours; coal is given them, and its bounding boxes are not used.
"""

from __future__ import annotations

import numpy as np
from timing import asked, median_seconds, table, tell, two_digits

from dynamics import load_arm
from hopfield_nav.extensions.clearance import build_scene, clearance, collides
from hopfield_nav.geometry import (
    BOX,
    arm_distance,
    box,
    capsules_in_base,
    finite_cylinder,
    half_space,
    pack_primitives,
    sphere,
)
from hopfield_nav.geometry.solids import CYLINDER, SPHERE

RUNS, POSES, POSES_OF_COAL = 9, 10_000, 300
SOLIDS = {
    "floor, table, two cylinders": [
        half_space([0, 0, -0.05]),
        box([0.55, 0, 0.1], [0.3, 0.8, 0.2]),
        finite_cylinder([-0.5, -0.4, 0.3], 0.1, 0.6),
        finite_cylinder([-0.3, 0.5, 0.3], 0.1, 0.6),
    ],
    "floor, three spheres": [
        half_space([0, 0, -0.05]),
        *(sphere([0.6 * np.cos(a), 0.6 * np.sin(a), 0.3], 0.1) for a in (0.0, 2.0, 4.0)),
    ],
}


def main():
    out = asked(__doc__)
    arm, rng = load_arm("ur5_controller"), np.random.default_rng(0)
    q = rng.uniform(-np.pi, np.pi, (POSES, 6))
    rows = []
    for name, solids in ((name, pack_primitives(rows)) for name, rows in SOLIDS.items()):
        scene = build_scene(arm, solids)
        scene = scene._replace(pairs=scene.pairs[:0], apart=scene.apart[:0])  # solids alone
        times = [
            median_seconds(lambda c=call, s=given: c(arm, s, q), len(q), RUNS)
            for call, given in ((collides, scene), (clearance, scene), (_all_pairs, solids))
        ]
        rows.append([name, *(f"{two_digits(seconds * 1e6)} µs" for seconds in times)])
        print(f"{name}; {(~collides(arm, scene, q)).mean():.0%} of the poses are free")
        compare(arm, q[:POSES_OF_COAL], solids)
    tell(table(["world", "boolean check", "clearance", "all pairs"], rows), out, "geometry")


def _all_pairs(arm, solids, q):
    return arm_distance(arm, q, solids)


def compare(arm, q, solids):
    """Print coal's times for the same pairs, called from Python."""
    try:
        import coal
    except ImportError:
        print("  coal: not installed, no comparison")
        return
    bodies = [[_coal_capsule(coal, row) for row in rows[1:]] for rows in capsules_in_base(arm, q)]
    shapes = [_coal_solid(coal, row) for row in solids]
    request, collision = coal.DistanceRequest(), coal.CollisionRequest()

    def distances():
        for pose in bodies:
            for shape, at in pose:
                for other, there in shapes:
                    coal.distance(shape, at, other, there, request, coal.DistanceResult())

    def collisions():
        for pose in bodies:
            _any_collision(coal, pose, shapes, collision)

    print(
        f"  coal, collide, all poses   {median_seconds(collisions, len(q), RUNS) * 1e9:9.0f} ns a pose"
    )
    print(
        f"  coal, distance, all poses  {median_seconds(distances, len(q), RUNS) * 1e9:9.0f} ns a pose"
    )


def _any_collision(coal, pose, shapes, request):
    for shape, at in pose:
        for other, there in shapes:
            if coal.collide(shape, at, other, there, request, coal.CollisionResult()):
                return True
    return False


def _coal_capsule(coal, row):
    axis = row[3:6] - row[:3]
    length = float(np.linalg.norm(axis))
    turn = np.eye(3)
    if length > 0:
        across = np.cross(axis, [1, 0, 0] if abs(axis[0]) < 0.9 * length else [0, 1, 0])
        across /= np.linalg.norm(across)
        turn = np.column_stack([across, np.cross(axis / length, across), axis / length])
    return coal.Capsule(row[6], length), coal.Transform3s(turn, 0.5 * (row[:3] + row[3:6]))


def _coal_solid(coal, row):
    centre, size = row[1:4], row[13:16]
    if row[0] == SPHERE:
        return coal.Sphere(size[0]), coal.Transform3s(np.eye(3), centre)
    if row[0] == BOX:
        return coal.Box(2 * size), coal.Transform3s(row[4:13].reshape(3, 3), centre)
    if row[0] == CYLINDER:
        return coal.Cylinder(size[0], 2 * size[1]), coal.Transform3s(np.eye(3), centre)
    return coal.Halfspace(row[4:7], float(row[4:7] @ centre)), coal.Transform3s()


if __name__ == "__main__":
    main()
