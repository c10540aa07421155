"""MotionBenchMaker's UR5 problems, of which the arm is told start and goal alone."""

import json
from functools import partial
from time import process_time

import numpy as np

from hopfield_nav.build import build_arm, build_obstacles
from hopfield_nav.experiment import Simulation
from hopfield_nav.extensions.bench.problems import find_problem
from hopfield_nav.extensions.clearance import build_scene, explain, in_names
from hopfield_nav.plugin import Measures
from hopfield_nav.world import parse_world

FAMILIES = (
    "bookshelf_small", "bookshelf_tall", "bookshelf_thin", "box", "cage", "table_pick", "table_under_pick",
)  # fmt: skip


class Timed(Simulation):
    """A simulation, and the processor time of it and its planning [s]."""

    def __init__(self, world, seed):
        self.began = process_time()
        super().__init__(world, seed)

    def run(self, *given):
        """As the simulation's."""
        run = super().run(*given)
        run.summary["processor_time_s"] = process_time() - self.began
        return run


def problem(world, seed, family):
    """The run of a problem; a row that does not count where start or goal touches something."""
    given = find_problem(family, seed)
    told = {
        "start": {"joints": given.start},
        "goal": {"joints": given.goal},
        "obstacles": given.obstacles,
    }
    asked = parse_world(json.dumps({"format": 1, "map": {"space": "joints"}, **told}))
    world = world.with_changes(start=asked.start, goal=asked.goal, obstacles=asked.obstacles)
    scene = build_scene(build_arm(world), build_obstacles(world))
    names = [entry["name"] for entry in given.obstacles]
    for end, q in (("start", given.start), ("goal", given.goal)):
        touched = in_names(explain(build_arm(world), scene, np.array(q)), names)
        if touched != "free":
            return {"outcome": "not run", "reason": f"{end}: {touched}", "counts": 0}
    return Timed(world, seed)


for _name in FAMILIES:
    globals()[_name.upper()] = partial(problem, family=_name)
    globals()[_name.upper()].ready = partial(find_problem, _name, 1)


def measure(run):
    """Processor time [s], and the joints' way by the norm of its steps [rad]."""
    way = None
    if "processor_time_s" in run.summary:
        way = float(np.linalg.norm(np.diff(run.data.q.values, axis=0), axis=1).sum())
    return {"processor_time_s": run.summary.get("processor_time_s"), "path_rad": way}


MEASURES = Measures(measure, {"processor_time_s": "s", "path_rad": "rad"})
