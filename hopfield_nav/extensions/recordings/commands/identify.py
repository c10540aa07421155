"""The command identify."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from dynamics import BadInput, load_named_arm, require_masses
from dynamics.identification import Comparison, Identification, Options
from dynamics.identification import identify as identify_arm
from hopfield_nav.cli import print_table
from hopfield_nav.extensions.recordings.chosen import SameMotor, read_joints, read_numbers
from hopfield_nav.extensions.recordings.opened import Sources, read_logs, uses_of


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
        typer.Option(
            metavar="LOG", help="Log that is not used for the fit, to judge it. Repeatable."
        ),
    ] = None,
    rotor: Annotated[
        str, typer.Option(help="Inertia of the rotors: known (the model's), estimated, or ignored.")
    ] = "known",
    bandwidth: Annotated[
        float,
        typer.Option(
            min=0.1, help="Of the arm's dynamics [Hz]; angles are filtered at 5 times this."
        ),
    ] = 10.0,
    keep: Annotated[
        bool, typer.Option("--keep", help="Take the model's values for what the logs do not show.")
    ] = False,
    motor_constants: Annotated[
        str | None,
        typer.Option(
            metavar="K1,K2,...",
            help="Torque for a current, of every joint [N·m/A]  [default: fitted to the model]",
        ),
    ] = None,
    same_motor: SameMotor = None,
) -> int:
    """Identify an arm's dynamics from logs and write an arm file."""
    if out.suffix != ".yaml":
        raise BadInput("an arm file ends in .yaml", where="--out", found=out.name)
    own = load_named_arm(arm)
    given, joints = own.arm, own.joints
    require_masses(given, own.links)
    options = Options(
        rotor=rotor, dynamics_bandwidth=bandwidth, unexcited="keep" if keep else "refuse"
    )
    constants = (
        None if motor_constants is None else read_numbers(motor_constants, "--motor-constants")
    )
    sources = read_logs([*logs, *(check or [])], given, constants, read_joints(same_motor), joints)
    found = identify_arm(sources.logs[: len(logs)], given, options)
    checks = [found.validate(log, physical=True) for log in sources.logs[len(logs) :]]
    judged = [
        {"log": c.name, "nmse_given_Nm": c.reference, "nmse_identified_Nm": c.identified}
        for c in checks
    ]
    # what the arm file says besides the fit's own quality
    more: dict[str, Any] = {"checks": judged}
    if sources.motors is not None:
        more["motor_constants_Nm_per_A"] = sources.motors.motor_constant.tolist()
        more["motor_constants_from"] = "currents and the given arm" if sources.fitted else "given"
    path = found.write(out, f"identified from logs, beginning with {arm}", more, joints)
    print_table(
        [*uses_of([], arm, own), *sources.uses, *_lines(found, sources, checks)], title=str(path)
    )
    return 0


def _lines(
    found: "Identification", sources: "Sources", checks: "Sequence[Comparison]"
) -> list[tuple[str, str]]:
    quality, friction = found.quality(), found.friction
    lines = [
        ("logs", ", ".join(found.logs)),
        ("samples", str(found.samples)),
        (
            "NMSE on these logs",
            f"{found.nmse_given:.4g} N·m as given, {found.nmse_written:.4g} N·m as written",
        ),
        ("condition number", f"{found.estimate.condition_number:.3g}"),
        ("least known", ", ".join(quality["least_known"])),
        ("kept as given", ", ".join(found.open) or "nothing"),
        ("lost to consistency", f"{found.consistent.distance:.2g} standard deviations"),
        ("Coulomb friction", f"{', '.join(f'{c:.3g}' for c in friction[:, 0])} N·m"),
        ("viscous friction", f"{', '.join(f'{v:.3g}' for v in friction[:, 1])} N·m·s/rad"),
    ]
    if found.gears is not None:
        rows = zip(found.gears.stiffness, found.gears.interval, found.gears.told, strict=True)
        words = [
            f"{s:.2g} [{low:.2g}, {high:.2g}]" if told else "not told"
            for s, (low, high), told in rows
        ]
        lines.append(("stiffness before slipping", f"{', '.join(words)} N·m/rad"))
    if sources.motors is not None:
        whence = (
            "fitted with the given arm: masses in proportion to its own"
            if sources.fitted
            else "given"
        )
        lines.append(("motor constants", f"{sources.motors.words()}; {whence}"))
    for c in checks:
        lines.append(
            (
                f"check {c.name}",
                f"NMSE {c.reference:.4g} N·m as given, {c.identified:.4g} N·m identified",
            )
        )
    return lines
