"""Logs of an arm that the program has no file for: from a table or a bag, the same detections."""

from __future__ import annotations

import re

import numpy as np
import pytest
import seven_joints as seven
from refusals import refused, refused_by_command

from dynamics import load_arm
from dynamics.files import write_arm
from hopfield_nav.cli.app import main
from hopfield_nav.extensions.recordings import (
    Watched,
    fit_motors,
    judge,
    labelled_truth,
    load_recording,
    read_logs,
    replay,
    signals_of_recording,
)
from hopfield_nav.extensions.recordings.commands.quiet import recorded, tuned
from hopfield_nav.plugin import find_method
from hopfield_nav.world import load_world, parse_world

BAG = "format: 1\nfile: {file}\njoints: [{joints}]\ntopic: /joint_states\n"


@pytest.fixture(scope="module")
def arm(tmp_path_factory):
    """Its URDF, a touched and a free motion, and their logs in every format."""
    folder = tmp_path_factory.mktemp("seven")
    urdf = seven.write_urdf(folder / "seven.urdf")
    made = {"touched": seven.motion(urdf), "free": seven.motion(urdf, touched=False, seed=1)}
    for name, each in made.items():
        seven.write_csv(folder / f"{name}.csv", each)
        (folder / f"{name}.yaml").write_text(seven.DESCRIPTION.format(file=f"{name}.csv"))
        seven.write_bag(folder / f"{name}.bag", each, 1)
        seven.write_bag(folder / f"{name}_2", each, 2)
        seven.write_bag(folder / f"{name}_more", each, 2, more=True)
        text = BAG.format(file=f"{name}_more", joints=", ".join(seven.JOINTS))
        text += "q: position\nqd: velocity\neffort: effort\n"
        spans = (
            [[a + seven.START, b + seven.START] for a, b in seven.CONTACTS]
            if name == "touched"
            else []
        )
        text += f"tau: {{topic: /model_states, columns: effort}}\ncontacts: {spans}\n"
        (folder / f"{name}_more.yaml").write_text(text)
    return folder, made


def detections(arm, kind):
    """What the default methods make of the touched motion, friction from the free one."""
    folder, _ = arm
    touched, free = (load_recording(folder / kind.format(name), 7) for name in ("touched", "free"))
    model = load_arm(folder / "seven.urdf")
    motors = fit_motors([free], model)
    signals = signals_of_recording(touched, motors)
    methods = find_method("estimator", "momentum_observer"), find_method("detector", "joint_torque")
    return replay(motors.on(model), signals, *methods, {"threshold": 1.5, "pole": 30.0})


@pytest.mark.parametrize(
    "kind", ["{}.bag", "{}_2", "{}_more.yaml"], ids=["ROS 1", "ROS 2", "described"]
)
def test_a_table_and_a_bag_give_the_same_detections_at_the_same_samples(arm, kind):
    table, bag = detections(arm, "{}.yaml"), detections(arm, kind)
    np.testing.assert_array_equal(table.detected, bag.detected)
    np.testing.assert_allclose(table.level, bag.level, rtol=0, atol=1e-4)  # times to the nanosecond
    felt = [
        (table.time[table.detected] >= a) & (table.time[table.detected] <= b)
        for a, b in seven.CONTACTS
    ]
    assert all(each.any() for each in felt)
    assert np.any(felt, axis=0).all()  # and nothing else


def test_what_a_log_holds_is_labelled_with_the_programs_units(arm):
    folder, made = arm
    time, q, qd, torque, own, contact = made["touched"]
    data = load_recording(folder / "touched.yaml", 7)
    for name, values in (
        ("q", q),
        ("qd", qd),
        ("effort", torque),
        ("tau", own),
        ("contact", contact),
    ):
        np.testing.assert_allclose(data[name].values, values, rtol=1e-12, atol=1e-15, err_msg=name)
    assert data.effort.units == "N m"
    # such a clock has no finer seconds
    np.testing.assert_allclose(data.time.values, time, atol=5e-7)
    assert data.start_time_s == pytest.approx(seven.START)


def test_a_column_may_be_named_without_a_number_and_a_bag_without_angles_is_refused(arm, tmp_path):
    (tmp_path / "one.csv").write_text(
        "t,pos,trq\n" + "".join(f"{0.01 * k},{0.1 * k},1\n" for k in range(50))
    )
    (tmp_path / "one.yaml").write_text("format: 1\nfile: one.csv\ntime: t\nq: pos\neffort: trq\n")
    data = load_recording(tmp_path / "one.yaml", 1)
    np.testing.assert_allclose(data.q.values[:, 0], 0.1 * np.arange(50))
    time, q, qd, torque, own, contact = arm[1]["free"]
    seven.write_bag(tmp_path / "still", (time, q[:, :0], qd, torque, own, contact), 2)
    with refused("still: no joint angles; allowed: messages with positions"):
        load_recording(tmp_path / "still", 7)


def test_friction_is_found_without_motor_constants(arm):
    """Coulomb and viscous friction within four of their standard deviations, the constant exactly 1."""
    folder, _ = arm
    fit = fit_motors([load_recording(folder / "free.yaml", 7)], load_arm(folder / "seven.urdf"))
    np.testing.assert_array_equal(fit.motor_constant, 1.0)
    wanted = np.tile([seven.COULOMB, seven.VISCOUS], (7, 1))
    assert (np.abs(fit.friction - wanted) < 4 * fit.std[:, 1:3] + 1e-3).all()


def test_a_log_of_angles_and_torques_alone_gets_its_velocities(arm, tmp_path):
    folder, made = arm
    text = re.sub("qd: .*\n|tau: .*\n|contact: .*\n", "", seven.DESCRIPTION)
    (folder / "bare.yaml").write_text(text.format(file="free.csv"))
    data = load_recording(folder / "bare.yaml", None)
    assert "qd" not in data
    motors = fit_motors([load_recording(folder / "free.yaml", 7)], load_arm(folder / "seven.urdf"))
    signals = signals_of_recording(data, motors)
    inner = slice(25, -25)
    np.testing.assert_allclose(signals.qd[inner], made["free"][2][inner], atol=2e-3)
    turn = np.gradient(made["free"][2], made["free"][0], axis=0)
    np.testing.assert_allclose(signals.qdd_ref[inner], turn[inner], atol=5e-2)


def residual(folder, name):
    """A description of the same log, in which the maker's torque is taken off."""
    path = folder / f"{name}_residual.yaml"
    path.write_text(seven.DESCRIPTION.format(file=f"{name}.csv") + "residual: true\n")
    return str(path)


def test_the_makers_torque_needs_no_model_and_feels_the_same(arm, capsys):
    """The same contacts without any arm, and the same residual as with its right model, friction fitted."""
    folder, _ = arm
    choice = ["--set", "pole=30", "--detector", "joint_torque", "--threshold", "1.5"]
    bare = [residual(folder, "touched"), "--free-run", residual(folder, "free")]
    assert main(["replay", *bare, *choice, "--out", str(folder / "without.csv")]) == 0
    logs = [str(folder / "touched.yaml"), "--free-run", str(folder / "free.yaml")]
    model = ["--arm", str(folder / "seven.urdf"), "--out", str(folder / "with.csv")]
    assert main(["replay", *logs, *choice, *model]) == 0
    capsys.readouterr()
    files = (folder / "without.csv", folder / "with.csv")
    without, model = (np.loadtxt(file, delimiter=",", skiprows=1) for file in files)
    time = without[:, 0]
    # friction of two fits
    np.testing.assert_allclose(without[5:, 3:10], model[5:, 3:10], atol=0.12)
    alarms = time[without[:, 2] > 0]
    assert all(((alarms >= a) & (alarms <= b)).any() for a, b in seven.CONTACTS)
    assert sum(((alarms >= a) & (alarms <= b)).sum() for a, b in seven.CONTACTS) == len(alarms)


def test_currents_alone_with_known_constants(arm):
    """A log of currents: the torques come from the constants, and with them the same residual."""
    folder, made = arm
    time, q, qd, torque, own, contact = made["touched"]
    constants = np.array([8.0, 8.0, 8.0, 4.0, 4.0, 4.0, 4.0])
    seven.write_csv(folder / "currents.csv", (time, q, qd, torque / constants, own, contact))
    text = seven.DESCRIPTION.format(file="currents.csv").replace("effort:", "current:")
    (folder / "currents.yaml").write_text(text)
    from hopfield_nav.extensions.recordings import given_motors

    data = load_recording(folder / "currents.yaml", 7)
    signals = signals_of_recording(data, given_motors(constants, 7))
    np.testing.assert_allclose(signals.tau, torque, rtol=1e-12, atol=1e-12)
    scaled = f'{{columns: "trq[*]", scale: {constants.tolist()}}}'
    (folder / "scaled.yaml").write_text(text.replace('current: "trq[*]"', f"effort: {scaled}"))
    effort = load_recording(folder / "scaled.yaml", 7).effort.values
    np.testing.assert_allclose(effort, torque, rtol=1e-12, atol=1e-12)


def test_identification_of_an_arm_from_its_torques(arm):
    """The log's torque is the measured one, and no motors are fitted."""
    folder, made = arm
    sources = read_logs([folder / "free_more.yaml"], load_arm(folder / "seven.urdf"))
    assert sources.motors is None
    np.testing.assert_allclose(sources.logs[0].tau, made["free"][3], atol=1e-12)


def world_of(folder):
    """One of the arm, whose file has no rotors."""
    joints = ", ".join(["0.2"] * 7)
    text = (
        f"format: 1\narm: {folder / 'seven.urdf'}\nstart: {{joints: [{joints}]}}\ntime_limit: 0.1\n"
    )
    text += (
        "controller: {law: computed_torque}\nmap: {space: joints, shape: [3, 3, 3, 3, 3, 3, 3]}\n"
    )
    return text + "detection: {measure: joint_torque, threshold: 5.0, pole: 30}\n"


def test_tuning_by_such_a_log(arm, tmp_path):
    """A threshold by the first half of free motion, with the friction that it shows, judged by the second."""
    folder, _ = arm
    world = parse_world(world_of(folder))
    for log in ("free.yaml", "free_more.yaml"):
        free = recorded(world, [folder / log], None, None)
        found = tuned(world, free, 1000.0).judged(free)
        assert found.alarms <= 2
        assert np.all(np.array(found.chosen.threshold) < 0.6)  # of friction alone there are 0.6 N·m
        assert found.seconds == pytest.approx(11.0, abs=0.1)


def test_the_command_tunes_an_arm_without_rotors_and_says_that_its_world_has_no_friction(
    arm, tmp_path, capsys
):
    folder, _ = arm
    (tmp_path / "seven.yaml").write_text(world_of(folder))
    words = [
        str(tmp_path / "seven.yaml"),
        "--free-run",
        str(folder / "free.yaml"),
        "--false-alarms-per-hour",
        "1e4",
    ]
    assert main(["tune", *words, "--out", str(tmp_path / "tuned.yaml")]) == 0
    assert "without rotor inertia" in capsys.readouterr().out
    world = load_world(tmp_path / "tuned.yaml")
    assert world.plant.friction is None
    assert np.all(np.array(world.detection.threshold) < 0.6)


def test_the_friction_of_an_arm_with_rotors_is_in_its_world(arm, tmp_path):
    folder, _ = arm
    heavy = load_arm(folder / "seven.urdf")._replace(rotor_inertia=np.full(7, 0.05))
    write_arm(heavy, tmp_path / "heavy.yaml", "with rotors", "made up")
    (tmp_path / "seven.yaml").write_text(world_of(folder) + "plant: {dynamics: heavy.yaml}\n")
    free = recorded(load_world(tmp_path / "seven.yaml"), [folder / "free.yaml"], None, None)
    assert "friction" not in dict(free.remarks)
    friction = load_world(tmp_path / "seven.yaml", free.changes).plant.friction
    np.testing.assert_allclose(friction.coulomb, 0.6, atol=0.02)
    light = heavy._replace(rotor_inertia=np.where(np.arange(7) == 3, 0.0, 0.05))
    write_arm(light, tmp_path / "heavy.yaml", "a rotor is missing", "made up")
    assert (
        recorded(load_world(tmp_path / "seven.yaml"), [folder / "free.yaml"], None, None).changes
        == ()
    )


def test_free_motion_of_another_kind_is_refused(arm, capsys):
    folder, made = arm
    seven.write_csv(folder / "free_currents.csv", made["free"])
    text = seven.DESCRIPTION.format(file="free_currents.csv").replace("effort:", "current:")
    (folder / "free_currents.yaml").write_text(text)
    words = ["replay", str(folder / "touched.yaml"), "--arm", str(folder / "seven.urdf")]
    free = ["--free-run", str(folder / "free_currents.yaml")]
    refused_by_command(capsys, [*words, *free], "--free-run: currents where the log has torques")


def test_every_detection_of_such_a_log_is_explained(arm, capsys):
    folder, _ = arm
    words = ["explain", str(folder / "touched.yaml"), "--arm", str(folder / "seven.urdf")]
    assert main([*words, "--detector", "joint_torque", "--set", "threshold=6"]) == 0
    assert "contact" in capsys.readouterr().out


# contacts that whoever recorded them labelled


def test_half_of_a_log_chooses_the_threshold_and_the_other_judges_it(arm, capsys):
    folder, _ = arm
    words = [
        "replay",
        str(folder / "touched.yaml"),
        "--free-run",
        str(folder / "free.yaml"),
        "--judge",
    ]
    assert main([*words, "--arm", str(folder / "seven.urdf"), "--set", "pole=30"]) == 0
    table = capsys.readouterr().out
    assert re.search(r"joint_torque .* 4 of 4 \(51% … 100%\) +\d+ ms", table)
    assert len(re.findall(r" of 4 ", table)) >= 5  # every detector with a threshold
    words = [residual(folder, "touched"), "--free-run", residual(folder, "free"), "--judge"]
    assert main(["replay", *words, "--detector", "joint_torque"]) == 0
    assert re.search(r"joint_torque .* 4 of 4 ", capsys.readouterr().out)


def test_what_chooses_does_not_judge(arm):
    """A louder second half: it is full of alarms by the first one's threshold; not otherwise."""
    folder, _ = arm
    data = load_recording(folder / "touched.yaml", 7)
    motors = fit_motors([load_recording(folder / "free.yaml", 7)], load_arm(folder / "seven.urdf"))
    signals, model = signals_of_recording(data, motors), motors.on(load_arm(folder / "seven.urdf"))
    methods = find_method("estimator", "momentum_observer"), find_method("detector", "joint_torque")
    truth = labelled_truth(signals.time, data.contact.values, 7)
    watched = Watched(model, *methods, {"pole": 30.0})
    quiet = judge(watched, signals, truth)
    later = (signals.time > signals.time.mean())[:, None]
    noise = np.random.default_rng(0).normal(0.0, 4.0, signals.tau.shape)
    loud = judge(watched, signals._replace(tau=signals.tau + later * noise), truth)
    assert (quiet.found, quiet.contacts) == (4, 4)
    assert np.all(quiet.delays < 0.2)
    assert loud.false_alarms > quiet.false_alarms + 50
    assert max(loud.thresholds[1]) > 3 * max(loud.thresholds[0])
    assert quiet.free_time == pytest.approx(np.ptp(signals.time) - 4 * (0.4 + 0.05), abs=0.1)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("topic: /joint_states\n", "topic: a table has no topics"),
        ("contacts: [[1, 2]]\n", "touches are said twice"),
    ],
)
def test_keys_of_a_description_that_nothing_would_read_are_refused(arm, tmp_path, more, words):
    table = arm[0] / "touched.csv"
    (tmp_path / "log.yaml").write_text(seven.DESCRIPTION.format(file=table) + more)
    with refused(words):
        load_recording(tmp_path / "log.yaml", 7)


def test_the_time_of_a_table_may_be_scaled(arm, tmp_path):
    description = seven.DESCRIPTION.format(file=arm[0] / "touched.csv")
    (tmp_path / "log.yaml").write_text(description.replace("unit: ms", "unit: ms, scale: 2"))
    once, twice = (
        load_recording(arm[0] / "touched.yaml", 7),
        load_recording(tmp_path / "log.yaml", 7),
    )
    np.testing.assert_allclose(np.ptp(twice.time.values), 2.0 * np.ptp(once.time.values), rtol=1e-9)


def test_a_contact_across_the_middle_is_one(arm):
    folder, _ = arm
    data = load_recording(folder / "touched.yaml", 7)
    signals = signals_of_recording(data, fit_motors([data], load_arm(folder / "seven.urdf")))
    middle = 0.5 * (signals.time[0] + signals.time[-1])
    spans = [[a, b] for a, b in seven.CONTACTS if not a - 1.0 < middle < b + 1.0] + [
        [middle - 0.2, middle + 0.2]
    ]
    touched = np.any([(a <= signals.time) & (signals.time <= b) for a, b in spans], axis=0)
    methods = find_method("estimator", "momentum_observer"), find_method("detector", "joint_torque")
    watched = Watched(load_arm(folder / "seven.urdf"), *methods, {"pole": 30.0})
    assert judge(watched, signals, labelled_truth(signals.time, touched, 7)).contacts == len(spans)


def test_labels_in_both_halves_are_needed(arm):
    folder, _ = arm
    data = load_recording(folder / "touched.yaml", 7)
    signals = signals_of_recording(data, fit_motors([data], load_arm(folder / "seven.urdf")))
    touched = data.contact.values * (data.time.values < 10.0)
    methods = find_method("estimator", "momentum_observer"), find_method("detector", "joint_torque")
    truth = labelled_truth(signals.time, touched, 7)
    with refused("needed in both halves.*second"):
        judge(Watched(load_arm(folder / "seven.urdf"), *methods, {}), signals, truth)
