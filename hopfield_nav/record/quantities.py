"""The numbers that a summary and a score are made of: name, unit, words, how to print them.

The one table of them: tables of ``run`` and ``compare``, columns of sweeps and the axes of their figures are
made from it. It loads nothing, so that ``check`` and ``--help`` may read it.
"""

from typing import NamedTuple


class Quantity(NamedTuple):
    """A number or word of a run."""

    label: str  # what tables and axes call it
    unit: str | None  # as data files say it; None for text
    long_name: str  # in a sentence's words
    shown: str = ""  # unit in printed tables
    scale: float = 1.0  # what a value is multiplied by for that unit
    repeatable: bool = True  # whether the same run gives the same value on every machine
    # the words that a text may be, besides none; empty where it may be any, but not none
    words: tuple[str, ...] = ()

    @property
    def axis(self) -> str:
        """Label and unit for an axis; a count has none."""
        counted = self.unit is None or (self.unit == "1" and self.scale == 1.0 and self.repeatable)
        return self.label if counted else f"{self.label} ({self.unit})"

    def text(self, value: object) -> str:
        """A value as tables show it."""
        return as_text(value, self.shown, self.scale)


def as_text(value: object, unit: str, scale: float) -> str:
    """A value as a table shows it: four digits, unit behind, a dash for none."""
    if value is None:
        return "–"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    number = f"{value * scale:.4g}" if isinstance(value, float) or scale != 1.0 else str(value)
    return f"{number} {unit}".strip()


GRADES = ("facts", "probable", "doubtful")  # what an outcome ``no_path`` rests on

SUMMARY = {
    "outcome": Quantity("outcome", None, "how the run ended"),
    "reason": Quantity("reason", None, "why it ended"),
    "no_path_grade": Quantity(
        "grade of no path", None, "what an outcome no_path rests on; none for other outcomes", words=GRADES
    ),
    "no_path_error_bound": Quantity(
        "error bound of no path",
        "1",
        "bound of the probability that an outcome no_path of the grades facts and "
        "probable is wrong; none for others",
    ),
    "simulated_time_s": Quantity("simulated time", "s", "simulated time", "s"),
    "wall_time_s": Quantity("wall time", "s", "computing time", "s", repeatable=False),
    "real_time_factor": Quantity(
        "real-time factor", "1", "simulated time over computing time", repeatable=False
    ),
    "collision_count": Quantity(
        "collisions", "1", "detections from which the arm went back, false alarms included"
    ),
    "graze_count": Quantity("grazes", "1", "detections that the arm passed by, false alarms included"),
    "slide_count": Quantity("slides", "1", "times that the arm slid along what it felt"),
    "slide_time_s": Quantity("time of sliding", "s", "sum of these times", "s"),
    "false_alarm_count": Quantity("false alarms", "1", "detections with nothing touched in the 50 ms before"),
    "repeated_alarm_count": Quantity(
        "repeated alarms", "1", "collisions on a contact that was answered by one already"
    ),
    "contact_count": Quantity("true contacts", "1", "true contacts"),
    "silent_contact_count": Quantity("missed contacts", "1", "true contacts that no alarm answered"),
    "silent_peak_force_N": Quantity(
        "peak force of missed contacts", "N", "largest true force of contacts that no alarm answered", "N"
    ),
    "final_tool_error_m": Quantity(
        "final tool error", "m", "distance of the tool from the goal at the end", "mm", 1e3
    ),
    "final_sensed_error_m": Quantity(
        "final sensed error", "m", "the same, as the control computer has it at the end", "mm", 1e3
    ),
    "peak_contact_force_N": Quantity("peak contact force", "N", "largest true contact force", "N"),
    "peak_contact_force_time_s": Quantity(
        "time of the peak force", "s", "time of the largest true contact force", "s"
    ),
    "first_impact_peak_force_N": Quantity(
        "peak force of the first impact", "N", "largest true force of the first contact", "N"
    ),
    "largest_penetration_m": Quantity(
        "largest penetration", "m", "largest overlap of the arm and an obstacle", "mm", 1e3
    ),
    "least_self_distance_m": Quantity(
        "least distance to itself",
        "m",
        "least distance of the arm from itself, on a map of joints",
        "mm",
        1e3,
    ),
    "passed_through": Quantity(
        "passed through an obstacle", "1", "1 where the arm may have passed through an obstacle"
    ),
    "detection_delay_median_s": Quantity(
        "detection delay, median", "s", "from first touch to detection, median", "ms", 1e3
    ),
    "detection_delay_max_s": Quantity(
        "detection delay, largest", "s", "from first touch to detection, largest", "ms", 1e3
    ),
    "saturated_share": Quantity(
        "saturated share", "1", "share of control periods with a saturated motor", "%", 1e2
    ),
    "damped_estimate_share": Quantity(
        "share of damped estimates", "1", "share of control periods with a damped estimate", "%", 1e2
    ),
    "felt_cell_count": Quantity(
        "felt cells", "1", "cells marked, or believed to be occupied, on the map at the end"
    ),
    "closed_step_count": Quantity(
        "closed steps", "1", "steps between cells that touches proved to be closed"
    ),
    "replan_wall_time_median_s": Quantity(
        "time of a replan, median", "s", "computing time of a replan, median", "ms", 1e3, repeatable=False
    ),
}

SCORE = {
    "estimator": Quantity("estimator", None, "force estimator"),
    "measure": Quantity("measure", None, "detector"),
    "missed_count": Quantity("contacts missed", "1", "true contacts without an alarm"),
    "delay_p50_s": Quantity("delay, median", "s", "from a contact's start to its alarm, median", "ms", 1e3),
    "delay_p95_s": Quantity("delay, 95 %", "s", "the same, 95 % quantile", "ms", 1e3),
    "delay_max_s": Quantity("delay, largest", "s", "the same, largest", "ms", 1e3),
    "force_before_reaction_p50_N": Quantity(
        "force at the alarm, median", "N", "largest true force up to the alarm, median", "N"
    ),
    "force_before_reaction_max_N": Quantity(
        "force at the alarm, largest", "N", "largest true force up to the alarm, largest", "N"
    ),
    "false_alarms_per_hour": Quantity(
        "false alarms per hour of free motion", "1/h", "false alarms per hour without contact", "1/h"
    ),
    "false_alarms_per_hour_low": Quantity("… 95 % interval, low", "1/h", "low end of its interval", "1/h"),
    "false_alarms_per_hour_high": Quantity("… 95 % interval, high", "1/h", "high end of its interval", "1/h"),
    "force_error_rms_N": Quantity(
        "error of the force in contact, rms", "N", "estimated less true force in contact, rms", "N"
    ),
    "map_error_m": Quantity(
        "mean distance of marks from an obstacle", "m", "of marked cells from the nearest surface", "mm", 1e3
    ),
    "place_error_p50_m": Quantity(
        "distance of felt places, median", "m", "of the likeliest place from where it touched", "mm", 1e3
    ),
    "place_within_4cm_share": Quantity(
        "felt places within 4 cm", "1", "share of the likeliest places that near", "%", 1e2
    ),
    "place_link_share": Quantity("felt on the right link", "1", "share of the likeliest places", "%", 1e2),
}

SHOWN = (  # of a summary at the end of a run, in this order
    "outcome", "reason", "simulated_time_s", "wall_time_s", "real_time_factor",
    "collision_count", "graze_count", "contact_count", "silent_contact_count", "false_alarm_count",
    "peak_contact_force_N",
    "detection_delay_median_s", "detection_delay_max_s", "final_tool_error_m", "saturated_share",
)  # fmt: skip

MEANT = {  # a word to each count of touches, where they stand together
    "collision_count": "stopped", "graze_count": "passed by", "contact_count": "touched",
    "silent_contact_count": "unfelt", "false_alarm_count": "imagined",
}  # fmt: skip
