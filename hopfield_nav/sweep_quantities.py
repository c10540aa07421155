"""The quantities of a run's summary that a sweep can keep: unit and meaning of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dynamics.errors import BadInput, nearest_name


class Quantity(NamedTuple):
    """A column of a sweep's table.

    Attributes:
        unit: as the data file says it; None for text.
        long_name: in words.
        repeatable: whether the same run gives the same value on every machine.
    """

    unit: str | None
    long_name: str
    repeatable: bool = True


QUANTITIES = {
    "outcome": Quantity(None, "how the run ended"),
    "reason": Quantity(None, "why it ended"),
    "simulated_time_s": Quantity("s", "simulated time"),
    "wall_time_s": Quantity("s", "computing time", repeatable=False),
    "real_time_factor": Quantity("1", "simulated time over computing time", repeatable=False),
    "collision_count": Quantity("1", "detections, false alarms included"),
    "false_alarm_count": Quantity("1", "detections with nothing touched in the 50 ms before"),
    "contact_count": Quantity("1", "true contacts"),
    "final_tool_error_m": Quantity("m", "distance of the tool from the goal at the end"),
    "peak_contact_force_N": Quantity("N", "largest true contact force"),
    "peak_contact_force_time_s": Quantity("s", "time of the largest true contact force"),
    "first_impact_peak_force_N": Quantity("N", "largest true force of the first contact"),
    "detection_delay_median_s": Quantity("s", "from first touch to detection, median"),
    "detection_delay_max_s": Quantity("s", "from first touch to detection, largest"),
    "saturated_share": Quantity("1", "share of control periods with a saturated motor"),
    "damped_estimate_share": Quantity("1", "share of control periods with a damped estimate"),
    "felt_cell_count": Quantity("1", "cells marked on the map at the end"),
    "replan_wall_time_median_s": Quantity("s", "computing time of a replan, median", repeatable=False),
}
DEFAULT = tuple(name for name, quantity in QUANTITIES.items() if quantity.repeatable)


def check_quantities(names: Sequence[str]) -> tuple[str, ...]:
    """The names of the columns to keep; ``outcome`` is always the first of them.

    Raises:
        BadInput: a name is unknown or given twice; ``where`` is its position.
    """
    for i, name in enumerate(names):
        if name not in QUANTITIES:
            raise BadInput(
                "unknown quantity",
                where=str(i),
                found=name,
                allowed=", ".join(QUANTITIES),
                nearest=nearest_name(name, QUANTITIES),
            )
        if name in names[:i]:
            raise BadInput("quantity given twice", where=str(i), found=name)
    return ("outcome", *(name for name in names if name != "outcome"))
