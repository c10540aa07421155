"""From a recorded push to a plan around it: each step of the page, on the recording of a real UR5."""

from __future__ import annotations

import numpy as np
import pytest
import real_touch_to_plan as steps
from matplotlib.figure import Figure
from measured_part import KEPT, ROOT

from dynamics import load_arm
from hopfield_nav.extensions.whole_arm.blocking import cells_near


@pytest.fixture(autouse=True)
def _data(data_folder, monkeypatch):
    monkeypatch.setenv("HOPFIELD_NAV_DATA", str(data_folder))


def test_the_page_has_what_is_measured():
    kept = (ROOT / KEPT / "real_touch_to_plan.md").read_text(encoding="utf-8")
    assert steps.step_table() == kept.strip()


def test_the_push_is_felt_on_joint_1_against_its_motion():
    felt = steps.touch()
    speed = steps.r.recording(steps.r.PUSHED).qd.values[felt.row]
    assert np.abs(felt.torque / felt.noise).argmax() == 0
    assert felt.torque[0] * speed[0] < 0.0


def test_the_free_run_at_the_same_place_of_the_stroke_shows_no_push():
    felt = steps.touch()
    free = steps.peers(felt.first)[felt.row - felt.first]
    assert np.all(np.abs(free) < 2.0 * felt.noise)


def test_doubted_are_the_cells_at_whose_centres_the_arm_is_near_a_place():
    known, (_, places) = steps.mapped(), steps.place()
    near = np.zeros(known.certainty.shape, dtype=bool)
    for point in places.points:
        near |= cells_near(load_arm(steps.ARM), known.grid, point, 0.03).reshape(near.shape)
    assert np.array_equal(known.certainty > 0.0, near)


def test_the_plan_leads_around_what_the_plan_before_leads_through():
    known = steps.mapped()
    around, before = steps.planned()
    through = [known.closed[tuple(plan.cells.T)].any() for plan in (around, before)]
    assert through == [False, True]
    for plan in (around, before):
        assert tuple(plan.cells[0]) == known.start
        assert tuple(plan.cells[-1]) == known.goal
    assert around.length >= before.length


def test_the_picture_has_four_panels():
    figure = steps.steps_figure()
    assert isinstance(figure, Figure)
    titles = [ax.get_title(loc="left") for ax in figure.axes]
    assert [title for title in titles if title] == ["a  Estimate", "b  Place", "c  Map", "d  Plan"]
