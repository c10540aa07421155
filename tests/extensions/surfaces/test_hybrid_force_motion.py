"""Sliding with a wanted force: round a cylinder, along a wall and behind its end."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import simulation
from scipy.spatial.transform import Rotation

from hopfield_nav.extensions.surfaces import felt_normal
from hopfield_nav.extensions.surfaces.laws.hybrid_force_motion import (
    AXIS,
    NORMAL,
    PHASE,
    SEARCHING,
    SLIDING,
    TILT,
)

CENTER, RADIUS, FORCE = np.array([0.2663, 0.0130]), 0.05, 10.0
CYLINDER = "obstacles: [{cylinder: {center: [0.2663, 0.0130], radius: 0.05}}]\n"
# from x = 0.2063
WALL = "obstacles: [{box: {center: [0.2563, 0.0130, 0.0], size: [0.1, 0.2, 0.4]}}]\n"
LAW = "controller: {law: hybrid_force_motion}\n"
FULL = "arm: ur5_full\nplant: {friction: arm, presliding: ideal}\n"
SENSED = "sensors: {wrench: {}}\ndetection: {estimator: wrist_sensor, measure: force_norm, threshold: 100}\n"
OBSERVED = "detection: {estimator: momentum_observer, measure: force_norm, threshold: 100}\n"


def test_the_felt_normal_is_turned_about_the_axis():
    """By the tilt, also where axis and normal are not perpendicular; against SciPy's rotations."""
    rng, law = np.random.default_rng(4), simulation(f"{LAW}{SENSED}time_limit: 1\n").controller.law
    for tilt in (-2.0, 0.3, 1.6):
        axis, normal = (v / np.linalg.norm(v) for v in rng.normal(size=(2, 3)))
        law.memory[AXIS : AXIS + 3], law.memory[NORMAL : NORMAL + 3], law.memory[TILT] = (
            axis,
            normal,
            tilt,
        )
        np.testing.assert_allclose(
            felt_normal(law)[1], Rotation.from_rotvec(tilt * axis).apply(normal), atol=1e-14
        )


def slide(text, seconds, settle=1.0):
    """The simulation; a row each 10 ms, ``settle`` after the touch: true force, place, normal, phase."""
    sim, rows, touched = simulation(f"{text}time_limit: {seconds}\n"), [], np.inf
    while sim.outcome is None:
        sim.step(0.01)
        touched = min(touched, sim.time) if sim.force.any() else touched
        law = sim.controller.law
        if sim.time > touched + settle:
            rows.append(
                [
                    *sim.force[:3],
                    *sim.controller.work.tool[:3, 3],
                    *felt_normal(law)[1],
                    law.memory[PHASE],
                ]
            )
    return sim, np.array(rows)


def judged(rows, true, across):
    """Rms error of the force in a plane [N], share without contact, largest angle of the normal [°], way [m].

    ``true`` are the (k, 3) normals there; ``across`` (3,) is perpendicular to the plane.
    """
    force, normal = (v - np.outer(v @ across, across) for v in (rows[:, :3], rows[:, 6:9]))
    flat = true - np.outer(true @ across, across)
    flat, normal = (v / np.linalg.norm(v, axis=1)[:, None] for v in (flat, normal))
    pressed, cosine = np.einsum("ki,ki->k", force, flat), np.einsum("ki,ki->k", normal, flat)
    way = np.linalg.norm(np.diff(rows[:, 3:6], axis=0), axis=1).sum()
    error, angle = (
        np.sqrt(np.mean((pressed - FORCE) ** 2)),
        np.degrees(np.arccos(np.clip(cosine, -1, 1))),
    )
    return error, np.mean(pressed == 0.0), angle.max(), way


def round_a_cylinder(rows):
    """See ``judged``."""
    return judged(rows, np.column_stack([rows[:, 3:5] - CENTER, np.zeros(len(rows))]), np.eye(3)[2])


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
    (ax, ay), (bx, by) = rows[0, 3:5] - CENTER, rows[-1, 3:5] - CENTER
    assert np.sign(ax * by - ay * bx) == (-1 if "side: -1" in text else 1)


BALL = "obstacles: [{sphere: {center: [0.2663, 0.0130, %g], radius: 0.05}}]\n"
UPWARDS = "controller: {law: hybrid_force_motion, incline: %g}\n"


@pytest.mark.parametrize(
    ("incline", "low"), [(1.5708, 0.0), (-1.5708, 0.0), (0.6, 0.0), (0.0, 0.02), (1.5708, 0.02)]
)
def test_round_a_ball_in_a_plane_of_any_direction(incline, low):
    """Touched at its equator or 2 cm above it; the part of the force in the plane is what is kept."""
    _, rows = slide(BALL % -low + SENSED + UPWARDS % incline, 4.0, 1.5)
    across = np.array([0.0, np.sin(incline), np.cos(incline)])
    away = rows[:, 3:6] - [0.2663, 0.0130, -low]
    error, lost, angle, way = judged(rows, away / np.linalg.norm(away, axis=1)[:, None], across)
    assert error < 1.0
    assert lost <= 0.02
    assert angle < 3.0
    assert way > 0.7 * 0.03 * (len(rows) - 1) * 0.01
    assert np.ptp(rows[:, 3:6] @ across) < 1e-3
    assert np.sign((rows[-1, 3:6] - rows[0, 3:6]) @ np.cross(across, [-1.0, 0.0, 0.0])) == 1.0


def test_over_the_top_of_a_wall():
    """Up its face, round the edge and along its top."""
    low = WALL.replace("0.0], size: [0.1, 0.2, 0.4]", "0.0], size: [0.1, 0.2, 0.1]")
    _, rows = slide(low + SENSED + UPWARDS % 1.5708, 6.0)
    face, top = rows[:, 6] < -0.99, rows[:, 8] > 0.99
    assert face[0]
    assert top[-1]
    assert rows[-1, 3] > 0.24
    np.testing.assert_allclose(rows[top, 5], 0.05, atol=1e-3)
    np.testing.assert_allclose(rows[top, 2][20:], FORCE, atol=1.5)


def test_an_elevation_leads_onto_a_floor():
    """The tool goes straight down, and along the floor wherever it is told."""
    floor = "obstacles: [{box: {center: [0.3, 0.0, -0.1], size: [0.6, 0.6, 0.16]}}]\n"
    law = "controller: {law: hybrid_force_motion, elevation: -1.5708, incline: 1.5708}\n"
    _, rows = slide(floor + SENSED + law, 5.0)
    np.testing.assert_allclose(rows[:, 6:9], np.tile([0.0, 0.0, 1.0], (len(rows), 1)), atol=0.02)
    assert np.sqrt(np.mean((rows[:, 2] - FORCE) ** 2)) < 1.0
    assert rows[-1, 3] - rows[0, 3] > 0.7 * 0.03 * (len(rows) - 1) * 0.01


def test_along_a_wall_and_behind_its_end():
    """The contact is lost at the edge, searched, and found again on the next side."""
    _, rows = slide(WALL + SENSED + LAW, 12.0)
    phases = rows[:, 9]
    assert SEARCHING in phases
    assert phases[-1] == SLIDING
    face = rows[:, 4] > -0.08
    first = face & (np.cumsum(~face) == 0)
    cosine = np.clip(-rows[first, 6], -1, 1)
    assert np.degrees(np.arccos(cosine)).max() < 3.0
    assert np.sqrt(np.mean((rows[first, 0] + FORCE) ** 2)) < 1.0
    assert rows[phases == SLIDING][-1, 3] > 0.22  # behind the corner


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
