"""What ``hopfield-nav identify`` does; ``hopfield_nav.cli.app`` says how it is called."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from dynamics import BadInput

if TYPE_CHECKING:
    from dynamics.identification import Comparison, Identification
    from hopfield_nav.logs import Sources


class Words(NamedTuple):
    """The words of the command.

    Attributes:
        arm: name or file of the model to begin with.
        out: of the arm file.
        check: logs that are not used for the fit, to judge it.
        rotor: as in ``dynamics.identification.Options``.
        bandwidth: of the dynamics [Hz].
        keep: take the given arm's values for what the logs leave open.
        motor_constants: comma-separated [N·m/A]; None: fitted.
        same_motor: such as ``4,5,6``.
    """

    arm: str
    out: Path
    check: Sequence[Path]
    rotor: str
    bandwidth: float
    keep: bool
    motor_constants: str | None
    same_motor: Sequence[str]


def run_identify(paths: Sequence[Path], words: Words) -> int:
    """Identify an arm from logs, write its arm file, and print how good it is."""
    from dynamics import load_arm
    from dynamics.identification import Options, identify
    from hopfield_nav.logs import read_logs

    if words.out.suffix != ".yaml":
        raise BadInput("an arm file ends in .yaml", where="--out", found=words.out.name)
    arm = load_arm(words.arm)
    options = Options(
        rotor=words.rotor,
        dynamics_bandwidth=words.bandwidth,
        unexcited="keep" if words.keep else "refuse",
    )
    constants = None if words.motor_constants is None else _numbers(words.motor_constants)
    groups = [[int(j) for j in _numbers(text)] for text in words.same_motor]
    sources = read_logs([*paths, *words.check], arm, constants, groups)
    found = identify(sources.logs[: len(paths)], arm, options)
    checks = [found.validate(log, physical=True) for log in sources.logs[len(paths) :]]
    path = found.write(words.out, f"identified from logs, beginning with {words.arm}", _more(sources, checks))
    _print(path, found, sources, checks)
    return 0


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise BadInput("not understood", found=text, allowed="numbers, such as 4,5,6") from None


def _more(sources: Sources, checks: Sequence[Comparison]) -> dict[str, Any]:
    """What the arm file says besides the fit's own quality."""
    more: dict[str, Any] = {
        "checks": [
            {"log": c.name, "nmse_given_Nm": c.reference, "nmse_identified_Nm": c.identified} for c in checks
        ]
    }
    if sources.motor_constants is not None:
        more["motor_constants_Nm_per_A"] = sources.motor_constants.tolist()
        more["motor_constants_from"] = "currents and the given arm" if sources.fitted else "given"
    return more


def _print(path: Path, found: Identification, sources: Sources, checks: Sequence[Comparison]) -> None:
    from rich.box import SIMPLE
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE, show_header=False, title=Text(str(path)), title_justify="left")
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, value in _lines(found, sources, checks):
        table.add_row(name, Text(value))
    Console(width=None if sys.stdout.isatty() else 100).print(table)


def _lines(found: Identification, sources: Sources, checks: Sequence[Comparison]) -> list[tuple[str, str]]:
    quality, friction = found.quality(), found.friction
    lines = [
        ("logs", ", ".join(found.logs)),
        ("samples", str(found.samples)),
        ("NMSE on these logs", f"{found.nmse_given:.4g} N·m as given, {found.nmse_fit:.4g} N·m fitted"),
        ("condition number", f"{found.estimate.condition_number:.3g}"),
        ("least known", ", ".join(quality["least_known"])),
        ("kept as given", ", ".join(found.open) or "nothing"),
        ("lost to consistency", f"{found.consistent.distance:.2g} standard deviations"),
        ("Coulomb friction", f"{', '.join(f'{c:.3g}' for c in friction[:, 0])} N·m"),
        ("viscous friction", f"{', '.join(f'{v:.3g}' for v in friction[:, 1])} N·m·s/rad"),
    ]
    if sources.motor_constants is not None:
        whence = "fitted with the given arm: masses in proportion to its own" if sources.fitted else "given"
        values = ", ".join(f"{k:.4g}" for k in sources.motor_constants)
        lines.append(("motor constants", f"{values} N·m/A, {whence}"))
    for c in checks:
        lines.append(
            (f"check {c.name}", f"NMSE {c.reference:.4g} N·m as given, {c.identified:.4g} N·m identified")
        )
    return lines
