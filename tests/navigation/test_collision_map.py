"""The collision map: mapping, rounding, marking."""

import numpy as np
import pytest
from refusals import refused

from hopfield_nav.navigation import CollisionMap
from hopfield_nav.navigation.map.collision_map import round_half_away


def test_rounding_is_matlabs():
    values = [0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.49999999999999994, 2.4, -2.6, 0.0]
    assert round_half_away(np.array(values)).tolist() == [1, 2, 3, -1, -2, -3, 0, 2, -3, 0]


def test_default_map_is_the_documents():
    world = CollisionMap.create()
    u, v = 18, 7  # counted from 1
    np.testing.assert_allclose(
        world.centre((u - 1, v - 1)), [0.0263 * u + 0.1238, 0.0263 * v - 0.2762, 0], atol=1e-15
    )
    assert world.blocked.sum() == 400 - 18 * 18
    assert not CollisionMap.create(rim="free").blocked.any()


def test_cell_of_inverts_centre():
    world = CollisionMap.create(origin=(0.1, -0.2, 0.3), spacing=0.05, shape=(4, 5, 6), rim="free")
    for cell in np.ndindex(4, 5, 6):
        assert world.cell_of(world.centre(cell)) == cell
        assert world.cell_of(world.centre(cell) + 0.0249) == cell
    assert all(type(c) is int for c in world.cell_of([0, 0, 0]))


def test_halves_go_as_in_the_documents_numbering():
    world = CollisionMap.create(origin=(0, 0, 0), spacing=0.5, rim="free")
    assert world.cell_of([0.25, 0.75, 0]) == (1, 2)
    # 0.5 and -0.5 counted from 1: cells 1 and -1
    assert world.cell_of([-0.25, -0.75, 0]) == (0, -2)


def test_outside():
    world = CollisionMap.create()
    assert world.cell_of([0, 0, 0]) == (-6, 10)
    assert not world.inside((-6, 10))
    assert world.inside((19, 0))
    assert not world.inside((20, 0))
    with refused("outside"):
        world.mark((-6, 10))


def test_mark():
    world = CollisionMap.create()
    for cell in ((3, 4), (3, 4), (0, 5)):  # twice the same, and one of the rim
        world.mark(cell)
    assert world.felt.sum() == 2
    assert world.blocked[3, 4]


@pytest.mark.parametrize("position", [[0.1], [np.nan, 0, 0]])
def test_bad_position_is_refused(position):
    with refused("at least 2 finite coordinates"):
        CollisionMap.create().cell_of(position)
