"""Base parameters: their number, their names, what they regroup, and values of madsen2020."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import RIGID
from made_up_arms import INCLINE, arm_of_rows
from madsen2020.base_count import base_parameter_count
from oracles import random_states

from dynamics import inverse_dynamics, load_arm
from dynamics.identification import base_parameters, base_regressor

QUARTER = np.pi / 2


def _arm(*rows, gravity=(0, 0, -9.81)):
    """An arm of Denavit-Hartenberg rows (d, a, alpha)."""
    arm = arm_of_rows(rows, mass=1, center_of_mass=[0.1, 0.2, 0.3], inertia=0)
    return arm._replace(gravity=np.array(gravity, float))


OTHER_ARMS = {
    "one joint, upright": _arm((0.1, 0.2, 0)),
    "one joint, incline": _arm((0.1, 0.2, 0), gravity=INCLINE),
    "planar, axes upright": _arm((0, 0.5, 0), (0, 0.4, 0), (0, 0.3, 0)),
    "planar, axes level": _arm((0, 0.5, 0), (0, 0.4, 0), (0, 0.3, 0), gravity=(9.81, 0, 0)),
    "SCARA-like, then a wrist": _arm(
        (0.3, 0.4, 0), (0, 0.3, QUARTER), (0.1, 0, QUARTER), (0.1, 0, 0)
    ),
    "twice on axis 1": _arm((0.3, 0, 0), (0.2, 0.4, QUARTER), (0.1, 0.3, 0)),
    "skew second axis": _arm((0.3, 0.1, 0.7), (0.1, 0.4, -0.5), (0.1, 0.2, 0.3)),
    "spherical wrist": _arm(
        (0.3, 0.1, QUARTER),
        (0, 0.4, 0),
        (0, 0.1, QUARTER),
        (0.4, 0, -QUARTER),
        (0, 0, QUARTER),
        (0.1, 0, 0),
    ),
    "seven joints": _arm(*[(0.1 + 0.1 * (i % 2), 0, (-1) ** i * QUARTER) for i in range(7)]),
    "no gravity": _arm((0.3, 0.1, QUARTER), (0, 0.4, 0), gravity=(0, 0, 0)),
}


@pytest.mark.parametrize(
    ("gravity", "rotor", "count", "columns"),
    [
        (None, False, 36, 49),
        (None, True, 40, 55),
        (INCLINE, False, 38, 52),
        (INCLINE, True, 42, 58),
    ],
)
def test_numbers_of_madsen2020(gravity, rotor, count, columns):
    """49 columns of 60 that are not zero, 36 base parameters; 52 and 38 on an incline; 40, 42 with rotors."""
    arm = load_arm("ur5e")
    arm = arm if gravity is None else arm._replace(gravity=gravity)
    base = base_parameters(arm, rotor)
    assert len(base.names) == count
    assert np.count_nonzero(base.grouping.any(axis=0)) == columns


@pytest.mark.parametrize("rotor", [False, True], ids=["links", "rotors"])
@pytest.mark.parametrize("name", [*RIGID, *OTHER_ARMS])
def test_closed_formula_is_the_rank(name, rotor):
    arm = OTHER_ARMS[name] if name in OTHER_ARMS else load_arm(name)
    for other in (arm, arm._replace(gravity=INCLINE)):
        assert base_parameter_count(other, rotor) == len(base_parameters(other, rotor).names)


def test_zero_columns_are_those_of_the_document():
    """Upright, link 1 only has ZZ1, and of link 2, whose frame lies on axis 1, MZ2 and M2 do nothing."""
    zero = _without_effect(load_arm("ur5e"))
    assert zero == {f"{p}1" for p in ("M", "MX", "MY", "MZ", "XX", "XY", "XZ", "YY", "YZ")} | {
        "M2",
        "MZ2",
    }
    assert zero - _without_effect(load_arm("ur5e")._replace(gravity=INCLINE)) == {
        "MX1",
        "MY1",
        "MZ2",
    }


def _without_effect(arm):
    base = base_parameters(arm)
    return {
        name
        for name, column in zip(base.parameters, base.grouping.T, strict=True)
        if not column.any()
    }


@pytest.mark.parametrize("gravity", [None, INCLINE], ids=["upright", "incline"])
def test_base_parameters_give_the_whole_torque(rigid_arm, gravity):
    arm = rigid_arm if gravity is None else rigid_arm._replace(gravity=gravity)
    base = base_parameters(arm, rotor=True)
    s = random_states(6, 200, seed=5)
    found = base_regressor(arm, base, s.q, s.qd, s.qdd) @ base.of(arm)
    np.testing.assert_allclose(found, inverse_dynamics(arm, s.q, s.qd, s.qdd), rtol=1e-9, atol=1e-9)


def test_base_parameters_are_independent():
    """With one of them less the torque can no longer be written."""
    arm = load_arm("ur5e")
    base = base_parameters(arm)
    s = random_states(6, 200, seed=6)
    Y = base_regressor(arm, base, s.q, s.qd, s.qdd).reshape(-1, 36)
    for k in range(36):
        others = np.delete(Y, k, axis=1)
        rest = Y[:, k] - others @ np.linalg.lstsq(others, Y[:, k], rcond=None)[0]
        assert np.linalg.norm(rest) > 1e-3 * np.linalg.norm(Y[:, k])


def test_table_4_from_the_makers_masses_and_centres():
    """madsen2020 Table 4 has -4.1774, -1.8774 and -0.1866 for the real arm."""
    base = base_parameters(load_arm("ur5e"))
    values = dict(zip(base.names, base.of(load_arm("ur5e")), strict=True))
    assert values["MX2R"] == pytest.approx(-4.212, abs=5e-4)
    assert values["MX3R"] == pytest.approx(-1.880, abs=5e-4)
    assert values["MY4R"] == pytest.approx(-0.186, abs=5e-4)
    for name, published in (("MX2R", -4.1774), ("MX3R", -1.8774), ("MY4R", -0.1866)):
        assert values[name] == pytest.approx(published, rel=0.01)


def test_what_is_regrouped_is_what_a_person_writes():
    """MX2R = MX2 + a2 (M3 + M4 + M5 + M6), MY4R = MY4 - d5 (M5 + M6) - MZ5."""
    arm = load_arm("ur5e")
    base, (a2, d5) = base_parameters(arm, rotor=True), (arm.dh[1, 2], arm.dh[4, 1])
    written = {
        "MX2R": {"MX2": 1.0, "M3": a2, "M4": a2, "M5": a2, "M6": a2},
        "MY4R": {"MY4": 1.0, "M5": -d5, "M6": -d5, "MZ5": -1.0},
    }
    for name, wanted in written.items():
        row = base.grouping[base.names.index(name)]
        found = {base.parameters[k]: row[k] for k in np.flatnonzero(row)}
        assert found == pytest.approx(wanted, abs=1e-9)
