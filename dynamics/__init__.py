"""The arm, and nothing but the arm: parameters, kinematics and dynamics of serial revolute arms."""

from dynamics.arm import Arm, list_arms, load_arm, with_dynamics, with_payload, with_tool
from dynamics.coriolis import coriolis_matrix
from dynamics.errors import BadInput, HopfieldNavError, NoClosedForm
from dynamics.forward_dynamics import forward_dynamics
from dynamics.inverse_kinematics import inverse_kinematics, inverse_kinematics_branches
from dynamics.joint_path import JointPath, follow_path, within_limits_turns
from dynamics.kinematics import forward_kinematics, jacobian, link_frames
from dynamics.mass_matrix import mass_matrix
from dynamics.model_comparison import OperatingPoints, compare_all, compare_torques, random_operating_points
from dynamics.newton_euler import gravity_torque, inverse_dynamics
from dynamics.numeric_inverse_kinematics import NumericSolution, numeric_inverse_kinematics
from dynamics.ur_type import has_closed_form

__all__ = [
    "Arm",
    "BadInput",
    "HopfieldNavError",
    "JointPath",
    "NoClosedForm",
    "NumericSolution",
    "OperatingPoints",
    "compare_all",
    "compare_torques",
    "coriolis_matrix",
    "follow_path",
    "forward_dynamics",
    "forward_kinematics",
    "gravity_torque",
    "has_closed_form",
    "inverse_dynamics",
    "inverse_kinematics",
    "inverse_kinematics_branches",
    "jacobian",
    "link_frames",
    "list_arms",
    "load_arm",
    "mass_matrix",
    "numeric_inverse_kinematics",
    "random_operating_points",
    "with_dynamics",
    "with_payload",
    "with_tool",
    "within_limits_turns",
]
