"""``hopfield-nav replay``: what it prints and saves, its exit status, and its refusals."""

from __future__ import annotations

import re

import numpy as np
import pytest
import xarray
from pictures import assert_fit_to_print
from refusals import refused, refused_by_command

from hopfield_nav.cli.app import main
from hopfield_nav.experiment import simulate
from hopfield_nav.record import alarm_rate
from hopfield_nav.world import load_world


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A short run with a collision, and its folder."""
    made = simulate(load_world("ragazzon2012", ["time_limit=15"]))
    folder = tmp_path_factory.mktemp("runs") / "short"
    made.save(folder)
    return made, folder


@pytest.fixture
def logs(data_folder):
    return data_folder / "ur5_kufieta2014"


def test_a_run_of_ours(run, tmp_path, capsys):
    made, folder = run
    out = tmp_path / "again.nc"
    assert main(["replay", str(folder), "--detector", "wrench_norm", "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "joint_error, wrench_norm" in printed
    assert f"{made.data.sizes['time']}, " in printed
    assert "1 ms" in printed
    with xarray.open_dataset(out, engine="h5netcdf") as data:
        same = made.data.detected.values == 0
        np.testing.assert_array_equal(data.level.values[same], made.data.level.values[same])
        assert data.tau_external_estimate.attrs["units"] == "N m"


def test_a_threshold_for_each_joint_is_not_handed_to_a_detector_with_one(tmp_path, capsys):
    """Of a run with six thresholds every detector is judged, each with those that it takes."""
    changes = ["detection={measure: joint_torque, threshold: [5, 5, 4, 2, 2, 2]}", "time_limit=8"]
    simulate(load_world("ragazzon2012", changes)).save(tmp_path / "six")
    assert main(["replay", str(tmp_path / "six"), "--judge"]) == 0
    printed = capsys.readouterr().out
    assert "force_norm" in printed
    assert "joint_torque" in printed
    assert main(["replay", str(tmp_path / "six"), "--detector", "force_norm"]) == 0


def test_the_suggested_threshold_can_be_typed_as_it_stands(run, tmp_path, capsys):
    free = tmp_path / "free"
    simulate(load_world("ragazzon2012", ["obstacles=[]", "time_limit=4"])).save(free)
    words = ["replay", str(run[1]), "--detector", "joint_torque"]
    assert main([*words, "--free-run", str(free)]) == 0
    option, value = re.search(r"(--set) (threshold=\S+)", capsys.readouterr().out).groups()
    assert main([*words, option, value]) == 0


def test_threshold_values_and_rate(run, capsys):
    _, folder = run
    words = ["replay", str(folder), "--detector", "force_norm", "--free"]
    assert main([*words, "--threshold", "1e6"]) == 0
    quiet = capsys.readouterr().out
    assert "false alarms per hour" in quiet
    assert "0 (95 %: 0 …" in quiet
    assert main([*words, "--threshold", "1e-3", "--set", "omega=[10, 10, 10, 10, 10, 10]"]) == 0
    assert " at 0.0" in capsys.readouterr().out


def test_a_table_of_thresholds_over_free_motion_has_their_rates(run, capsys):
    words = ["replay", str(run[1]), "--detector", "force_norm", "--free"]
    rates = []
    for value in ("0.5", "1e6"):
        assert main([*words, "--threshold", value]) == 0
        rates.append(re.search(r"false alarms per hour +(\S+) ", capsys.readouterr().out)[1])
    assert main([*words, "--threshold", "0.5,1e6"]) == 0
    table = capsys.readouterr().out
    assert "false alarms per hour" in table
    assert re.search(rf"0\.5 .* {re.escape(rates[0])} \(95 %", table)
    assert re.search(rf"1e\+06 .* {re.escape(rates[1])} \(95 %", table)


def test_many_alarms_are_counted_and_the_first_ten_named(run, capsys):
    _, folder = run
    words = [
        "replay",
        str(folder),
        "--detector",
        "force_norm",
        "--threshold",
        "0.05",
        "--every-rise",
    ]
    assert main(words) == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "alarms" in line]
    count, times = line.split("alarms")[1].split(" at ")
    assert int(count) > 10
    assert len(re.findall(r"\d+\.\d\d", times)) == 10
    assert times.strip().endswith("… s")


def test_the_picture_shows_level_force_and_alarms(run, tmp_path, capsys):
    path = tmp_path / "replayed.png"
    words = ["replay", str(run[1]), "--detector", "wrench_norm"]
    assert main([*words, "--plot", str(path)]) == 0
    assert_fit_to_print(path)
    assert [p.name for p in tmp_path.iterdir()] == ["replayed.png"]
    refused_by_command(capsys, [*words, "--plot", "a.svg"], "--plot: unknown format; found 'a.svg'")


def test_csv_holds_every_row(run, tmp_path):
    made, folder = run
    out = tmp_path / "again.csv"
    assert main(["replay", str(folder), "--detector", "wrench_norm", "--out", str(out)]) == 0
    names = out.read_text().splitlines()[0].split(",")
    table = np.loadtxt(out, delimiter=",", skiprows=1)
    assert table.shape == (made.data.sizes["time"], len(names))
    assert names[:3] == ["time_s", "level", "detected"]
    assert list(tmp_path.iterdir()) == [out]


def test_a_recording_of_a_real_arm(logs, capsys):
    method = ["--detector", "force_norm", "--estimator", "joint_error", "--set", "omega=20"]
    words = ["replay", str(logs / "no5_pushed"), *method]
    free = [
        "--free-run",
        str(logs / "no1"),
        "--free-run",
        str(logs / "no8"),
        "--same-motor",
        "4,5,6",
    ]
    assert main([*words, *free]) == 0
    printed = capsys.readouterr().out
    assert "4032, 32.25 s" in printed
    suggestion = re.search(r"--threshold ([\d.]+)", printed)
    assert "of free motion that did not choose it" in printed
    untouched = ["replay", str(logs / "no1"), *words[2:], *free, "--threshold", suggestion[1]]
    assert main(untouched) == 0
    of_default = int(re.search(r"alarms +(\d+)", printed)[1])
    assert int(re.search(r"alarms +(\d+)", capsys.readouterr().out)[1]) <= of_default
    refused_by_command(capsys, words, "motor constants are not known")
    refused_by_command(
        capsys, [*words, *free[:4], "--same-motor", "a,b"], "--same-motor: no joints"
    )
    without = [*words[:4], *free, "--estimator", "joint_error"]
    assert "--set omega=VALUE" in refused_by_command(
        capsys, without, "joint_error: omega must be given"
    )
    still = ["--free-run", str(logs / "no10_standstill_force_sensor_fx")]
    refused_by_command(capsys, [*words, *still], "not a free run")


def test_a_pole_too_fast_for_a_recording_is_said_before_its_alarms(logs, run, capsys):
    """On the public UR5 the default raises 504 alarms, most from the ripple of the currents; a slower pole few."""
    words = [
        "replay",
        f"{logs}/no5_pushed",
        "--free-run",
        f"{logs}/no1",
        "--free-run",
        f"{logs}/no8",
    ]
    assert main([*words, "--same-motor", "4,5,6"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    left, count, pole = re.search(
        r"too fast .*: (\d+) of (\d+) alarms are left with --set (pole=\d+)", printed
    ).groups()
    assert printed.index("too fast") < printed.index(f"alarms {count} at")
    assert main([*words, "--same-motor", "4,5,6", "--set", pole]) == 0
    again = " ".join(capsys.readouterr().out.split())
    assert f"alarms {left} at" in again
    assert "too fast" not in again
    assert (
        main(
            [
                "replay",
                str(run[1]),
                "--estimator",
                "momentum_observer",
                "--detector",
                "joint_torque",
            ]
        )
        == 0
    )
    assert "too fast" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--detector wrong_norm", "unknown detector; found 'wrong_norm'"),
        ("--detector wrench_norm --estimator joint_err", "Did you mean 'joint_error'"),
        ("--detector wrench_norm --out a.txt", "--out: unknown format; found 'a.txt'"),
        ("--detector wrench_norm --set omega", "--set omega: not understood"),
        ("--detector wrench_norm --set omega=fast", "--set omega=fast: not a number"),
        ("--detector wrench_norm --set omeg=3", "unknown parameter; found 'omeg'"),
        ("--detector wrench_norm --threshold -1", "threshold: out of range"),
        ("--detector wrench_norm --motor-constants 8,8,8,8,8,8", "a simulated run records torques"),
        ("--detector wrench_norm --free-run x", "no such recording"),
        ("--detector wrench_norm --out /nowhere/at/all.csv", "could not be saved"),
    ],
)
def test_refusals_are_one_line_and_status_2(run, capsys, words, said):
    refused_by_command(capsys, ["replay", str(run[1]), *words.split()], said)


def test_no_such_log(capsys):
    assert main(["replay", "nowhere", "--detector", "wrench_norm", "--free-run", "x"]) == 2
    assert "no such recording" in capsys.readouterr().err


def test_rate_of_alarms():
    """Against Garwood's table for 0 and 10 events: 0 to 3.689, and 4.795 to 18.390."""
    np.testing.assert_allclose(alarm_rate(0, 3600.0), (0.0, 0.0, 3.689), atol=5e-4)
    np.testing.assert_allclose(alarm_rate(10, 3600.0), (10.0, 4.795, 18.390), atol=6e-4)
    np.testing.assert_allclose(alarm_rate(10, 1800.0)[0], 20.0)


def test_no_time_has_no_rate_of_alarms():
    with refused("no rate"):
        alarm_rate(0, 0.0)


# whatever was written is read


def alarms_of(capsys, *words):
    assert main(["replay", *map(str, words)]) == 0
    return re.search(r"alarms +(.*?) *\n", capsys.readouterr().out)[1]


def test_a_run_its_log_and_what_was_exported_of_it_give_the_same_alarms(run, tmp_path, capsys):
    made, folder = run
    asked = alarms_of(capsys, folder)
    assert asked.split()[0] == str(made.summary["collision_count"] + made.summary["graze_count"])
    assert main(["export", str(folder), "--csv", "--rtde", "--out", str(tmp_path / "to")]) == 0
    for path in (folder / "log.nc", tmp_path / "to/signals.csv", tmp_path / "to"):
        assert alarms_of(capsys, path) == asked
    (tmp_path / "to/world.yaml").unlink()
    words = ["replay", str(tmp_path / "to/signals.csv")]
    capsys.readouterr()
    refused_by_command(capsys, words, "does not say of which world it is")
    assert alarms_of(capsys, *words[1:], "--world", "ragazzon2012") == asked
    heard = ["replay", str(tmp_path / "to/rtde.csv"), "--world", "ragazzon2012"]
    refused_by_command(capsys, heard, "motor constants are not known")
    assert main([*heard, "--motor-constants", "8,8,8,8,8,8"]) == 0


def test_a_table_of_thresholds_against_the_known_touches(run, capsys):
    made, folder = run
    assert (
        main(["replay", str(folder), "--threshold", "1e-3,8,1e6", "--detector", "force_norm"]) == 0
    )
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    first, middle, last = [row for row in rows if row and row[0] in ("0.001", "8", "1e+06")]
    touches = made.summary["contact_count"]
    assert int(first[4]) > 0
    assert int(middle[2]) + int(middle[3]) == touches
    assert last[1:5] == ["0", "0", str(touches), "0"]


def test_rows_further_apart_than_control_periods_are_refused(run, tmp_path, capsys):
    assert main(["export", str(run[1]), "--csv", "--every", "3", "--out", str(tmp_path)]) == 0
    capsys.readouterr()
    refused_by_command(
        capsys, ["replay", str(tmp_path / "signals.csv")], "lacks rows at control periods"
    )
