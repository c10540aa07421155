"""An arm with its frames: what is drawn is where ``link_frames`` says, and joints turn as they turn."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

from dynamics import link_frames, list_arms, load_arm
from hopfield_nav.figures.solid import add_frames, default_pose, make_view, plot_frames, project
from hopfield_nav.figures.solid.frames import AXES


@pytest.mark.parametrize("name", list_arms())
def test_every_frame_has_its_number_where_its_origin_is(name):
    arm = load_arm(name)
    q = default_pose(arm)
    ax = Figure().add_subplot()
    add_frames(ax, arm, q)
    expected = project(make_view(), link_frames(arm, q)[:, :3, 3])
    texts = {text.get_text(): text.get_position() for text in ax.texts}
    for number, place in enumerate(expected):
        np.testing.assert_allclose(texts[str(number)], place)
    assert {f"q{joint}" for joint in range(1, len(q) + 1)} <= set(texts)


def test_a_positive_turn_goes_round_its_axis_by_the_right_hand():
    """Seen from the tip of its axis the arc of joint 1 goes counter-clockwise."""
    arm = load_arm("ur5_ragazzon2012")
    ax = Figure().add_subplot()
    above = make_view(elevation=89.9)
    add_frames(ax, arm, default_pose(arm), above)
    x, y = ax.lines[0].get_xydata().T
    angle = np.unwrap(np.arctan2(y - y.mean(), x - x.mean()))
    assert (np.diff(angle) > 0).all()


def test_the_frames_are_called_after_what_the_file_gives():
    def words(dh):
        (legend,) = plot_frames(load_arm("panda"), dh=dh).legends
        return [text.get_text() for text in legend.get_texts()]

    assert words(True)[:3] == list(AXES)
    assert words(True)[-1] == "DH frame of the link"
    assert words(False)[-1] == "frame of the link"
