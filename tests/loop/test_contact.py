"""The contact law: a spring along the normal, a damper that never pulls, friction against sliding."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scenes import CONSTANT, SWING, contact_of, simulation

from dynamics import forward_kinematics, jacobian, load_arm
from hopfield_nav.geometry import pack_primitives, tool_body, upright_cylinder
from hopfield_nav.loop import ContactLaw, make_contact

K, R = 1e5, 0.03
CENTER = (0.4, -0.1)
ARM, Q = load_arm("ur5_ragazzon2012"), np.array([0.3, -1.1, 1.9, 0.4, 1.2, -0.5])
speeds = st.floats(-1.0, 1.0)


def force(
    point,
    velocity=(0.0, 0.0, 0.0),
    damping=0.0,
    friction=0.0,
    cylinders=((*CENTER, R),),
    stiffness=K,
):
    """Force on a tool that is at ``point`` of the cylinders' plane and has the velocity."""
    tool = forward_kinematics(ARM, Q)[:2, 3]
    near = [np.array(c[:2]) - point[:2] + tool for c in cylinders]
    solids = pack_primitives(
        upright_cylinder(c, each[2]) for c, each in zip(near, cylinders, strict=True)
    )
    qd = np.linalg.solve(jacobian(ARM, Q), np.append(velocity, np.zeros(3)))
    contact = make_contact(ContactLaw(stiffness, damping, friction), solids, tool_body(ARM))
    return contact_of(ARM, contact, Q, qd)[1].force


def at(distance, angle):
    """A point at a distance from the cylinder's axis, its outward normal, and the tangent."""
    normal = np.array([math.cos(angle), math.sin(angle), 0.0])
    return np.array(CENTER) + distance * normal[:2], normal, np.array([-normal[1], normal[0], 0.0])


@pytest.mark.kernel
@given(st.floats(1e-6, R * (1 - 1e-9)), st.floats(-math.pi, math.pi))
@settings(max_examples=50, deadline=None)
def test_spring_along_the_outward_normal(distance, angle):
    point, normal, _ = at(distance, angle)
    np.testing.assert_allclose(force(point), K * (R - distance) * normal, rtol=1e-6, atol=1e-7)


@pytest.mark.kernel
@given(st.floats(R * (1 + 1e-9), 1.0), st.floats(-math.pi, math.pi), speeds)
@settings(max_examples=30, deadline=None)
def test_nothing_outside_however_fast(distance, angle, speed):
    point, normal, tangent = at(distance, angle)
    assert not force(point, speed * normal + tangent, damping=1e3, friction=1.0).any()


@pytest.mark.kernel
def test_on_the_axis_the_force_is_defined():
    np.testing.assert_allclose(force(CENTER), [K * R, 0.0, 0.0])
    assert np.isfinite(force(CENTER, (0.1, 0.2, 0.3), damping=10.0, friction=0.5)).all()


@pytest.mark.kernel
def test_overlapping_cylinders_add_up_and_order_does_not_matter():
    cylinders = [(0.4, -0.1, 0.03), (0.41, -0.09, 0.05), (0.39, -0.1, 0.02), (2.0, 2.0, 0.1)]
    point = (0.405, -0.095)
    parts = [force(point, cylinders=[c]) for c in cylinders]
    assert [bool(np.any(p)) for p in parts] == [True, True, True, False]
    np.testing.assert_allclose(force(point, cylinders=cylinders), sum(parts), rtol=1e-12)
    np.testing.assert_allclose(force(point, cylinders=cylinders[::-1]), sum(parts), rtol=1e-12)


@pytest.mark.kernel
@given(
    st.floats(1e-4, R * 0.999), st.floats(-math.pi, math.pi), speeds, speeds, st.floats(0.0, 1e5)
)
@settings(max_examples=100, deadline=None)
def test_damping_only_resists_and_never_pulls(distance, angle, outward, along, damping):
    point, normal, tangent = at(distance, angle)
    damped = force(point, outward * normal + along * tangent, damping=damping)
    spring = K * (R - distance)
    assert damped @ normal >= 0.0  # never pulls
    assert abs(damped @ tangent) <= 1e-9 * (1 + spring + damping)  # acts along the normal alone
    assert (damped @ normal - spring) * outward <= 1e-9 * spring  # the change opposes the motion
    wanted = max(spring - damping * outward, 0.0)
    assert damped @ normal == pytest.approx(wanted, rel=1e-6, abs=1e-6)


@pytest.mark.kernel
@given(
    st.floats(1e-4, R * 0.99), st.floats(-math.pi, math.pi), speeds, speeds, st.floats(0.01, 2.0)
)
@settings(max_examples=100, deadline=None)
def test_friction_opposes_sliding_with_mu_times_the_normal_force(distance, angle, along, up, mu):
    point, normal, tangent = at(distance, angle)
    sliding = along * tangent + np.array([0.0, 0.0, up])
    speed = np.linalg.norm(sliding)
    rubbed = force(point, sliding + 0.5 * normal, friction=mu)
    spring = K * (R - distance)
    rub = rubbed - spring * normal
    assert rub @ sliding <= 1e-9 * spring  # takes energy out
    wanted = mu * spring * min(speed / 1e-3, 1.0)  # smooth below 1 mm/s
    assert np.linalg.norm(rub) == pytest.approx(wanted, rel=1e-6, abs=1e-6 * spring)


@pytest.mark.kernel
def test_friction_is_mu_times_the_damped_normal_force():
    point, normal, tangent = at(0.02, 0.7)
    rubbed = force(point, tangent - 0.1 * normal, damping=500.0, friction=0.3)
    assert rubbed @ tangent == pytest.approx(-0.3 * (rubbed @ normal))
    assert rubbed @ normal == pytest.approx(K * 0.01 + 500.0 * 0.1)


def test_no_friction_and_no_damping_unless_asked_for():
    """A frictionless wall takes no energy from a sliding tool."""
    law = simulation(
        "obstacles: [{cylinder: {center: [0.9, 0.9], radius: 0.01}}]\ntime_limit: 0.01"
    ).plant.contact.law
    assert tuple(law) == (1e5, 0.0, 0.0)


@pytest.mark.parametrize(
    ("joint_damping", "contact_damping"),
    [(60.0, 0.0), (0.0, 200.0)],
    ids=["damped joint", "damped cylinder"],
)
def test_pressed_with_a_constant_force_it_sinks_in_by_force_over_stiffness(
    tmp_path, joint_damping, contact_damping
):
    """The equilibrium of a simulated arm, driven by a constant torque against a cylinder."""
    (tmp_path / "swing.yaml").write_text(SWING)
    (tmp_path / "push.py").write_text(CONSTANT)
    stiffness, push, radius, angle = 1e4, 12.0, 0.2, 0.3
    tip = np.array([math.cos(angle), math.sin(angle)])
    # the normal is square to the boom
    center = tip + (radius - push / stiffness) * np.array([-tip[1], tip[0]])
    text = f"""
arm: swing.yaml
plant: {{damping: {joint_damping}}}
controller: {{law: "push.py:PUSH", torque: {push}}}
detection: {{estimator: none}}
contact: {{stiffness: {stiffness}, damping: {contact_damping}}}
obstacles: [{{cylinder: {{center: [{center[0]}, {center[1]}], radius: {radius}}}}}]
start: {{joints: [0.25]}}
time_limit: 10
record: {{signals: none}}
"""
    sim = simulation(text, tmp_path)
    sim.step(10.0)
    tool = forward_kinematics(sim.arm, sim.state.q)[:2, 3]
    depth = radius - np.linalg.norm(tool - center)
    assert abs(sim.state.qd[0]) < 1e-12
    assert depth == pytest.approx(push / stiffness, rel=1e-6)
    assert np.linalg.norm(sim.state.truth.touch.force[:2]) == pytest.approx(push, rel=1e-6)


def test_undamped_contact_does_not_come_to_rest(tmp_path):
    """The other side of the test above: without any damping the boom keeps bouncing, with its energy."""
    (tmp_path / "swing.yaml").write_text(SWING)
    (tmp_path / "push.py").write_text(CONSTANT)
    sim = simulation(
        'arm: swing.yaml\ncontroller: {law: "push.py:PUSH", torque: 12}\ndetection: {estimator: none}\n'
        "contact: {stiffness: 1e4}\nobstacles: [{cylinder: {center: [0.9, 0.6], radius: 0.2}}]\n"
        "start: {joints: [0.25]}\ntime_limit: 10\n",
        tmp_path,
    )
    run = sim.run()
    inertia = 3.0 * 0.5**2 + 0.25
    data = run.data
    tool = data.tool_position.values[:, :2]
    depth = np.maximum(0.2 - np.linalg.norm(tool - [0.9, 0.6], axis=1), 0.0)
    energy = (
        0.5 * inertia * data.qd.values[:, 0] ** 2
        + 0.5 * 1e4 * depth**2
        - 12 * (data.q.values[:, 0] - 0.25)
    )
    assert np.abs(energy).max() < 1e-2 * np.abs(12 * (data.q.values[:, 0] - 0.25)).max()
    assert np.abs(data.qd.values[-2000:, 0]).max() > 0.5
