"""The wrench at the flange: what everything beyond it exerts on the arm.

A sensor there feels it. Beyond the flange are a tool without mass and a ``Load`` that is fixed to
it. The flange exerts -(f, n) on them, so Newton's and Euler's equations of that body, with the
wrench (F, N) of the world on it, are

    m a_c = F + m g - f,    I alpha + omega x I omega + c x m (a_c - g) = N - n

about the origin of the flange frame, c from there to the centre of mass. At rest without contact
(f, n) is the weight; of an arm at rest with a tool without mass it is what the world exerts.

Source: Newton-Euler of the last body, ragazzon2012 (3.9)-(3.15), cut at the flange instead of at
joint n.
"""

from typing import NamedTuple

import numpy as np

from dynamics.arm import Arm, joint_count
from dynamics.batches import as_rows, rows_like
from dynamics.kernels.decorators import inlined, kernel
from dynamics.kernels.vectors import (
    UP,
    ZERO,
    add,
    add_three,
    along,
    carried,
    column,
    cross,
    into_axes,
    sub,
    three,
    times,
    torque_of,
    vector,
)
from dynamics.kinematics import update_frames, update_tool_position
from dynamics.work import Work, make_work


class Load(NamedTuple):
    """A body that is fixed to the flange."""

    mass: float  # [kg]
    center_of_mass: np.ndarray  # (3,) in the flange frame [m]
    inertia: np.ndarray  # (3, 3) about the centre of mass, flange axes [kg·m²]


def make_load(mass: float = 0.0, center_of_mass: object = 0.0, inertia: object = 0.0) -> Load:
    """A load from its numbers; by default none."""
    center = np.zeros(3) + np.asarray(center_of_mass, dtype=np.float64)
    return Load(float(mass), center, np.zeros((3, 3)) + np.asarray(inertia, dtype=np.float64))


def flange_wrench(
    arm: Arm,
    q: np.ndarray,
    qd: np.ndarray,
    qdd: np.ndarray,
    load: Load | None = None,
    wrench: np.ndarray | None = None,
) -> np.ndarray:
    """What tool and load exert on the flange of a moving arm.

    (..., 6) force, moment [N, N·m], flange axes. The moment is about the origin of the flange
    frame. The arm's own masses do not matter; q, qd and qdd are (..., n), and the wrench (..., 6)
    is what the world exerts on the tool, at its point, in base axes [N, N·m].

    Source: the equations above.
    """
    n = joint_count(arm)
    (q, qd, qdd), lead = as_rows(n, q=q, qd=qd, qdd=qdd)
    outside = np.zeros((len(q), 6)) if wrench is None else rows_like(wrench, 6, "wrench", lead)
    given = make_load() if load is None else make_load(*load)
    return _flange_wrench_batch(arm, given, q, qd, qdd, outside, make_work(n)).reshape(*lead, 6)


@inlined
def add_load_wrench(load, gravity, qd, qdd, work, share, wrench):
    """Add ``share`` times the wrench (6,) of the load's weight and inertia on the flange.

    It is in flange axes. Reads the frames in ``work``.
    """
    mass, inertia, center = load.mass, load.inertia, load.center_of_mass
    if mass == 0.0 and inertia[0, 0] + inertia[1, 1] + inertia[2, 2] == 0.0:
        return
    # velocity, acceleration; that of the frame's origin
    w = ZERO
    d = ZERO
    a = times(-1.0, three(gravity, 0))
    axis, n = UP, qd.size
    for i in range(n):  # outward, in base axes
        d = add(d, along(times(qdd[i], axis), qd[i], cross(w, axis)))
        w = along(w, qd[i], axis)
        a = add(a, carried(w, d, sub(vector(work.origin, i + 1, 0), vector(work.origin, i, 0))))
        axis = column(work.rotation[i], 2)
    turn = work.rotation[n - 1]
    w, d, a = into_axes(turn, w), into_axes(turn, d), into_axes(turn, a)
    c = three(center, 0)
    force = times(mass, add(a, carried(w, d, c)))
    _add_wrench(-share, force, add(torque_of(inertia, w, d), cross(c, force)), wrench)


@inlined
def add_outer_wrench(work, force, moment, wrench):
    """Add a force and its moment about the base origin to a flange ``wrench`` (6,).

    Both are in base axes.
    """
    n = work.rotation.shape[0]
    turn, moment = work.rotation[n - 1], sub(moment, cross(vector(work.origin, n, 0), force))
    _add_wrench(1.0, into_axes(turn, force), into_axes(turn, moment), wrench)


@inlined
def _add_wrench(share, force, moment, wrench):
    add_three(wrench, 0, times(share, force))
    add_three(wrench, 3, times(share, moment))


@kernel
def _flange_wrench_batch(
    arm: Arm,
    load: Load,
    q: np.ndarray,
    qd: np.ndarray,
    qdd: np.ndarray,
    outside: np.ndarray,
    work: Work,
) -> np.ndarray:
    out = np.zeros((q.shape[0], 6))
    for row in range(q.shape[0]):
        update_frames(arm, q[row], work)
        update_tool_position(arm, work)
        add_load_wrench(load, arm.gravity, qd[row], qdd[row], work, 1.0, out[row])
        force = vector(outside, row, 0)
        moment = add(vector(outside, row, 3), cross(column(work.tool, 3), force))
        add_outer_wrench(work, force, moment, out[row])
    return out
