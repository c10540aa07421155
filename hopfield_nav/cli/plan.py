"""What ``hopfield-nav plan`` does; ``hopfield_nav.cli.words_plans`` says how it is called."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dynamics import BadInput, nearest_name

if TYPE_CHECKING:
    from hopfield_nav.known_world import Planned

MOTIONS = ("servoj", "movej", "movel")


class Wanted(NamedTuple):
    """The words of the command besides the world: changes to it, a folder, and what to make."""

    overrides: Sequence[str]
    out: Path | None
    motion: str
    simulate: bool
    plots: bool
    animate: bool


def run_plan(name: str, wanted: Wanted) -> int:
    """Plan a world's motion past what is known; save trajectory, program, figures; print the result."""
    from hopfield_nav.cli.folders import choose_folder
    from hopfield_nav.cli.run import say_if_cold
    from hopfield_nav.world import load_world

    if wanted.motion not in MOTIONS:
        raise BadInput(
            "unknown motion", where="--motion", found=wanted.motion, allowed=", ".join(MOTIONS),
            nearest=nearest_name(wanted.motion, MOTIONS),
        )  # fmt: skip
    world = load_world(name, wanted.overrides)
    folder = choose_folder(wanted.out, f"{world.name}-plan")
    say_if_cold()
    from hopfield_nav.known_world import plan_world, save_plan

    planned = plan_world(world)
    if planned.trajectory is None:
        print(f"no way; {planned.plan.reason}")
        return 1
    save_plan(planned, folder, wanted.motion)
    show_plan(planned, folder, wanted.plots, wanted.animate)
    arrived = _simulate(planned, folder / "simulated") if wanted.simulate else True
    print_plan(planned, folder)
    return 0 if arrived else 1


def show_plan(planned: Planned, folder: Path, plots: bool, animate: bool) -> None:
    """Figures and film of a plan."""
    if plots:
        from hopfield_nav.figures.plan import draw_plan_figures

        draw_plan_figures(planned.arm, planned.scene, planned.world, planned.plan, folder / "figures")
    if animate and planned.trajectory is not None:
        from hopfield_nav.cli.report import count_bar
        from hopfield_nav.figures.plan import animate_way

        with count_bar("film", "frames") as progress:
            animate_way(
                planned.arm, planned.scene, planned.world, planned.trajectory, folder / "film", progress
            )


def _simulate(planned: Planned, folder: Path) -> bool:
    """Run the trajectory on the simulated arm, under the world's controller and among all its obstacles.

    Returns whether it came to the end of the trajectory without a touch that was felt.
    """
    from hopfield_nav.cli.report import print_results
    from hopfield_nav.experiment import follow

    assert planned.trajectory is not None
    run = follow(planned.world, planned.trajectory)
    run.save(folder)
    print_results(run.summary, folder)
    return run.outcome == "reached" and run.summary["collision_count"] == 0


def print_plan(planned: Planned, folder: Path) -> None:
    """What was found, as a table of two columns."""
    from hopfield_nav.cli.report import cell, print_table
    from hopfield_nav.known_world import facts, tool_inside

    found, world = facts(planned), planned.world
    notes = (
        [("not looked at", "the world's obstacles: the arm does not know of them")] if world.obstacles else []
    )
    if inside := tool_inside(planned.arm):
        notes.append(("warning", inside))
    print_table(
        [
            ("way", f"{found['method']}, free for the whole motion"),
            *((f"{name} not possible", why) for name, why in found["not_possible"].items()),
            ("duration", f"{found['duration_s']:.2f} s"),
            ("joints turn", f"{found['joint_length_rad']:.2f} rad in all"),
            ("tool moves", f"{found['tool_length_m']:.3f} m over {found['tool_distance_m']:.3f} m"),
            ("nearest to obstacles", cell(found["clearance_obstacles_m"], "mm", 1e3)),
            ("nearest to itself", cell(found["clearance_itself_m"], "mm", 1e3)),
            ("planned in", f"{1000 * found['planning_time_s']:.1f} ms"),
            *notes,
            ("folder", str(folder)),
        ]
    )
