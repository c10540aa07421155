"""The UR5 as ROS describes it, from the package ``example-robot-data`` (131 MB, extra ``dev``)."""

from __future__ import annotations

import sysconfig
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from dynamics import has_closed_form, inverse_dynamics
from dynamics.files import read_urdf

URDF = Path("cmeel.prefix/share/example-robot-data/robots/ur_description/urdf/ur5_robot.urdf")
FILE = Path(sysconfig.get_paths()["purelib"]) / URDF


@pytest.mark.skipif(
    not FILE.is_file(), reason="example-robot-data is not installed: pip install -e '.[dev]'"
)
def test_the_official_ur5_has_the_dynamics_that_pinocchio_reads():
    arm = read_urdf(FILE).arm
    model = pin.buildModelFromUrdf(str(FILE))
    data, rng = model.createData(), np.random.default_rng(0)
    for _ in range(200):
        q, qd, qdd = rng.uniform(-3, 3, 6), rng.normal(size=6), rng.normal(size=6)
        expected = pin.rnea(model, data, q, qd, qdd)
        np.testing.assert_allclose(inverse_dynamics(arm, q, qd, qdd), expected, rtol=0, atol=1e-8)
    assert has_closed_form(arm)
