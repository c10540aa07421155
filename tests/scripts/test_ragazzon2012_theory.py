"""The formulas of chapters 3 to 6, as printed and as they are right."""

import numpy as np
import pytest
from ragazzon2012 import closed_loop, derivations, lyapunov
from ragazzon2012.equations import skew_error, states

from dynamics import load_arm, potential_energy

ARM = load_arm("ur5_ragazzon2012")


def test_table_3_1():
    np.testing.assert_allclose(ARM.dh[:, 3], derivations.TWISTS, atol=1e-12)
    np.testing.assert_allclose(ARM.dh[1:3, 2], ARM.offset[1:3, 0], atol=1e-12)


def test_the_potential_as_printed_has_the_other_sign():
    q, _ = states()
    printed = derivations.printed_potential(ARM, q)
    ours = potential_energy(ARM, q)
    np.testing.assert_allclose(printed - printed[0], -(ours - ours[0]), atol=1e-9)


def test_the_third_term_of_the_christoffel_symbols_has_a_minus():
    q, qd = states()
    plus, minus = (
        skew_error(ARM, q, qd, derivations.christoffel(ARM, q, qd, sign)) for sign in (1.0, -1.0)
    )
    assert plus > 0.1
    assert minus < 1e-6


def test_the_recursions():
    assert derivations.largest_recursion_error(as_printed=False) < 1e-10
    assert derivations.largest_recursion_error(as_printed=True) > 10


def test_the_loop_is_decoupled():
    assert closed_loop.largest_difference(with_force=False) < 1e-10
    assert closed_loop.coupling() < 1e-10


def test_a_force_adds_its_acceleration():
    assert closed_loop.largest_difference(with_force=True) < 1e-10
    found, _ = closed_loop.accelerations(with_force=True)
    without, _ = closed_loop.accelerations(with_force=False)
    assert np.abs(found - without).max() > 10


def test_the_settled_estimate_is_exact():
    assert closed_loop.errors(closed_loop.NAME)["M(q)"].max() < 1e-9


def test_the_mass_matrix_beats_constants():
    for name in closed_loop.ARMS:
        found = closed_loop.errors(name)
        assert np.median(found["M(q)"]) < 1e-9 < 0.05 < np.median(found["constants"])


def test_the_lyapunov_function_as_printed_rises():
    rises, _, total = lyapunov.sweeps(1.0)
    assert rises > 0.9 * total > 100
    assert lyapunov.sweeps(-1.0)[0] == 0


def test_the_lyapunov_function_as_printed_rises_from_the_zero_state_and_hardly_ever_from_others():
    """From a random state the sweeps mostly take activation away, and both terms fall."""
    rises, _, total = lyapunov.sweeps(1.0, random=True)
    assert rises < 0.01 * total
    assert total > 100
    assert lyapunov.sweeps(-1.0, random=True)[0] == 0


def test_the_bound_of_a_sweep():
    assert lyapunov.sweeps(-1.0)[1] == 0
    assert lyapunov.sweeps(1.0)[1] > 0


def test_one_equilibrium():
    rest, apart = lyapunov.converged(0.99)
    assert rest == lyapunov.MAPS
    assert apart < 1e-9


def test_the_hessian_is_bounded_from_below():
    assert lyapunov.least_slope() == pytest.approx(1.0)
