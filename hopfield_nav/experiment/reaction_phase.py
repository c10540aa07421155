"""What the arm does between an alarm and its new path: ``detection.reaction`` of the world file.

- ``retreat``: nothing. The new path begins at once, with the motion that the reference has, and its
  first leg leads back; for part of that leg the reference goes deeper.
- ``stop``: the reference brakes to where the arm was measured at the alarm, and stays until the arm
  rests.
- ``float``: the motors bear the arm's own weight in the controller's model and nothing else; what
  it touches pushes it off. The reference is the arm itself. Believed friction is not added: one
  believed to be too large would drive the arm.

Then the path is planned again, from where the arm is. What was felt is learned at the alarm,
whatever follows; how far it is confirmed is told by the level where the arm itself turned back.
"""

import math

import numpy as np

from dynamics import Arm, forward_kinematics, gravity_torque, inverse_dynamics
from hopfield_nav.control import Controller, begin_rest, depth_in_contact, end_rest, keep_level
from hopfield_nav.experiment.phase import Look, Phase
from hopfield_nav.loop import State, Trajectory, evaluate, quintic_trajectory, resting, sample
from hopfield_nav.navigation import MotionPhase, PlannedMotion
from hopfield_nav.world import World

# [s] of a reaction at most, whether the arm rests by then or not
MAX_DURATION = {"stop": 0.5, "float": 0.3}
POLL_INTERVAL = 0.005  # [s] from one look at the arm's speed to the next
CALM_TIME = 0.02  # [s] without more than ``REST_SPEED``, after which the arm is at rest
REST_SPEED = 0.01  # [rad/s] besides four times the noise of the measured speeds
MIN_BRAKING_TIME = 0.02  # [s] of braking, and four control periods at least
TORQUE_SHARE = 0.5  # of the torque that its weight leaves to a joint, for braking
_DURATION_RATIO = 1.2  # ratio of one duration that is tried to the next
_SAMPLES = 16


class ReactionPhase(Phase):
    """Brings the arm to rest after an alarm, if the world wants that before the new path."""

    def __init__(self, world: World, arm: Arm, controller: Controller) -> None:
        super().__init__(world, POLL_INTERVAL)
        self._kind = world.detection.reaction
        self._episodes = world.detection.episodes
        self._arm = arm
        self._model = controller.model
        self._shortest = max(MIN_BRAKING_TIME, 4 * world.controller.period)
        self._rest = REST_SPEED + 4 * world.sensors.velocity_noise
        self._braked = 0  # step at which braking is done
        self._calm = 0  # looks in a row at which the arm was at rest
        self._depth = -math.inf  # of the arm in what it felt, at the last look

    def before(
        self, motion: PlannedMotion, trajectory: Trajectory, time: float, state: State
    ) -> PlannedMotion:
        """What the arm does first: a motion that ``reacts``.

        The planned one where nothing comes before it. Where the arm is let go, that is noted in the
        control computer's part of the state.
        """
        if self._kind == "retreat" or motion.trajectory is None:
            return motion
        sensed = state.control.sensed
        rest = sensed.q - state.control.correction
        begin_rest(state.control, floating=self._kind == "float")
        if self._kind == "float":
            first = quintic_trajectory(sensed.q[None], MAX_DURATION["float"], time)
            leg = 0.0
        else:
            first = self._brake(trajectory, time, rest)
            leg = float(first.knots[-1]) - time
        # never at its end: that would be arrival
        knots = np.append(first.knots, time + 2 * MAX_DURATION[self._kind])
        coefficients = np.concatenate([first.coefficients, resting(rest).coefficients])
        self._begun = round(time / self._step)
        self._braked = self._begun + self._steps(leg)
        self._calm = 0
        self._depth = -math.inf
        self._follow_arm(state)
        angles = np.vstack([evaluate(trajectory, time)[0], sensed.q, sensed.q])
        return motion._replace(
            trajectory=Trajectory(knots, coefficients, self._sample_time),
            places=forward_kinematics(self._arm, angles)[:, :3, 3],
            phase=MotionPhase.REACTION,
        )

    def look(self, step: int, state: State, motion: PlannedMotion) -> Look:
        """Whether the arm has come to rest by this step, or the longest time has passed."""
        if not self._is_due(step):
            return Look(False, motion)
        still = bool(np.abs(state.control.sensed.qd).max() <= self._rest) and step >= self._braked
        self._calm = self._calm + 1 if still else 0
        self._follow_arm(state)
        rested = self._calm * self._looks_at >= self._steps(CALM_TIME)
        is_over = rested or step - self._begun >= self._steps(MAX_DURATION[self._kind])
        return Look(is_over, motion)

    def end(
        self, trajectory: Trajectory, time: float, state: State
    ) -> tuple[np.ndarray, np.ndarray]:
        """From where the arm goes on: angles (n,) [rad] and velocities (n,) [rad/s].

        After ``stop`` they are the reference's; after ``float``, which ends here, those of the arm
        as measured.
        """
        end_rest(state.control, self._episodes)
        if self._kind != "float":
            return evaluate(trajectory, time)[:2]
        sensed = state.control.sensed
        qd = sensed.qd if np.abs(sensed.qd).max() > self._rest else np.zeros(len(sensed.qd))
        return sensed.q + qd * (time - float(sensed.time[0])), qd.copy()

    def _follow_arm(self, state: State) -> None:
        """Keep the level until the arm turns back from what it felt: there its retreat begins."""
        depth = depth_in_contact(state.control)
        if depth >= self._depth:
            self._depth = depth
            keep_level(state.control)
        else:
            self._depth = math.inf

    def _brake(self, trajectory: Trajectory, time: float, to: np.ndarray) -> Trajectory:
        """The shortest quintic to rest at ``to`` (n,) [rad].

        It takes ``TORQUE_SHARE`` of the motors' torque.
        """
        q, qd, qdd = evaluate(trajectory, time)
        weight = np.abs(gravity_torque(self._model, q))
        most = TORQUE_SHARE * np.maximum(
            self._arm.torque_limits - weight, 0.1 * self._arm.torque_limits
        )
        duration = self._shortest
        while True:
            braking = quintic_trajectory(
                np.vstack([q, to]),
                duration,
                time,
                qd,
                qdd,
                self._arm.speed_limits,
                self._sample_time,
            )
            _, angles, speeds, accelerations = sample(braking, _SAMPLES)
            torque = inverse_dynamics(self._model, angles, speeds, accelerations)
            needed = np.abs(torque - gravity_torque(self._model, angles)).max(axis=0)
            if np.all(needed <= most) or duration >= 0.5 * MAX_DURATION["stop"]:
                return braking
            duration *= _DURATION_RATIO
