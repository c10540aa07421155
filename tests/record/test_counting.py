"""One rule by which touches are counted, whoever counts them."""

from __future__ import annotations

import numpy as np
import pytest

from hopfield_nav import load_world, simulate
from hopfield_nav.cli.saved import _SHOWN
from hopfield_nav.extensions.recordings.commands.quiet import _RUN_SAYS
from hopfield_nav.record import SHOWN
from hopfield_nav.sweeps.by_value import MAIN


@pytest.mark.parametrize(
    "settings", [[], ["sensors.velocity_noise=0.01", "time_limit=20"]], ids=["quiet", "noisy"]
)
def test_detections_are_contacts_that_were_felt_false_alarms_and_further_ones(settings):
    run = simulate(load_world("u_trap", settings))
    told, touched = run.summary, run.data.touch_time.values
    false = np.isnan(touched)
    first = len(np.unique(touched[~false]))
    further = np.count_nonzero(~false) - first
    assert told["false_alarm_count"] == np.count_nonzero(false)
    assert first == told["contact_count"] - told["silent_contact_count"]
    counted = told["collision_count"] + told["graze_count"]
    assert counted == first + told["false_alarm_count"] + further


@pytest.mark.parametrize("table", [SHOWN, _SHOWN, MAIN, _RUN_SAYS])
def test_false_alarms_stand_beside_all_detections(table):
    assert {"false_alarm_count", "collision_count", "graze_count"} <= set(table)
