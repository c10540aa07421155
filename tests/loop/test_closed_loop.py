"""Detection logic of the compiled loop, its events, and where the simulation has exploded."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import simulation

from dynamics.kernels.decorators import kernel
from hopfield_nav.loop import COLUMNS, Event, Rows, log_columns, make_log, make_state
from hopfield_nav.loop.log import write_row, write_truth

SCRIPTED = """
from hopfield_nav.plugin import Method, Parameter


def detect(model, sensed, parameters, memory, work, tau_external, wrench):
    count = int(memory[0])
    memory[0] += 1.0
    return parameters[min(count, parameters.size - 1)]


METHOD = Method(
    kind="detector", name="scripted", kernel=detect, memory=lambda n: 1,
    parameters=tuple(Parameter(f"level{i}", 0.0, -1.0, 1e6, "1", "") for i in range(12)),
)
"""


def detections(
    tmp_path, levels, rearm="0.5", hold_off=0.0, goal="{cell: [17, 6]}", episodes="false"
):
    """Periods in which the loop says that a collision is detected, for given levels."""
    (tmp_path / "scripted.py").write_text(SCRIPTED)
    given = ", ".join(f"level{i}: {level}" for i, level in enumerate(levels))
    sim = simulation(
        f"detection: {{measure: 'scripted.py:METHOD', rearm: {rearm}, hold_off: {hold_off}, "
        f"episodes: {episodes}, {given}}}\n"
        f"goal: {goal}\ntime_limit: 1\n",
        tmp_path,
    )
    found = []
    for _ in range(100):
        event = sim.advance(len(levels))
        if event == Event.HORIZON:
            return found
        assert event == Event.DETECTED
        found.append(sim.state.now.step)
        way = sim.trajectory
        sim.follow(way._replace(knots=way.knots + sim.time - way.knots[0]))
    raise AssertionError("the same period fires for ever")


@pytest.mark.parametrize(
    ("levels", "rearm", "fires"),
    [
        ([0, 0.5, 1.0, 0.99], "0.5", []),  # at the threshold is not above it
        ([0, 1.01, 0], "0.5", [1]),
        ([0, 1.2, 1.3, 1.4, 1.1], "0.5", [1]),  # still the same collision
        ([0, 1.2, 0.6, 1.2], "0.5", [1]),  # not fallen below rearm
        ([0, 1.2, 0.4, 1.2], "0.5", [1, 3]),
        ([0, 1.2, 0.4, 0.9, 1.2], "0.5", [1, 4]),
        ([0, 1.2, 0.6, 1.2], "null", [1, 3]),  # every new rise above the threshold
        ([0, 1.2, 1.01, 1.3], "null", [1]),
        ([0, 1.2, 2.1, 2.3], "0.5", [1, 3]),  # a rise by a whole threshold above 1.2
        ([0, 3.0, 0.8, 1.7, 1.9], "0.5", [1, 4]),  # above the lowest level since
        ([0, 1.2, 2.3, 3.2, 3.4], "0.5", [1, 2, 4]),
        ([0, 1.2, 0.4, 0.4, 0.4, 1.5], "0.1", [1, 5]),  # 1.5 > 0.4 + 1, though never below 0.1
        ([0, 1.2, 0.4, 0.4, 0.4, 1.3], "0.1", [1]),
        ([float("1.5")] * 3, "0.5", [0]),
    ],
)
def test_when_any_rise_by_a_threshold_is_a_collision(tmp_path, levels, rearm, fires):
    assert detections(tmp_path, levels, rearm) == fires


def test_hold_off_waits_after_a_replan(tmp_path):
    levels = [0, 0, 0, 1.2, 0.1, 1.2, 0.1, 1.2, 0.1, 1.2]
    assert detections(tmp_path, levels) == [3, 5, 7, 9]
    assert detections(tmp_path, levels, hold_off=0.003) == [3, 7]


def test_without_goal_a_lasting_force_counts_once(tmp_path):
    assert detections(tmp_path, [0, 1.5, 1.5, 1.5, 1.5], goal="null") == [1]


def test_at_the_end_of_the_trajectory_a_lasting_force_counts_again(tmp_path):
    """Or an arm that lies against an obstacle in front of its goal would press on to the time limit."""
    (tmp_path / "scripted.py").write_text(SCRIPTED)
    sim = simulation(
        "detection: {measure: 'scripted.py:METHOD', level0: 1.5, level1: 1.5, level2: 1.5, level3: 1.5,"
        " level4: 1.5, level5: 1.5}\ngoal: {cell: [17, 6]}\ntime_limit: 1\n",
        tmp_path,
    )
    assert sim.advance(6) == Event.DETECTED
    assert sim.advance(3) == Event.HORIZON
    sim.follow(sim.trajectory._replace(knots=sim.trajectory.knots - 1e3))
    assert sim.advance(6) == Event.DETECTED
    assert sim.state.now.step == 3


def test_the_estimator_runs_once_a_period_also_across_events(tmp_path):
    (tmp_path / "scripted.py").write_text(SCRIPTED)
    sim = simulation(
        "detection: {measure: 'scripted.py:METHOD', level0: 1.5, level1: 0, level2: 1.5, level3: 0,"
        " episodes: false}\n"
        "controller: {period: 0.002}\ngoal: {cell: [17, 6]}\ntime_limit: 1\n",
        tmp_path,
    )
    sim.step(0.02)
    assert len(sim.detections) == 2
    assert sim.controller.detector.memory[0] == 10
    assert sim.state.statistics.periods == 10


# --- with and without an obstacle
# ----------------------------------------------------------------------


def _run(obstacles, threshold=12):
    return simulation(
        f"obstacles: [{obstacles}]\ngoal: {{cell: [17, 6]}}\ndetection: {{threshold: {threshold}}}\n"
    ).run()


HIT = "{cylinder: {center: [0.4, -0.092], radius: 0.03}}"
MISSED = "{cylinder: {center: [0.4, 0.2], radius: 0.03}}"


def test_fires_above_the_threshold_and_is_silent_below():
    hit, missed = _run(HIT), _run(MISSED)
    assert hit.summary["collision_count"] > 0
    assert missed.summary["collision_count"] == missed.summary["contact_count"] == 0
    assert missed.data.detected.values.sum() == 0
    assert hit.data.detected.values.sum() == hit.summary["collision_count"]
    assert hit.summary["false_alarm_count"] == 0
    level, alarm = hit.data.level.values, hit.data.detected.values.astype(bool)
    assert (level[alarm] > 1.0).all()
    norm = np.linalg.norm(hit.data.force_estimate.values, axis=1)
    np.testing.assert_allclose(level, norm / 12, rtol=1e-12)


def test_a_threshold_that_is_never_reached_detects_nothing_though_it_touches():
    deaf = _run(HIT, 1e6)
    assert deaf.summary["contact_count"] > 0
    assert deaf.summary["collision_count"] == 0


def test_true_force_of_the_record_is_the_contact_law_at_the_recorded_position():
    data = _run(HIT).data
    offset = data.tool_position.values[:, :2] - [0.4, -0.092]
    distance = np.linalg.norm(offset, axis=1)
    wanted = 1e5 * np.maximum(0.03 - distance, 0)[:, None] * offset / distance[:, None]
    assert (wanted != 0).any()
    np.testing.assert_allclose(data.force.values[:, :2], wanted, atol=1e-6)


# --- events
# --------------------------------------------------------------------------------------------


def test_log_full_comes_before_anything_is_lost():
    sim = simulation("goal: {cell: [17, 6]}\ntime_limit: 1\n")
    sim.rows = Rows(len(sim.arm.dh), 5)
    assert sim.advance(20) == Event.LOG_FULL
    assert (sim.state.now.step, len(sim.rows)) == (5, 5)
    sim.rows.make_room()
    assert sim.advance(8) == Event.HORIZON
    np.testing.assert_allclose(sim.rows.table()[:, 0], np.arange(8) * 0.001)


def test_columns_fill_the_row():
    columns = log_columns(7)
    stops = [c.stop for c in columns.values()]
    assert [c.start for c in columns.values()] == [0, *stops[:-1]]
    assert stops[-1] == 1 + 11 * 7 + 22


@pytest.mark.parametrize("damped", [False, True])
def test_rows_are_written_in_the_order_of_the_table(damped):
    """Every field of the state gets numbers of its own; each must come back under its own name."""
    n = 7
    state, log, numbers = make_state(np.zeros(n), 0), make_log(2, n), iter(range(1, 1000))
    sensed, belief, truth = state.control.sensed, state.control.belief, state.truth
    arrays = {
        "q": state.q, "qd": state.qd, "q_ref": sensed.q_ref, "qd_ref": sensed.qd_ref,
        "qdd_ref": sensed.qdd_ref, "tau": sensed.tau, "q_sensed": sensed.q, "qd_sensed": sensed.qd,
        "tau_external_estimate": belief.tau_external, "force_estimate": belief.wrench[:3],
        "moment_estimate": belief.wrench[3:], "tau_external": truth.external,
        "tau_friction": truth.friction, "tool_position": truth.tool, "force": truth.touch.force,
        "contact_point": truth.touch.point, "contact_force": truth.touch.largest,
    }  # fmt: skip
    belief.now.level, truth.touch.now.link = 0.25, 3
    belief.now.damped, state.control.alarm.now.raised = damped, not damped
    wanted = {"level": 0.25, "detected": not damped, "estimate_damped": damped, "contact_link": 3}
    assert {"time", *arrays, *wanted} == {column.name for column in COLUMNS}
    for name, field in arrays.items():
        field[:] = [next(numbers) for _ in field]
        wanted[name] = field.copy()
    _write(log, state, 0.5)
    assert log.now.used == 1
    assert log.table[0, 0] == 0.5
    for name, columns in list(log_columns(n).items())[1:]:
        np.testing.assert_array_equal(log.table[0, columns], wanted[name], err_msg=name)
    log.now.used, truth.touch.now.link = 0, 0
    _write(log, state, 0.5)
    assert np.isnan(log.table[0, log_columns(n)["contact_point"]]).all()
    np.testing.assert_array_equal(
        log.table[0, log_columns(n)["contact_force"]], wanted["contact_force"]
    )


@kernel
def _write(log, state, time):
    write_row(log, state, time)
    write_truth(log, state.truth)


@pytest.mark.parametrize("value", [np.nan, np.inf, 2e3, -2e3])
def test_an_explosion_ends_the_run(value):
    sim = simulation("goal: {cell: [17, 6]}\ntime_limit: 1\n")
    assert sim.advance(3) == Event.HORIZON
    sim.state.qd[2] = value
    assert sim.advance(10) == Event.DIVERGED
    assert sim.state.now.step == 4


@pytest.mark.kernel
@pytest.mark.parametrize("integrator", ["rk4", "semi_implicit_euler"])
@pytest.mark.parametrize("hold", ["true", "false"])
def test_the_loop_stays_inside_its_arrays(integrator, hold):
    sim = simulation(
        f"plant: {{integrator: {integrator}, damping: 0.001, step: 0.0005}}\n"
        f"controller: {{period: 0.001, delay: {0.003 if hold == 'true' else 0}, hold: {hold}}}\n"
        "contact: {damping: 10, friction: 0.2}\ngoal: {cell: [17, 6]}\ntime_limit: 0.02\n"
        "obstacles: [{cylinder: {center: [0.176, 0.06], radius: 0.05}}]\nrecord: {every: 3}\n"
    )
    run = sim.run()
    assert np.isfinite(run.data.q.values).all()
    assert run.data.sizes["time"] == 14
