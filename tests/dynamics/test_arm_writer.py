"""Every arm, written and read again, is the same arm."""

from __future__ import annotations

import numpy as np
import pytest
import yaml
from conftest import RIGID

from dynamics import Arm, BadInput, load_arm
from dynamics.files import write_arm


@pytest.mark.parametrize("name", RIGID)
def test_written_and_read_again(name, tmp_path):
    arm = load_arm(name)
    again = load_arm(write_arm(arm, tmp_path / "copy.yaml", "a copy", f'of "{name}"'))
    for field, ours, theirs in zip(Arm._fields, again, arm, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-15, atol=0, err_msg=field)


def test_numbers_without_a_point_and_infinite_limits(tmp_path):
    arm = load_arm("ur5e")
    odd = arm._replace(
        mass=arm.mass * 1e-16 + 1e-20, torque_limits=np.full(6, np.inf), inertia=arm.inertia * 0
    )
    again = load_arm(write_arm(odd, tmp_path / "odd.yaml", "odd", "test"))
    np.testing.assert_array_equal(again.mass, odd.mass)
    np.testing.assert_array_equal(again.torque_limits, odd.torque_limits)


def test_fit_is_kept_as_plain_values(tmp_path):
    fit = {"a": np.float64(1e-7), "b": [1, True, None, "x: y"], "c": {"d e": np.arange(2)}}
    path = write_arm(load_arm("ur5e"), tmp_path / "fit.yaml", "with: colon", "test", fit=fit)
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert data["fit"] == {"a": 1e-7, "b": [1, True, None, "x: y"], "c": {"d e": [0, 1]}}
    assert data["description"] == "with: colon"
    load_arm(path)


def test_friction_stands_in_the_links(tmp_path):
    friction = np.column_stack([np.arange(6.0), np.full(6, 2.5)])
    path = write_arm(load_arm("ur5e"), tmp_path / "f.yaml", "f", "test", friction)
    links = yaml.safe_load(path.read_text(encoding="utf-8"))["links"]
    assert [link["friction"] for link in links] == [{"coulomb": c, "viscous": 2.5} for c in range(6)]
    with pytest.raises(BadInput, match="negative"):
        write_arm(load_arm("ur5e"), tmp_path / "g.yaml", "f", "test", -friction)


def test_what_an_arm_file_cannot_hold_is_refused(tmp_path):
    arm = load_arm("ur5e")
    with pytest.raises(BadInput, match="no rigid arm"):
        write_arm(load_arm("ur5_ragazzon2012_as_printed"), tmp_path / "a.yaml", "", "")
    with pytest.raises(BadInput, match="symmetric"):
        write_arm(arm._replace(position_limits=arm.position_limits + 1), tmp_path / "a.yaml", "", "")
    assert not list(tmp_path.iterdir())
