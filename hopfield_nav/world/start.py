"""The section ``start`` of a world file, and the joint angles that it stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import Field, model_serializer, model_validator

from dynamics import BadInput
from hopfield_nav.world.fields import Joints, MapPoint, Section
from hopfield_nav.world.plan import PoseSection

if TYPE_CHECKING:
    from dynamics import Arm
    from hopfield_nav.world.world import World

_Q0 = (2.5511, -1.1193, 2.5706, 0.1196, 1.5708, -0.5905)


class StartSection(Section):
    """Where the arm is at the beginning, at rest: joint angles, or a place of the tool."""

    joints: Joints = Field(_Q0, description="joint angles, within one turn")
    pose: PoseSection | None = Field(None, description="of the tool, in the place of joints")
    position: MapPoint | None = Field(
        None, description="[x, y] or [x, y, z] of the tool, turned as on the way, in the place of joints"
    )

    @model_validator(mode="after")
    def _check(self) -> StartSection:
        given = [key for key in ("joints", "pose", "position") if key in self.model_fields_set]
        given = [key for key in given if getattr(self, key) is not None]
        if len(given) > 1:
            raise BadInput(
                "one of them is enough", found=" and ".join(given), allowed="joints, pose or position"
            )
        return self

    @model_serializer(mode="wrap")
    def _leave_out_the_others(self, handler: Any) -> dict[str, Any]:
        kept = {key: value for key, value in handler(self).items() if value is not None}
        return {key: value for key, value in kept.items() if len(kept) == 1 or key != "joints"}


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
    near = np.array(_Q0) if len(arm.dh) == len(_Q0) else np.zeros(len(arm.dh))
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
