"""Free motion for the command tune.

Simulated or recorded, one part to choose by and another to judge by.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Self

import numpy as np

from dynamics import Arm, BadInput, load_arm, load_named_arm, require_masses
from hopfield_nav.build import find_methods
from hopfield_nav.cli import count_bar
from hopfield_nav.experiment import follow, imperfections, simulate
from hopfield_nav.extensions.recordings.chosen import (
    model_of_world,
    motors_of,
    read_joints,
    values_of_world,
    without_masses,
)
from hopfield_nav.extensions.recordings.free_motion_runs import RISE, felt_force, free_motion
from hopfield_nav.extensions.recordings.opened import open_log, remarks_on, uses_of
from hopfield_nav.extensions.recordings.signals import Signals, signals_of_recording
from hopfield_nav.extensions.recordings.tuning import (
    ChosenThreshold,
    Watched,
    choose_threshold,
    halves,
    threshold_of,
)
from hopfield_nav.loop import Trajectory
from hopfield_nav.record import SUMMARY, alarm_rate
from hopfield_nav.world import World

PUSHES = 10  # that tell how much force is felt
_DIGITS = 4  # of a threshold


@dataclass(frozen=True)
class Free:
    """Free motion in two parts."""

    choosing: Callable[[World], Iterable[Signals]]  # the motions of each part, for a world
    judging: Callable[[World], Iterable[Signals]]  # the motions of each part, for a world
    # the arm whose motion it is as it is believed to be; None: as the world says
    model: Arm | None = None
    changes: tuple[str, ...] = ()  # of the world, that make its arm the one that was recorded
    along: Trajectory | None = None  # that all motions follow, if there is one
    names: tuple[str, ...] = ()  # of the logs, where there are any; each has two motions
    # what logs are used for, and could not be made so, as rows of a table
    remarks: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Tuned:
    """A world's threshold, what chose it, and what judged it."""

    world: World  # whose methods they are
    watched: Watched  # they, with everything but the threshold
    chosen: ChosenThreshold  # the threshold
    force: float = 0.0  # mean force at which a push is felt with it [N]; 0 where nobody asked
    alarms: int = 0  # in the motion that judged
    seconds: float = 0.0  # in the motion that judged

    @property
    def change(self) -> str:
        """The threshold as a change of the world."""
        return f"detection.threshold={self.chosen.threshold.tolist()!r}"

    @property
    def rate(self) -> tuple[float, float, float]:
        """False alarms an hour, and both ends of the 95 % interval."""
        return alarm_rate(self.alarms, self.seconds)

    def judged(self, free: Free) -> Self:
        """The same after the motion that judges it."""
        alarms, seconds = self.watched.judged(free.judging(self.world), self.chosen.threshold)
        return replace(self, alarms=alarms, seconds=seconds)


def tuned(world: World, free: Free, per_hour: float, force_in: World | None = None) -> Tuned:
    """The threshold of a world's methods for a rate of false alarms; and of a push in another world the force."""
    methods = find_methods(world)[1:]
    threshold_of(methods[1])
    model = model_of_world(world, None) if free.model is None else free.model
    watched = Watched(model, *methods, values_of_world(world, methods), world.detection.armed_below)
    chosen = choose_threshold(watched, list(free.choosing(world)), per_hour)
    chosen = chosen._replace(threshold=rounded(chosen.threshold))
    found = Tuned(world, watched, chosen)
    require_noise(found, free)
    if force_in is None:
        return found
    section = force_in.detection.model_copy(update={"threshold": chosen.threshold.tolist()})
    return replace(found, force=pushed(force_in.with_changes(detection=section), free.along)[0])


def simulated(seeds: int, along: Trajectory | None = None) -> Free:
    """Motions of the world's own arm, the first half of the seeds to choose by.

    ``along`` a trajectory, if given.
    """

    def motions(name: str, seeds: range, world: World) -> Iterable[Signals]:
        with count_bar(name, "free motions") as progress:
            for done, seed in enumerate(seeds, 1):
                yield free_motion(world, seed, along)
                if progress is not None:
                    progress(done, len(seeds))

    early, late = range(seeds // 2), range(seeds // 2, seeds)
    return Free(partial(motions, "chooses", early), partial(motions, "judges", late), along=along)


def recorded(
    world: World, logs: Sequence[Path], constants: str | None, same_motor: Sequence[str] | None
) -> Free:
    """Saved runs or recordings of a real arm, the first half of each to choose by."""
    model = model_of_world(world, None)
    own = load_named_arm(world.arm, world.folder)
    opened = [open_log(log).of(own.joints, len(model.dh)) for log in logs]
    for log in opened:
        log.require_untouched()
    if all(log.simulated for log in opened):
        if constants or same_motor:
            raise BadInput("a simulated run records torques", where="--motor-constants")
        return _given(
            [halves(replace(log, world=log.world or world).signals()) for log in opened], logs
        )
    if any(log.simulated for log in opened):
        raise BadInput(
            "runs and recordings of a real arm", where="--free-run", allowed="one kind of both"
        )
    whole = [log.data for log in opened]
    if any("residual" in data.attrs for data in whole):
        model = without_masses(model)
    else:
        require_masses(model, own.links)
    odd = remarks_on(opened, model)
    early = [data.isel(time=slice(None, data.sizes["time"] // 2)) for data in whole]
    late = [data.isel(time=slice(data.sizes["time"] // 2, None)) for data in whole]
    fitted = [] if constants else early
    model, motors = motors_of(
        model, constants, fitted, read_joints(same_motor), str(logs[0]), "effort" in whole[0]
    )
    motors.require_signs()
    parts = [
        [signals_of_recording(data, motors) for data in both]
        for both in zip(early, late, strict=True)
    ]
    uses = uses_of([(log.path.name, log.data) for log in opened]) + odd
    free = replace(_given(parts, logs), model=model)
    if constants:
        return replace(free, remarks=tuple(uses))
    motors.require_known()
    uses += [("motor constants", motors.words())] if "current" in whole[0] else []
    changes = _friction_of(model, world)
    return replace(free, remarks=(*uses, *[_NO_ROOM] * (not changes)), changes=changes)


def _friction_of(model: Arm, world: World) -> tuple[str, ...]:
    """The friction that was found, as changes of a world.

    None where its plant lacks the rotor that goes with it.
    """
    rotors = load_arm(world.plant.dynamics or world.arm, world.folder).rotor_inertia
    if world.plant.engine != "flexible" and np.any((model.friction[:, 0] > 0.0) & (rotors == 0.0)):
        return ()
    names = ("coulomb", "viscous", "breakaway", "stribeck_speed")
    columns = ", ".join(f"{name}: {model.friction[:, k].tolist()}" for k, name in enumerate(names))
    return f"plant.friction={{{columns}}}", "controller.model_error.friction_scale=1"


def _given(parts: Sequence[Sequence[Signals]], logs: Sequence[Path]) -> Free:
    return Free(
        lambda _: [a for a, _ in parts],
        lambda _: [b for _, b in parts],
        names=tuple(log.stem for log in logs),
    )


_NO_ROOM = (
    "friction",
    "the threshold is for a model that knows it; a simulated arm without rotor inertia has none",
)


def rounded(threshold: np.ndarray) -> np.ndarray:
    """Four digits of each."""
    return np.array([float(f"{v:.{_DIGITS}g}") for v in threshold.ravel()]).reshape(threshold.shape)


def pushed(world: World, along: Trajectory | None = None) -> tuple[float, list[float]]:
    """Push the arm of a world in free motion, in random directions, with a force that rises by 50 N/s.

    Mean force [N] at which a push is felt, or what it had become where it was not; and the forces
    that were felt.
    """
    pushes = [felt_force(world, seed, along) for seed in range(PUSHES)]
    return float(np.mean([force for force, _ in pushes])), [
        force for force, noticed in pushes if noticed
    ]


_RUN_SAYS = (
    "simulated_time_s", "collision_count", "graze_count", "repeated_alarm_count", "false_alarm_count",
    "silent_contact_count", "detection_delay_median_s",
)  # fmt: skip


def costs(before: World, after: World, along: Trajectory | None = None) -> list[tuple[str, str]]:
    """What a threshold costs and buys, beside that of the world as it was.

    Of pushes, and of its own run.
    """
    lines = []
    try:
        lines.append(
            (
                "a push is felt at",
                " → ".join(_pushes(*pushed(world, along)) for world in (before, after)),
            )
        )
    except BadInput as error:  # an arm that finds no goal to move to freely
        lines.append(("a push is felt at", f"not tried: {error}"))
    runs = [
        (follow(world, along) if along else simulate(world)).summary for world in (before, after)
    ]
    lines.append(("the world's own run", " → ".join(str(run["outcome"]) for run in runs)))
    for name in _RUN_SAYS:
        lines.append(
            (SUMMARY[name].label, " → ".join(SUMMARY[name].text(run[name]) for run in runs))
        )
    shares = [run["repeated_alarm_count"] / max(run["collision_count"], 1) for run in runs]
    lines.append(
        ("repeated alarms, of all touches", " → ".join(f"{share:.0%}" for share in shares))
    )
    if runs[1]["collision_count"] > 1.5 * max(runs[0]["collision_count"], 1):
        lines.append(
            (
                "warning",
                "the arm stops far more often than with the threshold of the world as it was",
            )
        )
    return lines


def _pushes(force: float, felt: list[float]) -> str:
    if not felt:
        return f"none, up to {force:.3g} N"
    return f"{force:.3g} N ({force / RISE:.2g} s; least {min(felt):.3g} N, {PUSHES - len(felt)} missed)"


def require_noise(found: Tuned, free: Free) -> None:
    """Refuse a threshold that nothing in the free motion holds up, and say what is so."""
    detector, threshold = found.watched.detector, found.chosen.threshold
    lowest = threshold_of(detector).low
    if float(np.max(threshold)) > 1.001 * lowest:
        return
    timing = ("controller.period_s", "controller.delay_s")
    errors = [name for name in imperfections(found.world) if name not in timing]
    changes = "--set sensors.velocity_noise=0.001, controller.model_error.mass_scale=1.1"
    allowed = f"a world with noise or errors ({changes}), or --free-run LOG of the arm"
    if errors or free.names:
        motions = free.choosing(found.world)
        levels = [found.watched.watch(signals, threshold).level for signals in motions]
        highest = max(float(level.max(initial=0.0)) for level in levels)
        named = ", ".join(errors) or "what was recorded"
        level = "was 0" if highest == 0.0 else f"was {highest:.2g} at most"
        what = f"the level {level} throughout free motion, in spite of {named}: a dead band?"
        allowed = f"larger errors than {detector.name} leaves out, or another detector"
    else:
        what = "free motion shows nothing that a threshold must bear: model and sensors are without error"
    raise BadInput(
        what, where="detection.threshold", found=f"{lowest:g}, its lower bound", allowed=allowed
    )
