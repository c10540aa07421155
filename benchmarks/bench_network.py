"""The networks at scale against their peers, on the same maps in one process: medians and ratios.

Run ``python benchmarks/bench_network.py`` (a few minutes), ``--large`` for the maps of 6.4e7 cells
too, ``--no-peers`` for ours and the floor alone. Peers: scikit-fmm, skimage's MCP, scipy's csgraph
(its graph is built outside the clock); on 6.4e7 cells the floor alone, as they need many minutes
for one search. The floor is a plain queue breadth-first search in Numba on a padded grid. All are
timed from Python, alternating.
"""

from __future__ import annotations

import resource
import statistics
import time
from collections.abc import Callable

import numpy as np
from timing import parser, table, tell

from dynamics.kernels.decorators import kernel
from hopfield_nav.planning import Replanner, neighbourhood_of, plan_path, solve

FEW = 2_000_000  # cells up to which graphs are built and rounds repeated
MANY = 20_000_000  # cells up to which the peers are asked
OTHERS = ("plain queue search", "scikit-fmm", "skimage MCP", "scipy")


@kernel
def plain_search(hops, target, step, here, there):
    """Hops over a padded grid, -1 where free, -2 where blocked; in place."""
    here[0], count, hop = target, 1, 0
    hops[target] = 0
    while count > 0:
        hop, new = hop + 1, 0
        for n in range(count):
            for k in range(step.size):
                j = here[n] + step[k]
                if hops[j] == -1:
                    hops[j] = hop
                    there[new] = j
                    new += 1
        here, there, count = there, here, new


def floor(blocked: np.ndarray, goal: tuple[int, ...]) -> None:
    """The plain search, with its padding inside the clock."""
    wide = np.array(blocked.shape) + 2
    stride = np.append(np.cumprod(wide[:0:-1])[::-1], 1)
    hops = np.full(wide, -2, np.int32)
    hops[(slice(1, -1),) * blocked.ndim] = -1 - blocked.astype(np.int8)
    room = np.empty((2, blocked.size), np.int32)
    target = int((np.array(goal) + 1) @ stride)
    plain_search(hops.reshape(-1), target, np.concatenate([stride, -stride]), room[0], room[1])


def random_map(shape: tuple[int, ...]) -> tuple[np.ndarray, tuple[int, ...]]:
    """A quarter of the cells blocked, the goal in the middle."""
    blocked = np.random.default_rng(0).random(shape, dtype=np.float32) < 0.25
    goal = tuple(n // 2 for n in shape)
    blocked[goal] = False
    return blocked, goal


def maze(size: int) -> tuple[np.ndarray, tuple[int, ...]]:
    """A maze without loops, grown depth first, one cell wide; the goal in a corner."""
    rng, rooms = np.random.default_rng(0), size // 2
    blocked, seen, stack = (
        np.ones((size, size), dtype=bool),
        np.zeros((rooms, rooms), dtype=bool),
        [(0, 0)],
    )
    seen[0, 0], blocked[0, 0] = True, False
    while stack:
        i, j = stack[-1]
        openings = [
            (a, b) for a, b in ((0, 1), (1, 0), (0, -1), (-1, 0)) if 0 <= i + a < rooms > j + b >= 0
        ]
        openings = [(a, b) for a, b in openings if not seen[i + a, j + b]]
        if not openings:
            stack.pop()
            continue
        a, b = openings[rng.integers(len(openings))]
        seen[i + a, j + b] = True
        blocked[2 * i + a, 2 * j + b] = blocked[2 * (i + a), 2 * (j + b)] = False
        stack.append((i + a, j + b))
    return blocked, (0, 0)


def peers(blocked: np.ndarray, goal: tuple[int, ...]) -> dict[str, Callable[[], object]]:
    """One call for each peer on the map."""
    import skfmm
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import breadth_first_order
    from skimage.graph import MCP

    phi = np.ma.MaskedArray(np.ones(blocked.shape), blocked)
    phi[goal] = 0
    cost = np.where(blocked, -1.0, 1.0)
    calls: dict[str, Callable[[], object]] = {
        "scikit-fmm": lambda: skfmm.distance(phi),
        "skimage MCP": lambda: MCP(cost, fully_connected=False).find_costs([goal]),
    }
    if blocked.size <= FEW and blocked.ndim < 6:
        near, free = neighbourhood_of(blocked.shape).table, np.append(~blocked.ravel(), False)
        a, k = np.nonzero(free[near] & free[:-1, None])
        graph = coo_matrix((np.ones(a.size), (a, near[a, k])), shape=(blocked.size,) * 2).tocsr()
        start = int(np.ravel_multi_index(goal, blocked.shape))
        calls["scipy"] = lambda: breadth_first_order(graph, start)
    return calls


def times_of(calls: dict[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Seconds of each call, all alternating, after one call that compiles."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for turn in range(rounds + 1):
        for name, call in calls.items():
            begin = time.perf_counter()
            call()
            if turn > 0 or rounds == 1:
                times[name].append(time.perf_counter() - begin)
    return times


def limit_row(name: str, blocked: np.ndarray, goal: tuple[int, ...], with_peers: bool) -> list[str]:
    """The limit network's time, and the ratios of the others to it."""
    near = neighbourhood_of(blocked.shape)
    calls: dict[str, Callable[[], object]] = {
        "limit": lambda: solve(blocked, near, goal),
        "plain queue search": lambda: floor(blocked, goal),
    }
    calls |= peers(blocked, goal) if with_peers and blocked.size <= MANY else {}
    found = times_of(calls, 9 if blocked.size <= FEW else 3)
    print(name, {who: text(times) for who, times in found.items()}, flush=True)
    ours = statistics.median(found["limit"])
    ratios = {who: f"{statistics.median(times) / ours:.2g}×" for who, times in found.items()}
    return [name, text(found["limit"]), *(ratios.get(who, "") for who in OTHERS)]


def text(times: list[float]) -> str:
    """Median, and the lowest of several in parentheses."""
    median = statistics.median(times)
    unit, scale = next((u, s) for u, s in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)) if median * s >= 1)
    lowest = f" ({float(f'{min(times) * scale:.2g}'):g})" if len(times) > 1 else ""
    return f"{median * scale:.3g} {unit}{lowest}"


def sum_row(name: str, blocked: np.ndarray, goal: tuple[int, ...]) -> list[str]:
    """The summing network's time from nothing to rest."""
    found = times_of(
        {"sum": lambda: plan_path(blocked, goal, goal, "sum")}, 3 if blocked.size <= FEW else 1
    )
    return [name, text(found["sum"])]


def replan_row(name: str, blocked: np.ndarray, goal: tuple[int, ...]) -> list[str]:
    """One more obstacle on the path, again and again; then a wall around the goal closes."""
    start = (0,) * blocked.ndim
    blocked[start] = False
    planner, times, rng = Replanner(blocked, goal), [], np.random.default_rng(0)
    for turn in range(101):  # the first one compiles
        path = planner.path(start)
        assert path is not None
        cell = path[rng.integers(len(path) // 4, 3 * len(path) // 4)]
        begin = time.perf_counter()
        planner.block(cell)
        planner.path(start)
        times += [time.perf_counter() - begin] if turn else []
    worst = []
    for axis in range(blocked.ndim):
        for step in (1, -1):
            cell = np.array(goal)
            cell[axis] += step
            begin = time.perf_counter()
            planner.block(cell)
            worst.append(time.perf_counter() - begin)
    assert planner.path(start) is None
    return [name, text([statistics.median(times)]), text([max(times)]), text([max(worst)])]


def main() -> None:
    """Print the tables."""
    commands = parser(__doc__)
    commands.add_argument("--large", action="store_true")
    commands.add_argument("--no-peers", action="store_true")
    options = commands.parse_args()
    if options.out and (options.no_peers or not options.large):
        commands.error("the page has the peers and the large maps: --out goes with --large")
    maps = {
        "20²": random_map((20, 20)),
        "random 1000²": random_map((1000, 1000)),
        "maze 1000²": maze(1000),
        "random 100³": random_map((100,) * 3),
        "random 4000²": random_map((4000, 4000)),
    }
    rows = [limit_row(name, *map_, not options.no_peers) for name, map_ in maps.items()]
    sums = [
        sum_row("random 1000², β = 0.1", *maps["random 1000²"]),
        sum_row("random 10⁶ (six axes of 10), β = 1/24", *random_map((10,) * 6)),
    ]
    if options.large:
        blocked, goal = random_map((20,) * 6)
        rows.append(limit_row("random 20⁶ = 6.4·10⁷", blocked, goal, not options.no_peers))
        sums.append(sum_row("random 20⁶, β = 1/24", *random_map((20,) * 6)))
        replans = [replan_row("random 20⁶", blocked, goal)]
        head = [
            "one more blocked cell on the path",
            "median",
            "slowest of 100",
            "a bottleneck at the goal closes",
        ]
        tell(table(head, replans), options.out, "replan")
    tell(table(["map", "limit", *OTHERS], rows), options.out, "limit")
    tell(table(["summing network, to rest, `plan_path`", "time"], sums), options.out, "sum")
    print(f"most memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB")


if __name__ == "__main__":
    main()
