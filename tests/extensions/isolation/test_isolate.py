"""Isolation: what joint torques can tell about the place of contact, and what they cannot."""

from __future__ import annotations

import numpy as np
import pytest
from benches import suite_module
from refusals import refused
from scipy.optimize import minimize

from dynamics import load_arm
from hopfield_nav.extensions.isolation import (
    BODY,
    ContactIsolator,
    continued_line,
    default_surface,
    isolate,
    push_torque,
)
from hopfield_nav.extensions.isolation.contact_link import fit_surface, misfit_bound
from hopfield_nav.extensions.isolation.surface import AREA
from hopfield_nav.geometry import arm_bodies, capsules_in_base

study, random_surface_points = (
    suite_module("isolation_pushes"),
    suite_module("surface_points").random_surface_points,
)
counted, isolate_pushes, random_pushes = study.counted, study.isolate_pushes, study.random_pushes
counts = suite_module("isolation_scores").counts
ARM = load_arm("ur5_ragazzon2012")
SIGMA = 0.02
Q = np.array([0.3, -1.2, 1.4, 0.4, 1.1, 0.2])


def pushes(count, seed, arm=ARM):
    return random_pushes(arm, count, seed)


@pytest.mark.parametrize("name", ["ur5_ragazzon2012", "ur5_full"])
def test_torque_of_a_push_is_that_of_virtual_work(name):
    """Against Pinocchio: J^T F of a frame that rides on the link at the point."""
    pinocchio = pytest.importorskip("pinocchio")
    from oracles import pinocchio_model

    arm = load_arm(name)
    model, _ = pinocchio_model(arm)
    drawn = pushes(50, 3, arm)
    for q, link, point, force, torque in zip(*drawn, strict=True):
        data = model.createData()
        pinocchio.computeJointJacobians(model, data, q)
        jacobian = pinocchio.getJointJacobian(model, data, int(link), pinocchio.LOCAL_WORLD_ALIGNED)
        lever = point - data.oMi[int(link)].translation
        wanted = jacobian[:3].T @ force + jacobian[3:].T @ np.cross(lever, force)
        np.testing.assert_allclose(torque, wanted, atol=1e-9 * np.linalg.norm(force))


def depth_in(point, capsule):
    """How deep a point is in a capsule [m]; negative outside."""
    start, axis = capsule[:3], capsule[3:6] - capsule[:3]
    share = np.clip((point - start) @ axis / max(axis @ axis, 1e-12), 0.0, 1.0)
    return capsule[6] - np.linalg.norm(point - start - share * axis)


def test_random_points_lie_on_the_surface_and_in_no_other_capsule():
    drawn = pushes(400, 4)
    q = drawn.q
    places = random_surface_points(ARM, q, np.random.default_rng(4))
    bodies = arm_bodies(ARM)
    for row, capsules in enumerate(capsules_in_base(ARM, q)):
        for b, capsule in enumerate(capsules):
            assert depth_in(places.point[row], capsule) < 1e-9
            if b == places.body[row]:
                deeper = places.point[row] + 1e-6 * places.normal[row]
                assert depth_in(deeper, capsule) > 0.0
                assert bodies[b, 0] == places.link[row]


def test_patches_cover_each_capsule_once():
    surface = default_surface(ARM)
    for b, row in enumerate(surface.bodies):
        if row[0] == 0:
            continue
        length = np.linalg.norm(row[4:7] - row[1:4])
        wanted = 2 * np.pi * row[7] * length + 4 * np.pi * row[7] ** 2
        assert surface.patches[surface.patches[:, BODY] == b, AREA].sum() == pytest.approx(wanted)


def test_a_frictionless_push_on_a_wrist_housing_gives_nothing_on_its_own_joint():
    """Where its capsule lies on the axis of the link's own joint: all of link 6, one end of 4 and 5.

    The capsules of 4 and 5 end on the next joint's axis, 3 cm farther: their lever there is at most
    that.
    """
    drawn = pushes(3000, 5)
    force = np.linalg.norm(drawn.force, axis=1)
    places = random_surface_points(ARM, drawn.q, np.random.default_rng(5))
    ends = capsules_in_base(ARM, drawn.q)
    for link in (4, 5, 6):
        rows = np.flatnonzero(places.link == link)
        torque = push_torque(
            ARM, drawn.q[rows], places.link[rows], places.point[rows], places.normal[rows]
        )
        assert len(rows) > 20
        assert np.abs(torque[:, link:]).max(initial=0.0) == 0.0
        assert np.abs(torque[:, link - 1]).max() <= (0.03 + 1e-9 if link < 6 else 1e-12)
        assert np.abs(torque[:, link - 2]).max() > 0.05
        start = ends[rows, places.body[rows], :3]
        line = np.linalg.norm(np.cross(places.point[rows] - start, places.normal[rows]), axis=1)
        through = line < 1e-9  # the push goes through the end that is on the axis
        assert through.sum() > 5
        assert np.abs(torque[through, link - 1]).max() < 1e-12
    assert force.min() >= 5.0


def test_friction_is_felt_on_that_joint():
    """The cause of the silence is the missing friction."""
    places = random_surface_points(ARM, np.repeat(Q[None], 500, axis=0), np.random.default_rng(1))
    row = int(np.flatnonzero(places.link == 6)[0])
    tangent = np.cross(places.normal[row], [0.3, 0.5, 0.8])
    torque = push_torque(
        ARM, Q[None], np.array([6]), places.point[row : row + 1], 20.0 * tangent[None]
    )
    assert abs(torque[0, 5]) > 0.05


@pytest.mark.parametrize("link", [2, 3, 5])
def test_a_horizontal_push_by_a_vertical_cylinder_reaches_joint_1_alone(link):
    """A push along axes 2 to 4, which are parallel and level, has no moment about them.

    On link 5 it must go through that link's own axis besides, where its capsule begins.
    """
    q = np.array([0.7, -1.1, 1.9, -np.pi / 2 - 0.8, np.pi / 2, 0.0])
    across, largest = np.array([np.sin(q[0]), -np.cos(q[0]), 0.0]), 0.0
    for capsule, body in zip(capsules_in_base(ARM, q), arm_bodies(ARM), strict=True):
        if body[0] != link:
            continue
        for end in (capsule[:3], capsule[3:6]) if link < 5 else (capsule[:3],):
            torque = push_torque(ARM, q[None], np.array([link]), end[None], -30.0 * across[None])[0]
            assert np.abs(torque[1:]).max() < 1e-9
            largest = max(largest, abs(torque[0]))
    assert largest > 3.0


def test_what_reaches_joint_1_alone_is_explained_by_several_links():
    found = isolate(ARM, Q, np.array([8.0, 0, 0, 0, 0, 0]), SIGMA)
    assert {2, 3} <= set(found.links)
    assert abs(found.probability.sum() - 1) < 1e-12


@pytest.mark.kernel
def test_the_set_holds_what_a_free_search_finds():
    """Every patch's least misfit against scipy's search of the same surface, inside the patch's bounds."""
    from hopfield_nav.extensions.isolation import HALF_U, HALF_V, U, V, surface_places

    surface, drawn = default_surface(ARM), pushes(40, 6)
    rng = np.random.default_rng(2)
    for i in counted(drawn)[:12]:
        rows = fit_surface(ARM, surface, drawn.q[i], drawn.torque[i], SIGMA)
        link = surface.bodies[surface.patches[:, BODY].astype(int), 0]
        for p in rng.choice(np.flatnonzero(link == drawn.link[i]), 3):
            patch = surface.patches[p]

            def misfit(x, patch=patch, i=i, p=p):
                at, _ = surface_places(
                    ARM, drawn.q[i], surface, np.array([p]), np.array([x[0]]), np.array([x[1]])
                )
                thin = surface._replace(bodies=np.where(np.arange(12) == 7, 0.0, surface.bodies))
                axis, _ = surface_places(
                    ARM, drawn.q[i], thin, np.array([p]), np.array([x[0]]), np.array([x[1]])
                )
                normal = (axis - at) / np.linalg.norm(axis - at)
                unit = push_torque(ARM, drawn.q[i][None], drawn.link[i : i + 1], at, normal)[0]
                force = np.clip(unit @ drawn.torque[i] / max(unit @ unit, 1e-12), 0, 500)
                return float(((drawn.torque[i] - force * unit) ** 2).sum() / SIGMA**2)

            bounds = [(patch[U] - patch[HALF_U], patch[U] + patch[HALF_U]),
                      (patch[V] - patch[HALF_V], patch[V] + patch[HALF_V])]  # fmt: skip
            starts = [
                (patch[U], patch[V]),
                *zip(*(rng.uniform(*b, 3) for b in bounds), strict=True),
            ]
            least = min(minimize(misfit, s, bounds=bounds, method="L-BFGS-B").fun for s in starts)
            bound = misfit_bound(6)
            assert (rows[p, 0] <= bound) == (least <= bound) or abs(least / bound - 1) < 0.05


@pytest.mark.parametrize("name", ["ur5_ragazzon2012", "ur5_full"])
def test_random_pushes_with_a_perfect_model(name):
    """The limits of the issue on 700 pushes; the study measures thousands."""
    arm = load_arm(name)
    scores, _ = isolate_pushes(arm, pushes(700, 11, arm))
    found, in_set, right, of, on_wrist, of_wrist, _ = counts(scores)
    assert found > 550
    assert in_set >= 0.99 * found
    assert right >= 0.88 * of  # 0.91 in the study; its deviation here is 0.012
    assert on_wrist >= 0.95 * of_wrist
    assert 1.0 < scores.set_size.mean() < 3.0


def test_parts_of_the_pushes_are_together_the_whole():
    drawn = pushes(60, 13)
    for perfect in (True, False):
        whole = counts(isolate_pushes(ARM, drawn, perfect)[0])
        parts = [counts(isolate_pushes(ARM, drawn, perfect, part=(k, 3))[0]) for k in range(3)]
        assert np.sum(parts, axis=0).tolist() == whole


def test_random_pushes_with_an_imperfect_model():
    """The covariance of the model's errors keeps the true link in the set; without it, it is lost."""
    arm = load_arm("ur5_full")
    drawn = pushes(300, 12, arm)
    scores, _ = isolate_pushes(arm, drawn, perfect=False)
    found, in_set, *_ = counts(scores)
    assert in_set >= 0.99 * found
    lost, rng = 0, np.random.default_rng(0)
    for i in counted(drawn)[:60]:
        wrong = drawn.torque[i] + study._model_error(arm, drawn.q[i], rng)
        lost += drawn.link[i] not in isolate(arm, drawn.q[i], wrong, SIGMA).links
    assert lost > 10


def test_friction_in_the_cone_is_explained_only_with_the_cone():
    places = random_surface_points(ARM, np.repeat(Q[None], 900, axis=0), np.random.default_rng(3))
    with_cone = without = count = 0
    for k in np.flatnonzero(places.link == 6)[:12]:
        tangent = np.cross(places.normal[k], [0.0, 0.6, 0.8])
        force = 40.0 * (places.normal[k] + 0.25 * tangent / np.linalg.norm(tangent))
        torque = push_torque(ARM, Q[None], np.array([6]), places.point[k : k + 1], force[None])[0]
        with_cone += 6 in isolate(ARM, Q, torque, SIGMA, friction=0.3).links
        without += 6 in isolate(ARM, Q, torque, SIGMA).links
        count += 1
    assert with_cone == count > 4
    assert without < count / 2


def test_a_free_sweep_excludes_the_side_that_trails():
    """Joint 1 turns; the push that would come from behind is left without a patch, the one ahead is not."""
    isolator = ContactIsolator(ARM, SIGMA, hold_back=0)
    path = [Q + a * np.eye(6)[0] for a in np.linspace(-0.4, 0.0, 80)]
    for q in path:
        isolator.moved_free(q)
    places = random_surface_points(ARM, np.repeat(Q[None], 3000, axis=0), np.random.default_rng(5))
    moving = np.cross([0, 0, 1.0], places.point)
    rate = -(moving * places.normal).sum(axis=1) / np.maximum(np.linalg.norm(moving, axis=1), 1e-9)
    far = (np.linalg.norm(moving, axis=1) > 0.3) & (places.link > 1)
    for side, there in ((rate > 0.95, True), (rate < -0.95, False)):
        for k in np.flatnonzero(side & far)[:15]:
            torque = push_torque(ARM, Q[None], places.link[k : k + 1], places.point[k : k + 1],
                                 30.0 * places.normal[k : k + 1])[0]  # fmt: skip
            found = isolator.felt(Q, torque)
            alone = isolate(ARM, Q, torque, SIGMA)
            near = np.linalg.norm(found.points - places.point[k], axis=1)
            assert places.link[k] in alone.links
            assert (len(near) > 0 and near.min() < 0.06) == there
            isolator.instants = 0  # the next is a contact of its own


def test_a_contact_that_slides_on_is_where_it_began():
    places = random_surface_points(ARM, np.repeat(Q[None], 300, axis=0), np.random.default_rng(7))
    isolator, found = ContactIsolator(ARM, SIGMA), []
    for link, force in ((6, 40.0), (3, 20.0)):
        k = int(np.flatnonzero(places.link == link)[0])
        push = (places.link[k : k + 1], places.point[k : k + 1], force * places.normal[k : k + 1])
        found.append(isolator.felt(Q, push_torque(ARM, Q[None], *push)[0]))
    assert 6 in found[0].links
    assert found[1].links == found[0].links


def test_the_baseline_takes_away_a_drift_that_no_push_explains():
    """Without it the drift is taken for a push; with it the true link stays in the set."""
    places = random_surface_points(ARM, np.repeat(Q[None], 300, axis=0), np.random.default_rng(8))
    drift = np.array([3.0, -2.0, 2.0, 0.5, -0.4, 0.3])
    right = {0: 0, 50: 0}
    rows = np.flatnonzero(places.link >= 3)[:10]
    for k in rows:
        push = (places.link[k : k + 1], places.point[k : k + 1], 40.0 * places.normal[k : k + 1])
        torque = push_torque(ARM, Q[None], *push)[0]
        for baseline in right:
            isolator = ContactIsolator(ARM, SIGMA, hold_back=20, baseline=baseline)
            for step in range(100):
                isolator.moved_free(Q, (1 + 0.002 * step) * drift)
            links = isolator.felt(Q, torque + 1.2 * drift).links
            right[baseline] += int(places.link[k]) in links
    assert right[50] == len(rows)
    assert right[0] < len(rows) / 2


def test_a_line_is_continued_and_one_spike_does_not_bend_it():
    rows = np.arange(50.0)[:, None] * [2.0, -1.0] + [5.0, 3.0]
    np.testing.assert_allclose(continued_line(rows, 21)[0], 5.0 + 2.0 * 70)
    rows[30] += 1000.0
    np.testing.assert_allclose(continued_line(rows, 21), [5 + 2 * 70, 3 - 70], atol=6.0)


def test_a_baseline_needs_free_residuals():
    isolator = ContactIsolator(ARM, SIGMA, hold_back=5, baseline=20)
    with refused("needs the residuals"):
        isolator.moved_free(Q)
    for _ in range(10):
        isolator.moved_free(Q, np.zeros(6))
    with refused("too few"):
        isolator.felt(Q, np.ones(6))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"baseline": 3}, "baseline: no line"),
        ({"baseline": -1}, "baseline: no line"),
    ],
)
def test_wrong_settings_of_an_isolator(change, words):
    with refused(words):
        ContactIsolator(ARM, SIGMA, **change)


def test_collisions_in_motion_with_an_imperfect_arm():
    """The loop closed, masses 10 % and friction 20 % off: the baseline is what keeps the true link."""
    collisions = suite_module("isolation_collisions")
    left = collisions.free_covariance(collisions.IMPERFECT, range(3100, 3104))
    found = [collisions.collide(collisions.IMPERFECT, seed, left) for seed in range(100, 106)]
    found = [c for c in found if c is not None]
    assert len(found) >= 4
    assert all(c.link in c.swept.links for c in found)
    assert np.mean([len(c.swept.links) for c in found]) < 4.5


def test_no_push_explains_every_torque():
    """Torque on joint 6 alone can come from no frictionless push on this arm."""
    found = isolate(ARM, Q, np.array([0, 0, 0, 0, 0, 3.0]), SIGMA)
    assert found.links == () and found.best_link == 0 and np.isnan(found.best_point).all()  # noqa: PT018


def test_covariance_of_the_model_is_that_of_drawn_models():
    arm = load_arm("ur5_full")
    rng = np.random.default_rng(1)
    drawn = np.array([study._model_error(arm, Q, rng) for _ in range(3000)])
    wanted = study.model_covariance(arm, Q, np.zeros(6), 0.0)
    scale = np.sqrt(np.outer(np.diag(wanted), np.diag(wanted)))
    assert (np.abs(np.cov(drawn.T) - wanted) / scale).max() < 0.12


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sigma": 0.0}, "positive"),
        ({"sigma": np.ones(5)}, "sigma has the wrong shape"),
        ({"sigma": -np.eye(6)}, "positive definite"),
        ({"friction": -1.0}, "no such push"),
        ({"residual": np.zeros(5)}, "residual"),
    ],
)
def test_bad_input_is_refused_in_one_line(change, message):
    values = {"q": Q, "residual": np.ones(6), "sigma": SIGMA, **change}
    with refused(message):
        isolate(ARM, values.pop("q"), values.pop("residual"), values.pop("sigma"), **values)
