"""From a world to the simulated arm.

Dynamics, friction and motors, contact, pushes, and the sensor at its flange.
"""

import math

import numpy as np

from dynamics import Arm, Load, make_load
from hopfield_nav import loop as loops
from hopfield_nav.build import build_obstacles, refuse_massless, true_arm
from hopfield_nav.geometry import arm_bodies, tool_body
from hopfield_nav.world import World


def build_plant(world: World, arm: Arm) -> loops.Plant:
    """The simulated arm and its obstacles; ``world`` is resolved."""
    damping = np.zeros(len(arm.dh)) + np.asarray(world.plant.damping, dtype=np.float64)
    moved = true_arm(world, arm)
    refuse_massless(world, moved)
    frictional = bool(np.any(moved.friction[:, [0, 2]] > 0.0))
    places = [(push.link, *push.point) for push in world.pushes]
    pushes = loops.make_pushes(places, [push.rows for push in world.pushes])
    law = loops.ContactLaw(world.contact.stiffness, world.contact.damping, world.contact.friction)
    # every link and, behind them, the tool; else the tool point
    whole = world.contact.bodies == "arm"
    bodies, links = (arm_bodies(moved), len(moved.capsules)) if whole else (tool_body(moved), 0)
    contact = loops.make_contact(law, build_obstacles(world), bodies, beyond=links)
    wrist = build_wrist(world)
    ripple, n = world.plant.torque_ripple, len(arm.dh)
    gain = 1.0 / np.asarray(world.controller.model_error.motor_constant_scale)
    motors = loops.make_motors(n, gain, ripple.amplitude, ripple.cycles)
    return loops.make_plant(
        moved, contact, damping + moved.friction[:, 1], frictional, motors, pushes, wrist
    )


def build_load(world: World) -> Load:
    """What the tool carries."""
    payload = world.tool.payload
    return make_load(payload.mass, payload.center_of_mass, payload.inertia)


def build_wrist(world: World) -> loops.Wrist:
    """The force and torque sensor at the flange, if there is one."""
    sensor, step = world.sensors.wrench, world.plant.step
    if sensor is None:
        return loops.make_wrist()
    every = 1 if sensor.period is None else round(sensor.period / step)
    drift = np.repeat([sensor.force_drift, sensor.moment_drift], 3)
    return loops.make_wrist(
        every,
        build_load(world),
        offset=[*sensor.force_offset, *sensor.moment_offset],
        noise=np.repeat([sensor.force_noise, sensor.moment_noise], 3),
        drift=drift
        * math.sqrt(every * step),  # what a walk at random adds to the drift from sample to sample
    )
