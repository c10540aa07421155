"""Independent models of an arm: Pinocchio, MuJoCo, energies, and a Runge-Kutta loop.

Both models are built from the numbers of an ``Arm`` and from nothing else of the package, each with
other frames: Pinocchio's bodies sit in the joint frames (before the link's offset), MuJoCo's in the
Denavit-Hartenberg frames. Reflected rotor inertia is ``armature`` in both.

The set ``ur5_ragazzon2012_as_printed`` is not a rigid arm: its equations of motion drop two offsets
that its kinematics have. So each model comes in two kinds, ``"dynamics"`` (from
``dynamics_offset``) and ``"kinematics"`` (from the Denavit-Hartenberg rows). They are the same
model for every other set.
"""

from __future__ import annotations

import math
from types import SimpleNamespace

import mujoco
import numpy as np
import pinocchio as pin

from dynamics import Arm, link_frames
from dynamics.forward import accelerate
from dynamics.kernels.decorators import kernel
from dynamics.kinematics import update_frames
from dynamics.work import make_work

TINY = 1e-9  # stands in for a zero mass or tensor while MuJoCo compiles, then is set back to zero


def random_states(n: int, count: int, seed: int) -> SimpleNamespace:
    """Joint states, accelerations, torques and tool wrenches of a working arm, (count, n) and (count, 6)."""
    rng = np.random.default_rng(seed)
    return SimpleNamespace(
        q=rng.uniform(-math.pi, math.pi, (count, n)),
        qd=rng.uniform(-3, 3, (count, n)),
        qdd=rng.uniform(-10, 10, (count, n)),
        tau=rng.uniform(-50, 50, (count, n)),
        wrench=rng.uniform(-1, 1, (count, 6)) * [50, 50, 50, 5, 5, 5],
    )


def random_tool(seed: int = 7) -> np.ndarray:
    """A tool frame that is turned and displaced about every axis, (4, 4)."""
    rng = np.random.default_rng(seed)
    return pin.exp6(pin.Motion(rng.uniform(-0.5, 0.5, 6))).homogeneous


def largest_relative_error(found: np.ndarray, expected: np.ndarray) -> float:
    """Largest error over the states (first dimension), each relative to the largest entry of its state."""
    count = len(expected)
    error = np.abs(np.asarray(found) - expected).reshape(count, -1).max(1)
    return float((error / np.abs(expected).reshape(count, -1).max(1)).max())


# --- Pinocchio
# ---------------------------------------------------------------------------------------


def pinocchio_model(arm: Arm, kind: str = "dynamics") -> tuple[pin.Model, pin.Data]:
    """Model with one revolute joint about z per row of the arm, and a frame ``tool``."""
    model = pin.Model()
    model.gravity.linear = np.array(arm.gravity)
    # from the parent's joint frame to Denavit-Hartenberg frame i - 1
    parent, after = (0, pin.SE3.Identity())
    for i in range(len(arm.dh)):
        turned = pin.SE3(pin.utils.rotate("z", arm.dh[i, 0]), np.zeros(3))
        parent = model.addJoint(parent, pin.JointModelRZ(), after * turned, f"joint{i + 1}")
        after = _after_joint(arm, i, kind)
        body = pin.Inertia(arm.mass[i], np.array(arm.center_of_mass[i]), np.array(arm.inertia[i]))
        model.appendBodyToJoint(parent, body, after)
    model.addFrame(pin.Frame("tool", parent, 0, after * pin.SE3(arm.tool), pin.FrameType.OP_FRAME))
    model.armature = np.array(arm.rotor_inertia)
    return model, model.createData()


def _after_joint(arm: Arm, i: int, kind: str) -> pin.SE3:
    _, d, a, alpha = arm.dh[i]
    rotation = pin.utils.rotate("x", alpha)
    offset = np.array([a, 0.0, d]) if kind == "kinematics" else rotation @ arm.dynamics_offset[i]
    return pin.SE3(rotation, offset)


def over_states(function, *arrays: np.ndarray) -> np.ndarray:
    """Results of ``function`` for each row of the arrays, stacked."""
    return np.array([np.array(function(*rows)) for rows in zip(*arrays, strict=True)])


def pinocchio_jacobian(arm: Arm, q: np.ndarray) -> np.ndarray:
    """(count, 6, n) [linear; angular] at the tool point, base axes."""
    model, data = pinocchio_model(arm, "kinematics")
    tool = model.getFrameId("tool")
    columns = over_states(
        lambda x: pin.computeFrameJacobian(model, data, x, tool, pin.LOCAL_WORLD_ALIGNED), q
    )
    return columns.reshape(len(q), 6, -1)  # Pinocchio hands out a single column as a row


# --- MuJoCo
# ------------------------------------------------------------------------------------------


def mujoco_model(
    arm: Arm, kind: str = "dynamics", beyond: str = "", sensors: str = ""
) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """Model with one hinge per row of the arm and a site ``tool``; no contact, no damping, no limits.

    MuJoCo's compiler refuses moving bodies without mass or inertia. Where the arm has zeros (links
    3 and 5 of the as-printed set, the point masses of ``ur5_controller``) it gets ``TINY``, and the
    compiled model is set back to zero: its algorithms need no more than a regular mass matrix.
    ``beyond``: MJCF of what is fixed to the flange; ``sensors``: of the sensors.
    """
    bodies = "".join(_mujoco_body(arm, i, kind) for i in range(len(arm.dh)))
    tool = (
        f'<site name="tool" pos="{_text(arm.tool[:3, 3])}" quat="{_quaternion(arm.tool[:3, :3])}"/>'
    )
    xml = f"""<mujoco><compiler angle="radian" autolimits="false" balanceinertia="false"/>
        <option gravity="{_text(arm.gravity)}"><flag contact="disable" constraint="disable"/></option>
        <worldbody>{bodies}{tool}{beyond}{"</body>" * len(arm.dh)}</worldbody>
        <sensor>{sensors}</sensor></mujoco>"""
    model = mujoco.MjModel.from_xml_string(xml)
    for i in range(len(arm.dh)):
        if arm.mass[i] == 0:
            model.body_mass[i + 1] = 0
        if not arm.inertia[i].any():
            model.body_inertia[i + 1] = 0
    data = mujoco.MjData(model)
    mujoco.mj_setConst(model, data)
    return model, data


def _mujoco_body(arm: Arm, i: int, kind: str) -> str:
    theta, d, a, alpha = arm.dh[i]
    rotation = pin.utils.rotate("z", theta) @ pin.utils.rotate("x", alpha)
    along = pin.utils.rotate("x", -alpha)  # axes before the twist, seen from frame i
    offset = along @ [a, 0, d] if kind == "kinematics" else arm.dynamics_offset[i]
    tensor = arm.inertia[i] if arm.inertia[i].any() else TINY * np.eye(3)
    full = [*np.diag(tensor), tensor[0, 1], tensor[0, 2], tensor[1, 2]]
    return f"""<body name="link{i + 1}" pos="{_text(rotation @ offset)}" quat="{_quaternion(rotation)}">
        <joint type="hinge" axis="{_text(along @ [0, 0, 1])}" pos="{_text(-np.asarray(offset))}"
               armature="{_text([arm.rotor_inertia[i]])}"/>
        <inertial mass="{_text([arm.mass[i] or TINY])}" pos="{_text(arm.center_of_mass[i])}"
                  fullinertia="{_text(full)}"/>"""


def _text(values) -> str:
    return " ".join(repr(float(v)) for v in values)


def _quaternion(rotation: np.ndarray) -> str:
    x, y, z, w = pin.Quaternion(rotation).coeffs()
    return _text([w, x, y, z])


# --- energies
# ----------------------------------------------------------------------------------------


def potential_energy(arm: Arm, q: np.ndarray) -> np.ndarray:
    """(...) potential energy [J], of the chain that the equations of motion describe."""
    frames = link_frames(arm._replace(offset=arm.dynamics_offset), q)[..., 1:, :, :]
    centers = frames[..., :3, 3] + np.einsum(
        "...nij,nj->...ni", frames[..., :3, :3], arm.center_of_mass
    )
    return -np.einsum("n,...ni,i->...", arm.mass, centers, arm.gravity)


_LOWEST: dict[bytes, float] = {}  # by all numbers of an arm


def lowest_potential_energy(arm: Arm) -> float:
    """Smallest potential energy over all joint angles [J]."""
    from scipy.optimize import minimize

    key = arm.dh.base.tobytes()
    if key not in _LOWEST:
        starts = np.random.default_rng(3).uniform(-math.pi, math.pi, (20, len(arm.dh)))
        ends = [
            minimize(lambda q: float(potential_energy(arm, q)), start, tol=1e-12)
            for start in starts
        ]
        _LOWEST[key] = min(end.fun for end in ends)
    return _LOWEST[key]


@kernel
def _runge_kutta(arm, q, qd, tau, step, count, work):
    n = q.size
    rates, accelerations = np.zeros((4, n)), np.zeros((4, n))
    for _ in range(count):
        for stage in range(4):
            share = (0.0, 0.5, 0.5, 1.0)[stage] * step
            before = max(stage - 1, 0)
            rates[stage] = qd + share * accelerations[before]
            update_frames(arm, q + share * rates[before], work)
            accelerate(arm, rates[stage], tau, work, accelerations[stage])
        q += step / 6 * (rates[0] + 2 * rates[1] + 2 * rates[2] + rates[3])
        qd += (
            step
            / 6
            * (accelerations[0] + 2 * accelerations[1] + 2 * accelerations[2] + accelerations[3])
        )


def runge_kutta(
    arm: Arm, q: np.ndarray, qd: np.ndarray, tau: np.ndarray, step: float, duration: float
):
    """State (q, qd) after ``duration`` under constant torque, classical fourth order."""
    q, qd = np.array(q, dtype=float), np.array(qd, dtype=float)
    _runge_kutta(
        arm, q, qd, np.array(tau, dtype=float), step, round(duration / step), make_work(q.size)
    )
    return q, qd
