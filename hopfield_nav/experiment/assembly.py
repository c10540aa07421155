"""What a simulation is made of: the one place in which a world becomes navigator, engine, controller, state, phases.

Behind it stand the parts that the compiled loop reads: plant, contact, controller, settings. What a
simulation is given is checked here. Obstacles in which the arm starts are refused where they are
known, and warned of where they are not.
"""

import math
import sys
from typing import Any, NamedTuple

import numpy as np

from dynamics import Arm, BadInput, Load, forward_kinematics, make_load
from dynamics.work import make_work
from hopfield_nav import loop as loops
from hopfield_nav.build import (
    Methods,
    all_solids,
    build_arm,
    build_model,
    build_obstacles,
    find_methods,
    refuse_massless,
    standing_times,
    stands_at,
    true_arm,
)
from hopfield_nav.control import AlarmRule, Controller, ControlState, hold_at_start, make_sensors
from hopfield_nav.experiment.limits import find_warnings, warn_of_hidden_force
from hopfield_nav.experiment.reaction_phase import Phase, ReactionPhase
from hopfield_nav.geometry import arm_bodies, tool_body
from hopfield_nav.navigation import (
    Follower,
    Navigator,
    PriorMap,
    check_trajectory,
    depths_at_start,
    space_of,
)
from hopfield_nav.plugin import applied, inheritable, limits_of, provided
from hopfield_nav.record import Run, load_prior
from hopfield_nav.world import World, further_columns

_STAGES = {"rk4": loops.RK4, "semi_implicit_euler": loops.SEMI_IMPLICIT_EULER}
_MIN_DEPTH = 1e-6  # [m] less is on the surface

# What a simulation changes on its way: map, path and trajectory; the control computer; settings of
# the loop; state of arm and control computer; what is recorded; the phases between an alarm and the
# new path, where the arm slides or not
Begun = tuple[Navigator, Controller, loops.Settings, loops.State, loops.Rows, dict[bool, Phase]]


class Parts(NamedTuple):
    """What a simulation is made of, the same however often it is begun anew."""

    world: World  # resolved: what is random in it is drawn
    seed: int  # of every random number
    arm: Arm  # kinematics of the controller
    start: np.ndarray  # (n,) joint angles [rad]
    followed: loops.Trajectory | None  # a trajectory in the place of a goal, if there is one
    prior: PriorMap | None  # what an earlier run felt, if there was one
    methods: Methods  # that the world names
    plant: loops.Plant  # what moves
    loop: loops.Engine  # what advances it
    hides_force: bool  # whether friction hides the force with which the arm should slide
    warnings: list[
        str
    ]  # sentences on settings that cannot go well, and on obstacles that the arm starts in

    @property
    def duration(self) -> float:
        """Simulated time at which a run ends at the latest [s]."""
        end = math.inf if self.followed is None else float(self.followed.knots[-1])
        return min(self.world.time_limit, end)

    def begin(self) -> Begun:
        """All at the start: nothing felt, nothing recorded."""
        world, arm = self.world, self.arm
        navigator = self._navigator()
        controller = build_controller(world, arm, self.methods)
        if self.followed is not None and world.detection.by_segment is not None:
            shares = loops.shares_of_segments(self.followed, world.detection.by_segment)
            controller = controller._replace(shares=shares)
        settings = build_settings(world, navigator.goal)
        state = loops.make_state(self.start, settings.delay, self.seed)
        loops.read_at_rest(self.plant.wrist, self.plant.arm, self.start, state.wrist)
        if self.followed is not None:
            state.qd[:] = self.followed.coefficients[0, 1]
        hold_at_start(state.control, controller, self.start)
        rows = loops.Rows(
            len(self.start),
            0 if world.record.signals == "none" else loops.FIRST_ROWS,
            further_columns(world),
        )
        phases: dict[bool, Phase] = {False: ReactionPhase(world, arm, controller)}
        if (slide := navigator.slide_phase(world, arm, controller)) is not None:
            phases[True] = slide
        return navigator, controller, settings, state, rows, phases

    def learner(self, controller: Controller, computer: ControlState) -> Any:
        """What learns (``controller.learn``), or None; where a trajectory is given it makes no motion of its own.

        Raises ``BadInput``: its extension is not there.
        """
        section, wiggles = self.world.controller.learn, self.followed is None
        if section is False:
            return None
        return provided("controller.learn")(
            self.world, section, self.arm, controller, computer, wiggles=wiggles
        )

    def _navigator(self) -> Navigator:
        """What answers a touch; it follows a trajectory that is given in the place of a goal."""
        if self.followed is not None:
            return Follower(self.world, self.arm, self.followed)
        navigator = space_of(self.world).navigator(
            self.world, self.arm, self.start, self.hides_force
        )
        if self.prior is not None:
            navigator.load_prior(self.prior)
        return navigator


def assemble(
    world: World, seed: int | None, trajectory: loops.Trajectory | None, felt: Run | None
) -> Parts:
    """The parts of a simulation; arguments and errors as ``Simulation``."""
    if not isinstance(world, World):
        raise BadInput("no world", found=world, allowed="one from load_world")
    if not (felt is None or isinstance(felt, Run)):
        raise BadInput(
            "no run", where="felt", found=felt, allowed="a run, as from load_run(FOLDER)"
        )
    seed = world.seed if seed is None else check_seed(seed)
    arm = build_arm(world)
    if trajectory is not None:
        check_trajectory(arm, trajectory)
    start = np.array(world.start.joints) if trajectory is None else trajectory.coefficients[0, 0]
    tool = forward_kinematics(arm, start)[:3, 3]
    world = world.resolve(seed, [(float(tool[0]), float(tool[1]))])
    prior = None if felt is None else load_prior(felt, world)
    plant = build_plant(world, arm)
    loop = choose_engine(world, plant, start)
    hidden = warn_of_hidden_force(world, plant.arm, start)
    warnings = [*find_warnings(world, plant.arm), *hidden]
    if prior is not None and prior.differs:
        warnings.append(
            f"what the earlier run felt proves nothing here: its {' and '.join(prior.differs)} differed"
        )
    warnings += check_start(world, arm, start, refuse=trajectory is None)
    space_of(world).prepare(world)
    methods = find_methods(world)
    return Parts(
        world, seed, arm, start, trajectory, prior, methods, plant, loop, bool(hidden), warnings
    )


def choose_engine(world: World, plant: loops.Plant, start: np.ndarray) -> loops.Engine:
    """What advances the state: the compiled loop, or the engine that ``plant.engine`` names.

    Raises ``BadInput``: its extension is not there, or as the engine; or the step is so large that
    joint damping, contact or the damping of the law would make the arm explode at the start.
    """
    method = world.trust.find("engine", world.plant.engine, world.folder)
    engine: loops.Engine = method.kernel(world, plant, start)
    damping = limits_of(find_methods(world).law, world.controller.parameters).damping
    gain = np.zeros(len(start)) + np.asarray(damping, dtype=np.float64)
    held_for = world.controller.period if world.controller.hold else 0.0
    engine.check(plant, start, world.plant.step, _STAGES[world.plant.integrator], gain, held_for)
    return engine


def check_start(world: World, arm: Arm, q: np.ndarray, refuse: bool = True) -> list[str]:
    """One sentence on obstacles in which the tool point or, with ``contact.bodies: arm``, a link starts."""
    whole = world.contact.bodies == "arm"
    depth, link = depths_at_start(arm, q, build_obstacles(world), whole)
    depth = np.where(stands_at(standing_times(world), 0.0), depth, -np.inf)
    solids, unknown = all_solids(world), len(world.obstacles)
    told = []
    for j in np.flatnonzero(depth > _MIN_DEPTH):
        number, known = (j, "") if j < unknown else (j - unknown, "known ")
        who = f"link {link[j]}" if whole else "the tool"
        kind = type(solids[j]).__name__.lower()
        where = f"{1e3 * depth[j]:.3g} mm inside {known}obstacle {number} ({kind})"
        if known and refuse:
            raise BadInput(
                f"{who} starts {where}",
                "start.joints",
                allowed="a pose that touches no known obstacle",
            )
        told.append(f"{who} {where}")
    return [f"the arm starts in contact: {', '.join(told)}"] if told else []


def check_seed(seed: object) -> int:
    """The seed of a run."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or not 0 <= seed < 2**63:
        raise BadInput("seed", found=seed, allowed="a whole number from 0 to 2^63 - 1")
    return int(seed)


def check_duration(duration: object) -> float:
    """The simulated time for which a simulation is to go on [s]."""
    given = duration.item() if isinstance(duration, np.generic) else duration
    if isinstance(given, bool) or not isinstance(given, (int, float)) or not given >= 0:
        raise BadInput("duration", found=duration, allowed="a number of seconds, 0 or more")
    return float(min(given, sys.float_info.max))


def build_plant(world: World, arm: Arm) -> loops.Plant:
    """The simulated arm and its obstacles; ``world`` is resolved."""
    damping = np.zeros(len(arm.dh)) + np.asarray(world.plant.damping, dtype=np.float64)
    moved = true_arm(world, arm)
    refuse_massless(world, moved)
    frictional = bool(np.any(moved.friction[:, [0, 2]] > 0.0))
    places = [(push.link, *push.point) for push in world.pushes]
    pushes = loops.make_pushes(places, [push.rows for push in world.pushes])
    law = loops.ContactLaw(world.contact.stiffness, world.contact.damping, world.contact.friction)
    whole = (
        world.contact.bodies == "arm"
    )  # every link and, behind them, the tool; else the tool point
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
            n,
            given.encoder_resolution,
            given.velocity_noise,
            given.wrench is not None,
            load,
            given.torque_noise,
        ),
        work=make_work(n),
    )


def build_settings(world: World, goal: np.ndarray | None) -> loops.Settings:
    """Timing and limits of the loop; ``goal`` is the tool position (3,) to arrive at, or None."""
    step, control = world.plant.step, world.controller
    tolerance = world.goal.tolerance if world.goal is not None else 0.0
    rule = world.detection
    return loops.Settings(
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
