"""Changes to a world, by --set, sweeps and suites: what another method leaves of the old one's keys."""

from __future__ import annotations

import numpy as np
import pytest

from dynamics import BadInput
from hopfield_nav import World, load_world
from hopfield_nav.cli.app import main
from hopfield_nav.extensions.bench import load_suite
from hopfield_nav.sweeps import load_sweep, make_sweep

NOTE = "detection.measure: joint_torque leaves out detection.threshold of wrench_norm"
OWN = "mine.py:PLANNER"
LEFT_OUT = f"{OWN} leaves out planner.network, planner.beta of hopfield"
OTHER = "detection.measure=joint_torque"
DEFAULT = (0.5, 0.5, 0.5, 0.1, 0.1, 0.1)


def fault_of(make, *arguments):
    with pytest.raises(BadInput) as caught:
        make(*arguments)
    return caught.value


def test_a_threshold_in_newtons_does_not_become_one_in_newton_metres():
    world = load_world("ragazzon2012", [OTHER])
    assert world.detection.parameters["threshold"] == DEFAULT
    assert world.notes == (NOTE,)


@pytest.mark.parametrize("order", [1, -1])
def test_what_is_given_with_the_method_is_kept_and_checked(order):
    world = load_world("ragazzon2012", [OTHER, "detection.threshold=3"][::order])
    assert world.detection.parameters["threshold"] == 3.0
    assert world.notes == ()
    for given in ("detection.threshold=-1", "detection.mass_error=0.1"):
        error = fault_of(load_world, "ragazzon2012", [OTHER, given][::order])
        assert given.partition("=")[0] in str(error)
        assert error.others == ()


def test_a_key_that_both_methods_have_in_one_unit_is_kept():
    data = {"format": 1, "detection": {"estimator": "momentum_observer", "pole": 40}}
    other = load_world(data, ["detection.estimator=disturbance_observer"])
    assert other.detection.parameters["pole"] == 40.0
    assert other.notes == ()


def test_every_key_of_the_old_method_alone_goes():
    data = load_world("empty").model_dump(mode="json")
    world = load_world(data, [OTHER])
    assert "mass_error" not in world.detection.parameters
    [note] = world.notes
    for key in ("mass_error", "friction_error", "stiction_share", "stiction_speed"):
        assert f"detection.{key}" in note
    assert "detection.pole" not in note


@pytest.fixture
def own_planner(tmp_path, monkeypatch):
    text = "from hopfield_nav.plugin import Method\n\nPLANNER = Method('planner', 'mine', object)\n"
    (tmp_path / "mine.py").write_text(text)
    monkeypatch.chdir(tmp_path)


def test_another_planner_takes_no_keys_of_the_network_with_it(own_planner):
    world = load_world("ragazzon2012", [f"planner.kind={OWN}"])
    assert world.planner.network == "limit"
    assert world.notes[0].endswith(LEFT_OUT)
    error = fault_of(load_world, "ragazzon2012", [f"planner.kind={OWN}", "planner.network=sum"])
    assert "only planner hopfield has it" in str(error)


def test_a_bare_word_has_the_keys_of_its_section():
    data = {"format": 1, "explore": "follow", "detection": {"mark": "felt"}}
    world = load_world(data, ["explore.retract=0.02"])
    assert (world.explore.method, world.explore.retract) == ("follow", 0.02)


def test_an_unknown_method_is_the_only_fault():
    error = fault_of(load_world, "ragazzon2012", ["detection.measure=joint_torqe"])
    assert error.nearest == "joint_torque"
    assert error.others == ()


@pytest.mark.parametrize("name", ["ragazzon2012", "empty"])
def test_an_entry_of_a_default_list_can_be_set(name):
    before, after = (
        load_world(name),
        load_world(name, ["start.joints.5=0.2", "controller.omega.0=20"]),
    )
    assert after.start.joints == (*before.start.joints[:5], 0.2)
    assert after.controller.parameters["omega"] == (
        20.0,
        *before.controller.parameters["omega"][1:],
    )
    assert "allowed: 0 to 5" in str(fault_of(load_world, name, ["start.joints.6=0.2"]))


def test_a_world_is_made_of_a_mapping():
    centre = np.array([0.4, 0.0])
    given = {
        "format": 1,
        "obstacles": [{"cylinder": {"center": centre, "radius": np.float64(0.03)}}],
    }
    world = load_world(given)
    assert world == World.from_dict(given)
    assert world.obstacles[0].cylinder.center == (0.4, 0.0)
    assert given["obstacles"][0]["cylinder"]["center"] is centre
    assert load_world(given, ["seed=3"]).seed == 3


def test_faults_of_a_mapping_have_their_key_and_no_file():
    error = fault_of(
        load_world, {"format": 1, "detection": {"thresold": 3}, "plant": {"step": 1000}}
    )
    told = {fault.where for fault in (error, *error.others)}
    assert told == {"detection.thresold", "plant.step"}
    assert str(fault_of(load_world, {})).startswith("format: missing key")


def test_what_holds_itself_is_refused_in_a_line():
    held: dict = {"format": 1}
    held["goal"] = {"cell": [held]}
    assert "nested too deeply, or in itself" in str(fault_of(load_world, held))


@pytest.mark.parametrize("given", [5, None, object(), ["u_trap"]])
def test_what_is_no_world_no_sweep_and_no_change_is_refused_in_a_line(given):
    assert str(fault_of(load_world, given)).startswith("no world")
    assert str(fault_of(load_sweep, given)).startswith("no sweep")
    if given and not isinstance(given, list):
        assert "KEY=VALUE" in str(fault_of(load_world, "u_trap", given))


def test_a_text_is_no_list_of_changes():
    assert "a list of texts KEY=VALUE" in str(fault_of(load_world, "u_trap", "seed=3"))


def test_the_command_says_it_once(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    main(["run", "ragazzon2012", "--set", OTHER, "--set", "time_limit=0.01", "--no-plots"])
    assert capsys.readouterr().err.count(NOTE) == 1


def test_a_sweep_changes_the_method_and_says_so_once():
    for changes in (
        {"vary": {"detection.measure": ["wrench_norm", "joint_torque"]}},
        {"set": dict([OTHER.split("=")])},
    ):
        sweep = make_sweep("ragazzon2012", **changes)
        assert sweep.remarks.count(NOTE) == 1
        assert (
            sweep.world_for(sweep.job(sweep.count - 1)).detection.parameters["threshold"] == DEFAULT
        )
    together = {"detection.measure": ["joint_torque"], "detection.threshold": [6, 8]}
    sweep = make_sweep("ragazzon2012", together)
    assert sweep.world_for(sweep.job(1)).detection.parameters["threshold"] == 8.0
    assert NOTE not in sweep.remarks


def test_a_sweep_that_sets_the_old_threshold_and_varies_the_method(tmp_path):
    path = tmp_path / "a.yaml"
    head = "format: 1\nworld: ragazzon2012\nset: {detection.threshold: 9}\n"
    path.write_text(head + "vary: {detection.measure: [wrench_norm, joint_torque]}\n")
    sweep = load_sweep(path)
    kept, dropped = (
        sweep.world_for(sweep.job(i)).detection.parameters["threshold"] for i in (0, 1)
    )
    assert (kept, dropped) == (9.0, DEFAULT)


def test_a_suite_compares_methods_each_with_its_own_keys(tmp_path, own_planner):
    path = tmp_path / "a.yaml"
    path.write_text(
        "format: 1\nfamilies: {one: {world: ragazzon2012, set: {detection.threshold: 9}}}\nworlds: 1\n"
        "methods:\n  old: {}\n  new: {detection.measure: joint_torque}\n  own: {detection.measure: joint_torque, "
        "detection.threshold: 2}\n  star: {planner.kind: mine.py:PLANNER}\n"
    )
    suite = load_suite(path)
    found = [
        suite.changed_world("one", "default", name).detection.parameters["threshold"]
        for name in suite.methods
    ]
    assert found == [9.0, DEFAULT, 2.0, 9.0]
    assert [note for note in suite.remarks if "leaves out" in note] == [
        NOTE,
        f"planner.kind: {LEFT_OUT}",
    ]
