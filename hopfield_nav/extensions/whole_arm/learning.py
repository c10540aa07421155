"""What touches and passages of the whole arm teach: steps, cells, and places in space."""

import numpy as np

from dynamics import Arm
from hopfield_nav.build import build_model
from hopfield_nav.control import Trace, in_order
from hopfield_nav.extensions.whole_arm import numbers
from hopfield_nav.extensions.whole_arm.collision_belief import CollisionBelief
from hopfield_nav.extensions.whole_arm.grid import Carried, JointGrid
from hopfield_nav.extensions.whole_arm.localization import localize_contact, when_to_look
from hopfield_nav.extensions.whole_arm.route import Route
from hopfield_nav.extensions.whole_arm.search import LeftOut
from hopfield_nav.navigation.map import NOWHERE, Beliefs, Cell, ContactHypotheses, PriorMap, Step
from hopfield_nav.navigation.motion import Detection
from hopfield_nav.world import World

WITHOUT_PLACES = ("optimist", "omniscient")  # strategies that do not ask where a touch was


class WholeArmLearning:
    """Facts and beliefs about a map of joint angles, with the kinematics that the controller plans with."""

    def __init__(self, world: World, arm: Arm, grid: JointGrid) -> None:
        self._arm, self._locates = arm, world.planner.strategy not in WITHOUT_PLACES
        self._held = world.detection.armed_below
        draws = world.detection.place == "particles"
        self._generator = np.random.default_rng([world.seed, *b"places"]) if draws else None
        self._model = build_model(world, arm)
        self._resolution = np.asarray(world.sensors.encoder_resolution)
        self.passed = np.zeros((0, len(arm.dh)))  # (m, n) joint angles at which nothing touched [rad]
        self.beliefs = Beliefs(grid.shape, grid.turn)
        self.collisions = CollisionBelief(arm, grid, surface=world.planner.surface)
        self.shut_exits: LeftOut = set()  # solutions felt not to be reached from a cell
        self.shut_entries: set[Cell] = set()  # cells felt not to be entered from beside them
        self._felt_at: dict[Step, float] = {}

    def confirm(self, level: float) -> None:
        """Whether what was touched before was still felt when the arm went back: the alarm level then."""
        self.beliefs.confirm(level >= self._held)

    def touch(self, detection: Detection, route: Route, number: int) -> None:
        """Close what was touched on a segment of a route.

        The tool's line to a goal and the last leg to one are shut for good by one touch; a cell, as the first one,
        until a line is touched elsewhere. A step is closed, as a fact where it was a true stop; of a joint line the
        cells are rough.
        """
        begin, end = route.rows[number : number + 2]
        line = end - begin
        length = float(np.linalg.norm(line))
        along = float((detection.onset.q - begin) @ line) / length**2 if length > 0.0 else 0.0
        off = float(np.abs(detection.onset.q - begin - np.clip(along, 0.0, 1.0) * line).max())
        opposed = float(detection.torque @ line) < 0.0
        first, last = route.cells[number : number + 2]
        step = route.step(number)
        if route.joint_line(number):  # from elsewhere the arm may enter where it could not before
            self.shut_entries.clear()
        if number >= len(route.rows) - 1 - route.on_tool_line:
            self.shut_exits.add((route.goal, None))
        elif route.joint_line(number):
            self.beliefs.rough.update(route.joint_line(number))
        elif step is not None:
            self.beliefs.touch(step, opposed and off <= numbers.ON_STEP)
            self._felt_at[step] = float(detection.onset.q[step.axis])
        elif first is not None:
            self.shut_exits.add((route.goal, first))
        elif last is not None and number == 0:
            self.shut_entries.add(last)

    def passage(self, route: Route, until: int) -> None:
        """The segments before number ``until`` were driven without a touch."""
        cells, steps = route.passed(until)
        self.beliefs.passed(cells, steps)
        swept = route.swept(until)
        self.passed = np.vstack([self.passed, swept])
        self.collisions.passed(cells, swept)

    def look_at(self, detection: Detection) -> float:
        """When ``localize`` is to be asked [s]."""
        return when_to_look(detection.onset.time, detection.time, self._model)

    def localize(self, detection: Detection, trace: Trace) -> ContactHypotheses:
        """Where on the arm a touch may have been, from what was measured until now."""
        if not self._locates:
            return NOWHERE
        rows = in_order(trace)
        rows = rows[np.isfinite(rows[:, 0])]
        onset = detection.onset.time
        places = localize_contact(self._arm, rows, onset, self._model, self.passed, self._resolution, self._generator)
        if len(places.points):
            self.collisions.add(places, detection.onset.q)
        return places

    def move_to(self, grid: JointGrid, carried: Carried) -> None:
        """Go on with a finer map."""
        free = {carried.cell(cell) for cell in self.beliefs.visited}
        self.beliefs = carried.beliefs(self.beliefs, self._felt_at)
        self.collisions = self.collisions.on(grid, free, numbers.FINE_SHELLS)
        self.shut_exits = {(goal, carried.cell(cell)) for goal, cell in self.shut_exits if cell}
        self.shut_entries = set(map(carried.cell, self.shut_entries))
        self._felt_at = {carried.part_at(step, angle)[0]: angle for step, angle in self._felt_at.items()}

    def load_prior(self, prior: PriorMap) -> None:
        """Believe what an earlier run felt."""
        self.beliefs.load_prior(prior.steps, {})
        for places in prior.places:
            self.collisions.add(places)
        self.collisions.passed([], prior.free)
