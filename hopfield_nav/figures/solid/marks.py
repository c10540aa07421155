"""What a plan took each cell of the map for: free, excluded, on its path, felt, or just felt."""

import numpy as np

from hopfield_nav.record import PlanRecord, Run

FREE, EXCLUDED, PATH, FELT, NEW = range(5)  # classes of cells
_MARKED, _BELIEVED = 0.8, 0.3  # how opaque marks are, and cells that are only believed to be occupied


def cell_classes(run: Run, plan: PlanRecord, path: bool = True) -> np.ndarray:
    """Class of every cell as one of the run's plans saw it, ints of the map's shape; see ``FREE``.

    NEW is the cell just marked; cells of the path may be left without a class of their own.
    """
    classes = np.zeros(run.world.map.shape, dtype=int)
    classes[_excluded(run)] = EXCLUDED
    if path and len(plan.path):
        classes[tuple(plan.path.T)] = PATH
    classes[plan.felt] = FELT
    if plan.cell is not None and plan.felt[tuple(plan.cell)]:
        classes[tuple(plan.cell)] = NEW
    return classes


def _excluded(run: Run) -> np.ndarray:
    """Cells blocked from the start: rim and known obstacles, a bool grid."""
    excluded = np.isin(run.data.final_map.values, (1, 2)) & ~run.plans()[-1].felt
    if run.world.map.rim == "blocked":
        for axis in range(excluded.ndim):
            np.moveaxis(excluded, axis, 0)[[0, -1]] = True
    return excluded


def final_plan(run: Run) -> PlanRecord:
    """The last plan, without a cell that was just marked."""
    plan = run.plans()[-1]._replace(cell=None)
    if "final_certainty" not in run.data:
        return plan
    steps, certainty = run.closed_steps()
    believed = run.world.detection.mark == "felt"
    felt = run.data.final_map.values == 3 if believed else plan.felt
    return plan._replace(felt=felt, steps=steps, certainty=certainty)


def felt_alpha(run: Run) -> float:
    """How opaque felt cells are: marks that block for good more than cells believed to be occupied."""
    return _BELIEVED if run.world.detection.mark == "felt" else _MARKED
