"""Signals and events of a run as CSV and as a file of MATLAB: the numbers of the record, with their units."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from refusals import refused, refused_by_command
from scipy.io import loadmat

from hopfield_nav import load_world, simulate
from hopfield_nav.cli.app import main
from hopfield_nav.record import export_csv, export_mat


@pytest.fixture(scope="module")
def run():
    return simulate(load_world("u_trap", ["time_limit=8", "record.every=10"]))


def table(path):
    with path.open(newline="", encoding="utf-8") as file:
        heads, *rows = csv.reader(file)
    return dict(zip(heads, np.array(rows, dtype=float).T, strict=True))


@pytest.mark.parametrize("every", [1, 7])
def test_a_table_has_the_numbers_of_the_record(run, tmp_path, every):
    signals, events = (table(path) for path in export_csv(run, tmp_path, every)[:2])
    data = run.data.isel(time=slice(None, None, every))
    np.testing.assert_array_equal(signals["time [s]"], data.time)
    for i in range(6):
        np.testing.assert_array_equal(signals[f"q_{i + 1} [rad]"], data.q[:, i])
        np.testing.assert_array_equal(
            signals[f"tau_{i + 1} [{data.tau.attrs['units']}]"], data.tau[:, i]
        )
    np.testing.assert_array_equal(signals["force_z [N]"], data.force[:, 2])
    np.testing.assert_array_equal(signals["level [1]"], data.level)
    assert run.data.sizes["event"] > 0
    np.testing.assert_array_equal(events["event_time [s]"], data.event_time)
    np.testing.assert_array_equal(events["event_position_y [m]"], data.event_position[:, 1])


def test_a_table_has_what_the_wrist_felt(tmp_path):
    felt = simulate(
        load_world(
            "u_trap",
            [
                "sensors.wrench={}",
                "detection.estimator=wrist_sensor",
                "detection.measure=force_norm",
                "time_limit=1",
            ],
        )
    )
    signals = table(export_csv(felt, tmp_path)[0])
    np.testing.assert_array_equal(signals["force_sensed_z [N]"], felt.data.force_sensed[:, 2])
    np.testing.assert_array_equal(signals["moment_sensed_x [N m]"], felt.data.moment_sensed[:, 0])


@pytest.mark.parametrize("every", [1, 7])
def test_matlab_gets_every_variable_with_its_unit(run, tmp_path, every):
    content = loadmat(export_mat(run, tmp_path / "run.mat", every), simplify_cells=True)
    data = run.data.isel(time=slice(None, None, every))
    for name, variable in data.variables.items():
        if name != "axis":
            read = np.squeeze(content[name])
            np.testing.assert_array_equal(read, np.squeeze(variable.values), err_msg=name)
    assert content["units"]["force"] == "N"
    assert list(content["axis"]) == ["x", "y", "z"]
    assert content["summary"]["outcome"] == run.outcome
    assert content["summary"]["collision_count"] == run.summary["collision_count"]


def test_the_command(run, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    run.save("a")
    assert main(["export", "a", "--csv", "--mat", "--every", "5"]) == 0
    assert capsys.readouterr().out.split() == [
        "a/signals.csv",
        "a/events.csv",
        "a/link_forces.csv",
        "a/run.mat",
    ]
    assert len(table(tmp_path / "a/signals.csv")["time [s]"]) == -(-run.data.sizes["time"] // 5)
    assert main(["export", "a", "--mat", "--out", "b/c"]) == 0
    assert [p.name for p in (tmp_path / "b/c").iterdir()] == ["run.mat"]
    refused_by_command(capsys, ["export", "a"], "--csv, --mat, --rtde, --scene or more of them")
    refused_by_command(capsys, ["export", "b", "--csv"], "not the folder of a run")
    refused_by_command(capsys, ["export", "a", "--csv", "--every", "0"], "--every")


def test_without_signals_there_is_nothing_to_export(tmp_path):
    run = simulate(load_world("empty", ["time_limit=0.1", "record.signals=none"]))
    with refused("no signals"):
        export_csv(run, tmp_path)
    with refused("no signals"):
        export_mat(run, tmp_path / "run.mat")
    assert not list(tmp_path.iterdir())
