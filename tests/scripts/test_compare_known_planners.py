"""The comparison of planners for known surroundings, reduced to 20 pairs: only what must hold."""

from __future__ import annotations

import itertools
from functools import lru_cache

import numpy as np
import pytest
from compare_known_planners import ask_again, check, compare
from known_planners.cell import cell, random_pairs
from known_planners.independent_check import STEP, IndependentCheck
from known_planners.methods import (
    AUTO,
    AUTO_SAMPLING,
    DIRECT,
    METHODS,
    OPEN,
    PLANNED,
    RAW,
    SHORTEST,
    SIMPLIFIED,
)
from known_planners.picture import draw
from known_planners.summary import arc_over_chord, lines, markdown, reasons, solved
from measured_part import write

from dynamics import forward_kinematics, inverse_kinematics
from hopfield_nav.build import build_arm
from hopfield_nav.extensions.clearance import clearance, collides, scene_of_world
from hopfield_nav.extensions.known_world import plan_direct, plan_known

PAIRS, SEED, TURN = 20, 4, 2 * np.pi
WORLD = cell("crowded")
ARM, SCENE = build_arm(WORLD), scene_of_world(WORLD)


@lru_cache
def _results():
    return compare("crowded", PAIRS, SEED)


def test_no_path_collides_by_the_independent_check():
    results = {**_results(), RAW: _results()[RAW][:4]}  # as long as all others together
    for name, (touched, looks) in check("crowded", results).items():
        assert touched == 0, name
        assert looks >= sum(o.tool for o in results[name] if not o.reason) / STEP


def test_the_independent_check_sees_what_the_arm_touches():
    """Its verdict on random poses is the package's, but for poses that just touch."""
    other, q = (
        IndependentCheck(ARM, WORLD),
        np.random.default_rng(6).uniform(-np.pi, np.pi, (3000, 6)),
    )
    sure = np.abs(clearance(ARM, SCENE, q)) > 1e-5
    theirs = np.array([other.touches(row) for row in q])
    np.testing.assert_array_equal(theirs[sure], collides(ARM, SCENE, q)[sure])
    assert sure.mean() > 0.99
    assert 0.1 < theirs.mean() < 0.95
    np.testing.assert_allclose(other.tool(q[0]), forward_kinematics(ARM, q[0]), atol=1e-12)


def test_pairs_are_free_and_repeatable():
    starts, goals = random_pairs(ARM, SCENE, PAIRS, SEED)
    other = IndependentCheck(ARM, WORLD)
    assert not any(other.touches(q) for q in starts)
    assert starts.shape == (PAIRS, 6)
    assert goals.shape == (PAIRS, 4, 4)
    assert random_pairs(ARM, SCENE, PAIRS, SEED)[0].tobytes() == starts.tobytes()
    assert random_pairs(ARM, SCENE, PAIRS, SEED + 1)[0].tobytes() != starts.tobytes()


def test_chains_solve_what_their_parts_solve():
    results = _results()
    found = {name: solved(results[name]) for name in METHODS}
    np.testing.assert_array_equal(found[AUTO], found[SHORTEST] | found[DIRECT])
    np.testing.assert_array_equal(found[AUTO_SAMPLING], found[AUTO] | found[SIMPLIFIED])
    assert (found[OPEN] | ~found[SHORTEST]).all()  # more is open to it


def test_chains_are_what_plan_known_gives():
    for i, (start, goal) in enumerate(zip(*random_pairs(ARM, SCENE, 8, SEED), strict=True)):
        plan = plan_known(ARM, SCENE, start, [goal], "in_turn", seed=i)
        chain = compare_first(8)[AUTO_SAMPLING][i]
        assert (plan.path is None) == bool(chain.reason)
        if plan.path is not None:
            assert plan.path.q.tobytes() == chain.q.tobytes()


@lru_cache
def compare_first(pairs):
    return compare("crowded", pairs, SEED)


def test_direct_paths_are_sorted_and_none_is_shorter_than_with_nothing_in_the_way():
    """The bound by brute force: the nearest joint position of the goal, free or not."""
    met = 0
    for start, goal in zip(*random_pairs(ARM, SCENE, PAIRS, SEED), strict=True):
        turns = [
            q + TURN * np.array(k)
            for q in inverse_kinematics(ARM, goal)
            for k in itertools.product((-1, 0, 1), repeat=6)
        ]
        inside = np.array([q for q in turns if np.abs(q).max() <= TURN])
        bound = np.abs(inside - start).sum(axis=1).min()
        lengths = [path.length for path in plan_direct(ARM, SCENE, start, [goal]).paths]
        assert lengths == sorted(lengths)
        assert all(length >= bound * (1 - 1e-12) for length in lengths)
        met += any(length == pytest.approx(bound) for length in lengths)
    assert met > 0


def test_no_path_is_shorter_than_the_straight_one_and_ends_where_it_should():
    starts, goals = random_pairs(ARM, SCENE, PAIRS, SEED)
    for name in PLANNED:
        for start, goal, o in zip(starts, goals, _results()[name], strict=True):
            if o.reason:
                continue
            assert o.tool >= o.straight * (1 - 1e-6)
            np.testing.assert_allclose(forward_kinematics(ARM, o.q[-1]), goal, atol=1e-9)
            if name != OPEN:
                assert o.q[0].tolist() == start.tolist()
            if name in (SHORTEST, OPEN):
                assert o.tool == pytest.approx(o.straight, rel=1e-3)


def test_the_border_is_measured_on_what_ompl_asks():
    border = ask_again("crowded", 5, SEED)
    plans = [o.motions for o in _results()[SIMPLIFIED][:5]]
    assert border.questions >= sum(plans) > 0  # positions are asked about too
    assert 0 < border.answers < border.planning
    assert border.compiled > 0


def test_what_is_printed(tmp_path):
    results = _results()
    checked = dict.fromkeys(PLANNED, (0, 1234))
    border = ask_again("crowded", 5, SEED)
    table = {line.name: line for line in lines(results)}
    for name in METHODS:
        line = table[name]
        assert line.solved == solved(results[name]).sum()
        assert line.share[1] <= line.share[0] <= line.share[2]
        assert sum(reasons(results[name]).values()) == PAIRS - line.solved
    ratio = arc_over_chord(results)
    assert len(ratio) == solved(results[DIRECT]).sum()
    assert (ratio >= 1 - 1e-9).all()
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- measured -->\nold\n<!-- /measured -->\nafter\n")
    write(markdown(results, checked, border, SEED), page)
    text = page.read_text()
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "old" not in text
    assert all(f"| {name} |" in text for name in METHODS)
    assert draw({"plain": results, "crowded": results}, tmp_path)[0].stat().st_size > 10_000
    page.write_text("no marks")
    with pytest.raises(SystemExit):
        write("text", page)
