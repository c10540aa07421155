"""What scripts measured stands on the pages as they wrote it, and nothing else does."""

from __future__ import annotations

import re
import shutil

import pytest
from documentation import lab_heads
from measured_part import KEPT, PLACES, ROOT, differences, parts, read, table, write

PAGE = "# Page\n\n<!-- measured -->\n<!-- /measured -->\n\n<!-- measured: more -->\n<!-- /measured -->\n\nEnd.\n"


def test_every_part_is_what_its_script_wrote():
    assert differences() == []


PAGES = sorted(page for place in PLACES for page in (ROOT / "docs").glob(place))


@pytest.mark.parametrize("page", [*filter(parts, PAGES)], ids=lambda page: page.name)
def test_a_page_says_which_script_wrote_its_parts(page):
    named = re.findall(r"(?:scripts|benchmarks)/\w[\w/]*\.py", page.read_text())
    assert any(
        re.search("^from (measured_part|timing) import", (ROOT / path).read_text(), re.M)
        for path in named
    )


@pytest.mark.parametrize(
    "page", [*filter(parts, (ROOT / "docs/lab").glob("*.md"))], ids=lambda page: page.name
)
def test_a_page_of_the_lab_book_says_when_it_was_measured_and_by_which_scripts(page):
    """``python scripts/documentation/lab_heads.py`` writes the line, with dates from git, which is not asked here."""
    (line,) = re.findall(r"^\*Measured \d{4}-.*\*$", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert line.partition(". By ")[2] == f"{', '.join(lab_heads.scripts_of(page))}.*"


@pytest.fixture
def checkout(tmp_path):
    """Two pages with parts, and their copies."""
    (tmp_path / KEPT).mkdir(parents=True)
    (tmp_path / "README.md").write_text("Nothing.\n")
    (tmp_path / "docs/page.md").write_text(PAGE)
    for name in ("page.md", "page.more.md"):
        (tmp_path / KEPT / name).write_text("\n")
    return tmp_path


CHANGES = {
    "a number by hand": (
        "docs/page.md",
        "more -->\n",
        "more -->\n| 5 |\n",
        "page.md is not as its script",
    ),
    "a mark gone": ("docs/page.md", "<!-- measured: more -->", "", "no page has the part"),
    "a part that no script wrote": (
        "docs/page.md",
        "End.",
        "<!-- measured: new -->\n<!-- /measured -->",
        "not kept",
    ),
    "a copy by hand": (f"{KEPT}/page.md", "\n", "| 5 |\n", "page.md is not as its script"),
}


@pytest.mark.parametrize(("file", "old", "new", "told"), CHANGES.values(), ids=CHANGES)
def test_a_difference_is_told(checkout, file, old, new, told):
    assert differences(checkout) == []
    path = checkout / file
    path.write_text(path.read_text().replace(old, new))
    (sentence,) = differences(checkout)
    assert told in sentence


def test_a_part_is_written_beside_the_others(tmp_path, monkeypatch):
    import measured_part

    page = tmp_path / "docs/page.md"
    (tmp_path / KEPT).mkdir(parents=True)
    (tmp_path / "README.md").write_text("Nothing.\n")
    page.write_text(PAGE)
    monkeypatch.setattr(measured_part, "ROOT", tmp_path)
    for name, text in (("", "|1|"), ("more", "|2|"), ("", "|3|\n|4|")):
        write(text, page, name)
    assert parts(page) == {"": "|3|\n|4|", "more": "|2|"}
    assert page.read_text().endswith("<!-- /measured -->\n\nEnd.\n")
    assert differences(tmp_path) == []
    shutil.rmtree(tmp_path / KEPT)
    assert len(differences(tmp_path)) == 2


def test_a_page_without_the_mark_is_refused_and_a_new_file_has_it(tmp_path):
    page = tmp_path / "page.md"
    write("|1|", page, "more")
    assert read(page, "more") == "|1|"
    with pytest.raises(SystemExit, match="no mark <!-- measured -->"):
        write("|2|", page)
    page.write_text(2 * page.read_text())
    with pytest.raises(SystemExit, match="two measured parts"):
        parts(page)


def test_a_table_in_markdown():
    assert table(["a", "b"], [["1", "2"]]) == "| a | b |\n|---|---|\n| 1 | 2 |"
