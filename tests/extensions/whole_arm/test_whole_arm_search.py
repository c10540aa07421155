"""The search over a map of joint angles: when doubt is asked, and what is known of steps and places."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from dynamics import forward_kinematics, load_arm
from hopfield_nav.extensions.clearance import build_scene, motion_is_free
from hopfield_nav.extensions.whole_arm import JointGrid, numbers
from hopfield_nav.extensions.whole_arm.arm_map import choose_path
from hopfield_nav.extensions.whole_arm.search import CellPath, Query, Search
from hopfield_nav.geometry import pack_primitives, sphere
from hopfield_nav.navigation.map import Beliefs, Step
from hopfield_nav.plugin import CollisionEvidence

ARM = load_arm("ur5_ragazzon2012")
START = np.array([0.2, -1.6, 1.2, -1.2, -1.5, 0.0])
GRID = JointGrid(START - 1.2, START + 1.2, (8, 6, 6, 3, 2, 1))
HERE, THERE = (1, 2, 2, 1, 1, 0), (6, 3, 2, 1, 1, 0)


def searched(facts, doubt, touched=()):
    """A path, how often the network was asked for one, and what was searched."""
    search = Search(
        ARM, build_scene(ARM, pack_primitives([])), GRID, GRID.centre(np.array([THERE]))
    )
    beliefs, asked, shortest = Beliefs(GRID.shape, GRID.turn), [], search.shortest
    beliefs.facts.update(facts)
    beliefs.load_prior(dict.fromkeys(touched, 0.5), {})
    search.shortest = lambda *given: asked.append(given) or shortest(*given)
    cells = np.random.default_rng(2).uniform(0.0, 3.0, GRID.shape).astype(np.float32) * doubt
    points = forward_kinematics(
        ARM, GRID.centre(np.array([[3, 3, 3, 1, 0, 0], [4, 2, 2, 1, 1, 0]]))
    )[:, :3, 3]
    against = CollisionEvidence(cells, points=points, weights=np.array([0.9, 0.6]))
    return (
        choose_path(search, Query(HERE, GRID.centre(HERE), beliefs, against, set())),
        len(asked),
        search,
    )


def wall():
    """Every step between two layers of cells."""
    return [Step((3, *rest), 0) for rest in np.ndindex(*GRID.shape[1:])]


def test_where_facts_leave_no_path_no_doubt_is_asked():
    found, asked, _ = searched(wall(), 1.0)
    assert found is None
    assert asked == 3  # with no doubt risked, with all of it, and facts alone
    found, asked, _ = searched(wall()[1:], 1.0)
    assert found is not None
    assert asked > 3
    # through what is left open
    assert any(tuple(cell) == (3, 0, 0, 0, 0, 0) for cell in found.path.cells.tolist())


@pytest.mark.parametrize(
    ("facts", "touched", "doubt", "name"),
    [
        ([], [], 0.0, "to the nearest centres, against no doubt"),
        ([], [], 1.0, "to the nearest centres, against the least doubt"),
        ([], [], 4.0, "to more centres, against the least doubt"),
        ([], wall(), 0.0, "over touched steps, against no doubt"),
        (wall()[1:], wall(), 1.0, "over touched steps, against the least doubt"),
    ],
)
def test_the_attempt_that_is_no_more_daring_than_it_must_be_settles_it(facts, touched, doubt, name):
    choice, _, _ = searched(facts, doubt, touched)
    assert choice.attempt.name == name
    assert (choice.risk == 1.0) == choice.attempt.name.startswith("over touched steps")
    assert (choice.risk == 0.0) == (not doubt and not touched)


def test_what_is_remembered_of_steps_and_places_is_what_a_check_finds():
    found, _, search = searched([], 0.0)
    assert found is not None
    assert search.checks._asked
    for step, places in search.checks._asked.items():
        if not isinstance(step, Step):
            continue
        q = GRID.centre(np.array(step.ends))
        balls = {
            place: pack_primitives([sphere(np.array(place), numbers.PLACE_RADIUS)])
            for place in places
        }
        swept = {
            p
            for p, ball in balls.items()
            if not motion_is_free(ARM, build_scene(ARM, ball), q[0], q[1])
        }
        assert search.checks._hits.get(step, set()) == swept
    assert any(search.checks._hits.values())


@pytest.mark.parametrize(("gives_up", "name"), [(True, "over touched steps, against no doubt"),
                                               (False, "to more centres, against the least doubt")])  # fmt: skip
def test_a_path_from_few_centres_is_not_kept_where_more_centres_give_up(gives_up, name):
    """The search over more centres ends after so many rounds, though one over fewer found a path."""
    near, more, touched = [(0, HERE)], [(0, HERE), (1, HERE)], {"a touched step"}

    def shortest(query, exits, closed, certainty):
        is_there = (
            certainty >= 0.95 and not (gives_up and exits == more) if closed else exits == more
        )
        return CellPath(np.array([HERE]), 0) if is_there else None

    search = SimpleNamespace(
        exits=lambda _, kind: {"line": [], "near": near, "all": more}[kind], shortest=shortest
    )
    beliefs = SimpleNamespace(doubted=lambda: touched, facts=set())
    choice = choose_path(
        search, Query(HERE, np.zeros(2), beliefs, CollisionEvidence(np.zeros((2, 2))), set())
    )
    assert choice.attempt.name == name
