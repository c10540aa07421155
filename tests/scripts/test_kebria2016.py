"""Symbolic equations of motion, and Routh's array, against what is known of them."""

import numpy as np
import pytest
from kebria2016 import stability, symbolic

from dynamics import load_arm
from dynamics.files import arm_from_dict


def planar_arm(lengths=(0.5, 0.3), masses=(2.0, 1.5)):
    """Two parallel horizontal axes; point masses at the ends of links that swing in a vertical plane."""
    joints = [{"d": 0, "a": length, "alpha": 0, "source": "made up"} for length in lengths]
    links = [
        {
            "mass": m,
            "center_of_mass": [0, 0, 0],
            "inertia": np.zeros((3, 3)).tolist(),
            "source": "made up",
        }
        for m in masses
    ]
    return arm_from_dict({"joints": joints, "links": links})._replace(
        gravity=np.array([0.0, -9.81, 0.0])
    )


def test_a_planar_arm_has_the_equations_of_the_textbook():
    (a1, a2), (m1, m2) = (0.5, 0.3), (2.0, 1.5)
    found = symbolic.equations(planar_arm())
    q, qd = np.random.default_rng(0).uniform(-2, 2, (2, 50, 2))
    c2, s2 = np.cos(q[:, 1]), np.sin(q[:, 1])
    of = lambda p: symbolic.value(p, q, qd)  # noqa: E731
    M, C, g = found
    np.testing.assert_allclose(
        of(M[0][0]), m1 * a1**2 + m2 * (a1**2 + 2 * a1 * a2 * c2 + a2**2), rtol=1e-14
    )
    np.testing.assert_allclose(of(M[0][1]), m2 * (a1 * a2 * c2 + a2**2), rtol=1e-14)
    np.testing.assert_allclose(of(M[1][1]), m2 * a2**2, rtol=1e-14)
    np.testing.assert_allclose(of(C[0][0]), -m2 * a1 * a2 * s2 * qd[:, 1], atol=1e-14)
    np.testing.assert_allclose(of(C[1][0]), m2 * a1 * a2 * s2 * qd[:, 0], atol=1e-14)
    assert C[1][1] == 0
    weight = 9.81 * m2 * a2 * np.cos(q.sum(axis=1))
    np.testing.assert_allclose(of(g[1]), weight, atol=1e-14)
    np.testing.assert_allclose(
        of(g[0]), 9.81 * (m1 + m2) * a1 * np.cos(q[:, 0]) + weight, atol=1e-14
    )


def test_expressions_are_the_numeric_arm():
    found, arm = symbolic.of_the_arm(), load_arm(symbolic.NAME)
    assert symbolic.largest_difference(found, arm) < 1e-12
    heavier = arm._replace(mass=arm.mass * 1.001)
    assert symbolic.largest_difference(found, heavier) > 1e-3


def test_no_expression_knows_joint_1():
    """It turns about the vertical, so neither energy depends on it."""
    found, (c1, s1) = symbolic.of_the_arm(), (0, 6)
    entries = [*found.gravity_torque, *(p for row in found.mass_matrix for p in row)]
    assert not any(powers[c1] or powers[s1] for p in entries for powers in p.monoms())


@pytest.mark.parametrize(
    ("coefficients", "column"),
    [([1, 10, 10], [1, 10, 10]), ([1, 2, 3, 4], [1, 2, 1, 4]), ([1, 1, 2, 8], [1, 1, -6, 8])],
)
def test_routh_of_known_polynomials(coefficients, column):
    np.testing.assert_allclose(stability.routh_column(coefficients), column)


@pytest.mark.parametrize("order", [2, 3, 4, 5])
def test_routh_counts_the_poles(order):
    """Of random polynomials of any order, and of the error equation of the ledger."""
    for coefficients in np.random.default_rng(order).normal(size=(200, order + 1)):
        assert stability.right_half(coefficients) == (np.roots(coefficients).real > 0).sum()
    assert stability.agreeing(500) == 500
    assert stability.right_half([1, stability.GAIN, stability.GAIN]) == 0
