"""One's own loop in Python: what a simulation shows, torques of one's own, records in a notebook."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from scenes import simulation

from dynamics import gravity_torque, html_table
from hopfield_nav import load_world, plan_path, simulate
from hopfield_nav.build import build_model
from hopfield_nav.experiment import Simulation


def test_a_simulation_shows_its_state_and_nobody_changes_it_by_that():
    seen = simulation("pushes: [{link: 6, times: [0.1, 1], force: [0, 0, 20]}]\n")
    seen.step(0.5)
    np.testing.assert_array_equal(seen.force, [0, 0, 20])
    np.testing.assert_allclose(seen.force_estimate, seen.force, atol=0.5)
    np.testing.assert_array_equal(seen.q, seen.state.q)
    seen.q[:], seen.qd[:], seen.force[:], seen.force_estimate[:] = 7.0, 7.0, 7.0, 7.0
    assert not any(
        (values == 7.0).any() for values in (seen.q, seen.qd, seen.force, seen.force_estimate)
    )


def test_the_torque_that_is_given_moves_the_arm():
    """The torque of the weight holds the arm; 1 N·m more on a joint accelerates it."""
    own = simulation("detection: {estimator: none}\n")
    model = build_model(own.world, own.arm)
    q = own.q
    for _ in range(50):
        own.step(0.001, torque=gravity_torque(model, own.q))
    np.testing.assert_allclose(own.q, q, atol=1e-7)
    for _ in range(50):
        own.step(0.001, torque=gravity_torque(model, own.q) + np.array([1.0, 0, 0, 0, 0, 0]))
    assert own.q[0] - q[0] > 1e-3
    data = own.record().data
    weight = gravity_torque(model, data.q.values[75])
    np.testing.assert_allclose(data.tau.values[75], weight + np.eye(6)[0], atol=1e-9)


def test_afterwards_the_law_has_its_place_again():
    own, usual = simulation(""), simulation("")
    law = own.controller.law
    own.step(0.01, torque=np.zeros(6))
    assert own.controller.law is law
    own.reset()
    assert own.step(0.2) == usual.step(0.2)
    np.testing.assert_array_equal(own.q, usual.q)


@pytest.mark.parametrize("torque", [np.zeros(5), [0, 0, 0, 0, 0, np.nan], "much", 3.0])
def test_a_wrong_torque_is_refused_and_nothing_moves(torque):
    own = simulation("")
    with refused("torque.*6 finite numbers"):
        own.step(0.1, torque=torque)
    assert own.time == 0.0


def test_limits_hold_for_ones_own_torque():
    own = simulation("")
    own.step(0.01, torque=np.full(6, 1e6))
    assert (np.abs(own.record().data.tau.values[-1]) <= own.arm.torque_limits).all()


def test_short_words_for_prompts_and_tables_for_notebooks():
    run = simulate(load_world("u_trap", ["time_limit=6"]))
    blocked = np.zeros((9, 9), dtype=bool)
    shown = {
        repr(run): run,
        repr(run.world): run.world,
        repr(plan_path(blocked, (0, 0), (8, 8))): plan_path(blocked, (0, 0), (8, 8)),
    }
    sim = Simulation(load_world("u_trap", ["time_limit=6"]))
    sim.run()
    shown[repr(sim.detections[0])] = sim.detections[0]
    for text, thing in shown.items():
        assert "\n" not in text
        assert len(text) < 120
        assert thing._repr_html_().startswith("<table>")
    words = " ".join(shown)
    for part in (
        "Run of u_trap: time_limit",
        "World u_trap: ur5",
        "17 cells, length 16",
        "ms after the touch",
    ):
        assert part in words
    assert str(run.world) == repr(run.world)
    blocked[4] = True
    assert "no free path" in repr(plan_path(blocked, (0, 0), (8, 8)))


def test_a_table_shows_text_as_it_is():
    assert "&lt;b&gt; &amp; co" in html_table("<i>", [("a", "<b> & co"), ("left out", None)])
    assert "left out" not in html_table("t", [("left out", None)])


@pytest.mark.parametrize("kind", [np.int8, np.uint8, int, np.int64])
def test_maps_of_zeros_and_ones(kind):
    rng = np.random.default_rng(5)
    blocked = rng.random((12, 12)) < 0.2
    blocked[0, 0] = blocked[-1, -1] = False
    wanted = plan_path(blocked, (0, 0), (11, 11)).cells
    np.testing.assert_array_equal(plan_path(blocked.astype(kind), (0, 0), (11, 11)).cells, wanted)
    with refused("blocked.*0, 1"):
        plan_path(2 * blocked.astype(kind), (0, 0), (11, 11))
