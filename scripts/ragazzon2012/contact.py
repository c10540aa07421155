"""How long after touch a collision is detected, measured directly: a straight push against a wall.

The tool runs at 5 cm/s along +x, +y and −y into the side of a cylinder so wide (0.5 m) that it
cannot slip round it, from nine places of the map; the document's method listens. Against a thin
cylinder the same push may slide off, missed.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from keeping import kept
from ledger import Rows, judged
from reproduction import listed
from verdicts import in_range

from dynamics import follow_path, load_arm
from hopfield_nav.experiment import Simulation
from hopfield_nav.navigation import CollisionMap
from hopfield_nav.world import load_world
from ragazzon2012.tables import Q0, ROTATION

AS_PRINTED, RIGHT = "ragazzon2012_as_printed", "ragazzon2012"
DIRECTIONS = {"+x": (1, 0), "+y": (0, 1), "−y": (0, -1)}
PLACES = tuple((i, j) for i in (6, 9, 12) for j in (6, 10, 13))
SPEED, SLOW = 0.05, 0.005  # [m/s]
WALL, POST = 0.5, 0.025  # [m] radius; the post is one of the cylinders of chapter 7
CELLS_AHEAD = 3.5  # from start to touch
PUBLISHED_DELAY = (0.2, 0.5)  # [s]
OMEGA = np.array([22.5, 22.5, 37.5, 60, 67.5, 75])


class Push(NamedTuple):
    """One push of the tool into a cylinder."""

    world: str  # whose arm, controller and detection
    place: tuple[int, int] = (9, 10)  # cell of the start
    direction: str = "+y"  # key of ``DIRECTIONS``
    omega_scale: float = 1.0  # factor on the controller's natural frequencies
    speed: float = SPEED  # of the reference [m/s]
    radius: float = WALL  # of the cylinder [m]


def run_push(push: Push) -> Simulation:
    """Simulate a push up to its first detection, or to the goal behind the cylinder."""
    simulation = Simulation(load_world(push.world, _overrides(push)))
    while simulation.outcome is None and not simulation.detections:
        simulation.step(0.01)
    return simulation


@lru_cache
def delay(push: Push) -> float:
    """Time from touch to detection [s]; NaN when nothing is detected."""
    detections = run_push(push).detections
    return detections[0].time - detections[0].touch_time if detections else np.nan


@kept("test_ragazzon2012.py::test_delays_are_those_kept", np.array)
def delays(
    world: str,
    places: tuple[tuple[int, int], ...] = PLACES,
    omega_scale: float = 1.0,
    radius: float = WALL,
) -> np.ndarray:
    """(places, directions) delays [s]; arguments as in ``Push``."""
    pushes = [[Push(world, p, d, omega_scale, SPEED, radius) for d in DIRECTIONS] for p in places]
    return np.array([[delay(push) for push in row] for row in pushes])


def force_ratio(world: str, speed: float) -> float:
    """Estimated over true force, both averaged over the last 50 ms before detection."""
    data = run_push(Push(world, speed=speed)).record().data.isel(time=slice(-50, None))
    return float(
        np.linalg.norm(data.force_estimate.mean("time")) / np.linalg.norm(data.force.mean("time"))
    )


def _overrides(push: Push) -> list[str]:
    grid, direction = CollisionMap.create(), DIRECTIONS[push.direction]
    start = grid.centre(push.place)
    axis = start[:2] + np.array(direction) * (CELLS_AHEAD * grid.spacing + push.radius)
    goal = [min(max(push.place[k] + 9 * direction[k], 1), 18) for k in range(2)]
    return [
        f"goal={{cell: {goal}}}",
        f"obstacles=[{{cylinder: {{center: {axis.tolist()}, radius: {push.radius}}}}}]",
        f"start.joints={_joints(start).tolist()}",
        f"trajectory.time_per_cell={grid.spacing / push.speed}",
        f"controller.omega={(push.omega_scale * OMEGA).tolist()}",
    ]


def _joints(position: np.ndarray) -> np.ndarray:
    """Joint angles that hold the tool at a position, on the branch of q0."""
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = ROTATION, position
    return follow_path(load_arm("ur5_ragazzon2012"), pose[None], Q0, jump=np.pi).q[0]


def rows() -> Rows:
    printed, right = delays(AS_PRINTED), delays(RIGHT)
    yield judged(
        "ragazzon2012.delay_as_printed", spread(printed), in_range(printed, *PUBLISHED_DELAY)
    )
    yield judged("ragazzon2012.delay_right", spread(right), in_range(right, *PUBLISHED_DELAY))
    scales, worlds = (0.5, 1.0, 2.0), (AS_PRINTED, RIGHT)
    medians = [
        [np.median(delays(world, ((9, 10),), omega_scale=scale)) for scale in scales]
        for world in worlds
    ]
    printed, right = (", ".join(f"{value:.2f} s" for value in found) for found in medians)
    ours = f"at {listed(scales, 'g')} ω: as printed {printed}; right {right}"
    yield judged("ragazzon2012.delay_falls_with_omega", ours, bool((np.diff(medians) < 0).all()))
    printed, right = (np.isnan(delays(world, radius=POST)) for world in worlds)
    ours = f"as printed {printed.sum()} of {printed.size} are missed, right {right.sum()} of {right.size}"
    yield judged("ragazzon2012.unfelt_push", ours, bool(printed.any()))
    slow, fast = ([force_ratio(world, speed) for world in worlds] for speed in (SLOW, SPEED))
    ours = (
        f"‖F̂‖/‖F‖ just before detection: {slow[0]:.2f} as printed, {slow[1]:.2f} right at"
        f" {100 * SLOW:g} cm/s; {fast[0]:.2f}, {fast[1]:.2f} at {100 * SPEED:g} cm/s"
    )
    yield judged("ragazzon2012.slowly_varying_forces", ours, all(abs(r - 1) < 0.15 for r in slow))


def spread(found: np.ndarray) -> str:
    """Range and median of delays, and their share in the published range."""
    low, high = PUBLISHED_DELAY
    share = 100 * np.mean((found >= low) & (found <= high))
    return f"{found.min():.2f}–{found.max():.2f} s, median {np.median(found):.2f} s, {share:.0f} % in the range"
