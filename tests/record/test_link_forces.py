"""Peak and lasting force of each link: their laws, and where they are told."""

import csv
import json

import numpy as np
import pytest
from scipy.io import loadmat

from hopfield_nav import load_world, simulate
from hopfield_nav.figures.run import draw_run_figures
from hopfield_nav.figures.run.draw import pages_of
from hopfield_nav.figures.run.on_request import link_forces_page
from hopfield_nav.record import BODY_REGIONS, export_csv, export_mat, link_forces, link_forces_of

STEP = 0.001


def rows(*contacts, end=3.0):
    """Time, link and force along x of contacts (link, begin, end, force at a time since its begin)."""
    time = STEP * np.arange(round(end / STEP))
    link, force = np.zeros(len(time), dtype=int), np.zeros((len(time), 3))
    for number, begin, until, size in contacts:
        inside = (time >= begin) & (time < until)
        link[inside], force[inside, 0] = number, size(time[inside] - begin)
    return time, link, force


def test_an_impact_is_a_peak_and_what_stays_after_half_a_second_is_lasting():
    time, link, force = rows(
        (3, 1.0, 2.0, lambda t: np.where(t < 0.01, 90.0, np.where(t < 0.5, 40.0, 20.0)))
    )
    found = link_forces(time, link, force, force)["3"]
    assert found["peak_force_N"] == 90.0
    assert found["lasting_force_N"] == pytest.approx(20.0, rel=1e-3)


def test_a_contact_shorter_than_half_a_second_does_not_last():
    time, link, force = rows(
        (2, 0.5, 0.9, lambda t: 0 * t + 30.0), (2, 1.5, 1.9, lambda t: 0 * t + 35.0)
    )
    assert link_forces(time, link, force, force) == {
        "2": {"peak_force_N": 35.0, "lasting_force_N": None}
    }


def test_every_link_has_its_own_and_of_several_contacts_the_hardest():
    time, link, force = rows(
        (2, 0.0, 0.8, lambda t: 0 * t + 10.0),
        (2, 1.0, 1.8, lambda t: 0 * t + 15.0),
        (5, 2.0, 2.1, lambda t: 0 * t + 70),
    )
    found = link_forces(time, link, force, force)
    assert found == {
        "2": {"peak_force_N": 15.0, "lasting_force_N": pytest.approx(15.0)},
        "5": {"peak_force_N": 70.0, "lasting_force_N": None},
    }


def test_several_forces_on_one_side_add_up_and_those_that_clamp_do_not_cancel():
    time, link, force = rows((1, 1.0, 1.2, lambda t: 0 * t + 10.0))
    assert link_forces(time, link, force, 1.5 * force)["1"]["peak_force_N"] == 15.0
    assert link_forces(time, link, force, 0.0 * force)["1"]["peak_force_N"] == 10.0


def test_what_is_never_touched_has_no_forces():
    time, link, force = rows()
    assert link_forces(time, link, force, force) == {}


def test_the_limits_are_those_of_the_table():
    found = {region.name: (region.lasting, region.peak) for region in BODY_REGIONS}
    assert len(found) == 12
    assert found["face"] == (65.0, None)
    assert found["skull and forehead"] == (130.0, None)
    assert found["hands and fingers"] == (140.0, 280.0)
    assert min(region.peak for region in BODY_REGIONS if region.peak) == 220.0  # of the abdomen


@pytest.fixture(scope="module")
def run():
    return simulate(load_world("u_trap", ["time_limit=8"]))


def test_summary_record_and_exports_say_the_same(run, tmp_path):
    told = run.summary["link_forces"]
    assert max(each["peak_force_N"] for each in told.values()) == pytest.approx(
        run.summary["peak_contact_force_N"]
    )
    saved = json.loads((run.save(tmp_path / "run") / "summary.json").read_text())
    assert saved["link_forces"] == told == link_forces_of(run.data)
    with export_csv(run, tmp_path, every=50)[-1].open(newline="", encoding="utf-8") as file:
        lines = list(csv.reader(file))
    assert lines[0] == ["link [1]", "peak_force [N]", "lasting_force [N]"]
    assert {line[0]: float(line[1]) for line in lines[1:]} == {
        k: v["peak_force_N"] for k, v in told.items()
    }
    table = loadmat(export_mat(run, tmp_path / "run.mat"))["link_forces"]
    assert table[:, 1].tolist() == [v["peak_force_N"] for v in told.values()]


def test_without_signals_there_are_none():
    assert (
        simulate(load_world("u_trap", ["time_limit=7", "record.signals=none"])).summary[
            "link_forces"
        ]
        == {}
    )


def test_the_figure_is_drawn_on_request_alone(run, tmp_path):
    assert "link_forces" not in pages_of(run)
    assert [path.name for path in draw_run_figures(run, tmp_path, only="link_forces")] == [
        "link_forces.png"
    ]
    words = {text.get_text() for ax in link_forces_page(run).axes for text in ax.texts}
    assert {f"link {link}" for link in run.summary["link_forces"]} <= words
