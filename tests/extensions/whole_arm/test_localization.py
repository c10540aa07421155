"""From torque to places on the arm, with gears that give and ideal ones."""

from __future__ import annotations

import numpy as np
import pytest
from benches import suite_module

from dynamics import load_arm
from hopfield_nav.extensions.isolation import push_torque
from hopfield_nav.extensions.whole_arm import numbers
from hopfield_nav.extensions.whole_arm.localization import localize_contact, when_to_look
from hopfield_nav.geometry import arm_distance, pack_primitives, sphere

random_surface_points = suite_module("surface_points").random_surface_points

GIVING = load_arm("ur5_full")
IDEAL = GIVING._replace(presliding=np.full(6, np.inf))
# [rad/s] all joints move: no torque of ideal ones is hidden
QD = np.array([0.4, 0.3, -0.3, 0.2, 0.3, 0.0])
ONSET, END, LAG = 0.30, 0.33, 0.01  # [s]
WHITE = np.array([0.3, 0.3, 0.3, 0.05, 0.05, 0.05])  # [N·m] of the estimated torque


def touch(seed: int, force: float = 50.0, friction: float = 0.0):
    """Rows of a trace and the point of a push against the side of links 4 to 6 that leads.

    With ``friction`` the force lies on the cone about the normal, to a random side.
    """
    rng = np.random.default_rng(seed)
    end = rng.uniform([-2, -2, 0.5, -1, 0.8, -1], [2, -1, 1.5, 1, 1.5, 1])
    found = random_surface_points(GIVING, np.tile(end, (400, 1)), rng)
    torque = push_torque(GIVING, np.tile(end, (400, 1)), found.link, found.point, found.normal)
    chosen = int(np.argmin(np.where(found.link >= 4, torque @ QD, np.inf)))
    link, point, normal = (part[chosen] for part in (found.link, found.point, found.normal))
    side = np.cross(normal, np.random.default_rng([seed, 1]).normal(size=3))
    push = normal + friction * side / np.linalg.norm(side)
    time = np.arange(0.0, END + 5e-4, 1e-3)
    rows = np.zeros((len(time), 14))
    rows[:, 0] = time
    rows[:, 2:8] = end + np.minimum(time - ONSET, 0.0)[:, None] * QD
    risen = 1.0 - np.exp(-np.maximum(time - ONSET, 0.0) / LAG)
    rows[:, 8:] = force * risen[:, None] * push_torque(GIVING, end, link, point, push) + rng.normal(
        0.0, WHITE, (len(time), 6)
    )
    return rows, point


def error(places, point) -> float:
    return float(np.linalg.norm(places.points[0] - point)) if len(places.points) else 9.0


def test_the_whole_touch_tells_more_than_its_last_moment():
    touches = [touch(seed) for seed in range(20)]
    giving, ideal = (
        [error(localize_contact(GIVING, rows, ONSET, model), point) for rows, point in touches]
        for model in (GIVING, IDEAL)
    )
    assert np.mean(np.array(giving) <= 0.04) >= 0.8
    assert np.mean(giving) < np.mean(ideal)


def test_weights_on_a_rough_surface_are_honest_and_on_a_smooth_one_stay_so(monkeypatch):
    """Mean square of weight less truth (Brier), with the belief that a surface may be rough, and without."""
    wrong: dict[tuple[float, bool], float] = {}
    for friction in (0.0, 0.6):
        touches = [touch(seed, friction=friction) for seed in range(40)]
        for believed in (True, False):
            monkeypatch.setattr(numbers, "ROUGH_SHARE", 0.05 if believed else 1e-300)
            found = [
                (localize_contact(GIVING, rows, ONSET, GIVING), point) for rows, point in touches
            ]
            squares = [
                (places.weights[0] - (error(places, point) <= 0.04)) ** 2 for places, point in found
            ]
            wrong[friction, believed] = float(np.mean(squares))
    assert wrong[0.6, True] < 0.5 * wrong[0.6, False]
    assert wrong[0.0, True] < 0.05


@pytest.mark.parametrize("model", [GIVING, IDEAL], ids=["giving", "ideal"])
def test_where_the_arm_was_free_it_is_not_touched(model):
    excluded = 0
    for seed in range(8):
        rows, _ = touch(seed, force=15.0)
        before = localize_contact(GIVING, rows, ONSET, model)
        poses = rows[-1, 2:8] + np.linspace(0.05, 0.3, 16)[:, None] * QD
        depth = arm_distance(GIVING, poses, pack_primitives(sphere(p, 1e-6) for p in before.points))
        if depth.min(axis=(0, 1))[0] > -0.025:  # not wholly in the arm
            continue
        after = localize_contact(GIVING, rows, ONSET, model, passed=poses)
        apart = np.linalg.norm(after.points - before.points[0], axis=1)
        assert not len(apart) or apart.min() > 0.005
        excluded += 1
    assert excluded >= 3


def test_a_gear_stiffer_than_its_encoder_sees_makes_places_less_sure():
    touches = [touch(seed, force=15.0)[0] for seed in range(8)]
    fine, coarse = (
        [localize_contact(GIVING, rows, ONSET, GIVING, None, step).weights[0] for rows in touches]
        for step in (0.0, 1e-4)
    )
    assert np.mean(coarse) < np.mean(fine) - 0.1


@pytest.mark.parametrize("periods", [1, 8, 10])
def test_what_the_model_leaves_is_taken_off_whatever_the_period(periods):
    """Of slow periods as many rows of free motion are looked at; and a joint that moves hides nothing."""
    errors = []
    for seed in range(12):
        rows, point = touch(seed, 20.0)
        rows[:, 8:] += [1.0, 3.0, 2.0, 0.3, 0.2, 0.1]
        every = rows[len(rows) % periods :: periods] if periods > 1 else rows
        errors.append(error(localize_contact(GIVING, every, ONSET, IDEAL), point))
    assert np.median(errors) < 0.015


def test_ideal_gears_are_read_as_before():
    rows, _ = touch(3)
    plain = localize_contact(GIVING, rows, ONSET, IDEAL)
    other = localize_contact(GIVING, rows, ONSET, IDEAL, rows[-1:, 2:8], 1e-4)
    for a, b in zip(plain, other, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("rise", "model", "later"),
    [
        (0.3, IDEAL, numbers.LATER),
        (0.002, GIVING, numbers.LEAST_LATER),
        (0.03, GIVING, 0.03),
        (0.3, GIVING, numbers.MOST_LATER),
    ],
)
def test_a_touch_that_rises_slowly_is_looked_at_longer(rise, model, later):
    assert when_to_look(1.0 - rise, 1.0, model) == pytest.approx(1.0 + later)
