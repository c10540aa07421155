"""Touches of a run by their numbers, which count from 1: the third touch is touch 3."""

import numpy as np

from dynamics import BadInput
from hopfield_nav.record import Run


def after_touch(count: int) -> str:
    """Where a run stands after so many touches, in words."""
    return f"after touch {count}" if count else "at the start"


def require_touch(run: Run, touch: int) -> int:
    """The event of a touch, from 0.

    Raises ``BadInput``: the run has no such touch.
    """
    count = run.data.sizes["event"]
    if not 1 <= touch <= count:
        allowed = f"1 to {count}" if count else "none: nothing was felt in this run"
        raise BadInput("no such touch", where="touch", found=touch, allowed=allowed)
    return touch - 1


def require_true_touch(run: Run, touch: int) -> int:
    """The event of a touch at which something truly was touched, from 0.

    Raises ``BadInput``: the run has no such touch, or it was a false alarm.
    """
    event = require_touch(run, touch)
    is_true = np.isfinite(run.data.touch_time.values)
    if not is_true[event]:
        known = ", ".join(str(k + 1) for k in np.flatnonzero(is_true))
        what = "a false alarm, at which nothing was touched"
        raise BadInput(what, where="touch", found=touch, allowed=known or "none")
    return event
