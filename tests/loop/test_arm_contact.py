"""Contact of every link: power, potential, energy, friction, and what is written to ``touch``."""

from __future__ import annotations

import itertools

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from oracles import pinocchio_model, random_states
from scenes import contact_of, numbers_of
from scipy.optimize import minimize_scalar

from dynamics import (
    forward_kinematics,
    jacobian,
    kinetic_energy,
    link_frames,
    load_arm,
    potential_energy,
    with_tool,
)
from dynamics.files import mjcf_text
from dynamics.forward import accelerate
from dynamics.kernels.decorators import kernel
from dynamics.kinematics import update_frames, velocity_of_point
from dynamics.work import make_work
from hopfield_nav import geometry
from hopfield_nav.geometry import (
    arm_bodies,
    arm_clearance,
    arm_distance,
    capsules_in_base,
    pack_primitives,
    tool_body,
    upright_cylinder,
)
from hopfield_nav.geometry.arm import arm_closest_points
from hopfield_nav.loop import ContactLaw, make_contact
from hopfield_nav.loop.contact import FRICTION_SPEED, add_contact, make_touch, still_near

K = 1e4
SPRING = (K, 0.0, 0.0)
SOLIDS = pack_primitives(
    [
        geometry.sphere([0.4, 0.1, 0.2], 0.15),
        geometry.box([-0.3, 0.3, 0.2], [0.3, 0.2, 0.4]),
        geometry.finite_cylinder([0, -0.5, 0.3], 0.1, 0.6, [0.3, 0, 1]),
        geometry.half_space([0, 0, -0.02]),
        geometry.upright_cylinder([0.5, -0.4], 0.1),
    ]
)
FAR = pack_primitives([geometry.sphere([2, 2, 2], 0.1), geometry.half_space([0, 0, -2])])


@pytest.fixture(scope="module")
def arm():
    """An arm with a tool rod."""
    tool = np.eye(4)
    tool[:3, 3] = [0.02, 0.0, 0.15]
    return with_tool(load_arm("ur5_controller"), tool)


def contact(arm, q, qd=None, law=SPRING, solids=SOLIDS):
    """Torque (n,), and what touches."""
    speed = np.zeros(len(q)) if qd is None else qd
    return contact_of(arm, make_contact(ContactLaw(*law), solids, arm_bodies(arm)), q, speed)


def stored(arm, q, solids=SOLIDS):
    """Energy in the springs [J], from the distances alone."""
    moving = arm_bodies(arm)[:, 0] > 0
    depth = np.minimum(arm_distance(arm, q, solids)[..., moving, :], 0.0)
    return 0.5 * K * (depth**2).sum(axis=(-1, -2))


def test_a_body_is_free_until_an_end_has_moved_by_its_room():
    rng = np.random.default_rng(3)
    for room in (0.0, 0.1, 0.4):
        for _ in range(50):
            before, moved = rng.normal(0, 1.0, (2, 3)), rng.normal(0, 0.15, (2, 3))
            start, end = before + moved
            free = np.append(before.ravel(), room)[None]
            still = still_near(free, 0, tuple(start), tuple(end))
            assert still == (np.linalg.norm(moved, axis=1).max() < room)


def test_solids_that_are_not_looked_at_change_nothing(arm):
    """What is remembered along a motion, in and out of one and two solids, against looking at all."""
    law, bodies = ContactLaw(K, 20.0, 0.3), arm_bodies(arm)
    beside = pack_primitives(
        [geometry.sphere([0.4, 0.1, 0.2], 0.15), geometry.box([0.5, 0.1, 0.2], [0.2] * 3)]
    )
    solids, pairs = np.vstack([SOLIDS, beside[1:]]), set()
    kept = make_contact(law, solids, bodies)
    knots = np.random.default_rng(5).uniform(-1.5, 1.5, (13, 6))
    way = np.concatenate([np.linspace(a, b, 400) for a, b in itertools.pairwise(knots)])
    for q, qd in zip(way[1:], np.diff(way, axis=0) / 1e-3, strict=True):
        torque, touch = contact_of(arm, kept, q, qd)
        expected, all_seen = contact_of(arm, make_contact(law, solids, bodies), q, qd)
        np.testing.assert_array_equal(torque, expected)
        for found, right in zip(touch, all_seen, strict=True):
            np.testing.assert_array_equal(found, right)
        pairs.add(int(touch.now.pairs))
    assert {0, 1, 2, 3} <= pairs


@pytest.mark.kernel
def test_far_from_everything_nothing_is_felt_and_touch_is_cleared(arm):
    torque, touch = contact(arm, np.array([0.1, -1.2, 1.0, 0.3, 0.5, 0.0]), solids=FAR)
    assert not torque.any()
    assert not numbers_of(touch).any()
    torque, touch = contact(arm, np.zeros(6), solids=pack_primitives([]))
    assert not torque.any() and not numbers_of(touch).any()  # noqa: PT018


@pytest.mark.kernel
def test_the_torque_is_minus_the_gradient_of_the_stored_energy(arm):
    touched, links = 0, set()
    for q in random_states(6, 150, 1).q:
        torque, touch = contact(arm, q)
        slope = [(stored(arm, q + h) - stored(arm, q - h)) / 2e-6 for h in 1e-6 * np.eye(6)]
        np.testing.assert_allclose(
            torque, -np.array(slope), rtol=0, atol=1e-5 * (1 + np.abs(slope).max())
        )
        touched += touch.now.pairs > 1
        links.add(int(touch.now.link))
    assert touched > 30
    assert {2, 3, 4, 5, 6} <= links


def _point_to_cylinder(point, middle, axis, radius, height):
    """Distance of a point outside, the direction away, and which part of a finite cylinder is nearest."""
    along = (point - middle) @ axis
    aside = point - middle - along * axis
    rho = np.linalg.norm(aside)
    over, out = max(abs(along) - height / 2, 0.0), max(rho - radius, 0.0)
    away = np.sign(along) * over * axis + out * aside / max(rho, 1e-12)
    return np.hypot(over, out), away, ("side" if over == 0 else "cap" if out == 0 else "rim")


def test_ends_and_middle_of_a_capsule_are_pushed_off_cap_side_and_rim(arm):
    """Stiffness times depth between the nearest points, which a search along the capsule finds."""
    body, q, rng = (
        arm_bodies(arm)[5:6],
        np.array([0.2, -1.1, 0.9, 0.3, 0.6, 0.1]),
        np.random.default_rng(1),
    )
    start, end, thick = np.split(capsules_in_base(arm, q)[5], [3, 6])
    seen = set()
    for _ in range(300):
        axis, off = rng.normal(size=(2, 3))
        axis /= np.linalg.norm(axis)
        middle = start + rng.uniform(-0.1, 1.1) * (end - start) + 0.12 * off / np.linalg.norm(off)

        def gap(share, middle=middle, axis=axis):
            return _point_to_cylinder(start + share * (end - start), middle, axis, 0.08, 0.1)

        found = minimize_scalar(  # a convex function
            lambda t, gap=gap: gap(t)[0], bounds=(0, 1), method="bounded", options={"xatol": 1e-9}
        ).x
        share = min((0, found, 1), key=lambda t, gap=gap: gap(t)[0])
        distance, away, part = gap(share)
        if not 1e-3 < distance < thick[0]:
            continue
        drum = pack_primitives([geometry.finite_cylinder(middle, 0.08, 0.1, axis)])
        _, touch = contact_of(arm, make_contact(ContactLaw(*SPRING), drum, body), q, np.zeros(6))
        push = K * (thick[0] - distance)
        np.testing.assert_allclose(
            touch.force, push * away / distance, rtol=0, atol=1e-4 * K * thick[0]
        )
        seen.add((part, "end" if share in (0, 1) else "middle"))
    assert {
        ("side", "middle"),
        ("rim", "middle"),
        ("side", "end"),
        ("rim", "end"),
        ("cap", "end"),
    } <= seen


@pytest.mark.kernel
def test_one_force_has_the_torque_that_pinocchio_gives_it(arm):
    model, data = pinocchio_model(arm, "kinematics")
    single = 0
    for i, q in enumerate(random_states(6, 1500, 2).q):
        torque, touch = contact(arm, q, solids=SOLIDS[[i % len(SOLIDS)]])
        if touch.now.pairs != 1:
            continue
        single += 1
        link, point, force = int(touch.now.link), touch.point, touch.largest
        pin.computeJointJacobians(model, data, q)
        at_base = pin.getJointJacobian(model, data, link, pin.WORLD)
        expected = at_base[:3].T @ force + at_base[3:].T @ np.cross(point, force)
        np.testing.assert_allclose(torque, expected, rtol=1e-9, atol=1e-9)
        np.testing.assert_array_equal(touch.force, force)
    assert single > 20


@pytest.mark.kernel
@pytest.mark.parametrize("law", [[K, 300.0, 0.0], [K, 0.0, 0.6], [K, 300.0, 0.6]])
def test_damping_and_friction_only_take_energy(arm, law):
    states, lost = random_states(6, 300, 3), 0
    for q, qd in zip(states.q, states.qd, strict=True):
        torque, _ = contact(arm, q, qd, law)
        spring, _ = contact(arm, q)
        power = (torque - spring) @ qd
        assert power <= 1e-9 * (1 + np.abs(torque) @ np.abs(qd))
        lost += power < -1e-6
    assert lost > 100


@kernel
def _velocity(arm, q, qd, link, point, work):
    update_frames(arm, q, work)
    return velocity_of_point(work, qd, link, point)


@pytest.mark.kernel
def test_a_contact_never_pulls_and_friction_is_mu_times_the_push(arm):
    states, sliding, free = random_states(6, 2000, 4), 0, 0
    for i, (q, qd) in enumerate(zip(states.q, 3 * states.qd, strict=True)):
        law, solids = np.array([K, 2000.0, 0.5]), SOLIDS[[i % len(SOLIDS)]]
        _, touch = contact(arm, q, qd, law, solids)
        if touch.now.pairs != 1:
            continue
        at = arm_closest_points(arm, q, solids)
        k, j = np.unravel_index(
            np.where(arm_bodies(arm)[:, :1] > 0, at.distance, 1.0).argmin(), at.distance.shape
        )
        normal, force = at.normal[k, j], touch.largest
        velocity = np.array(_velocity(arm, q, qd, int(touch.now.link), touch.point, make_work(6)))
        push = force @ normal
        wanted = max(-K * at.distance[k, j] - 2000.0 * velocity @ normal, 0.0)
        if np.linalg.norm(normal) < 1 - 1e-9:
            continue
        assert push == pytest.approx(wanted, rel=1e-9, abs=1e-9)
        slip = velocity - (velocity @ normal) * normal
        rub = force - push * normal
        assert np.linalg.norm(rub) == pytest.approx(0.5 * push, rel=1e-9, abs=1e-9)
        assert rub @ slip <= 1e-12
        sliding, free = sliding + (push > 0), free + (push == 0)
    assert sliding > 20
    assert free > 3  # parting faster than the spring pushes


@kernel
def _fall(arm, contact, q, qd, step, count, work, touch):
    n = q.size
    torque = np.zeros(n)
    rates, accelerations = np.zeros((4, n)), np.zeros((4, n))
    peak = 0.0
    for _ in range(count):
        for stage in range(4):
            share = (0.0, 0.5, 0.5, 1.0)[stage] * step
            before = max(stage - 1, 0)
            rates[stage] = qd + share * accelerations[before]
            update_frames(arm, q + share * rates[before], work)
            torque[:] = 0.0
            add_contact(contact, rates[stage], work, torque, touch)
            accelerate(arm, rates[stage], torque, work, accelerations[stage])
        peak = max(peak, np.sqrt(np.sum(touch.force**2)))
        q += step / 6 * (rates[0] + 2 * rates[1] + 2 * rates[2] + rates[3])
        qd += (
            step
            / 6
            * (accelerations[0] + 2 * accelerations[1] + 2 * accelerations[2] + accelerations[3])
        )
    return peak


@pytest.mark.parametrize(
    ("law", "kept"), [(SPRING, True), ([K, 200.0, 0.0], False), ([K, 0.0, 0.3], False)],
    ids=["spring", "damped", "rubbed"],
)  # fmt: skip
def test_an_arm_that_falls_on_a_sphere_keeps_its_energy_without_damping(arm, law, kept):
    """The forearm lands on a sphere; with damping or friction energy is lost, without it is not."""
    q, qd = np.array([0.0, -0.6, 0.3, 0.2, 0.5, 0.0]), np.zeros(6)
    middle = capsules_in_base(arm, q)[5]
    ball = geometry.sphere(0.5 * (middle[:3] + middle[3:6]) - [0, 0.01, 0.25], 0.12)[None]

    def energy():
        return float(kinetic_energy(arm, q, qd) + potential_energy(arm, q) + stored(arm, q, ball))

    before = energy()
    assert arm_clearance(arm, q, ball) > 0
    landing = make_contact(ContactLaw(*law), ball, arm_bodies(arm))
    peak = _fall(arm, landing, q, qd, 5e-5, 12000, make_work(6), make_touch())
    assert peak > 100
    if kept:
        assert abs(energy() - before) < 2e-4
    else:
        assert energy() < before - 0.05


def test_the_base_never_touches():
    arm = load_arm("ur5_ragazzon2012")
    floor = geometry.half_space([0, 0, -0.01])[None]
    q = np.array([0.0, -1.5, 0.5, 0.0, 0.0, 0.0])
    assert arm_distance(arm, q, floor)[0, 0] < 0
    assert arm_clearance(arm, q, floor) > 0
    torque, touch = contact(arm, q, solids=floor)
    assert not torque.any()
    assert touch.now.pairs == 0


def test_the_tool_rod_belongs_to_the_last_link(arm):
    q = random_states(6, 1, 5).q[0]
    rod = capsules_in_base(arm, q)[-1]
    np.testing.assert_allclose(rod[:3], link_frames(arm, q)[-1, :3, 3], atol=1e-12)
    np.testing.assert_allclose(rod[3:6], forward_kinematics(arm, q)[:3, 3], atol=1e-12)
    tip = geometry.sphere(rod[3:6], 0.01)[None]
    _, touch = contact(arm, q, solids=tip)
    assert touch.now.link == 6
    assert len(arm_bodies(load_arm("ur5_controller"))) == len(arm_bodies(arm)) - 1


def test_the_clearance_is_the_least_distance_of_what_moves(arm):
    q = random_states(6, 500, 6).q.reshape(5, 100, 6)
    moving = arm_bodies(arm)[:, 0] > 0
    least = arm_distance(arm, q, SOLIDS)[..., moving, :].min(axis=(-1, -2))
    np.testing.assert_allclose(arm_clearance(arm, q, SOLIDS), least, rtol=0, atol=1e-14)
    assert 50 < (least > 0).sum() < 450
    assert np.isinf(arm_clearance(arm, q, pack_primitives([]))).all()


def test_mujoco_places_the_capsules_alike_and_measures_the_same():
    """Frames, capsules and distances of the whole arm in one: MuJoCo's model of it beside a sphere."""
    arm = load_arm("ur5e")
    ball = '<geom name="ball" type="sphere" pos="0.3 0.2 0.4" size="0.15"/>'
    model = mujoco.MjModel.from_xml_string(
        mjcf_text(arm).replace("</worldbody>", f"{ball}</worldbody>")
    )
    data, other = mujoco.MjData(model), model.geom("ball").id
    solids = pack_primitives([geometry.sphere([0.3, 0.2, 0.4], 0.15)])
    capsules = [
        g for g in range(model.ngeom) if model.geom_type[g] == mujoco.mjtGeom.mjGEOM_CAPSULE
    ]
    assert len(capsules) >= 8
    overlapping = 0
    for q in random_states(6, 20, 7).q:
        data.qpos[:] = q
        mujoco.mj_forward(model, data)
        ours, distances = capsules_in_base(arm, q), arm_distance(arm, q, solids)[:, 0]
        theirs = []
        for g in capsules:
            axis = data.geom_xmat[g].reshape(3, 3)[:, 2] * model.geom_size[g, 1]
            theirs.append(
                [*np.sort([data.geom_xpos[g] + axis, data.geom_xpos[g] - axis], axis=0).ravel()]
            )
        mine = np.sort(ours[:, :6].reshape(-1, 2, 3), axis=1).reshape(-1, 6)
        for g, row in zip(capsules, theirs, strict=True):
            apart = np.abs(mine - row).max(axis=1)
            same = np.argmin(apart)
            assert apart[same] < 1e-9
            found = mujoco.mj_geomDistance(model, data, g, other, 10.0, None)
            assert abs(distances[same] - found) < 1e-9
            overlapping += found < 0
    assert 0 < overlapping < 20 * len(capsules)


@pytest.mark.kernel
def test_the_tool_point_feels_an_upright_cylinder_as_the_law_of_the_document_has_it():
    """F = k (R - D) outwards, damped, and rubbed with mu times it: written out here a second time."""
    stiffness, damping, friction = law = (1e5, 300.0, 0.4)
    rng, arm = np.random.default_rng(8), load_arm("ur5_ragazzon2012")
    q = np.array([0.3, -1.1, 1.9, 0.4, 1.2, -0.5])
    tool, J = forward_kinematics(arm, q)[:3, 3], jacobian(arm, q)
    felt = 0
    for _ in range(300):
        centre, radius, v = (
            tool[:2] + rng.normal(0, 0.03, 2),
            rng.uniform(0.02, 0.04),
            rng.normal(0, 0.3, 3),
        )
        peg = make_contact(
            ContactLaw(*law), pack_primitives([upright_cylinder(centre, radius)]), tool_body(arm)
        )
        _, touch = contact_of(arm, peg, q, np.linalg.solve(J, np.append(v, np.zeros(3))))
        away = np.append(tool[:2] - centre, 0.0)
        distance = np.linalg.norm(away)
        normal = away / distance
        push = max(stiffness * (radius - distance) - damping * (v @ normal), 0.0) * (
            distance < radius
        )
        slide = v - (v @ normal) * normal
        expected = push * normal - friction * push * slide / max(
            np.linalg.norm(slide), FRICTION_SPEED
        )
        np.testing.assert_allclose(touch.force, expected, rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(touch.point, tool * (distance < radius), atol=1e-12)
        felt += push > 0
    assert felt > 50
