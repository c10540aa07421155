"""What chapters 7.3 and 8.1 of ragazzon2012 leave to others."""

import pytest
from ragazzon2012 import suggestions
from ragazzon2012.contact import RIGHT
from ragazzon2012.experiment import run


@pytest.mark.parametrize("name", suggestions.OTHERS)
def test_other_methods_are_quicker(name):
    assert suggestions.first_delay(name) < 0.1 * suggestions.first_delay()
    assert suggestions.alarms_in_free_motion(name) == 0


def test_where_the_felt_cells_lie():
    share, count = suggestions.left_share()
    assert count == run(RIGHT).summary["felt_cell_count"]
    assert 0 < share <= 1


def test_paths_at_any_angle_are_smoother():
    assert suggestions.roughness(*suggestions.SMOOTH) < 0.8 * suggestions.roughness()
    assert run(RIGHT, *suggestions.SMOOTH).outcome == "reached"


@pytest.mark.parametrize("world", suggestions.SLID)
def test_sliding_is_faster(world):
    replanned, slid = (recorded.summary for recorded in suggestions.slid(world))
    assert slid["simulated_time_s"] < replanned["simulated_time_s"]
    assert slid["collision_count"] < replanned["collision_count"]


@pytest.mark.parametrize("world", suggestions.IN_SPACE)
def test_three_dimensions(world):
    assert run(world).outcome == "reached"


def test_the_whole_arm_arrives():
    """All but the time is what is kept."""
    kept, measured = suggestions.whole_arm(), suggestions.whole_arm.__wrapped__()
    assert measured[:3] == kept[:3]


def test_which_link():
    """A fifth of the pushes."""
    total, inside, best = suggestions.links_found.__wrapped__(suggestions.PUSHES // 5)
    assert total > 30
    assert inside >= 0.95 * total
    assert best > 0.75 * total
