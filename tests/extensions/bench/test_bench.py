"""A bench: suites as they are read, their rows, those that come along, and what is made of them."""

from __future__ import annotations

import csv
import gzip
import html.parser
import json
import math
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from benches import any_suite, write_shipped
from refusals import refused, refused_by_command

from hopfield_nav import load_run, load_world, simulate
from hopfield_nav.cli.app import main
from hopfield_nav.extensions.bench import (
    find_suite,
    has_path,
    join_results,
    list_suites,
    load_suite,
    read_shipped,
    shipped_file,
    shipped_worlds,
    write_results,
)
from hopfield_nav.extensions.bench.rows import with_version
from hopfield_nav.extensions.bench.tables import curves, most_different, pair_table, reached_table
from hopfield_nav.sweeps import execute, read_rows

SUITE = """
format: 1
description: Two families in two conditions.
families:
  traps: {world: u_trap, set: {time_limit: 8}}
  cylinders: {world: random_cylinders, set: {time_limit: 8}}
conditions:
  default: {}
  coarse: {trajectory.time_per_cell: 0.25}
methods:
  replan: {explore: replan}
  slide: {explore: slide}
worlds: 2
seed: 5
oracle: {margin: 0.005}
"""
OWN = """
from hopfield_nav.experiment import Simulation
from hopfield_nav.plugin import Measures, Method


def quiet(world, seed):
    return world.with_changes(obstacles=())


def believed(world, seed):
    simulation = Simulation(world, seed)
    simulation.navigator.beliefs.believe_occupied((5, 5), 0.9)
    return simulation


def row(world, seed):
    return {"outcome": "reached", "simulated_time_s": float(seed)}


def even(world):
    return world.seed % 2 == 0


class Fails:
    def on_touch(self, touch):
        raise ValueError("no idea")
    on_rest = on_touch


RESPONSE = Method("response", "fails", Fails)
MEASURES = Measures(lambda run: {"cells": len(run.world.obstacles)}, {"cells": "1"})
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("suite.yaml").write_text(SUITE, encoding="utf-8")
    Path("own.py").write_text(OWN, encoding="utf-8")
    Path("mine.yaml").write_text("explore: follow\n", encoding="utf-8")
    Path("table.xls").write_bytes(b"\xd0\xcf\x11\xe0")
    return tmp_path


def rows_of(suite, folder):
    return with_version(read_rows(execute(suite, folder, workers=0), suite), suite)


def changed(text):
    Path("suite.yaml").write_text(text, encoding="utf-8")
    return load_suite("suite.yaml")


@pytest.fixture(scope="module")
def all_rows(tmp_path_factory):
    """The rows of the whole suite, which no test changes."""
    folder = tmp_path_factory.mktemp("suite")
    (folder / "suite.yaml").write_text(SUITE, encoding="utf-8")
    return rows_of(load_suite(str(folder / "suite.yaml")), folder / "rows")


def test_a_row_is_the_run_of_its_world(here, all_rows):
    assert load_suite("suite.yaml").count == 16
    rows = all_rows
    assert [r["seed"] for r in rows[:4]] == [5, 6, 5, 6]
    row = rows[-1]
    assert (row["family"], row["condition"], row["method"], row["seed"]) == (
        "cylinders",
        "coarse",
        "slide",
        6,
    )
    changes = ["trajectory.time_per_cell=0.25", "explore=slide", "time_limit=8", "record.every=5"]
    run = simulate(load_world("random_cylinders", changes), seed=6)
    assert row["simulated_time_s"] == run.summary["simulated_time_s"]
    assert row["counts"] == int(has_path(run.world, 0.005))
    way = np.linalg.norm(np.diff(run.data.tool_position.values, axis=0), axis=1).sum()
    assert row["way_m"] == pytest.approx(way, rel=1e-12)


def test_the_command_writes_table_and_page(here, capsys):
    assert main(["bench", "suite.yaml", "--worlds", "1", "--method", "mine=mine.yaml", "--workers", "0",
                 "--out", "out"]) == 0  # fmt: skip
    with Path("out/table.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [r["method"] for r in rows[:3]] == ["replan", "slide", "mine"]
    assert len(rows) == 12
    page = Path("out/report.html").read_text(encoding="utf-8")
    for words in (
        "traps, default",
        "mine beside replan: cylinders, coarse",
        "Where they differ most",
    ):
        assert re.search(f"<h2 id=\\d+>{words}", page)
    views = {path.name for path in Path("out/views").glob("*.html")}
    assert views
    assert all(f"views/{name}" in page for name in views)

    class Links(html.parser.HTMLParser):
        def handle_starttag(self, tag, attributes):
            assert tag not in ("script", "link", "img")
            for name, value in attributes:
                if name == "href" and value.startswith("#"):
                    assert f" id={value[1:]}>" in page
                elif name == "href":
                    assert (Path("out") / value).is_file()

    Links().feed(page)


def test_what_was_interrupted_goes_on_to_the_same_table(here, monkeypatch):
    arguments = ["bench", "suite.yaml", "--worlds", "1", "--workers", "0", "--out"]
    assert main([*arguments, "whole"]) == 0
    from hopfield_nav.sweeps.job import run_job

    left = [3]

    def interrupted(sweep, index, folder):
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        return run_job(sweep, index, folder)

    monkeypatch.setattr("hopfield_nav.sweeps.run.run_job", interrupted)
    assert main([*arguments, "parts"]) == 130
    left[0] = 2
    assert main([*arguments, "parts", "--resume"]) == 130
    left[0] = 100
    assert main([*arguments, "parts", "--resume"]) == 0
    for name in ("table.csv", "report.html"):
        assert Path("parts", name).read_bytes() == Path("whole", name).read_bytes()


def test_shipped_rows_stand_beside_those_of_a_method(here, all_rows, capsys):
    suite = load_suite("suite.yaml")
    rows, kept = all_rows, here / "suite.csv.gz"
    assert shipped_file(here / "suite.yaml") == kept
    write_shipped(suite, rows, kept)
    assert read_shipped(suite, kept) == rows
    assert shipped_worlds(suite, rows) == 2
    write_shipped(suite, [{**rows[0], "version": "0.0.1"}, *rows[1:]], kept)
    arguments = ["bench", "suite.yaml", "--method", "mine=mine.yaml", "--workers", "0"]
    assert main([*arguments, "--out", "out"]) == 0
    assert "rows that come along: replan, slide, 2 worlds" in capsys.readouterr().err
    assert {r["method"] for r in read_rows("out/rows")} == {"mine"}
    assert "replan (version" in Path("out/report.html").read_text(encoding="utf-8")
    assert main([*arguments, "--again", "--worlds", "1", "--out", "again"]) == 0
    assert {r["method"] for r in read_rows("again/rows")} == {"replan", "slide", "mine"}
    assert main([*arguments, "--seeds", "fresh", "--worlds", "1", "--out", "fresh"]) == 0
    fresh = read_rows("fresh/rows")
    assert {r["method"] for r in fresh} == {"replan", "slide", "mine"}
    assert len({r["seed"] for r in fresh}) == 1
    assert fresh[0]["seed"] != 5
    changed(SUITE.replace("  slide:", "  another:"))
    assert {r["method"] for r in read_shipped(load_suite("suite.yaml"), kept)} == {"replan"}
    changed(
        SUITE.replace(
            "coarse: {trajectory.time_per_cell: 0.25}", "coarse: {trajectory.time_per_cell: 0.3}"
        )
    )
    assert read_shipped(load_suite("suite.yaml"), kept) == []


def test_a_method_meets_as_many_worlds_as_come_along_unless_more_are_asked_for(here):
    changed(SUITE.replace("worlds: 2", "worlds: 1"))
    suite = load_suite("suite.yaml")
    write_shipped(suite, rows_of(suite, here / "rows"), here / "suite.csv.gz")
    changed(SUITE.replace("  coarse: {trajectory.time_per_cell: 0.25}\n", ""))
    assert read_shipped(load_suite("suite.yaml"), here / "suite.csv.gz") == []
    changed(SUITE)  # of two worlds
    arguments = ["bench", "suite.yaml", "--method", "mine=mine.yaml", "--workers", "0"]
    for more, methods, count in (
        ([], {"mine"}, 4),
        (["--worlds", "2"], {"replan", "slide", "mine"}, 24),
    ):
        assert main([*arguments, *more, "--out", f"out{count}"]) == 0
        rows = read_rows(f"out{count}/rows")
        assert ({r["method"] for r in rows}, len(rows)) == (methods, count)
    assert load_suite("suite.yaml").of(1).suite.worlds == 1


@pytest.mark.parametrize(
    "damage",
    [b"", b"version,family\n", gzip.compress(b"\xff", mtime=0), gzip.compress(b"a", mtime=0)[:-9]],
)
def test_damaged_rows_that_come_along_are_refused(damage, here):
    (here / "suite.csv.gz").write_bytes(damage)
    with refused("not the rows of a suite.*|.*suite.csv.gz"):
        read_shipped(load_suite("suite.yaml"), here / "suite.csv.gz")


def killed(arguments, rows, enough):
    """Start a bench, and kill it with its workers as soon as there are so many rows."""
    process = subprocess.Popen(
        [sys.executable, "-m", "hopfield_nav", *arguments], start_new_session=True
    )
    try:
        for _ in range(6000):
            if rows.is_file() and rows.read_bytes().count(b"\n") > enough:
                break
            assert process.poll() is None, "it has ended before it could be killed"
            time.sleep(0.02)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test_a_bench_that_is_killed_twice_and_resumed_gives_the_same_to_the_byte(here):
    suite = load_suite("suite.yaml")
    assert main(["bench", "suite.yaml", "--workers", "0", "--out", "whole"]) == 0
    arguments = ["bench", "suite.yaml", "--workers", "1", "--out", "parts"]
    rows = here / "parts" / "rows" / "sweep.csv"
    killed(arguments, rows, 2)
    killed([*arguments, "--resume"], rows, 5)
    assert 5 <= len(read_rows(rows.parent)) < suite.count
    assert main([*arguments[:2], "--workers", "0", "--out", "parts", "--resume"]) == 0
    for name in ("table.csv", "report.html"):
        assert Path("parts", name).read_bytes() == Path("whole", name).read_bytes()


def test_a_world_is_run_by_all_methods_before_the_next(here):
    suite = load_suite(here / "suite.yaml")
    order = list(suite.order())
    assert sorted(order) == list(range(suite.count))
    worlds = [(*list(job.values.values())[:2], job.repeat) for job in map(suite.job, order)]
    assert [
        world for world, after in zip(worlds, [*worlds[1:], None], strict=True) if world != after
    ] == worlds[::2]


def test_setups_an_own_oracle_and_measures(here):
    suite = changed("""
format: 1
families:
  quiet: {world: random_cylinders, setup: "own.py:quiet"}
  believed: {world: u_trap, setup: "own.py:believed"}
  row: {world: u_trap, setup: "own.py:row"}
methods: {replan: {}}
worlds: 2
oracle: {own: "own.py:even"}
measures: own.py:MEASURES
""")
    rows = rows_of(suite, here / "rows")
    assert [r["counts"] for r in rows] == [1, 0, 1, 0, 1, 0]
    assert [r["collision_count"] for r in rows[:2]] == [0, 0]
    assert rows[0]["cells"] == 0
    assert rows[2]["cells"] > 0
    assert [r["simulated_time_s"] for r in rows[4:]] == [0.0, 1.0]
    write_results(suite, rows, here, views=1)


def test_a_goal_behind_an_obstacle_that_was_passed_through_is_not_reached(here):
    wall = "[{box: {center: [0.40, 0.0, 0.0], size: [0.02, 0.6, 1.0]}}]"
    world = f"{{world: empty, set: {{obstacles: {wall}, detection.threshold: 200, detection.measure: wrench_norm}}}}"
    methods = "{soft: {contact.stiffness: 1.0e+3}, hard: {}}"
    suite = changed(f"format: 1\nfamilies: {{wall: {world}}}\nmethods: {methods}\nworlds: 1\n")
    rows = rows_of(suite, here / "rows")
    assert [r["outcome"] for r in rows] == ["passed_through", "reached"]
    found = reached_table(suite, rows, ["soft", "hard"], ("wall", "default"))
    assert [line[found.head.index("passed through")] for line in found.rows] == ["1", "0"]


def test_methods_that_fail_are_rows_that_are_counted(here, capsys):
    Path("fails.yaml").write_text("explore: own.py:RESPONSE\n", encoding="utf-8")
    assert main(["bench", "suite.yaml", "--worlds", "1", "--method", "fails=fails.yaml", "--workers", "0",
                 "--out", "out"]) == 0  # fmt: skip
    told = capsys.readouterr().err
    assert "ValueError: no idea" in told
    assert "rows failed; they are marked in the table" in told
    with Path("out/table.csv").open(encoding="utf-8", newline="") as file:
        assert [r["outcome"] for r in csv.DictReader(file) if r["method"] == "fails"].count(
            "method_failed"
        ) == 4


def test_errors_of_the_program_are_rows_that_are_counted(here, capsys, monkeypatch):
    def fail(*_):
        raise IndexError("not meant to happen")

    monkeypatch.setattr("hopfield_nav.experiment.after_event.after_alarm", fail)
    assert main(["bench", "suite.yaml", "--worlds", "1", "--workers", "0", "--out", "out"]) == 0
    told = capsys.readouterr().err
    with Path("out/table.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    broken = [row for row in rows if row["outcome"] == "internal_error"]
    assert broken
    assert all(row["error"] == "IndexError: not meant to happen" for row in broken)
    assert f"{len(broken)} of {len(rows)} rows failed; they are marked in the table" in told


@pytest.mark.parametrize(
    ("seed", "told"), [(0, ""), (1, "no world of the suite counts, so its tables are empty")]
)
def test_that_no_world_counts_is_told(seed, told, here, capsys):
    Path("quiet.yaml").write_text(
        "format: 1\nfamilies: {quiet: {world: empty, set: {time_limit: 0.1}}}\nmethods: {one: {}}\n"
        f'worlds: 1\nseed: {seed}\noracle: {{own: "own.py:even"}}\n',
        encoding="utf-8",
    )
    assert main(["bench", "quiet.yaml", "--workers", "0", "--out", "out"]) == 0
    said = capsys.readouterr().err
    assert (told in said) if told else ("counts" not in said)


MISBEHAVE = """
import time
import numpy as np
from hopfield_nav.plugin import Against, Method, Parameter


class Mine:
    def __init__(self, how):
        self.how = int(how)
    def plan(self, believed):
        return self.answer([believed.start, [-1] * len(believed.start)], [list(believed.start)[1:]])
    def on_touch(self, touch):
        return self.answer([[-9.0] * len(touch.place)], [[0.0]])
    def on_rest(self, touch):
        return None
    def believe(self, felt):
        return self.answer(Against(np.full(felt.believed.blocked.shape, -1.0)), Against(np.zeros(3)))
    def answer(self, outside, shape):
        if self.how == 0:
            raise ValueError("no idea")
        while self.how == 3:
            time.sleep(0.01)
        return outside if self.how == 1 else shape


HOW = Parameter("how", 0, 0, 3, "1", "raises, answers what is outside, of a wrong shape, or never")
PLANNER, RESPONSE, BELIEF = (Method(kind, "mine", Mine, (HOW,)) for kind in ("planner", "response", "belief"))
"""
KINDS = {"planner.kind": "PLANNER", "explore.method": "RESPONSE", "planner.strategy": "BELIEF"}


def misbehaving(space, key, how):
    """The changes of a world whose method does something wrong."""
    section = key.split(".")[0]
    small = {"map.shape": [12, 8, 10, 1, 1, 1]} if space == "arm" else {}
    return {**small, section: {key.split(".")[1]: f"mine.py:{KINDS[key]}", "how": how}}


CASES = [
    (space, key)
    for space in ("tool", "arm")
    for key in KINDS
    if (space, key) != ("tool", "planner.strategy")
]
TOLD = {0: "ValueError: no idea", 1: "leaves the map|below 0", 2: "of shape"}


@pytest.mark.parametrize(("space", "key"), CASES)
@pytest.mark.parametrize("how", TOLD)
def test_a_method_that_misbehaves_is_told_in_one_line_and_the_record_is_kept(
    space, key, how, here, capsys
):
    Path("mine.py").write_text(MISBEHAVE, encoding="utf-8")
    world = {"tool": "u_trap", "arm": "whole_arm"}[space]
    changes = [
        f"{name}={json.dumps(value)}" for name, value in misbehaving(space, key, how).items()
    ]
    options = [word for change in changes for word in ("--set", change)]
    assert main(["run", world, *options, "--no-plots", "--out", "kept"]) == 2
    (line,) = [line for line in capsys.readouterr().err.splitlines() if "'mine'" in line]
    assert re.search(f"{KINDS[key].lower()} 'mine': .*({TOLD[how]})", line)
    assert re.search(rf"world {world}, after \d+ touch", line)
    assert load_run("kept").outcome == "method_failed"


def test_methods_that_never_end_cost_their_rows_in_the_end_of_a_patience(here):
    Path("mine.py").write_text(MISBEHAVE, encoding="utf-8")
    text = [
        "format: 1",
        "patience: 1",
        "worlds: 1",
        "families: {tool: {world: u_trap}, arm: {world: whole_arm}}",
    ]
    text += ["conditions: {small: {time_limit: 20}}", "methods:"]
    text += [
        f"  {kind}: {json.dumps(misbehaving('', key, 3))}"
        for key, kind in KINDS.items()
        if kind != "BELIEF"
    ]
    rows = rows_of(changed("\n".join(text)), here / "rows")
    assert [r["outcome"] for r in rows] == 4 * ["method_failed"]
    assert all(
        r["error"].startswith(f"{r['method'].lower()} 'mine': one call took longer than 1 s")
        for r in rows
    )
    write_results(load_suite("suite.yaml"), rows, here, views=2)  # runs none of them again
    assert not Path("views").exists()


def made_up(*results):
    """Rows of two methods: outcomes and times of every world."""
    return [
        {"version": "1", "family": "traps", "condition": "default", "method": method, "repeat": k, "seed": k,
         "counts": 1, "outcome": outcome, "simulated_time_s": time, "collision_count": 3, "way_m": None,
         "peak_contact_force_N": 1.0, "detection_delay_median_s": None, "detection_delay_max_s": None,
         "silent_contact_count": 0, "false_alarm_count": 0}
        for method, pairs in zip(("replan", "slide"), results, strict=True)
        for k, (outcome, time) in enumerate(pairs)
    ]  # fmt: skip


def test_tables_say_what_can_be_worked_out_by_hand(here):
    suite = load_suite("suite.yaml")
    rows = made_up(
        [("reached", 10.0), ("reached", 20.0), ("no_path", 5.0), ("reached", 30.0)],
        [("reached", 12.0), ("reached", 16.0), ("reached", 9.0), ("time_limit", 60.0)],
    )
    cell = ("traps", "default")
    table = reached_table(suite, rows, ["replan", "slide"], cell)
    assert [line[1:3] for line in table.rows] == 2 * [["4", "75 (30.1–95.4)"]]
    assert [line[3] for line in table.rows] == ["1", "0"]  # false no_path
    assert table.rows[0][table.head.index("simulated time [s]")].startswith("20 (")
    lines = {line[0]: line for line in pair_table(suite, rows, ("replan", "slide"), cell).rows}
    assert lines["reached [%]"][1] == "4"
    assert lines["reached [%]"][3:] == ["1", "1"]
    # both reached worlds 0 and 1: 12 - 10 and 16 - 20; mean -1, and two pairs have no interval
    assert lines["simulated time [s]"][1:] == ["2", "-1", "1", "1"]
    assert [a["repeat"] for a, _ in most_different(suite, rows, ("replan", "slide"))] == [
        3,
        2,
        1,
        0,
    ]
    assert curves(rows, ["replan"], "simulated_time_s")["replan"] == [
        (10.0, 0.25),
        (20.0, 0.5),
        (30.0, 0.75),
    ]


def test_a_run_that_was_ended_from_outside_counts_as_its_world_does(here):
    """A worker that ended itself says nothing of the world, but the other methods do."""
    rows = made_up(
        [("reached", 10.0)] * 3, [("reached", 12.0), ("method_failed", None), ("timed_out", None)]
    )
    for row in rows[4:]:
        row["counts"] = None
    suite = load_suite("suite.yaml")
    for given in (rows, rows[::-1]):
        _, joined, _ = join_results(suite, given, [])
        assert [r["counts"] for r in joined] == 6 * [1]
    line = reached_table(suite, joined, ["slide"], ("traps", "default")).rows[0]
    assert [text.split()[0] for text in line[1:3]] == ["3", "33.3"]


def test_a_suite_in_which_nothing_is_reached_tells_what_is_felt_and_no_goals(here):
    """No curves, no list of worlds where times differ, no column that is a dash everywhere."""
    Path("felt.py").write_text(
        "from hopfield_nav.plugin import Measures\n"
        "def row(world, seed):\n"
        "    return {'outcome': 'reached', 'simulated_time_s': 9.0, 'false_alarm_count': seed}\n"
        "MEASURES = Measures(lambda run: {'delay_s': None, 'missed': 1}, {'delay_s': 's', 'missed': '1'})\n"
        "row.ready = lambda: None\n",
        encoding="utf-8",
    )
    suite = changed("""
format: 1
families: {free: {world: empty, setup: "felt.py:row"}}
methods: {one: {}, two: {}, three: {}}
worlds: 2
quantities: [outcome, simulated_time_s, false_alarm_count]
measures: felt.py:MEASURES
compare: [missed, delay_s, false_alarm_count]
pairs: [[one, two]]
""")
    suite.require_ready()
    write_results(suite, rows_of(suite, here / "rows"), here)
    page = Path("report.html").read_text(encoding="utf-8")
    assert "<th>method<th>scored worlds<th>missed<th>false alarms [1/h]" in page
    assert "<td>one<td>2<td>1<td>200 (5.06–1.11e+03)" in page
    assert re.findall("<h2 id=.>(.*?)</h2>", page) == [
        "free, default",
        "two beside one: free, default",
    ]
    assert "differ most" not in page
    assert "<svg" not in page


def test_an_oracle_knows_a_wall_with_a_gap():
    """Whether the gap of narrow_gap is wide enough for a margin, and a goal in a ring is never reached."""
    world = load_world("enclosed_goal").resolve(0)
    assert not has_path(world, 0.0)
    assert has_path(load_world("u_trap").resolve(0), 0.001)
    assert not has_path(load_world("u_trap").resolve(0), 0.2)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("methods:", "metods:", "metods.*Did you mean 'methods'"),
        ("world: u_trap", "world: u_trab", "families.traps.world.*Did you mean 'u_trap'"),
        ("explore: slide", "explore: slid", "methods.slide.explore.*Did you mean 'slide'"),
        (
            "time_per_cell: 0.25",
            "time_per_cel: 0.25",
            "conditions.coarse.trajectory.time_per_cel.*Did you mean",
        ),
        ("worlds: 2", "worlds: 0", "worlds.*from 1"),
        ("margin: 0.005", "margin: 5", "oracle.margin.*0 to 1 m"),
        ("seed: 5", "seed: 5\npairs: [[replan, slid]]", "pairs.0.*Did you mean 'slide'"),
        ("seed: 5", "seed: 5\nquantities: [outcom]", "quantities.*Did you mean 'outcome'"),
        ("seed: 5", "seed: 5\nmeasures: own.py:NONE", "measures.*no measures of that name"),
        (
            "world: u_trap",
            "world: u_trap, setup: 'own.py:none'",
            "families.traps.setup.*no function for the setup",
        ),
        ("world: u_trap", "world: u_trap, setup: quiet", "families.traps.setup.*FILE.py:NAME"),
        (
            "methods:\n  replan: {explore: replan}\n  slide: {explore: slide}",
            "methods: {}",
            "methods.*nothing to run",
        ),
    ],
)
def test_faults_of_a_suite(old, new, words, here):
    assert old in SUITE
    with refused(words):
        changed(SUITE.replace(old, new, 1))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["bench", "tuch"], "Did you mean 'touch'"),
        (["bench", "suite.yaml", "--method", "mine"], "allowed: NAME=FILE.yaml"),
        (["bench", "suite.yaml", "--method", "mine=none.yaml"], "no such file"),
        (["bench", "suite.yaml", "--method", "mine=table.xls"], "not the changes of a method"),
        (
            ["bench", "suite.yaml", "--method", "slide=mine.yaml"],
            "the suite has a method of that name",
        ),
        (["bench", "suite.yaml", "--seeds", "new"], "allowed: fresh"),
        (["bench", "suite.yaml", "--resume"], "there is nothing to resume"),
    ],
)
def test_what_the_command_refuses(arguments, words, here, capsys):
    refused_by_command(capsys, arguments, words)


def test_every_bundled_suite_is_read():
    assert set(list_suites()) == {
        "detectors", "hypotheses", "motion_bench_maker", "planners", "recordings", "space", "touch", "whole_arm",
    }  # fmt: skip
    for name in list_suites():
        assert load_suite(name).suite.description


@pytest.mark.parametrize("name", ["touch", "space"])
def test_all_rows_that_come_along_have_the_digests_of_today(name):
    """Any change of a suite, of its Python files or of its worlds drops them; see ``scripts/rekey_rows.py``."""
    suite = load_suite(name)
    rows = read_shipped(suite, shipped_file(find_suite(name)))
    assert (len(rows), shipped_worlds(suite, rows)) == (suite.count, suite.suite.worlds)
    assert {r["method"] for r in rows} == set(suite.methods)


@pytest.mark.parametrize("name", ["touch", "space", "sliding", "following", "bundled"])
def test_worlds_of_suites_of_the_tool_can_be_begun(name):
    suite = any_suite(name, worlds=1)
    families = {}
    for job in map(suite.job, range(suite.count)):
        families.setdefault(job.values["family"], job)
    for job in families.values():
        assert suite.start(job).step(0.1) is None


def test_numbers_in_the_table_are_finite_or_missing(all_rows):
    for row in all_rows:
        json.dumps(row, allow_nan=False)
        assert math.isfinite(row["way_m"])
