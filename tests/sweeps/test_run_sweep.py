"""Sweeps as they run: every job has its row, in this process, on workers, and after accidents."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest
from refusals import refused

from dynamics import BadInput, LibraryMissing
from dynamics.files import FolderTaken
from hopfield_nav import load_run, sweep
from hopfield_nav.cli.sweep_report import print_sweep
from hopfield_nav.record import write_checksums
from hopfield_nav.sweeps import (
    Pool,
    SweepTable,
    core_count,
    execute,
    make_sweep,
    pool,
    read_rows,
)
from hopfield_nav.sweeps.job import run_job
from hopfield_nav.sweeps.pool import WorkersLost
from hopfield_nav.sweeps.table import make_row

ROOT = Path(__file__).resolve().parents[2]
QUICK = {"time_limit": 8}


def small(repeats=2, **others):
    """Eight quick runs, two thresholds by two stiffnesses."""
    vary = {"detection.threshold": [6, 12], "contact.stiffness": [1e4, 1e5]}
    return make_sweep("u_trap", vary, repeats=repeats, set=QUICK, **others)


def failed_row(made, index, reason):
    """A row of nothing."""
    return make_row(made, made.job(index), {"outcome": "failed"}, reason)


@pytest.fixture(scope="module")
def serial(tmp_path_factory):
    """The table of the small sweep, run in this process."""
    return (
        execute(small(), tmp_path_factory.mktemp("serial") / "s", workers=0) / "sweep.csv"
    ).read_bytes()


def test_a_script_that_its_own_workers_would_start_again_is_told_so_at_once(tmp_path):
    script = tmp_path / "study.py"
    call = "sweep('u_trap', {'detection.threshold': [6, 12]}, set={'time_limit': 0.1}, workers=1)"
    script.write_text(f"from hopfield_nav import sweep\n\n{call}\n")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    told = subprocess.run(
        [sys.executable, str(script)], env=environment, capture_output=True, text=True
    )
    last = told.stderr.splitlines()[-1]
    assert "study.py: a sweep starts processes" in last
    assert "__main__" in last
    assert told.stderr.count("Traceback") == 1
    script.write_text(f"from hopfield_nav import sweep\n\nif __name__ == '__main__':\n    {call}\n")
    subprocess.run([sys.executable, str(script)], env=environment, check=True)


def workers_of(process: psutil.Process) -> list[psutil.Process]:
    """The workers of a sweep in that process."""
    return [child for child in process.children(recursive=True) if "spawn_main" in _words(child)]


def _words(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def rows_of(made, work, workers=1):
    """The rows of a sweep from a pool, by index; of more than one worker where it is about several."""
    with Pool(made, workers, work=work) as workers_:
        return {row["index"]: row for row in workers_.rows(range(made.count), made.count)}


def test_two_workers_give_the_table_of_one_process_and_leave_nothing(serial, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    seen = []
    folder = execute(
        small(),
        tmp_path / "out",
        workers=2,
        progress=lambda done, c: seen.append((done, c.total())),
    )
    assert (folder / "sweep.csv").read_bytes() == serial
    assert seen == [(k, k) for k in range(1, 9)]
    assert workers_of(psutil.Process()) == []
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_run_that_cannot_be_built_is_a_row(tmp_path):
    made = make_sweep("u_trap", {"plant.damping": [0, 1e4]}, set={**QUICK, "plant.step": 0.001})
    good, bad = read_rows(execute(made, tmp_path / "out", workers=0))
    assert (good["outcome"], good["error"]) == ("time_limit", None)
    assert bad["outcome"] == "failed"
    assert "explode" in bad["error"]
    assert bad["simulated_time_s"] is None


def test_an_unforeseen_error_is_a_row(monkeypatch):
    monkeypatch.setattr("hopfield_nav.experiment.simulation.Simulation.run", lambda *_: 1 / 0)
    row = run_job(small(), 3)
    assert (row["outcome"], row["error"]) == ("failed", "ZeroDivisionError: division by zero")


def test_a_run_that_takes_too_long_is_a_row():
    row = run_job(small(time_limit_per_run=1e-6), 0)
    assert row["outcome"] == "timed_out"
    assert "1e-06 s" in row["error"]


def test_kept_runs_are_runs(tmp_path):
    made = make_sweep("u_trap", {"detection.threshold": [6, 12]}, set=QUICK, keep="runs")
    (tmp_path / "out" / "runs" / "000001").mkdir(parents=True)
    (tmp_path / "out" / "runs" / "000001" / "torn").touch()
    row = run_job(made, 1, tmp_path / "out")
    run = load_run(tmp_path / "out" / "runs" / "000001")
    assert run.summary["collision_count"] == row["collision_count"]
    assert not (tmp_path / "out" / "runs" / "000001" / "torn").exists()


@pytest.mark.parametrize("name", ["runs", "sweep.csv", "runs/000001"])
def test_nothing_outside_the_folder_of_a_sweep_is_touched(tmp_path, name):
    """A folder that somebody sent may hold a link to anywhere."""
    made = make_sweep(
        "u_trap", {"detection.threshold": [6, 12]}, set={"time_limit": 0.1}, keep="runs"
    )
    folder = execute(made, tmp_path / "out", workers=0)
    outside = tmp_path / "outside"
    shutil.move(folder / name, outside)
    (folder / name).symlink_to(outside)
    rows = (folder / "sweep.csv").read_bytes().splitlines(keepends=True)
    (folder / "sweep.csv").write_bytes(b"".join(rows[:2]) + b"torn")
    before = {path: path.read_bytes() for path in [outside, *outside.rglob("*")] if path.is_file()}
    if name == "runs/000001":
        row = run_job(made, 1, folder)
        assert (row["outcome"], "leads out of" in row["error"]) == ("failed", True)
    else:
        with refused("leads out of"):
            execute(made, folder, workers=0, resume=True)
    assert {path: path.read_bytes() for path in before} == before


def test_checksums_replace_a_link_not_what_it_leads_to(tmp_path):
    (tmp_path / "precious").write_text("mine")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a").touch()
    (tmp_path / "out" / "checksums.sha256").symlink_to(tmp_path / "precious")
    write_checksums(tmp_path / "out", ["a"])
    assert (tmp_path / "precious").read_text() == "mine"


def test_a_pipe_in_the_folder_of_a_sweep_is_not_waited_for(tmp_path):
    for name, words in (("sweep.yaml", "no sweep to go on with"), ("sweep.csv", "no regular file")):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "sweep.yaml").write_text(small().to_yaml(folder))
        (folder / name).unlink(missing_ok=True)
        os.mkfifo(folder / name)
        with refused(words):
            execute(small(), folder, workers=0, resume=True)


def test_of_two_sweeps_at_once_the_second_is_told_before_it_computes(tmp_path, monkeypatch):
    """It found the folder empty, and another one was faster."""
    execute(small(), tmp_path / "out", workers=0)
    table = (tmp_path / "out" / "sweep.csv").read_bytes()
    monkeypatch.setattr(Path, "iterdir", lambda folder: iter(()))  # as it was a moment ago
    with refused("not empty", FolderTaken):
        execute(small(repeats=1), tmp_path / "out", workers=0)
    assert (tmp_path / "out" / "sweep.csv").read_bytes() == table


def test_two_do_not_go_on_with_one_sweep_at_once(tmp_path):
    pytest.importorskip("fcntl")
    with SweepTable(tmp_path), refused("another program is at work"):
        SweepTable(tmp_path)
    with SweepTable(tmp_path):
        pass


def test_resume_does_only_what_is_missing(serial, tmp_path):
    folder = execute(small(), tmp_path / "out", workers=0)
    lines = (folder / "sweep.csv").read_bytes().splitlines(keepends=True)
    (folder / "sweep.csv").write_bytes(
        b"".join([*lines[:3], *lines[6:8], lines[8][:20]])
    )  # the last is torn
    seen = []
    execute(small(), folder, workers=0, resume=True, progress=lambda done, _: seen.append(done))
    assert seen == [5, 6, 7, 8]
    assert (folder / "sweep.csv").read_bytes() == serial


def test_resume_refuses_a_changed_sweep_and_a_folder_that_holds_none(tmp_path):
    folder = execute(small(), tmp_path / "out", workers=0)
    with pytest.raises(BadInput, match="patience has been changed"):
        execute(small(patience=3.0), folder, workers=0, resume=True)
    with pytest.raises(BadInput, match="no sweep to go on with"):
        execute(small(), tmp_path, workers=0, resume=True)
    with pytest.raises(BadInput, match="not empty"):
        execute(small(), folder, workers=0)


def slow_job(made, index, folder):
    """A row that takes long enough to be interrupted."""
    time.sleep(0.2)
    return failed_row(made, index, "slow")


def test_a_killed_worker_loses_nothing():
    made, rows = small(), []
    with Pool(made, 2, work=slow_job) as workers:
        # a process that was just made has no command line yet
        while len(begun := workers_of(psutil.Process())) < 2:
            time.sleep(0.01)
        victim, _ = begun
        for row in workers.rows(range(made.count), made.count):
            rows.append(row)
            if len(rows) == 2:
                victim.kill()
        assert victim not in workers_of(psutil.Process())
    assert sorted(rows, key=lambda row: row["index"]) == [
        slow_job(made, i, None) for i in range(made.count)
    ]


@pytest.mark.parametrize("killed", [1, 99])
def test_a_worker_killed_while_the_pool_starts_is_replaced(killed):
    """One of them, and every one: then that is said in a line."""
    me, gone, stop = psutil.Process(), set(), threading.Event()

    def kill_the_young():
        while not stop.wait(0.01):
            for child in workers_of(me):
                if len(gone) < killed and child.pid not in gone:
                    gone.add(child.pid)
                    child.kill()

    killer = threading.Thread(target=kill_the_young)
    killer.start()
    try:
        if killed == 1:
            assert len(rows_of(small(), alive_job, 2)) == 8
        else:
            with pytest.raises(WorkersLost, match="--workers 0"):
                rows_of(small(), alive_job, 2)
    finally:
        stop.set()
        killer.join()
    assert gone


def alive_job(made, index, folder):
    """A row at once."""
    return failed_row(made, index, "alive")


def deadly_job(made, index, folder):
    """Job 5 kills whatever process runs it."""
    if index == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return failed_row(made, index, "alive")


def test_a_run_that_kills_its_worker_every_time_is_a_row():
    told = {index: row["error"] for index, row in rows_of(small(), deadly_job).items()}
    assert len(told) == 8
    assert told.pop(5) == "the run killed its worker every time (SIGKILL)"
    assert set(told.values()) == {"alive"}


def sleepy_job(made, index, folder):
    """Job 5 does not heed its time limit."""
    time.sleep(1e6 if index == 5 else 0.0)
    return failed_row(made, index, "alive")


def test_a_run_that_does_not_heed_its_time_limit_is_ended(monkeypatch):
    monkeypatch.setattr(pool, "_GRACE", 0.5)
    rows = rows_of(small(time_limit_per_run=0.5), sleepy_job)
    assert (rows[5]["outcome"], rows[5]["error"]) == (
        "timed_out",
        "given up after 0.5 s of wall time",
    )
    assert [row["error"] for row in rows.values()].count("alive") == 7


def raising_job(made, index, folder):
    """What no run does: its errors are rows."""
    raise BadInput("an error of the program")


def test_an_error_of_a_worker_outside_of_a_run_is_raised_here():
    with refused("an error of the program"):
        rows_of(small(), raising_job)
    assert workers_of(psutil.Process()) == []


def environment_job(made, index, folder):
    """A row that tells of the worker's threads."""
    names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
    return failed_row(made, index, " ".join(os.environ[name] for name in names))


def test_each_worker_takes_one_job_at_a_time_has_one_thread_and_listens_nowhere():
    """Other users of the machine reach whatever listens."""
    before, made, taken = dict(os.environ), small(repeats=50), []
    with Pool(made, 2, work=environment_job) as workers:
        for done, row in enumerate(
            workers.rows((taken.append(i) or i for i in range(made.count)), made.count)
        ):
            assert row["error"] == "1 1 1 1"
            assert len(taken) - done <= 2
        for process in (psutil.Process(), *workers_of(psutil.Process())):
            assert [c for c in process.net_connections() if c.status == psutil.CONN_LISTEN] == []
    assert dict(os.environ) == before


@pytest.fixture
def scheduler(tmp_path):
    """A scheduler and two workers, processes of their own on the loopback address."""
    pytest.importorskip("distributed")
    here = {**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_NUM_THREADS": "1"}
    file = tmp_path / "scheduler.json"

    def start(*words):
        command = [sys.executable, "-m", f"distributed.cli.{words[0]}", *words[1:]]
        return subprocess.Popen(command, env=here, cwd=tmp_path, stderr=subprocess.DEVNULL)

    processes = [
        start("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
              "--dashboard-address", "127.0.0.1:0", "--scheduler-file", str(file)),
    ]  # fmt: skip
    worker = ("dask_worker", "--scheduler-file", str(file), "--nthreads", "1", "--no-dashboard", "--host",
              "127.0.0.1", "--local-directory", str(tmp_path))  # fmt: skip
    try:
        address = json.loads(when_written(file))["address"]
        processes += [start(*worker), start(*worker)]
        yield address, processes
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(20)


def when_written(file, patience=30.0):
    """The text of a file once it ends as JSON does: it is there before it is whole."""
    deadline = time.monotonic() + patience
    while not (file.exists() and file.read_text().endswith("}")) and time.monotonic() < deadline:
        time.sleep(0.1)
    return file.read_text()


@pytest.mark.study
def test_a_running_cluster_gives_the_same_table_and_one_that_goes_away_is_told(
    serial, tmp_path, scheduler
):
    """The rows that it gave until then are kept."""
    address, processes = scheduler
    folder = execute(small(), tmp_path / "whole", scheduler=address)
    assert (folder / "sweep.csv").read_bytes() == serial
    made = small(repeats=50)

    def stop(done, _):
        if done == 3:
            processes[0].kill()

    with pytest.raises(WorkersLost, match="--resume"):
        execute(made, tmp_path / "out", scheduler=address, progress=stop)
    assert len(read_rows(tmp_path / "out")) >= 3


BAD_RUNS = """
import os, time
from hopfield_nav.plugin import Measures, Method, Parameter


class Hangs:
    def __init__(self, way):
        self.way = way
    def on_touch(self, touch):
        time.sleep(1e6 if self.way == 1 else 0)
    on_rest = on_touch


def measure(run):
    if run.world.explore.parameters["way"] == 2:
        os._exit(3)
    return {"one": 1.0}


RESPONSE = Method("response", "hangs", Hangs, (Parameter("way", 0.0, 0.0, 3.0, "1", "how it is bad"),))
MEASURES = Measures(measure, {"one": "1"})
"""


@pytest.mark.study
def test_runs_that_kill_their_process_or_hang_cost_a_cluster_nothing_else(
    tmp_path, scheduler, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    Path("bad.py").write_text(BAD_RUNS)
    given = {
        "measures": "bad.py:MEASURES",
        "patience": 2.0,
        "set": {"explore.method": "bad.py:RESPONSE"},
    }
    made = make_sweep("u_trap", {"explore.way": [0, 1, 2, 3]}, **given)
    rows = read_rows(execute(made, tmp_path / "out", scheduler=scheduler[0]), made)
    assert [row["outcome"] for row in rows] == ["reached", "method_failed", "failed", "reached"]
    assert (
        rows[1]["error"] == "response 'hangs': one call took longer than 2 s; its worker was ended"
    )
    assert rows[2]["error"] == "the run killed its worker every time (exit status 3)"


def test_without_dask_a_line_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with refused(
        r"--scheduler tcp://.*a cluster needs Dask.*pip install 'hopfield-nav\[cluster\]'",
        LibraryMissing,
    ):
        execute(small(), tmp_path / "out", scheduler="tcp://127.0.0.1:9")


@pytest.mark.parametrize("workers", [-3, 1.5, "two", True])
def test_a_number_of_workers_that_is_none_is_refused(tmp_path, workers):
    with pytest.raises(BadInput, match="workers"):
        execute(small(), tmp_path / "out", workers=workers)
    assert not (tmp_path / "out").exists()


def test_a_full_disk_is_told_with_what_to_do(tmp_path, monkeypatch):
    """What was finished is kept, and the rest is done later."""
    append, rows = SweepTable.append, []

    def full(self, row):
        if len(rows) == 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        rows.append(row)
        append(self, row)

    monkeypatch.setattr(SweepTable, "append", full)
    with pytest.raises(BadInput, match=r"No space left.*kept.*--resume"):
        execute(small(), tmp_path / "out", workers=0)
    monkeypatch.undo()
    assert len(read_rows(tmp_path / "out")) == 3
    assert len(read_rows(execute(small(), tmp_path / "out", workers=0, resume=True))) == 8


def test_repeats_of_a_world_without_randomness_count_once(tmp_path, capsys):
    made = small(repeats=3)
    assert any("count once" in remark for remark in made.remarks)
    rows = [failed_row(made, index, "x") for index in range(made.count)]
    print_sweep(made, rows, tmp_path)
    out = capsys.readouterr().out
    assert out.startswith("4 runs: 4 failed")
    assert (
        "12 of 12 runs, first that with detection.threshold=6, contact.stiffness=10000.0: x" in out
    )


def test_runs_that_are_alike_to_the_last_digit_count_once_whatever_may_be_random(tmp_path, capsys):
    """Planners may draw, so that a swept planner is looked at: here three seeds give one run, n = 1."""
    made = make_sweep("u_trap", {"planner.beta": [0.1, 0.2]}, repeats=3, set={"time_limit": 1})
    assert made.is_random
    rows = read_rows(execute(made, tmp_path / "out", workers=0), made)
    assert len(rows) == 6
    print_sweep(made, rows, tmp_path)
    out = capsys.readouterr().out
    assert out.startswith("2 runs: 2 time_limit")
    assert "0/1  0% (0–79)" in out


DRAWN = [
    ("u_trap", {"sensors.velocity_noise": 0.01}),
    ("u_trap", {"sensors.torque_noise": 0.01}),
    ("whole_arm", {}),  # the goal is a place, and rotations of the tool are drawn
]


@pytest.mark.parametrize(("world", "given"), DRAWN, ids=range(len(DRAWN)))
def test_repeats_count_where_a_run_depends_on_its_seed(world, given):
    made = make_sweep(world, {"time_limit": [1, 2]}, repeats=3, set=given)
    assert made.is_random
    assert made.remarks == ()
    worlds = [made.world_for(made.job(index)) for index in (0, 1)]
    assert worlds[0].seed != worlds[1].seed


def test_repeats_do_not_count_where_nothing_is_drawn():
    assert not make_sweep("hypotheses_table", {"time_limit": [1, 2]}, repeats=3).is_random


def test_nobody_at_the_address(tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("hopfield_nav.sweeps.cluster._CONNECT", 1)
    with pytest.raises(BadInput, match="no scheduler answers"):
        execute(small(), tmp_path / "out", scheduler="tcp://127.0.0.1:9")


def test_sweep_in_one_call():
    data = sweep("u_trap", {"detection.threshold": [6, 12]}, repeats=2, set=QUICK)
    assert dict(data.sizes) == {"detection.threshold": 2, "repeat": 2}
    assert (data.outcome == "time_limit").all()
    assert core_count() >= 1
