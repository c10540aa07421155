"""The measurements behind the ledger's rows on nowoczyn2023, with smaller counts."""

import numpy as np
import pytest
from nowoczyn2023 import (
    direct_kinematics,
    direct_path,
    geometric_solution,
    numeric_kinematics,
    obstacle_space,
    pictures,
    shortest_path,
    singular,
    slerp,
    tables,
)
from nowoczyn2023.cause_of_stops import cases
from scipy.spatial.transform import Rotation, Slerp

from dynamics import forward_kinematics, inverse_kinematics, link_frames, load_arm
from hopfield_nav.extensions.known_world import straight_line
from hopfield_nav.world import load_world

NAME = direct_kinematics.NAME

# --- chapter 1
# ----------------------------------------------------------------------------------------


def test_whose_lengths():
    assert tables.length_differences(NAME).max() < 1e-4
    other = tables.length_differences("ur5e")
    assert (other[[0, 3, 4, 5]] > 5e-3).all()  # d1, d4, d5, d6
    assert other[[1, 2]].tolist() == [0.0, 0.0]  # a2, and a3, which is the UR5e's
    own, labelled = tables.tool_differences()
    assert own < 1e-4
    assert labelled > 0.05


def test_whose_masses():
    assert tables.body_differences(NAME) == (6, 18)
    assert tables.body_differences("ur5e") == (0, 18)


def test_reach():
    found, arm = tables.reach(20_000), load_arm(NAME)
    frames = link_frames(arm, direct_kinematics.positions(200_000, 5))
    for frame, bound in ((4, found.fourth), (5, found.fifth), (6, found.tool)):
        largest = np.linalg.norm(frames[:, frame, :3, 3] - frames[:, 1, :3, 3], axis=1).max()
        assert 0.98 * bound < largest < bound + 1e-9
    assert found.elbow_to_wrist == pytest.approx(0.81725)
    assert found.tool == pytest.approx(0.950, abs=5e-4)
    assert 0.05 < found.beyond < 0.15
    assert 0.6 < found.directions < 0.85


def test_limits():
    arm = load_arm(NAME)
    np.testing.assert_allclose(np.degrees(arm.speed_limits), 180)
    np.testing.assert_allclose(np.degrees(arm.position_limits), [[-360, 360]] * 6)


def test_transformations():
    assert direct_kinematics.inverse_error() < 1e-14
    assert direct_kinematics.product_error() < 1e-14


def test_a_turning_joint_changes_theta():
    found = direct_kinematics.joint_variable()
    assert found.angle < 1e-12
    assert found.offset < 1e-12


def test_whose_axis_is_whose():
    found = direct_kinematics.axis_errors()
    assert max(found["(1.8), z_n-1"], found["(1.9), z_n"]) < 1e-8
    assert min(found["(1.8), z_n"], found["(1.9), z_n-1"]) > 1


def test_columns_of_the_jacobian():
    assert direct_kinematics.linear_error() < 1e-8
    assert direct_kinematics.twist_error() < 1e-13
    assert max(direct_kinematics.sliding_errors()) < 1e-8
    assert (direct_kinematics.angular_errors() > 1).tolist() == [True, False, False, True, True]


# --- chapter 2
# ----------------------------------------------------------------------------------------


def test_without_the_inverse():
    assert numeric_kinematics.errors_without_inverse().min() > 0.3


def test_steps_of_the_numeric_solution():
    steps = numeric_kinematics.numeric_steps(30)
    assert len(steps) > 25
    assert steps.min() > 1
    assert np.median(steps) < 12


def test_printed_equations():
    """Every solution with the sign put right, none as printed."""
    arm = load_arm(NAME)
    assert geometric_solution.shares_found(arm, -1.0, 300) == (1.0, 1.0)
    assert geometric_solution.shares_found(arm, 1.0, 300) == (0.0, 0.0)
    assert geometric_solution.theta3_error(300) > 1.9


def test_other_arms():
    for name in ("UR5e", "UR10"):
        arm = geometric_solution.other_arm(name)
        assert geometric_solution.shares_found(arm, -1.0, 200) == (1.0, 1.0)
        T = forward_kinematics(arm, direct_kinematics.positions(200))
        wrong = geometric_solution.printed_solutions(load_arm(NAME), T, -1.0)
        reached = forward_kinematics(arm, np.nan_to_num(wrong))
        assert np.abs(reached - T[:, None]).max(axis=(2, 3)).min() > 1e-3  # the lengths matter


def test_ring():
    found, (a2, a3) = geometric_solution.ring(), np.abs(load_arm(NAME).dh[1:3, 2])
    assert (found.low, found.high) == pytest.approx((a2 - a3, a2 + a3), abs=1e-9)
    assert found.widest == pytest.approx(np.arcsin(a3 / a2), abs=1e-9)
    assert found.widest_swapped > np.pi / 2


def test_numbers_of_solutions():
    eight, theta6, least, most = geometric_solution.numbers(500)
    assert 0.7 < eight < 0.85
    assert (theta6, least, most) == (1, 2, 8)


def test_zero_does_not_always_serve():
    """θ6 = 0 fails exactly where it puts joint 4's axis out of the elbow's ring."""
    arm, q = load_arm(NAME), direct_kinematics.positions(300)
    q[:, 4] = 0.0
    wanted = q * [1, 1, 1, 1, 1, 0]
    _, distance = geometric_solution._fourth_joint(arm, forward_kinematics(arm, q), wanted)
    a2, a3 = np.abs(arm.dh[1:3, 2])
    served = singular.zero_serves(300)
    assert served.estimate == np.mean((distance > a2 - a3) & (distance < a2 + a3))
    assert 0.8 < served.estimate < 0.95


def test_what_singularities_are():
    assert singular.determinant_error() < 1e-13
    for first, second in singular.smallest_values().values():
        assert first < 1e-9
        assert second > 0.1
    assert singular.solutions_at("wrist") > 8
    assert singular.solutions_at("elbow") < 8
    assert singular.solutions_at("shoulder") < 8
    assert [singular.extra_parallels(kind) > 0 for kind in singular.KINDS] == [True, False, False]
    assert np.abs(np.sin(direct_kinematics.positions(100_000)[:, 4])).min() > 1e-8
    regular = np.array([0.4, -0.9, 1.1, 0.5, 1.0, 0.3])
    assert len(inverse_kinematics(load_arm(NAME), forward_kinematics(load_arm(NAME), regular))) == 8


def test_an_arm_with_a_wrist_centre():
    frames = link_frames(singular.arm_with_wrist_centre(), direct_kinematics.positions(100))
    np.testing.assert_allclose(frames[:, 4, :3, 3], frames[:, 5, :3, 3], atol=1e-12)
    beside = np.cross(frames[:, 4, :3, 3] - frames[:, 3, :3, 3], frames[:, 3, :3, 2])
    np.testing.assert_allclose(beside, 0, atol=1e-12)  # axis 4 goes through it as well
    found = singular.compared(2000)
    assert found.factor_error < 1e-12
    assert abs(found.ur5.estimate - found.other.estimate) < 0.08


# --- chapter 3
# ----------------------------------------------------------------------------------------


def test_without_joint_6():
    joints, wrong = obstacle_space.without_joint_6(0.0, 20_000)
    assert (joints, wrong.estimate) == ("2, 3, 4, 5", 0.0)
    joints, wrong = obstacle_space.without_joint_6(0.1, 20_000)
    assert joints == "2, 3, 4, 5, 6"
    assert wrong.low > 0.005


def test_slerp_as_printed_takes_the_longer_way():
    """Right for one sign of a quaternion; the other sign of the same rotation goes round the other way."""
    first, second = Rotation.random(2, random_state=1)
    Q1, Q2 = first.as_quat()[None], second.as_quat()[None]
    if (Q1 * Q2).sum() < 0:
        Q2 = -Q2
    angle = (first.inv() * second).magnitude()
    assert slerp.printed_turns(Q1, Q2)[0] == pytest.approx(angle, rel=1e-6)
    assert slerp.printed_turns(Q1, -Q2)[0] == pytest.approx(2 * np.pi - angle, rel=1e-6)
    half = slerp.product(Q1, slerp.power(slerp.product(Q1 * [-1, -1, -1, 1], Q2), 0.5))
    exact = Slerp([0, 1], Rotation.concatenate([first, second]))(0.5).as_matrix()
    np.testing.assert_allclose(Rotation.from_quat(half[0]).as_matrix(), exact, atol=1e-12)
    T = np.tile(np.eye(4), (2, 1, 1))
    T[:, :3, :3] = first.as_matrix(), second.as_matrix()
    assert straight_line(T).angles[0] == pytest.approx(angle)
    found = slerp.turned(500)
    assert 0.25 < found.longer < 0.45
    assert found.ours <= np.pi
    assert found.apart < 1e-12


def test_the_line_is_straight():
    paths = [line for line in shortest_path.searched() if np.isfinite(line.ours)]
    assert paths
    assert max(path.bend for path in paths) < 1e-9
    assert max(path.detour for path in paths) == pytest.approx(1, abs=1e-9)


def test_lines_are_those_kept():
    """The first three again: nodes, lengths, straightness."""
    found = [shortest_path.search(*pair) for pair in shortest_path.pairs()[:3]]
    np.testing.assert_allclose(found, shortest_path.searched()[:3], rtol=1e-6, atol=1e-12)


def test_pruning_changes_no_length():
    for line in shortest_path.searched():
        assert line.kept < line.nodes
        assert line.whole == pytest.approx(line.pruned, rel=1e-12)
        if line.searches == 1:
            assert line.ours == pytest.approx(line.whole, rel=1e-9)


def test_epsilon():
    found = shortest_path.past()
    assert found.plain > 10 * found.usual
    assert found.shifted < 1.1 * found.usual
    assert (found.through, found.beside_fast, found.beside_slow) == (True, False, True)


@pytest.mark.parametrize("turn", [0.3, 1.5, 3.0])
def test_arcs(turn):
    """Joint 1 alone moves the tool on a circle; random pairs have arcs between flat and half a circle."""
    q = np.array([[0.0, -1.2, 1.6, -0.5, 1.0, 0.0]] * 2)
    q[1, 0] = turn
    assert direct_path._arc(q)[0] == pytest.approx(turn / (2 * np.sin(turn / 2)), rel=1e-4)
    assert direct_path.arc_angle(turn / (2 * np.sin(turn / 2))) == pytest.approx(turn)


def test_pairs_have_the_arcs_kept():
    """Every 50th pair again, number by number; and the kept ones are arcs."""
    some = slice(None, None, 50)
    found = [direct_path.arc_of(case) for case in cases()[some]]
    np.testing.assert_allclose(found, direct_path.arcs()[some], rtol=1e-9)
    assert {arc.paths for arc in direct_path.arcs()} == {direct_path.SHOWN}
    assert (direct_path.ratios() >= 1).all()


def test_the_shortest_of_all_candidates():
    assert (
        direct_path.longer_than_brute_force.__wrapped__(6)
        == direct_path.longer_than_brute_force()
        == 0
    )


def test_demonstration():
    """Whoever comes from the joints as they are comes from any; the kept pairs say what the ledger says."""
    found, ends = direct_path.demo(), cases()
    assert all(case.from_here <= case.from_any for case in ends)
    assert found.line_here.estimate < found.line_any.estimate
    assert found.neither.estimate == np.mean([not (c.from_any or c.direct) for c in ends])
    assert found.both.estimate <= found.line_here.estimate


def test_turns():
    assert direct_path.turn_counts(60) == ({64}, {96})
    assert direct_path.candidates_of_eight() == {512}


def test_five_paths():
    """The motions looked at are those paths, and the candidates before them that are not free."""
    assert all(arc.motions >= arc.paths == direct_path.SHOWN for arc in direct_path.arcs())
    assert np.median([arc.motions for arc in direct_path.arcs()]) < 10


# --- chapter 4 and figures ----------------------------------------------------------------------


def test_ompl_has_other_paths():
    pytest.importorskip("ompl")
    from nowoczyn2023 import frameworks

    found, kept = frameworks.sampled(), frameworks.lengths(frameworks.PAIRS)
    assert (found.pairs, found.solved) == (len(kept), len(kept))
    assert 0 < found.shortest < found.solved
    assert min(length for length, _ in kept) > 1 - 1e-9  # nothing is shorter than the shortest
    for k in range(3):
        assert frameworks.length(cases()[k], k) == pytest.approx(kept[k])


def test_arcs_are_drawn(tmp_path):
    (path,) = direct_path.draw(tmp_path)
    assert path.stat().st_size > 10_000


def test_the_pictures_worlds_are_worlds():
    assert load_world(pictures.WORLD, pictures.ABOVE).plan.goal.pose.position[2] == 0.5
