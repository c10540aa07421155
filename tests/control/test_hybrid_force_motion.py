"""Sliding with a wanted force: round a cylinder, along a wall and behind its end."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import simulation

from hopfield_nav.control.laws.hybrid_force_motion import NORMAL, PHASE, SEARCHING, SLIDING, TILT

CENTER, RADIUS, FORCE = np.array([0.2663, 0.0130]), 0.05, 10.0
CYLINDER = "obstacles: [{cylinder: {center: [0.2663, 0.0130], radius: 0.05}}]\n"
WALL = "obstacles: [{box: {center: [0.2563, 0.0130, 0.0], size: [0.1, 0.2, 0.4]}}]\n"  # from x = 0.2063
LAW = "controller: {law: hybrid_force_motion}\n"
FULL = "arm: ur5_full\nplant: {friction: arm}\n"
SENSED = "sensors: {wrench: {}}\ndetection: {estimator: wrist_sensor, measure: force_norm, threshold: 100}\n"
OBSERVED = "detection: {estimator: momentum_observer, measure: force_norm, threshold: 100}\n"


def slide(text, seconds, settle=1.0):
    """The simulation; a row each 10 ms, ``settle`` after the touch: true force, place, normal, phase."""
    sim, rows, touched = simulation(f"{text}time_limit: {seconds}\n"), [], np.inf
    while sim.outcome is None:
        sim.step(0.01)
        touched = min(touched, sim.time) if sim.force.any() else touched
        memory, place = sim.controller.law.memory, sim.controller.work.tool[:2, 3]
        angle = np.arctan2(memory[NORMAL + 1], memory[NORMAL]) + memory[TILT]
        if sim.time > touched + settle:
            rows.append([*sim.force[:2], *place, np.cos(angle), np.sin(angle), memory[PHASE]])
    return sim, np.array(rows)


def round_a_cylinder(rows):
    """Rms error of the normal force [N], share without contact, largest angle of the normal [°], way [m]."""
    normal = (rows[:, 2:4] - CENTER) / np.linalg.norm(rows[:, 2:4] - CENTER, axis=1)[:, None]
    across = np.einsum("ki,ki->k", rows[:, :2], normal)
    cosine = np.clip(np.einsum("ki,ki->k", rows[:, 4:6], normal), -1, 1)
    way = np.linalg.norm(np.diff(rows[:, 2:4], axis=0), axis=1).sum()
    return (
        np.sqrt(np.mean((across - FORCE) ** 2)),
        np.mean(across == 0),
        np.degrees(np.arccos(cosine)).max(),
        way,
    )


CASES = {
    "ideal": (SENSED, 1.0, 0.02, 3.0),
    "the other side": (SENSED + LAW.replace("motion}", "motion, side: -1}"), 1.0, 0.02, 3.0),
    "a rough surface": (SENSED + "contact: {friction: 0.2}\n", 1.0, 0.02, 3.0),
    "joint friction": (SENSED + FULL, 1.0, 0.02, 3.0),
    "without a sensor": (OBSERVED, 1.0, 0.02, 3.0),
}


@pytest.mark.parametrize(("text", "error", "lost", "angle"), CASES.values(), ids=CASES)
def test_round_a_cylinder_force_contact_and_normal_are_kept(text, error, lost, angle):
    more = "" if "law:" in text else LAW
    _, rows = slide(CYLINDER + text + more, 5.0)
    found = round_a_cylinder(rows)
    assert found[0] < error
    assert found[1] <= lost
    assert found[2] < angle
    assert found[3] > 0.7 * 0.03 * (len(rows) - 1) * 0.01
    (ax, ay), (bx, by) = rows[0, 2:4] - CENTER, rows[-1, 2:4] - CENTER
    assert np.sign(ax * by - ay * bx) == (-1 if "side: -1" in text else 1)


def test_along_a_wall_and_behind_its_end():
    """The contact is lost at the edge, searched, and found again on the next side."""
    _, rows = slide(WALL + SENSED + LAW, 12.0)
    phases = rows[:, 6]
    assert SEARCHING in phases
    assert phases[-1] == SLIDING
    face = rows[:, 3] > -0.08
    first = face & (np.cumsum(~face) == 0)
    cosine = np.clip(-rows[first, 4], -1, 1)
    assert np.degrees(np.arccos(cosine)).max() < 3.0
    assert np.sqrt(np.mean((rows[first, 0] + FORCE) ** 2)) < 1.0
    assert rows[phases == SLIDING][-1, 2] > 0.22  # behind the corner


def test_what_joint_friction_hides_is_said_before_the_run():
    """With the warning the force is lost; a sensor, no friction or a large force take it away."""
    sim, rows = slide(CYLINDER + OBSERVED + FULL + LAW, 5.0)
    (warning,) = sim.warnings
    assert "joint friction hides up to 20 N" in warning
    assert not len(rows) or round_a_cylinder(rows)[0] > 3.0
    for text in (
        CYLINDER + SENSED + FULL + LAW,
        CYLINDER + OBSERVED + LAW,
        CYLINDER + OBSERVED + FULL + LAW.replace("motion}", "motion, force: 70}"),
    ):
        assert simulation(text + "time_limit: 1\n").warnings == []
