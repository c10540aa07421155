"""A run in sight while it is going: a page that grows."""

from __future__ import annotations

import webbrowser

import pytest
from browser import Browser

from hopfield_nav import load_world
from hopfield_nav.experiment import Simulation
from hopfield_nav.extensions.viewer import LivePage, describe_run


@pytest.fixture(scope="module")
def two_moments():
    """A run half way, and at its end."""
    simulation = Simulation(load_world("empty"))
    simulation.step(1.0)
    early = describe_run(simulation.record())
    return early, describe_run(simulation.run())


@pytest.fixture
def opened(monkeypatch):
    """Addresses that were opened in a browser."""
    addresses: list[str] = []
    monkeypatch.setattr(webbrowser, "open", addresses.append)
    return addresses


def test_the_page_grows_with_the_run(two_moments, opened, tmp_path):
    early, late = two_moments
    browser, page = Browser(tmp_path / "browser"), LivePage(tmp_path, "run")
    try:
        page.show(early)
        browser.open(page.address)
        browser.wait("window.hopfieldView !== undefined")
        assert browser.run("hopfieldView.clock.end") == early["time"][-1]
        assert "running" in browser.run("document.getElementById('outcome').textContent")
        page.show(late, done=True)
        browser.wait(f"window.hopfieldView && hopfieldView.clock.end === {late['time'][-1]}")
        assert browser.run("hopfieldView.clock.time === hopfieldView.clock.end")  # still at the end
        assert browser.run("sessionStorage.length") == 0
        assert browser.faults() == []
    finally:
        browser.close()
    assert opened == [page.address]


def test_a_page_that_is_there_is_not_overwritten(two_moments, opened, tmp_path):
    (tmp_path / "run.html").write_text("mine")
    LivePage(tmp_path, "run").show(two_moments[1], done=True)
    assert (tmp_path / "run.html").read_text() == "mine"
    assert opened == [(tmp_path / "run-2.html").as_uri()]
