"""What an aim's conditions are said to be: met, or met so far; and how many runs would show it."""

from __future__ import annotations

import numpy as np
import pytest

from hopfield_nav.record import share_interval
from hopfield_nav.sweeps import Aim, Settings, conditions_of
from hopfield_nav.sweeps.sections import REACHED
from hopfield_nav.sweeps.settings import ALARMS, PEAK


def kept(name, condition, values):
    """How a setting whose runs gave these values stands."""
    values = np.array([values], float)
    reached = values if name == REACHED else np.ones_like(values)
    columns = {} if name == REACHED else {name: values}
    settings = Settings(reached, columns, np.empty((1, 0), int))
    aim = Aim.model_validate({"least": PEAK, "while": {name: condition}})
    (found,) = conditions_of(settings, 0, aim)
    return found


def test_three_of_three_runs_are_met_so_far_and_73_would_show_it():
    found = kept(REACHED, ">= 0.95", [1, 1, 1])
    assert (found.words, found.runs) == ("met so far", 73)
    assert (found.value.low, found.value.high) == pytest.approx((0.4385, 1.0), abs=1e-4)
    assert share_interval(73, 73)[0] >= 0.95 > share_interval(72, 72)[0]
    assert kept(REACHED, ">= 0.95", np.ones(73)).words == "met"
    assert kept(REACHED, ">= 0.95", np.ones(72)).words == "met so far"


def test_a_zero_count_is_met_so_far_too():
    found = kept(ALARMS, "<= 0", [0, 0, 0])
    assert (found.words, found.is_share, found.runs) == ("met so far", True, 35)
    assert found.value.high == pytest.approx(0.5615, abs=1e-4)
    assert kept(ALARMS, "<= 0", np.zeros(35)).words == "met"
    assert kept(ALARMS, "<= 0", np.zeros(34)).words == "met so far"


def test_what_is_not_met():
    assert kept(REACHED, ">= 0.95", [1, 0, 1, 1]).words == "not met so far"
    assert kept(REACHED, ">= 0.95", [0, 0, 0, 0, 0]).words == "not met"
    assert kept(ALARMS, "<= 0", [0, 1, 0, 0]).words == "not met so far"


def test_a_mean_is_met_where_students_interval_lies_below():
    loose = kept(PEAK, "<= 100", [80.0, 120.0, 70.0])
    assert (loose.words, loose.is_share) == ("met so far", False)
    assert loose.runs > 10
    assert kept(PEAK, "<= 100", [80.0, 81.0, 79.0]).words == "met"
    assert kept(PEAK, "<= 100", [80.0, 81.0]).words == "met so far"  # two runs have no interval
