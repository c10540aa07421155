"""The table of a sweep: what goes in comes out, whole lines only, and labels that are right."""

from __future__ import annotations

import csv
import math
import random
from pathlib import Path

import numpy as np
import pytest
import xarray
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused

from dynamics import BadInput
from hopfield_nav.experiment import simulate
from hopfield_nav.record import SUMMARY as QUANTITIES
from hopfield_nav.sweeps import SweepTable, read_rows, sweep_from
from hopfield_nav.sweeps.dataset import describe_key
from hopfield_nav.sweeps.table import columns, dataset, finish, format_line, make_row, parse_line
from hopfield_nav.world import load_world
from hopfield_nav.world.document import parse_document

GRID = """\
format: 1
world: ragazzon2012
vary:
  detection.threshold: [6, 12]
  controller.omega: {scale: [0.5, 1, 2]}
zip:
  - {planner.beta: [null, 0.1], planner.network: [limit, sum], goal.cell: [[17, 6], [17, 5]]}
repeats: 2
quantities: [outcome, simulated_time_s, collision_count]
"""
RANDOM = """\
format: 1
world: ragazzon2012
vary: {planner.network: [limit, sum]}
random: {contact.stiffness: {uniform: [1e4, 1e5]}, controller.omega: {scale: {sobol: [0.5, 2]}}}
samples: 4
repeats: 2
"""
cells = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text())


def sweep(text):
    return sweep_from(parse_document(text, "s.yaml"), Path(), "s")


def rows_of(s):
    """A made-up row of every run."""
    rows = []
    for job in map(s.job, range(s.count)):
        failed = job.index % 5 == 4
        done = {
            "outcome": "reached",
            "simulated_time_s": job.index + 0.1,
            "collision_count": job.index,
        }
        summary = {"outcome": "failed"} if failed else done
        rows.append(make_row(s, job, summary, "it, too,\nbroke" if failed else None))
    return rows


def same(a, b):
    return a == b or (a != a and b != b)


@given(st.lists(cells, min_size=2))
@settings(max_examples=300, deadline=None)
def test_cells_come_back_as_they_were(values):
    line = format_line(values)
    assert line.endswith("\n")
    assert len(line.splitlines()) == 1
    line.encode()
    back = parse_line(line)
    assert len(back) == len(values)
    assert all(type(a) is type(b) and same(a, b) for a, b in zip(values, back, strict=True))


@pytest.mark.parametrize(
    "text", ["=1+1", "+1+1", "-cmd|x", "@SUM(1)", "\tx", "\r=x", "-5", "= größer"]
)
def test_no_text_is_a_formula_to_a_spreadsheet(text):
    """Excel and LibreOffice compute what begins so; a number below 0 stays a number."""
    line = format_line([text, -1.5, -3])
    told, *numbers = next(csv.reader([line]))
    assert told[0] == '"'
    assert numbers == ["-1.5", "-3"]
    assert parse_line(line) == [text, -1.5, -3]


@given(st.lists(st.dictionaries(st.sampled_from(["a", "b.c", "d*"]), cells), max_size=8))
@settings(max_examples=60, deadline=None)
def test_rows_come_back_as_they_were(tmp_path_factory, many):
    folder = tmp_path_factory.mktemp("rows")
    rows = [{"index": i, **dict.fromkeys(["a", "b.c", "d*"]), **row} for i, row in enumerate(many)]
    with SweepTable(folder) as table:
        for row in rows:
            table.append(row)
    if rows:
        assert repr(read_rows(folder)) == repr(rows)


def test_columns_and_lists_as_text(tmp_path):
    s = sweep(GRID)
    rows = rows_of(s)
    assert columns(s) == list(rows[0]) == [
        "index", "repeat", "seed", "detection.threshold", "controller.omega*", "planner.beta",
        "planner.network", "goal.cell", *s.kept, "error"]  # fmt: skip
    assert rows[0]["goal.cell"] == "[17, 6]"
    assert rows[4]["error"] == "it, too, broke"
    with SweepTable(tmp_path) as table:
        for row in rows:
            table.append(row)
    assert read_rows(tmp_path) == rows


def test_a_torn_last_line_is_dropped_and_cut_off(tmp_path):
    s = sweep(GRID)
    rows = rows_of(s)
    rows[2]["error"] = "größer als erlaubt"
    with SweepTable(tmp_path) as table:
        for row in rows[:3]:
            table.append(row)
    whole = (tmp_path / "sweep.csv").read_bytes()
    for cut in range(1, len(whole)):
        (tmp_path / "sweep.csv").write_bytes(whole[:-cut])
        left = whole[:-cut].count(b"\n")
        assert read_rows(tmp_path) == rows[: max(0, left - 1)]
        with SweepTable(tmp_path) as table:
            for row in rows[max(0, left - 1) :]:
                table.append(row)
        assert read_rows(tmp_path) == rows


def test_the_last_row_of_a_run_counts(tmp_path):
    s = sweep(GRID)
    rows = rows_of(s)
    with SweepTable(tmp_path) as table:
        for row in [make_row(s, s.job(1), {}, "worker killed"), rows[0], rows[1]]:
            table.append(row)
    assert read_rows(tmp_path) == [rows[1], rows[0]]


def test_faults_of_a_table(tmp_path):
    with pytest.raises(BadInput, match="no table"):
        read_rows(tmp_path)
    (tmp_path / "sweep.csv").write_text("a,b\n1,2\n")
    with pytest.raises(BadInput, match="not the table"):
        read_rows(tmp_path)
    with pytest.raises(BadInput, match="not the table"):
        SweepTable(tmp_path)
    for damaged in ("index,a\n1\n", "index,a\nx,1\n", 'index,a\n1,"x\n', "index,a\n1,2,3\n"):
        (tmp_path / "sweep.csv").write_text(damaged)
        with pytest.raises(BadInput, match="line 2"):
            read_rows(tmp_path)
    (tmp_path / "sweep.csv").write_text("index,a\n")
    with SweepTable(tmp_path) as table, pytest.raises(BadInput, match="not a row"):
        table.append({"index": 1, "b": 2})


def test_finished_files_do_not_depend_on_the_order(tmp_path):
    s = sweep(GRID)
    contents = []
    for seed in range(2):
        folder = tmp_path / str(seed)
        rows = rows_of(s)
        random.Random(seed).shuffle(rows)
        with SweepTable(folder) as table:
            for row in [rows[0], *rows]:
                table.append(row)
        finish(s, folder)
        contents.append((folder / "sweep.csv").read_bytes())
        assert sorted(p.name for p in folder.iterdir()) == [
            "checksums.sha256",
            "sweep.csv",
            "sweep.nc",
        ]
    assert contents[0] == contents[1]
    assert [row["index"] for row in read_rows(folder)] == list(range(s.count))
    with xarray.open_dataset(folder / "sweep.nc", engine="h5netcdf") as stored:
        made = dataset(s, rows_of(s))
        assert stored.sizes == made.sizes
        for name in made.variables:
            kept, expected = stored[name].values, made[name].values
            if expected.dtype.kind == "f":
                np.testing.assert_array_equal(kept, expected)
            else:
                assert kept.tolist() == expected.tolist(), name
        assert stored.attrs["digest"] == s.digest


def test_parameters_are_dimensions_with_units():
    s = sweep(GRID + "seed: 5\n")
    data = dataset(s, rows_of(s)[:-1])
    assert data.outcome.dims == (
        "detection.threshold",
        "controller.omega*",
        "planner.beta",
        "repeat",
    )
    assert data.outcome.shape == (2, 3, 2, 2)
    for job in map(s.job, range(s.count)):
        at = np.unravel_index(job.index, s.shape)
        missing, failed = job.index == s.count - 1, job.index % 5 == 4
        assert data.outcome.values[at] == ("" if missing else "failed" if failed else "reached")
        assert data.error.values[at] == ("it, too, broke" if failed and not missing else "")
        time = data.simulated_time_s.values[at]
        assert math.isnan(time) if failed or missing else time == job.index + 0.1
        assert data["controller.omega*"].values[at[1]] == job.values["controller.omega*"]
    assert data["planner.beta"].values.tolist()[1:] == [0.1]
    assert math.isnan(data["planner.beta"].values[0])
    assert data["goal.cell"].values.tolist() == ["[17, 6]", "[17, 5]"]
    assert data["planner.network"].dims == ("planner.beta",)
    assert data["detection.threshold"].attrs["units"] == "N and N·m"  # one norm of both
    assert data["controller.omega*"].attrs["units"] == "1"
    assert data.simulated_time_s.attrs == {"units": "s", "long_name": "simulated time"}
    assert data.seed.values.tolist() == [5, 6]
    assert (
        float(data.collision_count.sel({"detection.threshold": 12, "controller.omega*": 2}).max())
        == 22
    )


def test_random_samples_have_runs_as_their_dimension(tmp_path):
    s = sweep(RANDOM + "seed: 5\n")
    data = dataset(s, rows_of(s))
    assert dict(data.sizes) == {"run": 16}
    for job in map(s.job, range(s.count)):
        for name, value in job.values.items():
            assert data[name].values[job.index] == value
        assert (data.repeat.values[job.index], data.seed.values[job.index]) == (
            job.repeat,
            job.seed,
        )
    assert data["contact.stiffness"].attrs["units"] == "N/m"
    data.to_netcdf(tmp_path / "r.nc", engine="h5netcdf")


@pytest.mark.parametrize(
    ("key", "unit"),
    [
        (("contact", "stiffness"), "N/m"),
        (("controller", "omega"), "rad/s"),
        (("controller", "omega", 3), "rad/s"),
        (("detection", "hold_off"), "s"),
        (("start", "joints", 2), "rad"),
        (("goal", "cell"), "1"),
        (("goal", "position"), "m"),
        (("trajectory", "time_per_cell"), "s"),
        (("obstacles", 0, "random_cylinders", "clearance"), "m"),
        (("obstacles", 0, "random_cylinders", "seed"), "1"),
        (("gravity", 2), "m/s²"),
        (("arm",), "1"),
    ],
)
def test_units_of_keys(key, unit):
    assert describe_key(load_world("ragazzon2012"), key)[0] == unit


def test_quantities_are_those_of_a_summary():
    summary = simulate(load_world("empty", ["record.signals=none"])).summary
    others = {
        "world",
        "seed",
        "versions",
        "imperfections",
        "handed_on",
        "late_obstacles",
        "learnt",
        "warnings",
    }
    others.add("link_forces")  # a table for each link
    assert set(QUANTITIES) == set(summary) - others
    for name, quantity in QUANTITIES.items():
        text = (
            summary[name] in (None, *quantity.words)
            if quantity.words
            else isinstance(summary[name], str)
        )
        assert text == (quantity.unit is None), name


def test_other_programs_read_the_table(tmp_path):
    s = sweep(GRID)
    with SweepTable(tmp_path) as table:
        for row in rows_of(s):
            table.append(row)
    finish(s, tmp_path)
    with (tmp_path / "sweep.csv").open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert lines[3]["goal.cell"] == "[17, 5]"
    assert lines[0]["planner.beta"] == ""
    numbers = np.genfromtxt(
        tmp_path / "sweep.csv", delimiter=",", skip_header=1, usecols=(0, 3), max_rows=2
    )
    assert numbers.tolist() == [[0, 6], [1, 6]]
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(tmp_path / "sweep.csv")
    assert frame["simulated_time_s"].dtype == np.float64
    assert frame["planner.beta"].isna().sum() == 12


DAMAGE = {
    "an index beyond": (b"\n2,", b"\n999999,"),
    "an index below": (b"\n2,", b"\n-5,"),
    "an index of another": (b"\n2,", b"\n3,"),
    "a renamed column": (b"outcome", b"outcame"),
    "a word for a number": (b"reached,", b"7,"),
    "a seed of another": (b"\n3,1,1,", b"\n3,1,2,"),
}


@pytest.mark.parametrize(("old", "new"), DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_table_is_one_line(tmp_path, old, new):
    s = sweep(GRID)
    with SweepTable(tmp_path) as table:
        for row in rows_of(s):
            table.append(row)
    whole = (tmp_path / "sweep.csv").read_bytes()
    assert read_rows(tmp_path, s)
    assert old in whole
    (tmp_path / "sweep.csv").write_bytes(whole.replace(old, new, 1))
    with refused("sweep.csv"):
        read_rows(tmp_path, s)
