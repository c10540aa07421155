"""A record outlives its extension: all that reads it goes on; to run it again needs the extension, and says which."""

from __future__ import annotations

from pathlib import Path

import pytest
from installed import install, look_again, searched, uninstall
from refusals import refused, refused_by_command

from hopfield_nav import load_run, load_world, simulate
from hopfield_nav.cli.app import main
from hopfield_nav.navigation import RecordedSpace, space_of
from hopfield_nav.world import recorded_world

pytestmark = pytest.mark.needs("viewer")

FILES = {
    "detectors/any_torque.py": """
from hopfield_nav.plugin import Method, Parameter
def level(model, sensed, parameters, memory, work, tau_external, wrench):
    total = 0.0
    for torque in tau_external:
        total += abs(torque)
    return total / parameters[0]
METHOD = Method("detector", "any_torque", level,
                (Parameter("threshold", 15.0, 0.0, 1e3, "N·m", "of all joints"),
                 Parameter("unused", (1.0, 2.0), 0.0, 9.0, "1", "", per_joint=True)))
""",
    "planners/breadth.py": """
from hopfield_nav.planning import plan_a_star
from hopfield_nav.plugin import Method, Parameter
class Breadth:
    def __init__(self, share):
        self.share = share
    def plan(self, asked):
        found = plan_a_star(asked.blocked, asked.start, asked.goals[0], asked.radius, asked.closed)
        return found.cells
METHOD = Method("planner", "breadth", Breadth, (Parameter("share", 0.5, 0.0, 1.0, "1", ""),))
""",
    "responses/onward.py": """
from hopfield_nav.plugin import Method
class Onward:
    on_touch = on_rest = lambda self, touch: None
METHOD = Method("response", "onward", Onward)
""",
    "navigators/plane.py": """
from hopfield_nav.navigation import ToolSpace
from hopfield_nav.plugin import Method
METHOD = Method("navigator", "plane", ToolSpace)
""",
    "shape.py": "from pydantic import BaseModel\nclass Shape(BaseModel):\n    size: int\n",
}
FIELDS = (
    "section='shape:Shape', methods={'detector': 'detectors', 'planner': 'planners',"
    " 'response': 'responses', 'navigator': 'navigators'}"
)
CHANGES = {
    "map.space": "plane",
    "planner.kind": "breadth",
    "planner.share": 0.25,
    "explore": "onward",
    "detection.measure": "any_torque",
    "detection.threshold": 12.0,
    "detection.unused": [1, 2, 3, 4, 5, 6],
    "extensions.outlived": {"size": 3},
    "time_limit": 12,
}


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """The folder of a record of a run whose extension has been taken away since, and the run."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.chdir(tmp_path)
    with searched(site):
        install(site, "outlived", FILES, FIELDS, version="3.1")
        look_again()
        run = simulate(load_world("u_trap", CHANGES))
        run.save("kept")
        assert run.data.sizes["event"]
        uninstall(site, "outlived")
        yield Path("kept"), run


def test_all_that_reads_a_record_goes_on_without_its_extension(kept, capsys):
    folder, run = kept
    assert run.summary["brought"].keys() == {
        "map.space", "planner.kind", "explore.method", "detection.measure", "extensions.outlived",
    }  # fmt: skip
    read = load_run(folder)
    assert read.world.model_dump() == run.world.model_dump()
    assert read.data.drop_attrs().identical(run.data.drop_attrs())
    assert read.world.detection.parameters["unused"] == (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    assert read.felt_after(0).shape == (20, 20)
    assert "final_map" in read.data
    simulate(load_world("u_trap", ["time_limit=6"])).save("other")
    for words in (
        ["compare", "kept", "other"],
        ["plot", "kept"],
        ["view", "kept", "--html", "page.html"],
        ["export", "kept", "--csv"],
    ):
        assert main(words) == 0, (words, capsys.readouterr().err)
    told = capsys.readouterr().out
    assert "any_torque" in told
    assert Path("kept/figures/maps.png").is_file()  # as of a map of the tool
    assert Path("kept/figures/trajectory.png").is_file()
    load_run(folder).save("again")
    assert load_run("again").world.to_yaml() == read.world.to_yaml()


def test_to_run_it_again_needs_the_extension_and_says_which(kept, capsys):
    words = "needs outlived 3.1, which brought the detector to this record"
    with refused("needs outlived 3.1") as caught:
        load_world("kept/world.yaml")
    told = "\n".join(str(fault) for fault in (caught.value, *caught.value.others))
    assert f"detection.measure: {words}; unknown detector; found 'any_torque'" in told
    assert "planner.kind: needs outlived 3.1, which brought the planner" in told
    assert "extensions.outlived: no such extension is installed" in told
    said = refused_by_command(capsys, ["replay", "kept"], words)
    assert "--detector" in said


def test_what_is_installed_now_is_not_asked_about_what_was_recorded(kept, tmp_path):
    """Its parameters may be others today."""
    folder, run = kept
    detector = FILES["detectors/any_torque.py"].replace('"unused"', '"other"')
    install(
        tmp_path / "site", "outlived", FILES | {"detectors/any_torque.py": detector}, FIELDS, version="4.0"
    )  # fmt: skip
    look_again()
    assert load_run(folder).world.model_dump() == run.world.model_dump()


def test_the_owner_of_a_record_s_map_is_told_by_the_record(kept):
    folder, _ = kept
    for of_places in (True, False):
        space = space_of(recorded_world(folder / "world.yaml", of_places))
        assert isinstance(space, RecordedSpace)
        assert space.of_places is of_places
    with refused("unknown navigator"):
        load_world({"format": 1, "map": {"space": "plane"}})
