"""A planner that remembers: after one more blocked cell only what changes is computed again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dynamics import BadInput
from hopfield_nav.planning.hopfield import flat_index
from hopfield_nav.planning.limit import Field, distance_grid, solve
from hopfield_nav.planning.neighbourhood import stencil
from hopfield_nav.planning.plan import Plan
from hopfield_nav.planning.planner import check_grid, check_network, choose_beta, plan_in_field, pose_sum
from hopfield_nav.planning.repair import GIVEN_UP, block
from hopfield_nav.planning.sum import Problem, Summed, plan_in_sum, solve_sum

REPAIR_SHARE = 400  # where more than 1/400 of all cells change, a new wave is quicker
LEAST_REPAIR = 1000  # cells that are always worth repairing


class Replanner:
    """Plans to one goal over a map whose blocked cells only grow.

    The limit network is repaired cell by cell, and is equal to a new one in every bit; the summing
    network restarts from its old activations when the next plan is asked for. A start that is
    blocked, or a goal that is, counts as in `planning.replan`.

    Args:
        blocked: bool grid of any rank; the planner keeps a copy.
        goal: (rank,) cell, from 0.
        network: "limit" or "sum".
        beta: slope for "sum"; these and the others as in `planning.plan_path`.
        radius: of the neighbourhood.
        spacing: of the cells.
        periodic: for each axis, whether it is closed.
        ties: order among equally good neighbours.

    Raises:
        BadInput: as `planning.plan_path`.
    """

    def __init__(
        self,
        blocked: np.ndarray,
        goal: Sequence[int],
        network: str = "limit",
        beta: float | None = None,
        radius: float = 1.0,
        spacing: float | Sequence[float] | None = None,
        periodic: Sequence[bool] | None = None,
        ties: Sequence[str] | None = None,
    ) -> None:
        self._blocked = np.array(check_grid(blocked), order="C")
        check_network(network)
        shape = self._blocked.shape
        self._goal_index = flat_index(goal, shape, "goal")
        self.goal = tuple(int(c) for c in goal)
        self._near = stencil(shape, radius, spacing, periodic, ties)
        slope = choose_beta(network, beta, shape, radius, periodic)
        self._field: Field | None = None
        self._problem: Problem | None = None
        self._network: Summed | None = None
        self._stale = False
        if slope is None:
            self._field = solve(self._blocked, self._near, self.goal)
        else:
            self._problem = pose_sum(shape, self._near, self.goal, slope, radius, spacing, periodic, ties)
            self._network = solve_sum(self._problem, self._blocked)

    @property
    def blocked(self) -> np.ndarray:
        """Bool grid of the blocked cells, read-only."""
        view = self._blocked.view()
        view.setflags(write=False)
        return view

    def block(self, cell: Sequence[int]) -> int:
        """Block one more cell.

        Args:
            cell: (rank,) from 0. A goal that is marked stays the target.

        Returns:
            Number of cells of the limit network whose distance changed, not counting the cell itself; -1
            where so many did that it was settled anew. 0 for "sum", which waits for the next plan.

        Raises:
            BadInput: a cell outside the grid.
        """
        index = flat_index(cell, self._blocked.shape, "blocked")
        flat = self._blocked.reshape(-1)
        if flat[index] or index == self._goal_index:
            flat[index] = True
            return 0
        flat[index] = True
        if self._field is None:
            self._stale = True
            return 0
        most = min(flat.size, max(LEAST_REPAIR, flat.size // REPAIR_SHARE))
        changed = int(block(self._field, flat, index, most))
        if changed == GIVEN_UP:
            self._field = solve(self._blocked, self._near, self.goal)
        return changed

    def plan(self, start: Sequence[int]) -> Plan:
        """The path from a start to the goal; its grids are `distance` and `log_activation` of the planner.

        Args:
            start: (rank,) cell, from 0; it may be blocked, then its neighbours decide the first step.

        Returns:
            The plan.

        Raises:
            BadInput: a start outside the grid.
        """
        flat_index(start, self._blocked.shape, "start")
        if self._field is not None:
            found = plan_in_field(self._field, self._near, start, self.goal)
        else:
            found = plan_in_sum(self._settled(), start)
        return replace(found, _grid=None)

    def path(self, start: Sequence[int]) -> np.ndarray | None:
        """Cells (k, rank) from a start to the goal; None where there is no path. See `plan`."""
        return self.plan(start).cells

    @property
    def distance(self) -> np.ndarray:
        """Grid of shortest distances to the goal, inf where there is none.

        Raises:
            BadInput: the network is "sum".
        """
        if self._field is None:
            raise BadInput("distances", found="network sum", allowed="network limit")
        return distance_grid(self._field, self._near)

    @property
    def log_activation(self) -> np.ndarray:
        """Grid of ln sigma, -inf where sigma is zero.

        Raises:
            BadInput: the network is "limit".
        """
        if self._problem is None:
            raise BadInput("activations", found="network limit", allowed="network sum")
        return self._settled().log_activation()

    def _settled(self) -> Summed:
        """The summing network, restarted where cells were blocked since."""
        if self._problem is None or self._network is None:
            raise RuntimeError("a limit network has no activations")
        if self._stale:
            self._network = solve_sum(self._problem, self._blocked, self._network)
            self._stale = False
        return self._network
