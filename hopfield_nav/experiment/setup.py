"""What a simulation is made of before anything moves: the world with its draws, arm, plant, loop, start.

Obstacles in which the arm starts are refused where they are known, and warned of where they are not.
"""

import math
import sys
from typing import NamedTuple

import numpy as np

from dynamics import Arm, BadInput, forward_kinematics
from hopfield_nav.build import Methods, all_solids, build_arm, build_obstacles, find_methods
from hopfield_nav.experiment.factory import choose_engine
from hopfield_nav.experiment.limits import find_warnings, refuse_large_steps, warn_of_hidden_force
from hopfield_nav.experiment.loop_parts import build_plant
from hopfield_nav.loop import FIRST_ROWS, Engine, Plant, Rows, State, Trajectory, make_state, read_at_rest
from hopfield_nav.navigation import PriorMap, check_trajectory, depths_at_start, space_of
from hopfield_nav.record import Run, load_prior
from hopfield_nav.world import World, further_columns


class Setup(NamedTuple):
    """What stays the same however often a simulation is begun anew."""

    world: World  # resolved: what is random in it is drawn
    seed: int  # of every random number
    arm: Arm  # kinematics of the controller
    start: np.ndarray  # (n,) joint angles [rad]
    followed: Trajectory | None  # a trajectory in the place of a goal, if there is one
    prior: PriorMap | None  # what an earlier run felt, if there was one
    methods: Methods  # that the world names
    plant: Plant  # what moves
    loop: Engine  # what advances it
    hides_force: bool  # whether friction hides the force with which the arm should slide
    warnings: list[str]  # sentences on settings that cannot go well, and on obstacles that the arm starts in

    @property
    def duration(self) -> float:
        """Simulated time at which a run ends at the latest [s]."""
        end = math.inf if self.followed is None else float(self.followed.knots[-1])
        return min(self.world.time_limit, end)

    def first_state(self, delay: int) -> State:
        """At the start, nothing felt; ``delay`` of the torques in control periods."""
        state = make_state(self.start, delay, self.seed)
        read_at_rest(self.plant.wrist, self.plant.arm, self.start, state.wrist)
        if self.followed is not None:
            state.qd[:] = self.followed.coefficients[0, 1]
        return state

    def empty_rows(self) -> Rows:
        """Room for what the world wants to be recorded."""
        first = 0 if self.world.record.signals == "none" else FIRST_ROWS
        return Rows(len(self.start), first, further_columns(self.world))


def set_up(world: World, seed: int | None, trajectory: Trajectory | None, felt: Run | None) -> Setup:
    """The setup of a simulation; arguments and errors as ``Simulation``."""
    world = check_world(world)
    seed = world.seed if seed is None else check_seed(seed)
    arm = build_arm(world)
    if trajectory is not None:
        check_trajectory(arm, trajectory)
    start = np.array(world.start.joints) if trajectory is None else trajectory.coefficients[0, 0]
    tool = forward_kinematics(arm, start)[:3, 3]
    world = world.resolve(seed, [(float(tool[0]), float(tool[1]))])
    prior = None if felt is None else load_prior(check_run(felt), world)
    plant = build_plant(world, arm)
    loop = choose_engine(world, plant, start)
    refuse_large_steps(world, plant, loop, start)
    hidden = warn_of_hidden_force(world, plant.arm, start)
    warnings = find_warnings(world, plant.arm) + hidden
    if prior is not None and prior.differs:
        warnings.append(f"what the earlier run felt proves nothing here: its {' and '.join(prior.differs)} differed")
    warnings += check_start(world, arm, start, refuse=trajectory is None)
    space_of(world).prepare(world)
    methods = find_methods(world)
    return Setup(world, seed, arm, start, trajectory, prior, methods, plant, loop, bool(hidden), warnings)


_MIN_DEPTH = 1e-6  # [m] less is on the surface


def check_start(world: World, arm: Arm, q: np.ndarray, refuse: bool = True) -> list[str]:
    """One sentence on obstacles in which the tool point or, with ``contact.bodies: arm``, a link starts."""
    whole = world.contact.bodies == "arm"
    depth, link = depths_at_start(arm, q, build_obstacles(world), whole)
    solids, unknown = all_solids(world), len(world.obstacles)
    told = []
    for j in np.flatnonzero(depth > _MIN_DEPTH):
        number, known = (j, "") if j < unknown else (j - unknown, "known ")
        who = f"link {link[j]}" if whole else "the tool"
        kind = type(solids[j]).__name__.lower()
        where = f"{1e3 * depth[j]:.3g} mm inside {known}obstacle {number} ({kind})"
        if known and refuse:
            allowed = "a pose that touches no known obstacle"
            raise BadInput(f"{who} starts {where}", where="start.joints", allowed=allowed)
        told.append(f"{who} {where}")
    return [f"the arm starts in contact: {', '.join(told)}"] if told else []


def check_world(world: object) -> World:
    """The world of a run."""
    if not isinstance(world, World):
        raise BadInput("no world", found=world, allowed="one from load_world")
    return world


def check_run(felt: object) -> Run:
    """The earlier run of a simulation."""
    if not isinstance(felt, Run):
        raise BadInput("no run", where="felt", found=felt, allowed="a run, as from load_run(FOLDER)")
    return felt


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
