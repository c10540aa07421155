"""From a world to the arrays that the compiled loop reads: arms, contact, methods, timing.

It is the only place where the words of a world file become numbers; ``simulation`` imports it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.arm import Arm, load_arm, with_dynamics, with_payload, with_tool
from dynamics.work import make_work
from hopfield_nav.contact import Contact
from hopfield_nav.control_step import Controller
from hopfield_nav.loop_state import Settings
from hopfield_nav.plant import RK4, SEMI_IMPLICIT_EULER, Plant
from hopfield_nav.plugin import Method, find_method
from hopfield_nav.solids_of_world import endless_cylinders
from hopfield_nav.world import World

_STAGES = {"rk4": RK4, "semi_implicit_euler": SEMI_IMPLICIT_EULER}


class Methods(NamedTuple):
    """The three methods that the world chose."""

    law: Method
    estimator: Method
    detector: Method


def find_methods(world: World) -> Methods:
    """The control law, estimator and detector of a world."""
    return Methods(
        find_method("controller", world.controller.law, world.folder),
        find_method("estimator", world.detection.estimator, world.folder),
        find_method("detector", world.detection.measure, world.folder),
    )


def build_arm(world: World) -> Arm:
    """The world's arm with its gravity, tool frame and payload."""
    tool = np.eye(4)
    tool[:3, :3], tool[:3, 3] = world.tool.frame.rotation, world.tool.frame.position
    arm = with_tool(load_arm(world.arm, world.folder), tool)._replace(gravity=np.array(world.gravity))
    return _loaded(arm, world)


def _loaded(arm: Arm, world: World) -> Arm:
    payload = world.tool.payload
    if payload.mass == 0.0 and not np.any(payload.inertia):
        return arm
    return with_payload(arm, payload.mass, np.array(payload.center_of_mass), np.array(payload.inertia))


def _dynamics_of(world: World, name: str | None, arm: Arm) -> Arm:
    return arm if name is None else _loaded(with_dynamics(arm, load_arm(name, world.folder)), world)


def build_plant(world: World, arm: Arm) -> Plant:
    """The simulated arm and its obstacles; ``world`` is resolved."""
    law = np.array([world.contact.stiffness, world.contact.damping, world.contact.friction])
    damping = np.zeros(len(arm.dh)) + np.asarray(world.plant.damping, dtype=np.float64)
    return Plant(
        _dynamics_of(world, world.plant.dynamics, arm),
        Contact(endless_cylinders(world), law),
        damping,
    )


def build_controller(world: World, arm: Arm, methods: Methods) -> Controller:
    """The control computer with its model, parameters and empty memories."""
    n = len(arm.dh)
    law_values, detection = world.controller.parameters, world.detection.parameters
    inherited = {p.name: law_values[p.name] for p in methods.estimator.parameters if p.inherit}
    limits = arm.torque_limits if world.controller.saturate else np.full(n, np.inf)
    return Controller(
        model=_dynamics_of(world, world.controller.model, arm),
        law=methods.law.pack(law_values, n),
        estimator=methods.estimator.pack({**detection, **inherited}, n),
        detector=methods.detector.pack(detection, n),
        law_memory=np.zeros(methods.law.memory(n)),
        estimator_memory=np.zeros(methods.estimator.memory(n)),
        detector_memory=np.zeros(methods.detector.memory(n)),
        torque_limits=limits,
        work=make_work(n),
    )


def build_settings(world: World, goal: np.ndarray | None) -> Settings:
    """Timing and limits of the loop; ``goal`` is the tool position (3,) to arrive at, or None."""
    step, control = world.plant.step, world.controller
    tolerance = world.goal.tolerance if world.goal is not None else 0.0
    rearm = 1.0 if world.detection.rearm is None else world.detection.rearm
    return Settings(
        step=_one(step),
        stages=_count(_STAGES[world.plant.integrator]),
        steps_per_period=_count(round(control.period / step)),
        delay=_count(round(control.delay / control.period)),
        hold=_count(control.hold),
        goal=np.array([0.0, 0.0, 0.0, 0.0] if goal is None else [*goal, tolerance]),
        rearm=_one(rearm),
        hold_off=_one(world.detection.hold_off),
        log_every=_count(world.record.every),
    )


def _one(value: float) -> np.ndarray:
    return np.array([value], dtype=np.float64)


def _count(value: int) -> np.ndarray:
    return np.array([value], dtype=np.int64)
