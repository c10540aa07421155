"""A sweep that grows: rows that stand are kept, missing ones run; what has changed is named."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from made_up_runs import NOISE, STIFFNESS, THRESHOLD, made_up_run
from refusals import refused

from hopfield_nav.sweeps import execute, make_sweep, read_rows

VALUES = {THRESHOLD: [6, 12], STIFFNESS: [1e4, 1e5]}


@pytest.fixture
def made(monkeypatch):
    """The values and seeds of every run that was made, in order."""
    runs = []

    def run(sweep, index, folder=None):
        job = sweep.job(index)
        runs.append((*job.values.values(), job.seed))
        return made_up_run(sweep, index, folder)

    monkeypatch.setattr("hopfield_nav.sweeps.run.run_job", run)
    monkeypatch.setattr("hopfield_nav.sweeps.run.warm_up", lambda sweep: None)
    return runs


def asked(vary=VALUES, repeats=2, **others):
    given = {"set": NOISE} | others
    return make_sweep("u_trap", vary, repeats=repeats, **given)


GROWN = [
    asked(repeats=3),
    asked({THRESHOLD: [6, 12, 18], STIFFNESS: [1e4, 1e5]}),
    asked({THRESHOLD: [3, 6, 9, 12], STIFFNESS: [1e4, 5e4, 1e5]}, repeats=4),
    asked({STIFFNESS: [1e4, 1e5], THRESHOLD: [12, 6]}, repeats=3),
    asked({THRESHOLD: {"linear": [6, 12, 4]}, STIFFNESS: [10000, 100000]}),
    asked(quantities=None, description="more words"),
]


@pytest.mark.parametrize("grown", GROWN, ids=range(len(GROWN)))
def test_a_sweep_that_has_grown_makes_what_is_missing_and_ends_with_the_same_table(
    made, tmp_path, grown
):
    folder = execute(asked(), tmp_path / "out", workers=0)
    before = len(made)
    execute(grown, folder, workers=0, resume=True)
    new = made[before:]
    whole = execute(grown, tmp_path / "whole", workers=0)
    assert (folder / "sweep.csv").read_bytes() == (whole / "sweep.csv").read_bytes()
    assert len(new) == grown.count - 8
    assert len(set(made[:before] + new)) == before + len(new)
    told = (folder / "sweep.yaml").read_text().splitlines()[0]
    assert told == (whole / "sweep.yaml").read_text().splitlines()[0]


def test_a_sweep_of_draws_grows_by_samples(made, tmp_path):
    def drawn(samples):
        random = {STIFFNESS: {"uniform": [1e4, 1e5]}}
        return make_sweep("u_trap", random=random, samples=samples, repeats=2, set=NOISE)

    folder = execute(drawn(3), tmp_path / "out", workers=0)
    execute(drawn(5), folder, workers=0, resume=True)
    assert len(made) == len(set(made)) == 10
    assert [row["index"] for row in read_rows(folder, drawn(5))] == list(range(10))


def test_a_group_grows(made, tmp_path):
    def grouped(count):
        group = {THRESHOLD: [6, 12, 18][:count], STIFFNESS: [1e4, 1e5, 1e6][:count]}
        return make_sweep("u_trap", zip=[group], set=NOISE)

    folder = execute(grouped(2), tmp_path / "out", workers=0)
    execute(grouped(3), folder, workers=0, resume=True)
    assert len(made) == len(set(made)) == 3


def test_fewer_repeats_lose_no_row(made, tmp_path):
    folder = execute(asked(repeats=3), tmp_path / "out", workers=0)
    table = (folder / "sweep.csv").read_bytes()
    execute(asked(repeats=1), folder, workers=0, resume=True)
    assert (folder / "sweep.csv").read_bytes() == table
    assert len(made) == 12


CHANGED = [
    (asked(set={**NOISE, "time_limit": 7}), r"time_limit has been changed.*, from \d+.0 to 7.0;"),
    (
        asked(set={**NOISE, "detection.report": 0.5}),
        "detection.report has been changed.*, from null to 0.5;",
    ),
    (asked(seed=5), "seed has been changed.*it is 5, and there is a row of seed 0"),
    (
        asked({**VALUES, THRESHOLD: [6, 11]}),
        f"{THRESHOLD} has been changed.*with 12 .*allowed: 12 as",
    ),
    (
        asked({THRESHOLD: [6, 12]}),
        f"{STIFFNESS} has been changed.*from swept to not swept",
    ),
    (
        asked({**VALUES, "time_limit": [7, 8]}),
        "time_limit has been changed.*from not swept to swept",
    ),
    (asked(quantities=["collision_count"]), "quantities has been changed"),
    (asked(time_limit_per_run=3.0), "time_limit_per_run has been changed"),
    (asked(until={"touches": 3}), "until has been changed"),
]


@pytest.mark.parametrize(("other", "words"), CHANGED, ids=range(len(CHANGED)))
def test_what_has_truly_changed_is_named_by_its_key_and_nothing_is_lost(
    made, tmp_path, other, words
):
    folder = execute(asked(), tmp_path / "out", workers=0)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with refused(words):
        execute(other, folder, workers=0, resume=True)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert len(made) == 8


def test_a_file_that_the_world_names_and_that_was_changed_is_named(made, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = Path(__file__).parents[2] / "dynamics" / "arms" / "ur5_ragazzon2012.yaml"
    if not source.exists():
        source = next(Path(__file__).parents[2].glob("dynamics/**/ur5_ragazzon2012.yaml"))
    shutil.copy(source, "mine.yaml")

    def of_file():
        return make_sweep("u_trap", {THRESHOLD: [6, 12]}, set={**NOISE, "arm": "./mine.yaml"})

    folder = execute(of_file(), tmp_path / "out", workers=0)
    execute(of_file(), folder, workers=0, resume=True)
    with Path("mine.yaml").open("a") as file:
        file.write("\n# a word\n")
    with refused(r"a file that the sweep names has been changed.*mine\.yaml"):
        execute(of_file(), folder, workers=0, resume=True)


def test_runs_that_are_kept_go_by_their_new_numbers(made, tmp_path):
    folder = execute(asked(), tmp_path / "out", workers=0)
    old = {row["index"]: (row[THRESHOLD], row[STIFFNESS], row["seed"]) for row in read_rows(folder)}
    for index, name in old.items():
        place = folder / "runs" / f"{index:06d}"
        place.mkdir(parents=True)
        (place / "whose").write_text(str(name))
    execute(asked(repeats=3), folder, workers=0, resume=True)
    new = {row["index"]: (row[THRESHOLD], row[STIFFNESS], row["seed"]) for row in read_rows(folder)}
    kept = {int(place.name): (place / "whose").read_text() for place in (folder / "runs").iterdir()}
    assert kept == {index: str(name) for index, name in new.items() if name in old.values()}


def test_torn_rows_are_made_again_while_a_sweep_grows(made, tmp_path):
    folder = execute(asked(), tmp_path / "out", workers=0)
    lines = (folder / "sweep.csv").read_bytes().splitlines(keepends=True)
    (folder / "sweep.csv").write_bytes(b"".join([*lines[:3], *lines[6:8], lines[8][:20]]))
    execute(asked(repeats=3), folder, workers=0, resume=True)
    whole = execute(asked(repeats=3), tmp_path / "whole", workers=0)
    assert (folder / "sweep.csv").read_bytes() == (whole / "sweep.csv").read_bytes()
