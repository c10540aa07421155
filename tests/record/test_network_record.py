"""The network of every plan is in the record: its activations against ones that are computed here."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest
from refusals import refused

from hopfield_nav import Simulation, load_run, load_world

FAST = "trajectory.time_per_cell=0.3"
SIDES = ((0, 1), (0, -1), (1, 0), (-1, 0))


@pytest.fixture(scope="module")
def marked():
    """A run with the network of the document."""
    return Simulation(load_world("ragazzon2012", ["time_limit=12"])).run()


@pytest.fixture(scope="module")
def felt():
    """A run with the limit network, facts and beliefs."""
    return Simulation(load_world("u_trap", [FAST])).run()


def settled(blocked: np.ndarray, goal: tuple[int, int], beta: float) -> np.ndarray:
    """Synchronous sweeps of (6.9) until no neuron changes."""
    now, before = np.zeros(blocked.shape), None
    while before is None or (now != before).any():
        before, wide = now, np.pad(now, 1)
        total = wide[2:, 1:-1] + wide[:-2, 1:-1] + wide[1:-1, 2:] + wide[1:-1, :-2]
        now = np.clip(beta * total, 0.0, 1.0) * ~blocked
        now[goal] = 1.0
    return now


def hops(blocked: np.ndarray, shut: set, goal: tuple[int, int]) -> np.ndarray:
    """Breadth-first search past blocked cells and shut steps; inf where it does not come."""
    found, queue = np.full(blocked.shape, np.inf), deque([goal])
    found[goal] = 0.0
    while queue:
        cell = queue.popleft()
        for a, b in SIDES:
            other = cell[0] + a, cell[1] + b
            inside = all(0 <= c < n for c, n in zip(other, blocked.shape, strict=True))
            if (
                inside
                and not blocked[other]
                and (cell, other) not in shut
                and not np.isfinite(found[other])
            ):
                found[other] = found[cell] + 1
                queue.append(other)
    return found


def test_the_sum_network_is_that_of_plain_sweeps(marked):
    data, plans = marked.data, marked.plans()
    assert data.sizes["plan"] == len(plans) > 3
    assert set(data.plan_by.values) == {"network"}
    goal, rim = (
        tuple(marked.world.goal.cell),
        np.pad(np.zeros((18, 18), bool), 1, constant_values=True),
    )
    for k, plan in enumerate(plans):
        assert data.plan_time.values[k] == plan.time
        sigma = settled(plan.felt | rim, goal, 0.1)
        logs = data.activation.values[k]
        np.testing.assert_array_equal(np.isfinite(logs), sigma > 0.0)
        np.testing.assert_allclose(np.exp(logs[sigma > 0]), sigma[sigma > 0], rtol=1e-12)


def test_the_limit_network_is_a_search_of_its_own(felt):
    data, plans = felt.data, felt.plans()
    assert data.sizes["plan"] == len(plans)
    goal = felt.world.map.centre((0, 0)), felt.world.goal_point
    goal = tuple(round((p - o) / felt.world.map.spacing) for o, p in zip(*goal, strict=False))
    for k, plan in enumerate(plans):
        shut = {
            (tuple(a), tuple(b))
            for a, b in np.concatenate([plan.steps, plan.steps[:, ::-1]]).tolist()
        }
        assert data.plan_time.values[k] == plan.time
        np.testing.assert_array_equal(data.activation.values[k], -hops(plan.felt, shut, goal))


def test_a_path_against_beliefs_is_told_from_a_climb(felt):
    """A climb comes one step nearer with every cell; a path against beliefs goes where no path leads."""
    data = felt.data
    assert set(data.plan_by.values) == {"network", "against_beliefs"}
    for by, path, found in zip(
        data.plan_by.values, data.plan_path.values, data.activation.values, strict=True
    ):
        path = path[path[:, 0] >= 0]
        along = found[tuple(path.T)]
        assert (np.diff(along) == 1.0).all() == (by == "network")


def test_it_is_kept_where_signals_are_and_the_network_is_small(marked, tmp_path):
    for overrides, kept in (
        ([], True),
        (["record.signals=none"], False),
        (["record.signals=none", "record.network=true"], True),
        (["record.network=false"], False),
        (["map.spacing=0.01", "map.shape=[52, 52]", "goal.cell=[45, 12]"], False),
        (
            ["map.spacing=0.01", "map.shape=[52, 52]", "goal.cell=[45, 12]", "record.network=true"],
            True,
        ),
    ):
        run = Simulation(load_world("ragazzon2012", ["time_limit=0.01", *overrides])).run()
        assert ("activation" in run.data) == ("plan_by" in run.data) == kept, overrides
    marked.save(tmp_path / "run")
    again = load_run(tmp_path / "run").data
    for name in ("activation", "plan_time", "plan_by", "plan_path"):
        np.testing.assert_array_equal(again[name].values, marked.data[name].values)
        assert again[name].attrs["units"]
        assert again[name].attrs["long_name"]


def test_nothing_else_of_a_record_depends_on_it(marked):
    without = (
        Simulation(load_world("ragazzon2012", ["time_limit=12", "record.network=false"])).run().data
    )
    new = set(marked.data.variables) - set(without.variables)
    assert new == {"activation", "plan", "plan_time", "plan_by", "plan_path"}
    for name, variable in without.variables.items():
        assert variable.values.tobytes() == marked.data[name].values.tobytes(), name
    size = sum(marked.data[name].nbytes for name in new) / sum(
        v.nbytes for v in without.variables.values()
    )
    assert size < 0.02


def test_too_many_neurons_are_refused_with_their_size():
    with refused(
        "record.network: too many neurons to keep of every plan; found 'true, 120000 neurons, 0.96 MB a plan'"
    ):
        load_world("u_trap", ["record.network=true", "map.spacing=0.002", "map.shape=[400, 300]"])


def test_the_whole_arm_keeps_the_network_that_it_climbed():
    small = ["map.shape=[12, 6, 6, 4, 4, 1]", "time_limit=6", "record.network=true"]
    data = Simulation(load_world("whole_arm", small)).run().data
    assert data.activation.dims[1:] == tuple(f"map_joint_{k}" for k in range(1, 7))
    for by, path, found in zip(
        data.plan_by.values, data.plan_path.values, data.activation.values, strict=True
    ):
        path = path[path[:, 0] >= 0]
        if len(path):
            assert by == "network"
            assert (np.diff(found[tuple(path.T)])[1:] == 1.0).all()
    assert np.isfinite(data.activation.values[0]).any()


def test_the_record_names_who_planned():
    """Paths of A* were said to be the network's."""
    changes = [FAST, "planner.kind=a_star", "time_limit=8"]
    data = Simulation(load_world("u_trap", changes)).run().data
    assert "a_star" in data.plan_by.values
    assert set(data.plan_by.values) <= {"a_star", "against_beliefs"}


def test_the_axes_of_the_record_have_coordinates(marked):
    """Centres of cells in metres, touches from 1, plans from 0; a picture of xarray has them at its axes."""
    data = marked.data
    grid = marked.world.map
    for name, first, count in zip("xy", grid.origin, grid.shape, strict=False):
        axis = data[f"map_{name}"]
        np.testing.assert_allclose(axis.values, first + grid.spacing * np.arange(count))
        assert axis.attrs["units"] == "m"
    assert data.event.values.tolist() == list(range(1, data.sizes["event"] + 1))
    assert data.plan.values.tolist() == list(range(data.sizes["plan"]))
    goal = data.activation.sel(plan=0)
    at = goal.where(goal == goal.max(), drop=True)
    np.testing.assert_allclose([at.map_x.item(), at.map_y.item()], marked.world.goal_point[:2])


def test_a_plan_is_told_in_one_line(marked):
    plans = marked.plans()
    for told in (repr(plans), repr(plans[0]), repr(plans[1]), str(plans[1])):
        assert "\n" not in told
        assert len(told) < 120
    assert "array" not in repr(plans[1])
