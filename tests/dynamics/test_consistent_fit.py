"""Physically consistent parameters: real bodies, near the estimate and, where it is silent, the given arm."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from consistency import smallest_eigenvalue
from madsen2020.cad_error import cad_error
from refusals import refused

from dynamics import load_arm, mass_matrix
from dynamics.identification import base_parameters, consistent, consistent_fit, parameters_of

ARM = load_arm("ur5e")


@pytest.fixture(scope="module")
def base():
    return base_parameters(ARM)


@pytest.fixture(scope="module")
def true(base):
    return base.of(ARM)


def test_the_given_arm_comes_back_where_it_is_right(base, true):
    fit = consistent_fit(ARM, base, true, np.eye(36) * 100)
    np.testing.assert_allclose(parameters_of(fit.arm), parameters_of(ARM), atol=2e-3)
    assert fit.distance < 0.01


def test_estimate_is_kept_and_the_rest_stays_near_the_given_arm(base, true):
    cad = cad_error(ARM, 0.1, np.random.default_rng(0))
    fit = consistent_fit(cad, base, true, np.eye(36) * 1000)
    np.testing.assert_allclose(fit.base, true, atol=1e-3)
    assert smallest_eigenvalue(fit.arm) > 0
    nearest = np.linalg.norm(parameters_of(fit.arm) - parameters_of(cad))
    # the truth is one of those allowed
    assert nearest < np.linalg.norm(parameters_of(ARM) - parameters_of(cad))


def test_where_the_numbers_are_scaled_for_the_solver_the_fit_does_not_jump(base, true, monkeypatch):
    cad = cad_error(ARM, 0.1, np.random.default_rng(0))
    values = true + np.random.default_rng(1).normal(size=36) / 1000
    fits = []
    for largest in (1e9, 100.0):  # nothing is scaled; most is
        monkeypatch.setattr(consistent, "_LARGEST_FACTOR", largest)
        fits.append(parameters_of(consistent_fit(cad, base, values, np.eye(36) * 1000).arm))
    assert np.linalg.norm(fits[0] - parameters_of(cad)) > 1.0
    np.testing.assert_allclose(fits[0], fits[1], atol=5e-3)


def test_impossible_estimate_becomes_possible(base, true):
    """A negative ZZ6: no body has it, and a mass matrix made of it is not positive."""
    values = true.copy()
    values[base.names.index("ZZ6")] = -0.01
    fit = consistent_fit(ARM, base, values, np.eye(36) * 100)
    assert smallest_eigenvalue(fit.arm) > 0
    assert fit.base[base.names.index("ZZ6")] > 0
    assert fit.distance > 0.9  # 0.01 at 100 a unit is one deviation
    rng = np.random.default_rng(1)
    for q in rng.uniform(-np.pi, np.pi, (50, 6)):
        assert np.linalg.eigvalsh(mass_matrix(fit.arm, q))[0] > 0


def test_rotors_and_friction_go_along():
    arm = ARM._replace(rotor_inertia=np.full(6, 0.5))
    base = base_parameters(arm, rotor=True)
    values = np.concatenate([base.of(arm), [3.0, -1.0]])
    values[list(base.names).index("IA5")] = -0.2
    fit = consistent_fit(arm, base, values, np.eye(42) * 50)
    assert fit.arm.rotor_inertia.min() >= 0
    assert fit.arm.rotor_inertia[4] < 1e-3
    np.testing.assert_allclose(fit.friction, [3.0, -1.0], atol=1e-3)


def test_without_the_solver_one_line_says_what_to_install(base, true, monkeypatch):
    monkeypatch.setitem(sys.modules, "cvxpy", None)
    with refused(r"hopfield-nav\[identify\]"):
        consistent_fit(ARM, base, true, np.eye(36))


def test_shapes_that_do_not_fit_are_refused(base, true):
    with refused("do not fit"):
        consistent_fit(ARM, base, true[:-1], np.eye(35))
