"""Following what is felt beside replanning: bundled worlds and random ones, ideal and under real conditions.

python scripts/follow_study.py --each 200 --out docs/following.md --picture docs/figures/following.png
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from following.picture import draw
from following.runs import HEAD, Ran, ran, row, slow_segments
from following.worlds import CYLINDERS, FAMILIES, world_of
from measured_part import write
from touches.runs import ENCLOSED, SETTINGS

FIRST = 20_000  # seed; others than those that the method was made with
CONDITIONS = ("default", "payload of 1 kg", "period of 8 ms", "`ur5_full`")
OWN_WORLDS = (
    "ragazzon2012", "u_trap", "narrow_gap", "enclosed_goal", "over_the_wall", "shelf", "free_rotation",
    "ragazzon2012_real",
)  # fmt: skip
CHOICES = {
    "`retract: 0.003`": "{method: follow, retract: 0.003}",
    "`retract: 0.01`": "{method: follow, retract: 0.01}",
    "`step: 0.0526`, two cells": "{method: follow, step: 0.0526}",
}
SLOW = "{method: follow}"  # runs of another text are kept apart from those with the usual speed
PARTS = ("worlds", "random", "choices", "friction")
FRICTION = "`ur5_full`, friction 20 % off"


def pair(
    world: str, change: Sequence[str], seed: int | None = None, explore: str = "follow"
) -> tuple[Ran, Ran]:
    """The same world with replanning and with following."""
    return ran(world, tuple(change), "replan", seed), ran(world, tuple(change), explore, seed)


def of_families(each: int, keep: Callable[[str], None]) -> list[Ran]:
    """Random worlds of every family; the table is kept as it grows. Returns the runs that followed."""
    lines, followed = [HEAD], []
    asked = [(CYLINDERS, condition) for condition in CONDITIONS]
    asked += [
        (family, condition) for condition in CONDITIONS[::3] for family in FAMILIES if family != CYLINDERS
    ]
    for family, condition in asked:
        pairs = []
        for seed in range(FIRST, FIRST + each):
            world, change = world_of(family, seed)
            pairs.append(pair(world, (*change, *SETTINGS[condition]), seed))
        followed += [b for _, b in pairs]
        lines.append(row(f"{FAMILIES[family]}, {condition}", pairs))
        print(lines[-1], flush=True)
        keep("\n".join(lines))
    return followed


def of_choices(each: int) -> str:
    """What the chosen distances do, in the ideal arm and in `ur5_full`."""
    lines = [HEAD]
    for condition in ("default", "`ur5_full`"):
        for name, explore in CHOICES.items():
            pairs = [
                pair(CYLINDERS, SETTINGS[condition], seed, explore) for seed in range(FIRST, FIRST + each)
            ]
            lines.append(row(f"{condition}, {name}", pairs))
            print(lines[-1], flush=True)
        with slow_segments():
            pairs = [pair(CYLINDERS, SETTINGS[condition], seed, SLOW) for seed in range(FIRST, FIRST + each)]
        lines.append(row(f"{condition}, short legs as slow as a cell", pairs))
        print(lines[-1], flush=True)
    return "\n".join(lines)


def of_friction(each: int) -> str:
    """Cylinders with joint friction that is not well known, and the normals there."""
    pairs = [pair(CYLINDERS, SETTINGS[FRICTION], seed) for seed in range(FIRST, FIRST + each)]
    table = "\n".join([HEAD, row(f"{FAMILIES[CYLINDERS]}, {FRICTION}", pairs)])
    print(table, flush=True)
    return f"{table}\n\n{of_normals([b for _, b in pairs])}"


def of_own_worlds(worlds: dict[str, tuple[str, list[str]]]) -> str:
    """One line a world."""
    lines = [
        "| world | outcome | collisions | in contact | time | the tool's way | largest force | strides |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, (world, change) in worlds.items():
        a, b = pair(world, change)
        parts = [
            name,
            f"`{a.outcome}`, `{b.outcome}`",
            f"{a.collisions} / {b.collisions}",
            f"{a.contact_time:.2f} / {b.contact_time:.2f} s",
            f"{a.time:.1f} / {b.time:.1f} s",
            f"{a.length:.2f} / {b.length:.2f} m",
            f"{a.peak:.0f} / {b.peak:.0f} N",
            f"{b.strides}",
        ]
        lines.append("| " + " | ".join(parts) + " |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


def of_normals(followed: list[Ran]) -> str:
    """How far the believed normals are off, by the number of points that they rest on."""
    angles = np.vstack([r.angles for r in followed])
    lines = [
        "| normal from | touches | off by, median | 90 % are below |",
        "|---|---|---|---|",
    ]
    for name, chosen in (
        ("the force alone", angles[:, 0] == 1),
        ("the felt points", angles[:, 0] > 1),
    ):
        part = angles[chosen, 1]
        if len(part):
            lines.append(
                f"| {name} | {len(part)} | {np.median(part):.0f}° | {np.percentile(part, 90):.0f}° |"
            )
    return "\n".join(lines)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--each", type=int, default=200, help="worlds of every family and condition")
    parser.add_argument("--choices", type=int, default=100, help="worlds for every choice of distances")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="what to measure")
    parser.add_argument("--out", type=Path, help="Markdown file; default: print only")
    parser.add_argument("--picture", type=Path, help="of the felt points")
    options = parser.parse_args()
    if options.picture:
        draw(options.picture)
    own = {f"`{name}`": (name, ["detection={}"]) for name in OWN_WORLDS} | ENCLOSED

    def keep(name: str, part: str) -> None:
        if options.out:
            write(part, options.out, name)

    if "worlds" in options.parts:
        keep("worlds", of_own_worlds(own))
    if "random" in options.parts:
        followed = of_families(options.each, partial(keep, "random"))
        keep("normals", of_normals(followed))
    if "choices" in options.parts:
        keep("choices", of_choices(options.choices))
    if "friction" in options.parts:
        keep("friction", of_friction(options.choices))


if __name__ == "__main__":
    main()
