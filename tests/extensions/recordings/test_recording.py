"""Logs of a real arm: read by time, faults told in one line, and in the form of a simulated run."""

from __future__ import annotations

import os

import numpy as np
import pytest
import xarray as xr
from conftest import KUFIETA
from refusals import refused

from hopfield_nav import load_world, simulate
from hopfield_nav.extensions.recordings import load_recording, watched_seconds
from hopfield_nav.extensions.recordings.signals import with_reference

PERIOD = 0.008
JOINT_LOGS = (
    "q_actual",
    "qd_actual",
    "q_target",
    "qd_target",
    "qdd_target",
    "i_actual",
    "i_target",
    "m_target",
)


def _motion(time, shift=0.0):
    """(k, 6) a smooth motion that differs from joint to joint."""
    return np.sin(time[:, None] * np.arange(1, 7) / 3 + shift)


def _text(rows, ending="\n"):
    return "\n".join(", ".join(f"{v:.6f}" for v in row) for row in rows) + ending


def _write_folder(folder, count=200):
    """A folder of logs that start and end at times of their own; the sensor has another rate."""
    folder.mkdir(exist_ok=True)
    for k, name in enumerate(JOINT_LOGS):
        time = PERIOD * np.arange(3 * k, count + 5 * k) + 1e-5 * k
        (folder / f"log_{name}.csv").write_text(_text(np.column_stack([time, _motion(time, k)])))
    time = PERIOD * np.arange(count)
    (folder / "log_tcp_force.csv").write_text(_text(np.column_stack([time, 10 * _motion(time)])))
    time = 0.1 + 0.0047 * np.arange(int(1.1 / 0.0047))
    (folder / "log_force_sensor.csv").write_text(
        _text(np.column_stack([time, np.outer(3 * time, np.ones(6))]))
    )
    return folder


@pytest.fixture
def folder(tmp_path):
    return _write_folder(tmp_path / "run")


def _rtde(count=100, joints=6, separator=" ", start=1234.5, **change):
    """Header and rows as an RTDE recorder writes them, with columns nobody asked for."""
    time = start + 0.002 * np.arange(count)
    signals = {
        "actual_q": _motion(time)[:, :joints], "target_q": _motion(time, 1)[:, :joints],
        "actual_qd": _motion(time, 2)[:, :joints], "actual_current": _motion(time, 3)[:, :joints],
        "target_moment": 20 * _motion(time, 4)[:, :joints], "actual_TCP_force": _motion(time, 5),
    }  # fmt: skip
    signals.update(change)
    names = [f"{name}_{k}" for name, values in signals.items() for k in range(values.shape[1])]
    rows = [["timestamp", *names, "safety_mode"]]
    table = np.column_stack([time, *signals.values()])
    rows += [[*(f"{v:.6f}" for v in row), "True"] for row in table]
    return "\n".join(separator.join(row) for row in rows) + "\n", signals


# --- a folder of logs
# ---------------------------------------------------------------------------------


def test_logs_are_aligned_by_time_not_by_row(folder):
    data = load_recording(folder)
    time = data.time.values + data.start_time_s
    for k, name in enumerate(
        ("q", "qd", "q_ref", "qd_ref", "qdd_ref", "current", "current_ref", "tau")
    ):
        stamps = time + 1e-5 * k  # the log's own time in the row that belongs together
        np.testing.assert_allclose(
            data[name].values, _motion(stamps, k), rtol=0, atol=1e-6, err_msg=name
        )
    assert time[0] == pytest.approx(21 * PERIOD)  # where the last log begins
    assert time[-1] == pytest.approx(199 * PERIOD)  # where the first one ends
    assert (data.gap_count, data.dropped_rows, data.cut_short) == (0, 0, "")


def test_force_estimate_is_split_into_force_and_moment(folder):
    data = load_recording(folder)
    expected = 10 * _motion(data.time.values + data.start_time_s)
    np.testing.assert_allclose(data.force_estimate.values, expected[:, :3], rtol=0, atol=1e-6)
    np.testing.assert_allclose(data.moment_estimate.values, expected[:, 3:], rtol=0, atol=1e-6)


def test_force_sensor_of_another_rate(folder):
    """The sensor was written as 3·time, so interpolation is exact; beyond its last row there is nothing."""
    data = load_recording(folder)
    time = data.time.values + data.start_time_s
    known = np.isfinite(data.force_sensor.values[:, 0])
    np.testing.assert_allclose(
        data.force_sensor.values[known, 1], 3 * time[known], rtol=0, atol=2e-6
    )
    np.testing.assert_array_equal(known, time <= 0.1 + 0.0047 * (int(1.1 / 0.0047) - 1))
    assert 0 < known.sum() < len(known)


def test_nothing_is_invented_in_a_gap_of_the_sensor(folder):
    path = folder / "log_force_sensor.csv"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:50] + lines[90:]))
    data = load_recording(folder)
    first, last = (float(lines[k].split(",")[0]) for k in (49, 90))
    time = data.time.values + data.start_time_s
    inside = (time > first) & (time < last)
    assert inside.sum() > 10
    assert np.isnan(data.force_sensor.values[inside]).all()


def test_a_sensor_that_was_not_mounted_is_left_out(folder):
    path = folder / "log_force_sensor.csv"
    time = PERIOD * np.arange(200)
    path.write_text(_text(np.column_stack([time, np.full((200, 6), -1e-6)])))
    assert "force_sensor" not in load_recording(folder)


@pytest.mark.parametrize(
    "tail", ["2.9, ", "2.9, 0.1, 0.2", "2.9, 0.1, 0.2, 0.3, 0.4, 0.5, 0.0", "2.9,1,2,3,4,5,\n"]
)
def test_a_last_line_cut_short_is_left_out(folder, tail):
    """Even where the number of columns is right: 0.0 may have been 0.0137."""
    whole = load_recording(folder)
    path = folder / "log_m_target.csv"
    path.write_text(path.read_text() + tail)
    cut = load_recording(folder)
    assert cut.cut_short == "log_m_target.csv"
    assert cut.drop_attrs().equals(whole.drop_attrs())


def test_a_number_cut_short_is_not_taken(folder):
    """The last row of the log that ends first, without its last three digits and line break."""
    whole = load_recording(folder)
    path = folder / "log_q_actual.csv"
    path.write_text(path.read_text()[:-4])
    cut = load_recording(folder)
    assert cut.cut_short == "log_q_actual.csv"
    assert cut.drop_attrs().equals(whole.isel(time=slice(None, -1)).drop_attrs())


def test_rows_that_one_log_lacks_are_dropped_and_reported(folder):
    path = folder / "log_qd_target.csv"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:60] + lines[70:]))
    data = load_recording(folder)
    assert (data.dropped_rows, data.gap_count) == (10, 1)
    assert data.longest_gap_s == pytest.approx(11 * PERIOD)
    stamps = data.time.values + data.start_time_s + 3e-5
    np.testing.assert_allclose(data.qd_ref.values, _motion(stamps, 3), rtol=0, atol=1e-6)


def test_logs_that_were_not_recorded_are_left_out(folder):
    (folder / "log_i_target.csv").unlink()
    data = load_recording(folder)
    assert "current_ref" not in data
    assert "current" in data


# --- tables of RTDE recorders
# -------------------------------------------------------------------------


@pytest.mark.parametrize("separator", [" ", ",", ", "])
def test_rtde_table(tmp_path, separator):
    path = tmp_path / "robot.csv"
    text, signals = _rtde(separator=separator)
    path.write_text(text)
    data = load_recording(path)
    names = {"q": "actual_q", "q_ref": "target_q", "qd": "actual_qd", "current": "actual_current"}
    for name, column in {**names, "tau": "target_moment"}.items():
        np.testing.assert_allclose(data[name].values, signals[column], rtol=0, atol=1e-6)
    force = signals["actual_TCP_force"]
    np.testing.assert_allclose(data.moment_estimate.values, force[:, 3:], rtol=0, atol=1e-6)
    assert (data.start_time_s, data.sizes["time"]) == (1234.5, 100)
    assert data.period_s == pytest.approx(0.002)


def test_rtde_gaps_and_cut_line(tmp_path):
    lines = _rtde()[0].splitlines(keepends=True)
    path = tmp_path / "robot.csv"
    path.write_text("".join(lines[:41] + lines[46:])[:-20])
    data = load_recording(path)
    assert (data.sizes["time"], data.gap_count, data.cut_short) == (94, 1, "robot.csv")
    assert data.longest_gap_s == pytest.approx(0.012)


# --- the form of a simulated run
# ----------------------------------------------------------------------


def test_form_of_a_simulated_run(folder):
    run, data = simulate(load_world("empty", ["time_limit=0.1"])).data, load_recording(folder)
    shared = set(run.data_vars) & set(data.data_vars)
    assert {
        "q",
        "qd",
        "q_ref",
        "qd_ref",
        "qdd_ref",
        "tau",
        "force_estimate",
        "moment_estimate",
    } <= shared
    for name in shared:
        assert data[name].dims == run[name].dims, name
        assert data[name].units == run[name].units, name
    for name, variable in data.variables.items():
        assert variable.attrs["units"], name
        assert variable.attrs["long_name"], name
    for name in ("joint", "axis"):
        np.testing.assert_array_equal(data[name].values, run[name].values)


def test_a_recording_can_be_saved_as_netcdf(folder, tmp_path):
    import xarray

    data = load_recording(folder)
    data.to_netcdf(tmp_path / "log.nc", engine="h5netcdf")
    with xarray.open_dataset(tmp_path / "log.nc", engine="h5netcdf") as stored:
        assert stored.load().identical(data)


# --- what is refused
# ----------------------------------------------------------------------------------


def _spoil_row(text, row, replace):
    lines = text.splitlines()
    fields = lines[row].split(", ")
    lines[row] = ", ".join(replace(fields))
    return "\n".join(lines) + "\n"


def _in_row(row, replace):
    """Replaces the fields of one row of a log."""
    return lambda text: _spoil_row(text, row, replace)


FAULTS = {
    "a word": (_in_row(7, lambda f: [*f[:3], "abc", *f[4:]]), "not a finite number", "line 8"),
    "nan": (_in_row(7, lambda f: [*f[:3], "nan", *f[4:]]), "not a finite number", "line 8"),
    "a short row": (_in_row(7, lambda f: f[:5]), "wrong number of columns", "line 8"),
    "five joints": (
        lambda t: "\n".join(x[: x.rfind(",")] for x in t.splitlines()) + "\n",
        "wrong number of joints",
        "found 5",
    ),
    "time": (_in_row(7, lambda f: ["0.000001", *f[1:]]), "time does not increase", "line 8"),
    "empty": (lambda t: "", "no numbers", "log_q_actual.csv"),
    "blank": (lambda t: " \n\n", "no numbers in", "log_q_actual.csv"),
    "degrees": (_in_row(100, lambda f: [f[0], "-90.0", *f[2:]]), "degrees", "found 90.0"),
    "prose": (lambda t: "hello\n", "wrong number of", "log_q_actual.csv"),
}


@pytest.mark.parametrize(("spoil", "words", "place"), FAULTS.values(), ids=FAULTS)
def test_a_faulty_log_is_told_in_one_line(folder, spoil, words, place):
    path = folder / "log_q_actual.csv"
    path.write_text(spoil(path.read_text()))
    with refused(words) as caught:
        load_recording(folder)
    assert place in str(caught.value)


@pytest.mark.parametrize(
    ("name", "words"),
    [("missing", "no such recording"), (".", "log_q_actual")],
    ids=["no folder", "empty folder"],
)
def test_nothing_there(tmp_path, name, words):
    with refused(words):
        load_recording(tmp_path / name)


def test_no_time_in_common(folder):
    path = folder / "log_m_target.csv"
    time = 100 + PERIOD * np.arange(50)
    path.write_text(_text(np.column_stack([time, _motion(time)])))
    with refused("no time in common"):
        load_recording(folder)


def _in_milliseconds(text):
    header, *lines = (line.split(" ") for line in text.splitlines())
    rows = [[str(2 * k), *line[1:]] for k, line in enumerate(lines)]
    return "\n".join(" ".join(row) for row in [header, *rows]) + "\n"


TABLES = {
    "five joints": (_rtde(joints=5)[0], "wrong number of joints"),
    "seven angles": (_rtde(actual_q=np.zeros((100, 7)))[0], "wrong number of joints"),
    "four torques": (_rtde(target_moment=np.zeros((100, 4)))[0], "wrong number of joints"),
    "force alone": (_rtde(actual_TCP_force=np.zeros((100, 3)))[0], "not six components"),
    "degrees": (_rtde(actual_q=np.full((100, 6), 90.0))[0], "degrees"),
    "milliseconds": (_in_milliseconds(_rtde()[0]), "milliseconds"),
    "another name of time": (
        _rtde()[0].replace("timestamp", "time_stamp"),
        "Did you mean 'time_stamp'",
    ),
    "another name of angles": (_rtde()[0].replace("actual_q_", "joint_"), "actual_q_0"),
    "header alone": (_rtde()[0].splitlines()[0] + "\n", "no numbers"),
    "prose": ("a picture\n", "timestamp"),
    "empty": ("", "no numbers"),
    "no text": (bytes(range(128, 256)), "not a text file"),
}


@pytest.mark.parametrize(("content", "words"), TABLES.values(), ids=TABLES)
def test_a_faulty_table_is_told_in_one_line(tmp_path, content, words):
    (tmp_path / "log.csv").write_bytes(content.encode() if isinstance(content, str) else content)
    with refused(words):
        load_recording(tmp_path / "log.csv")


# --- the recorded UR5
# ---------------------------------------------------------------------------------


@pytest.mark.parametrize("run", KUFIETA)
def test_real_logs(data_folder, run):
    """Measured velocity is the derivative of the measured angle: rows that belong together are together."""
    data = load_recording(data_folder / "ur5_kufieta2014" / run)
    assert data.sizes["time"] > 1900
    assert not any(
        np.isnan(data[name]).any() for name in ("q", "qd", "q_ref", "qd_ref", "qdd_ref", "tau")
    )
    assert data.dropped_rows == 0
    travelled = np.diff(data.q_ref.values, axis=0)
    step = np.diff(data.time.values)[:, None]
    mean_speed = 0.5 * (data.qd_ref.values[1:] + data.qd_ref.values[:-1])
    assert np.median(np.abs(travelled - mean_speed * step)) < 2e-5


def test_real_traps(data_folder):
    """no5_free was cut off in seven files; a sensor was mounted in no10 alone; no1 has gaps."""
    folder = data_folder / "ur5_kufieta2014"
    runs = {name: load_recording(folder / name) for name in KUFIETA}
    assert [name for name in KUFIETA if runs[name].cut_short] == ["no5_free"]
    assert len(runs["no5_free"].cut_short.split(", ")) == 7
    assert [name for name in KUFIETA if "force_sensor" in runs[name]] == [
        "no10_standstill_force_sensor_fx"
    ]
    assert [name for name in KUFIETA if runs[name].gap_count] == ["no1"]


def test_a_pipe_is_not_waited_for(folder, tmp_path):
    (folder / "log_i_actual.csv").unlink()
    for path, asked in (
        (folder / "log_i_actual.csv", folder),
        (tmp_path / "pipe", tmp_path / "pipe"),
    ):
        os.mkfifo(path)
        with refused("no regular file"):
            load_recording(asked)


@pytest.mark.parametrize("missing", [0, 1, 5, 20])
def test_derivatives_that_were_not_recorded_are_those_of_the_motion_also_beside_missing_rows(
    missing,
):
    time = PERIOD * np.delete(np.arange(2000), np.arange(1000, 1000 + missing))
    q = np.sin(2.0 * time)[:, None] * np.ones(6)
    found = with_reference(xr.Dataset({"q": (("time", "joint"), q)}, {"time": time}))
    np.testing.assert_allclose(found.qd.values[:, 0], 2.0 * np.cos(2.0 * time), atol=1e-3)
    np.testing.assert_allclose(found.qdd_ref.values[:, 0], -4.0 * np.sin(2.0 * time), atol=0.02)


def test_accelerations_follow_from_reference_velocities_where_angles_are_coarse():
    """From angles of 1e-3 degrees they were off by 4 rad/s² and more, at times."""
    time = 0.01 * np.arange(2000)
    q = np.sin(2.0 * time)[:, None] * np.ones(6)
    coarse = np.radians(np.round(np.degrees(q), 3))
    exact = {"q": q, "q_ref": coarse, "qd_ref": np.gradient(q, time, axis=0)}
    signals = {name: (("time", "joint"), values) for name, values in exact.items()}
    found = with_reference(xr.Dataset(signals, {"time": time}))
    np.testing.assert_allclose(found.qdd_ref.values[10:-10, 0], -4.0 * q[10:-10, 0], atol=0.01)
    np.testing.assert_array_equal(found.q_ref.values, coarse)


def test_where_records_were_joined_no_joint_accelerates():
    time = 0.01 * np.arange(2000)
    q = np.sin(2.0 * time)[:, None] * np.ones(6)
    q[1000:] += 1.5  # on even times
    found = with_reference(xr.Dataset({"q": (("time", "joint"), q)}, {"time": time}))
    np.testing.assert_allclose(found.qd.values[:, 0], 2.0 * np.cos(2.0 * time), atol=0.02)
    assert np.abs(found.qdd_ref.values).max() < 4.5


def test_a_gap_is_no_time_watched():
    time = PERIOD * np.arange(1000)
    assert watched_seconds(time) == pytest.approx(time[-1])
    assert watched_seconds(np.concatenate([time, 600.0 + time])) == pytest.approx(
        2 * time[-1] + PERIOD
    )
    assert watched_seconds(time[:1]) == watched_seconds(time[:0]) == 0.0


@pytest.mark.parametrize("rows", [slice(None), slice(0, 100), slice(1, 100), slice(0, 101)])
def test_a_log_that_lacks_every_other_pair_of_rows_is_watched_alike_in_all_its_parts(rows):
    time = PERIOD * np.arange(400).reshape(-1, 4)[:, :2].ravel()[rows]
    assert watched_seconds(time) == pytest.approx(PERIOD * (len(time) - 1))
