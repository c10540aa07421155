"""What an estimate is made of is what was last measured here."""

import pytest

from dynamics.kernels import cache
from hopfield_nav.experiment import last_seconds, note_seconds, timings
from hopfield_nav.sweeps import estimate, load_sweep

SWEEP = "format: 1\nworld: empty\nset: {time_limit: 0.1}\nvary: {detection.threshold: [2, 3, 4]}\n"


@pytest.fixture(autouse=True)
def _place(monkeypatch, tmp_path):
    monkeypatch.setattr(cache, "cache_folder", lambda: tmp_path / "code")


def test_the_last_time_is_remembered_and_a_damaged_note_is_none():
    assert (last_seconds("page"), last_seconds("page", 1.0)) == (0.0, 1.0)
    note_seconds("page", 7.5)
    assert (last_seconds("page", 1.0), last_seconds("workers", 3.0)) == (7.5, 3.0)
    for damaged in ("{", '{"page": -1}', "[]"):
        timings._place().write_text(damaged)
        assert last_seconds("page", 1.0) == 1.0
    note_seconds("page", 2.0)
    assert last_seconds("page") == 2.0


def test_a_sweep_is_estimated_from_it(tmp_path, monkeypatch):
    monkeypatch.setattr("hopfield_nav.sweeps.forecast.warm_up", lambda sweep: None)
    (tmp_path / "three.yaml").write_text(SWEEP)
    sweep = load_sweep(tmp_path / "three.yaml")
    note_seconds("workers", 15.0)
    note_seconds("page", 5.0)
    told = estimate(sweep, 3, 2)
    assert (told.start, told.figures) == (15.0, 10.0)  # outcomes, and lines over one parameter
    alone = estimate(sweep, 3, 0, drawn=False)
    assert (alone.start, alone.figures) == (0.0, 0.0)
