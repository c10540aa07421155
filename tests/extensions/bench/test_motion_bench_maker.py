"""MotionBenchMaker's problems from an archive in their format that the tests write, and results of others."""

from __future__ import annotations

import io
import json
import math
import tarfile
from pathlib import Path

import motion_bench_maker_seen as seen
import numpy as np
import pytest
import yaml
from refusals import refused, refused_by_command

from dynamics import load_arm
from hopfield_nav.build import all_solids, build_arm
from hopfield_nav.cli.app import main
from hopfield_nav.extensions.bench import (
    find_problem,
    join_results,
    keep_problems,
    load_suite,
    problems,
)
from hopfield_nav.figures.solid.faces import arm_outline
from hopfield_nav.sweeps import parse_line
from hopfield_nav.world import parse_world

START, GOAL = [1.57, -1.5707, 0.3, -1.5707, -1.57, 3.14], [1.2, -1.4, 0.5, -1.5707, -1.57, 3.14]


def scene(*objects):
    return {"world": {"collision_objects": list(objects)}}


def thing(kind, dimensions, position, orientation=(0, 0, 0, 1), **more):
    pose = {"position": list(position), "orientation": list(orientation)}
    primitive = {"type": kind, "dimensions": dimensions}
    return {"id": kind, "primitives": [primitive], "primitive_poses": [pose], **more}


def request(start=START, goal=GOAL):
    names = list(problems.JOINTS)
    # joints in another order, with one of the gripper
    state = {"name": ["finger", *names[::-1]], "position": [0.0, *start[::-1]]}
    joints = [{"joint_name": n, "position": q} for n, q in zip(names, goal, strict=True)]
    return {
        "start_state": {"joint_state": state},
        "goal_constraints": [{"joint_constraints": joints}],
    }


def test_the_hand_of_the_problems_arm_goes_on_beyond_its_flange():
    outline = arm_outline(load_arm(seen.ARM))
    along = outline.faces[outline.link == outline.link.max()][..., 2]
    assert along.max() == pytest.approx(0.1898, abs=1e-3)


FAR = thing("box", [0.1, 0.2, 0.3], [3.0, 0.0, 1.0])


def written(files, path="problems.tar.bz2", mode="w:bz2"):
    """An archive of named texts, or of what is dumped as YAML."""
    with tarfile.open(path, mode) as tar:
        for name, data in files.items():
            text = data if isinstance(data, bytes) else yaml.safe_dump(data).encode()
            member = tarfile.TarInfo(name)
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text))
    return Path(path)


def pair(family="cage", number=1, objects=(FAR,), **ends):
    folder = f"problems/{family}_ur5"
    return {
        f"{folder}/scene{number:04d}.yaml": scene(*objects),
        f"{folder}/request{number:04d}.yaml": request(**ends),
    }


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(problems, "_kept_file", lambda: tmp_path / "kept.json")
    problems._kept.cache_clear()
    yield tmp_path
    problems._kept.cache_clear()


def test_a_problem_stands_where_the_arm_has_it(here):
    """A sphere in the palm of the gripper at the goal, in the scene's axes, is where frame 0 has it."""
    quarter = [0.0, 0.0, math.sin(math.pi / 4), math.cos(math.pi / 4)]
    objects = (
        thing("sphere", [0.05], [0.3, 0.1, 1.0]),
        thing(
            "box",
            [0.1, 0.2, 0.3],
            [0.2, 0.0, 0.0],
            pose={"position": [0.5, 0.0, 1.0], "orientation": quarter},
        ),
        thing("cylinder", [0.4, 0.03], [0.0, 0.6, 0.9]),
    )
    assert keep_problems(written(pair(objects=objects))) == 1
    problem = find_problem("cage", 1)
    assert (problem.start, problem.goal) == (START, GOAL)
    world = parse_world(json.dumps({
        "format": 1, "map": {"space": "joints"}, "goal": {"joints": GOAL}, "obstacles": problem.obstacles,
    }))  # fmt: skip
    sphere, box, cylinder = (entry.solids[0] for entry in world.obstacles)
    turn = 1.57 + math.pi  # of the arm's base in ur5.urdf, and of frame 0 in its base_link
    base = np.array(
        [[math.cos(turn), -math.sin(turn), 0], [math.sin(turn), math.cos(turn), 0], [0, 0, 1]]
    )

    def in_scene(point):
        return base @ point + [0.0, 0.0, 0.9144]

    assert in_scene(sphere.center) == pytest.approx([0.3, 0.1, 1.0])
    assert in_scene(box.center) == pytest.approx([0.5, 0.2, 1.0])
    assert np.abs(base @ np.array(box.rotation)) == pytest.approx(
        np.array([[0, 1, 0], [1, 0, 0], [0, 0, 1]])
    )
    assert in_scene([*cylinder.center, np.mean(cylinder.height)]) == pytest.approx(
        [0.0, 0.6, 0.9], abs=1e-9
    )
    assert np.diff(cylinder.height) == pytest.approx(0.4)
    assert cylinder.radius == 0.03


class Recorded:
    """In VAMP's place: what is added stays as it was given."""

    Environment = lambda self: self  # noqa: E731

    def __init__(self):
        self.added = []

    def __getattr__(self, name):
        return lambda *given: self.added.append((name, given)) if name.startswith("add_") else given


def test_a_planner_that_sees_is_told_the_scene_as_its_maker_wrote_it(here):
    objects = (
        thing("sphere", [0.05], [0.3, 0.1, 1.0]),
        thing("box", [0.1, 0.2, 0.3], [0.5, 0.2, 1.0], [0.0, 0.0, math.sin(0.2), math.cos(0.2)]),
        thing("cylinder", [0.4, 0.03], [0.0, 0.6, 0.9]),
    )
    keep_problems(written(pair("cage", objects=objects) | pair("box", objects=objects)))
    told = {}
    for family in ("cage", "box"):
        entries = {"format": 1, "map": {"space": "joints"}, "goal": {"joints": GOAL},
                   "obstacles": find_problem(family, 1).obstacles}  # fmt: skip
        case = seen.Case(
            family, None, None, START, GOAL, all_solids(parse_world(json.dumps(entries)))
        )
        added = seen.surroundings(Recorded(), case).added
        told[family] = [
            (name, np.concatenate([np.ravel(part) for part in given[0]])) for name, given in added
        ]
    sphere, box = [0.3, 0.1, 1.0, 0.05], [0.5, 0.2, 1.0, 0.0, 0.0, 0.4, 0.05, 0.1, 0.15]
    for wanted, (name, given) in zip(
        [("add_sphere", sphere), ("add_cuboid", box), ("add_capsule", [0.0, 0.6, 0.9, 0, 0, 0, 0.03, 0.4])],
        told["cage"], strict=True,
    ):  # fmt: skip
        assert (wanted[0], given) == (name, pytest.approx(wanted[1], abs=1e-9))
    assert [name for name, _ in told["box"]] == ["add_sphere", "add_cuboid", "add_cuboid"]
    assert told["box"][2][1] == pytest.approx([0.0, 0.6, 0.9, 0, 0, 0, 0.03, 0.03, 0.2], abs=1e-9)


def test_every_plan_of_a_problem_is_judged(here, monkeypatch):
    keep_problems(written(pair("box", objects=[thing("box", [0.2, 0.3, 0.02], [0.0, 0.7, 1.0])])))
    monkeypatch.setattr(
        seen,
        "METHODS",
        {"all": seen.ours, "drawn": seen.sampling, "none": lambda _: seen.Found(None, 1.0)},
    )
    rows = [seen.compared(load_arm(seen.ARM), "box", 1)]
    for method in ("all", "drawn"):
        _, length, least, proven = rows[0][method]
        assert length >= np.linalg.norm(np.subtract(GOAL, START)) - 1e-9
        assert least > 0.0
        assert proven
    assert seen.line_of("box", "drawn", rows)[:2] == ["box: drawn", "1 of 1"]
    assert seen.line_of("box", "none", rows) == ["box: none", "0 of 1", *["–"] * 7]


def test_the_source_package_holds_the_same_archive(here):
    inner = written(pair()).read_bytes()
    package = written(
        {"vamp/environment.yaml": b"a: 1", f"vamp/{problems.INNER}": inner}, "vamp.tar.gz", "w:gz"
    )
    assert keep_problems(package) == 1
    assert find_problem("cage", 1).goal == GOAL


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"problems/cage_ur5/scene0001.yaml": scene(FAR)}, "cage 1.*scene or request is missing"),
        ({**pair(), "../../evil.yaml": b"a: 1"}, "evil.yaml: no scene and no request"),
        (
            pair(objects=[thing("mesh", [1.0], [0, 0, 0])]),
            "scene0001.yaml: neither box, sphere nor upright",
        ),
        (
            pair(objects=[thing("cylinder", [0.4, 0.03], [0, 0, 0], [0.5, 0, 0, 0.866])]),
            "scene0001.yaml: neither box, sphere nor upright cylinder",
        ),
        (
            pair(objects=[thing("box", [0.1, 0.2], [0, 0, 0])]),
            "scene0001.yaml: not as MoveIt writes it",
        ),
        (pair(objects=[thing("sphere", [float("nan")], [0, 0, 0])]), "scene0001.yaml"),
        (
            pair(objects=[thing("box", [1, 1, 1], [0, 0, 0], [0, 0, 0, 0])]),
            "scene0001.yaml: not as MoveIt",
        ),
        (pair(objects=[FAR] * 201), "scene0001.yaml: more than 200 solids"),
        (pair(start=[90.0] * 6), "request0001.yaml: joint angles beyond a turn"),
        (pair(start=[float("nan")] * 6), "request0001.yaml: joint angles beyond a turn"),
        (
            {**pair(), "problems/box_ur5/scene0001.yaml": b"[" * 100_000},
            "box_ur5/scene0001.yaml: not as MoveIt",
        ),
        ({"problems/readme.txt": b"none"}, "no problems in it"),
    ],
)
def test_files_that_cannot_be_used_are_told_one_a_line(files, words, here):
    with refused(words):
        keep_problems(written(files))
    assert not Path("kept.json").exists()


def test_what_is_no_archive_is_told_and_nothing_is_unpacked(here, monkeypatch, capsys):
    Path("text.tar").write_text("no archive", encoding="utf-8")
    whole = written(pair()).read_bytes()
    Path("cut.tar.bz2").write_bytes(whole[: len(whole) // 2])
    bench = ["bench", "motion_bench_maker", "--problems"]
    refused_by_command(capsys, [*bench, "text.tar"], "not an archive, or damaged")
    refused_by_command(capsys, [*bench, "cut.tar.bz2"], "not an archive, or damaged")
    refused_by_command(capsys, [*bench, "none.tar"], "no such file")
    monkeypatch.setattr(problems, "_READ", 100)
    refused_by_command(capsys, [*bench, "problems.tar.bz2"], "too large for the problems")
    assert sorted(path.name for path in here.iterdir()) == [
        "cut.tar.bz2",
        "problems.tar.bz2",
        "text.tar",
    ]


def test_every_bad_file_has_its_line(here, capsys):
    files = pair(objects=[thing("mesh", [1.0], [0, 0, 0])]) | pair("box", 2, start=[90.0] * 6)
    assert main(["bench", "motion_bench_maker", "--problems", str(written(files))]) == 2
    lines = [line for line in capsys.readouterr().err.splitlines() if "problems.tar.bz2" in line]
    assert len(lines) == 2


def test_without_problems_the_command_says_where_they_are(here):
    suite = load_suite("motion_bench_maker", families=["cage tune"])
    with refused("--problems FILE once"):
        suite.start(suite.job(0))


@pytest.fixture
def kept(here):
    """A free problem, and one whose goal is inside a box, in the tune half; a free one in the test half."""
    files = pair() | pair("cage", 51)
    touched = thing("box", [0.3, 0.3, 0.3], [0.0, 0.0, 0.9144 + 0.9])
    keep_problems(written(files | pair("cage", 2, objects=[touched])))


def test_a_problem_is_a_world_and_one_that_touches_is_named_and_not_counted(kept):
    suite = load_suite("motion_bench_maker", worlds=2, families=["cage *"])
    jobs = {
        (j.values["family"], j.seed): j
        for j in map(suite.job, range(suite.count))
        if j.values["method"] == "felt_points"
    }
    assert set(jobs) == {("cage tune", 1), ("cage tune", 2), ("cage test", 51), ("cage test", 52)}
    simulation = suite.start(jobs["cage tune", 1])
    assert simulation.q == pytest.approx(START)
    assert simulation.world.goal.joints == tuple(GOAL)
    assert not simulation.world.known
    assert len(build_arm(simulation.world).capsules) == 16
    row = suite.start(jobs["cage tune", 2]).run().summary
    assert row["outcome"] == "not run"
    assert row["counts"] == 0
    assert "touches box" in row["reason"]


OTHERS = """family,condition,method,seed,outcome,collision_count,simulated_time_s
"cage tune",right model,theirs,1,reached,3,12.5
"cage tune",right model,theirs,2,reached,0,1.5
"cage tune",right model,theirs,40,reached,0,1.5
"""


def test_results_of_others_stand_in_the_same_table(kept, capsys, monkeypatch):
    # tests of a bench ask for them
    monkeypatch.setattr("hopfield_nav.extensions.bench.commands.bench.VIEWS", 0)
    Path("others.csv").write_text(OTHERS, encoding="utf-8")
    arguments = [
        "bench",
        "motion_bench_maker",
        "--family",
        "cage tune",
        "--worlds",
        "2",
        "--workers",
        "0",
    ]
    assert main([*arguments, "--results", "others.csv", "--out", "out"]) == 0
    head, *lines = map(parse_line, Path("out/table.csv").read_text(encoding="utf-8").splitlines())
    rows = [dict(zip(head, line, strict=True)) for line in lines]
    theirs = [row for row in rows if row["method"] == "theirs"]
    # the world that was not run here is left out, and what counts is ours to say
    assert [(r["seed"], r["counts"], r["collision_count"]) for r in theirs] == [
        (1, 1, 3),
        (2, 0, 0),
    ]
    method = "felt_points without approach"  # straight there
    ours = next(r for r in rows if r["method"] == method and r["condition"] == "right model")
    assert ours["outcome"] == "reached"
    assert ours["processor_time_s"] > 0.0
    assert ours["path_rad"] == pytest.approx(np.linalg.norm(np.subtract(GOAL, START)), rel=0.1)
    told = capsys.readouterr().err
    assert "1 results of others are left out: no run in their world (family cage tune" in told
    page = Path("out/report.html").read_text(encoding="utf-8")
    assert "<td>theirs<td>" in page  # without a version
    assert "theirs beside felt_points" in page


@pytest.fixture(scope="module")
def suite():
    return load_suite("motion_bench_maker")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("outcome", "outcom", "line 1.*a column is missing.*outcome"),
        (
            "collision_count",
            "collisions",
            "line 1.*found .collisions.*Did you mean 'collision_count'",
        ),
        ("collision_count", "counts", "line 1.*no such column.*found .counts"),
        (
            "theirs,1,reached",
            "theirs,1,arrived",
            "line 2, outcome: unknown; found .arrived.*reached, no_path",
        ),
        ("theirs,1", "omniscient,1", "line 2, method: a method of the suite"),
        ("theirs,2", "theirs,1", "line 3: this world has a row of this method already"),
        ("reached,3,", "reached,-3,", "line 2, collision_count: no number; found -3"),
        (
            "reached,3,",
            "reached,0.5,",
            "line 2, collision_count: no number; found 0.5; allowed: a count",
        ),
        ("12.5", "nan", "line 2, simulated_time_s: no number"),
        ("12.5", "twelve", "line 2, simulated_time_s: no number; found .twelve"),
        (",12.5", "", "line 2: not as many cells"),
        (
            '"cage tune",right model,theirs,1',
            "caje,right model,theirs,1",
            "line 2, family: unknown; found .caje",
        ),
    ],
)
def test_faults_of_results(old, new, words, suite, here):
    assert old in OTHERS
    Path("others.csv").write_text(OTHERS.replace(old, new, 1), encoding="utf-8")
    with refused(words):
        join_results(suite, [], [Path("others.csv")])


def test_families_and_seeds_that_are_refused(here, capsys):
    bench = ["bench", "motion_bench_maker"]
    refused_by_command(
        capsys, [*bench, "--family", "shelf*"], "--family: no such family; found 'shelf*'"
    )
    refused_by_command(capsys, [*bench, "--seeds", "fresh"], "counted, not drawn")
    refused_by_command(capsys, [*bench, "--results", "none.csv"], "no table of results")
    Path("empty.csv").write_text(OTHERS.splitlines()[0] + "\n", encoding="utf-8")
    refused_by_command(
        capsys, [*bench, "--results", "empty.csv"], "no results; found 'a first line alone'"
    )
    twice = ["--method", "a=a.yaml", "--method", "a=b.yaml"]
    refused_by_command(capsys, [*bench, *twice], "--method: two methods of one name; found 'a'")


def test_results_in_families_that_were_not_chosen_are_left_out_too(here):
    Path("others.csv").write_text(OTHERS, encoding="utf-8")
    suite = load_suite("motion_bench_maker", families=("box tune",))
    assert len(join_results(suite, [], [Path("others.csv")])[2]) == 3
