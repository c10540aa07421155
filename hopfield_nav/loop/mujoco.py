"""MuJoCo in place of the program's own plant: the same loop around another engine.

MuJoCo computes accelerations and integrates them, from the model that ``dynamics.files.mjcf`` writes. The
contact law is ours: its force at MuJoCo's tool site is handed over in every stage of the integrator,
and so is the torque of a law that is not held. Controller, estimator and detector are the kernels of
the compiled loop.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numba
import numpy as np

from dynamics import BadInput
from dynamics.compiled import compile_loop, kernel
from dynamics.files import mjcf_text
from hopfield_nav.loop.closed_loop import (
    DIVERGED,
    HORIZON,
    READY,
    after_step,
    before_step,
    command_in_stage,
    loop_types,
)
from hopfield_nav.loop.plant import Plant, tool_force
from hopfield_nav.loop.state import PlantTruth

_INTEGRATORS = {"rk4": "RK4", "semi_implicit_euler": "Euler"}


class MujocoLoop:
    """Advances a state as ``closed_loop.compiled_loop()`` does, with MuJoCo as the plant.

    The state is the truth between calls: a new or a changed one may be handed over at any time.

    Args:
        plant: arm, contact and joint damping; arm and damping are fixed here.
        step: of the integrator [s].
        integrator: ``rk4`` or ``semi_implicit_euler``; MuJoCo's own of that kind.

    Attributes:
        mujoco: the module.
        model, data: MuJoCo's.

    Raises:
        BadInput: MuJoCo is missing, or the arm is not rigid.
    """

    def __init__(self, plant: Plant, step: float, integrator: str = "rk4") -> None:
        self.mujoco = import_mujoco()
        text = mjcf_text(plant.arm, damping=plant.damping, step=step, integrator=_INTEGRATORS[integrator])
        self.model = self.mujoco.MjModel.from_xml_string(text)
        self.data = self.mujoco.MjData(self.model)

    def __call__(self, law, estimator, detector, plant, controller, trajectory, settings, state, stages,
                 work, log, last_step) -> int:  # fmt: skip
        """Advance until step ``last_step`` or the first event; arguments and result as the compiled loop."""
        before, in_stage, after = _kernels()
        held = settings.hold[0] == 1
        hook = _Hook(self, plant, state.sensed.tau)
        if not held:
            hook.command = partial(in_stage, law, controller, trajectory, state)
        self.data.qpos[:], self.data.qvel[:] = state.q, state.qd
        while state.step[0] < last_step:
            event = before(law, estimator, detector, controller, trajectory, settings, state, log)
            if event != READY:
                return event
            self.data.time = state.step[0] * settings.step[0]
            self.data.qfrc_applied[:] = state.sensed.tau
            self._step(hook)
            hook.tell(state.truth)
            state.q[:], state.qd[:] = self.data.qpos, self.data.qvel
            if after(settings, state, log) != HORIZON:
                return DIVERGED
        return HORIZON

    def _step(self, hook: _Hook) -> None:
        """One step of MuJoCo; its hook for passive forces is one for the whole process, lent briefly."""
        hook.first = True
        self.mujoco.set_mjcb_passive(hook)
        try:
            self.mujoco.mj_step(self.model, self.data)
        finally:
            self.mujoco.set_mjcb_passive(None)


class _Hook:
    """What MuJoCo calls in every stage for passive forces: adds J^T F of the contact.

    Attributes:
        kept: (6,) tool position and force in the first stage of the step.
        first: whether the next call is that stage.
        command: writes the law's torque for (q, qd, time) to ``torque`` (n,); None: held.
    """

    def __init__(self, loop: MujocoLoop, plant: Plant, torque: np.ndarray) -> None:
        self._mujoco, self._model = loop.mujoco, loop.model
        self._contact = plant.contact
        self._velocity_matters = bool(np.any(plant.contact.law[1:] > 0.0))
        self._jacobian, self._external = np.zeros((3, loop.model.nv)), np.zeros(loop.model.nv)
        self.kept = np.zeros(6)
        self.first, self.torque = True, torque
        self.command: Callable | None = None

    def __call__(self, model: Any, data: Any) -> None:
        """Add the torque to ``data.qfrc_passive``; models of others, in other threads, are left alone."""
        if model is not self._model:
            return
        if self.command is not None:
            self.command(data.qpos.copy(), data.qvel.copy(), data.time)
            data.qfrc_applied[:] = self.torque
        tool = data.site_xpos[0]
        force, first = self._force(data, tool), self.first
        if first:
            self.first = False
            self.kept[:3], self.kept[3:6] = tool, force
            self._external[:] = 0.0
        if any(force):
            self._update_jacobian(data)
            external = self._jacobian.T @ force
            data.qfrc_passive[:] += external
            if first:
                self._external[:] = external

    def tell(self, truth: PlantTruth) -> None:
        """Write what the first stage of the step has shown."""
        tool, force = self.kept[:3], self.kept[3:]
        truth.tool[:] = tool
        truth.touch[:3] = truth.touch[7:10] = force
        touching = bool(force.any())
        truth.touch[3] = len(truth.external) if touching else 0
        truth.touch[10] = touching
        truth.touch[4:7] = tool if touching else 0.0
        truth.external[:] = self._external

    def _force(self, data: Any, tool: np.ndarray) -> tuple[float, float, float]:
        velocity = (0.0, 0.0, 0.0)
        if self._velocity_matters:
            self._update_jacobian(data)
            velocity = tuple(self._jacobian @ data.qvel)
        return _tool_force(self._contact, *tool, *velocity)

    def _update_jacobian(self, data: Any) -> None:
        self._mujoco.mj_jacSite(self._model, data, self._jacobian, None, 0)


def import_mujoco() -> Any:
    """The module ``mujoco``.

    Raises:
        BadInput: it is not installed.
    """
    try:
        import mujoco
    except ImportError:
        raise BadInput(
            "plant.engine: mujoco needs MuJoCo", allowed="pip install 'hopfield-nav[mujoco]'"
        ) from None
    return mujoco


@kernel
def _tool_force(contact, x, y, z, vx, vy, vz):
    return tool_force(contact, x, y, z, vx, vy, vz)


def _before(law, estimator, detector, controller, trajectory, settings, state, log):
    return before_step(law, estimator, detector, controller, trajectory, settings, state, state, log)


def _in_stage(law, controller, trajectory, state, q, qd, time):
    """Write the law's torque at the state of an integrator stage to ``state.sensed.tau``."""
    command_in_stage(law, controller, trajectory, state, q, qd, time)
    return READY


def _after(settings, state, log):
    return after_step(settings, state, log)


@lru_cache(maxsize=1)
def _kernels() -> tuple[Callable, Callable, Callable]:
    """The three above, compiled (or read from the cache) for the types of the compiled loop."""
    law, estimator, detector, _, controller, trajectory, settings, state, _, _, log, _ = loop_types()
    code, number, vector = numba.types.int64, numba.types.float64, numba.types.float64[::1]
    before = (law, estimator, detector, controller, trajectory, settings, state, log)
    return (
        compile_loop(code(*before), _before),
        compile_loop(code(law, controller, trajectory, state, vector, vector, number), _in_stage),
        compile_loop(code(settings, state, log), _after),
    )
