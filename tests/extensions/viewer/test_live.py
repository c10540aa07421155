"""A run in sight while it is going: a server for this machine alone, and a page that grows."""

from __future__ import annotations

import contextlib
import http.client
import socket
import threading
import time
from http.client import HTTPException
from urllib.parse import urlsplit

import pytest
from browser import Browser

from hopfield_nav import load_world
from hopfield_nav.experiment import Simulation
from hopfield_nav.extensions.viewer import LivePage, describe_run, live


@pytest.fixture(scope="module")
def two_moments():
    """A run half way, and at its end."""
    simulation = Simulation(load_world("empty"))
    simulation.step(1.0)
    early = describe_run(simulation.record())
    return early, describe_run(simulation.run())


def ask(page, path="/", **headers):
    place = urlsplit(page.address)
    with contextlib.closing(http.client.HTTPConnection(place.hostname, place.port, timeout=30)) as connection:
        connection.request("GET", path, headers=headers)
        with connection.getresponse() as answer:
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


@contextlib.contextmanager
def idle_clients(page, count, words=b""):
    """So many connections that say ``words`` and no more, nor read."""
    place = urlsplit(page.address)
    with contextlib.ExitStack() as stack:
        for _ in range(count):
            client = socket.create_connection((place.hostname, place.port), timeout=10)
            stack.enter_context(client).sendall(words)
        yield


@pytest.mark.parametrize("words", [b"", b"GET / HT", b"GET / HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n"])
def test_idle_clients_take_neither_threads_nor_the_page(two_moments, words):
    """The browser still gets the page, and when it is closed nothing of them is left."""
    before, page = threading.active_count(), LivePage()
    page.show(two_moments[1])
    with idle_clients(page, 120, words):
        assert threading.active_count() <= before + 1 + live.MOST_CLIENTS + 5  # those that are just ending
        page.show(two_moments[1], done=True)
        assert ask(page)[0] == 200
        started = time.monotonic()
        assert page.close()
        while threading.active_count() > before and time.monotonic() - started < 10.0:
            time.sleep(0.01)
        assert threading.active_count() == before


def test_a_silent_client_is_let_go(two_moments, monkeypatch):
    monkeypatch.setattr(live, "_SILENCE", 0.1)
    page = LivePage()
    page.show(two_moments[1], done=True)
    place = urlsplit(page.address)
    with socket.create_connection((place.hostname, place.port), timeout=10) as client:
        client.sendall(b"GET")
        assert client.recv(1) == b""
    assert ask(page)[0] == 200
    assert page.close()


@pytest.mark.parametrize("asked", [("/", "evil.example"), ("/version", "127.0.0.1")])
def test_no_client_keeps_the_end_waiting(two_moments, monkeypatch, asked):
    """Neither one of another name, nor one that only asks how far the run is."""
    monkeypatch.setattr(live, "_PATIENCE", 0.5)
    page, over = LivePage(), threading.Event()
    page.show(two_moments[1], done=True)

    def pester():
        while not over.is_set():
            with contextlib.suppress(OSError, HTTPException):  # cut off in the middle, too
                ask(page, asked[0], Host=asked[1])

    pest = threading.Thread(target=pester)
    pest.start()
    try:
        closing = threading.Thread(target=page.close, daemon=True)
        closing.start()
        closing.join(5.0)
        assert not closing.is_alive()
    finally:
        over.set()
        pest.join()


def test_nobody_is_waited_for_who_never_came(two_moments, monkeypatch):
    """A browser that was sent for long ago and has not asked since is not on its way."""
    page = LivePage()
    page.show(two_moments[0])
    now = time.monotonic()
    monkeypatch.setattr(live.time, "monotonic", lambda: now + 2 * live._PATIENCE)
    page.show(two_moments[1], done=True)
    assert not page.close()


def test_a_page_without_a_picture_is_closed_at_once():
    assert not LivePage().close()


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
