"""How far the tool came on the way through walls: looks now and then, beside a look at every step."""

from __future__ import annotations

import numpy as np
import pytest

from dynamics import forward_kinematics, load_arm
from dynamics.kernels.decorators import kernel
from dynamics.kinematics import update_frames
from dynamics.work import make_work
from hopfield_nav.geometry import box, pack_primitives, tool_body, upright_cylinder
from hopfield_nav.loop import SUNK_SHARE, ContactLaw, make_contact
from hopfield_nav.loop.contact import make_touch
from hopfield_nav.loop.sinking import watch_sinking

ARM = load_arm("ur5_controller")
STRETCHED = np.array([0.0, -0.9, 1.2, -0.3, -1.5708, 0.0])


@kernel
def largest_share(arm, contact, work, touch, path, every_step):
    """(largest share, how often one was found) along a path of joint angles (m, n)."""
    largest, looks = 0.0, 0
    for k in range(path.shape[0]):
        update_frames(arm, path[k], work)
        if every_step:
            contact.shallow[:] = -1.0
        watch_sinking(contact, work, touch)
        largest = max(largest, touch.now.share)
        looks += touch.now.share > 0.0
    return largest, looks


def wall(rng, kind):
    """A wall across the way of the tool after a quarter of a turn: cylinders that overlap, or a thin box."""
    x, y, z = forward_kinematics(ARM, STRETCHED)[:3, 3]
    place, out = np.array([-y, x]), np.array([-y, x]) / np.hypot(x, y)
    if kind == "box":
        turned = np.array([[out[0], -out[1], 0.0], [out[1], out[0], 0.0], [0.0, 0.0, 1.0]])
        return pack_primitives([box((*place, z), (0.3, rng.uniform(0.005, 0.1), 0.4), turned)])
    apart, radius = rng.uniform(0.5, 1.9), rng.uniform(0.005, 0.05)
    shift = rng.uniform(-0.5, 0.5)
    return pack_primitives(
        [upright_cylinder(place + (k + shift) * apart * radius * out, radius) for k in range(-3, 4)]
    )


@pytest.mark.parametrize("kind", ["cylinders", "box"])
def test_who_goes_through_is_seen_whatever_looks_are_left_out(kind):
    rng, through, counts = np.random.default_rng(3), [], np.zeros(2)
    for _ in range(40):
        solids, end = wall(rng, kind), np.pi / 2 + rng.uniform(-0.1, 0.1)
        path = np.tile(STRETCHED, (4000, 1))
        path[:, 0] = end * np.sin(np.linspace(0.0, np.pi, len(path)))  # there and back
        contact = make_contact(ContactLaw(1e4, 0.0, 0.0), solids, tool_body(ARM))
        seen, looks = largest_share(ARM, contact, make_work(6), make_touch(), path, False)
        true, steps = largest_share(ARM, contact, make_work(6), make_touch(), path, True)
        through.append(true >= SUNK_SHARE)
        assert (seen == true) if through[-1] else (seen < SUNK_SHARE)
        counts += looks, steps
    assert 5 < sum(through) < 35
    assert counts[0] < 0.5 * counts[1]
