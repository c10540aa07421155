"""Obstacles that appear and vanish: what stands when, who knows of it, and what the run then says."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from hopfield_nav import Simulation, load_run, load_world, simulate
from hopfield_nav.build import build_obstacles, standing_times
from hopfield_nav.record import load_prior, map_error
from hopfield_nav.world import parse_world
from hopfield_nav.world.beforehand import remarks

FAR = "  - cylinder: {center: [0.25, 0.23], radius: 0.01}\n"  # beside every path of these worlds
GOAL = "goal: {cell: [17, 6]}\n"


def world_of(*obstacles, rest=GOAL):
    return parse_world("format: 1\nobstacles:\n" + "".join(obstacles) + rest)


def first_vanish(name, count, at, *changes):
    """A bundled world whose first solids vanish."""
    world = load_world(name, ["record.signals=none", *changes])
    obstacles = [
        o.model_copy(update={"vanishes": at} if k < count else {})
        for k, o in enumerate(world.obstacles)
    ]
    return world.with_changes(obstacles=tuple(obstacles))


def signals(run):
    return {
        name: run.data[name].values for name in ("q", "qd", "tau", "force", "level", "detected")
    }


def assert_same_bits(one, other):
    for name, values in signals(one).items():
        assert values.tobytes() == signals(other)[name].tobytes(), name


@pytest.mark.parametrize("engine", ["internal", "flexible"])
@pytest.mark.parametrize(("name", "count", "at"), [("u_trap", 9, 8.0), ("enclosed_goal", 6, 20.0)])
def test_what_vanishes_leaves_the_way_free(name, count, at, engine):
    step = ["plant.engine=flexible", "plant.dynamics=ur5_full", "controller.model=ur5_full"]
    if engine == "flexible" and name == "enclosed_goal":
        pytest.skip("one world will do")
    run = simulate(first_vanish(name, count, at, *(step if engine == "flexible" else [])))
    still = simulate(load_world(name, ["record.signals=none"])).summary["simulated_time_s"]
    assert run.outcome == "reached"
    assert at < run.summary["simulated_time_s"] < still


def test_a_change_out_of_reach_changes_no_bit():
    """The loop ends its stretch at the change, and goes on as if it had not."""
    still = simulate(world_of("  - cylinder: {center: [0.4, -0.1], radius: 0.03}\n", FAR))
    for when in ("appears: 2.5", "vanishes: 2.5004"):
        changed = simulate(
            world_of("  - cylinder: {center: [0.4, -0.1], radius: 0.03}\n", f"{FAR}    {when}\n")
        )
        assert still.data.sizes["event"] > 1
        assert_same_bits(changed, still)


def test_it_stands_from_the_step_of_its_time_on():
    coming = f"{FAR}    appears: 1.5\n    vanishes: 2\n"
    simulation = Simulation(world_of("  - cylinder: {center: [0.4, -0.1], radius: 0.03}\n", coming))
    rows = []
    for _ in range(5):
        simulation.step(0.5)
        simulation.step(0.001)  # what stands is looked at when the arm goes on
        rows.append(len(simulation.plant.contact.solids))
    assert rows == [1, 1, 2, 1, 1]
    np.testing.assert_array_equal(
        simulation.surroundings.solids, build_obstacles(simulation.world)[:1]
    )


# where the tool starts
IN_THE_WAY = "  - sphere: {center: [0.2, 0.04, 0.0], radius: 0.05}\n    appears: 0.2\n"


def test_what_would_come_in_the_arm_waits_and_the_record_says_when_it_came(tmp_path):
    world = world_of(IN_THE_WAY, f"{FAR}    appears: 0.2\n", f"{FAR}    appears: 0.3\n")
    run = simulate(world)
    assert set(run.summary["late_obstacles"]) == {"0", "1"}, (
        "what comes at the same time comes together"
    )
    came = run.summary["late_obstacles"]["0"]
    tool = run.data.tool_position.values
    away = np.linalg.norm(tool - [0.2, 0.04, 0.0], axis=1)
    left = float(run.data.time.values[np.argmax(away > 0.05)])
    assert left <= came <= left + 0.011
    assert run.summary["peak_contact_force_N"] == 0.0
    assert any(
        "obstacle 0, 1 had to wait" in said and f"{came:.4g} s" in said
        for said in run.summary["warnings"]
    )
    saved = load_run(run.save(tmp_path / "run"))
    assert saved.standing_times[0, 0] == came
    assert not saved.standing(came - 0.005)[0]
    assert saved.standing(came)[0]


def test_what_waits_to_the_end_never_came():
    run = simulate(world_of(IN_THE_WAY, rest="time_limit: 1\n"))
    assert run.summary["late_obstacles"] == {"0": None}
    assert not run.standing(1e4).any()


def test_a_start_in_what_comes_later_is_no_contact():
    assert Simulation(world_of(IN_THE_WAY)).warnings == []
    there = Simulation(world_of(IN_THE_WAY.replace("appears", "vanishes")))
    assert any("starts in contact" in said for said in there.warnings)


def test_a_copy_and_a_reset_go_on_in_the_same_way():
    simulation = Simulation(load_world("door", ["time_limit=12"]))
    simulation.step(7.0)
    other = copy.deepcopy(simulation)
    first, second = simulation.run(), other.run()
    assert_same_bits(first, second)
    simulation.reset()
    assert_same_bits(simulation.run(), first)


def test_times_stay_with_what_is_drawn_and_what_stands_for_several():
    text = (
        "  - random_cylinders: {count: 3, radius: [0.01, 0.02]}\n    appears: 4\n    vanishes: 9\n"
    )
    wall = "  - wall: {from: [0.3, 0.1], to: [0.3, 0.2], radius: 0.02}\n    vanishes: 7\n"
    times = standing_times(
        world_of(text, wall, rest=GOAL + "known: [{floor: {height: -0.5}}]\n").resolve(0)
    )
    assert times[:3].tolist() == [[4.0, 9.0]] * 3
    assert (times[3:-1] == [0.0, 7.0]).all()
    assert times[-1].tolist() == [0.0, np.inf]


@pytest.mark.parametrize(
    "changes", [[], ["detection.mark=actual"], ["planner.forget=1000", "time_limit=400"]]
)
def test_nothing_is_certain_where_obstacles_come_and_go(changes):
    """The box whose door opens at 60 s was no path by facts, with an error bound of 0, at 54.6 s."""
    summary = simulate(
        first_vanish("enclosed_goal", 6, 500.0 if "time_limit=400" in changes else 60.0, *changes)
    ).summary
    assert (summary["outcome"], summary["no_path_grade"], summary["no_path_error_bound"]) == (
        "no_path",
        "doubtful",
        None,
    )
    assert "what was closed may be open by now" in summary["reason"]


def test_the_check_warns_where_nothing_is_forgotten():
    assert any(
        "planner.forget is null" in said
        for said in remarks(load_world("door", ["planner.forget=null"]))
    )
    assert remarks(load_world("door")) == remarks(load_world("u_trap")) == []


def test_door_is_found_by_who_forgets_alone():
    run = simulate(load_world("door", ["record.signals=none"]))
    assert run.outcome == "reached"
    assert run.summary["simulated_time_s"] > 60.0
    assert not run.summary["passed_through"]
    assert (
        simulate(load_world("door", ["record.signals=none", "planner.forget=null"])).outcome
        == "no_path"
    )


def test_the_map_is_judged_by_what_stood_when_a_cell_was_marked():
    """A cell that was marked on a cylinder which then went is no mistake; nor is what came elsewhere a help."""
    went = "  - cylinder: {center: [0.368, -0.0925], radius: 0.006}\n"
    still = simulate(world_of(went))
    gone = simulate(world_of(f"{went}    vanishes: {float(still.data.event_time[-1]) + 0.5}\n"))
    assert map_error(gone) == map_error(still)
    later = simulate(world_of(went, f"{went.replace('0.006', '0.2')}    appears: 190\n"))
    assert map_error(later) == map_error(still) > 0.0


def test_facts_of_a_world_that_changes_are_beliefs_of_a_later_run():
    run = simulate(first_vanish("u_trap", 9, 190.0))
    prior = load_prior(run, run.world)
    assert "obstacles" in prior.differs
    assert max(prior.steps.values()) < 1.0
