"""The page in a browser: it asks for nothing, its cursor moves everything, the arm is where it should be."""

from __future__ import annotations

import base64
import io
import re
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
import yaml
from browser import Browser
from PIL import Image
from scenes import PLANAR, touched_whole_arm

from dynamics import link_frames
from hopfield_nav import load_world, simulate
from hopfield_nav.build import build_arm
from hopfield_nav.extensions.known_world import plan_world, save_plan
from hopfield_nav.extensions.viewer import describe_plan, describe_run, write_page
from hopfield_nav.figures import COLOURS
from hopfield_nav.figures.run.network import NetworkOfRun
from hopfield_nav.world import parse_world

CURSOR = np.array([int(COLOURS.travelled[k : k + 2], 16) for k in (1, 3, 5)])
LARGEST = 1_200_000  # [bytes] of the main experiment's page


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    opened = Browser(tmp_path_factory.mktemp("browser"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def main_run():
    return simulate(load_world("ragazzon2012"))


@pytest.fixture(scope="module")
def main_page(main_run, tmp_path_factory):
    return write_page(describe_run(main_run), tmp_path_factory.mktemp("main") / "main.html")


def open_page(browser, path):
    """At its beginning; loaded again only where another page is open."""
    if browser.run("location.href") != path.as_uri():
        browser.open(path.as_uri())
        browser.wait("window.hopfieldView !== undefined")
    browser.run("hopfieldView.clock.pause(); hopfieldView.clock.seek(0)")


def seek(browser, time):
    """Go to a time; the picture is drawn when this returns."""
    browser.run(f"hopfieldView.clock.seek({time})")
    browser.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def canvas_picture(browser, selector, k):
    address = browser.run(f"document.querySelectorAll({selector!r})[{k}].toDataURL()")
    picture = Image.open(io.BytesIO(base64.b64decode(address.split(",")[1])))
    return np.asarray(picture.convert("RGBA"))


def cursor_column(browser, selector, k):
    """Middle of the columns that are the cursor's colour from top to bottom, in pixels."""
    picture = canvas_picture(browser, selector, k)
    own = (np.abs(picture[..., :3].astype(int) - CURSOR).max(axis=2) < 40) & (picture[..., 3] > 200)
    count = own.sum(axis=0)
    assert count.max() > 0.5 * picture.shape[0]
    return np.flatnonzero(count > 0.9 * count.max()).mean()


def test_the_page_is_small_and_asks_for_nothing(browser, main_page):
    assert main_page.stat().st_size <= LARGEST
    open_page(browser, main_page)
    seek(browser, 30.0)
    assert browser.requests() == [main_page.as_uri()]
    assert browser.faults() == []


def test_a_page_that_asks_is_noticed_and_stopped(browser, main_page, tmp_path):
    """The same questions to a page that loads a picture and throws: both are seen, the picture is refused."""
    asking = tmp_path / "asking.html"
    wrong = (
        "<img src='http://localhost:9/a.png'><script>throw new Error('on purpose')</script></body>"
    )
    asking.write_text(
        main_page.read_text(encoding="utf-8").replace("</body>", wrong), encoding="utf-8"
    )
    open_page(browser, asking)
    told = " ".join(browser.faults())
    assert "on purpose" in told
    assert "Content Security Policy" in told


def test_every_reading_has_a_name_and_three_js_says_its_release(browser, main_page):
    open_page(browser, main_page)
    seek(browser, 20.0)
    notes = browser.run(
        "[...document.querySelectorAll('figcaption output')].map((o) => o.textContent)"
    )
    assert re.fullmatch(r"(J[1-6] -?\d+(\.\d+)?  ){6}mrad", notes[1]), notes[1]
    first = (
        (files("hopfield_nav.extensions.viewer") / "vendor" / "three" / "three.min.js")
        .read_text()
        .partition("\n")[0]
    )
    assert f"three.js 0.{browser.run('THREE.REVISION')}." in first


def test_the_cursor_moves_every_panel(browser, main_page, main_run):
    open_page(browser, main_page)
    columns, notes = [], []
    for time in (10.0, 20.0, 40.0):
        seek(browser, time)
        columns.append([cursor_column(browser, "figure.curves canvas", k) for k in range(3)])
        notes.append(
            browser.run(
                "[...document.querySelectorAll('figcaption output')].map((o) => o.textContent)"
            )
        )
        row = int(np.searchsorted(main_run.data.time.values, time))
        x, y = main_run.data.tool_position.values[row, :2]
        shown = [
            float(word)
            for word in notes[-1][3].removeprefix("tool at ").removesuffix(" m").split(",")
        ]
        assert np.abs(np.array(shown) - [x, y]).max() < 1e-3
        assert browser.run("document.getElementById('now').textContent").startswith(f"{time:.2f}")
        assert (
            browser.run("Number(document.getElementById('timeline').getAttribute('aria-valuenow'))")
            == time
        )
    columns = np.array(columns)
    # time is even
    assert (np.abs((columns[2] - columns[1]) - 2 * (columns[1] - columns[0])) <= 2.0).all()
    assert (columns[1] - columns[0] > 50).all()
    assert len({tuple(note) for note in notes}) == 3


def test_the_time_line_bears_the_collisions(browser, main_page, main_run):
    open_page(browser, main_page)
    seek(browser, 0.0)
    picture = canvas_picture(browser, "#timeline", 0)
    red = np.array([int(COLOURS.goal[k : k + 2], 16) for k in (1, 3, 5)])
    own = (np.abs(picture[..., :3].astype(int) - red).max(axis=2) < 60) & (picture[..., 3] > 120)
    columns = np.flatnonzero(own[: picture.shape[0] // 4].any(axis=0))
    ticks = np.array(
        [part.mean() for part in np.split(columns, np.flatnonzero(np.diff(columns) > 1) + 1)]
    )
    events, end = main_run.data.event_time.values, main_run.data.time.values[-1]
    expected = 6 + (picture.shape[1] - 12) * events / end
    assert ticks.shape == expected.shape
    assert np.abs(ticks - 0.5 - expected).max() < 2.0


def test_play_advances_and_pause_holds(browser, main_page):
    open_page(browser, main_page)
    assert browser.run("hopfieldView.clock.time") == 0.0
    browser.run("document.getElementById('play').click()")
    browser.wait("hopfieldView.clock.time > 0.5")
    browser.run("document.getElementById('play').click()")
    held = browser.run("hopfieldView.clock.time")
    browser.run("new Promise((done) => setTimeout(done, 200))")
    assert browser.run("hopfieldView.clock.time") == held
    browser.run("hopfieldView.clock.seek(hopfieldView.clock.end - 0.1); hopfieldView.clock.play()")
    browser.wait("!hopfieldView.clock.playing")
    assert browser.run("hopfieldView.clock.time === hopfieldView.clock.end")


def test_the_value_under_the_pointer_is_that_of_the_record(browser, main_page, main_run):
    """Along two lines over the map: each cell that is named has the activation of the plan that is followed then."""
    open_page(browser, main_page)
    grid, data, time = main_run.world.map, main_run.data, 30.0
    seek(browser, time)
    activation = data.activation.values[np.searchsorted(data.plan_time.values, time) - 1]
    named = browser.run(
        "(() => { const canvas = document.querySelector('figure.map canvas'), box = canvas.getBoundingClientRect();"
        " const note = document.querySelector('figure.map output'), named = [];"
        " for (const share of [0.4, 0.6]) for (let x = 1; x < box.width; x += 3) {"
        "  canvas.dispatchEvent(new PointerEvent('pointermove',"
        "   {clientX: box.left + x, clientY: box.top + share * box.height}));"
        "  named.push(note.textContent); }"
        " canvas.dispatchEvent(new PointerEvent('pointerleave')); named.push(note.textContent); return named; })()"
    )
    assert named.pop().startswith("tool at ")
    climb = NetworkOfRun(main_run).steps_of_climb(
        int(np.searchsorted(data.plan_time.values, time)) - 1
    )
    cells = []
    expected = r"cell (\d+), (\d+): ln σ = (-[\d.]+|0\.00), ln σ/ln β = ([\d.]+); steps of the climb: (\d+)"
    for words in named:
        match = re.fullmatch(expected, words)
        if match is None:
            assert words.startswith("tool at ") or words.endswith("no path to the goal"), words
            continue
        cells.append((int(match[1]), int(match[2])))
        assert float(match[3]) == pytest.approx(activation[cells[-1]], abs=0.006)
        assert float(match[4]) == pytest.approx(
            activation[cells[-1]] / np.log(main_run.world.planner.beta), abs=0.006
        )
        assert int(match[5]) == climb[cells[-1]]
    assert len({cell[1] for cell in cells}) == 2
    assert len({cell[0] for cell in cells}) > grid.shape[0] // 2
    assert browser.faults() == []


def test_the_network_has_its_scale_beside_the_map(browser, main_page):
    """Columns beside the map have the colours from the goal's, at the bottom, to the deepest, which no cell has."""
    open_page(browser, main_page)
    picture = canvas_picture(browser, "figure.map canvas", 0).astype(int)
    first, last = (
        np.array([int(c[k : k + 2], 16) for k in (1, 3, 5)])
        for c in (
            browser.run(f"hopfieldView.view.map.network.colours.at({end})") for end in (0, -1)
        )
    )
    low, high = (np.abs(picture[..., :3] - colour).max(axis=2) < 4 for colour in (first, last))
    columns = np.flatnonzero(low.any(axis=0) & high.any(axis=0))
    assert len(columns) >= 8
    for column in columns:
        assert np.flatnonzero(low[:, column]).min() > np.flatnonzero(high[:, column]).max() + 40


def pixel_of(browser, point):
    """Where the camera sees a point: column and row of the page's picture, by a pinhole of our own."""
    eye, to, fov = (
        browser.run(f"hopfieldView.scene.{name}")
        for name in ("camera.position.toArray()", "controls.target.toArray()", "camera.fov")
    )
    box = browser.run(
        "(() => { const b = document.querySelector('#scene canvas').getBoundingClientRect();"
        " return [b.left, b.top, b.width, b.height]; })()"
    )
    ahead = np.subtract(to, eye) / np.linalg.norm(np.subtract(to, eye))
    right = np.cross(ahead, [0, 0, 1])
    right /= np.linalg.norm(right)
    seen = np.array([right, np.cross(right, ahead), ahead]) @ np.subtract(point, eye)
    focus = 0.5 * box[3] / np.tan(np.radians(fov) / 2)
    return (
        round(box[0] + 0.5 * box[2] + focus * seen[0] / seen[2]),
        round(box[1] + 0.5 * box[3] - focus * seen[1] / seen[2]),
    )


def assert_arm_is_there(browser, run, time, capsule):
    """Hiding all but the arm, the middle of a capsule is not white; hiding the arm too, it is."""
    seek(browser, time)
    arm, row = build_arm(run.world), int(np.searchsorted(run.data.time.values, time))
    link, start, end = (
        int(arm.capsules[capsule, 0]),
        arm.capsules[capsule, 1:4],
        arm.capsules[capsule, 4:7],
    )
    frame = link_frames(arm, run.data.q.values[row])[link]
    column, line = pixel_of(browser, frame[:3, :3] @ (start + end) / 2 + frame[:3, 3])
    hidden = ("obstacles", "map", "felt", "path", "trail", "forces")
    for name in hidden:
        browser.run(f"hopfieldView.scene.toggle({name!r}, false)")
    there = browser.picture()[line, column].astype(int)
    browser.run("hopfieldView.scene.toggle('arm', false)")
    without = browser.picture()[line, column].astype(int)
    for name in ("arm", *hidden):
        browser.run(f"hopfieldView.scene.toggle({name!r}, true)")
    assert there.max() < 245, (there, column, line)
    assert without.min() > 250


@pytest.mark.parametrize("time", [2.0, 26.0])
@pytest.mark.parametrize("capsule", [0, 3, 5])
def test_the_arm_is_where_it_should_be(browser, main_page, main_run, time, capsule):
    open_page(browser, main_page)
    assert_arm_is_there(browser, main_run, time, capsule)


def test_a_box_shows_the_frames_of_the_links(browser, main_page, main_run):
    """Their origins and z axes are those of ``link_frames``."""
    open_page(browser, main_page)
    seek(browser, 2.0)
    frames = "hopfieldView.scene.groups.frames"
    assert not browser.run(f"{frames}.visible")
    browser.run("document.querySelector('#legend input[name=frames]').click()")
    assert browser.run(f"{frames}.visible")
    row = int(np.searchsorted(main_run.data.time.values, browser.run("hopfieldView.clock.time")))
    expected = link_frames(build_arm(main_run.world), main_run.data.q.values[row])
    origins = browser.run(f"{frames}.children.map((axes) => axes.position.toArray())")
    np.testing.assert_allclose(origins, expected[:, :3, 3], atol=2e-3)
    ahead = browser.run(
        f"{frames}.children.map((axes) => new THREE.Vector3(0, 0, 1).applyQuaternion(axes.quaternion).toArray())"
    )
    np.testing.assert_allclose(ahead, expected[:, :3, 2], atol=5e-3)
    browser.run("document.querySelector('#legend input[name=frames]').click()")


def test_an_unknown_obstacle_is_faint_until_it_is_touched(browser, main_page):
    open_page(browser, main_page)
    k, touched = next(
        (k, t)
        for k, t in enumerate(browser.run("hopfieldView.view.solids.map((solid) => solid.touched)"))
        if t is not None
    )
    opacity = f"hopfieldView.scene.groups.obstacles.children[{2 * k}].material.opacity"
    seek(browser, touched - 0.01)
    before = browser.run(opacity)
    seek(browser, touched + 0.01)
    assert browser.run(opacity) > 2 * before


def test_an_obstacle_is_on_the_page_while_it_stands(browser, tmp_path):
    there = "{sphere: {center: [0.4, 0.2, 0.0], radius: 0.03}, appears: 0.4, vanishes: 0.8}"
    # the arm is there to the end
    late = "{sphere: {center: [0.2, 0.04, 0.0], radius: 0.2}, appears: 0.1}"
    run = simulate(parse_world(f"format: 1\nobstacles: [{there}, {late}]\ntime_limit: 1\n"))
    open_page(browser, write_page(describe_run(run), tmp_path / "times.html"))
    shown = "hopfieldView.scene.groups.obstacles.children.map((m) => m.visible)"
    seen = {}
    for time in (0.2, 0.5, 0.9):
        seek(browser, time)
        map_ = canvas_picture(browser, "figure.map canvas", 0).astype(int)
        seen[time] = browser.run(shown), int((map_[..., 3] > 0).sum())
    assert [visible for visible, _ in seen.values()] == [
        [False] * 4,
        [True, True, False, False],
        [False] * 4,
    ]
    assert seen[0.5][1] > max(seen[0.2][1], seen[0.9][1]) + 300, "it is painted on the map"


def test_facts_are_thick_and_beliefs_thin(browser, tmp_path):
    run = simulate(load_world("over_the_wall"))
    open_page(browser, write_page(describe_run(run), tmp_path / "space.html"))
    for plan in run.plans()[1:]:
        seek(browser, plan.time + 1e-3)
        widths = browser.run(
            "hopfieldView.scene.groups.felt.children.filter((m) => !m.isInstancedMesh)"
            ".map((m) => m.geometry.parameters.width)"
        )
        facts = int((plan.certainty == 1.0).sum())
        assert len(widths) == len(plan.certainty)
        assert sum(w > 0.1 * run.world.map.spacing for w in widths) == facts
        cubes = browser.run(
            "hopfieldView.scene.groups.felt.children.filter((m) => m.isInstancedMesh).map((m) => m.count)"
        )
        assert sum(cubes) == int(plan.felt.sum())
    assert "level" in browser.run("document.querySelector('figure.map output').textContent")
    assert browser.faults() == []


def test_a_joint_map_shows_the_places_of_its_touches(browser, tmp_path):
    """No map is drawn; a ball appears with its touch, fainter than a likelier one of the same touch."""
    run, page = touched_whole_arm(), describe_run(touched_whole_arm())
    open_page(browser, write_page(page, tmp_path / "joints.html"))
    assert browser.run("document.querySelectorAll('figure.map').length") == 0
    assert browser.run("document.querySelectorAll('figure.curves').length") == 3
    legend = "[...document.querySelectorAll('#legend input')].map((box) => box.name)"
    assert browser.run(legend) == ["arm", "obstacles", "felt", "trail", "forces", "frames"]
    balls = "hopfieldView.scene.groups.felt.children"
    for time in (*run.data.event_time.values, run.data.time.values[-1]):
        for near in (time - 1e-3, time):
            seek(browser, near)
            shown = browser.run(f"{balls}.map((ball) => ball.visible)")
            assert shown == [place["time"] <= near for place in page["places"]]
    opacity = np.array(browser.run(f"{balls}.map((ball) => ball.material.opacity)"))
    weight = np.array([place["weight"] for place in page["places"]])
    assert np.unique(weight).size > 1
    assert (np.argsort(opacity, kind="stable") == np.argsort(weight, kind="stable")).all()
    assert_arm_is_there(browser, run, 1.0, 3)
    assert browser.faults() == []


def test_an_arm_with_three_joints_shows_its_own_capsules(browser, tmp_path):
    (tmp_path / "planar.yaml").write_text(PLANAR)
    (tmp_path / "world.yaml").write_text(
        "format: 1\narm: planar.yaml\nstart: {joints: [0.3, 0.5, 0.2]}\ncontroller: {omega: 20}\ntime_limit: 0.3\n"
    )
    run = simulate(load_world(tmp_path / "world.yaml"))
    open_page(browser, write_page(describe_run(run), tmp_path / "planar.html"))
    assert browser.run("hopfieldView.view.panels[1].curves.length") == 3
    assert_arm_is_there(browser, run, 0.1, 1)
    assert browser.faults() == []


def test_a_plan_is_shown(browser, tmp_path):
    planned = plan_world(load_world("cell"))
    save_plan(planned, tmp_path / "cell")
    open_page(browser, write_page(describe_plan(tmp_path / "cell"), tmp_path / "cell.html"))
    end = browser.run("hopfieldView.clock.end")
    assert end == pytest.approx(float(planned.trajectory.knots[-1]), abs=1e-5)
    titles = browser.run(
        "[...document.querySelectorAll('figcaption')].map((c) => c.firstChild.textContent)"
    )
    assert titles == ["joint angle", "joint speed", "motor torque", "distance"]
    columns = []
    for share in (0.25, 0.5, 1.0):
        seek(browser, share * end)
        columns.append(cursor_column(browser, "figure.curves canvas", 0))
    assert abs((columns[2] - columns[1]) - 2 * (columns[1] - columns[0])) <= 2.0
    assert browser.faults() == []


def test_what_a_plan_names_is_not_executed_to_show_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save_plan(plan_world(load_world("cell")), tmp_path / "cell")
    Path("cell/mine.py").write_text(
        "open('executed', 'w').close()\nDETECTOR = 1\n", encoding="utf-8"
    )
    kept = yaml.safe_load(Path("cell/world.yaml").read_text(encoding="utf-8"))
    kept["detection"] = {"measure": "mine.py:DETECTOR"}
    Path("cell/world.yaml").write_text(yaml.safe_dump(kept), encoding="utf-8")
    assert describe_plan(Path("cell"))["title"] == "cell"
    assert not Path("executed").exists()


def test_words_of_the_world_are_words(browser, tmp_path):
    """A name that looks like the page's own language is shown as it is."""
    trap = "</script><script>window.broken = 1</script> @scripts@"
    run = simulate(load_world("empty", [f"description={trap!r}", "time_limit=0.2"]))
    open_page(browser, write_page(describe_run(run), tmp_path / "words.html"))
    assert browser.run("window.broken === undefined")
    assert trap in browser.run("document.getElementById('world').textContent").replace(
        "\n    ", " "
    )
    assert browser.faults() == []


def test_what_passes_the_lower_level_without_an_alarm_is_an_event_and_its_level_a_limit():
    push = {"link": 6, "times": [0.5, 0.7, 0.9], "force": [[0, 0, 0], [0, 0, 12.0], [0, 0, 0]]}
    levels = {
        "detection.measure": "force_norm",
        "detection.threshold": 20.0,
        "detection.report": 6.0,
    }
    made = simulate(load_world("empty", {**levels, "pushes": [push], "time_limit": 1}))
    page = describe_run(made)
    assert [event["time"] for event in page["events"] if event["kind"] == "report"] == [
        made.passages[0, 0]
    ]
    force, _, level = page["panels"]
    assert [limit["value"] for panel in (force, level) for limit in panel["limits"]] == [
        20.0,
        6.0,
        1.0,
        0.3,
    ]
