"""Recordings of a Doosan M0609 with labelled contacts, read from clones that a user names.

``learning_collision_detection_real`` (commit ``COMMIT``, folder ``FOLDER``) holds windows that join to
one record at 100 Hz; ``learning_collision_detection_advanced`` the arm, as a script of a toolbox
(modified Denavit-Hartenberg rows; masses, centres, tensors, rotors and gears). Both are
without a licence: nothing of them is kept here, and nothing that is fitted to them.
"""

import io
import re
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
import xarray

from dynamics import Arm, BadInput, load_arm
from hopfield_nav.extensions.recordings import label_signals

COMMIT = "974a4a1"
FOLDER = "Real_robot/TestingDivide"
ARM_FILE = "data/DoosanMSeries_RoboticsToolBox_Simulator.m"
WINDOWS, ROWS, PERIOD = 1510, 100, 0.01  # files, rows of each that are its own, [s]
JOINTS, TIMES, COLUMNS = 6, 5, 6  # each row: joints × times, the newest first × columns
_GRAVITY = 9.80  # [m/s²] of the toolbox script


class Contacts(NamedTuple):
    """A record, and when something touched the arm."""

    data: xarray.Dataset
    touched: np.ndarray  # (k,) whether


def read_recording(clone: Path) -> Contacts:
    """The windows one behind the other, as a recording with currents and labels of contact.

    Raises ``BadInput``: no such commit or files in the clone.
    """
    rows = np.concatenate([each[:ROWS] for each in _windows(clone)])
    newest = rows[:, :-2].reshape(-1, JOINTS, TIMES, COLUMNS)[:, :, 0]
    current, q, qd, q_ref, qd_ref, _ = np.moveaxis(newest, 2, 0)
    touched = rows[:, -2] > 0.5
    signals = {
        "q": np.radians(q),
        "qd": np.radians(qd),
        "q_ref": np.radians(q_ref),
        "qd_ref": np.radians(qd_ref),
        "current": current,
        "contact": touched[:, None].astype(float),
    }
    return Contacts(label_signals(PERIOD * np.arange(len(rows)), signals, "doosan"), touched)


def _windows(clone: Path) -> list[np.ndarray]:
    names = [f"{COMMIT}:{FOLDER}/Testing_raw_data_{k}.csv" for k in range(1, WINDOWS + 1)]
    answer = subprocess.run(
        ["git", "-C", str(clone), "cat-file", "--batch"],
        input="\n".join(names).encode(),
        capture_output=True,
        check=False,
    ).stdout
    windows = []
    begin = 0
    for name in names:
        end = answer.find(b"\n", begin)
        head = answer[begin:end].split()
        if end < 0 or head[-1] == b"missing":
            raise BadInput("not in the clone", where=str(clone), found=name)
        size = int(head[2])
        windows.append(np.loadtxt(io.BytesIO(answer[end + 1 : end + 1 + size]), delimiter=","))
        begin = end + 1 + size + 1
    return windows


def read_arm(clone: Path) -> Arm:
    """The arm of the toolbox script, with its rotors and without friction.

    Raises ``BadInput``: no such file in the clone.
    """
    done = subprocess.run(
        ["git", "-C", str(clone), "show", f"HEAD:{ARM_FILE}"],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise BadInput("not in the clone", where=str(clone), found=ARM_FILE)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "arm.urdf"
        path.write_text(_as_urdf(done.stdout), encoding="utf-8")
        return load_arm(path)


def _as_urdf(text: str) -> str:
    """A URDF of the same arm: frames of modified rows are those of a URDF's links."""
    lengths = {name: float(value) for name, value in re.findall(r"^(\w\d) = ([\d.]+);", text, re.M)}
    known = {**lengths, "pi": np.pi}
    centers = np.array(
        [
            [float(part) for part in row.split(",")]
            for row in re.findall(r"CoM\(:,\d\) = \[(.*?)\]", text)
        ]
    )
    links = '<link name="base"/>'
    joints = ""
    for i, row in enumerate(re.findall(r"Link\('revolute', 'modified',(.*)\);", text)):
        values = {
            name: eval(value, {"__builtins__": {}}, known)  # lengths and parts of pi
            for name, value in re.findall(r"'(d|a|alpha|offset|m|Jm|G)',\s*([-+\w./*]+)", row)
        }
        tensor = [float(part) for part in re.search(r"\[(.*?)\]", row)[1].split(",")]
        center = _centers(centers, lengths)[i]
        links += _link(i, values["m"], center, tensor)
        joints += _joint(i, values)
    return f'<robot name="m0609">{links}{joints}</robot>'


def _centers(centers: np.ndarray, lengths: dict[str, float]) -> np.ndarray:
    """The centres of mass in the axes of each link, from those in base axes at angles zero."""
    l1, l2, l3, l4, d2 = (lengths[name] for name in ("l1", "l2", "l3", "l4", "d2"))
    heights = np.array([l1, l1, l1 + l2, l1 + l2 + l3, l1 + l2 + l3, l1 + l2 + l3 + l4])
    origins = np.column_stack([np.zeros(6), [0.0, d2, d2, d2, d2, d2], heights])
    x, y, z = (centers - origins).T
    return np.array(
        [
            [x[0], y[0], z[0]],
            [z[1], x[1], y[1]],
            [x[2], -z[2], y[2]],
            [x[3], y[3], z[3]],
            [x[4], -z[4], y[4]],
            [x[5], y[5], z[5]],
        ]
    )


def _link(i: int, mass: float, center: np.ndarray, tensor: list[float]) -> str:
    ixx, iyy, izz, ixy, iyz, ixz = tensor
    origin = " ".join(map(repr, center.tolist()))
    moments = f'ixx="{ixx}" iyy="{iyy}" izz="{izz}" ixy="{ixy}" iyz="{iyz}" ixz="{ixz}"'
    body = f'<origin xyz="{origin}"/><mass value="{mass}"/><inertia {moments}/>'
    return f'<link name="l{i + 1}"><inertial>{body}</inertial></link>'


def _joint(i: int, row: dict[str, float]) -> str:
    alpha, offset = row["alpha"], row["offset"]
    place = [row["a"], -row["d"] * np.sin(alpha), row["d"] * np.cos(alpha)]
    # a turn by alpha about x, then by offset about the new z
    turn = np.array(
        [[1, 0, 0], [0, np.cos(alpha), -np.sin(alpha)], [0, np.sin(alpha), np.cos(alpha)]]
    )
    about_z = np.array(
        [[np.cos(offset), -np.sin(offset), 0], [np.sin(offset), np.cos(offset), 0], [0, 0, 1]]
    )
    roll, pitch, yaw = _angles(turn @ about_z)
    parent = f"l{i}" if i else "base"
    xyz = " ".join(repr(float(value)) for value in place)
    transmission = (
        f'<transmission name="t{i + 1}"><joint name="j{i + 1}"/><actuator name="m{i + 1}">'
        f'<rotor_inertia value="{row["Jm"]}"/><gear_ratio value="{row["G"]}"/></actuator></transmission>'
    )
    return (
        f'<joint name="j{i + 1}" type="continuous"><parent link="{parent}"/><child link="l{i + 1}"/>'
        f'<origin xyz="{xyz}" rpy="{roll!r} {pitch!r} {yaw!r}"/><axis xyz="0 0 1"/></joint>{transmission}'
    )


def _angles(rotation: np.ndarray) -> tuple[float, float, float]:
    """Roll, pitch and yaw [rad] of a rotation without a pitch of a quarter turn."""
    roll = np.arctan2(rotation[2, 1], rotation[2, 2])
    pitch = np.arctan2(-rotation[2, 0], np.hypot(rotation[2, 1], rotation[2, 2]))
    yaw = np.arctan2(rotation[1, 0], rotation[0, 0])
    return float(roll), float(pitch), float(yaw)
