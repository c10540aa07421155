"""The marks of a run are kept as differences, and put together again as they stood after every detection."""

from __future__ import annotations

import numpy as np
import pytest
import xarray
from refusals import refused

from hopfield_nav import Simulation, load_run, load_world
from hopfield_nav.record.plans import changed_cells, check_marks, felt_after

FAST = "trajectory.time_per_cell=0.3"


@pytest.mark.parametrize("mark", ["felt", "actual", "desired"])
def test_every_grid_is_the_one_that_the_navigator_had(mark):
    sim, grids = Simulation(load_world("u_trap", [f"detection.mark={mark}", FAST])), []
    asked = sim.navigator.felt
    # once a detection, and for the count in the end
    sim.navigator.felt = lambda: grids.append(asked()) or grids[-1]
    plans = sim.run().plans()
    assert len(plans) == len(grids) > 5
    assert not plans[0].felt.any()
    for plan, grid in zip(plans[1:], grids[:-1], strict=True):
        np.testing.assert_array_equal(plan.felt, grid)


def test_a_cell_may_become_free_again():
    """Believed after the first detection, no longer after the second, again after the third."""
    data = xarray.Dataset(
        {
            "felt_change": (("change", "map_axis"), [[1, 2], [0, 0], [1, 2], [1, 2]]),
            "felt_change_event": (("change",), [0, 0, 1, 2]),
            "event_time": (("event",), np.zeros(3)),
        }
    )
    check_marks("here", data, (3, 4))
    found = [np.argwhere(felt_after(data, (3, 4), k)).tolist() for k in range(4)]
    assert found == [[], [[0, 0], [1, 2]], [[0, 0]], [[0, 0], [1, 2]]]
    with refused("here: felt_change: damaged variable"):
        check_marks("here", data, (1, 4))
    with refused("here: felt_change_event: damaged variable"):
        check_marks("here", data.isel(event=slice(2)), (3, 4))
    with refused("here: felt_change: a variable is missing"):
        check_marks("here", data.drop_vars("felt_change_event"), (3, 4))


def test_an_older_record_has_a_grid_for_every_detection():
    grids = np.eye(3, dtype=np.int8)[:, None]  # three detections, a map of 1 x 3
    data = xarray.Dataset({"event_map": (("event", "x", "y"), grids)})
    assert [felt_after(data, (1, 3), k).tolist() for k in range(4)] == [
        [[False] * 3],
        *(grids.astype(bool).tolist()),
    ]


def test_many_touches_of_a_large_map_take_little(tmp_path):
    """A grid of a million cells for each would be 16 MB."""
    finer = [
        "map.spacing=0.0005",
        "map.shape=[1000, 1000]",
        "planner.network=limit",
        "time_limit=0.01",
    ]
    sim = Simulation(load_world("u_trap", finer))
    sim.step(0.01)
    template = sim.first_motion
    for k in range(16):
        before = sim.navigator.felt().copy()
        sim.navigator.grid.felt[k, : k + 1] = True
        changed = changed_cells(before, sim.navigator.felt())
        sim.detections.append(_detection(changed, template.cells[:1]))
    run = sim.record()
    marks = run.data[["felt_change", "felt_change_event"]]
    assert marks.nbytes < 3000
    assert [int(plan.felt.sum()) for plan in run.plans()] == [k * (k + 1) // 2 for k in range(17)]
    again = load_run(run.save(tmp_path / "run"))
    assert [int(again.felt_after(k).sum()) for k in range(17)] == [
        k * (k + 1) // 2 for k in range(17)
    ]


def _detection(changed, path):
    from hopfield_nav.navigation import NOWHERE
    from hopfield_nav.record.detection import DetectionRecord

    cell = tuple(path[0])
    return DetectionRecord(
        0.0, 0.0, cell, cell, np.zeros(3), False, False, np.nan, changed, {}, path, NOWHERE,
        np.zeros(3), 0, 0.0,
    )  # fmt: skip


def test_plans_are_a_sequence():
    sim = Simulation(load_world("u_trap", ["time_limit=8", FAST]))
    plans = sim.run().plans()
    assert len(plans) > 1
    assert len(plans[1:]) == len(plans) - 1
    assert plans[-1].time == list(plans)[-1].time
    with pytest.raises(IndexError):
        plans[len(plans)]
