"""A record that somebody sent: it is read from its own bytes alone, and never waited for."""

from __future__ import annotations

import os
import shutil
import time

import h5py
import pytest
import xarray
from refusals import refused, refused_by_command
from torturing.links import WAYS

from hopfield_nav import load_run, load_world, simulate
from hopfield_nav.cli.app import main
from hopfield_nav.record import read_netcdf

_TOLD = {
    "a link to another file": "no variable of its own",
    "a link in the file": "no variable of its own",
    "values in another file": "values in another file",
    "values in a pipe": "values in another file",
    "values put together from another file": "values in another file",
    "values put together from a pipe, as many as it has": "values in another file",
    "a group": "no variable of its own",
    "a giant that was never written": "values are missing",
    "a giant of which most was never written": "values are missing",
    "a giant that was packed twice": "more values than the file can hold",
}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A short run with all its signals, without checksums."""
    folder = tmp_path_factory.mktemp("saved") / "run"
    simulate(load_world("u_trap", ["time_limit=1", "record.every=10"])).save(folder)
    (folder / "checksums.sha256").unlink()
    return folder


@pytest.fixture
def sent(saved, tmp_path):
    """A copy of it."""
    return shutil.copytree(saved, tmp_path / "sent")


def test_what_is_not_changed_is_read(sent):
    load_run(sent)


@pytest.mark.parametrize("way", WAYS)
def test_values_elsewhere_or_nowhere_are_refused_at_once(sent, way):
    WAYS[way](sent / "log.nc", "q")
    started = time.process_time()
    for read in (lambda: load_run(sent), lambda: read_netcdf(sent / "log.nc")):
        with refused(f"log.nc: .*{_TOLD[way]}"):
            read()
    assert time.process_time() - started < 5.0


@pytest.mark.parametrize("name", ["log.nc", "summary.json", "world.yaml", "checksums.sha256"])
def test_a_pipe_is_told_and_not_waited_for(sent, name):
    (sent / name).unlink(missing_ok=True)
    os.mkfifo(sent / name)
    with refused(f"{name}.* regular file"):
        load_run(sent)


@pytest.mark.parametrize("units", [None, 7])
@pytest.mark.needs("viewer")
def test_a_variable_without_unit_is_told(sent, tmp_path, capsys, units):
    with h5py.File(sent / "log.nc", "a") as file:
        del file["event_time"].attrs["units"]
        if units is not None:
            file["event_time"].attrs["units"] = units
    for command in (["export", str(sent), "--csv"], ["plot", str(sent)], ["view", str(sent)]):
        assert "event_time" in refused_by_command(capsys, command, "no unit")


def test_what_others_added_is_exported_as_numbers_that_no_spreadsheet_computes(sent, capsys):
    with xarray.open_dataset(sent / "log.nc", engine="h5netcdf") as stored:
        data = stored.load()
    rows = data.sizes["time"]
    data["=1+1"] = ("time", [2.0] * rows)
    data["words"] = ("time", ["=1+1"] * rows)
    data = data.assign_coords(event=("event", range(data.sizes["event"])))  # no unit
    data.to_netcdf(sent / "log.nc", engine="h5netcdf")
    assert main(["export", str(sent), "--csv"]) == 0
    head, line, *_ = (sent / "signals.csv").read_text().splitlines()
    assert '"""=1+1 [1]"""' in head
    assert "words" not in head
    assert "=1" not in line
