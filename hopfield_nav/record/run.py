"""The record of a run: world, summary, labelled signals and events; saving and loading it.

A folder holds ``world.yaml`` (every default written out, random obstacles drawn), ``summary.json``,
``log.nc`` (NetCDF 4, readable from xarray, MATLAB and any HDF5 library) and checksums of the three.
It is written under another name and renamed when it is complete.
"""

import json
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dynamics import BadInput, html_table
from dynamics.files import whole_folder
from hopfield_nav.build import standing_times, stands_at
from hopfield_nav.loop import make_log
from hopfield_nav.navigation import NotedPlan, Step, space_of
from hopfield_nav.plugin import provided
from hopfield_nav.record.dataset import LabelledRecord, make_record, record_of
from hopfield_nav.record.detection import DetectionRecord, Passage
from hopfield_nav.record.plans import Plans, check_marks, closed_steps, felt_after
from hopfield_nav.record.quantities import SHOWN, summary_rows
from hopfield_nav.record.stored import (
    check_checksums,
    check_log,
    read_netcdf,
    read_summary,
    write_checksums,
    write_netcdf,
)
from hopfield_nav.world import World, further_columns, recorded_world

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Run:
    """What happened in one experiment.

    The ``world`` is as resolved: every default written out, random obstacles drawn; ``summary``
    holds the numbers of ``summary.json``, and ``data`` labelled signals and events, an
    ``xarray.Dataset`` (see ``docs/record.md``).
    """

    def __init__(
        self,
        world: World,
        summary: dict[str, Any],
        log: np.ndarray,
        detections: Sequence[DetectionRecord],
        first_path: np.ndarray,
        blocked: np.ndarray,
        closed: Mapping[Step, float] | None = None,
        plans: Sequence[NotedPlan] = (),
        passages: Sequence[Passage] = (),
    ) -> None:
        self.world, self.summary = world, summary
        self._parts = (log, detections, first_path, blocked, closed or {}, plans, passages)
        self._data: xarray.Dataset | None = None

    @classmethod
    def of_data(
        cls, world: World, summary: dict[str, Any], data: "xarray.Dataset | None" = None
    ) -> "Run":
        """The run that has a record labelled as ``data`` is; without one, a record of no rows."""
        rows = make_log(0, len(world.start.joints), further_columns(world)).table
        run = cls(
            world, summary, rows, [], np.zeros((0, world.map.rank)), np.zeros(world.map.shape)
        )
        run._data = data
        return run

    def __repr__(self) -> str:
        s, warnings = self.summary, len(self.summary.get("warnings", []))
        end = f", {warnings} warnings" if warnings else ""
        numbers = f"{s['collision_count']} collisions, {s['simulated_time_s']:.4g} s{end}"
        return f"<Run of {self.world.name}: {self.outcome}, {numbers}>"

    def _repr_html_(self) -> str:
        return html_table(f"Run of {self.world.name}", summary_rows(self.summary, SHOWN))

    def plot(
        self, name: str = "trajectory", ax: "Axes | None" = None, touch: int | None = None
    ) -> "Axes | Figure":
        """Draw any of the run's figures by the name of its file, such as ``trajectory`` or ``joints``.

        It is drawn into ``ax``, where it is one panel, and that is returned; else the figure.
        ``network`` and ``force_zoom`` may be of one ``touch``, counted from 1.

        Raises ``BadInput``: there is no such figure, or none of this run, or it has more than one
        panel; there is no such touch.
        """
        # a room above draws it
        return import_module("hopfield_nav.figures.run").plot_run(self, name, ax, touch)

    def view(self) -> Any:
        """The page of the run, which a notebook shows: the arm in space, its signals and its map.

        Raises ``BadInput``: the run kept no signals, or the extension ``viewer`` is not installed.
        """
        return provided("RunView", "view")(self)

    @property
    def outcome(self) -> str:
        """How the run ended, one of ``record.stored.OUTCOMES``: such as ``reached``."""
        return self.summary["outcome"]

    @property
    def data(self) -> "xarray.Dataset":
        """Signals and events with dimensions, units and long names."""
        if self._data is None:
            self._data = self._record().dataset()
        return self._data

    def values(self, *names: str) -> list[np.ndarray]:
        """Values of variables of ``data`` by name, for which xarray need not be loaded."""
        if self._data is not None:
            return [self._data[name].values for name in names]
        record = self._record()
        every = record.coordinates | record.variables
        return [np.asarray(every[name][1]) for name in names]

    def _record(self) -> LabelledRecord:
        record, versions = make_record(self.world, *self._parts), self.summary.get("versions", {})
        made_with = {f"version_{name.replace('-', '_')}": text for name, text in versions.items()}
        brought = {
            f"brought_{key.replace('.', '_')}": str(text)
            for key, text in self.summary.get("brought", {}).items()
        }
        return record._replace(attributes=record.attributes | made_with | brought)

    def plans(self) -> Plans:
        """The first plan and the one after every answered detection, in order."""
        return Plans(self.data, self._map_shape)

    def felt_after(self, count: int) -> np.ndarray:
        """The marks after so many detections, a bool grid; empty on a map of joint angles."""
        return felt_after(self.data, self._map_shape, count)

    @property
    def _map_shape(self) -> tuple[int, ...]:
        """Shape of the grid that the record keeps.

        () on a map of joint angles, of which it keeps none.
        """
        return tuple(self.world.map.shape) if space_of(self.world).of_places else ()

    @property
    def standing_times(self) -> np.ndarray:
        """From when until when each obstacle stood, (m, 2) [s], as it truly came.

        They are in the order of ``all_solids``.
        """
        return standing_times(self.world, self.summary.get("late_obstacles", {}))

    def standing(self, time: float | None) -> np.ndarray:
        """Which obstacles stood at a time [s], (m,) bool; None: all that ever stand."""
        times = self.standing_times
        return np.ones(len(times), dtype=bool) if time is None else stands_at(times, time)

    @property
    def passed_by(self) -> np.ndarray:
        """(m,) bool: the detections that the arm passed by; the others are collisions."""
        data = self.data
        if "event_passed_by" not in data:  # a record from before there were glancing contacts
            return np.zeros(data.sizes["event"], dtype=bool)
        return data.event_passed_by.values.astype(bool)

    @property
    def passages(self) -> np.ndarray:
        """Begin and end (k, 2) [s] of every time at which the level was above ``detection.report``.

        NaN: to the end.
        """
        if "report_begin" not in self.data:
            return np.zeros((0, 2))
        return np.column_stack([self.data.report_begin.values, self.data.report_end.values])

    @property
    def slides(self) -> np.ndarray:
        """Begin and end (k, 2) of every time at which the arm slid along what it felt [s]."""
        if self._data is not None and "event_slid_until" not in self._data:
            return np.zeros((0, 2))  # a record from before there were slides
        begin, until = self.values("event_time", "event_slid_until")
        return np.column_stack([begin, until])[np.isfinite(until)]

    def closed_steps(self) -> tuple[np.ndarray, np.ndarray]:
        """Touched steps (m, 2, rank) as known in the end.

        And the certainty (m,) that they are closed.
        """
        return closed_steps(self.data, self.data.final_certainty.values)

    def save(self, folder: str | Path) -> Path:
        """Write the run to ``folder``, which must not exist or be empty.

        Raises ``BadInput``: the folder holds something; ``OSError``: it cannot be written.
        """
        folder = Path(folder)
        with whole_folder(folder) as partial:
            (partial / "world.yaml").write_text(self.world.to_yaml(folder), encoding="utf-8")
            text = json.dumps(self.summary, indent=2, ensure_ascii=False)
            (partial / "summary.json").write_text(text + "\n", encoding="utf-8")
            write_netcdf(
                partial / "log.nc", self._record() if self._data is None else record_of(self._data)
            )
            write_checksums(partial, ("world.yaml", "summary.json", "log.nc"))
        return folder


def load_run(folder: str | Path) -> Run:
    """Read a run back from its folder.

    Raises ``BadInput``: the folder is not that of a run, or a file in it cannot be read.
    """
    if not isinstance(folder, (str, Path)):
        raise BadInput("not the folder of a run", found=folder, allowed="a path")
    folder = Path(folder)
    if not folder.is_dir():
        raise BadInput("not the folder of a run", where=str(folder))
    check_checksums(folder)
    summary, data = read_summary(folder / "summary.json"), read_netcdf(folder / "log.nc")
    world = recorded_world(folder / "world.yaml", of_places="final_map" in data)
    check_log(folder / "log.nc", data, Run.of_data(world, summary).data)
    run = Run.of_data(world, summary, data)
    if run._map_shape:
        check_marks(str(folder / "log.nc"), run.data, run._map_shape)
    return run
