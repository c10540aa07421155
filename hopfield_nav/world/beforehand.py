"""What a user should know of a good world before it is run: what it takes, what may not go well."""

import math
import shutil
import tempfile
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from dynamics import BadInput
from hopfield_nav.world.files import is_path
from hopfield_nav.world.world import World

if TYPE_CHECKING:
    from hopfield_nav.loop import Column

_BIG_RECORD = 1e9  # bytes
_MANY_CONNECTIONS = 3e8  # relaxed in about a second
# Detectors that make one number of all joints. Of labelled contacts of a real arm they found
# hardly any, with thresholds at which free motions are quiet.
_ONE_NUMBER_OF_ALL_JOINTS = ("energy", "force_norm", "wrench_norm")


def remarks(world: World) -> list[str]:
    """Sentences on a world that has been checked; none for most worlds."""
    said = [*world.notes, *remarks_on_arms(world)]
    said += _on_defaults_of_an_arm(world)
    said += _on_learning_and_changes(world)
    said += _on_the_detector(world)
    said += _on_the_record(world)
    said += _on_the_neighbourhood(world)
    said += _on_beta(world)
    return said


def remarks_on_arms(world: World) -> list[str]:
    """What is used of each arm that is a file of the user's."""
    from dynamics import load_named_arm

    named = (world.arm, world.plant.dynamics, world.controller.model)
    files = dict.fromkeys(name for name in named if name is not None and is_path(name))
    uses = {name: load_named_arm(name, world.folder).use() for name in files}
    return [f"{name}: {use}" for name, use in uses.items() if use]


def further_columns(world: World) -> "tuple[Column, ...]":
    """Columns of the log that not every world has: of a sensor at the flange, of noisy torques."""
    from hopfield_nav.loop import TORQUE_COLUMNS, WRIST_COLUMNS

    columns: list[Column] = []
    if world.sensors.wrench is not None:
        columns.extend(WRIST_COLUMNS)
    if np.any(np.asarray(world.sensors.torque_noise) > 0.0):
        columns.extend(TORQUE_COLUMNS)
    return tuple(columns)


def _on_defaults_of_an_arm(world: World) -> Iterator[str]:
    """Numbers that nobody gave, found for another arm than the control computer's model."""
    model = world.controller.model or world.arm
    methods = (
        ("controller", "controller", world.controller.law),
        ("detection", "detector", world.detection.measure),
    )
    for section, kind, name in methods:
        if not world.trust.looks_into(kind, name):
            continue
        values = getattr(world, section).parameters
        for parameter in world.trust.find(kind, name, world.folder).parameters:
            usual = parameter.for_joints(len(world.start.joints))
            if parameter.fitted_to in ("", model) or values[parameter.name] != usual:
                continue
            yield (
                f"{section}.{parameter.name} of {name} has its default, which was found for "
                f"{parameter.fitted_to}; the model is {model}: give numbers for it"
            )


def _on_learning_and_changes(world: World) -> Iterator[str]:
    """Motions before the first one, and obstacles that come or go where nothing is forgotten."""
    learn = world.controller.learn
    if learn is not False and learn.wiggle > 0.0:
        yield (
            f"before the first motion all joints turn by {1e3 * learn.wiggle:g} mrad to either "
            f"side for {learn.wiggle_time:g} s, to learn their friction"
        )
    if world.changes and world.planner.forget is None:
        yield (
            "obstacles come or go, and planner.forget is null: what was felt once counts for good, "
            "so that the run may end as no_path before a way opens"
        )


def _on_the_detector(world: World) -> Iterator[str]:
    """Whether the friction of the gears hides contacts from the detector.

    A sensor at the wrist measures force beyond the gears. The detector ``energy`` does not read it.
    """
    detection = world.detection
    if detection.measure not in _ONE_NUMBER_OF_ALL_JOINTS or not _has_dry_friction(world):
        return
    if detection.estimator == "wrist_sensor" and detection.measure != "energy":
        return
    yield (
        f"detection.measure {detection.measure} finds hardly a contact behind real gears "
        "(plant.friction), whose errors it adds up over all joints: adaptive_joint_torque judges "
        "each joint by itself, and estimator wrist_sensor feels beyond the gears"
    )


def _has_dry_friction(world: World) -> bool:
    """Whether the plant's joints have friction while they move slowly, as those of real gears."""
    friction = world.plant.friction
    if friction is None:
        return False
    return friction == "arm" or bool(np.any(np.asarray(friction.coulomb) > 0.0))


def _on_the_record(world: World) -> Iterator[str]:
    """A record that takes much room on disk, or more than there is."""
    from hopfield_nav.loop import make_log

    place = tempfile.gettempdir()
    rows = world.time_limit / world.plant.step / world.record.every
    log = make_log(0, len(world.start.joints), further_columns(world))
    size = 8.0 * rows * log.table.shape[1]  # bytes
    if world.record.signals != "none" and size > _BIG_RECORD:
        every = math.ceil(world.record.every * size / _BIG_RECORD)
        yield (
            f"the signals of {world.time_limit:g} s take up to {size / 1e9:.2g} GB on disk, "
            f"and until it ends as much in {place} (TMPDIR); "
            f"record.every: {every} keeps them below {_BIG_RECORD / 1e9:g} GB"
        )
        free = shutil.disk_usage(place).free
        if size >= free:
            yield f"only {free / 1e9:.2g} GB are free in {place}"


def _on_the_neighbourhood(world: World) -> Iterator[str]:
    """So many connections of the network that a plan takes a while."""
    from hopfield_nav.planning import neighbourhood_of

    cells = math.prod(world.map.shape)
    # its steps are those along the axes, and its plans are repaired
    if world.map.space == "joints":
        return
    most_a_cell = (2 * world.planner.radius + 1) ** world.map.rank
    if cells * most_a_cell < _MANY_CONNECTIONS:
        return
    count = cells * len(neighbourhood_of(world.map.shape, world.planner.radius).offset)
    if count >= _MANY_CONNECTIONS:
        yield (
            f"{count:.2g} connections between {cells} cells: every plan takes about "
            f"{count / _MANY_CONNECTIONS:.2g} s; a smaller planner.radius or map.shape is faster"
        )


def check_beta_of(world: World) -> None:
    """Check slope and function of the summing network by the world's own map (ragazzon2012 (6.12)).

    Of a function that is not linear the steepest slope counts.
    """
    planner = world.planner
    if planner.kind != "hopfield" or planner.network != "sum":
        return
    if planner.activation == "linear" and planner.beta is None:
        return
    from hopfield_nav.planning import check_beta, choose_function, judge_function, neighbourhood_of

    near = neighbourhood_of(world.map.shape, planner.radius)
    try:
        if planner.activation == "linear" and planner.beta is not None:
            check_beta(planner.beta, near)
        else:
            function = choose_function("sum", planner.activation, planner.beta, near)
            judge_function(function, near)
    except BadInput as error:
        is_of_beta = planner.beta is not None and planner.activation != "threshold"
        raise error.at("planner.beta" if is_of_beta else "planner.activation") from None


def _on_beta(world: World) -> Iterator[str]:
    """A function or slope of the neurons with which a climb may not end at the goal."""
    from hopfield_nav.planning import neighbourhood_of

    planner = world.planner
    if planner.activation in ("saturated", "sigmoid"):
        yield (
            f"planner.activation {planner.activation} is 1/2 at 0: "
            "cells without a path to the goal are lit too, and a climb may end among them"
        )
    elif planner.kind == "hopfield" and planner.network == "sum" and planner.beta is not None:
        neighbours = len(neighbourhood_of(world.map.shape, planner.radius).offset)
        most = 1 / neighbours
        if planner.beta > most:
            yield (
                f"planner.beta {planner.beta:g} lies above {most:g}, one over the number of "
                "neighbours: the network settles, but cells beside the goal may be higher than it, "
                "so that a path need not end there"
            )
