"""Chapter 4: whether OMPL has the document's methods already."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from ledger import Row, judged

from hopfield_nav.known_world import plan_direct, plan_sampling
from nowoczyn2023.cause_of_stops import cases, cell


class Sampled(NamedTuple):
    """OMPL's paths beside the shortest direct ones.

    Attributes:
        pairs, solved: how many.
        straight: paths that are one straight motion of the joints, as a direct path is.
        shortest: of these, as short as the shortest direct path.
        longer, longest: median and largest length over that of the shortest direct path.
    """

    pairs: int
    solved: int
    straight: int
    shortest: int
    longer: float
    longest: float


def sampled(count: int = 40) -> Sampled:
    """RRTConnect on pairs of the demonstration, with our kinematics and our checks."""
    arm, scene = cell()
    straight, over = [], []
    for k, case in enumerate(cases(count)):
        path = plan_sampling(arm, scene, case.start, [case.goal], seed=k).path
        direct = plan_direct(arm, scene, case.start, [case.goal], 1).paths
        if path is None or not direct:
            continue
        over.append(path.length / direct[0].length)
        straight.append(len(path.q) == 2)
    shortest = np.array(straight) & (np.array(over) < 1 + 1e-6)
    counts = len(over), int(np.sum(straight)), int(shortest.sum())
    return Sampled(count, *counts, float(np.median(over)), float(np.max(over)))


def rows() -> list[Row]:
    """The question of chapter 4."""
    found = sampled()
    return [
        judged(
            "nowoczyn2023.methods_of_ompl",
            f"OMPL's RRTConnect on {found.pairs} random pairs, given our kinematics and our checks: a path"
            f" for {found.solved}, one straight motion of the joints in {found.straight}, the shortest of"
            f" them in {found.shortest}; length {found.longer:.2f} times the shortest direct path's"
            f" (median; up to {found.longest:.2f})",
            found.shortest == found.pairs,
        )
    ]
