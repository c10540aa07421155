"""Steepest ascent: tie order, and that it reaches the goal from everywhere."""

import numpy as np
import pytest
from refusals import refused

from hopfield_nav.planning import neighbourhood_of, plan_path
from hopfield_nav.planning.neighbourhood import parse_ties

pytestmark = pytest.mark.kernel


def test_default_order_is_last_axis_first():
    assert parse_ties(None, 2) == parse_ties(["+v", "-v", "+u", "-u"], 2) == (2, 3, 0, 1)
    assert (
        parse_ties(None, 5)[:2]
        == parse_ties(["+x5", "-x5", "+x4", "-x4", "+w", "-w", "+v", "-v", "+u", "-u"], 5)[:2]
    )


@pytest.mark.parametrize(
    "ties",
    [
        ["+v", "-v", "+u"],
        ["+v", "-v", "+u", "+u"],
        ["+v", "-v", "+u", "-w"],
        ["+v", "-v", "+u", "-u", "+u"],
        "+v-v+u-u",
        [2, 3, 0, 1],
    ],
)
def test_bad_tie_order_is_refused(ties):
    with refused(r"\+v, -v, \+u, -u"):
        parse_ties(ties, 2)


@pytest.mark.parametrize("network", ["limit", "sum"])
@pytest.mark.parametrize(
    ("ties", "first"),
    [
        (None, [2, 3]),
        (["-u", "+u", "+v", "-v"], [1, 2]),
        (["-v", "+u", "-u", "+v"], [2, 1]),
        (["+u", "-u", "-v", "+v"], [3, 2]),
    ],
)
def test_first_of_equal_neighbours_wins(network, ties, first):
    """On a closed 4 x 4 grid the opposite cell is as near in all four directions."""
    blocked = np.zeros((4, 4), dtype=bool)
    plan = plan_path(blocked, (2, 2), (0, 0), network, ties=ties, periodic=[True, True])
    assert plan.cells[1].tolist() == first
    assert plan.length == 4


def test_diagonals_come_after_the_axes():
    offsets = neighbourhood_of((5, 5), radius=2.0).offset.tolist()
    assert offsets[:4] == [[0, 1], [0, -1], [1, 0], [-1, 0]]
    assert offsets[4:8] == [[0, 2], [0, -2], [2, 0], [-2, 0]]
    assert offsets[8:] == [[1, 1], [-1, 1], [1, -1], [-1, -1]]


@pytest.mark.parametrize("beta", [1e-3, 0.1, 0.2499])
def test_no_false_maxima(beta):
    rng = np.random.default_rng(3)
    for _ in range(4):
        blocked = rng.random((12, 12)) < 0.3
        blocked[5, 5] = False
        hops = plan_path(blocked, (5, 5), (5, 5)).distance
        for start in np.argwhere(np.isfinite(hops)):
            plan = plan_path(blocked, start, (5, 5), "sum", beta=beta)
            assert plan.cells[-1].tolist() == [5, 5]
            assert (np.abs(np.diff(plan.cells, axis=0)).sum(axis=1) == 1).all()
            assert not blocked[tuple(plan.cells.T)].any()


@pytest.mark.parametrize(
    ("beta", "why"), [(0.2525, "false maximum at cell"), (0.2528, "saturates")]
)
def test_false_maximum_is_named(beta, why):
    """Between 1/4 and 1/lambda_max = 0.25282 the ascent may stop, though (6.12) holds."""
    plan = plan_path(np.zeros((20, 20), dtype=bool), (10, 10), (0, 0), "sum", beta=beta)
    assert plan.cells is None
    assert why in plan.reason
    assert plan.saturated == (why == "saturates")
    assert (
        plan_path(np.zeros((20, 20), dtype=bool), (10, 10), (0, 0), "sum", beta=0.25).cells
        is not None
    )
