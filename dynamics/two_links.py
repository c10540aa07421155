"""The reach of two links in a plane: a ring with radii ||a2| − |a3|| and |a2| + |a3|.

Source: kebria2016 II.D and nowoczyn2023 2.3 (before (2.13)); tu2023 (27) lacks the inner radius.
"""

from __future__ import annotations

import math

from dynamics.compiled import inlined

ROUNDING = 1e-12  # [m] closer than this to the end of a range of lengths is at its end
BEYOND = 1e-10  # [m] as much beyond the ring still is at its end: θ1 from a pose is that inexact
# near the shoulder singularity


@inlined
def ring_gaps(length, a2, a3):
    """(outer² − length², length² − inner²) in m²; 0 at the ring's ends, negative beyond them."""
    outer, inner = abs(a2) + abs(a3), abs(abs(a2) - abs(a3))
    above, below = outer - length, length - inner
    above = 0.0 if -BEYOND <= above <= ROUNDING else above * (outer + length)
    below = 0.0 if -BEYOND <= below <= ROUNDING else below * (length + inner)
    return above, below


@inlined
def reachable_turn(cx, cy, s234, c234, s5, d5, a2, a3):
    """Near the wrist singularity: θ234 itself where it is in reach, otherwise the nearest that is.

    The two links must end at (cx, cy) − d5 (s234, −c234), on a circle about (cx, cy). Turning by
    an angle, together with θ6, turns the tool by s5 times that angle; more than ``ROUNDING`` is
    not done. So at s5 = 0 any turn is allowed, and close to it one that makes up for the loss of
    digits in θ6.

    Returns:
        Sine and cosine of θ234, unchanged where no turn helps.
    """
    length, center = math.hypot(cx - d5 * s234, cy + d5 * c234), math.hypot(cx, cy)
    above, below = ring_gaps(length, a2, a3)
    if (above >= 0.0 and below >= 0.0) or center * d5 == 0.0:
        return s234, c234
    edge = abs(a2) + abs(a3) if above < 0.0 else abs(abs(a2) - abs(a3))
    cosine = (center * center + d5 * d5 - edge * edge) / (2.0 * center * d5)
    cosine = min(1.0, max(-1.0, cosine))  # where the circle misses the ring, its nearest point
    sine = math.sqrt((1.0 - cosine) * (1.0 + cosine))
    ux, uy = cx / center, cy / center
    if ux * c234 + uy * s234 > 0.0:
        sine = -sine
    x, y = cosine * ux - sine * uy, cosine * uy + sine * ux
    if s5 * math.hypot(x - s234, y + c234) > ROUNDING:
        return s234, c234
    return x, -y
