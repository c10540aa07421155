"""From a world to what the compiled loop reads: plant, contact, controller, settings."""

import numpy as np

from dynamics import Arm, Load, make_load
from dynamics.work import make_work
from hopfield_nav import loop
from hopfield_nav.build import Methods, build_model, build_obstacles, refuse_massless, true_arm
from hopfield_nav.control import AlarmRule, Controller, make_sensors
from hopfield_nav.geometry import arm_bodies, tool_body
from hopfield_nav.plugin import applied, inheritable
from hopfield_nav.world import World

_STAGES = {"rk4": loop.RK4, "semi_implicit_euler": loop.SEMI_IMPLICIT_EULER}


def build_plant(world: World, arm: Arm) -> loop.Plant:
    """The simulated arm and its obstacles; ``world`` is resolved."""
    damping = np.zeros(len(arm.dh)) + np.asarray(world.plant.damping, dtype=np.float64)
    moved = true_arm(world, arm)
    refuse_massless(world, moved)
    frictional = bool(np.any(moved.friction[:, [0, 2]] > 0.0))
    places = [(push.link, *push.point) for push in world.pushes]
    pushes = loop.make_pushes(places, [push.rows for push in world.pushes])
    law = loop.ContactLaw(world.contact.stiffness, world.contact.damping, world.contact.friction)
    whole = world.contact.bodies == "arm"  # every link and, behind them, the tool; else the tool point
    bodies, links = (arm_bodies(moved), len(moved.capsules)) if whole else (tool_body(moved), 0)
    contact = loop.make_contact(law, build_obstacles(world), bodies, beyond=links)
    wrist = build_wrist(world)
    ripple, n = world.plant.torque_ripple, len(arm.dh)
    gain = 1.0 / np.asarray(world.controller.model_error.motor_constant_scale)
    motors = loop.make_motors(n, gain, ripple.amplitude, ripple.cycles)
    return loop.make_plant(moved, contact, damping + moved.friction[:, 1], frictional, motors, pushes, wrist)


def build_load(world: World) -> Load:
    """What the tool carries."""
    payload = world.tool.payload
    return make_load(payload.mass, payload.center_of_mass, payload.inertia)


def build_wrist(world: World) -> loop.Wrist:
    """The force and torque sensor at the flange, if there is one."""
    sensor, step = world.sensors.wrench, world.plant.step
    if sensor is None:
        return loop.make_wrist()
    every = 1 if sensor.period is None else round(sensor.period / step)
    drift = np.repeat([sensor.force_drift, sensor.moment_drift], 3)
    return loop.make_wrist(
        every,
        build_load(world),
        offset=[*sensor.force_offset, *sensor.moment_offset],
        noise=np.repeat([sensor.force_noise, sensor.moment_noise], 3),
        drift=loop.drift_per_sample(drift, every * step),
    )


def build_controller(world: World, arm: Arm, methods: Methods) -> Controller:
    """The control computer with its model, parameters and empty memories."""
    n = len(arm.dh)
    law_values, detection = world.controller.parameters, world.detection.parameters
    offered = inheritable(methods.law, law_values)
    inherited = {p.name: offered[p.name] for p in methods.estimator.parameters if p.inherit}
    given, known = world.sensors, world.controller.model_error.payload == "known"
    load = build_load(world) if known else make_load()
    sensors = given.model_dump()
    for parameter in (*methods.estimator.parameters, *methods.detector.parameters):
        if parameter.of_sensors:
            inherited[parameter.name] = sensors.get(parameter.name, parameter.default)
    model = build_model(world, arm)
    refuse_massless(world, model, model=True)
    limits = arm.torque_limits if world.controller.saturate else np.full(n, np.inf)
    values = {**detection, **inherited}
    detector, report = applied(methods.detector, values, n), world.detection.report
    reporter = detector._replace(parameters=np.zeros(0))
    if report is not None:
        reporter = applied(methods.detector, {**values, "threshold": report}, n)
    return Controller(
        model=model,
        law=applied(methods.law, law_values, n),
        estimator=applied(methods.estimator, values, n),
        detector=detector,
        reporter=reporter,
        shares=np.zeros(0),
        torque_limits=limits,
        feedforward=world.controller.friction_feedforward and bool(np.any(model.friction[:, :3])),
        sensors=make_sensors(
            n, given.encoder_resolution, given.velocity_noise, given.wrench is not None, load, given.torque_noise
        ),
        work=make_work(n),
    )


def build_settings(world: World, goal: np.ndarray | None) -> loop.Settings:
    """Timing and limits of the loop; ``goal`` is the tool position (3,) to arrive at, or None."""
    step, control = world.plant.step, world.controller
    tolerance = world.goal.tolerance if world.goal is not None else 0.0
    rule = world.detection
    return loop.Settings(
        step=step,
        stages=_STAGES[world.plant.integrator],
        steps_per_period=round(control.period / step),
        delay=round(control.delay / control.period),
        hold=control.hold,
        goal=np.zeros(3) if goal is None else np.array(goal, dtype=np.float64),
        tolerance=0.0 if goal is None else tolerance,
        settling=control.settling,
        alarm=AlarmRule(rule.armed_below, rule.hold_off, rule.episodes, rule.lag or 0.0),
        log_every=world.record.every,
    )
