"""Everything an experiment is made of: ``World``, the root of the schema."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field, PrivateAttr, ValidationInfo, model_validator

from dynamics import BadInput, html_table
from hopfield_nav.world import sections
from hopfield_nav.world.derived import derived
from hopfield_nav.world.document import yaml_text
from hopfield_nav.world.ends import GoalSection, PoseSection, StartSection
from hopfield_nav.world.fields import Gravity, OrWord, Range, Text, without_empty
from hopfield_nav.world.files import relative_to
from hopfield_nav.world.imperfections import SensorsSection
from hopfield_nav.world.map import MapSection
from hopfield_nav.world.obstacles import KnownObstacle, Obstacle
from hopfield_nav.world.plan_section import PlanSection
from hopfield_nav.world.planner_section import PlannerSection
from hopfield_nav.world.pushes import PushSection
from hopfield_nav.world.solids import Seed
from hopfield_nav.world.trajectory_section import TrajectorySection
from hopfield_nav.world.trust import Trust

if TYPE_CHECKING:
    from dynamics import Arm


def pose_of(position: Sequence[float], rotation: Any) -> np.ndarray:
    """(4, 4) a frame's pose, of its position (3,) [m] and rotation (3, 3)."""
    pose = np.eye(4)
    pose[:3, :3] = rotation
    pose[:3, 3] = position
    return pose


class World(sections.Section):
    """One experiment. A section that is left out, or left empty, has its defaults."""

    most_set = ("description", "arm", "obstacles", "known", "time_limit")
    owners: ClassVar[dict[str, str]] = {"plan": "known_world"}

    format: Literal[1] = Field(description="version of the world file's layout")
    description: Text = Field("", description="what the experiment is for")
    arm: Text = Field(
        "ur5_ragazzon2012",
        description="built-in arm, or path of an arm file or of a URDF (.urdf:TIP)",
    )
    tool: sections.ToolSection = Field(
        default_factory=sections.ToolSection, description="tool point and payload"
    )
    gravity: Gravity = Field((0.0, 0.0, -9.81), description="acceleration of gravity in base axes")
    plant: sections.PlantSection = Field(
        default_factory=sections.PlantSection, description="what moves"
    )
    controller: sections.ControllerSection = Field(default_factory=sections.ControllerSection)
    """what commands the motors"""
    sensors: SensorsSection = Field(
        default_factory=SensorsSection, description="imperfections of the sensors"
    )
    contact: sections.ContactSection = Field(default_factory=sections.ContactSection)
    """force of an obstacle on the arm"""
    obstacles: tuple[Obstacle, ...] = Field(
        (), description="obstacles that the arm knows nothing of"
    )
    known: tuple[KnownObstacle, ...] = Field(
        (), description="obstacles that are on the map from the start"
    )
    pushes: tuple[PushSection, ...] = Field(
        (), description="forces on the arm over time, without obstacles"
    )
    map: MapSection = Field(default_factory=MapSection, description="the grid of neurons")
    planner: PlannerSection = Field(
        default_factory=PlannerSection, description="the Hopfield network"
    )
    trajectory: TrajectorySection = Field(
        default_factory=TrajectorySection, description="from cells to motion"
    )
    detection: sections.DetectionSection = Field(default_factory=sections.DetectionSection)
    """how a collision is felt"""
    explore: Annotated[sections.ExploreSection, OrWord("method")] = Field(
        default_factory=sections.ExploreSection
    )
    """how the arm goes on after a touch: a method, or a section"""
    start: StartSection = Field(
        default_factory=StartSection, description="where the arm begins, at rest"
    )
    goal: GoalSection | None = Field(
        None, description="where the tool shall arrive; null: run to the time limit"
    )
    plan: PlanSection = Field(default_factory=PlanSection)
    """a motion for `hopfield-nav plan`; a run ignores it"""
    time_limit: Annotated[float, Range(0.0, 1e5, "s", above=True)] = 200.0
    """simulated time at which the run ends"""
    seed: Seed = Field(0, description="of all random numbers of the run")
    record: sections.RecordSection = Field(
        default_factory=sections.RecordSection, description="what is kept"
    )
    extensions: sections.Extensions = Field(
        {}, description="what extensions of others need, each under its name"
    )

    _name: str = PrivateAttr("world")
    _folder: Path = PrivateAttr(default_factory=Path)
    _trust: Trust = PrivateAttr(default_factory=Trust)
    _notes: tuple[str, ...] = PrivateAttr(())

    @model_validator(mode="before")
    @classmethod
    def _fill_in(cls, data: Any, info: ValidationInfo) -> Any:
        """The data without empty sections, and with what follows from arm, plant and map."""
        data = without_empty(cls, data)
        if not isinstance(data, dict):
            return data
        context = info.context or {}
        folder = context.get("folder") or Path()
        return derived(data, folder, context.get("trust", Trust()))

    def __eq__(self, other: object) -> bool:
        """Two worlds are equal when they describe the same experiment, wherever they were read."""
        return isinstance(other, World) and self.model_dump() == other.model_dump()

    def __repr__(self) -> str:
        known = f", {len(self.known)} known" if self.known else ""
        obstacles = f"{len(self.obstacles)} obstacles{known}"
        shape = " x ".join(map(str, self.map.shape))
        goal = f"goal {list(self._goal_as_given or ())}" if self.goal else "no goal"
        return f"<World {self.name}: {self.arm}, {obstacles}, map of {shape} cells, {goal}>"

    __str__ = __repr__

    def _repr_html_(self) -> str:
        rows = [
            ("description", self.description or None),
            ("arm", self.arm),
            ("control law", self.controller.law),
            ("estimator", self.detection.estimator),
            ("detector", self.detection.measure),
            ("obstacles", len(self.obstacles)),
            ("known", len(self.known)),
            ("map", " x ".join(map(str, self.map.shape)) + " cells"),
            ("goal", self._goal_as_given),
        ]
        return html_table(f"World {self.name}", rows)

    @property
    def _goal_as_given(self) -> tuple[float, ...] | None:
        if self.goal is None:
            return None
        pose = self.goal.pose.position if self.goal.pose else None
        return self.goal.cell or self.goal.position or pose or self.goal.joints

    __hash__ = None  # type: ignore[assignment]

    @property
    def name(self) -> str:
        """What the world is called: the name of its file."""
        return self._name

    @property
    def folder(self) -> Path:
        """The folder that paths in the world are relative to."""
        return self._folder

    @property
    def trust(self) -> Trust:
        """Which Python files named by the world may be executed."""
        return self._trust

    @property
    def changes(self) -> bool:
        """Whether an obstacle comes or goes during a run."""
        return any(obstacle.times != (0.0, math.inf) for obstacle in self.obstacles)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out where changes to the world chose another method."""
        return self._notes

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], allow_code: bool = False) -> "World":
        """The world that plain data describes, checked as a file is: ``load_world`` of a mapping.

        Raises ``BadInput``: as ``load_world``.
        """
        from hopfield_nav import world as room

        return room.load_world(data, allow_code=allow_code)

    @property
    def goal_position(self) -> tuple[float, ...] | None:
        """[x, y] of the goal, base axes [m], or [x, y, z] on a map in space; None: no goal."""
        if self.goal is None:
            return None
        if self.goal.joints is not None:
            from dynamics import forward_kinematics

            pose = forward_kinematics(self.bare_arm(), np.array(self.goal.joints))
            x, y, z = pose[:3, 3].tolist()
            return x, y, z
        if self.goal.pose is not None:
            return self.goal.pose.position
        return self.goal.position or self.map.centre(self.goal.cell or ())

    @property
    def goal_point(self) -> tuple[float, float, float] | None:
        """[x, y, z] of the goal, base axes [m], at the height of a flat map; None: no goal."""
        position = self.goal_position
        if position is None:
            return None
        x, y, z = (*position, self.map.origin[2])[:3]
        return x, y, z

    def resolve(self, seed: int, keep_free: Sequence[tuple[float, float]] = ()) -> "World":
        """The same world with this seed, as a run has it.

        Every obstacle is listed by itself, and what is random is drawn. What has a seed of its own
        ignores that of the run. The surroundings of the goal, and of points [x, y] such as the tool
        at the start [m], stay free.

        Raises ``BadInput``: what is random finds no room.
        """
        generator = np.random.default_rng(seed)
        free = list(keep_free)
        if self.goal_point is not None:
            free.append(self.goal_point[:2])
        obstacles: list[Obstacle] = []
        for i, obstacle in enumerate(self.obstacles):
            try:
                obstacles += self._resolve_obstacle(obstacle, generator, free)
            except BadInput as error:
                raise error.at(f"obstacles.{i}") from None
        known = tuple(
            KnownObstacle.of(solid, entry.name) for entry in self.known for solid in entry.solids
        )
        return self.with_changes(obstacles=tuple(obstacles), known=known, seed=seed)

    def to_yaml(self, folder: Path | None = None) -> str:
        """The world as YAML, with every default written out.

        It loads back to an equal world. Paths are rewritten relative to ``folder``, where the text
        will be stored.
        """
        data = self.model_dump(mode="json")
        if folder is not None:
            relative_to(data, self._folder, folder)
        return yaml_text(data)

    def with_changes(self, **changes: Any) -> "World":
        """The same world with other sections, which are not checked."""
        return self.model_copy(update=changes)

    def bare_arm(self) -> "Arm":
        """The world's arm with its tool frame, without payload."""
        from dynamics import load_arm, with_tool  # loads Numba

        frame = self.tool.frame
        return with_tool(load_arm(self.arm, self.folder), pose_of(frame.position, frame.rotation))

    def tool_pose(
        self, point: Sequence[float], given: PoseSection | None
    ) -> tuple[np.ndarray, bool]:
        """The tool's pose (4, 4) at a point [m], and whether any rotation will do.

        It is turned as given, or else as on the way.
        """
        if given is not None:
            return pose_of(point, given.rotation), False
        if self.trajectory.any_rotation:
            return pose_of(point, np.eye(3)), True
        return pose_of(point, self.trajectory.tool_rotation), False

    def _goal_joints(self) -> np.ndarray:
        """(k, n) joint angles at the goal, with the tool turned as the world asks.

        They are all that there are, where the arm has a closed form. Where it has none, or where
        the tool may have any rotation and does not get there with that of the base, a search finds
        one. There are none without a goal.
        """
        from dynamics import has_closed_form, inverse_kinematics, numeric_inverse_kinematics

        start = np.array(self.start.joints)
        if self.goal is None or self.goal_point is None:
            return np.zeros((0, len(start)))
        if self.goal.joints is not None:
            return np.array([self.goal.joints])
        arm = self.bare_arm()
        pose, any_rotation = self.tool_pose(self.goal_point, self.goal.pose)
        closed = has_closed_form(arm)
        found = inverse_kinematics(arm, pose) if closed else np.zeros((0, len(start)))
        if len(found) or (closed and not any_rotation):
            return found
        rng = np.random.default_rng(0)
        near = numeric_inverse_kinematics(
            arm, pose, start, position_only=any_rotation, restarts=20, rng=rng
        )
        return near.q[None] if near.converged else found

    def _resolve_obstacle(
        self, obstacle: Obstacle, generator: np.random.Generator, free: list[tuple[float, float]]
    ) -> list[Obstacle]:
        """An entry of ``obstacles`` as obstacles of one solid each, the random ones drawn.

        Random cylinders keep away from the points ``free`` [x, y] [m].

        Raises ``BadInput``: what is random finds no room.
        """
        scene = obstacle.random_scene
        cylinders = obstacle.random_cylinders
        if scene is not None:
            start = np.array(self.start.joints)
            solids = scene.draw(generator, self.bare_arm(), start, self._goal_joints())
        elif cylinders is not None:
            own = generator if cylinders.seed is None else np.random.default_rng(cylinders.seed)
            low = np.array(self.map.origin[:2])
            high = low + self.map.spacing * (np.array(self.map.shape[:2]) - 1)
            solids = [*cylinders.draw(own, low, high, free)]
        else:
            solids = obstacle.solids
        times = {"appears": obstacle.appears, "vanishes": obstacle.vanishes}
        return [Obstacle.of(solid, obstacle.name, **times) for solid in solids]
