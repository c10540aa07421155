"""The film of a run: its frames, its file, and what happens without ffmpeg."""

import os
from itertools import pairwise

import imageio_ffmpeg
import numpy as np
import pytest
from pictures import decode
from refusals import refused
from scenes import NO_PATH

from hopfield_nav import load_world, simulate
from hopfield_nav.figures import COLOURS, Cut, film_speed, film_style
from hopfield_nav.figures.run import film
from hopfield_nav.figures.solid import layers
from hopfield_nav.figures.two_processes import draw_in_two_processes


@pytest.fixture(scope="module")
def run():
    return simulate(load_world("u_trap", ["time_limit=6.5"]))


@pytest.fixture(scope="module")
def short():
    return simulate(load_world("u_trap", ["time_limit=0.3"]))


def test_a_film_can_be_read_back(short, tmp_path):
    seen = []
    path = film.animate_run(short, tmp_path / "film.v2", progress=lambda *done: seen.append(done))
    assert path == tmp_path / "film.v2.mp4"
    assert list(tmp_path.iterdir()) == [path]
    with film_style():
        first = film.Film(short)
        total, drawn = len(first.times), first.draw(0.0)
    assert seen == [(k + 1, total) for k in range(total)]
    frames = decode(path)
    assert len(frames) == total
    assert imageio_ffmpeg.count_frames_and_secs(path)[1] == pytest.approx(
        total / film.WHOLE.fps, abs=0.1
    )
    difference = np.abs(frames[0].astype(float) - drawn[:, :, :3])
    assert difference.mean() < 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no copy of a process on this system")
def test_frames_drawn_in_two_are_the_same(run, tmp_path):
    """Before a touch, while it glows, and after the new plan."""
    cut = Cut(begin=float(run.data.event_time.values[0]) - 0.4, fps=5, size=(640, 400))
    with film_style():
        alone, shared = film.Film(run, cut), film.Film(run, cut)
        both = draw_in_two_processes(shared.frame, len(shared.times))
        for k, other in enumerate(both):
            np.testing.assert_array_equal(alone.frame(k), other)
    path = film.animate_run(run, tmp_path / "film", cut=cut, two_processes=True)
    assert len(decode(path, cut.size)) == len(alone.times) > 3


def test_a_part_of_a_run_in_another_size(short, tmp_path):
    cut = Cut(begin=0.1, end=0.25, fps=10, size=(640, 400))
    path = film.animate_run(short, tmp_path / "film", cut=cut)
    frames = decode(path, cut.size)
    with film_style():
        part = film.Film(short, cut)
        drawn = part.draw(0.1)
    assert len(frames) == len(part.times) == 2
    assert drawn.shape == (400, 640, 4)
    assert np.abs(frames[0].astype(float) - drawn[:, :, :3]).mean() < 3


@pytest.mark.parametrize(
    ("cut", "words"),
    [
        (Cut(begin=0.5), "--from"),
        (Cut(begin=0.2, end=0.2), "--from"),
        (Cut(fps=0), "--fps"),
        (Cut(size=(641, 400)), "even numbers"),
        (Cut(size=(64000, 400)), "even numbers"),
    ],
)
def test_a_part_that_is_none_is_refused(short, tmp_path, cut, words):
    with refused(words):
        film.animate_run(short, tmp_path / "film", cut=cut)
    assert not list(tmp_path.iterdir())


def test_without_ffmpeg_there_is_no_film(short, tmp_path, monkeypatch):
    monkeypatch.setenv("IMAGEIO_FFMPEG_EXE", str(tmp_path / "nothing here"))
    with refused("no film without ffmpeg.*IMAGEIO_FFMPEG_EXE"):
        film.animate_run(short, tmp_path / "film")
    assert not list(tmp_path.iterdir())


def test_nothing_half_written_is_left(short, tmp_path):
    def stop(done, total):
        raise KeyboardInterrupt

    (tmp_path / "film.mp4").write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt):
        film.animate_run(short, tmp_path / "film", progress=stop)
    assert [p.name for p in tmp_path.iterdir()] == ["film.mp4"]
    assert (tmp_path / "film.mp4").read_bytes() == b"old"


def test_a_run_without_signals_is_refused(tmp_path):
    run = simulate(load_world("u_trap", ["time_limit=0.1", "record.signals=none"]))
    with refused("signals"):
        film.animate_run(run, tmp_path / "film")


def test_a_run_that_never_began_is_a_still(tmp_path):
    run = simulate(load_world("u_trap", NO_PATH))
    assert film.animate_run(run, tmp_path / "film", cut=Cut(fps=5)).exists()


def test_frames_show_the_record(run):
    event = float(run.data.event_time[0])
    with film_style():
        stage = film.Film(run)
        before, at = stage.draw(event - 0.2), stage.draw(event)
        _, above, strip = stage.panels
        assert stage.count.get_text() == "1 touch"
        assert stage.banner.get_text() == "touch 1"
        row = int(np.searchsorted(run.data.time.values, event))
        np.testing.assert_array_equal(
            np.ravel(above.tool.get_data()), run.data.tool_position.values[row, :2]
        )
        assert above.halo.get_visible()
        assert strip.lines[1].get_xdata()[-1] <= event
        felt = np.asarray(above.cells.get_array()).T >= layers.FELT
        np.testing.assert_array_equal(felt, run.plans()[1].felt)
        assert np.mean(before != at) > 0.005


def test_a_touch_that_is_passed_by_is_no_collision():
    """The last frame counts as the summary does."""
    run = simulate(load_world("u_trap"))
    assert run.summary["graze_count"] > 0
    with film_style():
        stage = film.Film(run)
        stage.draw(float(run.data.event_time[run.passed_by][0]))
        assert stage.banner.get_text() == "graze"
        stage.draw(stage.end)
        assert stage.count.get_text() == f"{run.summary['collision_count']} touches"


def test_a_slide_is_named_while_it_lasts():
    run = simulate(load_world("narrow_gap", ["explore=slide", "record.every=5"]))
    ((begin, end),) = run.slides
    with film_style():
        stage = film.Film(run)
        for time, named in ((begin - 0.1, False), (0.5 * (begin + end), True), (end + 0.1, False)):
            stage.draw(float(time))
            assert (stage.banner.get_text() == "slides") == named


def test_a_film_without_forces_has_no_strip_for_them(run, short):
    with film_style():
        pressed, free = film.Film(run), film.Film(short)
        free.draw(0.0)
    assert [type(panel).__name__ for panel in pressed.panels] == [
        "ScenePanel",
        "MapPanel",
        "StripPanel",
    ]
    assert [type(panel).__name__ for panel in free.panels] == ["ScenePanel", "MapPanel"]
    assert not any("force" in text.get_text() for text in free.figure.legends[0].texts)


def test_going_back_draws_the_same_frame(run):
    with film_style():
        stage = film.Film(run)
        first = stage.draw(1.0)
        stage.draw(6.4)
        np.testing.assert_array_equal(stage.draw(1.0), first)


def test_a_missed_contact_is_named():
    run = simulate(
        load_world("narrow_gap", ["detection={estimator: joint_error, measure: force_norm}"])
    )
    with film_style():
        stage = film.Film(run)
        stage.draw(stage.missed[0].peak_time)
        assert stage.banner.get_text() == "missed contact"
        assert stage.panels[1].halo.get_color() == COLOURS.missed


def test_the_speed_is_a_round_multiple():
    times = (0.5, 30, 50.6, 200, 1e9)
    assert [film_speed(t, film._LONGEST) for t in times] == [1, 1, 2, 8, 1000]


def test_a_film_shows_what_stands_at_its_moment():
    """The gate of this pocket appears, in both panels, though no new plan is made then."""
    run = simulate(
        load_world("door", ["time_limit=9", "obstacles.5.appears=0.3", "obstacles.2.vanishes=0.6"])
    )
    with film_style():
        made = film.Film(run)
        scene, map_ = made.panels[0].scene, made.panels[1]
        pictures, slices, parts = [], [], []
        for time in (0.2, 0.5, 0.7):
            pictures.append(made.draw(time))
            slices.append(len(map_.slice.get_paths()))
            parts.append(scene.parts(None, time=time)[0][0].shape[0])
    names = [obstacle.name for obstacle in run.world.obstacles]
    still, gate, door = (names.count(name) for name in (None, "gate", "door"))
    assert slices == [still + door, still + door + gate, still + gate]
    assert parts[0] < parts[1] > parts[2]
    assert all(np.abs(a.astype(int) - b).max() > 100 for a, b in pairwise(pictures))
    assert len(scene.parts(None)[0][0]) == parts[1], "without a time all that ever stands"
