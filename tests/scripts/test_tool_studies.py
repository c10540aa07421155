"""What the studies of the tool measure besides the suites that come along."""

from suites.tool_studies import smallest_cut

from hopfield_nav import load_world


def test_the_smallest_cut_of_a_wall_across_the_map_is_as_many_steps_as_the_map_is_wide():
    """Steps beside it are open, however near: a goal in a corner behind it is not cut off by the two to its cell."""
    grid = load_world("empty").map
    x = float(grid.centre([10, 0])[0] + 0.5 * grid.spacing)
    wall = f"obstacles=[{{box: {{center: [{x}, 0.0, 0.0], size: [0.004, 2.0, 1.0]}}}}]"
    world = load_world("empty", [wall, "goal={cell: [11, 0]}", "map.rim=free"])
    assert smallest_cut(world) == smallest_cut(world, touchable=True) == grid.shape[1]
    assert smallest_cut(load_world("empty")) is None
