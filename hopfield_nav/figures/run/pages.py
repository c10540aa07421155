"""Whole figures of a run: panels, legends and sizes for a column (8.5 cm) or a page (17 cm).

A map in space is seen from one side, a plane map from above.
"""

from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from hopfield_nav.figures.run import joints, maps, signals
from hopfield_nav.figures.run.levels import levels_page
from hopfield_nav.figures.run.snapshots import draw_snapshot, key_moments, snapshot_handles
from hopfield_nav.figures.run.space import draw_path_in_space, draw_plan_in_space, draw_space
from hopfield_nav.figures.sheets import add_legend, new_figure
from hopfield_nav.figures.solid import SceneView, in_space, map_extent, map_grid
from hopfield_nav.figures.style import CENTIMETRE, COLUMN, PAGE
from hopfield_nav.record import Run

MOST_MAPS = 24


def collision_space_page(run: Run) -> Figure:
    """The set-up (ragazzon2012 figure 7.2)."""
    if in_space(run):
        return space_page(run)
    figure = new_figure(COLUMN, _map_height(run, COLUMN))
    maps.draw_collision_space(figure.add_subplot(), run)
    return _trim(add_legend(figure, maps.space_handles(run), 4))


def space_page(run: Run) -> Figure:
    """The set-up in space."""
    handles, scene = [h for h in maps.space_handles(run) if h.get_label() != "excluded"], SceneView(run)
    figure, (ax,) = _panels(scene, COLUMN, 1, 1, 0.45 * CENTIMETRE, 0.0)
    draw_space(ax, run, scene)
    figure.legend(handles=handles, loc="upper center", ncols=4, borderaxespad=0.1)
    return figure


def trajectory_page(run: Run) -> Figure:
    """The tool's path over the final map (7.5), level by level where the map has levels."""
    if in_space(run):
        return levels_page(run)
    handles = maps.trajectory_handles(run)
    figure = new_figure(COLUMN, _map_height(run, COLUMN) + CENTIMETRE)
    maps.draw_trajectory(figure.add_subplot(), run)
    return _trim(add_legend(figure, handles, 3))


def path_in_space_page(run: Run) -> Figure | None:
    """The tool's path in space, among what it felt; None where the map is a plane."""
    if not in_space(run):
        return None
    handles, scene = maps.trajectory_handles(run, seen_from_above=False), SceneView(run)
    figure, (ax,) = _panels(scene, COLUMN, 1, 1, 0.85 * CENTIMETRE, 0.0)
    draw_path_in_space(ax, run, scene)
    figure.legend(handles=handles, loc="upper center", ncols=3, borderaxespad=0.1)
    return figure


def maps_page(run: Run) -> Figure:
    """The map and the new path after every collision (7.4), evenly chosen where there are too many."""
    if in_space(run):
        return space_plans_page(run, chosen_plans(len(run.plans()), 12))
    plans = run.plans()
    chosen = chosen_plans(len(plans))
    columns = 6 if len(chosen) > 8 else 4 if len(chosen) > 3 else len(chosen)
    width = PAGE if columns > 2 else COLUMN
    handles = maps.plan_handles(run)
    per_row = len(handles) if columns > 2 else 3
    note = "" if len(chosen) == len(plans) else f"   ({len(chosen)} of {len(plans)} maps, evenly chosen)"
    figure, panels = map_grid(run, width, len(chosen), columns, handles, per_row, note)
    for ax, k in zip(panels, chosen, strict=True):
        maps.draw_plan(ax, run, plans[k])
        ax.set_title(f"{k}: {plans[k].time:.1f} s" if k else "at the start", pad=2)
        ax.locator_params(nbins=3)
    return figure


def chosen_plans(count: int, most: int = MOST_MAPS) -> list[int]:
    """Which of ``count`` plans are drawn: all, or ``most`` of them evenly, the first and last included."""
    return [int(k) for k in np.linspace(0, count - 1, min(count, most)).round()]


def space_plans_page(run: Run, chosen: list[int]) -> Figure:
    """Felt cells and the new path after some of the collisions, which are given by number."""
    plans, scene = run.plans(), SceneView(run)
    columns = 2 if len(chosen) in (2, 4) else min(3, len(chosen))  # wide enough for the numbers
    width = PAGE if columns > 1 else COLUMN
    handles = maps.plan_handles(run)
    per_row = len(handles) if columns > 1 else 3
    head = 0.4 * CENTIMETRE * -(-len(handles) // per_row)
    note = 0.4 * CENTIMETRE if len(chosen) < len(plans) else 0.0
    figure, panels = _panels(scene, width, len(chosen), columns, head, note)
    for ax, k in zip(panels, chosen, strict=True):
        draw_plan_in_space(ax, run, plans[k], scene)
        ax.set_title(f"{k}: {plans[k].time:.1f} s" if k else "at the start", pad=0)
    if note:
        text = f"{len(chosen)} of {len(plans)} maps, evenly chosen"
        figure.text(0.5, 0.02 * CENTIMETRE, text, ha="center", va="bottom")
    figure.legend(handles=handles, loc="upper center", ncols=per_row, borderaxespad=0.1)
    return figure


def snapshots_page(run: Run) -> Figure | None:
    """The arm at up to six moments (7.3)."""
    if not _has_signals(run):
        return None
    moments, scene = key_moments(run), SceneView(run)
    columns = 2 if len(moments) in (2, 4) else 3
    rows = -(-len(moments) // columns)
    left, right, low, high = scene.limits()
    tall = PAGE / columns * (high - low) / (right - left) + 0.5 * CENTIMETRE
    figure = new_figure(PAGE, rows * tall + 0.6 * CENTIMETRE)
    for k, moment in enumerate(moments):
        ax = figure.add_subplot(rows, columns, k + 1)
        draw_snapshot(ax, run, moment.time, scene)
        ax.set_title(f"({'abcdef'[k]}) {moment.title}, {moment.time:.1f} s", pad=1)
    return _trim(add_legend(figure, snapshot_handles(run), 7), rows, columns)


def force_page(run: Run) -> Figure | None:
    """Components of the actual and the estimated force and moment (7.6) that are not zero throughout."""
    if not _has_signals(run):
        return None
    forces, moments = signals.used_components(run)
    draws = [partial(signals.draw_force_component, run=run, axis=k) for k in forces]
    draws += [partial(signals.draw_moment_component, run=run, axis=k) for k in moments]
    if not draws:
        return None
    flat = [f"${name}_{'xyz'[k]}$" for name, used in (("F", forces), ("M", moments)) for k in range(3)
            if k not in used]  # fmt: skip
    rows = -(-len(draws) // 2)
    figure = new_figure(PAGE, (3.0 * max(rows, 1.4)) * CENTIMETRE)
    for k, draw in enumerate(draws):
        place = 2 * (k % rows) + k // rows + 1  # down the columns: forces first
        _keep_outer(draw(figure.add_subplot(rows, 2, place)), 0, 1 if k in (rows - 1, len(draws) - 1) else 2, 1)
    figure.align_ylabels()
    return add_legend(figure, [*signals.force_handles(run), *signals.flat_handle(flat)], 3)


def force_magnitude_page(run: Run) -> Figure | None:
    """Magnitudes, and the number of collisions so far (7.7)."""
    if not _has_signals(run):
        return None
    figure = new_figure(COLUMN, 7.5 * CENTIMETRE)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(2.4, 1))
    signals.draw_force_magnitude(upper, run)
    signals.draw_collision_count(lower, run)
    upper.label_outer()
    figure.align_ylabels()
    return add_legend(figure, signals.force_handles(run, magnitude=True), 4)


def force_zoom_page(run: Run) -> Figure | None:
    """One collision from close by (7.8); None where there was none."""
    event = signals.typical_collision(run)
    if not _has_signals(run) or event is None:
        return None
    figure = new_figure(COLUMN, 7.5 * CENTIMETRE)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    signals.draw_force_zoom(upper, run, event)
    signals.draw_level_zoom(lower, run, event)
    upper.label_outer()
    figure.align_ylabels()
    return add_legend(figure, [*signals.force_handles(run), *signals.instant_handles(run, event)], 3)


def joint_error_page(run: Run) -> Figure | None:
    """Errors of all joints (7.9)."""
    if not _has_signals(run):
        return None
    n = run.data.sizes["joint"]
    rows = -(-n // 3)
    figure = new_figure(PAGE, (3.6 * rows + 0.4) * CENTIMETRE)
    for k in range(n):
        ax = joints.draw_joint_error(figure.add_subplot(rows, 3, k + 1), run, k)
        _keep_outer(ax, k, n, 3)
    return figure


def joints_page(run: Run) -> Figure | None:
    """Angles, speeds (ragazzon2012 figure 3.5) and torques of all joints, with their limits."""
    if not _has_signals(run):
        return None
    all_joints = list(range(run.data.sizes["joint"]))
    driven = joints.driven_joints(run)
    angle_rows, torque_rows = -(-len(all_joints) // 3), -(-len(driven) // 3)
    rows = 2 * angle_rows + torque_rows
    figure = new_figure(PAGE, (3.2 * rows + 1.0) * CENTIMETRE)
    for draw, shown, above in (
        (joints.draw_joint_angle, all_joints, 0),
        (joints.draw_joint_speed, all_joints, angle_rows),
        (joints.draw_joint_torque, driven, 2 * angle_rows),
    ):
        for k, joint in enumerate(shown):
            ax = draw(figure.add_subplot(rows, 3, 3 * above + k + 1), run, joint)
            _keep_outer(ax, k, len(shown), 3, bottom=shown is driven or (not driven and above > 0))
    still = [f"torque of joint {k + 1}" for k in all_joints if k not in driven]
    return add_legend(figure, [*joints.joint_handles(), *signals.flat_handle(still)], 3)


def reference_page(run: Run) -> Figure | None:
    """The splines of the first plan that was driven to its end, or of the last: q_ref, its derivatives, limits."""
    if not _has_signals(run) or run.world.goal is None:
        return None
    part = joints.reference_of_a_plan(run)
    figure = new_figure(PAGE, 11.5 * CENTIMETRE)
    axes = figure.subplots(3, 1, sharex=True)
    for ax, quantity in zip(axes, joints.REFERENCES, strict=True):
        joints.draw_reference(ax, run, part, quantity)
    axes[-1].set_xlabel("time (s)")
    axes[0].set_title(part.title)
    figure.align_ylabels()
    return add_legend(figure, joints.reference_handles(run, part), 8)


def _panels(
    scene: SceneView, width: float, count: int, columns: int, head: float, foot: float
) -> tuple[Figure, list[Axes]]:
    """Panels of the picture's shape below a head [inch] for the legend."""
    left, right, low, high = scene.limits(arm=False)
    edge = 0.35 * CENTIMETRE if columns > 1 else 0.0  # for the numbers at the left
    wide, title = (width - edge) / columns, 0.45 * CENTIMETRE if count > 1 else 0.0
    tall = wide * (high - low) / (right - left)
    rows = -(-count // columns)
    height = head + rows * (tall + title) + foot
    figure = Figure((width, height))
    places = [
        (edge + (k % columns) * wide, foot + (rows - 1 - k // columns) * (tall + title), wide, tall)
        for k in range(count)
    ]
    return figure, [figure.add_axes((x / width, y / height, w / width, h / height)) for x, y, w, h in places]


def _has_signals(run: Run) -> bool:
    return run.data.sizes["time"] > 1


def _trim(figure: Figure, rows: int = 1, columns: int = 1) -> Figure:
    """Take away the height that panels of a fixed shape leave empty."""
    figure.get_layout_engine().execute(figure)
    for ax in figure.axes:
        ax.apply_aspect()
    height = figure.get_figheight()
    slack = [ax.get_position(True).height - ax.get_position().height for ax in figure.axes]
    empty = sum(min(slack[k * columns : (k + 1) * columns]) for k in range(rows))
    figure.set_figheight(height * (1.0 - 0.98 * max(0.0, empty)))
    return figure


def _map_height(run: Run, width: float) -> float:
    """Height [inch] of a figure with one map of a given width [inch], without empty space."""
    left, right, low, high = map_extent(run)
    inner = width - 1.25 * CENTIMETRE
    return float(np.clip(inner * (high - low) / (right - left), 2 * CENTIMETRE, 24 * CENTIMETRE)) + 1.6 * CENTIMETRE


def _keep_outer(ax: Axes, k: int, count: int, columns: int, bottom: bool = True) -> None:
    """Labels only at the left column and in the lowest row."""
    if k % columns:
        ax.set_ylabel("")
    if k + columns < count or not bottom:
        ax.set_xlabel("")
        ax.tick_params(labelbottom=False)
