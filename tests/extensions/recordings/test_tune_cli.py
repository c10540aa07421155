"""``hopfield-nav tune``: the world that it writes, what it says of the rate, and its refusals."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
import pytest
from refusals import refused_by_command

from hopfield_nav.build import build_arm
from hopfield_nav.cli.app import main
from hopfield_nav.experiment import follow, simulate
from hopfield_nav.extensions.known_world.robot_program import write_plan_csv
from hopfield_nav.extensions.recordings import free_motion
from hopfield_nav.extensions.recordings.commands import quiet
from hopfield_nav.extensions.recordings.commands.tune import _lines
from hopfield_nav.extensions.recordings.tuning import quiet_time
from hopfield_nav.loop import quintic_trajectory
from hopfield_nav.record import alarm_rate
from hopfield_nav.world import load_world

NOISY = ["--set", "sensors.velocity_noise=0.002"]
TUNE = ["tune", "u_trap", "--false-alarms-per-hour"]


@pytest.fixture(autouse=True)
def _elsewhere(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)


def seen(text):
    """Alarms, seconds, rate, low and high of what was printed."""
    line = next(line for line in text.splitlines() if "false alarms" in line)
    found = re.search(
        r"(\d+) in ([\d.]+) s of other.*: ([\d.e+]+) an hour \(95 %: ([\d.e+]+) … ([\d.e+]+)\)",
        line,
    )
    return tuple(map(float, found.groups()))


def test_a_rate_that_is_shown(capsys, tmp_path):
    assert main([*TUNE, "1000", "--seeds", "4", *NOISY]) == 0
    printed = capsys.readouterr().out
    assert "1000 an hour is shown" in printed
    alarms, seconds, rate, low, high = seen(printed)
    np.testing.assert_allclose(alarm_rate(int(alarms), seconds), (rate, low, high), rtol=0.01)
    assert re.search(r"a push is felt at +[\d.]+ N .* missed\) → [\d.]+ N", printed)
    assert re.search(r"repeated alarms, of all touches +0% → \d+%", printed)
    written = load_world("u_trap_tuned.yaml")
    threshold = written.detection.parameters["threshold"]
    assert len(threshold) == 6
    changed = load_world("u_trap", [NOISY[1], f"detection.threshold={list(threshold)}"])
    assert written == changed
    text = (tmp_path / "u_trap_tuned.yaml").read_text(encoding="utf-8")
    assert f"# false alarms: {int(alarms)} in" in text
    judging = [free_motion(changed, seed) for seed in (2, 3)]
    assert seconds == pytest.approx(sum(np.ptp(s.time) for s in judging), abs=0.05)


def test_a_rate_for_which_the_motion_is_too_short_is_not_shown(capsys):
    assert main([*TUNE, "1", "--seeds", "2", *NOISY]) == 1
    printed = capsys.readouterr().out
    assert "1 an hour is not shown: the free motion was too short" in printed
    assert f"{quiet_time(1.0):.4g} s without an alarm" in printed
    needed = int(re.search(r"--seeds\s+(\d+)", printed)[1])
    # half of them judge
    assert needed * seen(printed)[1] / 2 == pytest.approx(quiet_time(1.0), rel=0.01)
    assert load_world("u_trap_tuned.yaml").detection.parameters["threshold"] != 1.0


def test_recorded_runs_choose_by_one_half_and_judge_by_the_other(capsys, tmp_path):
    """With ten times the noise in the second half the rate is exceeded; with the same noise it is not."""
    world = load_world("empty", [NOISY[1], "time_limit=6", "detection.threshold=1e5"])
    run = simulate(world)
    run.save(tmp_path / "free")
    words = ["tune", "empty", *NOISY, "--free-run", "free", "--false-alarms-per-hour", "20000"]
    assert main(words) == 0
    alarms, seconds, *_ = seen(capsys.readouterr().out)
    assert seconds == pytest.approx(run.summary["simulated_time_s"] / 2, abs=0.02)
    louder = run.data.copy()
    late = (louder.time > louder.time.mean()).astype(float)
    made = 0.02 * late * np.sin(700.0 * louder.time)
    louder["qd_sensed"] = (louder.qd_sensed + made).assign_attrs(louder.qd_sensed.attrs)
    run._data = louder
    run.save(tmp_path / "louder")
    words[words.index("free")] = "louder"
    assert main([*words, "--out", "other.yaml"]) == 1
    printed = capsys.readouterr().out
    assert seen(printed)[0] > alarms
    assert "20000 an hour is exceeded" in printed


def test_a_run_in_which_something_touched_the_arm_is_no_free_motion(capsys, tmp_path):
    simulate(load_world("u_trap", ["time_limit=8"])).save(tmp_path / "touched")
    words = [*TUNE, "1", "--free-run", "touched"]
    assert "something touched the arm" in refused_by_command(capsys, words, "no free motion")
    assert not (tmp_path / "u_trap_tuned.yaml").exists()


def test_recordings_of_a_real_arm(data_folder, capsys):
    logs = [str(data_folder / "ur5_kufieta2014" / name) for name in ("no1", "no8", "no5_free")]
    free = [word for log in logs for word in ("--free-run", log)]
    words = ["tune", "ragazzon2012_real", "--same-motor", "1,2,3", "--same-motor", "4,5,6", *free]
    status = main([*words, "--false-alarms-per-hour", "1e5", "--out", "real.yaml"])
    alarms, seconds, rate, _, high = seen(capsys.readouterr().out)
    assert rate == pytest.approx(3600 * alarms / seconds, rel=0.01)
    assert status == (0 if high <= 1e5 else 1)
    written = load_world("real.yaml")
    # what was found on the arm; the arm of the world has 8
    coulomb = written.plant.friction.coulomb
    assert all(0.0 <= c < 30.0 for c in coulomb)
    assert written.controller.model_error.friction_scale == 1.0


def test_the_gain_with_which_least_force_is_felt(capsys):
    gain = ["--gain", "detection.pole=5,50"]
    measure = ["--set", "detection.estimator=momentum_observer"]
    assert main([*TUNE, "1000", "--seeds", "4", *NOISY, *measure, *gain]) == 0
    printed = capsys.readouterr().out
    forces = {float(p): float(f) for p, f in re.findall(r"(\d+): ([\d.]+) N", printed)}
    assert set(forces) == {5.0, 50.0}
    written = load_world("u_trap_tuned.yaml").detection.parameters["pole"]
    assert written == min(forces, key=forces.__getitem__)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("0", "--false-alarms-per-hour: no rate"),
        ("inf", "--false-alarms-per-hour: no rate"),
        ("1 --out x.txt", "--out: not the name of a world file"),
        ("1 --out there.yaml", "is there already"),
        ("1 --out nowhere/x.yaml", "no such folder"),
        ("1 --gain pole", "--gain pole: not understood"),
        ("1 --gain detection.pole=1,,2", "not understood"),
        ("1 --gain detection.pole=1,2 --gain controller.omega=10,20", "--gain: two gains"),
        ("1 --gain detection.pol=1,2", "Did you mean"),
        ("1 --gain controller.omega=10,20 --free-run x", "did not move with that gain"),
        ("1 --same-motor 1,2", "motors are those of a recording"),
        ("1 --free-run nowhere --motor-constants 1,1,1,1,1,1", "no such recording"),
        ("1 --set detection.measure=tracking", "has no parameter called threshold"),
        ("1 --seeds 1", "--seeds"),
    ],
)
def test_refusals_leave_nothing(capsys, tmp_path, words, said):
    (tmp_path / "there.yaml").write_text("format: 1\n")
    refused_by_command(capsys, [*TUNE, *words.split()], said)
    assert [p.name for p in tmp_path.iterdir()] == ["there.yaml"]


def test_a_model_without_errors_holds_no_threshold_up(capsys, tmp_path):
    words = [*TUNE, "1000", "--seeds", "2"]
    assert "velocity_noise" in refused_by_command(
        capsys, words, "shows nothing that a threshold must bear"
    )
    assert not list(tmp_path.iterdir())


def test_what_a_rate_takes_counts_the_alarms_that_were_seen():
    rate = alarm_rate(6, 23.0)
    chosen = SimpleNamespace(seconds=20.3, allowed=1)
    judged = SimpleNamespace(rate=rate, alarms=6, seconds=23.0, change="threshold=1", chosen=chosen)
    told = dict(_lines(judged, 1000.0, 4))["wanted"]
    seconds = float(re.search(r"that takes (\S+) s with alarms as rare", told)[1])
    for s, shown in ((seconds, True), (seconds - 23.0, False)):
        assert (alarm_rate(round(rate[0] * s / 3600), s)[2] <= 1000.0) == shown
    assert dict(_lines(judged, 900.0, 4))["wanted"].endswith(
        "to bound it; 1000 times as much would not do either"
    )


def test_pushes_that_were_not_felt_have_no_least_force(monkeypatch):
    monkeypatch.setattr(quiet, "felt_force", lambda world, seed, along=None: (20.0, False))
    assert quiet._pushes(*quiet.pushed(load_world("u_trap"))) == "none, up to 20 N"
    monkeypatch.setattr(quiet, "felt_force", lambda world, seed, along=None: (20.0, seed > 0))
    assert quiet._pushes(*quiet.pushed(load_world("u_trap"))).startswith(
        "20 N (0.4 s; least 20 N, 1 missed)"
    )


def test_no_share_of_touches_is_above_all_of_them(monkeypatch):
    counts = {
        "repeated_alarm_count": 9,
        "contact_count": 3,
        "collision_count": 12,
        "outcome": "reached",
    }
    summary = dict.fromkeys(quiet._RUN_SAYS, 0) | counts
    monkeypatch.setattr(quiet, "simulate", lambda world: SimpleNamespace(summary=summary))
    monkeypatch.setattr(quiet, "pushed", lambda world, along=None: (20.0, [20.0]))
    world = load_world("u_trap")
    assert dict(quiet.costs(world, world))["repeated alarms, of all touches"] == "75% → 75%"


def test_a_level_to_report_is_found_below_the_threshold_and_free_motion_rarely_passes_it(capsys):
    assert main([*TUNE, "2000", "--seeds", "4", "--report", *NOISY]) == 0
    assert re.search(r"report +\[[\d., e-]+\], passed \d+ times in", capsys.readouterr().out)
    written = load_world("u_trap_tuned.yaml")
    report, threshold = (
        np.array(v) for v in (written.detection.report, written.detection.parameters["threshold"])
    )
    assert np.all(report < threshold)
    chosen_by = simulate(written.with_changes(obstacles=())).data
    passed = chosen_by.report_end.values - chosen_by.report_begin.values
    assert np.nansum(passed) < 0.005 * chosen_by.time.values[-1]


@pytest.fixture
def planned(tmp_path):
    """A motion with a rest in its middle, slow before and fast behind it, and the folder of its plan."""
    world = load_world("empty")
    q = np.array(world.start.joints)
    motion = quintic_trajectory(np.array([q, q + 0.1, q + 1.0]), 1.0, rest=np.array([True, True]))
    (tmp_path / "planned").mkdir()
    write_plan_csv(build_arm(world), motion, tmp_path / "planned" / "plan.csv")
    return motion


def test_a_planned_motion_is_repeated_and_each_part_gets_what_it_takes(planned, capsys):
    changes = ["detection.measure=joint_torque", "controller.model_error.mass_scale=1.2", NOISY[1]]
    words = [
        "tune",
        "empty",
        "--motion",
        "planned",
        "--by-segment",
        "--seeds",
        "4",
        "--false-alarms-per-hour",
        "5000",
    ]
    assert main([*words, *(word for change in changes for word in ("--set", change))]) == 0
    printed = capsys.readouterr().out
    assert "4.0 s of free motion" in printed
    assert printed.count("motion 1") == 2
    written = load_world("empty_tuned.yaml")
    slow, fast = written.detection.by_segment
    assert slow < fast <= 1.0
    run = follow(written, planned, seed=77)
    assert run.summary["false_alarm_count"] == 0
    half = run.data.time.values < 1.0
    assert 0.5 < run.data.level.values[half].max() < 1.0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--motion", "nowhere"], "cannot read the plan"),
        (["--motion", "planned", "--free-run", "planned"], "two kinds of motion"),
        (["--motion", "planned", "--set", "arm=panda"], "not a motion of this arm"),
    ],
)
def test_motions_that_do_not_fit_are_refused(planned, capsys, words, said):
    refused_by_command(capsys, ["tune", "empty", "--false-alarms-per-hour", "5000", *words], said)


DEAD_BAND = """\
from hopfield_nav.plugin import Method, Parameter, unpacker

unpack = unpacker(
    Parameter("threshold", 1.0, 1e-9, 1e6, "N·m", "above the dead band", per_joint=True),
    Parameter("band", 1e3, 0.0, 1e6, "N·m", "torque that does not count"),
)


def detect(model, sensed, parameters, memory, work, tau_external, wrench):
    p, level = unpack(parameters), 0.0
    for i in range(tau_external.size):
        level = max(level, (abs(tau_external[i]) - p.band) / p.threshold[i])
    return level


METHOD = Method("detector", "dead_band", detect, unpack.declared)
LIMIT = Method("detector", "limit", detect, (Parameter("limit", 1.0, 1e-9, 1e6, "N·m", "at most"),))
"""


def test_noise_that_a_detector_leaves_out_is_not_denied(capsys, tmp_path):
    (tmp_path / "own.py").write_text(DEAD_BAND)
    noisy = [*NOISY, "--set", "sensors.encoder_resolution=1e-5"]
    words = [*TUNE, "1000", "--seeds", "2", *noisy, "--set", "detection.measure=own.py:METHOD"]
    said = refused_by_command(capsys, words, "the level was 0 throughout free motion")
    assert "in spite of sensors.encoder_resolution, sensors.velocity_noise: a dead band?" in said
    assert "without error" not in said


def test_the_threshold_of_a_detector_of_ones_own_has_a_name(capsys, tmp_path):
    (tmp_path / "own.py").write_text(DEAD_BAND)
    words = [*TUNE, "1000", "--set", "detection.measure=own.py:LIMIT"]
    said = refused_by_command(capsys, words, "has no parameter called threshold")
    assert "found 'limit'" in said
    assert 'Parameter("threshold", ...)' in said
