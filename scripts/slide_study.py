"""Sliding round a cylinder with 10 N, and along obstacles to a goal beside replanning.

python scripts/slide_study.py --out docs/sliding.md
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from following.picture import draw_slides, draw_slides_in_space
from following.runs import HEAD, ran
from following.runs import row as row_of_pairs
from following.worlds import CYLINDERS, world_of
from measured_part import write
from touches.runs import ENCLOSED, FULL, IN_A_BALL, SETTINGS

from hopfield_nav.control import felt_normal
from hopfield_nav.experiment import Simulation
from hopfield_nav.world import parse_world

CENTER, FORCE, SPEED, SECONDS, SETTLED = np.array([0.2663, 0.0130]), 10.0, 0.03, 6.0, 1.0
PARTS = ("law", "search", "dense")
FIRST = 20_000  # seed of the random worlds; others than those that the method was made with
_OWN_WORLDS = (
    "ragazzon2012", "u_trap", "narrow_gap", "enclosed_goal", "over_the_wall", "shelf", "free_rotation",
)  # fmt: skip
BUNDLED = {
    **{f"`{name}`": (name, []) for name in _OWN_WORLDS},
    IN_A_BALL: ENCLOSED[IN_A_BALL],
}
_WRIST = [
    "sensors.wrench={force_noise: 0.5, moment_noise: 0.02}",
    "detection={estimator: wrist_sensor, measure: force_norm, threshold: 15}",
]
_FRICTION = [*FULL, "plant.friction=arm", "plant.presliding=ideal", *_WRIST]
SEARCHES = {  # name: family, and what is changed
    "`random_cylinders`, default": (CYLINDERS, []),
    "walls, default": ("walls", []),
    "`random_cylinders`, payload of 1 kg": (CYLINDERS, SETTINGS["payload of 1 kg"]),
    "`random_cylinders`, masses 10 % off": (CYLINDERS, SETTINGS["masses 10 % off"]),
    "`random_cylinders`, `ur5_full`": (CYLINDERS, FULL),
    "`random_cylinders`, `ur5_full` with friction, sensor": (CYLINDERS, _FRICTION),
    "the same, 8 ms": (CYLINDERS, [*_FRICTION, "controller.period=0.008"]),
    "`random_cylinders`, ideal arm, 8 ms": (CYLINDERS, SETTINGS["period of 8 ms"]),
    "boxes in space, default": ("boxes", []),
    "boxes in space, masses 10 % off": ("boxes", SETTINGS["masses 10 % off"]),
    "boxes in space, `ur5_full`": ("boxes", FULL),
    "boxes in space, `ur5_full` with friction, sensor": ("boxes", _FRICTION),
    "the same in space, 8 ms": ("boxes", [*_FRICTION, "controller.period=0.008"]),
    "boxes in space, ideal arm, 8 ms": ("boxes", SETTINGS["period of 8 ms"]),
}
DENSE = {
    "default": [],
    "payload of 1 kg": SETTINGS["payload of 1 kg"],
    "masses 10 % off": SETTINGS["masses 10 % off"],
    "`ur5_full` with friction, sensor": _FRICTION,
}  # in worlds of many boxes
_CYLINDER = "format: 1\nobstacles: [{cylinder: {center: [0.2663, 0.0130], radius: 0.05}}]\n"
_FULL = "arm: ur5_full\nplant: {friction: arm, presliding: ideal}\n"
_SLOW = (
    "period: 0.008, natural_frequency: [15, 15, 25, 40, 45, 50], force_gain: 3.0e-4, force_integral: 6.0e-4"
)
_WRONG = _SLOW + ", model_error: {mass_scale: 1.1, friction_scale: 0.8}"
_LOADED = _FULL + "tool: {payload: {mass: 1, center_of_mass: [0, 0, 0.05]}}\n"
_NOISE = "{force_noise: 0.5, moment_noise: 0.02}"
SENSOR, OBSERVER = "wrist_sensor", "momentum_observer"
CASES = {  # name: arm and surface, controller, sensor, estimator
    "ideal arm": ("", "", "{}", SENSOR),
    "ideal arm, noise of 0.5 N": ("", "", _NOISE, SENSOR),
    "ideal arm, friction 0.2 of the surface": ("contact: {friction: 0.2}\n", "", "{}", SENSOR),
    "ideal arm, 8 ms": ("", _SLOW, "{}", SENSOR),
    "`ur5_full`, joint friction": (_FULL, "", "{}", SENSOR),
    "`ur5_full`, joint friction, 8 ms": (_FULL, _SLOW, "{}", SENSOR),
    "the same, 1 kg, masses 10 % and friction 20 % off, noise": (_LOADED, _WRONG, _NOISE, SENSOR),
    "ideal arm, no sensor": ("", "", "null", OBSERVER),
    "`ur5_full`, joint friction, no sensor": (_FULL, "", "null", OBSERVER),
}


def slide(arm: str, controller: str, sensor: str, estimator: str) -> tuple[np.ndarray, list[str]]:
    """Rows of true force (2), place (2) and believed normal (2), each millisecond; and the warnings."""
    law = ", ".join(filter(None, ["law: hybrid_force_motion", controller]))
    simulation = Simulation(
        parse_world(
            f"{_CYLINDER}{arm}controller: {{{law}}}\nsensors: {{wrench: {sensor}}}\ntime_limit: {SECONDS}\n"
            f"detection: {{estimator: {estimator}, measure: force_norm, threshold: 1000}}\n"
        )
    )
    rows, touched = [], np.inf
    while simulation.outcome is None:
        simulation.step(0.001)
        touched = min(touched, simulation.time) if simulation.force.any() else touched
        place, normal = simulation.controller.work.tool[:2, 3], felt_normal(simulation.controller.law)[1][:2]
        if simulation.time > touched + SETTLED:
            rows.append([*simulation.force[:2], *place, *(normal / np.linalg.norm(normal))])
    return np.array(rows).reshape(-1, 6), simulation.warnings


def row(name: str, rows: np.ndarray, warned: bool) -> str:
    """A line of the table."""
    off = rows[:, 2:4] - CENTER
    normal = off / np.linalg.norm(off, axis=1)[:, None]
    across = np.einsum("ki,ki->k", rows[:, :2], normal)
    angle = np.degrees(np.arccos(np.clip(np.einsum("ki,ki->k", rows[:, 4:6], normal), -1.0, 1.0)))
    way = np.linalg.norm(np.diff(rows[:, 2:4], axis=0), axis=1).sum()
    cells = [
        name,
        "yes" if warned else "no",
        f"{np.sqrt(np.mean((across - FORCE) ** 2)):.2f}",
        f"{100 * np.mean(~rows[:, :2].any(axis=1)):.1f} %",
        f"{np.median(angle):.2f}, {angle.max():.2f}",
        f"{1e3 * way / len(rows) * 1e3:.0f}",
    ]
    return "| " + " | ".join(cells) + " |"


def of_bundled() -> str:
    """Bundled worlds with replanning, following and sliding."""
    columns = ("world", "outcome", "collisions", "in contact", "time", "the tool's way", "largest force")
    lines = ["| " + " | ".join(columns) + " |", 7 * "|---" + "|"]
    for name, (world, change) in BUNDLED.items():
        runs = [ran(world, ("detection={}", *change), explore) for explore in ("replan", "follow", "slide")]
        parts = [name, f"`{runs[-1].outcome}`"]
        for form, unit, key in (
            ("{:.0f}", "", "collisions"), ("{:.1f}", " s", "contact_time"), ("{:.1f}", " s", "time"),
            ("{:.2f}", " m", "length"), ("{:.0f}", " N", "peak"),
        ):  # fmt: skip
            parts.append(" / ".join(form.format(getattr(run, key)) for run in runs) + unit)
        lines.append("| " + " | ".join(parts) + " |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


def of_searches(searches: dict[str, tuple[str, list[str]]], each: int) -> str:
    """Random worlds with replanning and with sliding."""
    lines = [HEAD]
    for name, (family, change) in searches.items():
        pairs = []
        for seed in range(FIRST, FIRST + each):
            world, drawn = world_of(family, seed)
            replanned, slid = (ran(world, (*drawn, *change), how, seed) for how in ("replan", "slide"))
            pairs.append((replanned, slid))
        lines.append(row_of_pairs(name, pairs))
        print(lines[-1], flush=True)
    return "\n".join(lines)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("docs/sliding.md"), help="page to write to")
    parser.add_argument("--each", type=int, default=200, help="random worlds of every condition")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="what to measure")
    parser.add_argument("--pictures", type=Path, help="folder for those of the tool's way")
    options = parser.parse_args()
    if options.pictures:
        draw_slides(options.pictures / "sliding.png")
        draw_slides_in_space(options.pictures / "sliding_in_space.png")
    if "search" in options.parts:
        write(of_bundled(), options.out, "bundled")
        write(of_searches(SEARCHES, options.each), options.out, "search")
    if "dense" in options.parts:
        searches = {name: ("many boxes", change) for name, change in DENSE.items()}
        write(of_searches(searches, options.each), options.out, "dense")
    if "law" in options.parts:
        write(of_law(), options.out)


def of_law() -> str:
    """The control law round a cylinder."""
    lines = [
        "| | warned of | error of the force, rms [N] | contact lost | normal off, median, largest [°] "
        "| speed of the tool [mm/s] |\n|---|---|---|---|---|---|"
    ]
    for name, case in CASES.items():
        rows, warnings = slide(*case)
        lines.append(row(name, rows, any("joint friction hides" in w for w in warnings)))
        print(lines[-1], flush=True)
    return "\n".join(lines)


if __name__ == "__main__":
    main()
