"""A step that must explode is refused before the run, and the step that is named then works."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scenes import CONSTANT, REST, simulation

from dynamics import BadInput

NONE = "detection: {{estimator: none}}\n"
DAMPED = (
    "plant: {{damping: [0, 0, 0, 0, 0, 0.5], step: {step}, integrator: {how}}}\ntime_limit: 0.1\n"
    + NONE
)
LAW = (
    "plant: {{step: {step}}}\ncontroller: {{law: damping, hold: {hold}}}\ntime_limit: 0.1\n" + NONE
)
HARD = (
    "plant: {{step: {step}, integrator: {how}}}\ncontact: {{stiffness: {k}, damping: {c}}}\n"
    "obstacles: [{{cylinder: {{center: [0.25, 0.013], radius: 0.05}}}}]\n"
    "goal: {{position: [0.5972, 0.0131]}}\ntime_limit: 3\n" + NONE
)


def limit(text):
    """The largest step that the refusal names, and the key it blames."""
    with pytest.raises(BadInput) as caught:
        simulation(text)
    assert "\n" not in str(caught.value)
    return float(
        re.search(r"at most ([\d.e-]+) s", caught.value.allowed).group(1)
    ), caught.value.where


def runs(text):
    sim = simulation(text)
    sim.run()
    return sim.outcome


def test_joint_damping_too_stiff_for_rk4():
    step, key = limit(DAMPED.format(step=0.002, how="rk4"))
    assert key == "plant.step"
    assert runs(DAMPED.format(step=step, how="rk4")) == "time_limit"


def test_the_refusal_is_needed(monkeypatch):
    """Without it, the same arm explodes a little beyond the named step."""
    step, _ = limit(DAMPED.format(step=0.002, how="rk4"))
    monkeypatch.setattr("hopfield_nav.loop.engine.check_step", lambda *a: None)
    sim = simulation(DAMPED.format(step=1.5 * step, how="rk4"))
    sim.state.qd[5] = 1e-3
    sim.run()
    assert sim.outcome == "diverged"


def test_semi_implicit_euler_takes_any_joint_damping():
    sim = simulation(DAMPED.format(step=0.002, how="semi_implicit_euler").replace("0.5]", "5000]"))
    sim.state.qd[5] = 1.0
    sim.run()
    assert sim.outcome == "time_limit"
    assert abs(sim.state.qd[5]) < 1.0


@pytest.mark.parametrize(("hold", "key"), [("true", "controller.period"), ("false", "plant.step")])
def test_the_damping_law_of_the_document_at_one_millisecond(hold, key):
    """Figure 3.5's K = 1 on a wrist of 1.2e-4 kg·m² needs steps of 0.3 ms or less."""
    step, blamed = limit(LAW.format(step=0.001, hold=hold))
    assert blamed == key
    assert 0.0001 < step < 0.0004
    assert runs(LAW.format(step=step, hold=hold)) == "time_limit"


@pytest.mark.parametrize("how", ["rk4", "semi_implicit_euler"])
@pytest.mark.parametrize(("k", "c"), [(1e9, 0.0), (1e5, 1e5)])
def test_contact_too_stiff_for_the_step(how, k, c):
    step, key = limit(HARD.format(step=0.002, how=how, k=k, c=c))
    assert key == "plant.step"
    sim = simulation(HARD.format(step=step, how=how, k=k, c=c))
    run = sim.run()
    assert run.outcome != "diverged"
    assert run.summary["contact_count"] > 0


def test_stiff_contact_is_no_matter_without_obstacles():
    assert (
        runs("plant: {step: 0.002}\ncontact: {stiffness: 1e9}\ntime_limit: 0.01\n") == "time_limit"
    )


def test_other_laws_add_no_damping(tmp_path):
    (tmp_path / "push.py").write_text(CONSTANT)
    sim = simulation('controller: {law: "push.py:PUSH"}\ntime_limit: 0.01\n' + REST, tmp_path)
    sim.run()
    assert np.isfinite(sim.state.q).all()
