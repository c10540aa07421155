"""Due times that do not drift, and lateness as it was."""

from __future__ import annotations

import numpy as np
import pytest

from hopfield_nav.extensions.live.server import Pace


def test_rows_that_are_late_do_not_move_those_after_them():
    pace, now = Pace(10.0, speed=2.0), 0.0
    for k in range(100_000):
        now = max(now, pace.due(0.008 * k)) + (0.02 if k % 1000 == 500 else 1e-5)
        pace.note(0.008 * k, now)
    assert pace.due(0.008 * 100_000) == pytest.approx(10.0 + 400.0)
    assert pace.last == pytest.approx(1e-5, rel=1e-3)
    assert pace.latest == pytest.approx(0.02)


def test_quantiles_are_those_of_the_sample():
    late = np.random.default_rng(0).lognormal(np.log(1e-3), 1.0, 20_000)
    pace = Pace(0.0)
    for k, one in enumerate(late):
        pace.note(float(k), k + one)
    assert pace.mean == pytest.approx(late.mean(), rel=1e-6)
    for share in (0.5, 0.99):
        assert pace.quantile(share) == pytest.approx(np.quantile(late, share), rel=0.15)
    assert pace.quantile(1.0) == pytest.approx(late.max(), rel=1e-6)


def test_nothing_told_was_not_late():
    assert (Pace(0.0).mean, Pace(0.0).quantile(0.5), Pace(0.0).rows) == (0.0, 0.0, 0)


def test_a_row_before_its_time_was_not_late():
    pace = Pace(0.0)
    pace.note(5.0, 4.0)
    assert pace.latest == 0.0
