"""Straight motion: lines where nothing speaks against them, blends in their corners, an end of every run."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from dynamics import load_arm
from hopfield_nav.control import Onset
from hopfield_nav.experiment import Simulation
from hopfield_nav.extensions.clearance import build_scene, motion_is_free
from hopfield_nav.extensions.whole_arm import JointGrid, numbers
from hopfield_nav.extensions.whole_arm.lines import blend_points, blended_path, swept
from hopfield_nav.extensions.whole_arm.step_checks import Shortener
from hopfield_nav.geometry import capsules_in_base, pack_primitives, sphere
from hopfield_nav.loop import evaluate, sample, values_at
from hopfield_nav.navigation import Detection, Reference
from hopfield_nav.navigation.map import Beliefs, Step
from hopfield_nav.plugin import CollisionEvidence
from hopfield_nav.world import parse_world

ARM = load_arm("ur5_ragazzon2012")
START = np.array([0.2, -1.6, 1.2, -1.2, -1.5, 0.0])
GRID = JointGrid(START - 1.2, START + 1.2, (8, 6, 6, 3, 2, 1))
STAIRS = [(1, 2, 2, 1, 1, 0), (2, 2, 2, 1, 1, 0), (2, 3, 2, 1, 1, 0), (3, 3, 2, 1, 1, 0), (3, 4, 2, 1, 1, 0),
          (4, 4, 2, 1, 1, 0), (5, 4, 2, 1, 1, 0)]  # fmt: skip
ROWS = GRID.centre(np.array(STAIRS))
WORLD = """\
format: 1
map: {space: joints, shape: [4, 3, 2, 1, 1, 1]}
start: {joints: [0.2, -1.6, 1.2, -1.2, -1.5, 0.0]}
goal: {joints: [1.6, -1.5, 1.1, -1.2, -1.5, 0.5]}
record: {signals: none}
"""


def shortened(scene=None, cells=None, beliefs=None, **against):
    doubts = CollisionEvidence(
        np.zeros(GRID.shape, np.float32) if cells is None else cells, **against
    )
    beliefs = beliefs or Beliefs(GRID.shape, GRID.turn)
    scene = build_scene(ARM, pack_primitives([])) if scene is None else scene
    return Shortener(ARM, scene, GRID, doubts, beliefs).shorten(ROWS, STAIRS)


def met(short, line=None):
    """The first two indices of the cells that all lines and blends of a path meet, or one line of it."""
    corners, cut = ROWS[short.kept], short.cut
    if line is not None:
        corners, cut = corners[line : line + 2], np.zeros(2)
    q = sample(blended_path(ARM, corners, cut, 0.1).trajectory, 20)[1]
    return {GRID.cell_of(row)[:2] for row in q}


def test_where_nothing_speaks_against_it_one_line_joins_all():
    short = shortened()
    assert short.kept == [0, len(STAIRS) - 1]
    assert short.straight.all()


def test_no_line_meets_a_doubted_cell_a_touched_step_or_a_rough_cell():
    doubted = np.zeros(GRID.shape, np.float32)
    doubted[3, 3, 2, 1, 1, 0] = 0.1
    assert (3, 3) in met(shortened())
    assert (3, 3) not in met(shortened(cells=doubted))
    beliefs = Beliefs(GRID.shape, GRID.turn)
    beliefs.touch(Step(STAIRS[2], 0), True)
    assert {(2, 3), (3, 3)} <= met(shortened())
    short = shortened(beliefs=beliefs)
    for k in np.flatnonzero(short.straight):
        assert not {(2, 3), (3, 3)} <= met(short, k)
    rough = Beliefs(GRID.shape, GRID.turn)
    rough.rough.update(STAIRS[2:4])
    short = shortened(beliefs=rough)
    assert {1, 2, 3, 4} <= set(short.kept)
    single = [
        k
        for k, pair in enumerate(zip(short.kept, short.kept[1:], strict=False))
        if pair[0] in (1, 2, 3)
    ]
    assert not short.straight[single].any()
    assert not short.cut[np.isin(short.kept, [1, 2, 3, 4])].any()


def middle_of_the_line():
    tool = capsules_in_base(ARM, 0.5 * (ROWS[:1] + ROWS[-1:]))[0, -1, 3:6]
    return build_scene(ARM, pack_primitives([sphere(tool, 0.03)])), tool


def test_no_line_touches_what_is_known_and_no_blend_does():
    scene, tool = middle_of_the_line()
    assert not motion_is_free(ARM, scene, ROWS[0], ROWS[-1])
    short = shortened(scene)
    corners = ROWS[short.kept]
    straight = np.flatnonzero(short.straight)
    assert motion_is_free(ARM, scene, corners[straight], corners[straight + 1]).all()
    q = sample(blended_path(ARM, corners, short.cut, 0.1).trajectory, 8)[1]
    free = motion_is_free(ARM, scene, q[:-1], q[1:])
    between = [k for k in range(len(short.kept) - 1) if not short.straight[k]]
    assert free.all() or between, (
        "only steps that the test's path drives through the sphere may touch it"
    )
    likely = shortened(points=tool[None], weights=np.array([0.9]))
    assert likely.kept != [0, len(ROWS) - 1]
    assert shortened(points=tool[None], weights=np.array([0.3])).kept == [0, len(ROWS) - 1]


def test_blends_stay_in_their_corners_and_the_motion_keeps_its_limits():
    corners, cut = ROWS[[0, 1, 2, 4, 6]], np.array([0.0, 0.1, 0.15, 0.0, 0.0])
    path = blended_path(ARM, corners, cut, 0.1, 2.0)
    assert path.rows.shape == (7, 6)
    assert path.times[0] == 2.0
    assert path.times[-1] == pytest.approx(path.trajectory.knots[-1])
    assert values_at(path.trajectory, path.times)[0] == pytest.approx(path.rows, abs=2e-3)
    times, q, qd, qdd = sample(path.trajectory, 6)
    assert np.abs(qdd).max() <= 1.05 * numbers.ACCELERATION
    assert (np.abs(qd) <= ARM.speed_limits).all()
    axes = capsules_in_base(ARM, q)[..., :6].reshape(len(q), -1, 3)
    lasting = np.diff(times) > 1e-6
    speed = (
        np.linalg.norm(np.diff(axes, axis=0), axis=2).max(axis=1)[lasting] / np.diff(times)[lasting]
    )
    assert 0.06 < speed.max() <= 0.1
    rest = times.searchsorted(path.times[5])
    assert np.abs(qd[rest]).max() < 1e-9  # a corner without a blend
    for k in (1, 2):
        inside = (times >= path.times[2 * k - 1]) & (times <= path.times[2 * k])
        sides = (corners[[k - 1, k + 1]] - corners[k]).T
        share = np.linalg.lstsq(sides, (q[inside] - corners[k]).T, rcond=None)[0]
        # in the plane of the lines
        assert np.abs(sides @ share - (q[inside] - corners[k]).T).max() < 1e-6
        assert share.min() > -1e-6
        assert (share.T * np.linalg.norm(sides, axis=0)).sum(axis=1).max() <= cut[k] + 1e-3


def test_free_poses_are_those_that_the_arm_was_at_and_leave_no_gap():
    """On a blend they are on the curve: the chord between its ends was never driven."""
    path = blended_path(ARM, ROWS[[0, 2, 6]], np.array([0.0, 0.3, 0.0]), 0.1, 2.0)
    until = float(path.times[2])  # the end of the blend
    poses = swept(path.trajectory, until)
    driven, _, _ = values_at(path.trajectory, np.linspace(2.0, until, 4000))
    off = np.abs(poses[:, None] - driven[None]).max(axis=2).min(axis=1)
    assert off.max() < 1e-3
    assert np.abs(np.diff(poses, axis=0)).max() < 1.3 * numbers.SWEPT_APART
    assert poses[[0, -1]] == pytest.approx(driven[[0, -1]])
    assert not len(swept(path.trajectory, 1.9))


def test_a_blend_leads_from_one_line_to_the_other_along_both():
    """It begins and ends as far from the corner as it cuts off, in the directions of the lines."""
    corners, cut = ROWS[[0, 2, 6]], 0.1
    before, behind = ((b - a) / np.linalg.norm(b - a) for a, b in itertools.pairwise(corners))
    q = blend_points(corners, cut, 1001)
    assert q[[0, -1]] == pytest.approx(
        np.array([corners[1] - cut * before, corners[1] + cut * behind])
    )
    for step, direction in ((q[1] - q[0], before), (q[-1] - q[-2], behind)):
        assert step / np.linalg.norm(step) == pytest.approx(direction, abs=1e-2)


def felt_in_the_middle(navigator, motion):
    """A touch in the middle of the first line, step or way to the goal, the motion back, and the next one."""
    way = navigator._route
    ends = motion.trajectory.knots if way.times is None else way.times
    number = next(k for k, cell in enumerate(way.cells) if way.joint_line(k) or cell is not None)
    time = 0.5 * (ends[number] + ends[number + 1])
    q, qd, _ = evaluate(motion.trajectory, time)
    _, back = navigator.on_detection(
        Detection(time, q, np.zeros(3), -5.0 * qd, Onset(time, q), 0.0)
    )
    end = float(back.trajectory.knots[-1])
    q, still, _ = evaluate(back.trajectory, end)
    return way.joint_line(number), navigator.replan(Reference(end, q, still, still), 100.0)


def test_a_touched_line_closes_no_step_and_its_cells_are_driven_one_by_one():
    fine = WORLD.replace("[4, 3, 2, 1, 1, 1]", "[24, 12, 16, 1, 1, 1]")
    navigator = Simulation(parse_world(fine)).navigator
    line, _ = felt_in_the_middle(navigator, navigator.motion)
    assert len(line) > 1
    assert navigator.closed_steps() == {}
    assert navigator.map.learning.beliefs.rough == set(line)
    again = navigator._route
    for k in range(len(again.rows) - 1):
        assert not navigator.map.learning.beliefs.rough & set(again.joint_line(k))


def test_an_arm_that_is_touched_on_every_motion_comes_to_an_end():
    """No line twice, and no more of them than cells; then facts close the steps one by one."""
    navigator = Simulation(parse_world(WORLD)).navigator
    motion, lines, cells = navigator.motion, 0, int(np.prod(navigator.map.grid.shape))
    for _ in range(40 * cells):
        if motion.trajectory is None:
            break
        rough = len(navigator.map.learning.beliefs.rough)
        line, motion = felt_in_the_middle(navigator, motion)
        if line:
            lines += 1
            assert len(navigator.map.learning.beliefs.rough) > rough
    assert motion.outcome == "no_path"
    assert "facts alone" in motion.reason
    assert 1 <= lines <= cells
