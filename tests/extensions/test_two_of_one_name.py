"""Two of one name, and what cannot be loaded: told where it is named, in a line, and all else lists and runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from installed import install, look_again, searched
from refusals import refused

from hopfield_nav import load_run, load_world, simulate
from hopfield_nav.cli.app import main
from hopfield_nav.plugin import find_extension, find_method, find_provided, method_names

WAY = """
from hopfield_nav.plugin import Method
class Way:
    def plan(self, believed):
        raise ValueError({owner!r})
METHOD = Method("planner", "way", Way, description="of {owner}")
"""
SAYS = "def {name}() -> int:\n    '''Say whose it is.'''\n    print('of {owner}')\n    return 0\n"
PLANNERS = "methods={'planner': 'planners'}"
SHORT = ["time_limit=1"]


@pytest.fixture
def site(tmp_path, monkeypatch):
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.chdir(tmp_path)
    with searched(folder):
        yield folder


def install_planner(site: Path, distribution: str, name: str = "way", **others: str) -> None:
    text = WAY.format(owner=distribution)
    install(site, distribution, {f"planners/{name}.py": text}, PLANNERS, **others)
    look_again()


def reason(change: str) -> str:
    return str(simulate(load_world("u_trap", [change, *SHORT])).summary["reason"])


def test_two_planners_of_one_name_are_refused_where_it_is_named(site):
    install_planner(site, "one-way")
    install_planner(site, "other-way", version="2.1")
    words = r"two extensions have a planner of that name, .*one-way 1\.0 and .*other-way 2\.1"
    with refused(rf"planner\.kind: {words}; found 'way'; allowed: one-way:way or other-way:way"):
        load_world("u_trap", ["planner.kind=way"])
    assert method_names("planner") == ("hopfield", "a_star", "one-way:way", "other-way:way")
    assert "ValueError: one-way" in reason("planner.kind=one-way:way")
    assert "ValueError: other-way" in reason("planner.kind=Other_Way:way")  # as pip compares names
    assert load_world("u_trap").planner.kind == "hopfield"  # all else runs


def test_ours_keeps_its_name_and_the_other_has_a_longer_one(site):
    install_planner(site, "shadows", "a_star")
    assert method_names("planner") == ("hopfield", "a_star", "shadows:a_star")
    assert find_method("planner", "a_star").description.startswith("shortest paths")
    assert "ValueError: shadows" in reason("planner.kind=shadows:a_star")
    with refused("unknown planner.*found 'shadows:b_star'.*Did you mean 'shadows:a_star'"):
        load_world("u_trap", ["planner.kind=shadows:b_star"])
    with refused("the distribution elsewhere is not installed; found 'elsewhere:a_star'"):
        load_world("u_trap", ["planner.kind=elsewhere:a_star"])


def test_two_entry_points_of_one_name(site):
    """Both are there; what both have is refused where it is named."""
    for name, method in (("one", "way"), ("other", "path")):
        text = WAY.format(owner=name)
        install(
            site,
            f"{name}-maker",
            {
                f"planners/{method}.py": text,
                "shape.py": "from pydantic import BaseModel\nclass Shape(BaseModel):\n    size: int\n",
            },
            f"{PLANNERS}, section='shape:Shape', provides={{'shape': 'shape:Shape'}}",
            package=f"{name}_maker",
            entry="maker",
        )
    look_again()
    assert method_names("planner")[2:] == ("way", "path")
    assert "ValueError: other" in reason("planner.kind=path")
    assert find_extension("one_maker").package == "one_maker"
    with refused("two extensions have a thing to provide of that name, one_maker .*other_maker"):
        find_provided("shape")


def test_two_sections_of_one_name(site):
    for name in ("one", "other"):
        shape = "from pydantic import BaseModel\nclass Shape(BaseModel):\n    size: int\n"
        files = {"shape.py": shape, "__init__.py": ""}
        install(site, name, files, "section='shape:Shape'", package=f"{name}/shapes", entry=name)
        entry = site / f"{name}-1.0.dist-info" / "entry_points.txt"
        entry.write_text(entry.read_text().replace("/", "."), encoding="utf-8")
    look_again()
    with refused(r"extensions\.shapes: two extensions have a section.*one:shapes or other:shapes"):
        load_world({"format": 1, "extensions": {"shapes": {"size": 3}}})
    made = load_world({"format": 1, "extensions": {"other:shapes": {"size": 3}}})
    assert made.extensions == {"other:shapes": {"size": 3}}


def test_two_commands_of_one_name(site, capsys):
    for owner in ("one-way", "other-way"):
        files = {
            "commands/say.py": SAYS.format(name="say", owner=owner),
            "commands/run.py": SAYS.format(name="run", owner=owner),
        }
        install(site, owner, files, "commands={'say': 'Say it.', 'run': 'My run.'}")
    look_again()
    assert main(["--help"]) == 0
    listed = capsys.readouterr().out
    for name in ("one-way:say", "other-way:say", "one-way:run", "other-way:run"):
        assert f"  {name}  " in listed
    assert listed.count("\n  run  ") == 1
    assert main(["other-way:run"]) == 0
    assert capsys.readouterr().out == "of other-way\n"
    assert main(["say"]) == 2
    line = capsys.readouterr().err
    assert "two extensions have a command of that name, one_way of one-way 1.0 and" in line
    assert "allowed: one-way:say or other-way:say" in line
    assert main(["one-way:say"]) == 0


BROKEN = {
    "raises": ("raise RuntimeError('not\\ntoday')", "RuntimeError: not today"),
    "exits": ("import sys\nsys.exit(3)", "SystemExit: 3"),
    "imports what is not there": ("import nothing_there", "No module named 'nothing_there'"),
    "another object": ("EXTENSION = {'package': 'broken'}", "is dict, no Extension"),
    "raises what is no Exception": ("raise GeneratorExit('so')", "GeneratorExit: so"),
    "methods that are text": (
        "from hopfield_nav.plugin import Extension\n"
        "EXTENSION = Extension('broken', 'so', methods='planners')",
        "its methods is not a mapping of names to texts",
    ),
    "a kind that is none": (
        "from hopfield_nav.plugin import Extension\n"
        "EXTENSION = Extension('broken', 'so', methods={'planer': 'planners'})",
        "its methods: planer is not a kind of method",
    ),
    "a folder that is not there": (
        "from hopfield_nav.plugin import Extension\n"
        "EXTENSION = Extension('broken', 'so', methods={'planner': 'planers'})",
        "its methods: planers is not a folder of the package",
    ),
    "a package that is not there": (
        "from hopfield_nav.plugin import Extension\n"
        "EXTENSION = Extension('brocken', 'so', methods={'planner': 'planners'})",
        "No module named 'brocken'",
    ),
    "no text": (
        "from hopfield_nav.plugin import Extension\nEXTENSION = Extension(None, 'so')",
        "its package is not text",
    ),
}


@pytest.mark.parametrize(("text", "words"), BROKEN.values(), ids=list(BROKEN))
def test_a_broken_extension_is_a_line_and_all_else_lists(text, words, site, capsys):
    install(site, "broken", {"extension.py": text})
    install_planner(site, "one-way")
    for arguments in (["--help"], ["list", "planners"]):
        assert main(arguments) == 0
        said = capsys.readouterr()
        (line,) = said.err.splitlines()
        assert "extension broken of broken 1.0, which cannot be loaded: " in line
        assert words in line
    assert [line.split()[0] for line in said.out.splitlines()] == ["hopfield", "a_star", "way"]
    assert "ValueError: one-way" in reason("planner.kind=way")
    with refused("unknown planner; the extension broken of broken 1.0 cannot be loaded: .*'weigh'"):
        load_world("u_trap", ["planner.kind=weigh"])


def test_a_broken_file_of_an_extension_is_a_line_and_all_else_lists(site, capsys):
    files = {
        "planners/way.py": WAY.format(owner="one-way"),
        "planners/exits.py": "import sys\nsys.exit(1)\n",
        "planners/empty.py": "",
        "planners/other.py": WAY.format(owner="one-way").replace('"planner"', '"response"'),
        "detectors/raises.py": "1 / 0\n",
        "commands/say.py": "1 / 0\n",
    }
    fields = "methods={'planner': 'planners', 'detector': 'detectors'}, commands={'say': 'Say.'}"
    install(site, "one-way", files, fields)
    look_again()
    assert main(["list", "planners"]) == 0
    said = capsys.readouterr()
    assert [line.split()[0] for line in said.out.splitlines()] == ["hopfield", "a_star", "way"]
    lines = said.err.splitlines()
    assert len(lines) == 3
    assert any("planner exits of one-way 1.0" in line and "SystemExit: 1" in line for line in lines)
    with refused("planner.kind: the planner of one-way 1.0 cannot be loaded: SystemExit: 1; found"):
        load_world("u_trap", ["planner.kind=exits"])
    with refused("one_way.planners.empty has no METHOD that is a Method"):
        load_world("u_trap", ["planner.kind=empty"])
    assert main(["schema"]) == 0
    assert json.loads(capsys.readouterr().out)
    assert main(["say"]) == 2
    assert (
        "the command of one-way 1.0 cannot be loaded: ZeroDivisionError" in capsys.readouterr().err
    )


def test_a_record_names_who_brought_what(site, tmp_path):
    install_planner(site, "one-way", version="1.2")
    run = simulate(load_world("u_trap", ["planner.kind=way", *SHORT]))
    run.save(tmp_path / "kept")
    kept = load_run(tmp_path / "kept")
    assert kept.summary["brought"] == {"planner.kind": "way of one-way 1.2"}
    assert kept.data.attrs["brought_planner_kind"] == "way of one-way 1.2"
    assert "brought" not in simulate(load_world("u_trap", SHORT)).summary


def test_another_version_of_a_package_makes_other_rows(site):
    """As another file does; what is not of others has the rows that it had."""
    from hopfield_nav.sweeps import make_sweep

    install_planner(site, "one-way")
    given = {"vary": {"planner.kind": ["hopfield", "way"]}}
    before, ours = make_sweep("u_trap", **given).digest, make_sweep("u_trap", {"map.rim": ["free"]})
    planner = site / "one_way" / "planners" / "way.py"
    planner.write_text(planner.read_text() + "# changed\n", encoding="utf-8")
    assert make_sweep("u_trap", **given).digest != before
    assert make_sweep("u_trap", {"map.rim": ["free"]}).digest == ours.digest
