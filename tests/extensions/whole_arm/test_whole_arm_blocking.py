"""Cells that a ball or a known thing blocks: those that a check of every centre by itself finds."""

from __future__ import annotations

import numpy as np
import pytest
from known_cell import SOLIDS, tool_at
from made_up_arms import random_arm
from scenes import PLANAR

from dynamics import load_arm
from hopfield_nav.extensions.clearance import build_scene, collides
from hopfield_nav.extensions.whole_arm import JointGrid, block_known, mark_ball
from hopfield_nav.geometry import (
    LINK,
    arm_bodies,
    arm_clearance,
    arm_distance,
    capsules_in_base,
    half_space,
    pack_primitives,
    sphere,
    upright_cylinder,
)

LEVEL = 7
AROUND = pack_primitives([half_space([0.0, 0.0, -0.35]), upright_cylinder([-0.4, 0.2], 0.1)])


@pytest.fixture(scope="module")
def planar(tmp_path_factory):
    """The planar arm with three bars and a knob, the last link long enough to fold back onto the first."""
    file = tmp_path_factory.mktemp("arms") / "planar.yaml"
    file.write_text(PLANAR)
    bars = [
        [1, -0.3, 0, 0, 0, 0, 0, 0.04],
        [2, -0.3, 0, 0, 0, 0, 0, 0.03],
        [3, -0.2, 0, 0, 0.2, 0, 0, 0.02],
    ]
    knob = [2, 0, 0, 0.1, 0, 0, 0.1, 0.05]
    return load_arm(str(file))._replace(capsules=np.array([*bars, knob], dtype=float))


def odd_arm(seed):
    """Four joints with odd twists, offsets and tool, and a capsule somewhere on every link."""
    arm, rng = random_arm(4), np.random.default_rng(seed)
    rows = [[link, *rng.uniform(-0.3, 0.3, 6), rng.uniform(0.02, 0.15)] for link in range(5)]
    return arm._replace(capsules=np.array(rows))


def around(arm, shape, middle=0.0):
    """A grid of nearly a turn, without angles at which an arm is symmetric."""
    n = len(arm.dh)
    return JointGrid(middle + np.linspace(-3.0, -2.7, n), middle + np.linspace(2.9, 3.1, n), shape)


ARMS = {
    "ur5": (lambda _: load_arm("ur5_controller"), (5, 6, 5, 4, 3, 2)),
    "one angle of the last joint": (lambda _: load_arm("ur5_controller"), (6, 5, 6, 5, 4, 1)),
    "tool aside": (lambda _: tool_at(0.08, 0.03, 0.15), (5, 5, 5, 4, 4, 4)),
    "tool along the axis": (lambda _: tool_at(0.0, 0.0, 0.2), (5, 5, 5, 4, 4, 3)),
    "planar": (lambda planar: planar, (19, 13, 7)),
    "odd": (lambda _: odd_arm(1), (9, 8, 7, 6)),
    "odd, other outline": (lambda _: odd_arm(2), (8, 7, 6, 9)),
}


@pytest.fixture(params=ARMS)
def case(request, planar):
    """An arm and a small grid of its joints."""
    build, shape = ARMS[request.param]
    arm = build(planar)
    return arm, around(arm, shape, 0.1)


def centres(grid):
    """Joint angles of all cells (…, n), in the grid's shape."""
    return grid.centre(np.moveaxis(np.indices(grid.shape), 0, -1))


def marked(arm, grid, point, radius):
    certainty = np.zeros(grid.shape, dtype=np.uint8)
    mark_ball(arm, grid, certainty, point, radius, LEVEL)
    assert set(np.unique(certainty)) <= {0, LEVEL}
    return certainty > 0


def points_on(arm, grid, count, seed):
    """Points on the axes of moving bodies at random centres."""
    rng = np.random.default_rng(seed)
    moving = arm_bodies(arm)[:, LINK] > 0
    q = grid.centre(np.column_stack([rng.integers(0, size, count) for size in grid.shape]))
    rows = capsules_in_base(arm, q)[:, moving]
    chosen = rows[np.arange(count), rng.integers(0, moving.sum(), count)]
    return chosen[:, :3] + rng.uniform(0, 1, (count, 1)) * (chosen[:, 3:6] - chosen[:, :3])


def nearest(arm, grid, point):
    """Signed distance of the moving arm's surface to a point, at every centre."""
    tiny = 1e-9
    moving = arm_bodies(arm)[:, LINK] > 0
    distance = arm_distance(arm, centres(grid), pack_primitives([sphere(point, tiny)]))
    return distance[..., moving, 0].min(axis=-1) + tiny


def test_a_ball_marks_the_cells_at_whose_centres_the_arm_touches_a_sphere(case):
    arm, grid = case
    rng = np.random.default_rng(1)
    q, shares = centres(grid), []
    for point in points_on(arm, grid, 12, seed=2) + rng.normal(0.0, 0.05, (12, 3)):
        radius = rng.uniform(0.01, 0.15)
        touched = arm_clearance(arm, q, pack_primitives([sphere(point, radius)])) <= 0
        assert np.array_equal(marked(arm, grid, point, radius), touched)
        shares.append(touched.mean())
    assert 0.0 < np.mean(shares) < 1.0


@pytest.mark.parametrize("radius", [-0.03, -0.01, 0.0, 0.02])
def test_a_negative_radius_asks_for_depth(case, radius):
    arm, grid = case
    found = 0
    for point in points_on(arm, grid, 8, seed=3):
        deep = nearest(arm, grid, point) < radius
        assert np.array_equal(marked(arm, grid, point, radius), deep)
        found += deep.sum()
    assert found > 0


def test_a_point_deeper_than_any_body_is_thick_marks_nothing(case):
    arm, grid = case
    thickest = arm_bodies(arm)[:, 7].max()
    for point in points_on(arm, grid, 3, seed=3):
        assert not marked(arm, grid, point, -1.01 * thickest).any()


def test_marking_never_lowers_and_its_order_does_not_matter(case):
    arm, grid = case
    first, second = points_on(arm, grid, 2, seed=4)
    before = np.random.default_rng(5).integers(0, 9, grid.shape, dtype=np.uint8)
    balls = [(first, 0.1, 3), (second, 0.06, 5)]
    results = []
    for order in (balls, balls[::-1]):
        certainty = before.copy()
        for ball in order:
            mark_ball(arm, grid, certainty, *ball)
        results.append(certainty)
    expected = before
    for point, radius, level in balls:
        expected = np.maximum(expected, level * marked(arm, grid, point, radius).astype(np.uint8))
    assert np.array_equal(results[0], expected)
    assert np.array_equal(results[1], expected)
    assert np.any(expected != before)
    assert np.all(expected >= before)


def test_a_larger_ball_marks_the_cells_of_a_smaller_one_too(case):
    arm, grid = case
    more = 0
    for point in points_on(arm, grid, 4, seed=6):
        small, large = (marked(arm, grid, point, radius) for radius in (0.02, 0.1))
        assert np.all(large[small])
        more += large.sum() - small.sum()
    assert more > 0


def test_what_is_out_of_reach_marks_nothing(case):
    arm, grid = case
    before = np.random.default_rng(7).integers(0, 9, grid.shape, dtype=np.uint8)
    certainty = before.copy()
    mark_ball(arm, grid, certainty, np.array([30.0, 0.0, 0.0]), 0.5, 255)
    assert np.array_equal(certainty, before)


@pytest.mark.parametrize("margin", [0.0, 0.04])
@pytest.mark.parametrize(
    "solids", [pack_primitives([]), AROUND, SOLIDS], ids=["alone", "two", "cell"]
)
def test_known_things_block_what_a_check_of_every_centre_finds(case, solids, margin):
    arm, grid = case
    scene = build_scene(arm, solids, margin)
    assert np.array_equal(block_known(arm, scene, grid), collides(arm, scene, centres(grid)))


def test_the_arms_of_these_tests_touch_themselves_and_the_solids(case):
    """Or the test above would show nothing."""
    arm, grid = case
    alone = block_known(arm, build_scene(arm), grid)
    among = block_known(arm, build_scene(arm, SOLIDS), grid)
    assert 0 < alone.sum() < among.sum()


def test_a_joint_that_turns_a_body_about_its_own_axis_makes_no_difference():
    arm = load_arm("ur5_controller")
    grid = around(arm, (6, 5, 6, 5, 4, 3))
    found = marked(arm, grid, points_on(arm, grid, 1, seed=8)[0], 0.1)
    assert found.any()
    assert np.array_equal(found.any(axis=5), found.all(axis=5))


@pytest.mark.kernel
def test_small_grids_stay_inside_their_arrays(planar):
    """One cell, one cell of some joints, and a grid of uneven sides."""
    scene = build_scene(planar, AROUND)
    for shape in ((1, 1, 1), (1, 5, 1), (4, 1, 3), (3, 7, 2)):
        grid = around(planar, shape, 0.3)
        (point,) = points_on(planar, grid, 1, seed=9)
        assert np.array_equal(
            marked(planar, grid, point, 0.02), nearest(planar, grid, point) < 0.02
        )
        assert np.array_equal(
            block_known(planar, scene, grid), collides(planar, scene, centres(grid))
        )
