"""The numbers that a summary and a score are made of: name, unit, words, how to print them.

The one table of them: tables of ``run`` and ``compare``, columns of sweeps and the axes of their
figures are made from it. It loads nothing, so that ``check`` and ``--help`` may read it.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple


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

    def fits(self, value: object) -> bool:
        """Whether it may be the value of a run."""
        if self.words:
            return value is None or value in self.words
        kind = str if self.unit is None else (int, float, type(None))
        return isinstance(value, kind) and not isinstance(value, bool)

    def text(self, value: object) -> str:
        """A value as tables show it."""
        return as_text(value, self.shown, self.scale)


def as_text(value: object, unit: str, scale: float) -> str:
    """A value as a table shows it.

    Four digits, unit behind, a dash for none and for what is no finite number.
    """
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return "–"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    number = f"{value * scale:.4g}" if isinstance(value, float) or scale != 1.0 else str(value)
    return f"{number} {unit}".strip()


def is_formula(text: str) -> bool:
    """Whether a spreadsheet would compute a cell of text: https://owasp.org/www-community/attacks/CSV_Injection."""
    return text.startswith(("=", "+", "-", "@", "\t", "\r"))


def is_reached(told: Mapping[str, object]) -> bool:
    """Whether a summary, or a row of a sweep, is of a run that came to its goal.

    And not through an obstacle.
    """
    return told.get("outcome") == "reached" and not told.get("passed_through")


def summary_rows(summary: Mapping[str, Any], keys: Iterable[str]) -> list[tuple[str, str]]:
    """Some numbers of a summary as a table of two columns, what is imperfect, and warnings."""
    words = {key: f" ({word})" for key, word in MEANT.items()}
    rows = [
        (SUMMARY[k].label, SUMMARY[k].text(summary[k]) + words.get(k, ""))
        for k in keys
        if k in summary
    ]
    rows += [
        ("imperfect", f"{key} = {value}") for key, value in summary.get("imperfections", {}).items()
    ]
    return rows + [("warning", warning) for warning in summary.get("warnings", [])]


# what an outcome ``no_path`` rests on: ``navigation.motion.Grade``
GRADES = ("facts", "probable", "doubtful", "excluded", "planner")

_SCALES = {"ms": 1e3, "mm": 1e3, "%": 1e2}  # of printed units other than those of files
_OF_THE_MACHINE = ("wall_time_s", "real_time_factor", "replan_wall_time_median_s")


def _table(*rows: tuple[str, str, str | None, str, str]) -> dict[str, Quantity]:
    """Quantities by name, of rows: name, label, unit, printed unit, long name."""
    return {
        name: Quantity(
            label, unit, long_name, shown, _SCALES.get(shown, 1.0), name not in _OF_THE_MACHINE,
            GRADES if name == "no_path_grade" else (),
        )
        for name, label, unit, shown, long_name in rows
    }  # fmt: skip


SUMMARY = _table(
    ("outcome", "outcome", None, "", "how the run ended"),
    ("reason", "reason", None, "", "why it ended"),
    ("no_path_grade", "grade of no path", None, "", "what an outcome no_path rests on; none for other outcomes"),
    ("no_path_error_bound", "error bound of no path", "1", "",
     "bound of the probability that an outcome no_path of the grades facts and probable is wrong; none "
     "for others"),
    ("simulated_time_s", "simulated time", "s", "s", "simulated time"),
    ("wall_time_s", "wall time", "s", "s", "computing time"),
    ("real_time_factor", "real-time factor", "1", "", "simulated time over computing time"),
    ("collision_count", "collisions", "1", "", "detections from which the arm went back, false alarms included"),
    ("graze_count", "grazes", "1", "", "detections that the arm passed by, false alarms included"),
    ("slide_count", "slides", "1", "", "times that the arm slid along what it felt"),
    ("slide_time_s", "time of sliding", "s", "s", "sum of these times"),
    ("false_alarm_count", "false alarms", "1", "", "detections with nothing touched then or in the 50 ms before"),
    ("repeated_alarm_count", "repeated alarms", "1", "", "collisions on a contact that was answered by one already"),
    ("contact_count", "true contacts", "1", "", "true contacts"),
    ("silent_contact_count", "missed contacts", "1", "", "true contacts for which no alarm came"),
    ("silent_peak_force_N", "peak force of missed contacts", "N", "N", "largest true force of the missed contacts"),
    ("final_tool_error_m", "final tool error", "m", "mm", "distance of the tool from the goal at the end"),
    ("final_sensed_error_m", "final sensed error", "m", "mm", "the same, as the control computer has it at the end"),
    ("peak_contact_force_N", "peak contact force", "N", "N", "largest true contact force"),
    ("peak_contact_force_time_s", "time of the peak force", "s", "s", "time of the largest true contact force"),
    ("first_impact_peak_force_N", "peak force of the first impact", "N", "N",
     "largest true force of the first contact"),
    ("largest_penetration_m", "largest penetration", "m", "mm", "largest overlap of the arm and an obstacle"),
    ("least_self_distance_m", "least distance to itself", "m", "mm",
     "least distance of the arm from itself, on a map of joints"),
    ("passed_through", "passed through an obstacle", "1", "", "1 where the arm may have passed through an obstacle"),
    ("detection_delay_median_s", "detection delay, median", "s", "ms", "from first touch to detection, median"),
    ("detection_delay_max_s", "detection delay, largest", "s", "ms", "from first touch to detection, largest"),
    ("saturated_share", "saturated share", "1", "%", "share of control periods with a saturated motor"),
    ("damped_estimate_share", "share of damped estimates", "1", "%", "share of control periods with a damped estimate"),
    ("felt_cell_count", "felt cells", "1", "", "cells marked, or believed to be occupied, on the map at the end"),
    ("closed_step_count", "closed steps", "1", "", "steps between cells that touches proved to be closed"),
    ("replan_wall_time_median_s", "time of a replan, median", "s", "ms", "computing time of a replan, median"),
)  # fmt: skip

SCORE = _table(
    ("estimator", "estimator", None, "", "force estimator"),
    ("measure", "measure", None, "", "detector"),
    ("missed_count", "missed contacts", "1", "", "true contacts for which no alarm came"),
    ("delay_p50_s", "delay, median", "s", "ms", "from a contact's start to its alarm, median"),
    ("delay_p95_s", "delay, 95 %", "s", "ms", "the same, 95 % quantile"),
    ("delay_max_s", "delay, largest", "s", "ms", "the same, largest"),
    ("force_at_alarm_p50_N", "force at the alarm, median", "N", "N", "true contact force when the alarm came, median"),
    ("force_at_alarm_max_N", "force at the alarm, largest", "N", "N",
     "true contact force when the alarm came, largest"),
    ("force_before_reaction_p50_N", "peak force up to the alarm, median", "N", "N",
     "largest true force up to the alarm, median"),
    ("force_before_reaction_max_N", "peak force up to the alarm, largest", "N", "N",
     "largest true force up to the alarm, largest"),
    ("false_alarms_per_hour", "false alarms per hour of free motion", "1/h", "1/h",
     "false alarms per hour without contact"),
    ("false_alarms_per_hour_low", "… 95 % interval, low", "1/h", "1/h", "low end of its interval"),
    ("false_alarms_per_hour_high", "… 95 % interval, high", "1/h", "1/h", "high end of its interval"),
    ("force_error_rms_N", "error of the force in contact, rms", "N", "N", "estimated less true force in contact, rms"),
    ("map_error_m", "mean distance of marks from an obstacle", "m", "mm", "of marked cells from the nearest surface"),
    ("place_error_p50_m", "distance of felt places, median", "m", "mm", "of the likeliest place from where it touched"),
    ("place_within_4cm_share", "felt places within 4 cm", "1", "%", "share of the likeliest places that near"),
    ("place_link_share", "felt on the right link", "1", "%", "share of the likeliest places"),
)  # fmt: skip

SHOWN = (  # of a summary at the end of a run, in this order
    "outcome", "reason", "simulated_time_s", "wall_time_s", "real_time_factor",
    "collision_count", "graze_count", "contact_count", "silent_contact_count", "false_alarm_count",
    "peak_contact_force_N",
    "detection_delay_median_s", "detection_delay_max_s", "final_tool_error_m", "saturated_share",
)  # fmt: skip

MEANT = {  # a word to each count of touches, where they stand together
    "collision_count": "stopped", "graze_count": "passed by", "contact_count": "touched",
    "silent_contact_count": "no alarm", "false_alarm_count": "no contact",
}  # fmt: skip
