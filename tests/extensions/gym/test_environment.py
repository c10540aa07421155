"""A world as an environment of Gymnasium: what its own checker says, and what it promises."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from refusals import refused

from dynamics import BadInput, forward_kinematics, inverse_dynamics, jacobian
from hopfield_nav import load_world
from hopfield_nav.experiment import Simulation
from hopfield_nav.extensions.gym import ReachEnv, environment

gymnasium = pytest.importorskip("gymnasium")

NOISY = ["sensors.velocity_noise=0.01"]


def straight_on(arm, observation):
    """Computed torque along the straight line from the tool to the goal: shares of the torque limits."""
    q, qd, way = observation[:6], observation[6:12], observation[18:]
    speed = 3.0 * way * min(1.0, 0.25 / (3.0 * np.linalg.norm(way)))  # [m/s], at most 0.25
    J = jacobian(arm, q)[:3]
    wanted = J.T @ np.linalg.solve(J @ J.T + 0.02**2 * np.eye(3), speed)
    return np.clip(
        inverse_dynamics(arm, q, qd, 25.0 * (wanted - qd)) / arm.torque_limits, -1.0, 1.0
    )


def played(env, steps=2000, seed=0):
    """Rewards and the last answer of an episode that goes straight to the goal."""
    rewards = []
    observation, _ = env.reset(seed=seed)
    for _ in range(steps):
        observation, reward, ended, cut, info = env.step(straight_on(env.arm, observation))
        rewards.append(reward)
        if ended or cut:
            break
    return rewards, ended, cut, info, observation


def test_an_episode_begins_with_the_way_from_the_tool_to_the_goal():
    env = ReachEnv("u_trap")
    observation, _ = env.reset(seed=0)
    way = (
        np.array(load_world("u_trap").goal_point)
        - forward_kinematics(env.arm, observation[:6])[:3, 3]
    )
    np.testing.assert_allclose(observation[-3:], way, atol=1e-12)


@pytest.mark.parametrize(("world", "overrides"), [("empty", ()), ("u_trap", NOISY), ("panda", ())])
def test_gymnasium_s_own_checker_finds_nothing(world, overrides):
    from gymnasium.utils.env_checker import check_env

    check_env(ReachEnv(world, overrides), skip_render_check=True)  # its warnings are errors here


def test_gymnasium_makes_it_by_name():
    """In a process of its own too, where nothing but the name says where it is."""
    code = 'import gymnasium; print(gymnasium.make("hopfield_nav.extensions.gym.environment:hopfield_nav/Reach-v0"))'
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "ReachEnv" in done.stdout, done.stderr
    with gymnasium.make("hopfield_nav/Reach-v0", world="u_trap") as env:
        assert env.unwrapped.world.name == "u_trap"
        observation, _ = env.reset(seed=1)
        assert observation in env.observation_space


def test_straight_on_is_the_goal_of_empty():
    env = ReachEnv("empty")
    rewards, ended, cut, info, observation = played(env)
    assert ended
    assert not cut
    assert info["distance"] <= env.world.goal.tolerance
    tool = forward_kinematics(env.arm, observation[:6])[:3, 3]
    np.testing.assert_allclose(tool, env.world.goal_point, atol=2e-3)
    assert rewards[-1] > 0.9
    assert max(rewards[:-1]) < 0.0


def test_it_does_not_where_a_wall_stands_and_presses_on_it():
    """The same controller, with an obstacle: no goal, and a force that costs reward."""
    env = ReachEnv("u_trap", ["time_limit=4"])
    rewards, ended, cut, info, _ = played(env)
    assert not ended
    assert cut
    assert info["force"] > 1.0
    expected = -env.duration * (info["distance"] + environment.FORCE_COST * info["force"])
    assert rewards[-1] == pytest.approx(expected, abs=1e-3 * env.duration)


def test_a_seed_is_one_episode():
    def seen(seed):
        env = ReachEnv("empty", NOISY)
        first = env.reset(seed=seed)[0]
        return np.array([first, *(env.step(np.full(6, 0.1))[0] for _ in range(20))])

    np.testing.assert_array_equal(seen(4), seen(4))
    assert np.abs(seen(4) - seen(5)).max() > 1e-3


def test_obstacles_that_are_drawn_are_those_of_the_seed():
    env = ReachEnv("random_cylinders")

    def obstacles(seed):
        env.reset(seed=seed)
        return env.simulation.world.obstacles

    assert obstacles(1) == obstacles(1)
    assert obstacles(1) != obstacles(2)


def test_torques_are_those_of_the_motors():
    """A step of the environment is the same as one of a simulation that is given the torque."""
    from hopfield_nav import Simulation

    env = ReachEnv("empty", ["time_limit=5"])
    env.reset(seed=0)
    action = np.array([0.1, -0.4, -0.2, 0.1, 0.0, 0.05])
    for _ in range(10):
        env.step(action)
    simulation = Simulation(load_world("empty", ["goal=null"]))
    simulation.step(0.05, torque=action * env.arm.torque_limits)
    np.testing.assert_allclose(env.state.q, simulation.q, rtol=0, atol=1e-12)
    env.reset(seed=0)
    for _ in range(10):
        env.step(np.clip(action * 1e3, -1, 1))
    beyond = env.state.q.copy()
    env.reset(seed=0)
    for _ in range(10):
        env.step(action * 1e3)  # beyond what the motors have
    np.testing.assert_array_equal(env.state.q, beyond)


def test_an_episode_ends_at_the_time_limit():
    env = ReachEnv("empty", ["time_limit=0.05"])
    env.reset(seed=0)
    ends = [env.step(np.zeros(6))[2:4] for _ in range(10)]
    assert ends == [(False, False)] * 9 + [(False, True)]


def test_refusals(monkeypatch):
    with refused("a world without a goal"):
        ReachEnv("ragazzon2012_fall")
    with refused("no whole number of control periods"):
        ReachEnv("ragazzon2012_real", duration=0.005)
    with refused("plant.engine"):
        ReachEnv("empty", ["plant.engine=mujoco"])
    env = ReachEnv("empty")
    with refused("no episode has begun"):
        env.step(np.zeros(6))
    env.reset(seed=0)
    for wrong in (np.zeros(5), np.full(6, np.nan)):
        with refused("6 finite numbers"):
            env.step(wrong)
    monkeypatch.setattr(environment, "gymnasium", None)
    with refused(r"needs Gymnasium; allowed: pip install 'hopfield-nav\[gym\]'"):
        ReachEnv("empty")


def test_steps_add_up_as_those_of_a_simulation():
    """Both drive 400 steps of 2.5 ms in one second; an environment takes whole control periods alone."""
    fine = load_world("empty", ["plant.step=0.0005", "controller.period=0.0005"])
    env, simulation = ReachEnv(fine, duration=0.0025), Simulation(load_world("empty"))
    env.reset(seed=0)
    for _ in range(400):
        info = env.step(np.zeros(6))[-1]
        simulation.step(0.0025)
    assert info["time"] == pytest.approx(1.0) == simulation.time


def test_an_episode_is_cut_when_a_run_ends():
    given = load_world("empty", ["time_limit=0.0104"])
    env, simulation = ReachEnv(given), Simulation(given)
    env.reset(seed=0)
    cut = [env.step(np.zeros(6))[3] for _ in range(2)]
    assert simulation.step(1.0) == "time_limit"
    assert cut == [False, True]
    assert simulation.time == pytest.approx(0.01)


@pytest.mark.parametrize(
    "wrong", [0, -0.005, 0.0025, math.nan, math.inf, 1e300, 10**400, "x", None, True]
)
def test_a_duration_of_no_whole_periods_is_refused(wrong):
    with pytest.raises(BadInput, match="duration"):
        ReachEnv("empty", duration=wrong)


@pytest.mark.parametrize(
    "wrong", ["x", None, [1, 2], [[0.0] * 6], {"a": 1}, [10**400] * 6, [math.nan] * 6]
)
def test_an_action_that_is_none_is_refused(wrong):
    env = ReachEnv("empty")
    env.reset(seed=0)
    with pytest.raises(BadInput, match=r"^action; .*allowed: 6 finite numbers$"):
        env.step(wrong)
