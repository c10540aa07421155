"""Tables of the pages from what a bench has left behind.

    hopfield-nav bench touch
    python scripts/bench_tables.py touch runs/touch --out docs/touches.md

The first command runs the suite on every core and can be resumed; the second prints the suite's tables, and
with ``--out`` writes those that have a mark on that page.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import bench_columns as c
import numpy as np
from measured_part import parts, table, tell

from hopfield_nav.record import alarm_rate, share_interval
from hopfield_nav.sweeps import parse_line

Line = tuple[str, str, str]  # family, condition and the methods that are put side by side


class Part(NamedTuple):
    """One table.

    Attributes:
        mark: on its page; parts of one mark are one table.
        name: of a line, from family, condition and its last method.
        columns: by their head.
        methods: that a line puts side by side; None: every method has a line.
        where: which lines there are, of the same three.
        head: of the first column.
        whole: also lines of all families together.
    """

    mark: str
    name: Callable[[str, str, str], str]
    columns: dict[str, c.Cell]
    methods: Sequence[str] | None = None
    where: Callable[[str, str, str], bool] = lambda family, condition, method: True
    head: str = ""
    whole: bool = False


class Pivot(NamedTuple):
    """A table with a column for every condition, or what else ``column`` tells; attributes as of ``Part``."""

    mark: str
    name: Callable[[str, str, str], str]
    column: Callable[[str, str, str], str]
    cell: c.Cell
    head: str


TOUCHES = {
    "worlds": c.worlds,
    "reached, path with 5 mm": c.share(c.reached, c.counts),
    "with 2 mm": c.share(c.reached, c.narrow),
    "false `no_path`": c.count(c.gave_up),
    "collisions on contacts": c.on("collision_count", "contact_count"),
    "grazes": c.total("graze_count"),
    "answered once": c.sums("once", "strong"),
    "not at all": c.sums("missed", "strong"),
    "time to the goal": c.of("simulated_time_s", "{:.1f} s"),
}
SOON = 0.03  # [s] within which a second obstacle is to be felt
SECOND = {
    "touches": c.count(lambda r: r["delay_s"] is not None),
    "delay, median": c.of("delay_s", "{:.0f} ms", np.median, lambda r: True, 1e3),
    "largest": c.of("delay_s", "{:.0f} ms", np.max, lambda r: True, 1e3),
    f"within {1e3 * SOON:.0f} ms": c.share(
        lambda r: r["delay_s"] <= SOON, lambda r: r["delay_s"] is not None, 0
    ),
}
PAIRS = {
    "worlds": c.worlds,
    "reached": c.beside(c.reached, "{:.0f}", how=np.sum, alike=False),
    "false `no_path`": c.beside(c.gave_up, "{:.0f}", how=np.sum, alike=False),
    "collisions": c.beside("collision_count", "{:.1f}"),
    "in contact": c.beside("contact_time_s", "{:.2f}", " s"),
    "time": c.beside("simulated_time_s", "{:.1f}", " s"),
    "the tool's way": c.beside("way_m", "{:.2f}", " m"),
    "largest force, mean": c.beside("peak_contact_force_N", "{:.1f}", " N"),
    "faster in": c.faster,
    "time, median of ratios": c.ratio_of_times,
}
WORLDS = {
    "outcome": c.first("outcome", "`{}`"),
    "collisions": c.first("collision_count"),
    "in contact": c.first("contact_time_s", "{:.1f}"),
    "time [s]": c.first("simulated_time_s", "{:.1f}"),
    "the tool's way [m]": c.first("way_m", "{:.2f}"),
    "largest force [N]": c.first("peak_contact_force_N", "{:.0f}"),
    "strides": c.first("strides"),
}
LAW = {
    "warned of": lambda m: "yes" if m[0][0]["warned"] else "no",
    "error of the force, rms [N]": c.first("force_error_rms_N", "{:.2f}"),
    "contact lost": c.of("contact_lost", "{:.1f} %", where=lambda r: True, scale=100.0),
    "normal off, median, largest [°]": lambda m: (
        f"{m[0][0]['angle_median_deg']:.2f}, {m[0][0]['angle_max_deg']:.2f}"
    ),
    "speed of the tool [mm/s]": c.first("speed_mm_s", "{:.0f}"),
}
ENCLOSED = {
    "outcome": c.first("outcome", "`{}`"),
    "collisions": c.first("collision_count"),
    "facts": c.first("closed_step_count"),
    "smallest cut": c.first("smallest_cut"),
    "of steps that can be touched": c.first("touchable_cut"),
}
OLDER = {
    "outcome": c.first("outcome", "`{}`"),
    "time [s]": c.first("simulated_time_s", "{:.1f}"),
    "collisions on contacts": lambda m: " / ".join(
        c.on("collision_count", "contact_count", False)([rows]) for rows in m
    ),
    "largest force [N]": c.first("peak_contact_force_N", "{:.0f}"),
}


def _error(methods: list[c.Rows]) -> str:
    squares, rows = (sum(r[key] or 0 for r in methods[0]) for key in ("error_squared_N2", "pressed_rows"))
    return f"{np.sqrt(squares / rows):.1f}" if rows else "–"


def _counted(methods: list[c.Rows]) -> str:
    pairs = c.listed(methods[0], "angles_deg")
    return c.quantiles(np.repeat(pairs[:, 0], pairs[:, 1].astype(int)))


WRIST = {
    "reached": c.share(c.reached, c.counts, 0),
    "collisions on contacts": c.on("collision_count", "contact_count", False),
    "not felt": c.total("silent_contact_count"),
    "false alarms": c.total("false_alarm_count"),
    "peak force, median, largest [N]": lambda m: "{:.0f}, {:.0f}".format(
        *(how([c.number("peak_contact_force_N")(r) for r in m[0]]) for how in (np.median, np.max))
    ),
    "time to the goal [s]": c.of("simulated_time_s", "{:.1f}"),
    "delay, median, p95 [ms]": lambda m: c.quantiles(c.listed(m[0], "delays_ms")),
    "error of the force, rms [N]": _error,
    "its direction, median, p95 [°]": _counted,
    "at the alarm [°]": lambda m: c.quantiles(c.listed(m[0], "turned_deg")),
}
WRIST_WORLDS = {
    "outcome": c.first("outcome", "`{}`"),
    "time [s]": c.first("simulated_time_s", "{:.1f}"),
    "collisions on contacts": c.on("collision_count", "contact_count", False),
    "peak force [N]": c.first("peak_contact_force_N", "{:.0f}"),
    "delay, median [ms]": lambda m: c.quantiles(c.listed(m[0], "delays_ms")).split(",")[0],
}


def _span(key: str, form: str, where: c.Test = c.reached, unit: str = "", to: str = "–") -> c.Cell:
    """Smallest and largest value of a column over some rows; one where they look alike."""

    def cell(methods: list[c.Rows]) -> str:
        values = [form.format(c.number(key)(r)) for r in methods[0] if where(r)]
        ends = sorted(set(values), key=float)
        return "" if not ends else f"{to.join(dict.fromkeys((ends[0], ends[-1])))}{unit}"

    return cell


PLANNERS = {
    "reached": lambda m: f"{sum(map(c.reached, m[0]))} of {len(m[0])}",
    "first outcome": lambda m: str(m[0][0]["outcome" if c.reached(m[0][0]) else "reason"]),
    "path of the tool [m]": _span("way_m", "{:.2f}", to=" to "),
    "time to goal [s]": _span("simulated_time_s", "{:.1f}", to=" to "),
    "collisions": _span("collision_count", "{:.0f}", lambda r: True, to=" to "),
}
TIMES = {"replan, median": c.of("replan_wall_time_median_s", "{:.1f} ms", np.median, lambda r: True, 1e3)}


def _numbers(rows: c.Rows, key: str) -> list:
    return [value for row in rows for value in json.loads(str(row[key] or "[]"))]


def _seconds(methods: list[c.Rows]) -> str:
    found = _numbers(methods[0], "replans_s")
    return ", ".join(f"{v:.2f} s" for v in np.quantile(found, [0.5, 0.9])) if found else "-"


def _of_place(
    test: Callable[[np.ndarray], np.ndarray],
    among: Callable = lambda felt: felt[:, 0] >= 0.0,
    interval: bool = False,
) -> c.Cell:
    """Share of the touches whose place passes a test: errors of the best of one, two, three; link; weight."""

    def cell(methods: list[c.Rows]) -> str:
        felt = np.array(_numbers(methods[0], "places")).reshape(-1, 5)
        chosen = test(felt)[among(felt)]
        if not len(chosen):
            return "-"
        low, high = share_interval(int(chosen.sum()), len(chosen))
        return f"{100 * chosen.mean():.0f} %" + (f" ({100 * low:.0f}–{100 * high:.0f})" if interval else "")

    return cell


EVERY = {"where": lambda row: True}
REACTIONS = {
    "outcome": lambda m: ", ".join(sorted({str(row["outcome"]).replace("_", " ") for row in m[0]})),
    "peak": _span("peak_contact_force_N", "{:.0f}", unit=" N", **EVERY),
    "from the alarm on": _span("force_behind_N", "{:.0f}", unit=" N", **EVERY),
    "impulse": _span("impulse_Ns", "{:.1f}", unit=" N·s", **EVERY),
    "time": _span("simulated_time_s", "{:.0f}", unit=" s", **EVERY),
    "collisions": _span("collision_count", "{:.0f}", **EVERY),
}
EXPLAINED = {
    "detections": c.count(c.counts),
    "first answer right": lambda m: c.share_text(
        sum(not row["wrong"] for row in m[0]), sum(map(c.counts, m[0])), 0
    ),
    **{
        f"said: {name}": c.count(lambda row, name=name: row["said"] == name)
        for name in ("contact", "friction", "payload", "masses", "noise")
    },
}
GOALS = {
    "worlds": c.count(c.counts),
    "reached": c.share(c.reached, c.counts, 0),
    "touches, median": c.of("collision_count", "{:.0f}", np.median),
    "90 %": c.of("collision_count", "{:.0f}", lambda values: np.quantile(values, 0.9)),
    "joint path / omniscient": lambda m: c.median(
        [r["path_rad"] / r["bound_rad"] for r in m[0] if c.reached(r)]
    ),
    "time": c.of("simulated_time_s", "{:.0f} s", np.median),
    "peak force": c.of("peak_contact_force_N", "{:.0f} N", np.median),
    "replan, median, 90 %": _seconds,
    "× real time": lambda m: c.ratio(m[0], "simulated_time_s", "spent_s"),
}
BLIND = {
    "count": c.count(c.counts),
    "reached": c.share(c.reached, c.counts, 0),
    "`no_path`": c.count(lambda r: r["counts"] and r["outcome"] == "no_path"),
    "touches, median": GOALS["touches, median"],
    "90 %": GOALS["90 %"],
    "time": GOALS["time"],
    "joint path": c.of("path_rad", "{:.1f} rad", np.median),
    "peak force": GOALS["peak force"],
    "processor time, median": c.of("processor_time_s", "{:.1f} s", np.median),
}
RATIOS = {
    "free p99": c.first("free_p99", "{:.3g}"),
    "pushed p99": c.first("pushed_p99", "{:.3g}"),
    "ratio": lambda m: f"{m[0][0]['pushed_p99'] / m[0][0]['free_p99']:.2f}",
    "threshold for all pushes": c.first("threshold_of_all", "{:.3g}"),
    "false alarms": lambda m: f"{m[0][0]['alarms_of_all']} in {m[0][0]['watched_s']:.0f} s",
    "per hour (95 %)": lambda m: c.hourly([m[0][0]], "alarms_of_all", "watched_s"),
    "pushes caught without a false alarm": lambda m: (
        f"{m[0][0]['found_without_alarm']} of {m[0][0]['pushes']}"
    ),
}
HALVES = {
    "pushes found, threshold by the one half, by the other": lambda m: ", ".join(
        c.share_text(row["found"], row["pushes"], 0) for row in m[0]
    ),
    "delay, median": c.of("delay_s", "{:.0f} ms", np.median, scale=1e3),
    "false alarms in the other halves": lambda m: (
        f"{c.added(m[0], 'false_alarm_count'):.0f} in {c.added(m[0], 'simulated_time_s'):.0f} s"
    ),
    "per hour (95 %)": lambda m: c.hourly(m[0], "false_alarm_count", "simulated_time_s"),
}
STANDING = {
    "correlation": c.first("correlation", "{:.2f}"),
    "gain": c.first("gain", "{:.2f}"),
    "rms error [N]": c.first("rms_N", "{:.1f}"),
    "delay [ms]": c.of("lag_s", "{:.0f}", np.median, scale=1e3),
    "rms with nothing pushing [N]": c.first("rms_at_rest_N", "{:.1f}"),
}
SURE, NEAR, LOST = 0.9, 0.04, 9.0  # weight of a sure place, [m] of a good one and of none
FELT = {
    "touches": lambda m: str(len(_numbers(m[0], "places"))),
    "within 4 cm": _of_place(lambda felt: felt[:, 0] <= NEAR),
    "8 cm": _of_place(lambda felt: felt[:, 0] <= 2 * NEAR),
    "truth in first 2": _of_place(lambda felt: felt[:, 1] <= NEAR),
    "first 3": _of_place(lambda felt: felt[:, 2] <= NEAR),
    "link right": _of_place(lambda felt: felt[:, 3] > 0.0),
    "nowhere": _of_place(lambda felt: felt[:, 0] == LOST),
    "sure (weight ≥ 0.9)": _of_place(lambda felt: felt[:, 4] >= SURE),
    "of these within 4 cm": _of_place(lambda felt: felt[:, 0] <= NEAR, lambda felt: felt[:, 4] >= SURE),
    "false alarms on motions": c.on("false_alarm_count", "motions", False),
}


def _near(felt: np.ndarray) -> np.ndarray:
    return felt[:, 0] <= NEAR


def _sure(felt: np.ndarray) -> np.ndarray:
    return felt[:, 4] >= SURE


GEARS = {
    "reached": lambda m: f"{sum(map(c.reached, m[0]))} of {sum(map(c.counts, m[0]))}",
    "touches located": lambda m: str(len(_numbers(m[0], "places"))),
    "within 4 cm": _of_place(_near, interval=True),
    "truth in first 3": _of_place(lambda felt: felt[:, 2] <= NEAR, interval=True),
    "link right": _of_place(lambda felt: felt[:, 3] > 0.0, interval=True),
    f"weight ≥ {SURE}": _of_place(_sure),
    "of these within 4 cm": _of_place(_near, _sure, interval=True),
    "alarms a run": c.of("collision_count", "{:.0f}", np.median, c.counts),
    "false": c.total("false_alarm_count"),
    "peak force": c.of("peak_contact_force_N", "{:.0f} N", np.median, c.counts),
    "delay": lambda m: c.median(c.listed(m[0], "delays_ms"), "{:.0f} ms"),
}


SIGMA = "σ [N·m/rad]"


def _tool_with_gears(methods: list[c.Rows]) -> str:
    """Goals reached and false alarms."""
    blocked = sum(row["outcome"] == "no_path" for row in methods[0])
    cell = f"{sum(map(c.reached, methods[0]))}, {c.added(methods[0], 'false_alarm_count'):.0f}"
    return f"{cell} ({blocked} `no_path`)" if blocked else cell


def _way_to_feel(family: str, condition: str, method: str) -> str:
    """What is done about gears that are stiffer than their encoders see; nothing of what is not told."""
    others = {"moving": "1e-5 rad, all joints moving", "dithering": "1e-5 rad, dither"}
    if method == "1e-5 rad":
        return others.get(family, "1e-5 rad, standing")
    return method if family == "standing" else ""


def _felt_at(methods: list[c.Rows]) -> str:
    """Median and largest force at which a push is felt, and how often there was an alarm before."""
    forces = [np.inf if row["felt_N"] is None else float(row["felt_N"]) for row in methods[0]]
    largest, false = (
        f"{max(forces):.0f}" if np.isfinite(forces).all() else "> 60",
        c.added(methods[0], "early"),
    )
    return f"{np.median(forces):.0f}, {largest}" + (f" ({false:.0f} false)" if false else "")


FREE_GEARS = {
    "hours": lambda m: f"{c.added(m[0], 'simulated_time_s') / 3600:.1f}",
    "turns of joints": c.total("turns"),
    "false alarms": c.total("false_alarm_count"),
    "an hour, at most (95 %)": lambda m: (
        f"{alarm_rate(int(c.added(m[0], 'false_alarm_count')), c.added(m[0], 'simulated_time_s'))[2]:.2g}"
    ),
}
PERIODS = {
    "reached": lambda m: f"{sum(map(c.reached, m[0]))} of {len(m[0])}",
    "touches": lambda m: str(len(c.listed(m[0], "delays_ms"))),
    "false alarms": c.total("false_alarm_count"),
    "place [mm]": lambda m: c.quantiles(c.listed(m[0], "places_mm"), "{:.1f}", 0.9),
    "delay [ms]": lambda m: c.quantiles(c.listed(m[0], "delays_ms"), "{:.1f}", 0.9),
    "peak force [N]": c.of("peak_contact_force_N", "{:.0f}", np.max, lambda r: True),
}


def _each(cell: c.Cell, number: int) -> c.Cell:
    """A cell of one of the methods that stand side by side."""
    return lambda methods: cell([methods[number]])


def _ratio(key: str) -> c.Cell:
    """The second method's cost over the first's where both reached the goal, median and quartiles."""

    def cell(methods: list[c.Rows]) -> str:
        both = [pair for pair in zip(*methods, strict=True) if all(map(c.reached, pair))]
        ratios = [float(now[key]) / float(before[key]) for before, now in both if before[key]]
        if not ratios:
            return "-"
        low, middle, high = np.quantile(ratios, [0.25, 0.5, 0.75])
        return f"{middle:.2f} ({low:.2f}–{high:.2f})"

    return cell


_TOUCHES = c.of("collision_count", "{:.0f}", np.median)
_MOST = c.of("collision_count", "{:.0f}", lambda values: np.quantile(values, 0.9))
STRAIGHT = {
    "worlds": c.count(c.counts),
    "reached, step by step": c.share(c.reached, c.counts, 0),
    "straight": _each(c.share(c.reached, c.counts, 0), 1),
    "touches, median": _TOUCHES,
    "90 %": _MOST,
    "straight, median": _each(_TOUCHES, 1),
    "straight, 90 %": _each(_MOST, 1),
    "time, straight / step by step": _ratio("simulated_time_s"),
    "joint path": _ratio("path_rad"),
    "peak force": _ratio("peak_contact_force_N"),
    "replan, median, 90 %": _seconds,
    "replan, straight": _each(_seconds, 1),
}


def _ends(outcome: str, name: str, number: int) -> dict[str, c.Cell]:
    """Of one kind of box how many runs ended so, with how many touches; and the time of all."""

    def ended(row: c.Row) -> bool:
        return row["outcome"] == outcome

    columns = {
        name: c.share(ended, c.counts, 0),
        "touches, median": c.of("collision_count", "{:.0f}", np.median, ended),
        "most": c.of("collision_count", "{:.0f}", np.max, ended),
        "largest bound": c.of("no_path_error_bound", "{:.1g}", np.max, c.counts),
        "processor time, median": c.of("processor_time_s", "{:.0f} s", np.median, c.counts),
        "most of it": c.of("processor_time_s", "{:.0f} s", np.max, c.counts),
    }
    return {f"{head}{' ' * number}": _each(cell, number) for head, cell in columns.items()}


BOXES = {"boxes": c.count(c.counts), **_ends("no_path", "closed: `no_path`", 0)}
BOXES |= _ends("reached", "one opening: reached", 1)
del BOXES["largest bound "]


def _boxes(rows: Sequence[c.Row]) -> list[c.Row]:
    """Rows in which what is closed stands beside what has an opening, as methods of one family would."""
    parts = [(str(row["family"]).split(": "), row) for row in rows]
    return [{**row, "family": family, "method": kind} for (kind, family), row in parts]


REGROUPED = {"whole_arm_boxes": _boxes}
MISSED = {
    "not reached: seed, outcome, touches, time": lambda m: (
        "; ".join(
            f"{r['seed']} `{r['outcome']}` {r['collision_count']}, {r['simulated_time_s']:.0f} s"
            for r in m[0]
            if r["counts"] and not c.reached(r)
        )
        or "-"
    )
}


def _normals(chosen: Callable[[np.ndarray], np.ndarray]) -> Callable[[list[c.Rows]], np.ndarray]:
    def angles(methods: list[c.Rows]) -> np.ndarray:
        pairs = c.listed(methods[-1], "angles")
        return pairs[chosen(pairs[:, 0]), 1]

    return angles


def _normal_columns() -> dict[str, c.Cell]:
    """Of normals from the force alone, and of those from felt points: number, median and 90 % quantile."""
    found: dict[str, c.Cell] = {}
    for name, chosen in (("the force alone", lambda n: n == 1), ("felt points", lambda n: n > 1)):
        angles = _normals(chosen)

        def cell(methods: list[c.Rows], angles: Callable = angles) -> str:
            off = angles(methods)
            return f"{len(off)}: {np.median(off):.0f}°, {np.percentile(off, 90):.0f}°" if len(off) else "-"

        found[f"normals from {name}: number, off by, median, 90 %"] = cell
    return found


def _condition(family: str, condition: str, method: str) -> str:
    return condition


def _family(family: str, condition: str, method: str) -> str:
    return family


def _method(family: str, condition: str, method: str) -> str:
    return method


def _both(family: str, condition: str, method: str) -> str:
    return f"{family}, {condition}"


def _all(family: str, condition: str, method: str) -> str:
    return f"{family}, {condition}: {method}"


def _is_enclosed(family: str, condition: str, method: str) -> bool:
    return "enclosed" in family or "ball" in family


def _is_of_arm(family: str, condition: str, method: str) -> bool:
    """The ideal arm needs neither another pole nor other thresholds."""
    return condition == "real" or not ("pole" in method or "thresholds" in method)


def _stands(family: str, condition: str, method: str) -> bool:
    """An estimate stands beside the force sensor once, whatever its measure."""
    return family == "standing" and ("own" in method or method.endswith(", torque"))


REPLAN = ("replan",)
TABLES: dict[str, list[Part | Pivot]] = {
    "touch": [Part("settings", _condition, TOUCHES, REPLAN), Part("responses", _all, TOUCHES)],
    "touch_parts": [Part("parts", lambda f, s, m: f"{s}: {m}", TOUCHES)],
    "learning": [
        Part("touches", _condition, TOUCHES, REPLAN),
        Part("learnt", _condition, TOUCHES, REPLAN, lambda f, s, m: "payload" not in s),
    ],
    "gaps": [Part("gaps", _family, {"reached": c.share(c.reached, digits=0)}, REPLAN)],
    "second": [Part("second", _condition, SECOND, REPLAN)],
    "bundled": [
        Part("enclosed", _family, ENCLOSED, REPLAN, _is_enclosed, "world"),
        Part("detectors", _family, OLDER, ("detector of Ragazzon 2012", "replan"), head="world"),
        Part("bundled", _family, WORLDS, ("replan", "follow", "slide"), head="world"),
    ],
    "following": [
        Part("random", _both, PAIRS, ("replan", "follow"), lambda f, s, m: "friction" not in s),
        Part("friction", _both, PAIRS, ("replan", "follow"), lambda f, s, m: "friction" in s),
        Part("normals", _both, _normal_columns(), ("replan", "follow")),
    ],
    "following_choices": [
        Part("choices", lambda f, s, m: f"{s}, {m}", PAIRS, ("replan", other))
        for other in ("`retract: 0.003`", "`retract: 0.01`", "`step: 0.0526`, two cells")
    ],
    "sliding": [
        Part("search", _both, PAIRS, ("replan", "slide"), lambda f, s, m: "many" not in f),
        Part("dense", _condition, PAIRS, ("replan", "slide"), lambda f, s, m: "many" in f),
    ],
    "sliding_law": [Part("law", _condition, LAW, ("slide",))],
    "wrist": [Part("random", lambda f, s, m: f"{s}: {m}", WRIST, None, _is_of_arm)],
    "wrist_bundled": [Part("bundled", _all, WRIST_WORLDS, None, _is_of_arm, "world")],
    "recordings": [
        Part("ratios", _method, RATIOS, None, lambda f, s, m: f == "pushes", "estimator, measure"),
        Part("halves", _method, HALVES, None, lambda f, s, m: f == "pushes", "estimator, measure"),
        Part("standstill", lambda f, s, m: m.split(",")[0], STANDING, None, _stands, "estimator"),
    ],
    "whole_arm": [
        Part("goals", _all, GOALS),
        Part("felt", _all, FELT, None, lambda f, s, m: m != "optimist"),
        Part("missed", _all, MISSED),
    ],
    "reactions": [Part("reactions", lambda f, s, m: f"{f}: {m}", REACTIONS, head="world: reaction")],
    "explain": [Part("explain", _family, EXPLAINED, head="true cause")],
    "gears_tool": [Pivot("tool", _family, _condition, _tool_with_gears, SIGMA)],
    "gears_periods": [Part("periods", _condition, PERIODS, head="period, model")],
    "gears_stiff": [Pivot("stiff", _condition, _way_to_feel, _felt_at, SIGMA)],
    "gears_free": [Part("free", lambda f, s, m: f"{f}, off by {s}", FREE_GEARS, head=SIGMA)],
    "whole_arm_gears": [Part("whole", lambda f, s, m: f"{s}: {f}", GEARS, whole=True)],
    "whole_arm_straight": [Part("straight", _both, STRAIGHT, ("step by step", "straight"))],
    "whole_arm_boxes": [Part("boxes", _family, BOXES, ("closed", "open"), whole=True)],
    "motion_bench_maker": [Part("blind", _all, BLIND)],
    "planners": [
        Part("runs", _method, PLANNERS, head="planner"),
        Part("times", _method, TIMES, head="planner"),
    ],
}


def read(folder: Path) -> list[c.Row]:
    """The rows of a bench's table."""
    head, *lines = map(parse_line, (folder / "table.csv").read_text(encoding="utf-8").splitlines())
    return [dict(zip(head, line, strict=True)) for line in lines]


def lines_of(part: Part, rows: Sequence[c.Row]) -> list[list[str]]:
    """The lines of a table over the rows of a bench."""
    grouped: dict[Line, list[c.Row]] = {}
    for row in [*rows, *({**row, "family": "all"} for row in rows if part.whole)]:
        key = str(row["family"]), str(row["condition"]), str(row["method"])
        grouped.setdefault(key, []).append(row)
    lines = []
    for family, condition in dict.fromkeys(key[:2] for key in grouped):
        there = [method for f, s, method in grouped if (f, s) == (family, condition)]
        for side in [[method] for method in there] if part.methods is None else [part.methods]:
            line = family, condition, side[-1]
            if part.where(*line) and set(side) <= set(there):
                own = [grouped[family, condition, method] for method in side]
                lines.append([part.name(*line), *(column(own) for column in part.columns.values())])
    return lines


def pivoted(part: Pivot, rows: Sequence[c.Row]) -> tuple[list[str], list[list[str]]]:
    """Head and lines of such a table; what has no column, or no name, is left out."""
    cells: dict[str, dict[str, list[c.Row]]] = {}
    for row in rows:
        line = str(row["family"]), str(row["condition"]), str(row["method"])
        if part.column(*line):
            cells.setdefault(part.name(*line), {}).setdefault(part.column(*line), []).append(row)
    columns = list(dict.fromkeys(column for line in cells.values() for column in line))
    return [part.head, *columns], [
        [name, *(part.cell([line[column]]) if column in line else "-" for column in columns)]
        for name, line in cells.items()
    ]


def tables(suite: str, rows: Sequence[c.Row]) -> dict[str, str]:
    """The tables of a suite by their marks."""
    found: dict[str, tuple[list[str], list[list[str]]]] = {}
    regrouped = REGROUPED.get(suite, list)(rows)
    for part in TABLES[suite]:
        if isinstance(part, Pivot):
            found[part.mark] = pivoted(part, rows)
            continue
        head = [part.head, *part.columns]
        found.setdefault(part.mark, (head, []))[1].extend(lines_of(part, regrouped))
    return {mark: table(head, lines) for mark, (head, lines) in found.items()}


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("suite", choices=TABLES)
    parser.add_argument("folder", type=Path, help="of the bench's results")
    parser.add_argument("--out", type=Path, help="page to write to; default: print only")
    options = parser.parse_args()
    there = parts(options.out) if options.out else {}
    for mark, text in tables(options.suite, read(options.folder)).items():
        tell(text, options.out if mark in there else None, mark)


if __name__ == "__main__":
    main()
