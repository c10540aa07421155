"""What must fit together between the sections of a world."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dynamics import BadInput
from hopfield_nav import plugin
from hopfield_nav.world import fitting
from hopfield_nav.world.beforehand import check_beta_of
from hopfield_nav.world.faults import faults_of
from hopfield_nav.world.map import MapSection
from hopfield_nav.world.sections import IN_PROPORTION, MOST_NEURONS
from hopfield_nav.world.solids import packed
from hopfield_nav.world.world import World


def check_world(world: World) -> tuple[World, list[BadInput]]:
    """The world with its start as joint angles, and all that does not fit together.

    The form of the world is right already. The ``where`` of each fault is a key of the world. What
    must fit the arms is looked at only if they can be loaded.
    """
    joints = world.map.space == "joints"
    of_settings = _OF_SETTINGS if joints else (*_OF_SETTINGS, *_OF_A_TOOLS_MAP)
    faults = faults_of(of_settings, world)
    arms, of_arms = fitting.load_arms(world)
    if of_arms:
        return world, [*faults, *of_arms]
    world, of_start = fitting.with_start(world, arms)
    checks = (*_OF_ARMS, *fitting.OF_A_JOINT_MAP) if joints else _OF_ARMS
    return world, [*faults, *of_start, *faults_of(checks, world)]


def _check_engine_of_pushes(world: World) -> None:
    """Only the internal engine knows pushes."""
    engine = world.plant.engine
    if engine != "internal" and world.pushes:
        raise BadInput("no pushes there", "plant.engine", engine, "internal, or no pushes")


def _check_delay_of_held_torque(world: World) -> None:
    """A torque that is computed in every stage of the integrator has no delay."""
    delay = world.controller.delay
    if delay > 0 and not world.controller.hold:
        what = "a torque that is not held cannot be delayed"
        raise BadInput(what, "controller.delay", delay, "0, or controller.hold: true")


def _check_thresholds_by_segment(world: World) -> None:
    """Shares of a threshold need a detector whose level is in proportion to it."""
    shares = world.detection.by_segment
    if shares is not None and world.detection.measure not in IN_PROPORTION:
        what = "the level is not in proportion to the threshold"
        allowed = f"null, or detection.measure: {' or '.join(IN_PROPORTION)}"
        raise BadInput(what, "detection.by_segment", shares, allowed)


def _check_friction_of_gears(world: World) -> None:
    """Gears that give before they slip need a friction at which they slip."""
    presliding = world.plant.presliding
    if presliding not in (None, "ideal") and world.plant.friction is None:
        what = "gears that give before they slip need a friction at which they slip"
        allowed = "null, or plant.friction: arm, or values of your own"
        raise BadInput(what, "plant.presliding", presliding, allowed)


def _check_sensors_of_held_torque(world: World) -> Iterator[BadInput]:
    """A torque that is computed in every stage of the integrator knows no errors of sensors."""
    if world.controller.hold:
        return
    for name in ("encoder_resolution", "velocity_noise"):
        error = getattr(world.sensors, name)
        if np.any(np.asarray(error) > 0):
            what = "a torque that is not held follows the true state"
            yield BadInput(what, f"sensors.{name}", error, "0, or controller.hold: true")


def _check_elastic_joints(world: World) -> Iterator[BadInput]:
    """Only elastic joints, with rotors of their own, have a stiffness and a temperature."""
    if fitting.gives_rotors(world):
        return
    given = {name: getattr(world.plant, name) for name in ("stiffness", "temperature")}
    given = {name: value for name, value in given.items() if value is not None}
    if not given or _is_missing("engine", world.plant.engine):
        return
    engines = plugin.loadable_methods("engine")
    elastic = [name for name, engine in engines.items() if engine.needs == plugin.ROTORS]
    allowed = f"null, or plant.engine: {' or '.join(elastic)}" if elastic else "null"
    for name, value in given.items():
        yield BadInput("only elastic joints have it", f"plant.{name}", value, allowed)


def _is_missing(kind: str, name: str) -> bool:
    """Whether a method that a world names is not there, which another rule says."""
    return not fitting.is_there(kind, name)


def _check_speed_where_unknown(world: World) -> None:
    """Only a map of the tool with facts and beliefs remembers what was passed."""
    factor = world.trajectory.unknown_speed
    remembers = world.map.space == "tool" and world.detection.mark == "felt"
    if factor != 1.0 and not remembers:
        what = "only a map of the tool with facts and beliefs remembers what was passed"
        allowed = "1, or map.space: tool and detection.mark: felt"
        raise BadInput(what, "trajectory.unknown_speed", factor, allowed)


def _check_forgetting_of_marks(world: World) -> None:
    """Beliefs grow old, marked cells do not."""
    forget = world.planner.forget
    if forget is not None and world.detection.mark != "felt":
        allowed = "null, or detection.mark: felt"
        raise BadInput("marked cells do not grow old", "planner.forget", forget, allowed)


def _check_keys_of_the_whole_arm(world: World) -> Iterator[BadInput]:
    """What only a map of joint angles has."""
    place = world.detection.place
    if place != "patches":
        what = "only the whole arm has to find where it is touched"
        yield BadInput(what, "detection.place", place, "patches, or map.space: joints")
    what = "only the whole arm has it"
    for name in ("approach", "surface"):
        value = getattr(world.planner, name)
        if value:
            yield BadInput(what, f"planner.{name}", value, "0, or map.space: joints")
    strategy = world.planner.strategy
    if strategy != "felt_points":
        yield BadInput(what, "planner.strategy", strategy, "felt_points, or map.space: joints")


def _check_periods(world: World) -> Iterator[BadInput]:
    """Times that are multiples of the step, of the control and of a sensor at the flange."""
    step = world.plant.step
    wrench = world.sensors.wrench
    periods = {
        "controller.period": world.controller.period,
        "sensors.wrench.period": wrench.period if wrench else None,
    }
    for key, period in periods.items():
        if period is not None and not _is_multiple(period, step):
            yield BadInput(
                "not a multiple of plant.step", key, period, f"{step:.6g} s times a whole number"
            )


def _check_network(world: World) -> None:
    """Not too many neurons, where their activations are to be kept whatever their number."""
    neurons = math.prod(world.map.shape)
    if world.record.network is True and neurons > MOST_NEURONS:
        found = f"true, {neurons} neurons, {8e-6 * neurons:.3g} MB a plan"
        allowed = f"true up to {MOST_NEURONS}, false"
        raise BadInput(
            "too many neurons to keep of every plan",
            where="record.network",
            found=found,
            allowed=allowed,
        )


def _check_delay(world: World) -> None:
    """A delay is a whole number of control periods."""
    period = world.controller.period
    delay = world.controller.delay
    if not _is_multiple(delay, period, least=0) or delay > 64.5 * period:
        message = "not a whole number of control periods, at most 64"
        raise BadInput(
            message,
            "controller.delay",
            delay,
            f"0 to {64 * period:.6g} s in steps of {period:.6g} s",
        )


def _looked_into(world: World, kind: str) -> plugin.Method | None:
    """The method of a kind that a world names, or None where nobody looks into it."""
    section = world.controller if kind == "controller" else world.detection
    name = next(getattr(section, key) for key, own in section.kinds.items() if own == kind)
    if not world.trust.looks_into(kind, name):
        return None
    return world.trust.find(kind, name, world.folder)


def _check_needs(world: World) -> None:
    """An estimator of the sensor at the flange needs it, and a detector of what it knows."""
    estimator = _looked_into(world, "estimator")
    detector = _looked_into(world, "detector")
    if estimator is None or detector is None or estimator.needs != plugin.WRIST:
        return
    estimates = world.detection.estimator
    measure = world.detection.measure
    if world.sensors.wrench is None:
        allowed = "an estimator that feels through the joints, or sensors.wrench: {} and its errors"
        raise BadInput(
            "there is no sensor at the flange to read", "detection.estimator", estimates, allowed
        )
    if detector.needs == plugin.JOINT_TORQUES:
        every = plugin.loadable_methods("detector")
        others = [name for name, one in every.items() if one.needs != plugin.JOINT_TORQUES]
        message = f"{measure} judges the torque of each joint, which {estimates} does not know"
        raise BadInput(message, where="detection.measure", found=measure, allowed=", ".join(others))


def _check_report(world: World) -> None:
    """A level to report lies below the detector's threshold, in every part of the motion."""
    key = "detection.report"
    detection = world.detection
    detector = _looked_into(world, "detector")
    if detection.report is None or detector is None:
        return
    threshold = next((p for p in detector.parameters if p.name == "threshold"), None)
    if threshold is None:
        raise BadInput(
            f"{detection.measure} has no threshold",
            where=key,
            found=detection.report,
            allowed="null, or a detector that has one",
        )
    least_share = min(detection.by_segment or (1.0,))
    least = np.asarray(detection.parameters["threshold"]) * least_share
    report = np.asarray(replace(threshold, name=key).check(detection.report))
    of_as_many_joints = least.size == report.size or 1 in (least.size, report.size)
    if of_as_many_joints and not np.all(report < least):
        allowed = f"below {least.tolist()} [{threshold.unit}], on every joint"
        raise BadInput(
            "not below the threshold", where=key, found=detection.report, allowed=allowed
        )


def _check_mujoco(world: World) -> None:
    """MuJoCo gives the joints friction only with gears that give before they slip."""
    friction = world.plant.friction
    if world.plant.engine != "mujoco" or friction is None:
        return
    if world.plant.presliding in (None, "ideal"):
        message = (
            "MuJoCo's own friction is soft and creeps: it is not offered, but gears that give are"
        )
        allowed = "null, plant.engine: internal, or plant.presliding: 2e4"
        raise BadInput(message, "plant.friction", "arm" if friction == "arm" else "values", allowed)


def _is_multiple(value: float, unit: float, least: int = 1) -> bool:
    """Whether a value is a whole number of units, at least ``least`` of them."""
    count = round(value / unit)
    return count >= least and math.isclose(value, count * unit, rel_tol=1e-6, abs_tol=1e-12)


def _check_inherited(world: World) -> None:
    """An estimator that works on the controller's gains or parameters needs a law that has them."""
    estimator = _looked_into(world, "estimator")
    law = _looked_into(world, "controller")
    if estimator is None or law is None:
        return
    parameters = [p for p in estimator.parameters if p.inherit]
    if not parameters or any(fitting.check_lengths(world)):
        return  # told of the lists themselves
    offered = plugin.inheritable(law, world.controller.parameters)
    for parameter in parameters:
        lack = _lack(parameter, offered, world.controller.law)
        if lack:
            raise BadInput(
                lack,
                where="detection.estimator",
                found=world.detection.estimator,
                allowed="momentum_observer, which works with every law; none; or a law that has "
                "what it needs",
            )


def _lack(parameter: plugin.Parameter, offered: Mapping[str, Any], law: str) -> str:
    """In words, what an estimator needs and does not get of a control law.

    Empty where the law gives it.
    """
    is_gain = parameter.name in (plugin.POSITION_GAIN.name, plugin.VELOCITY_GAIN.name)
    needed = parameter.description if is_gain else f"{parameter.name} of the control law"
    if parameter.name not in offered:
        return f"needs {needed}, which law {law} has not"
    try:
        parameter.check(offered[parameter.name])
    except BadInput as fault:
        return f"needs {needed} on every joint; that of law {law} is {fault.found}"
    return ""


def _check_explore(world: World) -> None:
    """A surface is followed from step to step of a map of the tool.

    A response that controls a force on it has to feel it all the while.
    """
    planner = world.planner
    detection = world.detection
    method = world.explore.method
    needed = {
        "map.space: tool": world.map.space == "tool",
        "detection.mark: felt": detection.mark == "felt",
        "planner.radius: 1": planner.radius == 1.0,
        "planner.any_angle: false": not planner.any_angle or world.map.space == "joints",
    }
    is_ours = plugin.is_ours("response", method)
    if is_ours and world.trust.find("response", method, world.folder).needs == plugin.FORCE_FELT:
        estimator = _looked_into(world, "estimator")
        needed |= {
            "contact.bodies: tool": world.contact.bodies == "tool",
            "detection.reaction: retreat": detection.reaction == "retreat",
            "detection.estimator: momentum_observer, disturbance_observer or wrist_sensor": (
                detection.estimator != "none"
                and (estimator is None or estimator.needs != plugin.REFERENCE)
            ),
            "controller.hold: true": world.controller.hold,
        }
    elif not is_ours:
        needed = {"detection.mark: felt": needed["detection.mark: felt"]}
    missing = [key for key, met in needed.items() if not met]
    if method == "replan" or not missing:
        return
    message = "a surface is followed over steps from cell to cell, by what was felt"
    raise BadInput(
        message, where="explore.method", found=method, allowed="replan, or " + " and ".join(missing)
    )


def _check_ties(world: World) -> None:
    """Two steps an axis of the map."""
    if len(world.planner.ties) != 2 * world.map.rank:
        in_space = ", +w, -w" if world.map.rank == 3 else ""
        raise BadInput(
            f"the map has {world.map.rank} axes",
            where="planner.ties",
            found=list(world.planner.ties),
            allowed=f"+u, -u, +v, -v{in_space}, in any order",
        )


def _check_goal(world: World) -> None:
    """The goal lies on the map of the tool, within its rim, and in no known obstacle."""
    grid = world.map
    goal = world.goal
    if goal is None:
        return
    for name in ("pose", "joints"):
        if getattr(goal, name) is not None:
            allowed = "cell or position, or map.space: joints"
            raise BadInput(
                "only a map of joint angles has it", where=f"goal.{name}", allowed=allowed
            )
    as_cell = goal.cell is not None
    key = "goal.cell" if as_cell else "goal.position"
    found = (goal.cell if as_cell else goal.position) or ()
    rank = grid.rank
    if len(found) != rank:
        raise BadInput(
            f"the map has {rank} axes", where=key, found=list(found), allowed=f"a list of {rank}"
        )
    point = world.goal_point or grid.origin
    at = [(point[k] - grid.origin[k]) / grid.spacing for k in range(rank)]
    rim = 1 if grid.rim == "blocked" else 0
    if not all(rim - 0.5 <= at[k] <= grid.shape[k] - rim - 0.5 for k in range(rank)):
        what = "goal outside the map" if not rim else "goal outside the map or on its blocked rim"
        raise BadInput(what, where=key, found=found, allowed=_allowed_goal(grid, rim, as_cell))
    from hopfield_nav.geometry import capsule_distance  # loads Numba

    without_size = np.array([*point, *point, 0.0])  # a capsule from the goal to the goal
    for i, obstacle in enumerate(world.known):
        distances = capsule_distance(without_size, packed(obstacle.solids))
        if (distances <= 0.0).any():
            what = f"goal inside {obstacle.name or f'known obstacle {i}'}"
            raise BadInput(what, where=key, found=found, allowed="a free place")


_Check = Callable[[World], Iterable[BadInput] | None]
_OF_ARMS: tuple[_Check, ...] = (
    fitting.check_rotors,
    fitting.check_plan,
    fitting.check_pushes,
    fitting.check_lengths,
    _check_inherited,
)
_OF_SETTINGS: tuple[_Check, ...] = (
    _check_engine_of_pushes,
    _check_delay_of_held_torque,
    _check_thresholds_by_segment,
    _check_friction_of_gears,
    _check_sensors_of_held_torque,
    _check_elastic_joints,
    _check_speed_where_unknown,
    _check_periods,
    _check_delay,
    _check_needs,
    _check_report,
    _check_mujoco,
    _check_explore,
    _check_network,
)
_OF_A_TOOLS_MAP: tuple[_Check, ...] = (
    _check_forgetting_of_marks,
    _check_keys_of_the_whole_arm,
    _check_ties,
    check_beta_of,
    _check_goal,
)


def _allowed_goal(grid: MapSection, rim: int, as_cell: bool) -> str:
    """In words: the cells, or the places, where a goal may be, ``rim`` cells from each end."""
    first = [rim] * grid.rank
    last = [n - 1 - rim for n in grid.shape]
    if any(high < low for low, high in zip(first, last, strict=True)):
        return "none: this map is all rim; a larger map.shape, or map.rim: free"
    if as_cell:
        return f"cells {first} to {last}"
    ends = zip("xyz", grid.centre(first), grid.centre(last), strict=False)
    return ", ".join(f"{axis} from {low:.4g} to {high:.4g} m" for axis, low, high in ends)
