"""The measurements behind the ledger's rows on ragazzon2012 (the fall has a file of its own)."""

import ledger
import numpy as np
import pytest
from ragazzon2012 import contact, equations, experiment, feeling, marking, planner, tables
from ragazzon2012.contact import AS_PRINTED, RIGHT, Push

from dynamics import load_arm
from hopfield_nav.planning import iterate, plan_path

MIDDLE = ((9, 10),)


# --- tables, appendix B, start pose
# -------------------------------------------------------------------


def test_tables():
    arm = load_arm("ur5_ragazzon2012")
    np.testing.assert_allclose(arm.mass, tables.MASS, rtol=0, atol=1e-12)
    np.testing.assert_allclose(arm.offset, tables.OFFSET, rtol=0, atol=1e-12)
    np.testing.assert_allclose(arm.center_of_mass, tables.CENTER, rtol=0, atol=1e-12)


def test_cylinders():
    found = tables.cylinders(load_arm("ur5_ragazzon2012"))
    np.testing.assert_allclose(
        found[:, 1], [0.13693, 0.540, 0.507, 0.085, 0.085, 0.0395], atol=1e-12
    )
    np.testing.assert_allclose(found[:, 0], [0.045, 0.045, *[0.045 * 97 / 113] * 4], atol=1e-12)


def test_coefficients():
    found = tables.coefficients()
    for name, printed in tables.PRINTED.items():
        assert found[name] == pytest.approx(printed, rel=1e-8), name


def test_start_pose():
    distance, turn = tables.start_error()
    assert distance < 2e-4
    assert turn < 1e-3


def test_map():
    np.testing.assert_allclose(
        tables.map_corners(), [[0.1501, -0.2499, 0], [0.6498, 0.2498, 0]], atol=1e-12
    )


# --- planner
# ------------------------------------------------------------------------------------------


def test_size():
    assert [row.verdict for row in (planner._size_row(), planner._six_axes_row())] == [
        "reproduced"
    ] * 2


def test_eigenvalue():
    assert planner.eigenvalue(20) == pytest.approx(4 * np.cos(np.pi / 21), abs=1e-12)
    assert planner.eigenvalue(18) == pytest.approx(3.945, abs=5e-4)


@pytest.mark.parametrize("size", [20, 22, 25])
def test_the_serpentine_has_one_path(size):
    blocked, start, goal, steps = planner.serpentine(size)
    assert plan_path(blocked, start, goal, "limit").length == steps


def test_sweeps():
    assert planner.serpentine(20)[3] == 169
    assert planner.sweeps_suffice(20)
    assert not planner.sweeps_suffice(24)


def test_paths_are_not_always_shortest():
    """The first maps again, and what they say: less of it the smaller β."""
    for beta in (planner.NEAR_QUARTER, planner.BETA):
        kept = planner.counts_of_maps(beta, planner.MAPS)
        np.testing.assert_array_equal(planner.counts_of_maps.__wrapped__(beta, 12), kept[:12])
    near, tenth = (
        planner.share_of_longer_paths(beta) for beta in (planner.NEAR_QUARTER, planner.BETA)
    )
    assert near > tenth > (0, 0)
    assert planner.share_of_longer_paths(1e-4, 12)[0] <= 1e-3


def test_examples():
    """Four different maps of 20 × 20, the document's rim, and a path on each."""
    for example in planner.examples():
        plan = plan_path(example.blocked, example.start, example.goal, "sum", 0.1)
        assert plan.cells is not None, example.name
        activation, _ = iterate(example.blocked, example.goal, most_sweeps=199)
        assert len(planner.ascent(activation, example.start, example.goal)) == len(plan.cells)


# --- equations of motion
# ------------------------------------------------------------------------------


def test_newton_euler_costs_order_n():
    """Time may be measured on a busy machine, so with a wide margin: n⁴ would be a factor of 256."""
    assert equations.seconds_per_call(28, 500, 15) < 10 * equations.seconds_per_call(7, 500, 15)
    assert equations.seconds_by_size()[-1] < 40 * equations.seconds_by_size()[0]


def test_lagrange_terms():
    assert [equations.lagrange_terms(n) for n in (1, 2, 3)] == [1, 9, 36]
    assert 2.5 < equations.exponent(equations.costs()["Euler–Lagrange"]) < 4


def test_skew_symmetry():
    arm, (q, qd) = load_arm("ur5_ragazzon2012"), equations.states()
    torque = equations.coriolis_torque(arm, q, qd)
    collected, differenced = (
        f(arm, q, qd) for f in (equations.collected_coriolis, equations.differenced_coriolis)
    )
    for matrix in (collected, differenced):
        np.testing.assert_allclose(np.einsum("kij,kj->ki", matrix, qd), torque, rtol=0, atol=1e-10)
    assert equations.skew_error(arm, q, qd, collected) > 0.1
    assert equations.skew_error(arm, q, qd, differenced) < 1e-7


# --- straight push
# ------------------------------------------------------------------------------------


def test_delays_are_those_kept():
    """The middle of the map again, push by push, against walls and posts."""
    for world in (AS_PRINTED, RIGHT):
        for radius in (contact.WALL, contact.POST):
            found, kept = (
                contact.delays.__wrapped__(world, MIDDLE, 1.0, radius),
                contact.delays(world, radius=radius),
            )
            np.testing.assert_allclose(found[0], kept[contact.PLACES.index(MIDDLE[0])], atol=1e-9)
            assert kept.shape == (9, 3)


def test_delay_of_a_straight_push():
    """The right arm is quicker to feel the same push, in every direction."""
    printed, right = contact.delays(AS_PRINTED), contact.delays(RIGHT)
    assert (right < printed).all()
    row = {row.claim: row.ours for row in ledger.read()["ragazzon2012"]}
    claim = next(claim for claim in row if claim.endswith("nine places, right dynamics"))
    assert f"median {np.median(right):.2f} s" in row[claim]


def test_delay_falls_with_omega():
    for world in (AS_PRINTED, RIGHT):
        slow, usual, fast = (
            np.median(contact.delays.__wrapped__(world, MIDDLE, omega_scale=s))
            for s in (0.5, 1.0, 2.0)
        )
        assert slow > 2 * usual > 4 * fast
        assert slow == np.median(contact.delays(world, MIDDLE, 0.5))


def test_a_push_onto_a_post_may_slide_off_unfelt():
    push = Push(AS_PRINTED, (9, 6), "+y", radius=contact.POST)
    simulation = contact.run_push(push)
    assert (simulation.outcome, simulation.detections) == ("reached", [])
    assert simulation.state.statistics.contacts >= 1


def test_slow_forces_are_estimated():
    for world in (AS_PRINTED, RIGHT):
        assert contact.force_ratio(world, contact.SLOW) == pytest.approx(1, abs=0.1)


# --- chapter 7
# ----------------------------------------------------------------------------------------


def test_settings():
    assert experiment._setting_row().verdict == "reproduced"


def test_first_path():
    steps, duration, speed = experiment.first_path()
    assert (steps, duration) == (20, pytest.approx(11.0))
    assert speed == pytest.approx(0.0502, abs=1e-4)
    assert max(experiment.inverse_kinematics_error()) < 1e-12


def test_both_worlds_reach_the_goal():
    for name in (AS_PRINTED, RIGHT):
        summary = experiment.run(name).summary
        assert summary["outcome"] == "reached"
        assert summary["simulated_time_s"] == pytest.approx(50, abs=2)


def test_faster_than_real_time():
    for name in (AS_PRINTED, RIGHT):
        summary = experiment.run(name).summary
        assert summary["wall_time_s"] < 50
        assert summary["replan_wall_time_median_s"] < 1
    kept = np.array(experiment.computing_times())
    assert (kept < [50, 1]).all()


def test_collisions():
    for name in (AS_PRINTED, RIGHT):
        run = experiment.run(name)
        assert run.summary["collision_count"] == pytest.approx(17, abs=2)
        assert len(feeling.contact_episodes(run)) == run.summary["contact_count"]
        assert len(feeling.missed_contacts(run)) == 1


def test_delays_of_the_experiment():
    """The right arm feels its contacts sooner; medians and shares are those on the page."""
    rows, medians = {row.claim: row.ours for row in ledger.read()["ragazzon2012"]}, []
    for name, words in ((AS_PRINTED, "printed dynamics"), (RIGHT, "right dynamics")):
        found = feeling.delays(experiment.run(name))
        (ours,) = [
            ours for claim, ours in rows.items() if claim.endswith(f"the experiment, {words}")
        ]
        medians.append(np.median(found))
        assert f"median {medians[-1]:.2f} s" in ours
        assert f"{100 * np.mean((found >= 0.2) & (found <= 0.5)):.0f} % in the range" in ours
    assert medians[1] < medians[0]


def test_free_motion():
    for name in (AS_PRINTED, RIGHT):
        held, smooth = feeling.free_motion_error(name, 0.00524), feeling.free_motion_error(name, 0)
        assert 5e-4 < held < 1.5e-3
        assert smooth < 2e-5
        straight, zigzag = (
            feeling.false_force(name, 0.00524, s) for s in (feeling.STRAIGHT, feeling.ZIGZAG)
        )
        assert 0.1 < straight < zigzag < 3


def test_the_impact_is_not_felt():
    for name in (AS_PRINTED, RIGHT):
        true, felt = feeling.impact(experiment.run(name))
        assert felt < 0.25 * true


def test_marks_lie_inside():
    for name in (AS_PRINTED, RIGHT):
        desired, actual = marking.depths(experiment.run(name))
        assert (desired > 4e-3).all()
        assert (np.abs(actual) < 5e-4).all()


def test_marking_the_actual_position():
    for name in (AS_PRINTED, RIGHT):
        assert experiment.run(name, *marking.ALWAYS_ARMED).outcome != "reached"
        run = experiment.run(name, *marking.BETTER)
        assert run.outcome == "reached"
        assert run.summary["felt_cell_count"] == run.summary["collision_count"]


def test_an_always_armed_detector_repeats_itself():
    for name in (AS_PRINTED, RIGHT):
        summary = experiment.run(name, *marking.DESIRED_ARMED).summary
        assert summary["collision_count"] > 50 * summary["felt_cell_count"]
