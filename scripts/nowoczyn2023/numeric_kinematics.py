"""Sections 1.1 and 2.2: both Denavit-Hartenberg forms, and Jacobian steps of 40 µm along 1 m."""

from functools import cache
from typing import NamedTuple

import numpy as np
from keeping import kept
from ledger import Rows, judged
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from reproduction import picture, pictures_of, processor_times
from scipy.spatial.transform import Rotation
from verdicts import in_range

import dynamics
from dynamics import forward_kinematics, inverse_kinematics, load_arm
from hopfield_nav.figures import COLOURS, PAGE
from nowoczyn2023.differential import differential_inverse_kinematics
from nowoczyn2023.modified_dh import modified_dh, modified_link_frames

NAME = "ur5_tu2023"  # the UR5's (CB3) lengths, as Tables 1.1 and 1.2 have them under the name UR5e
STEP, LENGTH, PUBLISHED = 40e-6, 1.0, 1e-4  # [m] 2.2
CLEAR = (0.2, 0.2, 0.1)  # least |s5|, |s3| and |along| [m] on a line that is studied
AWAY = 0.3  # [rad] of a start from the solution
TURN = np.array([0.5, 0.6, 0.7])  # [rad] by which the tool turns along the line, where it does
draw = pictures_of(__name__)


class Line(NamedTuple):
    """A straight line of 1 m along a base axis, and joint angles at its start."""

    axis: int
    sign: int
    start: np.ndarray
    q: np.ndarray


def poses(line: Line, step: float = STEP, turn: np.ndarray | None = None) -> np.ndarray:
    """(k, 4, 4) along the line; the tool keeps its orientation or turns by ``turn`` at a steady rate."""
    share = np.linspace(0, 1, round(LENGTH / step) + 1)
    out = np.tile(line.start, (len(share), 1, 1))
    out[:, line.axis, 3] += line.sign * LENGTH * share
    if turn is not None:
        out[:, :3, :3] = (
            Rotation.from_rotvec(np.outer(share, turn)).as_matrix() @ line.start[:3, :3]
        )
    return out


@cache
def lines(count: int = 30, seed: int = 22) -> tuple[Line, ...]:
    """Random lines along ±x, ±y, ±z in turn that stay clear of every singularity."""
    arm, rng, found = load_arm(NAME), np.random.default_rng(seed), []
    while len(found) < count:
        q = rng.uniform(-np.pi, np.pi, 6)
        axis, sign = len(found) % 3, 1 - 2 * (len(found) // 3 % 2)
        line = Line(axis, sign, forward_kinematics(arm, q), q)
        if _is_clear(line):
            found.append(line)
    return tuple(found)


def _is_clear(line: Line) -> bool:
    """Whether coarse steps with feedback follow the line, clear of every singularity."""
    arm, coarse = load_arm(NAME), poses(line, 0.01)
    if not np.isfinite(inverse_kinematics(arm, coarse[[50, 100]])[:, 0, 0]).all():
        return False
    path = differential_inverse_kinematics(arm, coarse, line.q, feedback=True)
    if not (path.position_error < 0.01).all():
        return False
    wrist, elbow, shoulder = (np.abs(m).min() for m in dynamics.singularity_measures(arm, path.q))
    return bool(wrist > CLEAR[0] and elbow > CLEAR[1] and shoulder > CLEAR[2])


@cache
def line_errors(step: float = STEP, count: int = 30) -> np.ndarray:
    """(count,) distance from the end of each line after open-loop steps [m]."""
    arm = load_arm(NAME)
    paths = (
        differential_inverse_kinematics(arm, poses(line, step), line.q) for line in lines(count)
    )
    return np.array([path.position_error[-1] for path in paths])


def turn_errors(orientation: str, feedback: bool = False, step: float = STEP) -> np.ndarray:
    """(k,) orientation error along the first line while the tool turns [rad]."""
    line = lines(1)[0]
    path = differential_inverse_kinematics(
        load_arm(NAME), poses(line, step, TURN), line.q, orientation, feedback
    )
    return path.turn_error


def errors_without_inverse() -> np.ndarray:
    """(count,) distance from the end of each line if (2.3) is taken as printed, without J⁻¹ [m].

    The steps are then equal and add up to the whole difference of the poses, whatever their length.
    """
    ends = []
    for line in lines():
        q = line.q.copy()
        q[line.axis] += line.sign * LENGTH
        reached = forward_kinematics(load_arm(NAME), q)[:3, 3]
        ends.append(np.linalg.norm(reached - poses(line, LENGTH)[-1, :3, 3]))
    return np.array(ends)


def numeric_steps(count: int = 200, away: float = AWAY) -> np.ndarray:
    """(count,) Jacobian steps from joint angles up to ``away`` [rad] off to a solution of 1e-10."""
    arm, rng = load_arm(NAME), np.random.default_rng(23)
    q = rng.uniform(-np.pi, np.pi, (count, 6))
    starts = q + rng.uniform(-away, away, q.shape)
    pairs = zip(forward_kinematics(arm, q), starts, strict=True)
    found = [dynamics.numeric_inverse_kinematics(arm, *pair) for pair in pairs]
    return np.array([solution.iterations for solution in found if solution.converged])


@kept("test_ledger_rows.py::test_times_are_of_the_order_kept")
def microseconds() -> tuple[float, float]:
    """Computing time of every solution of one pose, and of one Jacobian step, best of nine [µs]."""
    arm, line = load_arm(NAME), lines(1)[0]
    path = poses(line)[:5000]
    calls = (
        lambda: inverse_kinematics(arm, path),
        lambda: differential_inverse_kinematics(arm, path, line.q),
    )
    closed, step = (1e6 * min(processor_times(call, 10)[1:]) / len(path) for call in calls)
    return closed, step


def frame_difference() -> float:
    """Largest difference between poses of links by (1.8) and by (1.9) [m, 1]."""
    arm, q = load_arm(NAME), np.random.default_rng(1).uniform(-np.pi, np.pi, (1000, 6))
    found = modified_link_frames(arm, q)[:, 1:] @ modified_dh(arm).change
    return float(np.abs(found - dynamics.link_frames(arm, q)[:, 1:]).max())


def rows() -> Rows:
    apart, errors = frame_difference(), line_errors()
    low, high = 1e3 * np.quantile(errors, [0.05, 0.95])
    euler, vector = (float(turn_errors(o)[-1]) for o in ("euler", "rotation_vector"))
    bare, steps, (closed, step) = errors_without_inverse(), numeric_steps(), microseconds()
    ours = (
        f"all links in the same places to {apart:.0e}, after a change of frame fixed to each link"
    )
    yield judged("nowoczyn2023.modified_denavit_hartenberg", ours, apart < 1e-12)
    ours = (
        f"{len(errors)} random lines of {round(LENGTH / STEP)} steps: median {1e3 * np.median(errors):.3f} mm, 90 %"
        f" between {low:.3f} and {high:.3f} mm, largest {1e3 * errors.max():.3f} mm"
    )
    yield judged("nowoczyn2023.small_steps", ours, in_range(errors, 0.0, PUBLISHED))
    ours = (
        f"differences added as they are: the tool ends {np.median(bare):.2f} m off (median of {len(bare)} lines of"
        f" {LENGTH:g} m, at least {bare.min():.2f} m); with J⁻¹ {1e3 * np.median(errors):.3f} mm"
    )
    yield judged("nowoczyn2023.difference_of_poses", ours, bool(np.median(bare) < 1e-3))
    ours = (
        f"{closed:.1f} µs† for every solution of a pose, {step:.1f} µs† for one Jacobian step; a solution"
        f" takes {np.median(steps):.0f} steps (median, {len(steps)} starts up to {AWAY} rad away)"
    )
    yield judged("nowoczyn2023.cost_of_a_solution", ours, closed < step * np.median(steps))
    ours = (
        f"tool turning by {np.degrees(np.linalg.norm(TURN)):.0f}°: {np.degrees(euler):.1f}° lost;"
        f" with the rotation vector {np.degrees(vector):.4f}°"
    )
    yield judged("nowoczyn2023.differences_of_euler_angles", ours, euler < 1e-3)


@picture("jacobian_steps", PAGE, 0.36 * PAGE, 1, 2)
def error_figure(figure: Figure, left: Axes, right: Axes) -> None:
    """Left: the ends of the lines over the step. Right: the tool's orientation along one line."""
    steps = np.array([20e-6, 40e-6, 100e-6, 250e-6, 625e-6, 1e-3])
    errors = np.array([line_errors(float(s)) for s in steps])
    left.loglog(1e6 * steps, 1e3 * errors, color=COLOURS.obstacle, linewidth=0.4)
    left.loglog(
        1e6 * steps,
        1e3 * np.median(errors, axis=1),
        "o-",
        color=COLOURS.felt,
        markersize=3,
        label="median",
    )
    left.plot([], [], color=COLOURS.obstacle, label=f"{len(lines())} lines")
    left.plot(
        [1e6 * STEP],
        [1e3 * PUBLISHED],
        "D",
        color=COLOURS.goal,
        markersize=4,
        label="most, as published",
    )
    left.set(xlabel="step [µm]", ylabel="error after 1 m [mm]", xticks=[20, 40, 100, 250, 1000])
    left.set_xticklabels(["20", "40", "100", "250", "1000"])
    left.minorticks_off()
    left.legend(loc="upper left")
    looks = (
        ("euler", False, COLOURS.goal, "-", "Euler angles, as printed"),
        ("rotation_vector", False, COLOURS.felt, "-", "rotation vector"),
        ("euler", True, COLOURS.goal, ":", "Euler angles, feedback"),
        ("rotation_vector", True, COLOURS.felt, ":", "rotation vector, feedback"),
    )
    for orientation, feedback, colour, dash, label in looks:
        error = np.degrees(turn_errors(orientation, feedback))
        shown = np.arange(200, len(error), 200)  # the first pose has no error
        right.semilogy(STEP * shown, error[shown], dash, color=colour, label=label)
    right.set(
        xlabel="distance along the line [m]", ylabel="orientation error [°]", ylim=(1e-9, 1e3)
    )
    right.legend(loc="lower center", bbox_to_anchor=(0.45, 1.0), ncols=2)
