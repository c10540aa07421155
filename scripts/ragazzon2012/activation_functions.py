"""Chapter 2's activation functions as planners, and what the moments do in (5.9)."""

import numpy as np
from keeping import kept
from ledger import Rows, judged

from hopfield_nav.planning import iterate, plan_path
from hopfield_nav.planning.hopfield import activation
from hopfield_nav.record import Run
from ragazzon2012.contact import AS_PRINTED, RIGHT
from ragazzon2012.experiment import run
from ragazzon2012.planner import BETA, DENSITY, STEPS, random_map

# all as steep as β at most
SLOPES = {"linear": BETA, "tanh": BETA, "saturated": BETA, "sigmoid": 4 * BETA}
MAPS, SIZE = 50, 20
CENTIMETRES = 100.0  # in a metre


def fates(name: str, seed: int) -> list[int]:
    """Of one map: cells with a path, climbs that arrive, on a shortest path; cells without, lit ones."""
    blocked, goal = random_map(np.random.default_rng(seed), SIZE)
    sigma, _ = iterate(blocked, goal, function=activation(name, SLOPES[name]))
    distance = plan_path(blocked, goal, goal).distance
    high = np.pad(sigma, 1, constant_values=-np.inf)
    steps, near = {goal: 0.0}, np.argwhere(np.isfinite(distance) & ~blocked)
    for cell in sorted(map(tuple, near), key=lambda c: -sigma[c]):
        if cell != goal:
            a, b = max(STEPS, key=lambda s: high[cell[0] + s[0] + 1, cell[1] + s[1] + 1])
            after = (cell[0] + a, cell[1] + b)
            rises = high[after[0] + 1, after[1] + 1] > sigma[cell]
            steps[cell] = steps.get(after, np.inf) + 1 if rises else np.inf
    found = np.array([steps[cell] for cell in map(tuple, near)])
    shortest = int((found == distance[tuple(near.T)]).sum())
    apart = ~blocked & ~np.isfinite(distance)
    return [
        len(near),
        int(np.isfinite(found).sum()),
        shortest,
        int(apart.sum()),
        int((sigma[apart] > 0).sum()),
    ]


@kept("test_activated_rows.py::test_fates_are_those_kept", np.array)
def fates_of_maps(name: str, maps: int = MAPS) -> np.ndarray:
    """(maps, 5) ``fates``."""
    return np.array([fates(name, seed) for seed in range(maps)])


def parts_at_detections(recorded: Run) -> tuple[np.ndarray, np.ndarray]:
    """(k,) estimated force [N] and moment [N·m] at every detection."""
    rows = recorded.data.sel(time=recorded.data.event_time, method="nearest")
    return tuple(
        np.linalg.norm(x.values, axis=1) for x in (rows.force_estimate, rows.moment_estimate)
    )


def rows() -> Rows:
    counts = {name: fates_of_maps(name).sum(axis=0) for name in SLOPES}
    text = "; ".join(
        f"{name} {100 * arrives / near:.1f} and {100 * shortest / near:.1f} %, {100 * lit / apart:.0f} %"
        for name, (near, arrives, shortest, apart, lit) in counts.items()
    )
    ours = (
        f"cells from which the climb arrives, and on a shortest path; cells without a path that are lit:"
        f" {text} ({MAPS} random maps, {SIZE} × {SIZE}, {100 * DENSITY:.0f} % blocked, slope at most {BETA})"
    )
    yield judged("ragazzon2012.activation_functions", ours, None)
    text, levels = [], []
    for name, words in ((AS_PRINTED, "as printed"), (RIGHT, "right")):
        force, moment = parts_at_detections(run(name))
        levels.append(np.hypot(force, CENTIMETRES * moment))
        text.append(
            f"{words} {force.min():.1f}–{force.max():.1f} N and {moment.min():.2f}–{moment.max():.2f} N·m,"
            f" with N·cm the norm is {levels[-1].min():.0f}–{levels[-1].max():.0f}"
        )
    threshold = run(RIGHT).world.detection.parameters["threshold"]
    ours = f"at the detections {'; '.join(text)} instead of {threshold:g}"
    same = all(bool((np.abs(found / threshold - 1) < 0.01).all()) for found in levels)
    yield judged("ragazzon2012.norm_of_force_and_moment", ours, same)
