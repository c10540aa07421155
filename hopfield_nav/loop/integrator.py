"""A step of RK4 or of semi-implicit Euler for angles and speeds; the caller finds the accelerations.

``motion`` is (angles, speeds), ``at`` the same of a stage with its accelerations, ``sums`` weighted sums of speeds
and accelerations over the stages; each an (n,) array. Euler's step is the first stage alone.
"""

from dynamics.kernels.decorators import inlined


@inlined
def stage_time(stage, step):
    """How far into the step a stage of RK4 is, counted from 0 [s]."""
    if stage == 0:
        return 0.0
    return step if stage == 3 else 0.5 * step


@inlined
def begin_stage(stage, step, motion, at):
    """Write angles and speeds of a stage, from those of the one before."""
    (q, qd), (qs, qds, qdds), ahead = motion, at, stage_time(stage, step)
    for i in range(q.size):
        if stage == 0:
            qs[i], qds[i] = q[i], qd[i]
        else:
            qs[i], qds[i] = q[i] + ahead * qds[i], qd[i] + ahead * qdds[i]


@inlined
def end_stage(stage, at, sums):
    """Add what a stage has found to the sums."""
    (_, qds, qdds), (sum_qd, sum_qdd), weight = at, sums, 2.0 if stage == 1 or stage == 2 else 1.0
    for i in range(qds.size):
        if stage == 0:
            sum_qd[i], sum_qdd[i] = 0.0, 0.0
        sum_qd[i] += weight * qds[i]
        sum_qdd[i] += weight * qdds[i]


@inlined
def end_step(stages, step, motion, sums):
    """Move on by the step, after one stage (Euler) or four."""
    (q, qd), (sum_qd, sum_qdd) = motion, sums
    for i in range(q.size):
        if stages == 1:
            qd[i] += step * sum_qdd[i]
            q[i] += step * qd[i]
        else:
            q[i] += step / 6.0 * sum_qd[i]
            qd[i] += step / 6.0 * sum_qdd[i]
