"""Probes: the tool asks where the arm would be at its goal, from sides that differ, and not for ever."""

from types import SimpleNamespace

import numpy as np
import pytest

from dynamics import forward_kinematics, load_arm
from hopfield_nav.experiment import Simulation
from hopfield_nav.extensions.clearance import build_scene
from hopfield_nav.extensions.whole_arm import CollisionBelief, JointGrid, numbers
from hopfield_nav.extensions.whole_arm.lines import tool_line
from hopfield_nav.extensions.whole_arm.probes import Probes
from hopfield_nav.extensions.whole_arm.search import CellPath, Search
from hopfield_nav.geometry import capsules_in_base, pack_primitives
from hopfield_nav.navigation.map import Beliefs, ContactHypotheses
from hopfield_nav.world import parse_world

ARM = load_arm("ur5_ragazzon2012")
EMPTY = build_scene(ARM, pack_primitives([]))
GOAL = np.array([0.4, -1.3, 1.7, -1.6, -1.2, 0.3])
GRID = JointGrid(GOAL - np.pi, GOAL + np.pi, (18, 12, 12, 8, 8, 1))
TIP = 0.018  # [m] of the tool's round end, before the tool point
AXIS = forward_kinematics(ARM, GOAL)[:3, 2]  # of the tool at its goal: the wall is across it
WALL = forward_kinematics(ARM, GOAL)[:3, 3] - 0.04 * AXIS  # a point of it, in the tool at its goal


class Felt:
    """What was felt by touches of a wall through which the tool would stick at its goal."""

    def __init__(self, touches):
        line = tool_line(ARM, EMPTY, GOAL, 0.12)
        self.begin = line[0]
        self.collisions = CollisionBelief(ARM, GRID)
        self.passed = np.zeros((0, 6))
        self.beliefs = Beliefs(GRID.shape, GRID.turn)
        self.search = Search(ARM, EMPTY, GRID, GOAL[None])
        self.probes = Probes(ARM, EMPTY, GRID, self.search)
        for k in range(touches):
            self.touch(0.02 * k)

    def touch(self, aside=0.0, q=None):
        """A sure touch of the wall beside the tool's axis, with the tool across the wall."""
        across = np.cross(AXIS, [0.0, 0.0, 1.0])
        point = WALL + aside * across / np.linalg.norm(across)
        q = self.reaching(point) if q is None else q
        self.collisions.add(ContactHypotheses(point[None], np.array([6]), np.ones(1)), q)

    def reaching(self, point):
        """Joint angles at which the tip is at a point, as the tool is turned at its goal."""
        from dynamics import inverse_kinematics

        pose = forward_kinematics(ARM, GOAL)
        pose[:3, 3] = point - TIP * AXIS
        found = inverse_kinematics(ARM, pose)
        return found[np.abs(found - GOAL).max(axis=1).argmin()]

    def next(self):
        """The probe that is made next from before the wall, as the path to the goal is doubted."""
        here = self.search.entries(self.begin, any_turn=True)[0]
        path = CellPath(np.array([here]), 0)
        return self.probes.next(path, self.begin, self)


def direction(way):
    return forward_kinematics(ARM, way.tail[-1])[:3, 2]


def test_the_tip_crosses_the_wall_inside_the_arm_at_its_goal():
    way = Felt(numbers.PROBES_FROM).next()
    poses = forward_kinematics(ARM, way.tail)
    tips = poses[:, :3, 3] - 0.02 * poses[:, :3, 2]  # middle of the round tip
    heights = (tips + (TIP + 0.02) * AXIS - WALL) @ AXIS
    assert heights[0] < -0.04
    assert heights[-1] > 0.01
    share = -heights[0] / (heights[-1] - heights[0])
    met = tips[0] + share * (tips[-1] - tips[0]) + (TIP + 0.02) * AXIS
    axes = capsules_in_base(ARM, GOAL)[4:]
    between = np.linspace(0, 1, 100)[:, None, None]
    points = axes[:, :3] + between * (axes[:, 3:6] - axes[:, :3])
    assert np.linalg.norm(points - met, axis=2).min() < 0.02
    assert direction(way) @ AXIS > np.cos(numbers.TILT) - 1e-6


def test_no_probe_before_the_fourth_touch_and_an_ordinary_path_between_two():
    assert Felt(numbers.PROBES_FROM - 1).next() is None
    felt = Felt(numbers.PROBES_FROM)
    assert felt.next() is not None
    felt.probes.look_back(felt.collisions)
    assert felt.next() is None
    assert felt.next() is not None


def test_two_that_hit_go_in_directions_that_differ():
    felt, gone = Felt(numbers.PROBES_FROM), []
    for _ in range(3):
        way = felt.next()
        gone.append(direction(way))
        felt.touch(q=way.tail[-1])
        felt.probes.look_back(felt.collisions)
        assert felt.next() is None  # the turn of an ordinary path
    assert len(felt.probes.directions()) == 3
    alike = np.array(gone) @ np.array(gone).T - 2.0 * np.eye(3)
    assert alike.max() < np.cos(numbers.PROBES_APART)


def test_a_touch_on_the_way_to_the_line_asks_nothing():
    felt = Felt(numbers.PROBES_FROM)
    first = felt.next()
    felt.touch(q=first.tail[0] + 0.5)  # the tool is not on its line
    felt.probes.look_back(felt.collisions)
    assert felt.next() is None
    again = felt.next()
    assert direction(again) == pytest.approx(direction(first), abs=1e-6)
    # but what it touched is of a probe, for the bound
    assert list(felt.probes.directions()) == [numbers.PROBES_FROM]


def test_where_the_path_is_not_doubted_two_touches_on_the_way_are_enough():
    """Felt beside the tool at its goal, the wall says nothing of the goal itself."""
    felt = Felt(0)
    for k in range(numbers.PROBES_FROM):
        felt.touch(0.1 + 0.02 * k)
    for _ in range(numbers.PROBES_KEPT_OFF):
        way = felt.next()
        assert way is not None
        felt.touch(0.1, q=way.tail[0] + 0.5)  # the tool is not on its line
        felt.probes.look_back(felt.collisions)
        assert felt.next() is None  # the turn of an ordinary path
    assert felt.next() is None
    felt.touch(0.0)  # where the tool would be at its goal
    assert felt.next() is not None


def test_after_six_in_vain_none_is_made():
    felt, made = Felt(numbers.PROBES_FROM), 0
    for _ in range(40):
        made += felt.next() is not None
        felt.probes.look_back(felt.collisions)
    assert made == numbers.PROBES_IN_VAIN


def test_where_the_arm_was_is_not_asked():
    felt = Felt(numbers.PROBES_FROM)
    felt.passed = GOAL[None]
    assert felt.next() is None


def test_an_arm_without_a_closed_form_asks_nothing():
    arm = load_arm("iiwa7_gripper")
    grid = JointGrid(np.full(7, -2.0), np.full(7, 2.0), (4, 4, 4, 2, 2, 1, 1))
    scene = build_scene(arm, pack_primitives([]))
    goal = np.array([0.3, 0.6, 0.2, -1.3, 0.1, 0.8, 0.0])
    search = Search(arm, scene, grid, goal[None])
    collisions = CollisionBelief(arm, grid)
    tool = forward_kinematics(arm, goal)[:3, 3]
    for k in range(numbers.PROBES_FROM):
        places = ContactHypotheses(tool[None], np.array([7]), np.ones(1))
        collisions.add(places, goal + 0.2 * k)
    felt = SimpleNamespace(
        collisions=collisions, passed=np.zeros((0, 7)), beliefs=Beliefs(grid.shape, grid.turn)
    )
    path = CellPath(np.array([search.entries(goal, any_turn=True)[0]]), 0)
    assert Probes(arm, scene, grid, search).next(path, goal, felt) is None


def plates(centre, half, thick=0.03):
    """A closed box of six plates about a point."""
    found = []
    for axis in range(3):
        for side in (-1, 1):
            middle, size = np.array(centre), np.full(3, 2 * half + 2 * thick)
            middle[axis] += side * (half + thick / 2)
            size[axis] = thick
            found.append(
                f"  - box: {{center: {middle.round(4).tolist()}, size: {size.tolist()}}}\n"
            )
    return "obstacles:\n" + "".join(found)


def boxed(more=""):
    goal = [0.6, -1.15, 1.5, -1.2, -1.3, 0.0]
    centre = forward_kinematics(ARM, np.array(goal))[:3, 3]
    return parse_world(
        f"format: 1\nmap: {{space: joints}}\ncontact: {{bodies: arm}}\n{plates(centre, 0.15)}"
        f"goal: {{joints: {goal}}}\nstart: {{joints: [1.57, -1.5707, 0.0, -1.5707, -1.57, 3.14]}}\n"
        f"record: {{signals: none}}\ntime_limit: 2000\n{more}"
    )


def test_a_closed_box_about_the_goal_is_settled_by_a_few_questions():
    run = Simulation(boxed())
    while run.outcome is None and len(run.detections) < 40:
        run.step(1.0)
    assert run.outcome == "no_path"
    assert "at its goal the arm would be in what it felt" in run.reason
    assert len(run.detections) <= 20


def test_without_an_early_no_nothing_is_asked():
    run = Simulation(boxed("planner: {no_path_error: 0}\n"))
    asked = []
    run.navigator.map.probes = SimpleNamespace(
        next=lambda *_: asked.append(1), look_back=lambda _: None, directions=dict
    )
    while run.outcome is None and len(run.detections) < 7:
        run.step(1.0)
    assert not asked
