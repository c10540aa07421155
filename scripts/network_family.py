"""The table of docs/lab/network.md: activation functions, the limit network and A* on the same maps.

    python scripts/network_family.py [--out docs/lab/network.md]

On 300 random maps, 20 mazes and public grid maps (of ``../shared/data``, left out where they are
missing): how many climbs are shortest, how many stop before the goal, and what it costs to settle
from zero, after one changed cell, and when the goal moves by one cell. Times are of the processor.
"""

import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer
from measured_part import table, tell

from hopfield_nav.planning import Replanner, activation, iterate, plan_a_star, plan_path

FUNCTIONS = ("linear", "tanh", "shunting")
BETA = 0.1
AT_REST = 1e-14  # relative change of a neuron that counts as none
DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "grid_maps"
MOST_SWEEPS = 5_000
Cell = tuple[int, int]


class Map(NamedTuple):
    """A map and its goal."""

    blocked: np.ndarray  # (n, m) bool
    goal: Cell


def random_maps(count: int = 300, size: int = 20) -> Iterator[Map]:
    """A quarter of the cells blocked, the goal anywhere; those are left out where it is walled in."""
    seed, made = 0, 0
    while made < count:
        rng, seed = np.random.default_rng(seed), seed + 1
        blocked = rng.random((size, size)) < 0.25
        goal = tuple(int(c) for c in rng.integers(size, size=2))
        blocked[goal] = False
        if plan_path(blocked, goal, goal).reachable.sum() > size:
            made += 1
            yield Map(blocked, goal)


def mazes(count: int = 20, size: int = 31) -> Iterator[Map]:
    """Without loops, grown depth first, one cell wide; the goal in a corner."""
    for seed in range(count):
        rng, rooms = np.random.default_rng(seed), size // 2 + 1
        blocked, stack = np.ones((size, size), dtype=bool), [(0, 0)]
        blocked[0, 0] = False
        while stack:
            i, j = stack[-1]
            beside = [(i + a, j + b) for a, b in ((0, 1), (1, 0), (0, -1), (-1, 0))]
            shut = [
                (a, b)
                for a, b in beside
                if 0 <= a < rooms and 0 <= b < rooms and blocked[2 * a, 2 * b]
            ]
            if not shut:
                stack.pop()
                continue
            a, b = shut[rng.integers(len(shut))]
            blocked[i + a, j + b] = blocked[2 * a, 2 * b] = False
            stack.append((a, b))
        yield Map(blocked, (0, 0))


def public_maps() -> Iterator[Map]:
    """Grid maps of games (MovingAI), one character a cell; the goal is the free cell nearest to the middle."""
    for path in sorted(DATA.glob("*.map")):
        lines = path.read_text(encoding="ascii").splitlines()
        blocked = np.array(
            [[c != "." for c in line] for line in lines[lines.index("map") + 1 :] if line]
        )
        free = np.argwhere(~blocked)
        nearest = free[np.abs(free - np.array(blocked.shape) // 2).sum(axis=1).argmin()]
        yield Map(blocked, (int(nearest[0]), int(nearest[1])))


class Outcome(NamedTuple):
    """Counts of one map, and what three settlings took."""

    cells: int  # from which a path leads to the goal
    shortest: int  # climbs that are shortest
    stopped: int  # climbs that end before the goal, though the neuron is lit
    dark: int  # neurons that are zero in plain doubles, though a path leads to the goal
    # from zero, after one changed cell, after the goal moved; NaN without sweeps
    sweeps: tuple[float, float, float]
    seconds: tuple[float, float, float]


def fates(
    logs: np.ndarray, climbed: Callable[[np.ndarray], np.ndarray], map_: Map
) -> tuple[int, int, int, int]:
    """The counts of an ``Outcome`` over activations."""
    distance = plan_path(map_.blocked, map_.goal, map_.goal).distance
    near = np.argwhere(np.isfinite(distance) & ~map_.blocked)
    lit = near[np.isfinite(logs[tuple(near.T)])]
    length = np.full(map_.blocked.shape, np.inf)
    length[map_.goal] = 0.0
    order = np.argsort(-logs[tuple(lit.T)], kind="stable")
    for cell, after in zip(lit[order], climbed(lit[order]), strict=True):
        if tuple(cell) != map_.goal and (cell != after).any():
            length[tuple(cell)] = 1.0 + length[tuple(after)]
    found = length[tuple(lit.T)]
    shortest = int((found == distance[tuple(lit.T)]).sum())
    return len(near), shortest, int((~np.isfinite(found)).sum()), len(near) - len(lit)


def changed(map_: Map) -> tuple[Map, Map]:
    """The same with one more blocked cell, in the middle of the longest path, and with the goal beside its cell."""
    distance = plan_path(map_.blocked, map_.goal, map_.goal).distance
    far = np.unravel_index(
        int(np.where(np.isfinite(distance), distance, -1.0).argmax()), distance.shape
    )
    path = plan_path(map_.blocked, tuple(int(c) for c in far), map_.goal).cells
    blocked = map_.blocked.copy()
    blocked[tuple(path[len(path) // 2])] = True
    return Map(blocked, map_.goal), Map(map_.blocked, tuple(int(c) for c in path[-2]))


def settle(map_: Map, name: str, start: np.ndarray | None) -> tuple[np.ndarray, float, float]:
    """Activations at rest, how many synchronous sweeps that took, and the time of the processor for them [s]."""
    function, sigma, sweeps = activation(name, BETA), start, 0
    while sweeps < MOST_SWEEPS:
        after, _ = iterate(map_.blocked, map_.goal, function=function, most_sweeps=1, start=sigma)
        before = np.zeros_like(after) if sigma is None else sigma
        sigma, sweeps = after, sweeps + 1
        if (np.abs(after - before) <= AT_REST * after).all():
            break
    seconds = _timed(
        lambda: iterate(map_.blocked, map_.goal, function=function, most_sweeps=sweeps, start=start)
    )
    return sigma, sweeps, seconds


def of_function(name: str, map_: Map) -> Outcome:
    """A summing network with an activation function, in plain doubles."""
    plan = plan_path(map_.blocked, map_.goal, map_.goal, "sum", BETA, activation=name)
    rest, *fresh = settle(map_, name, None)
    runs = [fresh, *(settle(other, name, rest)[1:] for other in changed(map_))]
    if name == "linear":  # the planner's own has exponents: the network is that of plain doubles
        with np.errstate(divide="ignore"):
            logs = np.log(rest)
        logs = np.where(np.isfinite(logs), plan.log_activation, -np.inf)
    else:
        logs = plan.log_activation
    counts = fates(logs, plan.landscape.climbed, map_)
    return Outcome(*counts, tuple(r[0] for r in runs), tuple(r[1] for r in runs))


def of_limit(map_: Map) -> Outcome:
    """The limit network, repaired after the changed cell."""
    plan, (wall, moved) = plan_path(map_.blocked, map_.goal, map_.goal), changed(map_)
    (cell,) = np.argwhere(wall.blocked & ~map_.blocked)
    anew = _timed(lambda: Replanner(map_.blocked, map_.goal))
    repaired = _timed(lambda: Replanner(map_.blocked, map_.goal).block(cell)) - anew
    times = anew, repaired, _timed(lambda: Replanner(moved.blocked, moved.goal))
    counts = fates(plan.landscape.activation, plan.landscape.climbed, map_)
    return Outcome(*counts, (math.nan,) * 3, times)


def of_a_star(map_: Map) -> Outcome:
    """A*: a search from the furthest cell for every change, which knows nothing of the search before."""
    distance = plan_path(map_.blocked, map_.goal, map_.goal).distance
    near = np.argwhere(np.isfinite(distance) & ~map_.blocked)
    start = tuple(int(c) for c in near[distance[tuple(near.T)].argmax()])
    wall, moved = changed(map_)
    assert plan_a_star(map_.blocked, start, map_.goal).length == distance[start]
    times = tuple(
        _timed(lambda one=one: plan_a_star(one.blocked, start, one.goal))
        for one in (map_, wall, moved)
    )
    return Outcome(len(near), len(near), 0, 0, (math.nan,) * 3, times)


def _timed(call: Callable[[], Any], least: float = 2e-3) -> float:
    """Time of the processor for one call [s], the mean of as many as take so long."""
    call()
    count, started = 0, time.process_time()
    while time.process_time() - started < least:
        call()
        count += 1
    return (time.process_time() - started) / count


METHODS: dict[str, Callable[[Map], Outcome]] = {
    **{name: lambda map_, name=name: of_function(name, map_) for name in FUNCTIONS},
    "limit": of_limit,
    "A*": of_a_star,
}


def row(title: str, method: str, maps: list[Map]) -> list[str]:
    """A row of the table."""
    found = [METHODS[method](map_) for map_ in maps]
    cells, shortest, stopped, dark = np.array([one[:4] for one in found]).sum(axis=0)
    sweeps, seconds = (np.median([one[k] for one in found], axis=0) for k in (4, 5))
    share = f"{100 * shortest / cells:.2f} %"
    swept = ["–"] * 3 if np.isnan(sweeps).any() else [f"{s:.0f}" for s in sweeps]
    return [
        title,
        method,
        share,
        str(stopped),
        str(dark),
        " / ".join(swept),
        " / ".join(f"{1e3 * s:.3g}" for s in seconds),
    ]


HEAD = [
    "maps", "method", "shortest", "false maxima", "dark in plain doubles", "sweeps: from zero / one cell / goal moves",
    "ms: the same",
]  # fmt: skip


def main(
    out: Annotated[Path | None, typer.Option(help="Page to write the table to.")] = None,
    few: bool = False,
) -> None:
    """Measure and print the table; ``few`` takes a tenth of the random maps and mazes."""
    groups = {
        "300 random, 20²": list(random_maps()),
        "20 mazes, 31²": list(mazes()),
        "10 mazes, 61²": list(mazes(10, 61)),
    }
    groups = {name: maps[: len(maps) // 10] if few else maps for name, maps in groups.items()}
    for map_, name in zip(
        public_maps(), sorted(path.stem for path in DATA.glob("*.map")), strict=True
    ):
        groups[f"{name}, {map_.blocked.shape[0]} × {map_.blocked.shape[1]}"] = [map_]
    rows = [row(title, method, maps) for title, maps in groups.items() for method in METHODS]
    tell(table(HEAD, rows), out, "family")


if __name__ == "__main__":
    typer.run(main)
