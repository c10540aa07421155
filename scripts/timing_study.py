"""How well timed paths keep their limits and their lines, and how the simulated arm follows them.

    python scripts/timing_study.py --paths 600 --lines 300 --out docs/lab/known_world_time.md

Random paths, straight in joint space over three poses, of three arms with random limits; random
straight tool lines of one arm. Times are those of the processor.
"""

import math
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import typer
from measured_part import table, tell
from reproduction import processor_times

from dynamics import Arm, BadInput, follow_path, forward_kinematics, load_arm, with_payload
from hopfield_nav.experiment import follow
from hopfield_nav.extensions.known_world import PlannedPath, line, time_path, timing
from hopfield_nav.extensions.known_world.line import rows_on_line
from hopfield_nav.loop import sample
from hopfield_nav.world import parse_world

ARMS = ("ur5_ragazzon2012", "ur5_full", "ur5e")
ARM = "ur5_ragazzon2012"
LENGTHS, INSIDE = (0.02, 0.6), 8  # [m] of lines; samples of each piece of a trajectory
STEP, NEAR = 1e-3, 0.02  # [m] between rows; [rad] of joint 5 from a singular wrist
FOLLOWED = {  # name: limits with which a path is followed
    "1.4 rad/s²": {},
    "40 rad/s², torque share 0.8": {"acceleration": 40.0, "share": 0.8},
    "300 rad/s², torque not limited": {"acceleration": 300.0, "share": math.inf},
}
REPEATS = 15


def direct_path(points: np.ndarray) -> PlannedPath:
    """Straight in joint space from point to point."""
    return PlannedPath(
        points, "direct", np.arange(len(points)), float(np.abs(np.diff(points, axis=0)).sum())
    )


def random_limits(rng: np.random.Generator) -> dict[str, Any]:
    """Of acceleration, torque, tool speed and ramp."""
    return {
        "acceleration": float(np.exp(rng.uniform(np.log(0.3), np.log(60)))),
        "share": rng.uniform(0.3, 1.0),
        "tool_speed": rng.choice([None, 0.1, 0.5, 1.0]),
        "ramp": rng.uniform(0, 0.05),
    }


def of_limits(count: int) -> list[list[str]]:
    """Rows of random paths: the largest share of a limit, and how many were slowed down as a whole."""
    largest, slow, tried = 0.0, 0, 0
    for k in range(count):
        rng = np.random.default_rng(k)
        arm = with_payload(load_arm(ARMS[k % len(ARMS)]), rng.uniform(0, 6), [0, 0, 0.05])
        path, limits = direct_path(rng.uniform(-2, 2, (3, 6))), random_limits(rng)
        try:
            with patch.object(timing, "slowed", wraps=timing.slowed) as slowed:
                trajectory = time_path(arm, path, **limits)
        except BadInput:  # a pose at which the arm cannot rest within the torque
            continue
        del limits["ramp"]  # no limit of the motion itself
        shares = timing.largest_shares(arm, trajectory, timing.motion_limits(arm, **limits))
        largest, slow, tried = max(largest, *shares), slow + slowed.called, tried + 1
    name = "payload up to 6 kg, 0.3–60 rad/s², torque share 0.3–1, ramp 0–50 ms"
    arms = ", ".join(f"`{arm}`" for arm in ARMS)
    return [
        [f"largest share of a limit, random paths (n = {tried}: {arms}, {name})", f"{largest:.4f}"],
        ["of these, slowed down as a whole in the end", f"{slow}"],
    ]


def random_lines(count: int) -> list[PlannedPath]:
    """Straight lines of the tool, rows a millimetre apart; every other begins by a singular wrist."""
    arm, rng, found = load_arm(ARM), np.random.default_rng(1), []
    while len(found) < count:
        start = rng.uniform(-2, 2, 6)
        if len(found) % 2:
            start[4] = rng.uniform(-NEAR, NEAR)
        length, shift = rng.uniform(*LENGTHS), rng.normal(size=3)
        poses = np.tile(forward_kinematics(arm, start), (math.ceil(length / STEP) + 1, 1, 1))
        poses[:, :3, 3] += (
            np.linspace(0, length, len(poses))[:, None] * shift / np.linalg.norm(shift)
        )
        followed = follow_path(arm, poses, start)
        path = PlannedPath(followed.q, "shortest", np.array([0, len(followed.q) - 1]), 0.0)
        if not followed.reason and can_be_timed(arm, path):
            found.append(path)
    return found


def can_be_timed(arm: Arm, path: PlannedPath) -> bool:
    """Whether the joints jump nowhere on the line, and the arm can rest everywhere."""
    try:
        time_path(arm, path)
    except BadInput:
        return False
    return True


def of_lines(count: int) -> list[list[str]]:
    """Rows of random lines: how far tool and joints leave them, with and without added rows."""
    arm, lines = load_arm(ARM), random_lines(count)
    timed = [(arm, path, sample(time_path(arm, path), INSIDE)[1]) for path in lines]
    off, bent = (np.array([measure(*one) for one in timed]) for measure in (off_line, bend))
    with patch.multiple(line, OFF_LINE=math.inf, REFUSED=math.inf):  # no rows are added
        bare = np.array(
            [off_line(arm, path, sample(time_path(arm, path), INSIDE)[1]) for path in lines]
        )
    kept, left = (
        f"median {_two(1e9 * np.median(x))} nm, largest {_two(1e6 * x.max())} µm"
        for x in (off, bare)
    )
    bends = f"median {_two(1e6 * np.median(bent))} µrad, largest {_two(1e3 * bent.max())} mrad"
    return [
        [
            f"tool off its straight line, rows 1 mm apart ({count} lines, half by a singular wrist)",
            kept,
        ],
        ["the same without the added rows", f"{left}; {int((bare > 1e-6).sum())} beyond 1 µm"],
        ["spline of these lines against the straight joint motion between rows", bends],
    ]


def off_line(arm: Arm, path: PlannedPath, q: np.ndarray) -> float:
    """Largest distance of the tool from the line [m]."""
    first, last = forward_kinematics(arm, path.q[[0, -1]])[:, :3, 3]
    along = (last - first) / np.linalg.norm(last - first)
    apart = forward_kinematics(arm, q)[:, :3, 3] - first
    return float(np.linalg.norm(apart - (apart @ along)[:, None] * along, axis=1).max())


def bend(arm: Arm, path: PlannedPath, q: np.ndarray) -> float:
    """Largest distance of the joints from the straight motion between two rows [rad]."""
    rows = rows_on_line(arm, path.q)
    places, tool = (forward_kinematics(arm, joints)[:, :3, 3] for joints in (rows, q))
    place, here = (np.linalg.norm(points - places[0], axis=1) for points in (places, tool))
    k = np.clip(np.searchsorted(place, here) - 1, 0, len(rows) - 2)
    chord = rows[k + 1] - rows[k]
    length = np.maximum(np.linalg.norm(chord, axis=1, keepdims=True), 1e-12)
    apart = q - rows[k]
    across = apart - np.sum(apart * chord, axis=1, keepdims=True) / length**2 * chord
    return float(np.linalg.norm(across, axis=1).max())


def of_the_arm() -> list[list[str]]:
    """Rows of the simulated arm that follows a path with ever wider limits."""
    path = direct_path(np.array([[0, -1, 1, 0, 1, 0], [2, -2, 2, 1, 1, 1.0]]))
    rows = []
    for name, limits in FOLLOWED.items():
        trajectory = time_path(load_arm(ARM), path, **limits)
        text = f"format: 1\narm: {ARM}\ntime_limit: {float(trajectory.knots[-1]) + 1}\n"
        run = follow(parse_world(text), trajectory)
        error = np.abs(run.data.q.values - run.data.q_ref.values).max()
        told = f"{_two(1e3 * error)} mrad; {100 * run.summary['saturated_share']:.0f} % of the periods saturated"
        rows.append([f"simulated arm, 1 kHz, no friction, {name}: largest joint error", told])
    return rows


def of_time() -> list[list[str]]:
    """Rows of processor time."""
    arm = load_arm(ARM)
    ends = np.array([[0, -1, 1, 0, 1, 0], [2, -2, 2, 1, 1, 1.0]])
    direct = direct_path(ends)._replace(q=np.linspace(*ends, 100), corners=np.array([0, 99]))
    longest = max(random_lines(20), key=lambda path: len(path.q))
    cases = {
        "direct path of 100 rows, one leg": direct,
        f"tool line of {len(longest.q)} rows": longest,
    }
    rows = []
    for name, path in cases.items():
        times = processor_times(lambda path=path: time_path(arm, path), REPEATS)
        rows.append(
            [
                f"`time_path`, {name}: processor time",
                f"{1e3 * np.median(times):.0f} ms (median of {REPEATS})",
            ]
        )
    return rows


def _two(value: float) -> str:
    return f"{value:.2g}" if value < 100 else f"{value:.0f}"


def main(paths: int = 600, lines: int = 300, out: Path | None = None) -> None:
    """Print the table, and write it to a page."""
    rows = [*of_time(), *of_limits(paths), *of_lines(lines), *of_the_arm()]
    tell(table(["what", "value"], rows), out)


if __name__ == "__main__":
    typer.run(main)
