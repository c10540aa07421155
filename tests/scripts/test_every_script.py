"""Every script can be loaded, so that none speaks of what is no longer there."""

from importlib import import_module
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"
APART = ("hello", "first_hour")  # the one runs when it is loaded, the other from its own folder
MODULES = sorted(
    ".".join(path.relative_to(SCRIPTS).with_suffix("").parts)
    for path in SCRIPTS.rglob("*.py")
    if path.stem not in ("__init__", *APART)
)


@pytest.mark.parametrize("module", MODULES)
def test_a_script_can_be_loaded(module):
    import_module(module)


def test_a_contact_at_the_start_of_a_motion_is_simulated_for_its_table():
    starts = import_module("documentation.starts")
    trial = next(starts.touches("ideal", "start", 1e5))
    assert trial.force.max() > 1.0
    assert starts.level(trial, allowed=True).max() > 1.0
