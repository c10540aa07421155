"""What of a world must fit its arm: names of arms, lists, friction, start, plan, joint map."""

from collections.abc import Iterator, Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import BaseModel

from dynamics import BadInput
from hopfield_nav.plugin import ROTORS, method_names
from hopfield_nav.world.derived import start_of_arm
from hopfield_nav.world.ends import Q0, StartSection
from hopfield_nav.world.fields import MOST_JOINTS
from hopfield_nav.world.trust import is_code
from hopfield_nav.world.world import World, pose_of

if TYPE_CHECKING:
    from dynamics import Arm

# Sections in which a list has an entry a joint.
_WITH_LISTS = (
    "plant",
    "plant.friction",
    "plant.torque_ripple",
    "sensors",
    "controller",
    "controller.model_error",
    "plan",
    "detection",
)
TOOL_MEASURES = ("wrench_norm", "force_norm")  # detectors that see what acts on the tool alone
_ARMS = ("arm", "plant.dynamics", "controller.model")


def load_arms(world: World) -> "tuple[dict[str, Arm], list[BadInput]]":
    """The arms that a world names, by their keys, and why others of them cannot be loaded."""
    from dynamics import load_arm  # imports Numba, which a faulty world need not wait for

    arms = dict[str, Any]()
    faults = list[BadInput]()
    for key in _ARMS:
        name = attrgetter(key)(world)
        try:
            if name:
                arm = load_arm(name, world.folder)
                if len(arm.dh) > MOST_JOINTS:
                    raise BadInput(
                        f"{name}: too many moving joints",
                        found=len(arm.dh),
                        allowed=f"an arm with at most {MOST_JOINTS}",
                    )
                arms[key] = arm
        except OSError as error:
            faults.append(BadInput("cannot be read", key, name, str(error.strerror)))
        except BadInput as error:
            inner = f"{error.where}: {error.what}" if error.where else error.what
            faults.append(BadInput(inner, key, error.found, error.allowed, error.nearest))
    return arms, faults


def with_start(world: World, arms: "Mapping[str, Arm]") -> tuple[World, list[BadInput]]:
    """The world with its start as joint angles, and what is wrong with the start.

    Where the start does not fit the arms, the world has the start of its arm by default.
    """
    try:
        world = world.with_changes(start=_start_of(world))
        given = len(world.start.joints)
        for key, arm in arms.items():
            n = len(arm.mass)
            if n != given:
                allowed = f"{n}, as arm {attrgetter(key)(world)} has"
                raise BadInput(
                    "wrong number of joints", where="start.joints", found=given, allowed=allowed
                )
    except BadInput as error:
        start = StartSection(joints=start_of_arm(arms["arm"]))
        return world.with_changes(start=start), [error]
    return world, []


def gives_rotors(world: World) -> bool:
    """Whether the world's engine gives joints rotors, also those of an arm that has none."""
    engine = world.plant.engine
    if not is_there("engine", engine) or not world.trust.looks_into("engine", engine):
        return False
    return world.trust.find("engine", engine, world.folder).needs == ROTORS


def is_there(kind: str, name: str) -> bool:
    """Whether there is a method of this name, as far as it is no code of a user's."""
    return is_code(name) or name in method_names(kind)


def check_rotors(world: World) -> None:
    """Coulomb friction needs the rotors that go with it.

    Without them a wrist joint weighs 1e-4 kg·m²: 1 N·m stops any of its motions within a
    millisecond, so that nothing but friction would be seen.
    """
    friction = world.plant.friction
    if friction is None:
        return
    from dynamics import load_arm, load_named_arm

    name = world.plant.dynamics or world.arm
    arm = load_arm(name, world.folder)
    coulomb = arm.friction[:, 0] if friction == "arm" else np.atleast_1d(friction.coulomb)
    if len(coulomb) not in (1, len(arm.mass)):
        return  # told by another check
    if friction == "arm" and not np.any(arm.friction[:, :3]):
        allowed = "null, values of your own, or plant.dynamics: ur5_full"
        unread = load_named_arm(name, world.folder).unread
        own = next((words for words in unread if words.startswith("friction")), None)
        if own is not None:
            what = f"friction is not read from a URDF, and {name} has some"
            raise BadInput(what, "plant.friction", "arm", own.removeprefix("friction, as "))
        raise BadInput(
            f"arm {name} has no joint friction in its file", "plant.friction", "arm", allowed
        )
    bare = np.flatnonzero((np.asarray(coulomb) > 0.0) & (arm.rotor_inertia == 0.0))
    if bare.size and not gives_rotors(world):
        what = (
            f"joint {bare[0] + 1} of arm {name} has friction but no rotor inertia: "
            "both come from the same gear, and friction alone would stop so light a joint "
            "within a millisecond"
        )
        allowed = "null, or plant.dynamics with rotor inertia such as ur5_full"
        raise BadInput(what, "plant.friction", getattr(friction, "coulomb", "arm"), allowed)


def check_lengths(world: World) -> Iterator[BadInput]:
    """Lists that have not one entry a joint."""
    n = len(world.start.joints)
    for section in _WITH_LISTS:
        values = attrgetter(section)(world)
        for key, value in values if isinstance(values, BaseModel) else ():
            if not isinstance(value, tuple) or not value or key == "by_segment":
                continue
            if isinstance(value[0], float) and len(value) not in (1, n):
                yield BadInput(
                    "wrong number of values",
                    where=f"{section}.{key}",
                    found=list(value),
                    allowed=f"{n}, one a joint, or a single number",
                )


def check_plan(world: World) -> Iterator[BadInput]:
    """Joint angles in a plan that are too many or too few for its arm, or lie beyond its limits."""
    from dynamics import load_arm

    places = world.plan.places
    limits = load_arm(world.arm, world.folder).position_limits if places else ()
    for place, at in places.items():
        joints = at.joints or ()
        key = ".".join(map(str, ("plan", *place, "joints")))
        if len(joints) not in (0, len(limits)):
            allowed = f"{len(limits)}, as arm {world.arm} has"
            yield BadInput("wrong number of joints", where=key, found=len(joints), allowed=allowed)
            continue
        for i, (angle, (low, high)) in enumerate(zip(joints, limits, strict=False)):
            if not low <= angle <= high:
                what = f"joint {i + 1} of arm {world.arm} does not turn so far"
                allowed = f"{low:.6g} to {high:.6g} rad"
                yield BadInput(what, where=f"{key}.{i}", found=angle, allowed=allowed)


def check_pushes(world: World) -> Iterator[BadInput]:
    """Links that are pushed and are not there."""
    n = len(world.start.joints)
    for i, push in enumerate(world.pushes):
        if push.link > n:
            yield BadInput(
                "no such link", where=f"pushes.{i}.link", found=push.link, allowed=f"1 to {n}"
            )


def _start_of(world: World) -> StartSection:
    """The start of a world as joint angles.

    Where it is a place of the tool, they are those nearest to the default ones that take it there.
    """
    start = world.start
    given = start.pose
    if given is None and start.position is None:
        return start
    arm = world.bare_arm()
    near = np.array(Q0) if len(arm.dh) == len(Q0) else np.zeros(len(arm.dh))
    # A map in a plane has the height of all its places.
    place = given.position if given else (*(start.position or ()), world.map.origin[2])[:3]
    pose, any_rotation = world.tool_pose(place, given)
    q = _near_joints(arm, pose, any_rotation, near)
    if q is None:
        raise BadInput(
            "the arm does not reach the start",
            where="start.pose" if given else "start.position",
            found=[round(float(v), 6) for v in place],
            allowed="a place of the tool, and a rotation there, that it reaches",
        )
    return StartSection(joints=tuple(q.tolist()))


def goal_near(world: World, arm: "Arm", near: np.ndarray) -> np.ndarray | None:
    """(n,) joint angles at the goal, near to ``near`` [rad], or None where there are none.

    At a goal that is a position the tool may have any rotation.
    """
    given = world.goal.pose if world.goal else None
    rotation = given.rotation if given else np.eye(3)
    pose = pose_of(world.goal_point or (), rotation)
    return _near_joints(arm, pose, any_rotation=given is None, near=near)


def _near_joints(
    arm: "Arm", pose: np.ndarray, any_rotation: bool, near: np.ndarray
) -> np.ndarray | None:
    """(n,) joint angles that take the tool to a pose, within limits and near to ``near``.

    They are the nearest where the arm has a closed form, and those that a search from ``near``
    finds where it has none, or where the tool may have any rotation. None: there are none.
    """
    from dynamics import (
        has_closed_form,
        inverse_kinematics,
        numeric_inverse_kinematics,
        within_limits_turns,
    )

    if any_rotation or not has_closed_form(arm):
        rng = np.random.default_rng(0)
        found = numeric_inverse_kinematics(
            arm, pose, near, position_only=any_rotation, restarts=20, rng=rng
        )
        return found.q if found.converged else None
    solutions = inverse_kinematics(arm, pose)
    turned = within_limits_turns(arm, solutions, np.broadcast_to(near, solutions.shape))
    within = turned[~np.isnan(turned).any(axis=1)]
    if not len(within):
        return None
    distances = np.abs(within - near).sum(axis=1)
    return within[distances.argmin()]


def _check_joints(world: World) -> Iterator[BadInput]:
    """One axis a joint, and a goal that is no cell."""
    goal = world.goal
    shape = world.map.shape
    n = len(world.start.joints)
    allowed = f"{n}, as start.joints has"
    if len(shape) != n:
        yield BadInput(
            "wrong number of joints", where="map.shape", found=list(shape), allowed=allowed
        )
    if goal is None:
        return
    if goal.cell is not None:
        yield BadInput(
            "a map of joint angles", "goal.cell", list(goal.cell), "position, pose or joints"
        )
    if goal.position is not None and len(goal.position) != 3:
        yield BadInput(
            "a place in space",
            where="goal.position",
            found=list(goal.position),
            allowed="[x, y, z]",
        )
    if goal.joints is not None and len(goal.joints) != n:
        yield BadInput(
            "wrong number of joints", where="goal.joints", found=len(goal.joints), allowed=allowed
        )


def _check_times(world: World) -> Iterator[BadInput]:
    """Obstacles that all stand all the time."""
    for i, obstacle in enumerate(world.obstacles):
        for key in ("appears", "vanishes"):
            time = getattr(obstacle, key)
            if time is not None:
                what = "on a map of joint angles nothing comes or goes"
                yield BadInput(what, f"obstacles.{i}.{key}", time, "no such key")


def _check_reach(world: World) -> None:
    """A place that an arm without a closed form reaches, as far as a search finds."""
    from dynamics import has_closed_form

    goal = world.goal
    if goal is None or goal.joints is not None or goal.cell is not None:
        return
    position = world.goal_position or ()
    if len(position) != 3:
        return
    arm = world.bare_arm()
    if not has_closed_form(arm) and goal_near(world, arm, np.array(world.start.joints)) is None:
        raise BadInput(
            "a numeric search finds no joint angles at the goal",
            where="goal.position" if goal.pose is None else "goal.pose",
            found=list(position),
            allowed="a place that the arm reaches, or goal.joints",
        )


def _check_detection_of_joints(world: World) -> Iterator[BadInput]:
    """A map of joint angles knows what was felt, by detectors of joint torques."""
    detection = world.detection
    if detection.measure in TOOL_MEASURES:
        what = "a map of joint angles needs a detector of joint torques"
        allowed = "adaptive_joint_torque, joint_torque, …"
        yield BadInput(what, "detection.measure", detection.measure, allowed)
    if detection.mark != "felt":
        what = "a map of joint angles knows what was felt"
        yield BadInput(what, "detection.mark", detection.mark, "felt")
    if detection.graze != "retreat" and not world.trust.record:
        what = "on a map of joint angles the arm always goes back from what it touches"
        yield BadInput(what, "detection.graze", detection.graze, "retreat")


def _check_planner_of_joints(world: World) -> Iterator[BadInput]:
    """On a map of joint angles the network plans, for the shortest path."""
    planner = world.planner
    if planner.kind == "a_star":
        what = "on a map of joint angles the network plans"
        yield BadInput(what, "planner.kind", planner.kind, "hopfield or FILE.py:NAME")
    if planner.clearance != 0.0:
        what = "only a map of the tool keeps a clearance"
        yield BadInput(what, "planner.clearance", planner.clearance, "0")
    if planner.activation != "linear":
        what = "a map of joint angles is searched for shortest paths"
        yield BadInput(what, "planner.activation", planner.activation, "linear")
    if planner.forget is not None:
        what = "on a map of joint angles nothing grows old"
        yield BadInput(what, "planner.forget", planner.forget, "null, or map.space: tool")


OF_A_JOINT_MAP = (
    _check_detection_of_joints,
    _check_planner_of_joints,
    _check_joints,
    _check_times,
    _check_reach,
)
