"""Rows are sent when they are due, and how late each was is kept."""

from __future__ import annotations

import numpy as np
from served import heard, in_a_thread, moving, telling


def test_rows_that_are_late_do_not_move_those_after_them():
    """The last row of a log at four times its speed is no later than the others."""
    told = telling(moving(2.0))
    with in_a_thread(told, speed=4.0) as server:
        rows, _, _ = heard(server.address)
    late = np.array([server.late[row] for row in sorted(server.late)])
    assert len(late) == len(rows) == len(told.time)
    assert late.min() >= 0.0
    assert late[-1] < np.quantile(late, 0.9) + 0.05


def test_a_log_of_which_nothing_was_sent_has_no_lateness():
    with in_a_thread(telling(moving(1.0))) as server:
        pass
    assert server.late == {}
