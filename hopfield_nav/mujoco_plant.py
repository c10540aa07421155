"""MuJoCo in place of the program's own plant: the same loop around another engine.

MuJoCo computes accelerations and integrates them, from the model that ``dynamics.mjcf`` writes. The
contact law is ours: its force at MuJoCo's tool site is handed over in every stage of the integrator.
Controller, estimator and detector are the kernels of the compiled loop, called once a step.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numba
import numpy as np

from dynamics.compiled import compile_loop, kernel
from dynamics.errors import BadInput
from dynamics.mjcf import mjcf_text
from hopfield_nav.closed_loop import (
    DIVERGED,
    HORIZON,
    LARGEST_ANGLE,
    LARGEST_SPEED,
    LOG_FULL,
    loop_types,
    sense_and_command,
    watch_contact,
    write_row,
    write_truth,
)
from hopfield_nav.contact import tool_contact_force
from hopfield_nav.loop_state import State
from hopfield_nav.plant import Plant

_INTEGRATORS = {"rk4": "RK4", "semi_implicit_euler": "Euler"}
_READY = -1  # nothing has happened, and the state may advance


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
        before, after = _kernels()
        touch = _Touch(self, plant)
        self._load(state)
        while state.step[0] < last_step:
            event = before(law, estimator, detector, controller, trajectory, settings, state, log)
            if event != _READY:
                return event
            touch.first = True
            self.data.qfrc_applied[:] = state.sensed.tau
            self._step(touch)
            state.contact[:] = touch.kept
            state.q[:], state.qd[:] = self.data.qpos, self.data.qvel
            if after(settings, state, log) != HORIZON:
                return DIVERGED
        return HORIZON

    def _load(self, state: State) -> None:
        self.data.qpos[:], self.data.qvel[:] = state.q, state.qd
        self.data.time = 0.0

    def _step(self, touch: Callable) -> None:
        """One step of MuJoCo; its hook for passive forces is one for the whole process, so lend it briefly."""
        self.mujoco.set_mjcb_passive(touch)
        try:
            self.mujoco.mj_step(self.model, self.data)
        finally:
            self.mujoco.set_mjcb_passive(None)


class _Touch:
    """MuJoCo's hook for passive forces: J^T F of the contact, whose F in the first stage it keeps."""

    def __init__(self, loop: MujocoLoop, plant: Plant) -> None:
        self._mujoco, self._model = loop.mujoco, loop.model
        self._contact = plant.contact
        self._velocity_matters = bool(np.any(plant.contact.law[1:] > 0.0))
        self._jacobian = np.zeros((3, loop.model.nv))
        self.kept = np.zeros(9)
        self.first = True

    def __call__(self, model: Any, data: Any) -> None:
        """Add the torque to ``data.qfrc_passive``; models of others, in other threads, are left alone."""
        if model is not self._model:
            return
        tool = data.site_xpos[0]
        force = self._force(data, tool)
        if self.first:
            self.first = False
            self.kept[:3], self.kept[3:6] = tool, force
        if any(force):
            self._update_jacobian(data)
            data.qfrc_passive[:] += self._jacobian.T @ force

    def _force(self, data: Any, tool: np.ndarray) -> tuple[float, float, float]:
        velocity = (0.0, 0.0, 0.0)
        if self._velocity_matters:
            self._update_jacobian(data)
            velocity = tuple(self._jacobian @ data.qvel)
        return _contact_force(self._contact, tool[0], tool[1], *velocity)

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
def _contact_force(contact, x, y, vx, vy, vz):
    return tool_contact_force(contact, x, y, vx, vy, vz)


def _before(law, estimator, detector, controller, trajectory, settings, state, log):
    """Command what the coming step needs and log it; ``_READY``, or the event that prevents the step."""
    step, per_period = state.step[0], settings.steps_per_period[0]
    time = step * settings.step[0]
    logging = log.shape[0] > 0 and step % settings.log_every[0] == 0
    if logging and state.row[0] >= log.shape[0]:
        return LOG_FULL
    if step % per_period == 0:
        event = sense_and_command(
            law, estimator, detector, controller, trajectory, settings, state, time, step // per_period
        )
        if event != HORIZON:
            return event
    if logging:
        write_row(log, state, time)
    return _READY


def _after(settings, state, log):
    """Log what the step has shown and count it; ``DIVERGED`` where a joint has exploded, else ``HORIZON``."""
    step = state.step[0]
    if log.shape[0] > 0 and step % settings.log_every[0] == 0:
        write_truth(log, state)
    watch_contact(state, step * settings.step[0])
    state.step[0] = step + 1
    for i in range(state.q.size):
        if not abs(state.qd[i]) < LARGEST_SPEED or not abs(state.q[i]) < LARGEST_ANGLE:
            state.fault[0] = i
            return DIVERGED
    return HORIZON


@lru_cache(maxsize=1)
def _kernels() -> tuple[Callable, Callable]:
    """``_before`` and ``_after``, compiled (or read from the cache) for the types of the compiled loop."""
    law, estimator, detector, _, controller, trajectory, settings, state, _, _, log, _ = loop_types()
    before = (law, estimator, detector, controller, trajectory, settings, state, log)
    code = numba.types.int64
    return compile_loop(code(*before), _before), compile_loop(code(settings, state, log), _after)
