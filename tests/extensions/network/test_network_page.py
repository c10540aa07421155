"""The page of the network beside the program: the same activations, cells and reasons; time, keys, and size."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from browser import Browser

from hopfield_nav import plan_path
from hopfield_nav.extensions.network import page_text
from hopfield_nav.planning import iterate, largest_eigenvalue, neighbourhood_of

LARGEST = 150_000  # [bytes]
BETAS = (0.05, 0.1, 0.2, 0.25)
FRAME = 16.0  # [ms] of a screen
CAP = 20_000  # sweeps of the page in plain numbers


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    opened = Browser(tmp_path_factory.mktemp("browser"))
    path = tmp_path_factory.mktemp("page") / "network.html"
    path.write_text(page_text(), encoding="utf-8")
    opened.path = path
    opened.open(path.as_uri())
    opened.wait("window.hopfield !== undefined")
    yield opened
    opened.close()


def random_problem(generator):
    """Map, start, goal, network, β: sizes 5 to 40, up to 45 % walls; ends may be walls."""
    shape = tuple(int(n) for n in generator.integers(5, 41, 2))
    blocked = generator.random(shape) < generator.uniform(0.0, 0.45)
    start, goal = (tuple(int(generator.integers(n)) for n in shape) for _ in range(2))
    if generator.random() < 0.9:
        blocked[start] = blocked[goal] = False
    network = ("sum", "limit")[int(generator.integers(2))]
    return blocked, start, goal, network, float(generator.choice(BETAS))


def ask(browser, problems, function="linear"):
    """What the page finds for problems: ln σ (NaN where dark), path, reason, saturated, sweeps."""
    told = [
        [list(blocked.shape), np.argwhere(blocked).tolist(), start, goal, network, beta]
        for blocked, start, goal, network, beta in problems
    ]
    code = (
        f"{json.dumps(told)}.map(([shape, walls, start, goal, network, beta]) => {{"
        " hopfield.setMap(shape, walls); hopfield.setStart(start); hopfield.setGoal(goal);"
        f" hopfield.setBeta(beta); hopfield.setNetwork(network); hopfield.setActivation({function!r});"
        " hopfield.settle(); return [hopfield.activation(), hopfield.path(), hopfield.reason(),"
        " hopfield.saturated(), hopfield.sweeps()]; })"
    )
    return [(np.array(logs, float), *more) for logs, *more in browser.run(code)]


def assert_same_path(path, plan):
    if plan.cells is None:
        assert path is None
    else:
        np.testing.assert_array_equal(path, plan.cells)


def assert_same_logs(logs, expected):
    np.testing.assert_array_equal(np.isfinite(logs), np.isfinite(expected))
    lit = np.isfinite(expected)
    assert np.abs(logs[lit] - expected[lit]).max(initial=0.0) <= 1e-12


def test_a_thousand_random_maps_have_the_activations_and_the_cells_of_the_program(browser):
    generator = np.random.default_rng(87)
    ways = 0
    for _ in range(20):
        problems = [random_problem(generator) for _ in range(50)]
        for problem, (logs, path, reason, saturated, _) in zip(
            problems, ask(browser, problems), strict=True
        ):
            blocked, start, goal, network, beta = problem
            plan = plan_path(blocked, start, goal, network, beta if network == "sum" else None)
            assert_same_path(path, plan)
            assert (reason, saturated) == (plan.reason, plan.saturated)
            ways += plan.cells is not None
            if plan.landscape is None:
                continue
            expected = plan.landscape.activation
            assert_same_logs(logs, expected if network == "sum" else -expected * math.log(beta))
    assert 300 < ways < 900
    assert browser.faults() == []


def test_between_a_quarter_and_the_limit_it_says_what_the_program_says(browser):
    """False maxima and clamped cells: mostly on maps with few walls."""
    generator = np.random.default_rng(4)
    problems = []
    for _ in range(150):
        shape = tuple(int(n) for n in generator.integers(5, 31, 2))
        blocked = generator.random(shape) < generator.choice([0.0, 0.02, 0.1])
        start, goal = (tuple(int(generator.integers(n)) for n in shape) for _ in range(2))
        blocked[start] = blocked[goal] = False
        limit = 1 / largest_eigenvalue(neighbourhood_of(shape))
        beta = 0.25 + float(generator.choice([0.3, 0.8, 0.97])) * (limit - 0.25)
        problems.append((blocked, start, goal, "sum", beta))
    stopped = 0
    for problem, (_, path, reason, saturated, _) in zip(
        problems, ask(browser, problems), strict=True
    ):
        blocked, start, goal, _, beta = problem
        plan = plan_path(blocked, start, goal, "sum", beta)
        assert_same_path(path, plan)
        assert (reason, saturated) == (plan.reason, plan.saturated)
        stopped += "false maximum" in reason or "saturates" in reason
    assert stopped > 10


def test_beyond_the_limit_it_is_the_document_s_sweeps_and_says_saturated(browser):
    generator = np.random.default_rng(5)
    problems = []
    for _ in range(30):
        shape = tuple(int(n) for n in generator.integers(5, 21, 2))
        blocked = generator.random(shape) < 0.1
        start, goal = (tuple(int(generator.integers(n)) for n in shape) for _ in range(2))
        blocked[start] = blocked[goal] = False
        limit = 1 / largest_eigenvalue(neighbourhood_of(shape))
        problems.append((blocked, start, goal, "sum", limit * float(generator.uniform(1.0, 1.1))))
    clamped = 0
    for problem, (logs, _, _, saturated, sweeps) in zip(
        problems, ask(browser, problems), strict=True
    ):
        blocked, _, goal, _, beta = problem
        sigma, count = iterate(blocked, goal, beta, most_sweeps=CAP, check=False)
        with np.errstate(divide="ignore"):
            assert_same_logs(logs, np.log(sigma))
        assert sweeps == count
        assert saturated == (np.count_nonzero(sigma >= 1.0) > 1)
        clamped += saturated
    assert clamped > 15


@pytest.mark.parametrize("name", ["tanh", "shunting", "saturated", "sigmoid"])
def test_the_other_functions_are_those_of_the_program(browser, name):
    generator = np.random.default_rng(6)
    problems = []
    for _ in range(15):
        blocked, start, goal, _, _ = random_problem(generator)
        blocked, start, goal = (
            blocked[:20, :20],
            tuple(c % 5 for c in start),
            tuple(c % 5 for c in goal),
        )
        blocked[start] = blocked[goal] = False
        problems.append((blocked, start, goal, "sum", float(generator.choice([0.05, 0.1, 0.2]))))
    for problem, (logs, path, reason, saturated, _) in zip(
        problems, ask(browser, problems, name), strict=True
    ):
        blocked, start, goal, _, beta = problem
        plan = plan_path(blocked, start, goal, "sum", beta, activation=name)
        assert_same_logs(logs, plan.landscape.activation)
        assert_same_path(path, plan)
        assert (reason, saturated) == (plan.reason, plan.saturated)


def test_sweeps_are_those_of_the_program_one_by_one(browser):
    blocked, start, goal, _, beta = random_problem(np.random.default_rng(7))
    ask(browser, [(blocked, start, goal, "sum", beta)])
    for count, made in ((1, 1), (3, 4), (20, 24)):
        browser.run(f"hopfield.sweep({count})")
        sigma, _ = iterate(blocked, goal, beta, most_sweeps=made)
        with np.errstate(divide="ignore"):
            assert_same_logs(np.array(browser.run("hopfield.activation()"), float), np.log(sigma))
        assert browser.run("hopfield.sweeps()") == made
        expected = lyapunov(sigma, beta)
        assert browser.run("hopfield.energy()") == pytest.approx(expected, abs=1e-12)


def lyapunov(sigma, beta):
    """L of (6.4) with −½, in the words of NumPy."""
    pairs = 2 * ((sigma[1:] * sigma[:-1]).sum() + (sigma[:, 1:] * sigma[:, :-1]).sum())
    return float((sigma**2).sum() / (2 * beta) - 0.5 * pairs)


def test_the_energy_never_rises_and_ends_at_that_of_the_equilibrium(browser):
    ask(browser, [(np.zeros((12, 9), bool), (0, 0), (11, 8), "sum", 0.2)])
    values = browser.run(
        "(() => { const rest = hopfield.energy(), seen = []; for (let k = 0; k < 300; k++) {"
        " hopfield.sweep(1); seen.push(hopfield.energy()); } return [rest, ...seen]; })()"
    )
    assert np.diff(values[1:]).max() <= 1e-15
    assert values[-1] == pytest.approx(values[0], abs=1e-12)


def test_a_sweep_of_the_limit_network_carries_the_wave_one_cell_further(browser):
    blocked = np.zeros((10, 10), bool)
    ask(browser, [(blocked, (0, 0), (5, 5), "limit", 0.1)])
    distance = plan_path(blocked, (0, 0), (5, 5)).distance
    for made in (1, 2, 6):
        browser.run(f"hopfield.settle(); hopfield.sweep({made})")
        logs = np.array(browser.run("hopfield.activation()"), float)
        np.testing.assert_array_equal(np.isfinite(logs), distance < made)


def test_what_blocks_an_end_is_said_as_the_program_says_it(browser):
    blocked = np.zeros((5, 6), bool)
    blocked[2, 2] = True
    for start, goal in (((2, 2), (4, 4)), ((0, 0), (2, 2)), ((2, 2), (2, 2)), ((1, 1), (1, 1))):
        ((_, path, reason, _, _),) = ask(browser, [(blocked, start, goal, "sum", 0.1)])
        plan = plan_path(blocked, start, goal, "sum", 0.1)
        assert reason == plan.reason
        assert_same_path(path, plan)


def test_a_map_is_given_as_cells_or_as_rows(browser):
    for walls in ("[[0, 1], [2, 2]]", "[[0, 1, 0], [0, 0, 0], [0, 0, 1]]"):
        browser.run(
            f"hopfield.setMap([3, 3], {walls}); hopfield.setNetwork('limit'); hopfield.setStart([0, 0]);"
            " hopfield.setGoal([0, 2])"
        )
        dark = np.isnan(np.array(browser.run("hopfield.activation()"), float))
        np.testing.assert_array_equal(np.argwhere(dark), [[0, 1], [2, 2]])


def test_the_dark_maze_goes_out_in_float32_and_not_with_exponents(browser):
    lit = {}
    for numbers in ("float32", "doubles", "exponents"):
        browser.run(
            "[...document.querySelectorAll('#lessons button')].find((b) => b.textContent === 'a dark maze').click();"
            f" (() => {{ const box = document.getElementById('kind'); box.value = {numbers!r}; box.onchange(); }})()"
        )
        logs = np.array(browser.run("hopfield.activation()"), float)
        lit[numbers] = int(np.isfinite(logs).sum())
        assert (browser.run("hopfield.path()") is None) == (numbers != "exponents")
        told = browser.run("hopfield.reason()")
        assert ("the light has gone out" in told) == (numbers != "exponents")
    assert lit["float32"] < 60 < lit["doubles"] < 400 < 800 < lit["exponents"]


def test_the_lessons_show_what_their_words_say(browser):
    def lesson(name):
        browser.run(
            f"[...document.querySelectorAll('#lessons button')].find((b) => b.textContent === {name!r}).click()"
        )

    lesson("corridor or hall")
    assert len(browser.run("hopfield.path()")) - 1 == 10
    browser.run("hopfield.setBeta(0.25)")
    assert len(browser.run("hopfield.path()")) - 1 == 16
    lesson("a false maximum")
    assert browser.run("hopfield.path()") is None
    plan = plan_path(np.zeros((20, 20), bool), (1, 2), (18, 19), "sum", 0.2527)
    assert browser.run("hopfield.reason()") == plan.reason
    assert plan.reason.startswith("false maximum at cell (10, 10)")
    assert not browser.run("hopfield.saturated()")
    lesson("along a wall")
    off = np.array(browser.run("hopfield.path()"))
    assert off[:, 1].max() > 5
    browser.run("hopfield.setNetwork('limit')")
    assert np.array(browser.run("hopfield.path()"))[:, 1].max() == 4


def press_lesson(browser, name):
    browser.run(
        f"[...document.querySelectorAll('#lessons button')].find((b) => b.textContent === {name!r}).click()"
    )


def text_of(browser, name):
    return browser.run(f"byId({name!r}).textContent")


def test_a_dark_start_is_told_from_a_start_without_a_way(browser):
    press_lesson(browser, "a dark maze")
    dark = "the light has gone out: σ of the start is 0 in float32, though a way of 818 steps"
    assert browser.run("hopfield.reason()").startswith(dark)
    assert text_of(browser, "reason").startswith(dark)
    browser.run("hopfield.setMap([40, 40], [[1, 0], [0, 1]])")
    assert text_of(browser, "reason") == "no free path from start to goal"


def test_rounds_of_the_solver_are_not_called_sweeps(browser):
    press_lesson(browser, "a wall")
    assert text_of(browser, "sweeps-name") == "rounds of the solver"
    browser.run("byId('one').click()")
    assert (text_of(browser, "sweeps-name"), text_of(browser, "sweeps")) == ("sweeps", "1 …")


def test_the_slope_and_the_energy_know_the_network(browser):
    press_lesson(browser, "along a wall")
    browser.run("hopfield.setNetwork('limit'); hopfield.setBeta(0.2527)")
    assert text_of(browser, "beta-words") == "β changes no path here."
    assert browser.run("['beta-sum', 'marks', 'energy'].every((id) => byId(id).hidden)")
    browser.run("hopfield.setNetwork('sum')")
    assert "1/λ" in text_of(browser, "beta-words")
    assert not browser.run("byId('energy').hidden")


def test_a_refused_slope_says_what_is_allowed(browser):
    press_lesson(browser, "a wall")
    browser.run("byId('beta-number').value = 3, byId('beta-number').onchange()")
    assert text_of(browser, "beta-refused") == "3 is refused: β must be above 0 and below 1"
    assert browser.run("network.chosen.beta") == 0.1
    browser.run("byId('beta-number').value = 0.2, byId('beta-number').onchange()")
    assert text_of(browser, "beta-refused") == ""


def test_the_size_is_said_and_a_map_of_ones_own_releases_the_example(browser):
    press_lesson(browser, "along a wall")
    assert browser.run("byId('size').selectedOptions[0].textContent") == "24 × 14"
    assert browser.run("document.querySelectorAll('#lessons [aria-pressed=true]').length") == 1
    for name in ("clear", "random"):
        press_lesson(browser, "along a wall")
        browser.run(f"byId({name!r}).click()")
        assert browser.run("document.querySelectorAll('#lessons [aria-pressed=true]').length") == 0


def test_the_keyboard_alone_draws_a_wall_and_moves_the_ends(browser):
    ask(browser, [(np.zeros((8, 8), bool), (1, 1), (6, 6), "sum", 0.1)])
    before = browser.run("hopfield.path()")
    browser.run("document.getElementById('map').blur(); document.getElementById('map').focus()")

    def press(*keys):
        for key in keys:
            browser.run(
                f"document.getElementById('map').dispatchEvent(new KeyboardEvent('keydown', {{key: {key!r}}}))"
            )

    press("ArrowRight", " ")
    at = browser.run("document.getElementById('under').textContent")
    assert at.endswith("wall")
    wall = [int(c) for c in at.removeprefix("cell ").split(":")[0].split(", ")]
    assert browser.run("hopfield.activation()")[wall[0]][wall[1]] is None
    press("ArrowUp", "s")
    assert browser.run("hopfield.path()")[0] == [wall[0], wall[1] + 1]
    press("ArrowUp", "g")
    assert browser.run("hopfield.path()")[-1] == [wall[0], wall[1] + 2]
    assert browser.run("hopfield.path()") != before
    press("ArrowDown", "ArrowDown", " ")
    assert browser.run("hopfield.activation()")[wall[0]][wall[1]] is not None


def test_the_pointer_draws_erases_and_drags(browser):
    ask(browser, [(np.zeros((8, 8), bool), (1, 1), (6, 6), "sum", 0.1)])

    def drag(*cells):
        browser.run(
            f"(() => {{ const canvas = document.getElementById('map'), box = canvas.getBoundingClientRect();"
            f" canvas.setPointerCapture = () => {{}}; const side = (box.width - 2 - 62) / 8;"
            f" const at = ([i, j]) => ({{clientX: box.left + 1 + (i + 0.5) * side,"
            f"  clientY: box.bottom - 1 - (j + 0.5) * side, pointerId: 1}});"
            f" const cells = {json.dumps(cells)};"
            " canvas.dispatchEvent(new PointerEvent('pointerdown', at(cells[0])));"
            " cells.slice(1).forEach((cell) => canvas.dispatchEvent(new PointerEvent('pointermove', at(cell))));"
            " canvas.dispatchEvent(new PointerEvent('pointerup', at(cells[cells.length - 1]))); })()"
        )

    def walls():
        return np.argwhere(np.isnan(np.array(browser.run("hopfield.activation()"), float))).tolist()

    drag((3, 0), (3, 6))
    assert walls() == [[3, j] for j in range(7)]
    drag((3, 5), (3, 6))
    assert walls() == [[3, j] for j in range(5)]
    drag((1, 1), (1, 4))
    drag((6, 6), (7, 6))
    path = browser.run("hopfield.path()")
    assert (path[0], path[-1]) == ([1, 4], [7, 6])
    browser.run("document.getElementById('map').blur(); document.getElementById('map').focus()")
    assert text_of(browser, "under").startswith("cell 7, 6:")


def test_the_page_is_small_and_asks_for_nothing(browser):
    assert browser.path.stat().st_size <= LARGEST
    assert browser.requests() == [browser.path.as_uri()]


@pytest.mark.parametrize("width", [1280, 400])
def test_nothing_is_wider_than_the_screen_and_no_text_is_small(browser, width):
    browser.ask(
        "Emulation.setDeviceMetricsOverride",
        width=width,
        height=900,
        deviceScaleFactor=1,
        mobile=width < 600,
    )
    try:
        browser.open(browser.path.as_uri())
        browser.wait("window.hopfield !== undefined")
        assert browser.run("document.documentElement.scrollWidth") <= width
        sizes = browser.run(
            "[...document.querySelectorAll('body *')].filter((e) => e.textContent.trim() && e.tagName !== 'SCRIPT')"
            ".map((e) => parseFloat(getComputedStyle(e).fontSize))"
        )
        assert min(sizes) >= 12
    finally:
        browser.ask("Emulation.clearDeviceMetricsOverride")
