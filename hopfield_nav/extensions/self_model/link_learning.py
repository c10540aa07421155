"""Masses and centres of the links, and a payload, learnt on the way, with the model as prior.

The unknowns are what each link's mass is off by, as a share, how far its centre is off, what
Coulomb and viscous friction of each joint are off by, as shares, and mass and first moment of a
payload in the flange frame. The torque is linear in them but for products of two small ones (the
regressor of ``dynamics.identification`` times the change of the inertial parameters), so that means
over short windows of free motion give equations that are solved as Bayes' rule says. A contact that
grows slowly is no error of the model: a force on the tool, none at first, that drifts is one more
unknown, and takes what changes with time rather than with the place. A window is left out

- where it tells nothing new: the torque at this place is known better than one window can say. So
  what grows slowly, as a contact may, is not learnt away where the arm has been;
- where it does not fit at all: that is no error of the model.

Source: the regressor: madsen2020 section 3; recursive least squares with a prior: Gautier and
Poignet 2001.
"""

import math
from copy import copy
from typing import NamedTuple

import numpy as np

from dynamics import Arm, inverse_dynamics, jacobian, with_payload
from dynamics.identification import parameters_of, regressor

PER_LINK, PAYLOAD, FORCE = 4, 4, 3
SCALE, SHIFT = 0.15, 0.01  # deviations believed of a link's mass (a share) and of its centre [m]
COULOMB, VISCOUS = 0.25, 0.25  # the same of a joint's friction, shares
LOAD, MOMENT = 3.0, 0.3  # the same of a payload [kg, kg·m]
TOUCH, TOUCH_TIME = 2.0, 10.0  # [N], [s] deviation of the drifting force, and how long it remembers
UNMODELLED = 0.2  # [N·m] deviation of a window's mean torque for everything else
KNOWN = 0.5  # share of a window's own deviation below which it tells nothing new
UNLIKELY = 4.0  # deviations beyond which a window does not fit
LARGEST_SHARE, LARGEST_SHIFT = 0.6, 0.1  # bounds of what is learnt [1, m]
_STEP = 1e-3  # [m]
_LOAD, _TOUCH = slice(-PAYLOAD - FORCE, -FORCE), slice(-FORCE, None)


class Windows(NamedTuple):
    """Means over k windows of free motion."""

    # q, qd, qdd: (k, n) [rad, rad/s, rad/s²]
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    tau: np.ndarray  # (k, n) of the motors [N·m]
    # coulomb, viscous: (k, n) the two parts of what the model believes of friction [N·m]
    coulomb: np.ndarray
    viscous: np.ndarray
    # (k, n) of the mean torque, for what is not known of noise and strained gears [N·m]
    deviation: np.ndarray


class LinkLearning:
    """Learns from windows, beginning with the model of the arm as it is believed before."""

    def __init__(self, arm: Arm) -> None:
        self.n = n = len(arm.dh)
        self.arm = copy(arm)  # as it was believed before
        # (6 n + 7,) unknowns: of each link mass (share) and centre (3) [m]; Coulomb (n) and viscous
        # (n) friction (shares); payload and its first moment [kg, kg·m]; force on the tool [N]
        self.values = np.zeros(6 * n + PAYLOAD + FORCE)
        links = np.tile([SCALE, SHIFT, SHIFT, SHIFT], n)
        deviations = np.concatenate(
            [links, np.full(n, COULOMB), np.full(n, VISCOUS), np.zeros(PAYLOAD + FORCE)]
        )
        # (6 n + 7, 6 n + 7) of them; zero of a payload before there may be one
        self.covariance = np.diag(deviations**2)
        self._columns = np.column_stack(
            [column for i in range(n) for column in self._columns_of(i)]
        )
        self.payload_open = False  # whether there may be one now that is not known yet

    def open_payload(self) -> None:
        """From here on there may be a payload."""
        self.payload_open = True
        self.covariance[_LOAD, _LOAD] = np.diag([LOAD**2, *[MOMENT**2] * 3])

    def close_payload(self) -> None:
        """The payload is as it is known now: what is felt from here on is none."""
        self.payload_open = False
        own = self.covariance[_LOAD, _LOAD].copy()
        self.covariance[_LOAD] = self.covariance[:, _LOAD] = 0.0
        self.covariance[_LOAD, _LOAD] = own

    def drift(self, seconds: float) -> None:
        """Let the force on the tool have changed in so many seconds."""
        kept = math.exp(-seconds / TOUCH_TIME)
        self.values[_TOUCH] *= kept
        self.covariance[_TOUCH] *= kept
        self.covariance[:, _TOUCH] *= kept
        self.covariance[_TOUCH, _TOUCH] += (1.0 - kept**2) * TOUCH**2 * np.eye(FORCE)

    def forget_coulomb(self, deviations: np.ndarray) -> None:
        """Coulomb friction was learnt otherwise, with deviations (n,) as shares, and is in the model."""
        at = slice(PER_LINK * self.n, (PER_LINK + 1) * self.n)
        self.values[at] = self.covariance[at] = self.covariance[:, at] = 0.0
        self.covariance[at, at] = np.diag(deviations**2)

    def learn(self, windows: Windows) -> int:
        """Learn from windows (k) that tell something new and fit; returns how many do."""
        n, Y = self.n, self.equations(windows)
        missing = windows.tau - inverse_dynamics(self.arm, windows.q, windows.qd, windows.qdd)
        missing = missing - windows.coulomb - windows.viscous - Y @ self.values
        if not self.payload_open:
            Y[:, :, _LOAD] = 0.0
        own = UNMODELLED**2 + windows.deviation**2
        known, told = self._variance(Y), self._variance(Y, slice(0, _TOUCH.start))
        fits = np.all(missing**2 <= UNLIKELY**2 * (known + own), axis=1)
        new = fits & np.any(told > KNOWN**2 * own, axis=1)
        for part, of in ((new, slice(None)), (fits & ~new, _TOUCH)):
            self._correct(
                Y[part].reshape(-1, Y.shape[-1]), missing[part].ravel(), own[part].ravel(), of
            )
        links, friction = (
            self.values[: PER_LINK * n].reshape(n, PER_LINK),
            self.values[PER_LINK * n : _LOAD.start],
        )
        limits = np.array([LARGEST_SHARE, *[LARGEST_SHIFT] * 3])
        links[:], friction[:] = (
            np.clip(links, -limits, limits),
            np.clip(friction, -LARGEST_SHARE, LARGEST_SHARE),
        )
        self.values[_LOAD.start] = max(self.values[_LOAD.start], 0.0)
        return int(new.sum())

    def _correct(self, Y: np.ndarray, missing: np.ndarray, own: np.ndarray, of: slice) -> None:
        """Bayes' rule for equations (m, 6 n + 7); of the unknowns ``of`` alone."""
        if not len(Y):
            return
        seen, gain = self.covariance @ Y.T, np.zeros((Y.shape[1], len(Y)))
        whole = Y @ seen + np.diag(own)
        gain[of] = np.linalg.solve(whole, seen[of].T).T
        self.values += gain @ missing
        change = gain @ seen.T
        self.covariance += gain @ whole @ gain.T - change - change.T

    def equations(self, windows: Windows) -> np.ndarray:
        """(k, n, 6 n + 7) what a unit of each unknown adds to the torque."""
        n, count = self.n, len(windows.q)
        full = regressor(self.arm, windows.q, windows.qd, windows.qdd)
        friction = np.zeros((count, n, 2 * n))
        joints = np.arange(n)
        friction[:, joints, joints], friction[:, joints, n + joints] = (
            windows.coulomb,
            windows.viscous,
        )
        touch = -jacobian(self.arm, windows.q)[:, :3].transpose(0, 2, 1)
        return np.concatenate([full @ self._columns, friction, full[:, :, -10:-6], touch], axis=2)

    def doubt(self, windows: Windows) -> np.ndarray:
        """(k, n) deviation of the model's torque there, friction and payload aside [N·m]."""
        return np.sqrt(self._variance(self.equations(windows), slice(0, PER_LINK * self.n)))

    def _variance(self, Y: np.ndarray, of: slice = slice(None)) -> np.ndarray:
        """(k, n) of the torque, for what is not known of some unknowns."""
        Y = Y[:, :, of]
        return np.maximum(((Y @ self.covariance[of, of]) * Y).sum(axis=2), 0.0)

    def links(self, arm: Arm) -> Arm:
        """``arm``, of the same form, with masses and centres off as was learnt.

        Without the payload.
        """
        links = self.values[: PER_LINK * self.n].reshape(self.n, PER_LINK)
        scale = 1.0 + links[:, 0]
        return arm._replace(
            mass=arm.mass * scale,
            center_of_mass=arm.center_of_mass + links[:, 1:],
            inertia=arm.inertia * scale[:, None, None],
        )

    def links_alone(self, bare: Arm) -> Arm:
        """The arm as it is believed now less the payload that was known before, as ``bare`` is without it."""
        whole, before = self.links(self.arm), self.arm
        mass = whole.mass - before.mass + bare.mass
        moments = (a.mass[:, None] * a.center_of_mass for a in (whole, before, bare))
        moment = next(moments) - next(moments) + next(moments)
        center = np.divide(
            moment, mass[:, None], out=bare.center_of_mass.copy(), where=mass[:, None] > 0.0
        )
        return bare._replace(mass=mass, center_of_mass=center)

    def model(self) -> Arm:
        """The arm as it is believed now, with its payload."""
        arm, (mass, center) = self.links(self.arm), self.payload
        return with_payload(arm, mass, center) if mass > 0.0 else arm

    @property
    def payload(self) -> tuple[float, np.ndarray]:
        """Mass [kg], and its centre (3,) in the flange frame [m]."""
        mass, *moment = self.values[_LOAD]
        return (float(mass), np.array(moment) / mass) if mass > 1e-3 else (0.0, np.zeros(3))

    @property
    def friction(self) -> tuple[np.ndarray, np.ndarray]:
        """Factors on Coulomb and on viscous friction, (n,) each."""
        coulomb, viscous = 1.0 + self.values[PER_LINK * self.n : _LOAD.start].reshape(2, self.n)
        return coulomb, viscous

    def _columns_of(self, i: int) -> list[np.ndarray]:
        """How all inertial parameters change with mass and centre of link ``i``: four times (10 n,)."""
        arm, places = self.arm, slice(10 * i, 10 * (i + 1))
        own = np.zeros(10 * self.n)
        own[places] = parameters_of(arm)[places]
        columns = [own]
        for shift in _STEP * np.eye(3):
            apart = np.zeros_like(arm.center_of_mass)
            apart[i] = shift
            ends = [
                parameters_of(arm._replace(center_of_mass=arm.center_of_mass + s * apart))
                for s in (1.0, -1.0)
            ]
            columns.append((ends[0] - ends[1]) / (2.0 * _STEP))
        return columns
