"""Every arm, written and read again, is the same arm."""

from __future__ import annotations

import numpy as np
import pytest
import yaml
from conftest import RIGID
from refusals import refused

from dynamics import Arm, load_arm, load_named_arm
from dynamics.files import write_arm

UR5E = load_arm("ur5e")
FRICTION = np.column_stack([np.arange(6.0), np.full(6, 2.5), np.arange(6.0), np.full(6, 0.1)])


@pytest.mark.parametrize("name", [*RIGID, "panda"])
def test_written_and_read_again(name, tmp_path):
    arm = load_arm(name)
    again = load_arm(write_arm(arm, tmp_path / "copy.yaml", "a copy", f'of "{name}"'))
    for field, ours, theirs in zip(Arm._fields, again, arm, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-15, atol=0, err_msg=field)


def test_numbers_without_a_point_and_infinite_limits(tmp_path):
    odd = UR5E._replace(
        mass=UR5E.mass * 1e-16 + 1e-20, torque_limits=np.full(6, np.inf), inertia=UR5E.inertia * 0
    )
    again = load_arm(write_arm(odd, tmp_path / "odd.yaml", "odd", "test"))
    np.testing.assert_array_equal(again.mass, odd.mass)
    np.testing.assert_array_equal(again.torque_limits, odd.torque_limits)


def test_fit_is_kept_as_plain_values(tmp_path):
    fit = {"a": np.float64(1e-7), "b": [1, True, None, "x: y"], "c": {"d e": np.arange(2)}}
    path = write_arm(UR5E, tmp_path / "fit.yaml", "with: colon", "test", fit=fit)
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert data["fit"] == {"a": 1e-7, "b": [1, True, None, "x: y"], "c": {"d e": [0, 1]}}
    assert data["description"] == "with: colon"
    load_arm(path)


def test_friction_stands_in_the_links(tmp_path):
    arm = UR5E._replace(
        friction=FRICTION, presliding=np.array([np.inf, 1e4, 2e4, np.inf, 1e5, 1e6])
    )
    path = write_arm(arm, tmp_path / "f.yaml", "f", "test")
    links = yaml.safe_load(path.read_text(encoding="utf-8"))["links"]
    assert [link["friction"]["coulomb"] for link in links] == list(range(6))
    assert ["presliding" in link["friction"] for link in links] == [
        False,
        True,
        True,
        False,
        True,
        True,
    ]
    np.testing.assert_array_equal(load_arm(path).friction, FRICTION)
    np.testing.assert_array_equal(load_arm(path).presliding, arm.presliding)


def test_names_of_joints_are_kept(tmp_path):
    names = ("lift", "elbow", "a", "b", "c", "d")
    assert (
        load_named_arm(write_arm(UR5E, tmp_path / "named.yaml", "n", "test", joints=names)).joints
        == names
    )
    assert load_named_arm(write_arm(UR5E, tmp_path / "nameless.yaml", "n", "test")).joints == ()
    with refused("a name of its own for each joint, or none; found 'a, a, a, a, a, a'"):
        load_arm(write_arm(UR5E, tmp_path / "twice.yaml", "n", "test", joints=["a"] * 6))


@pytest.mark.parametrize("name", ["ur5e", "ur5_full"])
def test_arms_that_come_along_have_the_names_of_their_drivers(name):
    assert load_named_arm(name).joints[:3] == (
        "shoulder_pan_joint",
        "shoulder_lift_joint",
        "elbow_joint",
    )


REFUSED = {
    "not rigid": (load_arm("ur5_ragazzon2012_as_printed"), "no rigid arm"),
    "friction that pushes": (UR5E._replace(friction=-FRICTION), "negative"),
}


@pytest.mark.parametrize(("given", "words"), REFUSED.values(), ids=REFUSED)
def test_what_an_arm_file_cannot_hold_is_refused(given, words, tmp_path):
    with refused(words):
        write_arm(given, tmp_path / "a.yaml", "", "")
    assert not list(tmp_path.iterdir())
