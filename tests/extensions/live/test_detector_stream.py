"""The likely link of a push that is made up: the true one is in the set."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from benches import suite_module
from refusals import refused
from served import CONSTANT

from dynamics import gravity_torque, load_arm
from hopfield_nav.extensions.isolation import push_torque
from hopfield_nav.extensions.live import DetectorStream, StreamMethods
from hopfield_nav.extensions.live.commands.watch import alarm_line
from hopfield_nav.extensions.live.detector_stream import Seen, likely_links
from hopfield_nav.extensions.recordings import given_motors
from hopfield_nav.plugin import find_method

random_surface_points = suite_module("surface_points").random_surface_points

ARM = load_arm("ur5_controller")
Q = np.array([0.3, -1.2, 1.4, -0.6, 0.5, 0.2])
FORCE, BEGIN = 60.0, 120  # [N], row


def judge(noise=0.05, tool_alone=False):
    methods = find_method("estimator", "momentum_observer"), find_method("detector", "joint_torque")
    motors = given_motors([CONSTANT] * 6, 6)
    return DetectorStream(
        StreamMethods(
            ARM,
            *methods,
            {"pole": 50.0, "threshold": 0.5},
            motors=motors,
            noise=np.full(6, noise),
            tool_alone=tool_alone,
        )
    )


def row(k, push=0.0):
    zero = np.zeros(6)
    return 0.008 * k, np.array([Q, zero, Q, zero, zero, (gravity_torque(ARM, Q) - push) / CONSTANT])


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
        seen = [one.judge(*row(i, torque if i >= BEGIN else 0.0)) for i in range(BEGIN + 20)]
        (first, *_) = (s for s in seen if s.detected)
        assert BEGIN * 0.008 <= first.time <= (BEGIN + 10) * 0.008
        assert link in first.place.links
        assert first.place.best_link in first.place.links
        found += 1
    assert found >= 2


def test_an_alarm_at_once_has_no_place():
    one = judge()
    seen = [one.judge(*row(i, np.full(6, 50.0) if i else 0.0)) for i in range(5)]
    (first, *_) = (s for s in seen if s.detected)
    assert first.place is None


def test_time_that_stands_still_is_refused():
    one = judge()
    one.judge(*row(3))
    with refused("time does not increase"):
        one.judge(*row(3))
    one.restart(125.0)
    assert one.judge(*row(3)).level == 0.0


def believed(*probability):
    """An isolation of six links, with the base, of such probabilities."""
    return SimpleNamespace(best_link=int(np.argmax(probability)), probability=np.array(probability))


@pytest.mark.parametrize(
    ("probability", "named"),
    [
        ((0, 0, 0.02, 0.96, 0.02, 0, 0), (3,)),  # one link is as good as sure
        ((0, 0, 0.3, 0.6, 0.06, 0.02, 0.02), (3, 2, 4)),  # three are needed for 95 %
        ((0, 0.1, 0.1, 0.2, 0.2, 0.2, 0.2), ()),  # nearly all of them: it cannot be told
        ((1, 0, 0, 0, 0, 0, 0), ()),  # no push on a link explains the torques
    ],
)
def test_the_links_are_named_that_together_have_95_percent_or_none(probability, named):
    links = likely_links(believed(*probability))
    assert tuple(link for link, _ in links) == named
    line = alarm_line(Seen(1.0, 2.0, np.zeros(6), True, None, links))
    assert ("which link cannot be told" in line) == (not named)
    assert all(f"link {link} ({probability[link]:.0%})" in line for link in named)


def test_without_a_place_it_cannot_be_told():
    assert likely_links(None) == ()


@pytest.mark.parametrize("alone", [True, False])
def test_the_tool_is_named_where_nothing_else_can_touch_and_only_there(alone):
    """The same push on the upper arm: a world in which the tool alone touches leaves no other link."""
    places = random_surface_points(ARM, np.repeat(Q[None], 60, axis=0), np.random.default_rng(1))
    k = np.flatnonzero(places.link == 2)[:1]
    force = FORCE * places.normal[k]
    torque = push_torque(ARM, Q[None], np.array([2]), places.point[k], force)[0]
    one = judge(tool_alone=alone)
    seen = [one.judge(*row(i, torque if i >= BEGIN else 0.0)) for i in range(BEGIN + 20)]
    (first, *_) = (s for s in seen if s.detected)
    assert first.tool_alone == alone
    assert ("at the tool, which alone can touch" in alarm_line(first)) == alone
    assert (first.links == ((6, 1.0),)) == alone
    assert alone or 2 in dict(first.links)
