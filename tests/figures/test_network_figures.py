"""Pictures of the network: what they draw is what the record, or the plan, says."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure
from refusals import refused, refused_by_command

from hopfield_nav import load_world, plan_path, simulate
from hopfield_nav.cli.app import main
from hopfield_nav.figures import network as drawn
from hopfield_nav.figures import paper_style
from hopfield_nav.figures.run.draw import pages_of, plot_run
from hopfield_nav.figures.run.network import NetworkLayer, NetworkOfRun, network_page
from hopfield_nav.figures.run.on_request import convergence_page, settling
from hopfield_nav.figures.run.pages import key_moments
from hopfield_nav.planning import Plan


@pytest.fixture(scope="module")
def run():
    """The main experiment, whole."""
    return simulate(load_world("ragazzon2012"))


@pytest.fixture
def ax():
    return Figure().add_subplot()


def walled():
    blocked = np.zeros((12, 12), bool)
    blocked[6, 2:] = True
    return blocked, (2, 9), (10, 9)


def test_in_one_corridor_the_depth_of_both_networks_is_the_number_of_steps():
    corridor = np.ones((3, 9), bool)
    corridor[1] = False
    for network, beta in (("limit", None), ("sum", 1e-4)):
        plan = plan_path(corridor, (1, 8), (1, 0), network, beta)
        depths = drawn.depth(plan.landscape, plan.beta)
        np.testing.assert_allclose(depths[1], np.arange(9), atol=1e-6)
        assert np.isinf(depths[0]).all()
        np.testing.assert_array_equal(drawn.steps_of_climb(plan.landscape)[1], np.arange(9))


def test_many_walks_make_the_sum_less_deep_than_its_climb_is_long(run):
    """The main experiment's first plan: ln σ/ln β is 15.8 where the climb takes 20 steps, and 19.0 where 25."""
    found = NetworkOfRun(run)
    for k, length, depth in ((0, 20, 15.8), (17, 25, 19.0)):
        start = tuple(found.paths[k][0])
        assert len(found.paths[k]) - 1 == length == found.steps_of_climb(k)[start]
        assert found.depth(k)[start] == pytest.approx(depth, abs=0.05)


def test_the_steps_of_a_climb_are_those_of_its_path_and_none_lead_out_of_a_false_maximum():
    blocked, start, goal = walled()
    for network, beta in (("sum", 0.1), ("limit", None)):
        plan = plan_path(blocked, start, goal, network, beta)
        steps = drawn.steps_of_climb(plan.landscape)
        assert (steps[blocked] == -1).all()
        np.testing.assert_array_equal(steps[tuple(plan.cells.T)], np.arange(len(plan.cells))[::-1])
    empty = plan_path(np.zeros((20, 20), bool), (1, 2), (18, 19), "sum", 0.2527)
    assert empty.cells is None
    assert drawn.steps_of_climb(empty.landscape)[1, 2] == -1


def test_a_scale_is_called_what_it_is(run):
    assert NetworkOfRun(run).label == drawn.DEPTH_LABEL
    scales = [ax.get_ylabel() for ax in network_page(run).axes]
    assert drawn.DEPTH_LABEL in scales
    assert not any("steps to the goal" in label for label in scales)
    limit = plan_path(*walled())
    assert drawn.depth_label(limit.landscape) == drawn.STEPS_LABEL
    longer = plan_path(*walled(), radius=1.5)
    assert drawn.depth_label(longer.landscape) == drawn.DISTANCE_LABEL


def test_the_strip_has_the_steps_that_are_left_beside_the_depth(run):
    strip = network_page(run).axes[-3]
    lines = {line.get_label(): line.get_xydata() for line in strip.lines}
    np.testing.assert_array_equal(lines["steps left"], [[-25, 25], [0, 0]])
    np.testing.assert_allclose(lines["after touch 17"][0], [-25, 19.0], atol=0.05)


def test_every_shadow_shows_a_change():
    """The last plan of this run changes the distance of no cell: the one before is shown."""
    page = network_page(simulate(load_world("u_trap")))
    shadows = [ax for ax in page.axes if ax.get_title().startswith("since ")]
    assert len(shadows) == 3
    for ax in shadows:
        assert np.abs(ax.images[0].get_array().compressed()).max() > 0.5


def test_an_arrow_leads_to_the_neighbour_that_is_climbed(ax):
    blocked, start, goal = walled()
    plan = plan_path(blocked, start, goal, "sum", 0.1)
    plan.plot(ax)
    (arrows,) = [c for c in ax.collections if hasattr(c, "U")]
    at = np.rint(arrows.XY).astype(int)
    move = np.rint(np.stack([arrows.U, arrows.V], axis=1)).astype(int)
    np.testing.assert_array_equal(at + move, plan.landscape.climbed(at))
    assert len(at) == (~blocked).sum() - 1  # all but the goal
    colours = ax.images[0].get_array()
    np.testing.assert_allclose(colours[9, 2], plan.log_activation[2, 9] / np.log(0.1))
    assert colours.mask[5, 6]


def test_a_plan_of_three_axes_is_cut_where_its_path_is():
    blocked = np.zeros((6, 5, 7), bool)
    plan = plan_path(blocked, (1, 3, 0), (4, 3, 6))
    plane = drawn.plane_along(plan.cells, blocked.shape)
    assert plane.axes == (0, 2)
    assert plane.cell[1] == 3
    assert plane.holds(plan.cells).all()
    np.testing.assert_array_equal(plane.of(plan.distance), plan.distance[:, 3])
    plan.plot(Figure().add_subplot())
    other = np.array([[0, k, 2] for k in range(5)])
    assert drawn.axes_along([plan.cells, other[:2]], blocked.shape) == (0, 2)
    assert drawn.axes_along([other, other], blocked.shape) != (0, 2)


def test_a_notebook_shows_a_plan_and_other_planners_have_no_network():
    plan = plan_path(*walled())
    assert plan.plot()._repr_png_().startswith(b"\x89PNG")
    with refused("plot: no network to draw"):
        Plan(None, "", np.inf, "mine").plot()


def test_four_plans_are_shown_with_their_paths(run):
    found = NetworkOfRun(run)
    assert found.chosen() == [0, 1, 9, 17]
    page = network_page(run)
    titles = [ax.get_title() for ax in page.axes if ax.get_title()]
    assert titles[0] == "at the start"
    assert titles[3].startswith("after touch 17, ")
    assert titles[4:] == ["since the start", "since touch 8", "since touch 16"]
    for k in found.chosen():
        np.testing.assert_array_equal(
            found.landscape(k).climbed(found.paths[k][:-1]), found.paths[k][1:]
        )
        along = run.data.activation.values[k][tuple(found.paths[k].T)]
        assert (np.diff(along) > 0).all()


def test_a_run_without_a_network_has_no_such_page(run):
    for name in ("network", "convergence"):
        assert name != "network" or name in pages_of(run)
    limit = simulate(load_world("u_trap", ["time_limit=0.1"]))
    assert convergence_page(limit) is None
    assert (
        network_page(simulate(load_world("u_trap", ["time_limit=0.1", "record.network=false"])))
        is None
    )
    with refused("plot: this run has no such figure"):
        plot_run(limit, "convergence")


def test_it_settles_sooner_from_the_last_state_and_lyapunov_never_rises(run):
    found = NetworkOfRun(run)
    for k in (1, 9, 17):
        fresh = settling(found, k, None)
        warm = settling(found, k, np.exp(run.data.activation.values[k - 1]))
        assert 60 < len(fresh[0]) < 110
        assert 40 < len(warm[0]) < len(fresh[0])
        for trace in (fresh, warm):
            assert np.diff(trace[1]).max() < 1e-13
        assert fresh[1][-1] == pytest.approx(warm[1][-1], abs=1e-15)


def test_the_layer_follows_the_time(run, ax):
    layer = NetworkLayer(ax, run)
    found, times = NetworkOfRun(run), run.data.plan_time.values
    for k, time in ((0, 0.0), (0, times[1] - 1e-3), (1, times[1]), (17, 1e3)):
        layer.show(time)
        shown = layer.artists[0].get_array()
        np.testing.assert_array_equal(shown.filled(np.inf), found.depth(k).T)


def test_moments_stand_in_the_order_of_the_document(run):
    """Figure 7.3: initial position, first collision, another, moving freely, not registered, destination."""
    titles = [moment.title for moment in key_moments(run)]
    assert titles[0] == "start"
    assert titles[1] == "first collision"
    assert titles[2].startswith("collision ")
    assert titles[3:] == ["moving freely", "missed contact", "goal reached"]


def test_a_fall_has_no_maps_and_shows_speeds():
    fall = simulate(load_world("ragazzon2012_fall", ["time_limit=0.5"]))
    assert (
        set(pages_of(fall))
        & {"maps", "trajectory", "collision_space", "joint_error", "force_magnitude"}
        == set()
    )
    page = plot_run(fall, "joints")
    labels = {ax.get_ylabel() for ax in page.axes}
    assert {"angle (rad)", "speed (rad/s)"} <= labels
    speed = next(ax for ax in page.axes if ax.get_ylabel() == "speed (rad/s)")
    np.testing.assert_array_equal(
        np.sort(speed.lines[0].get_ydata())[-1], fall.data.qd.values[:, 0].max()
    )


def test_the_reference_page_draws_the_splines_of_a_plan(run):
    page = plot_run(run, "reference")
    position, speed, acceleration = page.axes[:3]
    low, high = position.get_xlim()
    part = run.data.sel(time=slice(low, high))
    for ax, name in ((position, "q_ref"), (speed, "qd_ref"), (acceleration, "qdd_ref")):
        for k in range(6):
            assert ax.lines[k].get_ydata().max() == part[name].values[:, k].max()


def test_the_network_at_the_third_touch_is_one_panel(run, tmp_path, capsys):
    """Of its plan, as wide as a journal asks for, without the grey line; and into axes of one's own."""
    found = NetworkOfRun(run)
    ax = run.plot("network", Figure().add_subplot(), touch=3)
    seen = ax.images[0].get_array()
    np.testing.assert_allclose(seen.filled(np.inf), found.depth(3).T)
    assert ax.get_title() == f"after touch 3, {run.data.event_time.values[2]:.1f} s"
    run.save(tmp_path / "run")
    where = str(tmp_path / "run")
    chosen = ["--only", "network", "--touch", "3", "--width", "88"]
    assert main(["plot", where, *chosen, "--no-footer"]) == 0
    path = tmp_path / "run" / "figures" / "network_touch_3.png"
    assert capsys.readouterr().out.split() == [str(path)]
    bare = plt.imread(path)
    assert bare.shape[1] == pytest.approx(88 / 25.4 * 300, abs=1)
    assert main(["plot", where, *chosen]) == 0
    noted = plt.imread(path)
    assert noted.shape[0] > bare.shape[0]
    assert noted.shape[1] == bare.shape[1]
    with paper_style(width=0.088, footer=False):
        assert run.plot("network", touch=3).get_figwidth() == pytest.approx(8.8 / 2.54)
        assert run.plot("trajectory").get_figwidth() == pytest.approx(8.8 / 2.54)
    for wrong, words in (("0", "1 to 17"), ("18", "1 to 17")):
        arguments = ["plot", where, "--only", "force_zoom", "--touch", wrong]
        refused_by_command(capsys, arguments, words)
    refused_by_command(capsys, ["plot", where, "--only", "forces", "--touch", "3"], "force_zoom")


@pytest.mark.parametrize("width", [88, 180])
def test_no_panel_of_the_network_touches_another(run, width):
    """Every title and name of an axis is free of the panels and words beside it."""
    with paper_style(width=1e-3 * width):
        page = network_page(run)
        page.draw_without_rendering()
        boxes = [
            [text.get_window_extent() for text in (ax.title, ax.xaxis.label) if text.get_text()]
            for ax in page.axes
        ]
    for k, own in enumerate(boxes):
        for box in own:
            others = [other for j, more in enumerate(boxes) if j != k for other in more]
            assert not any(box.overlaps(other) for other in others)
            panels = [ax.get_window_extent() for j, ax in enumerate(page.axes) if j != k]
            assert not any(box.overlaps(panel) for panel in panels)


def test_a_touch_of_forces_is_chosen_by_its_number(run):
    for touch in (1, 3):
        ax = run.plot("force_zoom", Figure().add_subplot(), touch=touch)
        low, high = ax.get_xlim()
        assert low < run.data.touch_time.values[touch - 1] < high
        assert low < run.data.event_time.values[touch - 1] < high


def test_a_short_delay_has_its_arrow_points_outside_and_its_words_beside():
    """6 ms of half a second: an arrow between would be a star, and its words lie over the line."""
    quick = simulate(load_world("ragazzon2012_momentum", ["time_limit=8"]))
    ax = quick.plot("force_zoom", plt.figure().add_subplot(), touch=1)
    touch, detection = (float(quick.data[name][0]) for name in ("touch_time", "event_time"))
    arrows = [a for a in ax.texts if a.arrow_patch is not None]
    assert sorted(arrow.xy[0] for arrow in arrows) == pytest.approx([touch, detection])
    (words,) = [a for a in ax.texts if a.get_text().startswith("delay")]
    assert words.xy[0] > detection
    assert words.get_ha() == "left"
    plt.close("all")
