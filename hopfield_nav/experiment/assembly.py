"""What a simulation is made of.

The one place in which a world becomes navigator, engine, controller, state, phases. Behind it stand
the parts that the compiled loop reads, each in its file: plant, control computer, settings.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from dynamics import Arm, BadInput, forward_kinematics
from hopfield_nav import loop as loops
from hopfield_nav.build import Methods, build_arm, find_methods
from hopfield_nav.control import Controller, ControlState, hold_at_start
from hopfield_nav.experiment.control_computer import build_controller, shares_of_segments
from hopfield_nav.experiment.given import check_seed, check_start
from hopfield_nav.experiment.limits import find_warnings, warn_of_hidden_force
from hopfield_nav.experiment.loop_settings import STAGES, build_settings
from hopfield_nav.experiment.phase import Phase
from hopfield_nav.experiment.plant import build_plant
from hopfield_nav.experiment.reaction_phase import ReactionPhase
from hopfield_nav.navigation import Follower, Navigator, PriorMap, check_trajectory, space_of
from hopfield_nav.plugin import limits_of, provided
from hopfield_nav.record import Run, load_prior
from hopfield_nav.world import World, further_columns


class AtStart(NamedTuple):
    """What a simulation changes on its way, as it is at the start."""

    navigator: Navigator  # map, path and trajectory
    controller: Controller  # the control computer
    settings: loops.Settings  # of the loop
    state: loops.State  # of arm and control computer
    rows: loops.Rows  # what is recorded
    phases: tuple[Phase, ...]  # between an alarm and the new path: the first that takes a motion


class Parts(NamedTuple):
    """What a simulation is made of, the same however often it is begun anew."""

    world: World  # resolved: what is random in it is drawn
    seed: int  # of every random number
    arm: Arm  # kinematics of the controller
    start: np.ndarray  # (n,) joint angles [rad]
    followed: loops.Trajectory | None  # a trajectory in the place of a goal, if there is one
    prior: PriorMap | None  # what an earlier run felt, if there was one
    methods: Methods  # that the world names
    plant: loops.Plant  # what moves
    loop: loops.Engine  # what advances it
    hides_force: bool  # whether friction hides the force with which the arm should slide
    # sentences on settings that cannot go well, and on obstacles that the arm starts in
    warnings: list[str]

    @property
    def duration(self) -> float:
        """Simulated time at which a run ends at the latest [s]."""
        end = math.inf if self.followed is None else float(self.followed.knots[-1])
        return min(self.world.time_limit, end)

    def begin(self) -> AtStart:
        """All at the start: nothing felt, nothing recorded."""
        world = self.world
        arm = self.arm
        navigator = self._navigator()
        controller = build_controller(world, arm, self.methods)
        if self.followed is not None and world.detection.by_segment is not None:
            shares = shares_of_segments(self.followed, world.detection.by_segment)
            controller = controller._replace(shares=shares)
        settings = build_settings(world, navigator.goal)
        state = loops.make_state(self.start, settings.delay, self.seed)
        loops.read_at_rest(self.plant.wrist, self.plant.arm, self.start, state.wrist)
        if self.followed is not None:
            state.qd[:] = self.followed.coefficients[0, 1]
        hold_at_start(state.control, controller, self.start)
        rows = loops.Rows(
            len(self.start),
            0 if world.record.signals == "none" else loops.FIRST_ROWS,
            further_columns(world),
        )
        phases: tuple[Phase, ...] = (ReactionPhase(world, arm, controller),)
        of_response = navigator.phase(world, arm, controller)
        if of_response is not None:
            phases = (of_response, *phases)
        return AtStart(navigator, controller, settings, state, rows, phases)

    def learner(self, controller: Controller, computer: ControlState) -> Any:
        """What learns (``controller.learn``), or None.

        Where a trajectory is given it makes no motion of its own.

        Raises ``BadInput``: its extension is not there.
        """
        section = self.world.controller.learn
        wiggles = self.followed is None
        if section is False:
            return None
        return provided("controller.learn")(
            self.world, section, self.arm, controller, computer, wiggles=wiggles
        )

    def _navigator(self) -> Navigator:
        """What answers a touch; it follows a trajectory that is given in the place of a goal."""
        if self.followed is not None:
            return Follower(self.world, self.arm, self.followed)
        navigator = space_of(self.world).navigator(
            self.world, self.arm, self.start, self.hides_force
        )
        if self.prior is not None:
            navigator.load_prior(self.prior)
        return navigator


def assemble(
    world: World, seed: int | None, trajectory: loops.Trajectory | None, felt: Run | None
) -> Parts:
    """The parts of a simulation; arguments and errors as ``Simulation``."""
    if not isinstance(world, World):
        raise BadInput("no world", found=world, allowed="one from load_world")
    if not (felt is None or isinstance(felt, Run)):
        raise BadInput(
            "no run", where="felt", found=felt, allowed="a run, as from load_run(FOLDER)"
        )
    seed = world.seed if seed is None else check_seed(seed)
    arm = build_arm(world)
    if trajectory is not None:
        check_trajectory(arm, trajectory)
    start = np.array(world.start.joints) if trajectory is None else trajectory.coefficients[0, 0]
    tool = forward_kinematics(arm, start)[:3, 3]
    world = world.resolve(seed, [(float(tool[0]), float(tool[1]))])
    prior = None if felt is None else load_prior(felt, world)
    plant = build_plant(world, arm)
    loop = choose_engine(world, plant, start)
    hidden = warn_of_hidden_force(world, plant.arm, start)
    warnings = [*find_warnings(world, plant.arm), *hidden]
    if prior is not None and prior.differs:
        warnings.append(
            f"what the earlier run felt proves nothing here: its {' and '.join(prior.differs)} differed"
        )
    warnings += check_start(world, arm, start, refuse=trajectory is None)
    space_of(world).prepare(world)
    methods = find_methods(world)
    return Parts(
        world, seed, arm, start, trajectory, prior, methods, plant, loop, bool(hidden), warnings
    )


def choose_engine(world: World, plant: loops.Plant, start: np.ndarray) -> loops.Engine:
    """What advances the state: the compiled loop, or the engine that ``plant.engine`` names.

    Raises ``BadInput``: its extension is not there, or as the engine; or the step is so large that
    joint damping, contact or the damping of the law would make the arm explode at the start.
    """
    method = world.trust.find("engine", world.plant.engine, world.folder)
    engine: loops.Engine = method.kernel(world, plant, start)
    damping = limits_of(find_methods(world).law, world.controller.parameters).damping
    gain = np.zeros(len(start)) + np.asarray(damping, dtype=np.float64)
    held_for = world.controller.period if world.controller.hold else 0.0
    engine.check(plant, start, world.plant.step, STAGES[world.plant.integrator], gain, held_for)
    return engine
