"""Section 3.3: a controller made of the moving linearisation, beside other laws on chapter 5's circle."""

import numpy as np
from keeping import kept
from ledger import Rows, judged
from reproduction import listed

from tu2023.circle import off_circle
from tu2023.circle_motion import SPEEDS, Case, samples
from tu2023.circle_signals import rms

LAWS = ("lqr", "inverse_dynamics", "computed_torque")


@kept("test_tu2023_laws.py::test_errors_are_those_kept")
def errors(law: str, real: bool) -> list[float]:
    """Of the fastest circle: rms and largest distance of the tool from it [m], rms joint error [rad].

    The law has its default gains; friction and sensors of a ``real`` UR5 are not known to it.
    """
    case = Case(SPEEDS[-1], friction=real, sensors=real, law=law)
    off, found = off_circle(case), samples(case)
    return [rms(off), float(off.max()), float(np.sqrt(np.mean((found.q_true - found.q_ref) ** 2)))]


def rows() -> Rows:
    ideal, real = ({law: errors(law, kind) for law in LAWS} for kind in (False, True))
    text = "; ".join(
        f"{law} {listed([1e3 * x for x in ideal[law][:2]], '.3f')} mm ideal,"
        f" {listed([1e3 * x for x in real[law][:2]], '.2f')} mm real"
        for law in LAWS
    )
    ours = f"tool off the circle at {1e3 * SPEEDS[-1]:.0f} mm/s, rms and at most: {text}"
    yield judged("tu2023.regulator", ours, None)
