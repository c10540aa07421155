"""Every picture of the pages is what its origin gives: one that is older than what it shows is told of here."""

from __future__ import annotations

import json
import shutil
import warnings

import figure_origins
import pytest


@pytest.mark.study
@pytest.mark.filterwarnings("default")  # an earlier program is told of, and no fault
def test_no_picture_is_older_than_what_it_shows():
    assert figure_origins.stale() == []
    if earlier := figure_origins.older():
        warnings.warn(f"drawn by an earlier script or program: {', '.join(earlier)}", stacklevel=1)


def test_every_origin_can_be_followed():
    for name, origin in figure_origins.origins()["pictures"].items():
        assert ("draw" in origin) != ("by" in origin), name
        script = figure_origins.script_of(origin)
        assert script is None or (figure_origins.ROOT / script).is_file(), name
        for path in origin.get("from", []):
            assert (figure_origins.ROOT / path).is_file(), (name, path)


def test_every_picture_stands_on_a_page():
    pages = [*figure_origins.ROOT.glob("*.md"), *figure_origins.ROOT.glob("docs/**/*.md")]
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    assert [name for name in figure_origins.pictures() if f"figures/{name}" not in text] == []


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout with one picture of one measured part and one run."""
    for name in ("docs/figures/some.png", "docs/measured/some.md", "program.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x = 1  # one\n")
    figures = tmp_path / "docs/figures"
    monkeypatch.setattr(figure_origins, "ROOT", tmp_path)
    monkeypatch.setattr(figure_origins, "FIGURES", figures)
    monkeypatch.setattr(figure_origins, "DIGESTS", figures / "digests.json")
    origin = {
        "by": "hopfield-nav run",
        "from": ["docs/measured/some.md"],
        "runs": ["w"],
        "program": "all",
    }
    found = {"groups": {"all": ["*.py"]}, "pictures": {"some.png": origin}}
    monkeypatch.setattr(figure_origins, "origins", lambda: found)
    monkeypatch.setattr(figure_origins, "result", lambda run: "reached, 16 touches, 34.4 s, 34 N")
    figure_origins.note(["some.png"], at=False)
    return tmp_path


def test_a_fresh_picture_is_not_stale(checkout):
    assert figure_origins.stale() == figure_origins.older() == []


CHANGES = {
    "another picture": ("docs/figures/some.png", "another picture"),
    "other results": ("docs/measured/some.md", "results that it draws have changed"),
}


@pytest.mark.parametrize(("file", "told"), CHANGES.values(), ids=CHANGES)
def test_a_stale_picture_is_told(checkout, file, told):
    (checkout / file).write_text("x = 2\n")
    (sentence,) = figure_origins.stale()
    assert sentence.startswith("some.png: ")
    assert told in sentence


def test_a_run_with_another_force_is_told_with_both(checkout, monkeypatch):
    kept = json.loads(figure_origins.DIGESTS.read_text())
    kept["some.png"]["results"]["w"] = "reached, 16 touches, 34.4 s, 75 N"
    figure_origins.DIGESTS.write_text(json.dumps(kept))
    (sentence,) = figure_origins.stale()
    assert "75 N; today reached, 16 touches, 34.4 s, 34 N" in sentence


def test_another_program_makes_a_picture_older_but_another_comment_does_not(checkout):
    (checkout / "program.py").write_text('"""Words."""\nx = 1\n')
    assert figure_origins.older() == []
    (checkout / "program.py").write_text("x = 2\n")
    assert figure_origins.older() == ["some.png"]
    assert figure_origins.stale() == []


def test_a_picture_without_an_origin_and_one_that_is_gone_are_told(checkout):
    shutil.move(checkout / "docs/figures/some.png", checkout / "docs/figures/other.png")
    no_origin, gone = figure_origins.stale()
    assert no_origin.startswith("other.png: no origin")
    assert gone.startswith("some.png: not drawn, or gone")
