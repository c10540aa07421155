"""Random motions of the whole arm in random scenes: which are worth a run, and how true is what is felt."""

import json
import math
from functools import lru_cache, partial
from time import process_time

import numpy as np

from dynamics import BadInput, forward_kinematics, load_arm
from hopfield_nav.build import build_obstacles
from hopfield_nav.experiment import Simulation
from hopfield_nav.extensions.clearance import build_scene, collides, motion_is_free
from hopfield_nav.geometry import half_space, pack_primitives
from hopfield_nav.loop import evaluate
from hopfield_nav.plugin import Measures
from hopfield_nav.record import contact_delays
from hopfield_nav.world import parse_world

FAMILIES = ("solids", "shelf", "box", "pipes")
FLOOR = -0.03  # [m]
LOW, HIGH = (-3.0, -2.6, -2.4, -3.0, -2.5, -1.0), (3.0, -0.5, 2.4, 1.0, 2.5, 1.0)  # [rad]
FARTHEST, LEAST_WAY = 3.0, 0.4  # [rad] that a joint turns at most, [m] that the tool goes at least
REACH, HEIGHT = (0.35, 0.8), (0.05, 0.7)  # [m] of a goal that is reached into
INTO = 0.4  # cosine between the tool's axis and the way into a shelf or a box, at least
SLICE = 0.05  # [s] between two looks at the joints
NONE = 9.0  # [m] error of a touch that was located nowhere
COLUMNS = {
    "motions": "1", "path_rad": "rad", "bound_rad": "rad", "spent_s": "s", "processor_time_s": "s",
    "replans_s": "", "places": "", "weighed": "", "delays_ms": "",
}  # fmt: skip
MEASURES = Measures(lambda run: {name: run.summary.get(name) for name in COLUMNS}, COLUMNS)
ARM = load_arm("ur5_ragazzon2012")


def scene(world, seed, family):
    """The run of a seed's motion, watched; a row that does not count where no run is worth it."""
    found = worth_running(family, seed)
    return NOT_RUN if found is None else Watched(moved(world, found[0]), seed, found[1])


NOT_RUN = {"outcome": "not run", "reason": "no scene, no way, or none that touches", "counts": 0}


def moved(world, text):
    """A world with motion and obstacles of a world file's text."""
    drawn = parse_world(text)
    return world.with_changes(start=drawn.start, goal=drawn.goal, obstacles=drawn.obstacles)


SOLIDS, SHELF, BOX, PIPES = (partial(scene, family=family) for family in FAMILIES)


def draw_text(family, seed):
    """World file of one random motion in one random scene."""
    generator = np.random.default_rng([FAMILIES.index(family), seed])
    return world_text(family, seed, *draw_motion(generator, family in ("shelf", "box")))


def world_text(family, seed, start, goal):
    """World file of a motion in the random scene of a seed."""
    obstacles = f"{{random_scene: {{family: {family}, seed: {seed}}}}}"
    return (
        f"format: 1\nmap: {{space: joints}}\nknown: [{{floor: {{height: {FLOOR}}}}}]\n"
        f"obstacles: [{obstacles}]\n"
        f"start: {{joints: {start}}}\ngoal: {{joints: {goal}}}\ntime_limit: 2000\nrecord: {{signals: none}}\n"
    )


def draw_motion(generator, into):
    """Start and goal free of floor and arm, the goal where one may reach into something if it shall be."""
    floor = build_scene(ARM, pack_primitives([half_space((0.0, 0.0, FLOOR))]))
    while True:
        q = np.round(generator.uniform(LOW, HIGH, (2, 6)), 4)
        tools = forward_kinematics(ARM, q)
        way = np.linalg.norm(tools[1, :3, 3] - tools[0, :3, 3])
        if (
            np.abs(q[1] - q[0]).max() > FARTHEST
            or way < LEAST_WAY
            or (into and not is_into(tools[1]))
        ):
            continue
        if not collides(ARM, floor, q).any():
            return q[0].tolist(), q[1].tolist()


def is_into(tool):
    """Whether the tool points away from the base, or down, at a place where a shelf may be."""
    x, y, z = tool[:3, 3]
    far = float(np.hypot(x, y))
    into = np.array([x / far, y / far, -0.5])
    there = REACH[0] <= far <= REACH[1] and HEIGHT[0] <= z <= HEIGHT[1]
    return there and float(tool[:3, 2] @ into) >= INTO * float(np.linalg.norm(into))


@lru_cache(maxsize=1024)
def worth_running(family, seed):
    """World file of a seed, and the joint path of the omniscient strategy, step by step [rad].

    None where there is no scene, no way, or the first path of the optimist touches nothing.
    """
    text = draw_text(family, seed)
    try:
        knowing = Simulation(
            parse_world(text + "planner: {strategy: omniscient, any_angle: false}\n")
        )
        hoping = Simulation(parse_world(text + "planner: {strategy: optimist, any_angle: false}\n"))
    except BadInput:
        return None
    known, hoped = knowing.first_motion.trajectory, hoping.first_motion.trajectory
    if known is None or hoped is None:
        return None
    rows, solids = waypoints(hoped), build_scene(hoping.arm, build_obstacles(hoping.world))
    if motion_is_free(hoping.arm, solids, rows[:-1], rows[1:]).all():
        return None
    return text, float(np.linalg.norm(np.diff(waypoints(known), axis=0), axis=1).sum())


def waypoints(trajectory):
    """(k + 1, n) joint angles [rad] at the knots."""
    return np.vstack(
        [trajectory.coefficients[:, 0], evaluate(trajectory, float(trajectory.knots[-1]))[0]]
    )


class Watched:
    """A simulation, and what stands between it and its navigator.

    ``places``: of every touch that was looked at, the distance from the true point of the likeliest
    place, of the best of two and of three [m], whether its link is right, and its weight.
    ``replans_s``: processor time of every touch, from the alarm to the next path. ``weighed``: of
    every place its weight and its distance from the true point [m]. ``delays_ms``: of the first
    alarm on every contact, from its true beginning. ``spent_s`` is processor time of the run,
    ``processor_time_s`` that of all, its beginning included. With ``most`` it is given up after so
    many touches.
    """

    def __init__(self, world, seed, bound, most=math.inf):
        self.began, self.most = process_time(), most
        self.simulation = simulation = Simulation(world, seed)
        self.world, self.bound, self.motions, self.spent = simulation.world, bound, 1, 0.0
        self.replans, self.places, self.weighed, self.truth = [], [], [], None
        navigator = simulation.navigator
        self._on_detection, self._localize = navigator.on_detection, navigator.localize
        self._replan = navigator.replan
        navigator.on_detection, navigator.localize = self.on_detection, self.localize
        navigator.replan = self.replanned

    @property
    def outcome(self):
        """As the simulation's."""
        return self.simulation.outcome

    @property
    def time(self):
        """As the simulation's."""
        return self.simulation.time

    def step(self, duration):
        """As the simulation's."""
        return self.simulation.step(duration)

    def run(self, progress, goes_on):
        """To the end, in slices of the joint path."""
        simulation, path, before = self.simulation, 0.0, self.simulation.state.q.copy()
        started = process_time()
        while simulation.outcome is None and goes_on(simulation.time, len(simulation.detections)):
            if len(simulation.detections) >= self.most:
                break
            simulation.step(SLICE)
            path += float(np.linalg.norm(simulation.state.q - before))
            before[:] = simulation.state.q
        spent, run = process_time() - started, simulation.record()
        run.summary.update(
            motions=self.motions, path_rad=path, bound_rad=self.bound, spent_s=spent,
            processor_time_s=process_time() - self.began,
            replans_s=json.dumps([round(t, 6) for t in self.replans]), places=json.dumps(self.places),
            weighed=json.dumps(self.weighed), delays_ms=" ".join(f"{t:.4g}" for t in self._delays()),
        )  # fmt: skip
        return run

    def _delays(self):
        alarms = np.array([(d.time, d.touch_time) for d in self.simulation.detections]).reshape(
            -1, 2
        )
        delays = contact_delays(*alarms.T)
        return 1e3 * delays[np.isfinite(delays)]

    def _timed(self, call, *given):
        started = process_time()
        result = call(*given)
        self.spent += process_time() - started
        return result

    def on_detection(self, detection):
        """The truth at the alarm."""
        touch = self.simulation.state.truth.touch
        touching = float(np.linalg.norm(touch.force)) > 0.0
        self.truth = (touch.point.copy(), touch.now.link) if touching else None
        self.motions += 1
        return self._timed(self._on_detection, detection)

    def localize(self, trace):
        """What was felt beside what was true."""
        places = self._timed(self._localize, trace)
        if self.truth is not None:
            point, link = self.truth
            error = [*np.linalg.norm(places.points - point, axis=1), NONE]
            pairs = zip(places.weights, error, strict=False)
            self.weighed += [[round(float(w), 6), round(float(e), 6)] for w, e in pairs]
            right, weight = (
                (float(places.links[0] == link), float(places.weights[0]))
                if len(error) > 1
                else (0.0, 0.0)
            )
            found = [error[0], min(error[:2]), min(error[:3]), right, weight]
            self.places.append([round(float(v), 6) for v in found])
        return places

    def replanned(self, *given):
        """One touch is over."""
        motion = self._timed(self._replan, *given)
        self.replans.append(self.spent)
        self.spent = 0.0
        self.motions += 1
        return motion


class Told(Watched):
    """A simulation whose navigator believes what ``told`` makes of the places of a touch."""

    def told(self, places):
        """What is believed of places, if the truth is known at all."""
        raise NotImplementedError

    def localize(self, trace):
        """As the navigator's."""
        believed = self.simulation.navigator.map.collisions
        add = believed.add

        def add_told(places, q):
            add(places if self.truth is None else self.told(places), q)

        believed.add = add_told
        try:
            return super().localize(trace)
        finally:
            believed.add = add
