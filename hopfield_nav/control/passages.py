"""Passages: times for which the level is above ``detection.report``.

There may be an alarm in them or not. The detector judges a second time, with ``detection.report``
in the place of its threshold and a memory of its own. A *passage* begins where that level rises
above 1, and ends where it has fallen below ``rearm``.
"""

from dynamics.kernels.decorators import inlined
from dynamics.kernels.records import record


@record
class PassageNow:
    """The passage that goes on, or the last one."""

    on: bool = False  # whether one goes on
    level: float = 0.0  # that of this period, as a share of ``report``
    begin: float = 0.0  # when it began [s]
    peak: float = 0.0  # highest level since then


@inlined
def passage_turns(controller, rearm, sensed, belief, passage):
    """Whether a passage begins or ends in this period; reads the frames in ``controller.work``."""
    reporter, work = controller.reporter, controller.work
    before = passage.on
    passage.level = reporter.kernel(
        controller.model,
        sensed,
        reporter.parameters,
        reporter.memory,
        work,
        belief.tau_external,
        belief.wrench,
    )
    passage.on = passage.level > 1.0 or (before and passage.level >= rearm)
    if passage.on and not before:
        passage.begin = sensed.time[0]
        passage.peak = passage.level
    elif passage.on:
        passage.peak = max(passage.peak, passage.level)
    return passage.on != before
