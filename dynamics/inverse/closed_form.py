"""The closed form behind ``inverse_kinematics``, angle by angle.

Arms of UR type have it, with parallel axes 2, 3 and 4.

Axes 2, 3 and 4 are parallel and all point along z1 = (sin θ1, −cos θ1, 0). The wrist centre, frame
5's origin, lies d4 along z1: two values of θ1 (kebria2016 (3), nowoczyn2023 (2.19)). The tool axes
seen along z1 are [s5 c6, −s5 s6, c5] (nowoczyn2023 (2.10), (2.12)): two values of θ5 with one θ6
each. What remains is a planar arm with two links a2, a3: two values of θ3. Up to 2·2·2 = 8.
The two links reach a ring with radii ||a2| − |a3|| and |a2| + |a3| (kebria2016 II.D, nowoczyn2023
2.3 before (2.13); tu2023 (27) lacks the inner radius).

Deviations from the documents, all of whose formulas here were checked by forward kinematics:
kebria2016 (5) has a wrong second argument; cos θ3 of nowoczyn2023 (2.13) has its sign reversed;
the root in tu2023 (11) is identically zero. No angle comes from acos, which loses half the digits
at a singularity: θ1 and θ3 come from products of differences of lengths, θ5 from both components.

Singularities. Within ``ROUNDING`` of the shoulder singularity or of an end of the ring
||a2| − |a3|| … |a2| + |a3| (``BEYOND`` on its far side), and within ``WRIST`` of s5 = 0, the two
branches that meet there count as one solution, labelled +1; no other two can coincide. The pose is
met to these tolerances.
"""

import math

import numpy as np

from dynamics.arm import Arm, joint_count
from dynamics.errors import NoClosedForm
from dynamics.inverse.poses import as_poses
from dynamics.kernels.decorators import inlined, kernel
from dynamics.kernels.vectors import UP, along, column, dot, matmul, times, vector

ROUNDING = 1e-12  # [m] closer than this to the end of a range of lengths is at its end
# [m] as much beyond the ring is still at its end: near the shoulder θ1 is that inexact
BEYOND = 1e-10
WRIST = 1e-10  # |s5| below which the wrist is singular
_EXACT = 1e-12  # [m, 1] what may be neglected in lengths, sines and cosines of an arm of UR type
NEAR_WRIST = 1e-3  # |s5| below which θ6 loses digits


def has_closed_form(arm: Arm) -> bool:
    """Whether the arm is of UR type.

    It has six joints, its twists, and lengths only in a2, a3, d1, d4, d5, d6.

    Raises ``BadInput``: its arrays do not fit each other.
    """
    joint_count(arm)
    in_python = is_of_ur_type.__wrapped__  # a world is checked without Numba
    return bool(in_python(arm.dh, arm.twist))


def require_closed_form(arm: Arm) -> None:
    """Raise ``NoClosedForm`` for an arm that is not of UR type, ``BadInput`` for its tool frame."""
    if not has_closed_form(arm):
        raise NoClosedForm(
            "closed-form inverse kinematics needs an arm of UR type (6 joints, axes 2, 3, 4 "
            "parallel); use numeric_inverse_kinematics"
        )
    as_poses(arm.tool, "the arm's tool frame")


@inlined
def is_of_ur_type(dh, twist):
    """Whether these Denavit-Hartenberg rows (n, 4) and twists (n, 2) are those of such an arm."""
    if dh.shape[0] != 6:
        return False
    cosine, sine = (0.0, 1.0, 1.0, 0.0, 0.0, 1.0), (1.0, 0.0, 0.0, 1.0, -1.0, 0.0)
    for i in range(6):
        if not (abs(twist[i, 0] - cosine[i]) <= _EXACT and abs(twist[i, 1] - sine[i]) <= _EXACT):
            return False
        link = i in (1, 2)
        if (abs(dh[i, 2]) <= _EXACT) == link or (link and not abs(dh[i, 1]) <= _EXACT):
            return False
    return True


@kernel
def solve_all_wanting(arm, T, theta6, solutions, branches):
    """Write every solution for pose ``T`` (4, 4) and return their number, 0 to 8.

    For calls from other kernels, without allocation or check: ``arm`` must have passed
    ``require_closed_form``, ``T`` be rigid. NaN in ``T`` gives no solution. ``theta6`` is wanted
    where the wrist is singular [rad]. Rows up to the count are written of ``solutions`` (8, 6)
    [rad] and ``branches`` (8, 3) int64.
    """
    dh = arm.dh
    d4, d5 = dh[3, 1], dh[4, 1]
    # rows of the rotation of T_base_flange = T_base_tool · T_flange_tool^-1
    r0 = matmul(arm.tool, vector(T, 0, 0))
    r1 = matmul(arm.tool, vector(T, 1, 0))
    r2 = matmul(arm.tool, vector(T, 2, 0))
    # the wrist centre, its height above the shoulder
    from_wrist = along(column(arm.tool, 3), dh[5, 1], UP)
    x = T[0, 3] - dot(r0, from_wrist)
    y = T[1, 3] - dot(r1, from_wrist)
    height = T[2, 3] - dot(r2, from_wrist) - dh[0, 1]
    forward = _along_arm(math.hypot(x, y), d4)
    if not forward >= 0.0:
        return 0
    singular_shoulder = forward == 0.0
    if singular_shoulder:
        forward = math.sqrt(2.0 * ROUNDING * abs(d4))
    count = 0
    # at the shoulder's singularity: which branches of the wrist have their solutions
    up_done = False
    down_done = False
    for attempt in range(3 if singular_shoulder else 2):
        ahead = _ahead(forward, attempt, singular_shoulder)
        shoulder = 1 if ahead >= 0.0 else -1
        c1, s1 = _base_direction(x, y, ahead, d4)
        theta1 = math.atan2(s1, c1)
        # the flange's axes along frame 1's axes x and z
        xx, yx, _ = along(times(c1, r0), s1, r1)
        xz, yz, c5 = along(times(s1, r0), -c1, r1)
        s5 = math.hypot(xz, yz)
        singular_wrist = s5 < WRIST
        if singular_wrist:
            s5 = 0.0
            wanted = theta6 + dh[5, 0]
            c6, s6 = math.cos(wanted), math.sin(wanted)
        else:
            c6, s6 = xz / s5, -yz / s5
        theta5 = math.atan2(s5, c5)
        angle6 = math.atan2(s6, c6)
        for wrist in (1, -1):
            if wrist < 0:
                if singular_wrist:
                    break
                c6, s6 = -c6, -s6
                theta5 = -theta5
                angle6 += math.pi
            if down_done if wrist < 0 else up_done:
                continue
            s234 = -(s6 * xx + c6 * yx)
            c234 = s6 * r2[0] + c6 * r2[1]
            if s5 < NEAR_WRIST:
                s234, c234 = reachable_turn(ahead, height, s234, c234, s5, d5, dh[1, 2], dh[2, 2])
                angle6 = math.atan2(c234 * r2[0] - s234 * xx, c234 * r2[1] - s234 * yx)
            before = count
            target = ahead - d5 * s234, height + d5 * c234
            angles = theta1, math.atan2(s234, c234), theta5, angle6
            count = _planar(dh, target, angles, (shoulder, wrist), solutions, branches, count)
            if singular_shoulder and count > before:
                up_done = up_done or wrist > 0 or singular_wrist
                down_done = down_done or wrist < 0 or singular_wrist
    return count


@inlined
def _ahead(forward, attempt, singular):
    """How far ahead of the shoulder along the arm the wrist centre lies, in one of its branches.

    At the shoulder's singularity it is 0, and as far off as ``ROUNDING`` allows only where 0 does
    not reach.
    """
    if singular:
        return forward * (0.0, 1.0, -1.0)[attempt]
    return forward if attempt == 0 else -forward


@inlined
def _base_direction(x, y, forward, d4):
    """Cosine and sine of θ1 from c1 x + s1 y = forward and s1 x − c1 y = d4."""
    c1 = forward * x - d4 * y
    s1 = forward * y + d4 * x
    length = math.hypot(c1, s1)
    return (c1 / length, s1 / length) if length > 0.0 else (1.0, 0.0)


@inlined
def _along_arm(distance, d4):
    """√(distance² − d4²), 0 at the shoulder singularity.

    It is −1 (or NaN) inside the cylinder of radius d4.
    """
    gap = distance - abs(d4)
    if abs(gap) <= ROUNDING:
        return 0.0
    return math.sqrt(gap * (distance + abs(d4))) if gap > 0.0 else -1.0


@inlined
def _planar(dh, target, angles, signs, solutions, branches, count):
    """The two positions of the links a2, a3 that reach the target (x, y) in the plane of the arm.

    ``angles``: θ1, θ234, θ5, θ6; ``signs``: the branches of shoulder and wrist.
    """
    a2, a3 = dh[1, 2], dh[2, 2]
    px, py = target
    theta1, theta234, theta5, theta6 = angles
    above, below = ring_gaps(math.hypot(px, py), a2, a3)
    if not (above >= 0.0 and below >= 0.0):
        return count
    if a2 * a3 < 0.0:
        above, below = below, above
    c3 = (below - above) / (below + above)
    s3 = 2.0 * math.sqrt(below * above) / (below + above)
    theta3 = math.atan2(s3, c3)
    for elbow in (1, -1):
        if elbow < 0:
            if s3 == 0.0:
                break
            s3 = -s3
            theta3 = -theta3
        k1 = a2 + a3 * c3
        k2 = a3 * s3
        theta2 = math.atan2(k1 * py - k2 * px, k1 * px + k2 * py)
        solutions[count, 0] = _wrapped(theta1 - dh[0, 0])
        solutions[count, 1] = _wrapped(theta2 - dh[1, 0])
        solutions[count, 2] = _wrapped(theta3 - dh[2, 0])
        solutions[count, 3] = _wrapped(theta234 - theta2 - theta3 - dh[3, 0])
        solutions[count, 4] = _wrapped(theta5 - dh[4, 0])
        solutions[count, 5] = _wrapped(theta6 - dh[5, 0])
        branches[count, 0], branches[count, 1] = signs
        branches[count, 2] = elbow
        count += 1
    return count


@inlined
def reachable_turn(cx, cy, s234, c234, s5, d5, a2, a3):
    """Near the wrist singularity: sine and cosine of a θ234 that is in reach.

    It is the given one, or the nearest that is. The two links must end at (cx, cy) − d5 (s234,
    −c234), on a circle about (cx, cy). Turning by an angle, together with θ6, turns the tool by s5
    times that angle; more than ``ROUNDING`` is not done. So at s5 = 0 any turn is allowed, and
    close to it one that makes up for the loss of digits in θ6. Where no turn helps, nothing is
    changed.
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


@inlined
def ring_gaps(length, a2, a3):
    """(outer² − length², length² − inner²) in m²; 0 at the ring's ends, negative beyond them."""
    outer, inner = abs(a2) + abs(a3), abs(abs(a2) - abs(a3))
    above, below = outer - length, length - inner
    above = 0.0 if -BEYOND <= above <= ROUNDING else above * (outer + length)
    below = 0.0 if -BEYOND <= below <= ROUNDING else below * (length + inner)
    return above, below


@inlined
def _wrapped(angle):
    """The angle in (−π, π]."""
    angle -= 2.0 * math.pi * np.ceil((angle - math.pi) / (2.0 * math.pi))
    return angle if angle > -math.pi else math.pi
