"""The likely link of a push that is made up: the true one is in the set."""

from __future__ import annotations

import numpy as np
import pytest
from isolation.surface_points import random_surface_points
from refusals import refused
from served import CONSTANT

from dynamics import gravity_torque, load_arm
from hopfield_nav.isolation import push_torque
from hopfield_nav.logs import given_motors
from hopfield_nav.plugin import find_method
from hopfield_nav.wire import DetectorStream, Row, StreamMethods

ARM = load_arm("ur5_controller")
Q = np.array([0.3, -1.2, 1.4, -0.6, 0.5, 0.2])
FORCE, BEGIN = 60.0, 120  # [N], row


def judge(noise=0.05):
    methods = find_method("estimator", "momentum_observer"), find_method("detector", "joint_torque")
    motors = given_motors([CONSTANT] * 6, 6)
    return DetectorStream(
        StreamMethods(ARM, *methods, {"pole": 50.0, "threshold": 0.5}, motors, np.full(6, noise))
    )


def row(k, push=0.0):
    zero = np.zeros(6)
    return Row(0.008 * k, Q, zero, Q, zero, zero, (gravity_torque(ARM, Q) - push) / CONSTANT)


@pytest.mark.parametrize("link", [2, 3, 4, 5, 6])
def test_the_link_that_is_pushed_is_in_the_set(link):
    places = random_surface_points(ARM, np.repeat(Q[None], 900, axis=0), np.random.default_rng(1))
    found = 0
    for k in np.flatnonzero(places.link == link)[:6]:
        force = FORCE * places.normal[k : k + 1]
        torque = push_torque(ARM, Q[None], np.array([link]), places.point[k : k + 1], force)[0]
        if np.abs(torque).max() < 2.0:
            continue  # along an axis: hardly felt
        one = judge()
        seen = [one.judge(row(i, torque if i >= BEGIN else 0.0)) for i in range(BEGIN + 20)]
        (first, *_) = (s for s in seen if s.detected)
        assert BEGIN * 0.008 <= first.time <= (BEGIN + 10) * 0.008
        assert link in first.place.links
        assert first.place.best_link in first.place.links
        found += 1
    assert found >= 2


def test_an_alarm_at_once_has_no_place():
    one = judge()
    seen = [one.judge(row(i, np.full(6, 50.0) if i else 0.0)) for i in range(5)]
    (first, *_) = (s for s in seen if s.detected)
    assert first.place is None


def test_time_that_stands_still_is_refused():
    one = judge()
    one.judge(row(3))
    with refused("time does not increase"):
        one.judge(row(3))
    one.restart(125.0)
    assert one.judge(row(3)).level == 0.0
