"""Sections 2 to 4.2: numbers of parameters and samples, arithmetic of the tables, and the friction law."""

from __future__ import annotations

import numpy as np
from ledger import Row, judged

from dynamics import load_arm
from dynamics.flexible_joint import flexible_joints, rotor_friction
from dynamics.identification import (
    base_parameter_count,
    base_parameters,
    decimate,
    random_excitation,
    regressor,
)

INCLINE = np.array([1.5, -2.0, -9.0])  # [m/s²]


def columns(gravity: np.ndarray | None = None) -> int:
    """Columns of the regressor that are not zero, of 60, in the document's frames."""
    arm = load_arm("ur5e")
    arm = arm if gravity is None else arm._replace(gravity=gravity)
    Y = regressor(arm, *random_excitation(arm), frames="modified")
    sizes = np.abs(Y.reshape(-1, Y.shape[-1])).max(axis=0)
    return int((sizes > 1e-9 * sizes.max()).sum())


def counts() -> dict[str, int]:
    """Base parameters upright, on an incline, and both with rotors, by factorisation."""
    arm = load_arm("ur5e")
    tilted = arm._replace(gravity=INCLINE)
    return {
        "upright": len(base_parameters(arm).kept),
        "incline": len(base_parameters(tilted).kept),
        "upright, rotors": len(base_parameters(arm, True).kept),
        "incline, rotors": len(base_parameters(tilted, True).kept),
    }


def samples() -> int:
    """Of 31 s at 1 kHz after decimation."""
    return len(decimate(np.zeros(31000), 1000.0, 20.0))


def friction_spread() -> tuple[float, float, float]:
    """Friction of a large joint at 1 rad/s: 20 °C over 40 °C, 100 N·m of load over none, 2 rad/s over 1."""
    arm = load_arm("ur5_full")
    cold, warm, usual = (flexible_joints(arm, temperature=t) for t in (20.0, 40.0, 30.0))
    one, none = np.ones(6), np.zeros(6)
    at = lambda joints, speed, load: float(rotor_friction(joints, speed, load)[1])  # noqa: E731
    base = at(usual, one, none)
    return (
        at(cold, one, none) / at(warm, one, none),
        at(usual, one, 100 * one) / base,
        at(usual, 2 * one, none) / base,
    )


def rows() -> list[Row]:
    """Ledger rows of sections 2 to 4.2."""
    found, formula = counts(), base_parameter_count(load_arm("ur5e"))
    heat, load, speed = friction_spread()
    worth = [100 * (1 - b / a) for a, b in ((325.9, 233.0), (1245.7, 1040.4), (334.0, 250.9))]
    return [
        judged("madsen2020.inertial_parameters", str(columns()), columns() == 49, incline=columns(INCLINE)),
        judged(
            "madsen2020.base_parameters",
            f"{found['upright']}; by the closed formula {formula}",
            found["upright"] == formula == 36,
            rotors=found["upright, rotors"],
        ),
        judged(
            "madsen2020.base_parameters_on_an_incline",
            str(found["incline"]),
            found["incline"] == 38,
            rotors=found["incline, rotors"],
        ),
        judged("madsen2020.samples", f"{samples()} samples", samples() == 1550),
        judged("madsen2020.filter", "50 Hz for 10 Hz, no lag", None),
        judged(
            "madsen2020.friction",
            f"20 °C over 40 °C: {heat:.2f}, 100 N·m of load over none: {load:.2f}, "
            f"2 rad/s over 1: {speed:.2f} times",
            None,
        ),
        judged(
            "madsen2020.share_of_4_6",
            f"{100 * (1 - 94.5 / 506.8):.2f} %",
            round(100 * (1 - 94.5 / 506.8), 1) == 81.4,
        ),
        judged(
            "madsen2020.shares_of_table_5",
            ", ".join(f"{value:.2f}" for value in worth) + " %",
            [round(v, 1) for v in worth] == [28.5, 16.5, 24.9],
        ),
    ]
