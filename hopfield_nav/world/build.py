"""From a world to the arrays that the compiled loop reads: arms, obstacles, contact, methods, timing.

It is the only place where the words of a world file become numbers. Worlds are resolved: random cylinders have been
drawn. Unknown obstacles come first, then known ones.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from dynamics import Arm, BadInput, Load, load_arm, make_load, with_dynamics, with_payload
from dynamics.flexible_joint import flexible_joints
from dynamics.packed import together
from dynamics.work import make_work
from hopfield_nav import loop
from hopfield_nav.control import AlarmRule, Controller, Sensors, make_sensors
from hopfield_nav.geometry import arm_bodies, tool_body
from hopfield_nav.plugin import Method, applied, inheritable
from hopfield_nav.world.obstacles import KnownObstacle
from hopfield_nav.world.solids import Cylinder, Solid, packed
from hopfield_nav.world.world import World

_STAGES = {"rk4": loop.RK4, "semi_implicit_euler": loop.SEMI_IMPLICIT_EULER}


def all_solids(world: World) -> list[Solid]:
    """Every obstacle of a resolved world: unknown ones, then known ones.

    Raises ``BadInput``: some are not drawn yet.
    """
    if any(obstacle.random_cylinders or obstacle.random_scene for obstacle in world.obstacles):
        raise BadInput("random obstacles are not drawn yet", where="obstacles", allowed="a world after resolve(seed)")
    return solids_of((*world.obstacles, *world.known))


def solids_of(obstacles: Iterable[KnownObstacle]) -> list[Solid]:
    """The solids that entries of ``obstacles`` or ``known`` hold or stand for, in their order."""
    return [solid for obstacle in obstacles for solid in obstacle.solids]


def names_of(obstacles: Iterable[KnownObstacle]) -> list[str | None]:
    """The name of the entry of every solid of ``solids_of``; None where it has none."""
    return [obstacle.name for obstacle in obstacles for _ in obstacle.solids]


def build_obstacles(world: World) -> np.ndarray:
    """Every obstacle of a resolved world, packed: (m, 17)."""
    return packed(all_solids(world))


def all_cylinders(world: World) -> list[Cylinder]:
    """The upright cylinders without end."""
    return [s for s in all_solids(world) if isinstance(s, Cylinder) and s.height is None]


def endless_cylinders(world: World) -> np.ndarray:
    """Centre x, y and radius [m] of the upright cylinders without end, (m, 3)."""
    rows = [(*cylinder.center, cylinder.radius) for cylinder in all_cylinders(world)]
    return np.array(rows, dtype=np.float64).reshape(-1, 3)


def solids_with_ends(world: World) -> list[Solid]:
    """Every obstacle but the upright cylinders without end."""
    return [s for s in all_solids(world) if not (isinstance(s, Cylinder) and s.height is None)]


class Methods(NamedTuple):
    """The three methods that the world chose."""

    law: Method
    estimator: Method
    detector: Method


def find_methods(world: World) -> Methods:
    """The control law, estimator and detector of a world.

    Raises ``BadInput``: one is a Python file that may not be executed.
    """
    find, folder = world.trust.find, world.folder
    return Methods(
        find("controller", world.controller.law, folder),
        find("estimator", world.detection.estimator, folder),
        find("detector", world.detection.measure, folder),
    )


def build_arm(world: World) -> Arm:
    """The world's arm with its gravity, tool frame and payload."""
    return together(_loaded(world.bare_arm()._replace(gravity=np.array(world.gravity)), world))


def _loaded(arm: Arm, world: World) -> Arm:
    payload = world.tool.payload
    if payload.mass == 0.0 and not np.any(payload.inertia):
        return arm
    try:
        return with_payload(arm, payload.mass, np.array(payload.center_of_mass), np.array(payload.inertia))
    except BadInput as error:
        raise error.at("tool.payload.inertia") from None


def _dynamics_of(world: World, name: str | None, arm: Arm) -> Arm:
    return arm if name is None else _loaded(with_dynamics(arm, load_arm(name, world.folder)), world)


def build_model(world: World, arm: Arm, loaded: bool = True) -> Arm:
    """The arm as the controller believes it to be; a file without rotors gets those of elastic joints."""
    error, name = world.controller.model_error, world.controller.model or world.arm
    model = with_dynamics(arm, load_arm(name, world.folder))
    scale = np.zeros(len(arm.dh)) + np.asarray(error.mass_scale)
    model = model._replace(mass=scale * model.mass, inertia=scale[:, None, None] * model.inertia)
    if error.payload == "known" and loaded:
        model = _loaded(model, world)
    true_arm = _dynamics_of(world, world.plant.dynamics, arm)
    given = with_friction(world, true_arm)
    friction, gears = given.friction.copy(), given.presliding * np.asarray(error.presliding_scale)
    friction[:, :3] *= (np.zeros(len(arm.dh)) + np.asarray(error.friction_scale))[:, None]
    if world.plant.engine == "flexible" and not np.any(model.rotor_inertia):
        model = model._replace(rotor_inertia=flexible_joints(true_arm).rotor_inertia)
    return together(model._replace(friction=friction, presliding=gears))


def with_friction(world: World, arm: Arm) -> Arm:
    """``arm`` with the joint friction that the world's plant has: none, the arm's own, or given values."""
    given, gears, n = world.plant.friction, world.plant.presliding, len(arm.dh)
    ideal = gears == "ideal" or (gears is None and given != "arm")
    stiffness = np.inf if ideal else (arm.presliding if gears is None else gears)
    arm = arm._replace(presliding=np.zeros(n) + np.asarray(stiffness))
    if given == "arm":
        return arm
    if given is None:
        return arm._replace(friction=np.zeros_like(arm.friction))
    breakaway = given.coulomb if given.breakaway is None else given.breakaway
    columns = (given.coulomb, given.viscous, breakaway, given.stribeck_speed)
    return arm._replace(friction=np.column_stack([np.zeros(n) + np.asarray(c) for c in columns]))


def build_plant(world: World, arm: Arm) -> loop.Plant:
    """The simulated arm and its obstacles; ``world`` is resolved."""
    damping = np.zeros(len(arm.dh)) + np.asarray(world.plant.damping, dtype=np.float64)
    true_arm = with_friction(world, _dynamics_of(world, world.plant.dynamics, arm))
    frictional = bool(np.any(true_arm.friction[:, [0, 2]] > 0.0))
    places = [(push.link, *push.point) for push in world.pushes]
    pushes = loop.make_pushes(places, [push.rows for push in world.pushes])
    contact = build_contact(world, true_arm)
    wrist = build_wrist(world)
    ripple, n = world.plant.torque_ripple, len(arm.dh)
    gain = 1.0 / np.asarray(world.controller.model_error.motor_constant_scale)
    motors = loop.make_motors(n, gain, ripple.amplitude, ripple.cycles)
    return loop.make_plant(true_arm, contact, damping + true_arm.friction[:, 1], frictional, motors, pushes, wrist)


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


def build_flexible_loop(world: World, plant: loop.Plant, start: np.ndarray) -> loop.FlexibleLoop:
    """The loop with elastic joints; without ``plant.friction`` the load adds none either."""
    given = {name: getattr(world.plant, name) for name in ("stiffness", "temperature")}
    given = {name: value for name, value in given.items() if value is not None}
    if world.plant.friction is None:
        given["load_share"] = 0.0
    return loop.FlexibleLoop(plant, world.plant.step, start, **given)


def build_contact(world: World, arm: Arm) -> loop.Contact:
    """What touches what: the tool point, or every link and the tool, and all obstacles."""
    law = loop.ContactLaw(world.contact.stiffness, world.contact.damping, world.contact.friction)
    bodies = tool_body(arm) if world.contact.bodies == "tool" else arm_bodies(arm)
    links = 0 if world.contact.bodies == "tool" else len(arm.capsules)  # the tool is behind them
    return loop.make_contact(law, build_obstacles(world), bodies, beyond=links)


def build_controller(world: World, arm: Arm, methods: Methods) -> Controller:
    """The control computer with its model, parameters and empty memories."""
    n = len(arm.dh)
    law_values, detection = world.controller.parameters, world.detection.parameters
    offered = inheritable(methods.law, law_values)
    inherited = {p.name: offered[p.name] for p in methods.estimator.parameters if p.inherit}
    sensors = world.sensors.model_dump()
    for parameter in (*methods.estimator.parameters, *methods.detector.parameters):
        if parameter.of_sensors:
            inherited[parameter.name] = sensors.get(parameter.name, parameter.default)
    model = build_model(world, arm)
    limits = arm.torque_limits if world.controller.saturate else np.full(n, np.inf)
    return Controller(
        model=model,
        law=applied(methods.law, law_values, n),
        estimator=applied(methods.estimator, {**detection, **inherited}, n),
        detector=applied(methods.detector, {**detection, **inherited}, n),
        torque_limits=limits,
        feedforward=world.controller.friction_feedforward and bool(np.any(model.friction[:, :3])),
        sensors=build_sensors(world, n),
        work=make_work(n),
    )


def build_sensors(world: World, n: int) -> Sensors:
    """What the control computer knows of its sensors."""
    sensors, known = world.sensors, world.controller.model_error.payload == "known"
    load = build_load(world) if known else make_load()
    wrist = sensors.wrench is not None
    given = (sensors.encoder_resolution, sensors.velocity_noise)
    return make_sensors(n, *given, wrist, load, sensors.torque_noise)


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
