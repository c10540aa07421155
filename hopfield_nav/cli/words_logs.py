"""The words of the commands that read logs: of a real arm, or of a run.

``hopfield_nav.cli.app`` puts them together. Each imports what does the work when it is called, no sooner:
the help answers before NumPy is loaded.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

_SameMotor = Annotated[
    list[str] | None,
    typer.Option(metavar="JOINTS", help="Joints with one motor constant: --same-motor 4,5,6. Repeatable."),
]


def replay(
    log: Annotated[
        Path, typer.Argument(metavar="LOG_DIR", help="Recording of a real arm, or folder of a run.")
    ],
    detector: Annotated[str, typer.Option(help="Name of a detector, or FILE.py:NAME.")],
    estimator: Annotated[
        str | None,
        typer.Option(
            help="Name of an estimator  [default: that of the run, or joint_error]", show_default=False
        ),
    ] = None,
    arm: Annotated[
        str | None,
        typer.Option(
            help="Model of the arm  [default: that of the run, or ur5_controller]", show_default=False
        ),
    ] = None,
    threshold: Annotated[float | None, typer.Option(help="Of the detector.", show_default=False)] = None,
    values: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="A parameter of a method: --set omega=20. Repeatable."
        ),
    ] = None,
    free_run: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="LOG_DIR", help="Recording of the same arm untouched: gives motors, friction. Repeatable."
        ),
    ] = None,
    same_motor: _SameMotor = None,
    free: Annotated[
        bool, typer.Option("--free", help="Nothing touched the arm in this log: every alarm is a false one.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Save row by row, as .csv or .nc.", show_default=False)
    ] = None,
) -> int:
    """Run a force estimator and a collision detector over a recording."""
    from hopfield_nav.cli.replay import ReplayOptions, run_replay

    return run_replay(
        log,
        ReplayOptions(
            estimator, detector, arm, threshold, values or [], free_run or [], same_motor or [], free, out
        ),
    )


def identify(
    logs: Annotated[
        list[Path],
        typer.Argument(
            metavar="LOG...", help="Recordings of a real arm, or folders of runs, of free motion."
        ),
    ],
    arm: Annotated[
        str, typer.Option(help="Model to begin with: kinematics, rotors, and what logs leave open.")
    ],
    out: Annotated[Path, typer.Option(metavar="FILE", help="Arm file to write, .yaml.")],
    check: Annotated[
        list[Path] | None,
        typer.Option(metavar="LOG", help="Log that is not used for the fit, to judge it. Repeatable."),
    ] = None,
    rotor: Annotated[
        str, typer.Option(help="Inertia of the rotors: known (the model's), estimated, or ignored.")
    ] = "known",
    bandwidth: Annotated[
        float, typer.Option(min=0.1, help="Of the arm's dynamics [Hz]; angles are filtered at 5 times this.")
    ] = 10.0,
    keep: Annotated[
        bool, typer.Option("--keep", help="Take the model's values for what the logs do not show.")
    ] = False,
    motor_constants: Annotated[
        str | None,
        typer.Option(
            metavar="K1,K2,...",
            help="Torque for a current, of every joint [N·m/A]  [default: fitted to the model]",
            show_default=False,
        ),
    ] = None,
    same_motor: _SameMotor = None,
) -> int:
    """Identify an arm's dynamics from logs and write an arm file."""
    from hopfield_nav.cli.identify import Words, run_identify

    words = Words(arm, out, check or [], rotor, bandwidth, keep, motor_constants, same_motor or [])
    return run_identify(logs, words)
