"""From a world to its control computer.

A model of the arm, law, estimator and detector, sensors, limits.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np

from dynamics import Arm, BadInput, make_load
from dynamics.work import make_work
from hopfield_nav.build import Methods, build_model, refuse_massless, with_values_of_arm
from hopfield_nav.control import Controller, make_sensors
from hopfield_nav.experiment.plant import build_load
from hopfield_nav.loop import Trajectory, parts_of_motion, sample
from hopfield_nav.plugin import applied, inheritable, loop_gains
from hopfield_nav.world import World

_INSTANTS_A_PIECE = 32  # of a trajectory, at which it is looked whether it moves


def build_controller(world: World, arm: Arm, methods: Methods) -> Controller:
    """The control computer with its model, parameters and empty memories."""
    n = len(arm.dh)
    law_values, detection = world.controller.parameters, world.detection.parameters
    offered = inheritable(methods.law, law_values)
    inherited = {p.name: offered[p.name] for p in methods.estimator.parameters if p.inherit}
    given, known = world.sensors, world.controller.model_error.payload == "known"
    load = build_load(world) if known else make_load()
    sensors = given.model_dump()
    for parameter in (*methods.estimator.parameters, *methods.detector.parameters):
        if parameter.of_sensors:
            inherited[parameter.name] = sensors.get(parameter.name, parameter.default)
    model = build_model(world, arm)
    refuse_massless(world, model, model=True)
    gains = partial(loop_gains, methods.law, law_values, n)
    detection = with_values_of_arm(
        (methods.estimator, methods.detector), detection, model, gains, "detection."
    )
    limits = arm.torque_limits if world.controller.saturate else np.full(n, np.inf)
    values = {**detection, **inherited}
    detector, report = applied(methods.detector, values, n), world.detection.report
    reporter = detector._replace(parameters=np.zeros(0))
    if report is not None:
        reporter = applied(methods.detector, {**values, "threshold": report}, n)
    return Controller(
        model=model,
        law=applied(methods.law, law_values, n),
        estimator=applied(methods.estimator, values, n),
        detector=detector,
        reporter=reporter,
        shares=np.zeros(0),
        torque_limits=limits,
        feedforward=world.controller.friction_feedforward and bool(np.any(model.friction[:, :3])),
        sensors=make_sensors(
            n,
            given.encoder_resolution,
            given.velocity_noise,
            given.wrench is not None,
            load,
            given.torque_noise,
        ),
        work=make_work(n),
    )


def shares_of_segments(trajectory: Trajectory, shares: Sequence[float]) -> np.ndarray:
    """A share for each segment of a trajectory (k,), of one for each part of it.

    Raises ``BadInput``: another number of parts.
    """
    time, _, qd, _ = sample(trajectory, _INSTANTS_A_PIECE)
    begins = [time[part.start] for part in parts_of_motion(time, qd)]
    if len(begins) != len(shares):
        allowed = f"{len(begins)}, one for each part between two rests of this motion"
        raise BadInput(
            "wrong number of shares",
            where="detection.by_segment",
            found=len(shares),
            allowed=allowed,
        )
    middle = (trajectory.knots[1:] + trajectory.knots[:-1]) / 2
    return np.asarray(shares, dtype=np.float64)[np.maximum(np.searchsorted(begins, middle) - 1, 0)]
