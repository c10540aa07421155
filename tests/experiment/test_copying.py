"""A simulation that is copied or pickled goes on as if nothing had happened."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import hopfield_nav.loop.rows
from dynamics import BadInput
from hopfield_nav import load_run, load_world
from hopfield_nav.experiment import Simulation
from hopfield_nav.plugin import find_method

FELT = ["detection.mark=felt", "detection.estimator=momentum_observer", "time_limit=12"]
SHORT = "time_limit=3"
ARM = ["map.shape=[12, 8, 10, 1, 1, 1]", "time_limit=8"]
OWN = """
import numpy as np
from hopfield_nav.plugin import Method, Parameter
class Aside:
    def __init__(self):
        self.count = 0
    def on_touch(self, touch):
        self.count += 1
        cells = touch.path(touch.believed.start)
        return None if cells is None or len(cells) < 2 or self.count % 2 else cells[1:2]
    def on_rest(self, touch):
        return None
RESPONSE = Method("response", "aside", Aside)
class Waits:
    def __init__(self):
        self.told = (number for number in range(3))
    on_touch = on_rest = lambda self, touch: None
WAITS = Method("response", "waits", Waits)
def growing(model, sensed, parameters, memory, work, tau_external, wrench):
    memory[0] += 1.0
    return memory[0] / 5000.0
DETECTOR = Method("detector", "growing", growing, memory=lambda n: 1)
"""
CASES = {
    "tool": ("ragazzon2012", ["time_limit=8"], 4.0013),
    "follow": ("u_trap", ["explore.method=follow", *FELT], 6.0),
    "slide": ("u_trap", ["explore.method=slide", *FELT], 6.0),
    "noise": ("ragazzon2012_real", ["sensors.velocity_noise=0.01", "time_limit=6"], 3.0),
    "marks": ("u_trap", ["detection.mark=desired", "time_limit=8"], 4.0),
    "joints": ("whole_arm", ARM, 4.0),
    "learns": ("whole_arm_real", [*ARM, "controller.learn=true"], 4.5),
    "flexible": ("ragazzon2012", ["plant.engine=flexible", SHORT], 1.5),
    "mujoco": ("ragazzon2012", ["plant.engine=mujoco", SHORT], 1.5),
    "own response": ("u_trap", ["explore.method=own.py:RESPONSE", *FELT], 6.0),
    "own response of the arm": ("whole_arm", ["explore.method=own.py:RESPONSE", *ARM], 6.0),
    "own detector": ("ragazzon2012", ["detection={measure: own.py:DETECTOR}", "time_limit=8"], 3.0),
}


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(OWN, encoding="utf-8")
    find_method.cache_clear()


def pickled(simulation: Simulation) -> Simulation:
    return pickle.loads(pickle.dumps(simulation))


def log_of(simulation: Simulation, folder: Path) -> bytes:
    """The bytes of ``log.nc`` at the end of the run."""
    return (simulation.run().save(folder) / "log.nc").read_bytes()


@pytest.mark.parametrize(("world", "changes", "half"), CASES.values(), ids=list(CASES))
def test_copies_go_on_to_the_same_bytes(world, changes, half, here, tmp_path):
    if "plant.engine=mujoco" in changes:
        pytest.importorskip("mujoco")
    given = load_world(world, changes)
    whole, begun = Simulation(given), Simulation(given)
    begun.step(half)
    copies = {"copied": copy.deepcopy(begun), "pickled": pickled(begun)}
    begun.step(0.7)  # leaves the copies alone
    for name, one in copies.items():
        assert one.time == pytest.approx(half, abs=1e-3)
        copies[name] = log_of(one, tmp_path / name)
    expected = log_of(whole, tmp_path / "whole")
    assert copies == dict.fromkeys(copies, expected)
    assert log_of(begun, tmp_path / "begun") == expected


def test_a_copy_of_a_long_run_has_a_file_of_its_own(monkeypatch, tmp_path):
    monkeypatch.setattr(hopfield_nav.loop.rows, "MAX_ROWS", 512)
    monkeypatch.setattr("hopfield_nav.loop.FIRST_ROWS", 512)
    simulation = Simulation(load_world("u_trap", [SHORT]))
    simulation.step(1.3)
    copied = pickled(simulation)
    assert log_of(copied, tmp_path / "copied") == log_of(simulation, tmp_path / "whole")
    assert len(load_run(tmp_path / "whole").data.time) == 3000


def test_a_copy_calls_nobody_and_shares_nothing():
    simulation, called = Simulation(load_world("u_trap")), []
    simulation.on_end = simulation.on_record = lambda *told: called.append(told)
    copied = copy.deepcopy(simulation)
    copied.step(0.5)
    assert (simulation.time, simulation.q.tolist()) == (0.0, list(simulation.world.start.joints))
    copied.reset()
    np.testing.assert_array_equal(copied.q, simulation.q)
    copied.run(while_=lambda time, touches: time < 1.0)
    simulation.step(np.inf)
    assert copied.outcome is None
    assert len(called) == 1


def test_another_process_goes_on_with_an_own_method(here, tmp_path):
    simulation = Simulation(load_world("u_trap", ["explore.method=own.py:RESPONSE", *FELT]))
    simulation.step(6.0)
    Path("half.pickle").write_bytes(pickle.dumps(simulation))
    program = "import pickle; pickle.load(open('half.pickle', 'rb')).run().save('there')"
    subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:] = {sys.path!r}\n{program}"], check=True
    )
    assert Path("there/log.nc").read_bytes() == log_of(simulation, tmp_path / "here")


@pytest.mark.parametrize("make", [copy.deepcopy, pickle.dumps])
def test_what_an_own_method_keeps_and_cannot_be_copied_is_named(make, here):
    simulation = Simulation(load_world("u_trap", ["explore.method=own.py:WAITS", *FELT]))
    simulation.step(6.0)
    assert simulation.detections
    with pytest.raises(
        BadInput, match=r"^simulation: cannot be copied; found .*generator.*; allowed: own methods"
    ):
        make(simulation)


@pytest.mark.parametrize(
    ("what", "ask"),
    [
        ("reset", Simulation.reset),
        ("moved", lambda simulation: simulation.step(0.1)),
        ("moved", Simulation.run),
        ("moved", lambda simulation: simulation.advance(10**6)),
        ("copied", copy.deepcopy),
    ],
)
@pytest.mark.parametrize("elsewhere", [False, True])
def test_one_at_a_time(what, ask, elsewhere):
    """While a touch is answered nothing else may move the arm, be it in another thread."""
    simulation, refusals = Simulation(load_world("u_trap")), []

    def tried() -> None:
        try:
            ask(simulation)
        except BadInput as error:
            refusals.append(str(error))

    def on_touch(_: object) -> None:
        thread = threading.Thread(target=tried)
        if elsewhere:
            thread.start()
            thread.join()
        else:
            tried()

    simulation.on_touch = on_touch
    while not simulation.detections:
        simulation.step(0.1)
    assert len(refusals) == 1
    assert refusals[0].startswith(
        f"a simulation cannot be {what} while it moves; allowed: after the step"
    )
    simulation.on_touch = None
    simulation.step(0.1)  # and goes on
