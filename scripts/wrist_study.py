"""A force and torque sensor at the flange beside the estimates without one, on the same worlds.

python scripts/wrist_study.py --random 200 --out docs/wrist_sensor.md

Bundled worlds and random cylinders, with an ideal arm and with one as imperfect as a real UR5: whether the
goal is reached, what is felt when, with which force, and how far the estimated force is from the true one.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

import numpy as np
from measured_part import write
from touches.worlds import has_path

from hopfield_nav import load_world, simulate
from hopfield_nav.record import Run, share_interval

FIRST = 20_000  # seed of the random worlds
WIDE = 0.005  # [m] to spare on a path that an arm should find
PRESSED = 5.0  # [N] from where on the error of the estimate is asked
OWN_WORLDS = ("u_trap", "narrow_gap", "enclosed_goal", "over_the_wall", "ragazzon2012")
SETTINGS = {
    "ideal": ["sensors.wrench={}"],
    "real": [
        "arm=ur5_full",
        "plant.friction=arm",
        "plant.presliding=ideal",
        "tool.payload={mass: 1, center_of_mass: [0, 0, 0.05]}",
        "controller={omega: [15, 15, 25, 40, 45, 50], period: 0.008, delay: 0.008, model_error: "
        "{mass_scale: [1.1, 0.9, 1.1, 0.9, 1.1, 0.9], friction_scale: [0.8, 1.2, 0.8, 1.2, 0.8, 1.2]}}",
        "sensors={encoder_resolution: [9.6e-6, 9.6e-6, 9.6e-6, 1.6e-5, 1.6e-5, 1.6e-5], "
        "velocity_noise: 0.001, wrench: {period: 0.002, force_noise: 0.5, moment_noise: 0.02, "
        "force_offset: [2, -3, 5], moment_offset: [0.1, 0.1, 0], force_drift: 0.05, moment_drift: 0.002}}",
    ],
}
WRIST = "`wrist_sensor`, `force_norm` 5 N"
METHODS = {
    "ideal": {
        WRIST: "{estimator: wrist_sensor, measure: force_norm, threshold: 5}",
        "`momentum_observer`, `adaptive_joint_torque`": "{}",
        "`joint_error`, `wrench_norm` 12": "{estimator: joint_error, measure: wrench_norm, threshold: 12}",
    },
    "real": {
        WRIST: "{estimator: wrist_sensor, measure: force_norm, threshold: 5}",
        "`momentum_observer`, `adaptive_joint_torque`": "{pole: 50}",
        "the same, thresholds of `ragazzon2012_real`": "{pole: 50, threshold: [8, 8, 6, 2, 2, 2]}",
        "`joint_error`, `wrench_norm` 12": "{estimator: joint_error, measure: wrench_norm, threshold: 12}",
    },
}


class One(NamedTuple):
    """What a run came to: ``error`` [N] and ``angle`` [°] under contact, ``turned`` [°] at alarms."""

    outcome: str
    wide: bool
    collisions: int
    contacts: int
    silent: int
    false_alarms: int
    peak: float
    time: float
    delays: np.ndarray
    error: np.ndarray
    angle: np.ndarray
    turned: np.ndarray


def run_one(world: str, setting: str, detection: str, seed: int) -> One:
    """One world with one method."""
    run = simulate(load_world(world, [*SETTINGS[setting], f"detection={detection}"]), seed=seed)
    true, found = run.data.force.values, run.data.force_estimate.values
    pressed = np.linalg.norm(true, axis=1) >= PRESSED
    events = run.data.event_time.values - run.data.touch_time.values
    return One(
        outcome=run.outcome,
        wide=world != "random_cylinders" or has_path(run.world, WIDE),
        collisions=run.summary["collision_count"],
        contacts=run.summary["contact_count"],
        silent=run.summary["silent_contact_count"],
        false_alarms=run.summary["false_alarm_count"],
        peak=run.summary["peak_contact_force_N"],
        time=run.summary["simulated_time_s"],
        delays=events[np.isfinite(events)],
        error=np.linalg.norm(found - true, axis=1)[pressed],
        angle=_angle(found, true)[pressed],
        turned=_at_alarms(run, true, found),
    )


def _at_alarms(run: Run, true: np.ndarray, found: np.ndarray) -> np.ndarray:
    """Angle between the estimate at each alarm on a contact and the true force of the period before [°]."""
    step, period = run.world.plant.step, round(run.world.controller.period / run.world.plant.step)
    rows = np.rint(run.data.event_time.values / step).astype(int)
    rows = rows[(rows >= period) & (rows < len(true))]
    latest = np.array([_latest(true[k - period : k]) for k in rows]).reshape(-1, 3)
    felt = np.linalg.norm(latest, axis=1) > 0.0
    return _angle(found[rows], latest)[felt]


def _latest(forces: np.ndarray) -> np.ndarray:
    """The last force of a period that is not zero."""
    pressed = forces[np.any(forces != 0.0, axis=1)]
    return pressed[-1] if len(pressed) else np.zeros(3)


def _angle(found: np.ndarray, true: np.ndarray) -> np.ndarray:
    """Angle between two forces a row [°]; 90 where one is zero."""
    size = np.linalg.norm(found, axis=1) * np.linalg.norm(true, axis=1)
    cosine = np.einsum("ki,ki->k", found, true) / np.where(size > 0.0, size, 1.0)
    return np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))


HEAD = (
    "| arm | method | reached | collisions on contacts | not felt | false alarms "
    "| peak force, median, largest [N] | time to the goal [s] | delay, median, p95 [ms] "
    "| error of the force, rms [N] | its direction, median, p95 [°] | at the alarm [°] |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|---|"
)


def row(setting: str, method: str, runs: list[One]) -> str:
    """A line of the table over many runs."""
    able = [r for r in runs if r.wide]
    reached = sum(r.outcome == "reached" for r in able)
    low, high = share_interval(reached, len(able))
    peaks, times = [r.peak for r in runs], [r.time for r in runs if r.outcome == "reached"]
    error = np.concatenate([r.error for r in runs])
    cells = [
        setting,
        method,
        f"{reached} of {len(able)} ({100 * low:.0f}–{100 * high:.0f} %)",
        f"{sum(r.collisions for r in runs)} on {sum(r.contacts for r in runs)}",
        str(sum(r.silent for r in runs)),
        str(sum(r.false_alarms for r in runs)),
        f"{np.median(peaks):.0f}, {max(peaks):.0f}",
        f"{np.mean(times):.1f}" if times else "–",
        _quantiles(1e3 * np.concatenate([r.delays for r in runs])),
        f"{np.sqrt(np.mean(error**2)):.1f}" if len(error) else "–",
        _quantiles(np.concatenate([r.angle for r in runs])),
        _quantiles(np.concatenate([r.turned for r in runs])),
    ]
    return "| " + " | ".join(cells) + " |"


def _quantiles(values: np.ndarray) -> str:
    return "{:.0f}, {:.0f}".format(*np.quantile(values, [0.5, 0.95])) if len(values) else "–"


OWN_HEAD = (
    "| world | arm | method | outcome | time [s] | collisions on contacts | peak force [N] "
    "| delay, median [ms] |\n|---|---|---|---|---|---|---|---|"
)


def own_worlds() -> str:
    """Every bundled world once with every method."""
    lines = [OWN_HEAD]
    for world in OWN_WORLDS:
        for setting, methods in METHODS.items():
            for method, detection in methods.items():
                one = run_one(world, setting, detection, 0)
                delay = f"{1e3 * np.median(one.delays):.0f}" if len(one.delays) else "–"
                cells = (
                    f"`{world}`", setting, method, f"`{one.outcome}`", f"{one.time:.1f}",
                    f"{one.collisions} on {one.contacts}", f"{one.peak:.0f}", delay,
                )  # fmt: skip
                lines.append("| " + " | ".join(cells) + " |")
                print(lines[-1], flush=True)
    return "\n".join(lines)


def random_worlds(count: int) -> str:
    """Random cylinders with every method."""
    lines = [HEAD]
    for setting, methods in METHODS.items():
        for method, detection in methods.items():
            runs = [run_one("random_cylinders", setting, detection, FIRST + k) for k in range(count)]
            lines.append(row(setting, method, runs))
            print(lines[-1], flush=True)
    return "\n".join(lines)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--random", type=int, default=200, help="worlds of random cylinders")
    parser.add_argument("--out", type=Path, default=Path("docs/wrist_sensor.md"), help="page to write to")
    chosen = parser.parse_args()
    drawn = random_worlds(chosen.random)
    text = (
        f"### {chosen.random} worlds of random cylinders\n\n{drawn}\n\n### Bundled worlds\n\n{own_worlds()}"
    )
    write(text, chosen.out)


if __name__ == "__main__":
    main()
