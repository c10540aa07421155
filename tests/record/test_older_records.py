"""Folders that older versions of the program have saved: six seconds of ``u_trap``, every 200th step."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from hopfield_nav.cli import main
from hopfield_nav.record import felt_places, load_run, score_run

HERE = Path(__file__).parent
SAVED = {
    "before the rooms were built": HERE / "saved_before",
    "before navigation was put together": HERE / "saved_before_composition",
    "before there were extensions": HERE / "saved_before_extensions",
}
OF_JOINTS = HERE / "saved_joints_before_extensions"  # twenty seconds of shelf_whole_arm


@pytest.fixture(params=SAVED.values(), ids=SAVED)
def folder(request, tmp_path):
    return Path(shutil.copytree(request.param, tmp_path / "run"))


def test_it_loads(folder):
    run = load_run(folder)
    assert (run.outcome, run.summary["collision_count"]) == ("time_limit", 1)
    assert set(run.data.variables) >= {"time", "q", "tau", "force", "event_time", "event_cell"}
    assert run.data.sizes["time"] == 30
    first, second = run.plans()
    assert tuple(first.path[-1]) == tuple(second.path[-1])
    assert second.felt.sum() == 1
    assert second.felt[tuple(second.cell)]
    assert score_run(run).false_alarms == run.summary["false_alarm_count"] == 0
    np.testing.assert_allclose(np.diff(run.data.time), 0.2)


@pytest.mark.needs("viewer")
def test_it_is_drawn_viewed_and_exported(folder, sketched, capsys):
    page = folder / "page.html"
    assert main(["plot", str(folder)]) == 0
    assert main(["view", str(folder), "--html", str(page)]) == 0
    assert main(["export", str(folder), "--csv", "--mat"]) == 0
    capsys.readouterr()
    assert len(list(folder.rglob("*.png"))) >= 3
    assert page.stat().st_size > 100_000
    rows = (folder / "signals.csv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 31
    assert list(folder.glob("*.mat"))


@pytest.mark.needs("whole_arm")
def test_a_run_on_a_map_of_joint_angles_loads_and_is_drawn_viewed_compared_and_exported(
    tmp_path, sketched, capsys
):
    folder = Path(shutil.copytree(OF_JOINTS, tmp_path / "run"))
    run = load_run(folder)
    assert run.summary["collision_count"] == len(felt_places(run)) > 0
    assert main(["plot", str(folder)]) == 0
    assert {"places.png", "slices.png"} <= {path.name for path in folder.rglob("*.png")}
    assert main(["view", str(folder), "--html", str(folder / "page.html")]) == 0
    assert main(["export", str(folder), "--csv", "--scene", "mjcf"]) == 0
    assert main(["compare", str(folder), str(HERE / "saved_before_extensions")]) == 0
    assert "collisions" in capsys.readouterr().out
