"""Isolation narrowed over time: what the arm swept free before, and every instant while contact lasts.

Obstacles stand still, so that a point of the surface that lies where the arm was a moment ago, and felt nothing,
cannot be touched: what is left is mostly the side that leads. And one contact must explain every residual while it
lasts: a patch stays where at each instant it, or one beside it, does.

A model that is wrong leaves a residual in free motion too. It changes slowly, so that the straight line through the
residuals just before contact, continued to the present, takes most of it away.
"""

from collections import deque
from functools import cached_property

import numpy as np

from dynamics import Arm, BadInput, gravity_torque
from dynamics.batches import as_rows
from hopfield_nav.extensions.isolation import contact_link
from hopfield_nav.extensions.isolation.fit import LOG_EVIDENCE
from hopfield_nav.extensions.isolation.surface import AREA, BODY, ArmSurface, U, V, surface_places
from hopfield_nav.geometry import LINK, capsules_in_base

MOST_POSES = 256  # free poses that are remembered
LATER = ("none", "rises", "all")  # which instants after the first count
LEAST_BASELINE = 8  # residuals that make a line
_SLIP = 0.03  # [m] that contact may wander over the surface from instant to instant
_SPACING = 0.005  # [rad] sum over the joints between two of them: some 5 mm at the end of the arm


class ContactIsolator:
    """Links and patches that can be touched, narrowed while the arm moves and while contact lasts.

    The arm and ``sigma`` (``felt`` may get another) are as for ``isolate``, with its defaults. The latest ``hold_back``
    poses of ``moved_free`` before contact is felt do not count: contact begins before it is felt. From the depth
    ``margin`` in an earlier pose a point counts as swept [m].

    ``later`` says what instants after the first exclude patches: ``none``; those while the residual still ``rises``;
    or ``all``. See ``docs/lab/isolation.md`` for what each of them loses. So many residuals as ``baseline`` says of
    ``moved_free``, before those held back, give the line that is subtracted from what is felt; 0: nothing is
    subtracted. ``sigma`` is then the noise of what is left of it.
    """

    def __init__(
        self,
        arm: Arm,
        sigma: np.ndarray | float,
        *,
        hold_back: int = 50,
        margin: float = 0.003,
        later: str = "none",
        baseline: int = 0,
    ) -> None:
        if later not in LATER:
            message = "no such use of later instants"
            raise BadInput(message, where="later", found=later, allowed=", ".join(LATER))
        if baseline != 0 and baseline < LEAST_BASELINE:
            raise BadInput("no line", where="baseline", found=baseline, allowed=f"0 or >= {LEAST_BASELINE}")
        if hold_back < 0 or margin < 0:
            raise BadInput("must not be negative", where="ContactIsolator", found=(hold_back, margin))
        contact_link.whitening(sigma, len(arm.dh))
        self.arm, self.sigma, self.surface, self._margin = arm, sigma, contact_link.default_surface(arm), margin
        self._recent: deque[np.ndarray] = deque()
        self._hold_back, self._later, self._baseline = hold_back, later, baseline
        self._residuals: deque[np.ndarray] = deque(maxlen=baseline + hold_back)
        self._free: deque[np.ndarray] = deque(maxlen=MOST_POSES)
        self._last: np.ndarray | None = None
        self.instants = 0  # number of residuals since contact began
        self._largest_size, self._rising = 0.0, True
        self._offset, self._evidence = np.zeros(len(arm.dh)), np.zeros(len(self.surface.patches))
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
        if not self.instants:
            self._offset = self.free_residual()
            self._recent.clear()
        self._q, change = rows[0].copy(), torque[0] - self._offset
        if not self.instants or self._counts(change):
            self._narrow(self._q, change, self.sigma if sigma is None else sigma)
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

    def _counts(self, change: np.ndarray) -> bool:
        """Whether a later instant is to exclude patches."""
        size = float(np.linalg.norm(change))
        self._rising = self._rising and size > self._largest_size
        self._largest_size = max(size, self._largest_size)
        return self._later == "all" or (self._later == "rises" and self._rising)

    @cached_property
    def _near(self) -> np.ndarray:
        """Made when a later instant first needs it: many an isolator is begun anew before."""
        return _neighbours(self.arm, self.surface)

    def _narrow(self, q: np.ndarray, change: np.ndarray, sigma: np.ndarray | float) -> None:
        """Drop the patches that do not explain ``change`` (n,) [N·m] at ``q`` (n,) [rad]."""
        free = np.array(self._free).reshape(len(self._free), len(self.surface.bodies), 7)
        rows = contact_link.fit_surface(self.arm, self.surface, q, change, sigma, free=free, margin=self._margin)
        alive = self._evidence
        if self.instants:
            widened = (self._near & np.isfinite(rows[:, LOG_EVIDENCE])).any(axis=1)
            alive = np.where(widened, self._evidence, -np.inf)
            if widened.any() and not np.isfinite(alive).any():
                self.instants = 0  # no patch is left: the latest instant is taken as a new contact
        if not self.instants:
            self._largest_size, self._rising = float(np.linalg.norm(change)), True
        self._evidence = alive if self.instants else rows[:, LOG_EVIDENCE].copy()
        self._rows = rows

    def result(self) -> contact_link.Isolation:
        """What the instants since contact began leave, with the evidence of the first.

        The first instant tells most: later the contact slides and bounces, and an observer lags.

        Raises ``BadInput``: nothing was felt yet.
        """
        if self._rows is None or self._q is None:
            raise BadInput("no contact was felt since the arm last moved free", where="ContactIsolator")
        rows = self._rows.copy()
        rows[:, LOG_EVIDENCE] = self._evidence
        return contact_link.read_fit(self.arm, self.surface, self._q, rows)


def continued_line(values: np.ndarray, ahead: int) -> np.ndarray:
    """The line through the medians of both halves of ``values`` (k, n), ``ahead`` steps past the last."""
    k = len(values)
    early, late = np.median(values[: k // 2], axis=0), np.median(values[k - k // 2 :], axis=0)
    slope = (late - early) / (k - k // 2)
    return 0.5 * (early + late) + slope * (0.5 * (k - 1) + ahead)


def model_covariance(
    model: Arm,
    q: np.ndarray,
    qd: np.ndarray,
    noise: np.ndarray | float,
    mass_error: float = 0.1,
    friction_error: float = 0.2,
) -> np.ndarray:
    """Covariance (n, n) of a residual whose model is not exact [(N·m)²], for ``sigma`` of ``isolate``.

    Each link's mass is off by its own share, with the standard deviation ``mass_error``, which acts through gravity;
    each joint's friction by its own, ``friction_error``. Errors of the inertial torque are not in it: add them to
    ``noise``, the standard deviation from all else, one number or (n,) [N·m], where the arm accelerates. ``q``,
    ``qd`` are (n,) [rad, rad/s].

    Raises ``BadInput``: wrong shapes.
    """
    n = len(model.dh)
    (angles, speed), _ = as_rows(n, q=q, qd=qd)
    links = [gravity_torque(model._replace(mass=model.mass * (np.arange(n) == i)), angles[0]) for i in range(n)]
    weights = mass_error * np.array(links)
    friction = friction_error * (model.friction[:, 0] + model.friction[:, 1] * np.abs(speed[0]))
    return weights.T @ weights + np.diag(friction**2 + np.broadcast_to(noise, n) ** 2)


def _neighbours(arm: Arm, surface: ArmSurface) -> np.ndarray:
    """(m, m) bool: patches of one link whose middles are no farther apart than ``_SLIP`` and their size."""
    patches = surface.patches
    every, straight = np.arange(len(patches)), np.zeros(len(arm.dh))
    middle, _ = surface_places(arm, straight, surface, every, patches[:, U], patches[:, V])
    half = np.sqrt(patches[:, AREA] / np.pi)
    apart = np.linalg.norm(middle[:, None] - middle[None], axis=2)
    link = surface.bodies[patches[:, BODY].astype(int), LINK]
    return (link[:, None] == link[None]) & (apart <= _SLIP + half[:, None] + half[None])
