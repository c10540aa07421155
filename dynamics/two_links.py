"""The reach of two links in a plane: a ring with radii ||a2| − |a3|| and |a2| + |a3|.

Source: kebria2016 II.D and nowoczyn2023 2.3 (before (2.13)); tu2023 (27) lacks the inner radius.
"""

from __future__ import annotations

import math

from dynamics.compiled import inlined

ROUNDING = 1e-12  # [m] closer than this to the end of a range of lengths is at its end


@inlined
def ring_gaps(length, a2, a3):
    """(outer² − length², length² − inner²) in m²; 0 at the ring's ends, negative beyond them."""
    outer, inner = abs(a2) + abs(a3), abs(abs(a2) - abs(a3))
    above, below = outer - length, length - inner
    above = 0.0 if abs(above) <= ROUNDING else above * (outer + length)
    below = 0.0 if abs(below) <= ROUNDING else below * (length + inner)
    return above, below


@inlined
def reachable_turn(cx, cy, s234, c234, d5, a2, a3):
    """At the wrist singularity: the wanted θ234 where it is in reach, otherwise one that is.

    The two links must end at (cx, cy) − d5 (s234, −c234), on a circle about (cx, cy). Where the
    wanted point of the circle is beyond the ring's outer edge, the point nearest to the shoulder
    (but not inside the ring) is taken; inside the inner edge, the farthest.

    Returns:
        Sine and cosine of θ234.
    """
    length, center, radius = math.hypot(cx - d5 * s234, cy + d5 * c234), math.hypot(cx, cy), abs(d5)
    above, below = ring_gaps(length, a2, a3)
    if (above >= 0.0 and below >= 0.0) or not center * radius > 0.0:
        return s234, c234
    if above < 0.0:
        length = max(abs(center - radius), abs(abs(a2) - abs(a3)))
    else:
        length = min(center + radius, abs(a2) + abs(a3))
    cosine = (center * center + d5 * d5 - length * length) / (2.0 * center * d5)
    cosine = min(1.0, max(-1.0, cosine))
    sine = math.sqrt((1.0 - cosine) * (1.0 + cosine))
    ux, uy = cx / center, cy / center
    return cosine * ux - sine * uy, -(cosine * uy + sine * ux)
