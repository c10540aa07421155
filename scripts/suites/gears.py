"""What the suites of gears that give before they slip draw and measure."""

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from dynamics.files import write_arm
from hopfield_nav.experiment import Simulation
from hopfield_nav.extensions.self_model import learnt_arm
from hopfield_nav.loop import joined, quintic_trajectory
from hopfield_nav.plugin import Measures
from hopfield_nav.world.pushes import PushSection

LENGTH = 120.0  # [s] of free motion
STROKE, LEG = 0.3, (0.4, 1.6)  # [rad] of a joint at most, [s] of a leg
SPARE = 2.0  # rad about the start that the joints keep within
RISE, MOST = 20.0, 60.0  # [N/s], [N] of the push on the tool
QUIET = 1.0  # [s] before it, in which an alarm is a false one
PUSHED = QUIET + MOST / RISE
SPEED = 0.05  # [rad/s] of all joints in a straight motion
DITHER, RATE = 2e-4, 30.0  # [rad], [1/s]


def noted(simulation, note):
    """A simulation whose summary also holds what is noted of it in the end."""
    simulation.on_record = lambda run: run.summary.update(note(run))
    return simulation


def _measures(**columns):
    return Measures(lambda run: {name: run.summary.get(name) for name in columns}, columns)


def placed(world, seed):
    """A run, and of its first alarm on each contact the error of the place and the delay."""
    simulation, places = Simulation(world, seed), []
    simulation.on_touch = lambda _: places.append(simulation.navigator.touched.place)
    return noted(simulation, lambda run: _placed(run, simulation.detections, places))


def _placed(run, detections, places):
    time, tool = run.data.time.values, run.data.tool_position.values
    errors, delays, answered = [], [], set()
    for found, place in zip(detections, places, strict=True):
        if np.isnan(found.touch_time) or found.touch_time in answered:
            continue
        answered.add(found.touch_time)
        delays.append(found.time - found.touch_time)
        true = tool[min(int(np.searchsorted(time, found.touch_time - 1e-9)), len(time) - 1)]
        errors.append(float(np.linalg.norm(place - true)))
    lists = {"places_mm": errors, "delays_ms": delays}
    return {
        name: " ".join(f"{1e3 * value:.6g}" for value in values) for name, values in lists.items()
    }


PLACED = placed
PLACES = _measures(places_mm="", delays_ms="")


def free(world, seed):
    """Random strokes to and fro; the model is off to a side of its own for every joint.

    Masses by 10 and friction by 20 %; the stiffness by the factor of the condition. An arm that
    learns does so in a short run before, and has its arm file then.
    """
    sides = np.random.default_rng([seed, 38]).choice([-1.0, 1.0], (3, 6))
    error = world.controller.model_error
    scales = 1.0 + 0.1 * sides[0], 1.0 + 0.2 * sides[1], float(error.presliding_scale) ** sides[2]
    names = ("mass_scale", "friction_scale", "presliding_scale")
    error = error.model_copy(update={n: s.tolist() for n, s in zip(names, scales, strict=True)})
    world = world.with_changes(
        controller=world.controller.model_copy(update={"model_error": error})
    )
    trajectory, turns = to_and_fro(world, seed)
    with TemporaryDirectory() as folder:
        if world.controller.learn:
            world = with_learnt(world, seed, Path(folder) / "learnt.yaml")
        simulation = Simulation(world, seed, trajectory)
    return noted(simulation, lambda run: {"turns": turns})


def with_learnt(world, seed, file):
    """The world with the model that its arm has learnt in a run to its goal; of motors it learns nothing."""
    write_arm(learnt_arm(Simulation(world, seed).run()), file, "learnt", "a run")
    controller = world.controller
    motors = {"motor_constant_scale": controller.model_error.motor_constant_scale}
    error = type(controller.model_error).model_validate(motors)
    return world.with_changes(
        controller=controller.model_copy(
            update={"model": str(file), "model_error": error, "learn": False}
        )
    )


def to_and_fro(world, seed):
    """A motion of all joints by random strokes, and how often a joint turns round in it.

    The arm stops at every other point; each joint turns round at about every second one.
    """
    rng = np.random.default_rng([seed, 39])
    times = rng.uniform(*LEG, round(LENGTH / np.mean(LEG)))
    points = np.array(world.start.joints) + np.cumsum(
        rng.uniform(-STROKE, STROKE, (len(times) + 1, 6)), axis=0
    )
    middle = points.mean(axis=0)
    points = middle + SPARE * np.sin((points - middle) / SPARE)
    turns = int((np.diff(np.sign(np.diff(points, axis=0)), axis=0) != 0).sum())
    rest = np.arange(len(times)) % 2 == 1
    rest[-1] = True
    return quintic_trajectory(points, times, rest=rest), turns


FREE = free
TURNS = _measures(turns="1")


def standing(q):
    """All joints rest."""
    return quintic_trajectory(q[None], PUSHED)


def moving(q):
    """All joints move straight on."""
    return quintic_trajectory(np.array([q, q + SPEED * PUSHED]), PUSHED)


def dithering(q):
    """All joints tremble about where they stand."""
    signs = np.where(np.arange(round(2 * RATE * PUSHED)) % 2, -1.0, 1.0)
    points = q + DITHER * np.concatenate([[0.0], signs])[:, None] * np.where(
        np.arange(6) % 2, -1.0, 1.0
    )
    return joined([quintic_trajectory(points, 0.5 / RATE, rest=np.ones(len(signs), dtype=bool))])


def pushed(world, seed, motion):
    """A push on the tool that grows, and the force at which it is felt; ``early``: an alarm before it."""
    rng = np.random.default_rng([seed, 40])
    q = np.array(world.start.joints) + rng.uniform(-0.4, 0.4, 6)
    direction = rng.normal(size=3)
    force = MOST * direction / np.linalg.norm(direction)
    push = {"link": 6, "times": [QUIET, PUSHED], "force": [[0, 0, 0], force.tolist()]}
    simulation = Simulation(
        world.with_changes(pushes=(PushSection.model_validate(push),)), seed, motion(q)
    )
    return noted(
        simulation, lambda run: _felt(np.array([found.time for found in simulation.detections]))
    )


def _felt(times):
    felt = times[times > QUIET]
    return {
        "felt_N": RISE * (felt[0] - QUIET) if felt.size else None,
        "early": int((times <= QUIET).any()),
    }


STANDING, MOVING, DITHERING = (
    partial(pushed, motion=motion) for motion in (standing, moving, dithering)
)
FELT = _measures(felt_N="N", early="1")
