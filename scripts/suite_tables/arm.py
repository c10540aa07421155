"""Tables of the suites of the whole arm, and of gears that give."""

import json
from collections.abc import Callable, Sequence

import bench_columns as c
import numpy as np

from hopfield_nav.record import alarm_rate, share_interval
from suite_tables.parts import Part, Pivot


@c.column
def _isolated(rows: c.Rows, kind: str, part: int, whole: int) -> str:
    """A share of contacts with its interval and their number, of what ``counts`` of the suite tells."""
    found = np.sum([json.loads(row["counts_of"])[kind] for row in rows if row["counts_of"]], axis=0)
    if part < 0:
        return f"{found[whole] / found[0]:.2f}"
    low, high = share_interval(int(found[part]), int(found[whole]))
    texts = (
        f"{100 * v:.1f}".replace("100.0", "100") for v in (found[part] / found[whole], low, high)
    )
    return "{} % ({}–{}), n = {:.0f}".format(*texts, found[whole])


def _isolation(kind: str) -> dict[str, c.Cell]:
    return {
        "true link in set": _isolated(kind, 1, 0),
        "best right, links 2–6": _isolated(kind, 2, 3),
        **({"links 5, 6": _isolated(kind, 4, 5)} if kind == "push" else {}),
        "links in set": _isolated(kind, -1, 6),
    }


@c.column
def _placed(rows: c.Rows, method: int, links: tuple[int, ...], kind: str) -> str:
    """Of pushes on some links by a method: share within 4 cm, mean error of those placed, or median time."""
    every = np.array(_numbers(rows, "placed")).reshape(-1, 5)
    error, time = every[np.isin(every[:, 0], links)][:, 1 + 2 * method : 3 + 2 * method].T
    if kind == "time":
        return f"{1e3 * np.median(time):.2g} ms"
    if kind == "mean":
        return _mean_error(error)
    low, high = share_interval(int((error <= NEAR).sum()), len(error))
    return (
        f"{100 * np.mean(error <= NEAR):.0f} % ({100 * low:.0f}–{100 * high:.0f}), n = {len(error)}"
    )


def _mean_error(error: np.ndarray) -> str:
    """Mean error of the touches with a place."""
    there = error[error < LOST]
    return f"{100 * there.mean():.1f} cm" if len(there) else "-"


def _places(method: int) -> dict[str, c.Cell]:
    return {
        "within 4 cm, links 2–6": _placed(method, (2, 3, 4, 5, 6), "near"),
        "mean error": _placed(method, (2, 3, 4, 5, 6), "mean"),
        "links 5, 6": _placed(method, (5, 6), "near"),
        "mean error ": _placed(method, (5, 6), "mean"),
        "time a touch": _placed(method, (2, 3, 4, 5, 6), "time"),
    }


UNFELT = {
    "no joint feels": lambda m: c.share_text(
        int(c.added(m[0], "unfelt")), int(c.added(m[0], "drawn"))
    ),
    "of those on link 1": lambda m: (
        f"{100 * c.added(m[0], 'unfelt_1') / c.added(m[0], 'drawn_1'):.0f} %"
    ),
}


def _is_collision(family: str, condition: str, method: str) -> bool:
    return family == "collisions"


INSTANTS = {"alone": "first instant", "swept": "and swept space"}
SURE, NEAR, LOST = 0.9, 0.04, 9.0  # weight of a sure place, [m] of a good one and of none


def _numbers(rows: c.Rows, key: str) -> list:
    return [value for row in rows for value in json.loads(str(row[key] or "[]"))]


def _seconds(methods: list[c.Rows]) -> str:
    found = _numbers(methods[0], "replans_s")
    return ", ".join(f"{v:.2f} s" for v in np.quantile(found, [0.5, 0.9])) if found else "-"


@c.column
def _of_place(
    rows: c.Rows,
    test: Callable,
    among: Callable = lambda felt: felt[:, 0] >= 0.0,
    interval: bool = False,
) -> str:
    """Share of the touches whose place passes a test: errors of the best of one, two, three; link; weight."""
    felt = np.array(_numbers(rows, "places")).reshape(-1, 5)
    chosen = test(felt)[among(felt)]
    if not len(chosen):
        return "-"
    low, high = share_interval(int(chosen.sum()), len(chosen))
    return f"{100 * chosen.mean():.0f} %" + (
        f" ({100 * low:.0f}–{100 * high:.0f})" if interval else ""
    )


@c.column
def _mean_of_places(rows: c.Rows) -> str:
    """Mean error of the likeliest place of each touch that has one."""
    return _mean_error(np.array(_numbers(rows, "places")).reshape(-1, 5)[:, 0])


GOALS = {
    "worlds": c.count(c.counts),
    "reached": c.share(c.reached, c.counts, 0),
    "touches, median": c.of("collision_count", "{:.0f}", np.median),
    "90 %": c.of("collision_count", "{:.0f}", lambda values: np.quantile(values, 0.9)),
    "joint path": c.of("path_rad", "{:.1f} rad", np.median),
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
    "joint path": GOALS["joint path"],
    "peak force": GOALS["peak force"],
    "processor time, median": c.of("processor_time_s", "{:.1f} s", np.median),
}


def _planned(methods: list[c.Rows]) -> str:
    """Median over runs that reached of the processor time of all plans but the first."""
    seconds = [
        sum(json.loads(str(row["replans_s"] or "[]"))) for row in methods[0] if c.reached(row)
    ]
    return c.median(seconds, "{:.1f} s")


HYPOTHESES = {
    "reached": c.share(c.reached, digits=0),
    "touches, median": GOALS["touches, median"],
    "least to most": c.span("collision_count", "{:.0f}"),
    "joint path, median": GOALS["joint path"],
    "least to most ": c.span("path_rad", "{:.1f}", unit=" rad"),
    "plans": lambda m: c.median(
        [1 + len(json.loads(str(r["replans_s"]))) for r in m[0] if c.reached(r)], "{:.0f}"
    ),
    "planning again": _planned,
    "time": GOALS["time"],
}


def _near(felt: np.ndarray) -> np.ndarray:
    return felt[:, 0] <= NEAR


def _sure(felt: np.ndarray) -> np.ndarray:
    return felt[:, 4] >= SURE


FELT = {
    "touches": lambda m: str(len(_numbers(m[0], "places"))),
    "within 4 cm": _of_place(_near),
    "mean error": _mean_of_places(),
    "8 cm": _of_place(lambda felt: felt[:, 0] <= 2 * NEAR),
    "truth in first 2": _of_place(lambda felt: felt[:, 1] <= NEAR),
    "first 3": _of_place(lambda felt: felt[:, 2] <= NEAR),
    "link right": _of_place(lambda felt: felt[:, 3] > 0.0),
    "nowhere": _of_place(lambda felt: felt[:, 0] == LOST),
    "sure (weight ≥ 0.9)": _of_place(_sure),
    "of these within 4 cm": _of_place(_near, _sure),
    "false alarms on motions": c.on("false_alarm_count", "motions", False),
}
GEARS = {
    "reached": lambda m: f"{sum(map(c.reached, m[0]))} of {sum(map(c.counts, m[0]))}",
    "touches located": lambda m: str(len(_numbers(m[0], "places"))),
    "within 4 cm": _of_place(_near, interval=True),
    "mean error": _mean_of_places(),
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


def _reached_with_gears(methods: list[c.Rows]) -> str:
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


def _ratio(key: str) -> c.Cell:
    """The second method's cost over the first's where both reached the goal, median and quartiles."""

    def cell(methods: list[c.Rows]) -> str:
        both = [pair for pair in zip(*methods, strict=True) if all(map(c.reached, pair))]
        return _quartiles(
            [float(now[key]) / float(before[key]) for before, now in both if before[key]]
        )

    return cell


def _quartiles(ratios: list[float]) -> str:
    """Median and, in parentheses, quartiles."""
    if not ratios:
        return "-"
    low, middle, high = np.quantile(ratios, [0.25, 0.5, 0.75])
    return f"{middle:.2f} ({low:.2f}–{high:.2f})"


def _beside_seen(methods: list[c.Rows]) -> str:
    """The second method's joint path over the one of a planner that sees."""
    return _quartiles(
        [float(row["path_rad"]) / float(row["bound_rad"]) for row in methods[1] if c.reached(row)]
    )


_TOUCHES, _MOST = GOALS["touches, median"], GOALS["90 %"]
STRAIGHT = {
    "worlds": c.count(c.counts),
    "reached, step by step": c.share(c.reached, c.counts, 0),
    "straight": c.each(c.share(c.reached, c.counts, 0), 1),
    "touches, median": _TOUCHES,
    "90 %": _MOST,
    "straight, median": c.each(_TOUCHES, 1),
    "straight, 90 %": c.each(_MOST, 1),
    "time, straight / step by step": _ratio("simulated_time_s"),
    "joint path": _ratio("path_rad"),
    "its joint path / that of a planner that sees": _beside_seen,
    "peak force": _ratio("peak_contact_force_N"),
    "replan, median, 90 %": _seconds,
    "replan, straight": c.each(_seconds, 1),
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
        "touch to next path, most": lambda m: (
            f"{max(_numbers(m[0], 'replans_s'), default=0.0):.1f} s"
        ),
    }
    return {f"{head}{' ' * number}": c.each(cell, number) for head, cell in columns.items()}


BOXES = {"boxes": c.count(c.counts), **_ends("no_path", "closed: `no_path`", 0)}
BOXES |= _ends("reached", "one opening: reached", 1)
del BOXES["largest bound "]


def _boxes(rows: Sequence[c.Row]) -> list[c.Row]:
    """Rows in which what is closed stands beside what has an opening, as methods of one family would."""
    parts = [(str(row["family"]).split(": "), row) for row in rows]
    return [{**row, "family": family, "method": kind} for (kind, family), row in parts]


FULL = ("known", "wrong", "learnt")  # conditions with lines of every family of gears


def _told_beside(rows: Sequence[c.Row]) -> list[c.Row]:
    """Rows in which the arm that is told stands beside the one that feels, as methods of one family would."""
    parts = [(str(row["family"]).partition(", told"), row) for row in rows]
    return [
        {
            **row,
            "family": family,
            "method": _TOLD.get(str(row["method"]), "") if told else row["method"],
        }
        for (family, told, _), row in parts
    ]


_BOTH = "surface, approach"
_TOLD = {"felt_points": "told", _BOTH: f"told, {_BOTH}"}


def _touches(*sides: str) -> dict[str, c.Cell]:
    """Of methods that stand beside each other, by what they are called: goals reached, and touches of all worlds."""
    found = {"worlds": c.count(c.counts)}
    for k, side in enumerate(sides):
        columns = {
            f"{side}: reached": c.share(c.reached, c.counts, 0),
            f"{side}: touches, mean": c.of("collision_count", "{:.1f}", np.mean, c.counts),
            f"90 %{' ' * k}": c.of(
                "collision_count", "{:.0f}", lambda values: np.quantile(values, 0.9), c.counts
            ),
            f"most{' ' * k}": c.of("collision_count", "{:.0f}", np.max, c.counts),
        }
        found |= {head: c.each(cell, k) for head, cell in columns.items()}
    return found


REGROUPED = {"whole_arm_boxes": _boxes, "whole_arm_told": _told_beside}


TABLES: dict[str, list[Part | Pivot]] = {
    "gears_tool": [Pivot("tool", "{f}", "{s}", _reached_with_gears, SIGMA)],
    "gears_whole_arm": [Pivot("shelves", "{f}", "{s}", _reached_with_gears, SIGMA)],
    "gears_periods": [Part("periods", "{s}", PERIODS, head="period, model")],
    "gears_stiff": [Pivot("stiff", "{s}", _way_to_feel, _felt_at, SIGMA)],
    "gears_free": [Part("free", "{f}, off by {s}", FREE_GEARS, head=SIGMA)],
    "isolation": [
        Part(
            "pushes",
            "{f}, {s}",
            _isolation("push"),
            None,
            lambda f, s, m: f != "collisions",
            "arm, model",
        ),
        *(
            Part(
                "places",
                f"{{f}}, {{s}}: {name}",
                _places(k),
                None,
                lambda f, s, m: f != "collisions",
                "arm, model",
            )
            for k, name in enumerate(("patches", "particles"))
        ),
        Part(
            "unfelt",
            "{f}",
            UNFELT,
            None,
            lambda f, s, m: f != "collisions" and s == "perfect",
            "arm",
        ),
        *(
            Part(
                "collisions",
                f"{{s}}, {words}",
                _isolation(kind),
                None,
                lambda f, s, m: f == "collisions",
                "model, what counts",
            )
            for kind, words in INSTANTS.items()
        ),
    ],
    "whole_arm": [
        Part("today", "{f}, {s}: {m}", GOALS),
        Part("today_felt", "{f}, {s}: {m}", FELT, None, lambda f, s, m: m != "optimist"),
    ],
    "whole_arm_gears": [
        Part(
            "whole",
            "{s}: {f}",
            GEARS,
            None,
            lambda f, s, m: f in ("pipes", "all") or s.endswith(FULL),
            whole=True,
        )
    ],
    "places": [
        Part(
            "runs", "{m}: {f}", GEARS | {"replan, median, 90 %": _seconds}, head="place", whole=True
        )
    ],
    "whole_arm_straight": [Part("straight", "{f}, {s}", STRAIGHT, ("step by step", "straight"))],
    "whole_arm_told": [
        Part("told", "{f}, {s}", _touches("as felt", "told"), ("felt_points", "told")),
        Part(
            "told",
            "{f}, {s}: surface, approach",
            _touches("as felt", "told"),
            (_BOTH, _TOLD[_BOTH]),
        ),
        Part(
            "surfaces",
            "{f}, {s}",
            _touches("by default", "with surfaces"),
            ("felt_points", "surface"),
        ),
    ],
    "whole_arm_boxes": [Part("boxes", "{f}", BOXES, ("closed", "open"), whole=True)],
    "motion_bench_maker": [
        Part(
            "blind",
            "{f}, {s}: {m}",
            BLIND,
            None,
            lambda f, s, m: not f.startswith("cage"),
            whole=True,
        ),
        Part("blind_cage", "{f}, {s}: {m}", BLIND, None, lambda f, s, m: f.startswith("cage")),
    ],
    "hypotheses": [Part("hypotheses", "{f}: {m}", HYPOTHESES)],
}
