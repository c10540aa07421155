"""Runs that take no time: rows whose numbers follow from the values and the seed of a run."""

from __future__ import annotations

import numpy as np

from hopfield_nav.sweeps.settings import ALARMS, MISSED, PEAK, TIME
from hopfield_nav.sweeps.table import make_row

THRESHOLD, STIFFNESS = "detection.threshold", "contact.stiffness"
NOISE = {"sensors.velocity_noise": 0.01}


def made_up_run(sweep, index, folder=None):
    """The row of a run; the least force is that of a threshold of 12."""
    job = sweep.job(index)
    threshold = job.values.get(THRESHOLD, 12)
    random = np.random.default_rng([job.seed, round(1e3 * threshold)])
    force = 100.0 + 5.0 * abs(threshold - 12) + random.standard_normal()
    numbers = {ALARMS: 0, MISSED: 0, PEAK: force, TIME: 50.0 + random.random()}
    return make_row(sweep, job, {"outcome": "reached", **numbers})
