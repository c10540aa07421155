"""Where the arm is touched: the set of links and patches whose push explains a joint torque.

Torque on joints 1 to n is one vector of n numbers, and a push on a link beyond which no joint turns
leaves the rest of it at zero: what touches where is often not to be seen from one instant. So the
answer is a set: every patch on which some frictionless push (or one within a friction cone) leaves
a misfit below the chi-square quantile with n degrees of freedom. The push that truly acts leaves
the noise itself, so that its patch is in the set with at least the stated probability.

The best guess is the link with the most evidence: the likelihood integrated over its open surface,
every place alike, the force log-normal about 40 N. It is a guess among what the torque cannot tell.

Obstacles stand still, so that a point of the surface that lies where the arm was a moment ago, and
felt nothing, cannot be touched: what is left is mostly the side that leads. The first instant of a
contact tells where it is: later the contact slides and bounces, and an observer lags.

A model that is wrong leaves a residual in free motion too. It changes slowly, so that the straight
line through the residuals just before contact, continued to the present, takes most of it away.

Source: the constraint of a line of action through the surface is that of Haddadin, De Luca and
Albu-Schäffer 2017 (section V); set and evidence are this project's.
"""

from collections import deque
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from dynamics import Arm, BadInput
from dynamics.batches import as_rows
from dynamics.work import make_work
from hopfield_nav.extensions.isolation.fit import AT_U, AT_V, LOG_EVIDENCE, fit_patches
from hopfield_nav.extensions.isolation.surface import BODY, ArmSurface, make_surface, surface_places
from hopfield_nav.geometry import LINK, arm_bodies, capsules_in_base

LEVEL, LARGEST_FORCE = 0.999, 500.0  # of the test, and force that no push exceeds [N]
MOST_POSES = 256  # free poses that are remembered
LEAST_BASELINE = 8  # residuals that make a line
_SPACING = 0.005  # [rad] sum over the joints between two of them: some 5 mm at the end of the arm


class Isolation(NamedTuple):
    """What a residual says about the place of contact."""

    # links that can be touched, in rising order; empty: no push explains the residual
    links: tuple[int, ...]
    best_link: int  # the likeliest of them; 0 where there is none
    best_point: np.ndarray  # (3,) likeliest point, base axes [m]; NaN where there is none
    patches: np.ndarray  # (k,) rows of ``ArmSurface.patches`` that explain the residual
    points: np.ndarray  # (k, 3) where on each, base axes [m]
    normals: np.ndarray  # (k, 3) inward unit normals there, base axes
    weight: np.ndarray  # (k,) share of each in the evidence; their sum is 1
    # (n + 1,) of each link, by number, given the residual and the stated prior
    probability: np.ndarray


def isolate(
    arm: Arm,
    q: np.ndarray,
    residual: np.ndarray,
    sigma: np.ndarray | float,
    *,
    friction: float = 0.0,
    surface: ArmSurface | None = None,
) -> Isolation:
    """The links and patches whose push explains a residual of one instant.

    The residual (n,) is the estimated torque of contact [N·m] at joint angles ``q`` (n,) [rad],
    ``sigma`` its noise: one standard deviation or (n,) [N·m], or the (n, n) covariance [(N·m)²].
    With the probability ``LEVEL`` the true patch is to be in the set. The push lies within a cone
    of the coefficient ``friction`` (0: along the normal) and is no harder than ``LARGEST_FORCE``.
    The arm has capsules; its surface is ``default_surface`` by default.

    Raises ``BadInput``: wrong shapes, or noise that is not positive definite.
    """
    surface = surface or default_surface(arm)
    return read_fit(arm, surface, q, fit_surface(arm, surface, q, residual, sigma, friction))


def fit_surface(
    arm: Arm,
    surface: ArmSurface,
    q: np.ndarray,
    residual: np.ndarray,
    sigma: np.ndarray | float,
    friction: float = 0.0,
    free: np.ndarray | None = None,
    margin: float = 0.003,
) -> np.ndarray:
    """The fit of every patch, (m, 6) as ``fit.fit_patches`` gives it; arguments as ``isolate``.

    ``free``: (h, k, 7) from ``geometry.capsules_in_base`` at poses where nothing touched; a point
    ``margin`` [m] deep in one of them cannot be touched by what stands still.
    """
    n = len(arm.dh)
    (angles, torque), lead = as_rows(n, q=q, residual=residual)
    if lead:
        raise BadInput("isolation takes one instant", found=np.shape(residual), allowed=f"({n},)")
    if not 0.0 <= friction <= 2.0:
        raise BadInput("no such push", where="friction", found=friction, allowed="0 to 2")
    swept = np.zeros((0, 0, 7)) if free is None else np.ascontiguousarray(free, dtype=np.float64)
    return fit_patches(
        arm, surface, angles[0], torque[0], whitening(sigma, n), misfit_bound(n), float(friction),
        LARGEST_FORCE, swept, float(margin), make_work(n),
    )  # fmt: skip


def read_fit(arm: Arm, surface: ArmSurface, q: np.ndarray, rows: np.ndarray) -> Isolation:
    """Links, best guess and patches from the fit of every patch."""
    kept = np.flatnonzero(np.isfinite(rows[:, LOG_EVIDENCE]))
    body = surface.patches[kept, BODY].astype(int)
    link = surface.bodies[body, LINK].astype(int)  # of each patch that is kept
    points, normals = surface_places(arm, q, surface, kept, rows[kept, AT_U], rows[kept, AT_V])
    evidence = rows[kept, LOG_EVIDENCE]
    share = np.exp(evidence - evidence.max(initial=-np.inf))
    weight = share / max(share.sum(), 1e-300)
    probability = np.bincount(link, weight, len(arm.dh) + 1)
    best_link = 0
    best_point = np.full(3, np.nan)
    if len(kept):
        best_link = int(probability.argmax())
        on_best_link = np.where(link == best_link, share, -1.0)
        best_point = points[int(on_best_link.argmax())]
    links = tuple(int(i) for i in np.unique(link))
    return Isolation(links, best_link, best_point, kept, points, normals, weight, probability)


def misfit_bound(n: int) -> float:
    """Chi-square quantile of ``LEVEL`` with ``n`` degrees of freedom."""
    from scipy.special import chdtri

    return float(chdtri(n, 1.0 - LEVEL))


def whitening(sigma: np.ndarray | float, n: int) -> np.ndarray:
    """(n, n) inverse of the lower Cholesky factor of a covariance; ``sigma`` as for ``isolate``."""
    noise = np.asarray(sigma, dtype=np.float64)
    if noise.shape not in {(), (n,), (n, n)} or not np.all(np.isfinite(noise)):
        allowed = f"(), ({n},) or ({n}, {n})"
        raise BadInput("sigma has the wrong shape", found=noise.shape, allowed=allowed)
    if noise.ndim < 2 and not np.all(noise > 0):
        raise BadInput("noise must be positive", found=noise.tolist(), allowed="above 0 N·m")
    if noise.ndim < 2:
        return np.ascontiguousarray(np.diag(1.0 / np.broadcast_to(noise, n)))
    try:
        return np.ascontiguousarray(np.tril(np.linalg.inv(np.linalg.cholesky(noise))))
    except np.linalg.LinAlgError:
        raise BadInput("the covariance is not positive definite", where="sigma") from None


def default_surface(arm: Arm) -> ArmSurface:
    """Patches of 3 cm, made once for each outline."""
    return _surface_of(arm_bodies(arm).tobytes())


@lru_cache(maxsize=8)
def _surface_of(bodies: bytes) -> ArmSurface:
    return make_surface(np.frombuffer(bodies).reshape(-1, 12).copy())


class ContactIsolator:
    """Links and patches that can be touched, narrowed while the arm moves.

    The arm and ``sigma`` (``felt`` may get another) are as for ``isolate``, with its defaults. The
    latest ``hold_back`` poses of ``moved_free`` before contact is felt do not count: contact begins
    before it is felt. From the depth ``margin`` in an earlier pose a point counts as swept [m].

    So many residuals as ``baseline`` says of ``moved_free``, before those held back, give the line
    that is subtracted from what is felt; 0: nothing is subtracted. ``sigma`` is then the noise of
    what is left of it.
    """

    def __init__(
        self,
        arm: Arm,
        sigma: np.ndarray | float,
        *,
        hold_back: int = 50,
        margin: float = 0.003,
        baseline: int = 0,
    ) -> None:
        if baseline != 0 and baseline < LEAST_BASELINE:
            raise BadInput(
                "no line", where="baseline", found=baseline, allowed=f"0 or >= {LEAST_BASELINE}"
            )
        if hold_back < 0 or margin < 0:
            raise BadInput(
                "must not be negative", where="ContactIsolator", found=(hold_back, margin)
            )
        whitening(sigma, len(arm.dh))
        self.arm, self.sigma, self.surface, self._margin = arm, sigma, default_surface(arm), margin
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
        (rows, torque), _ = as_rows(
            len(self.arm.dh), q=q, residual=np.zeros_like(q) if residual is None else residual
        )
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
    ) -> Isolation:
        """Contact put a residual (n,) [N·m] on the joints at q (n,) [rad]; returns ``result()``.

        Raises ``BadInput``: wrong shapes, or too few free residuals for the baseline.
        """
        (rows, torque), _ = as_rows(len(self.arm.dh), q=q, residual=residual)
        self._q = rows[0].copy()
        if not self.instants:
            change = torque[0] - self.free_residual()
            self._recent.clear()
            free = np.array(self._free).reshape(len(self._free), len(self.surface.bodies), 7)
            noise = self.sigma if sigma is None else sigma
            self._rows = fit_surface(
                self.arm, self.surface, self._q, change, noise, free=free, margin=self._margin
            )
        self.instants += 1
        return self.result()

    def free_residual(self) -> np.ndarray:
        """(n,) what the residual would be now without contact [N·m]: zero without a baseline.

        Raises ``BadInput``: fewer than ``LEAST_BASELINE`` free residuals are left of those held
        back.
        """
        if not self._baseline:
            return np.zeros(len(self.arm.dh))
        window = list(self._residuals)[: max(len(self._residuals) - self._hold_back, 0)]
        if len(window) < LEAST_BASELINE:
            message = "too few free residuals"
            raise BadInput(
                message, where="baseline", found=len(window), allowed=f">= {LEAST_BASELINE}"
            )
        return continued_line(np.array(window), self._hold_back + 1)

    def result(self) -> Isolation:
        """What the first instant of the contact leaves, at the joint angles of the latest.

        Raises ``BadInput``: nothing was felt yet.
        """
        if self._rows is None or self._q is None:
            raise BadInput(
                "no contact was felt since the arm last moved free", where="ContactIsolator"
            )
        return read_fit(self.arm, self.surface, self._q, self._rows)


def continued_line(values: np.ndarray, ahead: int) -> np.ndarray:
    """The line through the medians of both halves of values (k, n), ``ahead`` steps past them."""
    k = len(values)
    early, late = np.median(values[: k // 2], axis=0), np.median(values[k - k // 2 :], axis=0)
    slope = (late - early) / (k - k // 2)
    return 0.5 * (early + late) + slope * (0.5 * (k - 1) + ahead)
