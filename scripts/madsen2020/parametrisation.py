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
_B, _T = "tests/dynamics/test_base_parameters.py::", "tests/scripts/test_madsen2020.py::"


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
        judged("Table 2", "inertial parameters that appear in the model", "49", str(columns()),
               columns() == 49,
               f"tensors about the frames' origins; {columns(INCLINE)} on an incline",
               _B + "test_numbers_of_madsen2020"),
        judged("3", "base parameters", "36", f"{found['upright']}; by the closed formula {formula}",
               found["upright"] == formula == 36, f"{found['upright, rotors']} with rotor inertias",
               _B + "test_numbers_of_madsen2020"),
        judged("6 (1)", "base parameters on an incline", "38", str(found["incline"]), found["incline"] == 38,
               f"{found['incline, rotors']} with rotor inertias", _B + "test_numbers_of_madsen2020"),
        judged("4.2", "31 s at 1 kHz, decimated by 20", "1550 samples", f"{samples()} samples",
               samples() == 1550, "", "tests/dynamics/test_filtering.py::test_31_seconds_give_1550_samples"),
        judged("4.1", "4th-order Butterworth forwards and backwards at 5 times the dynamics' bandwidth",
               "bandwidth lost", "50 Hz for 10 Hz, no lag", None,
               "10 Hz is chosen here; the document's is lost",
               "tests/dynamics/test_filtering.py::test_filter_has_no_lag_and_half_amplitude_at_its_cutoff"),
        judged("2, [19]", "friction depends on speed, load and temperature", "law lost",
               f"20 °C over 40 °C: {heat:.2f}, 100 N·m of load over none: {load:.2f}, "
               f"2 rad/s over 1: {speed:.2f} times", None,
               "the law is in a reference that is not public; ours stands in dynamics.flexible_joint",
               "tests/dynamics/test_flexible_joint.py::test_friction_takes_power_grows_with_load_and_falls_with_heat"),
        judged("4.6", "81.4 % from 506.8 to 94.5", "81.4 %", f"{100 * (1 - 94.5 / 506.8):.2f} %",
               round(100 * (1 - 94.5 / 506.8), 1) == 81.4, "81.35 % rounds to 81.4",
               _T + "test_arithmetic_of_the_tables"),
        judged("Table 5", "relative improvements", "28.5, 16.5, 24.9 %",
               ", ".join(f"{value:.2f}" for value in worth) + " %",
               [round(v, 1) for v in worth] == [28.5, 16.5, 24.9], "from the table's own NMSE",
               _T + "test_arithmetic_of_the_tables"),
    ]  # fmt: skip
