"""What a run missed, and why, in one line."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scenes import simulation

from hopfield_nav.cli.app import main
from hopfield_nav.record import missed_contacts, missed_in_words

WALL = (
    "obstacles: [{cylinder: {center: [0.36, -0.09], radius: 0.05}}]\n"
    "goal: {cell: [17, 6]}\ntime_limit: 6\n"
)
DEAF = "detection: {threshold: 1.0e5}\n"


@pytest.fixture(scope="module")
def deaf():
    """A run whose threshold no contact reaches."""
    return simulation(WALL + DEAF).run()


def test_a_missed_contact_is_told_with_its_force_and_its_share_of_the_threshold(deaf):
    (contact,) = missed_contacts(deaf)
    data = deaf.data
    inside = (data.time >= contact.start) & (data.time <= contact.end + 0.05)
    assert contact.level == data.level.values[inside].max() > 0.0
    force = np.linalg.norm(data.force.values, axis=1).max()
    told = missed_in_words(deaf)
    assert told == (
        f"one contact was missed: {contact.peak_time:.1f} s, {force:.2g} N, "
        f"level {contact.level:.2g} of the threshold"
    )


def test_nothing_is_said_where_nothing_was_missed():
    felt = simulation(WALL).run()
    assert felt.summary["contact_count"] > 0
    assert felt.summary["silent_contact_count"] == 0
    assert missed_in_words(felt) == ""


def test_a_level_above_the_threshold_says_that_no_alarm_was_due():
    held = simulation(WALL + "detection: {hold_off: 100}\n").run()
    assert held.summary["silent_contact_count"] == 1
    told = missed_in_words(held)
    assert float(re.search(r"level ([\d.e+]+) of", told)[1]) > 1.0
    assert told.endswith("but no alarm was due (detection.hold_off, rearm, episodes)")


def test_without_signals_the_force_alone_is_told():
    run = simulation(WALL + DEAF + "record: {signals: none}\n").run()
    force = run.summary["silent_peak_force_N"]
    told = missed_in_words(run)
    assert told.startswith(f"one contact was missed: {force:.2g} N at most")
    assert "record.signals: all" in told


def test_the_command_says_it_after_its_table(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "deaf.yaml").write_text("format: 1\n" + WALL + DEAF)
    main(["run", "deaf.yaml", "--no-plots"])
    assert "one contact was missed: " in capsys.readouterr().out.splitlines()[-1]
