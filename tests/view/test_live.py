"""A run in sight while it is going: a server for this machine alone, and a page that grows."""

from __future__ import annotations

import http.client
import socket
import threading
from urllib.parse import urlsplit

import pytest
from browser import Browser

from hopfield_nav import load_world
from hopfield_nav.experiment import Simulation
from hopfield_nav.view import LivePage, describe_run, live


@pytest.fixture(scope="module")
def two_moments():
    """A run half way, and at its end."""
    simulation = Simulation(load_world("empty"))
    simulation.step(1.0)
    early = describe_run(simulation.record())
    return early, describe_run(simulation.run())


def ask(page, path="/", **headers):
    place = urlsplit(page.address)
    connection = http.client.HTTPConnection(place.hostname, place.port, timeout=30)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def other_address():
    """One of this machine's own addresses that is not the loopback; none where it has no other."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing
        except OSError:
            return None
        return probe.getsockname()[0]


def test_it_listens_on_the_loopback_address_alone(two_moments):
    page = LivePage()
    page.show(two_moments[1], done=True)
    port, elsewhere = urlsplit(page.address).port, other_address()
    if elsewhere and not elsewhere.startswith("127."):
        with pytest.raises(OSError, match=r"refused|timed out|unreachable"):
            socket.create_connection((elsewhere, port), timeout=5)
    assert urlsplit(page.address).hostname == "127.0.0.1"
    assert ask(page, Host=f"evil.example:{port}")[0] == 403  # a name that was bent to this address
    assert ask(page, "/other")[0] == 404
    assert ask(page)[0] == 200
    assert page.close()


def test_a_page_that_nobody_fetches_is_given_up(two_moments, monkeypatch):
    monkeypatch.setattr(live, "_PATIENCE", 0.1)
    page = LivePage()
    page.show(two_moments[1], done=True)
    assert not page.close()
    with pytest.raises(OSError, match="refused"):
        ask(page)


def test_the_page_grows_with_the_run(two_moments, tmp_path):
    early, late = two_moments
    browser, page = Browser(tmp_path), LivePage()
    try:
        page.show(early)
        browser.open(page.address)
        browser.wait("window.hopfieldView !== undefined")
        assert browser.run("hopfieldView.clock.end") == early["time"][-1]
        assert "running" in browser.run("document.getElementById('outcome').textContent")
        page.show(late, done=True)
        ended = []
        waiter = threading.Thread(target=lambda: ended.append(page.close()))
        waiter.start()
        browser.wait(f"window.hopfieldView && hopfieldView.clock.end === {late['time'][-1]}")
        waiter.join()
        assert ended == [True]
        assert browser.run("hopfieldView.clock.time === hopfieldView.clock.end")  # still at the end
        assert browser.faults() == []
        assert all(address.startswith(page.address) for address in browser.requests())
    finally:
        browser.close()
