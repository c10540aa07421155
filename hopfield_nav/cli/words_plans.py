"""The words of the commands that plan where the surroundings are known.

``hopfield_nav.cli.app`` puts them together; each imports what does the work when it is called.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

_Overrides = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Change a value of the world: --set plan.method=direct. Repeatable.",
    ),
]
_NoPlots = Annotated[bool, typer.Option("--no-plots", help="Draw no figures.")]
_Animate = Annotated[bool, typer.Option("--animate", help="Make a film too.")]


def plan(
    world: Annotated[
        str, typer.Argument(metavar="WORLD", help="World file, or the name of a world that comes along.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for the results  [default: runs/WORLD-plan, then -2, -3]", show_default=False
        ),
    ] = None,
    overrides: _Overrides = None,
    motion: Annotated[
        str, typer.Option(help="Of the robot program: servoj, movej (direct ways) or movel (straight lines).")
    ] = "servoj",
    simulate: Annotated[
        bool, typer.Option("--simulate", help="Run it on the simulated arm under the controller too.")
    ] = False,
    no_plots: _NoPlots = False,
    animate: _Animate = False,
) -> int:
    """Plan a motion past known obstacles: free for certain before the arm moves."""
    from hopfield_nav.cli.plan import Wanted, run_plan

    return run_plan(world, Wanted(overrides or [], out, motion, simulate, not no_plots, animate))


def demo(
    world: Annotated[
        str, typer.Argument(metavar="WORLD", help="Whose known obstacles are in the way.")
    ] = "cell",
    example: Annotated[
        str | None,
        typer.Option(
            help="One of the document's examples instead: calculate_obstacle_space, "
            "inverse_kinematics_example, direct_path_example, shortest_path_example.",
            show_default=False,
        ),
    ] = None,
    rounds: Annotated[
        int | None, typer.Option(min=1, help="Stop after so many  [default: Ctrl-C]", show_default=False)
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**63 - 1, help="Of the random poses.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for the results  [default: runs/demo, then -2, -3]", show_default=False),
    ] = None,
    no_plots: _NoPlots = False,
    animate: _Animate = False,
) -> int:
    """From one random pose to another, again and again: the straight line, or else the direct path."""
    from hopfield_nav.cli.demo import run_demo, run_example

    if example is not None:
        return run_example(example, world, out)
    return run_demo(world, rounds, seed, out, not no_plots, animate)
