"""Planners, responses and beliefs of somebody's own: those of the page, and those that misbehave."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from refusals import refused, refused_by_command

from hopfield_nav import load_run, load_world, simulate
from hopfield_nav.cli.app import main
from hopfield_nav.experiment import Simulation
from hopfield_nav.navigation.planners.own import checked_path
from hopfield_nav.navigation.responses import checked_waypoints
from hopfield_nav.plugin import PLAIN, BelievedMap, Method, MethodFailed, find_method, method_names
from hopfield_nav.plugin.extension import comes_along
from hopfield_nav.world import parse_world

PAGE = Path(__file__).parents[2] / "docs" / "own_methods.md"
WORLD = "u_trap"
HEAD = "import numpy as np\nfrom hopfield_nav.plugin import CollisionEvidence, Method, Parameter\n"
ARM = ["map.shape=[12, 8, 10, 1, 1, 1]", "time_limit=60"]


def example(name: str) -> str:
    """The block of the page whose first line is the comment with a file's name."""
    blocks = re.findall(
        r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    (block,) = [block for block in blocks if block.startswith(f"# {name}\n")]
    return block


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a_star.py", "wall_follower.py"):
        (tmp_path / name).write_text(example(name), encoding="utf-8")
    find_method.cache_clear()
    return tmp_path


def write(name: str, text: str) -> str:
    Path(name).write_text(HEAD + text, encoding="utf-8")
    return name


@pytest.mark.parametrize(
    ("world", "radius"),
    [
        ("u_trap", 1),
        ("u_trap", 3),
        ("over_the_wall", 1),
        ("over_the_wall", 3),
        ("random_cylinders", 2),
    ],
)
def test_the_paths_of_the_page_s_a_star_are_as_short_as_the_network_s(world, radius, here):
    """Whichever of equally short ones it takes."""
    own, network = (
        Simulation(load_world(world, [f"planner={{kind: {kind}, radius: {radius}}}"]))
        for kind in ("a_star.py:PLANNER", "hopfield")
    )
    lengths = [
        np.linalg.norm(np.diff(s.first_motion.cells, axis=0), axis=1).sum() for s in (own, network)
    ]
    assert lengths[0] == pytest.approx(lengths[1])
    assert own.run().outcome == "reached"


@pytest.mark.parametrize("world", ["u_trap", "over_the_wall", "random_cylinders"])
@pytest.mark.parametrize("side", [1, -1])
def test_the_page_s_wall_follower_reaches_the_goal(world, side, here):
    run = simulate(
        load_world(world, [f"explore={{method: wall_follower.py:RESPONSE, side: {side}}}"]), seed=3
    )
    assert run.outcome == "reached"
    assert run.world.explore.parameters == {"side": side}


def test_a_wall_is_followed_on_the_side_that_was_asked_for(here):
    """After the first touch in u_trap, whose wall is met straight on, the two sides go opposite ways."""
    first = []
    for side in (1, -1):
        given = load_world(WORLD, [f"explore={{method: wall_follower.py:RESPONSE, side: {side}}}"])
        simulation = Simulation(given)
        while not simulation.detections:
            simulation.step(0.1)
        cells = simulation.detections[0].path
        first.append(cells[1] - cells[0])
    np.testing.assert_array_equal(first[0], -first[1])


def test_who_gives_up_an_enclosed_goal_rests_on_facts(here):
    run = simulate(
        load_world("enclosed_goal", ["explore=wall_follower.py:RESPONSE", "time_limit=1000"])
    )
    assert (run.outcome, run.summary["no_path_grade"]) == ("no_path", "facts")


def test_on_a_map_of_joint_angles(here):
    """An own planner, an own response and an own belief reach the goal there, too."""
    write("mine.py", (
        "class Wide:\n"
        "    def __init__(self, distance):\n"
        "        self.distance = distance\n"
        "    def believe(self, felt):\n"
        "        assert not felt.believed.against.flags.writeable and not felt.points.flags.writeable\n"
        "        cells = np.zeros(felt.believed.blocked.shape, np.float32)\n"
        "        for point, weight in zip(felt.points, felt.weights):\n"
        "            near = felt.near(point, self.distance)\n"
        "            assert near.dtype == bool and near.shape == cells.shape\n"
        "            cells[near] += weight\n"
        "        return CollisionEvidence(cells)\n"
        "BELIEF = Method('belief', 'wide', Wide, (Parameter('distance', 0.02, 0.0, 0.5, 'm', 'how far'),))\n"
        "class Aside:\n"
        "    def on_touch(self, touch):\n"
        "        assert touch.force.any()\n"
        "        assert abs(np.linalg.norm(touch.direction) - 1.0) < 1e-9\n"
        "        self.told = touch.path(touch.believed.start)\n"
        "        return None if self.told is None or len(self.told) < 2 else self.told[1:2]\n"
        "    def on_rest(self, touch):\n"
        "        return None\n"
        "RESPONSE = Method('response', 'aside', Aside)\n"
    ))  # fmt: skip
    for change in (
        "planner.kind=a_star.py:PLANNER",
        "planner={strategy: mine.py:BELIEF, distance: 0.05}",
        "explore=mine.py:RESPONSE",
    ):
        run = simulate(load_world("whole_arm", [change]), seed=1)
        assert run.outcome == "reached", (change, run.summary["reason"])
        assert run.summary["collision_count"] > 0


def test_the_built_in_ones_are_the_files_of_their_names():
    for kind in PLAIN:
        assert method_names(kind) or (kind == "belief" and not comes_along("belief optimist"))
        for name in method_names(kind):
            method = find_method(kind, name)
            assert (method.kind, method.name) == (kind, name)
            assert method.description


PLANNERS = {
    "raise ValueError('so it is\\nnow')": r"planner 'mine': ValueError: so it is now \(mine.py, line 5\)",
    "raise SystemExit(0)": "planner 'mine': SystemExit: 0",
    "believed.blocked[0] = True": "ValueError: assignment destination is read-only",
    "return [believed.start]": "its path ends at .*, not at a goal",
    "return believed.goals": "its path begins at .*, not at",
    "return np.array([believed.start, *believed.goals])": "no move",
    "return [[0.5, 0.5]]": "no whole numbers",
    "return np.full((2, 3), 1)": r"int64 of shape \(2, 3\), not cells \(k, 2\)",
    "return 'over there'": "not cells",
    "return [believed.start, [-1, 0]]": "leaves the map",
    "return [[np.nan, 1.0]]": "cells that are not finite",
}


def test_a_method_of_the_wrong_signature_is_not_told_by_a_line_of_ours(here):
    write(
        "mine.py",
        "class Mine:\n    def plan(self):\n        return None\nPLANNER = Method('planner', 'mine', Mine)\n",
    )
    reason = simulate(load_world(WORLD, ["planner={kind: mine.py:PLANNER}"])).summary["reason"]
    assert (
        "planner 'mine': TypeError: Mine.plan() takes 1 positional argument but 2 were given; world"
        in reason
    )


@pytest.mark.parametrize(("body", "words"), PLANNERS.items(), ids=list(PLANNERS))
def test_a_planner_that_misbehaves_ends_the_run_in_one_line(body, words, here):
    write("mine.py", f"class Mine:\n    def plan(self, believed):\n        {body}\n"
                     "PLANNER = Method('planner', 'mine', Mine)\n")  # fmt: skip
    run = simulate(load_world(WORLD, ["planner={kind: mine.py:PLANNER}"]))
    assert run.outcome == "method_failed"
    reason = run.summary["reason"]
    assert re.search(words, reason)
    assert reason.endswith("world u_trap, after 0 touches, at 0 s")
    assert "\n" not in reason
    assert run.data.sizes["time"] == 1


def test_a_path_through_what_is_known_or_proven_is_none():
    blocked = np.zeros((4, 4), dtype=bool)
    blocked[2, 0] = True
    moves = np.array([[1, 0], [-1, 0], [0, 1], [0, -1]])
    closed, certainty = np.array([[[0, 0], [0, 1]], [[1, 1], [1, 2]]]), np.array([0.9, 1.0])
    asked = BelievedMap(
        blocked, np.zeros((4, 4)), closed, certainty, (0, 0), np.array([[3, 0], [1, 3]]), moves
    )
    with refused(r"leads through \[2, 0\], known to be blocked", MethodFailed):
        checked_path([[0, 0], [1, 0], [2, 0], [3, 0]], asked)
    for there in (1, -1):  # in either direction
        with refused(r"proven to be closed", MethodFailed):
            checked_path(
                [[0, 0], [0, 1], [1, 1], [1, 2], [1, 3]][::1], asked
            ) if there == 1 else checked_path(
                [[0, 0], [0, 1], [0, 2], [1, 2], [1, 1], [1, 2], [1, 3]], asked
            )
    doubted = [[0, 0], [0, 1], [0, 2], [0, 3], [1, 3]]
    np.testing.assert_array_equal(checked_path(doubted, asked), doubted)  # a belief may be doubted
    assert checked_path(None, asked) is None


WAYS = {
    "[[3, 0]]": r"leads through \[2, 0\]",
    "[[0, 9]]": "leaves the map",
    "[[3.5, 0]]": "leaves the map",  # on the edge, which a cell beyond it has
    "[]": "not waypoints",
    "[[np.inf, 0]]": "not finite",
    "[1, 2]": r"of shape \(2,\)",
}


@pytest.mark.parametrize(("answer", "words"), WAYS.items(), ids=list(WAYS))
def test_a_way_that_is_none(answer, words):
    blocked = np.zeros((4, 4), dtype=bool)
    blocked[2, 0] = True
    none = np.zeros((0, 2, 2), dtype=int)
    asked = BelievedMap(
        blocked, np.zeros((4, 4)), none, np.zeros(0), (0, 0), np.array([[3, 0]]), np.zeros((0, 2))
    )
    with refused(words, MethodFailed):
        checked_waypoints(eval(answer, {"np": np}), asked)


@pytest.mark.parametrize(
    "world", [[WORLD], pytest.param(["whole_arm"], marks=pytest.mark.needs("whole_arm"))]
)
def test_a_response_that_raises_after_some_touches_keeps_the_record(world, here, capsys):
    write("mine.py", (
        "class Mine:\n    count = 0\n    def on_touch(self, touch):\n"
        "        self.count += 1\n        if self.count > 1:\n            raise KeyError('second')\n"
        "    def on_rest(self, touch):\n        return None\n"
        "RESPONSE = Method('response', 'mine', Mine)\n"
    ))  # fmt: skip
    arguments = [
        "run",
        *world,
        "--set",
        "explore=mine.py:RESPONSE",
        "--seed",
        "1",
        "--no-plots",
        "--out",
        "kept",
    ]
    assert main(arguments) == 2
    (line,) = [x for x in capsys.readouterr().err.splitlines() if "KeyError" in x]
    assert "response 'mine': KeyError: 'second' (mine.py, line 8)" in line
    assert f"world {world[0]}, after" in line
    summary = json.loads(Path("kept/summary.json").read_text(encoding="utf-8"))
    assert summary["outcome"] == "method_failed"
    assert load_run("kept").data.sizes["time"] > 1000


BELIEFS = {
    "return 3": "answers int, not CollisionEvidence",
    "return CollisionEvidence(np.zeros(3))": r"shape \(3,\), not numbers of shape",
    "return CollisionEvidence(np.full(felt.believed.blocked.shape, -1.0))": "below 0",
    "return CollisionEvidence(np.full(felt.believed.blocked.shape, np.nan))": "below 0",
    "return CollisionEvidence(felt.believed.blocked.astype(str))": "not numbers",
    "return CollisionEvidence(felt.believed.blocked, at_last=np.zeros(3))": r"shape \(3,\), not numbers of shape",
    "felt.points[0] = 0.0": "read-only|out of bounds",
}


@pytest.mark.parametrize(("body", "words"), BELIEFS.items(), ids=list(BELIEFS))
def test_a_belief_that_misbehaves(body, words, here):
    write("mine.py", f"class Mine:\n    def believe(self, felt):\n        {body}\n"
                     "BELIEF = Method('belief', 'mine', Mine)\n")  # fmt: skip
    run = simulate(
        load_world(
            "whole_arm", ["planner={strategy: mine.py:BELIEF}", "map.shape=[12, 8, 10, 1, 1, 1]"]
        )
    )
    assert run.outcome == "method_failed"
    assert re.search(words, run.summary["reason"])


def test_what_is_believed_until_too_much_would_be_risked_is_let_go(here):
    """Doubt of every cell alike: with more than an even chance it is as if there were none, with less it is not."""
    ran = {}
    for name, answer in {
        "alone": "CollisionEvidence(felt.believed.against)",
        "surely": "CollisionEvidence(np.full(felt.believed.blocked.shape, 0.7), at_last=felt.believed.against)",
        "hardly": "CollisionEvidence(np.full(felt.believed.blocked.shape, 0.6), at_last=felt.believed.against)",
    }.items():
        write(f"{name}.py", f"class Mine:\n    def believe(self, felt):\n        return {answer}\n"
                            "BELIEF = Method('belief', 'mine', Mine)\n")  # fmt: skip
        change = [
            f"planner={{strategy: {name}.py:BELIEF}}",
            "map.shape=[12, 8, 10, 1, 1, 1]",
            "time_limit=30",
        ]
        ran[name] = simulate(load_world("whole_arm", change))
    assert ran["alone"].summary["collision_count"] > 0
    np.testing.assert_array_equal(ran["surely"].data.q, ran["alone"].data.q)
    assert (
        ran["hardly"].data.q.shape != ran["alone"].data.q.shape
        or (ran["hardly"].data.q != ran["alone"].data.q).any()
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "planner: {kind: mine.py:PLANNER, weight: 11}",
            "planner.weight.*11.*at most 10|planner.weight.*0 to 10",
        ),
        ("planner: {kind: mine.py:PLANNER, wieght: 1}", "planner.wieght.*Did you mean 'weight'"),
        ("planner: {kind: mine.py:PLANER}", "mine.py has no planner of that name; found 'PLANER'"),
        ("explore: mine.py:PLANNER", "mine.py has no response of that name"),
        ("planner: {kind: none.py:PLANNER}", "planner.kind: no such file"),
        pytest.param(
            "planner: {strategy: felt_pionts}",
            "planner.strategy: unknown belief.*Did you mean 'felt_points'",
            marks=pytest.mark.needs("whole_arm"),
        ),
        (
            "planner: {kind: mine.py:PLANNER, beta: 0.1}",
            "planner.beta: only planner hopfield has it",
        ),
        (
            "explore: mine.py:RESPONSE\ndetection: {mark: actual}",
            "explore.method.*detection.mark: felt",
        ),
    ],
)
def test_faults_of_a_world_that_names_one(text, words, here):
    write("mine.py", "class Mine:\n    pass\nPLANNER = Method('planner', 'mine', Mine, "
                     "(Parameter('weight', 1.0, 0.0, 10.0, '1', 'of the goal'),))\n"
                     "RESPONSE = Method('response', 'mine', Mine)\n")  # fmt: skip
    with refused(words):
        parse_world(f"format: 1\n{text}\n", folder=here)


def test_a_file_elsewhere_is_executed_only_if_it_is_trusted(here, monkeypatch):
    (here / "there").mkdir()
    monkeypatch.chdir(here / "there")
    text = "format: 1\nplanner: {kind: a_star.py:PLANNER}\n"
    with refused("planner.kind: names a Python file, which would be executed"):
        parse_world(text, folder=here)
    given = parse_world(text, folder=here, allow_code=True)
    assert parse_world(given.to_yaml(here), folder=here, allow_code=True) == given
    assert "kind: ../a_star.py:PLANNER" in given.to_yaml(here / "there")


def test_a_command_refuses_a_fault(here, capsys):
    refused_by_command(
        capsys, ["run", WORLD, "--set", "planner.kind=a_star.py:PLANER"], "no planner of that name"
    )


def test_a_run_that_is_interrupted_keeps_its_record(here, capsys):
    write("mine.py", (
        "class Mine:\n    def on_touch(self, touch):\n        raise KeyboardInterrupt\n"
        "RESPONSE = Method('response', 'mine', Mine)\n"
    ))  # fmt: skip
    assert (
        main(["run", WORLD, "--set", "explore=mine.py:RESPONSE", "--no-plots", "--out", "kept"])
        == 130
    )
    assert "interrupted at" in capsys.readouterr().err
    kept = load_run("kept")
    assert (kept.outcome, kept.summary["reason"]) == ("running", "interrupted")
    assert kept.data.sizes["time"] > 1000


def test_a_method_is_made_once_a_run_and_with_its_parameters():
    made = Method("planner", "mine", dict, ())
    assert made.made({"foreign": 3}) == {}
