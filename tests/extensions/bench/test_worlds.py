"""Worlds over the same seeds: their runs, paired differences, the commands bench and compare, a paper's table."""

from __future__ import annotations

import csv
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from refusals import refused, refused_by_command
from scipy import stats

from hopfield_nav import load_world, simulate
from hopfield_nav.cli.app import main
from hopfield_nav.extensions.bench import load_suite, load_worlds, with_version
from hopfield_nav.extensions.bench.paper import latex, paper_tables
from hopfield_nav.extensions.bench.strips import draw_strips
from hopfield_nav.extensions.bench.tables import Table, pair_table
from hopfield_nav.sweeps import execute, read_rows

NOISY = """\
format: 1
time_limit: {limit}
goal: {{cell: [17, 6]}}
obstacles: [{{random_cylinders: {{count: 12, radius: [0.02, 0.03]}}}}]
"""
CELL = ("worlds", "as they are")
SEEDS = 5


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("slow.yaml").write_text(NOISY.format(limit=6.0))
    Path("fast.yaml").write_text(NOISY.format(limit=6.0) + "trajectory: {time_per_cell: 0.3}\n")
    Path("still.yaml").write_text("format: 1\ntime_limit: 1\ngoal: {cell: [17, 6]}")
    Path("stiller.yaml").write_text("format: 1\ntime_limit: 2\ngoal: {cell: [17, 6]}")
    Path("quick.yaml").write_text("trajectory.time_per_cell: 0.3\n")
    return tmp_path


def rows_of(suite, folder):
    return with_version(read_rows(execute(suite, folder, workers=0), suite), suite)


def cell(text):
    """The numbers of a cell of a table: the middle, and the ends of the interval."""
    return [
        float(number)
        for number in re.findall(r"[-+]?\d[\d.]*(?:e[-+]\d+)?", text.replace("–", " "))
    ]


def test_the_numbers_are_those_of_the_runs(here):
    suite = load_worlds(["slow.yaml", "fast.yaml"], SEEDS)
    rows = rows_of(suite, here / "rows")
    runs = [
        [simulate(load_world(f"{name}.yaml"), seed=k).summary for k in range(SEEDS)]
        for name in suite.methods
    ]
    for name, key in (("slow", 0), ("fast", 1)):
        own = [row for row in rows if row["method"] == name]
        for quantity in (
            "collision_count",
            "simulated_time_s",
            "peak_contact_force_N",
            "detection_delay_max_s",
        ):
            assert [row[quantity] for row in own] == [run[quantity] for run in runs[key]]
    (table,) = paper_tables(suite, rows, suite.methods)
    assert table.head == ["", "slow", "fast", "difference"]
    lines = {line[0]: line for line in table.rows}
    a, b = (np.array([run["peak_contact_force_N"] for run in done]) for done in runs)
    known = stats.ttest_rel(b, a).confidence_interval(0.95)
    assert cell(lines["peak contact force [N]"][1])[0] == pytest.approx(a.mean(), rel=5e-3)
    assert cell(lines["peak contact force [N]"][3]) == pytest.approx(
        [(b - a).mean(), known.low, known.high], rel=5e-3
    )
    reached = [100 * np.mean([run["outcome"] == "reached" for run in done]) for done in runs]
    assert [cell(text)[0] for text in lines["success rate [%]"][1:]] == pytest.approx(
        [*reached, reached[1] - reached[0]], rel=5e-3
    )
    assert lines["runs"][1:] == ["5", "5", "5"]
    for column, done in zip(lines["missed contacts"][1:3], runs, strict=True):
        missed = sum(run["silent_contact_count"] for run in done)
        contacts = sum(run["contact_count"] for run in done)
        assert column.startswith(f"{missed} of {contacts}")


def test_what_is_rounding_is_no_difference_and_what_is_alike_has_no_interval(here):
    """Delays of 4 ms out of the times of two clocks, 1.004 - 1 and 50.004 - 50 s."""
    suite = load_worlds(["slow.yaml", "fast.yaml"], 3)
    known = dict.fromkeys([*suite.kept, "version"], 0) | {
        "family": "worlds", "condition": "as they are", "counts": 1, "outcome": "reached",
        "simulated_time_s": 10.0, "contact_count": 80,
    }  # fmt: skip
    rows = [
        known | {"method": name, "repeat": k, "seed": k, "detection_delay_median_s": delay}
        for name, delay in (("slow", 1.004 - 1.0), ("fast", 50.004 - 50.0))
        for k in range(3)
    ]
    (table,) = paper_tables(suite, rows, suite.methods)
    lines = {line[0]: line[1:] for line in table.rows}
    assert lines["detection delay, median [ms]"] == ["4", "4", "0"]
    assert lines["missed contacts"] == [*2 * ["0 of 240, at most 1.6 %"], "0"]
    assert lines["success rate [%]"][:2] == 2 * ["100 (43.9–100)"]
    pair = pair_table(suite, rows, ("slow", "fast"), CELL)
    (delay,) = [line for line in pair.rows if line[0] == "detection delay, median [ms]"]
    assert delay[3:] == ["0", "0"]  # neither is better


def test_a_world_in_which_nothing_is_random_is_run_once_beside_one_that_is(here, capsys):
    names = ["still.yaml", "slow.yaml", "--seeds", "4", "--workers", "0", "--out", "out"]
    assert main(["bench", *names]) == 0
    assert "nothing is random in still: one run says it all" in capsys.readouterr().err
    with Path("out/table.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["method"] for row in rows] == ["still", *4 * ["slow"]]
    suite = load_worlds(names[:2], 4)
    told = with_version(read_rows(Path("out/rows"), suite), suite)
    (table,) = paper_tables(suite, told, suite.methods)
    lines = {line[0]: line[1:] for line in table.rows}
    assert lines["runs"] == ["1", "4", "4"]
    peaks = np.array([float(row["peak_contact_force_N"]) for row in rows])
    assert all("(" not in values[0] for values in lines.values())
    known = stats.ttest_1samp(peaks[1:] - peaks[0], 0.0).confidence_interval(0.95)
    assert cell(lines["peak contact force [N]"][2]) == pytest.approx(
        [(peaks[1:] - peaks[0]).mean(), known.low, known.high], rel=5e-3
    )
    caption = " ".join(Path("out/table.tex").read_text().split())
    assert (
        r"Random, by the seed: obstacles (slow). Nothing is random in still, run once." in caption
    )
    rows_file = Path("out/rows/sweep.csv")
    rows_file.write_text("".join(rows_file.read_text().splitlines(keepends=True)[:3]))
    assert main(["bench", *names, "--resume"]) == 0
    assert "3 of 5 runs" in capsys.readouterr().err


def test_particles_of_a_seed_are_random(here):
    base = (
        "format: 1\nmap: {space: joints}\ncontact: {bodies: arm}\n"
        "goal: {joints: [2.0, -1.1, 2.5, 0.1, 1.5, -0.5]}\ndetection: {place: %s}\n"
    )
    Path("patches.yaml").write_text(base % "patches")
    Path("particles.yaml").write_text(base % "particles")
    suite = load_worlds(["patches.yaml", "particles.yaml"], 2)
    assert suite.runs_once("patches")
    assert not suite.runs_once("particles")


def test_worlds_and_methods_are_one_table_and_labels_are_names(here):
    """A method is tried in every world of the line, and a label is what a user calls a world."""
    folder = here / "deep" / "down"
    folder.mkdir(parents=True)
    (folder / "slow.yaml").write_text(NOISY.format(limit=3.0))
    suite = load_worlds(
        ["slow.yaml", "below=deep/down/slow.yaml"], 2, {"quick": Path("quick.yaml")}
    )
    assert suite.methods == ["slow", "below", "quick in slow", "quick in below"]
    times = [
        suite.changed_world("worlds", "as they are", name).trajectory.time_per_cell
        for name in suite.methods
    ]
    assert times == [0.5, 0.5, 0.3, 0.3]
    limits = [
        suite.changed_world("worlds", "as they are", name).time_limit for name in suite.methods
    ]
    assert limits == [6.0, 3.0, 6.0, 3.0]
    assert suite.suite.pairs == (
        ("slow", "below"), ("slow", "quick in slow"), ("below", "quick in below"),
    )  # fmt: skip
    alone = load_worlds(["slow.yaml"], 2, {"quick": Path("quick.yaml")})
    assert alone.methods == ["as it is", "quick"]
    assert alone.file.description == "slow: as it is, quick; the same seeds."
    named = load_worlds(["ours=slow.yaml"], 2, {"quick": Path("quick.yaml")})
    assert named.methods == ["ours", "quick"]


def test_files_of_ones_own_are_shown_without_their_folders(here, capsys):
    """Two worlds beside each other and a method of a third folder: its path is nobody's name for it."""
    (here / "a" / "b").mkdir(parents=True)
    source = (
        "from hopfield_nav.plugin import Method\nclass Mine:\n    def on_touch(self, touch): return None\n"
        "    on_rest = on_touch\nRESPONSE = Method('response', 'mine', Mine)\n"
    )
    (here / "mine.py").write_text(source)
    world = "format: 1\ntime_limit: 1\ngoal: {cell: [17, 6]}\n"
    (here / "a" / "b" / "plain.yaml").write_text(world)
    (here / "own.yaml").write_text("explore: mine.py:RESPONSE\n")
    names = ["bench", "a/b/plain.yaml", "--method", "mine=own.yaml", "--seeds", "1"]
    assert main([*names, "--workers", "0", "--out", "out"]) == 0
    out = capsys.readouterr().out
    assert " mine.py:RESPONSE " in out
    assert "../" not in out


def test_false_alarms_are_a_rate_and_so_are_their_differences(here):
    """1 and 2 alarms in 10 s and 20 s of the first, 4 and 2 in 10 s of the second: 360 and 1080 an hour."""
    suite = load_worlds(["slow.yaml", "fast.yaml"], 2)
    known = dict.fromkeys([*suite.kept, "version"], 0) | {
        "family": "worlds",
        "condition": "as they are",
        "counts": 1,
    }
    rows = [
        known
        | {
            "method": name,
            "repeat": k,
            "seed": k,
            "false_alarm_count": count,
            "simulated_time_s": time,
        }
        for name, runs in (("slow", [(1, 10.0), (2, 20.0)]), ("fast", [(4, 10.0), (2, 10.0)]))
        for k, (count, time) in enumerate(runs)
    ]
    (table,) = paper_tables(suite, rows, suite.methods)
    (line,) = [line for line in table.rows if line[0] == "false alarms [1/h]"]
    assert [cell(text)[0] for text in line[1:3]] == [360.0, 1080.0]
    assert line[3] == "+720"


def test_a_goal_behind_what_was_gone_through_is_not_reached(here):
    """The same wall across the way, which is too thin to be felt at that speed, and beside it."""
    for name, y in (("across", 0.0), ("beside", 0.7)):
        wall = f"obstacles: [{{box: {{center: [0.40, {y}, 0.0], size: [0.001, 0.6, 1.0]}}}}]"
        base = (
            "format: 1\ngoal: {cell: [17, 6]}\ntime_limit: 60\ntrajectory: {time_per_cell: 0.1}\n"
        )
        Path(f"{name}.yaml").write_text(base + wall)
    suite = load_worlds(["across.yaml", "beside.yaml"], 2)
    rows = rows_of(suite, here / "rows")
    assert [row["outcome"] for row in rows] == ["passed_through", "reached"]


def test_without_anything_random_one_run_says_it_all(here, capsys):
    assert load_worlds(["still.yaml", "stiller.yaml"], SEEDS).count == 2
    assert load_worlds(["still.yaml", "slow.yaml"], SEEDS).count == 2 * SEEDS
    assert main(["compare", "still.yaml", "stiller.yaml", "--seeds", "3"]) == 0
    output = capsys.readouterr()
    assert "nothing in these worlds is random" in output.err
    assert ["time_limit", "1.0", "2.0"] in [text.split() for text in output.out.splitlines()]
    assert sorted(path.suffix for path in here.iterdir()) == 5 * [".yaml"]  # nothing is kept


def test_compare_prints_the_table_that_bench_writes(here, capsys):
    names = ["slow.yaml", "fast.yaml", "still.yaml"]
    assert main(["compare", *names, "--seeds", "2"]) == 0
    out = capsys.readouterr().out
    assert main(["bench", *names, "--seeds", "2", "--workers", "0", "--out", "out"]) == 0
    text = Path("out/table.tex").read_text()
    text = re.sub(r"\\begin\{tabular\}\[[bt]\]\{@\{\}r@\{\}\}(.*?)\\end\{tabular\}", r"\1", text)
    tables = re.findall(r"\\hline\n(.*?)\\end", text, re.DOTALL)
    lines = [
        line.removesuffix(r" \\").split(" & ")
        for table in tables
        for line in table.splitlines()
        if line != r"\hline"
    ]
    heads = [" ".join(head.replace(r"\\", "").split()) for line in lines for head in line]
    known = {"slow", "fast", "still", "fast $-$ slow", "still $-$ slow"}
    assert known <= set(heads)
    printed = " ".join(out.split())
    for line in lines:
        if line[0] == "":
            continue  # the head
        for text in line:
            plain = (
                text.replace(r" \\ ", " ")
                .replace("--", "–")
                .replace("$-$", "-")
                .replace(r"\dots{}", "…")
                .replace("\\%", "%")
            )
            plain = re.sub(r"\$\\cdot10\^\{(\d+)\}\$", lambda m: f"e+{int(m[1]):02d}", plain)
            assert plain in printed


def test_a_bench_of_worlds_leaves_tables_a_page_and_a_figure_and_goes_on(here, capsys):
    arguments = [
        "bench",
        "slow.yaml",
        "--method",
        "quick=quick.yaml",
        "--seeds",
        "2",
        "--workers",
        "0",
        "--out",
    ]
    names = [*arguments[:2], "still.yaml", *arguments[2:]]
    assert main([*names, "whole"]) == 0
    kept = {path.name for path in Path("whole").iterdir()}
    assert {"table.csv", "table.tex", "report.html", "strips.png", "strips.pdf"} <= kept
    with Path("whole/table.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    both = ["quick in slow", "quick in slow", "quick in still"]
    assert [row["method"] for row in rows] == ["slow", "slow", "still", *both]
    rows_file = Path("whole/rows/sweep.csv")
    rows_file.write_text("".join(rows_file.read_text().splitlines(keepends=True)[:3]))
    before = Path("whole/table.csv").read_bytes()
    assert main([*names, "whole", "--resume"]) == 0
    assert Path("whole/table.csv").read_bytes() == before


def test_a_name_alone_is_a_suite_first_and_a_world_where_no_suite_has_it(here, capsys):
    refused_by_command(capsys, ["bench", "whole_arm", "--seeds", "3"], "allowed: fresh")
    assert main(["bench", "empty", "--seeds", "3", "--workers", "0", "--out", "out"]) == 0
    assert main(["bench", "slow.yaml", "--seeds", "2", "--workers", "0", "--out", "file"]) == 0
    for folder, head in (("out", "empty"), ("file", "slow")):
        assert f" & {head} \\\\\n" in Path(folder, "table.tex").read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["compare", "slow.yaml", "--seeds", "3"], "WORLD_A WORLD_B"),
        (["compare", "slow.yaml", "none.yaml", "--seeds", "3"], "no such file"),
        (["bench", "slow.yaml", "none.yaml"], "no such file"),
        (["bench", "slow.yaml", "slow.yaml"], "the same world twice"),
        (["bench", "slow.yaml", "fast.yaml", "--seeds", "fresh"], "a whole number"),
        (["bench", "slow.yaml", "fast.yaml", "--worlds", "3"], "--seeds N"),
        (["bench", "slow.yaml", "fast.yaml", "--family", "worlds"], "an option of suites"),
        (
            ["bench", "slow.yaml", "fast.yaml", "--method", "fast=quick.yaml"],
            "a world has that name",
        ),
    ],
)
def test_what_is_refused(arguments, words, here, capsys):
    refused_by_command(capsys, arguments, words)


def test_a_change_that_a_world_does_not_allow_is_told_with_its_method(here):
    Path("bad.yaml").write_text("trajectory.time_per_cel: 0.3\n")
    with refused("methods.bad.trajectory.time_per_cel.*Did you mean"):
        load_worlds(["slow.yaml"], 2, {"bad": Path("bad.yaml")})


def test_worlds_of_one_name_in_two_folders_are_told_apart_and_find_their_files(here):
    for name in ("a", "b"):
        (here / name).mkdir()
        (here / name / "own.yaml").write_text(
            NOISY.format(limit=1.0) + "explore: {method: 'mine.py:RESPONSE'}\n"
        )
        (here / name / "mine.py").write_text(
            "from hopfield_nav.plugin import Method\nclass Mine:\n    def on_touch(self, touch): return None\n"
            "    on_rest = on_touch\nRESPONSE = Method('response', 'mine', Mine)\n"
        )
    suite = load_worlds(["a/own.yaml", "b/own.yaml"], 2, allow_code=True)
    assert suite.methods == ["a/own.yaml", "b/own.yaml"]
    assert suite.method_digest("a/own.yaml") == suite.method_digest("b/own.yaml")
    (here / "b" / "mine.py").write_text((here / "b" / "mine.py").read_text() + "# another\n")
    assert suite.method_digest("a/own.yaml") != suite.method_digest("b/own.yaml")
    with refused("names a Python file"):
        load_worlds(["a/own.yaml", "b/own.yaml"], 2)


AWKWARD = "50 % & a_b #1 {x} $y ~z ^w \\q <1> 1.2e-05 (-3 … +4.5e+03) – ° ü"
ANY = "ω Ω µ µ² √s – — − · × ≤ → “x” 力 é ł"


def test_latex_has_no_letter_that_means_something_else(here):
    suite = load_worlds(["still.yaml", "stiller.yaml"], 1)
    text = latex(suite, [Table("t", ["", AWKWARD], [[AWKWARD, "-1 (-2–0)"]])])
    assert text.count("{") - text.count(r"\{") == text.count("}") - text.count(r"\}")
    (body,) = re.findall(
        r"\\begin\{tabular\}\{@\{\}lr@\{\}\}\n(.*)\\end\{tabular\}", text, re.DOTALL
    )
    assert all(
        len(re.findall(r"(?<!\\)&", line)) == 1
        for line in body.splitlines()
        if line.endswith(r"\\")
    )
    escaped = body.splitlines()[3].split(" & \\begin")[0]
    assert not re.search(
        r"(?<!\\)[%#_]|[~^](?!\{)|[<>–…°](?!\$)", escaped.replace("^\\circ", "").replace("$<$", "")
    )
    assert r"1.2$\cdot10^{-5}$ ($-$3 \dots{} +4.5$\cdot10^{3}$)" in body
    assert r"$-$1 \\ ($-$2--0)" in body


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex (texlive-latex-base)")
@pytest.mark.parametrize("layout", ["", "[twocolumn]"])
def test_latex_compiles_without_a_package(layout, here):
    names = ["slow.yaml", "fast.yaml", "still.yaml"]
    suite = load_worlds(names, 2, {"quick": Path("quick.yaml")})
    (table,) = paper_tables(suite, rows_of(suite, here / "rows"), suite.methods)
    odd = Table("t", ["", AWKWARD, ANY], [[AWKWARD, "-1 (-2–0)", ANY]])
    Path("table.tex").write_text(latex(suite, [table, odd]), encoding="utf-8")
    Path("paper.tex").write_text(
        f"\\documentclass{layout}{{article}}\\begin{{document}}\\input{{table}}\\end{{document}}\n"
    )
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
        capture_output=True, text=True, check=False, timeout=120, errors="replace",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]
    assert Path("paper.pdf").is_file()


def test_strips_have_a_panel_for_what_differs(here):
    suite = load_worlds(["slow.yaml", "fast.yaml"], 3)
    rows = rows_of(suite, here / "rows")
    figure = draw_strips(suite, rows, suite.methods, CELL)
    assert figure.get_figwidth() == pytest.approx(8.5 / 2.54)
    labels = [" ".join(ax.get_xlabel().split()) for ax in figure.axes]
    assert "peak contact force (N)" in labels
    assert "detection delay, median (ms)" in labels
    assert max(ax.get_xlabel().count("\n") for ax in figure.axes) <= 1
    for ax in figure.axes:  # 15 ms do not fill an axis of their own
        assert ax.get_xlim()[0] <= 0.0
    same = [{**row, **dict.fromkeys(suite.suite.compare, 1)} for row in rows]
    assert draw_strips(suite, same, suite.methods, CELL) is None


def test_suites_of_ones_own_compare_delays_and_misses_and_those_that_come_along_what_they_did(here):
    Path("own.yaml").write_text(
        "format: 1\nfamilies: {a: {world: empty}}\nmethods: {one: {}}\nworlds: 1\n"
    )
    own, along = load_suite("own.yaml"), load_suite("touch")
    assert {"detection_delay_median_s", "silent_contact_count"} <= set(own.suite.compare) & set(
        own.kept
    )
    assert along.suite.compare == (
        "collision_count",
        "simulated_time_s",
        "way_m",
        "peak_contact_force_N",
    )
    assert "detection_delay_median_s" not in along.kept
