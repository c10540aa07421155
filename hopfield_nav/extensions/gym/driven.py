"""The arm of a world driven by torques from outside, many short steps a second."""

import math

import numpy as np

from dynamics import BadInput
from dynamics.kernels.decorators import unchecked_call
from hopfield_nav.control import hold_at_start, with_torque
from hopfield_nav.experiment import Simulation, Surroundings, build_controller, check_duration
from hopfield_nav.loop import Event, compiled_loop, make_log, make_state, read_at_rest
from hopfield_nav.world import World


class DrivenArm:
    """A world's arm, sensors and estimator, and no controller of its own; the world's goal is for others.

    A step takes ``duration``, a multiple of the control period [s].

    Raises ``BadInput``: a duration of no whole control periods, motors without limits, or as ``Simulation``.
    """

    def __init__(self, world: World, duration: object) -> None:
        if world.plant.engine != "internal":
            raise BadInput("not in an environment", where="plant.engine", found=world.plant.engine)
        self._world = world.with_changes(goal=None)
        self.duration = check_duration(duration)  # of a step [s]
        periods = min(self.duration, world.time_limit) / world.controller.period
        if periods < 0.5 or self.duration > world.time_limit or abs(periods - round(periods)) > 1e-6:
            allowed = f"a multiple of {world.controller.period:g} s, at most the time limit"
            raise BadInput("no whole number of control periods", where="duration", found=duration, allowed=allowed)
        self.time_step = world.plant.step  # of the simulation [s]
        self._steps = round(self.duration / self.time_step)
        self._drawn = any(obstacle.is_drawn for obstacle in world.obstacles)
        self._build(world.seed)
        self.limits = self.simulation.arm.torque_limits  # (n,) [N·m]
        if not np.isfinite(self.limits).all():
            allowed = "limits.torque in its file"
            raise BadInput("an arm without torque limits", where=world.arm, allowed=allowed)

    def _build(self, seed: int) -> None:
        self.simulation = Simulation(self._world, seed)  # whose parts are driven
        trajectory = self.simulation.first_motion.trajectory
        if trajectory is None:
            raise BadInput("the arm has no place to start from", where=self._world.name)
        settings = self.simulation.settings
        deaf = settings._replace(alarm=settings.alarm._replace(hold_off=math.inf))
        self._fixed = (trajectory, deaf)
        self._loop = unchecked_call(compiled_loop())

    def start(self, seed: int) -> None:
        """Back to the start, at rest, with the noise, and the obstacles, of this seed."""
        if self._drawn:
            self._build(seed)
        made, (trajectory, settings) = self.simulation, self._fixed
        n = len(made.arm.dh)
        own = build_controller(made.world, made.arm, made.methods)
        self._controller = with_torque(own._replace(torque_limits=self.limits), np.zeros(n))
        start = trajectory.coefficients[0, 0]
        self.state = make_state(start, settings.delay, seed)
        hold_at_start(self.state.control, self._controller, start)
        read_at_rest(made.plant.wrist, made.plant.arm, start, self.state.wrist)
        self._log, self._plant, self._surroundings = make_log(0, n), made.plant, Surroundings(made.world, made.plant)
        self._torque = self._controller.law.memory
        # (3,) where the control computer believes the tool to be [m], at its latest look at the joints
        self.tool = self._controller.work.tool[:3, 3]

    def step(self, torque: np.ndarray) -> bool:
        """Apply a torque (n,) [N·m], at most the limits, for a step; whether the arm is in one piece."""
        trajectory, settings = self._fixed
        self._torque[:] = torque
        target = self.state.now.step + self._steps
        self._plant = self._surroundings.now(self._plant, self.state)
        event = self._loop(self._plant, self._controller, trajectory, settings, self.state, self._log, target)
        return bool(event != Event.DIVERGED)
