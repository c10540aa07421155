"""The page of a live stream: its last minutes, no peak lost, its alarms; and the command that shows it."""

from __future__ import annotations

import webbrowser
from pathlib import Path

import numpy as np
import pytest
from browser import Browser
from served import in_a_thread, moving, telling

from dynamics import load_arm
from hopfield_nav.cli.app import main
from hopfield_nav.extensions.live import StreamPage
from hopfield_nav.extensions.live.stream_page import RATE, SPAN

ARM = load_arm("ur5_controller")


@pytest.fixture(autouse=True)
def opened(monkeypatch, tmp_path):
    """Addresses that were opened in a browser; pages lie in a folder of the test."""
    addresses: list[str] = []
    monkeypatch.setattr(webbrowser, "open", addresses.append)
    monkeypatch.chdir(tmp_path)
    return addresses


def filled(seconds, peak_at=None, rate=500.0):
    page = StreamPage(ARM, "watching 10.0.0.1", Path())
    for k in range(round(seconds * rate)):
        level = 5.0 if peak_at is not None and k == round(peak_at * rate) else 0.1
        page.add(k / rate, np.full(6, 0.1 * np.sin(k / rate)), level, np.zeros(6))
    return page


def highest(page):
    (level, _torque) = page.describe()["panels"]
    return level


def test_a_peak_of_one_row_is_kept_and_old_rows_are_forgotten():
    page = filled(SPAN + 30.0, peak_at=SPAN + 20.013, rate=100.0)
    shown = page.describe()
    assert shown["time"][0] >= 30.0 - 2.0 / RATE
    assert shown["time"][-1] == pytest.approx(SPAN + 30.0, abs=1.5 / RATE)
    assert len(shown["time"]) <= SPAN * RATE
    assert max(level for _, _, level, _ in page._rows) == 5.0


def test_alarms_are_events_with_their_words():
    page = filled(2.0)
    page.add_alarm(1.5, "alarm at 1.500 s, level 5, likely link 3 (80%)")
    shown = page.describe()
    assert [event["time"] for event in shown["events"]] == [1.5]
    assert "likely link 3" in shown["results"][0][1]
    page.add(0.5, np.zeros(6), 0.1, np.zeros(6))  # the clock began anew
    assert page.describe()["events"] == []


def test_it_is_shown_in_a_browser(tmp_path):
    page, browser = filled(3.0), Browser(tmp_path / "browser")
    page.add_alarm(1.5, "likely link 3")
    try:
        page.close()
        browser.open(page.address)
        browser.wait("window.hopfieldView !== undefined")
        assert browser.run("hopfieldView.clock.end") == pytest.approx(3.0, abs=0.1)
        assert "likely link 3" in browser.run("document.body.textContent")
    finally:
        browser.close()


def test_the_command_opens_it(opened, capsys):
    known = [
        "--motor-constants",
        "10,10,10,5,5,5",
        "--detector",
        "joint_torque",
        "--set",
        "threshold=5",
    ]
    with in_a_thread(telling(moving(2.0))) as server:
        host, port = server.address
        assert main(["watch", host, "--port", str(port), "--retry", "0", "--view", *known]) == 0
    assert opened == [Path("watch.html").absolute().as_uri()]
    assert opened[0] in capsys.readouterr().err
    assert '"live": false' in Path("watch.html").read_text()
