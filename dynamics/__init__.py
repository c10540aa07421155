"""The arm, and nothing but the arm: parameters, kinematics and dynamics of serial revolute arms."""

from dynamics.arm import Arm, list_arms, load_arm, with_dynamics, with_payload, with_tool
from dynamics.coriolis import coriolis_matrix
from dynamics.errors import BadInput, HopfieldNavError, NoClosedForm
from dynamics.forward_dynamics import forward_dynamics
from dynamics.kinematics import forward_kinematics, jacobian, link_frames
from dynamics.mass_matrix import mass_matrix
from dynamics.newton_euler import gravity_torque, inverse_dynamics

__all__ = [
    "Arm",
    "BadInput",
    "HopfieldNavError",
    "NoClosedForm",
    "coriolis_matrix",
    "forward_dynamics",
    "forward_kinematics",
    "gravity_torque",
    "inverse_dynamics",
    "jacobian",
    "link_frames",
    "list_arms",
    "load_arm",
    "mass_matrix",
    "with_dynamics",
    "with_payload",
    "with_tool",
]
