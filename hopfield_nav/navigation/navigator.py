"""What a run asks of who finds the way, and what others ask of the owner of a kind of map (``map.space`` of a world).

``tool_navigator`` is the tool's, with one of the ``responses``; ``marking_navigator`` the
document's, with marked cells; ``whole_arm`` that of a map of joint angles; ``Follower`` follows a
given trajectory.
"""

from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np

from dynamics import Arm, BadInput, forward_kinematics
from hopfield_nav.control import Controller, Trace
from hopfield_nav.loop import Trajectory
from hopfield_nav.navigation.map import (
    NOWHERE,
    Cell,
    Cells,
    ContactHypotheses,
    PriorMap,
    Step,
    make_map,
)
from hopfield_nav.navigation.motion import Detection, PlannedMotion, PlanNotes, Reference, no_cells
from hopfield_nav.world import GoalSection, World


class Navigator(Protocol):
    """Finds the way: from what was felt to the next motion. It never sees the simulated truth.

    What has an answer here is that of a navigator that marks cells, and believes nothing of steps.
    """

    motion: PlannedMotion  # the one that the arm makes now. A run may put another before it, as while the arm brakes.
    notes: PlanNotes  # every plan so far

    @property
    def goal(self) -> np.ndarray | None:
        """(3,) position of the tool at the goal [m]; None without one."""

    def first_motion(self, q: np.ndarray) -> PlannedMotion:
        """The motion from the start at joint angles (n,) [rad]; at rest there when there is no goal."""

    def on_detection(self, detection: Detection) -> tuple[Cell, PlannedMotion]:
        """Learn from a touch; the cell that was marked, or is believed to be occupied, and the new motion.

        Without a goal the arm stays on the one it has.
        """

    def localize(self, trace: Trace) -> ContactHypotheses:
        """Where on the arm the last touch may have been; asked at ``motion.localize_at``.

        Where that was a glancing contact, ``motion`` may then be one that passes by it.
        """
        return NOWHERE

    def replan(self, begin: Reference, level_at_retreat: float) -> PlannedMotion:
        """At the end of a motion that ``needs_decision``: how to go on from the reference.

        The alarm level when the retreat from the last touch began is told.
        """

    def arrive(self) -> None:
        """The arm is at the goal: all of the path was free."""
        return

    def load_prior(self, prior: PriorMap) -> None:
        """Believe what an earlier run felt, before the first motion."""
        return

    def felt(self) -> np.ndarray:
        """Bool grid of the marks, or of the cells believed to be occupied; empty where no grid is kept."""
        return np.zeros(0, dtype=bool)

    def felt_count(self) -> int:
        """Number of these cells."""
        return int(self.felt().sum())

    def closed_steps(self) -> dict[Step, float]:
        """Certainty of every touched step that it is closed; 1 for facts."""
        return {}

    def in_free_air(self) -> int:
        """Number of touches where the arm drove freely, before or afterwards; 0 where that is not kept."""
        return 0

    def why_doubtful(self) -> str:
        """What speaks against the facts; empty where nothing does."""
        return ""

    def slide_phase(self, world: World, arm: Arm, controller: Controller) -> Any:
        """How the arm slides where a motion has a ``slide``, an ``experiment.Phase``; None where none ever has."""
        return None

    def final_map(self) -> np.ndarray:
        """Int grid: 1 blocked, 2 free but not reached, 3 believed occupied; empty where none is kept."""
        return np.zeros(0, dtype=np.int8)


class Space:
    """The owner of a kind of map; made without arguments by its ``Method``. What has an answer here is nothing.

    ``pages`` and ``film_panel`` are "module:attribute" of the extension's own pictures: a mapping
    from the names of files to functions of a ``Run``, drawn before those of signals, and a panel as
    in ``figures.run.film_panels``.
    """

    of_places = (
        False  # whether a cell is a place of the tool: a record keeps marks and plans of these
    )
    pages = ""
    film_panel = ""

    def cells(self, world: World, arm: Arm) -> Cells:
        """The cells of a world's map, for an arm that starts as the world says."""
        raise NotImplementedError

    def navigator(self, world: World, arm: Arm, start: np.ndarray, hidden: bool) -> Navigator:
        """Who finds the way in a run that starts at joint angles (n,) [rad].

        Where friction hides the force with which the arm should slide (``hidden``), it follows the
        surface.
        """
        raise NotImplementedError

    def check_start(self, world: World, arm: Arm, tool: np.ndarray) -> None:
        """Refuse a tool (3,) that does not start on the map [m].

        Raises ``BadInput``: it does not.
        """

    def prepare(self, world: World) -> None:
        """Compile, or load, what the first replan calls, so that no clock counts it."""

    def is_random(self, world: World) -> bool:
        """Whether it draws random numbers of its own, so that a run depends on its seed."""
        return False

    def random_goal(self, world: World, generator: np.random.Generator) -> GoalSection:
        """A goal for a motion without obstacles, drawn."""
        raise NotImplementedError

    def self_distance(self, arm: Arm, angles: Iterable[np.ndarray]) -> float | None:
        """Least distance of the arm from itself [m] over joint angles, (m, n) each; None where it is not kept."""
        return None


def space_of(world: World) -> Space:
    """The owner of a world's map.

    Raises ``BadInput``: its extension is not there, or a Python file may not be executed.
    """
    space: Space = world.trust.find("navigator", world.map.space, world.folder).kernel()
    return space


def check_trajectory(arm: Arm, trajectory: Trajectory) -> None:
    """Refuse a trajectory that the arm cannot follow from the start.

    Raises ``BadInput``: it has another number of joints, or does not begin at time 0.
    """
    if trajectory.coefficients.shape[2] != len(arm.dh):
        joints = trajectory.coefficients.shape[2]
        raise BadInput(
            "the trajectory is of another arm", found=joints, allowed=f"{len(arm.dh)} joints"
        )
    if trajectory.knots[0] != 0.0:
        raise BadInput("the trajectory does not begin at time 0", found=float(trajectory.knots[0]))


class Follower(Navigator):
    """A trajectory, from its first knot on, in the place of a path over the map; its marks are used.

    For everything that is no search for a goal: free motion, excitation, a circle, a planned path.
    It marks what is felt as the others do, and keeps going.
    """

    def __init__(self, world: World, arm: Arm, trajectory: Trajectory) -> None:
        self._arm = arm
        self.grid, _ = make_map(world)
        rank, self.notes = world.map.rank, PlanNotes(world)
        self.motion = PlannedMotion((0,) * rank, no_cells(rank), trajectory)

    @property
    def goal(self) -> None:
        """Nothing is searched."""

    def first_motion(self, q: np.ndarray) -> PlannedMotion:
        """The trajectory, whatever the joint angles ``q``."""
        return self.motion

    def on_detection(self, detection: Detection) -> tuple[Cell, PlannedMotion]:
        """Mark the tool's cell, if it is over the map, and go on."""
        cell = self.grid.cell_of(forward_kinematics(self._arm, detection.q)[:3, 3])
        if self.grid.inside(cell):
            self.grid.mark(cell)
        return cell, self.motion

    def replan(self, begin: Reference, level_at_retreat: float) -> PlannedMotion:
        """There is nothing to decide: the motion goes on."""
        return self.motion

    def felt(self) -> np.ndarray:  # noqa: D102  (says ``Navigator``)
        return self.grid.felt.copy()

    def final_map(self) -> np.ndarray:
        """Int grid: 1 where the map is blocked."""
        return self.grid.blocked.astype(np.int8)
