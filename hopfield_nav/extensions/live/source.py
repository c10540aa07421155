"""What the simulated arm, or a recording, tells a client: a value of every field for every row.

Signals that the log has are told as they are. Pose and speed of the tool, which a log may lack, are
those of the arm's kinematics; fields of which neither knows anything are zero, or what a healthy
arm says.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dynamics import Arm, BadInput, forward_kinematics, inverse_dynamics, jacobian
from dynamics.files import whole_file
from hopfield_nav.build import build_arm
from hopfield_nav.extensions.live.recipe import (
    FIELDS,
    JOINT_RUNNING,
    NORMAL,
    PLAYING,
    RUNNING,
    TYPES,
)
from hopfield_nav.extensions.recordings import JOINT_COLUMNS, MOTOR_CONSTANT, signals_of_run

if TYPE_CHECKING:
    import xarray

    from hopfield_nav.record import Run

JOINTS = 6  # that the protocol knows
RATES = {"ur5e": 500.0}  # [Hz] of a controller, by the arm's name; 125 of all others
RATE = 125.0
_HEALTHY = {  # what an arm says of itself while it moves and all is well
    "robot_mode": RUNNING, "safety_mode": NORMAL, "safety_status": NORMAL, "runtime_state": PLAYING,
    "joint_mode": JOINT_RUNNING, "robot_status_bits": 3, "safety_status_bits": 1, "speed_scaling": 1.0,
    "target_speed_fraction": 1.0,
}  # fmt: skip


@dataclass(frozen=True)
class Source:
    """Rows of a log, ready to be told."""

    name: str  # of the log
    time: np.ndarray  # (k,) [s], from 0
    moving: dict[str, np.ndarray]  # values (k, width) of the fields that the log or kinematics give
    still: dict[str, np.ndarray]  # value (width,) of every other field
    # of the controller that it plays: its major number decides what clients ask for
    version: tuple[int, int, int, int]
    rate: float  # rows a second [Hz]

    def values(self, k: int) -> dict[str, np.ndarray]:
        """The value of every field in row ``k``."""
        return self.still | {name: table[k] for name, table in self.moving.items()}


def source_of_recording(data: "xarray.Dataset", arm: Arm) -> Source:
    """A recording of ``load_recording``.

    ``arm`` gives the tool's pose and speed where they are not in it.

    Raises ``BadInput``: other than six joints, or fewer than two rows.
    """
    told = {field: data[name].values for name, field in JOINT_COLUMNS.items() if name in data}
    if "force_estimate" in data:
        told["actual_TCP_force"] = np.hstack(
            [data.force_estimate.values, data.moment_estimate.values]
        )
    if "force_sensor" in data:
        sensor = np.hstack([data.force_sensor.values, data.moment_sensor.values])
        told["ft_raw_wrench"] = np.nan_to_num(sensor)
    return _telling(str(data.attrs.get("title", "recording")), data.time.values, told, arm)


def source_of_run(run: "Run", rate: float | None = None) -> Source:
    """A simulated run at ``rate`` [Hz], or the next lower that its periods allow.

    None: that of the arm's controller. Currents are the torques over ``MOTOR_CONSTANT``; the
    model's torque is that of the world's arm at the reference.

    Raises ``BadInput``: as ``signals_of_run``, or as ``source_of_recording``.
    """
    signals, arm = signals_of_run(run), build_arm(run.world)
    rate = rate or RATES.get(run.world.arm, RATE)
    period = run.world.controller.period
    stride = max(1, int(np.ceil(1.0 / (rate * period) - 1e-9)))
    rows = slice(None, None, stride)
    time, q, qd, q_ref, qd_ref, qdd_ref, tau, _ = (values[rows] for values in signals)
    wanted = inverse_dynamics(arm, q_ref, qd_ref, qdd_ref)
    # rows of the record a period
    logged = round(period / (run.world.plant.step * run.world.record.every))
    belief = run.data.isel(time=slice(None, None, logged * stride))
    force = np.hstack([belief.force_estimate.values, belief.moment_estimate.values])
    told = {
        "actual_q": q, "actual_qd": qd, "target_q": q_ref, "target_qd": qd_ref, "target_qdd": qdd_ref,
        "actual_current": tau / MOTOR_CONSTANT, "target_current": wanted / MOTOR_CONSTANT,
        "target_moment": wanted, "actual_TCP_force": force,
    }  # fmt: skip
    return _telling(f"run of {run.world.name}", time, told, arm)


def _telling(name: str, time: np.ndarray, told: dict[str, np.ndarray], arm: Arm) -> Source:
    if len(arm.dh) != JOINTS or told["actual_q"].shape[1] != JOINTS:
        raise BadInput(
            "another number of joints", where=name, found=len(arm.dh), allowed=str(JOINTS)
        )
    if len(time) < 2:
        raise BadInput(
            "nothing to tell", where=name, found=f"{len(time)} rows", allowed="2 rows or more"
        )
    for end in ("actual", "target"):
        if f"{end}_q" in told:
            told[f"{end}_TCP_pose"] = tool_pose(arm, told[f"{end}_q"])
        if f"{end}_q" in told and f"{end}_qd" in told:
            speed = jacobian(arm, told[f"{end}_q"]) @ told[f"{end}_qd"][..., None]
            told[f"{end}_TCP_speed"] = speed[..., 0]
    told["timestamp"] = time[:, None]
    still = {
        field: np.full(TYPES[kind][1], float(_HEALTHY.get(field, 0.0)))
        for field, kind in FIELDS.items()
        if field not in told
    }
    rate = 1.0 / float(np.median(np.diff(time)))
    version = (5, 11, 0, 0) if rate > 1.01 * RATE else (3, 15, 0, 0)
    return Source(name, time, told, still, version, rate)


def tool_pose(arm: Arm, q: np.ndarray) -> np.ndarray:
    """Position [m] and rotation vector [rad] (k, 6) of the tool at ``q`` (k, n) [rad]."""
    from scipy.spatial.transform import Rotation

    pose = forward_kinematics(arm, q)
    return np.hstack([pose[:, :3, 3], Rotation.from_matrix(pose[:, :3, :3]).as_rotvec()])


def export_rtde(run: "Run", path: Path) -> Path:
    """Write a run as the recorder of ur_rtde writes an arm's state.

    A head, then a line for each row. Rows come at the rate of the arm's controller, currents are
    the torques over ``MOTOR_CONSTANT``.

    Raises ``BadInput``: as ``source_of_run``; ``OSError``: it cannot be written.
    """
    told = source_of_run(run)
    names = ["timestamp", *sorted(name for name in told.moving if name != "timestamp")]
    heads = [
        f"{n}_{k}" if n != "timestamp" else n for n in names for k in range(told.moving[n].shape[1])
    ]
    table = np.hstack([told.moving[name] for name in names])
    with whole_file(path) as partial:
        lines = [",".join(heads), *(",".join(map(repr, row)) for row in table.tolist())]
        partial.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
