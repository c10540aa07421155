"""Whole figures of a run: panels, legends and sizes for a column (8.5 cm) or a page (17 cm).

A map in space is seen from one side, a plane map from above. Pages of signals, and of the moments
that are worth a picture of the scene (ragazzon2012 figure 7.3), are of a run that recorded some.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from hopfield_nav.build import all_solids, build_arm
from hopfield_nav.figures import solid
from hopfield_nav.figures.run import joints, maps, signals
from hopfield_nav.figures.run.film_panels import draw_snapshot, snapshot_handles
from hopfield_nav.figures.run.touches import require_true_touch
from hopfield_nav.figures.sheets import add_legend, labelled, new_figure, panel_sheet
from hopfield_nav.figures.style import CENTIMETRE, COLUMN, PAGE, panels_across
from hopfield_nav.figures.thinned import evenly
from hopfield_nav.navigation import space_of
from hopfield_nav.record import Run, contact_episodes

MOST_MAPS = 24
Draw = Callable[..., Axes]
_ENDS = {
    "reached": "goal reached",
    "no_path": "no path is left",
    "unreachable": "out of reach",
    "time_limit": "end of time",
    "diverged": "diverged",
    "method_failed": "the method failed",
    "internal_error": "the program failed",
    "running": "the end so far",
}


class Moment(NamedTuple):
    """A time [s] and what is to be seen."""

    time: float
    title: str


def collision_space_page(run: Run) -> Figure:
    """The set-up (ragazzon2012 figure 7.2)."""
    scene, handles = _scene_of(run), maps.space_handles(run)
    return _map_page(
        run,
        scene,
        COLUMN,
        {"": partial(maps.draw_collision_space, run=run, scene=scene)},
        1,
        handles,
        4,
    )


def trajectory_page(run: Run) -> Figure:
    """The tool's path over the final map (7.5), level by level where the map has levels."""
    handles = maps.trajectory_handles(run)
    if not solid.in_space(run):
        return _map_page(
            run, None, COLUMN, {"": partial(maps.draw_trajectory, run=run)}, 1, handles, 3
        )
    count = run.world.map.shape[2]
    levels = evenly(count, MOST_MAPS)
    choices = (4, 3) if len(levels) <= 8 else (6, 5)
    columns = min(choices, key=lambda c: (-len(levels) % c, -c)) if len(levels) > 4 else len(levels)
    draws = {
        f"z = {solid.level_height(run, k) + 0.0:.3g} m": partial(
            maps.draw_trajectory, run=run, level=k
        )
        for k in levels
    }
    return _map_page(
        run, None, PAGE, draws, columns, handles, 7, _some(len(levels), count, "levels")
    )


def path_in_space_page(run: Run) -> Figure | None:
    """The tool's path in space, among what it felt; None where the map is a plane."""
    if not solid.in_space(run):
        return None
    scene, handles = solid.SceneView(run), maps.trajectory_handles(run, seen_from_above=False)
    return _map_page(
        run,
        scene,
        COLUMN,
        {"": partial(maps.draw_path_in_space, run=run, scene=scene)},
        1,
        handles,
        3,
    )


def maps_page(run: Run) -> Figure:
    """The map and the new path after every collision (7.4), evenly chosen where there are too many."""
    scene, plans, handles = _scene_of(run), run.plans(), maps.plan_handles(run)
    chosen = evenly(len(plans), MOST_MAPS if scene is None else MOST_MAPS // 2)
    if scene is None:
        columns = 6 if len(chosen) > 8 else 4 if len(chosen) > 3 else len(chosen)
    else:
        columns = 2 if len(chosen) in (2, 4) else min(3, len(chosen))  # wide enough for the numbers
    width, per_row = (PAGE, len(handles)) if columns > (2 if scene is None else 1) else (COLUMN, 3)
    draws = {
        f"{k}: {plans[k].time:.1f} s" if k else "at the start": partial(
            maps.draw_plan, run=run, plan=plans[k], scene=scene
        )
        for k in chosen
    }
    return _map_page(
        run, scene, width, draws, columns, handles, per_row, _some(len(chosen), len(plans), "maps")
    )


def snapshots_page(run: Run) -> Figure:
    """The arm at up to six moments (7.3)."""
    moments = key_moments(run)
    scene = solid.SceneView(run)
    left, right, low, high = scene.limits()
    shape = (high - low) / (right - left)
    columns = 2 if len(moments) in (2, 4) else 3
    figure, panels = panel_sheet(PAGE, shape, len(moments), columns, snapshot_handles(run), 7,
                                 left=0.35 * scene.in_space, title=0.5)  # fmt: skip
    for name, ax, moment in zip("abcdef", panels, moments, strict=False):
        draw_snapshot(ax, run, moment.time, scene)
        ax.set_title(f"({name}) {moment.title}, {moment.time:.1f} s", pad=1)
    return figure


def key_moments(run: Run) -> list[Moment]:
    """Start, collisions, free motion, a missed contact, end: two to six, in order, each once.

    Where it can be, collisions come first, then the free motion, then the missed contact, as in the
    document.
    """
    events, end = run.data.event_time.values, float(run.data.time.values[-1])
    missed = [e for e in contact_episodes(run) if not e.registered]
    moments = [Moment(0.0, "start"), Moment(end, _ENDS[run.outcome])]
    if events.size:
        moments.append(Moment(float(events[0]), "first collision"))
    last = end
    if missed:
        deepest = max(missed, key=lambda e: e.peak_force)
        moments.append(Moment(deepest.peak_time, "missed contact"))
        last = deepest.start
    second = float(events[1]) if events.size > 1 and events[1] < last else 0.0
    free = _freest(run, second, last)
    moments.append(Moment(free, "moving freely"))
    before = int(np.searchsorted(events, free)) if second else events.size
    # more of them, evenly chosen, the last one only when there is no other
    for k in (
        sorted(set(np.linspace(1, before - 1, 8 - len(moments))[1:-1].round().astype(int)))
        if before > 1
        else ()
    ):
        moments.append(Moment(float(events[k]), f"collision {k + 1}"))
    first = {
        k: m for k, m in enumerate(moments) if all(abs(m.time - o.time) > 1e-3 for o in moments[:k])
    }
    return sorted(first.values(), key=lambda m: m.time)


def _freest(run: Run, first: float, last: float) -> float:
    """The middle of the longest stretch between contacts and two times [s]."""
    busy = [x for e in contact_episodes(run) if first <= e.start < last for x in (e.start, e.end)]
    edges = np.array([first, *busy, last]).reshape(-1, 2)
    longest = int(np.argmax(edges[:, 1] - edges[:, 0]))
    return float(edges[longest].mean())


def _scene_of(run: Run) -> solid.SceneView | None:
    return solid.SceneView(run) if solid.in_space(run) else None


def _some(shown: int, count: int, things: str) -> str:
    return "" if shown == count else f"({shown} of {count} {things}, evenly chosen)"


def _map_page(
    run: Run, scene: solid.SceneView | None, width: float, draws: Mapping[str, Callable[[Axes], Axes]], columns: int,
    handles: list[Artist], per_row: int, note: str = "",
) -> Figure:  # fmt: skip
    """Panels of a map by their titles, from above, or in space from one side; a note at the lower edge."""
    left, right, low, high = solid.map_extent(run) if scene is None else scene.limits(arm=False)
    shape, title = (high - low) / (right - left), 0.45 * any(draws)
    columns = panels_across(columns, width)
    if scene is None:
        shape, room = min(shape, 3.0), {"left": 1.25, "right": 0.15, "below": 0.95, "between": 0.18}
    else:
        room = {"left": 0.35 * (columns > 1), "below": 0.4 * bool(note)}
    figure, panels = panel_sheet(
        width, shape, len(draws), columns, handles, per_row, title=title, **room
    )
    for k, (ax, name) in enumerate(zip(panels, draws, strict=True)):
        draws[name](ax).set_title(name, pad=2)
        if scene is None:
            ax.set(xlabel="", ylabel="")
            ax.tick_params(labelbottom=k + columns >= len(draws), labelleft=k % columns == 0)
            ax.locator_params(nbins=3 if len(draws) > 1 else 5)
    across = "" if scene else "x (m)   "
    figure.supxlabel(
        across + note, fontsize="medium", y=0.1 * CENTIMETRE / figure.get_figheight(), va="bottom"
    )
    if scene is None:
        edge = 0.1 * CENTIMETRE / figure.get_figwidth()
        figure.supylabel("y (m)", fontsize="medium", x=edge, ha="left")
    return figure


def set_up_page(run: Run) -> Figure:
    """The arm at the start among all obstacles, known and unknown; beside it a flat map from above."""
    flat = space_of(run.world).of_places and not solid.in_space(run)
    figure = new_figure(PAGE, 9 * CENTIMETRE)
    ax = figure.add_subplot(1, 2, 1) if flat else figure.add_subplot()
    # the picture holds the goal too where it is a pose
    q, goal = (np.array(run.world.start.joints), run.world.goal)
    held = np.array([q] if goal is None or goal.joints is None else [q, goal.joints])
    view = solid.CellView(build_arm(run.world), all_solids(run.world), held)
    solid.add_poses(ax, view, [solid.CellPose(q)])
    solid.add_ends(ax, run, 5, view.appear)
    payload = solid.add_payload(ax, run, q, view.appear)
    solid.frame_cell(ax, view)
    if flat:
        maps.draw_collision_space(figure.add_subplot(1, 2, 2), run)
    handles = [h for h in maps.space_handles(run) if flat or h.get_label() != "excluded"]
    return add_legend(figure, [*handles, *payload], 6)


def force_page(run: Run) -> Figure | None:
    """Components of the actual and the estimated force and moment (7.6) that are not zero throughout."""
    used = signals.used_components(run)
    if not used:
        return None
    kinds = {"F": signals.draw_force_component, "M": signals.draw_moment_component}
    draws = [partial(kinds[name], run=run, axis=axis) for name, axis in used]
    flat = [
        f"${name}_{'xyz'[axis]}$" for name in kinds for axis in range(3) if (name, axis) not in used
    ]
    columns = panels_across(2, PAGE)
    rows = -(-len(draws) // columns)
    figure = new_figure(PAGE, (3.0 * max(rows, 1.4)) * CENTIMETRE)
    for k, draw in enumerate(draws):
        place = columns * (k % rows) + k // rows + 1  # down the columns: forces first
        is_lowest = k in (rows - 1, len(draws) - 1)
        _keep_outer(draw(figure.add_subplot(rows, columns, place)), 0, 1 if is_lowest else 2, 1)
    figure.align_ylabels()
    return add_legend(figure, [*labelled(figure), *signals.flat_handle(flat)], 3)


def force_magnitude_page(run: Run) -> Figure:
    """Magnitudes, and the number of collisions so far (7.7)."""
    return _two_panels(run, signals.draw_force_magnitude, signals.draw_collision_count, 2.4, 4)


def force_zoom_page(run: Run, touch: int | None = None) -> Figure | None:
    """One collision from close by (7.8); None where there was none.

    ``touch``: its number, from 1; default that of the median delay. Raises ``BadInput``: the run has
    no such touch, or it was a false alarm.
    """
    event = signals.typical_collision(run) if touch is None else require_true_touch(run, touch)
    if event is None:
        return None
    upper, lower = (
        partial(draw, event=event) for draw in (signals.draw_force_zoom, signals.draw_level_zoom)
    )
    return _two_panels(run, upper, lower, 2, 3)


def _two_panels(run: Run, upper: Draw, lower: Draw, ratio: float, columns: int) -> Figure:
    """Two panels over the same time, the upper one so much higher."""
    figure = new_figure(COLUMN, 7.5 * CENTIMETRE)
    axes = figure.subplots(2, 1, sharex=True, height_ratios=(ratio, 1))
    for ax, draw in zip(axes, (upper, lower), strict=True):
        draw(ax, run)
    axes[0].label_outer()
    figure.align_ylabels()
    return add_legend(figure, labelled(figure), columns)


def joint_error_page(run: Run) -> Figure:
    """Errors of all joints (7.9)."""
    n = run.data.sizes["joint"]
    columns = panels_across(3, PAGE)
    rows = -(-n // columns)
    figure = new_figure(PAGE, (3.6 * rows + 0.4) * CENTIMETRE)
    for k in range(n):
        ax = joints.draw_joint_error(figure.add_subplot(rows, columns, k + 1), run, k)
        _keep_outer(ax, k, n, columns)
    _small_titles(figure, columns)
    return figure


def joints_page(run: Run) -> Figure:
    """Angles, speeds (ragazzon2012 figure 3.5) and torques of all joints, with their limits."""
    all_joints = list(range(run.data.sizes["joint"]))
    least = joints.JOINT_SIGNALS["torque"][-1]
    driven = [k for k, tau in enumerate(run.data.tau.values.T) if not signals.is_flat(tau, least)]
    columns = panels_across(3, PAGE)
    angle_rows = -(-len(all_joints) // columns)
    torque_rows = -(-len(driven) // columns)
    rows = 2 * angle_rows + torque_rows
    figure = new_figure(PAGE, (3.2 * rows + 1.0) * CENTIMETRE)
    for name, shown, above in (("angle", all_joints, 0), ("speed", all_joints, angle_rows),
                               ("torque", driven, 2 * angle_rows)):  # fmt: skip
        for k, joint in enumerate(shown):
            place = columns * above + k + 1
            ax = joints.draw_joint(figure.add_subplot(rows, columns, place), run, joint, name)
            is_last = shown is driven or (not driven and above > 0)
            _keep_outer(ax, k, len(shown), columns, bottom=is_last)
    _small_titles(figure, columns)
    still = [f"torque of joint {k + 1}" for k in all_joints if k not in driven]
    return add_legend(figure, [*labelled(figure), *signals.flat_handle(still)], 3)


def reference_page(run: Run) -> Figure | None:
    """The splines of the first plan that was driven to its end, or of the last: q_ref, its derivatives, limits."""
    if run.world.goal is None:
        return None
    rows, title = joints.reference_of_a_plan(run)
    figure = new_figure(PAGE, 11.5 * CENTIMETRE)
    axes = figure.subplots(3, 1, sharex=True)
    for ax, quantity in zip(axes, joints.REFERENCES, strict=True):
        joints.draw_reference(ax, run, rows, quantity)
    axes[-1].set_xlabel("time (s)")
    axes[0].set_title(title)
    figure.align_ylabels()
    return add_legend(figure, labelled(figure), 8)


def _small_titles(figure: Figure, columns: int) -> None:
    """Smaller titles above panels of which fewer than three stand beside each other: they are narrow."""
    if columns < 3:
        for ax in figure.axes:
            ax.title.set_size(0.8 * ax.title.get_size())


def _keep_outer(ax: Axes, k: int, count: int, columns: int, bottom: bool = True) -> None:
    """Labels only at the left column and in the lowest row."""
    if k % columns:
        ax.set_ylabel("")
    if k + columns < count or not bottom:
        ax.set_xlabel("")
        ax.tick_params(labelbottom=False)
