"""Parameter sets against the torque that a recorded UR5 computed for itself, and tu2023 chapter 5."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from dynamics import load_arm

ROOT = Path(__file__).parents[2]
import recorded_runs  # noqa: E402
from documentation.tables import recorded_torques  # noqa: E402
from kebria2016 import recordings  # noqa: E402
from recorded_runs import MOVING, NO_ROTORS, RUNS, STANDSTILL, residual, residuals, sets, size  # noqa: E402
from tu2023 import experiment, real_data  # noqa: E402


@pytest.fixture(autouse=True)
def _data(data_folder, monkeypatch):
    monkeypatch.setenv("HOPFIELD_NAV_DATA", str(data_folder))


@pytest.mark.parametrize("run", RUNS)
def test_controller_set(run):
    assert residual(load_arm("ur5_controller"), run).max() < 0.05
    assert residual(sets()[recorded_runs.GRAVITY_9_82], run).max() < 0.003


@pytest.mark.parametrize("run", MOVING)
def test_every_other_set_is_ten_times_further_off(run):
    best = residual(load_arm("ur5_controller"), run).max()
    for name in (NO_ROTORS, "ur5_tu2023", "ur5_ragazzon2012", "ur5_ragazzon2012_as_printed"):
        arm = sets()[name] if name in sets() else load_arm(name)
        assert residual(arm, run).max() > 10 * best, name


def test_rotor_inertia_is_what_is_left_without_it():
    """The residual of the set without rotors is their inertia times the recorded acceleration, no more."""
    for run in MOVING:
        qdd = recorded_runs.recording(run).qdd_ref.values
        expected = load_arm("ur5_controller").rotor_inertia * np.sqrt(np.mean(qdd**2, axis=0))
        np.testing.assert_allclose(residual(sets()[NO_ROTORS], run), expected, rtol=0.01, atol=0.05)


def test_forearm_of_the_web_page():
    """Gravity alone, so neither tensors nor rotors play a part."""
    tu, adopted = (
        residual(load_arm("ur5_tu2023"), STANDSTILL),
        residual(sets()[NO_ROTORS], STANDSTILL),
    )
    assert 0.3 < tu[1] < 0.55
    assert 0.3 < tu[2] < 0.55
    assert adopted.max() < 0.025
    assert np.delete(tu, [1, 2]).max() < 0.002


def test_tu2023_in_motion():
    tu = load_arm("ur5_tu2023")
    for run in MOVING:
        share = residual(tu, run) / size(run)
        assert share[0] > 0.3
        assert share[5] > 0.98
        assert share[1] < 0.05


def test_kebria2016_is_not_the_most_accurate():
    kebria, kufieta = load_arm("ur5_kebria2016"), sets()[NO_ROTORS]
    assert residual(kebria, STANDSTILL).max() > 10 * residual(kufieta, STANDSTILL).max()
    # in motion the missing rotors hide the difference between the two
    assert residuals(kebria, MOVING).max() == pytest.approx(
        residuals(kufieta, MOVING).max(), rel=0.05
    )


def test_sampling_period():
    np.testing.assert_allclose(experiment.periods(), 0.008, atol=1e-6)
    assert len(experiment.periods()) == 4


def test_torque_constant():
    """Between 5 and 10.5 N·m/A in joints 2 and 3; never one constant for all joints."""
    for run in MOVING:
        measured = experiment.torque_constants("current", run)
        commanded = experiment.torque_constants("current_ref", run)
        assert 9 < measured[1] < 10.5
        assert 10 < commanded[1] < 10.5
        assert 8.2 < commanded[2] < 9.7
        assert 5 < measured[2] < 7.5
        ratio = experiment.ratio_of_maxima(run)
        assert ratio[1] > 10 * ratio[4]
        assert ratio.mean() > 1.4 * experiment.PUBLISHED_CONSTANT


def test_verdicts():
    verdicts = {
        row.claim: row.verdict for chapter in (real_data, recordings) for row in chapter.rows()
    }
    assert sorted(verdicts.values()) == ["refuted", "refuted", "refuted", "reproduced"]
    found = [row.verdict for row in experiment.rows()]
    assert found == ["reproduced", "refuted", "refuted"]


def test_figure_is_drawn(tmp_path):
    (path,) = real_data.draw(tmp_path)
    assert 10_000 < path.stat().st_size < 120_000


def test_documented_table_is_measured():
    """The table in docs/lab/recordings.md, number by number."""
    page = (ROOT / "docs" / "lab" / "recordings.md").read_text(encoding="utf-8")
    found, expected = ([_cells(line) for line in text.splitlines() if line.startswith("| `")] for text in (
        page[page.index("| parameter set"):], recorded_torques(),
    ))  # fmt: skip
    assert [names for names, _ in found] == [names for names, _ in expected]
    for (names, ours), (_, theirs) in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0.01, atol=2e-4, err_msg=str(names))


def _cells(line):
    cells = [re.sub(r"\s+", " ", cell.strip()) for cell in line.strip("|").split("|")]
    return tuple(cells[:2]), [float(cell) for cell in cells[2:]]
