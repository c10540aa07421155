"""The plant alone and in the loop: equation of motion, tool velocity, order of the integrators."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import CONSTANT, REST, simulation

from dynamics import (
    forward_dynamics,
    forward_kinematics,
    gravity_torque,
    jacobian,
    kinetic_energy,
    list_arms,
    load_arm,
    potential_energy,
)
from dynamics.kinematics import update_frames, update_tool_position, velocity_of_point
from dynamics.work import make_work
from hopfield_nav.geometry import pack_primitives, tool_body, upright_cylinder
from hopfield_nav.loop import ContactLaw, make_contact, make_plant
from hopfield_nav.loop.plant import plant_acceleration

ARM = load_arm("ur5_ragazzon2012")
# Euler's method needs rotors, or smaller steps
FREE_FALL = [(name, "rk4") for name in list_arms()] + [
    (name, "semi_implicit_euler") for name in list_arms() if np.any(load_arm(name).rotor_inertia)
]
Q0 = np.array([2.5511, -1.1193, 2.5706, 0.1196, 1.5708, -0.5905])


@pytest.mark.kernel
@pytest.mark.parametrize("implicit_step", [0.0, 0.01])
def test_acceleration_obeys_the_equation_of_motion(implicit_step):
    """M qdd = tau + J^T F - C qd - g - D (qd + h qdd)."""
    rng = np.random.default_rng(1)
    for _ in range(5):
        q, qd, tau = Q0 + 0.1 * rng.normal(size=6), rng.normal(size=6), 20 * rng.normal(size=6)
        damping = rng.uniform(0, 5, 6)
        x, y = forward_kinematics(ARM, q)[:2, 3]
        peg = pack_primitives([upright_cylinder([x - 0.02, y + 0.01], 0.03)])
        plant = make_plant(
            ARM, make_contact(ContactLaw(1e5, 20.0, 0.3), peg, tool_body(ARM)), damping
        )
        stages = plant.stages
        stages.q[:], stages.qd[:] = q, qd
        plant_acceleration(plant, tau, np.zeros(6), implicit_step, 0.0)
        assert np.linalg.norm(stages.touch.force) > 100
        felt = tau - damping * (qd + implicit_step * stages.qdd)
        np.testing.assert_allclose(
            stages.qdd,
            forward_dynamics(ARM, q, qd, felt, np.append(stages.touch.force, np.zeros(3))),
            rtol=1e-8,
            atol=1e-8,
        )


@pytest.mark.kernel
def test_tool_velocity_is_the_jacobian_times_joint_velocity():
    rng = np.random.default_rng(2)
    arm = ARM._replace(
        tool=np.array([[1.0, 0, 0, 0.05], [0, 1, 0, -0.02], [0, 0, 1, 0.1], [0, 0, 0, 1]])
    )
    for _ in range(5):
        q, qd = rng.uniform(-3, 3, 6), rng.normal(size=6)
        work = make_work(6)
        update_frames(arm, q, work)
        update_tool_position(arm, work)
        np.testing.assert_allclose(
            velocity_of_point(work, qd, 6, work.tool[:3, 3]),
            (jacobian(arm, q) @ qd)[:3],
            atol=1e-12,
        )


def _final_state(step, integrator):
    """A moving reference under a controller with wrong masses: nothing cancels, nothing is linear."""
    sim = simulation(
        f"plant: {{step: {step}, integrator: {integrator}}}\n"
        "controller: {hold: false, model: ur5_tu2023, saturate: false, omega: [15, 15, 15, 20, 20, 20]}\n"
        "trajectory: {time_per_cell: 0.5}\ngoal: {cell: [12, 8]}\ntime_limit: 1\nrecord: {signals: none}\n"
        + REST
    )
    # inside the first segment, where the reference is smooth; a multiple of all steps
    sim.step(0.48)
    return np.concatenate([sim.state.q, sim.state.qd])


@pytest.mark.parametrize(("integrator", "order"), [("rk4", 4), ("semi_implicit_euler", 1)])
def test_order_of_the_integrator_in_the_closed_loop(integrator, order):
    exact = _final_state(0.00025, "rk4")
    errors = [
        np.abs(_final_state(step, integrator) - exact).max() for step in (0.004, 0.002, 0.001)
    ]
    rates = np.log2(np.array(errors[:-1]) / errors[1:])
    assert errors[-1] < (1e-8 if order == 4 else 1e-2)
    np.testing.assert_allclose(rates, order, atol=0.25)


def test_a_held_torque_lowers_the_order_to_one():
    """The counterpart: the order above comes from evaluating the law in every stage."""

    def final(step, hold):
        sim = simulation(
            f"plant: {{step: {step}}}\ncontroller: {{hold: {hold}, omega: 15}}\ntime_limit: 1\n"
            "record: {signals: none}\n" + REST
        )
        sim.state.q[:] += 0.05
        sim.step(0.2)
        return sim.state.q.copy()

    exact = final(0.00025, "false")
    errors = [np.abs(final(step, "true") - exact).max() for step in (0.004, 0.002, 0.001)]
    np.testing.assert_allclose(np.log2(np.array(errors[:-1]) / errors[1:]), 1.0, atol=0.15)


def test_strong_damping_sinks_at_the_speed_that_balances_gravity(tmp_path):
    """No motor torque: where damping rules, D qd = -g; only the implicit integrator can do it at 1 ms."""
    (tmp_path / "push.py").write_text(CONSTANT)
    sim = simulation(
        "plant: {damping: 1000, integrator: semi_implicit_euler}\n"
        'controller: {law: "push.py:PUSH"}\ntime_limit: 1\n' + REST,
        tmp_path,
    )
    sim.step(1.0)
    weight = gravity_torque(sim.arm, sim.state.q)
    assert np.abs(weight).max() > 10
    np.testing.assert_allclose(1000 * sim.state.qd, -weight, rtol=1e-2, atol=1e-2)


def test_damping_takes_one_number_or_one_a_joint():
    one = simulation(
        "plant: {damping: 2, integrator: semi_implicit_euler}\ntime_limit: 0.05\ngoal: {cell: [5, 9]}"
    )
    each = simulation(
        "plant: {damping: [2, 2, 2, 2, 2, 2], integrator: semi_implicit_euler}\ntime_limit: 0.05\ngoal: {cell: [5, 9]}"
    )
    free = simulation(
        "plant: {integrator: semi_implicit_euler}\ntime_limit: 0.05\ngoal: {cell: [5, 9]}"
    )
    for sim in (one, each, free):
        sim.step(0.05)
    assert np.array_equal(one.state.q, each.state.q)
    assert not np.array_equal(one.state.q, free.state.q)


@pytest.mark.parametrize(("name", "integrator"), FREE_FALL)
def test_ten_seconds_of_free_fall_keep_the_energy(name, integrator):
    """From twelve poses, relative to the largest kinetic energy; with half the step much less is lost."""
    poses = np.random.default_rng(0).uniform(-np.pi, np.pi, (12, len(load_arm(name).dh)))
    losses = _losses(name, integrator, 0.001, poses)
    worst = int(np.argmax(losses))
    (finer,) = _losses(name, integrator, 0.0005, poses[worst : worst + 1])
    least, share = (1e-4, 1 / 8) if integrator == "rk4" else (0.02, 0.7)
    assert losses[worst] < least
    assert finer < share * losses[worst]


def _losses(name, integrator, step, poses):
    sim = simulation(
        f"arm: {name}\nplant: {{integrator: {integrator}, step: {step}}}\nrecord: {{signals: none}}\n"
        "controller: {law: damping, gain_start: 0, gain_end: 0}\ntime_limit: 11\n"
        f"start: {{joints: {[0.0] * poses.shape[1]}}}\n" + REST
    )
    return [_lost(sim, q) for q in poses]


def _lost(sim, q):
    sim.reset()
    sim.state.q[:] = q
    arm, kinetic = sim.plant.arm, []
    whole = [float(potential_energy(arm, q))]
    for _ in range(20):
        sim.step(0.5)
        kinetic.append(float(kinetic_energy(arm, sim.state.q, sim.state.qd)))
        whole.append(kinetic[-1] + float(potential_energy(arm, sim.state.q)))
    return np.abs(np.array(whole) - whole[0]).max() / max(kinetic)


def test_energy_is_conserved_in_free_motion():
    """No damping, no contact, no motor: kinetic plus potential energy stays, in the recorded motion too."""
    from dynamics import mass_matrix

    sim = simulation(
        "controller: {law: damping, gain_start: 0, gain_end: 0}\ntime_limit: 0.5\n" + REST
    )
    run = sim.run()
    q, qd = run.data.q.values, run.data.qd.values
    kinetic = 0.5 * np.einsum("ti,tij,tj->t", qd, mass_matrix(sim.arm, q), qd)
    power = np.einsum("ti,ti->t", gravity_torque(sim.arm, q), qd)  # rate of the potential energy
    potential = np.concatenate([[0.0], np.cumsum((power[1:] + power[:-1]) / 2 * 1e-3)])
    assert kinetic.max() > 5.0
    assert np.abs(kinetic + potential).max() < 1e-4 * kinetic.max()
