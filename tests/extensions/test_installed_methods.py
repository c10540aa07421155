"""A method of an installed extension is as good as one in a file: planner, response and belief, on either map."""

from __future__ import annotations

import copy
import re
from pathlib import Path

import numpy as np
import pytest
from installed import install, look_again, pip_install, searched
from refusals import refused

from hopfield_nav import load_run, load_world, simulate
from hopfield_nav.experiment import Simulation
from hopfield_nav.plugin import find_method
from hopfield_nav.sweeps import make_sweep
from hopfield_nav.world import parse_world

pytestmark = pytest.mark.needs("whole_arm")

PAGE = Path(__file__).parents[2] / "docs" / "own_extension.md"
ARM = ["map.shape=[12, 8, 10, 1, 1, 1]", "time_limit=200"]
# of the page: each by its name, and as a file that imports it
METHODS = {
    "planner": ("planner.kind", "breadth_first", "planners"),
    "response": ("explore.method", "step_by_step", "responses"),
    "belief": ("planner.strategy", "latest", "beliefs"),
}
RUNS = [
    ("u_trap", [], "planner"),
    ("u_trap", [], "response"),
    ("whole_arm", ARM, "planner"),
    ("whole_arm", ARM, "response"),
    ("whole_arm", ARM, "belief"),
]


@pytest.fixture(scope="module")
def of_the_page(tmp_path_factory):
    """The folder into which pip has installed the extension of the page."""
    folder = tmp_path_factory.mktemp("page")
    found = re.findall(
        r"^```(?:python|toml)\n# (\S+)\n(.*?)^```$",
        PAGE.read_text("utf-8"),
        re.DOTALL | re.MULTILINE,
    )
    for name, text in found:
        path = folder / "source" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    pip_install(folder / "source", folder / "site")
    return folder / "site"


@pytest.fixture
def site(of_the_page, tmp_path, monkeypatch):
    """A folder that is searched for packages, beside that of the page, and the current folder of the test."""
    mine = tmp_path / "site"
    mine.mkdir()
    monkeypatch.chdir(tmp_path)
    with searched(mine, of_the_page):
        yield mine


def named(kind: str) -> str:
    """The change that names a method of the page."""
    key, name, _ = METHODS[kind]
    return f"{key}={name}"


@pytest.mark.parametrize(
    ("world", "changes", "kind"), RUNS, ids=[f"{kind} in {world}" for world, _, kind in RUNS]
)
def test_an_installed_method_does_what_the_same_in_a_file_does(world, changes, kind, site):
    """To the last bit."""
    key, name, folder = METHODS[kind]
    Path("mine.py").write_text(f"from forgetful.{folder}.{name} import METHOD\n", encoding="utf-8")
    runs = [
        simulate(load_world(world, [*changes, *change]))
        for change in ([f"{key}={name}"], [f"{key}=mine.py:METHOD"])
    ]
    installed, of_file = runs
    assert installed.outcome == of_file.outcome == "reached"
    assert installed.summary["collision_count"] > 0
    assert installed.data.drop_attrs().identical(of_file.data.drop_attrs())


ASKED = {
    "planner": ("planners", "plan", "believed", "believed.blocked[...] = True"),
    "response": ("responses", "on_touch", "touch", "touch.believed.blocked[...] = True"),
    "belief": ("beliefs", "believe", "felt", "felt.believed.blocked[...] = True"),
}


def install_one(site: Path, kind: str, body: str, distribution: str = "strange-methods") -> None:
    """A distribution with one method, ``strange``, whose function does ``body``."""
    folder, function, argument, _ = ASKED[kind]
    text = (
        "from hopfield_nav.plugin import Method, Parameter\n"
        f"class Strange:\n    def __init__(self, share):\n        self.share = share\n"
        f"    def {function}(self, {argument}):\n        {body}\n"
        f"METHOD = Method({kind!r}, 'strange', Strange, (Parameter('share', 0.5, 0.0, 1.0, '1', ''),))\n"
    )
    fields = f"methods={{{kind!r}: {folder!r}}}"
    install(site, distribution, {f"{folder}/strange.py": text}, fields)
    look_again()


@pytest.mark.parametrize(
    ("world", "changes", "kind"), RUNS, ids=[f"{kind} in {world}" for world, _, kind in RUNS]
)
@pytest.mark.parametrize("fault", ["raises", "writes"])
def test_an_installed_method_that_misbehaves_fails_the_run_in_its_own_name(
    world, changes, kind, fault, site
):
    """Nothing else takes its place, and no internal error is told."""
    install_one(site, kind, "raise ValueError('so it is')" if fault == "raises" else ASKED[kind][3])
    run = simulate(load_world(world, [*changes, f"{METHODS[kind][0]}=strange"]))
    assert run.outcome == "method_failed"
    words = "so it is" if fault == "raises" else "read-only"
    assert re.search(rf"{kind} 'strange': ValueError: .*{words}", run.summary["reason"])


@pytest.mark.parametrize("kind", METHODS)
def test_its_parameters_are_keys_of_the_section(kind, site):
    install_one(site, kind, "raise ValueError(f'a share of {self.share}')")
    section, _, key = METHODS[kind][0].partition(".")
    change = f"{section}={{{key}: strange, share: 0.25}}"
    assert "a share of 0.25" in simulate(load_world("whole_arm", [*ARM, change])).summary["reason"]
    for given, words in (("share: 2", f"{section}.share"), ("shore: 1", "Did you mean 'share'")):
        with refused(words):
            load_world("whole_arm", [*ARM, f"{section}={{{key}: strange, {given}}}"])


def test_a_response_of_others_needs_what_one_in_a_file_needs(site):
    with refused("explore.method.*detection.mark: felt"):
        parse_world("format: 1\nexplore: step_by_step\ndetection: {mark: actual}\n")
    at_any_angle = "format: 1\nexplore: step_by_step\nplanner: {radius: 2, any_angle: true}\n"
    assert parse_world(at_any_angle).explore.method == "step_by_step"  # as one in a file


@pytest.mark.parametrize("kind", ["planner", "response"])
def test_a_sweep_knows_that_somebody_s_own_method_may_hang(kind, site):
    key, name, _ = METHODS[kind]
    for given in ({"set": {key: name}, "vary": {"map.spacing": [0.0263]}}, {"vary": {key: [name]}}):
        made = make_sweep("u_trap", **given)
        assert made.calls_own
        assert made.is_random  # nobody knows whether it draws
    ours = make_sweep("u_trap", {key: [{"planner": "a_star", "response": "replan"}[kind]]})
    assert not ours.calls_own


@pytest.mark.needs("bench")
def test_so_does_a_bench(site):
    from hopfield_nav.extensions.bench import load_suite

    Path("theirs.yaml").write_text("planner.kind: breadth_first\n", encoding="utf-8")
    suite = load_suite("touch", methods={"theirs": Path("theirs.yaml")})
    assert suite.only(["theirs"]).calls_own
    assert not suite.only([name for name in suite.methods if name != "theirs"]).calls_own


@pytest.mark.parametrize(
    ("world", "changes", "kind"), RUNS, ids=[f"{kind} in {world}" for world, _, kind in RUNS]
)
def test_a_copy_midway_goes_on_to_the_same_bytes(world, changes, kind, site, tmp_path):
    simulation = Simulation(load_world(world, [*changes, named(kind), "time_limit=15"]))
    while not simulation.detections:
        simulation.step(0.5)
    copied = copy.deepcopy(simulation)
    logs = [
        (one.run().save(tmp_path / name) / "log.nc").read_bytes()
        for name, one in (("first", simulation), ("copied", copied))
    ]
    assert logs[0] == logs[1]


def test_the_record_says_who_planned(site, tmp_path):
    """As of a planner in a file."""
    run = simulate(load_world("u_trap", [named("planner"), "time_limit=5"]))
    run.save(tmp_path / "kept")
    assert set(load_run(tmp_path / "kept").data.plan_by.values) <= {"own", "against_beliefs"}
    np.testing.assert_array_equal(run.data.plan_by, load_run(tmp_path / "kept").data.plan_by)
    assert find_method("planner", "breadth_first").description
