"""The notebooks of the documentation, executed in an empty folder: they print what is stored in them."""

from __future__ import annotations

import nbformat
import pytest
from documentation.notebooks import FOLDER, executed, printed

NOTEBOOKS = sorted(path.stem for path in FOLDER.glob("*.ipynb"))


@pytest.fixture(autouse=True)
def found_by_the_kernel(monkeypatch):
    """The kernel is another process: it has the packages from where the tests have them."""
    monkeypatch.setenv("PYTHONPATH", str(FOLDER.parents[1]))
    monkeypatch.delenv("HOPFIELD_NAV_DATA", raising=False)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_prints_what_is_stored(name, tmp_path):
    path = FOLDER / f"{name}.ipynb"
    assert printed(executed(path, tmp_path)) == printed(nbformat.read(path, as_version=4))


def test_the_detector_feels_pushes_on_a_real_arm(data_folder, tmp_path, monkeypatch):
    monkeypatch.setenv("HOPFIELD_NAV_DATA", str(data_folder))
    told = str(printed(executed(FOLDER / "own_detector.ipynb", tmp_path)))
    assert "alarms at [" in told
    assert "alarms at []" not in told
