"""The numbers of a run: what ``summary.json`` holds."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from dynamics import Arm, forward_kinematics
from hopfield_nav.experiment.arrival import no_path_grade, warn_of_free_air
from hopfield_nav.loop import MAX_ROWS, SUNK_SHARE, Rows, State, log_columns
from hopfield_nav.navigation import space_of
from hopfield_nav.record import contact_delays, link_forces, made_with
from hopfield_nav.world import Section, World, brought_to

SATURATED_SHARE = 0.1  # share of the control periods with a motor at its limit that is told
SPEED_RATIO = 2.0  # times the speed limit of a joint
BREAKING_FORCE = 1e3  # [N]
_BOUNDED = ("facts", "probable")  # grades of no_path


def summarise(simulation: Any) -> dict[str, Any]:
    """The summary of a ``Simulation``; keys end in the unit, None stands for "there was none"."""
    detections = simulation.detections
    prior = simulation.prior
    delays = contact_delays([d.time for d in detections], [d.touch_time for d in detections])
    delays = delays[np.isfinite(delays)]
    slides = [d.slid_until - d.time for d in detections if np.isfinite(d.slid_until)]
    collisions = [d for d in detections if not d.passed_by]
    touched = [d.touch_time for d in collisions if not d.false_alarm]
    counted = simulation.state.statistics
    control = simulation.state.control
    periods = counted.periods
    has_sensed = control.now.judged_step >= 0
    sensed_goal = simulation.navigator.goal if has_sensed else None
    grade = no_path_grade(simulation.outcome, simulation.world, simulation.navigator, detections)
    error_bound = simulation.navigator.motion.error_bound if grade in _BOUNDED else None
    wall = simulation.wall_time
    real_time_factor = simulation.time / wall if wall > 0 and simulation.time > 0 else None
    # the latest contact is not among the silent ones yet
    unanswered = max(counted.unanswered_peak, 0.0)
    silent_contacts = counted.silent + 1 if unanswered > 0.0 else counted.silent
    peak_time = None if math.isnan(counted.peak_time) else float(counted.peak_time)
    replan_times = [d.replan_time for d in detections]
    handed_on: dict[str, int] = {}
    if prior:
        handed_on = {
            "touches": len(prior.places),
            "steps": len(prior.steps),
            "cells": len(prior.cells),
        }
    return {
        "world": simulation.world.name,
        "outcome": simulation.outcome or "running",
        "reason": simulation.reason,
        "no_path_grade": grade,
        "no_path_error_bound": error_bound,
        "simulated_time_s": simulation.time,
        "wall_time_s": wall,
        "real_time_factor": real_time_factor,
        "collision_count": len(collisions),
        "graze_count": len(detections) - len(collisions),
        "slide_count": len(slides),
        "slide_time_s": float(sum(slides)),
        "false_alarm_count": sum(d.false_alarm for d in detections),
        "repeated_alarm_count": len(touched) - len(set(touched)),
        "contact_count": counted.contacts,
        "silent_contact_count": silent_contacts,
        "silent_peak_force_N": max(counted.silent_peak, unanswered),
        "final_tool_error_m": final_error(simulation),
        "final_sensed_error_m": _distance(
            simulation.controller.model, control.sensed.q, sensed_goal
        ),
        "peak_contact_force_N": counted.peak_force,
        "peak_contact_force_time_s": peak_time,
        "first_impact_peak_force_N": counted.first_peak if counted.contacts else None,
        "link_forces": _link_forces(simulation.rows, len(simulation.state.q)),
        "largest_penetration_m": counted.deepest,
        "least_self_distance_m": self_distance(
            simulation.world, simulation.arm, simulation.rows, simulation.state
        ),
        "passed_through": int(may_have_passed(simulation.state)),
        "detection_delay_median_s": float(np.median(delays)) if delays.size else None,
        "detection_delay_max_s": float(delays.max()) if delays.size else None,
        "saturated_share": counted.saturated / periods if periods else 0.0,
        "damped_estimate_share": counted.damped / periods if periods else 0.0,
        "felt_cell_count": simulation.navigator.felt_count(),
        "closed_step_count": sum(c == 1.0 for c in simulation.navigator.closed_steps().values()),
        "replan_wall_time_median_s": float(np.median(replan_times)) if replan_times else None,
        "imperfections": imperfections(simulation.world),
        "handed_on": handed_on,
        "late_obstacles": simulation.surroundings.late(),
        "learnt": {} if simulation.learner is None else simulation.learner.summary(),
        "warnings": [*simulation.warnings, *_warnings_afterwards(simulation)],
        "seed": simulation.seed,
        "versions": made_with(),
        **_brought(simulation.world),
    }


def _brought(world: World) -> dict[str, Any]:
    """What came from distributions of others; nothing where all of it is ours or in files."""
    brought = brought_to(world)
    return {"brought": brought} if brought else {}


def _link_forces(rows: Rows, n: int) -> dict[str, Any]:
    """Of what is recorded so far; empty where nothing is."""
    columns = log_columns(n)
    pieces = list(rows.pieces())
    time, link, largest, total = (
        np.concatenate([table[:, columns[name]] for table in pieces])
        for name in ("time", "contact_link", "contact_force", "force")
    )
    return link_forces(time[:, 0], link[:, 0], largest, total)


def imperfections(world: World) -> dict[str, Any]:
    """What of plant, sensors and model is not ideal, as the world file says it.

    Empty for an ideal arm.
    """
    plant = world.plant
    control = world.controller
    sensors = world.sensors
    friction = (
        plant.friction.model_dump(mode="json")
        if isinstance(plant.friction, Section)
        else plant.friction
    )
    ripple = (
        plant.torque_ripple.model_dump(mode="json")
        if np.any(plant.torque_ripple.amplitude)
        else None
    )
    given = {
        "plant.friction": friction,
        "plant.presliding": plant.presliding,
        "plant.torque_ripple": ripple,
    }
    found: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    for where, section in (("controller.model_error", control.model_error), ("sensors", sensors)):
        usual = type(section)()
        changed = {
            key: value for key, value in section if key != "wrench" and value != getattr(usual, key)
        }
        found |= {f"{where}.{key}": value for key, value in changed.items()}
    found |= {
        f"sensors.wrench.{key}": value
        for key, value in sensors.wrench or ()
        if value and np.any(value)
    }
    if (control.model or world.arm) != (plant.dynamics or world.arm):
        found["controller.model"] = control.model or world.arm
    if control.period != plant.step:
        found["controller.period_s"] = control.period
    return found | ({"controller.delay_s": control.delay} if control.delay else {})


def may_have_passed(state: State) -> bool:
    """Whether the axis of a body was so deep in obstacles that it may have gone through them.

    Contact pushes a body out to the nearer side, so none gets further than half-way through what
    overlaps; beyond three quarters of that it may well have come out on the other side.
    """
    return state.statistics.share >= SUNK_SHARE


def _warnings_afterwards(simulation: Any) -> Iterator[str]:
    """What a run has shown not to be sound.

    Motors at their limits, speeds and forces that no such arm has, touches.
    """
    counted = simulation.state.statistics
    arm = simulation.plant.arm
    share = counted.saturated / max(counted.periods, 1)
    if share > SATURATED_SHARE:
        yield (
            f"motors were at their limits for {share:.0%} of the time: the arm did not do "
            "what its control law asked for"
        )
    column = log_columns(len(arm.dh))["qd"]
    speeds = [*(table[:, column] for table in simulation.rows.pieces()), simulation.state.qd[None]]
    speed = np.max([np.nan_to_num(np.abs(qd)).max(axis=0, initial=0.0) for qd in speeds], axis=0)
    joint = int(np.argmax(speed / arm.speed_limits))
    times = float(speed[joint] / arm.speed_limits[joint])
    if times > SPEED_RATIO:
        yield (
            f"joint {joint + 1} turned at {speed[joint]:.3g} rad/s, {times:.2g} times its limit: no real "
            "arm does; the control law may be unstable"
        )
    if counted.peak_force > BREAKING_FORCE:
        yield (
            f"contact with {1e-3 * counted.peak_force:.3g} kN at {counted.peak_time:.3g} s: a real "
            "arm would break or stop"
        )
    yield from warn_of_free_air(simulation.navigator, simulation.detections)
    late = simulation.surroundings.late()
    for came in dict.fromkeys(late.values()):
        which = ", ".join(number for number, other in late.items() if other == came)
        when = "did not come" if came is None else f"came at {came:.4g} s"
        yield f"obstacle {which} had to wait, as the arm was there, and {when}"
    if may_have_passed(simulation.state):
        yield (
            f"the arm sank {1e3 * counted.sunk:.2g} mm into an obstacle and may have passed through it: obstacles are "
            "too thin, too soft, or the threshold is too high for this speed"
        )


def final_error(simulation: Any) -> float | None:
    """Distance of the true tool from the goal [m]; None where there is none."""
    return _distance(simulation.plant.arm, simulation.state.q, simulation.navigator.goal)


def _distance(arm: Arm, q: np.ndarray, goal: np.ndarray | None) -> float | None:
    if goal is None or not np.all(np.isfinite(q)):
        return None
    return float(np.linalg.norm(forward_kinematics(arm, q)[:3, 3] - goal))


_SAMPLE_TIME = 0.01  # [s] between the configurations that are looked at


def self_distance(world: World, arm: Arm, rows: Rows, state: State) -> float | None:
    """Least distance of the arm from itself [m].

    It is that of every hundredth second that is recorded, and of now. None on a map of which that
    is not kept.
    """
    every = max(1, round(_SAMPLE_TIME / (world.plant.step * world.record.every)))
    column = log_columns(len(state.q))["q"]
    angles = [
        table[-k * MAX_ROWS % every :: every, column] for k, table in enumerate(rows.pieces())
    ]
    return space_of(world).self_distance(arm, [*angles, state.q[None]])
