"""When a contact began that was felt later."""

from __future__ import annotations

import numpy as np
import pytest

from dynamics.kernels.decorators import kernel
from hopfield_nav.control import find_onset, make_belief, make_trace, remember
from hopfield_nav.plugin import make_sensed


@kernel
def _fill(trace, sensed, belief, times, levels):
    for k in range(times.size):
        sensed.time[0], sensed.q[0] = times[k], times[k]
        belief.now.level = levels[k]
        remember(trace, sensed, belief)


def onset_of(levels, period=0.001, since=-np.inf):
    trace, times = make_trace(1), period * np.arange(len(levels))
    _fill(trace, make_sensed(1), make_belief(1), times, np.asarray(levels, dtype=float))
    found = find_onset(trace, since)
    assert found.q[0] == found.time
    return found.time


@pytest.mark.parametrize("rise", [lambda t: 40 * t, lambda t: 4e3 * t**2])
@pytest.mark.parametrize("floor", [0.0, 0.3])
def test_the_beginning_of_a_rise_is_found(rise, floor):
    """A level that follows the force at once rises in a line, one behind an observer bends upwards."""
    t = 0.001 * np.arange(400)
    levels = floor + rise(np.maximum(t - 0.35, 0.0))
    levels = levels[: int(np.argmax(levels > 1.0)) + 1]
    last = 0.001 * (len(levels) - 1)
    assert abs(onset_of(levels) - 0.35) < 0.4 * (last - 0.35)


def test_only_what_was_measured_since_the_plan_counts():
    levels = [0.0] * 50 + [2.0] * 100 + [3.0]
    assert onset_of(levels, since=0.1) >= 0.1
    assert onset_of([0.5] * 20) == pytest.approx(0.019)


def test_the_ring_forgets_the_oldest_rows():
    levels = [0.0] * 3000 + list(np.linspace(0.0, 1.2, 13))
    assert onset_of(levels) == pytest.approx(3.0, abs=0.002)
