"""The log of the compiled loop: its columns, and writing a row of them.

``closed_loop`` and ``mujoco_plant`` write rows, ``run`` labels them.
"""

from __future__ import annotations

from dynamics.compiled import inlined


def log_columns(n: int) -> dict[str, slice]:
    """Columns of the log by signal, in the order in which ``write_row`` and ``write_truth`` write them."""
    widths = {
        "time": 1, "q": n, "qd": n, "q_ref": n, "qd_ref": n, "qdd_ref": n, "tau": n,
        "q_sensed": n, "qd_sensed": n, "tau_external_estimate": n,
        "force_estimate": 3, "moment_estimate": 3, "level": 1, "detected": 1, "estimate_damped": 1,
        "tau_external": n, "tau_friction": n,
        "tool_position": 3, "force": 3, "contact_link": 1, "contact_point": 3, "contact_force": 3,
    }  # fmt: skip
    columns, start = {}, 0
    for name, width in widths.items():
        columns[name] = slice(start, start + width)
        start += width
    return columns


def log_width(n: int) -> int:
    """Number of columns."""
    return log_columns(n)["contact_force"].stop


@inlined
def write_row(log, state, time):
    """Append a row with what is known before the step: state, reference, torque, belief."""
    row, n = state.row[0], state.q.size
    sensed, belief = state.sensed, state.belief
    q, qd, q_ref, qd_ref = state.q, state.qd, sensed.q_ref, sensed.qd_ref
    qdd_ref, tau, q_sensed, qd_sensed = sensed.qdd_ref, sensed.tau, sensed.q, sensed.qd
    external, wrench = belief.tau_external, belief.wrench
    log[row, 0] = time
    for i in range(n):
        log[row, 1 + i] = q[i]
        log[row, 1 + n + i] = qd[i]
        log[row, 1 + 2 * n + i] = q_ref[i]
        log[row, 1 + 3 * n + i] = qd_ref[i]
        log[row, 1 + 4 * n + i] = qdd_ref[i]
        log[row, 1 + 5 * n + i] = tau[i]
        log[row, 1 + 6 * n + i] = q_sensed[i]
        log[row, 1 + 7 * n + i] = qd_sensed[i]
        log[row, 1 + 8 * n + i] = external[i]
    start = 1 + 9 * n
    for k in range(6):
        log[row, start + k] = wrench[k]
    log[row, start + 6] = belief.level[0]
    log[row, start + 7] = state.alarm[0]
    log[row, start + 8] = belief.damped[0]
    state.alarm[0] = 0.0
    state.row[0] = row + 1


@inlined
def write_truth(log, state):
    """Complete the row with what the integrator's first stage has shown: contact and friction."""
    row, n, truth = state.row[0] - 1, state.q.size, state.truth
    external, friction, tool, touch = truth.external, truth.friction, truth.tool, truth.touch
    start = 10 + 9 * n
    for i in range(n):
        log[row, start + i] = external[i]
        log[row, start + n + i] = friction[i]
    start += 2 * n
    for k in range(3):
        log[row, start + k] = tool[k]
    for k in range(10):
        log[row, start + 3 + k] = touch[k]
