"""``trajectory.unknown_speed``: slow into cells that were not passed, quick where the arm has been."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

from hopfield_nav import Simulation, load_world, simulate
from hopfield_nav.world import parse_world

SLOW = "trajectory.unknown_speed=0.5"


def motions(*changes):
    """Every motion of the first seconds in ``u_trap``, and the run."""
    simulation, found = Simulation(load_world("u_trap", ["time_limit=20", *changes])), []
    found.append((simulation.first_motion, set()))
    simulation.on_plan = lambda motion: found.append(
        (motion, set(simulation.navigator.beliefs.visited))
    )
    return found, simulation.run()


def test_the_first_way_into_the_unknown_takes_as_many_times_as_long():
    one, half = (motions(*changes)[0][0][0].trajectory.knots for changes in ((), (SLOW,)))
    np.testing.assert_allclose(np.diff(half), 2.0 * np.diff(one))


def test_where_the_arm_was_it_is_as_quick_as_before():
    found, _ = motions(SLOW)
    seen, spacing, grid = {True: [], False: []}, 0.0263, load_world("u_trap").map
    for motion, visited in found[1:]:
        if motion.trajectory is None or motion.places is None:
            continue
        times = np.diff(motion.trajectory.knots)
        for place, length, time in zip(
            motion.places[1:],
            np.linalg.norm(np.diff(motion.places, axis=0), axis=1),
            times,
            strict=True,
        ):
            cell = tuple(int(c) for c in np.rint((place[:2] - np.array(grid.origin[:2])) / spacing))
            if abs(length - spacing) < 1e-6:
                seen[cell in visited].append(time)
    assert len(seen[True]) >= 3
    np.testing.assert_allclose(seen[True], 0.5)
    np.testing.assert_allclose(seen[False], 1.0)


def test_one_changes_no_bit():
    plain, one = (
        simulate(load_world("u_trap", ["time_limit=12", *more]))
        for more in ([], [SLOW.replace("0.5", "1")])
    )
    assert plain.data.q.values.tobytes() == one.data.q.values.tobytes()


@pytest.mark.parametrize("changes", ["map: {space: joints}", "detection: {mark: desired}"])
def test_only_a_map_that_remembers_passages_has_it(changes):
    with refused("trajectory.unknown_speed.*1, or map.space: tool and detection.mark: felt"):
        parse_world(f"format: 1\ntrajectory: {{unknown_speed: 0.5}}\n{changes}\n")


def test_a_slow_arm_hits_softer():
    hard, soft = (simulate(load_world("u_trap", changes)).summary for changes in ([], [SLOW]))
    assert hard["outcome"] == soft["outcome"] == "reached"
    assert soft["peak_contact_force_N"] < 0.8 * hard["peak_contact_force_N"]
