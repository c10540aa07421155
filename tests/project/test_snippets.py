"""What README and docs show as code runs, a page at a time, in a folder that was empty before."""

from __future__ import annotations

import ast
import re
import shlex
import tomllib

import matplotlib
import pytest
from documentation.snippets import (
    IN_A_SHELL,
    LANGUAGES,
    RECORDINGS,
    ROOT,
    blocks,
    commands,
    not_run,
    pages,
    run_page,
)

WITH_CODE = [page for page in pages() if blocks(page)]
WRITTEN = re.compile(
    r'title="([^"]+)"|--out (\S+\.yaml)|\.write\("([^"]+)"\)|--method \w+=(\w+\.yaml)'
)
EXTRA = re.compile(r"hopfield-nav\[([a-z,]+)\]")


@pytest.mark.parametrize("page", [page for page in WITH_CODE if page not in IN_A_SHELL])
def test_every_block_of_a_page_runs(page, request, tmp_path, monkeypatch):
    if any(RECORDINGS in block.text for block in blocks(page)):
        folder = request.getfixturevalue("data_folder")  # skips where there are no recordings
        (tmp_path / RECORDINGS).symlink_to(folder / RECORDINGS)
    matplotlib.use("Agg")
    monkeypatch.setenv("BROWSER", "true")  # `view` opens none
    monkeypatch.chdir(tmp_path)
    assert run_page(page) == []


@pytest.mark.parametrize("page", WITH_CODE)
def test_every_block_says_what_it_is(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert text.count("\n```") == 2 * len(blocks(page))
    for block in blocks(page):
        assert block.language in LANGUAGES, block
        looks_typed = re.search(r"^(\$ )?(hopfield-nav|python|pip) ", block.text, re.MULTILINE)
        assert not (block.language == "text" and looks_typed), block


def test_no_page_overwrites_a_file_of_another():
    """Who types several pages in one folder keeps what he wrote."""
    written = {}
    for page in pages():
        for found in WRITTEN.findall((ROOT / page).read_text(encoding="utf-8")):
            written.setdefault("".join(found), set()).add(page)
    assert written["mine.yaml"] == {"docs/first_hour.md"}
    assert {name: found for name, found in written.items() if len(found) > 1} == {}


@pytest.mark.parametrize(
    "entry", not_run(), ids=lambda entry: f"{entry['page']} {entry['begins'][:30]}"
)
def test_what_is_not_run_is_still_there_and_has_a_reason(entry):
    of_pages = pages() if entry["page"] == "every" else [entry["page"]]
    texts = [b for page in of_pages for b in blocks(page)]
    found = [b.text for b in texts] + [
        c for b in texts if b.language == "bash" for c in commands(b.text)
    ]
    assert any(text.startswith(entry["begins"]) for text in found)
    assert len(entry["reason"]) > 10
    for path in re.findall(r"(?:tests|scripts)/\S+\.py", entry["reason"]):
        assert (ROOT / path).is_file(), path


def test_a_block_that_fails_is_told_of(monkeypatch, tmp_path):
    from documentation import snippets

    page = tmp_path / "page.md"
    page.write_text(
        "```python\nprint(1 + 1)  # 3\n```\n\n```bash\nhopfield-nav check none.yaml\n```\n"
    )
    monkeypatch.setattr(snippets, "ROOT", tmp_path)
    monkeypatch.chdir(tmp_path)
    first, second = run_page("page.md")
    assert "prints ['2'], and not ['3']" in first
    assert "ends with status 2" in second


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("import measured_part", "ModuleNotFoundError: No module named 'measured_part'"),
        (f"open({str(ROOT / 'docs' / 'index.md')!r}).close()", "index.md, which is not installed"),
        ("import hopfield_nav.world; open(hopfield_nav.world.__file__).close()", None),
    ],
    ids=["a module of scripts", "a file of docs", "a file of the package"],
)
def test_a_block_finds_what_is_installed_and_nothing_else(code, told, monkeypatch, tmp_path):
    from documentation import snippets

    (tmp_path / "page.md").write_text(f"```python\n{code}\n```\n")
    monkeypatch.setattr(snippets, "ROOT", tmp_path)
    wrong = run_page("page.md")
    assert bool(wrong) == bool(told)
    assert told is None or told in wrong[0]
    import measured_part

    assert measured_part.ROOT == ROOT  # there again


def test_every_extra_that_a_page_names_exists():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    named = {
        name
        for page in pages()
        for found in EXTRA.findall((ROOT / page).read_text())
        for name in found.split(",")
    }
    assert named
    assert named <= set(extras)


def _options_of(command):
    return {
        option
        for parameter in command.params
        for option in (*parameter.opts, *parameter.secondary_opts)
    }


@pytest.mark.parametrize("page", pages())
def test_commands_in_the_text_exist_with_their_options(page):
    """``hopfield-nav run WORLD --seed 3`` within a sentence."""
    from typer.main import get_command

    from hopfield_nav.cli.app import app

    group = get_command(app)
    known = {name: group.get_command(None, name) for name in group.list_commands(None)}
    for line in re.findall(r"`hopfield-nav ([^`\n]+)`", (ROOT / page).read_text(encoding="utf-8")):
        name, *words = shlex.split(line.replace("…", "").split(" > ")[0])
        if name.startswith("--") or name == "COMMAND":
            continue
        assert name in known, line
        options = {word.split("=")[0] for word in words if re.match(r"--[a-z]", word)} - {"--help"}
        assert options <= _options_of(known[name]), line


@pytest.mark.parametrize("page", pages())
def test_files_in_the_text_exist(page):
    """``loop/contact.py``: below the checkout, a package, or a folder of either that the page has named."""
    for path in re.findall(
        r"`((?:[a-z_0-9]+/)+[a-z_0-9]+\.(?:py|yaml|md))(?:::\w+)?`", (ROOT / page).read_text()
    ):
        roots = (ROOT, ROOT / "hopfield_nav", ROOT / "dynamics", ROOT / "docs", ROOT / "scripts")
        assert any((root / path).is_file() for root in roots), path


def test_python_of_pages_is_formatted_and_parses():
    for page in WITH_CODE:
        for block in blocks(page):
            if block.language == "python":
                ast.parse(block.text)
