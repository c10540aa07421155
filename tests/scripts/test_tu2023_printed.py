"""Equations (5) to (46) of tu2023, as printed and as they are right."""

import numpy as np
import pytest
from tu2023 import printed

from dynamics import load_arm, singularity_measures


def test_inverse_kinematics():
    assert set(printed.joint_errors()) == {"theta1", "theta2", "theta3", "theta4", "theta5"}
    assert max(printed.joint_errors().values()) < 1e-9


def test_theta6_has_one_branch():
    error, negative = printed.theta6()
    terms = printed.terms()
    np.testing.assert_allclose(terms["m2"] ** 2 + terms["n2"] ** 2, printed.poses().s[:, 4] ** 2, atol=1e-12)
    assert error < 1e-9
    assert 0.1 < negative < 0.9


def test_the_product_ends_with_joint_5():
    assert printed.product_error(as_printed=False) < 1e-9 < 1 < printed.product_error(as_printed=True)


def test_the_shoulder_s_condition_is_of_the_wrist_centre():
    """(26) is the square of the shoulder's measure, whose zero makes the arm singular."""
    arm, q = load_arm(printed.NAME), printed.poses().q
    along = singularity_measures(arm, q).shoulder
    terms, (_, d4, *_) = printed.terms(), printed.lengths()
    np.testing.assert_allclose(terms["m1"] ** 2 + terms["n1"] ** 2 - d4**2, along**2, atol=1e-9)


def test_the_elbow_is_singular_folded_too():
    (lost, value), (lost_folded, value_folded) = (printed.singular(kind) for kind in ("stretched", "folded"))
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
