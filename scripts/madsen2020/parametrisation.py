"""Sections 2 to 4.2: numbers of parameters and samples, arithmetic of the tables, and the friction law."""

import numpy as np
from ledger import Rows, judged

from dynamics import identification, load_arm
from dynamics.flexible_joint import flexible_joints
from dynamics.identification import Options, base_parameters, regressor
from dynamics.identification.equations import zero_phase
from madsen2020.base_count import base_parameter_count
from madsen2020.rotor_friction import rotor_friction

COLD, WARM, LOAD, FAST = 20.0, 40.0, 100.0, 2.0  # [°C], [°C], [N·m], [rad/s]
FILTER = 5 * Options().dynamics_bandwidth  # [Hz]
INCLINE = np.array([1.5, -2.0, -9.0])  # [m/s²]


def columns(gravity: np.ndarray | None = None) -> int:
    """Columns of the regressor that are not zero, of 60, in the document's frames."""
    arm = load_arm("ur5e")
    arm = arm if gravity is None else arm._replace(gravity=gravity)
    Y = regressor(arm, *identification.random_excitation(arm), frames="modified")
    sizes = np.abs(Y.reshape(-1, Y.shape[-1])).max(axis=0)
    return int((sizes > 1e-9 * sizes.max()).sum())


def counts() -> dict[str, int]:
    """Base parameters upright, on an incline, and both with rotors, by factorisation."""
    arm = load_arm("ur5e")
    tilted = arm._replace(gravity=INCLINE)
    cases = [
        (name, of, rotors)
        for rotors in (False, True)
        for name, of in (("upright", arm), ("incline", tilted))
    ]
    return {
        name + ", rotors" * rotors: len(base_parameters(of, rotors).kept)
        for name, of, rotors in cases
    }


def samples() -> int:
    """Of 31 s at 1 kHz after decimation."""
    return len(identification.decimate(np.zeros(31000), 1000.0, 20.0))


def friction_spread() -> tuple[float, float, float]:
    """Friction of a large joint at 1 rad/s: ``COLD`` over ``WARM``, a load over none, ``FAST`` over that."""
    arm = load_arm("ur5_full")
    cold, warm, usual = (flexible_joints(arm, temperature=t) for t in (COLD, WARM, 30.0))
    one, none = np.ones(6), np.zeros(6)
    at = lambda joints, speed, load: float(rotor_friction(joints, speed, load)[1])  # noqa: E731
    base = at(usual, one, none)
    loaded, fast = at(usual, one, LOAD * one), at(usual, FAST * one, none)
    return at(cold, one, none) / at(warm, one, none), loaded / base, fast / base


def filter_response(frequency: float, rate: float = 1000.0) -> tuple[float, float]:
    """What the angles' filter leaves of a sine [1], and how late [s]."""
    wave = np.exp(2j * np.pi * frequency * np.arange(0, 4, 1 / rate))
    found = zero_phase(wave.real, FILTER, rate) + 1j * zero_phase(wave.imag, FILTER, rate)
    gain = np.mean((found / wave)[len(wave) // 4 : -len(wave) // 4])
    return float(np.abs(gain)), float(-np.angle(gain) / (2 * np.pi * frequency))


def rows() -> Rows:
    found, formula = counts(), base_parameter_count(load_arm("ur5e"))
    heat, load, speed = friction_spread()
    worth = [100 * (1 - b / a) for a, b in ((325.9, 233.0), (1245.7, 1040.4), (334.0, 250.9))]
    yield judged(
        "madsen2020.inertial_parameters", str(columns()), columns() == 49, incline=columns(INCLINE)
    )
    ours = f"{found['upright']}; by the closed formula {formula}"
    yield judged(
        "madsen2020.base_parameters",
        ours,
        found["upright"] == formula == 36,
        rotors=found["upright, rotors"],
    )
    ours, rotors = found["incline"], found["incline, rotors"]
    yield judged("madsen2020.base_parameters_on_an_incline", str(ours), ours == 38, rotors=rotors)
    yield judged("madsen2020.samples", f"{samples()} samples", samples() == 1550)
    dynamics, (kept, late), (half, _) = (
        FILTER / 5,
        filter_response(FILTER / 5),
        filter_response(FILTER),
    )
    ours = (
        f"{FILTER:g} Hz for {dynamics:g} Hz: a sine of {dynamics:g} Hz keeps {100 * kept:.2f} % and is"
        f" {late:.0e} s late, one of {FILTER:g} Hz keeps {100 * half:.0f} %"
    )
    yield judged("madsen2020.filter", ours, None)
    ours = (
        f"{COLD:g} °C over {WARM:g} °C: {heat:.2f}, {LOAD:g} N·m of load over none: {load:.2f}, "
        f"{FAST:g} rad/s over 1: {speed:.2f} times"
    )
    yield judged("madsen2020.friction", ours, None)
    ours = f"{100 * (1 - 94.5 / 506.8):.2f} %"
    yield judged("madsen2020.share_of_4_6", ours, round(100 * (1 - 94.5 / 506.8), 1) == 81.4)
    ours = ", ".join(f"{value:.2f}" for value in worth) + " %"
    yield judged(
        "madsen2020.shares_of_table_5", ours, [round(v, 1) for v in worth] == [28.5, 16.5, 24.9]
    )
