"""What the documentation shows is what is there, and it runs."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from documentation import loop_diagram
from documentation.pages import NETWORK, ROOMS
from documentation.tables import detectors, whole_arm_numbers
from measured_part import parts, read

from hopfield_nav import load_world, simulate

ROOT = Path(__file__).resolve().parents[2]


def test_the_printed_detector_is_the_file():
    page = (ROOT / "docs/own_methods.md").read_text()
    printed = page.split('```python title="scripts/own_detector.py"\n')[1].split("```")[0]
    assert printed == (ROOT / "scripts/own_detector.py").read_text()


def test_own_detector_fires_with_an_obstacle_and_is_silent_without():
    measure = [
        f"detection.measure={ROOT / 'scripts/own_detector.py'}:METHOD",
        "detection.threshold=2.5",
    ]
    felt = simulate(load_world("u_trap", [*measure, "time_limit=8"]))
    free = simulate(load_world("empty", measure))
    assert felt.summary["collision_count"] > 0
    assert (free.outcome, free.summary["collision_count"]) == ("reached", 0)


def test_hello_runs():
    code = f"import matplotlib; matplotlib.use('Agg'); exec(open({str(ROOT / 'scripts/hello.py')!r}).read())"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("reached after 5")


def test_readme_has_what_the_main_experiment_gives():
    assert read(ROOT / "README.md") == detectors()


def test_the_page_of_the_whole_arm_has_its_numbers_and_no_other_file_has_any():
    assert read(ROOT / "docs/lab/whole_arm.md", "numbers") == whole_arm_numbers()
    given = "TURN|_UNSEEN|_FULL_SCALE"  # mathematics, and what a byte holds
    tuned = re.compile(
        rf"^(?!{given})_?[A-Z][A-Z_]+(?:, _?[A-Z_]+)* = [(-]*\s*[(-]*\d.*$", re.MULTILINE
    )
    room = ROOT / "hopfield_nav/extensions/whole_arm"
    for file in [*room.glob("*.py"), *room.glob("strategies/*.py")]:
        if file.name == "figures.py":  # sizes of what is drawn
            continue
        text = file.read_text()
        lines = tuned.findall(text)
        assert bool(lines) == (file.name == "numbers.py"), (file.name, lines)
        if lines:  # a row for each statement, on however many lines, below two lines of its head
            statements = [node for node in ast.parse(text).body if isinstance(node, ast.Assign)]
            assert len(whole_arm_numbers().splitlines()) == len(statements) + 2


def test_record_page_names_every_variable_and_key():
    page = (ROOT / "docs/reference/record.md").read_text()
    run = simulate(load_world("u_trap", ["time_limit=8"]))
    for name in [*run.data.data_vars, *run.data.dims, *run.summary]:
        assert name == "world" or re.search(rf"\b{name}\b", page), name


def test_every_block_of_the_loop_is_a_link_to_its_page():
    assert loop_diagram.links() in (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert loop_diagram.style() in (ROOT / "docs/assets/wide.css").read_text(encoding="utf-8")


PAGES = sorted(
    str(p.relative_to(ROOT))
    for place in ("*.md", "docs/*.md", "docs/*/*.md")
    for p in ROOT.glob(place)
)


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    path = ROOT / page
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text()):
        assert target == NETWORK or (path.parent / target).exists(), f"{page}: {target}"


@pytest.mark.parametrize("page", PAGES)
def test_a_link_that_names_a_page_leads_to_it(page):
    """No text of a link, and no name of a page in code marks, is that of a page that is no more."""
    text, names = (ROOT / page).read_text(), {path.name for path in (ROOT / "docs").rglob("*.md")}
    for named, target in re.findall(r"\[(\w+\.md)\]\(([^)#]*)", text):
        assert Path(target).name == named, (page, named, target)
    if page.startswith("docs/architecture"):
        assert set(re.findall(r"`(\w+\.md)`", text)) <= names


def pages_of(entries):
    """The pages of a level of the navigation and of those below it, each level with six entries at most."""
    assert len(entries) <= 6, entries
    for entry in entries:
        inside = next(iter(entry.values())) if isinstance(entry, dict) else entry
        yield from pages_of(inside) if isinstance(inside, list) else [inside]


def test_the_site_has_six_entries_on_a_level_and_every_page_begins_with_what_one_can_do_after_it():
    pages = list(pages_of(yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]))
    made = {f"reference/{room}.md" for room in ROOMS} | {"reference/help.md", "changelog.md"}
    written = set(pages) - made
    places = ("*.md", "lab/*.md", "reference/*.md", "notebooks/*.ipynb")
    there = [path for place in places for path in (ROOT / "docs").glob(place)]
    assert {
        path.relative_to(ROOT / "docs").with_suffix(".md").as_posix() for path in there
    } == written
    for path in there:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".ipynb":
            text = "".join(json.loads(text)["cells"][0]["source"])
        assert re.match(r"# .+\n\nAfter this page you can [^\n]+\.\n", text), path.name


MANUAL = sorted((ROOT / "docs").glob("*.md"))
CITED = re.compile(r"\[(\d[^\]a-z]*(?:%|µs|ms|s|N)?)\]\(lab/(\w+)\.md")


@pytest.mark.parametrize("page", MANUAL, ids=lambda page: page.name)
def test_a_page_of_the_manual_is_read_in_a_quarter_of_an_hour(page):
    assert len(page.read_text(encoding="utf-8").split()) <= 3_200


@pytest.mark.parametrize("page", MANUAL, ids=lambda page: page.name)
def test_a_page_of_the_manual_opens_with_a_picture_or_an_example(page):
    _, _, opening = page.read_text(encoding="utf-8").split("\n\n", 2)
    assert opening.startswith(("![", "```"))


def test_a_number_that_the_manual_cites_stands_in_the_lab_book():
    """The text of a link to the lab book that is a number is one of its measured parts."""
    cited = [found for page in MANUAL for found in CITED.findall(page.read_text(encoding="utf-8"))]
    assert len(cited) > 8
    for number, page in cited:
        assert any(
            number in part for part in parts(ROOT / "docs" / "lab" / f"{page}.md").values()
        ), (number, page)
