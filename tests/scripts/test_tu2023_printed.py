"""Equations (5) to (46) of tu2023, as printed and as they are right."""

import numpy as np
import pytest
from tu2023 import bodies, printed

from dynamics import load_arm, singularity_measures


def test_inverse_kinematics():
    assert set(printed.joint_errors()) == {"theta1", "theta2", "theta3", "theta4", "theta5"}
    assert max(printed.joint_errors().values()) < 1e-9


def test_theta6_has_one_branch():
    error, negative = printed.theta6()
    terms = printed.terms()
    np.testing.assert_allclose(
        terms["m2"] ** 2 + terms["n2"] ** 2, printed.poses().s[:, 4] ** 2, atol=1e-12
    )
    assert error < 1e-9
    assert 0.1 < negative < 0.9


def test_the_product_ends_with_joint_5():
    assert (
        printed.product_error(as_printed=False) < 1e-9 < 1 < printed.product_error(as_printed=True)
    )


def test_the_shoulder_s_condition_is_of_the_wrist_centre():
    """(26) is the square of the shoulder's measure, whose zero makes the arm singular."""
    arm, q = load_arm(printed.NAME), printed.poses().q
    along = singularity_measures(arm, q).shoulder
    terms, (_, d4, *_) = printed.terms(), printed.lengths()
    np.testing.assert_allclose(terms["m1"] ** 2 + terms["n1"] ** 2 - d4**2, along**2, atol=1e-9)


def test_the_elbow_is_singular_folded_too():
    (lost, value), (lost_folded, value_folded) = (
        printed.singular(kind) for kind in ("stretched", "folded")
    )
    assert max(lost, lost_folded) < 1e-9
    assert value < 1e-9
    assert value_folded > 0.1


def test_the_wrist_s_condition_is_of_joint_5():
    lost, value = printed.singular("wrist")
    assert lost < 1e-9
    assert value > 0.1


@pytest.mark.parametrize(("printed_ones", "wrong"), [((), False), ((35,), True), ((36,), True)])
def test_the_iterations(printed_ones, wrong):
    assert (printed.recursion_error(*printed_ones) > 1) == wrong
    assert wrong or printed.recursion_error() < 1e-9


def test_forward_dynamics():
    assert printed.forward_error() < 1e-8


def test_the_tensor_gives_the_momentum_of_the_points():
    """And one whose products have the other sign does not."""
    assert bodies.momentum_error() < 1e-12
    assert bodies.momentum_error(products=1.0) > 0.01


def test_a_sphere_s_and_a_rod_s_tensor():
    """(29), (30) of bodies whose moments are in every table: six points on the axes, and a rod along x."""
    axes = np.vstack([np.eye(3), -np.eye(3)])
    np.testing.assert_allclose(bodies.tensor(np.ones(6), axes), 4 * np.eye(3))
    rod = np.linspace(-1, 1, 2001)[:, None] * [1.0, 0.0, 0.0]
    np.testing.assert_allclose(
        bodies.tensor(np.full(2001, 1 / 2001), rod), np.diag([0, 1 / 3, 1 / 3]), atol=1e-3
    )


def test_the_tensors_are_about_the_centres_of_mass():
    """About the origin of frame 2 the mass of link 2 alone has more than the printed tensor."""
    link, alone, printed_one = bodies.least_about_the_frame()
    assert link == 2
    assert alone == pytest.approx(8.393 * (0.2125**2 + 0.11336**2))
    assert printed_one == 0.3564 < alone


def test_force_and_moment_are_the_sums_over_the_points():
    """And without ω × I ω the moment is not."""
    assert max(bodies.load_errors()) < 1e-12
    assert bodies.load_errors(gyroscopic=False)[1] > 1
