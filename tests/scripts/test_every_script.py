"""Every script can be loaded, so that none speaks of what is no longer there."""

from importlib import import_module
from pathlib import Path

import pytest
from benches import BUNDLED, STUDIES, any_suite, suite_file, suite_module
from refusals import refused

from hopfield_nav.extensions.bench import load_suite

SCRIPTS = Path(__file__).parents[2] / "scripts"
APART = ("hello", "first_hour")  # the one runs when it is loaded, the other from its own folder
MODULES = sorted(
    ".".join(path.relative_to(SCRIPTS).with_suffix("").parts)
    for path in SCRIPTS.rglob("*.py")
    if path.stem not in ("__init__", *APART)
    and path.parent != STUDIES  # which lie beside their suites
)


@pytest.mark.parametrize("module", MODULES)
def test_a_script_can_be_loaded(module):
    import_module(module)


@pytest.mark.parametrize("path", sorted(STUDIES.glob("*.*")), ids=lambda path: path.name)
def test_a_suite_of_a_study_and_what_it_draws_and_measures_can_be_loaded(path):
    if path.suffix == ".py":
        assert suite_module(path.stem)
    elif path.suffix == ".yaml":
        suite = any_suite(path.stem)
        assert suite.name == path.stem
        assert suite.suite.description


def test_what_a_study_draws_is_executed_with_trust_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with refused("--trust"):
        load_suite(suite_file("learning"))


def test_a_study_has_not_the_name_of_a_suite_that_comes_along():
    assert not {path.name for path in STUDIES.iterdir()} & {
        path.name for path in BUNDLED.glob("[!_]*.*")
    }


def test_a_contact_at_the_start_of_a_motion_is_simulated_for_its_table():
    starts = import_module("documentation.starts")
    trial = next(starts.touches("ideal", "start", 1e5))
    assert trial.force.max() > 1.0
    assert starts.level(trial, allowed=True).max() > 1.0
