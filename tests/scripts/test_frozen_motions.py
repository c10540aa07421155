"""Worlds that were drawn once and kept: what makes one worth a run is true of each."""

import numpy as np
import pytest
from benches import suite_module

from dynamics import load_arm
from hopfield_nav.build import build_obstacles
from hopfield_nav.extensions.clearance import build_scene, collides, motion_is_free
from hopfield_nav.world import parse_world

KEPT = suite_module("frozen_motions")
ARM = load_arm("ur5_ragazzon2012")


@pytest.mark.parametrize("family", KEPT.FAMILIES)
def test_the_straight_motion_touches_something_and_both_ends_keep_the_margin(family):
    for seed, bound, joints in KEPT.frozen(family)[::10]:
        q = np.array(joints).reshape(2, 6)
        world = parse_world(KEPT.world_text(family, seed, joints[:6], joints[6:])).resolve(0)
        assert len(world.obstacles) > 2
        solids = build_obstacles(world)
        assert not motion_is_free(ARM, build_scene(ARM, solids), q[0], q[1])
        assert not collides(ARM, build_scene(ARM, solids, KEPT.MARGIN), q).any()
        # a goal a whole turn further is as good
        turned = np.remainder(q[1] - q[0] + np.pi, 2 * np.pi) - np.pi
        assert bound >= np.linalg.norm(turned) - 1e-3


def test_a_motion_that_meets_nothing_is_not_kept(monkeypatch):
    monkeypatch.setattr(KEPT, "motion_is_free", lambda *_: True)
    assert KEPT.draw("box", KEPT.frozen("box")[0][0], ARM) is None
