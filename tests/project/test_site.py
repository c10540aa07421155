"""The site: every page is built, no dead link, no missing reference; searchable, and asks no network."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from browser import Browser
from documentation.pages import write

ROOT = Path(__file__).resolve().parents[2]
WORDS = "momentum observer"


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The pages, written as files, and a mkdocs.yml that names their folder."""
    folder = tmp_path_factory.mktemp("pages")
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    configuration = folder / "mkdocs.yml"
    text = text.replace("docs_dir: build/pages", "docs_dir: pages").replace(
        "paths: [.]", f"paths: [{ROOT}]"
    )
    configuration.write_text(
        text.replace("[scripts/documentation", f"[{ROOT}/scripts/documentation"), encoding="utf-8"
    )
    return configuration, write(folder / "pages")


@pytest.fixture(scope="module")
def site(pages, tmp_path_factory):
    """The folder of the built site."""
    pytest.importorskip("mkdocs")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--config-file", str(pages[0]), "--site-dir", str(folder)],
        cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return folder


@pytest.mark.study
def test_every_page_is_built(pages, site):
    """An engine that loses pages without a word is found out."""
    below = [path.relative_to(pages[0].parent / "pages").with_suffix(".html") for path in pages[1]]
    built = {path.relative_to(site) for path in site.rglob("*.html")}
    assert built == {*below, Path("404.html"), Path("network_page.html")}
    assert len(built) > 85


class _Addresses(HTMLParser):
    """What a page loads, and the places that it leads to."""

    def __init__(self):
        super().__init__()
        self.loaded, self.targets, self.names = [], [], set()

    def handle_starttag(self, tag, attributes):
        told = dict(attributes)
        self.names |= {told[key] for key in ("id", "name") if told.get(key)}
        address = told.get("src") or (
            told.get("href") if tag == "link" and told.get("rel") != "canonical" else None
        )
        if address:
            self.loaded.append(address)
        if tag == "a" and told.get("href"):
            self.targets.append(told["href"])


def _read(path):
    reader = _Addresses()
    reader.feed(path.read_text(encoding="utf-8"))
    return reader


@pytest.mark.study
def test_no_page_loads_anything_from_a_network(site):
    for path in site.rglob("*.html"):
        for address in _read(path).loaded:
            assert not re.match(r"(https?:)?//", address), (path.name, address)


@pytest.mark.study
def test_every_link_leads_to_a_page_and_a_place_of_the_site(site):
    pages = {path.resolve(): _read(path) for path in site.rglob("*.html")}
    count = 0
    for path, page in pages.items():
        for target in page.targets:
            if path.name == "404.html" or re.match(r"[a-z]+:", target):
                continue
            name, _, place = target.partition("#")
            there = (path.parent / name).resolve() if name else path
            assert there.exists(), (path.name, target)
            assert not place or there.suffix != ".html" or place in pages[there].names, (
                path.name,
                target,
            )
            count += 1
    assert count > 1000


@pytest.mark.study
def test_every_public_function_and_class_has_its_place_in_the_reference(site):
    """Constants too, but those that are assigned several at a time, which griffe does not read."""
    from documentation.pages import ROOMS
    from documentation.public_names import listed

    renamed = {"Against", "Felt"}  # names before, of what is listed under its own
    for room in ROOMS:
        names = _read(site / "reference" / f"{room}.html").names
        stub = ROOT / room.replace(".", "/") / "__init__.pyi"
        for name in listed(stub) if stub.exists() else ():
            assert name.isupper() or name in renamed or f"{room}.{name}" in names, (room, name)


def test_the_comment_of_a_field_is_its_description(tmp_path):
    import griffe
    from documentation.public_names import PublicNames

    fields = ["a: int  # [m] long", "# of b,", "# in two lines", "b: int", "c: int  # noqa: X"]
    (tmp_path / "some.py").write_text("class Some:\n    " + "\n    ".join(fields) + "\n")
    extensions = griffe.load_extensions(PublicNames)
    some = griffe.load("some", search_paths=[tmp_path], extensions=extensions)["Some"]
    said = {
        name: field.docstring and field.docstring.value for name, field in some.attributes.items()
    }
    assert said == {"a": "[m] long", "b": "of b, in two lines", "c": None}


@pytest.mark.study
def test_search_finds_from_disk_and_asks_no_network(site, tmp_path):
    browser = Browser(tmp_path)
    try:
        browser.open(f"{(site / 'index.html').as_uri()}?q={WORDS.replace(' ', '%20')}")
        browser.wait("document.querySelectorAll('.md-search-result__item').length > 3")
        found = browser.run("document.querySelector('.md-search-result__list').textContent")
        assert WORDS in found.lower()
        assert browser.faults() == []
        assert all(
            address.startswith(("file:", "data:", "about:")) for address in browser.requests()
        )
    finally:
        browser.close()


def test_a_worker_of_a_page_from_disk_answers_both_engines(tmp_path):
    """Material's search adds a listener for the answers, Zensical's sets onmessage."""
    (tmp_path / "worker.js").write_text(
        "self.onmessage = (event) => self.postMessage(event.data + 1)"
    )
    (tmp_path / "frame.js").write_bytes(
        (ROOT / "docs" / "assets" / "iframe-worker.js").read_bytes()
    )
    asked = "heard = []; worker = new Worker('worker.js'); worker.onmessage = (event) => heard.push(event.data);"
    asked += "worker.addEventListener('message', (event) => heard.push(-event.data)); worker.postMessage(1)"
    (tmp_path / "page.html").write_text(
        f"<body><script src='frame.js'></script><script>{asked}</script></body>"
    )
    browser = Browser(tmp_path / "browser")
    try:
        browser.open((tmp_path / "page.html").as_uri())
        browser.wait("heard.length > 1")
        assert sorted(browser.run("heard")) == [-2, 2]
    finally:
        browser.close()
