"""The closed-loop experiment of chapter 7: its runs in both worlds, the first path, and how they end."""

from functools import lru_cache

import numpy as np
from keeping import kept
from ledger import Row, Rows, judged

from dynamics import forward_kinematics
from hopfield_nav.experiment import Simulation, simulate
from hopfield_nav.record import Run
from hopfield_nav.world import load_world
from ragazzon2012.contact import AS_PRINTED, RIGHT


@lru_cache
def run(name: str, *overrides: str) -> Run:
    """A run of a world; each is computed once."""
    return simulate(load_world(name, list(overrides)))


def inverse_kinematics_error(name: str = RIGHT) -> tuple[float, float]:
    """Largest position [m] and rotation [1] error of the waypoints of the first path."""
    simulation = Simulation(load_world(name))
    motion, world = simulation.first_motion, simulation.world
    waypoints = motion.trajectory.coefficients[1:, 0]
    poses = forward_kinematics(simulation.arm, waypoints)
    centres = np.array([simulation.navigator.grid.centre(cell) for cell in motion.cells[:-1]])
    rotation = np.array(world.trajectory.tool_rotation)
    return float(np.abs(poses[:, :3, 3] - centres).max()), float(
        np.abs(poses[:, :3, :3] - rotation).max()
    )


def first_path(name: str = RIGHT) -> tuple[int, float, float]:
    """Steps of the first path, time it takes [s], and mean speed between two inner waypoints [m/s]."""
    simulation = Simulation(load_world(name))
    knots = simulation.first_motion.trajectory.knots
    steps = len(simulation.first_motion.cells) - 1
    return (
        steps,
        float(knots[-1] - knots[0]),
        simulation.world.map.spacing / float(knots[2] - knots[1]),
    )


def rows() -> list[Row]:
    return [_setting_row(), *_path_and_course_rows()]


def _setting_row() -> Row:
    world = run(RIGHT).world
    omega, threshold = world.controller.parameters["omega"], world.detection.parameters["threshold"]
    agrees = (
        np.allclose(omega, [22.5, 22.5, 37.5, 60, 67.5, 75])
        and threshold == 12
        and world.contact.stiffness == 1e5
    )
    ours = f"{list(omega)} rad/s, {threshold:g}, {world.contact.stiffness:g} N/m"
    return judged("ragazzon2012.settings", ours, bool(agrees))


def _path_and_course_rows() -> Rows:
    steps, duration, speed = first_path()
    table = duration / (steps + 1) / 100
    position, turn = inverse_kinematics_error()
    ours = f"{steps} steps, {duration:.2f} s, {100 * speed:.1f} cm/s, {1e3 * table:.2f} ms"
    same = (
        abs(duration - 11) < 0.01
        and abs(100 * speed - 5) < 0.05
        and abs(1e3 * table - 5.24) < 0.005
    )
    yield judged("ragazzon2012.first_path", ours, steps == 20 and same)
    ours = f"{position:.0e} m, {turn:.0e} in the rotation, closed form"
    yield judged("ragazzon2012.tolerance_of_inverse_kinematics", ours, max(position, turn) < 1e-4)
    printed, right = run(AS_PRINTED), run(RIGHT)
    seconds = [recorded.summary["simulated_time_s"] for recorded in (printed, right)]
    times = f"as printed {seconds[0]:.1f} s, right {seconds[1]:.1f} s"
    ours = f"as printed {printed.outcome}, right {right.outcome}"
    yield judged(
        "ragazzon2012.reaches_the_destination", ours, printed.outcome == right.outcome == "reached"
    )
    yield judged("ragazzon2012.time_to_the_destination", times, None)
    simulated = seconds[1]
    seconds, replan = (
        float(f"{max(values):.0e}") for values in zip(*computing_times(), strict=True)
    )
    yield judged(
        "ragazzon2012.computing_time", f"{seconds:g} s for {simulated:.0f} s †", seconds > 50
    )
    yield judged("ragazzon2012.time_of_a_new_plan", f"{1e3 * replan:g} ms †", replan > 1)


@kept("test_ragazzon2012.py::test_faster_than_real_time")
def computing_times() -> list[list[float]]:
    """Of both worlds: computing time of the run, and the median of its new plans [s]."""
    wanted = ("wall_time_s", "replan_wall_time_median_s")
    return [[run(name).summary[key] for key in wanted] for name in (AS_PRINTED, RIGHT)]
