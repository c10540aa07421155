"""The plans of a run, and the marks that each was made with.

The record holds marks as differences.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, overload

import numpy as np

from dynamics import BadInput

if TYPE_CHECKING:
    import xarray


class PlanRecord(NamedTuple):
    """A plan as it was made."""

    time: float  # [s]
    # bool grid, the marks; with ``detection.mark: felt`` cells that are believed to be occupied
    felt: np.ndarray
    path: np.ndarray  # (k, rank) cells
    cell: np.ndarray | None  # the one just marked
    steps: np.ndarray  # (m, 2, rank) touched steps between cells
    certainty: np.ndarray  # (m,) that they are closed; 1 for facts

    def __repr__(self) -> str:
        path = f"path of {len(self.path)} cells" if len(self.path) else "no path"
        mark = "" if self.cell is None else f", mark in {tuple(map(int, self.cell))}"
        felt = f"{int(self.felt.sum())} cells felt, {len(self.steps)} steps closed"
        return f"<Plan at {self.time:.3f} s: {path}, {felt}{mark}>"


class Plans(Sequence[PlanRecord]):
    """The first plan and the one after every answered detection.

    A grid is made where one is asked for. The map's shape is () where it keeps no marks.
    """

    def __init__(self, data: "xarray.Dataset", shape: tuple[int, ...]) -> None:
        self._data, self._shape = data, shape

    def __len__(self) -> int:
        return 1 + self._data.sizes["event"]

    def __repr__(self) -> str:
        touches = len(self) - 1
        return f"<Plans: the first, and one after each of {touches} touches>"

    @overload
    def __getitem__(self, index: int) -> PlanRecord: ...
    @overload
    def __getitem__(self, index: slice) -> list[PlanRecord]: ...
    def __getitem__(self, index: int | slice) -> PlanRecord | list[PlanRecord]:
        """One plan, or a list of some; ``IndexError``: there is none."""
        at = range(len(self))[index]
        return self._plan(at) if isinstance(at, int) else [self._plan(k) for k in at]

    def _plan(self, number: int) -> PlanRecord:
        data, k, rank = self._data, number - 1, self._data.sizes["map_axis"]
        felt = felt_after(data, self._shape, number)
        none = (np.zeros((0, 2, rank), dtype=int), np.zeros(0))
        if number == 0:
            return PlanRecord(0.0, felt, _path(data.first_path.values), None, *none)
        path, cell = _path(data.event_path[k].values), data.event_cell[k].values
        steps = (
            closed_steps(data, data.event_certainty[k].values)
            if "event_certainty" in data
            else none
        )
        return PlanRecord(float(data.event_time[k]), felt, path, cell, *steps)


def felt_after(data: "xarray.Dataset", shape: tuple[int, ...], count: int) -> np.ndarray:
    """The marks after so many detections, a bool grid; empty where the record keeps none, shape ().

    An older record holds a grid for every detection.
    """
    if not shape:
        return np.zeros(0, dtype=bool)
    felt = np.zeros(shape, dtype=bool)
    if "event_map" in data:
        return data.event_map[count - 1].values.astype(bool) if count else felt
    changed = data.felt_change.values[data.felt_change_event.values < count]
    np.logical_xor.at(felt, tuple(changed.T), True)
    return felt


def changed_cells(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Cells (k, rank) whose mark is another than before.

    ``felt_after`` puts them together again.
    """
    return np.argwhere(before != after).astype(np.int32)


def check_marks(where: str, data: "xarray.Dataset", shape: tuple[int, ...]) -> None:
    """Refuse marks that no run over a map of this shape has."""
    if "event_map" in data:
        if (
            data.event_map.shape != (data.sizes["event"], *shape)
            or data.event_map.dtype.kind not in "iu"
        ):
            raise BadInput(
                "damaged variable", where=f"{where}: event_map", found=data.event_map.shape
            )
        return
    if "felt_change" not in data or "felt_change_event" not in data:
        raise BadInput("a variable is missing", where=f"{where}: felt_change")
    cells, event = data.felt_change.values, data.felt_change_event.values
    if len(event) and (event.min() < 0 or event.max() >= data.sizes["event"]):
        raise BadInput(
            "damaged variable",
            where=f"{where}: felt_change_event",
            allowed="detections of this run",
        )
    if (cells < 0).any() or (cells >= np.array(shape)).any():
        raise BadInput(
            "damaged variable", where=f"{where}: felt_change", allowed="cells of the map"
        )


def closed_steps(data: "xarray.Dataset", certainty: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Touched steps (m, 2, rank) with a certainty above 0 (m,) that they are closed."""
    there = certainty > 0.0
    return data.closed_step.values[there], certainty[there]


def _path(padded: np.ndarray) -> np.ndarray:
    return padded[padded[:, 0] >= 0] if padded.size else padded.reshape(0, padded.shape[1])
