"""Chapter 4: whether OMPL has the document's methods already."""

from typing import NamedTuple

import numpy as np
from keeping import kept
from ledger import Rows, judged
from verdicts import PARTLY

from hopfield_nav.extensions.known_world import plan_direct, plan_sampling
from nowoczyn2023.cause_of_stops import Case, cases, cell

PAIRS = 40


class Sampled(NamedTuple):
    """OMPL's paths beside the shortest direct ones."""

    pairs: int  # that were tried
    solved: int  # for which there is a path
    straight: int  # paths that are one straight motion of the joints, as a direct path is
    shortest: int  # of these, as short as the shortest direct path
    longer: float  # median length over that of the shortest direct path
    longest: float  # the largest such ratio


def sampled(count: int = PAIRS) -> Sampled:
    """RRTConnect on pairs of the demonstration, with our kinematics and our checks."""
    found = [pair for pair in lengths(count) if pair is not None]
    over, straight = (np.array(values) for values in zip(*found, strict=True))
    shortest = straight & (over < 1 + 1e-6)
    counts = len(over), int(np.sum(straight)), int(shortest.sum())
    return Sampled(count, *counts, float(np.median(over)), float(np.max(over)))


@kept("test_nowoczyn2023.py::test_ompl_has_other_paths")
def lengths(count: int) -> list[tuple[float, bool] | None]:
    """``length`` of every pair."""
    return [length(case, k) for k, case in enumerate(cases()[:count])]


def length(case: Case, seed: int) -> tuple[float, bool] | None:
    """OMPL's length over that of the shortest direct path, and whether its path is straight; None without."""
    arm, scene = cell()
    path = plan_sampling(arm, scene, case.start, [case.goal], seed=seed).path
    direct = plan_direct(arm, scene, case.start, [case.goal], 1).paths
    return (
        None if path is None or not direct else (path.length / direct[0].length, len(path.q) == 2)
    )


def rows() -> Rows:
    found = sampled()
    ours = (
        f"OMPL's RRTConnect on {found.pairs} random pairs, given our kinematics and our checks: a path"
        f" for {found.solved}, one straight motion of the joints in {found.straight}, the shortest of"
        f" them in {found.shortest}; length {found.longer:.2f} times the shortest direct path's"
        f" (median; up to {found.longest:.2f})"
    )
    agrees = True if found.shortest == found.pairs else PARTLY if found.solved else False
    yield judged("nowoczyn2023.methods_of_ompl", ours, agrees)
