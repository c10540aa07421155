"""One run with its measures, and many of them beside each other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import NamedTuple

import numpy as np
from touches.worlds import has_path

from hopfield_nav import load_world
from hopfield_nav.experiment import Simulation
from hopfield_nav.geometry import capsule_distance
from hopfield_nav.navigation import Follow, SlideAlong, ToolNavigator
from hopfield_nav.navigation.responses import follow
from hopfield_nav.record import Run, contact_episodes, share_interval
from hopfield_nav.world import World, build_obstacles

NARROW = 0.002  # [m] to spare on a path over cell centres, beside which ``no_path`` is false
_ROWS = 5  # of the record, of which one is kept


class Ran(NamedTuple):
    """What one run came to.

    Attributes:
        outcome: of the run.
        false: whether it gave up although there is a path.
        collisions: number of them.
        contact_time: sum of all true contacts [s].
        time: simulated [s].
        length: of the tool's way [m].
        peak: largest true force [N].
        strides: motions along a surface.
        angles: of the normals from the true ones [deg]: (number of points, angle), a row each.
    """

    outcome: str
    false: bool
    collisions: int
    contact_time: float
    time: float
    length: float
    peak: float
    strides: int
    angles: np.ndarray


@contextmanager
def slow_segments() -> Iterator[None]:
    """Segments along a surface that are shorter than a cell take as long as it, as those to a centre do."""
    usual, follow.LEAST_TIME = follow.LEAST_TIME, 1.0
    try:
        yield
    finally:
        follow.LEAST_TIME = usual


@cache
def ran(world: str, change: tuple[str, ...], explore: str, seed: int | None = None) -> Ran:
    """Run a bundled world, changed, with one way to explore."""
    simulation = Simulation(
        load_world(world, [*change, f"explore={explore}", f"record.every={_ROWS}"]), seed=seed
    )
    run, navigator = simulation.run(), simulation.navigator
    response = navigator.response if isinstance(navigator, ToolNavigator) else None
    return Ran(
        outcome=run.outcome,
        false=run.outcome == "no_path" and has_path(run.world, NARROW),
        collisions=run.summary["collision_count"],
        contact_time=sum(e.end - e.start for e in contact_episodes(run)),
        time=run.summary["simulated_time_s"],
        length=_length(run),
        peak=run.summary["peak_contact_force_N"],
        strides=response.strides if isinstance(response, Follow | SlideAlong) else 0,
        angles=_angles(run.world, response) if isinstance(response, Follow) else np.zeros((0, 2)),
    )


def _length(run: Run) -> float:
    steps = np.diff(run.data.tool_position.values, axis=0)
    return float(np.nansum(np.linalg.norm(steps, axis=1)))


def _angles(world: World, response: Follow) -> np.ndarray:
    """Of each normal that was believed in, how many points it rests on and how far it is off [deg]."""
    solids, rank = build_obstacles(world), world.map.rank
    rows = []
    for surface in response.felt_surfaces:
        true = _normal(solids, surface.points[-1], rank)
        if true is not None:
            cosine = float(np.clip(true @ surface.normal, -1.0, 1.0))
            rows.append((len(surface.points), np.degrees(np.arccos(cosine))))
    return np.array(rows).reshape(-1, 2)


def _normal(solids: np.ndarray, place: np.ndarray, rank: int) -> np.ndarray | None:
    """True normal (3,) of the nearest obstacle at a place; None where two are as near, as in a corner."""
    around = 1e-6 * np.vstack([np.zeros(3), np.eye(3)[:rank], -np.eye(3)[:rank]]) + place
    distance = capsule_distance(np.column_stack([around, around, np.zeros(len(around))]), solids)
    nearest = np.sort(distance[0])[:2]
    if len(nearest) > 1 and nearest[1] - nearest[0] < 1e-3:
        return None
    column = distance[:, int(np.argmin(distance[0]))]
    gradient = np.zeros(3)
    gradient[:rank] = column[1 : rank + 1] - column[rank + 1 :]
    return np.asarray(gradient / np.linalg.norm(gradient))


HEAD = (
    "| | worlds | reached | false `no_path` | collisions | in contact | time | the tool's way "
    "| largest force, mean | faster in | time, median of ratios |\n" + 11 * "|---" + "|"
)


def row(name: str, pairs: list[tuple[Ran, Ran]]) -> str:
    """A line of the table: means of the worlds in which both of a pair came to the same end."""
    same = [pair for pair in pairs if pair[0].outcome == pair[1].outcome]
    faster, n = sum(b.time < a.time for a, b in same), len(same)
    low, high = share_interval(faster, n)
    ratio = np.array([b.time / a.time for a, b in same])
    parts = [
        name,
        str(len(pairs)),
        _both(pairs, lambda r: r.outcome == "reached", "{:.0f}", np.sum),
        _both(pairs, lambda r: r.false, "{:.0f}", np.sum),
        _both(same, lambda r: r.collisions, "{:.1f}"),
        _both(same, lambda r: r.contact_time, "{:.2f}", unit=" s"),
        _both(same, lambda r: r.time, "{:.1f}", unit=" s"),
        _both(same, lambda r: r.length, "{:.2f}", unit=" m"),
        _both(same, lambda r: r.peak, "{:.1f}", unit=" N"),
        f"{faster} of {n} ({100 * low:.0f}–{100 * high:.0f} %)",
        f"{np.median(ratio):.2f} ({_interval(ratio)})",
    ]
    return "| " + " | ".join(parts) + " |"


def _both(pairs, value, form, mean=np.mean, unit="") -> str:
    return " / ".join(form.format(mean([value(pair[k]) for pair in pairs])) for k in range(2)) + unit


def _interval(ratio: np.ndarray) -> str:
    """95 % interval of the median, by 2000 samples drawn with replacement."""
    drawn = np.random.default_rng(0).choice(ratio, (2000, len(ratio)))
    low, high = np.percentile(np.median(drawn, axis=1), [2.5, 97.5])
    return f"{low:.2f}–{high:.2f}"
