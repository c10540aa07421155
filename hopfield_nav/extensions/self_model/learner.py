"""The arm learns itself: a wiggle before the first motion, and windows of free motion on the way.

It owns the times: when the wiggle is over, when what was gathered is looked at, and what is not
learnt from, since there was an alarm, or nearly one, within ``APART``. What it learns goes into the
control computer's model, into what it believes of its gears, and into what its detector allows the
model to have wrong.
"""

import math
from typing import Any

import numpy as np

from dynamics import Arm, inverse_dynamics, load_arm, mass_matrix, presliding_torque
from hopfield_nav import control
from hopfield_nav.build import build_model, find_methods
from hopfield_nav.extensions.self_model.gear_fit import GearFit, fit_gear
from hopfield_nav.extensions.self_model.link_learning import COULOMB, LinkLearning, Windows
from hopfield_nav.loop import Trajectory, quintic_trajectory
from hopfield_nav.navigation import PlannedMotion
from hopfield_nav.record import Run
from hopfield_nav.world import LearnSection, World

LOOK_EVERY = 2.0  # [s] from one solution to the next
APART = 1.0  # [s] between what is learnt and a level that is near the threshold
LOUD = 0.75  # level that is near it
MOVING = 0.02  # [rad/s] of the fastest joint: less tells of stuck gears
ALLOWED = 3.0  # deviations that the detector allows
LEAST_MASS_ERROR, LEAST_FRICTION_ERROR = 0.03, 0.08  # which it allows always, shares
SLACK = 5.0  # [N·m] of a joint's load for which its fixed threshold stands
STROKES = (0.0, 1.0, -1.0, 1.0, -1.0, 1.0, 0.0)  # of the wiggle, in shares of its size
# times as far a gear may be off before the wiggle has told, and where it cannot tell
UNTOLD, UNSEEN = (20.0, 5.0)
SLIGHTLY = 1e-6  # [s] for rounding
LEAST_LEVEL = 0.1  # [N·m] and ``ALLOWED`` deviations: a smaller friction is none
WIGGLE_WINDOWS = 8  # that the wiggle is for masses: what is wrong in its friction lasts


class Learner:
    """Lets the arm of a run learn.

    The controller's model, its detector, what is believed of the gears. There is no wiggle where a
    trajectory is given.
    """

    def __init__(
        self, world: World, section: LearnSection, arm: Arm, controller: control.Controller,
        computer: control.ControlState, wiggles: bool = True,
    ) -> None:  # fmt: skip
        self._world, self._section, self._model, self._n = (
            world,
            section,
            controller.model,
            len(arm.dh),
        )
        self._belief, self._period = computer.belief.friction, world.controller.period
        self._bare = build_model(world, arm, loaded=False)
        self._wiggle_time = section.wiggle_time if wiggles and section.wiggle > 0.0 else 0.0
        self._methods = find_methods(world)
        self._judges = [judge.parameters for judge in (controller.detector, controller.reporter)]
        # for the state of the control computer
        self.gathering = control.begin_gathering(
            self._n, self._period, self._wiggle_time, self._model
        )
        self._links = LinkLearning(self._model)
        self._base = self._model.friction.copy()
        self._gears: list[GearFit] = []
        self._windows, self._read, self._done = (
            np.zeros((0, 2 + control.SIGNALS * self._n)),
            0,
            self._wiggle_time,
        )
        self._belief.doubt[:] *= UNTOLD if self._wiggle_time else 1.0
        self._step, self._looks = world.plant.step, round(LOOK_EVERY / world.plant.step)
        self._wiggled = math.ceil(self._wiggle_time / self._step + 0.5) if self._wiggle_time else 0
        # windows learnt; times of the last of them, and up to which those of a declared payload
        # were looked at [s]
        self._learnt, self._drifted, self._paid = 0, self._wiggle_time, self._wiggle_time
        self._payload = section.payload
        # whether masses may be learnt: what is wrong in the friction of gears that give would be
        # taken for theirs
        self._told = not self._wiggle_time or bool(np.isinf(self._model.presliding).all())

    def wiggle(self, motion: PlannedMotion) -> tuple[PlannedMotion, Trajectory | None]:
        """The first motion begun later, and the trajectory with the wiggle before it."""
        if motion.trajectory is None or not self._wiggle_time:
            return motion, motion.trajectory
        path = motion.trajectory
        q, signs = path.coefficients[0, 0], np.where(np.arange(self._n) % 2, -1.0, 1.0)
        points = q + np.outer(STROKES, self._section.wiggle * signs)
        lengths = np.abs(np.diff(STROKES))
        first = quintic_trajectory(
            points,
            self._wiggle_time * lengths / lengths.sum(),
            rest=np.ones(len(lengths), dtype=bool),
        )
        later = path._replace(knots=path.knots + self._wiggle_time)
        knots = np.concatenate([first.knots[:-1], later.knots])
        whole = later._replace(
            knots=knots, coefficients=np.concatenate([first.coefficients, later.coefficients])
        )
        return motion._replace(trajectory=later), whole

    def next_look(self, step: int) -> int:
        """The first step after ``step`` at which to look."""
        regular = (step // self._looks + 1) * self._looks
        return min(regular, self._wiggled) if step < self._wiggled else regular

    def look(self, step: int, touched: bool) -> None:
        """Learn from what was gathered, where a look is due at this step.

        ``touched``: something was felt.
        """
        if step == self._wiggled and self._wiggled:
            self._wiggled = 0  # an event may be at this very step
            self._belief.doubt[:] /= UNTOLD
            if not touched:
                self._told = True
                self._learn_from_wiggle()
        if step % self._looks == 0 and step > self._wiggled and self._section.masses:
            self._learn_on_the_way(step * self._step)

    def _learn_from_wiggle(self) -> None:
        rows = self.gathering.path[1 : self.gathering.now.rows].reshape(-1, 3, self._n)
        q, qd, tau = rows.transpose(1, 0, 2)
        qdd = _accelerations(q, self._period)
        viscous = self._base[:, 1] * qd
        torque = tau - inverse_dynamics(self._model, q, qd, qdd) - viscous
        step = np.zeros(self._n) + np.asarray(self._world.sensors.encoder_resolution)
        self._gears = [
            fit_gear(q[:, i], torque[:, i], self._period, step[i]) for i in range(self._n)
        ]
        deviations = np.array([self._believe_gear(i, gear) for i, gear in enumerate(self._gears)])
        self._base[:] = self._model.friction
        self._links.forget_coulomb(deviations)
        self._allow("friction_error", ALLOWED * float(deviations.max()), LEAST_FRICTION_ERROR)
        coulomb = self._strain(q)
        own = deviations * self._base[:, 2]
        signals = (q, qd, qdd, tau, coulomb, viscous, self._noise(q) + own + np.zeros_like(q))
        if self._section.masses:
            parts = [np.array_split(signal, WIGGLE_WINDOWS) for signal in signals]
            windows = Windows._make(np.array([p.mean(axis=0) for p in part]) for part in parts)
            self._learn(windows, payload=self._payload is not None and self._payload[0] <= 0.0)
            self._allow_masses(windows)

    def _believe_gear(self, i: int, gear: GearFit) -> float:
        """Take up level and stiffness of joint ``i``.

        Returns the deviation of the level as a share.
        """
        friction, stiffness, belief = self._model.friction, self._model.presliding, self._belief
        if not gear.slipped or gear.level < max(LEAST_LEVEL, ALLOWED * gear.deviation):
            return 0.0 if friction[i, 2] == 0.0 else COULOMB
        factor = gear.level / friction[i, 2] if friction[i, 2] > 0.0 else 1.0
        friction[i, 0], friction[i, 2] = (
            min(friction[i, 0] * factor or gear.level, gear.level),
            gear.level,
        )
        friction[i, 3] = friction[i, 3] or 0.1
        if math.isfinite(gear.stiffest):
            stiffness[i] = gear.stiffness
            spread = max(gear.stiffest / gear.stiffness, gear.stiffness / gear.softest)
            belief.doubt[i] = min(max(spread, 1.0), belief.doubt[i])
        else:
            stiffness[i] = max(stiffness[i], gear.softest)
            belief.doubt[i] *= UNSEEN
        return gear.deviation / gear.level

    def _strain(self, q: np.ndarray) -> np.ndarray:
        """Friction (k, n) along the wiggle's angles [N·m].

        What is believed of it goes on from its end.
        """
        given = np.array([gear.stiffness for gear in self._gears])
        stiffness = np.where(
            np.isfinite(self._model.presliding), self._model.presliding, np.abs(given)
        )
        begun = np.clip([gear.begun for gear in self._gears], -self._base[:, 2], self._base[:, 2])
        arm = self._model._replace(presliding=np.maximum(stiffness, 1.0))
        torque = presliding_torque(arm, q, begun)
        self._belief.torque[:, :3] = torque[-1, :, None]
        self._belief.torque[:, 3] = [gear.kept * gear.level for gear in self._gears]
        return torque

    def _learn_on_the_way(self, time: float) -> None:
        self._take_windows()
        at, begun = self._windows[:, 0], self._windows[:, 0] - control.WINDOW + SLIGHTLY
        first, last = self._payload or (math.inf, -math.inf)
        declared = (begun >= first) & (at <= last + SLIGHTLY)
        fastest = np.abs(self._windows[:, 2 + self._n : 2 + 2 * self._n]).max(axis=1)
        loud = at[self._windows[:, 1] > LOUD]
        apart = np.abs(at[:, None] - loud).min(axis=1, initial=math.inf) > APART
        payload = declared & (begun >= self._paid) & (fastest > 0.0)
        free = (
            ~declared
            & (begun >= self._done)
            & (at <= time - APART)
            & (fastest > MOVING)
            & apart
            & self._told
        )
        self._paid, self._done = time, max(self._done, time - APART)
        if payload.any():
            self._drifted = float(at[payload][-1])
            self._learn(self._means(self._windows[payload]), payload=True)
        if last <= time and self._links.payload_open:
            self._links.close_payload()
        if free.any():
            self._links.drift(at[free][-1] - self._drifted)
            self._drifted = float(at[free][-1])
            self._learn(self._means(self._windows[free]))
        if len(at):
            self._allow_masses(self._means(self._windows[-1:]))
        self._windows = self._windows[at > time - 2.0 * APART]

    def _take_windows(self) -> None:
        """Take what was gathered since the last look, as it was in the middle of a period, as the mean torque is.

        Of friction only what Coulomb's part is without the factors that were learnt so far.
        """
        read, self._read = self._read, self.gathering.now.windows
        rows = self.gathering.windows[
            [k % control.KEPT_WINDOWS for k in range(read, self._read)][-control.KEPT_WINDOWS :]
        ]
        q, qd, qdd, _, friction, _ = (
            rows[:, 2:].reshape(len(rows), control.SIGNALS, self._n).transpose(1, 0, 2)
        )
        coulomb, viscous = self._links.friction
        friction[:] = (friction - viscous * self._base[:, 1] * qd) / coulomb
        qdd /= self._period
        q -= 0.5 * self._period * qd
        qd -= 0.5 * self._period * qdd
        self._windows = np.vstack([self._windows, rows])

    def _means(self, rows: np.ndarray) -> Windows:
        """What windows (k, 2 + ...) that were taken say of the model."""
        q, qd, qdd, tau, coulomb, doubt = (
            rows[:, 2:].reshape(-1, control.SIGNALS, self._n).transpose(1, 0, 2)
        )
        return Windows(q, qd, qdd, tau, coulomb, self._base[:, 1] * qd, self._noise(q) + doubt)

    def _learn(self, windows: Windows, payload: bool = False) -> None:
        if payload and not self._links.payload_open:
            self._links.open_payload()
        self._learnt += self._links.learn(windows)
        model = self._links.model()
        for name in ("mass", "center_of_mass", "inertia"):
            getattr(self.gathering, name)[...] = getattr(model, name)
        coulomb, viscous = self._links.friction
        self._model.friction[:, [0, 2]] = self._base[:, [0, 2]] * coulomb[:, None]
        self._model.friction[:, 1] = self._base[:, 1] * viscous

    def _allow_masses(self, windows: Windows) -> None:
        """Let the detector allow for what is not known of masses where the last of the windows was."""
        load = np.abs(windows.tau - windows.coulomb - windows.viscous)[-1] + SLACK
        share = float((ALLOWED * self._links.doubt(windows)[-1] / load).max())
        self._allow("mass_error", share, LEAST_MASS_ERROR)

    def _noise(self, q: np.ndarray) -> np.ndarray:
        """(n,) deviation of the mean torque of a window, for the noise of the sensors [N·m]."""
        speed = np.zeros(self._n) + np.asarray(self._world.sensors.velocity_noise)
        torque = np.zeros(self._n) + np.asarray(self._world.sensors.torque_noise)
        periods = max(1, round(control.WINDOW / self._period))
        inertia = mass_matrix(self._bare, q[-1])
        return np.hypot(
            math.sqrt(2.0) / control.WINDOW * np.sqrt(inertia**2 @ speed**2),
            torque / math.sqrt(periods),
        )

    def _allow(self, name: str, share: float, least: float) -> None:
        """Let the detector allow for less, if it has such a parameter, than the world's file says."""
        at = 0
        for parameter in self._methods.detector.parameters:
            if parameter.name == name:
                most = float(self._world.detection.parameters[name])
                for parameters in self._judges:
                    parameters[at : at + 1] = min(most, max(share, least))  # where it has any
            at += self._n if parameter.per_joint else 1

    def summary(self) -> dict[str, Any]:
        """What was learnt, with its uncertainty, of plain values; ``null`` for what is infinite."""
        n, bare, friction, gears = self._n, self._bare, self._model.friction, self._gears
        deviations = np.sqrt(np.maximum(np.diag(self._links.covariance), 0.0))
        links, shares = deviations[: 4 * n].reshape(n, 4), deviations[4 * n : 6 * n].reshape(2, n)
        arm, (mass, center) = self._links.links_alone(bare), self._links.payload
        found = {
            "mass_kg": arm.mass,
            "mass_deviation_kg": links[:, 0] * self._links.arm.mass,
            "center_of_mass_m": arm.center_of_mass,
            "center_deviation_m": links[:, 1:],
            "coulomb_Nm": friction[:, 0],
            "viscous_Nms_per_rad": friction[:, 1],
            "viscous_deviation_Nms_per_rad": self._base[:, 1] * shares[1],
            "breakaway_Nm": friction[:, 2],
            "breakaway_deviation_Nm": self._base[:, 2] * shares[0],
            "stribeck_speed_rad_per_s": friction[:, 3],
            "presliding_Nm_per_rad": self._model.presliding,
            "presliding_softest_Nm_per_rad": np.array([gear.softest for gear in gears]),
            "presliding_stiffest_Nm_per_rad": np.array([gear.stiffest for gear in gears]),
            "payload_mass_kg": np.array(mass),
            "payload_mass_deviation_kg": deviations[6 * n],
            "payload_center_m": center,
        }
        plain = {k: np.array(np.where(np.isfinite(v), v, None)).tolist() for k, v in found.items()}
        return {"windows": self._learnt, **plain}


def learnt_arm(run: Run) -> Arm:
    """The arm of the controller's model as a run of an arm that learns has left it, without a payload."""
    found, section = run.summary["learnt"], run.world.controller
    arm = load_arm(section.model or run.world.arm, run.world.folder)
    columns = ("coulomb_Nm", "viscous_Nms_per_rad", "breakaway_Nm", "stribeck_speed_rad_per_s")
    mass = np.array(found["mass_kg"])
    return arm._replace(
        mass=mass,
        center_of_mass=np.array(found["center_of_mass_m"]),
        inertia=arm.inertia * (mass / np.where(arm.mass > 0.0, arm.mass, 1.0))[:, None, None],
        friction=np.column_stack([found[name] for name in columns]),
        presliding=np.array([k or np.inf for k in found["presliding_Nm_per_rad"]]),
    )


def _accelerations(q: np.ndarray, period: float) -> np.ndarray:
    """Second derivative (k, n) of angles, from parabolas over 0.04 s; at rest before and after."""
    from scipy.signal import savgol_filter

    length = max(5, 2 * round(0.5 * 0.04 / period) + 1)
    if len(q) < length:
        return np.zeros_like(q)
    return np.asarray(savgol_filter(q, length, 2, deriv=2, delta=period, axis=0, mode="nearest"))
