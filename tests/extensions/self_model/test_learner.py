"""An arm that learns itself, in whole runs: its gears, its masses, its payload, and no contact."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused, refused_by_command

from dynamics import gravity_torque, load_arm
from hopfield_nav import load_run, load_world, simulate
from hopfield_nav.cli.app import main
from hopfield_nav.experiment import Simulation
from hopfield_nav.loop import quintic_trajectory
from hopfield_nav.world import remarks

LEARN = "controller.learn=true"
MASSES = "controller.model_error.mass_scale=1.1"
REAL = (
    "plant={dynamics: ur5_full, friction: arm, presliding: 2.0e4}",
    "controller.model=ur5_full",
    "sensors={encoder_resolution: 1.0e-5, velocity_noise: 1.0e-3}",
    "controller.model_error={mass_scale: 1.1, friction_scale: 0.8, presliding_scale: 0.5}",
)
SLOW = ("trajectory.time_per_cell=1.2", "time_limit=60")


def run_to(seconds, *change):
    """A run of the empty world, so far."""
    simulation = Simulation(load_world("empty", list(change)))
    simulation.step(seconds)
    return simulation


@pytest.mark.parametrize("stiffness", [1e4, 2e4, 1e5])
def test_level_and_stiffness_of_every_gear_are_learnt_before_the_first_motion(stiffness):
    sim = run_to(2.1, LEARN, *REAL, f"plant.presliding={stiffness}")
    learnt, true = sim.learner.summary(), sim.plant.arm
    model = sim.controller.model
    assert np.abs(model.friction[:, 2] / true.friction[:, 2] - 1.0).max() < 0.1
    assert np.all(model.friction[:, 2] >= model.friction[:, 0])  # else no arm file may say so
    assert np.all(np.array(learnt["presliding_softest_Nm_per_rad"]) < stiffness)
    assert np.abs(np.log(model.presliding / stiffness)).max() < np.log(1.6)
    assert sim.detections == []
    moved = np.ptp(sim.record().data.q.values, axis=0)
    assert np.all((moved > 5e-4) & (moved < 5e-3))


def _alarms_of_a_wiggle(stiffness, seed):
    """Of an arm that is believed to be five times as stiff, or a fifth, joint by joint, and its first steps."""
    sides = np.random.default_rng([seed, 38]).choice([-1.0, 1.0], (3, 6))
    names = ("mass_scale", "friction_scale", "presliding_scale")
    scales = (1.0 + 0.1 * sides[0], 1.0 + 0.2 * sides[1], 5.0 ** sides[2])
    error = ", ".join(
        f"{name}: {scale.tolist()}" for name, scale in zip(names, scales, strict=True)
    )
    rough = (
        "sensors.torque_noise=[1, 1, 1, 0.2, 0.2, 0.2]",
        "plant.torque_ripple.amplitude=[0, 0.7, 0.7, 0, 0, 0]",
    )
    told = f"controller.model_error={{motor_constant_scale: 1.02, {error}}}"
    simulation = Simulation(
        load_world("empty", [LEARN, *REAL[:3], *rough, told, f"plant.presliding={stiffness}"]), seed
    )
    simulation.step(3.0)
    return [detection.time for detection in simulation.detections], simulation


@pytest.mark.parametrize(("stiffness", "seed"), [(5e4, 538), (5e4, 534), (1e6, 512), (1e6, 533)])
def test_a_wiggle_is_not_ended_by_the_friction_that_it_is_to_tell(monkeypatch, stiffness, seed):
    felt, simulation = _alarms_of_a_wiggle(stiffness, seed)
    assert felt == []
    levels = simulation.controller.model.friction[:, 2] / simulation.plant.arm.friction[:, 2]
    assert np.abs(levels - 1.0).max() < 0.1
    # as a gear is that was told of
    monkeypatch.setattr("hopfield_nav.extensions.self_model.learner.UNTOLD", 1.0)
    assert _alarms_of_a_wiggle(stiffness, seed)[0]


def test_a_wiggle_in_which_something_is_felt_teaches_nothing():
    push = "pushes=[{link: 6, times: [0.5, 1.5], force: [60, 60, 0]}]"
    sim, plain = (run_to(2.1, *change, *REAL, push, "goal=null") for change in ((LEARN,), ()))
    assert sim.detections
    for name in ("friction", "presliding", "mass"):
        np.testing.assert_array_equal(
            getattr(sim.controller.model, name), getattr(plain.controller.model, name)
        )


def test_what_gears_were_not_told_of_is_not_taken_for_masses():
    push = "pushes=[{link: 6, times: [0.5, 1.5], force: [60, 60, 0]}]"
    sim = run_to(8.0, LEARN, *REAL, push)
    assert sim.detections
    assert not any(detection.false_alarm for detection in sim.detections)
    assert sim.learner.summary()["windows"] == 0
    np.testing.assert_array_equal(sim.controller.model.mass, 1.1 * sim.plant.arm.mass)


def test_doubt_and_thresholds_shrink_with_what_is_learnt():
    sim = run_to(12.0, LEARN, *REAL)
    assert sim.learner.summary()["windows"] > 10
    assert sim.state.control.belief.friction.doubt.max() < 2.0
    mass_error, friction_error = sim.controller.detector.parameters[6:8]
    assert mass_error < 0.15
    assert friction_error < 0.25
    assert sim.outcome is None or sim.outcome == "reached"


def test_thresholds_follow_the_place_where_nothing_is_learnt_any_more(monkeypatch):
    """Else alarms that come of too small a threshold would keep it small: nothing is learnt beside an alarm."""
    sim = run_to(5.0, LEARN, *REAL)
    monkeypatch.setattr("hopfield_nav.extensions.self_model.learner.LOUD", -1.0)
    sim.step(1.5)  # what was due before is learnt
    windows, allowed = sim.learner.summary()["windows"], set()
    for _ in range(3):
        allowed.add(float(sim.controller.detector.parameters[6]))
        sim.step(2.0)
    assert sim.learner.summary()["windows"] == windows
    assert len(allowed) == 3
    assert all(0.03 <= share <= 0.15 for share in allowed)


def test_masses_that_are_off_are_learnt_on_the_way():
    off = [run_to(9.0, MASSES, *more) for more in ((), (LEARN,))]
    weights = [np.linalg.norm(sim.state.control.belief.tau_external) for sim in off]
    assert weights[1] < 0.1 * weights[0]


def taught(strokes, *change):
    """An arm that learns, after strokes (k, 6) [rad] of a second each about its start or, in sum, on from it."""
    world = load_world("empty", [LEARN, *REAL[:3], "goal=null", "time_limit=60", *change])
    points = np.vstack([np.zeros(6), strokes]) + np.array(world.start.joints)
    sim = Simulation(
        world, 1, quintic_trajectory(points, 1.0, rest=np.ones(len(strokes), dtype=bool))
    )
    return sim, sim.run().summary["learnt"]


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("gears", ["ideal", "2.0e4"])
def test_one_joint_at_a_time_tells_the_masses_as_well_as_it_says(gears, seed):
    """The others stand, and bear any torque up to their breakaway; every start and stop is an acceleration."""
    rng, strokes = np.random.default_rng(seed), np.zeros((40, 6))
    strokes[np.arange(40), rng.integers(6, size=40)] += rng.choice([-0.3, 0.3], 40)
    off = "controller.model_error={mass_scale: 1.1, friction_scale: 0.8}"
    sim, learnt = taught(np.cumsum(strokes, axis=0), f"plant.presliding={gears}", off)
    assert sim.detections == []
    off = np.array(learnt["mass_kg"]) - sim.plant.arm.mass
    assert np.all(np.abs(off) < 2.0 * np.array(learnt["mass_deviation_kg"]))
    assert np.abs(off[1] / sim.plant.arm.mass[1]) < 0.06  # of link 2, a tenth before


@pytest.mark.parametrize("scale", [0.8, 1.2])
@pytest.mark.parametrize("gears", ["ideal", "2.0e4"])
def test_friction_that_is_off_by_a_fifth_is_learnt_to_two_percent(gears, scale):
    strokes = np.random.default_rng(4).uniform(-0.6, 0.6, (20, 6))
    off = f"controller.model_error={{mass_scale: 1.1, friction_scale: {scale}}}"
    sim, learnt = taught(strokes, f"plant.presliding={gears}", off)
    error = np.array(learnt["breakaway_Nm"]) - sim.plant.arm.friction[:, 2]
    assert np.abs(error / sim.plant.arm.friction[:, 2]).max() < 0.02
    assert np.all(np.abs(error) < 2.0 * np.array(learnt["breakaway_deviation_Nm"]))


@pytest.mark.parametrize("period", ["0.001", "0.008"])
def test_an_arm_that_is_known_learns_nothing_wrong_whatever_the_period(period):
    """The torque of a period is its mean, and so belongs to the state in its middle."""
    strokes = np.random.default_rng(4).uniform(-0.6, 0.6, (25, 6))
    sim, _ = taught(strokes, f"controller.period={period}", f"controller.delay={period}")
    q = np.random.default_rng(5).uniform(-2.0, 2.0, (200, 6))
    error = gravity_torque(sim.controller.model, q) - gravity_torque(sim.plant.arm, q)
    assert np.sqrt((error[:, 1:3] ** 2).mean(axis=0)).max() < 0.1


def test_what_is_learnt_of_the_last_link_is_not_of_a_payload_that_is_known():
    off = "controller.model_error={mass_scale: [1, 1, 1, 1, 1, 3.0]}"
    strokes = np.random.default_rng(0).uniform(-0.6, 0.6, (25, 6))
    sim, learnt = taught(strokes, off, "tool.payload={mass: 3.0, center_of_mass: [0, 0, 0.05]}")
    assert learnt["mass_kg"][5] + 3.0 == pytest.approx(sim.controller.model.mass[5], rel=1e-3)
    # 0.56 kg before
    assert learnt["mass_kg"][5] == pytest.approx(sim.plant.arm.mass[5] - 3.0, abs=0.1)
    assert learnt["mass_deviation_kg"][5] > 0.1


def test_an_arm_that_may_not_learn_has_no_wiggle_and_nothing_in_its_summary():
    run = simulate(load_world("empty", ["controller.learn=false", "record.signals=none"]))
    plain = simulate(load_world("empty", ["record.signals=none"]))
    assert run.summary["learnt"] == plain.summary["learnt"] == {}
    assert run.summary["simulated_time_s"] == plain.summary["simulated_time_s"]


def felt_after(direction, learn, wrong=(MASSES,)):
    """Time from which a force that grows by 0.5 N/s is felt [s], at the same place of the way."""
    begin = 8.0 + 2.0 * learn
    force = [10.0 * d for d in direction]
    push = f"pushes=[{{link: 6, times: [{begin}, {begin + 20}], force: [[0, 0, 0], {force}]}}]"
    change = (*wrong, *SLOW, push, *([LEARN] if learn else []))
    sim = Simulation(load_world("empty", list(change)))
    while sim.outcome is None and not sim.detections:
        sim.step(0.02)
    assert sim.detections
    return sim.detections[0].time - begin


@pytest.mark.parametrize("direction", [(0, 1, 0), (0.7, 0.7, 0)])
def test_a_contact_that_grows_slowly_is_felt_as_early_as_without_learning(direction):
    assert felt_after(direction, True) <= felt_after(direction, False) + 0.05


def test_so_it_is_with_gears_that_give():
    assert felt_after((0, 1, 0), True, REAL) <= felt_after((0, 1, 0), False, REAL) + 0.05


@pytest.mark.parametrize("moving", [False, True])
@pytest.mark.parametrize("force", [(5.0, 0.0, 0.0), (0.0, 5.0, 0.0)])
def test_a_steady_push_is_not_learnt_away(force, moving):
    push = f"pushes=[{{link: 6, times: [6.0, 6.3, 20.0], force: [[0, 0, 0], {list(force)}, {list(force)}]}}]"
    sim = run_to(6.8, LEARN, MASSES, *SLOW, push, *([] if moving else ["goal=null"]))
    before = np.linalg.norm(sim.force_estimate)
    assert before == pytest.approx(5.0, rel=0.2)
    sim.step(10.0)
    assert np.linalg.norm(sim.force_estimate) > 0.8 * before


@pytest.mark.parametrize("force", [(5.0, 0.0, 0.0), (0.0, 5.0, 0.0)])
@pytest.mark.parametrize(("stiffness", "moving"), [(2e4, False), (2e4, True), (1e5, True)])
def test_nor_with_gears_that_give(stiffness, moving, force):
    """What the push adds to the belief, as means over a second: noise of the speeds is 1 N in every period.

    A standing gear of 1e5 N·m/rad turns by two steps of its encoder under 5 N: even an arm that is
    known cannot tell then.
    """
    push = f"pushes=[{{link: 6, times: [6.0, 6.3, 20.0], force: [[0, 0, 0], {list(force)}, {list(force)}]}}]"
    change = [
        LEARN,
        *REAL,
        *SLOW,
        f"plant.presliding={stiffness}",
        *([] if moving else ["goal=null"]),
    ]
    pushed, free = (run_to(17.5, *change, *more).record().data for more in ([push], []))
    added = (pushed.force_estimate - free.force_estimate).values.reshape(-1, 500, 3).mean(axis=1)
    first, last = (np.linalg.norm(added[k : k + 2].mean(axis=0)) for k in (13, 33))
    # strained gears, learnt to some percent, bear a part
    assert first == pytest.approx(5.0, rel=0.25)
    assert last > 0.8 * first


@pytest.mark.parametrize("window", ["null", "[0, 3]"])
def test_a_payload_is_learnt_in_its_time_alone(window):
    change = ["tool.payload.mass=1", "controller.model_error.payload=unknown"]
    sim = run_to(9.0, f"controller.learn={{payload: {window}}}", *change)
    found = sim.learner.summary()["payload_mass_kg"]
    assert found == (0.0 if window == "null" else pytest.approx(1.0, abs=0.1))


def test_a_touch_after_that_time_is_no_payload():
    push = "pushes=[{link: 6, times: [2.3, 2.35, 5.8, 5.9], force: [[0, 0, 0], [0, 0, -15], [0, 0, -15], [0, 0, 0]]}]"
    payload = (
        "tool.payload.mass=1",
        "controller.model_error.payload=unknown",
        "controller.learn={payload: [0, 2]}",
    )
    sim, learnt = taught(np.random.default_rng(2).uniform(-0.4, 0.4, (9, 6)), *payload, push)
    assert sim.detections
    assert learnt["payload_mass_kg"] == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize("window", ["[0, 1.5]", "[0, 2]"])
def test_a_payload_is_learnt_whenever_the_arm_looks(window):
    strokes = np.random.default_rng(6).uniform(-0.4, 0.4, (6, 6))
    payload = "tool.payload.mass=1", "controller.model_error.payload=unknown"
    _, learnt = taught(strokes, *payload, f"controller.learn={{payload: {window}}}")
    assert learnt["payload_mass_kg"] == pytest.approx(1.0, abs=0.15)


def test_the_wiggle_is_learnt_from_once_even_if_an_event_comes_at_its_end():
    sim = run_to(1.9, LEARN, *REAL)
    for _ in range(2):
        sim.learner.look(2001, False)
    assert sim.learner.summary()["windows"] <= 8
    assert np.all(sim.state.control.belief.friction.doubt > 1.0)


def test_what_was_learnt_is_written_as_an_arm_file(tmp_path):
    file, world = tmp_path / "mine.yaml", [LEARN, *REAL, "time_limit=6", "record.signals=none"]
    arguments = ["--no-plots", *(part for change in world for part in ("--set", change))]
    said = main(["run", "empty", *arguments, "--learnt", str(file), "--out", str(tmp_path / "r")])
    assert said == 1  # out of time
    arm, run = load_arm(str(file)), load_run(tmp_path / "r")
    np.testing.assert_allclose(arm.presliding, 2e4, rtol=0.4)
    np.testing.assert_allclose(arm.friction[:, 0], load_arm("ur5_full").friction[:, 0], rtol=0.1)
    np.testing.assert_array_equal(arm.mass, run.summary["learnt"]["mass_kg"])
    known = simulate(
        load_world("empty", [*REAL, f"controller.model={file}", "record.signals=none"])
    )
    assert known.outcome == "reached"


def test_nothing_learnt_is_not_written(tmp_path, capsys):
    refused_by_command(
        capsys, ["run", "empty", "--learnt", str(tmp_path / "a.yaml")], "controller.learn"
    )


def test_check_says_that_the_joints_turn_first(tmp_path, capsys):
    assert remarks(load_world("empty", ["controller.learn={wiggle: 0}"])) == []
    (tmp_path / "w.yaml").write_text("format: 1\ncontroller: {learn: true}\n")
    assert main(["check", str(tmp_path / "w.yaml")]) == 0
    assert "all joints turn by 2 mrad" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("maybe", "learn"),
        ("{wigle: 0.001}", "wiggle"),
        ("{wiggle: 1}", "0.01"),
        ("{payload: [3]}", "list of 2"),
        ("{payload: [2, 1]}", "not rising"),
    ],
)
def test_what_is_no_such_section_is_refused(given, words):
    with refused(words):
        load_world("empty", [f"controller.learn={given}"])


def test_a_world_says_again_what_it_learns():
    world = load_world("empty", [LEARN])
    assert world.controller.learn == load_world("empty", ["controller.learn={}"]).controller.learn
    assert load_world("empty").controller.learn is False
