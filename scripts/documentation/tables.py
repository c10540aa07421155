"""Tables of the documentation that come from a few runs.

    python scripts/documentation/tables.py [PAGE...]

runs the worlds and writes the tables to their pages and to docs/measured.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from measured_part import write  # noqa: E402  (in the folder above)

from hopfield_nav import load_world, simulate  # noqa: E402

DETECTED = ("ragazzon2012", "ragazzon2012_momentum")
IN_SPACE = ("over_the_wall", "shelf", "free_rotation")


def detectors() -> str:
    """The main experiment with two detectors."""
    head = "| world | time to the goal | collisions | largest force | delay, median |\n|---|---|---|---|---|"
    return "\n".join([head, *map(detector, DETECTED)])


def detector(world: str) -> str:
    """A row of it."""
    told = simulate(load_world(world), seed=0).summary
    return (
        f"| `{world}` | {told['simulated_time_s']:.1f} s | {told['collision_count']} "
        f"| {told['peak_contact_force_N']:.0f} N | {1000 * told['detection_delay_median_s']:.0f} ms |"
    )


def in_space() -> str:
    """Worlds in space, touched by the tool point alone or by the whole arm."""
    rows = [
        "| world | `contact.bodies` | outcome | collisions | grazes | simulated time |",
        "|---|---|---|---|---|---|",
    ]
    for world in IN_SPACE:
        for bodies in ("tool", "arm"):
            told = simulate(load_world(world, [f"contact.bodies={bodies}"]), seed=0).summary
            rows.append(
                f"| `{world}` | `{bodies}` | `{told['outcome']}` | {told['collision_count']} "
                f"| {told['graze_count']} | {told['simulated_time_s']:.0f} s |"
            )
    return "\n".join(rows)


TABLES: dict[str, Callable[[], str]] = {"README.md": detectors, "docs/three_dimensions.md": in_space}

if __name__ == "__main__":
    for page in sys.argv[1:] or TABLES:
        write(TABLES[page](), ROOT / page)
