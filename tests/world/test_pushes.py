"""Pushes in a world file: a force on a point of a link, over time, that is as true as an obstacle's."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

from dynamics import jacobian, kinetic_energy, link_frames, with_tool
from hopfield_nav import simulate
from hopfield_nav.build import build_arm
from hopfield_nav.world import parse_world

HOLD = "format: 1\ntime_limit: {limit}\n"


def run(pushes, limit=1.0, more=""):
    return simulate(parse_world(f"{HOLD.format(limit=limit)}pushes: {pushes}\n{more}"))


def point_jacobian(arm, link, point, q):
    """(3, n) of a point of a link, from the arm that ends there: the joints behind it do not move it."""
    frame = link_frames(arm, q)[link]
    tool = np.eye(4)
    tool[:3, 3] = np.linalg.inv(link_frames(arm, q)[-1])[:3] @ np.append(
        frame[:3] @ np.append(point, 1.0), 1.0
    )
    full = jacobian(with_tool(arm, tool), q)[:3].copy()
    full[:, link:] = 0.0
    return full


@pytest.mark.parametrize(
    ("link", "point"), [(6, [0.0, 0.02, 0.1]), (3, [0.1, 0.0, 0.05]), (1, [0.2, 0.0, 0.0])]
)
def test_the_joints_feel_the_transposed_jacobian_times_the_force(link, point):
    force = np.array([12.0, -7.0, 5.0])
    made = run(
        f"[{{link: {link}, point: {point}, times: [0.1, 0.4], force: {force.tolist()}}}]", limit=0.3
    )
    arm, data = build_arm(made.world), made.data
    for row in (150, 250):
        q = data.q.values[row]
        expected = point_jacobian(arm, link, point, q).T @ force
        np.testing.assert_allclose(data.tau_external.values[row], expected, atol=1e-9)
        frame = link_frames(arm, q)[link]
        np.testing.assert_allclose(
            data.contact_point.values[row], frame[:3, :3] @ point + frame[:3, 3], atol=1e-9
        )
        np.testing.assert_allclose(data.force.values[row], force)
        assert data.contact_link.values[row] == link
    assert not data.tau_external.values[:99].any()


def test_the_force_is_that_of_its_table_and_pushes_add_up():
    table = "{link: 6, times: [0.1, 0.2, 0.4, 0.5], force: [[0, 0, 0], [0, 0, -20], [0, 0, -20], [0, 0, 0]]}"
    other = "{link: 5, times: [0.3, 0.6], force: [3, 0, 0]}"
    data = run(f"[{table}, {other}]", limit=0.7).data
    time = data.time.values
    np.testing.assert_allclose(
        data.force.values[:, 2],
        np.interp(time, [0.1, 0.2, 0.4, 0.5], [0, -20, -20, 0], 0, 0),
        atol=1e-9,
    )
    inside = (time > 0.3005) & (time < 0.5995)
    assert (data.force.values[inside, 0] == 3.0).all()
    assert not data.force.values[(time < 0.2995) | (time > 0.6005), 0].any()


def test_the_work_of_a_push_is_what_the_free_arm_gains():
    """Without gravity and motors: kinetic energy = force times path of the pushed point."""
    law = "controller: {law: damping, gain_start: 0, gain_end: 0}\ndetection: {estimator: none}\n"
    push = "[{link: 6, times: [0, 1], force: [0, 1, 0]}]"
    made = run(push, 0.05, f"gravity: [0, 0, 0]\n{law}plant: {{step: 0.0001}}\n")
    arm, data = build_arm(made.world), made.data
    assert np.abs(data.tau.values).max() == 0.0
    energy = kinetic_energy(arm, data.q.values, data.qd.values)
    moved = link_frames(arm, data.q.values)[:, 6, 1, 3]
    assert energy[-1] > 1e-3
    np.testing.assert_allclose(energy, moved - moved[0], rtol=1e-6, atol=1e-12)


def test_the_first_impact_is_what_comes_within_50_ms_of_the_first_touch():
    """Pushes closer than 50 ms are one contact; later ones count for the largest force alone."""
    times = {10.0: (0.1, 0.12), 20.0: (0.13, 0.145), 30.0: (0.16, 0.18), 40.0: (0.3, 0.32)}
    pushes = [{"link": 2, "force": [0, 0, f], "times": list(t)} for f, t in times.items()]
    run = simulate(
        parse_world(HOLD.format(limit=0.4) + f"pushes: {pushes}\ndetection: {{estimator: none}}\n")
    )
    assert run.summary["first_impact_peak_force_N"] == pytest.approx(20.0)
    assert run.summary["peak_contact_force_N"] == pytest.approx(40.0)
    assert run.summary["contact_count"] == 2


def test_a_detector_is_tried_without_obstacles():
    push = "[{link: 6, times: [0.5, 0.52, 0.8, 0.82], force: [[0, 0, 0], [0, 0, 30], [0, 0, 30], [0, 0, 0]]}]"
    felt, free = run(push), run("[]")
    assert free.summary["collision_count"] == free.summary["contact_count"] == 0
    assert felt.summary["contact_count"] == 1
    assert felt.summary["collision_count"] == 1
    assert felt.summary["false_alarm_count"] == 0
    assert 0.0 < felt.summary["detection_delay_median_s"] < 0.1
    assert felt.summary["peak_contact_force_N"] == pytest.approx(30.0)
    estimate = felt.data.force_estimate.sel(time=0.75, method="nearest").values
    np.testing.assert_allclose(estimate, [0, 0, 30], atol=0.5)


@pytest.mark.parametrize(
    ("push", "words"),
    [
        ("{link: 7, times: [0, 1], force: [1, 0, 0]}", r"pushes\.0\.link: no such link; found 7"),
        ("{link: 1, times: [0, 1], force: [1, 0]}", r"pushes\.0\.force\.0: wrong shape"),
        ("{link: 1, times: [1, 0], force: [1, 0, 0]}", "times: not rising"),
        (
            "{link: 1, times: [0, 1, 2], force: [[1, 0, 0], [1, 0, 0]]}",
            "one, or 3, as there are times",
        ),
        ("{link: 1, times: [0], force: [1, 0, 0]}", "a list of 2"),
        ("{link: 1, point: [300, 0, 0], times: [0, 1], force: [1, 0, 0]}", "millimetres"),
    ],
)
def test_faults(push, words):
    with refused(words):
        parse_world(f"format: 1\npushes: [{push}]")


@pytest.mark.parametrize("engine", ["mujoco", "flexible"])
def test_other_plants_know_no_pushes(engine):
    with refused("plant.engine: no pushes there"):
        parse_world(
            f"format: 1\nplant: {{engine: {engine}}}\npushes: [{{link: 1, times: [0, 1], force: [1, 0, 0]}}]"
        )
