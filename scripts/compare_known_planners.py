"""Planning among known obstacles: shortest, direct, both in a chain, and OMPL, on the same random pairs.

python scripts/compare_known_planners.py --pairs 500 --out docs/lab/known_world_compared.md
--figures docs/figures

Every path is looked at again by Pinocchio and coal, 1 mm of tool motion apart. Run it on one idle
core.
"""

from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import typer
from known_planners.boundary import Boundary, measure
from known_planners.cell import CELLS, cell, random_pairs
from known_planners.independent_check import IndependentCheck
from known_planners.methods import METHODS, PLANNED, plan_pair
from known_planners.picture import draw
from known_planners.summary import Checked, Results, markdown
from measured_part import write

from hopfield_nav.build import build_arm
from hopfield_nav.extensions.clearance import scene_of_world

_WARM = 3  # pairs planned before the clock counts
_BORDER = 100  # pairs on which the border between OMPL and the checks is measured


def compare(name: str, pairs: int, seed: int) -> Results:
    """Every method on every pair of a cell, after some of another seed to warm up."""
    world = cell(name)
    arm, scene = build_arm(world), scene_of_world(world)
    for start, goal in zip(*random_pairs(arm, scene, _WARM, seed + 1), strict=True):
        plan_pair(arm, scene, start, goal, 0)
    ends = zip(*random_pairs(arm, scene, pairs, seed), strict=True)
    rows = [plan_pair(arm, scene, start, goal, seed=i) for i, (start, goal) in enumerate(ends)]
    return {name: [row[name] for row in rows] for name in METHODS}


def ask_again(name: str, pairs: int, seed: int) -> Boundary:
    """What OMPL's questions from Python cost."""
    world = cell(name)
    arm, scene = build_arm(world), scene_of_world(world)
    return measure(arm, scene, *random_pairs(arm, scene, pairs, seed))


def check(name: str, results: Results) -> Checked:
    """Collisions that the independent check finds along every path; chains consist of the others' paths."""
    world = cell(name)
    independent = IndependentCheck(build_arm(world), world)
    found = {
        name: [independent.collisions(o.q) for o in results[name] if not o.reason]
        for name in PLANNED
    }
    return {
        name: tuple(int(n) for n in np.sum(counts, axis=0)) if counts else (0, 0)
        for name, counts in found.items()
    }


def main(
    pairs: int = 500, seed: int = 2023, out: Path | None = None, figures: Path | None = None
) -> None:
    """Print the comparison, and write it to a page and its figure to a folder."""
    cells = {name: compare(name, pairs, seed) for name in CELLS}
    borders = [ask_again(name, min(pairs, _BORDER), seed) for name in CELLS]
    with ProcessPoolExecutor(len(cells)) as pool:
        checked = list(pool.map(check, cells, cells.values()))
    parts = [
        f"### The {name} cell\n\n" + markdown(results, touched, border, seed)
        for (name, results), touched, border in zip(cells.items(), checked, borders, strict=True)
    ]
    print("\n\n".join(parts))
    if out:
        write("\n\n".join(parts), out)
    if figures:
        print(*draw(cells, figures), sep="\n")


if __name__ == "__main__":
    typer.run(main)
