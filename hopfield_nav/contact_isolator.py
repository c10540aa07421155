"""Isolation narrowed over time: what the arm swept free before, and every instant while contact lasts.

Obstacles stand still, so that a point of the surface that lies where the arm was a moment ago, and
felt nothing, cannot be touched: what is left is mostly the side that leads. And one contact must
explain every residual while it lasts: a patch stays where at each instant it, or one beside it, does.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from dynamics.arm import Arm
from dynamics.batches import as_rows
from dynamics.errors import BadInput
from dynamics.newton_euler import gravity_torque
from hopfield_nav.arm_capsules import LINK, START
from hopfield_nav.arm_surface import AXIS, BODY, LENGTH, SCALE, ArmSurface, U, V
from hopfield_nav.isolation import (
    LARGEST_FORCE,
    LEVEL,
    Isolation,
    default_surface,
    fit_surface,
    free_capsules,
    misfit_bound,
    read_fit,
    whitening,
)
from hopfield_nav.isolation_fit import LOG_EVIDENCE

MOST_POSES = 256  # free poses that are remembered
_SPACING = 0.005  # [rad] sum over the joints between two of them: some 5 mm at the end of the arm


class ContactIsolator:
    """Links and patches that can be touched, narrowed while the arm moves and while contact lasts.

    Args:
        arm: the arm with its capsules.
        sigma: noise of the residual, as for ``isolate``; ``felt`` may be given another.
        level, friction, largest_force, surface: as for ``isolate``.
        hold_back: the latest so many poses of ``moved_free`` before contact is felt do not count: contact
            begins before it is felt.
        margin: depth in an earlier pose from which a point counts as swept [m].
        slip: contact may wander so far over the surface from instant to instant [m].

    Attributes:
        instants: number of residuals since contact began.
        restarts: how often no patch was left, and the latest instant was taken as a new contact.
    """

    def __init__(
        self,
        arm: Arm,
        sigma: np.ndarray | float,
        *,
        level: float = LEVEL,
        friction: float = 0.0,
        largest_force: float = LARGEST_FORCE,
        surface: ArmSurface | None = None,
        hold_back: int = 50,
        margin: float = 0.003,
        slip: float = 0.03,
    ) -> None:
        if hold_back < 0 or margin < 0 or slip < 0:
            raise BadInput("must not be negative", where="ContactIsolator", found=(hold_back, margin, slip))
        whitening(sigma, len(arm.dh))
        misfit_bound(len(arm.dh), level)
        self.arm, self.sigma, self.surface = arm, sigma, surface or default_surface(arm)
        self._level, self._friction, self._largest = level, friction, largest_force
        self._margin, self._near = margin, _neighbours(self.surface, slip)
        self._recent: deque[np.ndarray] = deque()
        self._hold_back = hold_back
        self._free: deque[np.ndarray] = deque(maxlen=MOST_POSES)
        self._last: np.ndarray | None = None
        self.restarts = 0
        self._begin()

    def moved_free(self, q: np.ndarray) -> None:
        """Nothing touches at joint angles ``q`` (n,) [rad]; ends a contact that was felt before."""
        (rows,), _ = as_rows(len(self.arm.dh), q=q)
        if self.instants:
            self._begin()
        self._recent.append(rows[0])
        while len(self._recent) > self._hold_back:
            self._remember(self._recent.popleft())

    def felt(self, q: np.ndarray, residual: np.ndarray, sigma: np.ndarray | float | None = None) -> Isolation:
        """Contact put ``residual`` (n,) [N·m] on the joints at ``q`` (n,) [rad]; returns ``result()``."""
        self._recent.clear()
        free = np.array(self._free).reshape(len(self._free), len(self.surface.bodies), 7)
        rows = fit_surface(
            self.arm, self.surface, q, residual, self.sigma if sigma is None else sigma, self._level,
            self._friction, self._largest, free, self._margin,
        )  # fmt: skip
        widened = (self._near & np.isfinite(rows[:, LOG_EVIDENCE])).any(axis=1)
        alive = np.where(widened, self._evidence, -np.inf)
        if self.instants and widened.any() and not np.isfinite(alive).any():
            self.restarts += 1
            self._begin()
        self._evidence = alive if self.instants else rows[:, LOG_EVIDENCE].copy()
        self.instants += 1
        self._q, self._rows = np.array(q, dtype=np.float64), rows
        return self.result()

    def result(self) -> Isolation:
        """What all instants since contact began leave, with the evidence of the first.

        The first instant tells most: later the contact slides and bounces, and an observer lags.

        Raises:
            BadInput: nothing was felt yet.
        """
        if self._rows is None or self._q is None:
            raise BadInput("no contact was felt since the arm last moved free", where="ContactIsolator")
        rows = self._rows.copy()
        rows[:, LOG_EVIDENCE] = self._evidence
        return read_fit(self.arm, self.surface, self._q, rows)

    def _begin(self) -> None:
        self.instants = 0
        self._evidence = np.zeros(len(self.surface.patches))
        self._rows: np.ndarray | None = None
        self._q: np.ndarray | None = None

    def _remember(self, q: np.ndarray) -> None:
        if self._last is None or np.abs(q - self._last).sum() > _SPACING:
            self._free.append(free_capsules(self.arm, q))
            self._last = q


def model_covariance(
    model: Arm,
    q: np.ndarray,
    qd: np.ndarray,
    noise: np.ndarray | float,
    mass_error: float = 0.1,
    friction_error: float = 0.2,
) -> np.ndarray:
    """Covariance of a residual whose model is not exact, for ``sigma`` of ``isolate``.

    Each link's mass is off by its own share, which acts through gravity; each joint's friction by its
    own. Errors of the inertial torque are not in it: add them to ``noise`` where the arm accelerates.

    Args:
        model: the model that the residual was computed with.
        q: (n,) [rad].
        qd: (n,) [rad/s].
        noise: standard deviation from all else, one number or (n,) [N·m].
        mass_error: standard deviation of a link's mass as a share of it.
        friction_error: the same of a joint's friction.

    Returns:
        (n, n) [(N·m)²].

    Raises:
        BadInput: wrong shapes.
    """
    n = len(model.dh)
    (angles, speed), _ = as_rows(n, q=q, qd=qd)
    links = [
        gravity_torque(model._replace(mass=model.mass * (np.arange(n) == i)), angles[0]) for i in range(n)
    ]
    weights = mass_error * np.array(links)
    friction = friction_error * (model.friction[:, 0] + model.friction[:, 1] * np.abs(speed[0]))
    return weights.T @ weights + np.diag(friction**2 + np.broadcast_to(noise, n) ** 2)


def _neighbours(surface: ArmSurface, slip: float) -> np.ndarray:
    """(m, m) bool: patches of one link whose middles are no farther apart than ``slip`` and their size."""
    bodies, shapes, patches = surface.bodies, surface.shapes, surface.patches
    row = patches[:, BODY].astype(int)
    shape, u, v = shapes[row], patches[:, U], patches[:, V]
    s = np.clip(u, 0.0, shape[:, LENGTH])
    tilt = (u - s) / shape[:, SCALE]
    across = np.cos(v)[:, None] * shape[:, 0:3] + np.sin(v)[:, None] * shape[:, 3:6]
    axis = shape[:, AXIS : AXIS + 3]
    normal = np.cos(tilt)[:, None] * across + np.sin(tilt)[:, None] * axis
    middle = bodies[row, START : START + 3] + s[:, None] * axis + shape[:, SCALE, None] * normal
    half = np.sqrt(patches[:, 5] / np.pi)
    apart = np.linalg.norm(middle[:, None] - middle[None], axis=2)
    link = bodies[row, LINK]
    return (link[:, None] == link[None]) & (apart <= slip + half[:, None] + half[None])
