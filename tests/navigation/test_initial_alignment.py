"""From the start pose the joints turn as far as the first waypoint needs; after a collision they do not."""

from __future__ import annotations

import numpy as np
import pytest

from dynamics import forward_kinematics
from hopfield_nav import Simulation, load_world, simulate
from hopfield_nav.loop import evaluate, sample
from hopfield_nav.navigation import Reference
from hopfield_nav.navigation.answer import lead

TURNED = "start.joints=[2.5511, -1.1193, 2.5706, 0.1196, 1.5708, {}]"
SWINGING = [
    "tool.frame.position=[0.15, 0, 0]",
    "map.origin=[0.3, -0.2499, 0.1]",
    "goal.cell=[10, 10]",
    "start.joints=[2.5, -1.5, 2.2, -0.7, 0.3, -0.6]",
    "contact.stiffness=1e4",
]


def with_last_joint(turned_by, *settings, world="empty"):
    return load_world(world, [TURNED.format(-0.5905 + turned_by), *settings])


@pytest.mark.parametrize(
    "settings", [[], ["planner.any_angle=true"], ["planner.unreachable=ignore"]]
)
@pytest.mark.parametrize("by", [1.5, -1.5, 2.5])
def test_a_start_with_another_rotation_of_the_tool_reaches_the_goal(by, settings):
    """It ended as no_path: "branch ends (jump of 1.5 rad) at waypoint 0"."""
    sim = Simulation(with_last_joint(by, *settings))
    trajectory = sim.first_motion.trajectory
    _, q, qd, _ = sample(trajectory, 20)
    assert np.abs(np.diff(q[:21], axis=0)).sum(axis=0).max() > 1.0
    assert (np.abs(qd) <= sim.arm.speed_limits * (1 + 1e-9)).all()
    np.testing.assert_allclose(qd[20], 0.0, atol=1e-12)  # at rest where the path begins
    run = sim.run()
    assert (run.outcome, run.summary["collision_count"]) == ("reached", 0)
    assert run.summary["final_tool_error_m"] <= 1e-3


def test_only_a_turn_of_more_than_a_radian_is_one():
    turned, straight = (
        Simulation(with_last_joint(by)).first_motion.trajectory for by in (1.01, 0.99)
    )
    assert len(turned.knots) == len(straight.knots)
    speed = [np.abs(evaluate(t, t.knots[1])[1]).max() for t in (turned, straight)]
    assert speed[0] == 0.0
    assert speed[1] > 0.1  # it goes on through its first waypoint


def test_the_start_is_the_goal_but_for_the_rotation():
    run = simulate(with_last_joint(1.5, "goal={cell: [1, 10]}"))
    assert run.outcome == "reached"
    end = forward_kinematics(Simulation(run.world).arm, run.data.q.values[-1])
    np.testing.assert_allclose(end[:3, :3], run.world.trajectory.tool_rotation, atol=1e-3)


def test_the_same_collisions_follow_a_turn():
    turned = simulate(with_last_joint(1.5, world="u_trap"))
    straight = simulate(load_world("u_trap"))
    assert (turned.outcome, straight.outcome) == ("reached", "reached")
    assert turned.summary["collision_count"] == straight.summary["collision_count"]


def test_the_tool_is_no_faster_in_the_turn_than_on_the_path():
    sim = Simulation(load_world("empty", SWINGING))
    trajectory = sim.first_motion.trajectory
    assert trajectory is not None, sim.reason
    _, q, _, _ = sample(trajectory, 400)
    places = forward_kinematics(sim.arm, q[:401])[:, :3, 3]
    time = np.linspace(0.0, trajectory.knots[1], 401)
    speed = np.linalg.norm(np.diff(places, axis=0), axis=1) / np.diff(time)
    assert np.abs(q[400] - q[0]).max() > 1.0
    assert 0.03 < speed.max() <= 1.876 * 0.0263 / 0.5


@pytest.mark.parametrize("bodies", ["tool", "arm"])
def test_a_turn_through_a_known_obstacle_is_none(bodies):
    settings = [*SWINGING, f"contact.bodies={bodies}"]
    free = Simulation(load_world("empty", settings))
    assert free.outcome is None
    _, q, _, _ = sample(free.first_motion.trajectory, 10)
    x, y, z = forward_kinematics(free.arm, q[5])[:3, 3]
    ball = f"known=[{{sphere: {{center: [{x:.4f}, {y:.4f}, {z:.4f}], radius: 0.01}}}}]"
    sim = Simulation(load_world("empty", [*settings, ball]))
    assert sim.outcome == "no_path"
    assert "the turn to waypoint 0 leads" in sim.reason
    assert "known obstacle 0" in sim.reason


def test_after_a_collision_no_joint_turns_far():
    sim = Simulation(load_world("u_trap"))
    while not sim.detections:
        sim.step(0.1)
    bent = np.array(sim.world.start.joints)
    bent[5] += 1.5
    begin = Reference(sim.time, bent, np.full(6, 1e-3), np.zeros(6))
    navigator = sim.navigator
    motion = lead((1, 10), begin, navigator.motion, navigator.map, navigator.means)
    assert motion.trajectory is None
    assert "branch ends" in motion.reason
