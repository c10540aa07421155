"""What an estimate of the force says beside the true one, for the suites ``wrist`` and ``wrist_bundled``."""

from collections import Counter

import numpy as np

from hopfield_nav.plugin import Measures
from hopfield_nav.record import contact_delays

PRESSED = 5.0  # [N] from where on the error of the estimate is asked


def measure(run):
    """Delays of first alarms and angles at all; of the rows with a true force of ``PRESSED`` the error and its angle.

    ``angles_deg`` counts the whole degrees between both, "DEGREES:ROWS" each.
    """
    true, found = run.data.force.values, run.data.force_estimate.values
    pressed = np.linalg.norm(true, axis=1) >= PRESSED
    delays = contact_delays(run.data.event_time.values, run.data.touch_time.values)
    degrees = Counter(np.rint(angle(found, true)[pressed]).astype(int).tolist())
    return {
        "delays_ms": _listed(1e3 * delays[np.isfinite(delays)]),
        "pressed_rows": int(pressed.sum()),
        "error_squared_N2": float((np.linalg.norm(found - true, axis=1)[pressed] ** 2).sum()),
        "angles_deg": " ".join(f"{angle}:{rows}" for angle, rows in sorted(degrees.items())),
        "turned_deg": _listed(at_alarms(run, true, found)),
    }


COLUMNS = {
    "delays_ms": "",
    "pressed_rows": "1",
    "error_squared_N2": "1",
    "angles_deg": "",
    "turned_deg": "",
}
MEASURES = Measures(measure, COLUMNS)


def at_alarms(run, true, found):
    """Angle between the estimate at each alarm on a contact and the true force of the period before [°]."""
    step, period = run.world.plant.step, round(run.world.controller.period / run.world.plant.step)
    rows = np.rint(run.data.event_time.values / step).astype(int)
    rows = rows[(rows >= period) & (rows < len(true))]
    latest = np.array([_latest(true[k - period : k]) for k in rows]).reshape(-1, 3)
    return angle(found[rows], latest)[latest.any(axis=1)]


def _latest(forces):
    """The last force of a period that is not zero."""
    pressed = forces[np.any(forces != 0.0, axis=1)]
    return pressed[-1] if len(pressed) else np.zeros(3)


def angle(found, true):
    """Angle between two forces a row [°]; 90 where one is zero."""
    size = np.linalg.norm(found, axis=1) * np.linalg.norm(true, axis=1)
    cosine = np.einsum("ki,ki->k", found, true) / np.where(size > 0.0, size, 1.0)
    return np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))


def _listed(values):
    return " ".join(f"{value:.3g}" for value in values)
