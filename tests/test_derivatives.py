"""Derivatives of the dynamics against differences, a complex step, Pinocchio and their own laws."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from oracles import largest_relative_error, pinocchio_model, random_states
from test_arms import chain  # noqa: F401

from dynamics import (
    BadInput,
    coriolis_matrix,
    forward_dynamics,
    gravity_torque,
    inverse_dynamics,
    list_arms,
    load_arm,
    mass_matrix,
)
from dynamics.derivatives import forward_dynamics_derivatives, inverse_dynamics_derivatives
