"""An arm of seven joints that the program has no file for, computed by Pinocchio, and logs of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

JOINTS = [f"elbow_{k}" for k in "abcdefg"]
TURNS = [
    "0 0 0",
    "-1.5708 0 0",
    "1.5708 0 0",
    "1.5708 0 0",
    "-1.5708 0 0",
    "-1.5708 0 0",
    "1.5708 0 0",
]
REACH = ["0 0 0.3", "0 0 0.1", "0 -0.25 0", "0.05 0 0.1", "-0.05 0.2 0", "0 0 0.1", "0.08 0 0"]
MASS, COULOMB, VISCOUS = [4.1, 3.7, 3.3, 2.9, 2.2, 1.4, 0.6], 0.6, 0.8
NOISE = 0.05  # [N·m] of the torques
CONTACTS = [(6.0, 6.4), (9.0, 9.4), (15.0, 15.4), (19.0, 19.4)]  # [s]
START = 1.7e9  # [s] of the log's clock


def write_urdf(path: Path) -> Path:
    """The arm as its maker gives it."""
    links = "".join(
        f'<link name="link_{k + 1}"><inertial><origin xyz="0.01 {0.02 * (-1) ** k} 0.06"/>'
        f'<mass value="{mass}"/><inertia ixx="{0.01 * mass}" iyy="{0.012 * mass}" izz="{0.006 * mass}" '
        f'ixy="{0.0005 * mass}" ixz="0" iyz="0"/></inertial></link>'
        for k, mass in enumerate(MASS)
    )
    joints = "".join(
        f'<joint name="{name}" type="revolute"><parent link="{f"link_{k}" if k else "base"}"/>'
        f'<child link="link_{k + 1}"/><origin xyz="{REACH[k]}" rpy="{TURNS[k]}"/><axis xyz="0 0 1"/>'
        '<limit lower="-2.9" upper="2.9" velocity="2.5" effort="200"/></joint>'
        for k, name in enumerate(JOINTS)
    )
    path.write_text(f'<robot name="seven"><link name="base"/>{links}{joints}</robot>')
    return path


def motion(
    urdf: Path, seconds: float = 22.0, rate: float = 250.0, touched: bool = True, seed: int = 0
):
    """Time [s], q, qd, measured torque, torque of the maker's model (k, 7), and where it is touched (k,)."""
    import pinocchio as pin

    model = pin.buildModelFromUrdf(str(urdf))
    data, random = model.createData(), np.random.default_rng(seed)
    time = np.arange(0.0, seconds, 1.0 / rate)
    turn = 2 * np.pi * np.array([0.11, 0.17, 0.13, 0.19, 0.23, 0.29, 0.31]) * (1.0 + 0.1 * seed)
    q = 0.2 + 0.5 * np.sin(np.outer(time, turn))
    qd, qdd = (
        0.5 * turn * np.cos(np.outer(time, turn)),
        -0.5 * turn**2 * np.sin(np.outer(time, turn)),
    )
    own = np.array([pin.rnea(model, data, *row) for row in zip(q, qd, qdd, strict=True)])
    contact = np.zeros(len(time), dtype=bool)
    for begin, end in CONTACTS if touched else ():
        contact |= (time >= begin) & (time <= end)
    pushed = np.zeros_like(q)
    for k in np.flatnonzero(contact):
        jacobian = pin.computeJointJacobian(model, data, q[k], 5)  # of link 5, in its own frame
        pushed[k] = jacobian[:3].T @ np.array([25.0, 15.0, 20.0])
    torque = (
        own + COULOMB * np.sign(qd) + VISCOUS * qd - pushed + random.normal(0.0, NOISE, q.shape)
    )
    return time, q, qd, torque, own, contact


def write_csv(path: Path, made, unit: float = 180.0 / np.pi, start: float = START) -> Path:
    """A table in degrees and milliseconds, joints counted from 0."""
    time, q, qd, torque, own, contact = made
    names = [
        "t_ms",
        *(f"{name}[{k}]" for name in ("pos", "vel", "trq", "own") for k in range(7)),
        "label",
    ]
    stamp = np.round((time + start) * 1e3)
    table = np.column_stack([stamp, unit * q, unit * qd, torque, own, contact])
    rows = [",".join(map(repr, row)) for row in table.tolist()]
    path.write_text("\n".join([",".join(names), *rows]) + "\n")
    return path


DESCRIPTION = """format: 1
file: {file}
time: {{columns: t_ms, unit: ms}}
q: {{columns: "pos[*]", unit: deg}}
qd: {{columns: "vel[*]", unit: deg/s}}
effort: "trq[*]"
tau: "own[*]"
contact: label
"""


def write_bag(path: Path, made, ros: int, more: bool = False) -> Path:
    """A bag of joint states, with another joint in front, and the model's torques as a second topic."""
    from rosbags.typesys import Stores, get_typestore

    time, q, qd, torque, own, _ = made
    store = get_typestore(Stores.ROS2_HUMBLE if ros == 2 else Stores.ROS1_NOETIC)
    kind = store.types["sensor_msgs/msg/JointState"]
    header, stamp = store.types["std_msgs/msg/Header"], store.types["builtin_interfaces/msg/Time"]
    if ros == 2:
        from rosbags.rosbag2 import StoragePlugin, Writer

        writer = Writer(
            path, version=9, storage_plugin=StoragePlugin.MCAP if more else StoragePlugin.SQLITE3
        )
    else:
        from rosbags.rosbag1 import Writer

        writer = Writer(path)
    order = np.array([3, 0, 6, 1, 2, 5, 4])  # as a driver may list them
    names = ["gripper", *(JOINTS[k] for k in order)] if more else JOINTS
    order = order if more else np.arange(7)
    with writer:
        topics = (
            {"/joint_states": torque, "/model_states": own} if more else {"/joint_states": torque}
        )
        links = {
            topic: writer.add_connection(topic, kind.__msgtype__, typestore=store)
            for topic in topics
        }
        for k, t in enumerate(time):
            nanoseconds = round((t + START) * 1e9)
            at = stamp(sec=nanoseconds // 10**9, nanosec=nanoseconds % 10**9)
            about = (
                header(stamp=at, frame_id="") if ros == 2 else header(seq=k, stamp=at, frame_id="")
            )
            for topic, effort in topics.items():
                values = [
                    np.concatenate([[0.0] * more, row[k][order[: row.shape[1]]]])
                    for row in (q, qd, effort)
                ]
                message = kind(about, names, *values)
                write = store.serialize_cdr if ros == 2 else store.serialize_ros1
                received = round((START + 0.004 * k) * 1e9)
                writer.write(links[topic], received, write(message, kind.__msgtype__))
    return path
