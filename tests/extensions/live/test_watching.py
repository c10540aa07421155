"""A served log, watched: the alarms of ``replay``, and what goes wrong on the way is named and survived."""

from __future__ import annotations

import gc
import re
import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from refusals import refused
from served import (
    CONSTANT,
    PUSHED,
    Connection,
    bytes_served,
    data_package,
    handshake,
    heard,
    in_a_thread,
    moving,
    telling,
)
from test_packages import damaged

from dynamics import BadInput, load_arm
from hopfield_nav.build import build_arm, find_methods
from hopfield_nav.experiment import build_controller, simulate
from hopfield_nav.extensions.live import (
    WATCHED,
    DetectorStream,
    Link,
    Monitor,
    Notice,
    Recorder,
    StreamMethods,
    packages,
    source_of_run,
)
from hopfield_nav.extensions.live.conversation import Conversation
from hopfield_nav.extensions.live.packages import package
from hopfield_nav.extensions.live.recipe import FIELDS, Recipe
from hopfield_nav.extensions.recordings import (
    MOTOR_CONSTANT,
    given_motors,
    load_recording,
    replay,
    signals_of_recording,
    signals_of_run,
)
from hopfield_nav.plugin import find_method
from hopfield_nav.world import load_world

ESTIMATOR, DETECTOR = (
    find_method("estimator", "momentum_observer"),
    find_method("detector", "joint_torque"),
)
VALUES = {"pole": 15.0, "threshold": 6.0}


def methods(values=VALUES):
    return StreamMethods(
        load_arm("ur5_controller"),
        ESTIMATOR,
        DETECTOR,
        values,
        motors=given_motors([CONSTANT] * 6, 6),
    )


def replayed(data, m):
    return replay(m.model, signals_of_recording(data, m.motors), m.estimator, m.detector, m.values)


def assert_same(rows, found):
    """Row for row, to the last digit."""
    assert len(rows) == len(found.time)
    np.testing.assert_array_equal([row.time for row in rows], found.time)
    np.testing.assert_array_equal([row.seen.level for row in rows], found.level)
    np.testing.assert_array_equal([row.seen.tau_external for row in rows], found.tau_external)
    np.testing.assert_array_equal([row.seen.detected for row in rows], found.detected)


@pytest.fixture(scope="module")
def pushed():
    return moving(5.0, push=30.0)


def test_a_served_recording_gives_the_alarms_of_replay(pushed):
    found = replayed(pushed, methods())
    with in_a_thread(telling(pushed)) as server:
        rows, notices, monitor = heard(server.address, DetectorStream(methods()))
    assert_same(rows, found)
    assert PUSHED[0] < found.time[found.detected][0] < PUSHED[1]
    assert [n.kind for n in notices] == ["connected", "broken"]
    assert monitor.counts["lost"] == 0
    assert monitor.seconds == pytest.approx(4.992)


def test_without_the_push_there_is_no_alarm():
    with in_a_thread(telling(moving(5.0))) as server:
        rows, _, monitor = heard(server.address, DetectorStream(methods()))
    assert len(rows) == 625
    assert monitor.counts["alarms"] == 0


def test_the_record_of_a_stream_is_replayed_to_the_same_digits(pushed, tmp_path):
    with in_a_thread(telling(pushed)) as server, Recorder(tmp_path / "kept") as keeper:
        rows, _, _ = heard(server.address, DetectorStream(methods()), (keeper,))
    data = load_recording(tmp_path / "kept")
    assert_same(rows, replayed(data, methods()))
    for name in ("q", "qd", "q_ref", "qd_ref", "qdd_ref", "current"):
        np.testing.assert_array_equal(data[name], pushed[name])
    assert data.attrs["gap_count"] == 0


@pytest.fixture(scope="module")
def run():
    """An arm as imperfect as a real one, at 125 Hz, that feels several contacts."""
    return simulate(load_world("ragazzon2012_real", ["time_limit=12"]))


def test_a_served_run_gives_the_alarms_of_the_run(run):
    """At the row of a detection the record holds the new plan's reference; else the level is equal."""
    chosen, world = find_methods(run.world), run.world
    values = {
        **world.controller.parameters,
        **world.detection.parameters,
        **world.sensors.model_dump(),
    }
    known = {p.name for m in (chosen.estimator, chosen.detector) for p in m.parameters}
    known.add("encoder_resolution")
    values = {name: value for name, value in values.items() if name in known}
    model = build_controller(world, build_arm(world), chosen).model
    own = StreamMethods(
        model,
        chosen.estimator,
        chosen.detector,
        values,
        motors=given_motors([MOTOR_CONSTANT] * 6, 6),
    )
    own = replace(own, episodes=True)
    found = replay(
        model, signals_of_run(run), chosen.estimator, chosen.detector, values, episodes=True
    )
    with in_a_thread(source_of_run(run, 125.0)) as server:
        rows, _, _ = heard(server.address, DetectorStream(own))
    assert_same(rows, found)
    every = round(world.controller.period / world.plant.step)
    level, detected = run.data.level.values[::every], run.data.detected.values[::every].astype(bool)
    assert detected.sum() >= 3
    watched = np.array([row.seen.level for row in rows])
    np.testing.assert_array_equal(watched[~detected], level[~detected])
    np.testing.assert_array_equal([row.seen.detected for row in rows], detected)


def test_a_run_is_told_at_the_next_lower_rate(run):
    told = source_of_run(run, 100.0)
    assert told.rate == pytest.approx(62.5)
    np.testing.assert_array_equal(told.moving["actual_q"], signals_of_run(run).q[::2])
    # encoder steps and noise apart
    np.testing.assert_allclose(
        told.moving["actual_TCP_pose"][:, :3], run.data.tool_position.values[::16], atol=1e-4
    )


@pytest.fixture(scope="module")
def told():
    return telling(moving(1.0))


def test_what_is_wrong_with_rows_is_named_counted_and_survived(told):
    def rows(*numbers, **changed):
        return b"".join(data_package(told, k, **changed) for k in numbers)

    stream = handshake() + rows(*range(20), 24, 24, *range(25, 40))
    stream += rows(40, actual_q=np.nan) + rows(41, actual_current=1e9) + rows(42, robot_mode=3)
    stream += rows(43, safety_mode=3, runtime_state=1) + rows(44) + rows(*range(5, 15))
    stream += package(packages.DATA, b"\x01short") + package(
        packages.TEXT, packages.write_text("oil", "warning")
    )
    with bytes_served(stream) as address:
        got, notices, monitor = heard(address, DetectorStream(methods()))
    said = [f"{n.kind}: {n.words}" for n in notices]
    assert said[1:-1] == [
        "lost: 4 packages before 0.192 s",
        "no numbers: actual_q is not finite",
        "lost: 2 packages before 0.336 s",
        "robot: robot_mode is 3: power off",
        "robot: robot_mode is 7: running",
        "robot: safety_mode is 3: protective stop",
        "robot: runtime_state is 1: stopped",
        "robot: safety_mode is 1: normal",
        "robot: runtime_state is 2: playing",
        "clock jump: from 0.352 s back to 0.040 s: methods begin anew",
        said[-3],
        "message: warning: oil",
    ]
    assert said[-3].startswith("damaged: a data package of another length")
    counts = monitor.counts
    wanted = {"lost": 6, "repeated": 1, "no numbers": 2, "clock jumps": 1, "damaged": 1, "rows": 49}
    assert {name: counts[name] for name in wanted} == wanted
    assert len(got) == 49
    assert got[-10].time == 0.0


def test_after_a_clock_jump_a_new_table_begins(told, tmp_path):
    stream = handshake() + b"".join(data_package(told, k) for k in (*range(30), *range(10)))
    with bytes_served(stream) as address, Recorder(tmp_path / "kept") as keeper:
        heard(address, None, (keeper,))
    assert load_recording(tmp_path / "kept").sizes["time"] == 30
    assert load_recording(tmp_path / "kept" / "rtde-2.csv").sizes["time"] == 10


def test_missing_fields_are_named_and_done_without(told):
    names = tuple(name for name in WATCHED if name != "actual_TCP_force")
    recipe = Recipe(1, names, tuple(FIELDS[name] for name in names))
    stream = handshake(names) + b"".join(data_package(told, k, recipe) for k in range(20))
    with bytes_served(stream) as address:
        rows, notices, _ = heard(address, DetectorStream(methods()))
    assert ("missing", "actual_TCP_force") in [(n.kind, n.words) for n in notices]
    assert all(row.seen is not None for row in rows)


def test_without_currents_rows_are_taken_and_nothing_is_judged(told):
    names = tuple(name for name in WATCHED if name != "actual_current")
    recipe = Recipe(1, names, tuple(FIELDS[name] for name in names))
    stream = handshake(names) + b"".join(data_package(told, k, recipe) for k in range(20))
    with bytes_served(stream) as address:
        rows, notices, _ = heard(address, DetectorStream(methods()))
    assert "the source does not tell actual_current" in [n.words for n in notices]
    assert [row.seen for row in rows] == [None] * 20


def test_it_connects_again_and_goes_on(told):
    first = handshake() + b"".join(data_package(told, k) for k in range(30))
    second = handshake() + b"".join(data_package(told, k) for k in range(60, 90))
    with bytes_served(first, second) as address:
        link, monitor, rows = (
            Link(*address, WATCHED, retry=30.0),
            Monitor(DetectorStream(methods())),
            [],
        )
        for item in link.listen(lambda: monitor.counts["rows"] >= 60):
            rows += [told for told in monitor.take(item, link) if not isinstance(told, Notice)]
    assert len(rows) == 60
    assert monitor.counts["connected"] == 2
    assert monitor.counts["lost"] == 30


def test_a_silent_source_is_said_to_have_stalled(told):
    stream = handshake() + b"".join(data_package(told, k) for k in range(20))
    with bytes_served(stream, close=False) as address:
        link, kinds = Link(*address, WATCHED), []
        for item in link.listen(lambda: "stalled" in kinds):
            kinds.append(item.kind if isinstance(item, Notice) else "sample")
    assert kinds == ["connected", *["sample"] * 20, "stalled"]


def test_it_sends_nothing_but_questions(told, monkeypatch):
    """Every byte that a client of ours sends: versions, outputs, start."""
    sent, hear = [], Conversation.hear
    monkeypatch.setattr(
        Conversation, "hear", lambda talk, received: (sent.append(received), hear(talk, received))
    )
    with in_a_thread(told) as server:
        heard(server.address)
    kinds = [kind for kind, _ in packages.Splitter().feed(b"".join(sent))]
    assert kinds == [packages.VERSION, packages.CONTROLLER, packages.OUTPUTS, packages.START]


def test_nobody_there_is_one_line():
    with refused("127.0.0.1:9: no arm answers: Connection refused"):
        list(Link("127.0.0.1", 9, WATCHED, retry=0.0).listen())


def test_no_such_arm_is_one_line():
    with (
        bytes_served(package(packages.VERSION, b"\x00")) as address,
        refused("version 2 of the protocol is refused"),
    ):
        list(Link(*address, WATCHED, retry=0.0).listen())


def test_a_thousand_hostile_streams(told, monkeypatch):
    """Damaged answers and rows, through link and monitor: no crash, no hang, nothing that stays."""
    rng, judge = np.random.default_rng(4), DetectorStream(methods())
    good = handshake() + b"".join(data_package(told, k) for k in range(4))
    tails, fed = {"rows": 0, "refused": 0}, Connection()
    monkeypatch.setattr("socket.create_connection", lambda *_, **__: fed)
    tracemalloc.start()
    for trial in range(1200):
        if trial == 200:
            gc.collect()
            before = tracemalloc.get_traced_memory()[0]
        fed.left = damaged(rng, good)
        try:
            rows, _, _ = heard(("nowhere", 1), judge if trial % 5 == 0 else None)
            tails["rows"] += len(rows)
            assert all(np.isfinite(row.seen.level) for row in rows if row.seen is not None)
        except BadInput:
            tails["refused"] += 1
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert min(tails.values()) > 200
    assert grown < 50_000


@pytest.fixture(scope="module")
def kufieta(data_folder):
    """The functions of the suite of Kufieta's recordings."""
    from benches import suite_module

    return suite_module("recordings")


def watched_level(study, run):
    """Level of a recording that is served and watched with the methods of the study, row by row."""
    others = study.others(run)
    motors = study.motors(others)
    values = {"threshold": study.joint_scale(others, ESTIMATOR.name), "pole": study.POLE}
    adaptive, model = (
        find_method("detector", "adaptive_joint_torque"),
        motors.on(load_arm("ur5_controller")),
    )
    with in_a_thread(telling(study.recording(run)), speed=25.0) as server:
        rows, _, _ = heard(
            server.address,
            DetectorStream(StreamMethods(model, ESTIMATOR, adaptive, values, motors=motors)),
        )
    return np.array([row.seen.level for row in rows])


def test_a_real_arm_s_recordings_served_and_watched_give_the_page(kufieta):
    """Pushes found and false alarms of docs/lab/detectors_on_recordings.md, from what was watched."""
    page = (Path(__file__).parents[3] / "docs/lab/detectors_on_recordings.md").read_text()
    (row,) = re.findall(r"\| momentum_observer, adaptive_joint_torque (\|.*of 10 \|)$", page, re.M)[
        :1
    ]
    cells = [cell.strip() for cell in row.strip("| ").split("|")]
    levels = {run: watched_level(kufieta, run) for run in (kufieta.PUSHED, *kufieta.FREE_RUNS)}
    method = kufieta.Judged(ESTIMATOR.name, find_method("detector", "adaptive_joint_torque"))
    for run, level in levels.items():
        np.testing.assert_array_equal(level, kufieta.level(run, *method))
    time_s = kufieta.recording(kufieta.PUSHED).time.values
    peaks = [
        levels[kufieta.PUSHED][(time_s >= start) & (time_s <= end + 0.1)].max()
        for start, end in kufieta.PUSHES_AT
    ]
    free = max(levels[run][kufieta.in_motion(run)].max() for run in kufieta.FREE_RUNS)
    assert cells[-1] == f"{sum(peak > free for peak in peaks)} of {len(peaks)}"
    assert float(cells[3]) == pytest.approx(0.999 * min(peaks), rel=5e-3)
    alarms = method.alarms(0.999 * min(peaks))
    assert cells[4] == f"{alarms[0]} in {alarms[1]:.0f} s"
