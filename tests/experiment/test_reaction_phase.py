"""Between alarm and new path: retreat at once, stop, or float; and what the motors may do meanwhile."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pytest
import xarray as xr
from scenes import GOAL

from dynamics import gravity_torque
from hopfield_nav import load_world
from hopfield_nav.experiment import Simulation, simulate
from hopfield_nav.experiment.reaction_phase import MAX_DURATION, REST_SPEED
from hopfield_nav.loop import quintic_trajectory
from hopfield_nav.world import World, parse_world

Data = xr.Dataset
WALL = "obstacles: [{cylinder: {center: [0.36, -0.09], radius: 0.05}}]\n"
REACTIONS = ["retreat", "stop", "float"]
SLOW_COMPUTER = "controller: {period: 0.008, delay: 0.008, omega: [15, 15, 25, 40, 45, 50]}\n"
REAL = (
    "arm: ur5_full\nplant: {friction: arm}\nsensors: {velocity_noise: 0.001}\n"
    + SLOW_COMPUTER
    + "detection: {reaction: REACTION, pole: 50, threshold: [8, 8, 6, 2, 2, 2]}\n"
)


class Phase(NamedTuple):
    """From an alarm to the new path [s]."""

    begin: float
    end: float


def a_world(reaction: str, text: str = "") -> World:
    """A wall between start and goal."""
    if "detection:" not in text:
        text += f"detection: {{reaction: {reaction}}}\n"
    return parse_world("format: 1\n" + WALL + GOAL + text.replace("REACTION", reaction))


@lru_cache
def run_by_phases(
    reaction: str, text: str = "", most: float = 8.0
) -> tuple[Simulation, Data, list[Phase]]:
    """Run a world in small steps and note when the arm was in a reaction; the whole record with it."""
    sim = Simulation(a_world(reaction, text))
    phases, begin = [], None
    while sim.outcome is None and sim.time < most:
        alarms = len(sim.detections)
        sim.step(max(sim.world.controller.period, 0.005))
        reacts = sim.navigator.motion.reacts
        if begin is not None and (not reacts or len(sim.detections) > alarms):
            phases.append(Phase(begin, float(sim.trajectory.knots[0])))
            begin = None
        if reacts and begin is None:
            begin = float(sim.trajectory.knots[0])
    assert phases
    return sim, sim.record().data, phases


def during(data: Data, phase: Phase, after: float = 0.0) -> Data:
    """The record of a phase, from ``after`` its begin [s]."""
    time = data.time.values
    return data.isel(time=(time > phase.begin + after - 5e-4) & (time < phase.end - 5e-4))


def test_retreat_is_the_default_bit_for_bit():
    changes = ["time_limit=12"]
    default = simulate(load_world("u_trap", changes))
    retreat = simulate(load_world("u_trap", [*changes, "detection.reaction=retreat"]))
    assert default.summary["collision_count"] > 2
    for name in ("q", "tau", "level", "q_ref"):
        np.testing.assert_array_equal(default.data[name].values, retreat.data[name].values)


@pytest.mark.parametrize("reaction", REACTIONS)
@pytest.mark.parametrize("mark", ["felt", "actual", "desired"])
def test_every_reaction_reaches_the_goal_behind_a_wall(reaction, mark):
    run = simulate(a_world(reaction, f"detection: {{reaction: REACTION, mark: {mark}}}\n"))
    assert (run.outcome, run.summary["collision_count"] > 0) == ("reached", True)
    assert run.summary["final_tool_error_m"] <= 0.001


@pytest.mark.parametrize("reaction", REACTIONS)
def test_every_reaction_finds_its_way_out_of_the_trap(reaction):
    run = simulate(load_world("u_trap", [f"detection.reaction={reaction}", "record.signals=none"]))
    assert run.outcome == "reached"
    assert run.summary["false_alarm_count"] == 0


@pytest.mark.parametrize("reaction", REACTIONS)
def test_every_reaction_finds_that_facts_enclose_the_goal(reaction):
    """What a touch proves does not get lost where the arm does not press on."""
    run = simulate(
        load_world("enclosed_goal", [f"detection.reaction={reaction}", "record.signals=none"])
    )
    assert run.outcome == "no_path"
    assert run.summary["collision_count"] < 45


@pytest.mark.parametrize(
    "text",
    ["", "controller: {hold: false}\n", "plant: {engine: flexible}\ntime_limit: 6.5\n", REAL],
    ids=["held", "continuous", "flexible", "real"],
)
def test_a_floating_arm_is_borne_and_not_driven(text):
    """From alarm to plan the torque is that of the model's gravity, so that control puts no power in."""
    sim, record, phases = run_by_phases("float", text)
    control = sim.world.controller
    every = round(control.period / sim.world.plant.step)
    late = round(control.delay / control.period)  # periods from a measurement to its torque
    for phase in phases:
        assert 0.0 < phase.end - phase.begin <= MAX_DURATION["float"] + control.period
        data = during(record, phase, 0.0).isel(time=slice(None, None, every))
        measured, data = (
            data.q_sensed.values[: len(data.time) - late],
            data.isel(time=slice(late, None)),
        )
        if len(measured):
            driven = data.tau.values - gravity_torque(sim.controller.model, measured)
            np.testing.assert_allclose(driven, 0.0, atol=1e-9)
            np.testing.assert_allclose(np.sum(driven * data.qd.values, axis=1), 0.0, atol=1e-9)


def test_what_a_floating_arm_touches_pushes_it_off():
    _, record, phases = run_by_phases("float")
    data = during(record, phases[0])
    force = data.force.values
    assert np.linalg.norm(force[0]) > 1.0
    speed = np.gradient(data.tool_position.values, data.time.values, axis=0)
    last = np.flatnonzero(force.any(axis=1))[-1]
    assert speed[last] @ force[0] > 0.0


def test_the_reference_of_a_floating_arm_is_the_arm():
    _, record, phases = run_by_phases("float")
    data = during(record, phases[0])
    np.testing.assert_array_equal(data.q_ref.values, data.q_sensed.values)
    np.testing.assert_array_equal(data.qd_ref.values, data.qd_sensed.values)


@pytest.mark.parametrize("text", ["", REAL], ids=["ideal", "real"])
def test_stop_brings_the_reference_to_rest_where_the_arm_was(text):
    sim, record, phases = run_by_phases("stop", text)
    whole = [p for p in phases if p.end - p.begin > 0.1]  # not cut short by a touch from elsewhere
    assert whole
    period, noise = sim.world.controller.period, sim.world.sensors.velocity_noise
    for phase in whole:
        assert phase.end - phase.begin <= MAX_DURATION["stop"] + period
        data = during(record, phase)
        assert not data.qd_ref.values[-1].any()
        np.testing.assert_allclose(data.q_ref.values[-1], data.q_sensed.values[0], atol=1e-12)
        if phase.end - phase.begin < MAX_DURATION["stop"] - period:
            assert np.abs(data.qd_sensed.values[-1]).max() <= REST_SPEED + 4 * noise


@pytest.mark.parametrize("reaction", ["stop", "float"])
def test_the_reference_goes_on_from_where_the_arm_is(reaction):
    """The new path begins without a jump, at the end of the reaction."""
    sim, data, phases = run_by_phases(reaction)
    first = int(np.searchsorted(data.time.values, phases[0].end - 5e-4))
    q_ref, speed = data.q_ref.values, np.abs(data.qd_ref.values[first]).max()
    assert np.abs(q_ref[first] - q_ref[first - 1]).max() <= (speed + 0.5) * sim.world.plant.step


@pytest.mark.parametrize("reaction", ["stop", "float"])
def test_without_a_goal_there_is_no_reaction(reaction):
    world = parse_world(f"format: 1\ntime_limit: 3\n{WALL}detection: {{reaction: {reaction}}}\n")
    start = np.array(world.start.joints)
    away = quintic_trajectory(np.vstack([start, start - np.eye(6)[0]]), 2.0)
    plain = Simulation(
        world.model_copy(update={"detection": parse_world("format: 1\n").detection}), 0, away
    )
    sim = Simulation(world, 0, away)
    assert [s.run().outcome for s in (sim, plain)] == ["reached", "reached"]
    np.testing.assert_array_equal(sim.record().data.q.values, plain.record().data.q.values)


@pytest.mark.parametrize("reaction", ["stop", "float"])
def test_slices_and_resets_make_no_difference(reaction):
    sim = Simulation(a_world(reaction))
    while sim.outcome is None:
        sim.step(0.0137)
    sliced = sim.record().data.q.values
    sim.reset()
    np.testing.assert_array_equal(sim.run().data.q.values, sliced)


def test_who_does_not_press_on_pushes_less():
    """The force from the alarm on, as its impulse: well below that of a retreat."""
    impulse = {}
    for reaction in REACTIONS:
        run = simulate(load_world("u_trap", ["time_limit=7.4", f"detection.reaction={reaction}"]))
        time, force = run.data.time.values, np.linalg.norm(run.data.force.values, axis=1)
        begin = run.data.event_time.values[0]
        impulse[reaction] = float(force[(time >= begin) & (time < begin + 1.0)].sum() * 0.001)
    assert max(impulse["stop"], impulse["float"]) < 0.5 * impulse["retreat"]
