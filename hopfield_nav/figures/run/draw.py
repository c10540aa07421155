"""The figures of a run, drawn from its record alone, ready for a paper.

``draw_run_figures`` writes them all. Every plot is also a function of its own, for one's own axes:

    with paper_style():
        ax = draw_trajectory(plt.figure().add_subplot(), load_run("runs/a"))
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from pkgutil import resolve_name

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dynamics import BadInput, require_known
from hopfield_nav.figures.run import pages as paper
from hopfield_nav.figures.run.maps import draw_collision_space, draw_trajectory
from hopfield_nav.figures.run.network import draw_network, network_page
from hopfield_nav.figures.run.on_request import convergence_page, link_forces_page
from hopfield_nav.figures.run.signals import (
    draw_collision_count,
    draw_force_magnitude,
    draw_force_zoom,
    typical_collision,
)
from hopfield_nav.figures.run.touches import require_true_touch
from hopfield_nav.figures.saving import add_note, save_figure, settings_note, shown_in_notebooks
from hopfield_nav.figures.solid import in_space
from hopfield_nav.figures.style import paper_style
from hopfield_nav.figures.two_processes import do_in_two_processes
from hopfield_nav.navigation import RecordedSpace, space_of
from hopfield_nav.record import Run
from hopfield_nav.world import changed_settings

Page = Callable[[Run], Figure | None]
_OF_PLACES: dict[str, Page] = {  # on a map of the tool
    "collision_space": paper.collision_space_page,  # ragazzon2012 figure 7.2
    "snapshots": paper.snapshots_page,  # 7.3
    "maps": paper.maps_page,  # 7.4
    "trajectory": paper.trajectory_page,  # 7.5
    "path_in_space": paper.path_in_space_page,  # the same from one side, where the map is in space
}
_OF_NETWORK: dict[str, Page] = {"network": network_page}
_ON_REQUEST: dict[str, Page] = {"convergence": convergence_page, "link_forces": link_forces_page}
_OF_SIGNALS: dict[str, Page] = {
    "forces": paper.force_page,  # 7.6
    "force_magnitude": paper.force_magnitude_page,  # 7.7
    "force_zoom": paper.force_zoom_page,  # 7.8
    "joint_error": paper.joint_error_page,  # 7.9
    "joints": paper.joints_page,  # 3.5
    "reference": paper.reference_page,
}

_OF_ONE_TOUCH: dict[str, Callable[[Run, int], Figure | None]] = {
    "network": network_page,
    "force_zoom": paper.force_zoom_page,
}


def pages_of(run: Run) -> dict[str, Page]:
    """The figures of a run by the names of their files: of the map, by its owner, and of signals."""
    space = space_of(run.world)
    if space.of_places and run.world.goal is None and not (run.world.obstacles or run.world.known):
        # nothing is searched or touched: no map, no force without an estimator, no error at rest
        silent = ["force_magnitude"] if run.world.detection.estimator == "none" else []
        silent += [] if run.data.qd_ref.values.any() else ["joint_error"]
        return {"snapshots": paper.snapshots_page} | {
            n: p for n, p in _OF_SIGNALS.items() if n not in silent
        }
    if space.of_places:
        return _OF_PLACES | _OF_NETWORK | _OF_SIGNALS
    own = resolve_name(space.pages) if space.pages else {}
    cells_are_known = not isinstance(space, RecordedSpace)
    return (
        own
        | (_OF_NETWORK if cells_are_known else {})
        | {name: page for name, page in _OF_SIGNALS.items() if name != "force_zoom"}
    )


def _page_of(run: Run, pages: dict[str, Page], name: str, touch: int | None) -> Figure | None:
    """A figure, if there is one of this run; those of signals need more than one row."""
    if name in ("snapshots", *_OF_SIGNALS) and run.data.sizes["time"] <= 1:
        return None
    return pages[name](run) if touch is None else _OF_ONE_TOUCH[name](run, touch)


def _require_of_touch(name: str | None, touch: int | None, where: str) -> None:
    """Refuse a touch for a figure that is not of one."""
    if touch is not None and name not in _OF_ONE_TOUCH:
        known = ", ".join(_OF_ONE_TOUCH)
        raise BadInput("a touch belongs to figures of one", where, name, known)


def draw_run_figures(
    run: Run,
    folder: str | Path,
    pdf: bool = False,
    two_processes: bool = False,
    only: str | None = None,
    touch: int | None = None,
) -> list[Path]:
    """Draw every figure that makes sense for a run into a folder, which is made if need be; the files.

    ``only`` is the name of one figure, which may be one that is drawn on request alone:
    ``convergence`` and ``link_forces``. With ``touch``, counted from 1, ``network`` and
    ``force_zoom`` show that touch alone, in a file of its own.

    Figures of signals are left out where none were recorded, older ones of the same names replaced.
    On request there is a PDF beside each PNG, and a copy of this process helps, see
    ``figures.two_processes``.

    Raises ``OSError``: a file cannot be written; ``BadInput``: there is no such figure, or none of
    this run.
    """
    folder, pages = Path(folder), pages_of(run)
    _require_of_touch(only, touch, "--touch: --only")
    if only is not None:
        require_known(only, pages | _ON_REQUEST, "no such figure", "--only")
        pages = {only: (pages | _ON_REQUEST)[only]}
    folder.mkdir(parents=True, exist_ok=True)
    names = list(pages)
    endings = ("png", "pdf") if pdf else ("png",)
    note = run_note(run)
    behind = "" if touch is None else f"_touch_{touch}"

    def draw(name: str) -> bool:
        figure = _page_of(run, pages, name, touch)
        return figure is not None and bool(save_figure(figure, folder, name + behind, pdf, note))

    jobs = [partial(draw, name) for name in reversed(names)]  # those that take longest are last
    with paper_style():
        drawn = do_in_two_processes(jobs) if two_processes else [job() for job in jobs]
    made = [name for name, there in zip(names, reversed(drawn), strict=True) if there]
    if only is not None and not made:
        raise BadInput("this run has no such figure", where="--only", found=only)
    return [folder / f"{name}{behind}.{ending}" for name in made for ending in endings]


def draw_set_up(run: Run, folder: Path, name: str) -> Path:
    """Draw the set-up of a run's world to ``name.png`` in a folder that exists.

    Raises ``OSError``: it cannot be written.
    """
    with paper_style():
        return save_figure(paper.set_up_page(run), folder, name, note=run_note(run))[0]


def run_note(run: Run) -> str:
    """What stands below the figures of a run: its world, and the settings that are not the defaults."""
    return settings_note(str(run.summary["world"]), changed_settings(run.world))


_ONE_PANEL: dict[str, Callable[[Axes, Run], object]] = {
    "collision_space": draw_collision_space,
    "trajectory": draw_trajectory,
    "force_magnitude": draw_force_magnitude,
    "collision_count": draw_collision_count,
}


def _draw_one_zoom(ax: Axes, run: Run, touch: int | None = None) -> Axes:
    """The forces of one collision, by default of one with the median delay."""
    event = typical_collision(run) if touch is None else require_true_touch(run, touch)
    if event is None:
        raise BadInput("this run has no such figure", where="plot", found="force_zoom")
    return draw_force_zoom(ax, run, event)


_PANEL_OF_TOUCH: dict[str, Callable[[Axes, Run, int | None], Axes]] = {
    "network": draw_network,
    "force_zoom": _draw_one_zoom,
}


def plot_run(
    run: Run, name: str, ax: Axes | None = None, touch: int | None = None
) -> Axes | Figure:
    """Draw one figure of a run by the name of its file, or into Axes that are given.

    ``touch``, counted from 1, is for ``network`` and ``force_zoom``.

    Raises ``BadInput``: there is no such figure, or none of this run, or it has more than one
    panel; there is no such touch.
    """
    pages = pages_of(run) | _ON_REQUEST
    _require_of_touch(name, touch, "plot: touch")
    if ax is not None:
        flat = space_of(run.world).of_places and not in_space(run)
        one_panel = [*_ONE_PANEL] if flat else [*_ONE_PANEL][2:]
        require_known(name, [*one_panel, *_PANEL_OF_TOUCH], "no figure of one panel", "plot")
        if name in _PANEL_OF_TOUCH:
            return _PANEL_OF_TOUCH[name](ax, run, touch)
        _ONE_PANEL[name](ax, run)
        return ax
    require_known(name, pages, "no such figure", "plot")
    with paper_style():
        figure = _page_of(run, pages, name, touch)
        if figure is None:
            raise BadInput("this run has no such figure", where="plot", found=name)
        below = add_note(figure, run_note(run))
        figure.draw_without_rendering()  # ticks are made while the style holds
        return shown_in_notebooks(figure, below)
