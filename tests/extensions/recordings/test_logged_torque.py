"""What a log calls torque is asked of the log itself: signs, gravity, unit, and how late it comes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from refusals import refused

from dynamics import gravity_torque, inverse_dynamics, load_arm
from hopfield_nav.extensions.recordings import label_signals, load_recording
from hopfield_nav.extensions.recordings.logged_torque import remarks_on_torque

ARM = load_arm("ur5_full")._replace(friction=np.zeros((6, 4)))
TIME = np.arange(0.0, 20.0, 0.008)
COULOMB, VISCOUS = (np.array([8.0, 7, 6, 1.4, 1.3, 1.2]), np.array([9.0, 11, 8, 1.5, 1.3, 0.8]))
NOISE = 0.3  # [N·m]


def _motion(lead=0.0):
    """Angles with two derivatives at the times of the rows, ``lead`` earlier [s]."""
    rate = 2 * np.pi * np.array([0.1, 0.15, 0.2, 0.3, 0.35, 0.45])
    angle = np.outer(TIME - lead, rate)
    q = np.sin(angle) + 0.2 * np.sin(2.3 * angle) + [0.0, -1.5, 1.0, 0.0, 0.5, 0.0]
    qd = rate * (np.cos(angle) + 0.46 * np.cos(2.3 * angle))
    return q, qd, -(rate**2) * (np.sin(angle) + 1.058 * np.sin(2.3 * angle))


def _torque(late=0.0, seed=0):
    """What motors with friction and rotors give, as logged so much later [s]."""
    q, qd, qdd = _motion(late)
    torque = inverse_dynamics(ARM, q, qd, qdd) + COULOMB * np.sign(qd) + VISCOUS * qd
    return torque + np.random.default_rng(seed).normal(0.0, NOISE, q.shape)


def _log(torque, name="effort"):
    q, qd, _ = _motion()
    return label_signals(TIME, {"q": q, "qd": qd, name: torque}, "made")


def test_nothing_is_said_of_what_is_right():
    for seed in range(5):
        assert remarks_on_torque(_log(_torque(seed=seed)), ARM) == []


def test_a_push_changes_nothing():
    torque = _torque()
    torque[1200:1300, 1] -= 40.0
    assert remarks_on_torque(_log(torque), ARM) == []


def test_each_pattern_of_reversed_torques_is_named():
    torque = _torque()
    for pattern in itertools.product((1.0, -1.0), repeat=6):
        against = [j + 1 for j in range(6) if pattern[j] < 0.0]
        if not against:
            continue
        which = ", ".join(map(str, against))
        scale = ", ".join("-1" if j + 1 in against else "1" for j in range(6))
        words = f"{which}: the effort runs against the model's torque .*scale: \\[{scale}\\]"
        with refused(words):
            remarks_on_torque(_log(torque * np.array(pattern)), ARM)


def test_gravity_that_was_taken_off_is_missed():
    torque = _torque() - gravity_torque(ARM, _motion()[0])
    felt = np.random.default_rng(3).normal(0.0, NOISE, torque.shape)  # all that a model explains
    for each in (torque, felt):
        with refused("gravity is missing in the torque.*`residual: true`"):
            remarks_on_torque(_log(each), ARM)
    assert remarks_on_torque(_log(felt).assign_attrs(residual="of a model"), ARM) == []


@pytest.mark.parametrize(
    ("factor", "way"),
    [
        (1e3, "unit: N·mm"),
        (0.0099, "scale: 101}"),
        (1 / 50.0, "scale: (49.9|50|50.1)}"),
        (40.0, "scale: 0.025"),
    ],
)
def test_another_unit_is_named(factor, way):
    with refused(f"the torque is in another unit.*{way}"):
        remarks_on_torque(_log(factor * _torque()), ARM)


@pytest.mark.parametrize("name", ["effort", "current"])
def test_zeros_are_refused(name):
    torque = _torque()
    torque[:, 3] = 0.0
    with refused("never changes; found 'joints 4'"):
        remarks_on_torque(_log(torque, name), ARM)


@pytest.mark.parametrize("name", ["effort", "current"])
@pytest.mark.parametrize("late", [0.01, 0.03, 0.06])
def test_how_late_it_comes_is_estimated(name, late):
    (remark,) = remarks_on_torque(_log(_torque(late), name), ARM)
    words = remark.split()
    assert words[:2] == [name, "comes"]
    told, error = float(words[2]), float(words[4])
    assert abs(told - 1e3 * late) < 4 * error + 0.03 * 1e3 * late
    assert error < 1.0 + 0.1 * 1e3 * late


def test_a_torque_that_comes_early_is_no_late_one():
    assert remarks_on_torque(_log(_torque(-0.03)), ARM) == []


def test_what_comes_late_is_taken_off_where_a_description_says_so(tmp_path):
    q, qd, _ = _motion()
    names = [f"{s}{j}" for s in ("q", "v", "m") for j in range(1, 7)]
    table = np.column_stack([TIME, q, qd, _torque(0.032)])
    np.savetxt(
        tmp_path / "log.csv", table, header=",".join(["time", *names]), comments="", delimiter=","
    )
    text = "format: 1\nfile: log.csv\nq: q*\nqd: v*\neffort: {columns: m*, late: 0.032}\n"
    (tmp_path / "log.yaml").write_text(text)
    data = load_recording(tmp_path / "log.yaml")
    assert remarks_on_torque(data, ARM) == []
    np.testing.assert_allclose(data.effort.values, _torque(0.032)[4:])
    assert data.left_out.startswith("4 rows without numbers")


def test_the_real_arm_logs_what_it_says(data_folder):
    for run in ("no1", "no8", "no5_free", "no5_pushed"):
        data = load_recording(data_folder / "ur5_kufieta2014" / run)
        assert remarks_on_torque(data, load_arm("ur5_controller")) == []
