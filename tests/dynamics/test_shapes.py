"""Batches keep their leading dimensions; arrays that do not fit are refused by name."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

from dynamics import (
    coriolis_matrix,
    euler_lagrange,
    euler_lagrange_torque,
    forward_dynamics,
    forward_kinematics,
    gravity_torque,
    inverse_dynamics,
    inverse_dynamics_derivatives,
    jacobian,
    jacobian_determinant,
    kinetic_energy,
    linearize,
    link_frames,
    load_arm,
    manipulability,
    mass_matrix,
    near_singularities,
    potential_energy,
    power_balance,
    singular_values,
    singularity_measures,
    within_limits_turns,
)
from dynamics.energy import mass_matrix_derivatives

ARM = load_arm("ur5e")
ZERO, ONE, FIVE = np.zeros(6), np.ones(6), np.zeros(5)

OF_POSITION = {
    link_frames: (7, 4, 4),
    forward_kinematics: (4, 4),
    jacobian: (6, 6),
    jacobian_determinant: (),
    manipulability: (),
    singular_values: (6,),
    mass_matrix: (6, 6),
    mass_matrix_derivatives: (6, 6, 6),
    gravity_torque: (6,),
    potential_energy: (),
}
OF_MORE = {
    "singularity_measures": (lambda q: singularity_measures(ARM, q).wrist, ()),
    "near_singularities": (lambda q: near_singularities(ARM, q).shoulder, ()),
    "coriolis_matrix": (lambda q: coriolis_matrix(ARM, q, ONE), (6, 6)),
    "inverse_dynamics": (lambda q: inverse_dynamics(ARM, q, ONE, q, ONE), (6,)),
    "forward_dynamics": (lambda q: forward_dynamics(ARM, q, ONE, q, ONE), (6,)),
    "euler_lagrange, mass": (lambda q: euler_lagrange(ARM, q, ONE).mass_matrix, (6, 6)),
    "euler_lagrange, coriolis": (lambda q: euler_lagrange(ARM, q, ONE).coriolis_matrix, (6, 6)),
    "euler_lagrange, gravity": (lambda q: euler_lagrange(ARM, q, ONE).gravity_torque, (6,)),
    "euler_lagrange_torque": (lambda q: euler_lagrange_torque(ARM, q, ONE, q), (6,)),
    "kinetic_energy": (lambda q: kinetic_energy(ARM, q, ONE), ()),
    "power_balance": (lambda q: power_balance(ARM, q, ONE, ONE).motors, ()),
}
LEADS = pytest.mark.parametrize("lead", [(), (3,), (2, 3), (0,)], ids=str)

WRONG_POSITIONS = {
    "five joints": (FIVE, "q has the wrong shape"),
    "a column": (np.zeros((6, 1)), "q has the wrong shape"),
    "one number": (1.0, "q has the wrong shape"),
    "a word": ("six", "q must hold numbers"),
    "rows of two lengths": ([[0.0] * 6, [0.0] * 5], "q must hold numbers"),
}
WRONG = {
    "leads": (
        coriolis_matrix,
        (np.zeros((2, 6)), np.zeros((3, 6))),
        "leading dimensions do not fit",
    ),
    "qdd": (inverse_dynamics, (ZERO, ZERO, np.zeros(7)), "qdd has the wrong shape"),
    "wrench": (forward_dynamics, (ZERO, ZERO, ZERO, np.zeros(3)), "wrench has the wrong shape"),
    "wrenches": (forward_dynamics, (ZERO, ZERO, ZERO, np.zeros((2, 6))), "wrench does not fit"),
    "slopes": (inverse_dynamics_derivatives, (ZERO, FIVE, ZERO), "qd has the wrong shape"),
    "energy": (kinetic_energy, (ZERO, FIVE), "qd has the wrong shape"),
    "power": (power_balance, (ZERO, ZERO, ZERO, np.zeros(3)), "wrench has the wrong shape"),
    "terms": (euler_lagrange, (FIVE, FIVE), "q has the wrong shape"),
    "torque": (euler_lagrange_torque, (ZERO, ZERO, np.zeros((2, 5))), "qdd has the wrong shape"),
    "output": (linearize, (ZERO, ZERO, ZERO, np.ones((1, 6))), "output has the wrong shape"),
    "turns": (within_limits_turns, (FIVE, FIVE), "q has the wrong shape"),
}


def name_of(function):
    return function.__name__


@pytest.mark.kernel
@LEADS
@pytest.mark.parametrize("function", OF_POSITION, ids=name_of)
def test_leading_dimensions_of_positions_are_kept(function, lead):
    assert np.shape(function(ARM, np.full((*lead, 6), 0.3))) == (*lead, *OF_POSITION[function])


@pytest.mark.kernel
@LEADS
@pytest.mark.parametrize(("function", "shape"), OF_MORE.values(), ids=OF_MORE)
def test_leading_dimensions_are_kept(function, shape, lead):
    assert np.shape(function(np.full((*lead, 6), 0.3))) == (*lead, *shape)


@pytest.mark.parametrize(("q", "words"), WRONG_POSITIONS.values(), ids=WRONG_POSITIONS)
@pytest.mark.parametrize(
    "function", [*OF_POSITION, singularity_measures, near_singularities], ids=name_of
)
def test_wrong_joint_positions_are_bad_input(function, q, words):
    with refused(words):
        function(ARM, q)


@pytest.mark.parametrize(("function", "arguments", "words"), WRONG.values(), ids=WRONG)
def test_other_wrong_shapes_are_bad_input(function, arguments, words):
    with refused(words):
        function(ARM, *arguments)
