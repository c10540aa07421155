"""The record: what is in it, and that it is written whole or not at all."""

from __future__ import annotations

import json

import numpy as np
import pytest
from refusals import refused
from scenes import simulation

from dynamics import BadInput
from hopfield_nav import load_world
from hopfield_nav.experiment import simulate
from hopfield_nav.record import load_run
from hopfield_nav.record import run as record_run

TEXT = "obstacles: [{cylinder: {center: [0.36, -0.09], radius: 0.05}}]\ngoal: {cell: [17, 6]}\ntime_limit: 9\n"
SUMMARY = [
    "outcome",
    "reason",
    "simulated_time_s",
    "wall_time_s",
    "real_time_factor",
    "collision_count",
    "false_alarm_count",
    "final_tool_error_m",
    "peak_contact_force_N",
    "detection_delay_median_s",
    "detection_delay_max_s",
    "saturated_share",
    "seed",
    "versions",
]
SIGNALS = {
    "q": "joint", "qd": "joint", "q_ref": "joint", "qd_ref": "joint", "qdd_ref": "joint", "tau": "joint",
    "tool_position": "axis", "force": "axis", "force_estimate": "axis", "detected": None,
}  # fmt: skip
EVENTS = {
    "event_time": (),
    "touch_time": (),
    "event_cell": ("map_axis",),
    "event_position": ("axis",),
}


@pytest.fixture(scope="module")
def run():
    return simulation(TEXT).run()


@pytest.fixture(scope="module")
def few():
    """The same with few rows, for what is saved again and again."""
    return simulation(TEXT + "record: {every: 50}\n").run()


def test_summary_has_what_the_contract_names_and_is_json(run):
    assert not [key for key in SUMMARY if key not in run.summary]
    assert json.loads(json.dumps(run.summary, allow_nan=False)) == run.summary
    assert run.summary["collision_count"] > 0


def test_summary_without_collisions_has_null():
    summary = simulation("time_limit: 0.01\n").run().summary
    assert summary["detection_delay_median_s"] is None
    assert summary["detection_delay_max_s"] is None
    json.dumps(summary, allow_nan=False)


def test_signals_and_events_have_the_dimensions_of_the_contract(run):
    for name, second in SIGNALS.items():
        assert run.data[name].dims == (("time",) if second is None else ("time", second)), name
    for name, others in EVENTS.items():
        assert run.data[name].dims == ("event", *others), name
    assert run.data.joint.values.tolist() == [1, 2, 3, 4, 5, 6]
    assert run.data.axis.values.tolist() == ["x", "y", "z"]


def test_every_variable_has_units_and_a_long_name(run):
    for name, variable in run.data.variables.items():
        assert variable.attrs.get("units"), name
        assert variable.attrs.get("long_name"), name


def test_signals_are_what_their_names_say(run):
    from dynamics import forward_kinematics, load_arm

    data = run.data
    np.testing.assert_allclose(np.diff(data.time.values), 0.001)
    arm = load_arm("ur5_ragazzon2012")
    np.testing.assert_allclose(
        data.tool_position.values[::100],
        forward_kinematics(arm, data.q.values[::100])[:, :3, 3],
        atol=1e-12,
    )
    middle = (data.qd.values[1:] + data.qd.values[:-1]) / 2
    np.testing.assert_allclose(np.diff(data.q.values, axis=0), 0.001 * middle, atol=1e-4)
    assert not data.event_false_alarm.values.any()
    np.testing.assert_allclose(
        data.time.values[data.detected.values.astype(bool)], data.event_time.values, atol=1e-9
    )


def test_plans_are_in_order(run):
    plans = run.plans()
    assert len(plans) == 1 + run.summary["collision_count"]
    assert plans[0].path[0].tolist() == [1, 10]
    assert [p.felt.sum() for p in plans] == list(range(len(plans)))
    for plan in plans[1:]:
        assert plan.felt[tuple(plan.cell)]
        assert plan.path[-1].tolist() == [17, 6]
        assert (np.abs(np.diff(plan.path, axis=0)).sum(axis=1) == 1).all()


def test_loading_gives_what_was_saved(run, tmp_path):
    folder = run.save(tmp_path / "deep" / "run")
    assert sorted(p.name for p in folder.iterdir()) == [
        "checksums.sha256",
        "log.nc",
        "summary.json",
        "world.yaml",
    ]
    again = load_run(folder)
    assert again.data.identical(run.data)
    assert again.summary == run.summary
    assert again.world == run.world
    assert again.outcome == run.outcome
    again.save(tmp_path / "second")
    assert load_run(tmp_path / "second").data.identical(run.data)


def test_a_run_without_collisions_and_rows_survives_too(tmp_path):
    for name, extra in (("events", "record: {signals: none}\n"), ("short", "")):
        short = simulation("time_limit: 0.003\n" + extra).run()
        assert short.data.sizes["time"] == (0 if extra else 3)
        short.save(tmp_path / name)
        assert load_run(tmp_path / name).data.identical(short.data)


def test_record_none_keeps_the_events_and_changes_nothing_else(run):
    quiet = simulation(TEXT + "record: {signals: none}\n").run()
    assert quiet.data.sizes["time"] == 0
    for name in run.data.variables:
        if name.startswith("event"):
            np.testing.assert_array_equal(quiet.data[name].values, run.data[name].values)
    assert quiet.summary["peak_contact_force_N"] == run.summary["peak_contact_force_N"]


def test_record_every_keeps_every_so_many_rows(run):
    tenth = simulation(TEXT + "record: {every: 10}\n").run()
    for name in SIGNALS:
        if name != "detected":
            np.testing.assert_array_equal(tenth.data[name].values, run.data[name].values[::10])
    assert tenth.data.detected.values.sum() == run.data.detected.values.sum()


@pytest.mark.parametrize("name", ["random_cylinders", "u_trap"])
def test_the_saved_world_repeats_the_run_bit_for_bit(name, tmp_path):
    first = simulate(load_world(name), seed=11)
    first.save(tmp_path / "run")
    world = load_world(tmp_path / "run" / "world.yaml")
    assert world.seed == 11
    assert "random_cylinders:" not in (tmp_path / "run" / "world.yaml").read_text()
    second = simulate(world)
    for variable in first.data.variables:
        assert first.data[variable].values.tobytes() == second.data[variable].values.tobytes(), (
            variable
        )
    assert second.summary["outcome"] == first.summary["outcome"]


# --- whole or not at all
# -----------------------------------------------------------------------------------


def test_a_folder_that_holds_something_is_refused(few, tmp_path):
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "mine.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")
    for name in ("taken", "file"):
        with pytest.raises(BadInput, match="not empty"):
            few.save(tmp_path / name)
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["file", "mine.txt", "taken"]
    (tmp_path / "empty").mkdir()
    few.save(tmp_path / "empty")
    assert load_run(tmp_path / "empty").outcome == few.outcome


@pytest.mark.parametrize(
    "error",
    [OSError("disk full"), KeyboardInterrupt(), MemoryError()],
    ids=lambda e: type(e).__name__,
)
@pytest.mark.parametrize("existing", [False, True])
def test_nothing_is_left_where_saving_fails(few, tmp_path, monkeypatch, error, existing):
    if existing:
        (tmp_path / "run").mkdir()
    before = sorted(tmp_path.rglob("*"))
    write = record_run.write_checksums

    def fail(folder, names):
        write(folder, names)  # everything is there but the last byte
        raise error

    monkeypatch.setattr(record_run, "write_checksums", fail)
    with pytest.raises(type(error)):
        few.save(tmp_path / "run")
    assert sorted(tmp_path.rglob("*")) == before
    monkeypatch.undo()
    few.save(tmp_path / "run")
    assert load_run(tmp_path / "run").outcome == few.outcome


@pytest.mark.parametrize("damage", ["log.nc", "summary.json", "world.yaml"])
@pytest.mark.parametrize("how", ["missing", "cut", "empty"])
@pytest.mark.parametrize("sums", [True, False])
def test_a_damaged_folder_is_bad_input(few, tmp_path, damage, how, sums):
    """With and without checksums, which records of older programs do not have."""
    folder = few.save(tmp_path / "run")
    if not sums:
        (folder / "checksums.sha256").unlink()
    path = folder / damage
    content = path.read_bytes()
    if how == "missing":
        path.unlink()
    else:
        path.write_bytes(b"" if how == "empty" else content[: len(content) // 2])
    if damage == "world.yaml" and how == "cut":
        path.write_bytes(content + b"\nnonsense: [")
    with refused(damage):
        load_run(folder)


def test_any_flipped_byte_of_a_record_is_noticed(few, tmp_path):
    """Also one that changes nothing but a digit: a damaged record never looks whole."""
    folder, dice = few.save(tmp_path / "run"), np.random.default_rng(1)
    for name in ("log.nc", "summary.json", "world.yaml", "checksums.sha256"):
        whole = (folder / name).read_bytes()
        for at in dice.integers(0, len(whole), 8):
            (folder / name).write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
            with refused("damaged|missing"):
                load_run(folder)
        (folder / name).write_bytes(whole)
    assert load_run(folder).data.identical(few.data)


def test_damage_that_no_checksum_tells_gives_one_line_or_a_run(few, tmp_path):
    """Records of older programs: whatever the libraries below stumble over is told with the file."""
    folder, dice = few.save(tmp_path / "run"), np.random.default_rng(2)
    (folder / "checksums.sha256").unlink()
    told = 0
    for name in ("log.nc", "summary.json", "world.yaml"):
        whole = (folder / name).read_bytes()
        for at in dice.integers(0, min(len(whole), 4000), 12):
            (folder / name).write_bytes(whole[:at] + dice.bytes(4) + whole[at + 4 :])
            told += _names_the_file(folder, name)
        (folder / name).write_bytes(whole)
    assert told > 10


def _names_the_file(folder, name):
    """Whether a run is refused; the line then names the file."""
    try:
        load_run(folder)
    except BadInput as error:
        return name in str(error).split(" ")[0]
    return False


ODD_SUMMARIES = {
    "no mapping": ("[1]", "not the summary"),
    "no outcome": ('{"reason": "x"}', "not the summary"),
    "a list for a number": (
        '{"outcome": "reached", "simulated_time_s": [1]}',
        "simulated_time_s: damaged",
    ),
    "a number for a word": ('{"outcome": "reached", "reason": 3}', "reason: damaged"),
    "an unknown grade": (
        '{"outcome": "no_path", "no_path_grade": "sure"}',
        "no_path_grade: damaged",
    ),
    "nested deeply": ("[" * 100_000, "cannot be read"),
}


@pytest.mark.parametrize(("text", "words"), ODD_SUMMARIES.values(), ids=ODD_SUMMARIES)
def test_odd_summaries(few, tmp_path, text, words):
    folder = few.save(tmp_path / "run")
    (folder / "summary.json").write_text(text)
    (folder / "checksums.sha256").unlink()
    with refused(words):
        load_run(folder)


def test_a_log_of_another_world_is_refused(few, tmp_path):
    folder = few.save(tmp_path / "run")
    (folder / "checksums.sha256").unlink()
    few.data.drop_vars("q_ref").to_netcdf(folder / "log.nc", engine="h5netcdf")
    with refused("q_ref: a variable is missing"):
        load_run(folder)
    few.data.isel(joint=slice(0, 5)).to_netcdf(folder / "log.nc", engine="h5netcdf")
    with refused("damaged variable; found 5; allowed: 6 along joint"):
        load_run(folder)
