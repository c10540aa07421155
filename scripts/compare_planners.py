"""The network and other planners on the experiment of ragazzon2012: a table, and a figure of both paths.

python scripts/compare_planners.py --out docs/planners.md --figures docs/figures
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

import numpy as np
from measured_part import table, tell

from hopfield_nav import Simulation, load_world
from hopfield_nav.world import all_cylinders

WORLD = "ragazzon2012"
LIMIT = ["planner.network=limit", "planner.beta=null"]  # the defaults, which other planners leave alone
PLANNERS = {
    "summing network": [],
    "limit network": LIMIT,
    "A*": [*LIMIT, "planner.kind=a_star"],
    "potential field": [*LIMIT, "planner.kind=potential_field"],
    "potential field, random walks": [*LIMIT, "planner.kind=potential_field", "planner.random_walks=20"],
    "roadmap": [*LIMIT, "planner.kind=roadmap"],
    "roadmap, any angle": [*LIMIT, "planner.kind=roadmap", "planner.any_angle=true"],
    "summing network, any angle": ["planner.any_angle=true"],
    "the same, 10 mm clear": ["planner.any_angle=true", "planner.clearance=0.01"],
}


class Result(NamedTuple):
    """One run: outcome, path of the tool [m], time [s], collisions, median time of a replan [s]."""

    outcome: str
    reason: str
    length: float
    time: float
    collisions: int
    replan: float
    tool: np.ndarray


def measure(settings: list[str], seed: int = 0) -> Result:
    """Run the experiment with a planner; a loop warms up the compiled code first."""
    run = Simulation(load_world(WORLD, settings), seed).run()
    tool = run.data.tool_position.values
    return Result(
        run.outcome, run.summary["reason"], float(np.linalg.norm(np.diff(tool, axis=0), axis=1).sum()),
        run.summary["simulated_time_s"], run.summary["collision_count"],
        run.summary["replan_wall_time_median_s"] or np.nan, tool,
    )  # fmt: skip


def tables(seeds: int = 5) -> tuple[str, str]:
    """What became of the runs, and the times of a replan; planners that draw run with several seeds."""
    rows, times = [], []
    for name, settings in PLANNERS.items():
        random = "roadmap" in name or "random" in name
        results = [measure(settings, seed) for seed in range(seeds if random else 1)]
        rows.append([name, _outcomes(results), *_columns(results)])
        times.append([name, f"{1e3 * float(np.nanmedian([r.replan for r in results])):.1f} ms"])
    head = ["planner", "outcome", "path of the tool", "time to goal", "collisions"]
    return table(head, rows), table(["planner", "replan, median"], times)


def _outcomes(results: list[Result]) -> str:
    reached = sum(r.outcome == "reached" for r in results)
    if len(results) > 1:
        return f"reached {reached} of {len(results)}"
    return results[0].outcome if reached else f"{results[0].outcome}: {results[0].reason}"


def _columns(results: list[Result]) -> list[str]:
    arrived = [r for r in results if r.outcome == "reached"]
    if not arrived:
        return ["", "", _span([r.collisions for r in results], "{:.0f}")]
    return [
        _span([r.length for r in arrived], "{:.2f}") + " m",
        _span([r.time for r in arrived], "{:.1f}") + " s",
        _span([r.collisions for r in arrived], "{:.0f}"),
    ]


def _span(values: list[float], form: str) -> str:
    low, high = form.format(min(values)), form.format(max(values))
    return low if low == high else f"{low} to {high}"


def draw(folder: Path) -> list[Path]:
    """The path of the tool over the grid and at any angle, and their speed."""
    import matplotlib.pyplot as plt

    from hopfield_nav.figures import PAGE, paper_style, save_figure

    shown = {"along the grid": [], "any angle, 10 mm clear": PLANNERS["the same, 10 mm clear"]}
    with paper_style():
        figure, axes = plt.subplots(1, 2, figsize=(PAGE, 0.5 * PAGE), sharey=True, layout="constrained")
        for ax, (title, settings) in zip(axes, shown.items(), strict=True):
            draw_path(ax, settings)
            ax.set_title(title)
        axes[1].set_ylabel("")
        return save_figure(figure, folder, "any_angle", False)


def draw_path(ax, settings: list[str]) -> None:
    """The tool's path among the true obstacles, and where it felt them."""
    from matplotlib.patches import Circle

    from hopfield_nav.figures import COLOURS

    world = load_world(WORLD, settings)
    run = Simulation(world).run()
    for c in all_cylinders(world):
        ax.add_patch(Circle(c.center, c.radius, facecolor=COLOURS.obstacle, edgecolor="none"))
    tool = run.data.tool_position.values
    h = world.map.spacing
    felt = np.array(world.map.origin[:2]) + h * run.data.event_cell.values
    ax.plot(*felt.T, "s", color=COLOURS.felt, markersize=3, label="felt cells")
    ax.plot(*tool[:, :2].T, color=COLOURS.travelled, label="path of the tool")
    ax.plot(*tool[0, :2], "o", color=COLOURS.start, markersize=4, label="start")
    ax.plot(*tool[-1, :2], "*", color=COLOURS.goal, markersize=7, label="goal")
    length = np.linalg.norm(np.diff(tool, axis=0), axis=1).sum()
    ax.text(
        0.97, 0.03, f"{length:.2f} m, {run.summary['simulated_time_s']:.1f} s",
        ha="right", va="bottom", transform=ax.transAxes,
    )  # fmt: skip
    ax.set(xlabel="x (m)", ylabel="y (m)", aspect="equal", xlim=(0.14, 0.66), ylim=(-0.26, 0.27))
    ax.legend(loc="upper right", frameon=True, framealpha=0.9, edgecolor="none")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, help="page to write to; default: print only")
    parser.add_argument("--figures", type=Path, help="folder to draw in; default: no figure")
    parser.add_argument("--times", action="store_true", help="write the times too: on an idle machine")
    options = parser.parse_args()
    runs, times = tables()
    tell(runs, options.out, "runs")
    tell(times, options.out if options.times else None, "times")
    if options.figures:
        print(*draw(options.figures), sep="\n")


if __name__ == "__main__":
    main()
