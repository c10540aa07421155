"""Tables of the suites of the tool, of its sensors, and of recordings."""

from collections.abc import Callable

import bench_columns as c
import numpy as np

from suite_tables.parts import Part

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
DOORS = {
    "worlds": c.worlds,
    "reached, solvable": c.share(c.reached, c.counts),
    "`no_path` by facts": c.count(lambda r: r["no_path_grade"] in ("facts", "probable")),
    "doubtful": c.count(lambda r: r["no_path_grade"] == "doubtful"),
    "doors that waited": c.count(lambda r: r["waited"] > 0),
    "collisions": c.of("collision_count", "{:.1f}", where=lambda r: True),
    "time to the goal": c.of("simulated_time_s", "{:.1f} s"),
    "largest force, mean": c.of("peak_contact_force_N", "{:.1f} N", where=lambda r: True),
    "of all": c.of("peak_contact_force_N", "{:.1f} N", np.max, lambda r: True),
}
ENGINES = {
    "worlds": c.worlds,
    "reached": c.beside(c.reached, "{:.0f}", how=np.sum, alike=False),
    "collisions": c.beside("collision_count", "{:.1f}", alike=False),
    "time": c.beside("simulated_time_s", "{:.2f}", " s", alike=False),
    "largest force, mean": c.beside("peak_contact_force_N", "{:.2f}", " N", alike=False),
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
    squares, rows = (
        sum(r[key] or 0 for r in methods[0]) for key in ("error_squared_N2", "pressed_rows")
    )
    return f"{np.sqrt(squares / rows):.1f}" if rows else "–"


def _counted(methods: list[c.Rows]) -> str:
    pairs = c.listed(methods[0], "angles_deg")
    return c.quantiles(np.repeat(pairs[:, 0], pairs[:, 1].astype(int)))


WRIST = {
    "reached": c.share(c.reached, c.counts, 0),
    "collisions on contacts": c.on("collision_count", "contact_count", False),
    "missed contacts": c.total("silent_contact_count"),
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
PLANNERS = {
    "reached": lambda m: f"{sum(map(c.reached, m[0]))} of {len(m[0])}",
    "first outcome": lambda m: str(m[0][0]["outcome" if c.reached(m[0][0]) else "reason"]),
    "path of the tool [m]": c.span("way_m", "{:.2f}", to=" to "),
    "time to goal [s]": c.span("simulated_time_s", "{:.1f}", to=" to "),
    "collisions": c.span("collision_count", "{:.0f}", lambda r: True, to=" to "),
}
TIMES = {
    "replan, median": c.of("replan_wall_time_median_s", "{:.1f} ms", np.median, lambda r: True, 1e3)
}
EVERY = {"where": lambda row: True}
REACTIONS = {
    "outcome": lambda m: ", ".join(sorted({str(row["outcome"]).replace("_", " ") for row in m[0]})),
    "peak": c.span("peak_contact_force_N", "{:.0f}", unit=" N", **EVERY),
    "from the alarm on": c.span("force_behind_N", "{:.0f}", unit=" N", **EVERY),
    "impulse": c.span("impulse_Ns", "{:.1f}", unit=" N·s", **EVERY),
    "time": c.span("simulated_time_s", "{:.0f}", unit=" s", **EVERY),
    "collisions": c.span("collision_count", "{:.0f}", **EVERY),
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


def _normals(test: Callable[[np.ndarray], np.ndarray]) -> c.Cell:
    """How far normals are off that rest on such numbers of points: how many, median and 90 % quantile."""

    def cell(methods: list[c.Rows]) -> str:
        pairs = c.listed(methods[-1], "angles")
        off = pairs[test(pairs[:, 0]), 1]
        return (
            f"{len(off)}: {np.median(off):.0f}°, {np.percentile(off, 90):.0f}°" if len(off) else "-"
        )

    return cell


NORMALS = {
    "normals from the force alone: number, off by, median, 90 %": _normals(lambda n: n == 1),
    "normals from felt points: number, off by, median, 90 %": _normals(lambda n: n > 1),
}


def _is_of_arm(family: str, condition: str, method: str) -> bool:
    """The ideal arm needs neither another pole nor other thresholds."""
    return condition == "real" or not ("pole" in method or "thresholds" in method)


REPLAN = ("replan",)
TABLES: dict[str, list[Part]] = {
    "touch": [
        Part("settings", "{s}", TOUCHES, REPLAN),
        Part("responses", "{f}, {s}: {m}", TOUCHES),
    ],
    "doors": [Part("doors", "{f}: {m}", DOORS)],
    "doors_mujoco": [Part("mujoco", "{f}: internal / MuJoCo", ENGINES, ("internal", "MuJoCo"))],
    "touch_parts": [Part("parts", "{s}: {m}", TOUCHES)],
    "learning": [
        Part("touches", "{s}", TOUCHES, REPLAN, lambda f, s, m: "payload" in s),
        Part("learnt", "{s}", TOUCHES, REPLAN, lambda f, s, m: "payload" not in s),
    ],
    "gaps": [Part("gaps", "{f}", {"reached": c.share(c.reached, digits=0)}, REPLAN)],
    "second": [Part("second", "{s}", SECOND, REPLAN)],
    "bundled": [
        Part(
            "enclosed",
            "{f}",
            ENCLOSED,
            REPLAN,
            lambda f, s, m: "enclosed" in f or "ball" in f,
            "world",
        ),
        Part("detectors", "{f}", OLDER, ("detector of Ragazzon 2012", "replan"), head="world"),
        Part("bundled", "{f}", WORLDS, ("replan", "follow", "slide"), head="world"),
    ],
    "following": [
        Part(
            "random", "{f}, {s}", PAIRS, ("replan", "follow"), lambda f, s, m: "friction" not in s
        ),
        Part("friction", "{f}, {s}", PAIRS, ("replan", "follow"), lambda f, s, m: "friction" in s),
        Part("normals", "{f}, {s}", NORMALS, ("replan", "follow")),
    ],
    "following_choices": [
        Part("choices", "{s}, {m}", PAIRS, ("replan", other))
        for other in ("`retract: 0.003`", "`retract: 0.01`")
    ],
    "sliding": [
        Part("search", "{f}, {s}", PAIRS, ("replan", "slide"), lambda f, s, m: "many" not in f),
        Part("dense", "{s}", PAIRS, ("replan", "slide"), lambda f, s, m: "many" in f),
    ],
    "sliding_law": [Part("law", "{s}", LAW, ("slide",))],
    "wrist": [Part("random", "{s}: {m}", WRIST, None, _is_of_arm)],
    "wrist_bundled": [Part("bundled", "{f}, {s}: {m}", WRIST_WORLDS, None, _is_of_arm, "world")],
    "recordings": [
        Part("ratios", "{m}", RATIOS, None, lambda f, s, m: f == "pushes", "estimator, measure"),
        Part("halves", "{m}", HALVES, None, lambda f, s, m: f == "pushes", "estimator, measure"),
    ],
    "standstill": [Part("standstill", "{m}", STANDING, head="estimator")],
    "reactions": [Part("reactions", "{f}: {m}", REACTIONS, head="world: reaction")],
    "explain": [Part("explain", "{f}", EXPLAINED, head="true cause")],
    "planners": [
        Part("runs", "{m}", PLANNERS, head="planner"),
        Part("times", "{m}", TIMES, head="planner"),
    ],
}
