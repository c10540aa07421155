"""A client that nobody here wrote, ur-rtde, listens to what ``hopfield-nav serve`` tells.

It knows port 30004 alone, so that each server has a loopback address of its own; and it runs in a
process of its own, since it holds the interpreter while it waits.
"""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from served import in_a_process, moving, telling

from dynamics import load_arm
from hopfield_nav.extensions.live import Recorder
from hopfield_nav.extensions.live.recipe import FIELDS, Recipe
from hopfield_nav.extensions.live.source import tool_pose
from hopfield_nav.extensions.recordings import load_recording

pytest.importorskip("rtde_receive", reason="ur-rtde is not installed (it has wheels for Linux)")

SCRIPT = """
import json, sys, time
from rtde_receive import RTDEReceiveInterface
receive = RTDEReceiveInterface(*json.loads(sys.argv[1]))
rows, last = [], -1.0
end = time.monotonic() + 30.0
while len(rows) < int(sys.argv[2]) and time.monotonic() < end:
    stamp = receive.getTimestamp()
    if stamp != last:
        row = {"timestamp": stamp, "q": receive.getActualQ(), "after": receive.getTimestamp()}
        if row["after"] == stamp:
            rows.append(row)
        last = stamp
    time.sleep(0.001)
answers = {name: getattr(receive, f"get{name}")() for name in json.loads(sys.argv[3])}
print(json.dumps({"rows": rows, "connected": receive.isConnected(), **answers}))
receive.disconnect()
"""
GETTERS = {
    "RobotMode": 7, "SafetyMode": 1, "RuntimeState": 2, "JointMode": [253] * 6, "SpeedScaling": 1.0,
    "ActualDigitalInputBits": 0, "ActualTCPForce": [0.0] * 6, "JointTemperatures": [0.0] * 6,
    "OutputIntRegister": None,
}  # fmt: skip


def ask(host, *more, rows=20, getters=()):
    """What ur-rtde received in a process of its own."""
    arguments = [json.dumps([host, *more]), str(rows), json.dumps(list(getters))]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """A minute of motion as an RTDE table."""
    told = telling(moving(60.0))
    names = tuple(name for name in told.moving if name in FIELDS)
    recipe = Recipe(1, names, tuple(FIELDS[name] for name in names))
    with Recorder(tmp_path_factory.mktemp("logs") / "motion") as keeper:
        for k in range(len(told.time)):
            keeper.add(recipe, recipe.unpack(recipe.pack(recipe.row(told.values(k)))), False)
    return told, keeper.folder


@pytest.fixture(scope="module")
def address(table):
    with in_a_process("127.0.77.1", str(table[1])):
        yield "127.0.77.1"


def expected(told, heard):
    """Rows of the log at the timestamps that were received."""
    return np.searchsorted(told.time, [row["timestamp"] - 1e-6 for row in heard["rows"]])


def test_its_default_fields_arrive(table, address):
    """All 57 of them, at the rate of a CB3 controller, which it takes from the version it is told."""
    told, _ = table
    getters = {name: value for name, value in GETTERS.items() if value is not None}
    got = ask(address, getters=(*getters, "ActualTCPPose", "TargetQd", "ActualCurrent"))
    assert len(got["rows"]) == 20
    assert got["connected"]
    rows = expected(told, got)
    np.testing.assert_allclose(
        [row["q"] for row in got["rows"]], told.moving["actual_q"][rows], atol=1e-12
    )
    assert {name: got[name] for name in getters} == getters
    near = slice(rows[-1], rows[-1] + 40)  # it goes on while the getters are asked
    for name, field in (("TargetQd", "target_qd"), ("ActualCurrent", "actual_current")):
        apart = np.abs(told.moving[field][near] - got[name]).max(axis=1)
        assert apart.min() < 1e-12
    poses = tool_pose(load_arm("ur5_controller"), told.moving["actual_q"][near])
    assert np.abs(poses - got["ActualTCPPose"]).max(axis=1).min() < 1e-9


def test_several_clients_at_their_own_frequencies(table, address):
    """Two at once, one at a tenth of the rate with a few fields."""
    told, _ = table
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", SCRIPT, json.dumps([address, *more]), "10", "[]"],
            stdout=subprocess.PIPE, text=True,
        )
        for more in ([], [12.5, ["timestamp", "actual_q"]])
    ]  # fmt: skip
    for process, period in zip(processes, (0.008, 0.08), strict=True):
        output, _ = process.communicate(timeout=120)
        got = json.loads(output.splitlines()[-1])
        stamps = [row["timestamp"] for row in got["rows"]]
        rows = expected(told, got)
        np.testing.assert_allclose(
            [row["q"] for row in got["rows"]], told.moving["actual_q"][rows], atol=1e-12
        )
        assert np.median(np.diff(stamps)) >= period - 1e-6


RECORD = """
import sys, time
from rtde_receive import RTDEReceiveInterface
receive = RTDEReceiveInterface(sys.argv[1])
assert receive.startFileRecording(sys.argv[2])
time.sleep(2.0)
receive.stopFileRecording()
receive.disconnect()
"""


def test_what_its_recorder_writes_is_read(table, address, tmp_path):
    """The same angles, currents and torques as were told, at the same times.

    A few rows may hold parts of two messages: on a busy machine the recorder reads one while later
    ones arrive.
    """
    told, _ = table
    path = tmp_path / "recorded.csv"
    done = subprocess.run(
        [sys.executable, "-c", RECORD, address, str(path)], timeout=120, check=False
    )
    assert done.returncode == 0
    data = load_recording(path)
    assert data.sizes["time"] > 50
    rows = np.searchsorted(told.time, data.time.values + data.start_time_s - 1e-3)
    names = (
        ("q", "actual_q"),
        ("qd", "actual_qd"),
        ("q_ref", "target_q"),
        ("current", "actual_current"),
    )
    for name, field in names:
        here, there = data[name].values, told.moving[field]
        same = [
            np.isclose(here, there[rows + k], rtol=1e-7, atol=1e-5).all(axis=1) for k in range(6)
        ]
        assert same[0].mean() > 0.9, name
        assert np.any(same, axis=0).all(), name
