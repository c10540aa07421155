"""What is a false alarm, where the alarm comes in the very row in which a contact begins, and beside it."""

from __future__ import annotations

import numpy as np
import pytest

from hopfield_nav import load_world, simulate
from hopfield_nav.plugin import find_method

AT = """
from hopfield_nav.plugin import Method, Parameter
def at(model, sensed, parameters, memory, work, tau_external, wrench):
    return 2.0 if abs(sensed.time[0] - parameters[0]) < 1e-6 else 0.0
DETECTOR = Method("detector", "at", at, (Parameter("time", 0.0, 0.0, 100.0, "s", "when it fires"),))
"""
WORLDS = {
    "tool": ("ragazzon2012", [], 4.0),
    "links": ("ragazzon2012", ["contact.bodies=arm"], 4.0),
    "joints": ("whole_arm", [], 8.0),
    "flexible": ("ragazzon2012", ["plant.engine=flexible"], 4.0),
}


@pytest.fixture(scope="module", params=WORLDS.values(), ids=list(WORLDS))
def fired(request, tmp_path_factory):
    """A run whose detector fires once, at a time [s], and the first row with a true contact when it never does."""
    (name, changes, limit), folder = request.param, tmp_path_factory.mktemp("own")
    (folder / "at.py").write_text(AT, encoding="utf-8")
    find_method.cache_clear()

    def run(time, limit=limit):
        own = f"detection={{measure: {folder / 'at.py'}:DETECTOR, time: {time!r}}}"
        return simulate(load_world(name, [own, f"time_limit={limit!r}", *changes]))

    data = run(99.0).data
    first = int(np.flatnonzero(np.linalg.norm(data.force.values, axis=1))[0])
    return run, float(data.time.values[first])


def test_a_contact_that_is_felt_in_the_row_in_which_it_begins_is_no_false_alarm(fired):
    run, begin = fired
    found = run(begin, begin + 0.04)
    row = int(np.searchsorted(found.data.time.values, begin - 1e-6))
    force = np.linalg.norm(found.data.force.values, axis=1)
    assert force[row - 1] == 0.0 < force[row]
    assert found.data.event_time.values.tolist() == found.data.touch_time.values.tolist() == [begin]
    counts = {
        key: found.summary[f"{key}_count"] for key in ("contact", "false_alarm", "silent_contact")
    }
    assert counts == {"contact": 1, "false_alarm": 0, "silent_contact": 0}
    assert found.summary["detection_delay_max_s"] == 0.0


def test_an_alarm_in_the_row_before_is_a_false_one(fired):
    run, begin = fired
    found = run(begin - 0.001, begin)
    assert found.summary["false_alarm_count"] == 1
    assert np.isnan(found.data.touch_time.values).tolist() == [True]


def test_an_alarm_in_the_next_row_is_of_that_contact(fired):
    run, begin = fired
    found = run(begin + 0.001, begin + 0.04)
    assert (found.summary["false_alarm_count"], found.data.touch_time.values.tolist()) == (
        0,
        [begin],
    )
