"""The control computer: what it may know, its limits, its delay."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from scenes import GOAL, REST, simulation

from dynamics import load_arm
from dynamics.kernels.records import Record

SECTION = (
    "controller: {model: ur5_tu2023}\nobstacles: [{cylinder: {center: [0.2, 0.0], radius: 0.06}}]\n"
)


def _first_step(q, qd, spoil):
    """Torque and belief after one step from a state, with the truth spoilt or not."""
    sim = simulation(SECTION + GOAL + "detection: {threshold: 1e6}\ntime_limit: 1\n")
    sim.state.q[:], sim.state.qd[:] = q, qd
    for array in sim.state.truth.touch[1:]:
        array[:] = 1.0
    now = sim.state.truth.touch.now
    now.link, now.pairs, now.depth, now.sunk = 1, 1, 1.0, 1.0
    spoil(sim)
    sim.step(0.001)
    state, belief = sim.state, sim.state.control.belief
    believed = np.concatenate([belief.tau_external, belief.wrench, [belief.now.level]])
    return np.concatenate([state.control.sensed.tau, believed]), np.concatenate([state.q, state.qd])


def _nan_truth(sim):
    """Everything that the plant alone knows."""
    arm, contact = sim.plant.arm, sim.plant.contact
    sim.plant = sim.plant._replace(
        arm=arm._replace(
            **{name: np.full_like(getattr(arm, name), np.nan) for name in arm._fields}
        ),
        contact=contact._replace(
            solids=np.full_like(contact.solids, np.nan), law=contact.law._make([np.nan] * 3)
        ),
        damping=np.full(6, np.nan),
    )
    _fill_with_nan((sim.state.truth, sim.plant.stages, sim.state.statistics))


def _fill_with_nan(record):
    for field in record:
        if isinstance(field, tuple):
            _fill_with_nan(field)
        elif isinstance(field, Record):
            for name, _ in field._fields_:
                setattr(field, name, np.nan if isinstance(getattr(field, name), float) else 10**6)
        else:
            field[...] = np.nan


def _nan_model(sim):
    model = sim.controller.model
    sim.controller = sim.controller._replace(model=model._replace(mass=np.full(6, np.nan)))


def test_the_control_step_reads_nothing_of_the_truth():
    rng = np.random.default_rng(6)
    start = np.array([2.5511, -1.1193, 2.5706, 0.1196, 1.5708, -0.5905])
    for _ in range(5):
        q, qd = start + 0.02 * rng.normal(size=6), 0.5 * rng.normal(size=6)
        believed, moved = _first_step(q, qd, lambda sim: None)
        spoilt, lost = _first_step(q, qd, _nan_truth)
        assert np.isfinite(believed).all()
        assert np.array_equal(believed, spoilt)
        assert np.isfinite(moved).all()
        assert np.isnan(lost).any()  # the NaN was there: the plant did not get away with it


def test_the_control_step_reads_its_model():
    """The test above can fail: NaN in what the controller does use reaches torque and belief."""
    start = np.array([2.5511, -1.1193, 2.5706, 0.1196, 1.5708, -0.5905])
    believed, _ = _first_step(start + 0.01, np.zeros(6), _nan_model)
    assert np.isnan(believed[:6]).any()
    assert np.isnan(believed[6:]).any()


# --- saturation
# -----------------------------------------------------------------------------------------


def _far_from_reference(saturate):
    sim = simulation(f"controller: {{saturate: {saturate}}}\ntime_limit: 0.5\n" + REST)
    sim.state.q[:] += 0.5
    return sim, sim.run()


def test_torque_stays_within_the_limits_and_the_share_is_counted():
    sim, run = _far_from_reference("true")
    limits, tau = sim.arm.torque_limits, np.abs(run.data.tau.values)
    assert (tau <= limits).all()
    at_limit = (tau == limits).any(axis=1)
    assert 0.0 < run.summary["saturated_share"] < 1.0
    assert run.summary["saturated_share"] == pytest.approx(at_limit.mean(), abs=1e-12)


def test_without_saturation_the_torque_goes_beyond_and_nothing_is_counted():
    sim, run = _far_from_reference("false")
    assert (np.abs(run.data.tau.values) > sim.arm.torque_limits).any()
    assert run.summary["saturated_share"] == 0.0


def test_both_signs_saturate():
    for sign in (1, -1):
        sim = simulation("time_limit: 0.1\n" + REST)
        sim.state.qd[:] = sign * np.array([0, 100.0, 0, 0, 0, 0])
        sim.step(0.001)
        assert sim.state.control.sensed.tau[1] == -sign * sim.arm.torque_limits[1]


# --- period, delay, hold
# --------------------------------------------------------------------------------


def _tau(text, kick=0.01):
    sim = simulation(text + "time_limit: 0.1\n" + REST)
    sim.state.q[:] += kick
    return sim.run().data.tau.values, sim


@pytest.mark.parametrize("periods", [1, 3, 7])
def test_torque_arrives_exactly_the_delay_later(periods):
    """What is applied in period k is the law at the measurement of period k - delay."""
    from dynamics import gravity_torque, inverse_dynamics

    timing = f"period: 0.001, delay: {periods * 0.001}"
    text = f"plant: {{step: 0.0005}}\ncontroller: {{{timing}, omega: 10, saturate: false}}\n"
    sim = simulation(text + "time_limit: 0.1\n" + REST)
    q0 = sim.state.q.copy()
    sim.state.q[:] += 0.01
    data = sim.run().data
    q, qd, tau = data.q.values[::2], data.qd.values[::2], data.tau.values[::2]
    wanted = inverse_dynamics(sim.arm, q, qd, -100 * (q - q0) - 20 * qd)
    np.testing.assert_allclose(tau[periods:], wanted[: len(q) - periods], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(
        tau[:periods], np.tile(gravity_torque(sim.arm, q0), (periods, 1)), rtol=1e-12
    )
    assert np.abs(np.diff(tau[periods:], axis=0)).max() > 1e-3


def test_the_torque_is_held_over_a_period_of_several_steps():
    tau, _ = _tau("controller: {period: 0.005}\n")
    blocks = tau.reshape(-1, 5, 6)
    assert (blocks == blocks[:, :1]).all()
    assert (np.abs(np.diff(blocks[:, 0], axis=0)).max(axis=1) > 0).all()


def test_without_hold_the_torque_follows_every_step():
    tau, _ = _tau("controller: {period: 0.005, hold: false}\n")
    assert tau.shape == (100, 6)
    # the record shows the torque at the start of a step; the state moves on in between
    with_hold, _ = _tau("controller: {period: 0.005}\n")
    assert not np.array_equal(tau, with_hold)


def test_a_delay_without_hold_is_refused():
    """It was silently ignored."""

    with refused(r"controller\.delay"):
        simulation("controller: {hold: false, delay: 0.002}\n")
    assert simulation("controller: {hold: false}\n").outcome is None


def test_the_limits_are_those_of_the_arm():
    sim = simulation()
    np.testing.assert_array_equal(
        sim.controller.torque_limits, load_arm("ur5_ragazzon2012").torque_limits
    )
    assert np.isinf(simulation("controller: {saturate: false}\n").controller.torque_limits).all()
