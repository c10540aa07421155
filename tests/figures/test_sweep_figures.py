"""The figures of a sweep: they exist for every kind of table, and they draw what the table says."""

import itertools
import json

import numpy as np
import pytest
import xarray as xr
from matplotlib.colors import LogNorm, SymLogNorm, to_hex, to_rgb
from matplotlib.figure import Figure
from pictures import assert_fit_to_print, sketch
from refusals import refused, refused_by_command

from hopfield_nav.cli.app import main
from hopfield_nav.figures import COLOURS, COLUMN, new_figure, paper_style
from hopfield_nav.figures.sweep import (
    OUTCOMES,
    TIME,
    Points,
    draw_heat,
    draw_heat_map,
    draw_lines,
    draw_outcomes,
    draw_pareto,
    draw_sweep_figures,
    heat_map_handles,
    pareto_corners,
    swept_axis,
)
from hopfield_nav.figures.sweep.axes import MOST_VALUES
from hopfield_nav.figures.sweep.heat_map import colour_norm, norm_of, number
from hopfield_nav.figures.sweep.pages import (
    file_name,
    paths_page,
    read_table,
    sweep_note,
    sweep_pages,
)
from hopfield_nav.figures.sweep.pareto import settings
from hopfield_nav.figures.sweep.points import short
from hopfield_nav.plugin import shown_names

PEAK, DELAY, ALARMS = "peak_contact_force_N", "detection_delay_median_s", "false_alarm_count"
SCALE, THRESHOLD, NETWORK = "controller.omega*", "detection.threshold", "planner.network"
SCALES, THRESHOLDS = [0.5, 1.0, 2.0], [6.0, 8.0, 12.0, 16.0]


def table(axes, repeats=1, missed=lambda **_: False, seed=0):
    """A table as a sweep writes it: swept parameters, and ``repeat`` where there are repeats."""
    axes = {**axes, **({"repeat": list(range(repeats))} if repeats > 1 else {})}
    shape = tuple(map(len, axes.values()))
    random = np.random.default_rng(seed)
    outcome = np.full(shape, "reached", object)
    for cell in itertools.product(*map(range, shape)):
        values = {
            name.split(".")[-1].strip("*"): axes[name][k]
            for name, k in zip(axes, cell, strict=True)
        }
        if word := missed(**values):
            outcome[cell] = word
    columns = {
        "outcome": outcome,
        TIME: random.normal(50, 3, shape),
        PEAK: random.lognormal(3, 0.5, shape),
        ALARMS: random.integers(0, 5, shape),
        DELAY: random.uniform(0.05, 0.2, shape),
    }
    return xr.Dataset(
        {name: (tuple(axes), values) for name, values in columns.items()}, coords=axes
    )


def random_table(count=60):
    grid = table({"run": list(range(count))}, missed=lambda run: "no_path" if run % 5 == 0 else "")
    random = np.random.default_rng(1)
    threshold, stiffness = random.uniform(5, 20, count), 10 ** random.uniform(4, 6, count)
    return grid.assign_coords(
        {THRESHOLD: ("run", threshold), "contact.stiffness": ("run", stiffness)}
    )


def stored(data, folder):
    folder.mkdir(exist_ok=True)
    data.to_netcdf(folder / "sweep.nc", engine="h5netcdf")
    return folder


def drawn(data, folder, **how):
    return draw_sweep_figures(stored(data, folder), **how)


def stems(data, folder):
    """The names of the figures, whose files stay empty."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hopfield_nav.figures.sweep.pages.save_figure", sketch)
        return {path.stem for path in drawn(data, folder)}


# which figures


def test_one_parameter(tmp_path):
    assert stems(table({SCALE: SCALES}, 3), tmp_path) == {"lines"}


def test_two_parameters_at_the_width_of_a_column_or_a_page(tmp_path):
    paths = drawn(
        table(
            {SCALE: SCALES, THRESHOLD: THRESHOLDS}, 1, lambda omega, **_: "no_path" * (omega > 1)
        ),
        tmp_path,
    )
    assert {path.stem for path in paths} == {"outcomes", "heat_maps", "pareto"}
    for path in paths:
        assert_fit_to_print(path)
        assert path.parent == tmp_path / "figures"


def test_three_parameters_are_maps_beside_each_other_in_the_same_colours(tmp_path):
    data = table({SCALE: SCALES, THRESHOLD: THRESHOLDS, NETWORK: ["sum", "maximum"]})
    names = {path.stem for path in drawn(data, tmp_path)}
    assert names == {"pareto", *(f"heat_maps_{name}" for name in (TIME, PEAK, ALARMS, DELAY))}
    page = dict(sweep_pages(data))[f"heat_maps_{PEAK}"]
    maps = [ax for ax in page.axes if ax.get_title(loc="left")]
    assert [ax.get_title(loc="left") for ax in maps] == ["network: sum", "network: maximum"]
    assert len({ax.collections[0].norm for ax in maps}) == 1
    for ax, network in zip(maps, data[NETWORK].values, strict=True):
        expected = data[PEAK].sel({NETWORK: network}).transpose(SCALE, THRESHOLD)
        np.testing.assert_allclose(ax.collections[0].get_array(), expected)
    assert_fit_to_print(tmp_path / "figures" / f"heat_maps_{PEAK}.png")


def test_four_parameters_are_lines(tmp_path):
    data = table(
        {
            SCALE: [0.5, 1.0],
            THRESHOLD: [6.0, 8.0],
            NETWORK: ["sum", "maximum"],
            "contact.stiffness": [1.0, 2.0],
        }
    )
    names = (
        "controller_omega_scale",
        "detection_threshold",
        "planner_network",
        "contact_stiffness",
    )
    assert stems(data, tmp_path) == {"pareto", *(f"lines_{name}" for name in names)}


def test_random_samples(tmp_path):
    lines = {"lines_detection_threshold", "lines_contact_stiffness"}
    assert stems(random_table(), tmp_path) == {"outcomes", "pareto"} | lines


def test_no_figure_that_says_nothing(tmp_path):
    """One run, or runs that all end alike, have nothing to show."""
    assert stems(table({SCALE: [1.0]}), tmp_path / "a") == set()
    assert stems(table({SCALE: [1.0], THRESHOLD: [12.0]}, 5), tmp_path / "b") == {"lines"}
    assert stems(table({}, 5), tmp_path / "c") == set()
    assert stems(table({"run": [0]}), tmp_path / "d") == set()
    one_missed = table({}, 5, lambda repeat: "no_path" if repeat == 1 else "")
    assert stems(one_missed, tmp_path / "e") == {"outcomes"}


def test_a_parameter_with_one_value_beside_two_others(tmp_path):
    data = table({SCALE: SCALES, NETWORK: ["sum"], THRESHOLD: THRESHOLDS})
    assert "heat_maps" in stems(data, tmp_path)


def test_every_run_failed(tmp_path):
    data = table({SCALE: SCALES, THRESHOLD: THRESHOLDS}, missed=lambda **_: "failed")
    for name in (TIME, PEAK, ALARMS, DELAY):
        data[name] = data[name] * np.nan
    assert stems(data, tmp_path) == set()


def test_no_run_touched_anything(tmp_path):
    data = table({SCALE: SCALES, THRESHOLD: THRESHOLDS})
    data[DELAY] = data[DELAY] * np.nan
    data[PEAK], data[ALARMS] = data[PEAK] * 0, data[ALARMS] * 0
    assert stems(data, tmp_path) == {"heat_maps"}  # of time alone: the rest has one value
    (page,) = [figure for name, figure in sweep_pages(data) if name == "heat_maps"]
    assert len(page.axes) == 2  # with its bar


def test_a_heat_map_of_any_quantity_over_any_two_parameters(tmp_path, capsys):
    data = table({SCALE: SCALES, THRESHOLD: THRESHOLDS, NETWORK: ["sum", "limit"]})
    stored(data, tmp_path)
    assert draw_heat(tmp_path, PEAK, NETWORK, SCALE) == [tmp_path / "figures" / f"heat_{PEAK}.png"]
    assert main(["plot", str(tmp_path), "--heat", DELAY, "--over", f"{SCALE},{THRESHOLD}"]) == 0
    assert (tmp_path / "figures" / f"heat_{DELAY}.png").stat().st_size > 5000
    capsys.readouterr()
    for words, told in (
        (["--heat", PEAK], "over two parameters"),
        (["--over", f"{SCALE},{THRESHOLD}"], "over two parameters"),
        (
            ["--heat", PEAK, "--over", f"{SCALE},detection.treshold"],
            "Did you mean 'detection.threshold'",
        ),
        (["--heat", PEAK, "--over", f"{SCALE},{SCALE}"], "needs two parameters"),
        (["--heat", "peak", "--over", f"{SCALE},{THRESHOLD}"], "peak"),
    ):
        refused_by_command(capsys, ["plot", str(tmp_path), *words], told)
    data[PEAK] = data[PEAK] * 0 + 1.0
    stored(data, tmp_path)
    with refused("the same value"):
        draw_heat(tmp_path, PEAK, SCALE, THRESHOLD)


def test_some_rows_were_never_written(tmp_path):
    data = table(
        {SCALE: SCALES, THRESHOLD: THRESHOLDS},
        missed=lambda omega, **_: "" if omega < 2 else "gone",
    )
    data["outcome"] = data.outcome.where(data.outcome != "gone", "")
    assert Points(data).count == 8
    assert stems(data, tmp_path) == {"heat_maps", "pareto"}


def test_other_quantities_are_drawn_where_no_main_one_was_kept(tmp_path):
    data = table({SCALE: SCALES})[["outcome", PEAK]].rename({PEAK: "felt_cell_count"})
    assert stems(data, tmp_path / "a") == {"lines"}
    assert stems(data[["outcome"]], tmp_path / "b") == set()


def test_lists_and_booleans_as_values(tmp_path):
    data = table({"map.shape": ["[10, 10]", "[20, 20]"], "plant.saturate": [False, True]})
    assert stems(data, tmp_path) == {"heat_maps", "pareto"}
    assert swept_axis(Points(data), "map.shape").values == ["10×10", "20×20"]


def test_pdf_stands_beside_png_and_nothing_half_written_is_left(tmp_path):
    paths = drawn(table({SCALE: SCALES}), tmp_path, pdf=True)
    assert {path.suffix for path in paths} == {".png", ".pdf"}
    assert sorted((tmp_path / "figures").iterdir()) == sorted(paths)


def test_a_folder_without_a_result_is_refused(tmp_path):
    with refused(r"sweep\.nc is missing"):
        draw_sweep_figures(tmp_path)


@pytest.mark.parametrize(
    ("quantity", "words"),
    [("peak_contact_force", f"Did you mean '{PEAK}'"), ("outcome", "no number")],
)
def test_what_cannot_be_drawn_is_refused(ax, quantity, words):
    with refused(words):
        draw_lines(ax, table({SCALE: SCALES}), quantity, SCALE)


# heat maps


def test_a_cell_is_the_median_over_repeats_and_other_parameters(ax):
    data = table({SCALE: SCALES, NETWORK: ["sum", "maximum"], THRESHOLD: THRESHOLDS}, 5)
    draw_heat_map(ax, data, PEAK, SCALE, THRESHOLD)
    expected = data[PEAK].median((NETWORK, "repeat")).transpose(THRESHOLD, SCALE)
    np.testing.assert_allclose(ax.collections[0].get_array().reshape(4, 3), expected)
    assert ax.get_xscale() == "log"
    assert ax.get_yscale() == "linear"


def test_time_is_that_of_the_runs_that_got_there(ax):
    data = table(
        {SCALE: SCALES, THRESHOLD: THRESHOLDS},
        missed=lambda omega, **_: "no_path" if omega > 1 else "",
    )
    draw_heat_map(ax, data, TIME, SCALE, THRESHOLD)
    values = ax.collections[0].get_array().reshape(4, 3)
    assert np.ma.getmaskarray(values)[:, 2].all()
    np.testing.assert_allclose(values[:, :2], data[TIME].transpose(THRESHOLD, SCALE)[:, :2])


def test_hatches_tell_never_from_sometimes(ax):
    def missed(omega, repeat, **_):
        return "no_path" if omega == 2 or (omega == 1 and repeat == 0) else ""

    data = table({SCALE: SCALES, THRESHOLD: THRESHOLDS}, 2, missed)
    draw_heat_map(ax, data, PEAK, SCALE, THRESHOLD)
    assert [patch.get_hatch() for patch in ax.patches] == 4 * ["////", "xxxxx"]
    assert [handle.get_label() for handle in heat_map_handles(data)] == [
        "never arrives",
        "arrives less often",
    ]
    assert heat_map_handles(table({SCALE: SCALES, THRESHOLD: THRESHOLDS})) == []


def judged(**attributes):
    """A table in which the base world's setting is the sixth run, and the best the first."""
    data = table({SCALE: SCALES, THRESHOLD: THRESHOLDS})
    fails = xr.full_like(data.outcome, "", object)
    fails.loc[{SCALE: 2.0}] = "simulated_time_s <= 1.1 least"
    fails.loc[{THRESHOLD: 16.0}] = "more false alarms"
    return data.assign(fails=fails).assign_attrs(base_run=5, best_run=0, **attributes)


def test_cells_say_what_they_fall_short_of_and_where_base_and_best_are(ax):
    draw_heat_map(ax, judged(), PEAK, SCALE, THRESHOLD)
    assert len(ax.patches) == 3 + 3
    assert {text.get_text(): text.xy for text in ax.texts if text.get_text() in "○★"} == {
        "○": pytest.approx((2**0.5, 10.0)), "★": pytest.approx((0.5**0.5, 7.0))
    }  # fmt: skip
    labels = [handle.get_label() for handle in heat_map_handles(judged())]
    expected = [
        "base world's setting",
        "best",
        "more false alarms",
        "not simulated_time_s <= 1.1 least",
    ]
    assert labels == expected


def test_a_cell_without_a_value_is_no_hole(ax):
    data = table(
        {SCALE: SCALES, THRESHOLD: THRESHOLDS},
        missed=lambda omega, **_: "no_path" if omega == 2 else "",
    )
    draw_heat_map(ax, data, TIME, SCALE, THRESHOLD)
    assert [text.get_text() for text in ax.texts].count("–") == 4
    assert to_hex(ax.get_facecolor()) != "#ffffff"
    (label,) = [
        handle.get_label() for handle in heat_map_handles(data, [TIME]) if "–" in handle.get_label()
    ]
    assert label == "– no value (never arrives)"
    assert not [handle for handle in heat_map_handles(data, [PEAK]) if "–" in handle.get_label()]


def test_numbers_have_the_units_of_tables(ax):
    data = table({SCALE: SCALES, THRESHOLD: THRESHOLDS})
    assert Points(data).label(DELAY) == "detection delay, median (ms)"
    np.testing.assert_allclose(Points(data).numbers(DELAY), 1000 * data[DELAY].values.ravel())


def test_a_line_has_the_marks_behind_its_values(ax):
    draw_lines(ax, judged(), PEAK, SCALE)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0.5 ★", "1 ○", "2"]


def test_few_cells_carry_numbers_and_many_do_not(ax):
    draw_heat_map(ax, table({SCALE: SCALES, THRESHOLD: THRESHOLDS}), PEAK, SCALE, THRESHOLD)
    assert len(ax.texts) == 12
    other = Figure().add_subplot()
    wide = table({SCALE: list(np.geomspace(0.5, 2, 9)), THRESHOLD: list(np.linspace(4, 20, 9))})
    draw_heat_map(other, wide, PEAK, SCALE, THRESHOLD)
    assert not other.texts


def test_random_values_are_drawn_in_bins(ax):
    draw_heat_map(ax, random_table(300), PEAK, THRESHOLD, "contact.stiffness")
    assert ax.collections[0].get_array().size == 100


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (0.138, ".14"), (50.62, "50.6"), (237.2, "237"), (10333, "10k"), (-0.5, "-.5")],
)
def test_numbers_in_cells_are_short(value, text):
    assert number(value) == text


def test_colours_are_logarithmic_over_orders_of_magnitude():
    assert isinstance(colour_norm(np.array([1.0, 50.0])), LogNorm)
    assert isinstance(colour_norm(np.array([0.0, 1000.0])), SymLogNorm)
    assert colour_norm(np.array([np.nan])).vmax == 1
    assert colour_norm(np.array([3.0, 3.0])).vmin < 3


# axes


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([0.25, 0.5, 0.75], "linear"),
        ([0.5, 0.7, 1.0, 1.4, 2.0], "log"),
        ([6, 8, 12, 16], "linear"),
        ([1, 2, 3, 1000], "even"),
        (["sum", "maximum", "glasius1995"], "even"),
        ([1.0], "even"),
        ([-1.0, 0.0, 1.0], "linear"),
    ],
)
def test_the_scale_follows_the_values(values, kind):
    axis = swept_axis(Points(table({"a.b": values})), "a.b")
    assert axis.kind == kind
    assert np.all(np.diff(axis.edges) > 0)
    assert np.all((axis.at > axis.edges[:-1]) & (axis.at < axis.edges[1:]))


def test_many_values_are_binned_without_loss():
    points = Points(random_table(200))
    for even in (False, True):
        axis = swept_axis(points, THRESHOLD, even)
        assert axis.binned
        assert len(axis.values) < MOST_VALUES
        assert np.bincount(axis.codes).sum() == 200
        assert np.all(np.diff(axis.codes[np.argsort(points.values(THRESHOLD))]) >= 0)


def test_labels_do_not_run_into_each_other():
    with paper_style():
        figure = new_figure(COLUMN, COLUMN)
        ax = draw_outcomes(
            figure.add_subplot(), table({"a.b": list(np.geomspace(1e4, 1e6, 12))}), "a.b"
        )
        figure.draw_without_rendering()
    boxes = [label.get_window_extent() for label in ax.get_xticklabels() if label.get_text()]
    assert len(boxes) > 2
    assert all(a.x1 < b.x0 for a, b in itertools.pairwise(boxes))


def test_long_words_are_turned(ax):
    draw_outcomes(
        ax, table({"a.b": ["a long name", "another long name", "a third of them"]}), "a.b"
    )
    assert ax.get_xticklabels()[0].get_rotation() > 0


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (12.0, "12"),
        (1e5, "1e5"),
        (31622.8, "3.16e4"),
        (5240, "5240"),
        (1e-5, "1e-5"),
        (True, "True"),
    ],
)
def test_values_are_written_shortly(value, text):
    assert short(value) == text


def test_file_names():
    assert file_name("controller.omega*") == "controller_omega_scale"


# lines


def test_the_band_is_min_max_of_few_and_5_to_95_per_cent_of_many(ax):
    few = table({SCALE: SCALES}, 7)
    draw_lines(ax, few, PEAK, SCALE)
    assert ax.get_title(loc="right") == "min–max, n = 7"
    band = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert band.max() == few[PEAK].max()
    other, many = Figure().add_subplot(), table({SCALE: SCALES}, 40)
    draw_lines(other, many, PEAK, SCALE)
    assert other.get_title(loc="right") == "5–95 %, n = 40"
    band = other.collections[0].get_paths()[0].vertices[:, 1]
    assert band.max() == pytest.approx(many[PEAK].quantile(0.95, "repeat").max())


def test_the_line_is_the_median_and_hollow_where_the_goal_was_missed(ax):
    data = table(
        {SCALE: SCALES}, 3, lambda omega, repeat: "no_path" if (omega, repeat) == (2, 0) else ""
    )
    draw_lines(ax, data, PEAK, SCALE)
    middle, hollow = ax.lines
    np.testing.assert_allclose(middle.get_ydata(), data[PEAK].median("repeat"))
    np.testing.assert_array_equal(hollow.get_xdata(), [2.0])
    assert "hollow" in ax.get_title(loc="right")


def test_other_parameters_are_faint_dots(ax):
    draw_lines(ax, table({SCALE: SCALES, THRESHOLD: THRESHOLDS}), PEAK, SCALE)
    assert ax.lines[0].get_xdata().size == 12


def test_a_quantity_without_values(ax):
    data = table({SCALE: SCALES}, 2)
    data[DELAY] = data[DELAY] * np.nan
    draw_lines(ax, data, DELAY, SCALE)
    assert ax.get_title(loc="right") == "no values"
    ax.figure.draw_without_rendering()


# outcomes


def test_bars_fill_up_and_count(ax):
    data = table(
        {NETWORK: ["sum", "maximum"]}, 10, lambda network, repeat: "failed" if repeat < 3 else ""
    )
    draw_outcomes(ax, data, NETWORK)
    reached, failed = ax.containers[0], ax.containers[1]
    assert [bar.get_height() for bar in reached] == pytest.approx([70, 70])
    assert [bar.get_y() + bar.get_height() for bar in failed] == pytest.approx([100, 100])
    assert [text.get_text() for text in ax.texts] == ["7", "7", "3", "3"]
    assert to_hex(failed[0].get_facecolor()).lower() == OUTCOMES["failed"]


def test_no_interval_where_the_runs_are_no_sample(ax):
    draw_outcomes(ax, table({SCALE: SCALES, THRESHOLD: THRESHOLDS}), SCALE)
    assert not ax.lines


def test_outcomes_differ_for_colour_blind_readers():
    """Machado, Oliveira and Fernandes (2009), full protanopia and deuteranopia, in linear RGB."""
    protan = [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ]
    deutan = [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.01182, 0.04294, 0.968881],
    ]
    linear = np.array(
        [
            [(c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4) for c in to_rgb(o)]
            for o in OUTCOMES.values()
        ]
    )
    for matrix in (np.eye(3), protan, deutan):
        seen = np.clip(linear @ np.transpose(matrix), 0, 1) ** (1 / 2.2)
        gaps = [np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)]
        assert min(gaps) > 0.12


# Pareto fronts


def test_the_front_holds_what_no_other_beats():
    random = np.random.default_rng(3)
    x, y = random.integers(0, 12, (2, 80)).astype(float)
    beaten = [
        any((x[j] <= x[i]) & (y[j] <= y[i]) & ((x[j] < x[i]) | (y[j] < y[i])) for j in range(80))
        for i in range(80)
    ]
    front = np.concatenate(pareto_corners(x, y))
    assert set(front) == set(np.flatnonzero(~np.array(beaten)))
    assert np.all(np.diff(x[front]) >= 0)
    assert pareto_corners(np.zeros(0), np.zeros(0)) == []


def test_settings_that_miss_the_goal_are_never_on_the_front(ax):
    data = table(
        {SCALE: SCALES, THRESHOLD: THRESHOLDS},
        3,
        lambda omega, **_: "no_path" if omega == 2 else "",
    )
    data[DELAY].loc[{SCALE: 2.0}] = 0.001
    data[ALARMS].loc[{SCALE: 2.0}] = 0
    found = settings(Points(data), ALARMS, DELAY)
    assert found.x.size == 12
    assert found.able.sum() == 8
    assert found.able[found.front].all()
    draw_pareto(ax, data, ALARMS, DELAY)
    assert "goal not reached" in [text.get_text() for text in ax.get_legend().get_texts()]


def test_a_front_marks_base_best_and_the_limits_of_the_aim(ax):
    aim = json.dumps({"least": PEAK, "while": [f"{TIME} <= 50", f"{DELAY} <= 1.1 least"]})
    data = judged(aim=aim)
    draw_pareto(ax, data, TIME, PEAK)
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert legend[-3:] == ["limit of the aim", "base world's setting", "best"]
    assert [50.0, 50.0] in [list(line.get_xdata()) for line in ax.lines]
    (star,) = [text for text in ax.texts if text.get_text() == "★"]
    assert star.xy == pytest.approx((data[TIME].values.flat[0], data[PEAK].values.flat[0]))
    assert [(ax.get_xlabel(), ax.get_ylabel()) for ax in dict(sweep_pages(data))["pareto"].axes] == [
        ("time to the goal (s)", "peak contact force (N)"), ("detection delay, median (ms)", "peak contact force (N)")
    ]  # fmt: skip


def test_the_list_names_the_settings_of_the_front(ax):
    data = table({SCALE: SCALES, THRESHOLD: THRESHOLDS})
    data[TIME].loc[{SCALE: 1.0, THRESHOLD: 8.0}] = 1
    data[PEAK].loc[{SCALE: 1.0, THRESHOLD: 8.0}] = 1
    draw_pareto(ax, data, TIME, PEAK)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["1, 8", "dominated"]
    assert ax.lines[-1].get_color() == COLOURS.felt


def test_a_seed_is_a_repeat_in_every_figure(tmp_path):
    """The luckiest seed beats nothing: settings stand at the medians over seeds."""
    seed = "obstacles.0.random_cylinders.seed"
    data = table({seed: [1, 2, 3, 4, 5], THRESHOLD: THRESHOLDS}, 2)
    points = Points(data)
    assert points.parameters == (THRESHOLD,)
    assert points.repeated
    assert points.label(seed) == "seed"
    assert settings(points, TIME, PEAK).x.size == len(THRESHOLDS)
    assert stems(data, tmp_path) == {"lines"}
    assert stems(table({seed: [1, 2, 3]}), tmp_path / "alone") == set()


def test_methods_have_no_order_and_are_joined_by_no_line(ax):
    data = table(
        {"detection.measure": ["own.py:LARGEST", "own.py:SUMMED", "force_norm"]}, repeats=3
    )
    draw_lines(ax, data, PEAK, "detection.measure")
    assert all(line.get_linestyle() == "None" for line in ax.lines)
    assert sorted(value for line in ax.lines for value in line.get_ydata()) == sorted(
        data[PEAK].values.ravel()
    )
    (medians,) = ax.collections
    np.testing.assert_allclose(
        [line[0, 1] for line in medians.get_segments()], data[PEAK].median("repeat")
    )
    assert [label.get_text() for label in ax.get_xticklabels()] == [
        "LARGEST",
        "SUMMED",
        "force_norm",
    ]


def test_numbers_are_joined(ax):
    draw_lines(ax, table({THRESHOLD: THRESHOLDS}), PEAK, THRESHOLD)
    assert "-" in {line.get_linestyle() for line in ax.lines}


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (["a/own.py:LARGEST", "a/own.py:SUMMED"], ["LARGEST", "SUMMED"]),
        (["a/one.py:METHOD", "a/two.py:METHOD"], ["one", "two"]),
        (["a/one.py:FELT", "a/two.py:FELT"], ["one:FELT", "two:FELT"]),
        (["a/one.py:METHOD", "b/one.py:METHOD"], ["a/one.py:METHOD", "b/one.py:METHOD"]),
        (["force_norm", "own.py:force_norm"], ["force_norm", "own:force_norm"]),
    ],
)
def test_methods_of_ones_own_are_called_apart(names, shown):
    assert list(map(shown_names(names).get, names)) == shown


def test_what_is_zero_in_every_run_is_said_below_and_not_drawn():
    data = table({THRESHOLD: THRESHOLDS}, repeats=2)
    data[ALARMS] = xr.zeros_like(data[ALARMS])
    data.attrs |= {
        "world": "u_trap",
        "settings": json.dumps({THRESHOLD: 4.0, "sensors.velocity_noise": 2e-4}),
    }
    figure = dict(sweep_pages(data))["lines"]
    assert "false alarms" not in [ax.get_ylabel() for ax in figure.axes]
    expected = ["u_trap", "0 in every run: false alarms", "sensors.velocity_noise\u00a00.0002"]
    assert sweep_note(data).split("  ·  ") == expected


def test_one_outlier_does_not_take_the_scale_of_a_heat_map():
    """Eight cells between 20 and 25 N and one of 160 N: the colours are those of the eight."""
    values = np.array([[20.0, 21.0, 22.0], [23.0, 160.0, 24.0], [25.0, 21.5, 22.5]])
    norm = norm_of(values, np.ones_like(values), PEAK)
    assert (norm.vmin, norm.vmax) == (20.0, 25.0)
    data = table({THRESHOLD: [6, 8, 10], SCALE: [0.7, 1.0, 1.4]})
    data[PEAK].values[:] = values
    figure = Figure()
    draw_heat_map(figure.add_subplot(), data, PEAK, THRESHOLD, SCALE)
    assert figure.axes[1]._colorbar.extend == "max"
    spread = np.linspace(20.0, 160.0, 9).reshape(3, 3)
    assert norm_of(spread, np.ones_like(spread), PEAK).vmax == 160.0


def test_no_two_numbered_discs_lie_on_each_other():
    """Corners of the front that are nearer than a disc is wide share one number."""
    data = table({THRESHOLD: list(range(1, 9))})
    data[TIME].values[:] = [10.0, 10.01, 10.02, 20.0, 30.0, 30.02, 40.0, 50.0]
    data[PEAK].values[:] = [50.0, 49.95, 49.9, 40.0, 30.0, 29.9, 20.0, 10.0]
    figure = Figure((3.3, 2.4))
    ax = draw_pareto(figure.add_subplot(), data, TIME, PEAK)
    discs = [line for line in ax.lines if line.get_markersize() == 6.5]
    places = np.array([ax.transData.transform(disc.get_xydata()[0]) for disc in discs])
    apart = np.linalg.norm(places[:, None] - places[None], axis=2) * 72.0 / figure.dpi
    assert apart[~np.eye(len(discs), dtype=bool)].min() >= 6.5
    listed = [text.get_text() for text in ax.get_legend().get_texts()]
    assert listed[:2] == ["1 (+2)", "4"]


def test_a_title_of_paths_breaks_between_settings_alone(tmp_path, capsys):
    """A value stays beside the parameter that it belongs to, and no line is wider than its panel."""
    file = tmp_path / "sweep.yaml"
    file.write_text(
        "format: 1\nworld: empty\nkeep: runs\n"
        "vary: {detection.threshold: [6.0, 8.0], controller.omega: {scale: [0.7, 1.0]}, "
        "trajectory.time_per_cell: [0.5, 0.4]}\n"
    )
    assert main(["sweep", str(file), "--out", str(tmp_path / "out"), "--workers", "0"]) == 0
    with paper_style(width=0.088):
        page = paths_page(read_table(tmp_path / "out"), tmp_path / "out")
        page.draw_without_rendering()
    titles = [ax.get_title(loc="left") for ax in page.axes]
    assert titles
    for title in titles:
        lines = title.split("\n")
        assert any("scale\u00a0of\u00a0ω\u00a0" in line for line in lines)
        assert any("detection\u00a0threshold\u00a0" in line for line in lines)
    for ax in page.axes:
        words = ax._left_title.get_window_extent()
        assert words.x1 <= page.bbox.x1
