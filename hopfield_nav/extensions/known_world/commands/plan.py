"""The command plan: a motion past known obstacles."""

import math
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynamics import printable
from hopfield_nav.cli import (
    Felt,
    Film,
    NoPlots,
    Trusted,
    WorldName,
    folder_option,
    gone_option,
    set_option,
)

if TYPE_CHECKING:
    from hopfield_nav.extensions.known_world import FoundContact
    from hopfield_nav.extensions.known_world.planned import Planned
    from hopfield_nav.record import Run

_NO_MOTION = "plan.script sends the trajectory by servoj: of what movej and movel make of a path nothing is proven"


def plan(
    world: WorldName,
    out: Annotated[Path | None, folder_option("WORLD-plan")] = None,
    overrides: Annotated[list[str] | None, set_option("plan.method=direct")] = None,
    _motion: Annotated[str | None, gone_option("--motion", _NO_MOTION)] = None,
    simulate: Annotated[
        bool,
        typer.Option("--simulate", help="Run it on the simulated arm under the controller too."),
    ] = False,
    no_plots: NoPlots = False,
    animate: Film = False,
    felt: Felt = None,
    trust: Trusted = False,
) -> int:
    """Plan a motion past known obstacles: free for certain before the arm moves."""
    from hopfield_nav.cli import choose_folder, compiling, save_where_free, say
    from hopfield_nav.world import load_world, remarks_on_arms

    read = load_world(world, overrides or [], trust)
    say(*read.notes, *remarks_on_arms(read))
    folder = choose_folder(out, f"{read.name}-plan")
    from hopfield_nav.extensions.known_world.planned import plan_world, save_plan

    if felt is not None:
        from hopfield_nav.record import load_run, with_felt

        read = with_felt(read, load_run(felt))
    with compiling():
        planned = plan_world(read)
    if planned.trajectory is None:
        print(printable(f"no plan; {planned.plan.reason}"))
        return 1
    name = f"{read.name}-plan"
    folder = save_where_free(partial(save_plan, planned), folder, out, name)
    if not no_plots:
        draw_plan(planned, folder)
    arrived = not (simulate or animate) or _simulate(planned, folder, simulate, animate)
    _print(planned, folder)
    return 0 if arrived else 1


def draw_plan(planned: "Planned", folder: Path) -> None:
    """The figure of a plan, in its folder."""
    from hopfield_nav.extensions.known_world.figures import draw_plan_figures

    draw_plan_figures(planned.arm, planned.scene, planned.world, planned.plan, folder / "figures")


def film_plan(run: "Run", folder: Path) -> None:
    """The film of the simulated arm on a plan, in its folder."""
    from hopfield_nav.cli import count_bar
    from hopfield_nav.figures.run import animate_run

    with count_bar("film", "frames") as progress:
        animate_run(run, folder / "film", progress)


def _simulate(planned: "Planned", folder: Path, saved: bool, animate: bool) -> bool:
    """Follow the trajectory in simulation.

    Returns whether it came to its end without a touch that was felt. Of a motion until contact:
    whether there was one, and the arm stopped within the distance.
    """
    from hopfield_nav.cli import print_results
    from hopfield_nav.extensions.known_world import follow_until_contact

    assert planned.trajectory is not None
    run, found = follow_until_contact(planned.world, planned.trajectory)
    if saved:
        run.save(folder / "simulated")
        print_results(run, folder / "simulated")
    if animate:
        film_plan(run, folder)
    distance = planned.world.plan.until_contact
    if distance is None:
        return run.outcome == "reached" and run.summary["collision_count"] == 0
    _print_contact(found, distance)
    return found is not None and found.went_on <= distance


def _print_contact(found: "FoundContact | None", distance: float) -> None:
    """Where a motion met something, and how far it went on."""
    from hopfield_nav.cli import print_table

    if found is None:
        print("no contact on the path")
        return
    went_on = "–" if math.isnan(found.went_on) else f"{1e3 * found.went_on:.2f} mm"
    print_table(
        [
            ("contact", f"felt at {found.time:.3f} s"),
            ("tool at", ", ".join(f"{value:.4f}" for value in found.tool) + " m"),
            ("joints at", ", ".join(f"{value:.4f}" for value in found.joints) + " rad"),
            ("force felt", ", ".join(f"{value:.1f}" for value in found.force) + " N"),
            ("went on by", f"{went_on} of {1e3 * distance:g} mm allowed"),
        ]
    )


def _print(planned: "Planned", folder: Path) -> None:
    """What was found, as a table of two columns."""
    from hopfield_nav.cli import print_table, where_to_look
    from hopfield_nav.extensions.clearance import tool_inside
    from hopfield_nav.extensions.known_world.planned import facts
    from hopfield_nav.extensions.known_world.task import plan_rows

    unknown = "the world's obstacles: the arm does not know of them"
    notes = [("not looked at", unknown)] if planned.world.obstacles else []
    if inside := tool_inside(planned.arm):
        notes.append(("warning", inside))
    print_table([*plan_rows(facts(planned)), *notes, *where_to_look(folder)])
