"""Runs from start to outcome: every outcome, repeatability, stepping, other arms."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import yaml
from scenes import PLANAR, simulation, world

from dynamics import BadInput, forward_kinematics, load_arm
from hopfield_nav import load_run, load_world
from hopfield_nav.experiment import Interrupted, Simulation, simulate
from hopfield_nav.record import contact_delays

GOAL = "goal: {cell: [17, 6]}\n"
WALL = "obstacles: [{cylinder: {center: [0.36, -0.09], radius: 0.05}}]\n"


def end(text, folder=None):
    run = simulation(text, folder).run()
    return run.outcome, run.summary["reason"], run


# --- outcomes
# --------------------------------------------------------------------------------------


def test_reached_says_how_near_and_is():
    outcome, reason, run = end(GOAL)
    assert outcome == "reached"
    assert "0.001 m" in reason
    assert run.summary["final_tool_error_m"] <= 0.001


def test_start_is_goal():
    outcome, _, run = end("goal: {cell: [1, 10]}\n")
    assert outcome == "reached"
    assert run.data.first_path.values.tolist() == [[1, 10]]


def test_no_path_to_an_enclosed_goal():
    run = simulate(load_world("enclosed_goal"))
    assert run.outcome == "no_path"
    assert run.summary["reason"]
    assert run.summary["final_tool_error_m"] > 0.02


def test_no_path_where_known_obstacles_close_every_path():
    around = [
        (0.5972 + 0.045 * np.cos(a), -0.0921 + 0.045 * np.sin(a))
        for a in np.linspace(0, 2 * np.pi, 12, endpoint=False)
    ]
    ring = ", ".join(
        f"{{cylinder: {{center: [{x:.4f}, {y:.4f}], radius: 0.022}}}}" for x, y in around
    )
    outcome, _, run = end(GOAL + f"known: [{ring}]\n")
    assert outcome == "no_path"
    assert run.summary["collision_count"] == 0
    assert run.summary["simulated_time_s"] <= 0.001


@pytest.mark.parametrize("radius", [0.02, 0.03, 0.05])
@pytest.mark.parametrize("aside", [0.0, 0.008])
def test_no_path_to_a_goal_inside_an_unknown_obstacle(radius, aside):
    """The arm ended up pressing against it, disarmed, until the time limit."""
    inside = (
        f"obstacles: [{{cylinder: {{center: [0.4131, {-0.0132 + aside}], radius: {radius}}}}}]\n"
    )
    outcome, reason, run = end("goal: {cell: [10, 9]}\n" + inside)
    assert outcome == "no_path", reason
    needed = run.summary["closed_step_count"]
    assert 4 <= needed <= run.summary["collision_count"] <= 3 * needed
    assert simulation("goal: {cell: [10, 9]}\n").run().outcome == "reached"


@pytest.mark.parametrize(("choice", "expected"), [("ignore", "unreachable"), ("lazy", "no_path")])
def test_unreachable_names_the_cell(choice, expected):
    far = f"map: {{spacing: 0.06, origin: [0.05, -0.4, 0]}}\nplanner: {{unreachable: {choice}}}\n"
    outcome, reason, run = end("goal: {cell: [17, 6]}\n" + far)
    assert outcome == expected
    assert "cell (" in reason
    assert run.data.sizes["time"] == 1


def test_time_limit():
    outcome, reason, run = end(GOAL + "time_limit: 0.25\n")
    assert (outcome, run.summary["simulated_time_s"]) == ("time_limit", pytest.approx(0.25))
    assert "0.25 s" in reason
    assert run.data.sizes["time"] == 250


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("controller: {omega: 3000, saturate: false}\ndetection: {threshold: 1e6}\n", "omega"),
        ("controller: {period: 0.05, saturate: false}\ndetection: {threshold: 1e6}\n", "period"),
        (
            "controller: {omega: 300, delay: 0.01, saturate: false}\ndetection: {threshold: 1e6}\n",
            "delay",
        ),
    ],
)
def test_diverged_names_joint_time_cause_and_what_to_change(text, cause):
    outcome, reason, run = end(GOAL + text)
    assert outcome == "diverged"
    assert cause in reason
    assert "joint" in reason
    assert f"{run.summary['simulated_time_s']:.4f} s" in reason
    assert "try a smaller" in reason
    assert run.summary["simulated_time_s"] < 10
    assert simulation(GOAL).run().outcome == "reached"  # the same without the cause


def test_a_nan_ends_the_run_at_once():
    sim = simulation(GOAL)
    sim.step(0.1)
    sim.state.q[3] = np.nan
    sim.step(1.0)
    assert sim.outcome == "diverged"
    assert "joint" in sim.reason
    assert sim.time == pytest.approx(0.101)
    assert sim.record().summary["final_tool_error_m"] is None


def test_without_a_goal_a_detection_is_noted_and_the_arm_stays():
    """It was a traceback: the plan went to a goal of None."""
    # sags: a false alarm
    text = "controller: {model: ur5_ragazzon2012_as_printed}\ntime_limit: 1\n"
    for place in ("", "map: {origin: [5, 5, 0]}\n"):
        outcome, _, run = end(text + place)
        assert outcome == "time_limit"
        assert run.summary["collision_count"] >= 1
        assert run.summary["final_tool_error_m"] is None
        assert not run.data.qd_ref.values.any()
    assert end("time_limit: 1\n")[2].summary["collision_count"] == 0


def test_the_last_detection_is_in_the_record_even_if_it_ends_the_run():
    # on facts and beliefs the arm goes back before it ends
    for mark, last in (("actual", 1), ("felt", 0)):
        run = simulate(load_world("enclosed_goal", [f"detection.mark={mark}"]))
        assert run.outcome == "no_path"
        assert (
            run.data.detected.values.sum()
            == run.summary["collision_count"]
            == run.data.sizes["event"]
        )
        assert run.data.detected.values[-1] == last
    slow = "detection={estimator: joint_error, measure: force_norm}"  # never twice within 50 ms
    sparse = simulate(load_world("enclosed_goal", ["record.every=50", slow]))
    assert sparse.data.detected.values.sum() == sparse.summary["collision_count"]


# --- repeatability
# ---------------------------------------------------------------------------------


def logs(run):
    return [run.data[name].values.tobytes() for name in sorted(run.data.variables)]


def test_reset_repeats_bit_for_bit():
    sim = simulation(GOAL + WALL + "controller: {delay: 0.002}\n")
    first = sim.run()
    before = logs(first)
    sim.reset()
    assert sim.outcome is None
    assert sim.time == 0
    assert logs(sim.run()) == before
    assert logs(first) == before


def test_slices_make_no_difference():
    text = GOAL + WALL
    whole, sliced = simulation(text).run(), simulation(text)
    for duration in (0.0001, 0.0137, 1.0, 0.5, 3.3333, 100.0):
        sliced.step(duration)
    assert sliced.outcome == "reached"
    assert logs(sliced.record()) == logs(whole)


def test_a_record_stays_what_it_was_while_the_simulation_goes_on():
    sim = simulation(GOAL + WALL)
    while not sim.detections:
        sim.step(0.1)
    early = sim.record()
    count, marks = early.summary["collision_count"], sim.navigator.final_map()
    sim.run()
    assert len(sim.detections) > count
    assert early.data.sizes["event"] == count
    assert marks.any()
    np.testing.assert_array_equal(early.data.final_map.values, marks)


def test_same_seed_same_bytes_other_seed_other_cylinders(tmp_path):
    text = (
        "obstacles: [{random_cylinders: {count: 10, radius: [0.01, 0.02]}}]\n"
        + GOAL
        + "time_limit: 2\n"
    )
    files = []
    for name, seed in (("a", 5), ("b", 5), ("c", 6)):
        run = simulate(world(text), seed=seed)
        run.save(tmp_path / name)
        files.append((tmp_path / name / "log.nc").read_bytes())
        assert run.summary["seed"] == run.world.seed == seed
    assert files[0] == files[1]
    assert files[0] != files[2]
    assert Simulation(world(text), 5).world.obstacles != Simulation(world(text), 6).world.obstacles


def test_progress_is_called_with_time_and_collisions():
    seen = []
    simulate(world(GOAL + WALL), progress=lambda time, count: seen.append((time, count)))
    times = [time for time, _ in seen]
    assert times == sorted(times)
    assert seen[-1][1] > 0


def test_an_interrupted_run_says_how_long_it_took():
    def interrupt(time, count):
        if time > 0.3:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        simulate(world(GOAL), progress=interrupt)
    summary = caught.value.run.summary
    assert summary["wall_time_s"] > 0.0
    assert summary["real_time_factor"] == pytest.approx(
        summary["simulated_time_s"] / summary["wall_time_s"]
    )


def _break(simulation, count):
    """Let what answers a touch fail at the touch behind so many."""
    answer = simulation.navigator.on_detection

    def fail(detection):
        if len(simulation.detections) >= count:
            raise ValueError("not meant to happen")
        return answer(detection)

    simulation.navigator.on_detection = fail


@pytest.mark.parametrize("count", [0, 1])
def test_an_error_of_the_program_keeps_the_record(count, tmp_path):
    broken = simulation(GOAL + WALL)
    _break(broken, count)
    with pytest.raises(ValueError, match="not meant to happen") as caught:
        broken.run()
    run = caught.value.run
    assert (run.outcome, run.summary["reason"]) == (
        "internal_error",
        "ValueError: not meant to happen",
    )
    assert run.summary["no_path_grade"] is None
    assert run.data.sizes["event"] == count
    assert run.data.time.values[-1] == pytest.approx(broken.time, abs=0.002)
    assert run.summary["wall_time_s"] > 0.0
    assert load_run(run.save(tmp_path / "kept")).outcome == "internal_error"


def test_an_error_of_the_program_ends_a_loop_of_steps():
    broken = simulation(GOAL + WALL)
    _break(broken, 0)
    with pytest.raises(ValueError, match="not meant to happen"):
        broken.step(60.0)
    assert broken.outcome == broken.record().outcome == "internal_error"


def test_an_error_of_who_watches_is_none_of_the_program():
    watched = simulation(GOAL)

    def fail(time, count):
        raise ValueError("seen enough")

    with pytest.raises(ValueError, match="seen enough") as caught:
        watched.run(fail)
    assert (watched.outcome, hasattr(caught.value, "run")) == (None, False)


# --- the summary against the record
# -------------------------------------------------------------------


def test_summary_agrees_with_the_record():
    run = end(GOAL + WALL)[2]
    data, summary = run.data, run.summary
    force = np.linalg.norm(data.force.values, axis=1)
    assert summary["peak_contact_force_N"] == pytest.approx(force.max())
    assert summary["peak_contact_force_time_s"] == pytest.approx(float(data.time[force.argmax()]))
    delays = contact_delays(data.event_time.values, data.touch_time.values)
    delays = delays[np.isfinite(delays)]
    assert summary["detection_delay_median_s"] == pytest.approx(np.median(delays))
    assert summary["detection_delay_max_s"] == pytest.approx(delays.max())
    first = float(data.time[np.flatnonzero(force)[0]])
    assert float(data.touch_time[0]) == pytest.approx(first)
    assert summary["felt_cell_count"] == run.plans()[-1].felt.sum()
    assert summary["simulated_time_s"] == pytest.approx(float(data.time[-1]) + 0.001)
    touching = np.flatnonzero(force) * 0.001
    contacts = 1 + int((np.diff(touching) > 0.05 + 1e-9).sum())
    assert summary["contact_count"] == contacts


# --- other arms, other settings
# -----------------------------------------------------------------------


def _arm_file(folder, change):
    from importlib import resources

    data = yaml.safe_load(
        (resources.files("dynamics") / "arms" / "ur5_ragazzon2012.yaml").read_text()
    )
    data.pop("capsules")
    change(data)
    (folder / "mine.yaml").write_text(yaml.safe_dump(data))


def _add_a_joint(data):
    """A seventh joint at the flange, turning about the tool's axis."""
    data["joints"].append(
        {"name": "seventh", "d": 0.05, "a": 0.0, "alpha": 0.0, "source": "made up"}
    )
    data["links"].append({"mass": 0.3, "center_of_mass": [0, 0, -0.02], "source": "made up",
                          "inertia": [[0.001, 0, 0], [0, 0.001, 0], [0, 0, 0.001]]})  # fmt: skip
    data["limits"] = {"speed": 3.14, "torque": 150, "source": "made up"}


def _bend_the_wrist(data):
    """No spherical or parallel structure is left: only the numeric inverse kinematics can do it."""
    data["joints"][3]["alpha"] = 1.4


def test_an_arm_with_seven_joints_feels_its_way(tmp_path):
    _arm_file(tmp_path, _add_a_joint)
    start = "start: {joints: [2.5511, -1.1193, 2.5706, 0.1196, 1.5708, -0.5905, 0.0]}\n"
    arm = load_arm("mine.yaml", tmp_path)
    z = forward_kinematics(arm, [2.5511, -1.1193, 2.5706, 0.1196, 1.5708, -0.5905, 0.0])[2, 3]
    text = (
        f"arm: mine.yaml\n{start}map: {{origin: [0.1501, -0.2499, {z}]}}\n"
        "controller: {omega: [22.5, 22.5, 37.5, 60, 67.5, 75, 75]}\n"
    )
    outcome, reason, run = end(text + GOAL + WALL, tmp_path)
    assert outcome == "reached", reason
    assert run.summary["collision_count"] > 0
    assert run.summary["false_alarm_count"] == 0
    assert run.data.q.shape[1] == 7


def test_an_arm_without_closed_form_feels_its_way(tmp_path):
    from dynamics import has_closed_form

    _arm_file(tmp_path, _bend_the_wrist)
    arm = load_arm("mine.yaml", tmp_path)
    assert not has_closed_form(arm)
    q = [2.5511, -1.1193, 2.5706, 0.1196, 1.5708, -0.5905]
    T = forward_kinematics(arm, q)
    rotation = np.round(T[:3, :3], 12).tolist()
    origin = [float(T[0, 3] - 0.0263), float(T[1, 3] - 10 * 0.0263), float(T[2, 3])]
    place = f"map: {{origin: {origin}}}\ntrajectory: {{tool_rotation: {rotation}}}\n"
    text = f"arm: mine.yaml\n{place}goal: {{cell: [6, 8]}}\n"
    outcome, reason, _ = end(text, tmp_path)
    assert outcome == "reached", reason
    between = [origin[0] + 3 * 0.0263, origin[1] + 8 * 0.0263]
    outcome, reason, run = end(
        text + f"obstacles: [{{cylinder: {{center: {between}, radius: 0.02}}}}]\n", tmp_path
    )
    assert outcome == "reached", reason
    assert run.summary["collision_count"] > 0


def test_a_planar_arm_feels_what_it_touches(tmp_path):
    """Three joints cannot follow a pose path, but they can hold still and feel."""
    (tmp_path / "planar.yaml").write_text(PLANAR)
    text = (
        "arm: planar.yaml\nstart: {joints: [0.3, 0.5, 0.2]}\ncontroller: {omega: 20}\n"
        "detection: {threshold: 0.5}\ntime_limit: 1\n"
    )
    # the tool starts 4 mm inside a soft, damped cylinder, which pushes it out
    inside = (
        "contact: {stiffness: 8000, damping: 100}\n"
        "obstacles: [{cylinder: {center: [0.6037, 0.5182], radius: 0.05}}]\n"
    )
    touched, free = end(text + inside, tmp_path)[2], end(text, tmp_path)[2]
    assert np.isfinite(touched.data.force_estimate.values).all()
    assert touched.summary["collision_count"] >= 1
    assert free.summary["collision_count"] == 0


@pytest.mark.parametrize("other", ["ur5_tu2023", "ur5_controller"])
def test_other_dynamics_in_plant_and_model(other):
    text = GOAL + f"plant: {{dynamics: {other}}}\ncontroller: {{model: {other}}}\n"
    assert end(text)[0] == "reached"
    sim = simulation(text)
    np.testing.assert_array_equal(sim.plant.arm.mass, load_arm(other).mass)
    np.testing.assert_array_equal(sim.plant.arm.dh, load_arm("ur5_ragazzon2012").dh)


def test_tool_and_payload_reach_plant_and_model():
    sim = simulation(
        "tool: {frame: {position: [0, 0, 0.1]}, payload: {mass: 2, center_of_mass: [0, 0, 0.05]}}\n"
        "controller: {model: ur5_tu2023}\ntime_limit: 0.1\n"
    )
    assert sim.plant.arm.mass[5] == pytest.approx(0.1632 + 2)
    assert sim.controller.model.mass[5] == pytest.approx(load_arm("ur5_tu2023").mass[5] + 2)
    assert sim.plant.arm.tool[2, 3] == sim.controller.model.tool[2, 3] == 0.1


def test_semi_implicit_euler_reaches_the_goal_too():
    outcome, _, run = end(GOAL + WALL + "plant: {integrator: semi_implicit_euler}\n")
    assert outcome == "reached"
    assert run.summary["collision_count"] > 0


# --- nothing silently wrong: arms that pass through obstacles
# ----------------------------------------------

WALL_AHEAD = "obstacles: [{{box: {{center: [0.30, 0.013, -0.1], size: [{width}, 0.6, 0.4]}}}}]\n"
STRAIGHT_ON = "goal: {cell: [14, 10]}\ntime_limit: 12\n"


@pytest.mark.parametrize(
    ("width", "changes", "passes"),
    [
        (0.02, "", False),
        (0.02, "contact: {stiffness: 1000}\n", True),  # too soft to stop it
        (0.001, "trajectory: {time_per_cell: 0.1}\n", True),  # too thin at 0.26 m/s
        (
            0.004,
            "detection: {estimator: joint_error, measure: wrench_norm, threshold: 2000}\n",
            True,
        ),
    ],
)
def test_passing_through_a_wall_is_reported(width, changes, passes):
    run = simulation(WALL_AHEAD.format(width=width) + STRAIGHT_ON + changes).run()
    assert run.summary["passed_through"] == passes
    assert (
        any("may have passed through" in warning for warning in run.summary["warnings"]) == passes
    )
    half = 0.5 * width
    assert 0.0 < run.summary["largest_penetration_m"] <= half * (1 + 1e-9)
    crossed = float(run.data.tool_position[:, 0].max()) > 0.30 + half
    assert crossed == passes  # what the report says is what happened


@pytest.mark.parametrize(
    ("duration", "count"),
    [(0.0025, 400), (0.0004, 2500), (1 / 3000, 3000), (0.0137, 73), (0.1, 10)],
)
def test_what_is_left_of_a_duration_is_kept(duration, count):
    sim = Simulation(load_world("empty"))
    for k in range(count):
        sim.step(duration)
        assert abs(sim.time - (k + 1) * duration) <= 0.001 + 1e-9
    assert sim.time == pytest.approx(count * duration, abs=1e-3 - 1e-6)
    sim.reset()
    sim.step(0.0006)
    assert sim.time == 0.0


def test_no_time_moves_nothing_and_all_of_it_ends_the_run():
    sim = Simulation(load_world("empty", ["time_limit=0.05"]))
    assert sim.step(0) is None
    assert sim.time == 0.0
    for endless in (math.inf, 10**400, np.float32(1e30)):
        sim.reset()
        assert (sim.step(endless), sim.time) == ("time_limit", 0.05)


@pytest.mark.parametrize(
    "wrong", [-0.1, math.nan, -math.inf, "1", None, True, 1j, np.complex128(1)]
)
def test_no_duration_is_refused(wrong):
    with pytest.raises(BadInput, match=r"^duration; "):
        Simulation(load_world("empty")).step(wrong)


@pytest.mark.parametrize("wrong", ["runs/a", 3, Path("runs/a")])
def test_an_earlier_run_that_is_none_is_refused(wrong):
    with pytest.raises(
        BadInput, match=r"^felt: no run; found .*; allowed: a run, as from load_run"
    ):
        simulate(load_world("empty"), felt=wrong)
