"""Slices of a map of joint angles: they show what is known at every angle that the arm had."""

import numpy as np

from hopfield_nav import simulate
from hopfield_nav.extensions.whole_arm.figures import draw_slice, felt_map, last_configuration
from hopfield_nav.figures import new_figure
from hopfield_nav.world import parse_world

BEHIND = """
format: 1
map: {space: joints, shape: [24, 10, 10, 6, 4, 1]}
known: [{box: {size: [0.1, 1.2, 2.4], center: [0.0, -0.9, 0.5]}}]
start: {joints: [0.0, -0.6, 0.3, -1.3, -1.5, 0]}
goal: {joints: [2.9, -0.6, 0.3, -1.3, -1.5, 0]}
"""


def test_the_map_of_a_joint_goes_on_where_the_arm_went_beyond_half_a_turn():
    """The axis of joint 1 is closed: its panel shows what is known at every angle that the arm had."""
    world = parse_world(BEHIND)
    run = simulate(world)
    made, q = felt_map(run), run.data.q.values
    assert run.outcome == "reached"
    assert q[:, 0].min() < made.grid.lower[0] - 0.1
    ax = draw_slice(new_figure(4, 3).add_subplot(), run, made, 0, 1)
    (image,) = ax.images
    left, right, low, high = image.get_extent()
    assert left <= q[:, 0].min() < q[:, 0].max() <= right
    assert right - left >= 2 * np.pi - 1e-9
    shown, at = image.get_array()[..., 3], np.array(made.grid.cell_of(q[0]))
    width, height = (right - left) / shown.shape[1], (high - low) / shown.shape[0]
    for angle in np.linspace(left + 0.01, right - 0.01, 50):
        for up in np.linspace(low + 0.01, high - 0.01, 7):
            cell = made.grid.cell_of(np.array([angle, up, *q[0][2:]]))
            known = made.known[(cell[0] % made.grid.shape[0], cell[1], *at[2:])]
            assert (shown[int((up - low) / height), int((angle - left) / width)] == 1.0) == known
    assert np.isclose(last_configuration(run, made), q[0]).all()
