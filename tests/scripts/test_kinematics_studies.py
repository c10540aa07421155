"""The measurements behind the ledger's rows on kinematics and on the two formulations."""

import numpy as np
import pytest
from kebria2016 import euler_lagrange as formulations
from kebria2016 import kinematics as kebria
from nowoczyn2023 import numeric_kinematics as steps
from tu2023 import cost, kinematics_figures
from tu2023 import kinematics as tu

from dynamics import (
    BadInput,
    NoClosedForm,
    closed_form_position,
    forward_kinematics,
    load_arm,
    with_tool,
)

# --- the flange's position written out
# ----------------------------------------------------------------


def test_closed_form_position_is_the_product_of_transformations(arm):
    q = kebria.positions(1000)
    np.testing.assert_allclose(
        closed_form_position(arm, q), forward_kinematics(arm, q)[:, :3, 3], rtol=0, atol=1e-15
    )
    moved = np.eye(4)
    moved[2, 3] = 0.1
    np.testing.assert_array_equal(
        closed_form_position(with_tool(arm, moved), q), closed_form_position(arm, q)
    )


@pytest.mark.parametrize("lead", [(), (3,), (2, 3), (0,)])
def test_closed_form_position_keeps_leading_dimensions(lead):
    assert closed_form_position(load_arm("ur5e"), np.zeros((*lead, 6))).shape == (*lead, 3)


def test_closed_form_position_refuses():
    arm = load_arm("ur5e")
    with pytest.raises(BadInput):
        closed_form_position(arm, np.zeros(5))
    with pytest.raises(NoClosedForm):
        closed_form_position(formulations.chain(6), np.zeros(6))


def test_printed_positions():
    """(2) lacks s5: right where s5 = 1, off by up to twice d6 elsewhere, and p_z is right."""
    arm, q = load_arm(kebria.NAME), kebria.positions(5000)
    right = forward_kinematics(arm, q)[:, :3, 3]
    printed = kebria.printed_position(arm, q)
    np.testing.assert_allclose(printed[:, 2], right[:, 2], atol=1e-15)
    worst, corrected = kebria.position_errors()
    assert worst == pytest.approx(2 * 0.0823, rel=0.02)
    assert corrected < 1e-14
    q[:, 4] = np.pi / 2
    np.testing.assert_allclose(
        kebria.printed_position(arm, q), forward_kinematics(arm, q)[:, :3, 3], atol=1e-14
    )


def test_printed_positions_term_by_term():
    """(2) typed out once more, from the document."""
    arm, q = load_arm(kebria.NAME), kebria.positions(100)
    (d1, _, _, d4, d5, d6), (a2, a3) = arm.dh[:, 1], arm.dh[1:3, 2]
    c, s, q234 = np.cos(q.T), np.sin(q.T), q[:, 1:4].sum(axis=1)
    c234, s234 = np.cos(q234), np.sin(q234)
    x = d5 * c[0] * s234 + d4 * s[0] - d6 * c[0] * c234 + a2 * c[0] * c[1] + d6 * c[4] * s[0]
    x += a3 * c[0] * c[1] * c[2] - a3 * c[0] * s[1] * s[2]
    y = d5 * s[0] * s234 - d4 * c[0] - d6 * s[0] * c234 - d6 * c[0] * c[4] + a2 * c[1] * s[0]
    y += a3 * c[1] * c[2] * s[0] - a3 * s[0] * s[1] * s[2]
    z = d1 - d6 * s234 * s[4] + a3 * np.sin(q[:, 1] + q[:, 2]) + a2 * s[1] - d5 * c234
    np.testing.assert_allclose(
        kebria.printed_position(arm, q), np.column_stack([x, y, z]), atol=1e-15
    )


# --- kebria2016
# ---------------------------------------------------------------------------------------


def test_table_1_of_kebria():
    assert set(kebria.table_differences()) == kebria.WRONG_IN_TABLE_I
    assert kebria.effect_of_d5() == pytest.approx(9e-5, rel=1e-6)


def test_printed_theta6():
    printed, corrected = kebria.theta6_errors()
    assert printed > 2.9
    assert corrected < 1e-10


def test_number_of_solutions():
    counts = kebria.solution_counts(2000)
    assert counts.max() == 8
    assert set(counts) <= {2, 4, 6, 8}


def test_limits_of_kebria():
    low, high = kebria.ring(50_000)
    assert 0.03275 - 1e-12 <= low < 0.034
    assert 0.816 < high <= 0.81725 + 1e-12
    assert 0.10915 - 1e-12 <= kebria.wrist_distance(50_000) < 0.1092


def test_kebria_mass_matrix():
    matrix = formulations.euler_lagrange(
        load_arm(formulations.NAME), *formulations.states()[:2]
    ).mass_matrix
    assert np.abs(matrix - np.swapaxes(matrix, 1, 2)).max() < 1e-14
    assert np.linalg.eigvalsh(matrix).min() > 5e-5


def test_cost_of_both_formulations():
    """Energies cost about n⁴, the recursion n; a busy machine blurs both, but not by a power."""
    sizes = (15, 30)
    found, kept = cost.costs(sizes), cost.costs()
    newton, lagrange = (cost.exponent(found[name], sizes) for name in cost.FORMULATIONS)
    assert lagrange > newton + 1.0
    for name, now in zip(cost.FORMULATIONS, (newton, lagrange), strict=True):
        assert cost.exponent(kept[name]) == pytest.approx(now, abs=0.7)


# --- tu2023
# -------------------------------------------------------------------------------------------


def test_tables_of_tu():
    assert tu.equal_entries(load_arm(tu.NAME)) == (18, 24)
    assert tu.equal_entries(load_arm("ur5_ragazzon2012"))[0] < 18


def test_tensors_of_tu():
    arm = load_arm(tu.NAME)
    excess = tu.triangle_excess(arm)
    assert (excess > 0).all()
    thin = arm._replace(inertia=np.tile(np.diag([1.0, 1.0, 2.5]), (6, 1, 1)))
    assert (tu.triangle_excess(thin) < 0).all()


def test_workspace():
    """The cloud fills what the lengths allow, and never exceeds it; both published sizes are wrong."""
    arm = load_arm(tu.NAME)
    found, exact = tu.extent(arm, tu.cloud()), tu.exact_extent(arm)
    assert exact.reach == pytest.approx(0.950, abs=5e-4)
    assert (exact.hole, exact.wrist_hole) == pytest.approx((0.02685, 0.10915), abs=1e-12)
    for ours, bound in ((found.width, exact.width), (found.reach, exact.reach)):
        assert 0.96 * bound < ours <= bound
    for ours, bound in ((found.hole, exact.hole), (found.wrist_hole, exact.wrist_hole)):
        assert bound - 1e-12 <= ours < bound + 1e-3
    assert 0.5 < tu.share_outside(arm, tu.cloud()) < 0.7


def test_circle():
    arm = load_arm(tu.NAME)
    branches = tu.circle_branches(arm)
    assert len(branches) == 8
    assert max(tu.circle_error(arm, branch).max() for branch in branches) < 1e-12
    q = tu.follow_circle(arm)
    assert np.abs(np.diff(q, axis=0)).max() < 0.2  # one branch, no jumps
    moved = forward_kinematics(arm, q + 1e-3)[:, :3, 3] - tu.circle()[:, :3, 3]
    assert np.abs(moved).mean(axis=0).min() > 1e-5


# --- nowoczyn2023
# -------------------------------------------------------------------------------------


def test_frames_of_both_forms():
    assert steps.frame_difference() < 1e-14


def test_forty_micrometres():
    """Published: up to 0.1 mm after 1 m. Halving the step halves it, so it is the step's error."""
    errors = steps.line_errors(count=9)
    assert (errors > 2e-5).all()
    assert np.median(errors) < steps.PUBLISHED
    assert errors.max() < 2e-4
    np.testing.assert_allclose(steps.line_errors(2 * steps.STEP, 9) / errors, 2, rtol=0.01)


def test_turning_tool():
    euler, vector = (steps.turn_errors(o)[-1] for o in ("euler", "rotation_vector"))
    assert euler > 0.1
    assert vector < 1e-3


# --- figures ---------------------------------------------------------------------------------


@pytest.mark.parametrize("chapter", [kebria, kinematics_figures, cost])
def test_figures_are_drawn(chapter, tmp_path):
    paths = chapter.draw(tmp_path)
    assert paths
    assert all(path.stat().st_size > 10_000 for path in paths)
