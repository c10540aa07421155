"""Friction in the joints of the simulated arm: it sticks truly, slides as Coulomb says, and only takes."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from scenes import CONSTANT, SWING, simulation

from dynamics import BadInput, gravity_torque, kinetic_energy, load_arm, potential_energy
from dynamics.kernels.decorators import kernel
from hopfield_nav.loop.contact import ContactLaw, make_contact
from hopfield_nav.loop.plant import make_plant
from hopfield_nav.loop.sticking import update_friction

INERTIA = 3.0 * 0.25 + 0.25 + 2.0  # of the boom about its hinge, with its rotor [kg·m²]
FULL = "arm: ur5_full\nplant: {friction: arm, presliding: ideal, integrator: %s}\n"


def _swing(tmp_path, torque, friction, integrator="rk4", step=0.001, speed=0.0):
    boom = SWING.replace("mass: 3.0", "mass: 3.0\n    rotor_inertia: 2.0")
    (tmp_path / "swing.yaml").write_text(boom)
    (tmp_path / "push.py").write_text(CONSTANT)
    sim = simulation(
        "arm: swing.yaml\nstart: {joints: [0.3]}\n"
        f"plant: {{friction: {friction}, integrator: {integrator}, step: {step}}}\n"
        f"controller: {{law: push.py:PUSH, torque: {torque}, friction_feedforward: false}}\n"
        "detection: {estimator: none}\ntime_limit: 1\n",
        tmp_path,
    )
    sim.state.qd[0] = speed
    return sim


@pytest.mark.parametrize("integrator", ["rk4", "semi_implicit_euler"])
def test_a_torque_below_the_breakaway_moves_nothing_at_all(tmp_path, integrator):
    sim = _swing(tmp_path, 4.99, "{coulomb: 3, breakaway: 5}", integrator)
    run = sim.run()
    assert np.ptp(run.data.q.values) < 1e-12
    np.testing.assert_allclose(run.data.tau_friction.values[1:], 4.99, rtol=1e-9)


@pytest.mark.parametrize("integrator", ["rk4", "semi_implicit_euler"])
def test_a_torque_above_it_slides_against_coulomb_friction(tmp_path, integrator):
    sim = _swing(tmp_path, 5.0, "{coulomb: 3}", integrator)
    sim.run()
    assert sim.state.qd[0] == pytest.approx((5.0 - 3.0) / INERTIA, rel=1e-6)


@pytest.mark.parametrize("integrator", ["rk4", "semi_implicit_euler"])
def test_a_sliding_joint_comes_to_rest_where_its_energy_is_spent(tmp_path, integrator):
    """½ I v² = c φ, and then it rests for good."""
    sim = _swing(tmp_path, 0.0, "{coulomb: 3}", integrator, step=1e-4, speed=0.5)
    q = sim.run().data.q.values[:, 0]
    assert q[-1] - 0.3 == pytest.approx(0.5 * INERTIA * 0.25 / 3.0, rel=2e-3)
    stop = 0.5 * INERTIA / 3.0
    assert np.ptp(q[round(stop / 1e-4) + 2 :]) < 1e-12
    assert sim.state.qd[0] == 0.0


def test_viscous_friction_decays_exponentially(tmp_path):
    sim = _swing(tmp_path, 0.0, "{viscous: 4}", speed=1.0)
    sim.run()
    assert sim.state.qd[0] == pytest.approx(np.exp(-4.0 / INERTIA), rel=1e-9)


def test_stribeck_friction_falls_with_speed(tmp_path):
    """Broken away by 5 N·m the joint slides against 3 N·m as soon as it is fast."""
    sim = _swing(tmp_path, 5.01, "{coulomb: 3, breakaway: 5, stribeck_speed: 0.02}")
    data = sim.run().data
    assert data.tau_friction.values[1, 0] > 4.9
    assert data.tau_friction.values[-1, 0] == pytest.approx(3.0, abs=1e-6)


@pytest.mark.parametrize("integrator", ["rk4", "semi_implicit_euler"])
def test_an_arm_released_at_rest_stays_where_friction_can_hold_it(integrator):
    """Joints 1, 4, 5 and 6 hang on friction, 2 and 3 fall; where all are held nothing moves."""
    sim = simulation(
        FULL
        % integrator
        + "controller: {law: damping}\ndetection: {estimator: none}\ntime_limit: 1\n"
        "start: {joints: [0, -1.5707963, 0, -1.5707963, 0, 0]}\n"
    )
    held = np.abs(gravity_torque(sim.plant.arm, sim.state.q)) < sim.plant.arm.friction[:, 0]
    assert held.all()  # the arm stands upright
    assert np.ptp(sim.run().data.q.values, axis=0).max() < 1e-12


@pytest.mark.parametrize("integrator", ["rk4", "semi_implicit_euler"])
def test_a_stuck_joint_does_not_creep_while_another_turns(integrator):
    """A push turns joint 1; what that does to the others changes within a step, and yet they hold."""
    sim = simulation(
        "arm: ur5_full\ngravity: [0, 0, 0]\n"
        "plant: {friction: {coulomb: [0.5, 12, 12, 12, 12, 12], breakaway: [0.5, 20, 20, 20, 20, 20]},"
        f" integrator: {integrator}}}\ncontroller: {{law: damping, gain_start: 0, gain_end: 0}}\n"
        "detection: {estimator: none}\ntime_limit: 1\n"
        "pushes: [{link: 2, point: [0, 0, 0], force: [0, 14, 0], times: [0, 1]}]\n"
        "start: {joints: [0.3, -0.5, 0.7, 0.2, 0.4, 0]}\n"
    )
    data = sim.run().data
    assert np.abs(data.qd.values[-1, 0]) > 0.3
    assert np.abs(data.tau_friction.values[-1, 1:]).max() > 0.5
    np.testing.assert_array_equal(data.qd.values[:, 1:], 0.0)


def test_friction_never_gives_energy():
    """The falling arm loses exactly the work of friction, up to the order of the step."""

    def lost(step):
        sim = simulation(
            f"arm: ur5_full\nplant: {{friction: arm, presliding: ideal, step: {step}}}\n"
            "controller: {law: damping, gain_start: 0, gain_end: 0}\n"
            "detection: {estimator: none}\ntime_limit: 0.5\nstart: {joints: [0, -0.3, 0.4, 0, 0.5, 0]}\n"
        )
        data = sim.run().data
        arm, q, qd = sim.plant.arm, data.q.values, data.qd.values
        energy = kinetic_energy(arm, q, qd) + potential_energy(arm, q)
        each = (data.tau_friction.values + arm.friction[:, 1] * qd) * qd
        assert (each >= -1e-12).all()  # in no joint, whatever it takes in another
        power = each.sum(axis=1)
        work = np.concatenate([[0], np.cumsum(0.5 * (power[1:] + power[:-1])) * step])
        return np.abs(energy[0] - energy - work).max(), work[-1]

    coarse, work = lost(0.001)
    fine, _ = lost(0.00025)
    assert work > 1.0
    assert coarse < 0.01 * work
    assert fine < 0.5 * coarse


@pytest.mark.kernel
def test_the_friction_found_obeys_coulombs_law():
    """|f| <= c, f = c sign(v) where a joint moves, and A v + h f = p; random, badly coupled A."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        root = rng.normal(size=(6, 6))
        matrix = root @ root.T + 0.5 * np.eye(6)
        push, qd = 20 * rng.normal(size=6), rng.normal(size=6) * (rng.random(6) < 0.5)
        friction = np.column_stack([rng.uniform(0, 20, 6), np.zeros(6), np.zeros(6), np.ones(6)])
        friction[:, 2] = friction[:, 0]
        arm = load_arm("ur5_full")._replace(friction=friction, presliding=np.full(6, np.inf))
        nothing = make_contact(ContactLaw(0.0, 0.0, 0.0), np.zeros((0, 17)), np.zeros((0, 12)))
        stages = make_plant(arm, nothing, np.zeros(6)).stages
        speed, found = stages.speed, stages.friction
        _call(arm, np.zeros(6), matrix, push, qd, 0.001, stages)
        np.testing.assert_allclose(matrix @ speed, matrix @ qd + 0.001 * (push - found), atol=1e-9)
        assert (np.abs(found) <= friction[:, 0] * (1 + 1e-12)).all()
        moving = speed != 0.0
        np.testing.assert_array_equal(found[moving], (friction[:, 0] * np.sign(speed))[moving])
        assert moving.any()


@kernel
def _call(arm, strain, matrix, push, qd, h, stages):
    update_friction(arm, strain, matrix, push, qd, h, stages)


def test_sliding_agrees_with_mujoco(tmp_path):
    """MuJoCo's friction loss is soft at rest, but slides by the same law."""
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="1e-4" integrator="implicitfast" gravity="0 0 0"/><worldbody><body>'
        f'<joint type="hinge" frictionloss="3" axis="0 0 1"/>'
        f'<inertial mass="1" pos="0 0 0" diaginertia="{INERTIA} {INERTIA} {INERTIA}"/>'
        "</body></worldbody></mujoco>"
    )
    data = mujoco.MjData(model)
    data.qvel[0] = 1.5
    for _ in range(5000):
        mujoco.mj_step(model, data)
    sim = _swing(tmp_path, 0.0, "{coulomb: 3}", speed=1.5)
    sim.step(0.5)
    assert sim.state.qd[0] == pytest.approx(data.qvel[0], rel=1e-3)
    assert sim.state.q[0] - 0.3 == pytest.approx(data.qpos[0], rel=1e-3)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("plant: {friction: {coulomb: 1}}", "no rotor inertia"),
        ("arm: ur5_controller\nplant: {friction: arm}", "no joint friction in its file"),
        ("arm: ur5_full\nplant: {friction: arm, presliding: ideal, engine: mujoco}", "MuJoCo"),
        ("arm: ur5_full\nplant: {friction: {coulomb: 2, breakaway: 1}}", "at least 2"),
        ("arm: ur5_full\nplant: {friction: {coulomb: [1, 2]}}", "6, one a joint"),
        ("arm: ur5_full\nplant: {friction: {coulom: 1}}", "Did you mean 'coulomb'"),
        ("plant: {friction: arms}", "Did you mean 'arm'"),
    ],
)
def test_friction_that_cannot_be_is_refused_in_one_line(text, told):
    with pytest.raises(BadInput) as error:
        simulation(text + "\n")
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_the_arm_with_friction_is_the_controllers_with_tensors():
    full, other = load_arm("ur5_full"), load_arm("ur5_controller")
    for name in ("dh", "mass", "center_of_mass", "rotor_inertia"):
        np.testing.assert_array_equal(getattr(full, name), getattr(other, name))
    np.testing.assert_array_equal(full.inertia, load_arm("ur5_tu2023").inertia)
