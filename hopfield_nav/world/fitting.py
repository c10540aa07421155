"""What of a world must fit its arm: names of arms, lists with an entry a joint, friction, start, plan."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import BaseModel

from dynamics import BadInput
from hopfield_nav.world.document import Key
from hopfield_nav.world.start import Q0, StartSection
from hopfield_nav.world.world import World

if TYPE_CHECKING:
    from dynamics import Arm

ARMS: tuple[Key, ...] = (("arm",), ("plant", "dynamics"), ("controller", "model"))


def _named(world: World, key: Key) -> str | None:
    """The arm that a world names at a key."""
    return {"arm": world.arm, "dynamics": world.plant.dynamics, "model": world.controller.model}[str(key[-1])]


def arms_and_joints(world: World) -> tuple[list[str | None], int]:
    """The arms that a world names, and the number of joints that it gives."""
    return [_named(world, key) for key in ARMS], len(world.start.joints)


def load_named(world: World, key: Key) -> None:
    """Refuse a name at a key where there is no such arm, or a faulty one."""
    name = _named(world, key)
    if name is not None:
        _load(name, world, key)


def check_count(world: World, key: Key) -> None:
    """Refuse a start with another number of joints than the arm that is named at a key."""
    name, given = _named(world, key), len(world.start.joints)
    if name is None:
        return
    n = len(_load(name, world, key).mass)
    if n != given:
        raise BadInput(
            "wrong number of joints", where="start.joints", found=given, allowed=f"{n}, as arm {name} has"
        )


def check_rotors(world: World) -> None:
    """Coulomb friction needs the rotors that go with it.

    Without them a wrist joint weighs 1e-4 kg·m²: 1 N·m stops any of its motions within a millisecond,
    so that nothing but friction would be seen.
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
        raise BadInput(
            f"arm {name} has no joint friction in its file",
            where="plant.friction",
            found="arm",
            allowed="null, values of your own, or plant.dynamics: ur5_full",
        )
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
        raise BadInput(
            inner, where=where, found=error.found, allowed=error.allowed, nearest=error.nearest
        ) from None


def wrong_lengths(world: World) -> Iterator[BadInput]:
    """Lists that have not one entry a joint."""
    n = len(world.start.joints)
    lists = {f"plant.{key}": getattr(world.plant, key) for key in ("damping", "stiffness", "temperature")}
    for section, value in (
        ("sensors", world.sensors),
        ("plant.friction", world.plant.friction),
        ("controller.model_error", world.controller.model_error),
    ):
        if isinstance(value, BaseModel):
            lists |= {f"{section}.{key}": entry for key, entry in value}
    lists["plan.acceleration"] = world.plan.acceleration
    lists |= {f"controller.{key}": value for key, value in world.controller.parameters.items()}
    lists |= {f"detection.{key}": value for key, value in world.detection.parameters.items()}
    for key, value in lists.items():
        if isinstance(value, (list, tuple)) and len(value) not in (1, n):
            yield BadInput(
                "wrong number of values",
                where=key,
                found=list(value),
                allowed=f"{n}, one a joint, or a single number",
            )


def check_plan(world: World) -> None:
    """Joint angles of the places of a world's plan fit its arm in number and lie within its limits.

    Raises:
        BadInput: they do not; ``where`` is the key of the first at fault.
    """
    places = world.plan.given_joints
    if not places:
        return
    limits = world.bare_arm().position_limits
    for place, joints in places.items():
        key = ".".join(map(str, ("plan", *place, "joints")))
        if len(joints) != len(limits):
            allowed = f"{len(limits)}, as arm {world.arm} has"
            raise BadInput("wrong number of joints", where=key, found=len(joints), allowed=allowed)
        for i, (low, high) in enumerate(limits):
            if not low <= joints[i] <= high:
                raise BadInput(
                    f"joint {i + 1} of arm {world.arm} does not turn so far",
                    where=f"{key}.{i}",
                    found=joints[i],
                    allowed=f"{low:.6g} to {high:.6g} rad",
                )


def check_pushes(world: World) -> None:
    """The links that are pushed are there, and what moves is this program's rigid arm.

    Raises:
        BadInput: ``where`` is the key at fault.
    """
    n = len(world.start.joints)
    for i, push in enumerate(world.pushes):
        if push.link > n:
            raise BadInput("no such link", where=f"pushes.{i}.link", found=push.link, allowed=f"1 to {n}")
    if world.pushes and world.plant.engine != "internal":
        raise BadInput(
            "no pushes there",
            where="plant.engine",
            found=world.plant.engine,
            allowed="internal, or no pushes",
        )


def start_of(world: World) -> StartSection:
    """The start of a world as joint angles: those nearest to the default ones that take the tool there.

    Args:
        world: its form is right, and its arm can be loaded.

    Raises:
        BadInput: the arm does not reach the place; ``where`` is the key.
    """
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
    pose = np.eye(4)
    if world.start.pose is not None:
        pose[:3, :3], pose[:3, 3] = world.start.pose.rotation, world.start.pose.position
        return pose
    if not world.trajectory.any_rotation:
        pose[:3, :3] = world.trajectory.tool_rotation
    pose[:3, 3] = (*(world.start.position or ()), world.map.origin[2])[:3]
    return pose


def _near_joints(arm: Arm, pose: np.ndarray, near: np.ndarray, any_rotation: bool) -> np.ndarray | None:
    """(n,) the joint angles within limits that are nearest to ``near``; None where there are none."""
    from dynamics import (
        has_closed_form,
        inverse_kinematics,
        numeric_inverse_kinematics,
        within_limits_turns,
    )

    if any_rotation or not has_closed_form(arm):
        rng = np.random.default_rng(0)
        found = numeric_inverse_kinematics(arm, pose, near, position_only=any_rotation, restarts=20, rng=rng)
        return found.q if found.converged else None
    solutions = inverse_kinematics(arm, pose)
    turned = within_limits_turns(arm, solutions, np.broadcast_to(near, solutions.shape))
    turned = turned[~np.isnan(turned).any(axis=1)]
    return turned[np.abs(turned - near).sum(axis=1).argmin()] if len(turned) else None
