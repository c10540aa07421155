"""What a reaction does to the force that comes with an alarm, for the suite ``reactions``."""

import numpy as np

from hopfield_nav.plugin import Measures

BEFORE, BEHIND = 0.2, 1.0  # [s] of an alarm: the stretch over which the force is added up


def measure(run):
    """Medians over all alarms: the largest force behind, and the impulse."""
    time, force = run.data.time.values, np.linalg.norm(run.data.force.values, axis=1)
    steps, largest, impulses = np.gradient(time), [], []
    for alarm in run.data.event_time.values:
        behind = (time >= alarm) & (time <= alarm + BEHIND)
        about = (time >= alarm - BEFORE) & (time <= alarm + BEHIND)
        largest.append(force[behind].max())
        impulses.append(float(force[about] @ steps[about]))
    if not largest:
        return dict.fromkeys(COLUMNS)
    return {"force_behind_N": float(np.median(largest)), "impulse_Ns": float(np.median(impulses))}


COLUMNS = {"force_behind_N": "N", "impulse_Ns": "N s"}
MEASURES = Measures(measure, COLUMNS)
