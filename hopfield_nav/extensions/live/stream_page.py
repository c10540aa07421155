"""A live stream as its page shows it: the last minutes of it, thinned, and its alarms."""

import time as clock
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np

from dynamics import Arm, forward_kinematics
from hopfield_nav.extensions.viewer import LivePage, curve, describe, frame_rows, joint_panel, panel
from hopfield_nav.figures import COLOURS

SPAN, RATE = 120.0, 20.0  # [s] that the page shows, [1/s] rows that are kept of it
LOOK_EVERY = 2.0  # [s] between two pages
_ALARMS = 200  # that are kept


class StreamPage:
    """What was watched lately of an arm, on a page of a folder, at ``address``, that the browser loads anew."""

    def __init__(self, arm: Arm, title: str, folder: Path) -> None:
        self._arm, self._title, self._page = arm, title, LivePage(folder, "watch")
        self.address = self._page.address
        self._rows: deque[tuple[float, np.ndarray, float, np.ndarray]] = deque(
            maxlen=round(SPAN * RATE)
        )
        self._alarms: deque[tuple[float, str]] = deque(maxlen=_ALARMS)
        self._shown = -np.inf

    def add(self, time: float, q: np.ndarray, level: float, torque: np.ndarray) -> None:
        """A row: time [s], joint angles (n,) [rad], level, external torque (n,) [N·m].

        Of rows that follow within 1/``RATE`` the first is kept, with the largest level.
        """
        if self._rows and time < self._rows[-1][0]:  # its clock began anew
            self._rows.clear()
            self._alarms.clear()
        if self._rows and time - self._rows[-1][0] < 1.0 / RATE - 1e-6:
            begun, angles, highest, felt = self._rows[-1]
            self._rows[-1] = (
                begun,
                angles,
                max(highest, level),
                torque if level > highest else felt,
            )
        else:
            self._rows.append((time, np.array(q), level, np.array(torque)))
        if clock.monotonic() - self._shown >= LOOK_EVERY:
            self._shown = clock.monotonic()
            self._page.show(self.describe())

    def add_alarm(self, time: float, words: str) -> None:
        """An alarm at a time [s], in words."""
        self._alarms.append((time, words))

    def close(self) -> None:
        """Show the end."""
        if self._rows:
            self._page.show(self.describe(), done=True)

    def describe(self) -> dict[str, Any]:
        """Everything that the page shows, ready for JSON; at least one row must have come."""
        time, q, level, torque = (np.array(column) for column in zip(*self._rows, strict=True))
        alarms = [(when, words) for when, words in self._alarms if when >= time[0]]
        rows = frame_rows(time, np.array([when for when, _ in alarms], dtype=float))
        return describe(
            self._title,
            f"{time[-1]:.1f} s; the last {time[-1] - time[0]:.0f} s are shown",
            self._arm,
            time[rows],
            q[rows],
            forward_kinematics(self._arm, q[rows])[:, :3, 3],
            events=[{"time": when, "touch": None, "kind": "collision"} for when, _ in alarms],
            panels=[
                panel(
                    "alarm level",
                    "of the threshold",
                    [curve("level", COLOURS.felt, level, rows)],
                    {"alarm": 1.0},
                ),
                joint_panel("external torque", "N·m", torque, rows),
            ],
            results=[[f"alarm at {when:.3f} s", words] for when, words in alarms[::-1]],
        )
