"""What a run keeps of what the arm felt: every detection, and every passage."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from dynamics import html_table
from hopfield_nav.navigation import ContactHypotheses, Step


class Passage(NamedTuple):
    """A time for which the level was above ``detection.report``, be there an alarm in it or not."""

    begin: float  # [s]
    end: float  # [s]; NaN while it goes on
    level: float  # largest so far, as a share of ``report``


class DetectionRecord(NamedTuple):
    """A detection that was answered by a new plan (or by finding that there is none)."""

    time: float  # of the detection [s]
    # start of the true contact, the same for every detection on it [s]; NaN for a false alarm
    touch_time: float
    # cell, start: marked cell, and the cell from which the next path starts
    cell: tuple[int, ...]
    start: tuple[int, ...]
    position: np.ndarray  # (3,) true tool position [m]
    false_alarm: bool  # no true contact in the 50 ms before
    passed_by: bool  # the arm did not go back, but passed by: a glancing contact
    slid_until: float  # until when the arm then slid along what it felt [s]; NaN where it did not
    # (k, rank) cells that became marked, or unmarked; none are kept on a map of joint angles
    changed: np.ndarray
    # certainty of every touched step as it stood afterwards, 1 for facts
    closed: Mapping[Step, float]
    path: np.ndarray  # (k, rank) cells of the new path, after a slide; k = 0 when there is none
    places: ContactHypotheses  # where on the arm it may have been, on a map of joint angles
    # true_point, true_link: where the largest contact force acts at the detection, (3,) in base
    # axes [m], and the link, from 1; NaN and 0 where nothing touches then
    true_point: np.ndarray
    true_link: int
    replan_time: float  # computing time of mark, plan, inverse kinematics and splines [s]

    def __repr__(self) -> str:
        return f"<Detection at {self.time:.4g} s: {self._cause}, {len(self.path)} cells to go>"

    def _repr_html_(self) -> str:
        x, y, z = self.position
        rows = [
            ("what", self._cause),
            ("tool", f"{x:.4f}, {y:.4f}, {z:.4f} m"),
            ("marked cell", self.cell),
            ("new path", f"{len(self.path)} cells from {self.start}" if len(self.path) else "none"),
        ]
        return html_table(f"Detection at {self.time:.4g} s", rows)

    @property
    def _cause(self) -> str:
        if self.false_alarm:
            return "false alarm"
        kind = "graze" if self.passed_by else "collision"
        return f"{kind}, felt {1e3 * (self.time - self.touch_time):.3g} ms after the touch"
