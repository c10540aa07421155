"""What a sweep is said to take."""

from hopfield_nav.sweeps import estimate, load_sweep

SWEEP = "format: 1\nworld: empty\nset: {time_limit: 0.1}\nvary: {detection.threshold: [2, 3, 4]}\n"


def test_workers_and_figures_count_where_there_are_some(tmp_path, monkeypatch):
    monkeypatch.setattr("hopfield_nav.sweeps.forecast.warm_up", lambda sweep: None)
    (tmp_path / "three.yaml").write_text(SWEEP)
    sweep = load_sweep(tmp_path / "three.yaml")
    with_workers, alone = estimate(sweep, 3, 2), estimate(sweep, 3, 0, drawn=False)
    assert min(with_workers.start, with_workers.figures) > 0.0
    assert with_workers.total == with_workers.start + with_workers.seconds + with_workers.figures
    assert (alone.start, alone.figures) == (0.0, 0.0)
