"""The record as a file: packed where that pays, and nothing of it is lost."""

from __future__ import annotations

import subprocess
import sys

import h5py
import numpy as np
import pytest
import xarray
from scenes import simulation

from hopfield_nav.record import load_run
from hopfield_nav.record.stored import packing

ROWS = 10_000
TIME = ("time", "axis")
TEXT = "obstacles: [{cylinder: {center: [0.36, -0.09], radius: 0.05}}]\ngoal: {cell: [17, 6]}\ntime_limit: 9\n"
SAVE = """\
import sys
from hopfield_nav import load_world, simulate
simulate(load_world("empty", ["time_limit=0.01"])).save(sys.argv[1])
heavy = ("xarray", "pandas", "dask", "distributed", "scipy.special", "scipy.sparse")
print([name for name in heavy if name in sys.modules])
"""


@pytest.fixture(scope="module")
def run():
    return simulation(TEXT).run()


def test_every_bit_comes_back(run, tmp_path):
    stored = load_run(run.save(tmp_path / "run")).data
    assert stored.identical(run.data)
    for name, variable in run.data.variables.items():
        if variable.dtype.kind in "fiu":
            assert (
                stored[name].values.tobytes() == np.ascontiguousarray(variable.values).tobytes()
            ), name


def test_the_file_is_what_xarray_would_have_written(run, tmp_path):
    """The same variables, types and attributes; only smaller."""
    file, plain = run.save(tmp_path / "run") / "log.nc", tmp_path / "plain.nc"
    run.data.to_netcdf(plain, engine="h5netcdf")
    assert file.stat().st_size < 0.8 * plain.stat().st_size
    with h5py.File(file) as ours, h5py.File(plain) as theirs:
        assert set(ours) == set(theirs)
        assert {name: ours[name].dtype for name in ours} == {
            name: theirs[name].dtype for name in theirs
        }
        assert {name: set(ours[name].attrs) for name in ours} == {
            n: set(theirs[n].attrs) for n in theirs
        }
        assert dict(ours.attrs) == dict(theirs.attrs)


def test_a_record_that_was_changed_is_saved_as_it_is_now(run, tmp_path):
    again = load_run(run.save(tmp_path / "run"))
    again.data["tau"] = 2 * again.data.tau
    np.testing.assert_array_equal(load_run(again.save(tmp_path / "b")).data.tau, 2 * run.data.tau)


def test_what_does_not_shrink_is_left_as_it_is():
    noise = np.random.default_rng(0).normal(size=(ROWS, 3))
    assert packing(TIME, noise) == {}
    for signal in (np.zeros((ROWS, 3)), np.round(noise)):
        assert packing(TIME, signal)["compression"] == "gzip"


@pytest.mark.parametrize("rows", [0, 1, 100])
def test_short_records_are_left_as_they_are(rows):
    assert packing(TIME, np.zeros((rows, 3))) == {}


def test_saving_a_run_loads_none_of_what_looks_at_it(tmp_path):
    """Figures and tables are labelled by xarray, which takes longer to load than the run to simulate."""
    done = subprocess.run(
        [sys.executable, "-c", SAVE, str(tmp_path / "run")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr
    with xarray.open_dataset(tmp_path / "run" / "log.nc", engine="h5netcdf") as stored:
        assert stored.sizes["time"] == 10


FULL = """\
import resource, sys
from hopfield_nav.cli.app import main
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
raise SystemExit(main(["run", "u_trap", "--set", "time_limit=2", "--no-plots", "--out", sys.argv[1]]))
"""


def test_a_full_disk_is_a_line_and_leaves_nothing(tmp_path):
    """A real limit on the size of a file: HDF5 by itself would end the whole program."""
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path / "run")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert "the run could not be saved: File too large" in done.stderr.splitlines()[-1]
    assert list(tmp_path.iterdir()) == []
