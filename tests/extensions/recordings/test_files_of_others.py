"""Tables and bags as others write them: read, or refused with the way to read them."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

from hopfield_nav.extensions.recordings import load_recording

rosbags = pytest.importorskip("rosbags")
NAMES = [
    "shoulder_pan_joint",
    "shoulder_lift_joint",
    "elbow_joint",
    "wrist_1_joint",
    "wrist_2_joint",
    "wrist_3_joint",
]
TIME = np.arange(0.0, 4.0, 0.004)
Q = np.sin(np.outer(TIME, [1.0, 1.1, 1.2, 1.3, 1.4, 1.5]))
QD = np.cos(np.outer(TIME, [1.0, 1.1, 1.2, 1.3, 1.4, 1.5])) * [1.0, 1.1, 1.2, 1.3, 1.4, 1.5]
HEAD = ",".join(["time", *(f"{s}_{j}" for s in "qv" for j in range(1, 7))])
START = 1_700_000_000


def _table(folder, lines, time="time"):
    """A table of lines, and its description."""
    (folder / "log.csv").write_text("".join(lines))
    text = f"format: 1\nfile: log.csv\ntime: {time}\nq: q_*\nqd: v_*\n"
    (folder / "log.yaml").write_text(text)
    return folder / "log.yaml"


def _rows(time=TIME, end="\n"):
    table = np.column_stack([time, Q, QD])
    return [",".join(f"{value:.12g}" for value in row) + end for row in table]


UNITS = ",".join(["s", *["rad"] * 6, *["rad/s"] * 6]) + "\n"
BEFORE = {
    "a header alone": ([HEAD + "\n"], ""),
    "units behind it": ([HEAD + "\n", UNITS], "a line of units, s, rad, rad/s"),
    "the separator of a spreadsheet": (["sep=,\n", HEAD + "\n"], ""),
    "comments": (["# robot log, firmware 5.11\n", "# of 2026\n", HEAD + "\n"], "2 lines before the header"),
    "words": (["robot log\n", "\n", HEAD + "\n", UNITS],
              "2 lines before the header; a line of units, s, rad, rad/s"),
    "a header that is a comment": (["# robot log\n", f"# {HEAD}\n"], "1 lines before the header"),
}  # fmt: skip


@pytest.mark.parametrize(("before", "left_out"), BEFORE.values(), ids=BEFORE)
def test_the_header_is_found(tmp_path, before, left_out):
    data = load_recording(_table(tmp_path, [*before, *_rows()]))
    np.testing.assert_allclose(data.q.values, Q, rtol=1e-10)
    np.testing.assert_allclose(data.time.values, TIME, atol=1e-9)
    assert data.left_out == left_out


@pytest.mark.parametrize("head", [HEAD + ",\n", HEAD + "\n"])
def test_a_separator_at_the_end_of_every_line_loses_no_row(tmp_path, head):
    data = load_recording(_table(tmp_path, [head, *_rows(end=",\n")]))
    np.testing.assert_allclose(data.q.values, Q, rtol=1e-10)
    assert data.cut_short == ""


def test_a_row_that_was_cut_is_left_out_still(tmp_path):
    rows = _rows()
    cut = rows[-1].rsplit(",", 1)[0] + ",\n"
    data = load_recording(_table(tmp_path, [HEAD + "\n", *rows[:-1], cut]))
    assert data.sizes["time"] == len(TIME) - 1
    assert data.cut_short == "log.csv"


def test_a_word_in_the_first_row_is_no_unit(tmp_path):
    rows = _rows()
    first = "0,error" + rows[0][rows[0].index(",", 2) :]
    with refused("log.csv, line 2: not a finite number; found 'error'"):
        load_recording(_table(tmp_path, [HEAD + "\n", first, *rows[1:]]))


def test_seconds_and_nanoseconds_are_one_time(tmp_path):
    head = HEAD.replace("time", "sec,nanosec") + "\n"
    rows = []
    for time, row in zip(TIME, _rows(), strict=True):
        whole = int(time)
        rows.append(f"{START + whole},{round(1e9 * (time - whole))}{row[row.index(',') :]}")
    data = load_recording(_table(tmp_path, [head, *rows], "[sec, nanosec]"))
    np.testing.assert_allclose(data.time.values, TIME, atol=1e-6)
    assert data.start_time_s == START
    with refused("nanoseconds of a second alone; .*allowed: `time: \\[SECONDS, NANOSECONDS\\]`"):
        load_recording(_table(tmp_path, [head, *rows], "{columns: nanosec, unit: ns}"))
    with refused("time: wrong columns of time"):
        load_recording(_table(tmp_path, [head, *rows], "[sec, nanosec, q_1]"))


def test_times_of_single_precision_are_refused(tmp_path):
    time = (TIME + START).astype(np.float32).astype(float)
    with refused("999 of 1000 rows have the time of the row before: single precision?"):
        load_recording(_table(tmp_path, [HEAD + "\n", *_rows(time)]))


def _message(stamp, names, position, velocity):
    from rosbags.typesys import Stores, get_typestore

    types = get_typestore(Stores.ROS2_HUMBLE).types
    time = types["builtin_interfaces/msg/Time"](stamp // 10**9, stamp % 10**9)
    header = types["std_msgs/msg/Header"](time, "")
    values = (np.asarray(part, dtype=float) for part in (position, velocity, []))
    return types["sensor_msgs/msg/JointState"](header, list(names), *values)


def _bag(folder, messages):
    """A bag of messages, each with the time [ns] when it was received."""
    from rosbags.rosbag2 import Writer
    from rosbags.typesys import Stores, get_typestore

    store, kind = get_typestore(Stores.ROS2_HUMBLE), "sensor_msgs/msg/JointState"
    with Writer(folder, version=9) as writer:
        topic = writer.add_connection("/joint_states", kind, typestore=store)
        for received, message in messages:
            writer.write(topic, received, store.serialize_cdr(message, kind))
    return folder


STAMPS = [START * 10**9 + round(1e9 * time) for time in TIME]


def _arm(k, stamp=None):
    return STAMPS[k], _message(STAMPS[k] if stamp is None else stamp, NAMES, Q[k], QD[k])


@pytest.mark.parametrize("every", [1, 10])
@pytest.mark.parametrize("joints", [None, 6])
def test_the_messages_of_a_gripper_may_come_first(tmp_path, every, joints):
    messages = []
    for k, stamp in enumerate(STAMPS):
        if k % every == 0:
            early = stamp - 500_000
            messages.append((early, _message(early, ["finger_joint"], [0.1], [0.0])))
        messages.append(_arm(k))
    data = load_recording(_bag(tmp_path / "bag", messages), joints)
    np.testing.assert_allclose(data.q.values[:, :6], Q)
    assert data.attrs["joint_names"].startswith(", ".join(NAMES))


def test_joints_of_two_messages_are_joined(tmp_path):
    messages = []
    for k, stamp in enumerate(STAMPS):
        messages.append((stamp, _message(stamp, NAMES[:3], Q[k, :3], QD[k, :3])))
        later = stamp + 50_000
        if k != 7:  # one is lost
            messages.append((later, _message(later, NAMES[3:], Q[k, 3:], QD[k, 3:])))
    data = load_recording(_bag(tmp_path / "bag", messages), None)
    np.testing.assert_allclose(data.q.values, np.delete(Q, 7, axis=0))
    assert data.attrs["joint_names"] == ", ".join(NAMES)


def test_messages_that_never_come_together_are_refused(tmp_path):
    messages = [(s, _message(s, NAMES[:3], Q[k, :3], QD[k, :3])) for k, s in enumerate(STAMPS)]
    last = STAMPS[-1] + 10**9
    messages += [(last + s, _message(last + s, NAMES[3:], Q[0, 3:], QD[0, 3:])) for s in range(9)]
    _bag(tmp_path / "bag", messages)
    (tmp_path / "log.yaml").write_text(f"format: 1\nfile: bag\njoints: [{', '.join(NAMES)}]\n")
    with refused("no message has all joints; found 'shoulder_pan_joint, .*; wrist_1_joint"):
        load_recording(tmp_path / "log.yaml", None)


def test_messages_before_a_clock_began_are_left_out(tmp_path):
    messages = [_arm(k, 0 if k < 3 else STAMPS[k] - STAMPS[0]) for k in range(len(STAMPS))]
    data = load_recording(_bag(tmp_path / "bag", messages), None)
    np.testing.assert_allclose(data.q.values, Q[3:])
    assert data.left_out == "3 messages without a stamp"


def test_coarse_stamps_are_those_of_a_table(tmp_path):
    coarse = [START * 10**9 + round(time / 0.01) * 10**7 for time in TIME]
    messages = [_arm(k, stamp) for k, stamp in enumerate(coarse)]
    of_bag = load_recording(_bag(tmp_path / "bag", messages), None)
    time = np.round(TIME / 0.01) * 0.01
    of_table = load_recording(_table(tmp_path, [HEAD + "\n", *_rows(time)]))
    assert of_bag.sizes["time"] == of_table.sizes["time"] == len(TIME)
    np.testing.assert_allclose(of_bag.time.values, of_table.time.values, atol=1e-6)
    np.testing.assert_allclose(of_bag.q.values, Q)


def test_a_bag_without_metadata_is_told_how_to_get_them(tmp_path):
    bag = _bag(tmp_path / "bag", [_arm(k) for k in range(9)])
    (bag / "metadata.yaml").unlink()
    for path in (bag, next(bag.glob("*.db3"))):
        with refused(f"a bag without metadata.yaml; allowed: `ros2 bag reindex {bag}`"):
            load_recording(path)
