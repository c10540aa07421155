"""Contacts and free motion, felt and not answered, for the suite ``detectors``.

``tool``: the tool moves at 5 cm/s into the side of a cylinder. ``arm``: a link runs into a sphere,
well on in a motion; ``early``: in its first tenth, after a rest. ``free``: starts and stops, with
nothing in the way. A threshold that stands at the lowest that its detector takes is chosen by free
motion on other seeds. A motion is simulated once: every method watches its record.
"""

from dataclasses import dataclass, field
from functools import lru_cache, partial

import numpy as np

from dynamics import Arm, load_arm
from hopfield_nav.build import build_arm, find_methods
from hopfield_nav.experiment import Simulation
from hopfield_nav.extensions.bench.suites.detector_motions import (
    Trial,
    arm_collision,
    cut,
    starts_and_stops,
    tool_push,
)
from hopfield_nav.extensions.bench.suites.detector_replays import DEAF, Onlooker, simulate
from hopfield_nav.extensions.recordings import (
    Replay,
    Signals,
    Watched,
    choose_threshold,
    declared_threshold,
    replay,
    values_of_world,
)
from hopfield_nav.loop import Trajectory
from hopfield_nav.plugin import Measures
from hopfield_nav.record import score_run, worth_feeling
from hopfield_nav.world import DetectionSection, Obstacle, World

KINDS = ("tool", "arm", "early", "free")
LINKS = (2, 3, 4, 5, 6)  # link 1 turns about its own axis: it runs into nothing
PIECE = 108.0  # [s] of free motion with the same errors of the model: 334 pieces are ten hours
CHOOSING_SEED, CHOOSING_PIECES, CHOOSING_PIECE = 10**6, 9, 24.0  # of free motion that chooses, [s]
# level of free motion at the thresholds; ``tune`` takes 1 / 1.1
QUIET, SPARE = (1 / 1.25, 1.25 / 1.1)
FLOORS = {  # least thresholds by their unit, whatever an ideal simulation would allow
    "N·m": [0.2, 0.2, 0.2, 0.05, 0.05, 0.05], "N": 2.0, "N and N·m": 2.0, "W": 0.02,
}  # fmt: skip
# what it bounds, floor
TRACKING = {"position_threshold": ("q", 2e-5), "speed_threshold": ("qd", 2e-3)}
# of the thresholds, for the curves of alarms against contacts
SCALES = np.geomspace(0.05, 20.0, 27)
IN_TIME, STANDING = 0.03, 0.05  # [s] to be felt in; before a touch
WORTH_FORCE = 30.0  # [N] of a tool contact that must not be missed
WORTH_TORQUE = np.array([3.0, 3.0, 3.0, 0.6, 0.6, 0.6])  # [N·m] of any contact
COLUMNS = {
    "felt": "1", "missed": "1", "delay_s": "s", "force_before_reaction_N": "N", "largest_level": "1",
    "level_before": "1", "level_in_time": "1", "alarms_by_scale": "", "threshold": "",
}  # fmt: skip


def begin(world: World, seed: int, kind: str) -> Onlooker | Simulation:
    """The trial of a seed; it is simulated with methods whose rule of alarms only the loop has."""
    given, found = wrong(chosen(world), seed, trial(kind, str(world.arm), seed))
    rule = given.detection
    if rule.episodes or rule.hold_off or rule.lag:
        return Simulation(given, seed, found)
    return Onlooker(given, seed, found)


def wrong(world: World, seed: int, trial: Trial) -> tuple[World, Trajectory]:
    """The world of a trial, its model wrong by a draw of the seed, and the motion; nothing is done about a touch."""
    error, rng = world.controller.model_error, np.random.default_rng([seed, 77])
    scales = {
        name: _either_way(getattr(error, name), rng) for name in ("mass_scale", "friction_scale")
    }
    error = error.model_copy(update=scales)
    changed = world.with_changes(
        time_limit=float(trial.trajectory.knots[-1]) + 1.0,
        controller=world.controller.model_copy(update={"model_error": error}),
        obstacles=() if trial.obstacle is None else (Obstacle.model_validate(trial.obstacle),),
        record=world.record.model_copy(update={"every": 1}),
    )
    return changed, trial.trajectory


def _either_way(scale, rng: np.random.Generator):
    """A scale of the model's, to a side of its own for every joint; none stays none."""
    return scale if scale == 1.0 else (1.0 + (scale - 1.0) * rng.choice([-1.0, 1.0], 6)).tolist()


_KEPT: dict[str, DetectionSection] = {}  # thresholds that free motion has chosen, by the world
_MOTIONS: dict[str, list[tuple[Arm, Signals]]] = {}  # free motion of one condition, by the world


TOOL, ARM, EARLY_ARM, FREE = (partial(begin, kind=kind) for kind in KINDS)


@dataclass(frozen=True)
class Drawn(Watched):
    """Methods that watch pieces of free motion, each with what its own model believes (by ``id``)."""

    models: dict[int, Arm] = field(default_factory=dict)

    def watch(self, free: Signals, threshold: np.ndarray) -> Replay:
        """The piece by its model."""
        values = {**self.values, "threshold": self.taken(threshold).tolist()}
        return replay(
            self.models[id(free)], free, self.estimator, self.detector, values, self.rearm
        )


def chosen(world: World) -> World:
    """The world with the thresholds that are left to free motion."""
    detector, given = find_methods(world)[2], world.detection.parameters
    left = [p for p in detector.parameters if p.name in ("threshold", *TRACKING)]
    if not left or any(np.max(given[p.name]) > p.low for p in left):
        return world
    anywhere = world.contact.model_copy(update={"bodies": "tool"})
    return world.with_changes(detection=_chosen(world.with_changes(contact=anywhere, seed=0)))


def _chosen(world: World) -> DetectionSection:
    """A world's detection by free motion, once a process."""
    key = world.model_dump_json()
    if key not in _KEPT:
        methods, motions = find_methods(world)[1:], _quiet(world)
        threshold = declared_threshold(methods[1])
        update = {name: _tracked(name, motions) for name in TRACKING}
        if threshold is not None:
            values = {k: v for k, v in values_of_world(world, methods).items() if k != "threshold"}
            models = {id(signals): model for model, signals in motions}
            drawn = Drawn(
                build_arm(world), *methods, values, world.detection.armed_below, models=models
            )
            found = _least(drawn, [signals for _, signals in motions])
            floored = np.maximum(found, FLOORS.get(threshold.unit, 0.0))
            update = {
                "threshold": floored.tolist() if threshold.per_joint else float(np.max(floored))
            }
        _KEPT[key] = world.detection.model_copy(update=update)
    return _KEPT[key]


def _least(watched: Watched, free: list[Signals]) -> np.ndarray:
    """The least threshold, to a fiftieth of what ``tune`` chooses, that free motion stays a fifth below."""
    found = SPARE * choose_threshold(watched, free, 1.0).threshold

    def level(share: float) -> float:
        return max(float(watched.watch(signals, share * found).level.max()) for signals in free)

    low, high = (1.0, 1.0) if level(1.0) > 0.95 * QUIET else (0.0, 1.0)
    while high - low > 0.02:
        middle = (low + high) / 2
        low, high = (low, middle) if level(middle) <= QUIET else (middle, high)
    return high * found


def _quiet(world: World) -> list[tuple[Arm, Signals]]:
    """Free motions under a condition, and what is believed of the arm in each; those of the last are kept."""
    key = world.with_changes(detection=DEAF).model_dump_json()
    if key not in _MOTIONS:
        _MOTIONS.clear()
        pieces = []
        for seed in range(CHOOSING_SEED, CHOOSING_SEED + CHOOSING_PIECES):
            given = wrong(world, seed, trial("free", str(world.arm), seed, CHOOSING_PIECE))
            _, signals, model = simulate(given[0], seed, given[1])
            pieces.append((model, signals))
        _MOTIONS[key] = pieces
    return _MOTIONS[key]


def _tracked(name: str, motions: list[tuple[Arm, Signals]]) -> list[float]:
    """A quarter above the joint error, or its rate, of each joint."""
    signal, floor = TRACKING[name]
    errors = [getattr(s, signal) - getattr(s, f"{signal}_ref") for _, s in motions]
    return np.maximum(
        1.25 * np.max([np.abs(e).max(axis=0) for e in errors], axis=0), floor
    ).tolist()


@lru_cache(4096)
def trial(kind: str, name: str, seed: int, piece: float = PIECE) -> Trial:
    """The motion of a seed; the links run into a sphere in turn."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    if kind == "free":
        return Trial(cut(starts_and_stops(rng, piece), piece))
    if kind == "tool":
        return tool_push(rng)
    return arm_collision(rng, load_arm(name), LINKS[seed % len(LINKS)], kind == "early")


def measure(run) -> dict:
    """What became of a trial's first contact, and of the level."""
    data, score = run.data, score_run(run)
    time, level = data.time.values, data.level.values
    threshold = next(
        (v for k, v in run.world.detection.parameters.items() if k == "threshold"), None
    )
    found = dict.fromkeys(COLUMNS) | {
        "largest_level": float(level.max()),
        "threshold": " ".join(f"{value:.4g}" for value in np.atleast_1d(threshold or [])),
    }
    if not run.world.obstacles:
        return found | {
            "alarms_by_scale": " ".join(str(count_alarms(level, scale)) for scale in SCALES)
        }
    if not score.contacts:
        return found
    contact = score.contacts[0]
    felt = bool(np.isfinite(contact.delay))
    force = WORTH_FORCE if run.world.contact.bodies == "tool" else np.inf
    before = level[(time < contact.start) & (time >= contact.start - STANDING)]
    soon = level[(time >= contact.start) & (time <= contact.start + IN_TIME)]
    return found | {
        "felt": int(felt), "missed": int(not felt and worth_feeling(contact, force, WORTH_TORQUE)),
        "delay_s": contact.delay if felt else None,
        "force_before_reaction_N": contact.force_before_reaction,
        "level_before": float(before.max(initial=0.0)),
        "level_in_time": float(soon.max()),
    }  # fmt: skip


def count_alarms(level: np.ndarray, scale: float, rearm: float = 0.5) -> int:
    """Alarms that a threshold of ``scale`` would have raised, armed again below ``rearm`` of it."""
    # how often it was armed again before each loud row
    quiet = np.cumsum(level < rearm * scale)[level > scale]
    return int(np.count_nonzero(np.diff(quiet, prepend=-1)))


MEASURES = Measures(measure, COLUMNS)
