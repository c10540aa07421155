"""Isolation narrowed by what the arm swept free before.

Obstacles stand still, so that a point of the surface that lies where the arm was a moment ago, and felt nothing,
cannot be touched: what is left is mostly the side that leads. The first instant of a contact tells where it is: later
the contact slides and bounces, and an observer lags.

A model that is wrong leaves a residual in free motion too. It changes slowly, so that the straight line through the
residuals just before contact, continued to the present, takes most of it away.
"""

from collections import deque

import numpy as np

from dynamics import Arm, BadInput
from dynamics.batches import as_rows
from hopfield_nav.extensions.isolation import contact_link
from hopfield_nav.geometry import capsules_in_base

MOST_POSES = 256  # free poses that are remembered
LEAST_BASELINE = 8  # residuals that make a line
_SPACING = 0.005  # [rad] sum over the joints between two of them: some 5 mm at the end of the arm


class ContactIsolator:
    """Links and patches that can be touched, narrowed while the arm moves.

    The arm and ``sigma`` (``felt`` may get another) are as for ``isolate``, with its defaults. The latest ``hold_back``
    poses of ``moved_free`` before contact is felt do not count: contact begins before it is felt. From the depth
    ``margin`` in an earlier pose a point counts as swept [m].

    So many residuals as ``baseline`` says of ``moved_free``, before those held back, give the line that is subtracted
    from what is felt; 0: nothing is subtracted. ``sigma`` is then the noise of what is left of it.
    """

    def __init__(
        self, arm: Arm, sigma: np.ndarray | float, *, hold_back: int = 50, margin: float = 0.003, baseline: int = 0
    ) -> None:
        if baseline != 0 and baseline < LEAST_BASELINE:
            raise BadInput("no line", where="baseline", found=baseline, allowed=f"0 or >= {LEAST_BASELINE}")
        if hold_back < 0 or margin < 0:
            raise BadInput("must not be negative", where="ContactIsolator", found=(hold_back, margin))
        contact_link.whitening(sigma, len(arm.dh))
        self.arm, self.sigma, self.surface, self._margin = arm, sigma, contact_link.default_surface(arm), margin
        self._recent: deque[np.ndarray] = deque()
        self._hold_back, self._baseline = hold_back, baseline
        self._residuals: deque[np.ndarray] = deque(maxlen=baseline + hold_back)
        self._free: deque[np.ndarray] = deque(maxlen=MOST_POSES)
        self._last: np.ndarray | None = None
        self.instants = 0  # number of residuals since contact began
        self._rows: np.ndarray | None = None
        self._q: np.ndarray | None = None

    def moved_free(self, q: np.ndarray, residual: np.ndarray | None = None) -> None:
        """Nothing touches at joint angles ``q`` (n,) [rad]; ends a contact that was felt before.

        ``residual`` (n,) [N·m] of every control period is needed where there is a ``baseline``.

        Raises ``BadInput``: wrong shapes, or a residual that is missing.
        """
        if residual is None and self._baseline:
            raise BadInput("a baseline needs the residuals of free motion", where="moved_free")
        (rows, torque), _ = as_rows(len(self.arm.dh), q=q, residual=np.zeros_like(q) if residual is None else residual)
        if self.instants:
            self.instants = 0
            self._rows = self._q = None
            self._residuals.clear()
        self._residuals.append(torque[0])
        self._recent.append(rows[0])
        while len(self._recent) > self._hold_back:
            past = self._recent.popleft()
            if self._last is None or np.abs(past - self._last).sum() > _SPACING:
                self._free.append(capsules_in_base(self.arm, past))
                self._last = past

    def felt(
        self, q: np.ndarray, residual: np.ndarray, sigma: np.ndarray | float | None = None
    ) -> contact_link.Isolation:
        """Contact put ``residual`` (n,) [N·m] on the joints at ``q`` (n,) [rad]; returns ``result()``.

        Raises ``BadInput``: wrong shapes, or too few free residuals for the baseline.
        """
        (rows, torque), _ = as_rows(len(self.arm.dh), q=q, residual=residual)
        self._q = rows[0].copy()
        if not self.instants:
            change = torque[0] - self.free_residual()
            self._recent.clear()
            free = np.array(self._free).reshape(len(self._free), len(self.surface.bodies), 7)
            noise = self.sigma if sigma is None else sigma
            self._rows = contact_link.fit_surface(
                self.arm, self.surface, self._q, change, noise, free=free, margin=self._margin
            )
        self.instants += 1
        return self.result()

    def free_residual(self) -> np.ndarray:
        """(n,) what the residual would be now without contact [N·m]: zero without a baseline.

        Raises ``BadInput``: fewer than ``LEAST_BASELINE`` free residuals are left of those held back.
        """
        if not self._baseline:
            return np.zeros(len(self.arm.dh))
        window = list(self._residuals)[: max(len(self._residuals) - self._hold_back, 0)]
        if len(window) < LEAST_BASELINE:
            message = "too few free residuals"
            raise BadInput(message, where="baseline", found=len(window), allowed=f">= {LEAST_BASELINE}")
        return continued_line(np.array(window), self._hold_back + 1)

    def result(self) -> contact_link.Isolation:
        """What the first instant of the contact leaves, at the joint angles of the latest.

        Raises ``BadInput``: nothing was felt yet.
        """
        if self._rows is None or self._q is None:
            raise BadInput("no contact was felt since the arm last moved free", where="ContactIsolator")
        return contact_link.read_fit(self.arm, self.surface, self._q, self._rows)


def continued_line(values: np.ndarray, ahead: int) -> np.ndarray:
    """The line through the medians of both halves of ``values`` (k, n), ``ahead`` steps past the last."""
    k = len(values)
    early, late = np.median(values[: k // 2], axis=0), np.median(values[k - k // 2 :], axis=0)
    slope = (late - early) / (k - k // 2)
    return 0.5 * (early + late) + slope * (0.5 * (k - 1) + ahead)
