"""Parameter sets against what their documents print, and against recordings of a real UR5."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conftest import KUFIETA

from dynamics import gravity_torque, inverse_dynamics, load_arm, mass_matrix
from hopfield_nav.extensions.recordings import load_recording

GRAVITY = 9.81


@pytest.fixture
def q():
    return np.random.default_rng(12).uniform(-np.pi, np.pi, (1000, 6))


@pytest.fixture
def as_printed():
    return load_arm("ur5_ragazzon2012_as_printed")


# --- ragazzon2012, appendix B.2
# -----------------------------------------------------------------------


def test_published_gravity(as_printed, q):
    """g1…g6 of (B.2), to the digits printed."""
    q234, q5 = q[:, 1] + q[:, 2] + q[:, 3], q[:, 4]
    wrist = 1.830136e-2 * np.sin(q234) + 6.6912e-3 * (np.sin(q234 - q5) - np.sin(q234 + q5))
    upper_arm = -2.37167 * np.cos(q[:, 1])
    tilt = -6.6912e-3 * (np.sin(q234 - q5) + np.sin(q234 + q5))
    zero = np.zeros(len(q))
    expected = GRAVITY * np.column_stack([zero, wrist + upper_arm, wrist, wrist, tilt, zero])
    np.testing.assert_allclose(gravity_torque(as_printed, q), expected, rtol=0, atol=1e-12)


def test_published_mass_matrix(as_printed, q):
    """The elements of (B.2) that survived the extraction; rows 3 to 6 are complete."""
    q2, q5 = q[:, 1], q[:, 4]
    q34 = q[:, 2] + q[:, 3]
    q234 = q2 + q34
    twice = 5.28848301220e-4 * np.cos(2 * q5)
    forearm, wrist = 4.96708343882199949e-2 - twice, 2.91008553822e-3 - twice
    bend = 2.843760e-3 * (np.sin(q34 + q5) - np.sin(q34 - q5)) - 7.778078e-3 * np.sin(q34)
    turn = (
        2.02230028e-3 * np.cos(q234)
        + 7.293408e-4 * (np.cos(q234 - q5) - np.cos(q234 + q5))
        + 2.64424150610e-4 * (np.cos(q234 - 2 * q5) - np.cos(q234 + 2 * q5))
    )
    last = 1.217591948e-4
    expected = {
        (1, 2): (
            2.67177491e-1 * np.sin(q2) + turn + 2.843760e-3 * (np.sin(q2 + q5) + np.sin(q2 - q5))
        ),
        (1, 3): turn,
        (1, 4): turn,
        (1, 5): (
            2.843760e-3 * (np.sin(q2 - q5) - np.sin(q2 + q5))
            - 2.01419266994e-3 * np.cos(q234)
            - 7.293408e-4 * (np.cos(q234 + q5) + np.cos(q234 - q5))
        ),
        (1, 6): 6.087959740e-5 * (np.cos(q234 + q5) - np.cos(q234 - q5)),
        (2, 3): forearm + bend,
        (2, 4): wrist + bend,
        (2, 5): 2.843760e-3 * (np.sin(q34 - q5) + np.sin(q34 + q5)),
        (2, 6): last * np.cos(q5),
        (3, 3): forearm,
        (3, 4): wrist,
        (3, 5): 0.0,
        (3, 6): last * np.cos(q5),
        (4, 4): wrist,
        (4, 5): 0.0,
        (4, 6): last * np.cos(q5),
        (5, 5): 2.01419266993e-3,
        (5, 6): 0.0,
        (6, 6): last,
    }
    found = mass_matrix(as_printed, q)
    for (i, j), element in expected.items():
        np.testing.assert_allclose(
            found[:, i - 1, j - 1],
            element + np.zeros(len(q)),
            rtol=0,
            atol=1e-9,
            err_msg=f"m{i}{j}",
        )


def test_published_arm_is_far_too_light(as_printed):
    right = load_arm("ur5_ragazzon2012")
    assert gravity_torque(as_printed, np.zeros(6))[1] == pytest.approx(-23.3, abs=0.05)
    assert gravity_torque(right, np.zeros(6))[1] == pytest.approx(-51.5, abs=0.05)


def test_published_mistake_is_in_the_dynamics_alone(as_printed):
    right = load_arm("ur5_ragazzon2012")
    np.testing.assert_array_equal(as_printed.offset, right.offset)
    np.testing.assert_allclose(as_printed.inertia[[2, 4]], right.inertia[[2, 4]], rtol=1e-15)
    np.testing.assert_array_equal(as_printed.dynamics_offset[[2, 4]], 0.0)
    np.testing.assert_array_equal(as_printed.mass, right.mass * [1, 1, 0, 1, 0, 1])


# --- kebria2016 and tu2023: two names, one model
# -----------------------------------------------------


def test_kebria_and_tu_have_the_same_dynamics(q):
    kebria, tu = load_arm("ur5_kebria2016"), load_arm("ur5_tu2023")
    for a, b in zip(kebria, tu, strict=True):
        np.testing.assert_array_equal(a, b)
    qd, qdd = np.roll(q, 1, axis=0), np.roll(q, 2, axis=0)
    np.testing.assert_array_equal(
        inverse_dynamics(kebria, q, qd, qdd), inverse_dynamics(tu, q, qd, qdd)
    )


# --- UR5e: base parameters identified by madsen2020 on a real one
# ------------------------------------


def _base_parameters(arm):
    """MX2R, MX3R, MY4R [kg·m], read off the gravity torque: what is behind each link averages out."""
    right_angle = np.pi / 2

    def mean(joint, *poses):
        return np.mean([gravity_torque(arm, q)[joint - 1] for q in poses]) / GRAVITY

    flat = np.zeros(6)
    upper_arm = mean(
        2, flat, [0, 0, np.pi, 0, 0, 0], [0, 0, 0, np.pi, 0, 0], [0, 0, np.pi, np.pi, 0, 0]
    )
    forearm = mean(3, flat, [0, 0, 0, np.pi, 0, 0])
    wrist = mean(4, *([0, 0, 0, right_angle, turn, 0] for turn in (right_angle, -right_angle)))
    return upper_arm, forearm, -wrist


def test_base_parameters_of_the_ur5e():
    found = _base_parameters(load_arm("ur5e"))
    # from masses and centres
    np.testing.assert_allclose(found, [-4.212, -1.880, -0.186], atol=6e-4)
    np.testing.assert_allclose(found, [-4.1774, -1.8774, -0.1866], rtol=0.01)  # madsen2020 Table 4


# --- the recorded UR5
# ---------------------------------------------------------------------------------


def _recorded(folder: Path, run: str):
    """q, qd, qdd as the controller wants them, and the torque that it computes, each (k, 6)."""
    data = load_recording(folder / "ur5_kufieta2014" / run)
    return tuple(data[name].values for name in ("q_ref", "qd_ref", "qdd_ref", "tau"))


def _rms(arm, recording) -> np.ndarray:
    q, qd, qdd, torque = recording
    return np.sqrt(np.mean((inverse_dynamics(arm, q, qd, qdd) - torque) ** 2, axis=0))


@pytest.mark.parametrize("run", KUFIETA)
def test_recorded_model_torque(data_folder, run):
    """The controller's model torque of a real UR5, every joint of every run."""
    recording = _recorded(data_folder, run)
    assert len(recording[0]) > 1900
    assert _rms(load_arm("ur5_controller"), recording).max() < 0.05


@pytest.mark.parametrize("run", KUFIETA)
def test_recorded_model_torque_has_gravity_9_82(data_folder, run):
    """What is left of the difference is the value of g: with 9.82 m/s² it is ten times smaller."""
    arm = load_arm("ur5_controller")._replace(gravity=np.array([0, 0, -9.82]))
    assert _rms(arm, _recorded(data_folder, run)).max() < 0.003


def test_recordings_need_rotor_inertia_and_their_own_forearm(data_folder):
    """Without the rotors, or with the forearm of the maker's web page, the match is lost."""
    arm, moving, still = (
        load_arm("ur5_controller"),
        _recorded(data_folder, "no8"),
        _recorded(data_folder, KUFIETA[-1]),
    )
    assert _rms(arm._replace(rotor_inertia=np.zeros(6)), moving).max() > 0.1
    other = load_arm("ur5_tu2023")
    assert _rms(other._replace(rotor_inertia=arm.rotor_inertia), still).max() > 0.25
