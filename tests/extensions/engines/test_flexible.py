"""Elastic joints as the plant of the loop: laws, convergence, and the limit of stiff joints."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import CONSTANT, REST, SWING, advance, push_with_force, simulation
from scipy.integrate import solve_ivp

from dynamics import (
    BadInput,
    forward_dynamics,
    gravity_torque,
    kinetic_energy,
    load_arm,
    mass_matrix,
    potential_energy,
)
from dynamics.flexible_joint import flexible_joints
from hopfield_nav.extensions.engines.plants.flexible import RESOLUTION, substeps
from hopfield_nav.extensions.recordings import signals_of_run

FLEXIBLE = "plant: {engine: flexible%s}\n"
HELD = REST + "arm: ur5_full\ntime_limit: 0.2\n"
FALLING = REST + "controller: {law: push.py:PUSH, torque: [20, -30, 10, 2, 1, 0.5]}\n"


@pytest.fixture
def falling(tmp_path):
    """Arms under constant torques, without losses, their rotors at another speed than the links."""
    (tmp_path / "push.py").write_text(CONSTANT, encoding="utf-8")

    def make(text="arm: ur5_full\n", **options):
        scene = simulation(FALLING + text + FLEXIBLE % options.get("plant", ""), tmp_path)
        loop = scene.loop
        loop.joints = loop.joints._replace(damping=np.zeros(6), load_share=np.zeros(6))
        loop.substeps = options.get("substeps", loop.substeps)
        advance(scene, 1)
        loop.rotors.speed[:] += 0.05
        return scene

    return make


def _energy(scene) -> float:
    loop, q, qd = scene.loop, scene.state.q, scene.state.qd
    rotors, joints = loop.rotors, loop.joints
    links = float(kinetic_energy(loop.link_arm, q, qd) + potential_energy(loop.link_arm, q))
    springs = joints.stiffness @ (rotors.angle - q) ** 2 / 2
    return links + float(springs + joints.rotor_inertia @ rotors.speed**2 / 2)


def test_energy_is_that_of_the_motors(falling):
    """Without friction: what links, rotors and springs gain is the motors' work."""
    scene = falling()
    before, start = _energy(scene), scene.loop.rotors.angle.copy()
    advance(scene, 300)
    torque = np.array([20, -30, 10, 2, 1, 0.5])
    work = float(torque @ (scene.loop.rotors.angle - start))
    assert abs(work) > 5
    assert _energy(scene) - before == pytest.approx(work, abs=1e-4)
    assert np.abs(scene.loop.rotors.speed - scene.state.qd).max() > 0.01  # the springs do swing


def test_converges_to_scipys_solution_with_the_fourth_order(falling):
    """Half the sub-step, a sixteenth of the error.

    At the chosen one angles are right to 1e-5 rad, while the fastest mode, which nothing damps
    here, has lost an eighth of its speed's swing after 40 periods.
    """
    scene = falling()
    loop, n = scene.loop, 6
    arm, joints, tau = loop.link_arm, loop.joints, scene.state.control.sensed.tau.copy()
    chosen = loop.substeps
    start = np.concatenate([scene.state.q, scene.state.qd, loop.rotors.angle, loop.rotors.speed])

    def slope(_, y):
        q, qd, angle, speed = y.reshape(4, n)
        load = joints.stiffness * (angle - q)
        return np.concatenate(
            [qd, forward_dynamics(arm, q, qd, load), speed, (tau - load) / joints.rotor_inertia]
        )

    truth = solve_ivp(slope, (0, 0.05), start, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    viscous = joints.friction[:, 1]
    assert not np.any(viscous)
    errors = []
    for count in (chosen, 2 * chosen):
        scene = falling(substeps=count)
        scene.state.q[:], scene.state.qd[:] = start[:n], start[n : 2 * n]
        scene.loop.place(scene.state, start[2 * n : 3 * n], start[3 * n :])
        advance(scene, 50)
        end = np.concatenate(
            [scene.state.q, scene.state.qd, scene.loop.rotors.angle, scene.loop.rotors.speed]
        )
        errors.append(np.abs(end - truth).reshape(4, n).max(axis=1))
    assert errors[0][[0, 2]].max() < 1e-5
    assert errors[0][[1, 3]].max() < 0.01
    assert 10 < errors[0].max() / errors[1].max() < 40


def test_stiff_joints_are_the_rigid_arm_with_its_rotors():
    """The difference falls as one over the stiffness."""
    law = "controller: {law: computed_torque, proportional: 100, derivative: 20, model: ur5_full}\n"
    text = REST + "arm: ur5_full\ntime_limit: 0.1\n" + law
    runs = [simulation(text + "plant: {engine: internal}\n")]
    runs += [simulation(text + FLEXIBLE % f", stiffness: {k}") for k in (1e5, 1e6)]
    for scene in runs:
        scene.state.qd[:] = [0.5, -0.4, 0.6, 0.3, -0.2, 0.4]
    rigid, soft, stiff = (scene.run().data.q.values for scene in runs)
    assert np.ptp(rigid, axis=0).min() > 0.005
    errors = [np.abs(q - rigid).max() for q in (soft, stiff)]
    assert errors[1] < 5e-5
    assert errors[0] > 5 * errors[1]


def test_at_rest_the_springs_carry_gravity():
    scene = simulation(REST + "arm: ur5_full\ntime_limit: 1\n" + FLEXIBLE % "")
    data = scene.run().data
    q, rotor = data.q.values[-1], data.q_sensed.values[-1]
    load = gravity_torque(scene.arm, q)
    np.testing.assert_allclose((rotor - q) * scene.loop.joints.stiffness, load, atol=0.05)
    np.testing.assert_allclose(data.tau.values[-1], load, atol=0.05)
    assert np.abs(load).max() > 10


@pytest.mark.parametrize("arm", ["ur5_ragazzon2012", "ur5_full"])
def test_nothing_is_felt_in_free_air(arm):
    """The controller knows the rotors that an arm's file leaves out; the reference begins at the encoders."""
    for methods in ("", "detection: {estimator: joint_error, measure: joint_torque}\n"):
        text = f"arm: {arm}\ngoal: {{cell: [17, 6]}}\ntime_limit: 3\nrecord: {{every: 100}}\n"
        scene = simulation(text + methods + FLEXIBLE % "")
        run = scene.run()
        assert run.summary["collision_count"] == 0
        np.testing.assert_allclose(
            run.data.q_sensed.values[0], run.data.q_ref.values[0], atol=1e-12
        )
        np.testing.assert_array_equal(
            scene.controller.model.rotor_inertia, scene.loop.joints.rotor_inertia
        )


def test_a_models_own_rotors_are_kept():
    """What a file says of rotors is the model's error or its right; rigid joints add none."""
    own = simulation(REST + "controller: {model: ur5_full}\n" + FLEXIBLE % "").controller.model
    np.testing.assert_array_equal(own.rotor_inertia, load_arm("ur5_full").rotor_inertia)
    assert not simulation(REST).controller.model.rotor_inertia.any()


def test_feedback_comes_from_the_rotors_since_that_of_the_links_is_unstable():
    """One joint, lossless: poles of proportional-derivative feedback from either side of the spring."""
    arm = load_arm("ur5_full")
    joints, q = flexible_joints(arm), np.array([0, -1.2, 1.5, 0, 1.5, 0])
    K, B = joints.stiffness[0], joints.rotor_inertia[0]
    M, omega = mass_matrix(arm, q)[0, 0] - B, 10.0
    p, d = (M + B) * omega**2, (M + B) * 2 * omega
    plant = np.array([B * M, 0, K * (B + M), 0, 0])
    links = np.roots(plant + np.array([0, 0, 0, K * d, K * p]))
    rotors = np.roots(plant + np.array([0, M * d, M * p, K * d, K * p]))
    assert links.real.max() > 1
    assert rotors.real.max() < -1
    data = simulation(HELD + FLEXIBLE % "").run().data
    assert np.abs(data.q_sensed - data.q).values[5:].max() > 1e-4


def test_rotors_stick_and_break_away(tmp_path):
    (tmp_path / "push.py").write_text(CONSTANT, encoding="utf-8")
    text = "gravity: [0, 0, 0]\narm: ur5_full\ntime_limit: 0.2\n" + REST
    law = "controller: {law: push.py:PUSH, torque: [%g, 0, 0, 0, 0, 0]}\n"
    friction = FLEXIBLE % ", friction: {coulomb: 5, breakaway: 6}"
    held, moved, free = (
        simulation(text + law % torque + plant, tmp_path)
        for torque, plant in ((5.9, friction), (6.5, friction), (5.9, FLEXIBLE % ""))
    )
    for scene in (held, moved, free):
        scene.run()
    assert np.abs(held.loop.rotors.speed).max() < 1e-12
    assert held.state.truth.friction[0] == pytest.approx(5.9, abs=1e-9)
    assert moved.loop.rotors.speed[0] > 0.005
    assert free.loop.rotors.speed[0] > 0.05


@pytest.mark.parametrize(("viscous", "damping"), [(4, 0), (4, 3), (0, 3)])
def test_what_friction_and_damping_take_of_the_momentum_they_take_once(tmp_path, viscous, damping):
    """Nothing else acts on the hinge: the momentum of link and rotor falls by d times the rotor's way."""
    (tmp_path / "swing.yaml").write_text(
        SWING.replace("mass: 3.0", "mass: 3.0\n    rotor_inertia: 2.0")
    )
    scene = simulation(
        REST + "arm: swing.yaml\nstart: {joints: [0.3]}\n"
        "controller: {law: damping, gain_start: 0, gain_end: 0}\n"
        + FLEXIBLE % f", friction: {{viscous: {viscous}}}, damping: {damping}",
        tmp_path,
    )  # fmt: skip
    loop = scene.loop
    loop.joints = loop.joints._replace(thinning_speed=np.full(1, 1e6), load_share=np.zeros(1))
    scene.state.qd[0] = 1.0
    advance(scene, 1)

    def momentum():
        link = mass_matrix(loop.link_arm, scene.state.q)[0, 0]
        return link * scene.state.qd[0] + loop.joints.rotor_inertia[0] * loop.rotors.speed[0]

    before, angle = momentum(), loop.rotors.angle[0]
    advance(scene, 300)
    way = loop.rotors.angle[0] - angle
    assert way > 0.05
    assert before - momentum() == pytest.approx((viscous + damping) * way, rel=1e-6)


def test_heat_makes_it_easier():
    speeds = []
    for temperature in (10, 60):
        plant = FLEXIBLE % f", temperature: {temperature}, friction: {{viscous: 10}}"
        scene = simulation("gravity: [0, 0, 0]\n" + HELD + plant + "controller: {law: damping}\n")
        scene.state.qd[0] = 1.0
        advance(scene, 100)
        speeds.append(abs(scene.state.qd[0]))
    assert speeds[1] > speeds[0]


def test_contact_pushes_the_links():
    scene = simulation(HELD + FLEXIBLE % "")
    push_with_force(scene, (8.0, -6.0))
    advance(scene, 20)
    assert np.linalg.norm(scene.state.truth.touch.force) == pytest.approx(10.0, rel=0.1)
    assert np.abs(scene.state.truth.external).max() > 1


def test_stepping_resetting_and_recording():
    text = HELD + "goal: {cell: [6, 11]}\nrecord: {every: 7}\n" + FLEXIBLE % ""
    whole, pieces = simulation(text), simulation(text)
    whole.run()
    pieces.step(0.1)
    pieces.reset()
    for _ in range(5):
        pieces.step(0.063)
    for name in ("q", "q_sensed", "tau"):
        np.testing.assert_array_equal(
            pieces.record().data[name].values, whole.record().data[name].values, err_msg=name
        )
    with pytest.raises(BadInput, match=r"of which a whole number are 0\.001 s"):
        signals_of_run(whole.record())


def test_a_joint_that_is_moved_takes_its_rotor_along():
    scene = simulation(HELD + FLEXIBLE % "")
    advance(scene, 50)
    twist = scene.loop.rotors.angle - scene.state.q
    scene.state.q[0] += 0.3
    scene.advance(scene.state.now.step)  # no step, but the loop looks
    np.testing.assert_allclose(scene.loop.rotors.angle - scene.state.q, twist, atol=1e-12)


def test_substeps_follow_the_fastest_mode():
    assert substeps(5000.0, 1e-3) == 10
    assert substeps(1.0, 1e-3) == 1
    scene = simulation(HELD + FLEXIBLE % "")
    assert scene.loop.substep * 5000 < 2 * RESOLUTION
    with pytest.raises(BadInput, match="too stiff"):
        simulation(HELD + FLEXIBLE % ", stiffness: 1.0e+9")


@pytest.mark.parametrize(
    ("plant", "message"),
    [
        ("plant: {stiffness: 100}", "plant.stiffness: only elastic joints"),
        ("plant: {temperature: 40}", "plant.temperature: only elastic joints"),
        ("plant: {engine: flexible, stiffness: [1, 2]}", "wrong number of values"),
        ("plant: {engine: flexible, stiffness: 0}", "stiffness"),
    ],
)
def test_refusals(plant, message):
    with pytest.raises(BadInput, match=message):
        simulation(HELD + plant)
