"""The picture and the film of a run on a map of joint angles: every mark is in the legend, and none is painted over."""

import pytest

from hopfield_nav import load_world, simulate
from hopfield_nav.extensions.whole_arm.figures import PlacesPanel, places_page
from hopfield_nav.figures import film_style, new_figure, paper_style


@pytest.fixture(scope="module")
def run():
    return simulate(load_world("whole_arm", ["time_limit=1"]))


def test_the_legend_has_every_mark(run):
    with paper_style():
        (legend,) = places_page(run).legends
    assert {"start", "goal", "obstacles", "path of the tool"} <= {
        text.get_text() for text in legend.texts
    }


def test_start_and_goal_of_the_film_are_drawn_over_the_solids(run):
    with film_style():
        panel = PlacesPanel(new_figure(4, 3).add_subplot(), run)
    assert len(panel.ends) == 2
    assert all(panel.artists.index(mark) > panel.artists.index(panel.solids) for mark in panel.ends)
