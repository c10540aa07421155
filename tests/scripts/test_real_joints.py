"""The record of another maker's arm: its rows, its arm, and what is found on it, where clones are at hand."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import doosan
import numpy as np
import pytest
import real_joints
from refusals import refused

from dynamics import forward_kinematics, inverse_dynamics, load_arm
from hopfield_nav.extensions.recordings import label_signals

ROWS = [  # a, alpha, d, offset of made-up modified rows
    (0.0, 0.0, 0.2, 0.0),
    (0.0, -np.pi / 2, 0.01, -np.pi / 2),
    (0.4, 0.0, 0.0, np.pi / 2),
    (0.0, np.pi / 2, 0.3, 0.0),
    (0.0, -np.pi / 2, 0.0, 0.0),
    (0.0, np.pi / 2, 0.1, 0.0),
]
WORDS = {
    **{0.0: "0", np.pi / 2: "pi/2", -np.pi / 2: "-pi/2"},
    **{0.2: "l1", 0.01: "d2", 0.4: "l2", 0.3: "l3", 0.1: "l4"},
}


def _script():
    lines = ["l1 = 0.2;", "d2 = 0.01;", "l2 = 0.4;", "l3 = 0.3;", "l4 = 0.1;"]
    for i, (a, alpha, d, offset) in enumerate(ROWS):
        words = f"'d', {WORDS[d]}, 'a', {WORDS[a]}, 'alpha', {WORDS[alpha]} , 'offset', {WORDS[offset]},"
        body = (
            f"'m', {i + 1}.5, 'I', [0.02, 0.03, 0.04, 0.001, 0.002, 0.003], 'Jm', 0.0001, 'G', 100"
        )
        lines.append(f"L{i + 1} = Link('revolute', 'modified', {words} {body});")
    lines += [f"CoM(:,{i + 1}) = [0.0{i}, 0.1, 0.2{i}]';" for i in range(6)]
    return "\n".join(lines)


def test_the_arm_of_a_toolbox_script_is_that_of_its_rows(tmp_path):
    (tmp_path / "arm.urdf").write_text(doosan._as_urdf(_script()))
    arm = load_arm(tmp_path / "arm.urdf")
    np.testing.assert_allclose(arm.rotor_inertia, 1.0)
    np.testing.assert_allclose(arm.mass, np.arange(6) + 1.5)
    for q in np.random.default_rng(0).uniform(-3.0, 3.0, (5, 6)):
        pose = np.eye(4)
        angles = q + [offset for *_, offset in ROWS]
        for (a, alpha, d, _), angle in zip(ROWS, angles, strict=True):
            c, s, ca, sa = np.cos(angle), np.sin(angle), np.cos(alpha), np.sin(alpha)
            pose = pose @ np.array(
                [[c, -s, 0, a], [s * ca, c * ca, -sa, -d * sa], [s * sa, c * sa, ca, d * ca], [0, 0, 0, 1]]
            )  # fmt: skip
        np.testing.assert_allclose(forward_kinematics(arm, q), pose, atol=1e-12)


def _git(folder, *words):
    own = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    subprocess.run(["git", "-C", str(folder), *own, *words], check=True, capture_output=True)


def test_windows_are_joined_by_their_own_rows(tmp_path, monkeypatch):
    """The last row of each file is the first of the next one."""
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(201, 182))
    rows[:, -2] = np.arange(201) > 150
    place = tmp_path / doosan.FOLDER
    place.mkdir(parents=True)
    for k in (1, 2):
        part = rows[100 * (k - 1) : 100 * k + 1]
        np.savetxt(place / f"Testing_raw_data_{k}.csv", part, delimiter=",")
    _git(tmp_path, "init", "-q")
    _git(tmp_path, "add", ".")
    _git(tmp_path, "commit", "-q", "-m", "rows")
    monkeypatch.setattr(doosan, "COMMIT", "HEAD")
    monkeypatch.setattr(doosan, "WINDOWS", 2)
    record = doosan.read_recording(tmp_path)
    np.testing.assert_array_equal(record.touched, rows[:200, -2] > 0.5)
    np.testing.assert_allclose(
        record.data.current.values[:, 2], rows[:200, 60]
    )  # newest of joint 3
    np.testing.assert_allclose(record.data.q.values[:, 2], np.radians(rows[:200, 61]))
    monkeypatch.setattr(doosan, "WINDOWS", 3)
    with refused("not in the clone"):
        doosan.read_recording(tmp_path)


def test_pushes_are_found_by_what_the_other_half_chose():
    """A made-up record of an arm with friction, two motors reversed, pushes in both halves."""
    arm = load_arm("ur5_full")
    time = 0.01 * np.arange(12000)
    rate = 2 * np.pi * np.array([0.10, 0.15, 0.20, 0.30, 0.35, 0.23])
    angle = np.outer(time, rate)
    q = [0.0, -1.2, 1.0, -0.5, 0.8, 0.0] + 0.8 * np.sin(angle)
    qd, qdd = 0.8 * rate * np.cos(angle), -0.8 * rate**2 * np.sin(angle)
    torque = inverse_dynamics(arm, q, qd, qdd)
    torque += arm.friction[:, 0] * np.sign(qd) + arm.friction[:, 1] * qd
    touched = np.zeros(len(time), dtype=bool)
    for begin in range(500, 12000, 1000):
        touched[begin : begin + 50] = True
    torque[touched, 1] += 60.0
    constants = np.array([8.0, -8.0, 8.0, 8.0, -8.0, 8.0])
    noise = np.random.default_rng(2).normal(0.0, 0.02, q.shape)
    signals = {"q": q, "qd": qd, "q_ref": q, "qd_ref": qd, "current": torque / constants + noise}
    record = doosan.Contacts(label_signals(time, signals, "made"), touched)
    both = real_joints.halves(record, arm, 40.0)
    assert [half.judged.sum() for half in both] == [6000, 6000]
    assert all(abs(half.choosing.sum() - 4000) <= 1 for half in both)
    onlooker = real_joints.Onlooker(both, touched, "momentum_observer", "joint_torque")
    result = onlooker.judged()
    assert (result.found, result.contacts) == (12, 12)
    assert result.false_alarms <= 1  # of 46 s that chose no threshold
    assert np.median(result.delays) < 0.1
    assert onlooker.judged(100.0).found == 0


@pytest.fixture
def clones():
    """The two clones, whose folder the environment names."""
    folder = os.environ.get("HOPFIELD_NAV_DOOSAN")
    if not folder:
        pytest.skip("no clones; set HOPFIELD_NAV_DOOSAN to the folder that holds both")
    return Path(folder)


def test_the_signs_of_four_motors_are_found_by_either_half(clones):
    record = doosan.read_recording(clones / "learning_collision_detection_real")
    assert np.sum(np.diff(record.touched.astype(int)) == 1) == 320
    arm = doosan.read_arm(clones / "learning_collision_detection_advanced")
    for half in real_joints.halves(record, arm, 600.0):
        assert np.isfinite(half.signals.tau).all()
        assert half.motors.untold == []
        assert (half.motors.motor_constant < 0.0).sum() == 4
