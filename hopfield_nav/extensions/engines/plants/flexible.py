"""The arm with elastic joints as the plant of the loop: its equations in small sub-steps.

The control computer works with the rotors' encoders, as the arms' own controllers do: feedback from
behind a spring is unstable at any useful gain. So in a run's record ``q_sensed`` is of the rotors,
and ``q`` of the links, what the second encoder shows. Controller, estimator, detector and log are
those of the compiled loop, and so is the motion of the links under contact.

The springs make modes far faster than a step (a wrist: 800 Hz). A step is cut into sub-steps of at
most 0.5/omega of the fastest one, omega from the links and rotors at the start; RK4 is stable up to
2.8/omega. Dry friction is found once a sub-step, so that rotors stick truly (see ``sticking``).
"""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from dynamics import BadInput, flexible_joint, gravity_torque
from dynamics.joint_friction import dahl, speed_with_friction
from dynamics.kernels.cached_dispatch import CachedDispatch
from dynamics.kernels.decorators import compile_loop, inlined, load_numba
from hopfield_nav import loop
from hopfield_nav.plugin import ROTORS, Method, type_of
from hopfield_nav.world import World

RESOLUTION = 0.5  # largest sub-step times the highest natural frequency
MAX_SUBSTEPS = 1000


class Rotors(NamedTuple):
    """State and scratch of the rotors, seen from the links' side; each (n,)."""

    # angle, speed: now [rad, rad/s]
    angle: np.ndarray
    speed: np.ndarray
    dry: np.ndarray  # dry friction of the sub-step [N·m]
    load: np.ndarray  # torque through the gears in the stage [N·m]
    # stage_angle, stage_speed, acceleration: of an integrator stage
    stage_angle: np.ndarray
    stage_speed: np.ndarray
    acceleration: np.ndarray
    # angle_sum, speed_sum: weighted sums of its stages
    angle_sum: np.ndarray
    speed_sum: np.ndarray
    viscous: np.ndarray  # joint damping besides friction [N·m·s/rad]


class FlexibleLoop(loop.Engine):
    """Advances a state as ``closed_loop.compiled_loop()`` does, with elastic joints.

    A new state begins with rotors that hold the links against gravity; joints that are moved from
    outside take their rotors along. Arm and joint damping (it acts on the rotors) of the plant are
    fixed here; how many sub-steps are in a ``step`` [s] is chosen at the joint angles ``start``
    (n,) [rad]; ``given`` are the fields of ``FlexibleJoints`` that are not the defaults.

    Raises ``BadInput``: transmissions too stiff for the step.
    """

    def __init__(self, plant: loop.Plant, step: float, start: np.ndarray, **given: object) -> None:
        self.joints: flexible_joint.FlexibleJoints = flexible_joint.flexible_joints(
            plant.arm, **given
        )
        self.link_arm = flexible_joint.links_alone(plant.arm)  # without rotors and friction
        n = len(start)
        self.substeps = substeps(
            flexible_joint.highest_frequency(plant.arm, self.joints, start), step
        )
        self.substep = step / self.substeps  # [s]
        self.rotors = Rotors(*np.zeros((len(Rotors._fields), n)))
        self.rotors.viscous[:] = plant.damping - plant.arm.friction[:, 1]
        self._loop = CachedDispatch(_compiled)
        self._plant: loop.Plant | None = None
        self._its_links = plant
        self._state: loop.State | None = None
        self._left = np.zeros((2, n))

    def __call__(self, plant, controller, trajectory, settings, state, log, last_step) -> int:
        """Advance until step ``last_step`` or the first event.

        Arguments and result as the compiled loop.
        """
        if state is not self._state:
            self.place(state, self.encoders(state.q), state.qd)
        self.rotors.angle[:] += state.q - self._left[0]
        self.rotors.speed[:] += state.qd - self._left[1]
        if plant is not self._plant:
            self._plant, self._its_links = plant, self.links(plant)
        event = self._loop(
            self._its_links, controller, trajectory, settings, state, log, last_step, self.joints,
            self.rotors, self.substeps,
        )  # fmt: skip
        self._left[:] = state.q, state.qd
        return event

    def links(self, plant: loop.Plant) -> loop.Plant:
        """The plant of the link equation: without rotors, and so without friction."""
        return plant._replace(
            arm=self.link_arm, damping=np.zeros_like(plant.damping), frictional=False
        )

    def check(
        self,
        plant: loop.Plant,
        start: np.ndarray,
        step: float,
        stages: int,
        gain: np.ndarray,
        held_for: float,
    ) -> None:
        """As ``Engine``: links move in sub-steps, joint damping and control move links and rotors together.

        Raises ``BadInput``: a contact too stiff for a sub-step, or a damping too large for the
        step.
        """
        loop.check_step(self.links(plant), start, self.substep, stages, np.zeros(len(start)), 0.0)
        together = plant._replace(arm=plant.arm._replace(rotor_inertia=self.joints.rotor_inertia))
        loop.check_step(together, start, step, stages, gain, held_for)

    def encoders(self, q: np.ndarray) -> np.ndarray:
        """Angles (n,) of the rotors that hold the links at rest at ``q`` (n,) against gravity [rad]."""
        return q + gravity_torque(self.link_arm, q) / self.joints.stiffness

    def place(self, state: loop.State, angle: np.ndarray, speed: np.ndarray) -> None:
        """Let the rotors (n,) be at these angles [rad] and speeds [rad/s], wherever the links were put."""
        self._state = state
        self._left[:] = state.q, state.qd
        self.rotors.angle[:], self.rotors.speed[:] = angle, speed


def substeps(frequency: float, step: float) -> int:
    """How many sub-steps a step [s] needs for a highest natural frequency [rad/s]."""
    count = max(1, int(np.ceil(step * frequency / RESOLUTION)))
    if count > MAX_SUBSTEPS:
        message = "the joints are too stiff for this step"
        found = f"{step:g} s and modes of {frequency:.3g} rad/s"
        allowed = f"at most {MAX_SUBSTEPS} sub-steps of {RESOLUTION / frequency:.2g} s"
        raise BadInput(message, where="plant.step", found=found, allowed=allowed)
    return count


def _advance(
    links, controller, trajectory, settings, state, log, last_step, joints, rotors, count
):  # fmt: skip
    """As ``closed_loop._advance``; the encoders are on the rotors."""
    while state.now.step < last_step:
        event = loop.before_step(
            controller, trajectory, settings, state, rotors.angle, rotors.speed, log
        )
        if event != loop.Event.NONE:
            return event
        time, h = state.now.step * settings.step, settings.step / count
        for part in range(count):
            if not settings.hold:
                loop.command_in_stage(
                    controller,
                    trajectory,
                    state.control,
                    rotors.angle,
                    rotors.speed,
                    time + part * h,
                )
            _substep(links, joints, rotors, state, settings.stages, h, part == 0)
        event = loop.after_step(settings, state, log)
        if event != loop.Event.NONE:
            return event
    return loop.Event.HORIZON


@inlined
def _substep(links, joints, rotors, state, order, h, first):
    """One sub-step of ``h`` seconds, RK4 (order 4) or semi-implicit Euler (1)."""
    q, qd, n, stages = state.q, state.qd, state.q.size, links.stages
    angle, speed = rotors.angle, rotors.speed
    turned, turning, speeding = rotors.stage_angle, rotors.stage_speed, rotors.acceleration
    loop.drive(links.motors, angle, state.control.sensed.tau, stages.applied)
    for stage in range(order):
        loop.begin_stage(stage, h, q, qd, stages.q, stages.qd, stages.qdd)
        loop.begin_stage(stage, h, angle, speed, turned, turning, speeding)
        _accelerate(links, joints, rotors, state.strain, stages.applied, h if stage == 0 else 0.0)
        if stage == 0 and first:
            for i in range(n):
                stages.friction[i] = rotors.dry[i]
            loop.keep_truth(state.truth, links)
            if links.wrist.every > 0 and state.now.step % links.wrist.every == 0:
                loop.read_wrist(links.wrist, links.arm.gravity, stages, state.wrist)
        loop.end_stage(stage, stages.qd, stages.qdd, stages.sum_qd, stages.sum_qdd)
        loop.end_stage(stage, turning, speeding, rotors.angle_sum, rotors.speed_sum)
    for i in range(n):
        stages.before[i] = angle[i]
    loop.end_step(order, h, q, qd, stages.sum_qd, stages.sum_qdd)
    loop.end_step(order, h, angle, speed, rotors.angle_sum, rotors.speed_sum)
    for i in range(n):
        if joints.presliding[i] < np.inf:
            level = flexible_joint.dry_level(joints, i, speed[i], rotors.load[i])
            path = angle[i] - stages.before[i]
            state.strain[i] = dahl(state.strain[i], path, joints.presliding[i], level)


@inlined
def _accelerate(links, joints, rotors, strain, tau, friction_step):
    """Accelerations of links and rotors in a stage.

    With a ``friction_step`` [s] dry friction anew.
    """
    stages = links.stages
    load, speeds, dry, inertia = rotors.load, rotors.stage_speed, rotors.dry, joints.rotor_inertia
    for i in range(load.size):
        load[i] = flexible_joint.spring_torque(
            joints, i, rotors.stage_angle[i] - stages.q[i], speeds[i] - stages.qd[i]
        )
    loop.plant_acceleration(links, load, strain, 0.0, 0.0)
    for i in range(load.size):
        push = (
            tau[i]
            - load[i]
            - flexible_joint.viscous_torque(joints, i, speeds[i])
            - rotors.viscous[i] * speeds[i]
        )
        if friction_step > 0.0:
            level = flexible_joint.dry_level(joints, i, speeds[i], load[i])
            stopping = push + inertia[i] * speeds[i] / friction_step
            if joints.presliding[i] < np.inf:
                ahead = speed_with_friction(
                    inertia[i], friction_step * stopping, strain[i], joints.presliding[i], level,
                    friction_step, speeds[i],
                )  # fmt: skip
                dry[i] = dahl(strain[i], friction_step * ahead, joints.presliding[i], level)
            else:
                # what brings it to rest, as far as it can
                dry[i] = min(max(stopping, -level), level)
        rotors.acceleration[i] = (push - dry[i]) / inertia[i]


@lru_cache(maxsize=1)
def _compiled() -> Callable:
    number, table = load_numba().types.int64, np.zeros((1, 1))
    wide, made = ("friction", "thermal"), flexible_joint.FlexibleJoints
    joints = made(*(table if name in wide else np.zeros(1) for name in made._fields))
    rotors = Rotors(*np.zeros((len(Rotors._fields), 1)))
    types = (*loop.loop_types(), number, type_of(joints), type_of(rotors), number)
    return compile_loop(number(*types), _advance)


def make(world: World, plant: loop.Plant, start: np.ndarray) -> FlexibleLoop:
    """The engine of a run; without ``plant.friction`` the load adds none either."""
    given = {name: getattr(world.plant, name) for name in ("stiffness", "temperature")}
    given = {name: value for name, value in given.items() if value is not None}
    if world.plant.friction is None:
        given["load_share"] = 0.0
    return FlexibleLoop(plant, world.plant.step, start, **given)


METHOD = Method(
    "engine", "flexible", make, needs=ROTORS,
    description="this program with elastic joints (madsen2020)",
)  # fmt: skip
