"""What must fit together between the sections of a world."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel

from dynamics import BadInput
from hopfield_nav.world.beforehand import check_beta_of
from hopfield_nav.world.document import Document
from hopfield_nav.world.goal import GoalSection
from hopfield_nav.world.joint_map import check_joint_map
from hopfield_nav.world.map import MapSection
from hopfield_nav.world.plan import check_plan
from hopfield_nav.world.start import start_of
from hopfield_nav.world.trust import Trust
from hopfield_nav.world.world import World


def check_world(world: World, folder: Path | None, trust: Trust) -> None:
    """Check timing, the estimator's needs, and the goal.

    Args:
        world: to check.
        folder: of the world.
        trust: which Python files may be executed.

    Raises:
        BadInput: ``where`` is the key at fault.
    """
    _check_timing(world)
    _check_imperfections(world)
    _check_inherited(world, folder, trust)
    if world.map.space == "joints":
        check_joint_map(world)
        return
    _check_ties(world)
    check_beta_of(world)
    if world.goal is not None:
        _check_goal(world, world.goal)


def with_start(world: World, document: Document) -> World:
    """The world with its start as joint angles, wherever the tool was put.

    Raises:
        BadInput: the arm cannot be loaded, or does not reach the start.
    """
    if world.start.pose is None and world.start.position is None:
        return world
    _load(world.arm, world, document, ("arm",))
    return world.with_changes(start=start_of(world, world.bare_arm()))


def check_arms(world: World, document: Document, like: World | None = None) -> None:
    """Load the arms that the world names; whatever has one entry a joint must fit them.

    Args:
        world: to check.
        document: that it was read from.
        like: a world that has been checked; when it has the same arms, these are not loaded again.

    Raises:
        BadInput: an arm is unknown or faulty, or a list has the wrong length.
    """
    if like is None or _arms_and_joints(world) != _arms_and_joints(like):
        _load_arms(world, document)
    _check_joints(world, document)
    _check_rotors(world, document)
    if world.plan.given_joints:
        limits = _load(world.arm, world, document, ("arm",)).position_limits
        check_plan(world.plan, world.arm, limits, document)


def _arms_and_joints(world: World) -> tuple[dict[tuple[str, ...], str | None], int]:
    names = {
        ("arm",): world.arm,
        ("plant", "dynamics"): world.plant.dynamics,
        ("controller", "model"): world.controller.model,
    }
    return names, len(world.start.joints)


def _load_arms(world: World, document: Document) -> None:
    names, _ = _arms_and_joints(world)
    for key, name in names.items():
        if name is not None:
            arm = _load(name, world, document, key)
            n = len(arm.mass)
            if n != len(world.start.joints):
                raise BadInput(
                    "wrong number of joints",
                    where=document.where(("start", "joints")),
                    found=len(world.start.joints),
                    allowed=f"{n}, as arm {name} has",
                )


def _check_rotors(world: World, document: Document) -> None:
    """Coulomb friction needs the rotors that go with it.

    Without them a wrist joint weighs 1e-4 kg·m²: 1 N·m stops any of its motions within a millisecond,
    so that nothing but friction would be seen.
    """
    friction = world.plant.friction
    if friction is None:
        return
    name = world.plant.dynamics or world.arm
    key = ("plant", "dynamics") if world.plant.dynamics else ("arm",)
    arm = _load(name, world, document, key)
    coulomb = arm.friction[:, 0] if friction == "arm" else np.zeros(len(arm.mass)) + friction.coulomb
    if friction == "arm" and not np.any(arm.friction[:, :3]):
        raise BadInput(
            f"arm {name} has no joint friction in its file",
            where=document.where(("plant", "friction")),
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
            where=document.where(("plant", "friction")),
            found=friction if friction == "arm" else friction.coulomb,
            allowed="null, or plant.dynamics with rotor inertia such as ur5_full",
        )


def _load(name: str, world: World, document: Document, key: tuple[str, ...]) -> Any:
    from dynamics import load_arm  # imports Numba, which a faulty world need not wait for

    try:
        return load_arm(name, world.folder)
    except OSError as error:
        raise BadInput(
            "cannot be read", where=document.where(key), found=name, allowed=str(error.strerror)
        ) from None
    except BadInput as error:
        inner = f"{error.where}: {error.what}" if error.where else error.what
        raise BadInput(
            inner, where=document.where(key), found=error.found, allowed=error.allowed, nearest=error.nearest
        ) from None


def _check_timing(world: World) -> None:
    period, step, delay = world.controller.period, world.plant.step, world.controller.delay
    if not _is_multiple(period, step):
        raise BadInput(
            "not a multiple of plant.step",
            where="controller.period",
            found=period,
            allowed=f"{step:.6g} s times a whole number",
        )
    if delay > 0 and not world.controller.hold:
        raise BadInput(
            "a torque that is not held cannot be delayed",
            where="controller.delay",
            found=delay,
            allowed="0, or controller.hold: true",
        )
    if not _is_multiple(delay, period, least=0) or delay > 64.5 * period:
        raise BadInput(
            "not a whole number of control periods, at most 64",
            where="controller.delay",
            found=delay,
            allowed=f"0 to {64 * period:.6g} s in steps of {period:.6g} s",
        )


def _check_imperfections(world: World) -> None:
    """What a law that acts continuously, and MuJoCo as the plant, cannot do."""
    sensors = {
        key: value for key, value in world.sensors if np.any(np.asarray(value, dtype=np.float64) > 0.0)
    }
    if sensors and not world.controller.hold:
        key = next(iter(sensors))
        raise BadInput(
            "a torque that is not held follows the true state",
            where=f"sensors.{key}",
            found=sensors[key],
            allowed="0, or controller.hold: true",
        )
    friction = world.plant.friction
    if world.plant.engine == "mujoco" and friction is not None:
        raise BadInput(
            "MuJoCo's own friction is soft and creeps: it is not offered",
            where="plant.friction",
            found=friction if friction == "arm" else "values",
            allowed="null, or plant.engine: internal",
        )
    _check_flexible(world)


def _check_flexible(world: World) -> None:
    for key in ("stiffness", "temperature"):
        value = getattr(world.plant, key)
        if world.plant.engine != "flexible" and value is not None:
            raise BadInput(
                "only elastic joints have it",
                where=f"plant.{key}",
                found=value,
                allowed="null, or plant.engine: flexible",
            )


def _is_multiple(value: float, unit: float, least: int = 1) -> bool:
    count = round(value / unit)
    return count >= least and math.isclose(value, count * unit, rel_tol=1e-6, abs_tol=1e-12)


def _check_joints(world: World, document: Document) -> None:
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
            raise BadInput(
                "wrong number of values",
                where=document.where(tuple(key.split("."))),
                found=list(value),
                allowed=f"{n}, one a joint, or a single number",
            )


def _check_inherited(world: World, folder: Path | None, trust: Trust) -> None:
    """An estimator that works on the controller's parameters needs a law that has them."""
    if not trust.looks_into(world.detection.estimator) or not trust.looks_into(world.controller.law):
        return
    for parameter in trust.find("estimator", world.detection.estimator, folder).parameters:
        if parameter.inherit and parameter.name not in world.controller.parameters:
            raise BadInput(
                f"needs the controller's {parameter.name}, which law {world.controller.law} has not",
                where="detection.estimator",
                found=world.detection.estimator,
                allowed="estimator: none, or a law with that parameter",
            )


def _check_ties(world: World) -> None:
    """Two steps an axis of the map."""
    if len(world.planner.ties) != 2 * world.map.rank:
        axes = "+u, -u, +v, -v" + (", +w, -w" if world.map.rank == 3 else "")
        raise BadInput(
            f"the map has {world.map.rank} axes",
            where="planner.ties",
            found=list(world.planner.ties),
            allowed=f"{axes}, in any order",
        )


def _check_goal(world: World, goal: GoalSection) -> None:
    grid = world.map
    for name in ("pose", "joints"):
        if getattr(goal, name) is not None:
            allowed = "cell or position, or map.space: joints"
            raise BadInput("only a map of joint angles has it", where=f"goal.{name}", allowed=allowed)
    key, given = ("goal.cell", goal.cell) if goal.cell is not None else ("goal.position", goal.position)
    found, rank = given or (), grid.rank
    if len(found) != rank:
        raise BadInput(f"the map has {rank} axes", where=key, found=list(found), allowed=f"a list of {rank}")
    point = world.goal_point or grid.origin
    at = [(point[k] - grid.origin[k]) / grid.spacing for k in range(rank)]
    rim = 1 if grid.rim == "blocked" else 0
    if not all(rim - 0.5 <= at[k] <= grid.shape[k] - rim - 0.5 for k in range(rank)):
        what = "goal outside the map" if not rim else "goal outside the map or on its blocked rim"
        raise BadInput(what, where=key, found=found, allowed=_allowed_goal(grid, rim, goal.cell is not None))
    for i, obstacle in enumerate(world.known):
        if any(solid.contains(*point) for solid in obstacle.solids):
            raise BadInput(f"goal inside known obstacle {i}", where=key, found=found, allowed="a free place")


def _allowed_goal(grid: MapSection, rim: int, as_cell: bool) -> str:
    first, last = [rim] * grid.rank, [n - 1 - rim for n in grid.shape]
    if any(high < low for low, high in zip(first, last, strict=True)):
        return "none: this map is all rim; a larger map.shape, or map.rim: free"
    if as_cell:
        return f"cells {first} to {last}"
    ends = zip("xyz", grid.centre(first), grid.centre(last), strict=False)
    return ", ".join(f"{axis} from {low:.4g} to {high:.4g} m" for axis, low, high in ends)
