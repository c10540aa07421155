"""The particle filter over the arm's surface: its laws, and where it finds known contacts."""

from __future__ import annotations

import numpy as np
import pytest
from benches import suite_module
from refusals import refused
from scipy.optimize import nnls

from dynamics import load_arm
from hopfield_nav import load_world, simulate
from hopfield_nav.extensions.isolation import (
    default_surface,
    filter_contact,
    particles,
    push_torque,
    surface_places,
)
from hopfield_nav.extensions.isolation.surface import AREA
from hopfield_nav.geometry import LINK
from hopfield_nav.world import parse_world

random_surface_points = suite_module("surface_points").random_surface_points
ARM = load_arm("ur5_ragazzon2012")
SURFACE = default_surface(ARM)


def touch(seed: int):
    """Pose, torque and point of a push of 40 N along the normal on link 5 or 6."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(-2.0, 2.0, 6)
    found = random_surface_points(ARM, np.tile(q, (200, 1)), rng)
    k = int(np.flatnonzero(found.link >= 5)[0])
    return (
        q,
        push_torque(ARM, q, found.link[k], found.point[k], 40.0 * found.normal[k]),
        found.point[k],
    )


@pytest.mark.parametrize("seed", range(8))
def test_a_contact_without_noise_is_found_to_a_centimetre(seed):
    q, torque, point = touch(seed)
    found = filter_contact(
        ARM, SURFACE, [(q, torque, np.full(6, 0.05))] * 10, np.random.default_rng(0)
    )
    assert np.linalg.norm(found.weights @ found.points - point) < 0.01


def test_the_same_generator_gives_the_same_bytes_and_another_does_not():
    q, torque, _ = touch(0)
    looks = [(q, torque, np.full(6, 0.5))] * 3
    one, same, other = (
        filter_contact(ARM, SURFACE, looks, np.random.default_rng(seed)) for seed in (4, 4, 5)
    )
    assert [part.tobytes() for part in one] == [part.tobytes() for part in same]
    assert one.points.tobytes() != other.points.tobytes()


def test_systematic_resampling_draws_each_as_often_as_its_weight_says():
    """N w times, rounded up or down, whatever is drawn; on average N w times."""
    rng = np.random.default_rng(1)
    weights = rng.dirichlet(np.full(40, 0.3))
    weights[[3, 39]] = 0.0
    weights /= weights.sum()
    counts = np.array(
        [np.bincount(particles.resample(weights, rng), minlength=40) for _ in range(4000)]
    )
    expected = 40 * weights
    assert (counts.sum(axis=1) == 40).all()
    assert (counts >= np.floor(expected)).all()
    assert (counts <= np.ceil(expected)).all()
    np.testing.assert_allclose(counts.mean(axis=0), expected, atol=0.04)


def test_the_best_force_in_a_cone_is_that_of_non_negative_least_squares():
    rng = np.random.default_rng(2)
    columns, r = rng.normal(size=(60, 3, 6)), rng.normal(size=6)
    misfit, force = particles.cone_misfit(columns, r, 0.5)
    for (normal, one, other), left, size in zip(columns, misfit, force, strict=True):
        edges = np.array(
            [normal + 0.5 * one, normal - 0.5 * one, normal + 0.5 * other, normal - 0.5 * other]
        ).T
        shares, residual = nnls(edges, r)
        assert left == pytest.approx(residual**2, abs=1e-6)
        assert size == pytest.approx(shares.sum(), abs=1e-5)


def test_particles_are_drawn_evenly_over_the_surface():
    body, _, _ = particles.draw_points(SURFACE, 20_000, np.random.default_rng(0))
    area = np.bincount(
        SURFACE.patches[:, 0].astype(int), SURFACE.patches[:, AREA], len(SURFACE.bodies)
    )
    np.testing.assert_allclose(
        np.bincount(body, minlength=len(area)) / 20_000, area / area.sum(), atol=1e-3
    )


def test_a_walk_stays_on_the_surface_and_goes_over_to_other_capsules():
    q, rng = np.array([0.3, -1.2, 1.4, -0.5, 1.2, 0.0]), np.random.default_rng(3)
    chart = begun = particles.draw_points(SURFACE, 2000, rng)
    for _ in range(5):
        chart = particles._walk(ARM, SURFACE, q, chart, rng)
    body, u, v = chart
    patch = np.array([int(np.flatnonzero(SURFACE.patches[:, 0] == b)[0]) for b in body])
    points, _ = surface_places(ARM, q, SURFACE, patch, u, v)
    assert np.isfinite(points).all()
    assert 0.05 < np.mean(body != begun[0]) < 0.6
    length, scale = SURFACE.shapes[body, 9], SURFACE.shapes[body, 10]
    assert (u >= -0.5 * np.pi * scale - 1e-12).all()
    assert (u <= length + 0.5 * np.pi * scale + 1e-12).all()


def test_what_lies_in_the_swept_space_is_not_touched():
    q, torque, point = touch(1)
    free = np.array([[[*(point - 1e-3), *(point + 1e-3), 0.05]]])
    found = filter_contact(
        ARM, SURFACE, [(q, torque, np.full(6, 1.0))] * 4, np.random.default_rng(0), free
    )
    assert found.weights.sum() == pytest.approx(1.0)
    assert np.linalg.norm(found.points - point, axis=1).min() > 0.04


def test_a_torque_that_no_push_explains_is_nowhere():
    torque = np.array([500.0, -500.0, 500.0, -500.0, 500.0, -500.0])
    found = filter_contact(
        ARM, SURFACE, [(np.zeros(6), torque, np.full(6, 1e-3))], np.random.default_rng(0)
    )
    assert not len(found.weights)


def test_a_run_finds_its_places_by_particles_and_repeats_them():
    changes = ["detection.place=particles", "time_limit=6", "record.signals=none"]
    runs = [simulate(load_world("whole_arm", changes), seed=seed) for seed in (0, 0, 1)]
    points = [run.data.felt_point.values for run in runs]
    patches = simulate(load_world("whole_arm", changes[1:]), seed=0).data.felt_point.values
    assert points[0].size
    assert points[0].tobytes() == points[1].tobytes()
    assert points[0].tobytes() != points[2].tobytes()
    assert points[0].shape != patches.shape or not np.array_equal(points[0], patches)
    assert set(runs[0].data.felt_link.values.ravel()) <= {
        0,
        *SURFACE.bodies[:, LINK].astype(int),
        -1,
    }


def test_a_map_of_the_tool_has_no_place_to_find():
    with refused("detection.place.*only the whole arm.*patches, or map.space: joints"):
        parse_world("format: 1\ndetection: {place: particles}\n")
