"""What of a world must fit its arm: names of arms, lists with an entry a joint, friction, start, plan."""

from collections.abc import Callable, Iterator, Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import BaseModel

from dynamics import BadInput
from hopfield_nav.world.derived import start_of_arm
from hopfield_nav.world.document import Key
from hopfield_nav.world.ends import Q0, StartSection
from hopfield_nav.world.world import World

if TYPE_CHECKING:
    from dynamics import Arm

_WITH_LISTS = (
    "plant", "plant.friction", "plant.torque_ripple", "sensors", "controller",
    "controller.model_error", "plan", "detection",
)  # fmt: skip
_ARMS: tuple[Key, ...] = (("arm",), ("plant", "dynamics"), ("controller", "model"))


def unless(key: str, fits: Callable[[Any, World], bool], what: str, allowed: str) -> Callable[[World], None]:
    """A check that refuses what stands at a key of a world unless it fits the rest of that."""

    def check(world: World) -> None:
        found = attrgetter(key)(world)
        if not fits(found, world):
            raise BadInput(what, where=key, found=found, allowed=allowed)

    return check


def _named(world: World, key: Key) -> str | None:
    """The arm that a world names at a key."""
    return attrgetter(".".join(map(str, key)))(world)


def load_arms(world: World) -> "tuple[dict[Key, Arm], list[BadInput]]":
    """The arms that a world names, by their keys; and why others cannot be loaded."""
    arms, faults = dict[Key, Any](), list[BadInput]()
    for key in _ARMS:
        try:
            if name := _named(world, key):
                arms[key] = _load(name, world, key)
        except BadInput as error:
            faults.append(error)
    return arms, faults


def with_start(world: World, arms: "Mapping[Key, Arm]") -> tuple[World, list[BadInput]]:
    """The world, its start as joint angles; where it does not fit the arms, that of its arm, and why it does not."""
    try:
        world = world.with_changes(start=_start_of(world))
        given = len(world.start.joints)
        for key, arm in arms.items():
            if (n := len(arm.mass)) != given:
                allowed = f"{n}, as arm {_named(world, key)} has"
                raise BadInput("wrong number of joints", where="start.joints", found=given, allowed=allowed)
    except BadInput as error:
        return world.with_changes(start=StartSection(joints=start_of_arm(arms["arm",]))), [error]
    return world, []


def check_rotors(world: World) -> None:
    """Coulomb friction needs the rotors that go with it.

    Without them a wrist joint weighs 1e-4 kg·m²: 1 N·m stops any of its motions within a millisecond, so that nothing
    but friction would be seen.
    """
    friction = world.plant.friction
    if friction is None:
        return
    name = world.plant.dynamics or world.arm
    key: Key = ("plant", "dynamics") if world.plant.dynamics else ("arm",)
    arm = _load(name, world, key)
    coulomb = arm.friction[:, 0] if friction == "arm" else np.atleast_1d(friction.coulomb)
    if len(coulomb) not in (1, len(arm.mass)):
        return  # told by another check
    if friction == "arm" and not np.any(arm.friction[:, :3]):
        message = f"arm {name} has no joint friction in its file"
        allowed = "null, values of your own, or plant.dynamics: ur5_full"
        raise BadInput(message, where="plant.friction", found="arm", allowed=allowed)
    if world.plant.engine == "flexible":
        return  # its joints have rotors in any case
    bare = np.flatnonzero((np.asarray(coulomb) > 0.0) & (arm.rotor_inertia == 0.0))
    if bare.size:
        raise BadInput(
            f"joint {bare[0] + 1} of arm {name} has friction but no rotor inertia: both come from the same "
            "gear, and friction alone would stop so light a joint within a millisecond",
            where="plant.friction",
            found=friction if friction == "arm" else friction.coulomb,
            allowed="null, or plant.dynamics with rotor inertia such as ur5_full",
        )


def _load(name: str, world: World, key: Key) -> Any:
    from dynamics import load_arm  # imports Numba, which a faulty world need not wait for

    where = ".".join(map(str, key))
    try:
        return load_arm(name, world.folder)
    except OSError as error:
        raise BadInput("cannot be read", where=where, found=name, allowed=str(error.strerror)) from None
    except BadInput as error:
        inner = f"{error.where}: {error.what}" if error.where else error.what
        raise BadInput(inner, where=where, found=error.found, allowed=error.allowed, nearest=error.nearest) from None


def check_lengths(world: World) -> Iterator[BadInput]:
    """Lists that have not one entry a joint."""
    n = len(world.start.joints)
    for section in _WITH_LISTS:
        values = attrgetter(section)(world)
        for key, value in values if isinstance(values, BaseModel) else ():
            numbers = isinstance(value, tuple) and bool(value) and isinstance(value[0], float)
            if numbers and len(value) not in (1, n):
                where, allowed = f"{section}.{key}", f"{n}, one a joint, or a single number"
                yield BadInput("wrong number of values", where=where, found=list(value), allowed=allowed)


def check_plan(world: World) -> Iterator[BadInput]:
    """Joint angles in a plan that are too many or too few for its arm, or lie beyond its limits."""
    places = world.plan.places
    limits = _load(world.arm, world, ("arm",)).position_limits if places else ()
    for place, at in places.items():
        joints, key = at.joints or (), ".".join(map(str, ("plan", *place, "joints")))
        if len(joints) not in (0, len(limits)):
            allowed = f"{len(limits)}, as arm {world.arm} has"
            yield BadInput("wrong number of joints", where=key, found=len(joints), allowed=allowed)
            continue
        for i, (angle, (low, high)) in enumerate(zip(joints, limits, strict=False)):
            if not low <= angle <= high:
                what, allowed = f"joint {i + 1} of arm {world.arm} does not turn so far", f"{low:.6g} to {high:.6g} rad"
                yield BadInput(what, where=f"{key}.{i}", found=angle, allowed=allowed)


def check_pushes(world: World) -> Iterator[BadInput]:
    """Links that are pushed and are not there."""
    n = len(world.start.joints)
    for i, push in enumerate(world.pushes):
        if push.link > n:
            yield BadInput("no such link", where=f"pushes.{i}.link", found=push.link, allowed=f"1 to {n}")


def _start_of(world: World) -> StartSection:
    """The start of a world as joint angles: those nearest to the default ones that take the tool there."""
    start = world.start
    if start.pose is None and start.position is None:
        return start
    arm = world.bare_arm()
    near = np.array(Q0) if len(arm.dh) == len(Q0) else np.zeros(len(arm.dh))
    pose = _pose_of(world)
    q = _near_joints(arm, pose, near, start.pose is None and world.trajectory.any_rotation)
    if q is None:
        key = "position" if start.pose is None else "pose"
        found = [round(float(v), 6) for v in pose[:3, 3]]
        allowed = "a place of the tool, and a rotation there, that it reaches"
        raise BadInput("the arm does not reach the start", where=f"start.{key}", found=found, allowed=allowed)
    return StartSection(joints=tuple(float(v) for v in q))


def _pose_of(world: World) -> np.ndarray:
    """(4, 4) pose of the tool at the start."""
    given = world.start.pose
    pose = np.eye(4)
    if given is not None or not world.trajectory.any_rotation:
        pose[:3, :3] = given.rotation if given else world.trajectory.tool_rotation
    pose[:3, 3] = given.position if given else (*(world.start.position or ()), world.map.origin[2])[:3]
    return pose


def goal_near(world: World, arm: "Arm", near: np.ndarray) -> np.ndarray | None:
    """(n,) joint angles at the goal that a search from ``near`` finds [rad], a position with any rotation; or None."""
    pose, given = np.eye(4), world.goal.pose if world.goal else None
    if given is not None:
        pose[:3, :3] = given.rotation
    pose[:3, 3] = world.goal_point or ()
    return _near_joints(arm, pose, near, given is None)


def _near_joints(arm: "Arm", pose: np.ndarray, near: np.ndarray, any_rotation: bool) -> np.ndarray | None:
    """(n,) the joint angles within limits that are nearest to ``near``; None where there are none."""
    from dynamics import has_closed_form, inverse_kinematics, numeric_inverse_kinematics, within_limits_turns

    if any_rotation or not has_closed_form(arm):
        rng = np.random.default_rng(0)
        found = numeric_inverse_kinematics(arm, pose, near, position_only=any_rotation, restarts=20, rng=rng)
        return found.q if found.converged else None
    solutions = inverse_kinematics(arm, pose)
    turned = within_limits_turns(arm, solutions, np.broadcast_to(near, solutions.shape))
    turned = turned[~np.isnan(turned).any(axis=1)]
    return turned[np.abs(turned - near).sum(axis=1).argmin()] if len(turned) else None
