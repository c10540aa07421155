"""The figures of a run: they exist, and they draw what the record says."""

import copy
import io
import itertools
import os

import numpy as np
import pytest
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Circle
from pictures import assert_fit_to_print
from PIL import Image
from scenes import NO_PATH

from dynamics import link_frames, load_arm
from hopfield_nav import load_run, load_world, simulate
from hopfield_nav.figures import (
    COLOURS,
    add_note,
    envelope,
    keep_scale,
    new_figure,
    paper_style,
    save_figure,
    settings_note,
)
from hopfield_nav.figures.run import (
    draw_collision_count,
    draw_collision_space,
    draw_force_component,
    draw_force_magnitude,
    draw_force_zoom,
    draw_joint,
    draw_joint_error,
    draw_moment_component,
    draw_plan,
    draw_run_figures,
    draw_snapshot,
    draw_trajectory,
    signals,
)
from hopfield_nav.figures.run.draw import run_note
from hopfield_nav.figures.run.maps import space_handles, trajectory_handles
from hopfield_nav.figures.run.pages import (
    MOST_MAPS,
    Moment,
    force_page,
    joints_page,
    key_moments,
    set_up_page,
)
from hopfield_nav.figures.run.signals import typical_collision
from hopfield_nav.figures.solid import SceneView, layers, make_view, project
from hopfield_nav.figures.solid.faces import arm_outline, pose_outline, turned_faces
from hopfield_nav.figures.thinned import evenly
from hopfield_nav.geometry import arm_parts
from hopfield_nav.record import contact_episodes, force_norm

NAMES = {
    "collision_space", "snapshots", "maps", "trajectory", "forces", "force_magnitude", "force_zoom",
    "joint_error", "joints", "network", "reference",
}  # fmt: skip
SLOW = "detection={estimator: joint_error, measure: force_norm}"  # the level is a force
OF_SIGNALS = {
    "snapshots",
    "forces",
    "force_magnitude",
    "force_zoom",
    "joint_error",
    "joints",
    "reference",
}


@pytest.fixture(scope="module")
def run():
    """Two collisions of the U-shaped trap."""
    return simulate(load_world("u_trap", ["time_limit=8", SLOW]))


@pytest.fixture(scope="module")
def gap():
    """A wall with a gap, and a contact too light to be registered."""
    return simulate(load_world("narrow_gap", [SLOW]))


@pytest.fixture(scope="module")
def written(run, tmp_path_factory):
    """Every figure as PNG and as PDF, of the saved run."""
    folder = tmp_path_factory.mktemp("written")
    return draw_run_figures(load_run(run.save(folder / "run")), folder / "figures", pdf=True)


@pytest.fixture
def drawn(sketched, tmp_path):
    """The names of a run's figures."""
    return lambda run: {path.stem for path in draw_run_figures(run, tmp_path)}


def test_every_figure_is_drawn_at_the_width_of_a_column_or_a_page(written):
    pictures = [path for path in written if path.suffix == ".png"]
    assert {path.stem for path in pictures} == NAMES
    for path in pictures:
        assert_fit_to_print(path)
        assert path.stat().st_size < 1_000_000


def test_pdf_stands_beside_png_and_nothing_half_written_is_left(written):
    assert {path.suffix for path in written} == {".png", ".pdf"}
    assert len(written) == 2 * len(NAMES)
    assert sorted(written[0].parent.iterdir()) == sorted(written)
    assert written[0].with_name("maps.pdf").read_bytes()[:4] == b"%PDF"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no copy of a process on this system")
def test_figures_drawn_in_two_are_the_same_files(run, written, tmp_path):
    both = draw_run_figures(run, tmp_path, two_processes=True)
    alone = [path for path in written if path.suffix == ".png"]
    assert [path.name for path in both] == [path.name for path in alone]
    assert sorted(tmp_path.iterdir()) == sorted(both)
    for one, other in zip(alone, both, strict=True):
        assert one.read_bytes() == other.read_bytes()


def test_a_run_without_collisions_has_no_zoom_and_no_components_of_force(drawn):
    assert drawn(simulate(load_world("empty", ["time_limit=0.2"]))) == NAMES - {
        "force_zoom",
        "forces",
    }


def test_a_run_without_signals_has_maps_alone(drawn):
    run = simulate(load_world("u_trap", ["time_limit=8", "record.signals=none"]))
    assert run.data.sizes["time"] == 0
    assert drawn(run) == NAMES - OF_SIGNALS - {"network"}  # which is kept where signals are


def test_a_run_that_never_began(drawn):
    run = simulate(load_world("u_trap", NO_PATH))
    assert run.outcome == "no_path"
    assert drawn(run) == NAMES - OF_SIGNALS


def test_a_run_that_diverged_and_one_without_a_goal(drawn):
    exploded = simulate(load_world("u_trap", ["controller.omega=3000", "detection.estimator=none"]))
    assert exploded.outcome == "diverged"
    drawn(exploded)
    idle = simulate(load_world("u_trap", ["goal=null", "time_limit=0.1"]))
    assert drawn(idle) == NAMES - {"force_zoom", "forces", "network", "reference"}


def test_a_sparse_record(drawn):
    run = simulate(load_world("u_trap", ["time_limit=8", "record.every=200"]))
    assert drawn(run) == NAMES
    assert len(contact_episodes(run)) <= run.summary["contact_count"] + 1


# contacts


def test_contacts_are_counted_as_the_simulation_counts_them(gap):
    episodes = contact_episodes(gap)
    assert len(episodes) == gap.summary["contact_count"]
    answered = gap.summary["collision_count"] - gap.summary["repeated_alarm_count"]
    assert sum(e.registered for e in episodes) == answered < len(episodes)
    assert max(e.peak_force for e in episodes) == pytest.approx(
        gap.summary["peak_contact_force_N"], rel=1e-3
    )
    assert set(gap.data.touch_time.values) == {e.start for e in episodes if e.registered}


def test_the_light_contact_is_not_registered(gap):
    (missed,) = [e for e in contact_episodes(gap) if not e.registered]
    assert missed.peak_force < 12
    assert not np.any(
        (gap.data.event_time >= missed.start) & (gap.data.event_time <= missed.end + 0.05)
    )
    assert Moment(missed.peak_time, "missed contact") in key_moments(gap)
    row = np.searchsorted(gap.data.time.values, missed.start)
    np.testing.assert_array_equal(missed.position, gap.data.tool_position.values[row])


def test_touches_within_50_ms_are_one_contact(run):
    force = np.zeros_like(run.data.force.values)
    force[[100, 149, 300], 0] = 1.0
    altered = load_like(run, force)
    assert [(round(e.start, 3), round(e.end, 3)) for e in contact_episodes(altered)] == [
        (0.1, 0.149),
        (0.3, 0.3),
    ]
    assert not any(e.registered for e in contact_episodes(altered))


def load_like(run, force):
    from hopfield_nav.record import Run

    other = Run(run.world, run.summary, np.zeros((0, 1)), [], np.zeros((0, 2)), np.zeros((0, 0)))
    other._data = run.data.assign(force=(("time", "axis"), force))
    return other


# maps


def test_the_map_shows_the_cells_that_were_felt(run, ax):
    plan = run.plans()[-1]
    draw_plan(ax, run, plan)
    image = np.asarray(ax.images[0].get_array()).T
    felt = (image == layers.FELT) | (image == layers.NEW)
    np.testing.assert_array_equal(felt, plan.felt)
    assert list(zip(*np.nonzero(image == layers.NEW), strict=True)) == [tuple(plan.cell)]
    path = layers.cell_centres(run, plan.path)
    np.testing.assert_allclose(np.column_stack(ax.lines[0].get_data()), path)


def test_cells_lie_where_the_map_says(run, ax):
    draw_collision_space(ax, run)
    left, right, low, _ = ax.images[0].get_extent()
    assert (right - left) / run.world.map.shape[0] == pytest.approx(run.world.map.spacing)
    assert left + run.world.map.spacing / 2 == pytest.approx(run.world.map.origin[0])
    assert low + run.world.map.spacing / 2 == pytest.approx(run.world.map.origin[1])
    assert not np.isin(ax.images[0].get_array(), [layers.FELT, layers.NEW]).any()
    assert ax.get_xlabel() == "x (m)"


def test_the_trajectory_marks_every_collision(run, ax):
    draw_trajectory(ax, run)
    lines = {line.get_label(): line for line in ax.lines}
    count = run.summary["collision_count"]
    assert count == len(lines["_marked"].get_xdata()) == len(lines["_contact"].get_xdata()) > 0
    centres = layers.cell_centres(run, run.data.event_cell.values)
    np.testing.assert_allclose(np.column_stack(lines["_marked"].get_data()), centres)
    np.testing.assert_array_equal(
        lines["_contact"].get_ydata(), run.data.event_position.values[:, 1]
    )
    assert "_missed" not in lines


def test_the_trail_is_made_of_recorded_points(run, ax):
    draw_trajectory(ax, run)
    line = next(line for line in ax.lines if line.get_color() == COLOURS.travelled)
    recorded = set(map(tuple, run.data.tool_position.values[:, :2].tolist()))
    assert set(zip(*(v.tolist() for v in line.get_data()), strict=True)) <= recorded


def test_a_missed_contact_is_on_the_map_and_over_time(gap, ax):
    draw_trajectory(ax, gap)
    assert len(next(line for line in ax.lines if line.get_label() == "_missed").get_xdata()) == 1
    strip = Figure().add_subplot()
    draw_force_magnitude(strip, gap)
    assert len(strip.patches) == 1


def test_too_many_maps_are_thinned_evenly(tmp_path):
    assert evenly(5, MOST_MAPS) == [0, 1, 2, 3, 4]
    many = evenly(61, MOST_MAPS)
    assert (many[0], many[-1], len(many)) == (0, 60, MOST_MAPS)
    assert set(np.diff(many)) <= {2, 3}


def test_sixty_collisions_make_one_page(run, tmp_path):
    many = load_like(run, run.data.force.values)
    many._data = many._data.isel(event=np.arange(60) % run.data.sizes["event"])
    from hopfield_nav.figures.run.pages import maps_page

    figure = maps_page(many)
    assert len(figure.axes) == MOST_MAPS
    assert "24 of 61" in figure.get_supxlabel()


# signals


def test_force_lines_are_the_record_and_lose_no_peak(run, ax):
    draw_force_component(ax, run, 0)
    time, true = ax.lines[1].get_data()
    rows = np.searchsorted(run.data.time.values, time)
    np.testing.assert_array_equal(true, run.data.force.values[rows, 0])
    assert true.min() == run.data.force.values[:, 0].min()
    assert len(time) < 2100


def test_moment_lines_are_about_the_tool_point(run, ax):
    draw_moment_component(ax, run, 2)
    time, true = ax.lines[1].get_data()
    rows = np.searchsorted(run.data.time.values, time)
    data = run.data.isel(time=rows)
    lever = (data.contact_point - data.tool_position).fillna(0.0).values
    about_z = (
        lever[:, 0] * data.contact_force.values[:, 1]
        - lever[:, 1] * data.contact_force.values[:, 0]
    )
    np.testing.assert_allclose(true, np.nan_to_num(about_z), atol=1e-12)


def test_noise_looks_like_noise_and_a_tick_says_its_whole_value(run):
    with paper_style():
        ax = Figure().add_subplot()
        keep_scale(ax.plot([0, 1], [5e-13, -5e-13])[0].axes, 2.0)
        assert np.ptp(ax.get_ylim()) == pytest.approx(2.0)
        keep_scale(ax, 0.5)
        assert np.ptp(ax.get_ylim()) == pytest.approx(2.0)  # only what is less
        far = Figure().add_subplot()
        far.plot([0, 1], [1000.001, 1000.002])
        far.figure.canvas.draw()
        assert far.yaxis.get_offset_text().get_text() == ""


def test_magnitudes_and_count(run, ax):
    draw_force_magnitude(ax, run)
    assert ax.lines[1].get_ydata().max() == force_norm(run.data.force.values).max()
    assert ax.lines[2].get_ydata()[0] == run.world.detection.parameters["threshold"]
    steps = draw_collision_count(Figure().add_subplot(), run).lines[0]
    assert steps.get_ydata()[-1] == run.summary["collision_count"]
    np.testing.assert_array_equal(steps.get_xdata()[1:-1], run.data.event_time.values)


def test_the_zoom_states_the_delay(run, ax):
    event = typical_collision(run)
    draw_force_zoom(ax, run, event)
    delay = 1000 * float(run.data.event_time[event] - run.data.touch_time[event])
    assert f"delay {delay:.0f} ms" in [text.get_text() for text in ax.texts]
    assert ax.get_xlim() == pytest.approx(
        (float(run.data.touch_time[event]) - 0.1, float(run.data.event_time[event]) + 0.3)
    )


def test_joint_errors_and_torques(run, ax):
    draw_joint_error(ax, run, 3)
    error = 1e3 * (run.data.q - run.data.q_ref).values[:, 3]
    assert ax.lines[1].get_ydata().max() == error.max()
    assert "±28 N·m" in draw_joint(Figure().add_subplot(), run, 5, "torque").get_title()
    assert "±6.28 rad" in draw_joint(Figure().add_subplot(), run, 0, "angle").get_title()


def test_envelope_keeps_points_order_and_extremes():
    time = np.arange(50_001.0)
    values = np.sin(time / 7) + np.where(time == 33_333, 9.0, 0.0)
    t, v = envelope(time, values)
    assert len(t) <= 2002
    assert np.all(np.diff(t) > 0)
    np.testing.assert_array_equal(v, values[t.astype(int)])
    assert (v.max(), v.min()) == (values.max(), values.min())
    assert envelope(time[:5], values[:5])[0].size == 5
    t, v = envelope(time, np.where(time > 100, np.nan, values))
    assert np.nanmax(v) == values[:101].max()


# the scene


def test_snapshots_show_start_collision_and_end(run):
    shown = key_moments(run)
    assert len(shown) <= 6
    assert [shown[0].title, shown[-1].title] == ["start", "end of time"]
    assert float(run.data.event_time[0]) in [moment.time for moment in shown]
    times = [moment.time for moment in shown]
    assert times == sorted(set(times))


def test_a_run_that_was_interrupted_has_an_end_too(run):
    cut = copy.copy(run)
    cut.summary = {**run.summary, "outcome": "running"}
    assert key_moments(cut)[-1].title == "the end so far"


def test_a_snapshot_shows_the_tool_and_the_felt_cells(run, ax):
    time = float(run.data.event_time[-1])
    draw_snapshot(ax, run, time)
    scene, row = SceneView(run), int(np.searchsorted(run.data.time.values, time))
    tool = scene.appear(run.data.tool_position.values[row])
    np.testing.assert_allclose(
        np.ravel(max(ax.lines, key=lambda line: line.get_zorder()).get_data()), tool
    )
    felt = next(c for c in ax.collections if isinstance(c, PolyCollection))
    assert len(felt.get_paths()) == run.plans()[-1].felt.sum()
    assert ax.get_aspect() == 1.0


def test_lengths_in_the_picture_plane_are_true():
    looking = make_view(58, 34)
    np.testing.assert_allclose(np.stack(looking) @ np.stack(looking).T, np.eye(3), atol=1e-12)
    assert np.linalg.det(np.stack(looking)) == pytest.approx(1.0)
    np.testing.assert_allclose(project(looking, 0.3 * looking.right), [0.3, 0.0], atol=1e-12)


def test_what_turns_looks_outwards():
    outline = [(0.0, 0.0), (0.05, 0.0), (0.03, 0.2), (0.0, 0.2)]
    faces = turned_faces(np.array([0.3, 0.0, 0.1]), np.array([0.6, 0.0, 0.8]), outline)
    normal = np.cross(faces[:, 2] - faces[:, 0], faces[:, 3] - faces[:, 1])
    outward = faces.mean(axis=1) - faces.reshape(-1, 3).mean(axis=0)
    assert np.all(np.sum(normal * outward, axis=1) > 0.0)
    volume = np.sum(faces.mean(axis=1) * normal) / 6
    assert volume == pytest.approx(np.pi * 0.2 * (0.05**2 + 0.05 * 0.03 + 0.03**2) / 3, rel=1e-2)


def test_the_arm_hangs_together():
    arm = load_arm("ur5_ragazzon2012")
    q = np.array([2.5511, -1.1193, 2.5706, 0.1196, 1.5708, -0.5905])
    frames = link_frames(arm, q)[arm.capsules[:, 0].astype(int)]
    ends = [
        np.einsum("kij,kj->ki", frames[:, :3, :3], arm.capsules[:, c : c + 3]) + frames[:, :3, 3]
        for c in (1, 4)
    ]
    share = np.linspace(0, 1, 50)[:, None, None]
    points = (1 - share) * ends[0] + share * ends[1]
    for k in range(1, len(arm.capsules)):
        gap = np.linalg.norm(points[:, None, k] - points[None, :, k - 1], axis=2).min()
        assert gap < arm.capsules[k, 7] + arm.capsules[k - 1, 7]


# colours


DEUTERANOPIA = [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.011820, 0.042940, 0.968881],
]
PROTANOPIA = [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
]
MEANINGS = ("felt", "planned", "travelled", "true", "start", "goal", "missed")
TRITANOPIA = [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.303900],
]


@pytest.mark.parametrize("sight", [np.eye(3), DEUTERANOPIA, PROTANOPIA, TRITANOPIA])
def test_meanings_differ_for_every_reader(sight):
    """Distances in CIELAB; the matrices are those of Machado, Oliveira and Fernandes 2009."""
    seen = {
        name: lab(np.clip(np.array(sight) @ linear(getattr(COLOURS, name)), 0, 1))
        for name in MEANINGS
    }
    for a, b in itertools.combinations(MEANINGS, 2):
        assert np.linalg.norm(seen[a] - seen[b]) > 15, (a, b)


def linear(colour):
    rgb = np.array(to_rgb(colour))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    f = np.cbrt(np.maximum(np.array(to_xyz) @ rgb / [0.9505, 1.0, 1.089], 1e-4))
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


# what tells one picture, and one line in it, from another


def test_a_note_names_the_world_and_what_is_not_the_default_and_leaves_the_figure_as_it_is(
    run, tmp_path
):
    note = run_note(load_run_with(run, {"detection.threshold": 8, "seed": 3}))
    assert note.split("  ·  ") == ["u_trap", "detection.threshold\u00a08", "seed\u00a03"]
    sizes = {}
    for name, said in (("without", ""), ("with", note)):
        figure = new_figure(2.0, 1.0)
        figure.add_subplot()
        (path,) = save_figure(figure, tmp_path, name, note=said)
        sizes[name] = np.asarray(Image.open(path).convert("L"))
    above = sizes["with"][: len(sizes["without"])]
    np.testing.assert_array_equal(above, sizes["without"])
    assert (sizes["with"][len(above) :] < 200).sum() > 0


def test_a_long_note_ends_in_three_lines():
    figure = new_figure(2.0, 1.0)
    add_note(figure, settings_note("world", {f"section.key_{k}": float(k) for k in range(60)}))
    lines = figure.texts[0].get_text().splitlines()
    assert len(lines) == 3
    assert lines[-1].endswith("…")


def load_run_with(run, changes):
    """The run as if it were one of a world with other values."""
    other = load_like(run, run.data.force.values)
    other.world = load_world("u_trap", changes)
    return other


def test_white_crosses_are_in_the_legend(run):
    labels = [handle.get_label() for handle in trajectory_handles(run)]
    assert "touched cell" in labels
    assert "touched cell" not in [
        h.get_label() for h in trajectory_handles(run, seen_from_above=False)
    ]


def test_what_is_zero_throughout_is_named_and_not_drawn():
    run = simulate(load_world("u_trap", ["time_limit=8"]))
    # the tool touches upright cylinders in a plane
    assert signals.used_components(run) == [("F", 0), ("F", 1)]
    figure = force_page(run)
    assert [ax.get_ylabel() for ax in figure.axes] == ["$F_x$ (N)", "$F_y$ (N)"]
    assert "zero throughout: $F_z$, $M_x$, $M_y$, $M_z$" in [
        t.get_text() for t in figure.legends[0].texts
    ]
    assert len(joints_page(run).axes) == 17  # the flange's motor has nothing to do


def test_a_second_obstacle_is_said_beside_the_collision_that_touches_it_too(run):
    """The total force is then more than that of the largest contact; where one alone touches, nothing is."""
    event = signals.typical_collision(run)
    time, force = run.data.time.values, np.nan_to_num(run.data.contact_force.values)
    assert signals.other_touches(load_like(run, force), event) == []
    k = np.searchsorted(time, float(run.data.event_time[event])) + 10
    more = np.where(
        ((np.arange(len(time)) >= k) & (np.arange(len(time)) < k + 20))[:, None], 1.5, 1.0
    )
    both = load_like(run, more * force)
    assert signals.other_touches(both, event) == [pytest.approx((time[k], time[k + 19]))]
    _, labels = draw_force_zoom(Figure().add_subplot(), both, event).get_legend_handles_labels()
    assert "touches elsewhere too" in labels


def test_reference_and_joint_differ_in_more_than_colour(run, ax):
    draw_joint(ax, run, 4, "angle")
    joint, reference = ax.lines[:2]
    assert joint.get_linestyle() == "-" != reference.get_linestyle()
    assert joint.get_linewidth() > 2 * reference.get_linewidth()


def test_the_arm_is_drawn_as_on_the_page():
    """Every face of an arm lies on a part that the page draws, and the base stands on its plane."""
    arm = load_arm("ur5_ragazzon2012")
    outline, parts = arm_outline(arm), arm_parts(arm)
    assert len(outline.faces) == sum(36 * (len(part["outline"]) - 1) for part in parts)
    assert outline.faces[outline.link == 0][..., 2].min() == 0.0
    shown = pose_outline(arm, outline, np.zeros(6))
    last = outline.link == 6
    frame = link_frames(arm, np.zeros(6))[6]
    np.testing.assert_allclose(shown[last], outline.faces[last] @ frame[:3, :3].T + frame[:3, 3])


def test_a_notebook_shows_the_figure_of_a_run_without_a_backend():
    """As IPython asks an object for its picture; where matplotlib's own formatter is registered, that is asked."""
    formatters = pytest.importorskip("IPython.core.formatters")
    drawn = simulate(load_world("empty", ["time_limit=0.05"])).plot("joints")
    shown, _ = formatters.DisplayFormatter().format(drawn)
    with Image.open(io.BytesIO(shown["image/png"])) as picture:
        assert min(picture.size) > 300
    assert type(drawn) is Figure


def test_the_estimate_lies_over_the_truth_and_hides_it_nowhere():
    """In the main experiment both are alike in height: a line that covers the other shows one of them."""
    run = simulate(load_world("ragazzon2012", ["time_limit=8"]))
    for figure in (Figure().add_subplot(), Figure().add_subplot()):
        ax = draw_force_magnitude(figure, run)
        estimated, true = ax.lines[:2]
        assert estimated.get_zorder() > true.get_zorder()
        assert true.get_alpha() < 1.0
        (area,) = [c for c in ax.collections if c.get_zorder() == true.get_zorder()]
        assert area.get_alpha() < true.get_alpha()


def test_crosses_are_as_large_as_their_cells_in_a_small_panel():
    run = simulate(load_world("ragazzon2012", ["time_limit=8"]))
    sizes = []
    for width in (3.4, 1.2):
        figure = Figure((width, width))
        ax = run.plot("trajectory", figure.add_subplot())
        figure.draw_without_rendering()
        (marked,) = [line for line in ax.lines if line.get_label() == "_marked"]
        cell = ax.transData.transform([(run.world.map.spacing, 0.0), (0.0, 0.0)])[:, 0]
        sizes.append(marked.get_markersize() / ((cell[0] - cell[1]) * 72.0 / figure.dpi))
    assert sizes == pytest.approx([0.5, 0.5])


def test_excluded_cells_differ_from_obstacles_by_more_than_a_grey():
    """Printed in grey the two fills were 73 and 80 % of white."""
    run = simulate(load_world("ragazzon2012", ["time_limit=0.1"]))
    ax = run.plot("collision_space", Figure().add_subplot())
    (hatched,) = [patch for patch in ax.patches if patch.get_hatch()]
    centre = np.array(run.world.map.origin[:2])
    assert hatched.get_path().contains_point(centre)  # a corner of the blocked rim
    assert not hatched.get_path().contains_point(centre + 3 * run.world.map.spacing)
    labels = {h.get_label(): h for h in space_handles(run)}
    assert labels["excluded"].get_hatch()
    assert not labels["obstacles"].get_hatch()


def test_the_picture_of_a_world_shows_the_payload(tmp_path):
    """A ball at its centre of mass, as the arm's own kinematics put it, and its mass in the legend."""
    loads = ["tool.payload.mass=1.5", "tool.payload.center_of_mass=[0.0, 0.02, 0.08]"]
    run = simulate(load_world("ragazzon2012", ["time_limit=0.01", *loads]))
    page = set_up_page(run)
    words = [text.get_text() for legend in page.legends for text in legend.get_texts()]
    assert "payload, 1.5 kg" in words
    balls = [patch for patch in page.axes[0].patches if isinstance(patch, Circle)]
    assert len(balls) == 1
    assert 4 / 3 * np.pi * balls[0].radius ** 3 * 2700.0 == pytest.approx(1.5)
    bare = set_up_page(simulate(load_world("ragazzon2012", ["time_limit=0.01"])))
    assert not [patch for patch in bare.axes[0].patches if isinstance(patch, Circle)]
