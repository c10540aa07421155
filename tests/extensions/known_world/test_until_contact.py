"""A motion until contact: its bound on the way after an alarm, its programs, what the simulated arm does."""

from __future__ import annotations

import math
import re
import sys
import types
from pathlib import Path

import numpy as np
import pytest
from planned_paths import line_path
from poses import HOME
from refusals import refused_by_command
from test_robot_program import parse

from dynamics import forward_kinematics, load_arm
from hopfield_nav.cli.app import main
from hopfield_nav.extensions.known_world import (
    ContactWatch,
    follow_until_contact,
    plan_world,
    rtde_program,
    stopping_distance,
    time_path,
    urscript,
)
from hopfield_nav.loop import quintic_trajectory
from hopfield_nav.world import parse_world

ARM = load_arm("ur5_ragazzon2012")
FORCE = ContactWatch(15.0, (), 0.02, 1.4)
TORQUE = ContactWatch(None, (9.0, 8.0, 7.0, 3.0, 2.0, 1.0), 0.02, 1.4)
DOWN = line_path(ARM, HOME, [[0.0, 0.0, -0.1]])
TIMED = time_path(ARM, DOWN, tool_speed=0.02)

WORLD = """
format: 1
detection: {estimator: joint_error, measure: force_norm, threshold: 15}
obstacles: [{box: {center: [0.45, 0.0, 0.05], size: [0.4, 0.4, 0.1]}}]
map: {space: tool}
plan:
  method: shortest
  start: {pose: {position: [0.42, 0.0, 0.16], rotation: [[0, 1, 0], [1, 0, 0], [0, 0, -1]]}}
  goal: {pose: {position: [0.42, 0.0, 0.06], rotation: [[0, 1, 0], [1, 0, 0], [0, 0, -1]]}}
  tool_speed: 0.02
  until_contact: 0.004
"""


def test_the_bound_is_that_of_even_braking():
    """One joint at even speed w about a lever r goes on by r w (2 T + w / 2 a)."""
    speed, period = 0.3, 0.008
    goal = HOME + np.array([speed, 0, 0, 0, 0, 0])
    moving = quintic_trajectory(np.array([HOME, goal]), 1.0)
    found = stopping_distance(ARM, moving, 1.4, period)
    fastest = speed * 15.0 / 8.0  # of a quintic from rest to rest in 1 s
    lever = float(np.linalg.norm(forward_kinematics(ARM, HOME)[:2, 3]))
    assert found == pytest.approx(lever * fastest * (2 * period + fastest / 2.8), rel=0.02)


def program(watch):
    return urscript(ARM, TIMED, watch=watch)


def run(text, felt_after):
    """A program on an arm that feels something from so many targets on: its calls, and what it says."""
    parse(text)
    done, said = [], []
    lines = [line for line in text.splitlines() if line.strip() != "end"]
    code = "\n".join(line for line in lines).replace("global touched = ", "globals()['touched'] = ")
    there = 1.0 if felt_after is None else 0.0
    robot = {
        name: lambda *given, _as=name: done.append((_as, given))
        for name in ("servoj", "stopj", "popup")
    }
    robot |= {
        "get_actual_joint_positions": lambda: DOWN.q[0].tolist(),
        "get_actual_tcp_pose": lambda: "here",
        "textmsg": lambda *words: said.append(words),
        "force": lambda: 20.0 if felt_after is not None and len(done) >= felt_after else there,
        "get_joint_torques": lambda: [
            0,
            0,
            0,
            0,
            -2.5 if felt_after is not None and len(done) >= felt_after else 1,
            0,
        ],
    }
    exec(f"{code}\nplanned_path()", robot)
    return done, said


@pytest.mark.parametrize("watch", [FORCE, TORQUE])
def test_the_program_sends_no_target_after_a_contact_and_says_where(watch):
    done, said = run(program(watch), 10)
    assert [name for name, _ in done] == ["servoj"] * 10 + ["stopj"]
    assert done[-1][1] == (1.4,)
    assert said[0] == ("contact: tool at ", "here")


@pytest.mark.parametrize("watch", [FORCE, TORQUE])
def test_without_a_contact_the_program_goes_to_the_end(watch):
    done, said = run(program(watch), None)
    whole, _ = run(
        re.sub(r"force\(\) > [\d.]+|felt\(\)$", "False", program(watch), flags=re.M), None
    )
    assert done == whole
    assert said == [("no contact on the path",)]
    np.testing.assert_allclose(done[-2][1][0], DOWN.q[-1], atol=1e-8)


class Interface:
    """Both interfaces of ur_rtde, of an arm that feels something from the tenth target on."""

    sent: list
    felt_from = 10

    def __init__(self, address, frequency=500.0):  # as of an e-Series arm
        self.address, self.frequency = address, frequency

    def servoJ(self, q, speed, acceleration, time, *_):
        # ``waitPeriod`` waits as long as a target lasts
        assert time * self.frequency == pytest.approx(1.0)
        Interface.sent.append(q)

    def getActualQ(self):
        return list(Interface.start)

    def getActualTCPForce(self):
        return [
            0.0,
            12.0,
            -12.0 if len(Interface.sent) >= Interface.felt_from else 0.0,
            9.0,
            9.0,
            9.0,
        ]

    def getJointTorques(self):
        return [
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            -1.5 if len(Interface.sent) >= Interface.felt_from else 0.5,
        ]

    def getActualTCPPose(self):
        return "here"

    def servoStop(self, deceleration):
        Interface.sent.append(("stop", deceleration))

    def initPeriod(self):
        return 0.0

    def waitPeriod(self, began):
        assert began == 0.0

    def stopScript(self):
        pass

    disconnect = stopScript


@pytest.mark.parametrize("watch", [FORCE, TORQUE])
def test_the_python_program_stops_at_a_contact(watch, tmp_path, monkeypatch, capsys):
    from hopfield_nav.extensions.known_world import write_plan_csv

    write_plan_csv(ARM, TIMED, tmp_path / "plan.csv")
    path = tmp_path / "plan_rtde.py"
    path.write_text(rtde_program(watch, 0.008), encoding="utf-8")
    for name in ("rtde_control", "rtde_receive"):
        module = types.ModuleType(name)
        module.RTDEControlInterface = module.RTDEReceiveInterface = Interface
        monkeypatch.setitem(sys.modules, name, module)
    Interface.sent, Interface.start = [], DOWN.q[0]
    code = {"__name__": "made", "__file__": str(path)}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), code)
    assert code["main"]("robot") == 0
    assert len(Interface.sent) == 11
    assert Interface.sent[-1] == ("stop", 1.4)
    assert capsys.readouterr().out == f"contact: tool at here, joints at {list(DOWN.q[0])}\n"
    Interface.sent = []
    # nothing is there: to the goal, and until the arm has settled
    monkeypatch.setattr(Interface, "felt_from", 10**6)
    assert code["main"]("robot") == 1
    goal, held = Interface.sent[-2], [q == Interface.sent[-2] for q in Interface.sent[:-1]]
    assert 60 < sum(held) < 70
    np.testing.assert_allclose(goal, DOWN.q[-1], atol=1e-9)
    Interface.sent, Interface.start = [], DOWN.q[0] + 0.1
    with pytest.raises(SystemExit, match="not at the start"):
        code["main"]("robot")
    assert not Interface.sent


def test_the_simulated_arm_stops_within_the_distance_and_knows_where():
    world = parse_world(WORLD)
    planned = plan_world(world)
    run, found = follow_until_contact(world, planned.trajectory)
    assert run.summary["contact_count"] >= 1
    # the tool met the top of the box, 0.1 m high, and felt it when it pressed with 15 N: 15 N / 1e5
    # N/m deep
    assert found.tool[2] == pytest.approx(0.1 - 15.0 / 1e5, abs=5e-4)
    np.testing.assert_allclose(found.tool[:2], [0.42, 0.0], atol=3e-3)  # pressed aside
    assert 0.0 < found.went_on <= 0.004
    assert np.linalg.norm(found.force) == pytest.approx(15.0, rel=0.3)
    assert np.abs(run.data.qd.values[-1]).max() < 1e-3  # it stands still
    free, nothing = follow_until_contact(world.with_changes(obstacles=()), planned.trajectory)
    assert nothing is None
    assert free.outcome == "reached"


def test_an_arm_that_stands_at_a_contact_does_not_go_on_when_it_is_felt_again():
    detection = "detection: {estimator: momentum_observer, measure: joint_torque}"
    world = parse_world(re.sub("detection: .*", f"{detection}\narm: ur5_full", WORLD))
    run, found = follow_until_contact(world, plan_world(world).trajectory)
    later = run.data.time.values > found.time + 0.5
    assert later.any()
    assert run.summary["collision_count"] > 1
    assert np.abs(run.data.qd_ref.values[later]).max() == 0.0
    assert found.went_on <= 0.004


def test_what_cannot_be_stopped_or_felt_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("down.yaml").write_text(WORLD, encoding="utf-8")
    plan = ["plan", "down.yaml", "--no-plots", "--set"]
    refused_by_command(
        capsys, [*plan, "detection.measure=wrench_norm"], "allowed: force_norm, joint_torque"
    )
    refused_by_command(capsys, [*plan, "plan.until_contact=0"], "plan.until_contact")
    assert main([*plan, "plan.until_contact=0.0001"]) == 1
    assert "would not stop within this distance" in capsys.readouterr().out


def test_the_command_writes_both_programs_and_tells_of_the_contact(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("down.yaml").write_text(WORLD, encoding="utf-8")
    assert main(["plan", "down.yaml", "--no-plots", "--simulate", "--out", "a"]) == 0
    told = capsys.readouterr().out
    assert "went on by" in told
    assert (
        main(
            ["plan", "down.yaml", "--no-plots", "--simulate", "--out", "c", "--set", "obstacles=[]"]
        )
        == 1
    )
    assert "no contact on the path" in capsys.readouterr().out
    assert math.isfinite(float(re.search(r"went on by\s+([\d.]+) mm", told)[1]))
    assert "felt()" in Path("a/plan.script").read_text(encoding="utf-8")
    compile(Path("a/plan_rtde.py").read_text(encoding="utf-8"), "plan_rtde.py", "exec")
