"""The document's thesis on few pairs, and on the one that is shown."""

import ledger
import numpy as np
import pytest
from known_cell import empty, free_joints, pose
from nowoczyn2023 import cause_of_stops, numeric_stops
from nowoczyn2023.single_branch import (
    ARRIVED,
    JUMP,
    LIMIT,
    OFF,
    OUT_OF_REACH,
    TOUCHED,
    follow_numeric_branch,
    follow_single_branch,
)

from dynamics import forward_kinematics, inverse_kinematics
from hopfield_nav import geometry
from hopfield_nav.extensions.clearance import build_scene, collides, explain
from hopfield_nav.extensions.known_world import poses_at


def test_pairs_end_as_kept():
    """Every 25th pair again: what stops it and who finds a path, and so the shares of the ledger."""
    some = slice(None, None, 25)
    pairs, kept = (
        cause_of_stops.pairs(),
        cause_of_stops.ends(cause_of_stops.PAIRS, cause_of_stops.SEED),
    )
    assert [cause_of_stops.end(*pair) for pair in pairs[some]] == kept[some]
    assert len(pairs) == len(kept)


def test_shares_of_the_ledger_are_those_of_the_pairs():
    """Counted here once more, and read off the page."""
    stops = [case for case in cause_of_stops.cases() if case.outcome not in (ARRIVED, OUT_OF_REACH)]
    rows = {row.claim: row.ours for row in ledger.read()["nowoczyn2023"]}
    shares = [f"{100 * k / len(stops):.0f} %" for k in (
        sum(not case.from_any for case in stops),
        sum(case.from_any for case in stops),
        sum(case.from_here for case in stops),
        sum(case.direct for case in stops),
    )]  # fmt: skip
    assert rows["a single branch can end where it does not go on"].startswith(
        f"{100 * len(stops) / cause_of_stops.PAIRS:.0f} %"
    )
    assert rows["cause of the stops"].startswith(shares[0])
    assert rows["the graph finds another motion on the same path"].startswith(f"solves {shares[1]}")
    assert shares[2] in rows["the graph finds another motion on the same path"]
    assert rows["fallback to the direct path"].startswith(f"finds a path for {shares[3]}")


def test_the_thesis_on_every_pair():
    """A branch that arrives is a path of the graph from the same joints, and that is one from any joints."""
    found = cause_of_stops.cases()
    for case in found:
        assert case.from_here <= case.from_any
        if case.outcome == ARRIVED:
            assert case.from_here
        if case.outcome == OUT_OF_REACH:
            assert not case.from_any
        if case.from_here:
            assert case.outcome in (ARRIVED, JUMP)
    stops = cause_of_stops.stopped(found)
    assert {case.outcome for case in stops} >= {TOUCHED, JUMP}
    assert any(case.from_any for case in stops)
    assert not all(case.from_any for case in stops)


@pytest.mark.parametrize("orientation", numeric_stops.ORIENTATIONS)
def test_numeric_pairs_end_as_kept(orientation):
    """Every 25th pair again; a numeric branch that arrives is one that the closed form follows as well."""
    kept = numeric_stops.ends(orientation)
    found = [numeric_stops.end(k, orientation) for k in range(0, len(kept), 25)]
    assert found == kept[::25]
    closed = [case.outcome for case in cause_of_stops.cases()]
    arrived = [k for k, outcome in enumerate(kept) if outcome == ARRIVED]
    # Euler angles lead every branch astray
    assert bool(arrived) == (orientation == "rotation_vector")
    assert sum(closed[k] != ARRIVED for k in arrived) <= 0.05 * len(arrived)


def test_a_numeric_branch_is_the_closed_one_where_nothing_is_near():
    arm, scene = empty()
    start = np.array([-0.3, -1.2, 1.6, -2.0, -1.57, 0.0])
    beside = forward_kinematics(arm, start)
    beside[1, 3] += 0.1
    numeric, closed = (
        follow_numeric_branch(arm, scene, start, beside),
        follow_single_branch(arm, scene, start, [beside]),
    )
    assert numeric.outcome == closed.outcome == ARRIVED
    between = [np.interp(numeric.places, closed.places, angles) for angles in closed.q.T]
    np.testing.assert_allclose(numeric.q.T, between, atol=1e-4)
    far = forward_kinematics(arm, start)
    far[0, 3] += 2.0
    assert follow_numeric_branch(arm, scene, start, far).outcome in (JUMP, LIMIT, OFF)


def test_the_example_runs_into_itself_and_the_graph_goes_all_the_way():
    arm, scene, branch, path = cause_of_stops.example()
    assert branch.outcome == TOUCHED
    assert collides(arm, scene, branch.q).tolist() == [False] * (len(branch.q) - 1) + [True]
    assert branch.reason == explain(arm, scene, branch.q[-1])
    assert "known" not in branch.reason
    goal = poses_at(branch.line, np.array(1.0))
    np.testing.assert_allclose(
        forward_kinematics(arm, path.q[[0, -1]]),
        poses_at(branch.line, np.array([0.0, 1.0])),
        atol=1e-9,
    )
    np.testing.assert_allclose(
        forward_kinematics(arm, branch.q), poses_at(branch.line, branch.places), atol=1e-9
    )
    # the same place of the tool, other joints
    assert not np.allclose(path.q[0], branch.q[0], atol=0.1)
    assert np.linalg.norm(forward_kinematics(arm, branch.q[-1])[:3, 3] - goal[:3, 3]) > 0.03


def test_what_stops_a_branch():
    arm, scene = empty()
    start = np.array([-0.3, -1.2, 1.6, -2.0, -1.57, 0.0])
    here = forward_kinematics(arm, start)
    beside = here.copy()
    beside[1, 3] += 0.1
    assert follow_single_branch(arm, scene, start, [beside]).outcome == ARRIVED
    far = pose([0.5, 0.0, 0.3]), pose([0.5, 0.0, 1.3])
    up = follow_single_branch(arm, scene, inverse_kinematics(arm, far[0])[0], [far[1]], 0.001, 0.01)
    assert up.outcome == OUT_OF_REACH
    x, y, z = here[:3, 3]
    plate = build_scene(
        arm, geometry.pack_primitives([geometry.box([x, y + 0.08, z], [0.3, 0.01, 0.3])])
    )
    stop = follow_single_branch(arm, plate, start, [beside])
    assert stop.outcome == TOUCHED
    assert "known[0]" in stop.reason
    narrow = arm._replace(position_limits=np.array([start - 0.05, start + 0.05]).T)
    assert follow_single_branch(narrow, scene, start, [beside]).outcome == LIMIT


def test_a_branch_that_arrives_stays_on_the_line():
    arm, scene = empty()
    arrived = 0
    for start in free_joints(arm, scene, 20, 2):
        goal = forward_kinematics(arm, start)
        goal[2, 3] += 0.05
        branch = follow_single_branch(arm, scene, start, [goal])
        if branch.outcome == ARRIVED:
            arrived += 1
            np.testing.assert_allclose(forward_kinematics(arm, branch.q[-1]), goal, atol=1e-9)
            assert not collides(arm, scene, branch.q).any()
    assert arrived > 5


@pytest.mark.parametrize("goal", [pose([0.5, 0.2, 0.3])])
def test_a_start_in_collision_stops_at_once(goal):
    arm, scene = empty()
    start = np.array([0.0, 0.0, np.pi - 0.1, 0.0, 0.0, 0.0])
    assert collides(arm, scene, start)
    branch = follow_single_branch(arm, scene, start, [goal])
    assert (branch.outcome, len(branch.q)) == (TOUCHED, 1)
