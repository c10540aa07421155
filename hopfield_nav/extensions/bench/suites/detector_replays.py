"""A motion that nothing answers, simulated once and watched by one method after the other, for the suite ``detectors``.

What a method sees of it does not depend on what the methods before it felt, so a replay gives the
same level, estimate and alarms, to the bit, as a simulation with that method.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dynamics import Arm
from hopfield_nav.build import build_model, find_methods
from hopfield_nav.experiment import Simulation
from hopfield_nav.extensions.recordings import (
    Replay,
    Signals,
    replay,
    signals_of_run,
    values_of_world,
)
from hopfield_nav.loop import CONTACT_MEMORY, Trajectory
from hopfield_nav.record import Run, contact_spans
from hopfield_nav.world import DetectionSection, World

DEAF = DetectionSection.model_validate({"estimator": "none", "measure": "energy"})
OF_MOTION = ("outcome", "reason", "simulated_time_s", "contact_count", "peak_contact_force_N")


class Motion(NamedTuple):
    """A simulated motion, what was sensed in it, and what the control computer believes of the arm."""

    run: Run
    signals: Signals
    model: Arm


_LAST: dict[tuple[str, int], tuple[Trajectory, Motion]] = {}  # by the world and the seed


def simulate(
    world: World, seed: int, trajectory: Trajectory, goes_on: Callable | None = None
) -> Motion:
    """The motion in a world, whatever its detection; the last one is kept."""
    deaf = world.with_changes(detection=DEAF)
    key = deaf.model_dump_json(), seed
    kept = _LAST.get(key)
    if kept is not None and kept[0] is trajectory:
        return kept[1]
    _LAST.clear()
    simulation = Simulation(deaf, seed, trajectory)
    run = simulation.run(None, goes_on)
    # each signal by itself: faster to go through
    run = Run.of_data(run.world, run.summary, run.data.copy(deep=True))
    motion = Motion(run, signals_of_run(run), build_model(simulation.world, simulation.arm))
    _LAST[key] = trajectory, motion
    return motion


@dataclass
class Onlooker:
    """The methods of a world, which watch a motion; it runs as a simulation does."""

    world: World
    seed: int
    trajectory: Trajectory
    outcome: str | None = None

    def step(self, duration: float) -> str | None:
        """Go on to the end."""
        return self.run().outcome

    def run(self, progress: object = None, while_: Callable | None = None) -> Run:
        """The record of the motion with what the methods believe in it."""
        motion, rule = (
            simulate(self.world, self.seed, self.trajectory, while_),
            self.world.detection,
        )
        methods = find_methods(self.world)[1:]
        values = values_of_world(self.world, methods)
        believed = replay(
            motion.model, motion.signals, *methods, values, rule.armed_below, rule.episodes
        )
        self.outcome = motion.run.outcome
        return _record(motion.run, self.world, believed)


def _record(motion: Run, world: World, believed: Replay) -> Run:
    """The record of a motion with the level, estimate and alarms of other methods."""
    alarms = believed.time[believed.detected]
    # when the contact of each began, where there was one in the 50 ms before
    touched = np.full(len(alarms), np.nan)
    for start, end in contact_spans(
        motion.data.time.values, motion.data.contact_force.values.any(axis=1)
    ):
        touched[(alarms >= start) & (alarms <= end + CONTACT_MEMORY)] = start
    told = {str(name): values.variable for name, values in believed.dataset().data_vars.items()}
    events = {"event_time": ("event", alarms), "touch_time": ("event", touched)}
    data = motion.data.drop_dims("event").assign(told | events)
    false_alarms = {"false_alarm_count": int(np.isnan(touched).sum())}
    return Run.of_data(world, {key: motion.summary[key] for key in OF_MOTION} | false_alarms, data)
