"""MuJoCo in place of the program's own plant: the same loop around another engine.

MuJoCo computes accelerations and integrates them, from the model that ``dynamics.files.mjcf``
writes. The contact law is ours: its torque on the joints is handed over in every stage of the
integrator, and so are the torque of a law that is not held and the friction of gears that give
before they slip. A sensor at the flange reads MuJoCo's accelerations. Controller, estimator and
detector are the kernels of the compiled loop.
"""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numpy as np

from dynamics import needs_library
from dynamics.files import mjcf_text
from dynamics.kernels.cached_dispatch import CachedDispatch
from dynamics.kernels.decorators import compile_loop, load_numba
from hopfield_nav import loop
from hopfield_nav.plugin import Method
from hopfield_nav.world import World

_INTEGRATORS = {"rk4": "RK4", "semi_implicit_euler": "Euler"}


class MujocoLoop(loop.Engine):
    """Advances a state as ``closed_loop.compiled_loop()`` does, with MuJoCo as the plant.

    The state is the truth between calls: a new or a changed one may be handed over at any time. Arm
    and joint damping of the plant are fixed here; the integrator, ``rk4`` or
    ``semi_implicit_euler``, is MuJoCo's own of that kind, with this step [s].

    Raises ``BadInput``: MuJoCo is missing, or the arm is not rigid.
    """

    def __init__(self, plant: loop.Plant, step: float, integrator: str = "rk4") -> None:
        with needs_library("plant.engine: mujoco needs MuJoCo", "mujoco"):
            import mujoco

        self.mujoco = mujoco
        self._made_of = plant, step, integrator
        text = mjcf_text(
            plant.arm, damping=plant.damping, step=step, integrator=_INTEGRATORS[integrator]
        )
        self.model = self.mujoco.MjModel.from_xml_string(text)
        self.data = self.mujoco.MjData(self.model)
        find: Callable[[int], Callable] = _kernels().__getitem__
        self._kernels = [CachedDispatch(partial(find, k)) for k in range(len(_kernels()))]

    def __reduce__(self) -> tuple[Any, ...]:
        """Made anew, in MuJoCo's own state."""
        values = np.empty(self.mujoco.mj_stateSize(self.model, self._kept))
        self.mujoco.mj_getState(self.model, self.data, values, self._kept)
        return MujocoLoop, self._made_of, values

    def __setstate__(self, values: np.ndarray) -> None:
        self.mujoco.mj_setState(self.model, self.data, values, self._kept)

    @property
    def _kept(self) -> int:
        return int(self.mujoco.mjtState.mjSTATE_INTEGRATION)

    def __call__(self, plant, controller, trajectory, settings, state, log, last_step) -> int:
        """Advance until step ``last_step`` or the first event.

        Arguments and result as the compiled loop.
        """
        before, in_stage, after, *_, after_motion, sample = self._kernels
        hook = _Hook(self, plant, state)
        if not settings.hold:
            hook.command = partial(in_stage, controller, trajectory, state.control)
        self.data.qpos[:], self.data.qvel[:] = state.q, state.qd
        while state.now.step < last_step:
            event = before(controller, trajectory, settings, state, log)
            if event != loop.Event.NONE:
                return event
            self.data.time = state.now.step * settings.step
            hook.drive(state.q)
            hook.first = True
            if plant.wrist.every > 0 and state.now.step % plant.wrist.every == 0:
                self._lend(hook, self.mujoco.mj_forward)
                sample(plant, state, self.data.qvel.copy(), self.data.qacc.copy())
            self._lend(hook, self.mujoco.mj_step)
            after_motion(plant, state, self.data.qpos.copy(), self.data.qvel.copy())
            event = after(settings, state, log)
            if event != loop.Event.NONE:
                return event
        return loop.Event.HORIZON

    def check(
        self,
        plant: loop.Plant,
        start: np.ndarray,
        step: float,
        stages: int,
        gain: np.ndarray,
        held_for: float,
    ) -> None:
        """As ``Engine``; gears that give before they slip are springs, for which the step must do, too.

        Raises ``BadInput``: the step is too large.
        """
        super().check(plant, start, step, stages, gain, held_for)
        loop.check_gears(plant.arm, start, step, stages)

    def _lend(self, hook: "_Hook", advance: Callable) -> None:
        """Let MuJoCo compute.

        Its hook for passive forces is one for the whole process, lent briefly.
        """
        self.mujoco.set_mjcb_passive(hook)
        try:
            advance(self.model, self.data)
        finally:
            self.mujoco.set_mjcb_passive(None)


class _Hook:
    """What MuJoCo calls in every stage for passive forces: adds J^T F of the contact."""

    def __init__(self, engine: MujocoLoop, plant: loop.Plant, state: loop.State) -> None:
        self._model, self._data, self._plant, self._state = engine.model, engine.data, plant, state
        *_, self._drive, self._touch, self._keep, _, _ = engine._kernels
        self.first = True  # whether the next call is in the first stage of the step
        # writes the law's torque for (q, qd, time) to what is commanded; None: held
        self.command: Callable | None = None

    def drive(self, q: np.ndarray) -> None:
        """Hand the motors' torque over."""
        self._drive(self._plant, self._state, q)
        self._data.qfrc_applied[:] = self._plant.stages.applied

    def __call__(self, model: Any, data: Any) -> None:
        """Add the torque to ``data.qfrc_passive``.

        Models of others, in other threads, are left alone.
        """
        if model is not self._model:
            return
        q, qd = data.qpos.copy(), data.qvel.copy()
        if self.command is not None:
            self.command(q, qd, data.time)
            self.drive(q)
        self._touch(self._plant, self._state, q, qd)
        data.qfrc_passive[:] += self._plant.stages.external - self._plant.stages.friction
        if self.first:
            self.first = False
            self._keep(self._state.truth, self._plant)


def _before(controller, trajectory, settings, state, log):
    return loop.before_step(controller, trajectory, settings, state, state.q, state.qd, log)


def _in_stage(controller, trajectory, control, q, qd, time):
    loop.command_in_stage(controller, trajectory, control, q, qd, time)


def _after(settings, state, log):
    return loop.after_step(settings, state, log)


def _drive(plant, state, q):
    loop.drive(plant.motors, q, state.control.sensed.tau, plant.stages.applied)


def _touch(plant, state, q, qd):
    """Contact, and the friction of the gears after their path in the step so far."""
    loop.update_contact(plant, q, qd)
    friction, arm = plant.stages.friction, plant.arm
    for i in range(q.size):
        friction[i] = state.strain[i]
    if plant.frictional:
        loop.strain_gears(arm.friction, arm.presliding, state.q, q, qd, friction)


def _after_motion(plant, state, q, qd):
    if plant.frictional:
        loop.strain_gears(plant.arm.friction, plant.arm.presliding, state.q, q, qd, state.strain)
    for i in range(q.size):
        state.q[i], state.qd[i] = q[i], qd[i]


def _keep(truth, plant):
    loop.keep_truth(truth, plant)


def _sample(plant, state, qd, qdd):
    stages = plant.stages
    for i in range(qd.size):
        stages.qd[i], stages.qdd[i] = qd[i], qdd[i]
    loop.read_wrist(plant.wrist, plant.arm.gravity, stages, state.wrist)


@lru_cache(maxsize=1)
def _kernels() -> tuple[Callable, ...]:
    """The eight above, compiled (or read from the cache) for the types of the compiled loop."""
    plant, controller, trajectory, settings, state, log = loop.loop_types()
    types = load_numba().types
    code, none, number, vector = types.int64, types.void, types.float64, types.float64[::1]
    fields = dict(zip(loop.State._fields, state.types, strict=True))
    return (
        compile_loop(code(controller, trajectory, settings, state, log), _before),
        compile_loop(
            none(controller, trajectory, fields["control"], vector, vector, number), _in_stage
        ),
        compile_loop(code(settings, state, log), _after),
        compile_loop(none(plant, state, vector), _drive),
        compile_loop(none(plant, state, vector, vector), _touch),
        compile_loop(none(fields["truth"], plant), _keep),
        compile_loop(none(plant, state, vector, vector), _after_motion),
        compile_loop(none(plant, state, vector, vector), _sample),
    )


def make(world: World, plant: loop.Plant, start: np.ndarray) -> MujocoLoop:
    """The engine of a run."""
    return MujocoLoop(plant, world.plant.step, world.plant.integrator)


METHOD = Method(
    "engine",
    "mujoco",
    make,
    description="MuJoCo in the place of this program's plant (extra mujoco)",
)
