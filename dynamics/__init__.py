"""The arm, and nothing but the arm: parameters, kinematics and dynamics of serial revolute arms."""

from dynamics.arm import Arm, list_arms, load_arm, with_dynamics, with_payload, with_tool
from dynamics.closed_form_position import closed_form_position
from dynamics.coriolis import coriolis_matrix
from dynamics.derivatives import forward_dynamics_derivatives, inverse_dynamics_derivatives
from dynamics.differential_inverse_kinematics import differential_inverse_kinematics
from dynamics.energy import kinetic_energy, potential_energy, power_balance
from dynamics.errors import BadInput, HopfieldNavError, NoClosedForm
from dynamics.euler_lagrange import euler_lagrange, euler_lagrange_torque
from dynamics.forward_dynamics import forward_dynamics
from dynamics.inverse_kinematics import inverse_kinematics, inverse_kinematics_branches
from dynamics.joint_friction import joint_friction_torque
from dynamics.joint_path import JointPath, follow_path, within_limits_turns
from dynamics.kinematics import forward_kinematics, jacobian, link_frames
from dynamics.linearization import LinearModel, closed_loop_matrix, linearize, moving_linearization
from dynamics.mass_matrix import mass_matrix
from dynamics.model_comparison import OperatingPoints, compare_all, compare_torques, random_operating_points
from dynamics.newton_euler import gravity_torque, inverse_dynamics
from dynamics.numeric_inverse_kinematics import NumericSolution, numeric_inverse_kinematics
from dynamics.singularities import (
    jacobian_determinant,
    manipulability,
    near_singularities,
    singular_values,
    singularity_measures,
)
from dynamics.ur_type import has_closed_form

__all__ = [
    "Arm",
    "BadInput",
    "HopfieldNavError",
    "JointPath",
    "LinearModel",
    "NoClosedForm",
    "NumericSolution",
    "OperatingPoints",
    "closed_form_position",
    "closed_loop_matrix",
    "compare_all",
    "compare_torques",
    "coriolis_matrix",
    "differential_inverse_kinematics",
    "euler_lagrange",
    "euler_lagrange_torque",
    "follow_path",
    "forward_dynamics",
    "forward_dynamics_derivatives",
    "forward_kinematics",
    "gravity_torque",
    "has_closed_form",
    "inverse_dynamics",
    "inverse_dynamics_derivatives",
    "inverse_kinematics",
    "inverse_kinematics_branches",
    "jacobian",
    "jacobian_determinant",
    "joint_friction_torque",
    "kinetic_energy",
    "linearize",
    "link_frames",
    "list_arms",
    "load_arm",
    "manipulability",
    "mass_matrix",
    "moving_linearization",
    "near_singularities",
    "numeric_inverse_kinematics",
    "potential_energy",
    "power_balance",
    "random_operating_points",
    "singular_values",
    "singularity_measures",
    "with_dynamics",
    "with_payload",
    "with_tool",
    "within_limits_turns",
]
