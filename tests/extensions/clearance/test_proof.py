"""The proof of free motions: against dense sampling, thin obstacles, and as laws."""

from __future__ import annotations

import numpy as np
import pytest
from known_cell import ARM, tool_at
from refusals import refused

from dynamics import forward_kinematics, with_tool
from dynamics.work import make_work
from hopfield_nav import geometry
from hopfield_nav.extensions.clearance import (
    AXES_WIDTH,
    CLOSEST,
    build_scene,
    clearance,
    collides,
    motion_is_free,
    proven_free,
)
from hopfield_nav.geometry import pack_primitives

SCENE = build_scene(
    ARM,
    pack_primitives(
        [
            geometry.half_space([0, 0, 0]),
            geometry.box([0.6, 0, 0.1], [0.3, 0.6, 0.2]),
            geometry.finite_cylinder([-0.5, 0.4, 0.3], 0.05, 0.6),
            geometry.sphere([0.2, 0.6, 0.7], 0.1),
        ]
    ),
)
DENSE = 2000  # poses along a motion; the arm moves some millimetres between two


def random_motions(count, seed, arm=ARM, scene=SCENE, reach=1.0):
    """Starts that are free, and ends nearby."""
    rng = np.random.default_rng(seed)
    start = rng.uniform(-np.pi, np.pi, (20 * count, 6))
    start = start[~collides(arm, scene, start)][:count]
    return start, start + rng.uniform(-reach, reach, start.shape)


def free_share(start, end):
    """Share of one motion that is proven free from its start on."""
    axes, scratch = np.empty((len(SCENE.bodies), AXES_WIDTH)), np.empty((2, 6))
    return min(proven_free(ARM, SCENE, start, end, make_work(6), axes, *scratch), 1.0)


def along(start, end, count=DENSE):
    return start[..., None, :] + np.linspace(0, 1, count)[:, None] * (end - start)[..., None, :]


@pytest.fixture(scope="module")
def sampled():
    """500 motions, whether each is called free, and its clearance along the path (500, DENSE) [m]."""
    start, end = random_motions(500, 1)
    return (
        start,
        end,
        motion_is_free(ARM, SCENE, start, end),
        clearance(ARM, SCENE, along(start, end)),
    )


def test_no_motion_that_touches_is_called_free(sampled):
    _, _, free, gap = sampled
    assert not (free & (gap.min(axis=1) <= 0)).any()
    assert 0.2 < free.mean() < 0.9


def test_a_motion_with_room_is_called_free(sampled):
    """Dense sampling may miss a touch by as much as the arm moves between samples: no more than that."""
    start, end, free, gap = sampled
    bound = (np.abs(end - start) @ SCENE.reach.max(axis=0)) / (DENSE - 1)
    assert free[gap.min(axis=1) > bound + CLOSEST].all()


def test_the_way_back_is_as_free(sampled):
    start, end, free, _ = sampled
    np.testing.assert_array_equal(motion_is_free(ARM, SCENE, end, start), free)


def test_the_free_share_ends_where_dense_sampling_touches(sampled):
    """Never behind the first touch, and short of it only where less than the tolerance is left."""
    start, end, free, gap = sampled
    touching = 0
    for k in range(200):
        share = free_share(start[k], end[k])
        assert (share == 1.0) == free[k]
        if free[k]:
            continue
        hit = np.nonzero(gap[k] <= 0)[0]
        if len(hit):
            touching += 1
            assert share <= hit[0] / (DENSE - 1)
        there = clearance(ARM, SCENE, start[k] + share * (end[k] - start[k]))
        assert 0.0 <= there <= CLOSEST + 1e-12
    assert touching > 30


def test_a_thin_plate_between_samples_is_found():
    """The tool sweeps through a plate of 1 mm; steps of 10° jump over it, and the check's own looks too."""
    arm = with_tool(ARM, np.block([[np.eye(3), np.array([[0], [0], [0.15]])], [np.zeros(3), 1]]))
    start = np.array([-0.5, -1.0, 1.0, 0.0, np.pi / 2, 0.0])
    end = start + np.eye(6)[0]
    middle = start + (0.5 + np.radians(5)) * np.eye(6)[0]
    tip = forward_kinematics(arm, middle)[:3, 3]
    across = np.array([-tip[1], tip[0], 0]) / np.hypot(*tip[:2])
    turn = np.column_stack([across, [0, 0, 1], np.cross(across, [0, 0, 1])])
    plate = geometry.box(tip, [0.001, 0.005, 0.005], turn)
    scene = build_scene(arm, plate[None])
    tens = along(start, end, 1 + round(np.degrees(1.0) / 10))
    assert not collides(arm, scene, tens).any()
    assert not collides(arm, scene, along(start, end, 33)).any()
    assert collides(arm, scene, middle)
    assert not motion_is_free(arm, scene, start, end)
    assert motion_is_free(arm, build_scene(arm), start, end)
    assert motion_is_free(arm, scene, start, start + 0.2 * (end - start))


@pytest.mark.kernel
def test_the_margin_is_kept_along_the_path(sampled):
    start, end, free, _ = sampled
    wide = build_scene(ARM, SCENE.solids, margin=0.02)
    kept = motion_is_free(ARM, wide, start, end)
    assert not (kept & ~free).any()
    assert (free & ~kept).any()
    assert not (kept & collides(ARM, wide, along(start, end, 500)).any(axis=1)).any()


def test_joint_6_alone_is_free_without_a_tool():
    start, _ = random_motions(200, 3)
    start = start[clearance(ARM, SCENE, start) > CLOSEST]
    end = start.copy()
    end[:, 5] += 6.0
    assert motion_is_free(ARM, SCENE, start, end).all()
    arm = tool_at(0.3, 0, 0.05)
    scene = build_scene(arm, SCENE.solids)
    free = motion_is_free(arm, scene, start, end)
    assert not free.all()
    assert not (free & collides(arm, scene, along(start, end, 300)).any(axis=1)).any()


@pytest.mark.kernel
def test_a_motion_that_starts_or_ends_in_something_is_not_free():
    inside = np.array([np.pi, 0.0, 0.0, 0.0, 0.0, 0.0])
    start = np.array([0.0, -1.5, 0.0, 0.0, 0.0, 0.0])
    assert collides(ARM, SCENE, inside)
    assert not collides(ARM, SCENE, start)
    assert not motion_is_free(ARM, SCENE, start, inside)
    assert not motion_is_free(ARM, SCENE, inside, start)
    assert free_share(inside, start) == 0.0
    assert motion_is_free(ARM, SCENE, start, start)
    assert not motion_is_free(ARM, SCENE, inside, inside)


def test_batches_keep_their_shape_and_one_start_goes_with_many_ends():
    start, end = random_motions(6, 4)
    whole = motion_is_free(ARM, SCENE, start.reshape(2, 3, 6), end.reshape(2, 3, 6))
    assert whole.shape == (2, 3)
    np.testing.assert_array_equal(motion_is_free(ARM, SCENE, start[0], end)[0], whole[0, 0])


@pytest.mark.parametrize(
    ("start", "end", "part"),
    [
        (np.zeros(5), np.zeros(6), "q_from has the wrong shape"),
        (np.zeros(6), "there", "q_to must hold numbers"),
        (np.zeros((2, 6)), np.zeros((3, 6)), "do not fit"),
        (np.zeros(6), np.array([0, 0, np.inf, 0, 0, 0]), "q_to must be finite"),
        (np.array([0, np.nan, 0, 0, 0, 0]), np.zeros(6), "q_from must be finite"),
    ],
)
def test_faults_are_told_in_one_line(start, end, part):
    with refused(part):
        motion_is_free(ARM, SCENE, start, end)
