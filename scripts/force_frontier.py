"""Peak force against time of an arm as imperfect as a real one: over reaction, speed into the unknown, and threshold.

    python scripts/force_frontier.py --out docs/lab/peak_force.md --figures docs/figures
    python scripts/force_frontier.py --redraw --figures docs/figures     # from the numbers of the page

runs every setting in the same random worlds, and in the world of the document with noise of other
seeds, or goes on with them in the folder of results. Beside it stands the same arm slowed down
everywhere, and the floor v √(k m): a mass m that meets a spring k at the speed v. Worlds count that
every setting reaches the goal in; times are shares of that of the base world's setting in the same
world.
"""

from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from measured_part import read, table, tell

from dynamics import follow_path, jacobian, load_arm, mass_matrix
from hopfield_nav.figures import (
    CENTIMETRE,
    COLOURS,
    PAGE,
    add_legend,
    new_figure,
    paper_style,
    save_figure,
)
from hopfield_nav.figures.sheets import labelled
from hopfield_nav.sweeps import execute, make_sweep, read_rows
from hopfield_nav.world import World, load_world

ROOT = Path(__file__).resolve().parent.parent
WORLD = "ragazzon2012_real"
PAGE_OF_THIS = ROOT / "docs" / "lab" / "peak_force.md"
SECONDS = 0.5  # a cell, as the document's rule gives them for many waypoints
CYLINDERS = [{"random_cylinders": {"count": 100, "radius": [0.012, 0.02], "clearance": 0.04}}]
# the world itself has the document's rule for its speed
DOCUMENT = f"{WORLD}, {SECONDS:g} s a cell"
FAMILIES: dict[str, dict[str, Any]] = {"random cylinders": {"obstacles": CYLINDERS}, DOCUMENT: {}}
REACTIONS, SPEEDS, THRESHOLDS = ["retreat", "stop", "float"], [1.0, 0.7, 0.5, 0.3], [0.75, 1.0, 1.5]
UNKNOWN = {
    "detection.reaction": REACTIONS, "trajectory.unknown_speed": SPEEDS, "detection.threshold": {"scale": THRESHOLDS},
    "trajectory.time_per_cell": [SECONDS],
}  # fmt: skip
EVERYWHERE = {
    "detection.reaction": REACTIONS,
    "trajectory.time_per_cell": [SECONDS / speed for speed in SPEEDS[1:]],
}
KEPT = ["outcome", "simulated_time_s", "collision_count", "silent_contact_count", "false_alarm_count",
        "peak_contact_force_N"]  # fmt: skip
TIME, PEAK = "simulated_time_s", "peak_contact_force_N"
HEAD = ["reaction", "speed", "threshold ×", "reached", "time ×", "peak force, median", "90 % of worlds",
        "less than base", "touches", "no alarm"]  # fmt: skip
AGAINST = ["world", "reaction", "speed", "less force than slow everywhere", "of its time"]
COLOUR = {"retreat": COLOURS.true, "stop": COLOURS.travelled, "float": COLOURS.felt}
MARKS = {"retreat": "o", "stop": "s", "float": "^"}
# reaction, where it is slow, speed there, scale of the threshold
Setting = tuple[str, str, float, float]
BASE: Setting = ("retreat", "unknown", 1.0, 1.0)


def main(
    results: Path = ROOT / "runs" / "force_frontier",
    figures: Path | None = None,
    out: Annotated[Path | None, typer.Option(help="Page whose tables are renewed.")] = None,
    worlds: Annotated[
        int, typer.Option(help="Random ones; of the document's a quarter as many.")
    ] = 40,
    workers: int = 1,
    redraw: Annotated[bool, typer.Option(help="Run nothing; draw what the page says.")] = False,
) -> None:
    """Run, print, draw."""
    if redraw:
        with paper_style():
            figure = draw(numbers_of_page(), floors(load_world(WORLD)))
            save_figure(figure, figures or results, "force_frontier", figures is None)
        return
    counts = dict(zip(FAMILIES, (worlds, max(worlds // 4, 1)), strict=True))
    rows = {family: every_row(results, family, count, workers) for family, count in counts.items()}
    numbers = {
        family: {setting: judged(own, setting) for setting in own} for family, own in rows.items()
    }
    best = [(family, setting) for family, own in numbers.items() for setting in frontier(own)]
    tell(
        table(["world", *HEAD], [[family, *line(s, numbers[family][s])] for family, s in best]),
        out,
        "frontier",
    )
    every = [
        [family, *line(s, found)] for family, own in numbers.items() for s, found in own.items()
    ]
    tell(table(["world", *HEAD], every), out, "settings")
    tell(
        table(AGAINST, [row for family, own in rows.items() for row in against(family, own)]),
        out,
        "against",
    )
    floor = floors(load_world(WORLD))
    tell(floor_line(floor, load_world(WORLD)), out, "floor")
    with paper_style():
        save_figure(draw(numbers, floor), figures or results, "force_frontier", figures is None)


def frontier(numbers: dict[Setting, dict[str, Any]]) -> list[Setting]:
    """The base setting, and those than which none is both quicker and softer, the quickest first."""
    points = {setting: (found["time"], found["peak"]) for setting, found in numbers.items()}
    best = [
        s
        for s, (t, p) in points.items()
        if not any(u <= t and r <= p and (u, r) != (t, p) for u, r in points.values())
    ]
    return [BASE, *sorted((setting for setting in best if setting != BASE), key=points.__getitem__)]


def every_row(
    results: Path, family: str, count: int, workers: int
) -> dict[Setting, dict[int, dict[str, Any]]]:
    """The rows of every setting, by seed."""
    rows: dict[Setting, dict[int, dict[str, Any]]] = {}
    for name, vary in {"unknown": UNKNOWN, "everywhere": EVERYWHERE}.items():
        given = FAMILIES[family] | {"record.signals": "none"}
        sweep = make_sweep(WORLD, vary, repeats=count, set=given, quantities=KEPT)
        folder = results / family / name
        for row in read_rows(
            execute(sweep, folder, workers=workers, resume=folder.exists()), sweep
        ):
            slow = (
                row["trajectory.unknown_speed"]
                if name == "unknown"
                else SECONDS / row["trajectory.time_per_cell"]
            )
            scale = row["detection.threshold*"] if name == "unknown" else 1.0
            setting = row["detection.reaction"], name, round(float(slow), 6), float(scale)
            rows.setdefault(setting, {})[int(row["seed"])] = row
    return rows


def numbers_of_page() -> dict[str, dict[Setting, dict[str, Any]]]:
    """Time and peak force of every setting as the page has them, rounded, by family."""
    found: dict[str, dict[Setting, dict[str, Any]]] = {}
    for row in read(PAGE_OF_THIS, "settings").splitlines()[2:]:
        family, reaction, speed, scale, _, time, peak, *_ = (
            cell.strip(" `") for cell in row.strip("|").split("|")
        )
        where = "everywhere" if speed.endswith("everywhere") else "unknown"
        setting = reaction, where, float(speed.split()[0]), float(scale)
        numbers = {"time": float(time), "peak": float(peak.removesuffix(" N"))}
        found.setdefault(family, {})[setting] = numbers
    return found


def numbers_of(
    rows: dict[Setting, dict[int, dict[str, Any]]], key: str, setting: Setting
) -> np.ndarray:
    """A column over the worlds that every setting reaches the goal in."""
    common = sorted(
        set.intersection(*({s for s, r in each.items() if reached(r)} for each in rows.values()))
    )
    return np.array([float(rows[setting][seed][key]) for seed in common])


def against(family: str, rows: dict[Setting, dict[int, dict[str, Any]]]) -> Iterator[list[str]]:
    """Slow into the unknown beside slow everywhere, for every reaction and speed."""
    of = partial(numbers_of, rows)
    for reaction, speed in product(REACTIONS, SPEEDS[1:]):
        one, other = (reaction, "unknown", speed, 1.0), (reaction, "everywhere", speed, 1.0)
        less = "{} ({} to {}) N".format(
            *map(round, interval_of_median(of(PEAK, other) - of(PEAK, one)))
        )
        yield [
            family,
            f"`{reaction}`",
            f"{speed:g}",
            less,
            f"{np.median(of(TIME, one) / of(TIME, other)):.2f}",
        ]


def judged(rows: dict[Setting, dict[int, dict[str, Any]]], setting: Setting) -> dict[str, Any]:
    """Numbers of a setting, and beside the base."""
    own, of = rows[setting], partial(numbers_of, rows)
    less = of(PEAK, BASE) - of(PEAK, setting)
    return {
        "reached": sum(map(reached, own.values())), "worlds": len(own),
        "time": float(np.median(of(TIME, setting) / of(TIME, BASE))),
        "peak": float(np.median(of(PEAK, setting))), "high": float(np.quantile(of(PEAK, setting), 0.9)),
        "less": interval_of_median(less),
        "touches": float(np.mean(of("collision_count", setting))),
        "silent": float(np.mean(of("silent_contact_count", setting))),
    }  # fmt: skip


def reached(row: dict[str, Any]) -> bool:
    """Whether a run came to its goal."""
    return row["outcome"] == "reached"


def interval_of_median(values: np.ndarray, draws: int = 2000) -> tuple[float, float, float]:
    """Median and its 95 % interval by the bootstrap."""
    chosen = np.random.default_rng(0).integers(0, len(values), (draws, len(values)))
    low, high = np.quantile(np.median(values[chosen], axis=1), [0.025, 0.975])
    return float(np.median(values)), float(low), float(high)


def line(setting: Setting, found: dict[str, Any]) -> list[str]:
    """A row of the table."""
    reaction, where, speed, scale = setting
    less = "–" if setting == BASE else "{} ({} to {}) N".format(*map(round, found["less"]))
    return [
        f"`{reaction}`", f"{speed:g}{' everywhere' if where == 'everywhere' else ''}", f"{scale:g}",
        f"{found['reached']} of {found['worlds']}", f"{found['time']:.2f}", f"{found['peak']:.0f} N",
        f"{found['high']:.0f} N", less, f"{found['touches']:.1f}", f"{found['silent']:.1f}",
    ]  # fmt: skip


def floors(world: World) -> np.ndarray:
    """(k,) v √(k m) at cells that the arm reaches, along both axes of the map [N]; v: a cell in ``SECONDS``.

    m = 1 / (uᵀ J M⁻¹ Jᵀ u) is what a push along u on the tool has to move, all joints free and the
    gears stiff.
    """
    arm, grid = load_arm(str(world.arm)), world.map
    found, speed = list[float](), grid.spacing / SECONDS
    for i in range(0, grid.shape[0], 2):
        for j in range(0, grid.shape[1], 2):
            pose = np.eye(4)
            pose[:3, :3], pose[:3, 3] = (
                world.trajectory.tool_rotation,
                [*grid.centre([i, j]), grid.origin[2]],
            )
            path = follow_path(arm, pose[None], np.array(world.start.joints))
            if path.reason:
                continue
            moving = jacobian(arm, path.q[0])[:3]
            mobility = moving @ np.linalg.solve(mass_matrix(arm, path.q[0]), moving.T)
            found += [speed * np.sqrt(world.contact.stiffness / mobility[k, k]) for k in range(2)]
    return np.array(found)


def floor_line(floor: np.ndarray, world: World) -> str:
    """What the floor is, in a sentence."""
    low, middle, high = np.quantile(floor, [0.05, 0.5, 0.95])
    speed = 1e3 * world.map.spacing / SECONDS
    return (
        f"The floor v √(k m) at {speed:.0f} mm/s and {world.contact.stiffness:g} N/m is {middle:.0f} N in the middle "
        f"of the map's cells and directions, {low:.0f} to {high:.0f} N in nine of ten, {floor.min():.0f} to "
        f"{floor.max():.0f} N in all."
    )


def floor_of_the_world() -> str:
    """The floor of the base world, in a sentence."""
    world = load_world(WORLD)
    return floor_line(floors(world), world)


def draw(numbers: dict[str, dict[Setting, dict[str, Any]]], floor: np.ndarray) -> Figure:
    """A panel for each family: median peak force over time, a line for each reaction; other thresholds as points."""
    figure = new_figure(PAGE, 8.5 * CENTIMETRE)
    axes = figure.subplots(1, 2, sharey=True)
    for ax, (family, own) in zip(axes, numbers.items(), strict=True):
        for reaction, colour in COLOUR.items():
            style = {
                "color": colour,
                "marker": MARKS[reaction],
                "markersize": 3.5,
                "linewidth": 1.0,
            }
            for where, dash in (("unknown", "-"), ("everywhere", ":")):
                at = [
                    s
                    for s in own
                    if s[0] == reaction and s[3] == 1.0 and (s[1] == where or s[2] == 1.0)
                ]
                label = f"{reaction}, slow {'into the unknown' if where == 'unknown' else where}"
                ax.plot(
                    *_points(own, sorted(at, key=lambda s: -s[2])),
                    linestyle=dash,
                    label=label,
                    **style,
                )
            other = [s for s in own if s[0] == reaction and s[3] != 1.0]
            ax.plot(*_points(own, other), linestyle="none", fillstyle="none", **style)
        times = np.linspace(1.0, max(found["time"] for found in own.values()), 50)
        ax.plot(times, np.median(floor) / times, color="0.5", linewidth=0.8, label="floor v √(k m)")
        ax.set_title(family, loc="left")
        ax.set_xlabel("time beside that of the base setting (1)")
    axes[0].set_ylabel("peak force, median over worlds (N)")
    axes[0].set_ylim(
        0, 1.05 * max(found["peak"] for own in numbers.values() for found in own.values())
    )
    handles = labelled(figure)
    other = Line2D(
        [],
        [],
        color="0.4",
        marker="o",
        markersize=3.5,
        fillstyle="none",
        ls="",
        label="other thresholds",
    )
    return add_legend(figure, [*handles[:2], handles[6], *handles[2:4], other, *handles[4:6]], 3)


def _points(
    numbers: dict[Setting, dict[str, Any]], settings: list[Setting]
) -> tuple[list[float], list[float]]:
    """Times and peak forces."""
    return [numbers[setting]["time"] for setting in settings], [
        numbers[setting]["peak"] for setting in settings
    ]


if __name__ == "__main__":
    typer.run(main)
