"""Exciting motions keep clear of the arm itself and of known solids; without being asked to they do not."""

import numpy as np
import pytest

from dynamics import load_arm
from dynamics.identification import NoExcitation, excite, limits_of
from hopfield_nav import geometry
from hopfield_nav.clearance import build_scene, collides
from hopfield_nav.extensions.known_world import excite_in

ARM = load_arm("ur5e")
FLOOR = geometry.pack_primitives([geometry.box([0, 0, -0.2], [2.0, 2.0, 0.1])])
FEW = {"random": 2, "iterations": 2, "harmonics": 3}


def touches(scene, trajectory):
    q, _, _ = trajectory(np.linspace(0, trajectory.period, 1000))
    return bool(collides(ARM, scene, q).any())


@pytest.mark.parametrize("solids", [None, FLOOR])
def test_the_motion_touches_nothing(solids):
    scene = build_scene(ARM) if solids is None else build_scene(ARM, solids)
    found = excite_in(ARM, scene, np.random.default_rng(1), 0.3, **FEW)
    assert not touches(scene, found.trajectory)
    blind = excite(ARM, limits_of(ARM, 0.3), np.random.default_rng(1), **FEW)
    assert touches(scene, blind.trajectory)
    assert np.isfinite(found.condition_number)


def test_an_arm_in_a_box_cannot_be_excited():
    box = geometry.pack_primitives([geometry.box([0, 0, 0], [2.0, 2.0, 2.0])])
    with pytest.raises(NoExcitation):
        excite_in(ARM, build_scene(ARM, box), np.random.default_rng(1), 0.3, random=1, iterations=1)
