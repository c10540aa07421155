"""A world as an environment of Gymnasium.

Torques in, what the arm senses out, a reward for coming nearer. Reading this file tells Gymnasium
of ``hopfield_nav/Reach-v0``.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dynamics import BadInput, forward_kinematics
from dynamics.kernels.decorators import unchecked_call
from hopfield_nav.control import hold_at_start, with_torque
from hopfield_nav.experiment import Simulation, Surroundings, build_controller, check_duration
from hopfield_nav.loop import (
    LARGEST_ANGLE,
    LARGEST_SPEED,
    Event,
    compiled_loop,
    make_log,
    make_state,
    read_at_rest,
)  # fmt: skip
from hopfield_nav.world import World, load_world

if TYPE_CHECKING:
    import gymnasium

    Base = gymnasium.Env[np.ndarray, np.ndarray]
else:
    try:
        import gymnasium

        Base = gymnasium.Env
    except ImportError:  # told where an environment is made
        gymnasium, Base = None, object

NAME = "hopfield_nav/Reach-v0"
FORCE_COST = 0.01  # [m/N] distance that is as bad as a newton
ARRIVED, EXPLODED = 1.0, -1.0  # added to the last reward of an episode
_LARGEST_TORQUE = 1e6  # [N·m] bounds of the observation: nothing comes near them
_LARGEST_WAY = 1e3  # [m]


class ReachEnv(Base):
    """Bring the tool to the goal of a world, with the torques of the motors.

    - **Action**: (n,) from -1 to 1, each the share of a motor's largest torque, for one step.
    - **Observation**: (3 n + 3,): measured joint angles [rad] and speeds [rad/s], torque that the
      world's estimator takes for contact [N·m], and the way from the tool to the goal [m]. It is
      that of the latest control period.
    - **Reward** of a step: -duration · (distance to the goal [m] + 0.01 m/N · true contact force
      [N]); 1 more at the goal; -1 instead if the simulation of the arm diverges.
    - **End**: terminated when the tool is within the goal's tolerance, or the arm diverges;
      truncated at the time limit of the world.
    - **Seed**: of the noise of the sensors, and of obstacles that are drawn.

    Args:
        world: one from ``load_world``, or its file or name.
        overrides: changes, as for ``load_world``; for a file or name.
        duration: of a step [s].

    Raises ``BadInput``: Gymnasium is missing, the world has no goal or cannot be used, or a
    duration of no whole control periods.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012  (Gymnasium's own way)

    def __init__(
        self,
        world: World | str | Path = "empty",
        overrides: Sequence[str] = (),
        duration: float = 0.005,
    ) -> None:
        if gymnasium is None:
            raise BadInput(
                "an environment needs Gymnasium", allowed="pip install 'hopfield-nav[gym]'"
            )
        loaded = world if isinstance(world, World) else load_world(world, overrides)
        if loaded.goal is None or loaded.goal_point is None:
            raise BadInput(
                "a world without a goal", where=loaded.name, allowed="goal: {…} in the world file"
            )
        self.world = loaded
        self._goal, self._tolerance = np.array(loaded.goal_point), loaded.goal.tolerance
        self._without_goal, self._drawn = (
            loaded.with_changes(goal=None),
            any(o.is_drawn for o in loaded.obstacles),
        )
        self.duration = check_duration(duration)  # of a step [s]
        self._steps = _steps_of(loaded, self.duration, duration)
        self._build(loaded.seed)
        n = len(self.arm.dh)
        bounds = (LARGEST_ANGLE, LARGEST_SPEED, _LARGEST_TORQUE)
        self._high = np.concatenate([np.repeat(bounds, n), np.full(3, _LARGEST_WAY)])
        self.observation_space = gymnasium.spaces.Box(-self._high, self._high, dtype=np.float64)
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (n,), np.float64)
        # as of a run
        self._time_limit = round(loaded.time_limit / loaded.plant.step) * loaded.plant.step - 1e-9
        self._running = False

    def _build(self, seed: int) -> None:
        """The simulation whose parts are driven, and what stays the same from episode to episode."""
        self.simulation = Simulation(self._without_goal, seed)
        self.arm = self.simulation.arm  # that moves (``dynamics.Arm``), as the world has it
        if not np.isfinite(self.arm.torque_limits).all():
            allowed = "limits.torque in its file"
            raise BadInput("an arm without torque limits", where=self.world.arm, allowed=allowed)
        trajectory, settings = self.simulation.first_motion.trajectory, self.simulation.settings
        if trajectory is None:
            raise BadInput("the arm has no place to start from", where=self.world.name)
        # deaf to alarms
        self._fixed = (
            trajectory,
            settings._replace(alarm=settings.alarm._replace(hold_off=math.inf)),
        )
        self._loop = unchecked_call(compiled_loop())

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin an episode at the start of the world; ``options`` are not used."""
        super().reset(seed=seed)
        drawn = int(self.np_random.integers(2**31))  # of the noise and of obstacles
        if self._drawn:
            self._build(drawn)
        made, n, q = self.simulation, len(self.arm.dh), self._fixed[0].coefficients[0, 0]
        own = build_controller(made.world, made.arm, made.methods)
        self._controller = with_torque(
            own._replace(torque_limits=self.arm.torque_limits), np.zeros(n)
        )
        self.state = make_state(q, self._fixed[1].delay, drawn)
        hold_at_start(self.state.control, self._controller, q)
        read_at_rest(made.plant.wrist, made.plant.arm, q, self.state.wrist)
        self._log, self._plant, self._surroundings = (
            make_log(0, n),
            made.plant,
            Surroundings(made.world, made.plant),
        )
        # (3,) where the control computer believes the tool to be [m], at its latest look at the
        # joints
        self._tool, self._running = self._controller.work.tool[:3, 3], True
        way, nothing = self._goal - forward_kinematics(self.arm, self.state.q)[:3, 3], np.zeros(n)
        return np.concatenate((q, nothing, nothing, way)), self._info(float(np.linalg.norm(way)))

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Apply an action for one step.

        Raises ``BadInput``: an action of another shape or with numbers that are not finite, or no
        episode has begun.
        """
        limits = self.arm.torque_limits
        if not self._running:
            raise BadInput("no episode has begun", allowed="reset()")
        try:
            share = np.asarray(action, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            share = limits[:0]
        if share.shape != limits.shape or not math.isfinite(share @ share):
            raise BadInput("action", found=action, allowed=f"{len(limits)} finite numbers")
        self._controller.law.memory[:] = share * limits
        self._plant = self._surroundings.now(self._plant, self.state)
        target = self.state.now.step + self._steps
        event = self._loop(
            self._plant, self._controller, *self._fixed, self.state, self._log, target
        )
        whole = bool(event != Event.DIVERGED)  # the arm is in one piece
        control, way = self.state.control, self._goal - self._tool
        distance = math.sqrt(way @ way)
        info = self._info(distance)
        there = whole and distance <= self._tolerance
        reward = -self.duration * (distance + FORCE_COST * info["force"]) + (
            ARRIVED if there else 0.0
        )
        seen = np.concatenate(
            (control.sensed.q, control.sensed.qd, control.belief.tau_external, way)
        )
        if not whole:  # numbers beyond all bounds, or none
            seen = np.fmin(np.fmax(seen, -self._high), self._high)
        late = info["time"] >= self._time_limit
        return seen, reward if whole else EXPLODED, there or not whole, late, info

    def _info(self, distance: float) -> dict[str, Any]:
        time, force = self.state.now.step * self.world.plant.step, self.state.truth.touch.force
        return {"time": time, "distance": distance, "force": math.sqrt(force @ force)}


def _steps_of(world: World, length: float, duration: object) -> int:
    """How many steps of the simulation a step of so many seconds is."""
    if world.plant.engine != "internal":
        raise BadInput("not in an environment", where="plant.engine", found=world.plant.engine)
    periods = min(length, world.time_limit) / world.controller.period
    if periods < 0.5 or length > world.time_limit or abs(periods - round(periods)) > 1e-6:
        allowed = f"a multiple of {world.controller.period:g} s, at most the time limit"
        raise BadInput(
            "no whole number of control periods", where="duration", found=duration, allowed=allowed
        )
    return round(length / world.plant.step)


if gymnasium is not None and NAME not in gymnasium.registry:
    gymnasium.register(id=NAME, entry_point="hopfield_nav.extensions.gym:ReachEnv")
